//! A write that reaches the table when nobody waits for it any more changes nothing (X17): neither
//! after its repeat, nor after its opposite.

use chrono::TimeDelta;
use http::Method;
use serde_json::Value;
use tests::Setup;
use tests::operations::{self, Operation};
use tests::recount::recount;
use tests::scene::{ADMIN, Scene};
use tests::suspended::Suspended;

/// Everything that is stored, but for the answers of a submission that names others, and for one
/// more look of the timer at a showing, which reads what is true then.
fn stored(scene: &Scene) -> Vec<String> {
    let items = scene.campus.stored().into_iter();
    let items = items.filter(|item| {
        let is_look = item["what"]["M"]["kind"]["S"] == "tickets";
        item["type"]["S"] != "Answers" && !is_look
    });
    let mut texts: Vec<String> = items.map(|item| item.to_string()).collect();
    texts.sort();
    texts
}

/// Undoes what an operation did: what it made is deleted, what it changed is as before.
async fn undo(scene: &Scene, operation: &Operation, location: &str, before: Option<Value>) {
    let documented = operations::documented();
    let has = |method: Method, route: &str| {
        let mut all = documented.values();
        all.any(|(one, path)| *one == method && path == route)
    };
    let path = scene.path(&operation.path);
    let admin = &scene.callers[ADMIN];
    let caller = &scene.callers[operation.caller()];
    let done = match (&operation.method, before) {
        (&Method::POST, _) if !location.is_empty() => {
            let deleted = caller.delete(location).await;
            if deleted.status == 204 {
                return;
            }
            admin.delete(location).await
        }
        (&Method::PATCH | &Method::PUT, Some(before)) if has(Method::PUT, &operation.route) => {
            caller.put(&path, before).await
        }
        (&Method::PUT, _) if has(Method::DELETE, &operation.route) => caller.delete(&path).await,
        _ => return,
    };
    let is_possible = ![403, 404, 405].contains(&done.status.as_u16());
    assert!(
        done.status.is_success() || !is_possible,
        "{}: {}",
        operation.id,
        done.text()
    );
}

/// Sends a request whose writes reach the table after its repeat and its opposite. Returns what
/// they changed.
async fn late_writes_of(scene: Scene, suspended: &Suspended, operation: &Operation) -> Vec<String> {
    let caller = scene.callers[operation.caller()].clone();
    caller.get("/api/settings/").await;
    let before = caller.get(&scene.path(&operation.path)).await;
    let before = (before.status == 200).then(|| before.json());
    let client = match operation.method {
        Method::POST => caller.header("idempotency-key", "once"),
        _ => caller,
    };
    suspended.hold(usize::MAX, "");
    let failed = scene.send(operation, &client).await;
    let late = suspended.release();
    assert!(!failed.status.is_success(), "{}", operation.id);
    scene.campus.advance(TimeDelta::seconds(15));
    let done = scene.send(operation, &client).await;
    if !done.status.is_success() {
        return vec![format!("{} {}", done.status, done.text())];
    }
    scene.campus.advance(TimeDelta::seconds(1));
    undo(&scene, operation, done.header("location"), before).await;
    let then = stored(&scene);
    late.arrive();
    let changed = stored(&scene).into_iter();
    let changed = changed.filter(|item| !then.contains(item));
    changed
        .chain(recount(&scene.campus))
        .map(|what| format!("{}: {what}", operation.id))
        .collect()
}

// proves X8, X17
#[tokio::test(start_paused = true)]
async fn a_late_write_changes_nothing() {
    let first = Scene::new().await;
    let mut wrong = vec![];
    for operation in operations::once().iter().filter(|one| one.writes) {
        let suspended = Suspended::default();
        let scene = first.again(Setup::default().hook(suspended.hook())).await;
        wrong.extend(late_writes_of(scene, &suspended, operation).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
