//! Every operation with every kind of caller, and every POST twice with one key.

use http::Method;
use serde_json::json;
use tests::Setup;
use tests::operations::{self, Operation};
use tests::scene::{CALLERS, Scene};

/// Tries a part of the operations, so that several tests can share the work.
async fn try_every_caller(part: usize, parts: usize) {
    let mut wrong = Vec::new();
    let first = Scene::new().await;
    let mut scene = first.again(Setup::default()).await;
    let mut is_fresh = true;
    for operation in operations::all().iter().skip(part).step_by(parts) {
        let Operation { id, statuses, .. } = operation;
        for (caller, name) in CALLERS.iter().enumerate() {
            // After a write the next caller gets a new campus.
            if !is_fresh {
                scene = first.again(Setup::default()).await;
            }
            let response = scene.send(operation, &scene.callers[caller]).await;
            is_fresh = operation.method == Method::GET || !response.status.is_success();
            if response.status.as_u16() != statuses[caller] {
                wrong.push(format!(
                    "{id} by {name}: {} instead of {}: {}",
                    response.status,
                    statuses[caller],
                    response.text()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// The erasure reads twice, with a pause in between, so the tokio clock is paused.
// proves H12, P2, P5, C1, C18, C19, C20, A1, A7, Q1, S10, S13, S15, N1, T2
#[tokio::test(start_paused = true)]
async fn every_operation_and_every_kind_of_caller() {
    try_every_caller(0, 3).await;
}

// proves D1, M9, M10, R3, I1, I9, J6, V1, L1, F3, O1
#[tokio::test(start_paused = true)]
async fn every_operation_and_every_kind_of_caller_continued() {
    try_every_caller(1, 3).await;
}

// proves H12, P2
#[tokio::test(start_paused = true)]
async fn every_operation_and_every_kind_of_caller_to_the_end() {
    try_every_caller(2, 3).await;
}

// proves H2
#[tokio::test]
async fn verbs_that_are_not_documented_are_405() {
    let document = local::document();
    let scene = Scene::new().await;
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        let concrete = scene.path(path);
        for method in ["get", "post", "put", "patch", "delete"]
            .into_iter()
            .filter(|method| item.get(method).is_none())
        {
            let verb = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
            scene.callers[tests::scene::ADMIN]
                .send(verb, &concrete, None)
                .await
                .error(405);
        }
    }
}

// proves X1
#[tokio::test]
async fn every_post_that_is_repeated_with_its_key_is_done_once() {
    let unchanged = Scene::new().await;
    for operation in operations::all() {
        if operation.method != Method::POST {
            continue;
        }
        let scene = unchanged.again(Setup::default()).await;
        let caller = scene.callers[operation.caller()].clone();
        let caller = caller.header("idempotency-key", "k");
        let first = scene.send(&operation, &caller).await;
        let stored = scene.campus.stored();
        let again = scene.send(&operation, &caller).await;
        let id = operation.id;
        assert_eq!(first.status, again.status, "{id}");
        // What is shown once is not shown again.
        let once = match id {
            "create_token" => Some("token"),
            "create_club_webhook"
            | "create_webhook"
            | "renew_club_webhook_secret"
            | "renew_webhook_secret" => Some("secret"),
            _ => None,
        };
        if let Some(once) = once {
            let mut shown = first.json();
            let shown = shown.as_object_mut().expect("an object");
            assert!(shown.remove(once).is_some_and(|secret| secret.is_string()));
            assert_eq!(json!(shown), again.json());
        } else {
            assert_eq!(first.bytes, again.bytes, "{id}");
        }
        assert_eq!(first.status.as_u16(), operation.status(), "{id}");
        assert!(scene.campus.stored() == stored, "{id} did its work again");
    }
}
