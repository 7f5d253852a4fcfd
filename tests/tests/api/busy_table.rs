//! A table that is busy or broken: conflicts are tried again, and the rest is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tests::{Setup, TestCampus};

/// A campus on which the first `n` calls of an operation get `answer`. DynamoDB reports conflicts
/// like this; the embedded engine never does.
fn conflicting(operation: &'static str, n: usize, answer: Value) -> TestCampus {
    let calls = AtomicUsize::new(0);
    Setup::default()
        .table(Arc::new(move |called: &str, _: &[u8]| {
            let conflicts = called == operation && calls.fetch_add(1, Ordering::SeqCst) < n;
            let answer = answer.clone();
            Box::pin(async move { conflicts.then_some((400, answer)) })
        }))
        .build()
}

// proves X13
#[tokio::test(start_paused = true)]
async fn conflicts_are_retried_and_a_table_that_stays_busy_is_told() {
    let canceled = json!({
        "__type": "TransactionCanceledException",
        "Message": "conflict",
        "CancellationReasons": [
            { "Code": "TransactionConflict" },
            { "Code": "None" },
            { "Code": "None" },
        ],
    });
    conflicting("TransactWriteItems", 3, canceled.clone())
        .as_("ada")
        .post("/api/clubs/", json!({ "name": "Go" }))
        .await
        .created();
    let answer = conflicting("TransactWriteItems", 100, canceled)
        .as_("ada")
        .post("/api/clubs/", json!({ "name": "Go" }))
        .await;
    assert_eq!(answer.header("retry-after"), "1");
    answer.error(429);
    let conflict = json!({ "__type": "TransactionConflictException", "message": "conflict" });
    let campus = conflicting("UpdateItem", 2, conflict);
    let recruitment = campus.recruitment("chess").await;
    recruitment.submit(&campus.as_("sue")).await;
}

// proves H9
#[tokio::test(start_paused = true)]
async fn a_throttled_table_is_told_and_a_broken_one_keeps_its_secrets() {
    let throttled =
        json!({ "__type": "ProvisionedThroughputExceededException", "message": "slow down" });
    conflicting("BatchGetItem", 100, throttled)
        .as_("ada")
        .get("/api/clubs/go/members/")
        .await
        .error(429);
    let broken = json!({ "__type": "ResourceNotFoundException", "message": "internal table name" });
    let answer = conflicting("BatchGetItem", 100, broken)
        .as_("ada")
        .get("/api/clubs/go/members/")
        .await;
    assert!(!answer.text().contains("table name"), "{}", answer.text());
    assert!(answer.json()["request_id"].is_string());
    answer.error(500);
}
