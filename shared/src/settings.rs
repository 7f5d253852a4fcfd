//! Settings: read once, from the environment of the process; all missing or bad names are reported
//! together.

/// Everything that a deployment decides. Each field says which variable it comes from.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `TABLE_NAME`: the DynamoDB table.
    pub table_name: String,
    /// `OIDC_ISSUER`: the OpenID Connect issuer whose tokens are accepted, exactly as their `iss`
    /// says it.
    pub issuer: String,
    /// `OIDC_AUDIENCE`: what the tokens' `aud` must contain.
    pub audience: String,
    /// `OIDC_JWKS_URL`: where the issuer's keys are; when empty, its discovery document tells.
    pub jwks_url: Option<String>,
    /// `OIDC_LEEWAY_SECONDS`: how far the issuer's clock may be off; default 30.
    pub leeway_seconds: u64,
    /// `CLAIM_USERNAME`, `CLAIM_EMAIL`, `CLAIM_NAME`, `CLAIM_GIVEN_NAME`, `CLAIM_FAMILY_NAME`,
    /// `CLAIM_GROUPS`.
    pub claims: ClaimNames,
    /// `ADMIN_GROUP`: whoever is in this group may do everything; default `clubs-admin`.
    pub admin_group: String,
    /// `CLUB_APPROVAL`: `automatic` (default) or `required`.
    pub club_approval: Approval,
    /// `QUOTA_CLUBS_CREATED`, `QUOTA_CLUBS_OWNED`, `QUOTA_CLUB_EVENTS`; defaults 10, 50 and 1,000.
    pub quotas: Quotas,
    /// `SITE_URL`: where links in mails lead, without a trailing slash.
    pub site_url: String,
    /// `MAIL_FROM`: the sender of all mails.
    pub mail_from: String,
    /// `MAIL_RATE`: mails a second at most; 0 (default) is no limit.
    pub mail_rate: u32,
    /// `MAIL_CONFIGURATION_SET`: the SES configuration set, if any.
    pub mail_configuration_set: Option<String>,
    /// `INVITE_SECRET`: from which invite tokens are derived; at least 32 characters.
    pub invite_secret: Secret,
    /// `MEDIA_BUCKET`: the S3 bucket that images are kept in.
    pub media_bucket: String,
    /// `MEDIA_URL`: where clients get images.
    pub media_url: String,
    /// `CORS_ORIGINS`: origins that may call from a browser, comma-separated, or `*`; default none.
    pub cors_origins: Vec<String>,
}

/// What one person or club may have at most, against abuse; admins are exempt (C16, V12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    /// Clubs that one person creates, deleted ones included.
    pub clubs_created: u32,
    /// Clubs that one person owns, deleted ones included.
    pub clubs_owned: u32,
    /// Events of a club that have not ended.
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

/// The names of the claims that tell who somebody isO2.
#[derive(Debug, Clone)]
pub struct ClaimNames {
    /// The user name; default `preferred_username`.
    pub username: String,
    /// The e-mail address; default `email`.
    pub email: String,
    /// The whole name; default `name`.
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

/// Whether a new club waits for an admin (C5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// Approved at once.
    Automatic,
    /// Waits.
    Required,
}

impl Approval {
    /// What a value of `CLUB_APPROVAL` says; none for one that it cannot have.
    fn read(value: &str) -> Option<Self> {
        match value {
            "" | "automatic" => Some(Self::Automatic),
            "required" => Some(Self::Required),
            _ => None,
        }
    }

    /// What `CLUB_APPROVAL` says, for homes whose other settings do not come from the environment.
    #[expect(
        clippy::disallowed_methods,
        reason = "beside the one place that reads the environment"
    )]
    pub fn from_env() -> Result<Self, SettingsError> {
        Self::read(std::env::var("CLUB_APPROVAL").unwrap_or_default().trim())
            .ok_or_else(|| SettingsError(vec![BAD_APPROVAL.into()]))
    }
}

const BAD_APPROVAL: &str = "CLUB_APPROVAL is neither automatic nor required";

/// A value that no log shows.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Keeps `value`.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself.
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
pub const VARIABLES: [&str; 24] = [
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
    "SITE_URL",
    "MAIL_FROM",
    "MAIL_RATE",
    "MAIL_CONFIGURATION_SET",
    "INVITE_SECRET",
    "MEDIA_BUCKET",
    "MEDIA_URL",
    "CORS_ORIGINS",
];

/// What is wrong with the environment, all of it.
#[derive(Debug, thiserror::Error)]
#[error("settings: {}", .0.join("; "))]
pub struct SettingsError(Vec<String>);

impl Settings {
    /// The settings of this process.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub fn from_env() -> Result<Self, SettingsError> {
        Self::read(|name| std::env::var(name).ok())
    }

    /// The settings that `variable` gives. An empty variable counts as absent.
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
        let media_bucket = required("MEDIA_BUCKET");
        let media_url = required("MEDIA_URL");
        if !invite_secret.is_empty() && invite_secret.len() < 32 {
            problems.push("INVITE_SECRET is shorter than 32 characters".into());
        }
        let mut number = |name: &str, default: u32| {
            optional(name).map_or(default, |value| {
                value.parse().unwrap_or_else(|_| {
                    problems.push(format!("{name} is not a number"));
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
        let names = ClaimNames::default();
        let claims = ClaimNames {
            username: or("CLAIM_USERNAME", &names.username),
            email: or("CLAIM_EMAIL", &names.email),
            name: or("CLAIM_NAME", &names.name),
            given_name: or("CLAIM_GIVEN_NAME", &names.given_name),
            family_name: or("CLAIM_FAMILY_NAME", &names.family_name),
            groups: or("CLAIM_GROUPS", &names.groups),
        };
        let settings = Self {
            table_name,
            issuer,
            audience,
            jwks_url: optional("OIDC_JWKS_URL"),
            leeway_seconds,
            claims,
            admin_group: or("ADMIN_GROUP", "clubs-admin"),
            club_approval,
            quotas,
            site_url,
            mail_from,
            mail_rate,
            mail_configuration_set: optional("MAIL_CONFIGURATION_SET"),
            invite_secret: Secret::new(invite_secret),
            media_bucket,
            media_url,
            cors_origins: or("CORS_ORIGINS", "")
                .split(',')
                .map(|o| o.trim().to_owned())
                .filter(|o| !o.is_empty())
                .collect(),
        };
        if problems.is_empty() {
            Ok(settings)
        } else {
            Err(SettingsError(problems))
        }
    }
}

#[cfg(test)]
mod tests {
    //! Proves O2.

    use super::*;

    #[test]
    fn all_problems_are_named_at_once() {
        let error = Settings::read(|name| match name {
            "INVITE_SECRET" => Some("short".into()),
            "MAIL_RATE" => Some("many".into()),
            _ => None,
        })
        .unwrap_err()
        .to_string();
        for name in [
            "TABLE_NAME",
            "OIDC_ISSUER",
            "OIDC_AUDIENCE",
            "SITE_URL",
            "MAIL_FROM",
            "INVITE_SECRET",
            "MAIL_RATE",
            "MEDIA_BUCKET",
            "MEDIA_URL",
        ] {
            assert!(error.contains(name), "{error}");
        }
    }
}
