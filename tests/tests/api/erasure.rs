//! `/settings/export/`, `DELETE /settings/`: the data of a person, and what others see after an
//! erasure
//!
//! Proves P8, P13, P14, P15, P16, P17, P18, S8.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{MailedLink, Recruitment, hours, id};
use tests::recount::recount;
use tests::{Client, Setup, TestCampus};

/// A campus with as much data as possible about Sue. She is a member of the chess club, asked to
/// join go, and is invited to bridge. She has a pending and a decided submission and an extension,
/// and she made decisions about others. The last value is the decided submission.
async fn sue() -> (TestCampus, Recruitment, Client, Value) {
    sue_on(TestCampus::new()).await
}

async fn sue_on(campus: TestCampus) -> (TestCampus, Recruitment, Client, Value) {
    let drive = campus.drive("chess").await;
    let ada = drive.officer.clone();
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
    let said = json!({
        "image_url": "https://img.example/planted.png",
        "graduation_year": 2031,
        "school": [school],
        "major": [major],
    });
    sue.patch("/api/settings/", said).await.ok();
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
        &format!("{}extensions/", drive.path),
        json!({ "person": person, "end_time": hours(30) }),
    )
    .await
    .created();
    let submit = format!("{}submissions/", drive.path);
    let decided = sue
        .post(&submit, drive.answer("I am Planted."))
        .await
        .created();
    let mut pending = drive.answer("I am Planted.");
    pending["committee"] = drive.application["committees"][0]["id"].clone();
    sue.post(&submit, pending).await.created();
    drive.decide(&decided, 2, "Planted reason").await;
    let bob = drive.submit(&campus.as_("bob")).await;
    sue.patch(&format!("{submit}{}/", id(&bob)), json!({ "status": 4 }))
        .await
        .ok();
    campus.deliver().await;
    (campus, drive, sue, decided)
}

// Their address changed after they were invited (P13, P14).
#[tokio::test(start_paused = true)]
async fn an_invite_to_a_former_address_is_exported_and_erased() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let at = |name: &str, address: &str| {
        campus.client(&json!({ "email": address, "name": "A Name" }), name)
    };
    let club = async |name: &str| {
        campus.club(name, &ada).await;
        format!("/api/clubs/{name}/invites/")
    };
    let (chess, go) = (club("chess").await, club("go").await);
    at("sue", "Old@uni.example")
        .get("/api/settings/")
        .await
        .ok();
    at("bob", "b@uni.example").get("/api/settings/").await.ok();
    for (path, email) in [(&chess, "old@uni.example"), (&go, "b@uni.example")] {
        ada.post(path, json!({ "email": email })).await.created();
    }
    campus.deliver().await;
    // Bob's first address is given to somebody else.
    let sue = at("sue", "new@uni.example");
    let bob = at("bob", "bob@uni.example");
    for client in [&sue, &bob, &at("cat", "b@uni.example")] {
        client.get("/api/settings/").await.ok();
    }
    let export = async |client: &Client| client.get("/api/settings/export/").await.ok();
    let all = export(&sue).await;
    assert_eq!(all["former_emails"], json!(["old@uni.example"]));
    assert_eq!(all["invites"][0]["club_code"], "chess");
    assert_eq!(export(&bob).await["invites"], json!([]));
    for client in [&sue, &bob] {
        client.delete("/api/settings/").await.no_content();
    }
    assert_eq!(ada.get(&chess).await.ok(), json!([]));
    assert!(
        !json!(campus.stored())
            .to_string()
            .contains("old@uni.example")
    );
    assert_eq!(ada.get(&go).await.ok().as_array().map(Vec::len), Some(1));
}

#[tokio::test(start_paused = true)]
async fn the_export_has_everything_but_what_is_not_released() {
    let (campus, drive, sue, _) = sue().await;
    let all = sue.get("/api/settings/export/").await.ok();
    assert_eq!(
        (&all["profile"]["name"], &all["profile"]["graduation_year"]),
        (&json!("Planted Name"), &json!(2031))
    );
    assert_eq!(
        (
            &all["memberships"][0]["club_code"],
            &all["memberships"][0]["member"]["title"]
        ),
        (&json!("chess"), &json!("Planted title"))
    );
    assert_eq!(all["requests"][0]["club"], "go");
    let mut favorites: Vec<&str> = all["favorites"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|item| item["club_code"].as_str())
        .collect();
    favorites.sort_unstable();
    assert_eq!(
        (favorites, &all["subscriptions"][0]["club_code"]),
        (vec!["chess", "go"], &json!("chess"))
    );
    assert!(
        all["profile"]["school"][0].is_u64() && all["requests"][0]["school"][0]["name"] == "Law"
    );
    assert_eq!(
        (
            &all["invites"][0]["club_code"],
            &all["invites"][0]["invite"]["email"]
        ),
        (&json!("bridge"), &json!("planted@uni.example"))
    );
    assert_eq!(all["extensions"][0]["end_time"], hours(30));
    let subjects: Vec<&str> = all["mails"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|mail| mail["subject"].as_str())
        .collect();
    assert_eq!(subjects, ["Welcome to chess", "Invitation to join bridge"]);
    let statuses: Vec<&Value> = all["submissions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|s| &s["status"])
        .collect();
    assert_eq!(statuses, [1, 1]);
    assert!(
        !all.to_string().contains("Planted reason"),
        "not before its time: {all}"
    );
    campus
        .with_worker(drive.send("rejection", json!({})))
        .await
        .ok();
    let all = sue.get("/api/settings/export/").await.ok();
    assert!(all["mails"].to_string().contains("Planted reason"));
    let other = campus.as_("bob").get("/api/settings/export/").await.text();
    assert!(!other.to_lowercase().contains("planted"), "{other}");
}

#[tokio::test(start_paused = true)]
async fn an_unsent_acceptance_leaves_no_trace_in_the_export() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let submission = drive.submit(&sue).await;
    let before = sue.get("/api/settings/export/").await.ok();
    drive.decide(&submission, 4, "Because.").await;
    // The mail is queued, but no worker sends it.
    let send = format!("{}send_emails/", drive.path);
    let _ = tokio::time::timeout(
        std::time::Duration::from_millis(50),
        drive
            .officer
            .post(&send, json!({ "email_type": { "id": "acceptance" } })),
    )
    .await;
    assert!(
        json!(campus.stored()).to_string().contains("INVITE#"),
        "the invite is there"
    );
    assert_eq!(sue.get("/api/settings/export/").await.ok(), before);
}

#[tokio::test(start_paused = true)]
async fn erasure_leaves_nothing_but_the_status_of_decided_submissions() {
    let (campus, drive, sue, decided) = sue().await;
    let ada = &drive.officer;
    let history = format!("{}submissions/{}/history/", drive.path, id(&decided));
    assert!(ada.get(&history).await.text().contains("Planted reason"));
    assert_eq!(recount(&campus), [""; 0]);
    sue.delete("/api/settings/").await.no_content();
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
    let list = ada.get(&format!("{}submissions/", drive.path)).await.ok();
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
        .get(&format!("{}submissions/export/", drive.path))
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
    let by = ada
        .get(&format!("{}submissions/{}/history/", drive.path, id(bob)))
        .await
        .ok()[0]["by"]
        .clone();
    assert_eq!((&by["username"], by["id"].is_u64()), (&Value::Null, true));
    // She gets no mail any more.
    let mails = campus.mails().len();
    let report = campus
        .with_worker(drive.send("rejection", json!({})))
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

#[tokio::test(start_paused = true)]
async fn who_comes_back_starts_anew_but_decisions_stand() {
    let (campus, drive, sue, decided) = sue().await;
    sue.delete("/api/settings/").await.no_content();
    // Any request stores a new profile, even one that does not read it. Then she can be added to a
    // club again.
    assert_eq!(sue.get("/api/memberships/").await.ok(), json!([]));
    let found = drive.officer.get("/api/users/?search=planted").await.ok();
    drive
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
    assert_eq!(sue.get("/api/submissions/").await.ok(), json!([]));
    sue.get(&format!("/api/submissions/{}/", id(&decided)))
        .await
        .error(404);
    sue.get(&format!("{}submissions/{}/", drive.path, id(&decided)))
        .await
        .error(403);
    sue.post(
        &format!("{}submissions/", drive.path),
        drive.answer("Again."),
    )
    .await
    .error(400);
    sue.delete("/api/settings/").await.no_content();
    sue.delete("/api/settings/").await.no_content();
    assert_eq!(recount(&campus), [""; 0]);
}

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
    ada.delete("/api/settings/").await.no_content();
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

#[tokio::test(start_paused = true)]
async fn who_leaves_keeps_their_submission_and_who_is_renamed_is_renamed_everywhere() {
    let (campus, drive, sue, decided) = sue().await;
    let ada = &drive.officer;
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
    let one = format!("{}submissions/{}/", drive.path, id(&decided));
    assert_eq!(ada.get(&one).await.ok()["user"]["name"], "Planted Name");
    ada.get(&format!("{}submissions/", drive.path)).await.ok();
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
        .get(&format!("{}submissions/?search=bob", drive.path))
        .await
        .ok();
    let by = ada
        .get(&format!(
            "{}submissions/{}/history/",
            drive.path,
            id(&bob[0])
        ))
        .await
        .ok()[0]["by"]
        .clone();
    assert_eq!(by["username"], "planted-user");
    campus
        .with_worker(drive.send("rejection", json!({})))
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
fn planted(campus: &TestCampus) -> Vec<String> {
    let stored = campus
        .stored()
        .into_iter()
        .map(|item| item.to_string().to_lowercase());
    stored.filter(|item| item.contains("planted")).collect()
}

#[tokio::test(start_paused = true)]
async fn an_erasure_that_is_cut_short_anywhere_can_be_repeated() {
    for cut in 1.. {
        let (calls, armed) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicUsize::new(usize::MAX)),
        );
        let (counted, limit) = (calls.clone(), armed.clone());
        let campus = Setup::default()
            .table(Arc::new(move |_: &str, _: &[u8]| {
                let fails = counted.fetch_add(1, Ordering::SeqCst) >= limit.load(Ordering::SeqCst);
                Box::pin(async move {
                    fails.then(|| {
                        (
                            400,
                            json!({ "__type": "ResourceNotFoundException", "message": "cut" }),
                        )
                    })
                })
            }))
            .build();
        let (campus, _, sue, _) = sue_on(campus).await;
        armed.store(calls.load(Ordering::SeqCst) + cut, Ordering::SeqCst);
        let done = sue.delete("/api/settings/").await.status == 204;
        armed.store(usize::MAX, Ordering::SeqCst);
        assert!(
            done || !planted(&campus).is_empty(),
            "cut after {cut} calls"
        );
        sue.delete("/api/settings/").await.no_content();
        assert_eq!(
            (planted(&campus), recount(&campus)),
            (vec![], vec![]),
            "cut after {cut} calls"
        );
        if done {
            assert!(cut > 15, "only {cut} calls");
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_happens_beside_an_erasure_leaves_nothing_behind() {
    for milliseconds in [1, 6, 11, 16, 21, 40, 200, 900, 1_030] {
        let slow = Setup::default().latency(5);
        let (campus, drive, sue, decided) = sue_on(slow.build()).await;
        let ada = &drive.officer;
        let person = id(&sue.get("/api/settings/").await.ok());
        let link = MailedLink::sent_to(&campus, "planted@uni.example");
        let submit = format!("{}submissions/", drive.path);
        let one = format!("{submit}{}/", id(&decided));
        let mut answer = drive.answer("I am Planted.");
        answer["committee"] = drive.application["committees"][1]["id"].clone();
        let beside = async {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            futures::join!(
                ada.post("/api/clubs/go/members/", json!({ "person": person })),
                link.accept(&sue),
                sue.post("/api/requests/membership/", json!({ "club": "go" })),
                sue.post(
                    "/api/clubs/",
                    json!({ "name": "Planted club", "code": "own" })
                ),
                sue.post(&submit, answer),
                sue.patch(
                    "/api/settings/",
                    json!({ "graduation_year": 2040, "school": [] })
                ),
                sue.post("/api/favorites/", json!({ "club": "bridge" })),
                sue.post("/api/subscriptions/", json!({ "club": "bridge" })),
                sue.delete("/api/favorites/chess/"),
                drive.send("rejection", json!({})),
                ada.patch(&one, json!({ "status": 3, "reason": "Planted again" })),
            )
        };
        let (erased, others) = futures::join!(sue.delete("/api/settings/"), beside);
        assert_eq!(recount(&campus), [""; 0], "after {milliseconds} ms");
        // If her club was created first, she is its only owner and cannot be erased.
        let club = others.3.status == 201;
        assert_eq!(
            erased.status.as_u16(),
            if club { 400 } else { 204 },
            "after {milliseconds} ms: {}",
            erased.text()
        );
        if !club {
            campus.deliver().await;
            assert_eq!(planted(&campus), [""; 0], "after {milliseconds} ms");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn mails_about_submissions_that_are_gone_are_erased_too() {
    let (campus, drive, sue, _) = sue().await;
    campus
        .with_worker(drive.send("rejection", json!({})))
        .await
        .ok();
    drive
        .officer
        .delete(&format!("{}?force=true", drive.path))
        .await
        .no_content();
    assert!(
        sue.get("/api/settings/export/")
            .await
            .text()
            .contains("Planted reason")
    );
    sue.delete("/api/settings/").await.no_content();
    assert_eq!(planted(&campus), [""; 0]);
}

// If the transaction did not check the profile, a favorite that is created between the last read of
// the erasure and its end would stay.
#[tokio::test(start_paused = true)]
async fn no_favorite_is_made_of_who_is_erased() {
    for milliseconds in 1_000..1_070 {
        let campus = Setup::default().latency(5).build();
        campus.club("chess", &campus.as_("ada")).await;
        let sue = campus.as_("sue");
        sue.get("/api/settings/").await.ok();
        let (erased, _) = futures::join!(sue.delete("/api/settings/"), async {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            sue.post("/api/favorites/", json!({ "club": "chess" }))
                .await
        });
        erased.no_content();
        let of = |kind: &str| {
            campus
                .stored()
                .into_iter()
                .filter(|item| item["type"]["S"] == kind)
                .count()
        };
        assert!(
            of("Favorite") == 0 || of("Person") == 2,
            "a favorite without a person, after {milliseconds} ms"
        );
        assert_eq!(recount(&campus), [""; 0]);
    }
}
