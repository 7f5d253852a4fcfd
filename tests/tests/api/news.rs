//! Weekly news of the clubs that people follow

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::{Client, Setup, TestCampus};

use crate::notices::notices;
use crate::slots::{Interviewing, slot};

/// Sue, who follows the club of Ada and gets news.
pub(crate) async fn follower(campus: &TestCampus) -> (Client, Client) {
    let (ada, sue) = (campus.as_("ada"), campus.as_("sue"));
    campus.club("chess", &ada).await;
    follow(&sue, "chess").await;
    switch(&sue, "weekly").await;
    (ada, sue)
}

async fn follow(person: &Client, club: &str) {
    let body = json!({ "club": club });
    person.post("/api/subscriptions/", body).await.created();
}

async fn switch(person: &Client, news: &str) {
    let body = json!({ "notices": { "news": news } });
    person.patch("/api/settings/", body).await.ok();
}

pub(crate) async fn open(officer: &Client, name: &str, from: i64, to: i64) -> Value {
    let body = json!({
        "name": name, "application_start_time": hours(from), "application_end_time": hours(to),
        "result_release_time": hours(to + 1), "is_active": true,
    });
    let path = "/api/clubs/chess/applications/";
    officer.post(path, body).await.created()
}

async fn show(officer: &Client, name: &str, starts: &[i64]) {
    let showing =
        |start: &i64| json!({ "start_time": hours(*start), "end_time": hours(start + 1) });
    let showings: Vec<Value> = starts.iter().map(showing).collect();
    let body = json!({ "name": name, "showings": showings });
    officer
        .post("/api/clubs/chess/events/", body)
        .await
        .created();
}

/// Lets the timer run once a day, as long as so many days pass.
pub(crate) async fn days(campus: &TestCampus, days: i64) {
    for _ in 0..days {
        campus.advance(TimeDelta::days(1));
        campus.tick().await;
    }
}

/// Which of these words each mail has.
pub(crate) fn notified(campus: &TestCampus, words: &[&str]) -> Vec<String> {
    let mails = notices(campus).into_iter();
    mails
        .map(|mail| {
            let has = words.iter().filter(|word| mail.text.contains(**word));
            let has: Vec<&str> = has.copied().collect();
            has.join(" ")
        })
        .collect()
}

// proves G3
#[tokio::test]
async fn news_is_mailed_once_on_the_next_monday() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    open(&ada, "Before", -1, 2_000).await;
    show(&ada, "Concert", &[24 * 5, 24 * 30]).await;
    campus.advance(TimeDelta::seconds(1));
    let sue = campus.as_("sue");
    follow(&sue, "chess").await;
    switch(&sue, "weekly").await;
    open(&ada, "Autumn", 2, 2_000).await;
    open(&ada, "Winter", 24 * 8, 2_000).await;
    show(&ada, "Blitz", &[24 * 3]).await;
    show(&ada, "Simul", &[24 * 20]).await;
    let words = ["Before", "Concert", "Autumn", "Winter", "Blitz", "Simul"];
    // Tests begin on a Saturday at 9.
    days(&campus, 1).await;
    assert_eq!(notified(&campus, &words).len(), 0, "Sunday");
    days(&campus, 1).await;
    assert_eq!(notified(&campus, &words), ["Autumn Blitz"]);
    let all = "All events: http://127.0.0.1:8000/events/";
    assert!(notices(&campus)[0].text.contains(all));
    days(&campus, 6).await;
    assert_eq!(notified(&campus, &words).len(), 1, "the next Sunday");
    days(&campus, 1).await;
    assert_eq!(notified(&campus, &words), ["Autumn Blitz", "Winter Simul"]);
    days(&campus, 7).await;
    assert_eq!(notified(&campus, &words).len(), 2, "nothing new");
    show(&ada, "Gala", &[24 * 17]).await;
    days(&campus, 30).await;
    assert_eq!(
        notified(&campus, &words).len(),
        2,
        "Gala was over on the Monday, Concert was known"
    );
}

// proves G3
#[tokio::test]
async fn the_news_come_at_8_in_the_time_zone_of_the_campus() {
    let campus = Setup::default()
        .settings(|settings| settings.mail.time_zone = chrono_tz::America::New_York)
        .build();
    let (ada, _) = follower(&campus).await;
    open(&ada, "Autumn", 1, 2_000).await;
    // Monday, 12:59 UTC.
    campus.advance(TimeDelta::minutes(2 * 24 * 60 + 3 * 60 + 59));
    campus.tick().await;
    assert_eq!(notices(&campus).len(), 0);
    campus.advance(TimeDelta::minutes(1));
    campus.tick().await;
    let [mail] = &notices(&campus)[..] else {
        panic!("the news")
    };
    assert!(mail.text.contains("(America/New_York)"), "{}", mail.text);
    assert_eq!(mail.reply_to, None);
}

// proves G3
#[tokio::test]
async fn a_mail_has_the_30_nearest_and_a_link_to_the_others() {
    let campus = TestCampus::new();
    let (ada, _) = follower(&campus).await;
    for n in 0..35 {
        show(&ada, &format!("Evening {n:02}."), &[100 + n]).await;
    }
    days(&campus, 2).await;
    let [mail] = &notices(&campus)[..] else {
        panic!("the news")
    };
    let count = |text: &str| text.matches("Evening").count();
    assert_eq!((count(&mail.html), count(&mail.text)), (30, 30));
    assert!(mail.text.contains("Evening 29.") && !mail.text.contains("Evening 30."));
    assert!(
        mail.text.contains("http://127.0.0.1:8000/events/\n"),
        "{}",
        mail.text
    );
    days(&campus, 7).await;
    assert_eq!(notices(&campus).len(), 1);
}

// proves G3
#[tokio::test(start_paused = true)]
async fn off_inactive_archived_and_erased_mean_no_news() {
    let campus = TestCampus::new();
    let (ada, sue) = follower(&campus).await;
    let (off, deleted) = (campus.as_("off"), campus.as_("gone"));
    let fan = campus.as_("fan");
    switch(&fan, "weekly").await;
    let body = json!({ "club": "chess" });
    fan.post("/api/favorites/", body).await.created();
    for person in [&off, &deleted] {
        follow(person, "chess").await;
        switch(person, "weekly").await;
    }
    switch(&off, "off").await;
    campus.erase(&deleted).await;
    let autumn = open(&ada, "Autumn", 1, 2_000).await;
    let path = format!("/api/clubs/chess/applications/{}/", id(&autumn));
    let inactive = json!({ "is_active": false });
    ada.patch(&path, inactive).await.ok();
    days(&campus, 2).await;
    assert_eq!(notices(&campus).len(), 0);
    ada.patch(&path, json!({ "is_active": true })).await.ok();
    days(&campus, 7).await;
    let mails = notices(&campus);
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert!(mails[0].to.starts_with("sue"));
    // Switched off and on again, it counts from then.
    switch(&sue, "off").await;
    switch(&sue, "weekly").await;
    days(&campus, 7).await;
    assert_eq!(notices(&campus).len(), 1);
    show(&ada, "Blitz", &[24 * 18]).await;
    ada.delete("/api/clubs/chess/").await.no_content();
    days(&campus, 7).await;
    assert_eq!(notices(&campus).len(), 1, "of an archived club");
}

// proves G3
#[tokio::test]
async fn later_or_moved_things_are_new_even_if_they_began() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let was = open(&ada, "Summer", -1, 2_000).await;
    let off = open(&ada, "Winter", -1, 2_000).await;
    let over = open(&ada, "Spring", -20, -10).await;
    let path = |of: &Value| format!("/api/clubs/chess/applications/{}/", id(of));
    let active = |is_active: bool| json!({ "is_active": is_active });
    ada.patch(&path(&off), active(false)).await.ok();
    show(&ada, "Concert", &[24 * 40]).await;
    show(&ada, "Gala", &[24 * 40]).await;
    show(&ada, "Simul", &[24 * 4]).await;
    campus.advance(TimeDelta::minutes(1));
    let sue = campus.as_("sue");
    follow(&sue, "chess").await;
    switch(&sue, "weekly").await;
    campus.advance(TimeDelta::minutes(1));
    // It opened a day ago, but nobody could see it then.
    open(&ada, "Autumn", -24, 2_000).await;
    ada.patch(&path(&off), active(true)).await.ok();
    let longer = json!({
        "application_end_time": hours(1_500), "result_release_time": hours(1_500)
    });
    ada.patch(&path(&was), longer.clone()).await.ok();
    ada.patch(&path(&over), longer).await.ok();
    let events = ada.get("/api/clubs/chess/events/").await.ok();
    let event = |name: &str| {
        let all = events.as_array().expect("a list").iter();
        let event = all.clone().find(|event| event["name"] == name);
        event.expect("there").clone()
    };
    let showings = |event: &Value| format!("/api/clubs/chess/events/{}/showings/", id(event));
    let soon = json!({ "start_time": hours(24 * 5), "end_time": hours(24 * 5 + 1) });
    for name in ["Concert", "Simul"] {
        let path = showings(&event(name));
        ada.post(&path, soon.clone()).await.created();
    }
    let gala = event("Gala");
    let showing = format!("{}{}/", showings(&gala), id(&gala["showings"][0]));
    ada.patch(&showing, soon).await.ok();
    let words = [
        "Autumn", "Concert", "Gala", "Simul", "Spring", "Summer", "Winter",
    ];
    days(&campus, 2).await;
    assert_eq!(
        notified(&campus, &words),
        ["Autumn Concert Gala Spring Winter"]
    );
}

/// So many people, who follow the club and get news.
async fn fans(campus: &TestCampus, n: usize) {
    for n in 0..n {
        let person = campus.as_(&format!("fan{n}"));
        follow(&person, "chess").await;
        switch(&person, "weekly").await;
    }
}

// proves G3, G5
#[tokio::test(start_paused = true)]
async fn news_of_many_people_are_all_mailed() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    open(&there.recruitment.officer, "Autumn", 1, 2_000).await;
    // Its reminder is due in the same hour, and stands behind the news.
    let slot = there.slot(slot(71)).await;
    there.book(slot).await.ok();
    fans(&campus, 120).await;
    campus.advance(TimeDelta::days(2));
    campus.tick().await;
    assert_eq!(notices(&campus).len(), 121);
    campus.tick().await;
    assert_eq!(notices(&campus).len(), 121);
}

// proves G5
#[tokio::test(start_paused = true)]
async fn a_reminder_does_not_wait_for_the_news_of_many_people() {
    let campus = Setup::default().latency(200).build();
    let there = Interviewing::new(&campus).await;
    open(&there.recruitment.officer, "Autumn", 1, 2_000).await;
    // Its reminder is due in the hour after the news.
    let slot = there.slot(slot(72)).await;
    there.book(slot).await.ok();
    // With such a slow table, a run has no time for all of them.
    fans(&campus, 100).await;
    campus.tick().await;
    campus.advance(TimeDelta::hours(49));
    let first = campus.tick().await.mails;
    assert!(first < 101, "{first}");
    let to: Vec<String> = notices(&campus).into_iter().map(|mail| mail.to).collect();
    assert!(to.iter().any(|to| to.starts_with("sue")), "{to:?}");
    let mut all = first;
    loop {
        match campus.tick().await.mails {
            0 => break,
            more => all += more,
        }
    }
    assert_eq!(all, 101);
}
