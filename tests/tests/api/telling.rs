//! `send_emails`: who counts as told, when decisions are taken back, and requests that are sent
//! again

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::http::Method;
use chrono::TimeDelta;
use local::engine::{Call, Reply};
use serde_json::{Value, json};
use tests::fixtures::{MailedLink, Recruitment, id};
use tests::{Setup, TestCampus};

pub(crate) async fn mailed(
    campus: &TestCampus,
    recruitment: &Recruitment,
    kind: &str,
    more: Value,
) -> Value {
    campus.with_worker(recruitment.send(kind, more)).await.ok()
}

fn sent_to(campus: &TestCampus, name: &str) -> usize {
    let address = format!("{name}@uni.example");
    let mails = campus.mails_but_welcomes();
    mails.iter().filter(|mail| mail.to == address).count()
}

// proves E2
#[tokio::test]
async fn acceptance_after_rejection_is_mailed_with_a_new_invitation() {
    for more in [json!({}), json!({ "one_per_person": true })] {
        let campus = TestCampus::new();
        let recruitment = campus.recruitment("chess").await;
        let sue = campus.as_("sue");
        let submission = recruitment.submit(&sue).await;
        // Everything happens within one second.
        for (status, kind) in [(4, "acceptance"), (2, "rejection"), (4, "acceptance")] {
            recruitment.decide(&submission, status, "").await;
            let sent = mailed(&campus, &recruitment, kind, more.clone()).await;
            assert_eq!(sent["sent"], 1, "{kind}: {sent}");
            let again = mailed(&campus, &recruitment, kind, more.clone()).await;
            assert_eq!(
                (&again["sent"], &again["skipped"]["already_notified"]),
                (&json!(0), &json!(1)),
                "{kind}: {again}"
            );
        }
        assert_eq!(sent_to(&campus, "sue"), 3);
        let own = recruitment.own(&sue, &submission).await;
        assert_eq!(
            (&own["status"], &own["email_status"]),
            (&json!(4), &json!("sent"))
        );
        let link = MailedLink::sent_to(&campus, "sue@uni.example");
        assert_eq!(link.accept(&sue).await.ok()["role"], 20);
    }
}

// Two committees accepted, one of them took it back and was told, and then accepted again.
// proves E2, E27
#[tokio::test]
async fn acceptance_is_mailed_although_another_committee_was() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let tech = recruitment.submit(&sue).await;
    let mut body = recruitment.answer("x");
    body["committee"] = recruitment.application["committees"][1]["id"].clone();
    let path = format!("{}submissions/", recruitment.path);
    let outreach = sue.post(&path, body).await.created();
    let person = json!({ "one_per_person": true });
    for submission in [&tech, &outreach] {
        recruitment.decide(submission, 4, "").await;
    }
    assert_eq!(
        mailed(&campus, &recruitment, "acceptance", person.clone()).await["sent"],
        1
    );
    recruitment.decide(&tech, 2, "").await;
    let one = json!({ "submissions": [tech["id"]] });
    assert_eq!(
        mailed(&campus, &recruitment, "rejection", one).await["sent"],
        1
    );
    let none = mailed(&campus, &recruitment, "acceptance", person.clone()).await;
    assert_eq!(none["skipped"]["already_notified"], 1);
    recruitment.decide(&tech, 4, "").await;
    assert_eq!(
        mailed(&campus, &recruitment, "acceptance", person.clone()).await["sent"],
        1
    );
    let none = mailed(&campus, &recruitment, "acceptance", person).await;
    assert_eq!(
        (&none["sent"], &none["skipped"]["already_notified"]),
        (&json!(0), &json!(1))
    );
}

// proves E26
#[tokio::test]
async fn rejection_per_person_names_uncommunicated_ones() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let body = json!({ "rejection_email": "<p>{{ committees }}.</p>" });
    recruitment
        .officer
        .patch(&recruitment.path, body)
        .await
        .ok();
    let sue = campus.as_("sue");
    let mut all = Vec::new();
    for committee in [0, 1] {
        let committee = &recruitment.application["committees"][committee]["id"];
        let body = json!({ "committee": committee, "responses": [] });
        let path = format!("{}submissions/", recruitment.path);
        all.push(sue.post(&path, body).await.created());
    }
    recruitment.decide(&all[0], 2, "").await;
    let first = json!({ "submissions": [all[0]["id"]] });
    assert_eq!(
        mailed(&campus, &recruitment, "rejection", first).await["sent"],
        1
    );
    recruitment.decide(&all[1], 2, "").await;
    let person = json!({ "one_per_person": true });
    let rest = mailed(&campus, &recruitment, "rejection", person.clone()).await;
    assert_eq!(rest["sent"], 1, "{rest}");
    let last = campus.mails_but_welcomes().pop().expect("a mail");
    assert!(last.text.starts_with("Outreach."), "{}", last.text);
    let none = mailed(&campus, &recruitment, "rejection", person).await;
    assert_eq!(
        (&none["sent"], &none["skipped"]["already_notified"]),
        (&json!(0), &json!(1))
    );
}

// proves E3, E28
#[tokio::test]
async fn everybody_decided_covers_all_submissions_of_the_chosen() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}submissions/", recruitment.path);
    let committee = &recruitment.application["committees"][0]["id"];
    for (name, status) in [("sue", 2), ("bob", 4)] {
        let client = campus.as_(name);
        let decided = recruitment.submit(&client).await;
        let body = json!({ "committee": committee, "responses": [] });
        client.post(&path, body).await.created();
        recruitment.decide(&decided, status, "").await;
        let kind = if status == 4 {
            "acceptance"
        } else {
            "rejection"
        };
        for person in [true, false] {
            let more = json!({
                "submissions": [decided["id"]], "require_all_decided": true,
                "one_per_person": person, "dry_run": person,
            });
            let sent = recruitment.send(kind, more).await;
            if status == 4 {
                // Who gets an acceptance is decided.
                assert!(!sent.ok()["warnings"].to_string().contains("decided"));
            } else if person {
                assert!(sent.ok()["warnings"].to_string().contains("1 person"));
            } else {
                assert_eq!(sent.json()["code"], "undecided");
            }
        }
    }
}

// proves E32
#[tokio::test]
async fn three_mails_a_day_are_enough() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 4, "").await;
    let resend = json!({ "allow_resend": true });
    for n in 1..=4 {
        let sent = mailed(&campus, &recruitment, "acceptance", resend.clone()).await;
        let skipped = &sent["skipped"]["resent_recently"];
        assert_eq!(
            (&sent["sent"], skipped),
            (&json!(u8::from(n < 4)), &json!(u8::from(n == 4)))
        );
    }
    campus.advance(TimeDelta::hours(24));
    assert_eq!(
        mailed(&campus, &recruitment, "acceptance", resend).await["sent"],
        1
    );
}

// proves E31
#[tokio::test]
async fn repeat_with_key_completes_a_resend_without_doubles() {
    // After some mails are queued, the first attempt ends: no call of the table gets through.
    let queued = Arc::new(AtomicUsize::new(usize::MAX));
    let left = queued.clone();
    let hook = move |call: Call| {
        let is_queueing = call.operation == "TransactWriteItems"
            && String::from_utf8_lossy(&call.body).contains(r#"{"S":"Mail"}"#);
        let fails = is_queueing
            && left
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1))
                .is_err();
        let response = fails.then(|| {
            let body = json!({ "__type": "com.amazonaws.dynamodb.v20120810#ValidationException" });
            Reply::Response(400, body.to_string())
        });
        Box::pin(async move { response }) as _
    };
    let campus = Setup::default().hook(Arc::new(hook)).build();
    let recruitment = campus.recruitment("chess").await;
    let names = ["sue", "bob", "ann", "tom"];
    for name in names {
        let submission = recruitment.submit(&campus.as_(name)).await;
        recruitment.decide(&submission, 4, "").await;
    }
    mailed(&campus, &recruitment, "acceptance", json!({})).await;
    let idempotent = campus.as_("ada").header("idempotency-key", "once more");
    let body = json!({ "email_type": { "id": "acceptance" }, "allow_resend": true });
    let path = format!("{}send_emails/", recruitment.path);
    queued.store(2, Ordering::SeqCst);
    let first = campus
        .with_worker(idempotent.post(&path, body.clone()))
        .await
        .ok();
    assert_eq!((&first["sent"], &first["failed"]), (&json!(2), &json!(2)));
    queued.store(usize::MAX, Ordering::SeqCst);
    // The answer was never stored, as if the process had died.
    forget_answers(&campus);
    campus.advance(TimeDelta::seconds(15));
    let second = campus.with_worker(idempotent.post(&path, body)).await.ok();
    assert_eq!(
        (&second["recipients"], &second["sent"]),
        (&json!(4), &json!(4)),
        "{second}"
    );
    for name in names {
        assert_eq!(sent_to(&campus, name), 2, "{name}");
    }
}

/// Removes the outcomes of requests with a key, as if their processes had died before.
fn forget_answers(campus: &TestCampus) {
    for mut item in campus.stored() {
        if item["type"]["S"] == "IdempotencyRecord" {
            item.as_object_mut().expect("an item").remove("outcome");
            let put = json!({ "TableName": local::table::TABLE, "Item": item });
            campus.campus.engine.json("PutItem", &put).expect("a write");
        }
    }
}

// proves E30
#[tokio::test]
async fn decisions_beyond_one_mail_are_sent_in_several() {
    let campus = TestCampus::new();
    let mut body = tests::fixtures::application("Fall");
    let names: Vec<Value> = (0..50)
        .map(|n| json!({ "name": format!("C{n:02}") }))
        .collect();
    body["committees"] = json!(names);
    let officer = campus.as_("ada");
    campus.club("chess", &officer).await;
    let path = "/api/clubs/chess/applications/";
    let application = officer.post(path, body).await.created();
    let path = format!("{path}{}/", id(&application));
    let sue = campus.as_("sue");
    let mut ids = Vec::new();
    for committee in application["committees"].as_array().expect("committees") {
        let body = json!({ "committee": committee["id"], "responses": [] });
        let submission = sue
            .post(&format!("{path}submissions/"), body)
            .await
            .created();
        ids.push(submission["id"].clone());
    }
    let body = json!({ "submissions": ids, "status": 2 });
    officer
        .post(&format!("{path}submissions/status/"), body)
        .await
        .ok();
    let send = async |dry: bool| {
        let body = json!({
            "email_type": { "id": "rejection" }, "one_per_person": true, "dry_run": dry,
        });
        officer.post(&format!("{path}send_emails/"), body).await
    };
    let dry = send(true).await.ok();
    assert_eq!(dry["recipients"], 2);
    let mailed = campus.with_worker(send(false)).await.ok();
    assert_eq!(
        (&mailed["recipients"], &mailed["sent"]),
        (&json!(2), &json!(2))
    );
    let list = officer
        .get(&format!("{path}submissions/?notified=true"))
        .await
        .ok();
    assert_eq!(list.as_array().map(Vec::len), Some(50));
    let none = campus.with_worker(send(false)).await.ok();
    assert_eq!(none["sent"], 0);
}

// proves H34, E8
#[tokio::test]
async fn irreversible_send_refuses_unknown_fields() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 4, "").await;
    let path = format!("{}send_emails/", recruitment.path);
    let kind = json!({ "id": "acceptance" });
    let one = &submission["id"];
    let officer = &recruitment.officer;
    for (body, field) in [
        (json!({ "email_type": kind, "dryRun": true }), "dryRun"),
        (
            json!({ "email_type": { "id": "acceptance", "dry_run": true } }),
            "email_type.dry_run",
        ),
        (
            json!({ "email_type": kind, "submissions": [{ "id": one, "name": "x" }] }),
            "submissions.0.name",
        ),
    ] {
        let body = body.to_string();
        let json = Some("application/json");
        officer
            .raw(Method::POST, &path, json, body)
            .await
            .invalid(&[field]);
    }
    let body = json!({ "email_type": kind, "dryRun": true, "kind": 1, "x": 2 });
    let all = officer.post(&path, body).await;
    all.invalid(&["dryRun", "kind", "x"]);
    let inside = json!({ "id": "acceptance", "a": 1 });
    let body = json!({ "email_type": inside, "submissions": 7, "kind": 1 });
    let both = officer.post(&path, body).await;
    both.invalid(&["email_type.a", "kind", "submissions"]);
    let ids = json!([{ "id": one, "a": 1, "b": 2 }, { "id": one, "c": 3 }, { "id": "x" }]);
    let body = json!({ "email_type": kind, "submissions": ids });
    let named = [
        "submissions.0.a",
        "submissions.0.b",
        "submissions.1.c",
        "submissions.2",
    ];
    officer.post(&path, body).await.invalid(&named);
    let body = json!({ "email_type": kind });
    for query in ["allow_resend", "dryrun", "digest"] {
        let path = format!("{path}?{query}=true");
        officer.post(&path, body.clone()).await.invalid(&[query]);
    }
    let both = json!({ "email_type": kind, "dry_run": false });
    let dry = format!("{path}?dry_run=true");
    officer.post(&dry, both).await.invalid(&["dry_run"]);
    assert_eq!(officer.post(&dry, body).await.ok()["dry_run"], true);
    let bulk = format!("{}submissions/", recruitment.path);
    let json = Some("application/json");
    for (path, body, field) in [
        (
            "status/",
            json!({ "submissions": [one], "status": 2, "reasons": "x" }),
            "reasons",
        ),
        (
            "status/?dry_run=true",
            json!({ "submissions": [one], "status": 2 }),
            "dry_run",
        ),
        (
            "reason/",
            json!({ "submissions": [{ "id": one, "reason": "x", "status": 2 }] }),
            "submissions.0.status",
        ),
    ] {
        let (path, body) = (format!("{bulk}{path}"), body.to_string());
        officer
            .raw(Method::POST, &path, json, body)
            .await
            .invalid(&[field]);
    }
    assert_eq!(campus.mails_but_welcomes().len(), 0);
    let now = officer.get(&format!("{bulk}{one}/")).await.ok();
    assert_eq!((&now["status"], &now["reason"]), (&json!(4), &json!("")));
}
