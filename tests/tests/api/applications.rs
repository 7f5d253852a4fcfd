//! `/clubs/{club}/applications/…`: from the first form to the deletion, with committees and copies

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{application, id};
use tests::{Setup, TestCampus};

// proves H12, H18, H24, A1, A2
#[tokio::test]
async fn an_application_is_created_read_listed_and_deleted() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mut body = application("Fall");
    body["description"] = json!("<p onclick=\"x()\">Hi<script>bad()</script></p>");
    body["external_url"] = json!("https://forms.example/x");
    body["acceptance_email"] = json!("<p>Hi {{ name }}</p>");
    let response = ada.post("/api/clubs/chess/applications/", body).await;
    let location = response.header("location").to_owned();
    let created = response.created();
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

// proves H6, A5
#[tokio::test]
async fn committees_keep_their_ids_by_id_and_by_name() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (tech, outreach) = (
        &recruitment.application["committees"][0],
        &recruitment.application["committees"][1],
    );
    let set = json!({
        "committees": [
            { "name": "TECH" },
            { "id": outreach["id"], "name": "Events" },
            { "name": "New" },
        ],
    });
    let changed = recruitment.officer.patch(&recruitment.path, set).await.ok();
    assert_eq!(
        changed["committees"][0],
        json!({ "id": tech["id"], "name": "TECH" })
    );
    assert_eq!(
        changed["committees"][1],
        json!({ "id": outreach["id"], "name": "Events" })
    );
    assert_eq!(changed["committees"].as_array().map(Vec::len), Some(3));
    let same = recruitment
        .officer
        .patch(&recruitment.path, json!({ "name": "x" }))
        .await
        .ok();
    assert_eq!(
        same["committees"], changed["committees"],
        "absent: nothing changes"
    );
    let twice = json!({ "committees": [{ "name": "a" }, { "name": "A" }] });
    recruitment
        .officer
        .patch(&recruitment.path, twice)
        .await
        .invalid(&["committees.1.name"]);
    recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "committees": [{ "id": 1, "name": "a" }] }),
        )
        .await
        .invalid(&["committees.0.id"]);
    recruitment
        .officer
        .patch(&recruitment.path, json!({ "committees": [{ "name": "" }] }))
        .await
        .invalid(&["committees.0.name"]);
}

// proves A6
#[tokio::test]
async fn a_committee_with_submissions_stays() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let tech = recruitment.application["committees"][0]["id"].clone();
    let sue = campus.as_("sue");
    sue.post(
        &format!("{}submissions/", recruitment.path),
        json!({ "committee": tech, "responses": [] }),
    )
    .await
    .created();
    recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "committees": [{ "name": "Outreach" }] }),
        )
        .await
        .invalid(&["committees"]);
    let outreach = recruitment.application["committees"][1]["id"].clone();
    let body = json!({
        "question_type": 1,
        "prompt": "x",
        "committee_question": true,
        "committees": [outreach],
    });
    let question = recruitment
        .officer
        .post(&format!("{}questions/", recruitment.path), body)
        .await
        .created();
    let without_outreach = recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "committees": [{ "name": "Tech" }] }),
        )
        .await
        .ok();
    assert_eq!(
        without_outreach["committees"].as_array().map(Vec::len),
        Some(1)
    );
    let one = format!("{}questions/{}/", recruitment.path, id(&question));
    let orphan = recruitment.officer.get(&one).await.ok();
    assert_eq!(
        (&orphan["committee_question"], &orphan["committees"]),
        (&json!(false), &json!([])),
        "a question for nobody is for all"
    );
    assert_eq!(
        recruitment.officer.put(&one, orphan.clone()).await.ok(),
        orphan
    );
}

// proves C9, A4
#[tokio::test]
async fn current_is_active_and_inside_its_window() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (path, sue) = ("/api/clubs/chess/applications/current/", campus.as_("sue"));
    let count = async || sue.get(path).await.ok().as_array().map(Vec::len);
    assert_eq!(count().await, Some(1));
    assert_eq!(
        sue.get("/api/clubs/chess/").await.ok()["accepting_members"],
        true
    );
    recruitment
        .officer
        .patch(&recruitment.path, json!({ "is_active": false }))
        .await
        .ok();
    assert_eq!(count().await, Some(0));
    assert_eq!(
        sue.get("/api/clubs/chess/").await.ok()["accepting_members"],
        false
    );
    recruitment
        .officer
        .patch(&recruitment.path, json!({ "is_active": true }))
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

// proves A8
#[tokio::test]
async fn a_duplicate_keeps_times_of_day_over_the_change_of_summer_time() {
    let campus = Setup::default()
        .settings(|settings| settings.mail.time_zone = chrono_tz::Europe::Berlin)
        .build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mut body = application("Fall");
    // From 09:00 to 23:59 in summer, told at 00:30 in winter.
    body["application_start_time"] = json!("2026-10-05T07:00:00Z");
    body["application_end_time"] = json!("2026-10-19T21:59:00Z");
    body["result_release_time"] = json!("2026-11-01T23:30:00Z");
    let made = ada.post("/api/clubs/chess/applications/", body).await;
    let path = format!("/api/clubs/chess/applications/{}/", id(&made.created()));
    // 00:30 in Berlin: tomorrow is the day that UTC has only the day after tomorrow.
    campus.advance(TimeDelta::minutes(14 * 60 + 30));
    let copy = ada.post(&format!("{path}duplicate/"), json!({})).await;
    let copy = copy.created();
    assert_eq!(copy["application_start_time"], "2026-11-23T08:00:00Z");
    assert_eq!(copy["application_end_time"], "2026-12-07T22:59:00Z");
    assert_eq!(copy["result_release_time"], "2026-12-20T23:30:00Z");
}

// proves A8
#[tokio::test]
async fn a_duplicate_starts_tomorrow_at_the_same_time_of_day() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let tech = &recruitment.application["committees"][0]["id"];
    let choice = json!({
        "question_type": 2,
        "prompt": "Which?",
        "multiple_choice": ["a", "b"],
        "committee_question": true,
        "committees": [tech],
    });
    recruitment
        .officer
        .post(&format!("{}questions/", recruitment.path), choice)
        .await
        .created();
    recruitment.submit(&campus.as_("sue")).await;
    let copy = recruitment
        .officer
        .send(
            http::Method::POST,
            &format!("{}duplicate/", recruitment.path),
            None,
        )
        .await
        .created();
    assert_ne!(copy["id"], recruitment.application["id"]);
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
    assert_eq!(recruitment.officer.get(&path).await.ok(), copy);
    assert_eq!(
        recruitment
            .officer
            .get(&format!("{path}submissions/"))
            .await
            .ok(),
        json!([])
    );
}

// proves A7
#[tokio::test(start_paused = true)]
async fn application_with_submissions_is_deleted_only_by_force() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    recruitment.decide(&submission, 4, "good").await;
    recruitment
        .officer
        .delete(&recruitment.path)
        .await
        .error(400);
    recruitment.officer.get(&recruitment.path).await.ok();
    recruitment
        .officer
        .delete(&format!("{}?force=maybe", recruitment.path))
        .await
        .invalid(&["force"]);
    recruitment
        .officer
        .delete(&format!("{}?force=true", recruitment.path))
        .await
        .no_content();
    recruitment.officer.get(&recruitment.path).await.error(404);
    assert_eq!(sue.get("/api/submissions/").await.ok(), json!([]));
    let left: Vec<Value> = campus
        .stored()
        .into_iter()
        .filter(|item| {
            item["pk"]["S"]
                .as_str()
                .is_some_and(|pk| pk.contains(&recruitment.application["id"].to_string()))
        })
        .collect();
    // What remains keeps late writes out, and tells what became of receipts. It says nothing else.
    for item in left {
        let kind = item["type"]["S"].as_str().unwrap_or_default();
        assert!(
            ["Tombstone", "DeletedApplication"].contains(&kind),
            "{item}"
        );
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
// proves H15, A8
#[tokio::test]
async fn no_time_leaves_the_years_that_can_be_read() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mut body = application("No deadline");
    body["application_end_time"] = json!("9999-12-31T23:59:59Z");
    body["result_release_time"] = json!("9999-12-31T23:59:59Z");
    let application = ada
        .post("/api/clubs/chess/applications/", body)
        .await
        .created();
    let path = format!("/api/clubs/chess/applications/{}/", id(&application));
    ada.post(&format!("{path}duplicate/"), Value::Null)
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

// proves O5
#[tokio::test]
async fn an_item_that_cannot_be_read_takes_no_list_with_it() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let other = recruitment
        .officer
        .post("/api/clubs/chess/applications/", application("Other"))
        .await
        .created();
    let sue = campus.as_("sue");
    recruitment.submit(&sue).await;
    recruitment.submit(&campus.as_("bob")).await;
    for kind in ["Application", "Submission", "Club", "Membership"] {
        let item = campus
            .stored()
            .into_iter()
            .find(|item| item["type"]["S"] == kind)
            .expect("an item");
        let mut broken = item.clone();
        let attribute = if kind == "Membership" {
            "details"
        } else {
            "created_at"
        };
        broken[attribute] = json!({ "S": "10000-01-01T00:00:00Z" });
        let put = |item: &Value| {
            let body = json!({ "TableName": local::table::TABLE, "Item": item });
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
            recruitment
                .officer
                .get("/api/clubs/chess/applications/")
                .await
                .ok();
            recruitment
                .officer
                .get("/api/clubs/chess/members/")
                .await
                .ok();
            recruitment
                .officer
                .get(&format!(
                    "/api/clubs/chess/applications/{}/submissions/",
                    id(&other)
                ))
                .await;
            sue.get("/api/submissions/").await.ok();
        }
        put(&item);
    }
}

// proves C23
#[tokio::test]
async fn a_visitor_sees_which_forms_are_open() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let visitor = campus.anonymous();
    let listed = async || {
        // The distribution keeps the list for a minute, and so do processes.
        campus.advance(chrono::TimeDelta::seconds(61));
        let list = visitor.get("/api/clubs/").await.ok();
        list["results"][0]["open_applications"].clone()
    };
    let shown = listed().await;
    let of = &recruitment.application;
    assert_eq!(shown[0]["id"], of["id"]);
    assert_eq!(shown[0]["name"], of["name"]);
    assert_eq!(shown[0]["application_end_time"], of["application_end_time"]);
    let named = of["committees"].as_array().into_iter().flatten();
    let named: Vec<&Value> = named.map(|committee| &committee["name"]).collect();
    assert_eq!(shown[0]["committees"], json!(named));
    let officer = &recruitment.officer;
    for n in 0..6 {
        let body = tests::fixtures::application(&format!("Form {n}"));
        officer
            .post("/api/clubs/chess/applications/", body)
            .await
            .created();
    }
    assert_eq!(listed().await.as_array().map(Vec::len), Some(5));
    let one = visitor.get("/api/clubs/chess/").await.ok();
    assert_eq!(one["open_applications"].as_array().map(Vec::len), Some(7));
    // A committee that is renamed, and a form that is switched off.
    let body = json!({ "committees": [{ "name": "Openings" }] });
    officer.patch(&recruitment.path, body).await.ok();
    let one = visitor.get("/api/clubs/chess/").await.ok();
    let forms = one["open_applications"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let own = forms.iter().find(|form| form["id"] == of["id"]);
    assert_eq!(
        own.map(|form| &form["committees"]),
        Some(&json!(["Openings"]))
    );
    let body = json!({ "is_active": false });
    officer.patch(&recruitment.path, body).await.ok();
    let one = visitor.get("/api/clubs/chess/").await.ok();
    assert_eq!(one["open_applications"].as_array().map(Vec::len), Some(6));
    // The form itself stays for people who are signed in.
    visitor.get(&recruitment.path).await.error(401);
}
