//! `send_emails` with `one_per_person`: one mail a person instead of one for each submission
//!
//! Proves E26, E27, E28, E29.

use chrono::TimeDelta;
use serde_json::{Value, json};
use shared::time::Clock as _;
use tests::fixtures::{Recruitment, id};
use tests::{Client, Setup, TestCampus};

/// Submits to the committees of the application with these positions, and decides.
async fn applied(drive: &Recruitment, client: &Client, decisions: &[(usize, u64)]) -> Vec<Value> {
    let path = format!("{}submissions/", drive.path);
    let mut all = Vec::new();
    for (committee, status) in decisions {
        let committee = &drive.application["committees"][*committee]["id"];
        let body = json!({ "committee": committee, "responses": [] });
        let submission = client.post(&path, body).await.created();
        let reason = format!("Reason {status}.");
        all.push(if *status == 1 {
            submission
        } else {
            drive.decide(&submission, *status, &reason).await
        });
    }
    all
}

async fn campus() -> (TestCampus, Recruitment) {
    let campus = TestCampus::new();
    let drive = drive_on(&campus).await;
    (campus, drive)
}

async fn drive_on(campus: &TestCampus) -> Recruitment {
    let drive = campus.drive("chess").await;
    let template = "<p>{{ committees }}|{{ committee }}|{{ reason }}</p>";
    let body = json!({ "acceptance_email": template, "rejection_email": template });
    drive.officer.patch(&drive.path, body).await.ok();
    drive
}

fn person(more: Value) -> Value {
    let mut body = json!({ "one_per_person": true });
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

async fn send(campus: &TestCampus, drive: &Recruitment, kind: &str, more: Value) -> Value {
    campus
        .with_worker(drive.send(kind, person(more)))
        .await
        .ok()
}

fn skipped(answer: &Value) -> [u64; 3] {
    ["already_notified", "undecided", "accepted_elsewhere"]
        .map(|name| answer["skipped"][name].as_u64().unwrap_or(99))
}

#[tokio::test]
async fn an_acceptance_names_all_committees_and_nobody_accepted_is_rejected() {
    let (campus, drive) = campus().await;
    let both = applied(&drive, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    let mixed = applied(&drive, &campus.as_("bob"), &[(0, 4), (1, 2)]).await;
    applied(&drive, &campus.as_("ann"), &[(0, 2), (1, 3)]).await;
    applied(&drive, &campus.as_("tom"), &[(0, 2), (1, 1)]).await;
    applied(&drive, &campus.as_("kim"), &[(0, 4), (1, 1)]).await;
    let dry = drive
        .send("acceptance", person(json!({ "dry_run": true })))
        .await
        .ok();
    assert_eq!(dry["recipients"], 3);
    assert_eq!(skipped(&dry), [0, 1, 0]);
    assert_eq!(
        dry["previews"][0]["submissions"],
        json!([both[0]["id"], both[1]["id"]])
    );
    let accepted = send(
        &campus,
        &drive,
        "acceptance",
        json!({ "digest": dry["digest"] }),
    )
    .await;
    assert_eq!(
        (&accepted["sent"], skipped(&accepted)),
        (&json!(3), [0, 1, 0])
    );
    let rejected = send(&campus, &drive, "rejection", json!({})).await;
    assert_eq!(
        (&rejected["sent"], skipped(&rejected)),
        (&json!(1), [0, 1, 1])
    );
    let mails = campus.mails_but_welcomes();
    let mut told: Vec<(&str, &str)> = mails
        .iter()
        .map(|mail| {
            (
                mail.to.as_str(),
                mail.text.lines().next().unwrap_or_default(),
            )
        })
        .collect();
    told.sort_unstable();
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(told[0].0, "ann@uni.example");
    assert!(
        told[0]
            .1
            .starts_with("Tech, Outreach|Tech, Outreach|Reason 2.")
    );
    assert!(told[1].1.starts_with("Tech|Tech|Reason 4."));
    assert!(
        told[3]
            .1
            .starts_with("Tech, Outreach|Tech, Outreach|Reason 4.")
    );
    // All submissions that the mail is about show it, and no other.
    let list = drive
        .officer
        .get(&format!("{}submissions/", drive.path))
        .await
        .ok();
    let state = |submission: &Value| {
        let all = list.as_array().cloned().unwrap_or_default();
        let row = all.into_iter().find(|row| row["id"] == submission["id"]);
        row.expect("the submission")["email_status"].clone()
    };
    assert_eq!(
        [&both[0], &both[1]].map(state),
        [json!("sent"), json!("sent")]
    );
    assert_eq!(
        [&mixed[0], &mixed[1]].map(state),
        [json!("sent"), json!(null)]
    );
    // The applicant learns what the mail said, and not the decision that it did not tell.
    let own = campus.as_("bob").get("/api/submissions/").await.ok();
    let mut statuses: Vec<u64> = own
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["status"].as_u64())
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [1, 4]);
}

#[tokio::test]
async fn a_mail_per_submission_and_one_per_person_never_both_go_out() {
    let (campus, drive) = campus().await;
    let sue = applied(&drive, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    send(&campus, &drive, "acceptance", json!({})).await;
    let single = campus
        .with_worker(drive.send("acceptance", json!({})))
        .await
        .ok();
    assert_eq!(
        (&single["sent"], &single["skipped"]["already_notified"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(single["skipped"].get("undecided"), None);
    applied(&drive, &campus.as_("bob"), &[(0, 2), (1, 2)]).await;
    let chosen = campus
        .with_worker(drive.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(chosen["sent"], 2);
    let person = send(&campus, &drive, "rejection", json!({})).await;
    assert_eq!((&person["sent"], skipped(&person)), (&json!(0), [1, 0, 0]));
    // A resend names all committees, and is one mail.
    let again = send(
        &campus,
        &drive,
        "acceptance",
        json!({ "allow_resend": true }),
    )
    .await;
    assert_eq!(again["sent"], 1);
    let last = campus.mails_but_welcomes().pop().expect("a mail");
    assert!(last.text.starts_with("Tech, Outreach|"));
    assert_eq!(sue.len(), 2);
}

#[tokio::test]
async fn a_committee_that_accepts_later_is_named_by_a_resend() {
    let (campus, drive) = campus().await;
    let sue = applied(&drive, &campus.as_("sue"), &[(0, 4), (1, 1)]).await;
    send(&campus, &drive, "acceptance", json!({})).await;
    drive.decide(&sue[1], 4, "").await;
    let later = send(&campus, &drive, "acceptance", json!({})).await;
    assert_eq!((&later["sent"], skipped(&later)), (&json!(0), [1, 0, 0]));
    let again = send(
        &campus,
        &drive,
        "acceptance",
        json!({ "allow_resend": true }),
    )
    .await;
    assert_eq!(again["sent"], 1);
    let mails = campus.mails_but_welcomes();
    assert_eq!(mails.len(), 2);
    assert!(mails[0].text.starts_with("Tech|Tech|"));
    assert!(mails[1].text.starts_with("Tech, Outreach|"));
    // `clubs-admin check` knows mails to people.
    let findings = admin::check(&campus.stored(), campus.campus.clock.now());
    assert!(findings.is_empty(), "{findings:?}");
}

#[tokio::test]
async fn nothing_is_sent_while_somebody_is_undecided_if_the_officer_wants_that() {
    let (campus, drive) = campus().await;
    let sue = applied(&drive, &campus.as_("sue"), &[(0, 4), (1, 1)]).await;
    let bob = applied(&drive, &campus.as_("bob"), &[(0, 1), (1, 2)]).await;
    let all = json!({ "require_all_decided": true });
    let refused = drive.send("acceptance", person(all.clone())).await;
    let body = refused.json();
    assert_eq!(body["code"], "undecided");
    assert!(body["detail"].as_str().unwrap().starts_with("1 "));
    refused.error(400);
    let refused = drive.send("acceptance", all.clone()).await;
    // Sue gets an acceptance, so she is not undecided, in either mode.
    assert!(refused.json()["detail"].as_str().unwrap().starts_with("1 "));
    assert_eq!(refused.json()["code"], "undecided");
    let dry = json!({ "require_all_decided": true, "dry_run": true });
    let dry = drive.send("acceptance", person(dry)).await.ok();
    assert_eq!(dry["recipients"], 1);
    assert!(dry["warnings"].to_string().contains("1 person is not"));
    drive.decide(&bob[0], 3, "").await;
    let sent = send(&campus, &drive, "acceptance", all.clone()).await;
    assert_eq!(sent["sent"], 1);
    drive.decide(&sue[1], 2, "").await;
    let sent = campus.with_worker(drive.send("rejection", all)).await.ok();
    assert_eq!(sent["sent"], 3);
}

#[tokio::test]
async fn a_digest_of_one_mode_does_not_fit_the_other() {
    let (campus, drive) = campus().await;
    applied(&drive, &campus.as_("sue"), &[(0, 4)]).await;
    let dry = json!({ "dry_run": true });
    let single = drive.send("acceptance", dry.clone()).await.ok();
    let to_person = drive.send("acceptance", person(dry)).await.ok();
    let refused = drive
        .send("acceptance", person(json!({ "digest": single["digest"] })))
        .await;
    assert_eq!(refused.json()["code"], "digest_changed");
    let refused = drive
        .send("acceptance", json!({ "digest": to_person["digest"] }))
        .await;
    assert_eq!(refused.json()["code"], "digest_changed");
    assert!(campus.mails_but_welcomes().is_empty());
}

#[tokio::test]
async fn people_are_chosen_by_any_of_their_submissions() {
    let (campus, drive) = campus().await;
    let sue = applied(&drive, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    applied(&drive, &campus.as_("bob"), &[(0, 4)]).await;
    let chosen = json!({ "submissions": [sue[1]["id"]] });
    let sent = send(&campus, &drive, "acceptance", chosen).await;
    assert_eq!(sent["sent"], 1);
    let mail = campus.mails_but_welcomes().remove(0);
    assert!(mail.text.starts_with("Tech, Outreach|"));
    drive
        .send("acceptance", person(json!({ "submissions": [7] })))
        .await
        .invalid(&["submissions.0"]);
}

#[tokio::test]
async fn a_decision_at_the_same_moment_stops_the_mail() {
    let (campus, drive) = campus().await;
    let sue = applied(&drive, &campus.as_("sue"), &[(0, 2), (1, 2)]).await;
    // Queued, but not sent yet.
    let queued = drive.send("rejection", person(json!({}))).await.ok();
    assert_eq!(queued["queued"], 1);
    drive.decide(&sue[1], 4, "Welcome.").await;
    campus.deliver().await;
    assert!(campus.mails_but_welcomes().is_empty());
    let list = drive
        .officer
        .get(&format!("{}submissions/", drive.path))
        .await
        .ok();
    for row in list.as_array().unwrap() {
        assert_eq!(
            (&row["notified"], &row["email_status"]),
            (&json!(false), &json!("failed"))
        );
    }
    let sent = send(&campus, &drive, "acceptance", json!({})).await;
    assert_eq!(sent["sent"], 1);
    let text = campus.mails_but_welcomes().remove(0).text;
    assert!(text.starts_with("Outreach|") && text.contains("/invite/"));
}

#[tokio::test]
async fn officers_who_send_at_once_in_both_modes_send_one_mail() {
    let campus = Setup::default().latency(5).build();
    let drive = drive_on(&campus).await;
    applied(&drive, &campus.as_("sue"), &[(0, 4)]).await;
    let sending = async {
        let (one, two, three) = futures::join!(
            drive.send("acceptance", person(json!({}))),
            drive.send("acceptance", json!({})),
            drive.send("acceptance", person(json!({}))),
        );
        [one, two, three].map(tests::Response::ok)
    };
    campus.with_worker(sending).await;
    campus.deliver().await;
    assert_eq!(campus.mails_but_welcomes().len(), 1);
}

#[tokio::test]
async fn a_bounce_is_shown_at_every_submission_of_the_mail() {
    let (campus, drive) = campus().await;
    applied(&drive, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    send(&campus, &drive, "acceptance", json!({})).await;
    let delivery = campus.campus.mailbox.take_reports().remove(0);
    let bounce = delivery.to_string().replace("Delivery", "Bounce").replace(
        r#"\"delivery\":{"#,
        r#"\"bounce\":{\"bounceType\":\"Permanent\","#,
    );
    let bounce = serde_json::from_str(&bounce).expect("an event");
    campus.reported(&bounce).await;
    let list = drive
        .officer
        .get(&format!("{}submissions/?email_status=bounced", drive.path))
        .await
        .ok();
    let ids: Vec<u64> = list.as_array().unwrap().iter().map(id).collect();
    assert_eq!(ids.len(), 2);
    // Exactly those who were not reached get it again.
    let again = json!({ "submissions": ids, "allow_resend": true });
    assert_eq!(send(&campus, &drive, "acceptance", again).await["sent"], 1);
}

#[tokio::test]
async fn a_mail_that_waits_too_long_is_sent_again_in_either_mode() {
    let (campus, drive) = campus().await;
    applied(&drive, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    drive.send("acceptance", person(json!({}))).await.ok();
    campus.advance(TimeDelta::minutes(16));
    let drive = Recruitment {
        officer: campus.as_("ada"),
        ..drive
    };
    let again = drive.send("acceptance", json!({})).await.ok();
    assert_eq!(again["recipients"], 2);
    campus.deliver().await;
    let mails = campus.mails_but_welcomes();
    assert_eq!(mails.len(), 2, "the first mail was given up");
}

#[tokio::test]
async fn submissions_of_a_mail_that_was_given_up_say_so() {
    let (campus, drive) = campus().await;
    let sue = applied(&drive, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    drive.send("acceptance", person(json!({}))).await.ok();
    campus.advance(TimeDelta::minutes(16));
    let drive = Recruitment {
        officer: campus.as_("ada"),
        ..drive
    };
    // The mail to the person is stuck. A mail about one submission takes its place.
    let one = json!({ "submissions": [sue[0]["id"]] });
    assert_eq!(drive.send("acceptance", one).await.ok()["recipients"], 1);
    campus.deliver().await;
    let list = drive
        .officer
        .get(&format!("{}submissions/", drive.path))
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

#[tokio::test]
async fn a_submission_that_is_gone_does_not_change_what_the_others_show() {
    let (campus, drive) = campus().await;
    let sue = campus.as_("sue");
    let both = applied(&drive, &sue, &[(0, 2), (1, 2)]).await;
    drive.send("rejection", person(json!({}))).await.ok();
    // One of them is made pending and withdrawn before the worker comes.
    drive.decide(&both[0], 1, "").await;
    sue.delete(&format!("/api/submissions/{}/", id(&both[0])))
        .await
        .no_content();
    campus.deliver().await;
    assert!(campus.mails_but_welcomes().is_empty());
    let list = drive
        .officer
        .get(&format!("{}submissions/", drive.path))
        .await
        .ok();
    assert_eq!(list[0]["email_status"], "failed");
    let findings = admin::check(&campus.stored(), campus.campus.clock.now());
    assert!(findings.is_empty(), "{findings:?}");
}

#[tokio::test]
async fn a_mail_that_would_not_fit_into_the_table_is_refused_by_name() {
    let (campus, drive) = campus().await;
    let mut body = json!({ "committees": [], "rejection_email": "<p>No.</p>" });
    let names: Vec<Value> = (0..30)
        .map(|n| json!({ "name": format!("C{n}") }))
        .collect();
    body["committees"] = json!(names);
    let application = drive.officer.patch(&drive.path, body).await.ok();
    let drive = Recruitment {
        application,
        ..drive
    };
    let sue = campus.as_("sue");
    let long = "ü".repeat(5_000);
    for committee in drive.application["committees"].as_array().unwrap() {
        let body = json!({ "committee": committee["id"], "responses": [] });
        let path = format!("{}submissions/", drive.path);
        let submission = sue.post(&path, body).await.created();
        drive.decide(&submission, 2, &long).await;
    }
    let dry = json!({ "dry_run": true });
    drive.send("rejection", person(dry.clone())).await.ok();
    drive
        .officer
        .patch(
            &drive.path,
            json!({ "rejection_email": "<p>{{ reason }}</p>" }),
        )
        .await
        .ok();
    let why = drive.send("rejection", person(dry)).await.error(400);
    assert!(why.contains("would be larger than"), "{why}");
}
