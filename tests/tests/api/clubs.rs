//! `/clubs/`, `/clubs/{club}/`

use http::Method;
use serde_json::{Value, json};
use shared::settings::Approval;
use tests::{Setup, TestCampus};

// proves H18, H21, C1, C2
#[tokio::test]
async fn a_club_is_created_and_read() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let response = ada
        .post(
            "/api/clubs/",
            json!({ "name": "Chess Club", "description": "<b>x</b><script>y</script>" }),
        )
        .await;
    assert_eq!(response.header("location"), "/api/clubs/chess-club/");
    let club = response.created();
    assert_eq!(
        club,
        json!({
            "code": "chess-club",
            "name": "Chess Club",
            "subtitle": "",
            "description": "<b>x</b>",
            "email": "",
            "website": null,
            "image_url": null,
            "image_alt": "",
            "tags": [],
            "badges": [],
            "is_favorite": false,
            "is_subscribe": false,
            "active": true,
            "approved": true,
            "application_required": 4,
            "accepting_members": false,
            "open_applications": [],
            "favorite_count": 0,
            "membership_count": 1,
            "is_member": 0,
            "created_at": "2026-11-21T09:00:00Z",
        })
    );
    let anybody = campus.anonymous();
    let seen = anybody.get("/api/clubs/chess-club/").await.ok();
    assert_eq!(seen["is_member"], Value::Null);
    assert_eq!(
        anybody.get("/api/clubs/").await.ok()["results"],
        json!([seen])
    );
}

// proves H13, H14, C3, C5, C9
#[tokio::test]
async fn a_club_is_changed_but_for_its_code_and_its_approval() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let body = json!({ "name": "Chess Club", "description": "<b>x</b>" });
    ada.post("/api/clubs/", body).await.created();
    let anybody = campus.anonymous();
    let changed = ada
        .patch(
            "/api/clubs/chess-club/",
            json!({
                "name": "Chess",
                "code": "x",
                "approved": false,
                "website": "https://c.example",
            }),
        )
        .await
        .ok();
    assert_eq!(
        (&changed["code"], &changed["approved"], &changed["name"]),
        (&json!("chess-club"), &json!(true), &json!("Chess"))
    );
    assert_eq!(
        anybody.get("/api/clubs/?search=chess").await.ok()["results"][0]["name"],
        "Chess",
        "the list shows it at once"
    );
    assert_eq!(
        ada.put("/api/clubs/chess-club/", changed.clone())
            .await
            .ok(),
        changed
    );
    ada.put("/api/clubs/chess-club/", json!({ "name": "x" }))
        .await
        .invalid(&[
            "subtitle",
            "description",
            "email",
            "website",
            "tags",
            "active",
            "application_required",
        ]);
}

// proves C3, C7, M11
#[tokio::test]
async fn a_deleted_club_is_hidden_until_an_admin_restores_it() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    ada.post("/api/clubs/", json!({ "name": "Chess Club" }))
        .await
        .created();
    ada.delete("/api/clubs/chess-club/").await.no_content();
    ada.get("/api/clubs/chess-club/").await.error(404);
    ada.get("/api/clubs/chess-club/members/").await.error(404);
    assert_eq!(ada.get("/api/clubs/").await.ok()["count"], 0);
    assert_eq!(ada.get("/api/memberships/").await.ok(), json!([]));
    ada.post("/api/clubs/", json!({ "name": "x", "code": "chess-club" }))
        .await
        .invalid(&["code"]);
    let admin = campus.admin();
    for body in [
        json!({}),
        json!({ "subtitle": "x" }),
        json!({ "approved": false }),
        json!({ "archived": true }),
        json!({ "name": "" }),
    ] {
        admin.patch("/api/clubs/chess-club/", body).await.error(404);
    }
    admin.get("/api/clubs/chess-club/").await.error(404);
    admin
        .patch("/api/clubs/chess-club/", json!({ "archived": false }))
        .await
        .ok();
    ada.get("/api/clubs/chess-club/").await.ok();
}

// proves H20, C2, C3
#[tokio::test]
async fn wrong_clubs_are_named() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    ada.post("/api/clubs/", json!({})).await.invalid(&["name"]);
    for (field, body) in [
        ("name", json!({ "name": "a\nb" })),
        ("code", json!({ "name": "x", "code": "Chess" })),
        ("code", json!({ "name": "x", "code": "123" })),
        ("code", json!({ "name": "x", "code": "a".repeat(65) })),
        ("email", json!({ "name": "x", "email": "nobody" })),
        (
            "website",
            json!({ "name": "x", "website": "ftp://x.example" }),
        ),
        (
            "application_required",
            json!({ "name": "x", "application_required": 6 }),
        ),
        ("active", json!({ "name": "x", "active": 1 })),
    ] {
        ada.post("/api/clubs/", body).await.invalid(&[field]);
    }
}

// proves C4
#[tokio::test]
async fn codes_are_made_from_names() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let code = async |name: &str| {
        ada.post("/api/clubs/", json!({ "name": name }))
            .await
            .created()["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(code("  Go & Chess!! ").await, "go-chess");
    assert_eq!(code("Go Chess").await, "go-chess-2");
    assert_eq!(code("Go Chess").await, "go-chess-3");
    assert_eq!(code("Élan").await, "elan");
    assert_eq!(code("象棋").await, "xiang-qi");
    assert!(code("123").await.starts_with("club-"));
    assert!(code(&"long ".repeat(50)).await.len() <= 64);
}

// proves C5, C6
#[tokio::test]
async fn clubs_that_wait_for_approval_are_for_members_and_admins() {
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = Approval::Required)
        .build();
    let (ada, sue, admin) = (campus.as_("ada"), campus.as_("sue"), campus.admin());
    assert_eq!(
        ada.post("/api/clubs/", json!({ "name": "Go" }))
            .await
            .created()["approved"],
        Value::Null
    );
    let count =
        async |client: &tests::Client| client.get("/api/clubs/").await.ok()["count"].clone();
    for (client, seen) in [(&ada, 1), (&sue, 0), (&campus.anonymous(), 0), (&admin, 1)] {
        assert_eq!(count(client).await, seen);
        let response = client.get("/api/clubs/go/").await;
        assert_eq!(response.status.as_u16(), if seen == 1 { 200 } else { 404 });
    }
    sue.get("/api/clubs/go/applications/current/")
        .await
        .error(404);
    ada.patch("/api/clubs/go/", json!({ "approved": true }))
        .await
        .ok();
    assert_eq!(count(&sue).await, 0, "only admins approve");
    admin
        .patch("/api/clubs/go/", json!({ "approved": true }))
        .await
        .ok();
    assert_eq!(count(&sue).await, 1);
    admin
        .patch("/api/clubs/go/", json!({ "approved": false }))
        .await
        .ok();
    assert_eq!(count(&sue).await, 0);
}

// proves H13
#[tokio::test]
async fn club_can_be_put_as_it_was_read() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for text in [
        "&".repeat(50_000),
        "\u{a0}".repeat(41_000),
        "<a href=\"https://x.example\">x</a>".repeat(1_200),
    ] {
        let club = ada
            .patch("/api/clubs/chess/", json!({ "description": text }))
            .await
            .ok();
        // The document allows no text of this length; it is accepted because it is the stored one.
        let (kind, body) = (Some("application/json"), club.to_string());
        let again = ada.raw(Method::PUT, "/api/clubs/chess/", kind, body).await;
        assert_eq!(again.ok(), club);
    }
    ada.patch(
        "/api/clubs/chess/",
        json!({ "description": "x".repeat(50_001) }),
    )
    .await
    .invalid(&["description"]);
}

// If the writes did not check the version, each officer would overwrite the other's fields with old
// values.
// proves X7
#[tokio::test(start_paused = true)]
async fn officers_who_change_a_club_at_once_lose_nothing() {
    let campus = Setup::default().latency(5).build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let olga = campus.member("chess", &ada, "olga", 10).await;
    let tag = tests::fixtures::id(
        &campus
            .admin()
            .post("/api/tags/", json!({ "name": "Games" }))
            .await
            .created(),
    );
    let changes = [
        json!({ "name": "Chess" }),
        json!({ "subtitle": "Mate" }),
        json!({ "description": "<p>x</p>" }),
        json!({ "email": "chess@clubs.example" }),
        json!({ "website": "https://chess.example" }),
        json!({ "tags": [tag] }),
        json!({ "active": false }),
        json!({ "application_required": 2 }),
    ];
    let clients = [&ada, &olga];
    let patch =
        |(i, body): (usize, &Value)| clients[i % 2].patch("/api/clubs/chess/", body.clone());
    for response in futures::future::join_all(changes.iter().enumerate().map(patch)).await {
        response.ok();
    }
    let club = campus.anonymous().get("/api/clubs/chess/").await.ok();
    for change in changes {
        for (field, value) in change.as_object().into_iter().flatten() {
            let shown = if field == "tags" {
                json!([club["tags"][0]["id"]])
            } else {
                club[field].clone()
            };
            assert_eq!(shown, *value, "{field}");
        }
    }
    assert_eq!(tests::recount::recount(&campus), [""; 0]);
}

// proves H17
#[tokio::test]
async fn html_that_would_become_millions_of_nodes_is_refused() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let kinds = |count: usize| {
        let tags: Vec<String> = (0..count).map(|n| format!("<b title={n}>")).collect();
        tags.concat()
    };
    for (html, status) in [
        (kinds(1_490) + &"<p>".repeat(1_490), 400),
        (kinds(6) + &"<p>x</p>".repeat(1_000), 200),
        ("<b>x</b>".repeat(1_490), 200),
    ] {
        let response = ada
            .patch("/api/clubs/chess/", json!({ "description": html }))
            .await;
        assert_eq!(response.status, status, "{}", &html[..40]);
        if status == 400 {
            response.invalid(&["description"]);
        }
    }
}

// The list holds a beginning, which is not cut again when the club is deleted.
// proves C7, C15
#[tokio::test]
async fn deleted_club_with_long_description_is_restored() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let path = "/api/clubs/chess/";
    campus.club("chess", &ada).await;
    let whole = format!("<p><b>Words</b> {}</p>", "word &amp; ".repeat(400));
    let body = json!({ "description": whole });
    let description = ada.patch(path, body).await.ok()["description"].clone();
    let listed = async || ada.get("/api/clubs/").await.ok()["results"][0].clone();
    let before = listed().await["description"].clone();
    let admin = campus.admin();
    for _ in 0..2 {
        ada.delete(path).await.no_content();
        let body = json!({ "archived": false });
        let restored = admin.patch(path, body).await.ok();
        assert_eq!(restored["description"], description);
        assert_eq!(listed().await["description"], before);
    }
    // An earlier release cut it a second time.
    let text = before.as_str().expect("a text").replace("…</p>", "……</p>");
    let is_club = |item: &&Value| item["type"]["S"] == "Club";
    let stored = campus.stored();
    let club = stored.iter().find(is_club).expect("a club");
    let update = json!({
        "TableName": local::table::TABLE, "Key": { "pk": club["pk"], "sk": club["sk"] },
        "UpdateExpression": "SET profile.description = :d",
        "ExpressionAttributeValues": { ":d": { "S": text } },
    });
    let engine = &campus.campus.engine;
    engine.json("UpdateItem", &update).expect("an old item");
    assert_eq!(ada.get(path).await.ok()["description"], description);
}
