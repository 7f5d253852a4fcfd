//! Reports of SES that say what the worker could not learn, or that come late.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use tests::fixtures::id;
use tests::reports::reports_of;
use tests::{Setup, TestCampus};

use crate::mail_reports::{changed, sent, simulated, state};

// proves S14, E2, E23
#[tokio::test(start_paused = true)]
async fn a_delivery_tells_what_the_worker_could_not() {
    for (event, end) in [(0, ("sent", true)), (1, ("complained", true))] {
        // SES takes the mail, but its answer is lost.
        let campus = Setup::default()
            .mail(Arc::new(|_: &str| {
                Box::pin(async { Some(Ok((500, json!({ "__type": "Lost" })))) })
            }))
            .build();
        let (recruitment, submission, none) = sent(&campus, "complaint").await;
        assert_eq!(
            (state(&recruitment).await, none.len()),
            ((json!("unknown"), json!(false)), 0)
        );
        let own = simulated(&campus, "sue", "complaint");
        assert_eq!(
            recruitment.own(&own, &submission).await["status"],
            1,
            "it is not known whether she was told"
        );
        campus
            .reported(&reports_of_the_acceptance(&campus)[event])
            .await;
        assert_eq!(state(&recruitment).await, (json!(end.0), json!(end.1)));
        assert_eq!(
            recruitment.own(&own, &submission).await["status"],
            4,
            "she was told"
        );
        assert_eq!(
            recruitment.send("acceptance", json!({})).await.ok()["skipped"]["already_notified"],
            1
        );
    }
}

// proves S14, E23
#[tokio::test(start_paused = true)]
async fn mail_rejected_by_ses_communicates_nothing() {
    let campus = Setup::default()
        .mail(Arc::new(|_: &str| {
            Box::pin(async { Some(Ok((500, json!({ "__type": "Lost" })))) })
        }))
        .build();
    let (recruitment, submission, _) = sent(&campus, "complaint").await;
    let rejected = changed(&reports_of_the_acceptance(&campus)[0], |event| {
        event["eventType"] = json!("Reject");
    });
    campus.reported(&rejected).await;
    assert_eq!(state(&recruitment).await, (json!("failed"), json!(false)));
    assert_eq!(
        recruitment
            .own(&simulated(&campus, "sue", "complaint"), &submission)
            .await["status"],
        1
    );
}

/// The reports of SES about the acceptance mail to `complaint@`, for mails that the mailbox did not
/// take.
fn reports_of_the_acceptance(campus: &TestCampus) -> Vec<Value> {
    reports_of(campus, "acceptance", tests::start())
}

/// SES takes all mails, but its answer to one call, counted from 0, is lost.
fn losing(call: usize) -> TestCampus {
    let calls = AtomicUsize::new(0);
    Setup::default()
        .mail(Arc::new(move |_: &str| {
            let is_lost = calls.fetch_add(1, Ordering::SeqCst) == call;
            Box::pin(async move { is_lost.then(|| Ok((500, json!({ "__type": "Lost" })))) })
        }))
        .build()
}

// proves S14, E18
#[tokio::test(start_paused = true)]
async fn last_communicated_decision_survives_an_earlier_delivery() {
    let campus = losing(0);
    let (recruitment, submission, _) = sent(&campus, "complaint").await;
    campus.advance(chrono::TimeDelta::minutes(1));
    // The worker pauses after the error.
    tokio::time::advance(std::time::Duration::from_mins(1)).await;
    recruitment.decide(&submission, 2, "Too late.").await;
    assert_eq!(
        campus
            .with_worker(recruitment.send("rejection", json!({})))
            .await
            .ok()["sent"],
        1
    );
    campus
        .reported(&reports_of_the_acceptance(&campus)[0])
        .await;
    let own = recruitment
        .own(&simulated(&campus, "sue", "complaint"), &submission)
        .await;
    assert_eq!(
        (&own["status"], &own["reason"]),
        (&json!(2), &json!("Too late."))
    );
}

// proves S14, E2, E13, E23
#[tokio::test(start_paused = true)]
async fn late_delivered_mail_counts_even_if_the_next_fails() {
    let calls = AtomicUsize::new(0);
    let campus = Setup::default()
        .mail(Arc::new(move |_: &str| {
            let response = match calls.fetch_add(1, Ordering::SeqCst) {
                0 => (500, json!({ "__type": "Lost" })),
                _ => (400, json!({ "__type": "MessageRejected" })),
            };
            Box::pin(async move { Some(Ok(response)) })
        }))
        .build();
    let (recruitment, submission, _) = sent(&campus, "complaint").await;
    let first = reports_of_the_acceptance(&campus);
    assert_eq!(
        recruitment
            .send("acceptance", json!({ "allow_resend": true }))
            .await
            .ok()["queued"],
        1
    );
    campus.reported(&first[0]).await;
    assert_eq!(
        state(&recruitment).await,
        (json!("queued"), json!(true)),
        "the state of the second mail, and `notified` by the first one"
    );
    campus.deliver_all().await;
    assert_eq!(state(&recruitment).await, (json!("failed"), json!(true)));
    assert_eq!(
        recruitment
            .own(&simulated(&campus, "sue", "complaint"), &submission)
            .await["status"],
        4
    );
    assert_eq!(
        recruitment.send("acceptance", json!({})).await.ok()["skipped"]["already_notified"],
        1,
        "nobody is mailed twice by accident"
    );
}

// proves E18
#[tokio::test(start_paused = true)]
async fn reports_of_old_submission_do_not_touch_the_new_one() {
    let campus = TestCampus::new();
    let (recruitment, submission, events) = sent(&campus, "bounce").await;
    let sue = simulated(&campus, "sue", "bounce");
    recruitment.decide(&submission, 1, "").await;
    sue.delete(&format!("/api/submissions/{}/", id(&submission)))
        .await
        .no_content();
    let again = recruitment.submit(&sue).await;
    recruitment.decide(&again, 4, "").await;
    assert_eq!(
        recruitment.send("acceptance", json!({})).await.ok()["queued"],
        1
    );
    campus.reported(&events[0]).await;
    assert_eq!(state(&recruitment).await, (json!("queued"), json!(false)));
}

// proves O8
#[tokio::test(start_paused = true)]
async fn report_keeps_of_an_invitation_only_that_it_was_sent() {
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

// proves E18
#[tokio::test(start_paused = true)]
async fn late_report_of_earlier_mail_changes_nothing() {
    let campus = TestCampus::new();
    let (recruitment, submission, first) = sent(&campus, "bounce").await;
    campus.advance(chrono::TimeDelta::minutes(1));
    assert_eq!(
        campus
            .with_worker(recruitment.send("acceptance", json!({ "allow_resend": true })))
            .await
            .ok()["sent"],
        1
    );
    campus.reported(&first[0]).await;
    assert_eq!(
        state(&recruitment).await.0,
        "sent",
        "the second acceptance mail"
    );
    // The rejection is later than the acceptance, so only reports about the rejection count.
    campus.advance(chrono::TimeDelta::minutes(1));
    let acceptances = campus.campus.mailbox.take_reports();
    recruitment.decide(&submission, 2, "").await;
    assert_eq!(
        campus
            .with_worker(recruitment.send("rejection", json!({})))
            .await
            .ok()["sent"],
        1
    );
    campus.reported(&acceptances[0]).await;
    assert_eq!(state(&recruitment).await.0, "sent");
    campus.report().await;
    assert_eq!(state(&recruitment).await.0, "bounced");
    let own = recruitment
        .own(&simulated(&campus, "sue", "bounce"), &submission)
        .await;
    assert_eq!(own["status"], 2, "the decision that was mailed last");
}

// proves E18
#[tokio::test(start_paused = true)]
async fn reports_of_deleted_mails_leave_nothing() {
    let campus = TestCampus::new();
    let (recruitment, _, events) = sent(&campus, "bounce").await;
    recruitment
        .officer
        .delete(&format!("{}?force=true", recruitment.path))
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

// proves E18
#[tokio::test(start_paused = true)]
async fn mail_deleted_during_report_stays_deleted() {
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
        json!({ "TableName": local::table::TABLE, "Key": { "pk": mail["pk"], "sk": mail["sk"] } });
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

// proves E25, E23
#[tokio::test(start_paused = true)]
async fn late_rejection_report_revokes_the_invitation() {
    let campus = losing(1);
    let (recruitment, submission, _) = sent(&campus, "complaint").await;
    let invites = || recruitment.officer.get("/api/clubs/chess/invites/");
    recruitment.decide(&submission, 2, "").await;
    recruitment.send("rejection", json!({})).await.ok();
    campus.deliver().await;
    assert_eq!(state(&recruitment).await.0, "unknown");
    assert_eq!(invites().await.ok().as_array().map(Vec::len), Some(1));
    let reports = reports_of(&campus, "rejection", tests::start());
    campus.reported(&reports[0]).await;
    assert_eq!(invites().await.ok(), json!([]));
    // What was told about an earlier submission does not count for a new one.
    recruitment.decide(&submission, 1, "").await;
    let own = simulated(&campus, "sue", "complaint");
    own.delete(&format!("/api/submissions/{}/", id(&submission)))
        .await
        .no_content();
    let again = recruitment.submit(&own).await;
    recruitment.decide(&again, 4, "").await;
    recruitment.send("acceptance", json!({})).await.ok();
    campus.deliver().await;
    campus.reported(&reports[0]).await;
    assert_eq!(invites().await.ok().as_array().map(Vec::len), Some(1));
}
