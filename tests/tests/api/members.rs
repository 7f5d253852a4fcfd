//! `/clubs/{club}/members/…`, `/memberships/`

use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::id;

// proves C9, M1, M4, M9, M10, M11
#[tokio::test]
async fn members_are_added_listed_and_removed() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let sue = campus.as_("sue");
    let person = id(&sue.get("/api/settings/").await.ok());
    let added = ada
        .post(
            "/api/clubs/chess/members/",
            json!({ "person": person, "title": "Treasurer", "role": 10 }),
        )
        .await
        .created();
    assert_eq!(
        added,
        json!({
            "id": added["id"],
            "person": person,
            "name": "sue Test",
            "username": "sue",
            "email": "sue@uni.example",
            "role": 10,
            "title": "Treasurer",
            "description": "",
            "public": true,
            "active": true,
            "image": null,
            "confirmed": false,
            "undelivered": null,
        })
    );
    ada.post("/api/clubs/chess/members/", json!({ "person": person }))
        .await
        .invalid(&["person"]);
    ada.post("/api/clubs/chess/members/", json!({ "person": 1 }))
        .await
        .invalid(&["person"]);
    ada.post(
        "/api/clubs/chess/members/",
        json!({ "person": person, "role": 5 }),
    )
    .await
    .invalid(&["role"]);
    let names: Vec<Value> = ada
        .get("/api/clubs/chess/members/")
        .await
        .ok()
        .as_array()
        .map(|all| all.iter().map(|m| m["username"].clone()).collect())
        .unwrap_or_default();
    assert_eq!(names, ["ada", "sue"]);
    assert_eq!(
        ada.get("/api/clubs/chess/").await.ok()["membership_count"],
        2
    );
    assert_eq!(sue.get("/api/memberships/").await.ok()[0]["role"], 10);
    assert_eq!(ada.get("/api/clubs/chess/members/sue/").await.ok(), added);
    assert_eq!(
        ada.get(&format!("/api/clubs/chess/members/{}/", id(&added)))
            .await
            .ok(),
        added
    );
    sue.delete("/api/clubs/chess/members/ada/").await.error(403);
    sue.delete(&format!("/api/clubs/chess/members/{}/", id(&added)))
        .await
        .no_content();
    assert_eq!(
        ada.get("/api/clubs/chess/").await.ok()["membership_count"],
        1
    );
    assert_eq!(sue.get("/api/memberships/").await.ok(), json!([]));
    assert_eq!(
        ada.delete("/api/clubs/chess/members/ada/").await.error(400),
        "A club needs at least one owner."
    );
}

// proves H1, M10
#[tokio::test]
async fn a_user_name_may_have_dots() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.member("chess", &ada, "sue.storm", 20).await;
    assert_eq!(
        ada.get("/api/clubs/chess/members/sue.storm").await.ok(),
        ada.get("/api/clubs/chess/members/sue.storm/").await.ok()
    );
}

// proves P5, M5
#[tokio::test]
async fn nobody_gives_a_role_above_their_own() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let officer = campus.member("chess", &ada, "olga", 10).await;
    let person = id(&campus.as_("sue").get("/api/settings/").await.ok());
    officer
        .post(
            "/api/clubs/chess/members/",
            json!({ "person": person, "role": 0 }),
        )
        .await
        .error(403);
    officer
        .post(
            "/api/clubs/chess/members/",
            json!({ "person": person, "role": 10 }),
        )
        .await
        .created();
    campus
        .admin()
        .delete("/api/clubs/chess/members/sue/")
        .await
        .no_content();
}

/// The chess club with Ada (owner), Olga and Otto (officers) and Mia and Max (members).
pub(crate) async fn staffed() -> (TestCampus, [tests::Client; 5]) {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let olga = campus.member("chess", &ada, "olga", 10).await;
    let otto = campus.member("chess", &ada, "otto", 10).await;
    let mia = campus.member("chess", &ada, "mia", 20).await;
    let max = campus.member("chess", &ada, "max", 20).await;
    (campus, [ada, olga, otto, mia, max])
}

pub(crate) const MIA: &str = "/api/clubs/chess/members/mia/";

// proves H19, H20, P5, M3, M5, M7, M9
#[tokio::test]
async fn officers_change_members_up_to_their_role() {
    let (campus, [ada, olga, otto, mia, _]) = staffed().await;
    let changed = olga
        .patch(
            MIA,
            json!({
                "title": " Scribe ",
                "description": "Writes\n<b>a lot</b>.",
                "active": false,
                "id": 7,
            }),
        )
        .await
        .ok();
    assert_eq!(
        (
            &changed["title"],
            &changed["description"],
            &changed["active"],
            &changed["email"],
            &changed["username"]
        ),
        (
            &json!("Scribe"),
            &json!("Writes\n<b>a lot</b>."),
            &json!(false),
            &json!("mia@uni.example"),
            &json!("mia")
        )
    );
    assert_eq!(ada.get(MIA).await.ok(), changed);
    assert_eq!(
        olga.patch(MIA, json!({ "role": 10 })).await.ok()["role"],
        10
    );
    olga.patch(MIA, json!({ "role": 0 })).await.error(403);
    otto.patch(
        "/api/clubs/chess/members/olga/",
        json!({ "title": "x", "role": 20 }),
    )
    .await
    .ok();
    olga.patch(MIA, json!({ "title": "x" })).await.error(403);
    for body in [
        json!({ "title": "x" }),
        json!({ "role": 20 }),
        json!({ "active": false }),
        json!({}),
    ] {
        otto.patch("/api/clubs/chess/members/ada/", body)
            .await
            .error(403);
    }
    otto.delete("/api/clubs/chess/members/ada/")
        .await
        .error(403);
    // Owners and admins may change every member, and an officer may lower the own role.
    assert_eq!(ada.patch(MIA, json!({ "role": 0 })).await.ok()["role"], 0);
    mia.patch("/api/clubs/chess/members/ada/", json!({ "role": 20 }))
        .await
        .ok();
    campus
        .admin()
        .patch("/api/clubs/chess/members/ada/", json!({ "role": 0 }))
        .await
        .ok();
    assert_eq!(
        otto.patch("/api/clubs/chess/members/otto/", json!({ "role": 20 }))
            .await
            .ok()["email"],
        Value::Null
    );
    otto.patch("/api/clubs/chess/members/otto/", json!({ "role": 10 }))
        .await
        .error(403);
    assert_eq!(tests::recount::recount(&campus), [""; 0]);
}

// proves M7, M8
#[tokio::test]
async fn members_change_their_own_public_and_active_only() {
    let (_campus, [ada, olga, _, mia, max]) = staffed().await;
    let own = mia
        .patch(MIA, json!({ "public": false, "active": false }))
        .await
        .ok();
    assert_eq!(
        (&own["public"], &own["active"], &own["name"], &own["email"]),
        (
            &json!(false),
            &json!(false),
            &json!("mia Test"),
            &Value::Null
        )
    );
    for field in ["role", "title", "description"] {
        mia.patch(MIA, json!({ field: own[field] }))
            .await
            .error(403);
    }
    max.patch(MIA, json!({ "active": true })).await.error(403);
    max.patch("/api/clubs/chess/members/nobody/", json!({}))
        .await
        .error(403);
    olga.patch("/api/clubs/chess/members/nobody/", json!({}))
        .await
        .error(404);
    // Only the member may make a hidden membership public.
    for client in [&olga, &ada] {
        client
            .patch(MIA, json!({ "public": true }))
            .await
            .error(403);
        client
            .patch(MIA, json!({ "public": false, "active": true }))
            .await
            .ok();
    }
    mia.patch(MIA, json!({ "public": true })).await.ok();
    assert_eq!(
        olga.patch(MIA, json!({ "public": false })).await.ok()["name"],
        "Anonymous"
    );
}

// proves H8, H13, H16, H20
#[tokio::test]
async fn wrong_fields_of_members_are_named() {
    let (_campus, [ada, _, _, mia, _]) = staffed().await;
    let wrong = json!({
        "role": 5,
        "title": "a\nb",
        "description": "x".repeat(1_001),
        "public": "yes",
        "active": null,
    });
    ada.patch(MIA, wrong)
        .await
        .invalid(&["active", "description", "public", "role", "title"]);
    ada.put(MIA, json!({ "role": 20 })).await.invalid(&[
        "active",
        "description",
        "public",
        "title",
    ]);
    mia.put(MIA, json!({})).await.invalid(&["active", "public"]);
    mia.put(MIA, json!({ "public": true, "active": false }))
        .await
        .ok();
    ada.patch(MIA, json!({ "description": "é".repeat(1_000) }))
        .await
        .ok();
    let got = ada.get(MIA).await.ok();
    assert_eq!(
        ada.put(MIA, got.clone()).await.ok(),
        got,
        "PUT accepts what GET returned"
    );
    ada.post(
        "/api/clubs/chess/members/",
        json!({ "person": 1, "title": "x".repeat(256) }),
    )
    .await
    .invalid(&["title"]);
}

// proves M9
#[tokio::test]
async fn a_club_keeps_an_owner() {
    let (campus, [ada, _, _, mia, _]) = staffed().await;
    let ada_path = "/api/clubs/chess/members/ada/";
    let detail = "A club needs at least one owner.";
    assert_eq!(
        ada.patch(ada_path, json!({ "role": 10 })).await.error(400),
        detail
    );
    assert_eq!(
        campus
            .admin()
            .patch(ada_path, json!({ "role": 20 }))
            .await
            .error(400),
        detail
    );
    assert_eq!(campus.admin().delete(ada_path).await.error(400), detail);
    ada.patch(MIA, json!({ "role": 0 })).await.ok();
    ada.patch(ada_path, json!({ "role": 10 })).await.ok();
    assert_eq!(mia.delete(MIA).await.error(400), detail);
    assert_eq!(tests::recount::recount(&campus), [""; 0]);
}
