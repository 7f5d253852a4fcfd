//! `/clubs/{club}/members/…`, `/memberships/`

use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::id;

#[tokio::test]
async fn members_are_added_listed_and_removed() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let sue = campus.as_("sue");
    let person = id(&sue.get("/api/settings/").await.ok());
    let added = ada.post("/api/clubs/chess/members/", json!({ "person": person, "title": "Treasurer", "role": 10 })).await.created();
    assert_eq!(
        added,
        json!({ "id": added["id"], "person": person, "name": "sue Test", "username": "sue", "email": "sue@uni.example", "role": 10,
            "title": "Treasurer", "description": "", "public": true, "active": true, "image": null })
    );
    ada.post("/api/clubs/chess/members/", json!({ "person": person })).await.invalid(&["person"]);
    ada.post("/api/clubs/chess/members/", json!({ "person": 1 })).await.invalid(&["person"]);
    ada.post("/api/clubs/chess/members/", json!({ "person": person, "role": 5 })).await.invalid(&["role"]);
    let names: Vec<Value> = ada
        .get("/api/clubs/chess/members/")
        .await
        .ok()
        .as_array()
        .map(|all| all.iter().map(|m| m["username"].clone()).collect())
        .unwrap_or_default();
    assert_eq!(names, ["ada", "sue"]);
    assert_eq!(ada.get("/api/clubs/chess/").await.ok()["membership_count"], 2);
    assert_eq!(sue.get("/api/memberships/").await.ok()[0]["role"], 10);
    assert_eq!(ada.get("/api/clubs/chess/members/sue/").await.ok(), added);
    assert_eq!(ada.get(&format!("/api/clubs/chess/members/{}/", id(&added))).await.ok(), added);
    sue.delete("/api/clubs/chess/members/ada/").await.error(403);
    sue.delete(&format!("/api/clubs/chess/members/{}/", id(&added))).await.no_content();
    assert_eq!(ada.get("/api/clubs/chess/").await.ok()["membership_count"], 1);
    assert_eq!(sue.get("/api/memberships/").await.ok(), json!([]));
    assert_eq!(ada.delete("/api/clubs/chess/members/ada/").await.error(400), "A club keeps at least one owner.");
}

#[tokio::test]
async fn a_user_name_may_have_dots() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.member("chess", &ada, "sue.storm", 20).await;
    assert_eq!(ada.get("/api/clubs/chess/members/sue.storm").await.ok(), ada.get("/api/clubs/chess/members/sue.storm/").await.ok());
}

#[tokio::test]
async fn nobody_gives_a_role_above_their_own() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let officer = campus.member("chess", &ada, "olga", 10).await;
    let person = id(&campus.as_("sue").get("/api/settings/").await.ok());
    officer.post("/api/clubs/chess/members/", json!({ "person": person, "role": 0 })).await.error(403);
    officer.post("/api/clubs/chess/members/", json!({ "person": person, "role": 10 })).await.created();
    campus.admin().delete("/api/clubs/chess/members/sue/").await.no_content();
}

#[tokio::test]
async fn members_who_are_not_public_are_anonymous_to_all_but_themselves() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let hidden = campus.client(&json!({ "email": "secret@uni.example", "name": "Secret Name" }), "secretuser");
    let person = id(&hidden.get("/api/settings/").await.ok());
    hidden.patch("/api/settings/", json!({ "image_url": "https://img.example/secret.png" })).await.ok();
    ada.post("/api/clubs/chess/members/", json!({ "person": person, "public": false })).await.created();
    let list = "/api/clubs/chess/members/";
    let bob = campus.as_("bob");
    let text = bob.get(list).await.text();
    assert!(text.contains("Anonymous") && !text.to_lowercase().contains("secret") && !text.contains(&person.to_string()), "{text}");
    assert!(!text.contains("@uni.example"), "addresses are for officers");
    bob.get("/api/clubs/chess/members/secretuser/").await.error(404);
    let hidden_id = id(&ada.get("/api/clubs/chess/members/secretuser/").await.ok());
    assert!(!text.contains(&hidden_id.to_string()), "{text}");
    bob.get(&format!("/api/clubs/chess/members/{hidden_id}/")).await.error(404);
    let officers = ada.get(list).await.ok();
    assert_eq!((&officers[1]["name"], &officers[1]["username"], &officers[1]["image"]), (&json!("Anonymous"), &Value::Null, &Value::Null));
    assert_eq!((&officers[1]["person"], &officers[1]["email"]), (&json!(person), &json!("secret@uni.example")));
    let own = hidden.get("/api/clubs/chess/members/secretuser/").await.ok();
    assert_eq!(
        (&own["name"], &own["email"], &own["image"]),
        (&json!("Secret Name"), &Value::Null, &json!("https://img.example/secret.png"))
    );
}

#[tokio::test]
async fn the_member_list_comes_in_slices_too() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for n in 0..4 {
        campus.member("chess", &ada, &format!("m{n}"), 20).await;
    }
    let whole = ada.get("/api/clubs/chess/members/").await.ok();
    let first = ada.get("/api/clubs/chess/members/?limit=3").await;
    let link = first.header("link").trim_start_matches('<').split('>').next().unwrap_or_default().to_owned();
    let mut all = first.ok().as_array().cloned().unwrap_or_default();
    assert_eq!(all.len(), 3);
    let rest = ada.get(&link).await;
    assert_eq!(rest.header("link"), "");
    all.extend(rest.ok().as_array().cloned().unwrap_or_default());
    assert_eq!(Value::Array(all), whole);
}
