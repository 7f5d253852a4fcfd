//! What the page has to know about the deployment.

use serde::Serialize;

/// Which token of the issuer the page sends to the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SentToken {
    /// The token for APIs.
    AccessToken,
    /// The token that says who signed in. Cognito names the audience in this one only.
    IdToken,
}

/// What the page has to know about the deployment: `GET /config.json`, and its security policy.
#[derive(Debug, Clone, Serialize)]
pub struct SiteConfig {
    /// The issuer of the tokens, for discovery.
    pub issuer: String,
    /// The id of the page at the issuer.
    pub client_id: String,
    /// The scopes that the page asks for.
    pub scopes: String,
    /// The token that the page sends to the API.
    pub token: SentToken,
    /// The name of the university.
    pub university: String,
    /// The time zone of the campus, as an IANA name.
    pub time_zone: String,
    /// Whether the page can add a second factor to the account at the issuer, a user pool whose own
    /// pages offer none (O21).
    pub second_factor: bool,
    /// Whether it runs on a developer's machine.
    pub is_local: bool,
    /// Base URL of images.
    #[serde(skip)]
    pub media_url: String,
    /// Origins besides the issuer's that the page calls while signing in, separated by spaces.
    #[serde(skip)]
    pub connect: String,
    /// The origin of the bucket of files; empty if it is the site's own.
    #[serde(skip)]
    pub files: String,
}

impl SiteConfig {
    /// Reads the settings of this process: `OIDC_ISSUER`, `SITE_CLIENT_ID`, `SITE_SCOPES`,
    /// `SITE_TOKEN`, `SITE_CONNECT`, `SITE_SECOND_FACTOR`, `SITE_FILES`, `UNIVERSITY`,
    /// `CAMPUS_TIME_ZONE` and `MEDIA_URL`.
    ///
    /// # Errors
    ///
    /// Names the first of the issuer, the client, the scopes and the token that is missing or
    /// wrong.
    pub fn from_env() -> Result<Self, String> {
        let required = |name: &str| {
            Some(variable(name))
                .filter(|value| !value.is_empty())
                .ok_or_else(|| format!("settings: {name} is missing"))
        };
        let token = match variable("SITE_TOKEN").as_str() {
            "access_token" => SentToken::AccessToken,
            "id_token" => SentToken::IdToken,
            _ => return Err("settings: SITE_TOKEN must be id_token or access_token".into()),
        };
        Ok(Self {
            issuer: required("OIDC_ISSUER")?,
            client_id: required("SITE_CLIENT_ID")?,
            scopes: required("SITE_SCOPES")?,
            token,
            university: variable("UNIVERSITY"),
            time_zone: Some(variable("CAMPUS_TIME_ZONE"))
                .filter(|zone| !zone.is_empty())
                .unwrap_or_else(|| "UTC".to_owned()),
            second_factor: variable("SITE_SECOND_FACTOR") == "true",
            is_local: false,
            media_url: variable("MEDIA_URL"),
            connect: variable("SITE_CONNECT"),
            files: variable("SITE_FILES"),
        })
    }
}

/// A setting, empty if it is not there.
#[expect(
    clippy::disallowed_methods,
    reason = "the settings of the site are not those of the API"
)]
pub fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default().trim().to_owned()
}
