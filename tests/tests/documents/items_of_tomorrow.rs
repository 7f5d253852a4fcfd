//! What this release does with items of a later one, which runs on the same table during a
//! deployment: an attribute, a value of an enumeration, and a type that it does not know.

use std::collections::{BTreeMap, BTreeSet};

use local::engine::Engine;
use serde_json::{Value, json};
use tests::TestCampus;

use crate::table::one_of_everything;

/// Lists and exports that read many types. The recruitment of the table has the only application.
const LISTS: [&str; 22] = [
    "clubs/",
    "clubs/chess/members/",
    "clubs/chess/invites/",
    "clubs/chess/joinlinks/",
    "clubs/chess/membershiprequests/",
    "clubs/chess/events/",
    "clubs/chess/applications/",
    "{recruitment}questions/",
    "{recruitment}extensions/",
    "{recruitment}submissions/",
    "{recruitment}reviewers/",
    "events/",
    "clubfairs/",
    "tags/",
    "badges/",
    "schools/",
    "majors/",
    "years/",
    "favorites/",
    "home/",
    "settings/",
    "settings/export/",
];

/// Attributes that are no fields.
const KEYS: [&str; 7] = ["pk", "sk", "type", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk"];

fn put(engine: &Engine, item: &Value) {
    let body = json!({ "TableName": local::table::TABLE, "Item": item });
    engine.json("PutItem", &body).expect("an item");
}

/// Reads all lists as an officer and as a student. Returns those that fail.
async fn failing(campus: &TestCampus) -> BTreeSet<String> {
    let mut failing = BTreeSet::new();
    let officer = campus.as_("ada");
    let applications = officer.get("/api/clubs/chess/applications/").await.json();
    let application = applications[0]["id"].as_u64();
    let recruitment = application.map(|id| format!("clubs/chess/applications/{id}/"));
    for list in LISTS {
        let path = match &recruitment {
            Some(recruitment) => list.replace("{recruitment}", recruitment),
            None if list.contains("{recruitment}") => continue,
            None => list.to_owned(),
        };
        for client in [&officer, &campus.as_("sue")] {
            let response = client.get(&format!("/api/{path}")).await;
            if response.status.as_u16() >= 500 {
                failing.insert(list.to_owned());
            }
        }
    }
    failing
}

#[tokio::test(start_paused = true)]
async fn an_item_with_an_unknown_attribute_is_read_without_it() {
    let campus = one_of_everything().await;
    let before = campus.stored();
    for item in &before {
        let mut new = item.clone();
        new["of_tomorrow"] = json!({ "M": { "value": { "S": "unknown" } } });
        assert_eq!(admin::item_error(&new), None, "{}", item["type"]["S"]);
        put(&campus.campus.engine, &new);
    }
    assert_eq!(failing(&campus).await, BTreeSet::new());
}

#[tokio::test(start_paused = true)]
async fn an_item_of_an_unknown_type_changes_no_list() {
    let campus = one_of_everything().await;
    for item in campus.stored() {
        let mut new = item.clone();
        new["type"]["S"] = json!("OfTomorrow");
        let sort_key = item["sk"]["S"].as_str().unwrap_or_default();
        new["sk"]["S"] = json!(format!("{sort_key}#OF-TOMORROW"));
        put(&campus.campus.engine, &new);
    }
    assert_eq!(failing(&campus).await, BTreeSet::new());
}

#[tokio::test(start_paused = true)]
async fn item_with_unknown_value_is_left_out_and_kept() {
    let campus = one_of_everything().await;
    // One item of each type, with a value that this release cannot read.
    let mut unreadable: BTreeMap<String, Value> = BTreeMap::new();
    for item in campus.stored() {
        let attributes = item.as_object().expect("an item");
        for name in attributes
            .keys()
            .filter(|name| !KEYS.contains(&name.as_str()))
        {
            let mut new = item.clone();
            if let Some(number) = new[name].get_mut("N") {
                *number = json!("200");
            } else if let Some(text) = new[name].get_mut("S") {
                *text = json!("of tomorrow");
            }
            if new != item && admin::item_error(&new).is_some() {
                let kind = item["type"]["S"].as_str().unwrap_or_default();
                unreadable.insert(kind.to_owned(), new);
            }
        }
    }
    assert!(unreadable.len() > 25, "only {:?}", unreadable.keys());
    let mut all = BTreeSet::new();
    for (kind, item) in &unreadable {
        let key = json!({ "pk": item["pk"], "sk": item["sk"] });
        let body = json!({ "TableName": local::table::TABLE, "Key": key });
        let engine = &campus.campus.engine;
        let before = engine.json("GetItem", &body).expect("an item")["Item"].clone();
        put(engine, item);
        // Forgets what is in memory.
        let fresh = campus.another();
        for list in failing(&fresh).await {
            all.insert(format!("{kind}: {list}"));
        }
        let after = &engine.json("GetItem", &body).expect("an item")["Item"];
        assert_eq!(after, item, "it was written over");
        put(engine, &before);
    }
    assert_eq!(all, BTreeSet::new());
}
