//! Signatures of Standard Webhooks: <https://www.standardwebhooks.com>.

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// Returns the value of the header `webhook-signature`: one signature for each secret, separated by
/// spaces. Each is the HMAC-SHA-256 of the id, the time in seconds since 1970 and the body.
pub fn signatures(secrets: &[Vec<u8>], id: u64, seconds: i64, body: &str) -> String {
    let signed = format!("{id}.{seconds}.{body}");
    let sign = |secret: &Vec<u8>| {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let signature = hmac::sign(&key, signed.as_bytes());
        format!("v1,{}", BASE64_STANDARD.encode(signature))
    };
    secrets.iter().map(sign).collect::<Vec<_>>().join(" ")
}
