//! Reads the settings from variables.

use chrono_tz::Tz;

use super::{
    Addresses, Approval, BAD_APPROVAL, ClaimNames, MailSettings, MediaSettings, OldReceiptKey,
    Quotas, Secret, Secrets, Settings, SettingsError, TokenSettings, WebhookSettings,
};
use crate::metrics::Metrics;

/// Every variable that [`Settings`] reads. A test compares them with template.yaml.
pub const VARIABLES: [&str; 36] = [
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
    "MAIL_QUEUE",
    "NOTICE_QUEUE",
    "METRICS_STACK",
    "METRICS_BY_ROUTE",
    "MAIL_CONFIGURATION_SET",
    "CAMPUS_TIME_ZONE",
    "INVITE_SECRET",
    "RECEIPT_SECRET",
    "OLD_RECEIPT_KEYS",
    "MEDIA_BUCKET",
    "MEDIA_URL",
    "FILES_BUCKET",
    "WEBHOOK_QUEUE",
    "OWN_HOSTS",
    "CORS_ORIGINS",
    "TRUST_FORWARDED",
];

/// The entries of a list that is separated by commas.
fn list(value: &str) -> impl Iterator<Item = &str> {
    value
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

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
        let files_bucket = required("FILES_BUCKET");
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
        let time_zone = or("CAMPUS_TIME_ZONE", "UTC").parse().unwrap_or_else(|_| {
            problems.push("CAMPUS_TIME_ZONE must be an IANA name, such as Europe/Berlin".into());
            Tz::UTC
        });
        let metrics = optional("METRICS_STACK").map(|stack| Metrics { stack, by_route });
        let settings = Self {
            table_name,
            tokens: TokenSettings {
                id_namespace: issuer.clone(),
                issuer,
                audience,
                jwks_url: optional("OIDC_JWKS_URL"),
                leeway_seconds,
                claims: ClaimNames::read(or),
                admin_group: or("ADMIN_GROUP", "clubs-admin"),
            },
            club_approval,
            quotas,
            addresses: Addresses {
                public_url: optional("PUBLIC_URL").map(|url| url.trim_end_matches('/').to_owned()),
                site_url,
                cors_origins: list(&or("CORS_ORIGINS", "")).map(str::to_owned).collect(),
                trusts_forwarded,
            },
            mail: MailSettings {
                from: mail_from,
                rate: mail_rate,
                queue: or("MAIL_QUEUE", ""),
                notice_queue: or("NOTICE_QUEUE", ""),
                configuration_set: optional("MAIL_CONFIGURATION_SET"),
                time_zone,
            },
            metrics,
            secrets: Secrets {
                invite: Secret::new(invite_secret),
                receipt: Secret::new(receipt_secret),
                old_receipt_keys: old_receipt_keys.unwrap_or_default(),
            },
            media: MediaSettings {
                bucket: media_bucket,
                url: media_url,
            },
            files_bucket,
            webhooks: WebhookSettings {
                queue: or("WEBHOOK_QUEUE", ""),
                own_hosts: list(&or("OWN_HOSTS", "")).map(str::to_lowercase).collect(),
                is_local: false,
            },
        };
        if problems.is_empty() {
            Ok(settings)
        } else {
            Err(SettingsError(problems))
        }
    }
}
