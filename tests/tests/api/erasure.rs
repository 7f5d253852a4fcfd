//! `DELETE /settings/`: what others see after an erasure

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{MailedLink, Recruitment, hours, id};
use tests::recount::recount;
use tests::{Client, TestCampus};

/// A campus with as much data as possible about Sue. She is a member of the chess club, asked to
/// join go, and is invited to bridge. She has a pending and a decided submission and an extension,
/// and she made decisions about others. The last value is the decided submission.
pub(crate) async fn sue() -> (TestCampus, Recruitment, Client, Value) {
    sue_on(TestCampus::new()).await
}

pub(crate) async fn sue_on(campus: TestCampus) -> (TestCampus, Recruitment, Client, Value) {
    let recruitment = campus.recruitment("chess").await;
    let ada = recruitment.officer.clone();
    campus.club("go", &ada).await;
    campus.club("bridge", &ada).await;
    let sue = campus.client(
        &json!({ "email": "planted@uni.example", "name": "Planted Name" }),
        "planted-user",
    );
    let person = id(&sue.get("/api/settings/").await.ok());
    let school = id(&campus
        .admin()
        .post("/api/schools/", json!({ "name": "Law" }))
        .await
        .created());
    let major = id(&campus
        .admin()
        .post("/api/majors/", json!({ "name": "Physics" }))
        .await
        .created());
    let body = json!({
        "image_url": "https://img.example/planted.png",
        "graduation_year": 2031,
        "school": [school],
        "major": [major],
    });
    sue.patch("/api/settings/", body).await.ok();
    for (path, club) in [
        ("favorites", "chess"),
        ("favorites", "go"),
        ("subscriptions", "chess"),
    ] {
        sue.post(&format!("/api/{path}/"), json!({ "club": club }))
            .await
            .created();
    }
    ada.post(
        "/api/clubs/chess/members/",
        json!({ "person": person, "role": 10, "title": "Planted title" }),
    )
    .await
    .created();
    sue.post("/api/requests/membership/", json!({ "club": "go" }))
        .await
        .created();
    ada.post(
        "/api/clubs/bridge/invites/",
        json!({ "email": "planted@uni.example" }),
    )
    .await
    .created();
    ada.post(
        &format!("{}extensions/", recruitment.path),
        json!({ "person": person, "end_time": hours(30) }),
    )
    .await
    .created();
    let submit = format!("{}submissions/", recruitment.path);
    let decided = sue
        .post(&submit, recruitment.answer("I am Planted."))
        .await
        .created();
    let mut pending = recruitment.answer("I am Planted.");
    pending["committee"] = recruitment.application["committees"][0]["id"].clone();
    sue.post(&submit, pending).await.created();
    recruitment.decide(&decided, 2, "Planted reason").await;
    let bob = recruitment.submit(&campus.as_("bob")).await;
    sue.patch(&format!("{submit}{}/", id(&bob)), json!({ "status": 4 }))
        .await
        .ok();
    recruitment.close().await;
    campus.deliver().await;
    (campus, recruitment, sue, decided)
}

// proves P14, P15, S8
#[tokio::test(start_paused = true)]
async fn erasure_leaves_only_the_status_of_decided_submissions() {
    let (campus, recruitment, sue, decided) = sue().await;
    let ada = &recruitment.officer;
    let history = format!("{}submissions/{}/history/", recruitment.path, id(&decided));
    assert!(ada.get(&history).await.text().contains("Planted reason"));
    assert_eq!(recount(&campus), [""; 0]);
    campus.erase(&sue).await;
    let stored = json!(campus.stored()).to_string().to_lowercase();
    assert!(
        !["favorite#", "subscription#"]
            .iter()
            .any(|key| stored.contains(key))
    );
    assert_eq!(ada.get("/api/clubs/chess/").await.ok()["favorite_count"], 0);
    assert!(
        !stored.contains("planted"),
        "{}",
        &stored[stored.find("planted").unwrap_or(0).saturating_sub(300)..][..600]
    );
    let list = ada
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    assert_eq!(
        list.as_array().map(Vec::len),
        Some(2),
        "the pending one is withdrawn: {list}"
    );
    let left = list
        .as_array()
        .into_iter()
        .flatten()
        .find(|submission| submission["id"] == decided["id"])
        .expect("the decided one");
    assert_eq!(
        (
            &left["user"],
            &left["status"],
            &left["responses"],
            &left["reason"]
        ),
        (&Value::Null, &json!(2), &json!([]), &json!(""))
    );
    assert_eq!(
        ada.get(&history).await.ok()[0]["changes"],
        json!({ "status": [1, 2] })
    );
    let csv = ada
        .get(&format!("{}submissions/export/", recruitment.path))
        .await
        .text();
    assert!(!csv.to_lowercase().contains("planted"));
    // Decisions that she made keep her id, but not her name.
    let bob = list
        .as_array()
        .into_iter()
        .flatten()
        .find(|submission| submission["user"]["username"] == "bob")
        .expect("Bob's");
    let of_bob = format!("{}submissions/{}/history/", recruitment.path, id(bob));
    let by = ada.get(&of_bob).await.ok()[0]["by"].clone();
    assert_eq!((&by["username"], by["id"].is_u64()), (&Value::Null, true));
    // She gets no mail any more.
    let mails = campus.mails().len();
    let report = campus
        .with_worker(recruitment.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(
        (&report["recipients"], &report["skipped"]["no_address"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(campus.mails().len(), mails);
    assert_eq!(
        ada.get("/api/clubs/chess/").await.ok()["membership_count"],
        1
    );
    assert_eq!(ada.get("/api/users/?search=planted").await.ok(), json!([]));
    assert_eq!(recount(&campus), [""; 0]);
}

// proves P18
#[tokio::test(start_paused = true)]
async fn returning_person_starts_anew_but_decisions_stand() {
    let (campus, recruitment, sue, decided) = sue().await;
    campus.erase(&sue).await;
    campus.advance(chrono::TimeDelta::minutes(1));
    // Any request stores a new profile, even one that does not read it. Then she can be added to a
    // club again.
    assert_eq!(sue.get("/api/memberships/").await.ok(), json!([]));
    let found = recruitment
        .officer
        .get("/api/users/?search=planted")
        .await
        .ok();
    recruitment
        .officer
        .post(
            "/api/clubs/go/members/",
            json!({ "person": found[0]["id"] }),
        )
        .await
        .created();
    let fresh = sue.get("/api/settings/").await.ok();
    assert_eq!(
        (
            &fresh["graduation_year"],
            &fresh["image_url"],
            &fresh["name"]
        ),
        (&Value::Null, &Value::Null, &json!("Planted Name"))
    );
    // What she decided before names nobody, also now that she is back.
    let bob = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await;
    let bob = bob.ok();
    let is_bob = |one: &&Value| one["user"]["username"] == "bob";
    let bob = bob.as_array().and_then(|all| all.iter().find(is_bob));
    let history = format!(
        "{}submissions/{}/history/",
        recruitment.path,
        id(bob.expect("Bob's"))
    );
    let history = recruitment.officer.get(&history).await.ok();
    assert_eq!(history[0]["by"]["username"], Value::Null);
    assert_eq!(sue.get("/api/submissions/").await.ok(), json!([]));
    sue.get(&format!("/api/submissions/{}/", id(&decided)))
        .await
        .error(404);
    sue.get(&format!(
        "{}submissions/{}/",
        recruitment.path,
        id(&decided)
    ))
    .await
    .error(403);
    sue.post(
        &format!("{}submissions/", recruitment.path),
        recruitment.answer("Again."),
    )
    .await
    .error(400);
    campus.erase(&sue).await;
    campus.erase(&sue).await;
    assert_eq!(recount(&campus), [""; 0]);
}

// proves P15, P18
#[tokio::test(start_paused = true)]
async fn erasure_while_it_can_be_withdrawn_leaves_no_decision() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submissions = format!("{}submissions/", recruitment.path);
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    recruitment.decide(&submission, 2, "Planted reason").await;
    campus.erase(&sue).await;
    assert!(!json!(campus.stored()).to_string().contains("Planted"));
    assert_eq!(recruitment.officer.get(&submissions).await.ok(), json!([]));
    campus.advance(chrono::TimeDelta::minutes(1));
    let anew = recruitment.submit(&sue).await;
    let list = recruitment.officer.get(&submissions).await.ok();
    assert_eq!(
        (&list[0]["id"], &list[0]["status"]),
        (&anew["id"], &json!(1))
    );
    assert_eq!(list[0]["reason"], "");
    // What was told stays, as a number without a person.
    recruitment.decide(&anew, 2, "Planted reason").await;
    recruitment.send("rejection", json!({})).await.ok();
    campus.deliver().await;
    campus.erase(&sue).await;
    let list = recruitment.officer.get(&submissions).await.ok();
    assert_eq!(
        (&list[0]["user"], &list[0]["status"]),
        (&Value::Null, &json!(2))
    );
    campus.advance(chrono::TimeDelta::minutes(1));
    let again = sue.post(&submissions, recruitment.answer("x")).await;
    assert_eq!(again.json()["code"], "application_closed");
    assert_eq!(recount(&campus), [""; 0]);
}

// proves P16
#[tokio::test(start_paused = true)]
async fn the_only_owner_of_a_club_stays() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.club("go", &ada).await;
    let olga = campus.member("go", &ada, "olga", 0).await;
    ada.delete("/api/settings/").await.error(400);
    assert_eq!(
        ada.get("/api/memberships/")
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(2),
        "the refused erasure deleted members"
    );
    ada.delete("/api/clubs/chess/").await.no_content();
    campus.erase(&ada).await;
    olga.delete("/api/settings/").await.error(400);
    assert_eq!(recount(&campus), [""; 0]);
    // The admin who restores the archived club becomes its owner.
    let restored = campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "archived": false }))
        .await
        .ok();
    assert_eq!(
        (&restored["is_member"], &restored["membership_count"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(recount(&campus), [""; 0]);
}

// proves P8, S8
#[tokio::test(start_paused = true)]
async fn former_member_keeps_submission_and_new_name_shows_everywhere() {
    let (campus, recruitment, sue, decided) = sue().await;
    let ada = &recruitment.officer;
    sue.delete("/api/clubs/chess/members/planted-user/")
        .await
        .no_content();
    assert_eq!(
        ada.get("/api/clubs/chess/members/")
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    let one = format!("{}submissions/{}/", recruitment.path, id(&decided));
    assert_eq!(ada.get(&one).await.ok()["user"]["name"], "Planted Name");
    ada.get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    campus.advance(TimeDelta::hours(1));
    let renamed = campus.client(
        &json!({ "email": "second@uni.example", "name": "Second Name" }),
        "second-user",
    );
    let same = campus.client(
        &json!({ "email": "second@uni.example", "name": "Second Name" }),
        "planted-user",
    );
    renamed.get("/api/settings/").await.ok();
    same.get("/api/settings/").await.ok();
    assert_eq!(ada.get(&one).await.ok()["user"]["name"], "Second Name");
    let bob = ada
        .get(&format!("{}submissions/?search=bob", recruitment.path))
        .await
        .ok();
    let by = ada
        .get(&format!(
            "{}submissions/{}/history/",
            recruitment.path,
            id(&bob[0])
        ))
        .await
        .ok()[0]["by"]
        .clone();
    assert_eq!(by["username"], "planted-user");
    campus
        .with_worker(recruitment.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(
        campus.mails().last().map(|mail| mail.to.clone()).as_deref(),
        Some("second@uni.example")
    );
    // The link in the mail to the old address still works.
    MailedLink::sent_to(&campus, "planted@uni.example")
        .accept(&same)
        .await
        .ok();
    assert_eq!(recount(&campus), [""; 0]);
}

/// The stored items that contain the name or another text of the person, in lower case.
pub(crate) fn planted(campus: &TestCampus) -> Vec<String> {
    let stored = campus
        .stored()
        .into_iter()
        .map(|item| item.to_string().to_lowercase());
    stored.filter(|item| item.contains("planted")).collect()
}

// proves P14
#[tokio::test(start_paused = true)]
async fn mails_about_deleted_submissions_are_erased() {
    let (campus, recruitment, sue, _) = sue().await;
    campus
        .with_worker(recruitment.send("rejection", json!({})))
        .await
        .ok();
    recruitment
        .officer
        .delete(&format!("{}?force=true", recruitment.path))
        .await
        .no_content();
    assert!(
        sue.get("/api/settings/export/")
            .await
            .text()
            .contains("Planted reason")
    );
    campus.erase(&sue).await;
    assert_eq!(planted(&campus), [""; 0]);
}

// proves P17
#[tokio::test(start_paused = true)]
async fn nobody_finds_who_is_erased_and_they_are_locked_out_until_the_end() {
    let (campus, recruitment, sue, _) = sue().await;
    let ada = &recruitment.officer;
    let person = id(&sue.get("/api/settings/").await.ok());
    sue.delete("/api/settings/").await.accepted();
    for path in ["/api/settings/", "/api/memberships/", "/api/clubs/"] {
        let response = sue.get(path).await;
        assert_eq!(response.status, 403, "{path}");
        assert_eq!(response.json()["code"], "erasing", "{path}");
    }
    let again = sue.delete("/api/settings/").await;
    assert_eq!(again.json()["code"], "erasing");
    let liked = sue
        .post("/api/favorites/", json!({ "club": "bridge" }))
        .await;
    assert_eq!(liked.json()["code"], "erasing");
    for search in ["planted", "planted@uni.example"] {
        let found = ada.get(&format!("/api/users/?search={search}")).await.ok();
        assert_eq!(found, json!([]), "{search}");
    }
    ada.post("/api/clubs/go/members/", json!({ "person": person }))
        .await
        .invalid(&["person"]);
    // The timer has not begun yet: the index may be behind.
    campus.tick().await;
    assert_ne!(planted(&campus), [""; 0]);
    campus.finish_erasures().await;
    assert_eq!(planted(&campus), [""; 0]);
    assert_eq!(sue.get("/api/memberships/").await.ok(), json!([]));
}

// proves P17, P18
#[tokio::test(start_paused = true)]
async fn the_last_look_leaves_what_returning_people_have() {
    let campus = TestCampus::new();
    campus.club("chess", &campus.as_("ada")).await;
    let (away, back) = (campus.as_("away"), campus.as_("back"));
    for person in [&away, &back] {
        person.get("/api/settings/").await.ok();
        campus.erase(person).await;
    }
    campus.advance(TimeDelta::minutes(1));
    let club = json!({ "club": "chess" });
    back.post("/api/favorites/", club).await.created();
    campus.advance(TimeDelta::hours(1));
    campus.tick().await;
    let all = back.get("/api/favorites/").await.ok();
    assert_eq!(all.as_array().map(Vec::len), Some(1));
    let entries = |item: &Value| item["what"]["M"]["kind"]["S"] == "erasure";
    assert_eq!(campus.stored().iter().filter(|one| entries(one)).count(), 0);
    assert_eq!(recount(&campus), [""; 0]);
}
