//! The reports of SES about a mail. The addresses of its mailbox simulator behave as in the cloud:
//! `success@`, `bounce@`, `complaint@`, `ooto@` and `suppressionlist@simulator.amazonses.com`, each
//! also with a label, such as `bounce+label@…`. For all other addresses, a delivery is reported.

use chrono::{DateTime, Utc};
use mailer::{Notifications, Reports};
use serde_json::{Value, json};
use shared::time::Timestamp;

const SIMULATOR: &str = "simulator.amazonses.com";

/// The events after a `SendEmail` request, in the form in which SNS delivers them. Without a
/// configuration set there are none, because it names their destination.
pub fn events(request: &Value, message_id: &str, now: DateTime<Utc>) -> Vec<Value> {
    if request["ConfigurationSetName"]
        .as_str()
        .is_none_or(str::is_empty)
    {
        return vec![];
    }
    let to = request
        .pointer("/Destination/ToAddresses/0")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_lowercase();
    let who = to
        .strip_suffix(SIMULATOR)
        .and_then(|local| local.strip_suffix('@'))
        .map(|local| local.split('+').next().unwrap_or_default());
    let delivery = json!({
        "eventType": "Delivery",
        "delivery": { "recipients": [to], "smtpResponse": "250 2.0.0 OK" },
    });
    let bounce = |kind: &str, sub_kind: &str| {
        let recipients = json!([{ "emailAddress": to, "action": "failed", "status": "5.1.1" }]);
        json!({
            "eventType": "Bounce",
            "bounce": {
                "bounceType": kind,
                "bounceSubType": sub_kind,
                "bouncedRecipients": recipients,
            },
        })
    };
    let complaint = || {
        let recipients = json!([{ "emailAddress": to }]);
        json!({
            "eventType": "Complaint",
            "complaint": { "complaintFeedbackType": "abuse", "complainedRecipients": recipients },
        })
    };
    let events = match who {
        Some("bounce") => vec![bounce("Permanent", "General")],
        Some("suppressionlist") => vec![bounce("Permanent", "Suppressed")],
        Some("complaint") => vec![delivery, complaint()],
        Some("ooto") => vec![delivery, bounce("Transient", "General")],
        _ => vec![delivery],
    };
    let tags: serde_json::Map<String, Value> = request["EmailTags"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tag| Some((tag["Name"].as_str()?.to_owned(), json!([tag["Value"]]))))
        .collect();
    let mail = json!({
        "timestamp": Timestamp::at(now),
        "messageId": message_id,
        "destination": [to],
        "tags": tags,
    });
    let reported = |mut event: Value| {
        event["mail"] = mail.clone();
        json!({
            "Records": [{ "EventSource": "aws:sns", "Sns": { "Message": event.to_string() } }],
        })
    };
    events.into_iter().map(reported).collect()
}

/// Gives an event to `reports`.
pub async fn deliver(reports: &Reports, event: &Value) -> Result<(), String> {
    let notifications: Notifications =
        serde_json::from_value(event.clone()).map_err(|error| error.to_string())?;
    reports
        .handle(&notifications)
        .await
        .map_err(|error| error.to_string())
}
