//! The site as a server sees it. `infra/scripts/site` uses it in a browser.

use axum::body::{Body, to_bytes};
use http::{HeaderMap, Request};
use serde_json::{Value, json};
use shared::web::PublicPath;
use tests::TestCampus;
use tower::ServiceExt as _;

/// Sends a request as a browser does.
pub(crate) async fn send(campus: &TestCampus, request: Request<Body>) -> (u16, HeaderMap, String) {
    let router = campus.campus.router.clone();
    let response = router.oneshot(request).await.expect("an answer");
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.expect("a body");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (parts.status.as_u16(), parts.headers, text)
}

pub(crate) async fn open(
    campus: &TestCampus,
    path: &str,
    coding: &str,
) -> (u16, HeaderMap, String) {
    let request = Request::get(path)
        .header("host", "127.0.0.1:8000")
        .header("accept", "text/html,*/*")
        .header("accept-encoding", coding);
    send(campus, request.body(Body::empty()).expect("a request")).await
}

pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
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
        [
            include_str!("../../../functions/site/texts/en_interviews.js"),
            include_str!("../../../functions/site/texts/de_interviews.js"),
        ],
    ];
    for [english, german] in files {
        let english = names(english);
        assert!(english.len() > 50, "{}", english.len());
        assert_eq!(english, names(german));
    }
}

// proves O14, O22
#[tokio::test]
async fn every_path_of_a_browser_is_the_page() {
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
        let kept = match expected {
            200 => "public, max-age=0, s-maxage=60",
            _ => "no-cache",
        };
        assert_eq!(header(&headers, "cache-control"), kept, "{path}");
        assert!(header(&headers, "vary").contains("Accept-Language"));
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
}

// proves O14
#[tokio::test]
async fn files_of_the_site_are_kept_for_ever() {
    let campus = TestCampus::new();
    let (_, _, html) = open(&campus, "/", "").await;
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
}

// Programs are told what is not there, and the API stays as it is.
// proves O14
#[tokio::test]
async fn programs_do_not_get_the_page() {
    let campus = TestCampus::new();
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
