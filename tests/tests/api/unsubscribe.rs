//! `/unsubscribe/{token}/` and the headers that lead there

use chrono::TimeDelta;
use http::Method;
use serde_json::json;
use tests::fixtures::hours;
use tests::{Client, TestCampus};

use crate::late_writes::Late;
use crate::notices::notices;

/// Sends Sue a reminder and returns the path of the API that its headers name.
async fn reminded(campus: &TestCampus, sue: &Client) -> String {
    let recruitment = campus.recruitment("chess").await;
    let answer = json!({ "question": recruitment.question, "text": "One", "version": 0 });
    let body = json!({ "responses": [answer] });
    sue.patch(&format!("{}draft/", recruitment.path), body)
        .await
        .ok();
    let times = json!({
        "application_end_time": hours(95), "result_release_time": hours(200)
    });
    recruitment
        .officer
        .patch(&recruitment.path, times)
        .await
        .ok();
    campus.advance(TimeDelta::hours(71));
    campus.tick().await;
    let [mail] = &notices(campus)[..] else {
        panic!("a reminder")
    };
    assert_eq!(
        mail.headers
            .get("List-Unsubscribe-Post")
            .map(String::as_str),
        Some("List-Unsubscribe=One-Click")
    );
    let address = mail.headers["List-Unsubscribe"].clone();
    let address = address.trim_start_matches('<').trim_end_matches('>');
    let path = address
        .strip_prefix("http://127.0.0.1:8000")
        .expect("an address");
    let page = address.replace("/api/", "/");
    for text in [&mail.html, &mail.text] {
        assert!(text.contains(&page), "{page} is in {text}");
    }
    path.to_owned()
}

// proves G4
#[tokio::test]
async fn a_link_shows_what_it_ends_and_ends_that_alone() {
    let campus = TestCampus::new();
    let sue = campus.as_("sue");
    let path = reminded(&campus, &sue).await;
    let anybody = campus.anonymous();
    let shown = anybody.get(&path).await;
    assert_eq!(shown.header("cache-control"), "no-store");
    let shown = shown.ok();
    assert_eq!(
        shown,
        json!({ "kind": "drafts", "name": "sue", "active": true })
    );
    let expected = sue.get("/api/settings/").await.ok()["notices"].clone();
    assert_eq!(expected["drafts"], true, "GET changes nothing");
    let ended = json!({ "kind": "drafts", "name": "sue", "active": false });
    let form = "application/x-www-form-urlencoded";
    let multipart = "multipart/form-data; boundary=b";
    let part = "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n";
    for (content_type, body) in [
        (form, "List-Unsubscribe=One-Click"),
        (multipart, part),
        ("application/json", "{}"),
        ("application/json", ""),
        ("", ""),
    ] {
        let on = json!({ "notices": { "drafts": true } });
        sue.patch("/api/settings/", on).await.ok();
        let content_type = Some(content_type).filter(|text| !text.is_empty());
        let sent = anybody.raw(Method::POST, &path, content_type, body).await;
        assert_eq!(sent.ok(), ended, "{content_type:?}");
        let after = sue.get("/api/settings/").await.ok()["notices"].clone();
        assert_eq!(
            after,
            json!({ "drafts": false, "events": true, "interviews": true, "news": "off" })
        );
    }
    // Once more is 200, too.
    assert_eq!(anybody.post(&path, json!({})).await.ok(), ended);
    assert_eq!(anybody.get(&path).await.ok(), ended);
}

// proves G4
#[tokio::test(start_paused = true)]
async fn wrong_tokens_and_those_of_erased_people_are_404() {
    let campus = TestCampus::new();
    let sue = campus.as_("sue");
    let path = reminded(&campus, &sue).await;
    let anybody = campus.anonymous();
    let token = path.split('/').nth(3).expect("a token").to_owned();
    for at in [0, 5, 12, token.len() - 2] {
        let mut wrong = token.clone().into_bytes();
        wrong[at] = if wrong[at] == b'A' { b'B' } else { b'A' };
        let wrong = String::from_utf8(wrong).expect("ASCII");
        for method in [Method::GET, Method::POST] {
            let path = format!("/api/unsubscribe/{wrong}/");
            anybody.send(method, &path, None).await.error(404);
        }
    }
    for wrong in ["a", "%00", &"A".repeat(500)] {
        let path = format!("/api/unsubscribe/{wrong}/");
        anybody.get(&path).await.error(404);
    }
    campus.erase(&sue).await;
    anybody.get(&path).await.error(404);
    anybody.post(&path, json!({})).await.error(404);
    // The same name signs in again: a new profile, for which the old link does nothing.
    sue.get("/api/settings/").await.ok();
    anybody.post(&path, json!({})).await.error(404);
}

// proves G4
#[tokio::test]
async fn a_late_write_undoes_no_later_choice() {
    let late = Late::default();
    let campus = late.campus();
    let sue = campus.as_("sue");
    let path = reminded(&campus, &sue).await;
    let anybody = campus.anonymous();
    let drafts = |on: bool| json!({ "notices": { "drafts": on } });
    let stored = async || sue.get("/api/settings/").await.ok()["notices"]["drafts"].clone();
    // She ends the mails and wants them again. Then the first write arrives.
    late.hold(0, 1);
    anybody.post(&path, json!({})).await.ok();
    sue.patch("/api/settings/", drafts(true)).await.ok();
    assert_eq!(late.arrive(), 1);
    assert_eq!(stored().await, true);
    // She switches them off and on in the settings, and ends them with the link.
    sue.patch("/api/settings/", drafts(false)).await.ok();
    late.hold(0, 1);
    sue.patch("/api/settings/", drafts(true)).await.ok();
    anybody.post(&path, json!({})).await.ok();
    assert_eq!(late.arrive(), 1);
    assert_eq!(stored().await, false);
}
