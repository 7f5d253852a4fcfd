//! All services that functions call, behind one address. Calls of DynamoDB, SES and S3 are
//! forwarded to the emulators; the keys of the issuer are served here. A call is refused if the
//! role of its function in template.yaml does not allow it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use http::{HeaderMap, Method, Uri};
use local::issuer::{ISSUER, Issuer};
use local::mailbox::KeptMail;
use serde_json::{Value, json};
use shared::time::{Clock as _, SystemClock, Timestamp};
use tests::faults::Faults;
use tests::template::{ACCOUNT, Function, REGION, SamTemplate, table_actions};
use tokio::sync::mpsc;

use crate::bucket;
use crate::environments::access_key;
use crate::queues::Queues;
use crate::{Error, http};

pub struct Services {
    /// The address of DynamoDB.
    pub table: String,
    /// The address of SES and S3.
    pub moto: String,
    pub issuer: Issuer,
    functions: BTreeMap<String, Function>,
    /// The reports of SES, for the function `MailReports`.
    pub(crate) reports: mpsc::UnboundedSender<Value>,
    /// The calls that were refused, each as a sentence.
    pub(crate) denied: Mutex<Vec<String>>,
    /// Whether the roles are checked. This is not possible for `sam local`, whose containers all
    /// have the same credentials.
    roles: bool,
    /// Locked during each call of the table, if it takes only one call at a time.
    pub(crate) alone: Option<tokio::sync::Mutex<()>>,
    pub(crate) faults: Arc<Faults>,
    /// The queues of mails and of webhooks.
    pub(crate) queues: Arc<Queues>,
    pub(crate) http: reqwest::Client,
}

/// The only call of SQS.
pub(crate) const SEND: &str = "AmazonSQS.SendMessageBatch";

/// The emulators behind the services.
pub struct Behind {
    /// The address of DynamoDB.
    pub table: String,
    /// The address of SES and S3.
    pub moto: String,
    /// The faults of the table.
    pub faults: Arc<Faults>,
}

/// An `Authorization` header with an access key and a service. The emulators read nothing else in
/// it.
pub fn credential(key: &str, service: &str) -> String {
    format!(
        "AWS4-HMAC-SHA256 Credential={key}/20261121/{REGION}/{service}/aws4_request, \
         SignedHeaders=host, Signature=emulated"
    )
}

/// Calls DynamoDB or its streams.
pub async fn post(
    origin: &str,
    target: &str,
    authorization: &str,
    body: &Value,
) -> Result<Value, Error> {
    let request = http()
        .post(origin)
        .header("x-amz-target", target)
        .header("authorization", authorization);
    let request = request
        .header("x-amz-date", "20261121T000000Z")
        .header("content-type", "application/x-amz-json-1.0");
    let response = request.body(body.to_string()).send().await?;
    let (status, text) = (response.status(), response.text().await?);
    if !status.is_success() {
        return Err(format!("{target}: {status} {text}").into());
    }
    Ok(serde_json::from_str(&text)?)
}

impl Services {
    /// The services of a deployment. `alone`: the table takes one call at a time. `roles`: each
    /// function has its own key, so roles are checked.
    pub fn new(
        template: &SamTemplate,
        Behind {
            table,
            moto,
            faults,
        }: Behind,
        alone: bool,
        roles: bool,
        reports: mpsc::UnboundedSender<Value>,
    ) -> Result<Arc<Self>, Error> {
        let functions = template
            .functions()
            .into_values()
            .map(|function| (access_key(&function.name), function));
        Ok(Arc::new(Self {
            table,
            moto,
            issuer: Issuer::new(&Issuer::new_key()?, ISSUER)?,
            functions: functions.collect(),
            reports,
            denied: Mutex::default(),
            roles,
            alone: alone.then(tokio::sync::Mutex::default),
            faults,
            queues: Arc::default(),
            http: http(),
        }))
    }

    /// Creates the resources of the template: table, buckets and sender.
    pub async fn deploy(&self, template: &SamTemplate) -> Result<(), Error> {
        let resources = template.resources();
        let name = template
            .resolved(&json!({ "!Ref": "Table" }))
            .ok_or("no table")?;
        let mut table = json!({ "TableName": name });
        for property in [
            "AttributeDefinitions",
            "KeySchema",
            "BillingMode",
            "GlobalSecondaryIndexes",
            "StreamSpecification",
        ] {
            table[property] = resources["Table"]["Properties"][property].clone();
        }
        table["StreamSpecification"]["StreamEnabled"] = json!(true);
        post(
            &self.table,
            "DynamoDB_20120810.CreateTable",
            &credential("operator", "dynamodb"),
            &table,
        )
        .await?;
        for bucket in ["Images", "Files"] {
            let bucket = template
                .resolved(&json!({ "!Ref": bucket }))
                .ok_or("no bucket")?;
            let url = format!("{}/{}", self.moto, bucket.as_str().unwrap_or_default());
            let bucket = self
                .http
                .put(url)
                .header("authorization", credential("operator", "s3"));
            let location = format!(
                "<CreateBucketConfiguration><LocationConstraint>{REGION}</LocationConstraint>\
                 </CreateBucketConfiguration>"
            );
            succeeded(bucket.body(location).send().await?).await?;
        }
        let identity = json!({
            "EmailIdentity": sender_domain(&self.functions[&access_key("Mailer")].variables["MAIL_FROM"]),
        });
        let identities = self
            .http
            .post(format!("{}/v2/email/identities", self.moto))
            .header("authorization", credential("operator", "ses"));
        succeeded(identities.body(identity.to_string()).send().await?).await
    }

    /// The calls that were refused.
    pub fn denied(&self) -> Vec<String> {
        self.denied
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The mails that SES took: recipient, subject, body.
    pub async fn mails(&self) -> Result<Vec<(String, String, String)>, Error> {
        let data: Value = serde_json::from_str(
            &self
                .http
                .get(format!("{}/moto-api/data.json", self.moto))
                .send()
                .await?
                .text()
                .await?,
        )?;
        let sent = data["ses"]["RawMessage"].as_array().into_iter().flatten();
        let at = Timestamp::at(SystemClock.now());
        Ok(sent
            .filter_map(|mail| KeptMail::read(mail["raw_data"].as_str()?.as_bytes(), at))
            .map(|mail| (mail.to, mail.subject, mail.html))
            .collect())
    }

    /// Content type and size of an image in S3.
    pub async fn image(&self, bucket: &str, file: &str) -> Result<(String, usize), Error> {
        let request = self
            .http
            .get(format!("{}/{bucket}/{file}", self.moto))
            .header("authorization", credential("operator", "s3"));
        let response = request.send().await?.error_for_status()?;
        let kind = response
            .headers()
            .get("content-type")
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        Ok((kind, response.bytes().await?.len()))
    }

    /// The keys in a bucket with this beginning.
    pub async fn objects(&self, bucket: &str, prefix: &str) -> Result<Vec<String>, Error> {
        let request = self
            .http
            .get(format!(
                "{}/{bucket}?list-type=2&prefix={prefix}",
                self.moto
            ))
            .header("authorization", credential("operator", "s3"));
        let xml = request.send().await?.error_for_status()?.text().await?;
        let keys = xml.split("<Key>").skip(1);
        let keys = keys.filter_map(|rest| Some(rest.split_once("</Key>")?.0.to_owned()));
        Ok(keys.collect())
    }

    /// The actions of a call, each with its resource. `None` if functions never make such a call.
    fn actions(
        function: &Function,
        method: &Method,
        (path, query): (&str, &str),
        headers: &HeaderMap,
        body: &[u8],
    ) -> Option<Vec<(String, String)>> {
        let json = || serde_json::from_slice(body).unwrap_or_default();
        if let Some(target) = headers
            .get("x-amz-target")
            .and_then(|target| target.to_str().ok())
        {
            let (api, operation) = target.split_once('.')?;
            if target == SEND {
                let body: Value = json();
                let queue = body["QueueUrl"].as_str()?.rsplit('/').next()?;
                let queue = format!("arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}");
                return Some(vec![("sqs:SendMessage".into(), queue)]);
            }
            if api != "DynamoDBStreams_20120810" {
                return Some(table_actions(operation, &json()));
            }
            // The emulator names streams differently, so the name in the role is taken.
            let streams = function
                .rights
                .iter()
                .find(|(actions, _)| actions.iter().any(|action| action.ends_with(operation)));
            let stream = streams
                .and_then(|(_, resources)| resources.first())
                .cloned()
                .unwrap_or_default();
            return Some(vec![(format!("dynamodb:{operation}"), stream)]);
        }
        let ses = |kind: &str, name: &str| {
            (
                // Of mails that are sent as MIME.
                "ses:SendRawEmail".to_owned(),
                format!("arn:aws:ses:{REGION}:{ACCOUNT}:{kind}/{name}"),
            )
        };
        if path == "/v2/email/outbound-emails" {
            let request: Value = json();
            let sender = request["FromEmailAddress"].as_str()?;
            let set = request["ConfigurationSetName"].as_str()?;
            return Some(vec![
                ses("identity", &sender_domain(sender)),
                ses("configuration-set", set),
            ]);
        }
        bucket::actions(method, path, query, headers, body)
    }

    /// The reason for which a call is refused, if any.
    pub(crate) fn refusal(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Option<String> {
        if !self.roles {
            return None;
        }
        let (path, query) = (uri.path(), uri.query().unwrap_or_default());
        let key = bucket::signer(headers, query, body);
        let Some(function) = self.functions.get(&key) else {
            return Some(format!("no function has the key {key:?}"));
        };
        let Some(actions) = Self::actions(function, method, (path, query), headers, body) else {
            return Some(format!("{method} {path} is not a known call"));
        };
        let missing = actions
            .into_iter()
            .find(|(action, resource)| !function.may(action, resource));
        missing
            .map(|(action, resource)| format!("{} may not {action} on {resource}", function.name))
    }
}

/// The domain of a sender such as `Clubs <clubs@uni.example>`.
pub(crate) fn sender_domain(sender: &str) -> String {
    sender
        .rsplit('@')
        .next()
        .unwrap_or_default()
        .trim_end_matches('>')
        .to_owned()
}

pub(crate) async fn succeeded(response: reqwest::Response) -> Result<(), Error> {
    let (url, status) = (response.url().clone(), response.status());
    if status.is_success() {
        Ok(())
    } else {
        Err(format!("{url}: {status} {}", response.text().await?).into())
    }
}
