//! `/clubs/{club}/applications/…`
//!
//! Proves H6, H8, H12, H13, H14, H15, H16, H17, H18, H20, H21, H24, C9, A1, A2, A3, A4, A5, A6,
//! A7, A8, E4, O5.

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{application, hours, id};
use tests::{Setup, TestCampus};

#[tokio::test]
async fn an_application_is_created_read_listed_and_deleted() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mut body = application("Fall");
    body["description"] = json!("<p onclick=\"x()\">Hi<script>bad()</script></p>");
    body["external_url"] = json!("https://forms.example/x");
    body["acceptance_email"] = json!("<p>Hi {{ name }}</p>");
    let answer = ada.post("/api/clubs/chess/applications/", body).await;
    let location = answer.header("location").to_owned();
    let created = answer.created();
    assert_eq!(created["description"], "<p>Hi</p>");
    assert_eq!(created["club"], "chess");
    assert_eq!(created["questions"], json!([]));
    assert_eq!(created["committees"][0]["name"], "Tech");
    assert_eq!(created["rejection_email"], "");
    assert_eq!(created["created_at"], "2026-11-21T09:00:00Z");
    assert_eq!(ada.get(&location).await.ok(), created);
    assert_eq!(
        ada.get("/api/clubs/chess/applications/").await.ok(),
        json!([created])
    );
    ada.delete(&location).await.no_content();
    ada.get(&location).await.error(404);
    assert_eq!(
        ada.get("/api/clubs/chess/applications/").await.ok(),
        json!([])
    );
}

#[tokio::test]
async fn defaults_and_required_fields() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let path = "/api/clubs/chess/applications/";
    ada.post(path, json!({})).await.invalid(&[
        "name",
        "application_start_time",
        "application_end_time",
        "result_release_time",
    ]);
    let minimal = json!({
        "name": "Fall",
        "application_start_time": hours(0),
        "application_end_time": hours(1),
        "result_release_time": hours(2),
    });
    let created = ada.post(path, minimal).await.created();
    assert_eq!(created["is_active"], false);
    assert_eq!(created["description"], "");
    assert_eq!(created["external_url"], Value::Null);
    assert_eq!(created["committees"], json!([]));
}

#[tokio::test]
async fn wrong_fields_are_all_named() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let path = "/api/clubs/chess/applications/";
    let bad = |field: &'static str, value: Value| {
        let mut body = application("Fall");
        body[field] = value;
        let ada = ada.clone();
        async move { ada.post(path, body).await.invalid(&[field]) }
    };
    bad("name", json!(" ")).await;
    bad("name", json!("x".repeat(256))).await;
    bad("name", json!(7)).await;
    bad("name", json!(null)).await;
    bad("description", json!("x".repeat(50_001))).await;
    bad("description", json!("漢".repeat(40_000))).await;
    bad("application_start_time", json!("2026-11-21T09:00:00")).await;
    bad("application_end_time", json!(hours(-2))).await;
    bad("result_release_time", json!(hours(23))).await;
    bad("is_active", json!("yes")).await;
    bad("external_url", json!("javascript:alert(1)")).await;
    bad(
        "external_url",
        json!(format!("https://x.example/{}", "a".repeat(2_048))),
    )
    .await;
    bad("acceptance_email", json!("{{ password }}")).await;
    bad("rejection_email", json!("{% for a in b %}{% endfor %}")).await;
    bad("committees", json!(vec![json!({ "name": "x" }); 51])).await;
    ada.post(path, json!({ "name": 1, "is_active": 2 }))
        .await
        .invalid(&[
            "name",
            "is_active",
            "application_start_time",
            "application_end_time",
            "result_release_time",
        ]);
    assert_eq!(ada.get(path).await.ok(), json!([]), "nothing is stored");
}

#[tokio::test]
async fn texts_at_their_limits_are_taken() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mut body = application(&"é".repeat(255));
    for field in ["description", "acceptance_email", "rejection_email"] {
        body[field] = json!("é".repeat(50_000));
    }
    let created = ada
        .post("/api/clubs/chess/applications/", body)
        .await
        .created();
    assert_eq!(
        created["description"]
            .as_str()
            .map(|text| text.chars().count()),
        Some(50_000)
    );
}

#[tokio::test]
async fn patch_changes_what_is_sent_and_checks_the_whole() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let changed = drive
        .officer
        .patch(
            &drive.path,
            json!({ "name": "Spring", "id": 1, "club": "other", "nonsense": true }),
        )
        .await
        .ok();
    assert_eq!(changed["name"], "Spring");
    assert_eq!(changed["id"], drive.application["id"]);
    assert_eq!(changed["club"], "chess");
    assert_eq!(
        changed["application_end_time"],
        drive.application["application_end_time"]
    );
    drive
        .officer
        .patch(&drive.path, json!({ "application_start_time": hours(30) }))
        .await
        .invalid(&["application_end_time"]);
    drive
        .officer
        .patch(&drive.path, json!({ "name": null }))
        .await
        .invalid(&["name"]);
    let url = drive
        .officer
        .patch(&drive.path, json!({ "external_url": "http://x.example" }))
        .await
        .ok();
    assert_eq!(url["external_url"], "http://x.example");
    assert_eq!(
        drive
            .officer
            .patch(&drive.path, json!({ "external_url": null }))
            .await
            .ok()["external_url"],
        Value::Null
    );
}

#[tokio::test]
async fn put_wants_every_field_and_takes_what_get_gave() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    drive
        .officer
        .put(&drive.path, json!({ "name": "x" }))
        .await
        .invalid(&[
            "description",
            "application_start_time",
            "application_end_time",
            "result_release_time",
            "is_active",
            "external_url",
            "acceptance_email",
            "rejection_email",
            "committees",
        ]);
    let got = drive.officer.get(&drive.path).await.ok();
    assert_eq!(drive.officer.put(&drive.path, got.clone()).await.ok(), got);
}

#[tokio::test]
async fn committees_keep_their_ids_by_id_and_by_name() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (tech, outreach) = (
        &drive.application["committees"][0],
        &drive.application["committees"][1],
    );
    let set = json!({
        "committees": [
            { "name": "TECH" },
            { "id": outreach["id"], "name": "Events" },
            { "name": "New" },
        ],
    });
    let changed = drive.officer.patch(&drive.path, set).await.ok();
    assert_eq!(
        changed["committees"][0],
        json!({ "id": tech["id"], "name": "TECH" })
    );
    assert_eq!(
        changed["committees"][1],
        json!({ "id": outreach["id"], "name": "Events" })
    );
    assert_eq!(changed["committees"].as_array().map(Vec::len), Some(3));
    let same = drive
        .officer
        .patch(&drive.path, json!({ "name": "x" }))
        .await
        .ok();
    assert_eq!(
        same["committees"], changed["committees"],
        "absent: nothing changes"
    );
    let twice = json!({ "committees": [{ "name": "a" }, { "name": "A" }] });
    drive
        .officer
        .patch(&drive.path, twice)
        .await
        .invalid(&["committees.1.name"]);
    drive
        .officer
        .patch(
            &drive.path,
            json!({ "committees": [{ "id": 1, "name": "a" }] }),
        )
        .await
        .invalid(&["committees.0.id"]);
    drive
        .officer
        .patch(&drive.path, json!({ "committees": [{ "name": "" }] }))
        .await
        .invalid(&["committees.0.name"]);
}

#[tokio::test]
async fn a_committee_with_submissions_stays() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let tech = drive.application["committees"][0]["id"].clone();
    let sue = campus.as_("sue");
    sue.post(
        &format!("{}submissions/", drive.path),
        json!({ "committee": tech, "responses": [] }),
    )
    .await
    .created();
    drive
        .officer
        .patch(
            &drive.path,
            json!({ "committees": [{ "name": "Outreach" }] }),
        )
        .await
        .invalid(&["committees"]);
    let outreach = drive.application["committees"][1]["id"].clone();
    let body = json!({
        "question_type": 1,
        "prompt": "x",
        "committee_question": true,
        "committees": [outreach],
    });
    let question = drive
        .officer
        .post(&format!("{}questions/", drive.path), body)
        .await
        .created();
    let without_outreach = drive
        .officer
        .patch(&drive.path, json!({ "committees": [{ "name": "Tech" }] }))
        .await
        .ok();
    assert_eq!(
        without_outreach["committees"].as_array().map(Vec::len),
        Some(1)
    );
    let one = format!("{}questions/{}/", drive.path, id(&question));
    let orphan = drive.officer.get(&one).await.ok();
    assert_eq!(
        (&orphan["committee_question"], &orphan["committees"]),
        (&json!(false), &json!([])),
        "a question for nobody is for all"
    );
    assert_eq!(drive.officer.put(&one, orphan.clone()).await.ok(), orphan);
}

#[tokio::test]
async fn current_is_active_and_inside_its_window() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (path, sue) = ("/api/clubs/chess/applications/current/", campus.as_("sue"));
    let count = async || sue.get(path).await.ok().as_array().map(Vec::len);
    assert_eq!(count().await, Some(1));
    assert_eq!(
        sue.get("/api/clubs/chess/").await.ok()["accepting_members"],
        true
    );
    drive
        .officer
        .patch(&drive.path, json!({ "is_active": false }))
        .await
        .ok();
    assert_eq!(count().await, Some(0));
    assert_eq!(
        sue.get("/api/clubs/chess/").await.ok()["accepting_members"],
        false
    );
    drive
        .officer
        .patch(&drive.path, json!({ "is_active": true }))
        .await
        .ok();
    campus.advance(TimeDelta::hours(24));
    assert_eq!(count().await, Some(1), "the end belongs to the window");
    campus.advance(TimeDelta::seconds(1));
    assert_eq!(count().await, Some(0));
    assert_eq!(
        sue.get("/api/clubs/chess/").await.ok()["accepting_members"],
        false
    );
}

#[tokio::test]
async fn templates_are_for_officers() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    drive
        .officer
        .patch(
            &drive.path,
            json!({ "acceptance_email": "secret template" }),
        )
        .await
        .ok();
    let sue = campus.as_("sue");
    for path in [
        drive.path.as_str(),
        "/api/clubs/chess/applications/current/",
    ] {
        let text = sue.get(path).await;
        assert!(!text.text().contains("secret template"));
        assert!(text.text().contains("\"acceptance_email\":null"));
    }
    assert_eq!(
        drive.officer.get(&drive.path).await.ok()["acceptance_email"],
        "secret template"
    );
    assert_eq!(
        campus.admin().get(&drive.path).await.ok()["acceptance_email"],
        "secret template"
    );
}

#[tokio::test]
async fn a_duplicate_starts_tomorrow_at_the_same_time_of_day() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let tech = &drive.application["committees"][0]["id"];
    let choice = json!({
        "question_type": 2,
        "prompt": "Which?",
        "multiple_choice": ["a", "b"],
        "committee_question": true,
        "committees": [tech],
    });
    drive
        .officer
        .post(&format!("{}questions/", drive.path), choice)
        .await
        .created();
    drive.submit(&campus.as_("sue")).await;
    let copy = drive
        .officer
        .send(
            http::Method::POST,
            &format!("{}duplicate/", drive.path),
            None,
        )
        .await
        .created();
    assert_ne!(copy["id"], drive.application["id"]);
    assert_eq!(copy["name"], "Fall");
    assert_eq!(copy["is_active"], false);
    assert_eq!(copy["application_start_time"], "2026-11-22T08:00:00Z");
    assert_eq!(copy["application_end_time"], "2026-11-23T09:00:00Z");
    assert_eq!(copy["result_release_time"], "2026-11-24T09:00:00Z");
    assert_eq!(copy["questions"].as_array().map(Vec::len), Some(2));
    let question = copy["questions"]
        .as_array()
        .and_then(|all| all.iter().find(|q| q["question_type"] == 2))
        .cloned()
        .unwrap_or_default();
    assert_eq!(
        question["committees"],
        json!([copy["committees"][0]["id"]]),
        "the copy's own committee"
    );
    assert_ne!(copy["committees"][0]["id"], *tech);
    assert_eq!(question["multiple_choice"][1]["value"], "b");
    let path = format!("/api/clubs/chess/applications/{}/", id(&copy));
    assert_eq!(drive.officer.get(&path).await.ok(), copy);
    assert_eq!(
        drive.officer.get(&format!("{path}submissions/")).await.ok(),
        json!([])
    );
}

#[tokio::test]
async fn an_application_with_submissions_goes_only_by_force_and_then_wholly() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let submission = drive.submit(&sue).await;
    drive.decide(&submission, 4, "good").await;
    drive.officer.delete(&drive.path).await.error(400);
    drive.officer.get(&drive.path).await.ok();
    drive
        .officer
        .delete(&format!("{}?force=maybe", drive.path))
        .await
        .invalid(&["force"]);
    drive
        .officer
        .delete(&format!("{}?force=true", drive.path))
        .await
        .no_content();
    drive.officer.get(&drive.path).await.error(404);
    assert_eq!(sue.get("/api/submissions/").await.ok(), json!([]));
    let left: Vec<Value> = campus
        .stored()
        .into_iter()
        .filter(|item| {
            item["pk"]["S"]
                .as_str()
                .is_some_and(|pk| pk.contains(&drive.application["id"].to_string()))
        })
        .collect();
    // What remains keeps late writes out, and tells what became of receipts. It says nothing else.
    for item in left {
        let kind = item["type"]["S"].as_str().unwrap_or_default();
        assert!(["Gone", "DeletedApplication"].contains(&kind), "{item}");
    }
    let of_club: Vec<Value> = campus
        .stored()
        .into_iter()
        .filter(|item| item["pk"]["S"] == "APPLICATIONS#chess")
        .collect();
    assert_eq!(of_club, Vec::<Value>::new());
}

// An earlier version stored copies with times in the year 10000. These could not be read again, and
// the club's list of applications failed.
#[tokio::test]
async fn no_time_leaves_the_years_that_can_be_read() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mut body = tests::fixtures::application("No deadline");
    body["application_end_time"] = json!("9999-12-31T23:59:59Z");
    body["result_release_time"] = json!("9999-12-31T23:59:59Z");
    let application = ada
        .post("/api/clubs/chess/applications/", body)
        .await
        .created();
    let path = format!(
        "/api/clubs/chess/applications/{}/",
        tests::fixtures::id(&application)
    );
    ada.post(&format!("{path}duplicate/"), serde_json::Value::Null)
        .await
        .invalid(&["application_end_time"]);
    assert_eq!(
        ada.get("/api/clubs/chess/applications/")
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

#[tokio::test]
async fn an_item_that_cannot_be_read_takes_no_list_with_it() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let other = drive
        .officer
        .post(
            "/api/clubs/chess/applications/",
            tests::fixtures::application("Other"),
        )
        .await
        .created();
    let sue = campus.as_("sue");
    drive.submit(&sue).await;
    drive.submit(&campus.as_("bob")).await;
    for kind in ["Application", "Submission", "Club", "Membership"] {
        let item = campus
            .stored()
            .into_iter()
            .find(|item| item["type"]["S"] == kind)
            .expect("an item");
        let mut broken = item.clone();
        let attribute = if kind == "Membership" {
            "place"
        } else {
            "created_at"
        };
        broken[attribute] = json!({ "S": "10000-01-01T00:00:00Z" });
        let put = |item: &serde_json::Value| {
            let body = json!({ "TableName": local::engine::TABLE, "Item": item });
            campus
                .campus
                .engine
                .json("PutItem", &body)
                .expect("a write");
        };
        put(&broken);
        let fresh = campus.another();
        let found = tests::recount::recount(&campus);
        assert!(
            found
                .iter()
                .any(|finding| finding.contains("cannot be read")),
            "{kind}: {found:?}"
        );
        if matches!(kind, "Club" | "Membership") {
            fresh.anonymous().get("/api/clubs/").await.ok();
            campus.admin().get("/api/clubs/").await.ok();
        } else {
            drive
                .officer
                .get("/api/clubs/chess/applications/")
                .await
                .ok();
            drive.officer.get("/api/clubs/chess/members/").await.ok();
            drive
                .officer
                .get(&format!(
                    "/api/clubs/chess/applications/{}/submissions/",
                    tests::fixtures::id(&other)
                ))
                .await;
            sue.get("/api/submissions/").await.ok();
        }
        put(&item);
    }
}

// The texts are an item of their own. If a write did not name the texts that it was made for, the
// officer whose form was read before the other one's change would bring the old text back.
#[tokio::test(start_paused = true)]
async fn officers_who_change_different_texts_at_once_lose_none() {
    let campus = Setup::default().latency(5).build();
    let drive = campus.drive("chess").await;
    let change = |field: &'static str, text: &'static str| {
        let (officer, path) = (drive.officer.clone(), drive.path.clone());
        async move { officer.patch(&path, json!({ field: text })).await.ok() }
    };
    for round in ["<p>one</p>", "<p>two</p>"] {
        futures::join!(
            change("description", round),
            change("acceptance_email", round),
            change("rejection_email", round),
            change("name", "Spring"),
        );
        let now = drive.officer.get(&drive.path).await.ok();
        for field in ["description", "acceptance_email", "rejection_email"] {
            assert_eq!(now[field], round, "{field}");
        }
        assert_eq!(now["name"], "Spring");
    }
}
