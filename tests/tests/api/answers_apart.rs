//! Answers are stored beside their submission: what is left behind, what is replaced while somebody
//! reads, submissions that have their answers inside, and lists of large ones

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::TimeDelta;
use local::engine::{Call, Reply};
use serde_json::{Value, json};
use shared::domain::{Answered, StoredSubmission, Submission, SubmissionAnswers};
use shared::ids::Id;
use tests::fixtures::{Recruitment, id};
use tests::{Client, Setup, TestCampus};

use crate::audit::{findings, repair};
use crate::submit_again::campus;

/// The submission as it is stored, with its answers.
async fn stored(campus: &TestCampus, recruitment: &Recruitment, shown: &Value) -> Answered {
    let table = &campus.campus.app.table;
    let application = Id::new(id(&recruitment.application));
    let found = table.submission(application, Id::new(id(shown))).await;
    let found = found.expect("a table").into_iter().collect();
    table.answered(found).await.expect("a table").remove(0)
}

fn stored_answers(campus: &TestCampus) -> usize {
    let is_submission_answers = |item: &&Value| item["type"]["S"] == "Answers";
    campus.stored().iter().filter(is_submission_answers).count()
}

async fn text(client: &Client, path: &str) -> Value {
    client.get(path).await.ok()["responses"][0]["text"].clone()
}

// proves S7
#[tokio::test(start_paused = true)]
async fn a_repeat_removes_what_its_first_attempt_left() {
    let is_killed = Arc::new(AtomicBool::new(false));
    let killed = is_killed.clone();
    // The process dies before it removes the answers that were replaced.
    let hook = move |_: &str, body: &[u8]| {
        let is_removal = String::from_utf8_lossy(body).contains("Tombstone");
        let dies = killed.load(Ordering::Relaxed) && is_removal;
        let error = json!({ "__type": "ValidationException" });
        Box::pin(async move { dies.then_some((400_u16, error)) }) as _
    };
    let campus = Setup::default().table(Arc::new(hook)).build();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", recruitment.path);
    let first = recruitment.submit(&sue).await;
    is_killed.store(true, Ordering::Relaxed);
    let better = recruitment.answer("Better.");
    sue.post(&path, better.clone()).await.ok();
    assert_eq!(stored_answers(&campus), 2);
    is_killed.store(false, Ordering::Relaxed);
    campus.advance(TimeDelta::seconds(5));
    sue.post(&path, better).await.ok();
    assert_eq!(stored_answers(&campus), 1);
    let shown = text(&recruitment.officer, &format!("{path}{}/", id(&first))).await;
    assert_eq!(shown, "Better.");
}

// proves A7, O6
#[tokio::test(start_paused = true)]
async fn what_a_withdrawal_left_in_a_deleted_application_is_repaired() {
    let (campus, recruitment) = campus().await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let own = format!("/api/submissions/{}/", id(&submission));
    sue.delete(&own).await.no_content();
    let is_withdrawal = |item: &Value| item["type"]["S"] == "Withdrawal";
    let left = campus.stored().into_iter().find(is_withdrawal);
    let left = left.expect("a withdrawal");
    recruitment
        .officer
        .delete(&recruitment.path)
        .await
        .no_content();
    assert!(!campus.stored().iter().any(is_withdrawal));
    // A slow submission stored it after that.
    let put = json!({ "TableName": local::table::TABLE, "Item": left });
    campus.campus.engine.json("PutItem", &put).expect("a write");
    let before = campus.stored();
    let done = repair(&campus, &before, &before).await;
    assert!(
        done.iter()
            .any(|(text, done)| *done && text.contains("no application")),
        "{done:?}"
    );
    assert!(!campus.stored().iter().any(is_withdrawal));
    assert_eq!(findings(&campus, &campus.stored()), Vec::<String>::new());
}

// proves S7, O6
#[tokio::test(start_paused = true)]
async fn only_last_answers_stay_and_leftovers_are_repaired() {
    let (campus, recruitment) = campus().await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", recruitment.path);
    let first = recruitment.submit(&sue).await;
    sue.post(&path, recruitment.answer("Better.")).await.ok();
    assert_eq!(stored_answers(&campus), 1);
    // The process of another request died after it had written the answers.
    let answered = stored(&campus, &recruitment, &first).await;
    let left = SubmissionAnswers {
        at: answered.answers_at + 1,
        ..answered.submission_answers()
    };
    let table = &campus.campus.app.table;
    table.load(&[left]).await.expect("a table");
    let shown = text(&recruitment.officer, &format!("{path}{}/", id(&first))).await;
    assert_eq!(shown, "Better.");
    assert_eq!(findings(&campus, &campus.stored()), Vec::<String>::new());
    campus.advance(TimeDelta::hours(2));
    let before = campus.stored();
    let done = repair(&campus, &before, &before).await;
    assert!(done.len() == 1 && done[0].1, "{done:?}");
    assert_eq!(stored_answers(&campus), 1);
    assert_eq!(
        text(&sue, &format!("/api/submissions/{}/", id(&first))).await,
        "Better."
    );
    // A withdrawal leaves no answers, and an erasure removes also those without a submission.
    let own = format!("/api/submissions/{}/", id(&first));
    let left = SubmissionAnswers {
        at: answered.answers_at + 1,
        ..answered.submission_answers()
    };
    table.load(&[left]).await.expect("a table");
    sue.delete(&own).await.no_content();
    assert_eq!(stored_answers(&campus), 0);
    let again = recruitment.submit(&sue).await;
    recruitment.decide(&again, 4, "").await;
    campus.erase(&sue).await;
    assert_eq!(stored_answers(&campus), 0);
}

// proves S7
#[tokio::test]
async fn reader_during_resubmission_sees_whole_answers() {
    let (is_on, replaced) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicBool::new(false)),
    );
    let (armed, done) = (is_on.clone(), replaced.clone());
    // The first read of answers finds that they were just replaced.
    let hook = move |call: Call| {
        let is_answers = call.operation == "BatchGetItem"
            && String::from_utf8_lossy(&call.body).contains("ANSWERS#");
        let waits = is_answers && armed.swap(false, Ordering::SeqCst);
        let done = done.clone();
        Box::pin(async move {
            while waits && !done.load(Ordering::SeqCst) {
                tokio::task::yield_now().await;
            }
            None::<Reply>
        }) as _
    };
    let campus = Setup::default().hook(Arc::new(hook)).build();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", recruitment.path);
    let first = recruitment.submit(&sue).await;
    let one = format!("{path}{}/", id(&first));
    is_on.store(true, Ordering::SeqCst);
    let (shown, ()) = futures::join!(text(&recruitment.officer, &one), async {
        sue.post(&path, recruitment.answer("Better.")).await.ok();
        replaced.store(true, Ordering::SeqCst);
    });
    assert_eq!(shown, "Better.");
}

// Reads for half the price may not see what was stored a moment ago.
// proves S7
#[tokio::test]
async fn answers_missing_from_replica_are_read_from_table() {
    let behind = Arc::new(AtomicBool::new(false));
    let is_behind = behind.clone();
    let hook = move |call: Call| {
        let body: Value = serde_json::from_slice(&call.body).unwrap_or_default();
        let expected = &body["RequestItems"][local::table::TABLE];
        let consistent = [&body["ConsistentRead"], &expected["ConsistentRead"]];
        let is_read = matches!(call.operation.as_str(), "BatchGetItem" | "Query");
        let is_answers = String::from_utf8_lossy(&call.body).contains("ANSWERS#");
        let recently = is_read && is_answers && !consistent.iter().any(|one| **one == true);
        let empty = match call.operation.as_str() {
            "BatchGetItem" => {
                json!({ "Responses": { local::table::TABLE: [] }, "UnprocessedKeys": {} })
            }
            _ => json!({ "Items": [], "Count": 0, "ScannedCount": 0 }),
        };
        let reply = (recently && is_behind.load(Ordering::SeqCst))
            .then(|| Reply::Response(200, empty.to_string()));
        Box::pin(async move { reply }) as _
    };
    let campus = Setup::default().hook(Arc::new(hook)).build();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}submissions/", recruitment.path);
    let first = recruitment.submit(&campus.as_("sue")).await;
    // So many that they are read by queries.
    for n in 0..110 {
        recruitment.submit(&campus.as_(&format!("other{n}"))).await;
    }
    behind.store(true, Ordering::SeqCst);
    let one = format!("{path}{}/", id(&first));
    assert_eq!(
        text(&recruitment.officer, &one).await,
        first["responses"][0]["text"]
    );
    for list in [path.clone(), format!("{path}?limit=20")] {
        let all = recruitment.officer.get(&list).await.ok();
        for shown in all.as_array().expect("a list") {
            assert_eq!(shown["responses"][0]["text"], first["responses"][0]["text"]);
        }
    }
}

// Two processes may give the same order number to two requests of one millisecond.
// proves S7
#[tokio::test]
async fn answers_under_a_number_that_is_taken_are_not_named() {
    let (campus, recruitment) = campus().await;
    let sue = campus.as_("sue");
    let first = recruitment.submit(&sue).await;
    let answered = stored(&campus, &recruitment, &first).await;
    let submission_state = StoredSubmission::Present(Box::new(answered.submission.clone()));
    let mut second = answered.clone();
    second.submission.received += 1;
    second.submission.answers_at = second.submission.received;
    let taken = SubmissionAnswers {
        answers: shared::domain::Answers::default(),
        ..second.submission_answers()
    };
    let table = &campus.campus.app.table;
    table.load(&[taken]).await.expect("a table");
    table
        .submit(&second, &submission_state, None)
        .await
        .expect_err("other answers");
    let now = stored(&campus, &recruitment, &first).await;
    assert_eq!(now.answers_at, answered.answers_at);
}

// proves S7, S8, S19
#[tokio::test]
async fn submission_with_answers_inside_is_read_decided_and_replaced() {
    let (campus, recruitment) = campus().await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", recruitment.path);
    let first = sue
        .post(&path, recruitment.answer("Because."))
        .await
        .created();
    let Answered {
        submission,
        answers,
    } = stored(&campus, &recruitment, &first).await;
    let inside = Submission {
        answers_at: 0,
        answers_hash: String::new(),
        answers: Some(answers),
        ..submission
    };
    let table = &campus.campus.app.table;
    table.load(&[inside]).await.expect("a table");
    let one = format!("{path}{}/", id(&first));
    let own = format!("/api/submissions/{}/", id(&first));
    assert_eq!(text(&recruitment.officer, &one).await, "Because.");
    assert_eq!(text(&sue, &own).await, "Because.");
    let list = recruitment.officer.get(&path).await.ok();
    assert_eq!(list[0]["responses"][0]["text"], "Because.");
    let receipt = json!({ "receipt": first["receipt"] });
    let verified = sue.post("/api/receipts/verify/", receipt).await.ok();
    assert_eq!(verified["stored"], "current");
    recruitment.decide(&first, 4, "").await;
    recruitment.decide(&first, 1, "").await;
    let same = sue.post(&path, recruitment.answer("Because.")).await.ok();
    assert_eq!(same["revision"], 1);
    sue.post(&path, recruitment.answer("Better.")).await.ok();
    assert_eq!(text(&sue, &own).await, "Better.");
    let items = campus.stored();
    let now = items.iter().find(|item| item["type"]["S"] == "Submission");
    assert!(now.expect("a submission")["answers"].is_null());
}

// proves H20
#[tokio::test]
async fn a_slice_in_any_order_reads_the_answers_of_its_own_only() {
    let (campus, recruitment) = campus().await;
    let path = format!("{}submissions/", recruitment.path);
    let first = recruitment.submit(&campus.as_("sue")).await;
    let review = format!("{path}{}/reviews/mine/", id(&first));
    let body = json!({ "score": 5, "comment": "" });
    recruitment.officer.put(&review, body).await.ok();
    let model = stored(&campus, &recruitment, &first).await;
    let question = recruitment.question;
    let long = [shared::domain::Answer {
        question: Id::new(question),
        version: 1,
        precedence: 0,
        text: Some("word ".repeat(60_000)),
        option: None,
        file: None,
    }];
    // Together they are larger than the memory that a request may use.
    let answers = shared::domain::Answers::new(&long);
    let many = (1..=240).map(|n| Answered {
        submission: Submission {
            id: Id::new(n),
            person: Some(Id::new(n)),
            reviews: std::collections::BTreeMap::new(),
            sequence: model.sequence + n,
            ..model.submission.clone()
        },
        answers: answers.clone(),
    });
    let many: Vec<Answered> = many.collect();
    let table = &campus.campus.app.table;
    table.load_answered(&many).await.expect("a table");
    let officer = &recruitment.officer;
    for query in ["ordering=-score", "reviewed=mine", "search=sue", "status=1"] {
        let list = officer.get(&format!("{path}?limit=1&{query}")).await.ok();
        assert_eq!(list.as_array().map(Vec::len), Some(1), "{query}");
        if query != "status=1" && query != "search=sue" {
            assert_eq!(list[0]["id"], first["id"], "{query}");
        }
    }
    officer.get(&path).await.error(400);
}
