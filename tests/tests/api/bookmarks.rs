//! `/favorites/`, `/subscriptions/`, `/clubs/{club}/subscription/`

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use shared::settings::Approval;
use tests::fixtures::id;
use tests::recount::recount;
use tests::{Client, Setup, TestCampus};

const BOTH: [&str; 2] = ["/api/favorites/", "/api/subscriptions/"];

// proves H12, C18, C19
#[tokio::test]
async fn clubs_are_kept_at_hand_and_let_go() {
    let campus = TestCampus::new();
    let (ada, sue, admin) = (campus.as_("ada"), campus.as_("sue"), campus.admin());
    campus.club("chess", &ada).await;
    campus.club("go", &ada).await;
    let tag = admin
        .post("/api/tags/", json!({ "name": "Games" }))
        .await
        .created();
    ada.patch(
        "/api/clubs/chess/",
        json!({ "subtitle": "Mate", "tags": [id(&tag)] }),
    )
    .await
    .ok();
    for path in BOTH {
        assert_eq!(sue.get(path).await.ok(), json!([]));
        let response = sue.post(path, json!({ "club": "chess" })).await;
        let location = response.header("location").to_owned();
        let made = response.created();
        let club = json!({
            "code": "chess",
            "name": "chess",
            "subtitle": "Mate",
            "image_url": null,
            "active": true,
            "tags": [{ "id": id(&tag), "name": "Games" }],
        });
        assert_eq!(
            made,
            json!({ "id": made["id"], "club": club, "created_at": "2026-11-21T09:00:00Z" })
        );
        assert_eq!(location, format!("{path}{}/", id(&made)));
        sue.post(path, json!({ "club": "chess" }))
            .await
            .invalid(&["club"]);
        sue.post(path, json!({ "club": "nothing" }))
            .await
            .invalid(&["club"]);
        sue.post(path, json!({ "club": "No Code" }))
            .await
            .invalid(&["club"]);
        sue.post(path, json!({ "club": 7 }))
            .await
            .invalid(&["club"]);
        sue.post(path, json!({})).await.invalid(&["club"]);
        assert_eq!(sue.get(path).await.ok(), json!([made]));
        for named in [id(&made).to_string(), "chess".into()] {
            assert_eq!(sue.get(&format!("{path}{named}/")).await.ok(), made);
            // Other people do not see it.
            ada.get(&format!("{path}{named}/")).await.error(404);
            ada.delete(&format!("{path}{named}/")).await.error(404);
        }
        assert_eq!(ada.get(path).await.ok(), json!([]));
        sue.post(path, json!({ "club": "go" })).await.created();
        sue.delete(&format!("{path}go/")).await.no_content();
        sue.delete(&format!("{path}go/")).await.error(404);
        sue.delete(&location).await.no_content();
        sue.get(&location).await.error(404);
        assert_eq!(sue.get(path).await.ok(), json!([]));
    }
}

// proves C2
#[tokio::test]
async fn clubs_say_what_the_caller_has_to_do_with_them() {
    let campus = TestCampus::new();
    let (ada, sue) = (campus.as_("ada"), campus.as_("sue"));
    campus.club("chess", &ada).await;
    campus.club("go", &ada).await;
    let flags = async |client: &Client, code: &str| {
        let club = client.get(&format!("/api/clubs/{code}/")).await.ok();
        let list = client.get("/api/clubs/?ordering=alphabetical").await.ok();
        let listed = list["results"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|club| club["code"] == code)
            .cloned()
            .unwrap_or_default();
        assert_eq!(
            (&club["is_favorite"], &club["is_subscribe"]),
            (&listed["is_favorite"], &listed["is_subscribe"])
        );
        (club["is_favorite"].clone(), club["is_subscribe"].clone())
    };
    assert_eq!(flags(&sue, "chess").await, (json!(false), json!(false)));
    sue.post("/api/favorites/", json!({ "club": "chess" }))
        .await
        .created();
    assert_eq!(flags(&sue, "chess").await, (json!(true), json!(false)));
    sue.post("/api/subscriptions/", json!({ "club": "chess" }))
        .await
        .created();
    assert_eq!(flags(&sue, "chess").await, (json!(true), json!(true)));
    assert_eq!(flags(&sue, "go").await, (json!(false), json!(false)));
    assert_eq!(flags(&ada, "chess").await, (json!(false), json!(false)));
    assert_eq!(
        flags(&campus.anonymous(), "chess").await,
        (json!(false), json!(false))
    );
    sue.delete("/api/favorites/chess/").await.no_content();
    assert_eq!(flags(&sue, "chess").await, (json!(false), json!(true)));
    // The answer to a change of the club has the flags too.
    ada.post("/api/favorites/", json!({ "club": "go" }))
        .await
        .created();
    assert_eq!(
        ada.patch("/api/clubs/go/", json!({ "subtitle": "x" }))
            .await
            .ok()["is_favorite"],
        true
    );
}

// The favorite and the counter are written in one transaction. Otherwise the count would be wrong.
// proves C9, X13
#[tokio::test(start_paused = true)]
async fn many_favorites_at_once_are_counted_exactly() {
    let campus = Setup::default().latency(5).build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let people: Vec<Client> = (0..32).map(|n| campus.as_(&format!("person{n}"))).collect();
    let post = |client: Client| async move {
        client
            .post("/api/favorites/", json!({ "club": "chess" }))
            .await
            .status
            .as_u16()
    };
    // Each person sends the request twice.
    let statuses = futures::future::join_all(people.iter().chain(&people).cloned().map(post)).await;
    assert_eq!(
        (
            statuses.iter().filter(|s| **s == 201).count(),
            statuses.iter().filter(|s| **s == 400).count()
        ),
        (32, 32)
    );
    let count =
        async || campus.anonymous().get("/api/clubs/chess/").await.ok()["favorite_count"].clone();
    assert_eq!(count().await, 32);
    assert_eq!(recount(&campus), [""; 0]);
    let delete = |client: Client| async move {
        client.delete("/api/favorites/chess/").await.status.as_u16()
    };
    let statuses = futures::future::join_all(
        people[..20]
            .iter()
            .chain(&people[..20])
            .cloned()
            .map(delete),
    )
    .await;
    assert_eq!(
        (
            statuses.iter().filter(|s| **s == 204).count(),
            statuses.iter().filter(|s| **s == 404).count()
        ),
        (20, 20)
    );
    assert_eq!(count().await, 12);
    assert_eq!(recount(&campus), [""; 0]);
}

// DynamoDB refuses a transaction on an item that another transaction is changing; the embedded
// engine does not. With too few or too short pauses between the attempts, some requests would be
// 429.
// proves X13
#[tokio::test(start_paused = true)]
async fn many_favorites_at_once_wait_for_each_other() {
    let (busy, on) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicBool::new(false)),
    );
    let is_on = on.clone();
    let campus = Setup::default()
        .table(Arc::new(move |operation: &str, _: &[u8]| {
            let (busy, counts) = (
                busy.clone(),
                operation == "TransactWriteItems" && is_on.load(Ordering::SeqCst),
            );
            Box::pin(async move {
                if counts && busy.swap(true, Ordering::SeqCst) {
                    let none = json!({ "Code": "None" });
                    let reasons = json!([none, none, { "Code": "TransactionConflict" }]);
                    let canceled = json!({
                        "__type": "TransactionCanceledException",
                        "Message": "conflict",
                        "CancellationReasons": reasons,
                    });
                    return Some((400, canceled));
                }
                if counts {
                    tokio::time::sleep(Duration::from_millis(15)).await;
                    busy.store(false, Ordering::SeqCst);
                }
                None
            })
        }))
        .build();
    campus.club("chess", &campus.as_("ada")).await;
    let people: Vec<Client> = (0..64).map(|n| campus.as_(&format!("person{n}"))).collect();
    for person in &people {
        person.get("/api/settings/").await.ok();
    }
    on.store(true, Ordering::SeqCst);
    let began = tokio::time::Instant::now();
    let post = |client: &Client| {
        let client = client.clone();
        async move {
            client
                .post("/api/favorites/", json!({ "club": "chess" }))
                .await
                .status
                .as_u16()
        }
    };
    let statuses = futures::future::join_all(people.iter().map(post)).await;
    assert_eq!(
        statuses.iter().filter(|status| **status == 201).count(),
        64,
        "after {:?}",
        began.elapsed()
    );
    assert_eq!(recount(&campus), [""; 0]);
    assert!(
        began.elapsed() < Duration::from_secs(6),
        "{:?}",
        began.elapsed()
    );
}

// proves C6, C18, C19
#[tokio::test]
async fn missing_clubs_are_hidden_and_can_be_removed() {
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = Approval::Required)
        .build();
    let (ada, sue, admin) = (campus.as_("ada"), campus.as_("sue"), campus.admin());
    campus.club("chess", &ada).await;
    for path in BOTH {
        sue.post(path, json!({ "club": "chess" }))
            .await
            .invalid(&["club"]);
        ada.post(path, json!({ "club": "chess" })).await.created();
        assert_eq!(
            ada.get(path).await.ok().as_array().map(Vec::len),
            Some(1),
            "its members see it"
        );
        admin
            .patch("/api/clubs/chess/", json!({ "approved": true }))
            .await
            .ok();
        sue.post(path, json!({ "club": "chess" })).await.created();
        admin
            .patch("/api/clubs/chess/", json!({ "approved": null }))
            .await
            .ok();
        assert_eq!(sue.get(path).await.ok(), json!([]));
        sue.get(&format!("{path}chess/")).await.error(404);
    }
    ada.delete("/api/clubs/chess/").await.no_content();
    for path in BOTH {
        assert_eq!(ada.get(path).await.ok(), json!([]));
        sue.post(path, json!({ "club": "chess" }))
            .await
            .invalid(&["club"]);
        sue.delete(&format!("{path}chess/")).await.no_content();
        sue.delete(&format!("{path}chess/")).await.error(404);
    }
    assert_eq!(recount(&campus), [""; 0]);
}

// proves H13, P8, C20, L7
#[tokio::test]
async fn officers_see_who_subscribed_as_they_are_now() {
    let campus = TestCampus::new();
    let (ada, sue, admin) = (campus.as_("ada"), campus.as_("sue"), campus.admin());
    campus.club("chess", &ada).await;
    sue.post("/api/subscriptions/", json!({ "club": "chess" }))
        .await
        .created();
    let list = async || ada.get("/api/clubs/chess/subscription/").await.ok();
    let mut expected = json!([{
        "name": "sue Test",
        "username": "sue",
        "email": "sue@uni.example",
        "school": [],
        "major": [],
        "graduation_year": null,
        "created_at": "2026-11-21T09:00:00Z",
    }]);
    assert_eq!(list().await, expected);
    let school = admin
        .post("/api/schools/", json!({ "name": "Law" }))
        .await
        .created();
    let major = admin
        .post("/api/majors/", json!({ "name": "Physics" }))
        .await
        .created();
    sue.patch(
        "/api/settings/",
        json!({
            "school": [id(&school)],
            "major": [{ "id": id(&major) }],
            "graduation_year": 2028,
        }),
    )
    .await
    .ok();
    campus
        .client(
            &json!({ "email": "new@uni.example", "name": "Sue Storm" }),
            "sue",
        )
        .get("/api/settings/")
        .await
        .ok();
    admin
        .patch(
            &format!("/api/schools/{}/", id(&school)),
            json!({ "name": "School of Law" }),
        )
        .await
        .ok();
    for (field, value) in [
        ("name", json!("Sue Storm")),
        ("email", json!("new@uni.example")),
        (
            "school",
            json!([{ "id": id(&school), "name": "School of Law" }]),
        ),
        ("major", json!([{ "id": id(&major), "name": "Physics" }])),
        ("graduation_year", json!(2028)),
    ] {
        expected[0][field] = value;
    }
    assert_eq!(list().await, expected);
    sue.delete("/api/subscriptions/chess/").await.no_content();
    assert_eq!(list().await, json!([]));
}

// proves C18
#[tokio::test]
async fn bookmarks_come_in_order_of_creation() {
    let campus = TestCampus::new();
    let (ada, sue) = (campus.as_("ada"), campus.as_("sue"));
    for path in BOTH {
        for n in 0..5 {
            let code = format!("{}-{}", ["e", "a", "d", "b", "c"][n], path.len());
            campus.club(&code, &ada).await;
            sue.post(path, json!({ "club": code })).await.created();
            campus.advance(chrono::TimeDelta::seconds(1));
        }
        let list = sue.get(path).await.ok();
        let codes: Vec<&str> = list
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|item| item["club"]["code"].as_str())
            .collect();
        assert_eq!(
            codes.iter().map(|code| &code[..1]).collect::<String>(),
            "eadbc"
        );
    }
}
