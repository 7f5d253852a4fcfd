//! How many drafts and submissions a person may have, and answers that are too large to be shown.

use axum::http::Method;
use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{application, id};

use crate::submit_again::campus;

// proves N10
#[tokio::test]
async fn drafts_of_one_application_are_bounded() {
    let (campus, recruitment) = campus().await;
    let (sue, path) = (campus.as_("sue"), format!("{}questions/", recruitment.path));
    let mut questions = vec![recruitment.question];
    for n in 0..20 {
        let body = json!({ "question_type": 1, "prompt": format!("Q{n}") });
        questions.push(id(&recruitment.officer.post(&path, body).await.created()));
    }
    let text = "ü".repeat(19_000);
    let save = async |committee: Option<u64>, question: u64, version: u32, text: &str| {
        let query = committee.map_or_else(String::new, |id| format!("?committee={id}"));
        let body = json!({
            "responses": [{ "question": question, "text": text, "version": version }],
        });
        sue.patch(&format!("{}draft/{query}", recruitment.path), body)
            .await
    };
    let committee = id(&recruitment.application["committees"][0]);
    for question in &questions[..10] {
        save(Some(committee), *question, 0, &text).await.ok();
    }
    for question in &questions[..6] {
        save(None, *question, 0, &text).await.ok();
    }
    let refused = save(None, questions[6], 0, &text).await;
    assert_eq!(refused.json()["code"], "quota");
    refused.invalid(&["responses"]);
    // Smaller is possible, and a draft that was submitted does not count any more.
    save(None, questions[0], 1, "short").await.ok();
    save(None, questions[6], 0, &text).await.ok();
    campus.advance(TimeDelta::seconds(1));
    let body = json!({ "committee": committee, "responses": [] });
    sue.post(&format!("{}submissions/", recruitment.path), body)
        .await
        .created();
    save(None, questions[7], 0, &text).await.ok();
    // Answers that were submitted give no room to others.
    let body = json!({ "responses": [] });
    campus.advance(TimeDelta::seconds(1));
    sue.post(&format!("{}submissions/", recruitment.path), body)
        .await
        .created();
    for question in &questions[..16] {
        save(Some(committee), *question, 0, &text).await.ok();
    }
    let all = |questions: &[u64]| {
        let answer = |id: &u64| json!({ "question": id, "text": text, "version": 0 });
        json!({ "responses": questions.iter().map(answer).collect::<Vec<_>>() })
    };
    let draft = format!("{}draft/", recruitment.path);
    let more = sue.patch(&draft, all(&questions[1..7])).await;
    assert_eq!(more.json()["code"], "quota");
}

// proves S18
#[tokio::test]
async fn a_person_has_at_most_three_hundred_submissions() {
    let (campus, recruitment) = campus().await;
    let sue = campus.as_("sue");
    let sent = recruitment.submit(&sue).await;
    let table = &campus.campus.app.table;
    let person = shared::ids::Id::new(id(&sent["user"]));
    let model = tests::fixtures::answered_of(table, person.get()).await;
    let more = (1..299).map(|n| shared::domain::Answered {
        submission: shared::domain::Submission {
            id: shared::ids::Id::new(n),
            application: shared::ids::Id::new(n),
            ..model.submission.clone()
        },
        answers: model.answers.clone(),
    });
    let more: Vec<_> = more.collect();
    table.load_answered(&more).await.expect("a table");
    // The last one was stored a moment ago, and the index does not show it yet.
    let noted = shared::domain::RecentSubmission {
        person,
        submission: shared::ids::Id::new(299),
        application: shared::ids::Id::new(299),
        received: model.received,
        expires: model.created_at.plus(TimeDelta::hours(1)).epoch_seconds(),
    };
    table.note_recent_submission(&noted).await.expect("a table");
    let path = format!("{}submissions/", recruitment.path);
    let body =
        json!({ "committee": recruitment.application["committees"][0]["id"], "responses": [] });
    let refused = sue.post(&path, body.clone()).await;
    assert_eq!(refused.json()["code"], "quota");
    refused.error(400);
    // The ones that are there can be changed, and a withdrawal makes room.
    sue.post(&path, recruitment.answer("Newer.")).await.ok();
    sue.delete(&format!("/api/submissions/{}/", id(&sent)))
        .await
        .no_content();
    sue.post(&path, body).await.created();
}

// proves S13, P13
#[tokio::test]
async fn long_submissions_come_in_parts() {
    let (campus, recruitment) = campus().await;
    let sue = campus.as_("sue");
    let mut questions = vec![recruitment.question];
    for _ in 0..14 {
        let body = json!({ "question_type": 1, "prompt": "And?" });
        let path = format!("{}questions/", recruitment.path);
        questions.push(id(&recruitment.officer.post(&path, body).await.created()));
    }
    let responses: Vec<Value> = questions
        .iter()
        .map(|question| json!({ "question": question, "text": "x".repeat(19_000) }))
        .collect();
    let path = format!("{}submissions/", recruitment.path);
    let body = json!({ "committee": null, "responses": responses });
    let sent = sue.post(&path, body).await.created();
    let table = &campus.campus.app.table;
    let model = tests::fixtures::answered_of(table, id(&sent["user"])).await;
    let more = (1..30).map(|n| shared::domain::Answered {
        submission: shared::domain::Submission {
            id: shared::ids::Id::new(n),
            sequence: n,
            ..model.submission.clone()
        },
        answers: model.answers.clone(),
    });
    let more: Vec<_> = more.collect();
    table.load_answered(&more).await.expect("a table");
    let parts = async |path: &str, list: &dyn Fn(Value) -> Value| {
        let (mut next, mut ids, mut count) = (path.to_owned(), vec![], 0);
        while !next.is_empty() {
            let part = sue.get(&next).await;
            assert!(part.usage.read_units <= 700.0, "{:?}", part.usage);
            let link = part.header("link").to_owned();
            next = link.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
            let list = list(part.ok());
            ids.extend(list.as_array().into_iter().flatten().map(id));
            count += 1;
        }
        ids.dedup();
        (ids.len(), count)
    };
    let whole = |list: Value| list;
    let (all, count) = parts("/api/submissions/", &whole).await;
    assert!(all == 30 && (3..=10).contains(&count), "{all} {count}");
    assert_eq!(parts("/api/submissions/?limit=4", &whole).await, (30, 8));
    let of_export = |export: Value| export["submissions"].clone();
    let (all, count) = parts("/api/settings/export/", &of_export).await;
    assert!(all == 30 && (3..=10).contains(&count), "{all} {count}");
}

// proves H35
#[tokio::test]
async fn a_stored_write_with_a_large_answer_is_no_error() {
    let (campus, recruitment) = campus().await;
    let path = format!("{}questions/", recruitment.path);
    let options: Vec<String> = (0..50)
        .map(|n| format!("{n:02}{}", "ü".repeat(998)))
        .collect();
    for n in 0..48 {
        let body = json!({
            "question_type": 2, "prompt": format!("Q{n}"), "multiple_choice": options,
        });
        recruitment.officer.post(&path, body).await.created();
    }
    let ada = recruitment
        .officer
        .clone()
        .header("accept-encoding", "identity");
    ada.get(&recruitment.path).await.error(400);
    let body = Some("application/json");
    let done = ada
        .raw(
            Method::PATCH,
            &recruitment.path,
            body,
            r#"{"name":"Renamed"}"#,
        )
        .await;
    assert_eq!(done.status, 200, "{}", done.text().len());
    let short = done.json();
    assert_eq!(
        (&short["name"], &short["truncated"]),
        (&json!("Renamed"), &json!(true))
    );
    assert!(short.get("questions").is_none());
    let copy = format!("{}duplicate/", recruitment.path);
    let copy = ada.raw(Method::POST, &copy, None, "").await;
    assert_eq!(
        (copy.status.as_u16(), &copy.json()["truncated"]),
        (201, &json!(true))
    );
    let whole = recruitment
        .officer
        .clone()
        .header("accept-encoding", "gzip");
    assert_eq!(whole.get(copy.header("location")).await.status, 200);
    let short = application("Other");
    let listed = campus
        .as_("ada")
        .post("/api/clubs/chess/applications/", short)
        .await;
    assert_eq!(listed.created().get("truncated"), None);
}

// proves N10
#[tokio::test]
async fn drafts_of_one_application_have_three_hundred_answers() {
    let (campus, recruitment) = campus().await;
    let (sue, path) = (campus.as_("sue"), format!("{}questions/", recruitment.path));
    let committees = ["A", "B", "C", "D"].map(|name| json!({ "name": name }));
    let committees = json!({ "committees": committees });
    let officer = &recruitment.officer;
    let application = officer.patch(&recruitment.path, committees).await.ok();
    let mut questions = vec![recruitment.question];
    for n in 1..80 {
        let body = json!({ "question_type": 1, "prompt": format!("Q{n}") });
        questions.push(id(&officer.post(&path, body).await.created()));
    }
    let save = async |n: usize, questions: &[u64], text: Option<&str>, version: u32| {
        let committee = id(&application["committees"][n]);
        let answer = |id: &u64| json!({ "question": id, "text": text, "version": version });
        let responses: Vec<_> = questions.iter().map(answer).collect();
        let path = format!("{}draft/?committee={committee}", recruitment.path);
        sue.patch(&path, json!({ "responses": responses })).await
    };
    for n in 0..3 {
        save(n, &questions, Some("x"), 0).await.ok();
    }
    save(3, &questions[..60], Some("x"), 0).await.ok();
    let refused = save(3, &questions[60..61], Some("x"), 0).await;
    assert_eq!(refused.json()["code"], "quota");
    refused.invalid(&["responses"]);
    // An answer that is there may change, and one that is removed makes room.
    save(3, &questions[..1], Some("longer"), 1).await.ok();
    save(0, &questions[..1], None, 1).await.ok();
    save(3, &questions[60..61], Some("x"), 0).await.ok();
    // What was submitted does not count.
    let body = json!({ "committee": application["committees"][1]["id"], "responses": [] });
    campus.advance(TimeDelta::seconds(1));
    sue.post(&format!("{}submissions/", recruitment.path), body)
        .await
        .created();
    save(3, &questions[61..], Some("x"), 0).await.ok();
}
