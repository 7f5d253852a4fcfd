//! Settings that are missing or wrong are reported together.

use super::*;

// proves O2
#[test]
fn all_problems_are_named_at_once() {
    let error = Settings::read(|name| match name {
        "INVITE_SECRET" | "RECEIPT_SECRET" => Some("short".into()),
        "OLD_RECEIPT_KEYS" => Some("key".into()),
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
        "RECEIPT_SECRET",
        "OLD_RECEIPT_KEYS",
        "MAIL_RATE",
        "MEDIA_BUCKET",
        "MEDIA_URL",
        "FILES_BUCKET",
    ] {
        assert!(error.contains(name), "{error}");
    }
}
