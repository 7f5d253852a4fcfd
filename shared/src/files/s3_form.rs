//! The signed form with which a browser sends a file to S3.

use std::collections::BTreeMap;

use aws_credential_types::Credentials;
use aws_sigv4::sign::v4;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, Utc};
use serde_json::json;

use super::Announced;

fn base64_of(hex: &str) -> String {
    let digits = hex.as_bytes().chunks(2);
    let bytes =
        digits.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    BASE64_STANDARD.encode(bytes.collect::<Vec<u8>>())
}

/// The policy of a form and its signature (AWS, "Creating a POST policy").
pub(super) fn signed_form(
    (bucket, region): (&str, &str),
    file: &Announced,
    credentials: &Credentials,
    now: DateTime<Utc>,
) -> BTreeMap<String, String> {
    let scope = format!("{}/{}/s3/aws4_request", now.format("%Y%m%d"), region);
    let mut fields: BTreeMap<String, String> = [
        ("Content-Type", file.media_type.to_owned()),
        ("key", file.key.clone()),
        ("success_action_status", "204".to_owned()),
        ("x-amz-algorithm", "AWS4-HMAC-SHA256".to_owned()),
        ("x-amz-checksum-algorithm", "SHA256".to_owned()),
        ("x-amz-checksum-sha256", base64_of(&file.sha256)),
        (
            "x-amz-credential",
            format!("{}/{scope}", credentials.access_key_id()),
        ),
        ("x-amz-date", now.format("%Y%m%dT%H%M%SZ").to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    if let Some(token) = credentials.session_token() {
        fields.insert("x-amz-security-token".into(), token.to_owned());
    }
    let exact = fields.iter().map(|(name, value)| json!({ name: value }));
    let mut conditions: Vec<serde_json::Value> = exact.collect();
    conditions.push(json!({ "bucket": bucket }));
    conditions.push(json!(["content-length-range", file.size, file.size]));
    let policy = json!({ "expiration": file.until, "conditions": conditions });
    let policy = BASE64_STANDARD.encode(policy.to_string());
    let secret = credentials.secret_access_key();
    let key = v4::generate_signing_key(secret, now.into(), region, "s3");
    let signature = v4::calculate_signature(key, policy.as_bytes());
    fields.insert("policy".into(), policy);
    fields.insert("x-amz-signature".into(), signature);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    // proves U2
    #[test]
    fn the_policy_allows_exactly_what_was_announced() {
        let file = Announced {
            key: "uploads/1/2/3".into(),
            size: 7,
            media_type: "application/pdf",
            sha256: "00".repeat(31) + "0f",
            until: Timestamp::at(DateTime::from_timestamp(1_800_000_900, 0).unwrap()),
        };
        let credentials = Credentials::new("AKID", "secret", Some("token".into()), None, "test");
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let region_of = ("files", "eu-central-1");
        let fields = signed_form(region_of, &file, &credentials, now);
        let policy = BASE64_STANDARD.decode(&fields["policy"]).unwrap();
        let policy: serde_json::Value = serde_json::from_slice(&policy).unwrap();
        assert_eq!(policy["expiration"], "2027-01-15T08:15:00Z");
        let conditions = policy["conditions"].as_array().unwrap();
        assert!(conditions.contains(&json!(["content-length-range", 7, 7])));
        assert!(conditions.contains(&json!({ "bucket": "files" })));
        // Each field has a condition, except those that are no part of the policy.
        for (name, value) in &fields {
            let is_apart = name == "policy" || name == "x-amz-signature";
            assert_eq!(
                conditions.contains(&json!({ name: value })),
                !is_apart,
                "{name}"
            );
        }
        let hash = BASE64_STANDARD
            .decode(&fields["x-amz-checksum-sha256"])
            .unwrap();
        assert_eq!((hash.len(), hash[31]), (32, 15));
    }
}
