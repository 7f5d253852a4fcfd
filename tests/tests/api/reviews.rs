//! `/clubs/{club}/applications/{application}/submissions/{submission}/reviews/…`, and the scores in
//! the list of submissions
//!
//! Proves W1, W2, W3, W4, W5, W6, W7, W8.

use serde_json::{Value, json};
use tests::fixtures::{Recruitment, id};
use tests::{Client, Setup, TestCampus};

fn path(drive: &Recruitment, submission: &Value) -> String {
    format!("{}submissions/{}/reviews/", drive.path, id(submission))
}

fn mine(drive: &Recruitment, submission: &Value) -> String {
    format!("{}mine/", path(drive, submission))
}

fn score(score: u64) -> Value {
    json!({ "score": score, "comment": null })
}

/// Review count, average and own score.
fn scores(submission: &Value) -> [Value; 3] {
    ["review_count", "score_average", "my_score"].map(|name| submission[name].clone())
}

async fn row(drive: &Recruitment, officer: &Client, submission: &Value) -> [Value; 3] {
    let list = officer
        .get(&format!("{}submissions/", drive.path))
        .await
        .ok();
    let row = list
        .as_array()
        .and_then(|list| list.iter().find(|row| row["id"] == submission["id"]))
        .cloned();
    scores(&row.expect("the submission"))
}

#[tokio::test]
async fn officers_write_one_review_each_and_see_the_average() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let bob = campus.member("chess", &drive.officer, "bob", 10).await;
    let submission = drive.submit(&campus.as_("sue")).await;
    let (all, mine) = (path(&drive, &submission), mine(&drive, &submission));
    assert_eq!(
        row(&drive, &bob, &submission).await,
        [json!(0), json!(null), json!(null)]
    );
    let ada = drive
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
        row(&drive, &bob, &submission).await,
        [json!(2), json!(4.5), json!(5)]
    );
    // Writing again replaces, also a score by a comment alone.
    let changed = bob
        .put(&mine, json!({ "score": null, "comment": "Later." }))
        .await
        .ok();
    assert_eq!(changed["id"], written["id"]);
    assert_eq!(
        row(&drive, &bob, &submission).await,
        [json!(2), json!(4.0), json!(null)]
    );
    bob.delete(&mine).await.no_content();
    bob.delete(&mine).await.error(404);
    assert_eq!(
        row(&drive, &bob, &submission).await,
        [json!(1), json!(4.0), json!(null)]
    );
    let one = format!("{}submissions/{}/", drive.path, id(&submission));
    assert_eq!(
        scores(&ada_again.get(&one).await.ok()),
        [json!(1), json!(4.0), json!(4)]
    );
}

#[tokio::test]
async fn wrong_reviews_are_refused() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let submission = drive.submit(&campus.as_("sue")).await;
    let (mine, ada) = (mine(&drive, &submission), &drive.officer);
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
    let list = format!("{}submissions/", drive.path);
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

#[tokio::test]
async fn blind_reviews_show_others_only_after_the_own_one() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let bob = campus.member("chess", &drive.officer, "bob", 10).await;
    let blind = drive
        .officer
        .patch(&drive.path, json!({ "blind_reviews": true }))
        .await
        .ok();
    assert_eq!(blind["blind_reviews"], true);
    let submission = drive.submit(&campus.as_("sue")).await;
    let (all, mine) = (path(&drive, &submission), mine(&drive, &submission));
    let ada = drive.officer.put(&mine, score(2)).await.ok();
    assert_eq!(drive.officer.get(&all).await.ok(), json!([ada]));
    assert_eq!(bob.get(&all).await.ok(), json!([]));
    assert_eq!(
        row(&drive, &bob, &submission).await,
        [const { Value::Null }; 3]
    );
    bob.put(&mine, json!({ "score": null, "comment": "Fine." }))
        .await
        .ok();
    assert_eq!(bob.get(&all).await.ok().as_array().map(Vec::len), Some(2));
    assert_eq!(
        row(&drive, &bob, &submission).await,
        [json!(2), json!(2.0), json!(null)]
    );
    bob.delete(&mine).await.no_content();
    assert_eq!(bob.get(&all).await.ok(), json!([]));
}

#[tokio::test]
async fn nobody_reviews_a_submission_of_their_own_or_sees_its_scores() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let bob = campus.member("chess", &drive.officer, "bob", 10).await;
    let own = drive.submit(&bob).await;
    drive.officer.put(&mine(&drive, &own), score(1)).await.ok();
    bob.get(&path(&drive, &own)).await.error(403);
    bob.put(&mine(&drive, &own), score(5)).await.error(403);
    bob.delete(&mine(&drive, &own)).await.error(403);
    assert_eq!(row(&drive, &bob, &own).await, [const { Value::Null }; 3]);
    let filtered = |value: &str| format!("{}submissions/?reviewed={value}", drive.path);
    assert_eq!(bob.get(&filtered("others")).await.ok(), json!([]));
    for other in ["sue", "ann"] {
        let other = campus.as_(other);
        other.get(&path(&drive, &own)).await.error(403);
        other.put(&mine(&drive, &own), score(5)).await.error(403);
    }
}

#[tokio::test]
async fn an_applicant_never_learns_of_reviews() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let submission = drive.submit(&sue).await;
    let before = [
        sue.get("/api/submissions/").await,
        sue.get(&format!("/api/submissions/{}/", id(&submission)))
            .await,
        sue.get(&format!("{}submissions/{}/", drive.path, id(&submission)))
            .await,
    ];
    drive
        .officer
        .put(
            &mine(&drive, &submission),
            json!({ "score": 1, "comment": "Zanzibar" }),
        )
        .await
        .ok();
    let after = [
        sue.get("/api/submissions/").await,
        sue.get(&format!("/api/submissions/{}/", id(&submission)))
            .await,
        sue.get(&format!("{}submissions/{}/", drive.path, id(&submission)))
            .await,
    ];
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.text(), after.text());
        assert_eq!(before.header("etag"), after.header("etag"));
        assert!(!after.text().contains("score"));
        assert!(!after.text().contains("review"));
    }
    // After the release, too.
    drive.decide(&submission, 4, "Welcome.").await;
    campus.advance(chrono::TimeDelta::hours(49));
    let sue = campus.as_("sue");
    for path in ["/api/submissions/", "/api/settings/export/"] {
        let text = sue.get(path).await.text();
        assert!(
            !text.contains("Zanzibar") && !text.contains("score"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn the_list_is_filtered_and_ordered_by_reviews() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let bob = campus.member("chess", &drive.officer, "bob", 10).await;
    let mut all = Vec::new();
    for name in ["sue", "ann", "tom", "pat", "kim"] {
        all.push(drive.submit(&campus.as_(name)).await);
    }
    let give = async |officer: &Client, n: usize, given: u64| {
        officer.put(&mine(&drive, &all[n]), score(given)).await.ok();
    };
    give(&drive.officer, 0, 3).await;
    give(&bob, 0, 4).await;
    give(&drive.officer, 1, 5).await;
    give(&bob, 3, 3).await;
    let list = async |officer: &Client, query: &str| -> Vec<usize> {
        let path = format!("{}submissions/?{query}", drive.path);
        let list = officer.get(&path).await.ok();
        let place = |row: &Value| all.iter().position(|one| one["id"] == row["id"]).unwrap();
        list.as_array().unwrap().iter().map(place).collect()
    };
    assert_eq!(list(&bob, "reviewed=mine").await, [3, 0]);
    assert_eq!(list(&bob, "reviewed=others").await, [1]);
    assert_eq!(list(&bob, "reviewed=none").await, [4, 2]);
    assert_eq!(list(&bob, "ordering=-score").await, [1, 0, 3, 4, 2]);
    assert_eq!(list(&bob, "ordering=score").await, [3, 0, 1, 4, 2]);
    assert_eq!(list(&bob, "ordering=-created_at").await, [4, 3, 2, 1, 0]);
    // In parts, the order is the same.
    let mut next = format!("{}submissions/?ordering=-score&limit=2", drive.path);
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
            drive.path
        ))
        .await
        .text();
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert!(rows[0].starts_with(&id(&all[3]).to_string()));
    assert_eq!(rows.len(), 2);
}

#[tokio::test]
async fn reviews_stay_when_somebody_submits_again_and_go_with_a_withdrawal() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let submission = drive.submit(&sue).await;
    let comment = json!({ "score": 3, "comment": "Zanzibar" });
    drive
        .officer
        .put(&mine(&drive, &submission), comment)
        .await
        .ok();
    sue.post(&format!("{}submissions/", drive.path), drive.answer("New"))
        .await
        .ok();
    let three = [json!(1), json!(3.0), json!(3)];
    assert_eq!(row(&drive, &drive.officer, &submission).await, three);
    sue.delete(&format!("/api/submissions/{}/", id(&submission)))
        .await
        .no_content();
    assert!(!json!(campus.stored()).to_string().contains("Zanzibar"));
    let again = drive.submit(&sue).await;
    assert_eq!(again["id"], submission["id"]);
    assert_eq!(
        row(&drive, &drive.officer, &again).await,
        [json!(0), json!(null), json!(null)]
    );
}

#[tokio::test]
async fn an_erasure_deletes_reviews_of_the_applicant_and_keeps_those_of_the_reviewer() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let bob = campus.member("chess", &drive.officer, "bob", 10).await;
    let (sue, ann) = (campus.as_("sue"), campus.as_("ann"));
    let [of_sue, of_ann] = [drive.submit(&sue).await, drive.submit(&ann).await];
    let comment = |text: &str| json!({ "score": 2, "comment": text });
    bob.put(&mine(&drive, &of_sue), comment("Zanzibar"))
        .await
        .ok();
    bob.put(&mine(&drive, &of_ann), comment("Timbuktu"))
        .await
        .ok();
    drive.decide(&of_sue, 4, "").await;
    let exported = bob.get("/api/settings/export/").await.ok();
    assert_eq!(exported["reviews"].as_array().map(Vec::len), Some(2));
    let exported = ann.get("/api/settings/export/").await.ok();
    assert_eq!(exported["reviews"], json!([]));
    sue.delete("/api/settings/").await.no_content();
    assert!(!json!(campus.stored()).to_string().contains("Zanzibar"));
    bob.delete("/api/settings/").await.no_content();
    let left = drive.officer.get(&path(&drive, &of_ann)).await.ok();
    assert_eq!(left[0]["comment"], "Timbuktu");
    assert_eq!(left[0]["by"], json!(null));
    assert_eq!(
        row(&drive, &drive.officer, &of_ann).await,
        [json!(1), json!(2.0), json!(null)]
    );
}

#[tokio::test]
async fn reviews_of_many_officers_at_once_are_all_counted() {
    let campus = Setup::default().latency(5).build();
    let drive = campus.drive("chess").await;
    let submission = drive.submit(&campus.as_("sue")).await;
    let mut officers = vec![drive.officer.clone()];
    for name in ["bob", "kim", "pat", "tom", "liz"] {
        officers.push(campus.member("chess", &drive.officer, name, 10).await);
    }
    let path = mine(&drive, &submission);
    let written = officers.iter().map(|officer| officer.put(&path, score(4)));
    for answer in futures::future::join_all(written).await {
        answer.ok();
    }
    assert_eq!(
        row(&drive, &drive.officer, &submission).await,
        [json!(6), json!(4.0), json!(4)]
    );
}

#[tokio::test]
async fn officers_see_who_reviewed_how_much_but_nothing_of_their_own_submission() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let bob = campus.member("chess", &drive.officer, "bob", 10).await;
    let people = ["sue", "tim", "eve"].map(|name| campus.as_(name));
    let mut all = Vec::new();
    for person in people.iter().chain([&bob]) {
        all.push(drive.submit(person).await);
    }
    // Ada gives 2, 4 and only a comment, and 5 to Bob; Bob gives 3.
    for (submission, points) in [(0, 2), (1, 4), (3, 5)] {
        let path = mine(&drive, &all[submission]);
        drive.officer.put(&path, score(points)).await.ok();
    }
    let words = json!({ "score": null, "comment": "Hm." });
    let path = mine(&drive, &all[2]);
    drive.officer.put(&path, words).await.ok();
    bob.put(&mine(&drive, &all[0]), score(3)).await.ok();
    let reviewers = async |officer: &Client| {
        let path = format!("{}reviewers/", drive.path);
        let body = officer.get(&path).await.ok();
        assert_eq!(body["has_more"], false);
        let rows = body["reviewers"].as_array().cloned().unwrap_or_default();
        let row = |row: &Value| {
            let name = row["by"]["username"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            (
                name,
                row["reviews"].clone(),
                row["mean"].clone(),
                row["spread"].clone(),
            )
        };
        rows.iter().map(row).collect::<Vec<_>>()
    };
    let row = |name: &str, reviews: u64, mean: f64, spread: f64| {
        (name.to_owned(), json!(reviews), json!(mean), json!(spread))
    };
    let bobs = row("bob", 1, 3.0, 0.0);
    assert_eq!(
        reviewers(&drive.officer).await,
        [row("ada", 4, 3.67, 1.25), bobs.clone()]
    );
    // Bob would see from the sums how he was judged.
    assert_eq!(
        reviewers(&bob).await,
        [row("ada", 3, 3.0, 1.0), bobs.clone()]
    );
    let blind = json!({ "blind_reviews": true });
    drive.officer.patch(&drive.path, blind).await.ok();
    assert_eq!(reviewers(&bob).await, [bobs]);
}
