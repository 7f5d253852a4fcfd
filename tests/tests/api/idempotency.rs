//! `Idempotency-Key`: a POST that is repeated with its key is done once

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use tests::images::{form, png};
use tests::{Client, Setup, TestCampus};

pub(crate) fn with(client: &Client, key: &str) -> Client {
    client.clone().header("idempotency-key", key)
}

async fn clubs(campus: &TestCampus) -> Value {
    campus.anonymous().get("/api/clubs/").await.ok()["count"].clone()
}

// proves H7, H28, X1, X2
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
}

// proves X1
#[tokio::test]
async fn other_key_caller_or_path_is_another_request() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let go = json!({ "name": "Go" });
    for client in [with(&ada, "k"), with(&ada, &"k".repeat(255))] {
        client.post("/api/clubs/", go.clone()).await.created();
    }
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
}

// proves X3
#[tokio::test]
async fn a_refusal_with_400_is_repeated_too() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    with(&ada, "m")
        .post("/api/favorites/", json!({ "club": "later" }))
        .await
        .invalid(&["club"]);
    campus.club("later", &ada).await;
    with(&ada, "m")
        .post("/api/favorites/", json!({ "club": "later" }))
        .await
        .invalid(&["club"]);
}

// proves X1, X2
#[tokio::test]
async fn a_key_is_remembered_for_24_hours() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let go = json!({ "name": "Go" });
    with(&ada, "k")
        .post("/api/clubs/", go.clone())
        .await
        .created();
    // Three more clubs of this name.
    for _ in 0..3 {
        ada.post("/api/clubs/", go.clone()).await.created();
    }
    ada.post("/api/favorites/", json!({ "club": "go" }))
        .await
        .created();
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
    assert!(answers.iter().all(|response| *response == answers[0]));
    assert_eq!(clubs(&campus).await, 1);
}

// proves X3, X4
#[tokio::test(start_paused = true)]
async fn long_wait_is_reported_and_failures_are_not_stored() {
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
async fn idempotency_records_are_erased_with_their_person() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.client(
        &json!({ "email": "planted@uni.example", "name": "Planted Name" }),
        "planted",
    );
    let person = tests::fixtures::id(&sue.get("/api/settings/").await.ok());
    // The officer's requests are about her, but what is stored for their keys has no data of hers.
    let officer = with(&recruitment.officer, "k");
    let end = tests::fixtures::hours(72);
    officer
        .post(
            &format!("{}extensions/", recruitment.path),
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
    let records = |campus: &TestCampus| {
        let all = campus
            .stored()
            .into_iter()
            .filter(|item| item["type"]["S"] == "IdempotencyRecord");
        json!(all.collect::<Vec<_>>()).to_string().to_lowercase()
    };
    assert!(
        records(&campus).contains("attempt#") && !records(&campus).contains("planted"),
        "{}",
        records(&campus)
    );
    with(&sue, "k")
        .post("/api/favorites/", json!({ "club": "chess" }))
        .await
        .created();
    let own = format!("user#{person:016}");
    assert!(records(&campus).contains(&own));
    campus.erase(&sue).await;
    assert!(!records(&campus).contains(&own));
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
async fn repeat_after_a_failure_writes_once() {
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
