//! Reports of SES about sent mails: deliveries, bounces and complaints, in any order

use serde_json::{Value, json};
use tests::fixtures::{Recruitment, id};
use tests::{Client, Setup, TestCampus};

/// An applicant with an address of the SES simulator.
pub(crate) fn simulated(campus: &TestCampus, username: &str, address: &str) -> Client {
    campus.client(
        &json!({
            "email": format!("{address}@simulator.amazonses.com"),
            "name": format!("{username} Test"),
        }),
        username,
    )
}

/// Accepts an applicant with this address and sends the mail. Returns the recruitment, the
/// submission and the reports of SES about the mail.
pub(crate) async fn sent(campus: &TestCampus, address: &str) -> (Recruitment, Value, Vec<Value>) {
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&simulated(campus, "sue", address)).await;
    recruitment.decide(&submission, 4, "").await;
    recruitment.send("acceptance", json!({})).await.ok();
    campus.deliver().await;
    (
        recruitment,
        submission,
        campus.campus.mailbox.take_reports(),
    )
}

pub(crate) async fn state(recruitment: &Recruitment) -> (Value, Value) {
    let list = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    (list[0]["email_status"].clone(), list[0]["notified"].clone())
}

/// A copy of an event of SES, with changes.
pub(crate) fn changed(event: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut message: Value = serde_json::from_str(
        event["Records"][0]["Sns"]["Message"]
            .as_str()
            .expect("a message"),
    )
    .expect("JSON");
    change(&mut message);
    json!({ "Records": [{ "Sns": { "Message": message.to_string() } }] })
}

/// A recruitment with rejected applicants at addresses of the simulator, to whom the mails were
/// sent and reported, and with one applicant whose decision is open.
async fn reported(campus: &TestCampus) -> Recruitment {
    let recruitment = campus.recruitment("chess").await;
    for address in [
        "success",
        "bounce",
        "complaint",
        "ooto",
        "suppressionlist",
        "bounce+label",
    ] {
        let submission = recruitment
            .submit(&simulated(campus, address, address))
            .await;
        recruitment.decide(&submission, 2, "").await;
    }
    let waits = recruitment.submit(&campus.as_("waits")).await;
    let sent = campus
        .with_worker(recruitment.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(
        (&sent["sent"], &sent["skipped"]["pending"]),
        (&json!(6), &json!(1))
    );
    campus.report().await;
    assert!(id(&waits) > 0);
    recruitment
}

// proves S9, E13, E22, O10
#[tokio::test(start_paused = true)]
async fn officers_find_who_was_not_reached() {
    let campus = TestCampus::new();
    let recruitment = reported(&campus).await;
    let found = async |query: &str| -> Vec<(String, String)> {
        let list = recruitment
            .officer
            .get(&format!("{}submissions/?{query}", recruitment.path))
            .await
            .ok();
        let text = |value: &Value| value.as_str().unwrap_or("null").to_owned();
        list.as_array()
            .into_iter()
            .flatten()
            .map(|one| (text(&one["user"]["username"]), text(&one["email_status"])))
            .collect()
    };
    let pairs = |pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect::<Vec<_>>()
    };
    let bounced = pairs(&[
        ("bounce+label", "bounced"),
        ("suppressionlist", "bounced"),
        ("bounce", "bounced"),
    ]);
    assert_eq!(found("email_status=bounced").await, bounced);
    assert_eq!(
        found("email_status=complained").await,
        pairs(&[("complaint", "complained")])
    );
    assert_eq!(
        found("email_status=sent").await,
        pairs(&[("ooto", "sent"), ("success", "sent")])
    );
    assert_eq!(
        found("email_status=none").await,
        pairs(&[("waits", "null")])
    );
    assert_eq!(
        found("email_status=failed,%20unknown,bounced,complained")
            .await
            .len(),
        4
    );
    assert_eq!(found("email_status=failed").await, vec![]);
}

// proves S9, E13
#[tokio::test(start_paused = true)]
async fn export_is_filtered_by_mail_state() {
    let campus = TestCampus::new();
    let recruitment = reported(&campus).await;
    let csv = recruitment
        .officer
        .get(&format!(
            "{}submissions/export/?email_status=complained",
            recruitment.path
        ))
        .await;
    assert_eq!(csv.text().lines().count(), 2, "{}", csv.text());
    for bad in ["delivered", "bounced,", "", "Sent"] {
        recruitment
            .officer
            .get(&format!(
                "{}submissions/?email_status={bad}",
                recruitment.path
            ))
            .await
            .invalid(&["email_status"]);
    }
}

// proves E22
#[tokio::test(start_paused = true)]
async fn most_serious_report_counts_in_any_order() {
    for (address, end) in [
        ("success", "sent"),
        ("bounce", "bounced"),
        ("complaint", "complained"),
        ("ooto", "sent"),
    ] {
        let campus = TestCampus::new();
        let (recruitment, _, mut events) = sent(&campus, address).await;
        let delivered = changed(&events[0], |event| event["eventType"] = json!("Delivery"));
        events.push(delivered);
        for event in events
            .iter()
            .rev()
            .chain(&events)
            .chain(events.iter().rev())
        {
            campus.reported(event).await;
        }
        assert_eq!(
            state(&recruitment).await,
            (json!(end), json!(true)),
            "{address}"
        );
    }
}

// proves E22
#[tokio::test(start_paused = true)]
async fn soft_bounce_means_unreached_until_delivery() {
    let campus = TestCampus::new();
    let (recruitment, _, events) = sent(&campus, "ooto").await;
    campus.reported(&events[1]).await;
    assert_eq!(state(&recruitment).await.0, "bounced");
    campus.reported(&events[0]).await;
    assert_eq!(state(&recruitment).await.0, "sent");
    campus.reported(&events[1]).await;
    assert_eq!(state(&recruitment).await.0, "sent");
    let mail = campus
        .stored()
        .into_iter()
        .find(|item| item["type"]["S"] == "Mail")
        .expect("a mail");
    assert_eq!(
        mail["outcome"]["S"], "local-1",
        "the outcome is not that of the last report"
    );
}

// proves S14, E23
#[tokio::test(start_paused = true)]
async fn ses_rejection_is_a_failure_and_not_spam_is_no_complaint() {
    let campus = TestCampus::new();
    let (recruitment, _, events) = sent(&campus, "complaint").await;
    let praise = changed(&events[1], |event| {
        event["complaint"]["complaintFeedbackType"] = json!("not-spam");
    });
    campus.reported(&praise).await;
    assert_eq!(state(&recruitment).await.0, "sent");
    let campus = TestCampus::new();
    let (recruitment, submission, events) = sent(&campus, "complaint").await;
    let rejected = changed(&events[1], |event| {
        event["eventType"] = json!("Reject");
        event["reject"] = json!({ "reason": "Bad content" });
    });
    campus.reported(&rejected).await;
    // The report holds, although the worker has marked the mail as sent.
    assert_eq!(state(&recruitment).await, (json!("failed"), json!(false)));
    let own = recruitment
        .own(&simulated(&campus, "sue", "complaint"), &submission)
        .await;
    assert_eq!(
        (&own["status"], &own["notified"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(
        campus
            .with_worker(recruitment.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1,
        "a failed mail can be sent again"
    );
}

// proves E13, E22
#[tokio::test(start_paused = true)]
async fn reports_during_sending_are_stored() {
    for (address, end) in [
        ("success", "sent"),
        ("bounce", "bounced"),
        ("complaint", "complained"),
    ] {
        let campus = Setup::default().latency(5).build();
        let recruitment = campus.recruitment("chess").await;
        let submission = recruitment
            .submit(&simulated(&campus, "sue", address))
            .await;
        recruitment.decide(&submission, 4, "").await;
        recruitment.send("acceptance", json!({})).await.ok();
        // SES reports each event twice as soon as it has the mail, while the worker still marks it.
        let report = async || {
            loop {
                let events = campus.campus.mailbox.take_reports();
                let each: Vec<Value> = events.iter().chain(&events).cloned().collect();
                futures::future::join_all(each.iter().map(|event| campus.reported(event))).await;
                if !events.is_empty() {
                    break;
                }
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            }
        };
        tokio::join!(campus.deliver(), report());
        assert_eq!(
            state(&recruitment).await,
            (json!(end), json!(true)),
            "{address}"
        );
        assert_eq!(tests::recount::recount(&campus), Vec::<String>::new());
    }
}

// proves E22
#[tokio::test(start_paused = true)]
async fn bounces_and_complaints_of_every_kind_are_understood() {
    for (kind, sub_kind, end) in [
        ("Undetermined", "Undetermined", "bounced"),
        ("Permanent", "OnAccountSuppressionList", "bounced"),
    ] {
        let campus = TestCampus::new();
        let (recruitment, _, events) = sent(&campus, "bounce").await;
        let event = changed(&events[0], |event| {
            event["bounce"] = json!({ "bounceType": kind, "bounceSubType": sub_kind });
        });
        campus.reported(&event).await;
        assert_eq!(state(&recruitment).await.0, end);
        let mail = campus
            .stored()
            .into_iter()
            .find(|item| item["type"]["S"] == "Mail")
            .expect("a mail");
        assert_eq!(mail["outcome"]["S"], format!("{kind}/{sub_kind}"));
    }
    let campus = TestCampus::new();
    let (recruitment, _, events) = sent(&campus, "complaint").await;
    let bare = changed(&events[1], |event| {
        event["complaint"] = json!({ "complaintSubType": "OnAccountSuppressionList" });
    });
    campus.reported(&bare).await;
    assert_eq!(state(&recruitment).await.0, "complained");
}

#[tokio::test(start_paused = true)]
async fn the_tag_of_a_mail_is_what_ses_allows() {
    let campus = TestCampus::new();
    let (_, _, events) = sent(&campus, "success").await;
    let message: Value = serde_json::from_str(
        events[0]["Records"][0]["Sns"]["Message"]
            .as_str()
            .expect("a message"),
    )
    .expect("JSON");
    let tag = message["mail"]["tags"]["mail"][0].as_str().expect("a tag");
    assert!(
        tag.len() <= 256
            && tag
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
        "{tag}"
    );
}

// proves E33
#[tokio::test(start_paused = true)]
async fn report_unreadable_by_older_release_is_redelivered() {
    let campus = TestCampus::new();
    let (recruitment, _, events) = sent(&campus, "bounce").await;
    let unknown_kind = changed(&events[0], |event| {
        event["mail"]["tags"] = json!({ "mail": ["1-2-reminder-1"] });
    });
    let unknown_shape = changed(&events[0], |event| {
        event["mail"]["timestamp"] = json!({ "seconds": 1 });
    });
    let reports = &campus.campus.reports;
    for unread in [unknown_kind, unknown_shape] {
        local::simulator::deliver(reports, &unread)
            .await
            .expect_err("a report counted as finished");
    }
    assert_eq!(state(&recruitment).await.0, "sent");
    campus.reported(&events[0]).await;
    assert_eq!(state(&recruitment).await.0, "bounced");
}
