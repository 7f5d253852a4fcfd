//! `send_emails` with `one_per_person`: what happens to a mail after it was queued.

use chrono::TimeDelta;
use serde_json::{Value, json};
use shared::time::Clock as _;
use tests::Setup;
use tests::fixtures::{Recruitment, id};

use crate::one_per_person::{applied, campus, person, recruitment_on, send};

// proves E27
#[tokio::test(start_paused = true)]
async fn a_decision_at_the_same_moment_stops_the_mail() {
    let (campus, recruitment) = campus().await;
    let sue = applied(&recruitment, &campus.as_("sue"), &[(0, 2), (1, 2)]).await;
    // Queued, but not sent yet.
    let queued = recruitment.send("rejection", person(json!({}))).await.ok();
    assert_eq!(queued["queued"], 1);
    recruitment.decide(&sue[1], 4, "Welcome.").await;
    campus.deliver().await;
    assert!(campus.mails_but_welcomes().is_empty());
    let list = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    for row in list.as_array().unwrap() {
        assert_eq!(
            (&row["notified"], &row["email_status"]),
            (&json!(false), &json!("failed"))
        );
    }
    let sent = send(&campus, &recruitment, "acceptance", json!({})).await;
    assert_eq!(sent["sent"], 1);
    let text = campus.mails_but_welcomes().remove(0).text;
    assert!(text.starts_with("Outreach|") && text.contains("/invite/"));
}

// proves E27
#[tokio::test(start_paused = true)]
async fn officers_who_send_at_once_in_both_modes_send_one_mail() {
    let campus = Setup::default().latency(5).build();
    let recruitment = recruitment_on(&campus).await;
    applied(&recruitment, &campus.as_("sue"), &[(0, 4)]).await;
    let sending = async {
        let (one, two, three) = futures::join!(
            recruitment.send("acceptance", person(json!({}))),
            recruitment.send("acceptance", json!({})),
            recruitment.send("acceptance", person(json!({}))),
        );
        [one, two, three].map(tests::Response::ok)
    };
    campus.with_worker(sending).await;
    campus.deliver().await;
    assert_eq!(campus.mails_but_welcomes().len(), 1);
}

// proves E27
#[tokio::test(start_paused = true)]
async fn a_bounce_is_shown_at_every_submission_of_the_mail() {
    let (campus, recruitment) = campus().await;
    applied(&recruitment, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    send(&campus, &recruitment, "acceptance", json!({})).await;
    let delivery = campus.campus.mailbox.take_reports().remove(0);
    let bounce = delivery.to_string().replace("Delivery", "Bounce").replace(
        r#"\"delivery\":{"#,
        r#"\"bounce\":{\"bounceType\":\"Permanent\","#,
    );
    let bounce = serde_json::from_str(&bounce).expect("an event");
    campus.reported(&bounce).await;
    let list = recruitment
        .officer
        .get(&format!(
            "{}submissions/?email_status=bounced",
            recruitment.path
        ))
        .await
        .ok();
    let ids: Vec<u64> = list.as_array().unwrap().iter().map(id).collect();
    assert_eq!(ids.len(), 2);
    // Exactly those who were not reached get it again.
    let again = json!({ "submissions": ids, "allow_resend": true });
    assert_eq!(
        send(&campus, &recruitment, "acceptance", again).await["sent"],
        1
    );
}

// proves E16
#[tokio::test(start_paused = true)]
async fn a_mail_that_waits_too_long_is_sent_again_in_either_mode() {
    let (campus, recruitment) = campus().await;
    applied(&recruitment, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    recruitment.send("acceptance", person(json!({}))).await.ok();
    campus.advance(TimeDelta::minutes(16));
    let recruitment = Recruitment {
        officer: campus.as_("ada"),
        ..recruitment
    };
    let again = recruitment.send("acceptance", json!({})).await.ok();
    assert_eq!(again["recipients"], 2);
    campus.deliver().await;
    let mails = campus.mails_but_welcomes();
    assert_eq!(mails.len(), 2, "the first mail was given up");
}

// proves E27
#[tokio::test(start_paused = true)]
async fn submissions_of_a_mail_that_was_given_up_say_so() {
    let (campus, recruitment) = campus().await;
    let sue = applied(&recruitment, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    recruitment.send("acceptance", person(json!({}))).await.ok();
    campus.advance(TimeDelta::minutes(16));
    let recruitment = Recruitment {
        officer: campus.as_("ada"),
        ..recruitment
    };
    // The mail to the person is stuck. A mail about one submission takes its place.
    let one = json!({ "submissions": [sue[0]["id"]] });
    assert_eq!(
        recruitment.send("acceptance", one).await.ok()["recipients"],
        1
    );
    campus.deliver().await;
    let list = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    let state = |submission: &Value| {
        let row = list
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["id"] == submission["id"]);
        row.expect("the submission")["email_status"].clone()
    };
    assert_eq!(
        [&sue[0], &sue[1]].map(state),
        [json!("sent"), json!("failed")]
    );
    let findings = admin::check(&campus.stored(), campus.campus.clock.now());
    assert!(findings.is_empty(), "{findings:?}");
}

// proves E27
#[tokio::test(start_paused = true)]
async fn deleted_submission_does_not_change_the_others() {
    let (campus, recruitment) = campus().await;
    let sue = campus.as_("sue");
    let both = applied(&recruitment, &sue, &[(0, 2), (1, 2)]).await;
    recruitment.send("rejection", person(json!({}))).await.ok();
    // One of them is made pending and withdrawn before the worker comes.
    recruitment.decide(&both[0], 1, "").await;
    sue.delete(&format!("/api/submissions/{}/", id(&both[0])))
        .await
        .no_content();
    campus.deliver().await;
    assert!(campus.mails_but_welcomes().is_empty());
    let list = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    assert_eq!(list[0]["email_status"], "failed");
    let findings = admin::check(&campus.stored(), campus.campus.clock.now());
    assert!(findings.is_empty(), "{findings:?}");
}

// proves E7
#[tokio::test(start_paused = true)]
async fn mail_too_large_for_the_table_is_refused_by_name() {
    let (campus, recruitment) = campus().await;
    let mut body = json!({ "committees": [], "rejection_email": "<p>No.</p>" });
    let names: Vec<Value> = (0..30)
        .map(|n| json!({ "name": format!("C{n}") }))
        .collect();
    body["committees"] = json!(names);
    let application = recruitment
        .officer
        .patch(&recruitment.path, body)
        .await
        .ok();
    let recruitment = Recruitment {
        application,
        ..recruitment
    };
    let sue = campus.as_("sue");
    let long = "ü".repeat(5_000);
    for committee in recruitment.application["committees"].as_array().unwrap() {
        let body = json!({ "committee": committee["id"], "responses": [] });
        let path = format!("{}submissions/", recruitment.path);
        let submission = sue.post(&path, body).await.created();
        recruitment.decide(&submission, 2, &long).await;
    }
    let dry = json!({ "dry_run": true });
    recruitment
        .send("rejection", person(dry.clone()))
        .await
        .ok();
    recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "rejection_email": "<p>{{ reason }}</p>" }),
        )
        .await
        .ok();
    let why = recruitment.send("rejection", person(dry)).await.error(400);
    assert!(why.contains("would be larger than"), "{why}");
}
