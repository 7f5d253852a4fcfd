//! Quotas of people and clubs, and long texts in lists

use chrono::TimeDelta;
use futures::future::join_all;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::recount::recount;
use tests::{Setup, TestCampus};

// proves H7, C16, X13
#[tokio::test(start_paused = true)]
async fn concurrent_creations_make_at_most_ten_clubs() {
    let campus = Setup::default().latency(5).build();
    let ada = campus.as_("ada");
    ada.get("/api/settings/").await.ok();
    let make = async |n: usize| {
        ada.post("/api/clubs/", json!({ "name": format!("Club {n}") }))
            .await
    };
    let answers = join_all((0..16).map(make)).await;
    assert_eq!(
        answers
            .iter()
            .filter(|response| response.status == 201)
            .count(),
        10
    );
    let refused = answers
        .into_iter()
        .find(|response| response.status != 201)
        .expect("a refusal");
    assert_eq!(
        (refused.status.as_u16(), refused.json()["code"].as_str()),
        (400, Some("quota"))
    );
    // Deleted clubs count. Admins have no limit.
    let code = ada.get("/api/memberships/").await.ok()[0]["club_code"].clone();
    ada.delete(&format!(
        "/api/clubs/{}/",
        code.as_str().unwrap_or_default()
    ))
    .await
    .no_content();
    assert_eq!(make(20).await.json()["code"], "quota");
    for n in 30..42 {
        campus
            .admin()
            .post("/api/clubs/", json!({ "name": format!("Club {n}") }))
            .await
            .created();
    }
    assert_eq!(recount(&campus), [""; 0]);
}

// proves H7, C16
#[tokio::test]
async fn owned_clubs_are_limited_however_acquired() {
    let campus = Setup::default()
        .settings(|settings| settings.quotas.clubs_owned = 2)
        .build();
    let (ada, sue) = (campus.as_("ada"), campus.as_("sue"));
    campus.club("first", &sue).await;
    campus.club("go", &ada).await;
    let person = id(&sue.get("/api/settings/").await.ok());
    let member = ada
        .post(
            "/api/clubs/go/members/",
            json!({ "person": person, "role": 0 }),
        )
        .await
        .created();
    let one = format!("/api/clubs/go/members/{}/", id(&member));
    assert_eq!(
        sue.post("/api/clubs/", json!({ "name": "third" }))
            .await
            .json()["code"],
        "quota"
    );
    campus.club("chess", &ada).await;
    let body = json!({ "person": person, "role": 0 });
    assert_eq!(
        ada.post("/api/clubs/chess/members/", body).await.json()["code"],
        "quota"
    );
    let plain = ada
        .post("/api/clubs/chess/members/", json!({ "person": person }))
        .await
        .created();
    let plain = format!("/api/clubs/chess/members/{}/", id(&plain));
    assert_eq!(
        ada.patch(&plain, json!({ "role": 0 })).await.json()["code"],
        "quota"
    );
    ada.patch(&one, json!({ "role": 20 })).await.ok();
    ada.patch(&plain, json!({ "role": 0 })).await.ok();
    sue.delete(&plain).await.no_content();
    campus.club("third", &sue).await;
    // An admin may make somebody an owner above the limit.
    campus.admin().patch(&one, json!({ "role": 0 })).await.ok();
    campus.deliver().await;
    assert_eq!(recount(&campus), [""; 0]);
}

// proves H7, V12
#[tokio::test]
async fn a_club_has_so_many_events_that_have_not_ended() {
    let campus = Setup::default()
        .settings(|settings| settings.quotas.club_events = 3)
        .build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let events = "/api/clubs/chess/events/";
    let event = |from: i64| {
        json!({
            "name": "x",
            "showings": [{ "start_time": hours(from), "end_time": hours(from + 1) }],
        })
    };
    let first = ada.post(events, event(1)).await.created();
    ada.post(events, event(1)).await.created();
    ada.post(events, json!({ "name": "without showings" }))
        .await
        .created();
    assert_eq!(ada.post(events, event(5)).await.json()["code"], "quota");
    campus.advance(TimeDelta::hours(3));
    ada.post(events, event(5)).await.created();
    ada.post(events, event(5)).await.created();
    assert_eq!(ada.post(events, event(5)).await.json()["code"], "quota");
    // An event that has ended cannot be prolonged above the limit.
    let showings = format!("{events}{}/showings/", id(&first));
    let late = json!({ "start_time": hours(8), "end_time": hours(9) });
    assert_eq!(
        ada.post(&showings, late.clone()).await.json()["code"],
        "quota"
    );
    campus.admin().post(events, event(5)).await.created();
    campus.admin().post(&showings, late).await.created();
    // What is over does not count, up to five times as many events in all.
    for _ in 0..9 {
        ada.post(events, event(-9)).await.created();
    }
    for from in [-9, 5] {
        assert_eq!(ada.post(events, event(from)).await.json()["code"], "quota");
    }
    campus.admin().post(events, event(-9)).await.created();
    ada.delete(&format!("{events}{}/", id(&first)))
        .await
        .no_content();
    assert_eq!(recount(&campus), [""; 0]);
}

// proves C7, C15
#[tokio::test]
async fn lists_shorten_descriptions() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let paragraph = format!("<p>{}</p>", "word ".repeat(190));
    let long = format!("{}<p>hidden treasure</p>", paragraph.repeat(40));
    ada.patch("/api/clubs/chess/", json!({ "description": long }))
        .await
        .ok();
    let listed = || async {
        ada.get("/api/clubs/").await.ok()["results"][0]["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(listed().await, paragraph.repeat(2));
    assert_eq!(
        ada.get("/api/clubs/?search=treasure").await.ok()["count"],
        0,
        "only the part that lists show is searched"
    );
    assert_eq!(ada.get("/api/clubs/?search=word").await.ok()["count"], 1);
    let whole = |club: Value| assert!(club["description"] == *long, "the text is cut");
    whole(ada.get("/api/clubs/chess/").await.ok());
    // Other changes keep the whole text, also when the club is deleted and restored.
    whole(
        ada.patch("/api/clubs/chess/", json!({ "subtitle": "x" }))
            .await
            .ok(),
    );
    ada.delete("/api/clubs/chess/").await.no_content();
    whole(
        campus
            .admin()
            .patch("/api/clubs/chess/", json!({ "archived": false }))
            .await
            .ok(),
    );
    let got = ada.get("/api/clubs/chess/").await.ok();
    whole(ada.put("/api/clubs/chess/", got).await.ok());
    // Long descriptions do not make the list cost more.
    let cold = campus.another().anonymous();
    let units = cold.get("/api/clubs/").await.usage.read_units;
    assert!(units < 20.0, "{units}");
    ada.patch("/api/clubs/chess/", json!({ "description": "short" }))
        .await
        .ok();
    assert_eq!(listed().await, "short");
    assert!(
        !campus
            .stored()
            .iter()
            .any(|item| item["type"]["S"] == "ClubText")
    );
    assert_eq!(recount(&campus), [""; 0]);
}

// The erasure reads twice, with a pause in between, so the tokio clock is paused.
// proves H7, P16, C7
#[tokio::test(start_paused = true)]
async fn only_owner_gets_the_clubs_and_may_archive_them() {
    let campus = TestCampus::new();
    let (ada, sue) = (campus.as_("ada"), campus.as_("sue"));
    campus
        .club("Chess-Club".to_lowercase().as_str(), &sue)
        .await;
    campus.club("go", &sue).await;
    campus.club("bridge", &ada).await;
    let person = id(&ada.get("/api/settings/").await.ok());
    sue.post(
        "/api/clubs/go/members/",
        json!({ "person": person, "role": 0 }),
    )
    .await
    .created();
    let refused = sue.delete("/api/settings/").await;
    let detail = refused.json()["detail"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(
        detail.contains("chess-club") && !detail.contains("go,"),
        "{detail}"
    );
    assert_eq!(refused.json()["code"], "last_owner");
    sue.get("/api/clubs/chess-club/").await.ok();
    sue.delete("/api/settings/?archive=true").await.accepted();
    campus.finish_erasures().await;
    ada.get("/api/clubs/chess-club/").await.error(404);
    ada.get("/api/clubs/go/").await.ok();
    let archived = campus
        .admin()
        .patch("/api/clubs/chess-club/", json!({ "archived": false }))
        .await
        .ok();
    assert_eq!(archived["archived"], false);
    campus.deliver().await;
    assert_eq!(recount(&campus), [""; 0]);
}

// proves C12
#[tokio::test]
async fn clubs_are_filtered_by_applications_and_membership() {
    let campus = TestCampus::new();
    campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    campus.club("go", &sue).await;
    let codes = async |client: &tests::Client, query: &str| {
        let list = client
            .get(&format!("/api/clubs/?ordering=alphabetical&{query}"))
            .await
            .ok();
        list["results"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|club| club["code"].as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(&sue, "accepting=true").await, ["chess"]);
    assert_eq!(codes(&sue, "accepting=false").await, ["go"]);
    assert_eq!(codes(&sue, "member=true").await, ["go"]);
    assert_eq!(codes(&sue, "member=false").await, ["chess"]);
    let nobody: [&str; 0] = [];
    assert_eq!(codes(&campus.anonymous(), "member=true").await, nobody);
    assert_eq!(codes(&campus.anonymous(), "member=false").await, nobody);
    sue.get("/api/clubs/?member=perhaps")
        .await
        .invalid(&["member"]);
    campus.advance(TimeDelta::hours(25));
    assert_eq!(codes(&sue, "accepting=true").await, nobody);
}

// Otherwise people could erase themselves and come back to create more clubs.
// proves C16
#[tokio::test(start_paused = true)]
async fn clubs_that_were_created_count_beyond_an_erasure() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    for n in 0..10 {
        ada.post("/api/clubs/", json!({ "name": format!("Club {n}") }))
            .await
            .created();
    }
    ada.delete("/api/settings/?archive=true").await.accepted();
    campus.finish_erasures().await;
    assert_eq!(
        ada.post("/api/clubs/", json!({ "name": "more" }))
            .await
            .json()["code"],
        "quota"
    );
    assert_eq!(recount(&campus), [""; 0]);
}

// Anybody can create a club with any name and add any people to it.
// proves M6
#[tokio::test]
async fn mails_to_people_who_are_added_count_like_invitations() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let sue = id(&campus.as_("sue").get("/api/settings/").await.ok());
    let again = async || {
        let member = ada
            .post("/api/clubs/chess/members/", json!({ "person": sue }))
            .await
            .created();
        ada.delete(&format!("/api/clubs/chess/members/{}/", id(&member)))
            .await
            .no_content();
        campus.deliver().await;
        campus.mails().len()
    };
    assert_eq!((again().await, again().await, again().await), (1, 1, 1));
    campus.advance(TimeDelta::minutes(10));
    assert_eq!(again().await, 2);
    campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "approved": null }))
        .await
        .ok();
    campus.advance(TimeDelta::minutes(10));
    assert_eq!(
        again().await,
        2,
        "a club that waits for approval sends no mail"
    );
    assert_eq!(recount(&campus), [""; 0]);
}

// The window of an application that has ended does not change what the club knows of it.
// proves A12
#[tokio::test]
async fn two_applications_at_once_do_not_cross_the_limit() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let mut club = campus
        .stored()
        .into_iter()
        .find(|item| item["type"]["S"] == "Club");
    if let Some(club) = &mut club {
        club["applications"]["N"] = json!("499");
        let put = json!({ "TableName": local::table::TABLE, "Item": club });
        campus.campus.engine.json("PutItem", &put).expect("a write");
    }
    let mut ended = tests::fixtures::application("Ended");
    ended["application_start_time"] = json!(tests::fixtures::hours(-9));
    ended["application_end_time"] = json!(tests::fixtures::hours(-8));
    let path = format!("/api/clubs/{}/applications/", recruitment.club);
    let made = (0..4).map(|_| recruitment.officer.post(&path, ended.clone()));
    let made = futures::future::join_all(made).await;
    let stored = made
        .iter()
        .filter(|response| response.status == 201)
        .count();
    assert_eq!(stored, 1);
    assert!(
        made.iter()
            .all(|response| response.status == 201 || response.json()["code"] == "quota")
    );
}
