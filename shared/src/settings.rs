//! Settings, read once from the environment of the process. All missing or invalid variables are
//! reported together.

use chrono_tz::Tz;

use crate::metrics::Metrics;
use crate::time::Timestamp;

/// The settings of a deployment. Each field names its environment variable.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `TABLE_NAME`: the DynamoDB table.
    pub table_name: String,
    /// Whose tokens are accepted.
    pub tokens: TokenSettings,
    /// `CLUB_APPROVAL`: `automatic` (default) or `required`.
    pub club_approval: Approval,
    /// `QUOTA_CLUBS_CREATED`, `QUOTA_CLUBS_OWNED`, `QUOTA_CLUB_EVENTS`; defaults 10, 50 and 1,000.
    pub quotas: Quotas,
    /// Where the service is.
    pub addresses: Addresses,
    /// How mails are sent.
    pub mail: MailSettings,
    /// `METRICS_STACK`: the name of the stack, if log lines are metrics (O17); default none.
    /// `METRICS_BY_ROUTE`: whether also by route: `true` or `false` (default).
    pub metrics: Option<Metrics>,
    /// What links and receipts are signed with.
    pub secrets: Secrets,
    /// Where images are.
    pub media: MediaSettings,
    /// `FILES_BUCKET`: the S3 bucket of the files of applicants.
    pub files_bucket: String,
    /// How webhooks are called.
    pub webhooks: WebhookSettings,
}

/// How webhooks are called.
#[derive(Debug, Clone, Default)]
pub struct WebhookSettings {
    /// `WEBHOOK_QUEUE`: the URL of the queue in SQS. Only the functions for it need it.
    pub queue: String,
    /// `OWN_HOSTS`: hosts of the deployment that webhooks may not call, besides those of its other
    /// addresses, separated by commas; default none.
    pub own_hosts: Vec<String>,
    /// Whether webhooks may call this machine, and without TLS. Only for the local service.
    pub is_local: bool,
}

impl WebhookSettings {
    /// Reads `CLUB_WEBHOOKS_LOCAL`, which only the local service has: `yes`, or `no` (default).
    #[expect(
        clippy::disallowed_methods,
        reason = "beside the one place that reads the environment"
    )]
    pub fn is_local_from_env() -> Result<bool, SettingsError> {
        let value = std::env::var("CLUB_WEBHOOKS_LOCAL").unwrap_or_default();
        match value.trim() {
            "" | "no" => Ok(false),
            "yes" => Ok(true),
            _ => Err(SettingsError(vec![
                "CLUB_WEBHOOKS_LOCAL must be yes or no".into(),
            ])),
        }
    }
}

/// Whose tokens are accepted, and what they say about people.
#[derive(Debug, Clone)]
pub struct TokenSettings {
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
}

/// Where the service is, and who may call it from elsewhere.
#[derive(Debug, Clone)]
pub struct Addresses {
    /// `PUBLIC_URL`: address of the distribution in front of the gateway, without a trailing slash;
    /// default none.
    pub public_url: Option<String>,
    /// `SITE_URL`: base URL of the links in mails, without a trailing slash.
    pub site_url: String,
    /// `CORS_ORIGINS`: origins that may call from a browser, separated by commas, or `*`; default
    /// none.
    pub cors_origins: Vec<String>,
    /// `TRUST_FORWARDED`: whether a proxy in front of the service sets `X-Forwarded-Host` and
    /// `X-Forwarded-Proto` and nobody can reach the service without it: `true` or `false`
    /// (default).
    pub trusts_forwarded: bool,
}

/// How mails are sent.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// `MAIL_FROM`: the sender of all mails.
    pub from: String,
    /// `MAIL_RATE`: maximum number of mails per second; 0 (default) means no limit.
    pub rate: u32,
    /// `MAIL_QUEUE`: the URL of the queue in SQS for decisions, and for answers to what somebody
    /// did. Only the function for changes needs it.
    pub queue: String,
    /// `NOTICE_QUEUE`: the same for reminders and news.
    pub notice_queue: String,
    /// `MAIL_CONFIGURATION_SET`: the SES configuration set, if any.
    pub configuration_set: Option<String>,
    /// `CAMPUS_TIME_ZONE`: the time zone of the campus, in which mails and exports tell times, as
    /// an IANA name; default UTC.
    pub time_zone: Tz,
}

/// What links and receipts are signed with.
#[derive(Debug, Clone)]
pub struct Secrets {
    /// `INVITE_SECRET`: the secret that invite tokens are derived from; at least 32 characters.
    pub invite: Secret,
    /// `RECEIPT_SECRET`: the secret that the signing key of receipts is derived from; at least 32
    /// characters, and not the secret of invites.
    pub receipt: Secret,
    /// `OLD_RECEIPT_KEYS`: public keys of receipts that were signed before the secret changed: the
    /// `x` of `/receipts/jwks.json`, an `@`, and the time of the change, separated by commas;
    /// default none.
    pub old_receipt_keys: Vec<OldReceiptKey>,
}

/// Where images are.
#[derive(Debug, Clone)]
pub struct MediaSettings {
    /// `MEDIA_BUCKET`: the S3 bucket that stores images.
    pub bucket: String,
    /// `MEDIA_URL`: base URL from which clients load images.
    pub url: String,
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

/// All errors in the environment.
#[derive(Debug, thiserror::Error)]
#[error("settings: {}", .0.join("; "))]
pub struct SettingsError(Vec<String>);

mod read;
#[cfg(test)]
mod tests;

pub use read::VARIABLES;
