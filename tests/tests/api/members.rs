//! `/clubs/{club}/members/…`, `/memberships/`
//!
//! Proves H1, H4, H8, H13, H16, H19, H20, H24, H25, P5, P10, C9, M1, M2, M3, M4, M5, M7, M8, M9,
//! M10, M11.

use serde_json::{Value, json};
use shared::ids::Id;
use tests::TestCampus;
use tests::fixtures::id;

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

#[tokio::test]
async fn members_who_are_not_public_are_anonymous_to_all_but_themselves() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let hidden = campus.client(
        &json!({ "email": "secret@uni.example", "name": "Secret Name" }),
        "secretuser",
    );
    let person = id(&hidden.get("/api/settings/").await.ok());
    hidden
        .patch(
            "/api/settings/",
            json!({ "image_url": "https://img.example/secret.png" }),
        )
        .await
        .ok();
    ada.post(
        "/api/clubs/chess/members/",
        json!({ "person": person, "public": false }),
    )
    .await
    .created();
    let list = "/api/clubs/chess/members/";
    let bob = campus.as_("bob");
    let text = bob.get(list).await.text();
    assert!(
        text.contains("Anonymous")
            && !text.to_lowercase().contains("secret")
            && !text.contains(&person.to_string()),
        "{text}"
    );
    assert!(!text.contains("@uni.example"), "addresses are for officers");
    bob.get("/api/clubs/chess/members/secretuser/")
        .await
        .error(404);
    let hidden_id = id(&ada.get("/api/clubs/chess/members/secretuser/").await.ok());
    assert!(!text.contains(&hidden_id.to_string()), "{text}");
    bob.get(&format!("/api/clubs/chess/members/{hidden_id}/"))
        .await
        .error(404);
    let officers = ada.get(list).await.ok();
    assert_eq!(
        (
            &officers[1]["name"],
            &officers[1]["username"],
            &officers[1]["image"]
        ),
        (&json!("Anonymous"), &Value::Null, &Value::Null)
    );
    assert_eq!(
        (&officers[1]["person"], &officers[1]["email"]),
        (&json!(person), &json!("secret@uni.example"))
    );
    let own = hidden
        .get("/api/clubs/chess/members/secretuser/")
        .await
        .ok();
    assert_eq!(
        (&own["name"], &own["email"], &own["image"]),
        (
            &json!("Secret Name"),
            &Value::Null,
            &json!("https://img.example/secret.png")
        )
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
    let link = first
        .header("link")
        .trim_start_matches('<')
        .split('>')
        .next()
        .unwrap_or_default()
        .to_owned();
    let mut all = first.ok().as_array().cloned().unwrap_or_default();
    assert_eq!(all.len(), 3);
    let rest = ada.get(&link).await;
    assert_eq!(rest.header("link"), "");
    all.extend(rest.ok().as_array().cloned().unwrap_or_default());
    assert_eq!(Value::Array(all), whole);
}

/// The chess club with Ada (owner), Olga and Otto (officers) and Mia and Max (members).
async fn staffed() -> (TestCampus, [tests::Client; 5]) {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let olga = campus.member("chess", &ada, "olga", 10).await;
    let otto = campus.member("chess", &ada, "otto", 10).await;
    let mia = campus.member("chess", &ada, "mia", 20).await;
    let max = campus.member("chess", &ada, "max", 20).await;
    (campus, [ada, olga, otto, mia, max])
}

const MIA: &str = "/api/clubs/chess/members/mia/";

#[tokio::test]
async fn officers_change_members_whose_role_is_not_above_their_own() {
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

#[tokio::test]
async fn members_change_their_own_public_and_active_and_nothing_else() {
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

#[tokio::test]
async fn a_member_is_found_by_number_like_names_too_and_only_in_their_club() {
    let (campus, [ada, ..]) = staffed().await;
    campus.member("chess", &ada, "4711", 20).await;
    for name in ["Sam", "sam"] {
        campus.member("chess", &ada, name, 20).await;
    }
    for name in ["Sam", "sam"] {
        assert_eq!(
            ada.get(&format!("/api/clubs/chess/members/{name}/"))
                .await
                .ok()["username"],
            name
        );
    }
    ada.get("/api/clubs/chess/members/SAM/").await.error(404);
    assert_eq!(
        ada.get("/api/clubs/chess/members/MIA/").await.ok()["username"],
        "mia"
    );
    assert_eq!(
        ada.get("/api/clubs/chess/members/4711/").await.ok()["username"],
        "4711"
    );
    let mia = id(&ada.get(MIA).await.ok());
    campus.club("go", &ada).await;
    ada.get(&format!("/api/clubs/go/members/{mia}/"))
        .await
        .error(404);
    ada.get("/api/clubs/go/members/mia/").await.error(404);
    ada.patch(
        &format!("/api/clubs/go/members/{mia}/"),
        json!({ "title": "x" }),
    )
    .await
    .error(404);
    ada.get(&format!("/api/clubs/chess/members/{}/", "x".repeat(3_000)))
        .await
        .error(404);
}

#[tokio::test]
async fn five_thousand_members_are_one_query() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let model = campus
        .campus
        .app
        .table
        .members(&tests::fixtures::code("chess"))
        .await
        .expect("a table")
        .pop()
        .expect("a member");
    let copy = |n: u64| shared::models::Membership {
        id: Id::new(n),
        person: Id::new(n),
        role: shared::models::Role::Member,
        public: !n.is_multiple_of(5),
        ..model.clone()
    };
    campus
        .campus
        .app
        .table
        .load(&(1..5_000).map(copy).collect::<Vec<_>>())
        .await
        .expect("a table");
    let list = "/api/clubs/chess/members/";
    let answer = ada.get(list).await;
    let size = answer.bytes.len();
    // One call reads the club, one the role. The others read the pages of one query, 1 MB each.
    assert!(answer.usage.calls <= 5, "{:?}", answer.usage);
    assert_eq!(answer.ok().as_array().map(Vec::len), Some(5_000));
    let compressed = ada
        .clone()
        .header("accept-encoding", "gzip")
        .get(list)
        .await;
    assert_eq!(compressed.header("content-encoding"), "gzip");
    assert!(
        compressed.bytes.len() * 10 < size,
        "{} of {size}",
        compressed.bytes.len()
    );
    let (mut path, mut seen, mut slices) = (
        format!("{list}?limit=1500"),
        std::collections::HashSet::new(),
        0,
    );
    while !path.is_empty() {
        let answer = ada.get(&path).await;
        path = answer
            .header("link")
            .trim_start_matches('<')
            .split('>')
            .next()
            .unwrap_or_default()
            .to_owned();
        seen.extend(answer.ok().as_array().into_iter().flatten().map(id));
        slices += 1;
    }
    assert_eq!((seen.len(), slices), (5_000, 4));
}
