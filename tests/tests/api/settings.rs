//! `/settings/`

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;

#[tokio::test]
async fn the_profile_comes_from_the_token_and_from_its_person() {
    let campus = TestCampus::new();
    let sue = campus.client(&json!({ "email": "sue@uni.example", "name": "Sue Ellen Storm" }), "sue");
    let profile = sue.get("/api/settings/").await.ok();
    assert_eq!(
        profile,
        json!({ "id": profile["id"], "username": "sue", "name": "Sue Ellen Storm", "first_name": "Sue", "last_name": "Ellen Storm",
            "email": "sue@uni.example", "graduation_year": null, "school": [], "major": [], "image_url": null, "is_admin": false })
    );
    let changed = sue.patch("/api/settings/", json!({ "graduation_year": 2027, "email": "x@y.example", "name": "Other" })).await.ok();
    assert_eq!((&changed["graduation_year"], &changed["email"], &changed["name"]), (&json!(2027), &profile["email"], &profile["name"]));
    sue.patch("/api/settings/", json!({ "graduation_year": 1 })).await.invalid(&["graduation_year"]);
    sue.put("/api/settings/", json!({ "graduation_year": null })).await.invalid(&["image_url"]);
    let put = sue.put("/api/settings/", json!({ "graduation_year": null, "image_url": "https://x.example/i.png" })).await.ok();
    assert_eq!((&put["graduation_year"], &put["image_url"]), (&Value::Null, &json!("https://x.example/i.png")));
    assert_eq!(sue.get("/api/settings/").await.ok(), put);
    assert_eq!(campus.admin().get("/api/settings/").await.ok()["is_admin"], true);
}

#[tokio::test]
async fn it_follows_the_claims_of_the_youngest_token() {
    let campus = TestCampus::new();
    let old = campus.as_("sue");
    let id = old.get("/api/settings/").await.ok()["id"].clone();
    campus.advance(TimeDelta::hours(1));
    let new = campus.client(&json!({ "email": "new@uni.example", "name": "New Name" }), "sue");
    let fresh = new.get("/api/settings/").await.ok();
    assert_eq!((&fresh["id"], &fresh["email"], &fresh["name"]), (&id, &json!("new@uni.example"), &json!("New Name")));
    assert_eq!(old.get("/api/settings/").await.ok()["email"], "new@uni.example", "an older token overwrites nothing");
    let silent = campus.client(&json!({}), "sue");
    assert_eq!(silent.get("/api/settings/").await.ok()["email"], "new@uni.example", "an absent claim takes nothing away");
}

#[tokio::test]
async fn a_profile_is_stored_at_the_first_request_of_any_kind() {
    let campus = TestCampus::new();
    campus.as_("sue").get("/api/health/").await.ok();
    let people = campus.stored().into_iter().filter(|item| item["type"]["S"] == "Person").count();
    assert_eq!(people, 1);
}
