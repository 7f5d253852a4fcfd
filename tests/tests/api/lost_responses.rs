//! The table applies a write, but its answer is lost. The service answers with success if the write
//! was applied, and with `outcome_unknown` if nobody can know.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::Method;
use local::engine::{Call, Reply};
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::operations::{self, Operation};
use tests::recount::recount;
use tests::scene::Scene;
use tests::{Setup, TestCampus};

fn writes(operation: &str) -> bool {
    matches!(
        operation,
        "PutItem" | "UpdateItem" | "DeleteItem" | "TransactWriteItems"
    )
}

/// What happens to the write that a [`Trap`] catches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The write is applied at once. After a second the answer is a server error.
    Error,
    /// The write is applied at once. After a second the connection breaks.
    Broken,
    /// After a second the connection breaks. A second later the write is applied.
    Late,
    /// The write is not applied. After a second it is throttled.
    Throttled,
    /// The write is not applied. After a second the answer is a server error.
    Nothing,
}

/// Catches the n-th write after it was armed.
#[derive(Clone, Default)]
pub struct Trap(Arc<(AtomicUsize, Mutex<Option<Loss>>)>);

impl Trap {
    pub fn arm(&self, n: usize, loss: Loss) {
        *self.0.1.lock().unwrap_or_else(PoisonError::into_inner) = Some(loss);
        self.0.0.store(n, Ordering::SeqCst);
    }

    /// Whether no write was caught.
    fn is_armed(&self) -> bool {
        self.0.0.swap(0, Ordering::SeqCst) > 0
    }

    fn catches(&self) -> Option<Loss> {
        let count = self.0.0.load(Ordering::SeqCst);
        if count > 0 {
            self.0.0.store(count - 1, Ordering::SeqCst);
        }
        (count == 1)
            .then(|| *self.0.1.lock().unwrap_or_else(PoisonError::into_inner))
            .flatten()
    }

    /// A campus with this trap.
    pub fn campus(&self) -> TestCampus {
        self.setup().build()
    }

    /// The setup of a campus with this trap. All other calls of the table take 5 ms.
    fn setup(&self) -> Setup {
        let trap = self.clone();
        let hook = move |call: Call| {
            let loss = if writes(&call.operation) {
                trap.catches()
            } else {
                None
            };
            let work = async move {
                let Some(loss) = loss else {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    return None;
                };
                let later = call.clone();
                match loss {
                    Loss::Error | Loss::Broken => drop(call.apply(&call.body)),
                    Loss::Late => tests::faults::beside(async move {
                        tokio::time::sleep(Duration::from_secs(2)).await;
                        later.apply(&later.body);
                    }),
                    Loss::Throttled | Loss::Nothing => {}
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
                Some(match loss {
                    Loss::Error | Loss::Nothing => {
                        Reply::Response(500, json!({ "__type": "InternalServerError" }).to_string())
                    }
                    Loss::Throttled => Reply::Response(
                        400,
                        json!({ "__type": "ProvisionedThroughputExceededException" }).to_string(),
                    ),
                    Loss::Broken | Loss::Late => Reply::Broken,
                })
            };
            Box::pin(work) as futures::future::BoxFuture<'static, Option<Reply>>
        };
        Setup::default().hook(Arc::new(hook))
    }
}

pub const LOSSES: [Loss; 5] = [
    Loss::Error,
    Loss::Broken,
    Loss::Late,
    Loss::Throttled,
    Loss::Nothing,
];

pub async fn after(milliseconds: u64) {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
}

/// Runs every operation, and loses the answer to its n-th write. In an earlier version the answer
/// was 404 for a deletion that had worked, 400 for an object that the request itself had created,
/// and 412 for a change that was stored.
async fn every_lost_answer(n: usize, loss: Loss) {
    let first = Scene::new().await;
    for operation in operations::all().iter().filter(|one| one.writes) {
        let trap = Trap::default();
        let scene = first.again(trap.setup()).await;
        for client in &scene.callers[1..] {
            client.get("/api/settings/").await.ok();
        }
        let Operation { id, method, .. } = operation;
        let mut caller = scene.callers[operation.caller()].clone();
        // A change of an object that can be read is sent with `If-Match`.
        let read = caller.get(&scene.path(&operation.path)).await;
        let is_conditional = *method != Method::POST
            && read.status == 200
            && !operation.path.ends_with("/settings/");
        if is_conditional {
            caller = caller.header("if-match", read.header("etag"));
        }
        trap.arm(n, loss);
        let response = scene.send(operation, &caller).await;
        let caught = !trap.is_armed();
        assert!(caught || n > 1, "{id} writes nothing");
        assert_eq!(
            response.status.as_u16(),
            operation.status(),
            "{id} with {loss:?} at write {n}: {}",
            response.text()
        );
        after(3_000).await;
        let counted = recount(&scene.campus);
        assert_eq!(counted, [""; 0], "{id} with {loss:?} at write {n}");
    }
}

// proves X10
#[tokio::test(start_paused = true)]
async fn lost_response_behind_server_error_is_success() {
    every_lost_answer(1, Loss::Error).await;
}

// proves X10
#[tokio::test(start_paused = true)]
async fn lost_response_behind_broken_connection_is_success() {
    every_lost_answer(2, Loss::Broken).await;
}

// proves X10
#[tokio::test(start_paused = true)]
async fn lost_response_of_a_late_first_try_is_success() {
    every_lost_answer(1, Loss::Late).await;
}

/// A campus whose writes are applied but get no answer while the value is 1. If it is 2, only those
/// that change the catalogue: the last step of a copy of an application.
fn silent() -> (Setup, Arc<AtomicUsize>) {
    let silent = Arc::new(AtomicUsize::new(0));
    let is_silent = silent.clone();
    let hook = move |call: Call| {
        let body = String::from_utf8_lossy(&call.body);
        let lost = match is_silent.load(Ordering::SeqCst) {
            0 => false,
            1 => !body.contains("ATTEMPT#"),
            _ => body.contains("CATALOGUE"),
        };
        let lost = lost && writes(&call.operation);
        let work = async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            lost.then(|| {
                call.apply(&call.body);
                Reply::Broken
            })
        };
        Box::pin(work) as futures::future::BoxFuture<'static, Option<Reply>>
    };
    (Setup::default().hook(Arc::new(hook)), silent)
}

// In an earlier version the answer to a stored write was 429, and the repeat with its key created a
// second object.
// proves H7, X5, X11
#[tokio::test(start_paused = true)]
async fn unknown_outcome_is_reported_and_repeat_finds_it() {
    let creations = operations::all();
    let first = Scene::new().await;
    for operation in creations.iter().filter(|one| one.status() == 201) {
        let path = &operation.path;
        let (setup, silent) = silent();
        let scene = first.again(setup).await;
        let client = &scene.callers[operation.caller()];
        client.get("/api/settings/").await.ok();
        let client = client.clone().header("idempotency-key", "k");
        let send = async || scene.send(operation, &client).await;
        // The first write of these is needed for what the second one creates.
        let of_two = ["{application}/duplicate/", "submissions/", "tokens/"];
        let is_second = of_two.iter().any(|end| path.ends_with(end));
        silent.store(1 + usize::from(is_second), Ordering::SeqCst);
        let lost = send().await;
        silent.store(0, Ordering::SeqCst);
        let before = scene.campus.stored().len();
        // Some writes are recognised by the value that they left. For the others, the outcome is
        // unknown.
        if lost.status != 201 {
            assert_eq!(
                (lost.status.as_u16(), lost.json()["code"].as_str()),
                (500, Some("outcome_unknown")),
                "{path}: {}",
                lost.text()
            );
            assert!(!lost.header("retry-after").is_empty());
        }
        let again = send().await;
        assert_eq!(again.status, 201, "{path}: {}", again.text());
        // A repeat goes on with the types of the showings of a copy.
        let before = if path.ends_with("{event}/duplicate/") {
            scene.campus.stored().len()
        } else {
            before
        };
        assert_eq!(scene.campus.stored().len(), before, "{path} was made twice");
        assert_eq!(send().await.created(), again.created(), "{path}");
        assert_eq!(recount(&scene.campus), [""; 0]);
    }
}

// In an earlier version one of eight requests was 429.
// proves X7, X13
#[tokio::test(start_paused = true)]
async fn thirty_two_concurrent_officers_are_all_served() {
    let busy = Arc::new(AtomicUsize::new(0));
    let hook = move |call: Call| {
        let busy = busy.clone();
        let work = async move {
            if call.operation != "TransactWriteItems" {
                tokio::time::sleep(Duration::from_millis(8)).await;
                return None;
            }
            // As in DynamoDB, only one transaction at a time can change an item.
            if busy.swap(1, Ordering::SeqCst) == 1 {
                let reasons = json!([{ "Code": "TransactionConflict" }, { "Code": "None" }]);
                let body = json!({
                    "__type": "TransactionCanceledException",
                    "CancellationReasons": reasons,
                });
                return Some(Reply::Response(400, body.to_string()));
            }
            tokio::time::sleep(Duration::from_millis(8)).await;
            let reply = call.apply(&call.body);
            busy.store(0, Ordering::SeqCst);
            Some(reply)
        };
        Box::pin(work) as futures::future::BoxFuture<'static, Option<Reply>>
    };
    let campus = Setup::default().hook(Arc::new(hook)).build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let event = ada
        .post("/api/clubs/chess/events/", json!({ "name": "Evening" }))
        .await
        .created();
    let path = format!("/api/clubs/chess/events/{}/showings/", id(&event));
    let body = json!({ "start_time": hours(5), "end_time": hours(6) });
    let answers = futures::future::join_all((0..32).map(|_| ada.post(&path, body.clone()))).await;
    let statuses: Vec<u16> = answers
        .iter()
        .map(|response| response.status.as_u16())
        .collect();
    assert!(statuses.iter().all(|status| *status == 201), "{statuses:?}");
    assert_eq!(ada.get(&path).await.ok().as_array().map(Vec::len), Some(32));
}

// The questions of a copy are stored before the copy itself. A repeat must not overwrite questions
// that were changed since.
// proves X5, X8
#[tokio::test(start_paused = true)]
async fn a_repeated_copy_does_not_undo_what_was_changed_since() {
    let (setup, silent) = silent();
    let campus = setup.build();
    let recruitment = campus.recruitment("chess").await;
    let ada = recruitment.officer.clone().header("idempotency-key", "k");
    let path = format!("{}duplicate/", recruitment.path);
    silent.store(2, Ordering::SeqCst);
    let lost = ada.post(&path, Value::Null).await;
    silent.store(0, Ordering::SeqCst);
    assert!(matches!(lost.status.as_u16(), 201 | 500), "{}", lost.text());
    let all = recruitment
        .officer
        .get("/api/clubs/chess/applications/")
        .await
        .ok();
    let copy = all
        .as_array()
        .and_then(|all| {
            all.iter()
                .find(|one| one["id"] != recruitment.application["id"])
        })
        .cloned()
        .expect("a copy");
    let question = format!(
        "/api/clubs/chess/applications/{}/questions/{}/",
        id(&copy),
        id(&copy["questions"][0])
    );
    recruitment
        .officer
        .patch(&question, json!({ "prompt": "Changed" }))
        .await
        .ok();
    let again = ada.post(&path, Value::Null).await.created();
    assert_eq!(
        (&again["id"], &again["questions"][0]["prompt"]),
        (&copy["id"], &json!("Changed"))
    );
}

/// A campus whose table allows as many writes as the counter says and throttles all others.
/// `usize::MAX` means no limit.
fn throttled_after_one() -> (TestCampus, Arc<AtomicUsize>) {
    let writes_left = Arc::new(AtomicUsize::new(usize::MAX));
    let left = writes_left.clone();
    let hook = move |call: Call| {
        let is_write = writes(&call.operation) || call.operation == "BatchWriteItem";
        let count = |left: usize| {
            if left == usize::MAX || !is_write {
                None
            } else {
                Some(left.saturating_sub(1))
            }
        };
        let throttled = left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, count)
            .is_ok_and(|before| before == 0);
        let response = json!({ "__type": "ProvisionedThroughputExceededException" }).to_string();
        let work = async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            throttled.then_some(Reply::Response(400, response))
        };
        Box::pin(work) as futures::future::BoxFuture<'static, Option<Reply>>
    };
    (Setup::default().hook(Arc::new(hook)).build(), writes_left)
}

// 429 means that nothing was stored. After the first of several steps that is no longer true.
// proves H7, P17, X12, X15
#[tokio::test(start_paused = true)]
async fn throttled_later_step_is_not_reported_as_busy() {
    let requests = [
        (
            4,
            "/api/clubs/{club}/applications/{application}/?force=true",
        ),
        (4, "/api/settings/?archive=true"),
    ];
    for (caller, path) in requests {
        let (campus, writes_left) = throttled_after_one();
        let scene = Scene::on(campus).await;
        let client = &scene.callers[caller];
        client.get("/api/settings/").await.ok();
        writes_left.store(0, Ordering::SeqCst);
        let outcome = async || {
            let response = client.delete(&scene.path(path)).await;
            (
                response.status.as_u16(),
                response.json()["code"].as_str().map(str::to_owned),
            )
        };
        assert_eq!(
            outcome().await,
            (429, Some("busy".to_owned())),
            "{path}: nothing is stored yet"
        );
        writes_left.store(1, Ordering::SeqCst);
        assert_eq!(
            outcome().await,
            (500, Some("outcome_unknown".to_owned())),
            "{path}"
        );
        writes_left.store(usize::MAX, Ordering::SeqCst);
        let done = client.delete(&scene.path(path)).await;
        assert!(done.status.is_success(), "{path}: {}", done.text());
        assert_eq!(recount(&scene.campus), [""; 0], "{path}");
    }
}
