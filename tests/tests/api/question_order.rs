//! The order of the questions of an application, and how many it may have.

use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::id;

// proves Q2, Q3
#[tokio::test]
async fn questions_stand_by_precedence_then_creation() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}questions/", recruitment.path);
    let mut ids = vec![recruitment.question];
    for (prompt, precedence) in [("b", 0), ("c", -1), ("d", 0)] {
        let body = json!({ "question_type": 1, "prompt": prompt, "precedence": precedence });
        ids.push(id(&recruitment.officer.post(&path, body).await.created()));
    }
    let order = async || -> Vec<Value> {
        recruitment
            .officer
            .get(&path)
            .await
            .ok()
            .as_array()
            .cloned()
            .unwrap_or_default()
            .iter()
            .map(|q| q["id"].clone())
            .collect()
    };
    assert_eq!(order().await, [ids[2], ids[0], ids[1], ids[3]]);
    let sort = format!("{path}precedence/");
    let sorted = recruitment
        .officer
        .post(&sort, json!({ "precedence": [ids[3], ids[1]] }))
        .await
        .ok();
    assert_eq!(sorted.as_array().map(Vec::len), Some(4));
    assert_eq!(
        order().await,
        [ids[3], ids[1], ids[2], ids[0]],
        "the other questions follow"
    );
    recruitment
        .officer
        .post(&sort, json!({ "precedence": [ids[0], ids[0]] }))
        .await
        .invalid(&["precedence.1"]);
    recruitment
        .officer
        .post(&sort, json!({ "precedence": [1] }))
        .await
        .invalid(&["precedence.0"]);
    recruitment
        .officer
        .post(&sort, json!({}))
        .await
        .invalid(&["precedence"]);
}

// proves Q2, Q3, Q6
#[tokio::test]
async fn a_hundred_questions_and_no_more() {
    for number in [1_000_000, -1_000_000] {
        a_hundred_questions(number).await;
    }
}

/// 99 questions with this number, and one with the largest: none may be 0, so that each would get
/// another number.
async fn a_hundred_questions(number: i64) {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}questions/", recruitment.path);
    for n in 1..100 {
        recruitment
            .officer
            .post(
                &path,
                json!({ "question_type": 1, "prompt": format!("{n}"), "precedence": number }),
            )
            .await
            .created();
    }
    let first = format!("{path}{}/", recruitment.question);
    let largest = json!({ "precedence": 1_000_000 });
    recruitment.officer.patch(&first, largest).await.ok();
    recruitment
        .officer
        .post(
            &path,
            json!({ "question_type": 1, "prompt": "one too many" }),
        )
        .await
        .error(400);
    let all = recruitment.officer.get(&path).await.ok();
    let ids: Vec<u64> = all
        .as_array()
        .map(|all| all.iter().rev().map(id).collect())
        .unwrap_or_default();
    // The second time, each question has another place than before.
    let back: Vec<u64> = ids.iter().rev().copied().collect();
    for order in [ids, back] {
        let body = json!({ "precedence": order });
        let sorted = recruitment
            .officer
            .post(&format!("{path}precedence/"), body)
            .await;
        let sorted = sorted.ok();
        let shown: Vec<u64> = sorted.as_array().into_iter().flatten().map(id).collect();
        assert_eq!(shown, order);
        let numbers = sorted.as_array().into_iter().flatten();
        let mut numbers = numbers.map(|question| question["precedence"].as_i64());
        assert!(numbers.all(|number| number.is_some_and(|number| number <= 1_000_000)));
        assert_eq!(recruitment.officer.get(&path).await.ok(), sorted);
    }
}
