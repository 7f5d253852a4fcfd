//! What would make a deployment fail, found before it begins.

use serde_json::Value;

use crate::aws_cli::{self, run};

/// What will be deployed.
#[derive(Debug, Clone, clap::Args)]
pub struct DeploymentPlan {
    /// The region of the stack
    #[arg(long)]
    pub region: String,
    /// The parameter `MailFrom`
    #[arg(long)]
    pub mail_from: Option<String>,
    /// The parameter `MailIdentity`, if it is not the domain of `MailFrom`
    #[arg(long)]
    pub mail_identity: Option<String>,
    /// Whether the stack is to create the SES identity (`CreateMailIdentity=yes`)
    #[arg(long)]
    pub create_mail_identity: bool,
    /// Whether the gateway is to log requests (`AccessLogs=yes`)
    #[arg(long)]
    pub access_logs: bool,
    /// The parameter `CertificateArn`
    #[arg(long)]
    pub certificate: Option<String>,
    /// The parameter `SiteCertificateArn`
    #[arg(long)]
    pub site_certificate: Option<String>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Whether the deployment can begin as far as this is concerned.
    pub is_good: bool,
    /// What was found, and what to do about it.
    pub text: String,
}

fn good(text: impl Into<String>) -> Checked {
    Checked {
        is_good: true,
        text: text.into(),
    }
}

fn bad(text: impl Into<String>) -> Checked {
    Checked {
        is_good: false,
        text: text.into(),
    }
}

/// Asks everything. The order is that of a deployment.
pub fn preflight(plan: &DeploymentPlan) -> Vec<Checked> {
    let mut all = vec![version()];
    match ask(plan, &["sts", "get-caller-identity"]) {
        Ok(who) => all.push(good(format!(
            "you are {} in {}",
            text(&who, "Arn"),
            plan.region
        ))),
        // Without credentials, every other question fails in the same way.
        Err(error) => {
            all.push(bad(format!("no credentials: {error}")));
            return all;
        }
    }
    all.push(concurrency(plan));
    all.extend(mail(plan));
    if plan.access_logs {
        all.push(access_logs(plan));
    }
    let certificates = [
        ("CertificateArn", &plan.certificate, plan.region.as_str()),
        ("SiteCertificateArn", &plan.site_certificate, "us-east-1"),
    ];
    for (name, arn, region) in certificates {
        if let Some(arn) = arn {
            all.push(certificate(plan, name, arn, region));
        }
    }
    all
}

fn version() -> Checked {
    match run(&["--version"]) {
        Ok(version) if version.starts_with("aws-cli/2") => {
            good(format!("AWS CLI {}", version.trim()))
        }
        Ok(version) => bad(format!("AWS CLI {}: version 2 is needed", version.trim())),
        Err(error) => bad(format!("the AWS CLI does not run: {error}")),
    }
}

fn concurrency(plan: &DeploymentPlan) -> Checked {
    match ask(plan, &["lambda", "get-account-settings"]) {
        Err(error) => bad(format!(
            "the limit of concurrent executions is unknown: {error}"
        )),
        Ok(settings) => match settings["AccountLimit"]["ConcurrentExecutions"].as_u64() {
            Some(limit @ ..=100) => bad(format!(
                "only {limit} functions may run at once: ask for 1,000 before anybody depends on \
                 the service"
            )),
            limit => good(format!(
                "{} functions may run at once",
                limit.unwrap_or_default()
            )),
        },
    }
}

fn mail(plan: &DeploymentPlan) -> Vec<Checked> {
    let mut all = Vec::new();
    match ask(plan, &["sesv2", "get-account"]) {
        Err(error) => all.push(bad(format!("the state of SES is unknown: {error}"))),
        Ok(account) => {
            let rate = account["SendQuota"]["MaxSendRate"]
                .as_f64()
                .unwrap_or_default();
            all.push(if account["ProductionAccessEnabled"] == true {
                good(format!("SES sends up to {rate} mails a second: keep MailRate below"))
            } else {
                bad("SES is in the sandbox: ask for production access, or deploy with MailSandbox=yes and MailRate=1")
            });
        }
    }
    let Some(from) = &plan.mail_from else {
        return all;
    };
    let address = from
        .rsplit('<')
        .next()
        .unwrap_or_default()
        .trim_end_matches('>');
    let domain = address.rsplit('@').next().unwrap_or_default();
    let identity = plan.mail_identity.as_deref().unwrap_or(domain);
    let ses_identity = ask(
        plan,
        &["sesv2", "get-email-identity", "--email-identity", identity],
    );
    all.push(match (ses_identity, plan.create_mail_identity) {
        (Ok(_), true) => bad(format!(
            "{identity} is an identity of SES already: deploy with CreateMailIdentity=no"
        )),
        (Ok(found), false) if found["VerifiedForSendingStatus"] == true => {
            good(format!("{identity} is verified"))
        }
        (Ok(_), false) => bad(format!(
            "{identity} is not verified yet: publish its DKIM records, or open the link in its mail"
        )),
        (Err(_), true) if identity.contains('@') => bad(format!(
            "{identity} is an address, and the stack creates domains only: verify it with `aws sesv2 \
             create-email-identity --email-identity {identity}`, and deploy with \
             CreateMailIdentity=no"
        )),
        (Err(_), true) => good(format!("the stack will create the identity {identity}")),
        (Err(error), false) => bad(format!(
            "{identity} is no identity of SES ({error}): deploy with CreateMailIdentity=yes"
        )),
    });
    all
}

fn access_logs(plan: &DeploymentPlan) -> Checked {
    match ask(plan, &["apigateway", "get-account"]) {
        Ok(account) if !text(&account, "cloudwatchRoleArn").is_empty() => {
            good("the gateway may write logs")
        }
        Ok(_) => bad(
            "the gateway may not write logs: deploy infra/account.yaml first, or use AccessLogs=no",
        ),
        Err(error) => bad(format!(
            "whether the gateway may write logs is unknown: {error}"
        )),
    }
}

fn certificate(plan: &DeploymentPlan, name: &str, arn: &str, region: &str) -> Checked {
    let of = arn.split(':').nth(3).unwrap_or_default();
    if of != region {
        return bad(format!(
            "{name} is in the region {of}, and must be in {region}"
        ));
    }
    let there = DeploymentPlan {
        region: region.to_owned(),
        ..plan.clone()
    };
    match ask(
        &there,
        &["acm", "describe-certificate", "--certificate-arn", arn],
    ) {
        Ok(found) if found["Certificate"]["Status"] == "ISSUED" => {
            good(format!("{name} is issued"))
        }
        Ok(found) => bad(format!(
            "{name} is not issued: {}",
            text(&found["Certificate"], "Status")
        )),
        Err(error) => bad(format!("{name} cannot be read: {error}")),
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn ask(plan: &DeploymentPlan, question: &[&str]) -> Result<Value, String> {
    aws_cli::ask(&[question, &["--region", &plan.region]].concat())
}
