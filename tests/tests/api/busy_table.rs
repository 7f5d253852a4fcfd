//! A table that is busy or broken: conflicts are tried again, and the rest is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tests::{Setup, TestCampus};

/// A campus on which the first `n` calls of an operation get `answer`. DynamoDB reports conflicts
/// like this; the embedded engine never does.
fn conflicting(operation: &'static str, n: usize, response: Value) -> TestCampus {
    let calls = AtomicUsize::new(0);
    Setup::default()
        .table(Arc::new(move |called: &str, _: &[u8]| {
            let conflicts = called == operation && calls.fetch_add(1, Ordering::SeqCst) < n;
            let response = response.clone();
            Box::pin(async move { conflicts.then_some((400, response)) })
        }))
        .build()
}

// proves X13
#[tokio::test(start_paused = true)]
async fn conflicts_are_retried_and_a_busy_table_is_429() {
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
    let response = conflicting("TransactWriteItems", 100, canceled)
        .as_("ada")
        .post("/api/clubs/", json!({ "name": "Go" }))
        .await;
    assert_eq!(response.header("retry-after"), "1");
    response.error(429);
    let conflict = json!({ "__type": "TransactionConflictException", "message": "conflict" });
    let campus = conflicting("UpdateItem", 2, conflict);
    let recruitment = campus.recruitment("chess").await;
    recruitment.submit(&campus.as_("sue")).await;
}

// proves H9
#[tokio::test(start_paused = true)]
async fn throttled_table_is_429_and_a_broken_one_keeps_its_secrets() {
    let throttled =
        json!({ "__type": "ProvisionedThroughputExceededException", "message": "slow down" });
    conflicting("BatchGetItem", 100, throttled)
        .as_("ada")
        .get("/api/clubs/go/members/")
        .await
        .error(429);
    let broken = json!({ "__type": "ResourceNotFoundException", "message": "internal table name" });
    let response = conflicting("BatchGetItem", 100, broken)
        .as_("ada")
        .get("/api/clubs/go/members/")
        .await;
    assert!(
        !response.text().contains("table name"),
        "{}",
        response.text()
    );
    assert!(response.json()["request_id"].is_string());
    response.error(500);
}
