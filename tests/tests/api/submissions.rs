//! `/clubs/{club}/applications/{application}/submissions/…`
//!
//! Proves H6, H16, H24, H26, H27, P8, A4, Q2, S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, S12.

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{for_officer, hours, id};

#[tokio::test]
async fn a_submission_is_stored_as_it_was_sent() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let tech = &drive.application["committees"][0];
    let sue = campus.as_("sue");
    sue.patch("/api/settings/", json!({ "graduation_year": 2028 }))
        .await
        .ok();
    let body = json!({
        "committee": tech["id"],
        "responses": [{ "question": drive.question, "text": " Because <b> \n" }],
    });
    let path = format!("{}submissions/", drive.path);
    let submission = sue.post(&path, body).await.created();
    let me = id(&sue.get("/api/settings/").await.ok());
    assert_eq!(
        submission,
        json!({
            "id": submission["id"],
            "club": drive.club,
            "application": drive.application["id"],
            "user": {
                "id": me,
                "username": "sue",
                "name": "sue Test",
                "first_name": "sue",
                "last_name": "Test",
                "email": "sue@uni.example",
                "graduation_year": 2028,
                "school": [],
                "major": [],
            },
            "status": 1,
            "reason": "",
            "committee": tech,
            "responses": [{
                "question": {
                    "id": drive.question,
                    "question_type": 1,
                    "prompt": "Why?",
                    "word_limit": 0,
                    "precedence": 0,
                },
                "text": " Because <b> \n",
                "multiple_choice": null,
            }],
            "notified": false,
            "email_status": null,
            "revision": 1,
            "receipt": submission["receipt"],
            "created_at": hours(0),
            "updated_at": hours(0),
        })
    );
    let shown = for_officer(&submission);
    assert_eq!(drive.officer.get(&path).await.ok(), json!([shown]));
    assert_eq!(
        drive
            .officer
            .get(&format!("{path}{}/", id(&submission)))
            .await
            .ok(),
        shown
    );
    assert_eq!(
        sue.get(&format!("{path}{}/", id(&submission))).await.ok(),
        submission
    );
    campus
        .as_("bob")
        .get(&format!("{path}{}/", id(&submission)))
        .await
        .error(403);
    campus.as_("bob").get(&format!("{path}1/")).await.error(403);
    drive.officer.get(&format!("{path}1/")).await.error(404);
}

#[tokio::test]
async fn each_broken_rule_is_named_and_nothing_is_stored() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let other = campus.drive("go").await;
    let questions = format!("{}questions/", drive.path);
    let new = async |body: Value| drive.officer.post(&questions, body).await.created();
    let limited = id(&new(json!({ "question_type": 3, "prompt": "Short", "word_limit": 3 })).await);
    let info = id(&new(json!({ "question_type": 4, "prompt": "Info" })).await);
    let choice =
        new(json!({ "question_type": 2, "prompt": "Which", "multiple_choice": ["a", "b"] })).await;
    let second =
        new(json!({ "question_type": 2, "prompt": "Which", "multiple_choice": ["c", "d"] })).await;
    let (tech, outreach) = (
        &drive.application["committees"][0]["id"],
        &drive.application["committees"][1]["id"],
    );
    let special = id(&new(json!({
        "question_type": 1,
        "prompt": "For tech",
        "committee_question": true,
        "committees": [tech],
    }))
    .await);
    let (option, foreign) = (
        &choice["multiple_choice"][0]["id"],
        &second["multiple_choice"][0]["id"],
    );
    let free = drive.question;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", drive.path);
    for (field, body) in [
        ("responses", json!({})),
        ("responses", json!({ "responses": null })),
        ("responses", json!({ "responses": {} })),
        ("responses", json!({ "responses": vec![json!({}); 101] })),
        (
            "responses.0.text",
            json!({ "responses": [{ "question": free, "text": 1 }] }),
        ),
        (
            "responses.0.question",
            json!({ "responses": [{ "text": "x" }] }),
        ),
        (
            "responses.0.question",
            json!({ "responses": [{ "question": other.question, "text": "x" }] }),
        ),
        (
            "responses.1.question",
            json!({
                "responses": [{ "question": free, "text": "x" }, { "question": free, "text": "y" }],
            }),
        ),
        (
            "responses.0.question",
            json!({ "responses": [{ "question": info, "text": "x" }] }),
        ),
        (
            "responses.0.text",
            json!({ "responses": [{ "question": limited, "text": "one two  three\nfour" }] }),
        ),
        (
            "responses.0.text",
            json!({ "responses": [{ "question": free, "text": "x".repeat(20_001) }] }),
        ),
        (
            "responses.0.text",
            json!({ "responses": [{ "question": choice["id"], "text": "a" }] }),
        ),
        (
            "responses.0.multiple_choice",
            json!({ "responses": [{ "question": choice["id"], "multiple_choice": foreign }] }),
        ),
        (
            "responses.0.multiple_choice",
            json!({ "responses": [{ "question": free, "multiple_choice": option }] }),
        ),
        (
            "responses.0.question",
            json!({ "responses": [{ "question": special, "text": "x" }] }),
        ),
        (
            "responses.0.question",
            json!({ "committee": outreach, "responses": [{ "question": special, "text": "x" }] }),
        ),
        ("committee", json!({ "committee": 1, "responses": [] })),
        (
            "committee",
            json!({ "committee": other.application["committees"][0]["id"], "responses": [] }),
        ),
        ("committee", json!({ "committee": "Tech", "responses": [] })),
    ] {
        let answer = sue.post(&path, body.clone()).await;
        assert!(answer.status == 400, "{body}: {}", answer.text());
        answer.invalid(&[field]);
    }
    assert_eq!(drive.officer.get(&path).await.ok(), json!([]));
    let fine = json!({ "committee": tech, "responses": [
        { "question": limited, "text": "one two\u{a0}three " },
        { "question": info, "text": "" },
        { "question": choice["id"], "multiple_choice": option },
        { "question": special, "text": "x" },
        { "question": free, "text": "" },
    ] });
    let stored = sue.post(&path, fine).await.created();
    let answered: Vec<&Value> = stored["responses"]
        .as_array()
        .map(|all| all.iter().map(|r| &r["question"]["id"]).collect())
        .unwrap_or_default();
    assert_eq!(
        answered,
        [&json!(limited), &choice["id"], &json!(special)],
        "an empty text counts as no answer"
    );
}

#[tokio::test]
async fn all_answers_together_have_a_limit_in_bytes() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let mut responses = Vec::new();
    for n in 0..16 {
        let body = json!({ "question_type": 1, "prompt": n.to_string() });
        let question = drive
            .officer
            .post(&format!("{}questions/", drive.path), body)
            .await
            .created();
        responses.push(json!({ "question": question["id"], "text": "x".repeat(20_000) }));
    }
    let (sue, path) = (campus.as_("sue"), format!("{}submissions/", drive.path));
    sue.post(&path, json!({ "responses": responses }))
        .await
        .invalid(&["responses"]);
    responses.pop();
    sue.post(&path, json!({ "responses": responses }))
        .await
        .created();
}

#[tokio::test]
async fn submitting_again_replaces_the_answers_as_a_whole() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", drive.path);
    let first = drive.submit(&sue).await;
    campus.advance(TimeDelta::hours(1));
    let again = sue.post(&path, json!({ "responses": [] })).await.ok();
    assert_eq!(again["id"], first["id"]);
    assert_eq!(again["created_at"], hours(0));
    assert_eq!(again["updated_at"], hours(1));
    assert_eq!(again["responses"], json!([]));
    assert_eq!(
        drive.officer.get(&path).await.ok(),
        json!([for_officer(&again)])
    );
    let tech = &drive.application["committees"][0]["id"];
    let second = sue
        .post(&path, json!({ "committee": tech, "responses": [] }))
        .await
        .created();
    assert_ne!(
        second["id"], first["id"],
        "each committee has its own submission"
    );
    drive.decide(&first, 2, "no").await;
    sue.post(&path, drive.answer("late")).await.error(400);
    sue.post(&path, json!({ "committee": tech, "responses": [] }))
        .await
        .ok();
}

#[tokio::test]
async fn only_open_applications_take_submissions() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (sue, path) = (campus.as_("sue"), format!("{}submissions/", drive.path));
    let closed = async |change: Value| {
        drive.officer.patch(&drive.path, change).await.ok();
        sue.post(&path, drive.answer("x")).await.error(400)
    };
    closed(json!({ "is_active": false })).await;
    closed(json!({ "is_active": true, "application_start_time": hours(1) })).await;
    closed(json!({ "application_start_time": hours(-3), "application_end_time": hours(-1) })).await;
    drive
        .officer
        .patch(&drive.path, json!({ "application_end_time": hours(0) }))
        .await
        .ok();
    drive.submit(&sue).await;
}

#[tokio::test]
async fn the_list_is_newest_first_and_filtered() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let path = format!("{}submissions/", drive.path);
    let tech = &drive.application["committees"][0]["id"];
    for name in ["ann", "bob", "cleo"] {
        drive.submit(&campus.as_(name)).await;
    }
    let dan = campus.client(
        &json!({ "email": "dan@other.example", "name": "Dän Müller" }),
        "dan",
    );
    let last = dan
        .post(&path, json!({ "committee": tech, "responses": [] }))
        .await
        .created();
    drive.decide(&last, 4, "").await;
    let found = async |query: &str| -> Vec<String> {
        let all = drive.officer.get(&format!("{path}{query}")).await.ok();
        all.as_array()
            .map(|all| {
                all.iter()
                    .map(|s| {
                        s["user"]["username"]
                            .as_str()
                            .unwrap_or_default()
                            .to_owned()
                    })
                    .collect()
            })
            .unwrap_or_default()
    };
    assert_eq!(found("").await, ["dan", "cleo", "bob", "ann"]);
    assert_eq!(found("?status=4").await, ["dan"]);
    assert_eq!(found("?status=1").await, ["cleo", "bob", "ann"]);
    assert_eq!(found(&format!("?committee={tech}")).await, ["dan"]);
    assert_eq!(found("?notified=true").await, Vec::<String>::new());
    assert_eq!(found("?notified=0").await.len(), 4);
    assert_eq!(found("?search=MULLER+dan").await, ["dan"]);
    assert_eq!(found("?search=other.example").await, ["dan"]);
    assert_eq!(found("?search=bo&status=1&unknown=1").await, ["bob"]);
    for (query, field) in [
        ("status=5", "status"),
        ("status=x", "status"),
        ("committee=x", "committee"),
        ("notified=maybe", "notified"),
        ("limit=0", "limit"),
        ("cursor=x", "cursor"),
    ] {
        drive
            .officer
            .get(&format!("{path}?{query}"))
            .await
            .invalid(&[field]);
    }
}

#[tokio::test]
async fn a_long_list_comes_in_slices() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    for n in 0..5 {
        drive.submit(&campus.as_(&format!("student{n}"))).await;
    }
    let whole = drive
        .officer
        .get(&format!("{}submissions/", drive.path))
        .await
        .ok();
    let (mut path, mut slices) = (
        format!("{}submissions/?limit=2&status=1", drive.path),
        Vec::new(),
    );
    loop {
        let answer = drive.officer.get(&path).await;
        let link = answer.header("link").to_owned();
        slices.extend(answer.ok().as_array().cloned().unwrap_or_default());
        let Some((next, rel)) = link.strip_prefix('<').and_then(|link| link.split_once('>')) else {
            break;
        };
        assert_eq!(rel, "; rel=\"next\"");
        path = next.to_owned();
    }
    assert_eq!(Value::Array(slices), whole);
}

#[tokio::test]
async fn the_export_is_harmless_csv() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let choice = json!({
        "question_type": 2,
        "prompt": "=HYPERLINK(1)",
        "multiple_choice": ["+a", "b"],
        "precedence": 2,
    });
    let choice = drive
        .officer
        .post(&format!("{}questions/", drive.path), choice)
        .await
        .created();
    let eve = campus.client(
        &json!({ "email": "eve@uni.example", "name": "=cmd|'/c calc'!A1" }),
        "eve",
    );
    let body = json!({ "responses": [
        { "question": drive.question, "text": "@SUM(1), \"quoted\"\nnew line" },
        { "question": choice["id"], "multiple_choice": choice["multiple_choice"][0]["id"] },
    ] });
    let submission = eve
        .post(&format!("{}submissions/", drive.path), body)
        .await
        .created();
    drive.decide(&submission, 3, "-1").await;
    let answer = drive
        .officer
        .get(&format!("{}submissions/export/", drive.path))
        .await;
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
    let text = answer.text();
    assert!(text.starts_with('\u{feff}'));
    let expected = format!(
        "\u{feff}id,name,username,email,committee,status,reason,notified,email_status,\
         created_at,updated_at,Why?,'=HYPERLINK(1)\n\
         {},'=cmd|'/c calc'!A1,eve,eve@uni.example,,3,'-1,false,,\
         {},{},\"'@SUM(1), \"\"quoted\"\"\nnew line\",'+a\n",
        submission["id"],
        hours(0),
        hours(0)
    );
    assert_eq!(text, expected);
    let by_accept = drive
        .officer
        .clone()
        .header("accept", "text/csv")
        .get(&format!("{}submissions/", drive.path))
        .await;
    assert_eq!(by_accept.text(), expected);
    let filtered = drive
        .officer
        .get(&format!("{}submissions/export/?status=4", drive.path))
        .await;
    assert_eq!(filtered.text().lines().count(), 1);
}

#[tokio::test]
async fn lists_follow_a_changed_name() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    drive.submit(&campus.as_("sue")).await;
    campus.advance(TimeDelta::minutes(1));
    let renamed = campus.client(
        &json!({ "email": "new@uni.example", "name": "Susan Storm" }),
        "sue",
    );
    renamed.get("/api/settings/").await.ok();
    let list = drive
        .officer
        .get(&format!("{}submissions/", drive.path))
        .await
        .ok();
    assert_eq!(list[0]["user"]["name"], "Susan Storm");
    assert_eq!(list[0]["user"]["email"], "new@uni.example");
}

#[tokio::test]
async fn csv_comes_in_slices_and_info_texts_have_no_column() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let info = json!({ "question_type": 4, "prompt": "Read this first" });
    drive
        .officer
        .post(&format!("{}questions/", drive.path), info)
        .await
        .created();
    for n in 0..5 {
        drive.submit(&campus.as_(&format!("student{n}"))).await;
    }
    let mut path = format!("{}submissions/export/?limit=2", drive.path);
    let mut names = Vec::new();
    loop {
        let answer = drive.officer.get(&path).await;
        let link = answer
            .header("link")
            .split(['<', '>'])
            .nth(1)
            .map(str::to_owned);
        let text = answer.text();
        assert!(!text.contains("Read this first"));
        names.push(text.matches("@uni.example").count());
        let Some(next) = link else { break };
        path = next;
    }
    assert_eq!(names, [2, 2, 1]);
}

// The slice is made from keys in the order of time, some at once. A filter that few submissions pass
// has to go on until the slice is full.
#[tokio::test]
async fn a_slice_with_a_filter_reads_on_until_it_is_full() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let mut wanted = Vec::new();
    for n in 0..80 {
        let student = campus.as_(&format!("student{n}"));
        let submission = drive.submit(&student).await;
        campus.advance(chrono::TimeDelta::seconds(1));
        match n {
            // The newest of all is withdrawn.
            79 => student
                .delete(&format!("/api/submissions/{}/", id(&submission)))
                .await
                .no_content(),
            _ if n % 30 == 1 => {
                drive.decide(&submission, 4, "").await;
                wanted.insert(0, id(&submission));
            }
            _ => {}
        }
    }
    let mut path = format!("{}submissions/?status=4&limit=2", drive.path);
    let mut found = Vec::new();
    loop {
        let answer = drive.officer.get(&path).await;
        let link = answer.header("link").to_owned();
        let slice = answer.ok();
        assert!(slice.as_array().is_some_and(|slice| slice.len() <= 2));
        found.extend(slice.as_array().into_iter().flatten().map(id));
        match link.strip_prefix('<').and_then(|link| link.split_once('>')) {
            Some((next, _)) => path = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(found, wanted);
    let all = drive
        .officer
        .get(&format!("{}submissions/?limit=100", drive.path))
        .await
        .ok();
    assert_eq!(all.as_array().map(Vec::len), Some(79));
}
