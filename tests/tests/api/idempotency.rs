//! `Idempotency-Key`: a POST that is repeated with its key is done once

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use tests::images::{form, png};
use tests::{Client, Setup, TestCampus};

fn with(client: &Client, key: &str) -> Client {
    client.clone().header("idempotency-key", key)
}

async fn clubs(campus: &TestCampus) -> Value {
    campus.anonymous().get("/api/clubs/").await.ok()["count"].clone()
}

// proves H7, H28, X1, X2, X3
#[tokio::test]
async fn a_repeat_gets_the_first_answer() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let go = json!({ "name": "Go" });
    let first = with(&ada, "k").post("/api/clubs/", go.clone()).await;
    for _ in 0..2 {
        let again = with(&ada, "k").post("/api/clubs/", go.clone()).await;
        assert_eq!(
            (
                again.status,
                again.header("location"),
                again.header("content-type"),
                again.header("idempotency-replayed")
            ),
            (first.status, "/api/clubs/go/", "application/json", "true")
        );
        assert_eq!(
            (&again.bytes, again.header("etag")),
            (&first.bytes, first.header("etag"))
        );
    }
    assert_eq!(first.header("idempotency-replayed"), "");
    // The path without the final slash is the same path.
    assert_eq!(
        with(&ada, "k").post("/api/clubs", go.clone()).await.bytes,
        first.bytes
    );
    assert_eq!(clubs(&campus).await, 1);
    let reused = with(&ada, "k")
        .post("/api/clubs/", json!({ "name": "Chess" }))
        .await;
    assert_eq!(reused.json()["code"], "key_reused");
    reused.invalid(&["Idempotency-Key"]);
    with(&ada, &"k".repeat(256))
        .post("/api/clubs/", go.clone())
        .await
        .invalid(&["Idempotency-Key"]);
    with(&ada, &"k".repeat(255))
        .post("/api/clubs/", go.clone())
        .await
        .created();
    // With another key, by another caller or on another path it is another request.
    for client in [with(&ada, "l"), with(&campus.as_("sue"), "k")] {
        client.post("/api/clubs/", go.clone()).await.created();
    }
    with(&ada, "k")
        .post("/api/favorites/", json!({ "club": "go" }))
        .await
        .created();
    with(&ada, "k")
        .post("/api/favorites/", json!({ "club": "go" }))
        .await
        .created();
    ada.post("/api/favorites/", json!({ "club": "go" }))
        .await
        .invalid(&["club"]);
    assert_eq!(clubs(&campus).await, 4);
    // A refusal with 400 is repeated too.
    with(&ada, "m")
        .post("/api/favorites/", json!({ "club": "later" }))
        .await
        .invalid(&["club"]);
    campus.club("later", &ada).await;
    with(&ada, "m")
        .post("/api/favorites/", json!({ "club": "later" }))
        .await
        .invalid(&["club"]);
    // A key is remembered for 24 hours.
    let other = campus.another().with_token(&campus.token("ada"));
    assert_eq!(
        with(&other, "k")
            .post("/api/clubs/", go.clone())
            .await
            .status,
        401,
        "the other service has keys of its own"
    );
    campus.advance(TimeDelta::hours(24) - TimeDelta::seconds(1));
    let now = with(&ada, "k")
        .post("/api/clubs/", go.clone())
        .await
        .created();
    assert_eq!(
        (&now["code"], &now["is_favorite"]),
        (&json!("go"), &json!(true)),
        "the repeat shows the object as it is now"
    );
    campus.advance(TimeDelta::seconds(1));
    assert_eq!(
        with(&ada, "k").post("/api/clubs/", go).await.created()["code"],
        "go-5"
    );
}

// If the table did not hold the attempt, there would be eight clubs.
// proves X1, X4
#[tokio::test(start_paused = true)]
async fn repeats_at_once_are_done_once() {
    let campus = Setup::default().latency(5).build();
    let ada = campus.as_("ada");
    let answers = futures::future::join_all((0..8).map(|_| {
        let client = with(&ada, "k");
        async move {
            client
                .post("/api/clubs/", json!({ "name": "Go" }))
                .await
                .created()
        }
    }))
    .await;
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(clubs(&campus).await, 1);
}

// proves X3, X4
#[tokio::test(start_paused = true)]
async fn who_waits_too_long_is_told_and_failures_are_not_kept() {
    let (slow, broken) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicBool::new(false)),
    );
    let (is_slow, is_broken) = (slow.clone(), broken.clone());
    let campus = Setup::default()
        .table(Arc::new(move |operation: &str, _: &[u8]| {
            let transacts = operation == "TransactWriteItems";
            let (slow, broken) = (
                transacts && is_slow.load(Ordering::SeqCst),
                transacts && is_broken.load(Ordering::SeqCst),
            );
            Box::pin(async move {
                if slow {
                    tokio::time::sleep(Duration::from_secs(8)).await;
                }
                broken.then(|| {
                    (
                        400,
                        json!({ "__type": "ResourceNotFoundException", "message": "cut" }),
                    )
                })
            })
        }))
        .build();
    let ada = campus.as_("ada");
    ada.get("/api/settings/").await.ok();
    let go = json!({ "name": "Go" });
    slow.store(true, Ordering::SeqCst);
    let (first, second) = futures::join!(
        async { with(&ada, "k").post("/api/clubs/", go.clone()).await },
        async {
            tokio::time::sleep(Duration::from_millis(500)).await;
            with(&ada, "k").post("/api/clubs/", go.clone()).await
        }
    );
    first.created();
    assert_eq!(
        (second.header("retry-after"), second.status.as_u16()),
        ("1", 429)
    );
    slow.store(false, Ordering::SeqCst);
    broken.store(true, Ordering::SeqCst);
    with(&ada, "l")
        .post("/api/clubs/", go.clone())
        .await
        .error(500);
    broken.store(false, Ordering::SeqCst);
    with(&ada, "l").post("/api/clubs/", go).await.created();
    assert_eq!(clubs(&campus).await, 2);
}

// proves X2, X3
#[tokio::test]
async fn who_lost_their_rights_gets_no_old_answer() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let olga = with(&campus.member("chess", &ada, "olga", 10).await, "k");
    let invite = json!({ "email": "ina@uni.example" });
    let first = olga
        .post("/api/clubs/chess/invites/", invite.clone())
        .await
        .created();
    assert_eq!(
        olga.post("/api/clubs/chess/invites/", invite.clone())
            .await
            .created(),
        first
    );
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 20 }))
        .await
        .ok();
    olga.post("/api/clubs/chess/invites/", invite.clone())
        .await
        .error(403);
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 10 }))
        .await
        .ok();
    assert_eq!(
        olga.post("/api/clubs/chess/invites/", invite.clone())
            .await
            .created(),
        first
    );
    ada.delete("/api/clubs/chess/").await.no_content();
    olga.post("/api/clubs/chess/invites/", invite)
        .await
        .error(404);
}

// A repeat shows an object only if the caller may still see it. An answer without data of other
// people is returned as it was.
// proves X2
#[tokio::test]
async fn replays_show_what_the_caller_may_see_now() {
    let campus = TestCampus::new();
    let (ada, admin) = (campus.as_("ada"), campus.admin());
    campus.club("chess", &ada).await;
    let olga = campus.member("chess", &ada, "olga", 0).await;
    let bob = tests::fixtures::id(&campus.as_("bob").get("/api/settings/").await.ok());
    let olgas = with(&olga, "k");
    let (added, invited) = (
        json!({ "person": bob, "role": 20 }),
        json!({ "emails": "ina@uni.example" }),
    );
    let first = olgas
        .post("/api/clubs/chess/members/", added.clone())
        .await
        .created();
    assert_eq!(first["email"], "bob@uni.example");
    let counts = olgas
        .post("/api/clubs/chess/invite/", invited.clone())
        .await
        .ok();
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 20 }))
        .await
        .ok();
    let again = olgas
        .post("/api/clubs/chess/members/", added.clone())
        .await
        .created();
    assert_eq!(
        (&again["id"], &again["email"]),
        (&first["id"], &Value::Null),
        "a member sees no addresses"
    );
    assert_eq!(
        olgas.post("/api/clubs/chess/invite/", invited).await.ok(),
        counts
    );
    ada.delete("/api/clubs/chess/members/bob/")
        .await
        .no_content();
    olgas
        .post("/api/clubs/chess/members/", added.clone())
        .await
        .error(404);
    admin
        .patch("/api/clubs/chess/", json!({ "approved": false }))
        .await
        .ok();
    olga.delete("/api/clubs/chess/members/olga/")
        .await
        .no_content();
    olgas
        .post("/api/clubs/chess/members/", added)
        .await
        .error(404);
}

// proves X1
#[tokio::test]
async fn forms_are_the_same_whatever_their_boundary() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let (content_type, body) = form(&[("file", &png(4, 4))]);
    let boundary = content_type
        .split_once("boundary=")
        .map(|(_, boundary)| boundary.to_owned())
        .unwrap_or_default();
    let position = |body: &[u8]| {
        body.windows(boundary.len())
            .position(|part| part == boundary.as_bytes())
    };
    let mut other = body.clone();
    let new = "x".repeat(boundary.len());
    while let Some(at) = position(&other) {
        other.splice(at..at + boundary.len(), new.bytes());
    }
    let client = with(&ada, "k");
    let first = client
        .raw(
            Method::POST,
            "/api/clubs/chess/upload/",
            Some(&content_type),
            body,
        )
        .await
        .ok();
    let again = client
        .raw(
            Method::POST,
            "/api/clubs/chess/upload/",
            Some(&content_type.replace(&boundary, &new)),
            other,
        )
        .await
        .ok();
    assert_eq!(first, again);
}

// The erasure reads twice, with a pause in between, so the tokio clock is paused.
// proves X3
#[tokio::test(start_paused = true)]
async fn requests_with_keys_are_erased_with_their_person_and_hold_nobody_else() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let sue = campus.client(
        &json!({ "email": "planted@uni.example", "name": "Planted Name" }),
        "planted",
    );
    let person = tests::fixtures::id(&sue.get("/api/settings/").await.ok());
    // The officer's requests are about her, but what is stored for their keys has no data of hers.
    let officer = with(&drive.officer, "k");
    let end = tests::fixtures::hours(72);
    officer
        .post(
            &format!("{}extensions/", drive.path),
            json!({ "person": person, "end_time": end }),
        )
        .await
        .created();
    officer
        .post("/api/clubs/chess/members/", json!({ "person": person }))
        .await
        .created();
    officer
        .post(
            "/api/clubs/chess/invites/",
            json!({ "email": "planted.too@uni.example" }),
        )
        .await
        .created();
    let keyed = |campus: &TestCampus| {
        let all = campus
            .stored()
            .into_iter()
            .filter(|item| item["type"]["S"] == "KeyedRequest");
        json!(all.collect::<Vec<_>>()).to_string().to_lowercase()
    };
    assert!(
        keyed(&campus).contains("attempt#") && !keyed(&campus).contains("planted"),
        "{}",
        keyed(&campus)
    );
    with(&sue, "k")
        .post("/api/favorites/", json!({ "club": "chess" }))
        .await
        .created();
    let own = format!("user#{person:016}");
    assert!(keyed(&campus).contains(&own));
    sue.delete("/api/settings/").await.no_content();
    assert!(!keyed(&campus).contains(&own));
}

/// A campus whose table fails at the next call of an operation after the flag was set.
fn failing(operation: &'static str) -> (TestCampus, Arc<AtomicBool>) {
    let armed = Arc::new(AtomicBool::new(false));
    let is_armed = armed.clone();
    let campus = Setup::default().table(Arc::new(move |name: &str, _: &[u8]| {
        let fails = name == operation && is_armed.swap(false, Ordering::SeqCst);
        Box::pin(async move {
            fails.then(|| {
                (
                    400,
                    json!({ "__type": "ResourceNotFoundException", "message": "cut" }),
                )
            })
        })
    }));
    (campus.build(), armed)
}

// If the id were not stored before the work, a repeat after a failed read would do the work again.
// proves X5
#[tokio::test(start_paused = true)]
async fn nothing_that_fails_behind_a_write_makes_a_repeat_do_it_twice() {
    let (campus, armed) = failing("GetItem");
    let (ada, admin) = (campus.as_("ada"), campus.admin());
    campus.club("chess", &ada).await;
    let badge = tests::fixtures::id(
        &admin
            .post("/api/badges/", json!({ "label": "Gold" }))
            .await
            .created(),
    );
    admin
        .patch("/api/clubs/chess/", json!({ "badges": [badge] }))
        .await
        .ok();
    let client = with(&ada, "k");
    let evening = json!({ "name": "Evening" });
    armed.store(true, Ordering::SeqCst);
    client
        .post("/api/clubs/chess/events/", evening.clone())
        .await
        .error(500);
    client
        .post("/api/clubs/chess/events/", evening)
        .await
        .created();
    assert_eq!(
        ada.get("/api/clubs/chess/events/")
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

// proves X2
#[tokio::test]
async fn previews_are_computed_again() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let submission = drive.submit(&campus.as_("sue")).await;
    drive.decide(&submission, 2, "").await;
    let ada = with(&drive.officer, "k");
    let path = format!("{}send_emails/", drive.path);
    let preview = json!({ "email_type": { "id": "rejection" }, "dry_run": true });
    assert_eq!(ada.post(&path, preview.clone()).await.ok()["recipients"], 1);
    drive.decide(&submission, 4, "").await;
    assert_eq!(ada.post(&path, preview).await.ok()["recipients"], 0);
    let other = json!({ "email_type": { "id": "acceptance" }, "dry_run": true });
    ada.post(&path, other).await.invalid(&["Idempotency-Key"]);
}

// With an attempt in the table, a student whose first request died would have to wait for the
// attempt to end (X6).
// proves H7, S2, X6
#[tokio::test(start_paused = true)]
async fn a_submission_with_a_key_stands_in_nobodys_way_and_is_answered_like_the_first() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (sue, path) = (campus.as_("sue"), format!("{}submissions/", drive.path));
    let first = with(&sue, "k").post(&path, drive.answer("x")).await;
    assert!(!json!(campus.stored()).to_string().contains("KeyedRequest"));
    let again = with(&sue, "k").post(&path, drive.answer("x")).await;
    assert_eq!(
        (
            again.status.as_u16(),
            again.header("idempotency-replayed"),
            again.header("location")
        ),
        (201, "true", first.header("location"))
    );
    assert_eq!(again.bytes, first.bytes);
    let reused = with(&sue, "k").post(&path, drive.answer("y")).await;
    assert_eq!(reused.json()["code"], "key_reused");
    let first = first.created();
    // After the deadline and a decision, the repeat is still answered like the first request.
    campus.advance(TimeDelta::hours(23));
    drive.decide(&first, 4, "").await;
    let ends = json!({ "application_end_time": tests::fixtures::hours(1) });
    drive.officer.patch(&drive.path, ends).await.ok();
    assert_eq!(
        with(&sue, "k")
            .post(&path, drive.answer("x"))
            .await
            .created(),
        first
    );
    assert_eq!(
        sue.post(&path, drive.answer("x")).await.json()["code"],
        "application_closed"
    );
    assert_eq!(
        with(&sue, "other")
            .post(&path, drive.answer("x"))
            .await
            .json()["code"],
        "application_closed"
    );
    campus.advance(TimeDelta::hours(1));
    with(&sue, "k")
        .post(&path, drive.answer("x"))
        .await
        .error(400);
    with(&sue, &"k".repeat(256))
        .post(&path, drive.answer("x"))
        .await
        .error(400);
}

// proves X6
#[tokio::test]
async fn a_withdrawal_forgets_the_keys_of_its_submission() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (sue, path) = (campus.as_("sue"), format!("{}submissions/", drive.path));
    let first = with(&sue, "k")
        .post(&path, drive.answer("x"))
        .await
        .created();
    sue.delete(&format!(
        "/api/submissions/{}/",
        tests::fixtures::id(&first)
    ))
    .await
    .no_content();
    assert_eq!(sue.get("/api/submissions/").await.ok(), json!([]));
    let second = with(&sue, "k")
        .post(&path, drive.answer("y"))
        .await
        .created();
    assert_eq!(
        (&second["id"], &second["revision"]),
        (&first["id"], &json!(2))
    );
}

// The path has no parameter here. The document has to name this 404 all the same.
// proves X2
#[tokio::test]
async fn a_repeat_is_404_when_the_created_object_is_gone() {
    let campus = TestCampus::new();
    let admin = campus.admin();
    let keyed = admin.clone().header("idempotency-key", "k");
    let tag = keyed.post("/api/tags/", json!({ "name": "Games" })).await;
    let path = tag.header("location").to_owned();
    tag.created();
    admin.delete(&path).await.no_content();
    let again = keyed.post("/api/tags/", json!({ "name": "Games" })).await;
    again.error(404);
}
