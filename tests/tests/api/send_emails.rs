//! `/clubs/{club}/applications/{application}/send_emails/`

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{Recruitment, id};

use crate::mail_digests::slowly_queued;

pub(crate) async fn accepted(
    campus: &TestCampus,
    recruitment: &Recruitment,
    names: &[&str],
) -> Vec<Value> {
    let mut submissions = Vec::new();
    for name in names {
        let submission = recruitment.submit(&campus.as_(name)).await;
        submissions.push(recruitment.decide(&submission, 4, "").await);
    }
    submissions
}

// proves E11
#[tokio::test(start_paused = true)]
async fn mails_that_were_not_queued_in_time_did_not_fail() {
    let (_campus, recruitment) = slowly_queued(Arc::new(AtomicBool::new(true))).await;
    let sent = recruitment.send("acceptance", json!({})).await.ok();
    assert_eq!(
        (&sent["recipients"], &sent["failed"]),
        (&json!(64), &json!(0))
    );
    assert_eq!(
        sent["detail"],
        "0 e-mails sent, 64 queued, 0 failed, 3 not queued."
    );
    assert_eq!(
        sent["warnings"][1],
        "3 e-mails could not be queued in time. Call again to send the rest."
    );
    let rest = recruitment.send("acceptance", json!({})).await.ok();
    assert_eq!(
        (&rest["recipients"], &rest["skipped"]["already_notified"]),
        (&json!(3), &json!(64))
    );
}

// proves E1, E2, E6, E11, E13
#[tokio::test]
async fn mails_are_sent_once_and_reported() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment
        .officer
        .patch(
            "/api/clubs/chess/",
            json!({ "email": "chess@clubs.example" }),
        )
        .await
        .ok();
    let submissions = accepted(&campus, &recruitment, &["sue", "bob"]).await;
    let sent = campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    assert_eq!(
        (
            &sent["recipients"],
            &sent["sent"],
            &sent["queued"],
            &sent["dry_run"]
        ),
        (&json!(2), &json!(2), &json!(0), &json!(false))
    );
    assert!(sent.get("previews").is_none());
    let mails = campus.mails();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0].to, "sue@uni.example");
    assert_eq!(mails[0].reply_to.as_deref(), Some("chess@clubs.example"));
    assert_eq!(mails[0].subject, "Your application to chess: Fall");
    assert!(mails[0].text.contains("Dear sue"), "{}", mails[0].text);
    let list = recruitment
        .officer
        .get(&format!("{}submissions/?notified=true", recruitment.path))
        .await
        .ok();
    assert_eq!(list.as_array().map(Vec::len), Some(2));
    assert_eq!(list[0]["email_status"], "sent");
    let again = campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    assert_eq!(
        (&again["recipients"], &again["skipped"]["already_notified"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(campus.mails().len(), 2);
    let resent = campus
        .with_worker(recruitment.send("acceptance", json!({ "allow_resend": true })))
        .await
        .ok();
    assert_eq!(resent["sent"], 2);
    assert_eq!(campus.mails().len(), 4);
    // Somebody accepted by mistake can still be rejected.
    recruitment.decide(&submissions[0], 3, "").await;
    let corrected = campus
        .with_worker(recruitment.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(
        (
            &corrected["sent"],
            &corrected["skipped"]["already_notified"]
        ),
        (&json!(1), &json!(0))
    );
    assert!(campus.mails()[4].text.contains("sorry"));
}

// proves E9
#[tokio::test]
async fn a_stale_digest_sends_nothing() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submissions = accepted(&campus, &recruitment, &["sue"]).await;
    let digest = async || {
        recruitment
            .send("acceptance", json!({ "dry_run": true }))
            .await
            .ok()["digest"]
            .clone()
    };
    let old = digest().await;
    recruitment.decide(&submissions[0], 4, "changed").await;
    recruitment
        .send("acceptance", json!({ "digest": old }))
        .await
        .invalid(&["digest"]);
    let old = digest().await;
    recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "acceptance_email": "<p>other</p>" }),
        )
        .await
        .ok();
    recruitment
        .send("acceptance", json!({ "digest": old }))
        .await
        .invalid(&["digest"]);
    let old = digest().await;
    recruitment.decide(&submissions[0], 2, "changed").await;
    recruitment
        .send("acceptance", json!({ "digest": old }))
        .await
        .invalid(&["digest"]);
    campus.deliver().await;
    assert!(campus.mails().is_empty());
    recruitment.decide(&submissions[0], 4, "changed").await;
    let other = campus.client(&json!({ "email": "dan@uni.example", "name": "Dan" }), "dan");
    let second = recruitment.submit(&other).await;
    recruitment.decide(&second, 4, "").await;
    let fresh = digest().await;
    campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    let after = campus
        .with_worker(recruitment.send("acceptance", json!({ "digest": fresh })))
        .await
        .ok();
    assert_eq!(
        (&after["recipients"], &after["skipped"]["already_notified"]),
        (&json!(0), &json!(2)),
        "sending changes no decision"
    );
}

// proves H10, E1
#[tokio::test]
async fn wrong_calls_are_named() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}send_emails/", recruitment.path);
    let officer = &recruitment.officer;
    officer
        .post(&path, json!({}))
        .await
        .invalid(&["email_type"]);
    officer
        .post(&path, json!({ "email_type": "acceptance" }))
        .await
        .invalid(&["email_type"]);
    officer
        .post(&path, json!({ "email_type": { "id": "both" } }))
        .await
        .invalid(&["email_type.id"]);
    officer
        .post(&path, json!({ "email_type": {} }))
        .await
        .invalid(&["email_type.id"]);
    officer
        .post(&path, json!({ "email_type": ["acceptance"] }))
        .await
        .invalid(&["email_type"]);
    officer
        .post(
            &path,
            json!({ "email_type": { "id": "acceptance" }, "dry_run": "yes" }),
        )
        .await
        .invalid(&["dry_run"]);
}

// proves E11, E13, E16
#[tokio::test(start_paused = true)]
async fn a_slow_outbox_is_reported_as_queued() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    accepted(&campus, &recruitment, &["sue"]).await;
    let began = tokio::time::Instant::now();
    let queued = recruitment.send("acceptance", json!({})).await.ok();
    assert_eq!((&queued["queued"], &queued["sent"]), (&json!(1), &json!(0)));
    assert!(
        (2..=3).contains(&began.elapsed().as_secs()),
        "{:?}",
        began.elapsed()
    );
    let list = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    assert_eq!(
        (&list[0]["email_status"], &list[0]["notified"]),
        (&json!("queued"), &json!(false))
    );
    assert_eq!(
        recruitment
            .send("acceptance", json!({ "allow_resend": true }))
            .await
            .ok()["skipped"]["already_notified"],
        1,
        "the mail is queued"
    );
    campus.advance(TimeDelta::minutes(16));
    assert_eq!(
        recruitment
            .send("acceptance", json!({ "allow_resend": true }))
            .await
            .ok()["queued"],
        1,
        "the mail has been queued for too long"
    );
    campus.deliver().await;
    assert_eq!(
        campus.mails().len(),
        1,
        "the first of the two was taken back"
    );
    assert_eq!(
        id(&list[0]),
        id(&recruitment
            .officer
            .get(&format!("{}submissions/?notified=1", recruitment.path))
            .await
            .ok()[0])
    );
}

// proves H7, E3, E9
#[tokio::test(start_paused = true)]
async fn mails_go_to_those_who_were_chosen() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let mut ids = Vec::new();
    for name in ["ann", "bob", "cleo"] {
        let submission = recruitment.submit(&campus.as_(name)).await;
        recruitment.decide(&submission, 4, "").await;
        ids.push(id(&submission));
    }
    let some = json!({ "submissions": [ids[1]] });
    let preview = recruitment
        .send(
            "acceptance",
            json!({ "submissions": [ids[1]], "dry_run": true }),
        )
        .await
        .ok();
    assert_eq!(
        (
            &preview["recipients"],
            &preview["previews"][0]["submission"]
        ),
        (&json!(1), &json!(ids[1]))
    );
    // The digest depends on the choice of recipients, and on `allow_resend`.
    let all = recruitment
        .send("acceptance", json!({ "dry_run": true }))
        .await
        .ok();
    for (digest, more) in [
        (&all["digest"], some.clone()),
        (&preview["digest"], json!({})),
        (&preview["digest"], json!({ "allow_resend": true })),
    ] {
        let mut body = more;
        body["digest"] = digest.clone();
        let refused = recruitment.send("acceptance", body).await;
        assert_eq!(
            (refused.status.as_u16(), refused.json()["code"].as_str()),
            (400, Some("digest_changed"))
        );
    }
    let again = json!({ "submissions": [ids[1]], "digest": preview["digest"] });
    assert_eq!(
        campus
            .with_worker(recruitment.send("acceptance", again))
            .await
            .ok()["sent"],
        1
    );
    assert_eq!(
        campus
            .mails()
            .iter()
            .map(|mail| mail.to.as_str())
            .collect::<Vec<_>>(),
        ["bob@uni.example"]
    );
    // The mail is sent again to him only, and not to those who have no mail yet.
    let resend = json!({ "submissions": [ids[1]], "allow_resend": true });
    assert_eq!(
        campus
            .with_worker(recruitment.send("acceptance", resend))
            .await
            .ok()["sent"],
        1
    );
    assert_eq!(campus.mails().len(), 2);
}

// proves E3
#[tokio::test]
async fn a_wrong_choice_of_submissions_is_named() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let ann = id(&accepted(&campus, &recruitment, &["ann"]).await[0]);
    recruitment
        .send("acceptance", json!({ "submissions": [] }))
        .await
        .invalid(&["submissions"]);
    recruitment
        .send("acceptance", json!({ "submissions": [ann, 7] }))
        .await
        .invalid(&["submissions.1"]);
    recruitment
        .send("acceptance", json!({ "submissions": "all" }))
        .await
        .invalid(&["submissions"]);
}

// proves E16
#[tokio::test(start_paused = true)]
async fn mail_never_taken_is_sent_again() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 4, "").await;
    assert_eq!(
        recruitment.send("acceptance", json!({})).await.ok()["queued"],
        1
    );
    assert_eq!(
        recruitment.send("acceptance", json!({})).await.ok()["skipped"]["already_notified"],
        1,
        "the mail is queued"
    );
    campus.advance(TimeDelta::minutes(16));
    assert_eq!(
        recruitment.send("acceptance", json!({})).await.ok()["queued"],
        1
    );
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 1, "the first record was taken back");
}
