//! A copy of an application whose process dies leaves questions without an application.

use std::sync::{Arc, Mutex, OnceLock};

use local::engine::{Call, Engine, Reply};
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::{Setup, TestCampus};

use crate::audit::repair;

/// What happens instead of the write that stores the application.
type Instead = Box<dyn FnOnce(&Engine) -> Option<Reply> + Send>;

/// A campus on which the next application that is stored meets `instead`.
fn campus() -> (TestCampus, Arc<Mutex<Option<Instead>>>) {
    let instead: Arc<Mutex<Option<Instead>>> = Arc::default();
    let engine: Arc<OnceLock<Engine>> = Arc::default();
    let (armed, existing) = (instead.clone(), engine.clone());
    let hook = move |call: Call| {
        let is_application = String::from_utf8_lossy(&call.body).contains("\"windows\"");
        let instead = is_application
            .then(|| armed.lock().expect("a lock").take())
            .flatten();
        let reply = instead.and_then(|instead| instead(existing.get()?));
        Box::pin(async move { reply }) as _
    };
    let campus = Setup::default().hook(Arc::new(hook)).build();
    let _ = engine.set(campus.campus.engine.clone());
    (campus, instead)
}

fn questions(items: &[Value]) -> usize {
    let kinds = ["Question", "Prompt"];
    let is_one = |item: &&Value| kinds.contains(&item["type"]["S"].as_str().unwrap_or_default());
    items.iter().filter(is_one).count()
}

// proves O6
#[tokio::test(start_paused = true)]
async fn an_interrupted_copy_is_found_and_repaired() {
    let (campus, instead) = campus();
    let recruitment = campus.recruitment("chess").await;
    let whole = campus.stored();
    let copy = format!("{}duplicate/", recruitment.path);
    let refused = json!({ "__type": "x#AccessDeniedException", "message": "the process dies" });
    let dies: Instead = Box::new(move |_| Some(Reply::Response(400, refused.to_string())));
    *instead.lock().expect("a lock") = Some(dies);
    recruitment.officer.post(&copy, json!({})).await.error(500);

    let half = campus.stored();
    assert_eq!(questions(&half), questions(&whole) + 2);
    // It is shown nowhere.
    let list = format!("/api/clubs/{}/applications/", recruitment.club);
    assert_eq!(
        recruitment
            .officer
            .get(&list)
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    let done = repair(&campus, &half, &half).await;
    assert!(done.len() == 1 && done[0].1, "{done:?}");
    assert_eq!(questions(&campus.stored()), questions(&whole));
    let now = campus.stored();
    assert_eq!(repair(&campus, &now, &now).await, []);
}

// proves O6
#[tokio::test(start_paused = true)]
async fn running_duplication_is_not_repaired_and_a_repaired_one_stops() {
    let (campus, instead) = campus();
    let recruitment = campus.recruitment("chess").await;
    let copy = format!("{}duplicate/", recruitment.path);
    // The scan was before the application of the copy.
    let seen = Arc::new(Mutex::new(Vec::new()));
    let scan = seen.clone();
    *instead.lock().expect("a lock") = Some(Box::new(move |engine| {
        let all = engine.json("Scan", &json!({ "TableName": local::table::TABLE }));
        let items = all.expect("items")["Items"].as_array().cloned();
        scan.lock()
            .expect("a lock")
            .extend(items.unwrap_or_default());
        None
    }));
    let made = recruitment.officer.post(&copy, json!({})).await.created();
    let before = seen.lock().expect("a lock").clone();
    let now = campus.stored();
    let done = repair(&campus, &before, &before).await;
    assert!(done.len() == 1 && !done[0].1, "{done:?}");
    assert!(campus.stored() == now, "the table is not as it was");

    // It is repaired before its application is stored: the repair notes the application as deleted.
    let path = format!(
        "/api/clubs/{}/applications/{}/",
        recruitment.club,
        id(&made)
    );
    recruitment.officer.delete(&path).await.no_content();
    let stored = campus.stored();
    let mut all = stored.iter();
    let deleted = all.find(|item| item["type"]["S"] == "DeletedApplication");
    let deleted = deleted.expect("a deleted application").to_string();
    let old = id(&made);
    *instead.lock().expect("a lock") = Some(Box::new(move |engine| {
        let all = engine.json("Scan", &json!({ "TableName": local::table::TABLE }));
        let items = all.expect("items")["Items"].as_array().cloned()?;
        let of = |kind: &'static str| items.iter().filter(move |item| item["type"]["S"] == kind);
        let applications: Vec<&Value> = of("Application").map(|head| &head["id"]).collect();
        let orphan = of("Question").find(|item| !applications.contains(&&item["application"]))?;
        let new: u64 = orphan["application"]["N"].as_str()?.parse().ok()?;
        let noted = deleted
            .replace(&format!("{old:016}"), &format!("{new:016}"))
            .replace(&old.to_string(), &new.to_string());
        let item: Value = serde_json::from_str(&noted).ok()?;
        let put = json!({ "TableName": local::table::TABLE, "Item": item });
        engine.json("PutItem", &put).expect("a write");
        None
    }));
    let late = recruitment.officer.post(&copy, json!({})).await;
    assert!(!late.status.is_success(), "{}", late.text());
    let list = format!("/api/clubs/{}/applications/", recruitment.club);
    let list = recruitment.officer.get(&list).await.ok();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
}
