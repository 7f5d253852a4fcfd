//! What a link to a page of the site shows elsewhere: previews, the map of the site and posters.

use chrono::TimeDelta;
use serde_json::json;
use shared::settings::Approval;
use tests::fixtures::{hours, id};
use tests::{Client, Setup, TestCampus};

use crate::site::{header, open};

/// What a preview of a link shows: the elements of the head.
async fn preview(campus: &TestCampus, path: &str) -> String {
    let (_, _, html) = open(campus, path, "").await;
    let (_, head) = html.split_once("<title>").expect("a title");
    let (head, _) = head.split_once("id=\"config\"").expect("settings");
    let (_, more) = html.split_once("id=\"config\"").expect("settings");
    format!("{head}{}", more.split_once("</head>").expect("a head").0)
}

/// A club with a hostile name that nobody has approved yet, and its owner.
async fn waiting_club() -> (TestCampus, Client) {
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = Approval::Required)
        .build();
    let ada = campus.as_("ada");
    let name = "</title></script><script>x()</script> \"{{preview}}\" {{config}}";
    let body = json!({ "name": name, "code": "chess", "description": "<p>Two <b>boards</b>.</p>" });
    ada.post("/api/clubs/", body).await.created();
    (campus, ada)
}

/// Approves the club, and waits until no process remembers it as it was.
async fn approve(campus: &TestCampus) {
    campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "approved": true }))
        .await
        .ok();
    campus.advance(TimeDelta::seconds(61));
}

// proves O14
#[tokio::test]
async fn a_link_to_a_club_has_a_preview_that_no_text_can_break() {
    let (campus, _ada) = waiting_club().await;
    // Nobody may see it before it is approved.
    let secret = preview(&campus, "/clubs/chess/").await;
    assert!(
        secret.starts_with("Clubs</title>") && !secret.contains("boards"),
        "{secret}"
    );
    approve(&campus).await;
    let shown = preview(&campus, "/clubs/chess/").await;
    assert!(!shown.contains("<script>x"), "{shown}");
    assert!(
        !shown.contains("{{preview}}\" {{config}}</title>"),
        "{shown}"
    );
    for part in [
        "<meta name=\"description\" content=\"Two boards.\">",
        "<meta property=\"og:description\" content=\"Two boards.\">",
        "<meta property=\"og:url\" content=\"http://127.0.0.1:8000/clubs/chess/\">",
        "\"@type\":\"Organization\"",
        "&quot;&#123;&#123;preview}}&quot;",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // The settings of the page are still there, once.
    assert_eq!(shown.matches("\"issuer\"").count(), 1, "{shown}");
}

// proves O14
#[tokio::test]
async fn crawlers_get_existing_pages() {
    let (campus, _ada) = waiting_club().await;
    approve(&campus).await;
    let anybody = campus.anonymous();
    for accept in ["*/*", "", "image/*, */*;q=0.1"] {
        let program = anybody.clone().header("accept", accept);
        let page = program.get("/clubs/chess/").await;
        assert_eq!(page.status, 200, "{accept}");
        assert!(page.text().contains("og:title"), "{accept}");
        program.get("/nowhere/").await.error(404);
    }
    let program = anybody.header("accept", "application/json");
    program.get("/clubs/chess/").await.error(404);
}

// proves O14
#[tokio::test]
async fn the_map_and_posters_have_the_pages_that_there_are() {
    let (campus, ada) = waiting_club().await;
    approve(&campus).await;
    let shown = preview(&campus, "/clubs/chess/").await;
    assert!(shown.contains("Two boards."), "{shown}");
    let (status, _, map) = open(&campus, "/sitemap.xml", "").await;
    assert_eq!(
        (
            status,
            map.contains("<loc>http://127.0.0.1:8000/clubs/chess/</loc>")
        ),
        (200, true)
    );
    let (_, _, robots) = open(&campus, "/robots.txt", "").await;
    assert!(robots.contains("Disallow: /unsubscribe/"), "{robots}");
    assert!(
        robots.contains("Sitemap: http://127.0.0.1:8000/sitemap.xml"),
        "{robots}"
    );
    // A poster has the code of a page, and of pages only.
    for (to, status) in [
        ("/clubs/chess/", 200),
        ("/clubs/chess/apply/7/?committee=3", 200),
        ("/nowhere/", 404),
        ("/join/chess/7/secret/", 404),
        ("https://evil.example/", 404),
        ("//evil.example/", 404),
        ("", 404),
    ] {
        let to = url::form_urlencoded::byte_serialize(to.as_bytes()).collect::<String>();
        let (found, headers, code) = open(&campus, &format!("/qr.svg?to={to}"), "").await;
        assert_eq!(
            (found, code.starts_with("<svg ")),
            (status, status == 200),
            "{to}"
        );
        assert_eq!(
            header(&headers, "content-type") == "image/svg+xml",
            status == 200
        );
    }
    // What is deleted is gone, from the map as well.
    ada.delete("/api/clubs/chess/").await.no_content();
    campus.advance(TimeDelta::seconds(61));
    assert!(
        preview(&campus, "/clubs/chess/")
            .await
            .starts_with("Clubs</title>")
    );
    let (_, _, map) = open(&campus, "/sitemap.xml", "").await;
    assert!(!map.contains("chess"), "{map}");
}

// proves O14
#[tokio::test]
async fn a_link_to_an_event_shows_what_everybody_may_see() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let showing = |location: &str, is_public: bool, begin: i64| {
        json!({
            "start_time": hours(begin), "end_time": hours(begin + 1), "location": location,
            "location_visible_to_public": is_public,
        })
    };
    let body = json!({
        "name": "Blitz",
        "description": "<p>Five minutes.</p>",
        "url": "https://meet.example/secret",
        "showings": [showing("Cellar", false, 2), showing("Main hall", true, 5)],
    });
    let event = ada.post("/api/clubs/chess/events/", body).await.created();
    let path = format!("/events/{}/", id(&event));
    let shown = preview(&campus, &path).await;
    assert!(shown.starts_with("Blitz</title>"), "{shown}");
    assert!(
        !shown.contains("Cellar") && !shown.contains("secret"),
        "{shown}"
    );
    assert!(
        shown.contains(&format!("\"startDate\":\"{}\"", hours(2))),
        "{shown}"
    );
    // The next one counts, and its place is public.
    campus.advance(TimeDelta::hours(4));
    let shown = preview(&campus, &path).await;
    assert!(shown.contains("\"name\":\"Main hall\""), "{shown}");
    for none in ["/events/1/", "/events/x/", "/clubs/none/", "/clubs/%7B/"] {
        assert!(
            preview(&campus, none).await.starts_with("Clubs</title>"),
            "{none}"
        );
    }
}

// proves O14, C23
#[tokio::test]
async fn a_link_to_a_form_says_whose_it_is_and_until_when() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let name = recruitment.application["name"].as_str().unwrap_or_default();
    let form = format!("/clubs/chess/apply/{}/", id(&recruitment.application));
    let shown = preview(&campus, &form).await;
    assert!(
        shown.starts_with(&format!("{name} · chess</title>")),
        "{shown}"
    );
    assert!(shown.contains("content=\"Apply until "), "{shown}");
    assert!(shown.contains(" (UTC).\""), "{shown}");
    // A link to join says nothing but the club.
    let shown = preview(&campus, "/join/chess/7/secret/").await;
    assert!(shown.starts_with("chess</title>"), "{shown}");
    // Of a form that is closed, nothing is said.
    campus.advance(TimeDelta::days(400));
    let shown = preview(&campus, &form).await;
    assert!(shown.starts_with("chess</title>"), "{shown}");
}
