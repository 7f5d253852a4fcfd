//! Who sees which events, and which of their fields

use serde_json::json;
use tests::fixtures::{hours, id};

use crate::events::{CHESS, chess, event, names, showing};

// proves P2, V1, V6, V18
#[tokio::test]
async fn locations_and_links_need_sign_in() {
    let (campus, ada) = chess().await;
    let body = json!({
        "name": "x",
        "url": "https://planted.example/link",
        "showings": [
            { "start_time": hours(1), "end_time": hours(2), "location": "Planted room" },
            {
                "start_time": hours(3),
                "end_time": hours(4),
                "location": "Public square",
                "location_visible_to_public": true,
            },
        ],
    });
    let event = ada.post(CHESS, body).await.created();
    let one = format!("/api/events/{}/", id(&event));
    let hidden = format!("{one}showings/{}/", id(&event["showings"][0]));
    let anybody = campus.anonymous();
    let (list, showings) = ("/api/events/".to_owned(), format!("{one}showings/"));
    for path in [
        &list,
        &one,
        &showings,
        &hidden,
        &"/api/events.ics".to_owned(),
        &"/api/clubs/chess/events.ics".to_owned(),
    ] {
        let text = anybody.get(path).await.text();
        assert!(!text.to_lowercase().contains("planted"), "{path}: {text}");
        assert!(
            text.contains("Public square") || *path == hidden,
            "{path}: {text}"
        );
        if path.ends_with("ics") {
            for client in [&ada, &campus.admin()] {
                assert!(
                    !client.get(path).await.text().contains("lanted"),
                    "a calendar is the same for everybody"
                );
            }
        } else {
            let shown = campus.as_("bob").get(path).await.text();
            assert!(shown.contains("Planted room"), "{path}: {shown}");
            assert!(
                !shown.contains("\"ticket_order_limit\":10"),
                "for officers: {shown}"
            );
        }
    }
    assert_eq!(ada.get(&hidden).await.ok()["ticket_order_limit"], 10);
    anybody.get(CHESS).await.error(401);
    anybody
        .get(&format!("{CHESS}{}/showings/", id(&event)))
        .await
        .error(401);
}

// proves H5, C6, V1, V19
#[tokio::test]
async fn events_of_clubs_that_are_not_there_are_not_there() {
    let (campus, ada) = chess().await;
    campus.club("go", &ada).await;
    let event = event(&ada, "x", &[showing(1, 2)]).await;
    let one = format!("/api/events/{}/", id(&event));
    campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "approved": null }))
        .await
        .ok();
    let (anybody, bob) = (campus.anonymous(), campus.as_("bob"));
    for client in [&anybody, &bob] {
        assert_eq!(names(client, "").await, [""; 0]);
        for path in [
            &one,
            &format!("{one}showings/"),
            &"/api/clubs/chess/events.ics".to_owned(),
        ] {
            client.get(path).await.error(404);
        }
        assert!(
            !client
                .get("/api/events.ics")
                .await
                .text()
                .contains("VEVENT")
        );
    }
    for client in [&ada, &campus.admin()] {
        assert_eq!(names(client, "").await, ["x"]);
        client.get(&one).await.ok();
        client.get("/api/clubs/chess/events.ics").await.error(404);
    }
    campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "approved": true }))
        .await
        .ok();
    assert_eq!(names(&anybody, "").await, ["x"]);
    ada.delete("/api/clubs/chess/").await.no_content();
    for client in [&anybody, &ada, &campus.admin()] {
        assert_eq!(names(client, "").await, [""; 0]);
        client.get(&one).await.error(404);
    }
    ada.get(&format!("/api/clubs/go/events/{}/", id(&event)))
        .await
        .error(404);
    ada.get("/api/events/0/").await.error(404);
    ada.get("/api/events/abc/").await.error(404);
}

// proves V6
#[tokio::test]
async fn tickets_are_for_officers_and_not_in_the_global_list() {
    let (campus, ada) = chess().await;
    let showing = json!({
        "start_time": hours(2), "end_time": hours(3),
        "ticket_drop_time": hours(1), "ticket_order_limit": 4, "ticketed": true,
    });
    let body = json!({ "name": "Gala", "showings": [showing] });
    let event = ada.post(CHESS, body).await.created();
    let one = format!("/api/events/{}/", id(&event));
    assert_eq!(event["showings"][0]["ticket_drop_time"], hours(1));
    let shown = campus.as_("bob").get(&one).await.ok();
    assert_eq!(shown["showings"][0]["ticket_drop_time"], json!(null));
    let list = ada.get("/api/events/").await.ok();
    assert_eq!(list[0]["showings"][0]["ticket_order_limit"], json!(null));
}
