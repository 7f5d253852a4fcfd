//! `/settings/calendar/` and `/calendars/{calendar}`

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use shared::db::TableError;
use shared::ids::Id;
use tests::fixtures::{Recruitment, hours, id};
use tests::{Client, Setup, TestCampus};

use crate::slots::{Interviewing, slot};

/// The path of somebody's calendar.
pub(crate) async fn calendar(person: &Client) -> String {
    let found = person.get("/api/settings/calendar/").await.ok();
    path(found["url"].as_str().unwrap_or_default())
}

fn path(url: &str) -> String {
    let (host, path) = url.split_once("/api/").expect("an address");
    assert_eq!(
        host, "http://clubs.example",
        "the host that the caller called"
    );
    assert!(
        path.starts_with("calendars/") && path.contains(".ics"),
        "{path}"
    );
    format!("/api/{path}")
}

pub(crate) async fn read(campus: &TestCampus, path: &str) -> String {
    let response = campus.anonymous().get(path).await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("cache-control"), "private, no-cache");
    assert_eq!(
        response.header("content-type"),
        "text/calendar; charset=utf-8"
    );
    // Long lines are folded.
    response.text().replace("\r\n ", "")
}

/// A club with an evening of this name, that many hours from now. The place is not public.
async fn club(campus: &TestCampus, code: &str, owner: &Client, from: i64) {
    campus.club(code, owner).await;
    evening(code, owner, from).await;
}

async fn evening(code: &str, owner: &Client, from: i64) {
    let event = json!({
        "name": format!("Evening of {code}"),
        "url": "https://tickets.example/evening",
        "showings": [{
            "start_time": hours(from),
            "end_time": hours(from + 2),
            "location": "Secret cellar",
            "location_visible_to_public": false,
        }],
    });
    let events = format!("/api/clubs/{code}/events/");
    owner.post(&events, event).await.created();
}

// proves V21
#[tokio::test]
async fn a_calendar_has_what_the_person_is_in_or_follows() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    for code in ["chess", "go", "rowing"] {
        club(&campus, code, &ada, 5).await;
    }
    let sue = campus.member("chess", &ada, "sue", 20).await;
    let empty = read(&campus, &calendar(&campus.as_("tom")).await).await;
    assert!(!empty.contains("BEGIN:VEVENT"), "{empty}");
    let follow = json!({ "club": "go" });
    sue.post("/api/subscriptions/", follow).await.created();
    // A favorite is not followed.
    let favorite = json!({ "club": "rowing" });
    sue.post("/api/favorites/", favorite).await.created();
    let address = calendar(&sue).await;
    let mine = read(&campus, &address).await;
    assert!(
        mine.contains("Evening of chess") && mine.contains("Evening of go"),
        "{mine}"
    );
    assert!(!mine.contains("Evening of rowing"), "{mine}");
    // Who is signed in sees place and address, and the calendar of the club does not tell them.
    let secrets = ["Secret cellar", "URL:https://tickets.example/evening"];
    assert!(secrets.iter().all(|one| mine.contains(one)), "{mine}");
    let public = read_public(&campus).await;
    assert!(!secrets.iter().any(|one| public.contains(one)), "{public}");
    // What is archived is gone.
    ada.delete("/api/clubs/go/").await.no_content();
    let mine = read(&campus, &address).await;
    assert!(!mine.contains("Evening of go"), "{mine}");
}

async fn read_public(campus: &TestCampus) -> String {
    campus.anonymous().get("/api/events.ics").await.text()
}

// proves V21
#[tokio::test]
async fn it_has_until_when_the_person_can_submit() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let other = campus.recruitment("go").await;
    let (sue, tom) = (campus.as_("sue"), campus.as_("tom"));
    let follow = json!({ "club": "chess" });
    sue.post("/api/subscriptions/", follow).await.created();
    let address = calendar(&sue).await;
    let deadline =
        |recruitment: &Recruitment| format!("UID:deadline-{}@clubs", recruitment.application["id"]);
    let mine = read(&campus, &address).await;
    assert!(
        mine.contains(&deadline(&recruitment)) && !mine.contains(&deadline(&other)),
        "{mine}"
    );
    assert!(mine.contains("Fall: applications close (chess)"), "{mine}");
    assert!(mine.contains("/clubs/chess/apply/"), "{mine}");
    // Who has begun to answer is reminded, too.
    let draft = json!({ "responses": [{ "question": recruitment.question, "text": "Because", "version": 0 }] });
    tom.patch(&format!("{}draft/", recruitment.path), draft)
        .await
        .ok();
    assert!(
        read(&campus, &calendar(&tom).await)
            .await
            .contains(&deadline(&recruitment))
    );
    // An extension moves the end, also after everybody else's.
    let person = sue.get("/api/settings/").await.ok();
    let extension = json!({ "person": person["id"], "end_time": hours(24 * 20) });
    let extensions = format!("{}extensions/", recruitment.path);
    recruitment
        .officer
        .post(&extensions, extension)
        .await
        .created();
    let ends = |calendar: &str| -> String {
        let (_, entry) = calendar
            .split_once(&deadline(&recruitment))
            .expect("an entry");
        let start = entry.split("DTSTART:").nth(1).unwrap_or_default();
        start.chars().take(16).collect()
    };
    let extended = ends(&read(&campus, &address).await);
    let compact = |hours: String| hours.replace(['-', ':'], "");
    assert_eq!(ends(&mine), compact(hours(24)));
    assert_eq!(extended, compact(hours(24 * 20)));
    // What is over is no deadline any more.
    campus.advance(chrono::TimeDelta::days(30));
    assert!(
        !read(&campus, &address)
            .await
            .contains(&deadline(&recruitment))
    );
}

// proves P19
#[tokio::test(start_paused = true)]
async fn an_address_ends_when_it_is_replaced_and_with_its_person() {
    let campus = TestCampus::new();
    let sue = campus.as_("sue");
    let first = calendar(&sue).await;
    assert_eq!(first, calendar(&sue).await, "GET changes nothing");
    assert_ne!(first, calendar(&campus.as_("tom")).await);
    read(&campus, &first).await;
    let renewed = sue
        .send(Method::POST, "/api/settings/calendar/", None)
        .await
        .ok();
    let second = path(renewed["url"].as_str().unwrap_or_default());
    assert_ne!(first, second);
    assert_eq!(second, calendar(&sue).await);
    read(&campus, &second).await;
    let is_deleted = |path: String| {
        let nobody = campus.anonymous();
        async move { nobody.get(&path).await.error(404) }
    };
    is_deleted(first.clone()).await;
    // A token of another person, one that is none, and one without its end.
    let token = second.trim_end_matches(".ics");
    for wrong in [
        format!("{}.ics", &token[..token.len() - 1]),
        format!("{}A.ics", &token[..token.len() - 1]),
        "/api/calendars/x.ics".to_owned(),
        format!("{token}/"),
    ] {
        if wrong != second {
            is_deleted(wrong).await;
        }
    }
    // Who comes back after an erasure has another address.
    campus.erase(&sue).await;
    is_deleted(second.clone()).await;
    campus.advance(chrono::TimeDelta::minutes(5));
    let third = calendar(&campus.as_("sue")).await;
    assert!(third != first && third != second);
    is_deleted(first).await;
    is_deleted(second).await;
}

/// The write of a request arrives after the person was erased and came back.
// proves P19
#[tokio::test(start_paused = true)]
async fn a_late_write_ends_no_address_of_a_new_profile() {
    let campus = TestCampus::new();
    let sue = campus.as_("sue");
    let person = id(&sue.get("/api/settings/").await.ok());
    let table = &campus.campus.app.table;
    let before = table.person(Id::new(person)).await.expect("the table");
    campus.erase(&sue).await;
    campus.advance(chrono::TimeDelta::seconds(5));
    let address = calendar(&campus.as_("sue")).await;
    let late = table.renew_calendar(&before.expect("a profile")).await;
    assert!(matches!(late, Err(TableError::Refused(_))), "{late:?}");
    read(&campus, &address).await;
}

/// Two requests for a new address at the same moment: both get the one that is good.
// proves P19
#[tokio::test]
async fn concurrent_new_addresses_are_the_same() {
    let campus = TestCampus::new();
    let sue = campus.as_("sue");
    let old = calendar(&sue).await;
    let ask = || sue.send(Method::POST, "/api/settings/calendar/", None);
    let (one, two) = tokio::join!(ask(), ask());
    let present = calendar(&sue).await;
    for response in [one, two] {
        let response = response.ok();
        let new_path = path(response["url"].as_str().unwrap_or_default());
        assert_ne!(new_path, old);
        // A request that began after the other one has replaced its address.
        assert!(new_path == present || campus.anonymous().get(&new_path).await.status == 404);
    }
    read(&campus, &present).await;
}

// proves V21
#[tokio::test]
async fn upcoming_is_first_and_old_is_left_out() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for from in [-24 * 100, -48, -24, 24 * 400, 48, 24] {
        evening("chess", &ada, from).await;
    }
    let mine = read(&campus, &calendar(&ada).await).await;
    let starts: Vec<&str> = mine
        .lines()
        .filter_map(|line| line.strip_prefix("DTSTART:"))
        .collect();
    let expected = [24, 48, -24, -48].map(|n| hours(n).replace(['-', ':'], ""));
    assert_eq!(starts, expected);
}

/// A program asks every hour. What has not changed costs little.
// proves V21
#[tokio::test]
async fn an_unchanged_calendar_is_304_and_cheap() {
    let campus = Setup::default()
        .settings(|settings| settings.quotas.clubs_created = 100)
        .build();
    let ada = campus.as_("ada");
    let sue = campus.as_("sue");
    for n in 0..20 {
        let code = format!("club{n}");
        club(&campus, &code, &ada, 5 + n).await;
        let follow = json!({ "club": code });
        sue.post("/api/subscriptions/", follow).await.created();
    }
    let address = calendar(&sue).await;
    let first = campus.anonymous().get(&address).await;
    let tag = first.header("etag").to_owned();
    let again = campus
        .anonymous()
        .header("if-none-match", tag.clone())
        .get(&address)
        .await;
    assert_eq!(again.status, 304);
    assert!(again.usage.read_units <= 3.0, "{:?}", again.usage);
    // What happens elsewhere makes no difference.
    club(&campus, "rowing", &ada, 9).await;
    let other = campus
        .anonymous()
        .header("if-none-match", tag.clone())
        .get(&address)
        .await;
    assert_eq!(other.status, 304);
    assert!(other.usage.read_units <= 12.0, "{:?}", other.usage);
    evening("club3", &ada, 9).await;
    let changed = campus
        .anonymous()
        .header("if-none-match", tag)
        .get(&address)
        .await;
    assert_eq!(changed.status, 200);
    assert!(changed.usage.read_units <= 12.0, "{:?}", changed.usage);
}

/// A member who can hold interviews, and the field of a slot that names them.
pub(crate) async fn interviewer(campus: &TestCampus, there: &Interviewing) -> (Client, Value) {
    let ada = &there.recruitment.officer;
    let bob = campus.member("chess", ada, "bob", 20).await;
    let person = id(&bob.get("/api/settings/").await.ok());
    (bob, json!([person]))
}

// proves V21
#[tokio::test]
async fn interviews_are_in_the_calendars_of_both_sides() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (bob, interviewers) = interviewer(&campus, &there).await;
    let mut body = slot(30);
    body["interviewers"] = interviewers;
    let first = there.slot(body.clone()).await;
    there.slot(slot(50)).await;
    there.book(first).await.ok();
    let shown = async |person: &Client| read(&campus, &calendar(person).await).await;
    let (mine, his) = (shown(&there.sue).await, shown(&bob).await);
    let uid = format!("UID:interview-{}@clubs", id(&there.submission));
    assert!(
        mine.contains(&uid) && mine.contains("LOCATION:Room 1"),
        "{mine}"
    );
    assert_eq!(his.matches("UID:interviews-").count(), 1, "{his}");
    assert!(!his.contains("sue") && !mine.contains("bob"));
    assert_eq!(shown(&there.sue).await, mine);
    there
        .recruitment
        .officer
        .delete("/api/clubs/chess/members/bob/")
        .await
        .no_content();
    assert!(!shown(&bob).await.contains("UID:interviews-"));
}

/// Polls a calendar that has not changed, and returns its read units.
pub(crate) async fn unchanged(campus: &TestCampus, address: &str) -> f64 {
    let first = campus.anonymous().get(address).await;
    let tag = first.header("etag").to_owned();
    let caller = campus.anonymous().header("if-none-match", tag);
    let again = caller.get(address).await;
    assert_eq!(again.status, 304);
    again.usage.read_units
}

// proves V21
#[tokio::test]
async fn interviews_make_a_calendar_little_dearer() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (bob, interviewers) = interviewer(&campus, &there).await;
    let add = async |n: i64| {
        let mut body = slot(30 + n);
        body["interviewers"] = interviewers.clone();
        there.slot(body).await
    };
    let first = add(0).await;
    there.book(first).await.ok();
    for n in 1..10 {
        add(n).await;
    }
    let (hers, his) = (calendar(&there.sue).await, calendar(&bob).await);
    for (address, most) in [(&hers, 3.0), (&his, 2.0)] {
        let units = unchanged(&campus, address).await;
        assert!(units <= most, "{units}");
    }
    for n in 10..100 {
        add(n).await;
    }
    let units = unchanged(&campus, &his).await;
    assert!(units <= 2.0, "{units}");
    // An extension is read, too.
    let (sue, recruitment) = (&there.sue, &there.recruitment);
    let follow = json!({ "club": "chess" });
    sue.post("/api/subscriptions/", follow).await.created();
    let person = id(&sue.get("/api/settings/").await.ok());
    let extension = json!({ "person": person, "end_time": hours(48) });
    let extensions = format!("{}extensions/", recruitment.path);
    recruitment
        .officer
        .post(&extensions, extension)
        .await
        .created();
    let units = unchanged(&campus, &hers).await;
    assert!(units <= 3.0, "{units}");
}

// proves V21, K9
#[tokio::test]
async fn an_interview_that_a_release_ended_is_in_no_calendar() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(90)).await;
    there.book(slot).await.ok();
    there.recruitment.decide(&there.submission, 2, "").await;
    let has_it = async || {
        let text = read(&campus, &calendar(&there.sue).await).await;
        text.contains("UID:interview-")
    };
    assert!(has_it().await);
    campus.advance(TimeDelta::hours(48));
    assert!(!has_it().await, "and nobody has looked");
}
