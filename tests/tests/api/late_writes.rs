//! Writes that reach the table seconds late, after their opposite, and an index that is behind

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use local::engine::{Call, Reply};
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::pairs::{PAIRS, Scene};
use tests::{Setup, TestCampus};

/// The writes that were held back.
#[derive(Clone, Default)]
pub struct Late {
    /// How many writes pass before one is held back.
    passing: Arc<AtomicUsize>,
    /// How many writes are still to be held back.
    left: Arc<AtomicUsize>,
    delayed: Arc<Mutex<Vec<Call>>>,
}

impl Late {
    /// A campus on which the first attempt of a write can be held back. Its caller gets a broken
    /// connection, and tries again.
    pub fn campus(&self) -> TestCampus {
        let late = self.clone();
        let hook = move |call: Call| {
            let is_write = ["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"]
                .contains(&call.operation.as_str());
            let one_less = |left: usize| left.checked_sub(1);
            let passes = |late: &Self| {
                late.passing
                    .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less)
                    .is_ok()
            };
            let is_delayed = is_write
                && late.left.load(Ordering::SeqCst) > 0
                && !passes(&late)
                && late
                    .left
                    .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less)
                    .is_ok();
            if is_delayed {
                late.delayed.lock().expect("a lock").push(call);
            }
            Box::pin(async move { is_delayed.then_some(Reply::Broken) }) as _
        };
        Setup::default().hook(Arc::new(hook)).build()
    }

    /// Holds back the first attempt of `n` writes, after some others.
    pub fn hold(&self, passing: usize, n: usize) {
        self.passing.store(passing, Ordering::SeqCst);
        self.left.store(n, Ordering::SeqCst);
    }

    /// Lets the writes reach the table now.
    pub fn arrive(&self) -> usize {
        self.left.store(0, Ordering::SeqCst);
        let delayed = std::mem::take(&mut *self.delayed.lock().expect("a lock"));
        for call in &delayed {
            call.apply(&call.body);
        }
        delayed.len()
    }
}

/// Sends the request, then its opposite, and then lets the first attempt of the request arrive.
/// `passing` writes are before it. Returns whether there were more.
async fn pair(name: &str, passing: usize, delayed: usize) -> bool {
    let late = Late::default();
    let campus = late.campus();
    let scene = Scene::new("chess", &campus).await;
    let scene = scene.ready_for(name).await;
    late.hold(passing, delayed);
    scene.play(name, || ()).await;
    let sorted = || {
        let mut stored: Vec<String> = campus.stored().iter().map(Value::to_string).collect();
        stored.sort();
        stored
    };
    let before = sorted();
    let is_late = late.arrive() > 0;
    let changed: Vec<String> = sorted()
        .into_iter()
        .filter(|item| !before.contains(item))
        .collect();
    assert_eq!(changed, [""; 0], "{name}, {delayed} after {passing}");
    is_late
}

// proves X8, X17
#[tokio::test(start_paused = true)]
async fn a_write_that_arrives_after_its_opposite_creates_nothing() {
    for name in PAIRS {
        for delayed in [1, 2] {
            assert!(
                Box::pin(pair(name, 0, delayed)).await,
                "{name}: nothing was late"
            );
        }
    }
}

// An erasure makes many writes.
// proves X8
#[tokio::test(start_paused = true)]
async fn erasure_writes_spare_returning_person() {
    let name = "withdraw, erase, come back";
    let mut passing = 0;
    while Box::pin(pair(name, passing, 1)).await {
        passing += 1;
    }
    assert!(passing > 8, "{passing} writes");
}

/// The answers of the index to its queries, as they were when they were first given.
type Old = Arc<Mutex<Option<std::collections::HashMap<Vec<u8>, Reply>>>>;

// The index shows a role that was given up a moment ago.
// proves P17
#[tokio::test(start_paused = true)]
async fn an_erasure_archives_no_club_that_the_person_has_left() {
    let old = Old::default();
    let kept = old.clone();
    let hook = move |call: Call| {
        let is_index =
            call.operation == "Query" && String::from_utf8_lossy(&call.body).contains("gsi1");
        let mut kept = kept.lock().expect("a lock");
        let reply = kept.as_mut().filter(|_| is_index).map(|kept| {
            kept.entry(call.body.clone())
                .or_insert_with(|| call.apply(&call.body))
                .clone()
        });
        Box::pin(async move { reply }) as _
    };
    let campus = Setup::default().hook(Arc::new(hook)).build();
    let (ada, bob) = (campus.as_("ada"), campus.as_("bob"));
    campus.club("chess", &ada).await;
    campus.member("chess", &ada, "bob", 0).await;
    ada.delete("/api/clubs/chess/members/bob/")
        .await
        .no_content();
    *old.lock().expect("a lock") = Some(std::collections::HashMap::new());
    // From now on the index shows Ada as the only owner.
    assert_eq!(
        ada.delete("/api/settings/").await.json()["code"],
        "last_owner"
    );
    campus.member("chess", &ada, "bob", 0).await;
    bob.delete("/api/clubs/chess/members/ada/")
        .await
        .no_content();
    ada.delete("/api/settings/?archive=true").await.accepted();
    let stored = campus.stored();
    let club = stored.iter().find(|item| item["type"]["S"] == "Club");
    assert_eq!(
        club.map(|club| &club["archived"]["BOOL"]),
        Some(&json!(false))
    );
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
        let response = json!({ "Items": [], "Count": 0, "ScannedCount": 0 });
        Box::pin(async move { hidden.then(|| Reply::Response(200, response.to_string())) }) as _
    };
    (Setup::default().hook(Arc::new(hook)).build(), behind)
}

// proves S16
#[tokio::test]
async fn fresh_submission_is_found_behind_a_stale_index() {
    let (campus, behind) = behind();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    behind.store(usize::MAX, Ordering::SeqCst);
    let sent = recruitment.submit(&sue).await;
    assert_eq!(sue.get("/api/submissions/").await.ok()[0]["id"], sent["id"]);
    assert_eq!(recruitment.own(&sue, &sent).await["id"], sent["id"]);
    let open = sue.get("/api/applications/open/").await.ok();
    assert_eq!(open[0]["submissions"][0]["id"], sent["id"]);
    let path = format!("/api/submissions/{}/", id(&sent));
    campus.as_("bob").get(&path).await.error(404);
    sue.delete(&path).await.no_content();
    // A repeat, as after a process that died, is done too.
    sue.delete(&path).await.no_content();
    assert_eq!(sue.get("/api/submissions/").await.ok(), json!([]));
}

// proves P17
#[tokio::test(start_paused = true)]
async fn an_erasure_looks_again_for_what_the_index_hid() {
    let (campus, behind) = behind();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    let draft =
        json!({ "responses": [{ "question": recruitment.question, "text": "I", "version": 0 }] });
    sue.patch(&format!("{}draft/", recruitment.path), draft)
        .await
        .ok();
    sue.post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    // The index shows nothing of what was written before.
    behind.store(usize::MAX, Ordering::SeqCst);
    campus.erase(&sue).await;
    behind.store(0, Ordering::SeqCst);
    let left = || {
        let is_left = |item: &Value| {
            item.to_string().contains("sue@uni.example") || item["type"]["S"] == "Draft"
        };
        campus.stored().into_iter().filter(is_left).count()
    };
    assert_eq!(left(), 2);
    campus.advance(TimeDelta::hours(1));
    campus.tick().await;
    assert_eq!(left(), 0);
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
