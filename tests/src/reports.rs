//! Reports of SES about mails.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::TestCampus;

/// What SES reports about the mail of this kind, which it took at this time: delivered, then
/// complained about.
pub fn reports_of(campus: &TestCampus, kind: &str, taken_at: DateTime<Utc>) -> Vec<Value> {
    let mail = campus
        .stored()
        .into_iter()
        .find(|item| item["kind"]["S"] == kind)
        .expect("a mail");
    let number = |name: &str| mail[name]["N"].as_str().expect("a number").to_owned();
    let tag = format!(
        "{}-{}-{kind}-{}",
        number("about"),
        number("sequence"),
        number("attempt")
    );
    let request = json!({
        "ConfigurationSetName": "x", "EmailTags": [{ "Name": "mail", "Value": tag }],
        "Destination": { "ToAddresses": ["complaint@simulator.amazonses.com"] },
    });
    local::simulator::events(&request, "id", taken_at)
}
