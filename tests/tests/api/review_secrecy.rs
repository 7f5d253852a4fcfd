//! `…/reviews/…`: who sees a review, and what is left of it after an erasure.

use serde_json::{Value, json};
use tests::fixtures::id;
use tests::{Client, TestCampus};

use crate::reviews::{mine, path, row, score};

// proves W4
#[tokio::test]
async fn blind_reviews_show_others_only_after_the_own_one() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 10)
        .await;
    let blind = recruitment
        .officer
        .patch(&recruitment.path, json!({ "blind_reviews": true }))
        .await
        .ok();
    assert_eq!(blind["blind_reviews"], true);
    let submission = recruitment.submit(&campus.as_("sue")).await;
    let (all, mine) = (
        path(&recruitment, &submission),
        mine(&recruitment, &submission),
    );
    let ada = recruitment.officer.put(&mine, score(2)).await.ok();
    assert_eq!(recruitment.officer.get(&all).await.ok(), json!([ada]));
    assert_eq!(bob.get(&all).await.ok(), json!([]));
    assert_eq!(
        row(&recruitment, &bob, &submission).await,
        [const { Value::Null }; 3]
    );
    bob.put(&mine, json!({ "score": null, "comment": "Fine." }))
        .await
        .ok();
    assert_eq!(bob.get(&all).await.ok().as_array().map(Vec::len), Some(2));
    assert_eq!(
        row(&recruitment, &bob, &submission).await,
        [json!(2), json!(2.0), json!(null)]
    );
    bob.delete(&mine).await.no_content();
    assert_eq!(bob.get(&all).await.ok(), json!([]));
}

// proves W3
#[tokio::test]
async fn nobody_reviews_their_own_submission_or_sees_its_scores() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 10)
        .await;
    let own = recruitment.submit(&bob).await;
    recruitment
        .officer
        .put(&mine(&recruitment, &own), score(1))
        .await
        .ok();
    bob.get(&path(&recruitment, &own)).await.error(403);
    bob.put(&mine(&recruitment, &own), score(5))
        .await
        .error(403);
    bob.delete(&mine(&recruitment, &own)).await.error(403);
    assert_eq!(
        row(&recruitment, &bob, &own).await,
        [const { Value::Null }; 3]
    );
    let filtered = |value: &str| format!("{}submissions/?reviewed={value}", recruitment.path);
    assert_eq!(bob.get(&filtered("others")).await.ok(), json!([]));
    for other in ["sue", "ann"] {
        let other = campus.as_(other);
        other.get(&path(&recruitment, &own)).await.error(403);
        other
            .put(&mine(&recruitment, &own), score(5))
            .await
            .error(403);
    }
}

// proves W2
#[tokio::test]
async fn an_applicant_never_learns_of_reviews() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let before = [
        sue.get("/api/submissions/").await,
        sue.get(&format!("/api/submissions/{}/", id(&submission)))
            .await,
        sue.get(&format!(
            "{}submissions/{}/",
            recruitment.path,
            id(&submission)
        ))
        .await,
    ];
    recruitment
        .officer
        .put(
            &mine(&recruitment, &submission),
            json!({ "score": 1, "comment": "Zanzibar" }),
        )
        .await
        .ok();
    let after = [
        sue.get("/api/submissions/").await,
        sue.get(&format!("/api/submissions/{}/", id(&submission)))
            .await,
        sue.get(&format!(
            "{}submissions/{}/",
            recruitment.path,
            id(&submission)
        ))
        .await,
    ];
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.text(), after.text());
        assert_eq!(before.header("etag"), after.header("etag"));
        assert!(!after.text().contains("score"));
        assert!(!after.text().contains("review"));
    }
    // After the release, too.
    recruitment.decide(&submission, 4, "Welcome.").await;
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

// proves W7
#[tokio::test(start_paused = true)]
async fn erasure_deletes_reviews_of_applicant_and_keeps_the_reviewers() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 10)
        .await;
    let (sue, ann) = (campus.as_("sue"), campus.as_("ann"));
    let [of_sue, of_ann] = [
        recruitment.submit(&sue).await,
        recruitment.submit(&ann).await,
    ];
    let comment = |text: &str| json!({ "score": 2, "comment": text });
    bob.put(&mine(&recruitment, &of_sue), comment("Zanzibar"))
        .await
        .ok();
    bob.put(&mine(&recruitment, &of_ann), comment("Timbuktu"))
        .await
        .ok();
    recruitment.decide(&of_sue, 4, "").await;
    let exported = bob.get("/api/settings/export/").await.ok();
    assert_eq!(exported["reviews"].as_array().map(Vec::len), Some(2));
    let exported = ann.get("/api/settings/export/").await.ok();
    assert_eq!(exported["reviews"], json!([]));
    campus.erase(&sue).await;
    assert!(!json!(campus.stored()).to_string().contains("Zanzibar"));
    campus.erase(&bob).await;
    let left = recruitment
        .officer
        .get(&path(&recruitment, &of_ann))
        .await
        .ok();
    assert_eq!(left[0]["comment"], "Timbuktu");
    assert_eq!(left[0]["by"], json!(null));
    assert_eq!(
        row(&recruitment, &recruitment.officer, &of_ann).await,
        [json!(1), json!(2.0), json!(null)]
    );
}

// proves W3, W4, W8
#[tokio::test]
async fn officers_see_review_counts_but_not_of_their_own_submission() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 10)
        .await;
    let people = ["sue", "tim", "eve"].map(|name| campus.as_(name));
    let mut all = Vec::new();
    for person in people.iter().chain([&bob]) {
        all.push(recruitment.submit(person).await);
    }
    // Ada gives 2, 4 and only a comment, and 5 to Bob; Bob gives 3.
    for (submission, points) in [(0, 2), (1, 4), (3, 5)] {
        let path = mine(&recruitment, &all[submission]);
        recruitment.officer.put(&path, score(points)).await.ok();
    }
    let words = json!({ "score": null, "comment": "Hm." });
    let path = mine(&recruitment, &all[2]);
    recruitment.officer.put(&path, words).await.ok();
    bob.put(&mine(&recruitment, &all[0]), score(3)).await.ok();
    let reviewers = async |officer: &Client| {
        let path = format!("{}reviewers/", recruitment.path);
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
        reviewers(&recruitment.officer).await,
        [row("ada", 4, 3.67, 1.25), bobs.clone()]
    );
    // Bob would see from the sums how he was judged.
    assert_eq!(
        reviewers(&bob).await,
        [row("ada", 3, 3.0, 1.0), bobs.clone()]
    );
    let blind = json!({ "blind_reviews": true });
    recruitment
        .officer
        .patch(&recruitment.path, blind)
        .await
        .ok();
    assert_eq!(reviewers(&bob).await, [bobs]);
}
