//! Settings, read once from the environment of the process. All missing or invalid variables are
//! reported together.

use crate::metrics::Metrics;
use crate::time::Timestamp;

/// The settings of a deployment. Each field names its environment variable.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `TABLE_NAME`: the DynamoDB table.
    pub table_name: String,
    /// `OIDC_ISSUER`: the OpenID Connect issuer whose tokens are accepted, exactly as in their
    /// `iss` claim.
    pub issuer: String,
    /// The issuer that the ids of people are derived from. It is `OIDC_ISSUER`, except in the local
    /// service, where the issuer has another port on another start.
    pub id_namespace: String,
    /// `OIDC_AUDIENCE`: a value that the `aud` claim of tokens must contain.
    pub audience: String,
    /// `OIDC_JWKS_URL`: URL of the issuer's keys. If empty, it is read from the issuer's discovery
    /// document.
    pub jwks_url: Option<String>,
    /// `OIDC_LEEWAY_SECONDS`: allowed difference between the issuer's clock and ours, in seconds;
    /// default 30.
    pub leeway_seconds: u64,
    /// `CLAIM_USERNAME`, `CLAIM_EMAIL`, `CLAIM_NAME`, `CLAIM_GIVEN_NAME`, `CLAIM_FAMILY_NAME`,
    /// `CLAIM_GROUPS`.
    pub claims: ClaimNames,
    /// `ADMIN_GROUP`: members of this group have all rights; default `clubs-admin`.
    pub admin_group: String,
    /// `CLUB_APPROVAL`: `automatic` (default) or `required`.
    pub club_approval: Approval,
    /// `QUOTA_CLUBS_CREATED`, `QUOTA_CLUBS_OWNED`, `QUOTA_CLUB_EVENTS`; defaults 10, 50 and 1,000.
    pub quotas: Quotas,
    /// `PUBLIC_URL`: address of the distribution in front of the gateway, without a trailing slash;
    /// default none.
    pub public_url: Option<String>,
    /// `SITE_URL`: base URL of the links in mails, without a trailing slash.
    pub site_url: String,
    /// `MAIL_FROM`: the sender of all mails.
    pub mail_from: String,
    /// `MAIL_RATE`: maximum number of mails per second; 0 (default) means no limit.
    pub mail_rate: u32,
    /// `METRICS_STACK`: the name of the stack, if log lines are metrics (O17); default none.
    /// `METRICS_BY_ROUTE`: whether also by route: `true` or `false` (default).
    pub metrics: Option<Metrics>,
    /// `MAIL_CONFIGURATION_SET`: the SES configuration set, if any.
    pub mail_configuration_set: Option<String>,
    /// `INVITE_SECRET`: the secret that invite tokens are derived from; at least 32 characters.
    pub invite_secret: Secret,
    /// `RECEIPT_SECRET`: the secret that the signing key of receipts is derived from; at least 32
    /// characters, and not the secret of invites.
    pub receipt_secret: Secret,
    /// `OLD_RECEIPT_KEYS`: public keys of receipts that were signed before the secret changed: the
    /// `x` of `/receipts/jwks.json`, an `@`, and the time of the change, separated by commas;
    /// default none.
    pub old_receipt_keys: Vec<OldReceiptKey>,
    /// `MEDIA_BUCKET`: the S3 bucket that stores images.
    pub media_bucket: String,
    /// `MEDIA_URL`: base URL from which clients load images.
    pub media_url: String,
    /// `CORS_ORIGINS`: origins that may call from a browser, separated by commas, or `*`; default
    /// none.
    pub cors_origins: Vec<String>,
    /// `TRUST_FORWARDED`: whether a proxy in front of the service sets `X-Forwarded-Host` and
    /// `X-Forwarded-Proto` and nobody can reach the service without it: `true` or `false`
    /// (default).
    pub trusts_forwarded: bool,
}

/// Limits on how much one person or club may have, to prevent abuse. Admins are exempt (C16, V12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    /// Clubs that one person may create, including deleted ones.
    pub clubs_created: u32,
    /// Clubs that one person may own, including deleted ones.
    pub clubs_owned: u32,
    /// Events of a club that have not ended yet.
    pub club_events: u32,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            clubs_created: 10,
            clubs_owned: 50,
            club_events: 1_000,
        }
    }
}

/// The names of the claims that describe a person (O2).
#[derive(Debug, Clone)]
pub struct ClaimNames {
    /// The user name; default `preferred_username`.
    pub username: String,
    /// The e-mail address; default `email`.
    pub email: String,
    /// The full name; default `name`.
    pub name: String,
    /// The first name; default `given_name`.
    pub given_name: String,
    /// The last name; default `family_name`.
    pub family_name: String,
    /// The groups; default `groups`.
    pub groups: String,
}

impl Default for ClaimNames {
    fn default() -> Self {
        Self {
            username: "preferred_username".into(),
            email: "email".into(),
            name: "name".into(),
            given_name: "given_name".into(),
            family_name: "family_name".into(),
            groups: "groups".into(),
        }
    }
}

impl ClaimNames {
    /// Reads the names with a function that returns a variable, or a default.
    fn read(or: impl Fn(&str, &str) -> String) -> Self {
        let names = Self::default();
        Self {
            username: or("CLAIM_USERNAME", &names.username),
            email: or("CLAIM_EMAIL", &names.email),
            name: or("CLAIM_NAME", &names.name),
            given_name: or("CLAIM_GIVEN_NAME", &names.given_name),
            family_name: or("CLAIM_FAMILY_NAME", &names.family_name),
            groups: or("CLAIM_GROUPS", &names.groups),
        }
    }
}

/// Whether an admin must approve new clubs (C5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// New clubs are approved immediately.
    Automatic,
    /// New clubs wait for the approval of an admin.
    Required,
}

impl Approval {
    /// Reads a value of `CLUB_APPROVAL`; none if the value is not allowed.
    fn read(value: &str) -> Option<Self> {
        match value {
            "" | "automatic" => Some(Self::Automatic),
            "required" => Some(Self::Required),
            _ => None,
        }
    }

    /// Reads `CLUB_APPROVAL`, for programs whose other settings do not come from the environment.
    #[expect(
        clippy::disallowed_methods,
        reason = "beside the one place that reads the environment"
    )]
    pub fn from_env() -> Result<Self, SettingsError> {
        Self::read(std::env::var("CLUB_APPROVAL").unwrap_or_default().trim())
            .ok_or_else(|| SettingsError(vec![BAD_APPROVAL.into()]))
    }
}

const BAD_APPROVAL: &str = "CLUB_APPROVAL must be automatic or required";

/// A value that is never shown in logs.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Returns `value` as a secret.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// Returns the value itself.
    pub fn reveal(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// Every variable that [`Settings`] reads. A test compares them with template.yaml.
pub const VARIABLES: [&str; 30] = [
    "TABLE_NAME",
    "OIDC_ISSUER",
    "OIDC_AUDIENCE",
    "OIDC_JWKS_URL",
    "OIDC_LEEWAY_SECONDS",
    "CLAIM_USERNAME",
    "CLAIM_EMAIL",
    "CLAIM_NAME",
    "CLAIM_GIVEN_NAME",
    "CLAIM_FAMILY_NAME",
    "CLAIM_GROUPS",
    "ADMIN_GROUP",
    "CLUB_APPROVAL",
    "QUOTA_CLUBS_CREATED",
    "QUOTA_CLUBS_OWNED",
    "QUOTA_CLUB_EVENTS",
    "PUBLIC_URL",
    "SITE_URL",
    "MAIL_FROM",
    "MAIL_RATE",
    "METRICS_STACK",
    "METRICS_BY_ROUTE",
    "MAIL_CONFIGURATION_SET",
    "INVITE_SECRET",
    "RECEIPT_SECRET",
    "OLD_RECEIPT_KEYS",
    "MEDIA_BUCKET",
    "MEDIA_URL",
    "CORS_ORIGINS",
    "TRUST_FORWARDED",
];

/// A public key of receipts that were signed with an earlier secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldReceiptKey {
    /// The `x` of the key.
    pub key: String,
    /// When the secret was changed: receipts of a later time do not count.
    pub until: Timestamp,
}

impl OldReceiptKey {
    fn parse(text: &str) -> Option<Self> {
        let (key, until) = text.split_once('@')?;
        let until = until.parse().ok()?;
        let key = key.to_owned();
        Some(Self { key, until })
    }
}

/// The entries of a list that is separated by commas.
fn list(value: &str) -> impl Iterator<Item = &str> {
    value
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

/// All errors in the environment.
#[derive(Debug, thiserror::Error)]
#[error("settings: {}", .0.join("; "))]
pub struct SettingsError(Vec<String>);

impl Settings {
    /// Reads the settings of this process.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub fn from_env() -> Result<Self, SettingsError> {
        Self::read(|name| std::env::var(name).ok())
    }

    /// Reads the settings with the function `variable`. An empty variable counts as absent.
    #[expect(
        clippy::too_many_lines,
        reason = "a table: each setting with its default"
    )]
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsError> {
        let mut problems = Vec::new();
        let optional = |name: &str| {
            debug_assert!(VARIABLES.contains(&name), "{name} is not in VARIABLES");
            variable(name)
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        let or = |name: &str, default: &str| optional(name).unwrap_or_else(|| default.to_owned());
        let mut required = |name: &str| {
            optional(name).unwrap_or_else(|| {
                problems.push(format!("{name} is missing"));
                String::new()
            })
        };
        let table_name = required("TABLE_NAME");
        let issuer = required("OIDC_ISSUER");
        let audience = required("OIDC_AUDIENCE");
        let site_url = required("SITE_URL").trim_end_matches('/').to_owned();
        let mail_from = required("MAIL_FROM");
        let invite_secret = required("INVITE_SECRET");
        let receipt_secret = required("RECEIPT_SECRET");
        let media_bucket = required("MEDIA_BUCKET");
        let media_url = required("MEDIA_URL");
        for (name, secret) in [
            ("INVITE_SECRET", &invite_secret),
            ("RECEIPT_SECRET", &receipt_secret),
        ] {
            if !secret.is_empty() && secret.len() < 32 {
                problems.push(format!("{name} must have at least 32 characters"));
            }
        }
        let old_receipt_keys = list(&or("OLD_RECEIPT_KEYS", ""))
            .map(OldReceiptKey::parse)
            .collect::<Option<Vec<_>>>();
        if old_receipt_keys.is_none() {
            problems.push("OLD_RECEIPT_KEYS must be KEY@TIME, separated by commas".into());
        }
        let mut number = |name: &str, default: u32| {
            optional(name).map_or(default, |value| {
                value.parse().unwrap_or_else(|_| {
                    problems.push(format!("{name} must be a whole number, 0 or more"));
                    default
                })
            })
        };
        let leeway_seconds = number("OIDC_LEEWAY_SECONDS", 30).into();
        let mail_rate = number("MAIL_RATE", 0);
        let default = Quotas::default();
        let quotas = Quotas {
            clubs_created: number("QUOTA_CLUBS_CREATED", default.clubs_created),
            clubs_owned: number("QUOTA_CLUBS_OWNED", default.clubs_owned),
            club_events: number("QUOTA_CLUB_EVENTS", default.club_events),
        };
        let club_approval = Approval::read(&or("CLUB_APPROVAL", "")).unwrap_or_else(|| {
            problems.push(BAD_APPROVAL.into());
            Approval::Required
        });
        let mut flag = |name: &str| match or(name, "false").as_str() {
            "true" => true,
            "false" => false,
            _ => {
                problems.push(format!("{name} must be true or false"));
                false
            }
        };
        let trusts_forwarded = flag("TRUST_FORWARDED");
        let by_route = flag("METRICS_BY_ROUTE");
        let metrics = optional("METRICS_STACK").map(|stack| Metrics { stack, by_route });
        let settings = Self {
            table_name,
            id_namespace: issuer.clone(),
            issuer,
            audience,
            jwks_url: optional("OIDC_JWKS_URL"),
            leeway_seconds,
            claims: ClaimNames::read(or),
            admin_group: or("ADMIN_GROUP", "clubs-admin"),
            club_approval,
            quotas,
            public_url: optional("PUBLIC_URL").map(|url| url.trim_end_matches('/').to_owned()),
            site_url,
            mail_from,
            mail_rate,
            metrics,
            mail_configuration_set: optional("MAIL_CONFIGURATION_SET"),
            invite_secret: Secret::new(invite_secret),
            media_bucket,
            media_url,
            receipt_secret: Secret::new(receipt_secret),
            old_receipt_keys: old_receipt_keys.unwrap_or_default(),
            cors_origins: list(&or("CORS_ORIGINS", "")).map(str::to_owned).collect(),
            trusts_forwarded,
        };
        if problems.is_empty() {
            Ok(settings)
        } else {
            Err(SettingsError(problems))
        }
    }
}

#[cfg(test)]
mod tests;
