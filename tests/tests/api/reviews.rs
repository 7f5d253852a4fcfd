//! `/clubs/{club}/applications/{application}/submissions/{submission}/reviews/…`, and the scores in
//! the list of submissions

use serde_json::{Value, json};
use tests::fixtures::{Recruitment, id};
use tests::{Client, Setup, TestCampus};

pub(crate) fn path(recruitment: &Recruitment, submission: &Value) -> String {
    format!(
        "{}submissions/{}/reviews/",
        recruitment.path,
        id(submission)
    )
}

pub(crate) fn mine(recruitment: &Recruitment, submission: &Value) -> String {
    format!("{}mine/", path(recruitment, submission))
}

pub(crate) fn score(score: u64) -> Value {
    json!({ "score": score, "comment": null })
}

/// Review count, average and own score.
fn scores(submission: &Value) -> [Value; 3] {
    ["review_count", "score_average", "my_score"].map(|name| submission[name].clone())
}

pub(crate) async fn row(
    recruitment: &Recruitment,
    officer: &Client,
    submission: &Value,
) -> [Value; 3] {
    let list = officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    let row = list
        .as_array()
        .and_then(|list| list.iter().find(|row| row["id"] == submission["id"]))
        .cloned();
    scores(&row.expect("the submission"))
}

// proves W1, W5
#[tokio::test]
async fn officers_write_one_review_each_and_see_the_average() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 10)
        .await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    let (all, mine) = (
        path(&recruitment, &submission),
        mine(&recruitment, &submission),
    );
    assert_eq!(
        row(&recruitment, &bob, &submission).await,
        [json!(0), json!(null), json!(null)]
    );
    let ada = recruitment
        .officer
        .put(&mine, json!({ "score": 4, "comment": "Clear." }))
        .await
        .ok();
    assert_eq!(ada["by"]["username"], "ada");
    assert_eq!(
        (&ada["score"], &ada["comment"]),
        (&json!(4), &json!("Clear."))
    );
    campus.advance(chrono::TimeDelta::seconds(1));
    let (ada_again, bob) = (campus.as_("ada"), campus.as_("bob"));
    let written = bob.put(&mine, score(5)).await.ok();
    assert_eq!(
        bob.get(&all).await.ok(),
        json!([ada, written]),
        "the oldest first"
    );
    assert_eq!(
        row(&recruitment, &bob, &submission).await,
        [json!(2), json!(4.5), json!(5)]
    );
    // Writing again replaces, also a score by a comment alone.
    let changed = bob
        .put(&mine, json!({ "score": null, "comment": "Later." }))
        .await
        .ok();
    assert_eq!(changed["id"], written["id"]);
    assert_eq!(
        row(&recruitment, &bob, &submission).await,
        [json!(2), json!(4.0), json!(null)]
    );
    bob.delete(&mine).await.no_content();
    bob.delete(&mine).await.error(404);
    assert_eq!(
        row(&recruitment, &bob, &submission).await,
        [json!(1), json!(4.0), json!(null)]
    );
    let one = format!("{}submissions/{}/", recruitment.path, id(&submission));
    assert_eq!(
        scores(&ada_again.get(&one).await.ok()),
        [json!(1), json!(4.0), json!(4)]
    );
}

// proves W1
#[tokio::test]
async fn wrong_reviews_are_refused() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    let (mine, ada) = (mine(&recruitment, &submission), &recruitment.officer);
    for wrong in [0, 6, -1] {
        let body = json!({ "score": wrong, "comment": null }).to_string();
        ada.raw(http::Method::PUT, &mine, Some("application/json"), body)
            .await
            .invalid(&["score"]);
    }
    let missing = |body: Value| {
        let (ada, mine) = (ada.clone(), mine.clone());
        async move {
            ada.raw(
                http::Method::PUT,
                &mine,
                Some("application/json"),
                body.to_string(),
            )
            .await
        }
    };
    missing(json!({ "score": 1 })).await.invalid(&["comment"]);
    missing(json!({ "comment": "x" })).await.invalid(&["score"]);
    let long = json!({ "score": 1, "comment": "x".repeat(5_001) });
    missing(long).await.invalid(&["comment"]);
    for empty in [json!(null), json!(""), json!(" ")] {
        ada.put(&mine, json!({ "score": null, "comment": empty }))
            .await
            .error(400);
    }
    let list = format!("{}submissions/", recruitment.path);
    ada.get(&format!("{list}?reviewed=me"))
        .await
        .invalid(&["reviewed"]);
    ada.get(&format!("{list}?ordering=name"))
        .await
        .invalid(&["ordering"]);
    ada.get(&format!("{list}?ordering=score&limit=1&cursor=AVsxXQ"))
        .await
        .invalid(&["cursor"]);
}

// proves W6
#[tokio::test]
async fn the_list_is_filtered_and_ordered_by_reviews() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 10)
        .await;
    let mut all = Vec::new();
    for name in ["sue", "ann", "tom", "pat", "kim"] {
        all.push(recruitment.submit(&campus.as_(name)).await);
    }
    let give = async |officer: &Client, n: usize, given: u64| {
        officer
            .put(&mine(&recruitment, &all[n]), score(given))
            .await
            .ok();
    };
    give(&recruitment.officer, 0, 3).await;
    give(&bob, 0, 4).await;
    give(&recruitment.officer, 1, 5).await;
    give(&bob, 3, 3).await;
    let list = async |officer: &Client, query: &str| -> Vec<usize> {
        let path = format!("{}submissions/?{query}", recruitment.path);
        let list = officer.get(&path).await.ok();
        let position_of = |row: &Value| all.iter().position(|one| one["id"] == row["id"]).unwrap();
        list.as_array().unwrap().iter().map(position_of).collect()
    };
    assert_eq!(list(&bob, "reviewed=mine").await, [3, 0]);
    assert_eq!(list(&bob, "reviewed=others").await, [1]);
    assert_eq!(list(&bob, "reviewed=none").await, [4, 2]);
    assert_eq!(list(&bob, "ordering=-score").await, [1, 0, 3, 4, 2]);
    assert_eq!(list(&bob, "ordering=score").await, [3, 0, 1, 4, 2]);
    assert_eq!(list(&bob, "ordering=-created_at").await, [4, 3, 2, 1, 0]);
    // In parts, the order is the same.
    let mut next = format!("{}submissions/?ordering=-score&limit=2", recruitment.path);
    let mut seen = Vec::new();
    while !next.is_empty() {
        let part = bob.get(&next).await;
        next = part
            .header("link")
            .trim_start_matches('<')
            .split('>')
            .next()
            .unwrap_or_default()
            .to_owned();
        seen.extend(part.ok().as_array().unwrap().clone());
    }
    let ids: Vec<&Value> = seen.iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, [1, 0, 3, 4, 2].map(|n: usize| &all[n]["id"]));
    let csv = bob
        .get(&format!(
            "{}submissions/export/?reviewed=mine&ordering=score",
            recruitment.path
        ))
        .await
        .text();
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert!(rows[0].starts_with(&id(&all[3]).to_string()));
    assert_eq!(rows.len(), 2);
}

// proves W7
#[tokio::test]
async fn reviews_survive_resubmission_and_go_with_withdrawal() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let comment = json!({ "score": 3, "comment": "Zanzibar" });
    recruitment
        .officer
        .put(&mine(&recruitment, &submission), comment)
        .await
        .ok();
    sue.post(
        &format!("{}submissions/", recruitment.path),
        recruitment.answer("New"),
    )
    .await
    .ok();
    let three = [json!(1), json!(3.0), json!(3)];
    assert_eq!(
        row(&recruitment, &recruitment.officer, &submission).await,
        three
    );
    sue.delete(&format!("/api/submissions/{}/", id(&submission)))
        .await
        .no_content();
    assert!(!json!(campus.stored()).to_string().contains("Zanzibar"));
    let again = recruitment.submit(&sue).await;
    assert_eq!(again["id"], submission["id"]);
    assert_eq!(
        row(&recruitment, &recruitment.officer, &again).await,
        [json!(0), json!(null), json!(null)]
    );
}

// proves W5
#[tokio::test]
async fn reviews_of_many_officers_at_once_are_all_counted() {
    let campus = Setup::default().latency(5).build();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    let mut officers = vec![recruitment.officer.clone()];
    for name in ["bob", "kim", "pat", "tom", "liz"] {
        officers.push(campus.member("chess", &recruitment.officer, name, 10).await);
    }
    let path = mine(&recruitment, &submission);
    let written = officers.iter().map(|officer| officer.put(&path, score(4)));
    for response in futures::future::join_all(written).await {
        response.ok();
    }
    assert_eq!(
        row(&recruitment, &recruitment.officer, &submission).await,
        [json!(6), json!(4.0), json!(4)]
    );
}
