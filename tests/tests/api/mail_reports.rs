//! Reports of SES about sent mails: deliveries, bounces and complaints, in any order
//!
//! Proves S9, S14, E2, E13, E18, E22, E23, O8, O10.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use tests::fixtures::{Recruitment, id};
use tests::{Client, Setup, TestCampus};

/// An applicant with an address of the SES simulator.
fn simulated(campus: &TestCampus, username: &str, address: &str) -> Client {
    campus.client(
        &json!({
            "email": format!("{address}@simulator.amazonses.com"),
            "name": format!("{username} Test"),
        }),
        username,
    )
}

/// Accepts an applicant with this address and sends the mail. Returns the drive, the submission and
/// the reports of SES about the mail.
async fn sent(campus: &TestCampus, address: &str) -> (Recruitment, Value, Vec<Value>) {
    let drive = campus.drive("chess").await;
    let submission = drive.submit(&simulated(campus, "sue", address)).await;
    drive.decide(&submission, 4, "").await;
    drive.send("acceptance", json!({})).await.ok();
    campus.deliver().await;
    (drive, submission, campus.campus.mailbox.take_reports())
}

async fn state(drive: &Recruitment) -> (Value, Value) {
    let list = drive
        .officer
        .get(&format!("{}submissions/", drive.path))
        .await
        .ok();
    (list[0]["email_status"].clone(), list[0]["notified"].clone())
}

/// A copy of an event of SES, with changes.
fn changed(event: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut message: Value = serde_json::from_str(
        event["Records"][0]["Sns"]["Message"]
            .as_str()
            .expect("a message"),
    )
    .expect("JSON");
    change(&mut message);
    json!({ "Records": [{ "Sns": { "Message": message.to_string() } }] })
}

#[tokio::test(start_paused = true)]
async fn officers_find_who_was_not_reached() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    for address in [
        "success",
        "bounce",
        "complaint",
        "ooto",
        "suppressionlist",
        "bounce+label",
    ] {
        let submission = drive.submit(&simulated(&campus, address, address)).await;
        drive.decide(&submission, 2, "").await;
    }
    let waits = drive.submit(&campus.as_("waits")).await;
    let sent = campus
        .with_worker(drive.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(
        (&sent["sent"], &sent["skipped"]["pending"]),
        (&json!(6), &json!(1))
    );
    campus.report().await;
    let found = async |query: &str| -> Vec<(String, String)> {
        let list = drive
            .officer
            .get(&format!("{}submissions/?{query}", drive.path))
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
    let csv = drive
        .officer
        .get(&format!(
            "{}submissions/export/?email_status=complained",
            drive.path
        ))
        .await;
    assert_eq!(csv.text().lines().count(), 2, "{}", csv.text());
    for bad in ["delivered", "bounced,", "", "Sent"] {
        drive
            .officer
            .get(&format!("{}submissions/?email_status={bad}", drive.path))
            .await
            .invalid(&["email_status"]);
    }
    assert!(id(&waits) > 0);
}

#[tokio::test(start_paused = true)]
async fn whatever_the_order_and_however_often_the_weightiest_report_holds() {
    for (address, end) in [
        ("success", "sent"),
        ("bounce", "bounced"),
        ("complaint", "complained"),
        ("ooto", "sent"),
    ] {
        let campus = TestCampus::new();
        let (drive, _, mut events) = sent(&campus, address).await;
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
        assert_eq!(state(&drive).await, (json!(end), json!(true)), "{address}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_soft_bounce_means_not_reached_until_a_delivery_says_that_it_was_a_note_of_absence() {
    let campus = TestCampus::new();
    let (drive, _, events) = sent(&campus, "ooto").await;
    campus.reported(&events[1]).await;
    assert_eq!(state(&drive).await.0, "bounced");
    campus.reported(&events[0]).await;
    assert_eq!(state(&drive).await.0, "sent");
    campus.reported(&events[1]).await;
    assert_eq!(state(&drive).await.0, "sent");
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

#[tokio::test(start_paused = true)]
async fn a_rejection_of_ses_is_a_failure_and_not_spam_is_no_complaint() {
    let campus = TestCampus::new();
    let (drive, _, events) = sent(&campus, "complaint").await;
    let praise = changed(&events[1], |event| {
        event["complaint"]["complaintFeedbackType"] = json!("not-spam");
    });
    campus.reported(&praise).await;
    assert_eq!(state(&drive).await.0, "sent");
    let campus = TestCampus::new();
    let (drive, submission, events) = sent(&campus, "complaint").await;
    let rejected = changed(&events[1], |event| {
        event["eventType"] = json!("Reject");
        event["reject"] = json!({ "reason": "Bad content" });
    });
    campus.reported(&rejected).await;
    // The report holds, although the worker has marked the mail as sent.
    assert_eq!(state(&drive).await, (json!("failed"), json!(false)));
    let own = drive
        .own(&simulated(&campus, "sue", "complaint"), &submission)
        .await;
    assert_eq!(
        (&own["status"], &own["notified"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(
        campus
            .with_worker(drive.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1,
        "a failed mail can be sent again"
    );
}

#[tokio::test(start_paused = true)]
async fn a_delivery_tells_what_the_worker_could_not() {
    for (event, end) in [(0, ("sent", true)), (1, ("complained", true))] {
        // SES takes the mail, but its answer is lost.
        let campus = Setup::default()
            .mail(Arc::new(|_: &str| {
                Box::pin(async { Some(Ok((500, json!({ "__type": "Lost" })))) })
            }))
            .build();
        let (drive, submission, none) = sent(&campus, "complaint").await;
        assert_eq!(
            (state(&drive).await, none.len()),
            ((json!("unknown"), json!(false)), 0)
        );
        let own = simulated(&campus, "sue", "complaint");
        assert_eq!(
            drive.own(&own, &submission).await["status"],
            1,
            "it is not known whether she was told"
        );
        campus
            .reported(&reports_of_the_acceptance(&campus)[event])
            .await;
        assert_eq!(state(&drive).await, (json!(end.0), json!(end.1)));
        assert_eq!(
            drive.own(&own, &submission).await["status"],
            4,
            "she was told"
        );
        assert_eq!(
            drive.send("acceptance", json!({})).await.ok()["skipped"]["already_notified"],
            1
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_mail_that_ses_rejected_told_nobody_anything() {
    let campus = Setup::default()
        .mail(Arc::new(|_: &str| {
            Box::pin(async { Some(Ok((500, json!({ "__type": "Lost" })))) })
        }))
        .build();
    let (drive, submission, _) = sent(&campus, "complaint").await;
    let rejected = changed(&reports_of_the_acceptance(&campus)[0], |event| {
        event["eventType"] = json!("Reject");
    });
    campus.reported(&rejected).await;
    assert_eq!(state(&drive).await, (json!("failed"), json!(false)));
    assert_eq!(
        drive
            .own(&simulated(&campus, "sue", "complaint"), &submission)
            .await["status"],
        1
    );
}

/// The reports of SES about the acceptance mail to `complaint@`, for mails that the mailbox did not
/// take.
fn reports_of_the_acceptance(campus: &TestCampus) -> Vec<Value> {
    let mail = campus
        .stored()
        .into_iter()
        .find(|item| item["kind"]["S"] == "acceptance")
        .expect("a mail");
    let number = |name: &str| mail[name]["N"].as_str().expect("a number").to_owned();
    let tag = format!(
        "{}-{}-acceptance-{}",
        number("about"),
        number("sequence"),
        number("attempt")
    );
    let request = json!({
        "ConfigurationSetName": "x", "EmailTags": [{ "Name": "mail", "Value": tag }],
        "Destination": { "ToAddresses": ["complaint@simulator.amazonses.com"] },
    });
    local::simulator::events(&request, "id", tests::start())
}

#[tokio::test(start_paused = true)]
async fn what_was_told_last_stays_when_an_earlier_mail_turns_out_to_have_arrived() {
    let calls = AtomicUsize::new(0);
    let campus = Setup::default()
        .mail(Arc::new(move |_: &str| {
            let first = calls.fetch_add(1, Ordering::SeqCst) == 0;
            Box::pin(async move { first.then(|| Ok((500, json!({ "__type": "Lost" })))) })
        }))
        .build();
    let (drive, submission, _) = sent(&campus, "complaint").await;
    campus.advance(chrono::TimeDelta::minutes(1));
    drive.decide(&submission, 2, "Too late.").await;
    assert_eq!(
        campus
            .with_worker(drive.send("rejection", json!({})))
            .await
            .ok()["sent"],
        1
    );
    campus
        .reported(&reports_of_the_acceptance(&campus)[0])
        .await;
    let own = drive
        .own(&simulated(&campus, "sue", "complaint"), &submission)
        .await;
    assert_eq!(
        (&own["status"], &own["reason"]),
        (&json!(2), &json!("Too late."))
    );
}

#[tokio::test(start_paused = true)]
async fn an_earlier_mail_that_turns_out_to_have_arrived_was_told_even_if_the_next_one_fails() {
    let calls = AtomicUsize::new(0);
    let campus = Setup::default()
        .mail(Arc::new(move |_: &str| {
            let answer = match calls.fetch_add(1, Ordering::SeqCst) {
                0 => (500, json!({ "__type": "Lost" })),
                _ => (400, json!({ "__type": "MessageRejected" })),
            };
            Box::pin(async move { Some(Ok(answer)) })
        }))
        .build();
    let (drive, submission, _) = sent(&campus, "complaint").await;
    let first = reports_of_the_acceptance(&campus);
    assert_eq!(
        drive
            .send("acceptance", json!({ "allow_resend": true }))
            .await
            .ok()["queued"],
        1
    );
    campus.reported(&first[0]).await;
    assert_eq!(
        state(&drive).await,
        (json!("queued"), json!(true)),
        "the state of the second mail, and `notified` by the first one"
    );
    campus.deliver().await;
    assert_eq!(state(&drive).await, (json!("failed"), json!(true)));
    assert_eq!(
        drive
            .own(&simulated(&campus, "sue", "complaint"), &submission)
            .await["status"],
        4
    );
    assert_eq!(
        drive.send("acceptance", json!({})).await.ok()["skipped"]["already_notified"],
        1,
        "nobody is mailed twice by accident"
    );
}

#[tokio::test(start_paused = true)]
async fn reports_that_come_while_the_worker_marks_the_mail_find_their_place() {
    for (address, end) in [
        ("success", "sent"),
        ("bounce", "bounced"),
        ("complaint", "complained"),
    ] {
        let campus = Setup::default().latency(5).build();
        let drive = campus.drive("chess").await;
        let submission = drive.submit(&simulated(&campus, "sue", address)).await;
        drive.decide(&submission, 4, "").await;
        drive.send("acceptance", json!({})).await.ok();
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
        assert_eq!(state(&drive).await, (json!(end), json!(true)), "{address}");
        assert_eq!(tests::recount::recount(&campus), Vec::<String>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn reports_of_a_submission_that_was_made_anew_are_not_the_new_ones() {
    let campus = TestCampus::new();
    let (drive, submission, events) = sent(&campus, "bounce").await;
    let sue = simulated(&campus, "sue", "bounce");
    drive.decide(&submission, 1, "").await;
    sue.delete(&format!("/api/submissions/{}/", id(&submission)))
        .await
        .no_content();
    let again = drive.submit(&sue).await;
    drive.decide(&again, 4, "").await;
    assert_eq!(drive.send("acceptance", json!({})).await.ok()["queued"], 1);
    campus.reported(&events[0]).await;
    assert_eq!(state(&drive).await, (json!("queued"), json!(false)));
}

#[tokio::test(start_paused = true)]
async fn bounces_and_complaints_of_every_kind_are_understood() {
    for (kind, sub_kind, end) in [
        ("Undetermined", "Undetermined", "bounced"),
        ("Permanent", "OnAccountSuppressionList", "bounced"),
    ] {
        let campus = TestCampus::new();
        let (drive, _, events) = sent(&campus, "bounce").await;
        let event = changed(&events[0], |event| {
            event["bounce"] = json!({ "bounceType": kind, "bounceSubType": sub_kind });
        });
        campus.reported(&event).await;
        assert_eq!(state(&drive).await.0, end);
        let mail = campus
            .stored()
            .into_iter()
            .find(|item| item["type"]["S"] == "Mail")
            .expect("a mail");
        assert_eq!(mail["outcome"]["S"], format!("{kind}/{sub_kind}"));
    }
    let campus = TestCampus::new();
    let (drive, _, events) = sent(&campus, "complaint").await;
    let bare = changed(&events[1], |event| {
        event["complaint"] = json!({ "complaintSubType": "OnAccountSuppressionList" });
    });
    campus.reported(&bare).await;
    assert_eq!(state(&drive).await.0, "complained");
}

#[tokio::test(start_paused = true)]
async fn a_report_keeps_nothing_of_an_invitation_but_that_it_went() {
    // The worker never learns whether SES took the mail.
    let campus = Setup::default()
        .mail(Arc::new(|_: &str| {
            Box::pin(async { Some(Ok((500, json!({ "__type": "Lost" })))) })
        }))
        .build();
    let ada = campus.as_("ada");
    let club = campus.club("chess", &ada).await;
    ada.post(
        &format!("/api/clubs/{club}/invites/"),
        json!({ "email": "sue@uni.example" }),
    )
    .await
    .created();
    let mail = campus
        .stored()
        .into_iter()
        .find(|item| item["type"]["S"] == "Mail")
        .expect("a mail");
    assert!(
        mail["text"]["S"]
            .as_str()
            .is_some_and(|text| !text.is_empty())
    );
    let key = |name: &str| mail[name]["N"].as_str().expect("a number").to_owned();
    let tag = format!(
        "{}-{}-{}-{}",
        key("about"),
        key("sequence"),
        mail["kind"]["S"].as_str().unwrap_or_default(),
        key("attempt")
    );
    let request = json!({
        "ConfigurationSetName": "x",
        "EmailTags": [{ "Name": "mail", "Value": tag }],
        "Destination": { "ToAddresses": ["sue@uni.example"] },
    });
    campus
        .reported(&local::simulator::events(&request, "ses-1", tests::start())[0])
        .await;
    let mail = campus
        .stored()
        .into_iter()
        .find(|item| item["type"]["S"] == "Mail")
        .expect("a mail");
    assert_eq!(
        (
            &mail["status"]["S"],
            &mail["html"]["S"],
            &mail["text"]["S"],
            &mail["outcome"]["S"]
        ),
        (&json!("sent"), &json!(""), &json!(""), &json!("ses-1"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_late_report_of_an_earlier_mail_changes_nothing_of_the_last() {
    let campus = TestCampus::new();
    let (drive, submission, first) = sent(&campus, "bounce").await;
    campus.advance(chrono::TimeDelta::minutes(1));
    assert_eq!(
        campus
            .with_worker(drive.send("acceptance", json!({ "allow_resend": true })))
            .await
            .ok()["sent"],
        1
    );
    campus.reported(&first[0]).await;
    assert_eq!(state(&drive).await.0, "sent", "the second acceptance mail");
    // The rejection is later than the acceptance, so only reports about the rejection count.
    campus.advance(chrono::TimeDelta::minutes(1));
    let acceptances = campus.campus.mailbox.take_reports();
    drive.decide(&submission, 2, "").await;
    assert_eq!(
        campus
            .with_worker(drive.send("rejection", json!({})))
            .await
            .ok()["sent"],
        1
    );
    campus.reported(&acceptances[0]).await;
    assert_eq!(state(&drive).await.0, "sent");
    campus.report().await;
    assert_eq!(state(&drive).await.0, "bounced");
    let own = drive
        .own(&simulated(&campus, "sue", "bounce"), &submission)
        .await;
    assert_eq!(own["status"], 2, "the decision that was mailed last");
}

#[tokio::test(start_paused = true)]
async fn reports_of_what_is_gone_or_never_was_leave_nothing_behind() {
    let campus = TestCampus::new();
    let (drive, _, events) = sent(&campus, "bounce").await;
    drive
        .officer
        .delete(&format!("{}?force=true", drive.path))
        .await
        .no_content();
    let before = campus.stored().len();
    campus.reported(&events[0]).await;
    for tag in ["1-2-acceptance-1", "1-2", "a-b-c-d", ""] {
        campus
            .reported(&changed(&events[0], |event| {
                event["mail"]["tags"] = json!({ "mail": [tag] });
            }))
            .await;
    }
    campus
        .reported(&changed(&events[0], |event| {
            event["mail"]["tags"] = json!({});
        }))
        .await;
    campus
        .reported(&changed(&events[0], |event| {
            event["eventType"] = json!("Open");
        }))
        .await;
    campus
        .reported(&json!({
            "Records": [{ "Sns": { "Message": "Successfully validated SNS topic for SES." } }],
        }))
        .await;
    assert_eq!(campus.stored().len(), before);
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

#[tokio::test(start_paused = true)]
async fn a_mail_that_goes_while_it_is_reported_stays_gone() {
    let erase: Arc<OnceLock<Box<dyn Fn() + Send + Sync>>> = Arc::default();
    let when_written = erase.clone();
    let campus = Setup::default()
        .table(Arc::new(move |operation: &str, _: &[u8]| {
            if let Some(erase) = when_written.get().filter(|_| operation == "UpdateItem") {
                erase();
            }
            Box::pin(async { None })
        }))
        .build();
    let (_, _, events) = sent(&campus, "success").await;
    let mail = campus
        .stored()
        .into_iter()
        .find(|item| item["type"]["S"] == "Mail")
        .expect("a mail");
    let engine = campus.campus.engine.clone();
    let key =
        json!({ "TableName": local::engine::TABLE, "Key": { "pk": mail["pk"], "sk": mail["sk"] } });
    let erased = erase.set(Box::new(move || {
        drop(engine.json("DeleteItem", &key).expect("a table"));
    }));
    assert!(erased.is_ok());
    campus.reported(&events[0]).await;
    assert!(
        !campus.stored().iter().any(|item| item["pk"] == mail["pk"]),
        "the report stored an empty mail"
    );
}
