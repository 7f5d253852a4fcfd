//! What one person could do to others, or to the service, with few requests.

use std::fmt::Write as _;
use std::time::Instant;

use chrono::TimeDelta;
use http::Method;
use image::{DynamicImage, GenericImageView as _, ImageFormat};
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{hours, id};
use tests::images::{encoded, form};

// proves R4
#[tokio::test(start_paused = true)]
async fn officers_who_never_agreed_get_no_mail_every_hour() {
    let campus = TestCampus::new();
    let (ada, sue) = (campus.as_("ada"), campus.as_("sue"));
    campus.club("chess", &ada).await;
    let victim = campus.as_("vic");
    victim.get("/api/settings/").await.ok();
    let rows = json!([{ "username": "vic", "role": 10 }]);
    let import = "/api/clubs/chess/members/import/";
    assert_eq!(ada.post(import, rows).await.ok()["created"], 1);
    campus.deliver().await;
    let mails = async |to: &str| {
        campus.deliver().await;
        let all = campus.mails();
        let asked = |mail: &&local::mailbox::KeptMail| mail.text.contains("would like to join");
        let all = all.iter().filter(asked);
        all.filter(|mail| mail.to.starts_with(to)).count()
    };
    for _ in 0..3 {
        let path = "/api/requests/membership/";
        sue.post(path, json!({ "club": "chess" })).await.created();
        // Who has withdrawn by then is not told.
        campus.deliver().await;
        sue.delete(&format!("{path}chess/")).await.no_content();
        campus.advance(TimeDelta::hours(2));
    }
    assert_eq!((mails("ada").await, mails("vic").await), (3, 1));
}

// proves H17
#[tokio::test]
async fn a_tag_with_thousands_of_attributes_is_refused_at_once() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let mut tag = "<p".to_owned();
    for c in ('\u{4e00}'..).take(15_000) {
        let _ = write!(tag, " {c}");
    }
    tag.push('>');
    let began = Instant::now();
    let body = json!({ "name": "Go", "description": tag });
    ada.post("/api/clubs/", body)
        .await
        .invalid(&["description"]);
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    let short = "<p title=\"a\">x</p>".repeat(900);
    let body = json!({ "name": "Go", "description": short });
    ada.post("/api/clubs/", body).await.created();
}

// proves V12
#[tokio::test]
async fn the_locations_of_an_event_are_bounded() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let showing = |location: &str| json!({ "start_time": hours(1), "end_time": hours(2), "location": location });
    // 1,020 bytes: seven of them are allowed, and a short one.
    let long = "\u{1f3e0}".repeat(255);
    let events = "/api/clubs/chess/events/";
    let of = |n: usize| json!({ "name": "E", "showings": vec![showing(&long); n] });
    ada.post(events, of(8)).await.invalid(&["showings"]);
    let event = ada.post(events, of(1)).await.created();
    let showings = format!("{events}{}/showings/", id(&event));
    for _ in 0..6 {
        ada.post(&showings, showing(&long)).await.created();
    }
    let response = ada.post(&showings, showing(&long)).await;
    response.invalid(&["location"]);
    let added = ada.post(&showings, showing("Hall")).await.created();
    let added = format!("{showings}{}/", id(&added));
    let longer = json!({ "location": long });
    ada.patch(&added, longer).await.invalid(&["location"]);
    ada.patch(&added, json!({ "location": "Room" })).await.ok();
}

// A phone decodes what it shows.
// proves V14
#[tokio::test]
async fn a_picture_that_is_narrow_and_long_becomes_small_too() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let image = DynamicImage::new_rgb8(600, 9_000);
    let (kind, body) = form(&[("image", &encoded(&image, ImageFormat::Png))]);
    let upload = "/api/clubs/chess/upload/";
    let club = ada.raw(Method::POST, upload, Some(&kind), body).await.ok();
    let small = club["image_url"].as_str().expect("an image");
    let path = &small[small.find("/media/").expect("a path")..];
    let response = ada.get(path).await;
    let image = image::load_from_memory(&response.bytes).expect("an image");
    let (_, height) = image.dimensions();
    assert!(height <= 2_400, "{height}");
}

// proves C21
#[tokio::test]
async fn a_search_word_that_becomes_very_long_costs_nothing() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    for n in 0..5 {
        let name = format!("Club {n} for board games, cards and talks");
        ada.post("/api/clubs/", json!({ "name": name }))
            .await
            .created();
    }
    let word = "%EF%B7%BA".repeat(255);
    let began = Instant::now();
    let found = ada
        .get(&format!("/api/clubs/?similar=true&search={word}"))
        .await;
    assert_eq!(found.ok()["count"], 0);
    assert!(began.elapsed().as_millis() < 500, "{:?}", began.elapsed());
    let near: Value = ada.get("/api/clubs/?similar=true&search=gmaes").await.ok();
    assert_eq!(near["count"], 5);
}
