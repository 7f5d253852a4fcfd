//! The site as a server sees it, and the sign-in page of the local issuer. `.ci/site` uses both in a
//! browser.
//!
//! Proves O14, O15.

use aws_lc_rs::digest;
use axum::body::{Body, to_bytes};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use http::{HeaderMap, Request};
use serde_json::{Value, json};
use shared::http::PublicPath;
use shared::settings::Approval;
use tests::fixtures::{hours, id};
use tests::{Setup, TestCampus};
use tower::ServiceExt as _;

/// Sends a request as a browser does.
async fn send(campus: &TestCampus, request: Request<Body>) -> (u16, HeaderMap, String) {
    let router = campus.campus.router.clone();
    let answer = router.oneshot(request).await.expect("an answer");
    let (parts, body) = answer.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.expect("a body");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (parts.status.as_u16(), parts.headers, text)
}

async fn open(campus: &TestCampus, path: &str, coding: &str) -> (u16, HeaderMap, String) {
    let request = Request::get(path)
        .header("host", "127.0.0.1:8000")
        .header("accept", "text/html,*/*")
        .header("accept-encoding", coding);
    send(campus, request.body(Body::empty()).expect("a request")).await
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Below a stage of the gateway the page and its files are below the stage, too.
#[tokio::test]
async fn the_site_works_below_a_path() {
    let campus = TestCampus::new();
    for (public, base) in [("/clubs/chess/", "/"), ("/dev/clubs/chess/", "/dev/")] {
        let mut request = Request::get("/clubs/chess/")
            .header("host", "127.0.0.1:8000")
            .header("accept", "text/html")
            .body(Body::empty())
            .expect("a request");
        let path = PublicPath(public.to_owned());
        request.extensions_mut().insert(path);
        let (_, _, html) = send(&campus, request).await;
        assert!(html.contains(&format!("<base href=\"{base}\">")), "{html}");
        assert!(html.contains(&format!("src=\"{base}assets/")), "{html}");
    }
}

/// What a preview of a link shows: the elements of the head.
async fn preview(campus: &TestCampus, path: &str) -> String {
    let (_, _, html) = open(campus, path, "").await;
    let (_, head) = html.split_once("<title>").expect("a title");
    let (head, _) = head.split_once("id=\"config\"").expect("settings");
    let (_, more) = html.split_once("id=\"config\"").expect("settings");
    format!("{head}{}", more.split_once("</head>").expect("a head").0)
}

#[tokio::test]
async fn a_link_to_a_club_has_a_preview_that_no_text_can_break() {
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = Approval::Required)
        .build();
    let ada = campus.as_("ada");
    let name = "</title></script><script>x()</script> \"{{preview}}\" {{config}}";
    let body = json!({ "name": name, "code": "chess", "description": "<p>Two <b>boards</b>.</p>" });
    ada.post("/api/clubs/", body).await.created();
    // Nobody may see it before it is approved.
    let secret = preview(&campus, "/clubs/chess/").await;
    assert!(
        secret.starts_with("Clubs</title>") && !secret.contains("boards"),
        "{secret}"
    );
    campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "approved": true }))
        .await
        .ok();
    campus.advance(TimeDelta::seconds(61));
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
    let (status, _, map) = open(&campus, "/sitemap.xml", "").await;
    assert_eq!(
        (
            status,
            map.contains("<loc>http://127.0.0.1:8000/clubs/chess/</loc>")
        ),
        (200, true)
    );
    let (_, _, robots) = open(&campus, "/robots.txt", "").await;
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
        "name": "Blitz", "description": "<p>Five minutes.</p>", "url": "https://meet.example/secret",
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

/// Every text is there in every language.
#[test]
fn the_languages_have_the_same_texts() {
    let names = |file: &'static str| -> Vec<&'static str> {
        // Long texts go on in the next line, further to the right.
        let entries = file.lines().filter_map(|line| line.strip_prefix("  "));
        let entries = entries.filter(|entry| !entry.starts_with(' '));
        let names = entries.filter_map(|entry| entry.split_once(':'));
        names.map(|(name, _)| name).collect()
    };
    let files = [
        [
            include_str!("../../../functions/site/texts/en.js"),
            include_str!("../../../functions/site/texts/de.js"),
        ],
        [
            include_str!("../../../functions/site/texts/en_work.js"),
            include_str!("../../../functions/site/texts/de_work.js"),
        ],
    ];
    for [english, german] in files {
        let english = names(english);
        assert!(english.len() > 100, "{}", english.len());
        assert_eq!(english, names(german));
    }
}

#[tokio::test]
async fn every_path_of_a_browser_is_the_page_and_its_files_are_kept_for_ever() {
    let campus = TestCampus::new();
    for (path, expected) in [
        ("/", 200),
        ("/clubs/chess/", 200),
        ("/join/chess/1/x/", 200),
        ("/clubs/chess/applications/new/", 200),
        ("/nowhere", 404),
        ("/clubs/chess/nowhere/", 404),
        ("/favicon.png", 404),
    ] {
        let (status, headers, html) = open(&campus, path, "").await;
        assert_eq!(status, expected, "{path}");
        assert!(html.contains("<div id=\"app\">"));
        let policy = header(&headers, "content-security-policy");
        assert!(
            policy.contains("default-src 'none'; script-src 'self' 'sha256-"),
            "{policy}"
        );
        assert_eq!(header(&headers, "cache-control"), "no-cache");
        // The address of an invitation is a secret.
        assert_eq!(header(&headers, "referrer-policy"), "no-referrer");
    }
    let (_, _, html) = open(&campus, "/", "").await;
    // What the page needs is asked for at once, and its settings are in it.
    for part in [
        "/app.js",
        "/vendor/libraries.js",
        "/texts/en.js",
        local::issuer::ISSUER,
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("/pages/clubs.js"));
    let (_, _, clubs) = open(&campus, "/clubs/", "").await;
    assert!(clubs.contains("/pages/clubs.js") && clubs.contains("/parts/pager.js"));
    // Modules that are in the one file are no files of their own.
    assert!(!clubs.contains("/parts/api.js"));
    let (status, _, robots) = open(&campus, "/robots.txt", "").await;
    assert_eq!((status, robots.contains("Disallow: /join/")), (200, true));
    let file = html
        .split('"')
        .find(|part| part.ends_with("/app.js"))
        .expect("the script")
        .to_owned();
    let (status, headers, plain) = open(&campus, &file, "").await;
    assert_eq!(status, 200);
    assert_eq!(
        header(&headers, "content-type"),
        "text/javascript; charset=utf-8"
    );
    assert!(header(&headers, "cache-control").contains("immutable"));
    assert!(plain.contains("PAGES"));
    for (coding, expected) in [("gzip", "gzip"), ("gzip, br", "br"), ("br;q=0", "")] {
        let (_, headers, _) = open(&campus, &file, coding).await;
        assert_eq!(header(&headers, "content-encoding"), expected);
    }
    // A page that was loaded before a deployment gets the present file, which is not kept.
    let old = file.replace("/assets/", "/assets/0");
    let (status, headers, _) = open(&campus, &old, "").await;
    assert_eq!(
        (status, header(&headers, "cache-control")),
        (200, "no-store")
    );
    let (status, ..) = open(&campus, &file.replace("app.js", "nothing.js"), "").await;
    assert_eq!(status, 404);
    // Programs are told what is not there, and the API stays as it is.
    let anybody = campus.anonymous();
    anybody.get("/nowhere/").await.error(404);
    assert_eq!(anybody.get("/").await.status, 200);
    let (status, _, text) = open(&campus, "/api/nowhere/", "").await;
    assert_eq!((status, text.contains("not_found")), (404, true));
    let (status, _, config) = open(&campus, "/config.json", "").await;
    let config: Value = serde_json::from_str(&config).expect("JSON");
    assert_eq!(status, 200);
    assert_eq!(config["issuer"], local::issuer::ISSUER);
    assert_eq!(
        (&config["client_id"], &config["scopes"]),
        (&json!("clubs"), &json!("openid"))
    );
}

const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-x";
const BACK: &str = "http://127.0.0.1:8000/callback/";

/// The address of the sign-in page, with some parameters changed.
fn authorize(changes: &[(&str, &str)]) -> String {
    let hash = digest::digest(&digest::SHA256, VERIFIER.as_bytes());
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(hash);
    let mut values = vec![
        ("response_type", "code"),
        ("client_id", "clubs"),
        ("redirect_uri", BACK),
        ("state", "s"),
        ("nonce", "n"),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    values.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
    values.extend(changes);
    let query: String = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(values)
        .finish();
    format!("/local/authorize?{query}")
}

/// Chooses a person, and returns the code in the address to which the page leads.
async fn code_of(campus: &TestCampus, username: &str) -> String {
    let (status, headers, _) = open(campus, &authorize(&[("username", username)]), "").await;
    assert_eq!(status, 303);
    let to = header(&headers, "location").to_owned();
    assert!(to.starts_with(BACK) && to.ends_with("&state=s"), "{to}");
    let code = to.split("code=").nth(1).unwrap_or_default();
    code.split('&').next().unwrap_or_default().to_owned()
}

async fn exchange(campus: &TestCampus, form: &[(&str, &str)]) -> (u16, Value) {
    let body: String = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(form)
        .finish();
    let request = Request::post("/local/oauth/token")
        .header("host", "127.0.0.1:8000")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(body))
        .expect("a request");
    let (status, _, text) = send(campus, request).await;
    (status, serde_json::from_str(&text).unwrap_or_default())
}

async fn tokens(campus: &TestCampus, code: &str, verifier: &str) -> (u16, Value) {
    let form = [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", BACK),
        ("code_verifier", verifier),
        ("client_id", "clubs"),
    ];
    exchange(campus, &form).await
}

#[tokio::test]
async fn people_sign_in_with_a_code_that_counts_once() {
    let campus = TestCampus::new();
    let (status, headers, page) = open(&campus, &authorize(&[]), "").await;
    assert_eq!(status, 200);
    assert!(page.contains("Sam Okafor") && page.contains("Avery Admin"));
    assert!(header(&headers, "content-security-policy").contains("default-src 'none'"));
    let code = code_of(&campus, "sam").await;
    let (status, first) = tokens(&campus, &code, VERIFIER).await;
    assert_eq!((status, &first["token_type"]), (200, &json!("Bearer")));
    let sam = campus.with_token(first["access_token"].as_str().unwrap_or_default());
    assert_eq!(sam.get("/api/settings/").await.ok()["name"], "Sam Okafor");
    let id = first["id_token"].as_str().unwrap_or_default();
    let claims = id.split('.').nth(1).unwrap_or_default();
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).expect("base64url");
    let claims: Value = serde_json::from_slice(&claims).expect("claims");
    assert_eq!(
        (&claims["nonce"], &claims["aud"]),
        (&json!("n"), &json!("clubs"))
    );
    let refused = (400, json!({ "error": "invalid_grant" }));
    assert_eq!(tokens(&campus, &code, VERIFIER).await, refused);
    // The session is renewed with a refresh token, which counts once too.
    let renew = async |token: &Value| {
        let token = token["refresh_token"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", token.as_str()),
        ];
        exchange(&campus, &form).await
    };
    campus.advance(TimeDelta::minutes(16));
    sam.get("/api/settings/").await.error(401);
    let (status, second) = renew(&first).await;
    assert_eq!(status, 200);
    let sam = campus.with_token(second["access_token"].as_str().unwrap_or_default());
    sam.get("/api/settings/").await.ok();
    assert_eq!(renew(&first).await, refused);
    // Somebody who is not in the list is a new person.
    let code = code_of(&campus, "Zoë Q").await;
    let (_, new) = tokens(&campus, &code, VERIFIER).await;
    let zoe = campus.with_token(new["access_token"].as_str().unwrap_or_default());
    assert_eq!(
        zoe.get("/api/settings/").await.ok()["email"],
        "zoq@uni.example"
    );
}

#[tokio::test]
async fn codes_are_given_to_this_site_alone() {
    let campus = TestCampus::new();
    for change in [
        ("redirect_uri", "https://evil.example/"),
        ("redirect_uri", "http://127.0.0.1:8000.evil.example/"),
        ("response_type", "token"),
        ("client_id", "other"),
        ("code_challenge", ""),
        ("code_challenge_method", "plain"),
    ] {
        let (status, ..) = open(&campus, &authorize(&[change, ("username", "sam")]), "").await;
        assert_eq!(status, 400, "{change:?}");
    }
    let code = code_of(&campus, "sam").await;
    let (status, _) = tokens(&campus, &code, "another verifier").await;
    assert_eq!(status, 400);
    let code = code_of(&campus, "sam").await;
    campus.advance(TimeDelta::minutes(6));
    assert_eq!(tokens(&campus, &code, VERIFIER).await.0, 400);
    let hostile = authorize(&[("state", "\"><script>alert(1)</script>")]);
    let (_, _, page) = open(&campus, &hostile, "").await;
    assert!(!page.contains("<script>"), "{page}");
}
