//! Writes that reach the table seconds late, after their opposite, and an index that is behind
//!
//! Proves P17, S16, X8, X17.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::http::Method;
use local::engine::{Call, Reply};
use serde_json::{Value, json};
use tests::fixtures::{Recruitment, application, hours, id};
use tests::{Client, Setup, TestCampus};

/// The writes that were held back.
#[derive(Clone, Default)]
struct Late {
    /// How many writes are still to be held back.
    left: Arc<AtomicUsize>,
    held: Arc<Mutex<Vec<Call>>>,
}

impl Late {
    /// A campus on which the first attempt of a write can be held back. Its caller gets a broken
    /// connection, and tries again.
    fn campus(&self) -> TestCampus {
        let late = self.clone();
        let hook = move |call: Call| {
            let is_write = ["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"]
                .contains(&call.operation.as_str());
            let one_less = |left: usize| left.checked_sub(1);
            let is_held = is_write
                && late
                    .left
                    .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less)
                    .is_ok();
            if is_held {
                late.held.lock().expect("a lock").push(call);
            }
            Box::pin(async move { is_held.then_some(Reply::Broken) }) as _
        };
        Setup::default().hook(Arc::new(hook)).build()
    }

    /// Holds back the first attempt of the next `n` writes.
    fn hold(&self, n: usize) {
        self.left.store(n, Ordering::SeqCst);
    }

    /// Lets the writes reach the table now.
    fn arrive(&self) -> usize {
        self.left.store(0, Ordering::SeqCst);
        let held = std::mem::take(&mut *self.held.lock().expect("a lock"));
        for call in &held {
            call.apply(&call.body);
        }
        held.len()
    }
}

struct Scene {
    campus: TestCampus,
    drive: Recruitment,
    sue: Client,
}

impl Scene {
    async fn new(late: &Late) -> Self {
        let campus = late.campus();
        let drive = campus.drive("chess").await;
        let sue = campus.as_("sue");
        sue.get("/api/settings/").await.ok();
        Self { campus, drive, sue }
    }

    async fn person(&self) -> u64 {
        id(&self.sue.get("/api/settings/").await.ok())
    }
}

/// Calls a request that must succeed, and returns the path of what it created.
async fn done(client: &Client, method: &str, path: &str, body: Value) -> String {
    let method = Method::from_bytes(method.as_bytes()).expect("a method");
    let body = Some(body).filter(|body| !body.is_null());
    let answer = client.send(method, path, body).await;
    assert!(
        answer.status.is_success(),
        "{path}: {} {}",
        answer.status,
        answer.text()
    );
    answer.header("location").to_owned()
}

/// Sends the request, then its opposite, and then lets the first attempt of the request arrive.
async fn pair(name: &str, held: usize) {
    let late = Late::default();
    let scene = Scene::new(&late).await;
    let (ada, sue, path) = (&scene.drive.officer, &scene.sue, &scene.drive.path);
    let (submissions, draft) = (format!("{path}submissions/"), format!("{path}draft/"));
    let answer = json!({ "responses": [{ "question": scene.drive.question, "text": "I",
        "version": 0 }] });
    let person = scene.person().await;
    let extension = json!({ "person": person, "end_time": hours(30) });
    let extensions = format!("{path}extensions/");
    let force = format!("{path}?force=true");
    let null = Value::Null;
    let club = json!({ "club": "chess" });
    late.hold(held);
    match name {
        "submit, delete the application" => {
            done(sue, "POST", &submissions, scene.drive.answer("x")).await;
            done(ada, "DELETE", &force, null).await;
        }
        "submit, erase" => {
            done(sue, "POST", &submissions, scene.drive.answer("x")).await;
            done(sue, "DELETE", "/api/settings/", null).await;
        }
        "draft, delete the application" => {
            done(sue, "PATCH", &draft, answer).await;
            done(ada, "DELETE", &force, null).await;
        }
        "draft, erase" => {
            done(sue, "PATCH", &draft, answer).await;
            done(sue, "DELETE", "/api/settings/", null).await;
        }
        "draft, delete the draft" => {
            done(sue, "PATCH", &draft, answer).await;
            done(sue, "DELETE", &draft, null).await;
        }
        "extension, delete it" => {
            let made = done(ada, "POST", &extensions, extension).await;
            done(ada, "DELETE", &made, null).await;
        }
        "extension, erase" => {
            done(ada, "POST", &extensions, extension).await;
            done(sue, "DELETE", "/api/settings/", null).await;
        }
        "copy, change its question" => {
            let copy = done(ada, "POST", &format!("{path}duplicate/"), Value::Null).await;
            let question = id(&ada.get(&copy).await.ok()["questions"][0]);
            let question = format!("{copy}questions/{question}/");
            done(ada, "PATCH", &question, json!({ "prompt": "Changed" })).await;
        }
        "copy, delete it" => {
            let copy = done(ada, "POST", &format!("{path}duplicate/"), Value::Null).await;
            done(ada, "DELETE", &copy, null).await;
        }
        "application, delete it" => {
            let new = application("New");
            let made = done(ada, "POST", "/api/clubs/chess/applications/", new).await;
            done(ada, "DELETE", &made, null).await;
        }
        "erase, come back" => {
            done(sue, "DELETE", "/api/settings/", null).await;
            sue.get("/api/settings/").await.ok();
            done(sue, "POST", &submissions, scene.drive.answer("x")).await;
        }
        "favorite, remove it" => {
            let made = done(sue, "POST", "/api/favorites/", club).await;
            done(sue, "DELETE", &made, null).await;
        }
        "request, withdraw it" => {
            let made = done(sue, "POST", "/api/requests/membership/", club).await;
            done(sue, "DELETE", &made, null).await;
        }
        "member, remove it" => {
            let body = json!({ "person": person });
            let made = done(ada, "POST", "/api/clubs/chess/members/", body).await;
            done(ada, "DELETE", &made, null).await;
        }
        "event, delete it" => {
            let body = json!({ "name": "Evening", "description": "word ".repeat(1_500) });
            let made = done(ada, "POST", "/api/clubs/chess/events/", body).await;
            done(ada, "DELETE", &made, null).await;
        }
        "join link, delete it" => {
            let made = done(ada, "POST", "/api/clubs/chess/joinlinks/", json!({})).await;
            done(ada, "DELETE", &made, null).await;
        }
        other => panic!("{other}"),
    }
    let sorted = || {
        let mut stored: Vec<String> = scene.campus.stored().iter().map(Value::to_string).collect();
        stored.sort();
        stored
    };
    let before = sorted();
    assert!(late.arrive() > 0, "{name}: nothing was held back");
    let changed: Vec<String> = sorted()
        .into_iter()
        .filter(|item| !before.contains(item))
        .collect();
    assert_eq!(changed, [""; 0], "{name}, {held} held back");
}

#[tokio::test(start_paused = true)]
async fn a_write_that_arrives_after_its_opposite_creates_nothing() {
    for name in [
        "submit, delete the application",
        "submit, erase",
        "draft, delete the application",
        "draft, erase",
        "draft, delete the draft",
        "extension, delete it",
        "extension, erase",
        "copy, change its question",
        "copy, delete it",
        "application, delete it",
        "erase, come back",
        "favorite, remove it",
        "request, withdraw it",
        "member, remove it",
        "event, delete it",
        "join link, delete it",
    ] {
        for held in [1, 2] {
            Box::pin(pair(name, held)).await;
        }
    }
}

/// A campus whose first index shows nothing new while the value is not 0.
fn behind() -> (TestCampus, Arc<AtomicUsize>) {
    let behind = Arc::new(AtomicUsize::new(0));
    let is_behind = behind.clone();
    let hook = move |call: Call| {
        let body: Value = serde_json::from_slice(&call.body).unwrap_or_default();
        let hidden = call.operation == "Query"
            && body["IndexName"] == "gsi1"
            && is_behind
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                    left.checked_sub(1)
                })
                .is_ok();
        let answer = json!({ "Items": [], "Count": 0, "ScannedCount": 0 });
        Box::pin(async move { hidden.then(|| Reply::Answer(200, answer.to_string())) }) as _
    };
    (Setup::default().hook(Arc::new(hook)).build(), behind)
}

#[tokio::test]
async fn what_was_just_submitted_is_found_although_the_index_is_behind() {
    let (campus, behind) = behind();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    behind.store(usize::MAX, Ordering::SeqCst);
    let sent = drive.submit(&sue).await;
    assert_eq!(sue.get("/api/submissions/").await.ok()[0]["id"], sent["id"]);
    assert_eq!(drive.own(&sue, &sent).await["id"], sent["id"]);
    let open = sue.get("/api/applications/open/").await.ok();
    assert_eq!(open[0]["submissions"][0]["id"], sent["id"]);
    let path = format!("/api/submissions/{}/", id(&sent));
    campus.as_("bob").get(&path).await.error(404);
    sue.delete(&path).await.no_content();
    // A repeat, as after a process that died, is done too.
    sue.delete(&path).await.no_content();
    assert_eq!(sue.get("/api/submissions/").await.ok(), json!([]));
}

#[tokio::test(start_paused = true)]
async fn an_erasure_waits_for_the_index() {
    let (campus, behind) = behind();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    // The first looks at the index show nothing of what was written just before.
    behind.store(4, Ordering::SeqCst);
    let draft = json!({ "responses": [{ "question": drive.question, "text": "I", "version": 0 }] });
    sue.patch(&format!("{}draft/", drive.path), draft)
        .await
        .ok();
    sue.post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    sue.delete("/api/settings/").await.no_content();
    let left: Vec<Value> = campus
        .stored()
        .into_iter()
        .filter(|item| item.to_string().contains("sue@uni.example") || item["type"]["S"] == "Draft")
        .collect();
    assert_eq!(left, Vec::<Value>::new());
    // The only owner of a club is found although the index does not show the membership.
    let bob = campus.as_("bob");
    campus.club("go", &bob).await;
    behind.store(3, Ordering::SeqCst);
    assert_eq!(
        bob.delete("/api/settings/").await.json()["code"],
        "last_owner"
    );
    assert_eq!(bob.get("/api/clubs/go/").await.ok()["is_member"], 0);
}
