//! Decisions: PATCH and PUT of a submission, bulk decisions, history

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{Recruitment, for_officer, hours, id};

// proves H19, D1, D2
#[tokio::test]
async fn any_status_follows_any_other_and_each_change_is_kept() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    let path = format!("{}submissions/{}/", recruitment.path, id(&submission));
    for (hour, status) in [(1, 4), (2, 2), (3, 3), (4, 1)] {
        campus.advance(TimeDelta::hours(1));
        let decided = recruitment
            .officer
            .patch(&path, json!({ "status": status }))
            .await
            .ok();
        assert_eq!(
            (&decided["status"], &decided["updated_at"]),
            (&json!(status), &json!(hours(hour)))
        );
    }
    recruitment
        .officer
        .patch(&path, json!({ "status": 1, "reason": "" }))
        .await
        .ok();
    let put = recruitment
        .officer
        .put(&path, json!({ "status": 4, "reason": "<b>good</b>" }))
        .await
        .ok();
    assert_eq!(put["reason"], "<b>good</b>");
    let history = recruitment
        .officer
        .get(&format!("{path}history/"))
        .await
        .ok();
    let changes: Vec<&Value> = history
        .as_array()
        .map(|all| all.iter().map(|change| &change["changes"]).collect())
        .unwrap_or_default();
    assert_eq!(
        changes,
        [
            &json!({ "status": [1, 4] }),
            &json!({ "status": [4, 2] }),
            &json!({ "status": [2, 3] }),
            &json!({ "status": [3, 1] }),
            &json!({ "status": [1, 4], "reason": ["", "<b>good</b>"] }),
        ],
        "a request that changes nothing leaves no entry"
    );
    let ada = id(&recruitment.officer.get("/api/settings/").await.ok());
    assert_eq!(history[0]["by"], json!({ "id": ada, "username": "ada" }));
    assert_eq!(history[0]["at"], hours(1));
}

// proves H10, H16, D1
#[tokio::test]
async fn wrong_decisions_are_named() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    let path = format!("{}submissions/{}/", recruitment.path, id(&submission));
    let officer = &recruitment.officer;
    officer
        .patch(&path, json!({ "status": 5 }))
        .await
        .invalid(&["status"]);
    officer
        .patch(&path, json!({ "status": "4" }))
        .await
        .invalid(&["status"]);
    officer
        .patch(&path, json!({ "status": null }))
        .await
        .invalid(&["status"]);
    officer
        .patch(&path, json!({ "reason": "x".repeat(5_001) }))
        .await
        .invalid(&["reason"]);
    officer
        .put(&path, json!({ "status": 4 }))
        .await
        .invalid(&["reason"]);
    officer
        .patch(
            &format!("{}submissions/1/", recruitment.path),
            json!({ "status": 4 }),
        )
        .await
        .error(404);
    let reasons = format!("{}submissions/reason/", recruitment.path);
    officer
        .post(
            &reasons,
            json!({ "submissions": [{ "id": submission["id"], "reason": "x".repeat(5_001) }] }),
        )
        .await
        .invalid(&["submissions.0.reason"]);
    officer
        .post(
            &reasons,
            json!({ "submissions": [{ "id": submission["id"] }] }),
        )
        .await
        .invalid(&["submissions.0.reason"]);
    officer
        .post(
            &reasons,
            json!({ "submissions": [[submission["id"], "x"]] }),
        )
        .await
        .invalid(&["submissions.0"]);
    assert_eq!(officer.get(&path).await.ok(), for_officer(&submission));
}

/// A campus, a recruitment, its 120 submissions, and a submission of another recruitment.
async fn many() -> (TestCampus, Recruitment, Vec<u64>, u64) {
    let campus = TestCampus::new();
    let (recruitment, other) = (
        campus.recruitment("chess").await,
        campus.recruitment("go").await,
    );
    let mut ids = Vec::new();
    for n in 0..120 {
        ids.push(id(&recruitment
            .submit(&campus.as_(&format!("student{n}")))
            .await));
    }
    let foreign = id(&other.submit(&campus.as_("sue")).await);
    (campus, recruitment, ids, foreign)
}

// proves D3
#[tokio::test]
async fn bulk_decisions_are_all_or_nothing() {
    let (_campus, recruitment, ids, foreign) = many().await;
    let path = format!("{}submissions/", recruitment.path);
    let statuses = format!("{path}status/");
    let officer = &recruitment.officer;
    officer
        .post(
            &statuses,
            json!({ "submissions": [ids[0], foreign], "status": 4 }),
        )
        .await
        .invalid(&["submissions.1"]);
    officer
        .post(&statuses, json!({ "submissions": ids, "status": 9 }))
        .await
        .invalid(&["status"]);
    officer
        .post(&statuses, json!({ "status": 4 }))
        .await
        .invalid(&["submissions"]);
    officer
        .post(
            &statuses,
            json!({ "submissions": (1..=2_001).collect::<Vec<u64>>(), "status": 4 }),
        )
        .await
        .invalid(&["submissions"]);
    assert_eq!(
        officer.get(&format!("{path}?status=4")).await.ok(),
        json!([])
    );
    let unknown = json!({ "submissions": [{ "id": foreign, "reason": "x" }] });
    officer
        .post(&format!("{path}reason/"), unknown)
        .await
        .invalid(&["submissions.0.id"]);
}

// proves D2, D3
#[tokio::test]
async fn bulk_decisions_reach_every_submission() {
    let (_campus, recruitment, ids, _) = many().await;
    let path = format!("{}submissions/", recruitment.path);
    let statuses = format!("{path}status/");
    let officer = &recruitment.officer;
    let done = officer
        .post(&statuses, json!({ "submissions": ids, "status": 4 }))
        .await
        .ok();
    assert_eq!(done["updated"], 120);
    assert!(done["detail"].is_string());
    assert_eq!(
        officer
            .get(&format!("{path}?status=4"))
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(120)
    );
    let reasons: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "id": id, "reason": format!("reason {id}") }))
        .collect();
    assert_eq!(
        officer
            .post(&format!("{path}reason/"), json!({ "submissions": reasons }))
            .await
            .ok()["updated"],
        120
    );
    let one = officer.get(&format!("{path}{}/", ids[7])).await.ok();
    assert_eq!(
        (&one["status"], &one["reason"]),
        (&json!(4), &json!(format!("reason {}", ids[7])))
    );
    let history = officer
        .get(&format!("{path}{}/history/", ids[7]))
        .await
        .ok();
    assert_eq!(history[0]["changes"], json!({ "status": [1, 4] }));
    assert_eq!(history[0]["by"]["username"], "ada");
    assert_eq!(history[0]["at"], hours(0));
    assert_eq!(
        history[1]["changes"],
        json!({ "reason": ["", format!("reason {}", ids[7])] })
    );
}

// proves D3
#[tokio::test]
async fn many_with_the_longest_reasons_are_decided_at_once() {
    let (_campus, recruitment, ids, _) = many().await;
    let path = format!("{}submissions/", recruitment.path);
    let reason = "😀".repeat(5_000);
    let reasons: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "id": id, "reason": reason }))
        .collect();
    // A body has at most 1 MiB.
    for some in reasons.chunks(40) {
        let body = json!({ "submissions": some });
        let done = recruitment
            .officer
            .post(&format!("{path}reason/"), body)
            .await;
        assert_eq!(done.ok()["updated"], 40);
    }
    // A transaction has at most 4 MB.
    let all = json!({ "submissions": ids, "status": 4 });
    let done = recruitment
        .officer
        .post(&format!("{path}status/"), all)
        .await;
    assert_eq!(done.ok()["updated"], 120);
}

// proves D3
#[tokio::test]
async fn bulk_decision_skips_changed_statuses() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let mut ids = vec![];
    for name in ["sue", "bob", "kim"] {
        ids.push(id(&recruitment.submit(&campus.as_(name)).await));
    }
    // Another officer has accepted the second one, and rejected the third one.
    recruitment.decide(&json!({ "id": ids[1] }), 4, "").await;
    recruitment.decide(&json!({ "id": ids[2] }), 2, "").await;
    let path = format!("{}submissions/status/", recruitment.path);
    let body = |was: Value| json!({ "submissions": ids, "status": 2, "was_status": was });
    let done = recruitment.officer.post(&path, body(json!(1))).await.ok();
    // The third one has the new status already.
    assert_eq!(done["updated"], 2);
    let mut now = vec![];
    for id in &ids {
        let one = format!("{}submissions/{id}/", recruitment.path);
        now.push(recruitment.officer.get(&one).await.ok()["status"].clone());
    }
    assert_eq!(now, [2, 4, 2]);
    let wrong = recruitment.officer.post(&path, body(json!(7))).await;
    wrong.invalid(&["was_status"]);
    let all = recruitment
        .officer
        .post(&path, body(json!(null)))
        .await
        .ok();
    assert_eq!(all["updated"], 3);
}

// proves D3
#[tokio::test]
async fn many_get_a_decision_with_a_reason_and_what_others_decided_stays() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let mut ids = vec![];
    for name in ["sue", "bob", "kim"] {
        ids.push(id(&recruitment.submit(&campus.as_(name)).await));
    }
    recruitment.decide(&json!({ "id": ids[1] }), 4, "").await;
    let reason = "Next year?";
    recruitment
        .decide(&json!({ "id": ids[2] }), 2, reason)
        .await;
    let path = format!("{}submissions/status/", recruitment.path);
    let body = json!({
        "submissions": ids, "status": 2, "was_status": 1, "reason": "Too many applied.",
    });
    // The repeat finds its own decision.
    for _ in 0..2 {
        let done = recruitment.officer.post(&path, body.clone()).await.ok();
        assert_eq!(done["updated"], 1);
    }
    let mut now = vec![];
    for id in &ids {
        let one = format!("{}submissions/{id}/", recruitment.path);
        let one = recruitment.officer.get(&one).await.ok();
        now.push((one["status"].clone(), one["reason"].clone()));
    }
    let expected = [(2, "Too many applied."), (4, ""), (2, reason)];
    assert_eq!(
        now,
        expected.map(|(status, text)| (json!(status), json!(text)))
    );
    let long = json!({ "submissions": ids, "status": 2, "reason": "x".repeat(5_001) });
    recruitment
        .officer
        .post(&path, long)
        .await
        .invalid(&["reason"]);
}

// proves S8
#[tokio::test]
async fn a_decision_does_not_change_when_it_was_submitted() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let first = recruitment.submit(&sue).await;
    campus.advance(chrono::TimeDelta::hours(2));
    let again = recruitment.submit_again(&sue).await;
    assert_eq!(again["created_at"], first["created_at"]);
    assert_eq!(again["submitted_at"], again["updated_at"]);
    assert_ne!(again["submitted_at"], first["submitted_at"]);
    campus.advance(chrono::TimeDelta::hours(2));
    let decided = recruitment.decide(&again, 4, "").await;
    assert_eq!(decided["submitted_at"], again["submitted_at"]);
    assert_ne!(decided["updated_at"], again["updated_at"]);
    assert_eq!(
        recruitment.own(&sue, &again).await["submitted_at"],
        again["submitted_at"]
    );
}

// proves D6, E9, E10
#[tokio::test]
async fn answers_that_are_newer_than_the_decision_are_shown_to_officers() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let one = format!("{}submissions/{}/", recruitment.path, id(&submission));
    let is_changed = async || {
        let shown = recruitment.officer.get(&one).await.ok();
        let own = recruitment.own(&sue, &submission).await;
        assert_eq!(own.get("changed_after_decision"), None);
        shown["changed_after_decision"].clone()
    };
    recruitment.submit_again(&sue).await;
    assert_eq!(is_changed().await, false, "it is pending");
    let decided = recruitment.decide(&submission, 4, "Good.").await;
    assert_eq!(decided["changed_after_decision"], false);
    let preview = recruitment
        .send("acceptance", json!({ "dry_run": true }))
        .await
        .ok();
    assert_eq!(
        preview["warnings"].as_array().map(Vec::len),
        Some(1),
        "{preview}"
    );
    let path = format!("{}submissions/", recruitment.path);
    sue.post(&path, recruitment.answer("other")).await.ok();
    assert_eq!(is_changed().await, true);
    let changed = recruitment
        .send("acceptance", json!({ "digest": preview["digest"] }))
        .await;
    assert_eq!(changed.json()["code"], "digest_changed");
    let preview = recruitment
        .send("acceptance", json!({ "dry_run": true }))
        .await
        .ok();
    let reasons = preview["warning_reasons"].to_string() + &preview["warnings"].to_string();
    assert!(reasons.contains("newer than their decision"), "{preview}");
    // A reason alone says nothing about the answers. The status does, also if it is the same.
    recruitment
        .officer
        .patch(&one, json!({ "reason": "Fine." }))
        .await
        .ok();
    assert_eq!(is_changed().await, true);
    let history = format!("{one}history/");
    let before = recruitment.officer.get(&history).await.ok();
    let many = json!({ "submissions": [submission["id"]], "status": 4 });
    let many = recruitment
        .officer
        .post(&format!("{path}status/"), many)
        .await
        .ok();
    assert_eq!(many["updated"], 1);
    assert_eq!(is_changed().await, false);
    assert_eq!(recruitment.officer.get(&history).await.ok(), before);
    sue.post(&path, recruitment.answer("more")).await.ok();
    assert_eq!(is_changed().await, true);
    let same = recruitment
        .officer
        .patch(&one, json!({ "status": 4 }))
        .await
        .ok();
    assert_eq!(same["changed_after_decision"], false);
    sue.post(&path, recruitment.answer("most")).await.ok();
    recruitment
        .officer
        .patch(&one, json!({ "status": 1 }))
        .await
        .ok();
    assert_eq!(is_changed().await, false, "it is pending again");
}

// proves D7
#[tokio::test]
async fn results_that_were_shown_stay_shown() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let officer = &recruitment.officer;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    campus.advance(TimeDelta::hours(49));
    let to = |hour: i64| json!({ "result_release_time": hours(hour) });
    officer.patch(&recruitment.path, to(60)).await.ok();
    // The decision is stored before the release, and taken back: the results may have been shown.
    recruitment.decide(&submission, 4, "").await;
    recruitment.decide(&submission, 1, "").await;
    officer.patch(&recruitment.path, to(70)).await.ok();
    campus.advance(TimeDelta::hours(22));
    let refused = officer.patch(&recruitment.path, to(72)).await;
    refused.invalid(&["result_release_time"]);
    officer.patch(&recruitment.path, to(50)).await.ok();
    let name = json!({ "name": "Autumn" });
    officer.patch(&recruitment.path, name).await.ok();
    let duplicate = format!("{}duplicate/", recruitment.path);
    let copy = officer.post(&duplicate, json!({})).await.created();
    let copy = format!("/api/clubs/chess/applications/{}/", id(&copy));
    officer.patch(&copy, to(1_000)).await.ok();
}

// proves D7
#[tokio::test]
async fn a_reason_or_a_refused_decision_is_no_decision() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let officer = &recruitment.officer;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    let one = format!("{}submissions/{}/", recruitment.path, id(&submission));
    officer
        .patch(&one, json!({ "reason": "A note." }))
        .await
        .ok();
    let behind = officer.clone().header("if-match", "\"old\"");
    behind.patch(&one, json!({ "status": 4 })).await.error(412);
    let none = json!({ "submissions": [submission["id"]], "status": 4, "was_status": 2 });
    let many = format!("{}submissions/status/", recruitment.path);
    assert_eq!(officer.post(&many, none).await.ok()["updated"], 0);
    campus.advance(TimeDelta::hours(50));
    let later = json!({ "result_release_time": hours(60) });
    officer.patch(&recruitment.path, later).await.ok();
}

// proves D4, D6, D7
#[tokio::test]
async fn two_first_decisions_are_both_stored_and_noted_once() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let [sue, tom] = ["sue", "tom"].map(|name| campus.as_(name));
    let (sue, tom) = (
        recruitment.submit(&sue).await,
        recruitment.submit(&tom).await,
    );
    let both = futures::join!(
        recruitment.decide(&sue, 4, ""),
        recruitment.decide(&tom, 2, "")
    );
    assert_eq!(
        (&both.0["status"], &both.1["status"]),
        (&json!(4), &json!(2))
    );
    campus.advance(TimeDelta::hours(50));
    let later = json!({ "result_release_time": hours(60) });
    let later = recruitment.officer.patch(&recruitment.path, later).await;
    later.invalid(&["result_release_time"]);
}
