//! Requests at the same moment: nothing is lost, and nothing happens twice
//!
//! Proves H9, C4, A6, Q6, S6, S7, D4, E12, E24, M12, X7, X12, X13, X14, X15.

use shared::ids::Id;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::{Setup, TestCampus};

/// A campus whose table takes `ms(operation)` milliseconds for a call, so that requests at the same
/// moment interleave.
fn delayed(ms: impl Fn(&str) -> u64 + Send + Sync + 'static) -> TestCampus {
    Setup::default()
        .table(Arc::new(move |operation: &str, _: &[u8]| {
            let pause = Duration::from_millis(ms(operation));
            Box::pin(async move {
                tokio::time::sleep(pause).await;
                None
            })
        }))
        .build()
}

fn slow() -> TestCampus {
    delayed(|_| 5)
}

#[tokio::test(start_paused = true)]
async fn sixty_four_students_at_once_are_all_stored_once() {
    let campus = slow();
    let drive = campus.drive("chess").await;
    let students: Vec<_> = (0..64)
        .map(|n| campus.as_(&format!("student{n}")))
        .collect();
    let path = format!("{}submissions/", drive.path);
    let answers = join_all(
        students
            .iter()
            .map(|student| student.post(&path, drive.answer("x"))),
    )
    .await;
    assert!(answers.iter().all(|answer| answer.status == 201));
    let list = drive.officer.get(&path).await.ok();
    let mut names: Vec<&str> = list
        .as_array()
        .map(|all| {
            all.iter()
                .filter_map(|s| s["user"]["username"].as_str())
                .collect()
        })
        .unwrap_or_default();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), list.as_array().map(Vec::len)), (64, Some(64)));
}

#[tokio::test(start_paused = true)]
async fn one_student_sixteen_times_at_once_has_one_submission() {
    let campus = slow();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", drive.path);
    let texts: Vec<String> = (0..16).map(|n| format!("text {n}")).collect();
    let answers = join_all(texts.iter().map(|text| sue.post(&path, drive.answer(text)))).await;
    assert_eq!(
        answers.iter().filter(|answer| answer.status == 201).count(),
        1,
        "only one submission is created"
    );
    assert_eq!(
        answers.iter().filter(|answer| answer.status == 200).count(),
        15,
        "the others replace it"
    );
    let list = drive.officer.get(&path).await.ok();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    assert!(
        texts
            .iter()
            .any(|text| list[0]["responses"][0]["text"] == *text),
        "the answers of two submissions are mixed"
    );
}

#[tokio::test(start_paused = true)]
async fn a_decision_and_a_resubmission_at_once_lose_neither() {
    let campus = slow();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let submission = drive.submit(&sue).await;
    let one = format!("{}submissions/{}/", drive.path, id(&submission));
    let path = format!("{}submissions/", drive.path);
    let (decided, again) = futures::join!(
        drive.officer.patch(&one, json!({ "status": 4 })),
        sue.post(&path, drive.answer("new"))
    );
    decided.ok();
    let now = drive.officer.get(&one).await.ok();
    assert_eq!(now["status"], 4, "the decision stands");
    let text = now["responses"][0]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert_eq!(
        again.status == 200,
        text == "new",
        "an answer of 200 means that it is stored"
    );
}

#[tokio::test(start_paused = true)]
async fn two_officers_deciding_at_once_leave_a_true_history() {
    let campus = slow();
    let drive = campus.drive("chess").await;
    let submission = drive.submit(&campus.as_("sue")).await;
    let one = format!("{}submissions/{}/", drive.path, id(&submission));
    let (a, b) = futures::join!(
        drive.officer.patch(&one, json!({ "status": 4 })),
        drive.officer.patch(&one, json!({ "status": 2 }))
    );
    a.ok();
    b.ok();
    let history = drive.officer.get(&format!("{one}history/")).await.ok();
    let first = &history[0]["changes"]["status"];
    let second = &history[1]["changes"]["status"];
    assert_eq!((&first[0], &second[0]), (&json!(1), &first[1]), "{history}");
    assert_eq!(drive.officer.get(&one).await.ok()["status"], second[1]);
}

#[tokio::test(start_paused = true)]
async fn two_officers_sending_at_once_mail_each_applicant_once() {
    let campus = slow();
    let drive = campus.drive("chess").await;
    for n in 0..20 {
        let submission = drive.submit(&campus.as_(&format!("student{n}"))).await;
        drive.decide(&submission, 4, "").await;
    }
    let both = async {
        futures::join!(
            drive.send("acceptance", json!({})),
            drive.send("acceptance", json!({}))
        )
    };
    let (a, b) = campus.with_worker(both).await;
    let (a, b) = (a.ok(), b.ok());
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    assert_eq!(
        number(&a["recipients"]) + number(&b["recipients"]),
        20,
        "{a} {b}"
    );
    assert_eq!(
        number(&a["sent"]) + number(&b["sent"]) + number(&a["queued"]) + number(&b["queued"]),
        20
    );
    campus.deliver().await;
    let mut to: Vec<String> = campus.mails().into_iter().map(|mail| mail.to).collect();
    to.sort();
    to.dedup();
    assert_eq!((to.len(), campus.mails().len()), (20, 20));
}

#[tokio::test(start_paused = true)]
async fn two_officers_who_invite_one_applicant_at_once_mail_both_acceptances() {
    let campus = slow();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", drive.path);
    let first = drive.submit(&sue).await;
    let mut body = drive.answer("Because.");
    body["committee"] = drive.application["committees"][0]["id"].clone();
    let second = sue.post(&path, body).await.created();
    drive.decide(&first, 4, "").await;
    // The second officer sees the second decision, but not yet the invite that the request of the
    // first officer is writing.
    let after = async |milliseconds| tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    let all = async {
        futures::join!(
            drive.send("acceptance", json!({})),
            async {
                after(2).await;
                drive.decide(&second, 4, "").await
            },
            async {
                after(3).await;
                drive.send("acceptance", json!({})).await
            }
        )
    };
    let (a, _, b) = campus.with_worker(all).await;
    let (a, b) = (a.ok(), b.ok());
    assert_eq!(
        (&a["recipients"], &b["recipients"], &b["failed"]),
        (&json!(1), &json!(1), &json!(0)),
        "{a} {b}"
    );
    campus.deliver().await;
    let links: std::collections::BTreeSet<String> = campus
        .mails()
        .iter()
        .filter_map(|mail| {
            mail.text
                .split_whitespace()
                .find(|word| word.contains("/invite/"))
                .map(str::to_owned)
        })
        .collect();
    assert_eq!(
        (campus.mails().len(), links.len()),
        (2, 1),
        "two mails, one link"
    );
}

#[tokio::test(start_paused = true)]
async fn two_clubs_with_one_code_or_one_name() {
    let campus = slow();
    let ada = campus.as_("ada");
    let make = |body: Value| ada.post("/api/clubs/", body);
    let same = json!({ "name": "Chess", "code": "chess" });
    let (a, b) = futures::join!(make(same.clone()), make(same));
    let mut statuses = [a.status.as_u16(), b.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 400]);
    let named = json!({ "name": "Go Club" });
    let (a, b) = futures::join!(make(named.clone()), make(named));
    let mut codes = [
        a.created()["code"].to_string(),
        b.created()["code"].to_string(),
    ];
    codes.sort();
    assert_eq!(codes, ["\"go-club\"", "\"go-club-2\""]);
}

#[tokio::test(start_paused = true)]
async fn a_person_added_twice_at_once_is_counted_once() {
    let campus = slow();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let sue = id(&campus.as_("sue").get("/api/settings/").await.ok());
    let answers =
        join_all((0..8).map(|_| ada.post("/api/clubs/chess/members/", json!({ "person": sue }))))
            .await;
    assert_eq!(
        answers.iter().filter(|answer| answer.status == 201).count(),
        1
    );
    assert_eq!(
        ada.get("/api/clubs/chess/").await.ok()["membership_count"],
        2
    );
    assert_eq!(
        ada.get("/api/clubs/chess/members/")
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[tokio::test(start_paused = true)]
async fn two_owners_leaving_at_once_leave_one() {
    let campus = slow();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let sue = campus.member("chess", &ada, "sue", 0).await;
    let (a, b) = futures::join!(
        ada.delete("/api/clubs/chess/members/ada/"),
        sue.delete("/api/clubs/chess/members/sue/")
    );
    let mut statuses = [a.status.as_u16(), b.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 400]);
}

#[tokio::test(start_paused = true)]
async fn two_officers_editing_at_once_lose_nothing() {
    let campus = slow();
    let drive = campus.drive("chess").await;
    let (a, b) = futures::join!(
        drive
            .officer
            .patch(&drive.path, json!({ "name": "Autumn" })),
        drive
            .officer
            .patch(&drive.path, json!({ "external_url": "https://x.example/" }))
    );
    a.ok();
    b.ok();
    let now = drive.officer.get(&drive.path).await.ok();
    assert_eq!(
        (&now["name"], &now["external_url"]),
        (&json!("Autumn"), &json!("https://x.example/"))
    );
    let (a, b) = futures::join!(
        drive
            .officer
            .patch("/api/clubs/chess/", json!({ "subtitle": "s" })),
        drive
            .officer
            .patch("/api/clubs/chess/", json!({ "email": "a@b.example" }))
    );
    a.ok();
    b.ok();
    let club = drive.officer.get("/api/clubs/chess/").await.ok();
    assert_eq!(
        (&club["subtitle"], &club["email"]),
        (&json!("s"), &json!("a@b.example"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_committee_is_removed_or_applied_to_but_not_both() {
    for _ in 0..4 {
        let campus = slow();
        let drive = campus.drive("chess").await;
        let tech = &drive.application["committees"][0]["id"];
        let sue = campus.as_("sue");
        let path = format!("{}submissions/", drive.path);
        let (removed, submitted) = futures::join!(
            drive
                .officer
                .patch(&drive.path, json!({ "committees": [] })),
            sue.post(&path, json!({ "committee": tech, "responses": [] }))
        );
        assert!(
            removed.status != 200 || submitted.status != 201,
            "{} {}",
            removed.text(),
            submitted.text()
        );
        let left = drive.officer.get(&drive.path).await.ok();
        assert_eq!(
            left["committees"]
                .as_array()
                .is_some_and(|all| all.contains(&drive.application["committees"][0])),
            submitted.status == 201
        );
    }
}

#[tokio::test(start_paused = true)]
async fn no_deletion_loses_a_submission_that_is_being_written() {
    // The write of a submission comes long after its reads.
    let campus = delayed(|operation| if operation == "UpdateItem" { 400 } else { 5 });
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", drive.path);
    let (deleted, submitted) = futures::join!(
        drive.officer.delete(&drive.path),
        sue.post(&path, drive.answer("x"))
    );
    assert_eq!(
        (deleted.status.as_u16(), submitted.status.as_u16()),
        (400, 201)
    );
    assert_eq!(
        drive.officer.get(&path).await.ok().as_array().map(Vec::len),
        Some(1)
    );
    let tech = &drive.application["committees"][0]["id"];
    let (removed, submitted) = futures::join!(
        drive
            .officer
            .patch(&drive.path, json!({ "committees": [] })),
        sue.post(&path, json!({ "committee": tech, "responses": [] }))
    );
    assert_eq!(
        (removed.status.as_u16(), submitted.status.as_u16()),
        (400, 201)
    );
    assert_eq!(
        drive.officer.get(&drive.path).await.ok()["committees"],
        drive.application["committees"],
        "the refused change was stored"
    );
}

// If a slow submission did not read its application again, the answer would be 201, and the
// submission would belong to a deleted application.
#[tokio::test(start_paused = true)]
async fn a_submission_that_is_written_late_finds_that_its_application_is_gone() {
    for (milliseconds, deactivated) in [(900, false), (2_000, false), (2_000, true)] {
        // The first update is the submission.
        let updates = Arc::new(AtomicUsize::new(usize::MAX));
        let left = updates.clone();
        let campus = delayed(move |operation| {
            let is_first = operation == "UpdateItem" && left.swap(0, Ordering::SeqCst) == 1;
            if is_first { milliseconds } else { 5 }
        });
        let drive = campus.drive("chess").await;
        let sue = campus.as_("sue");
        sue.get("/api/settings/").await.ok();
        updates.store(1, Ordering::SeqCst);
        let path = format!("{}submissions/", drive.path);
        let delete = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            if deactivated {
                drive
                    .officer
                    .patch(&drive.path, json!({ "is_active": false }))
                    .await
                    .ok();
            }
            drive.officer.delete(&drive.path).await
        };
        let (deleted, submitted) = futures::join!(delete, sue.post(&path, drive.answer("x")));
        assert_eq!(
            (deleted.status.as_u16(), submitted.json()["code"].as_str()),
            (204, Some("application_closed"))
        );
        assert!(
            !campus
                .stored()
                .iter()
                .any(|item| item["type"]["S"] == "Submission"),
            "{milliseconds}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_hundred_questions_and_no_more_at_once() {
    let campus = slow();
    let drive = campus.drive("chess").await;
    let path = format!("{}questions/", drive.path);
    let body = json!({ "question_type": 1, "prompt": "?" });
    join_all((0..98).map(|_| drive.officer.post(&path, body.clone()))).await;
    join_all((0..8).map(|_| drive.officer.post(&path, body.clone()))).await;
    let count = drive.officer.get(&path).await.ok().as_array().map(Vec::len);
    assert!(
        count.is_some_and(|count| (99..=100).contains(&count)),
        "{count:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn two_officers_editing_one_question_lose_nothing() {
    let campus = slow();
    let drive = campus.drive("chess").await;
    let tech = &drive.application["committees"][0]["id"];
    let path = format!("{}questions/{}/", drive.path, drive.question);
    let (a, b) = futures::join!(
        drive.officer.patch(
            &path,
            json!({ "committee_question": true, "committees": [tech] })
        ),
        drive.officer.patch(&path, json!({ "word_limit": 7 }))
    );
    a.ok();
    b.ok();
    let now = drive.officer.get(&path).await.ok();
    assert_eq!(
        (&now["committees"], &now["word_limit"]),
        (&json!([tech]), &json!(7))
    );
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_was_cut_short_deletes_no_submission_that_came_meanwhile() {
    let cut = Arc::new(AtomicUsize::new(0));
    let armed = cut.clone();
    let campus = Setup::default()
        .table(Arc::new(move |operation: &str, _: &[u8]| {
            let fails = operation == "BatchWriteItem" && armed.load(Ordering::SeqCst) == 1;
            Box::pin(async move {
                fails.then(|| {
                    (
                        400,
                        json!({ "__type": "ResourceNotFoundException", "message": "cut" }),
                    )
                })
            })
        }))
        .build();
    let drive = campus.drive("chess").await;
    let application = campus
        .campus
        .app
        .table
        .application(
            &tests::fixtures::code("chess"),
            Id::new(id(&drive.application)),
        )
        .await
        .expect("a table")
        .expect("an application");
    let sue = campus.as_("sue");
    cut.store(1, Ordering::SeqCst);
    drive.officer.delete(&drive.path).await.error(500);
    cut.store(0, Ordering::SeqCst);
    drive.officer.get(&drive.path).await.error(404);
    // This student's request had read the application before the deletion.
    let late = campus.drive("go").await.submit(&sue).await;
    let model = campus
        .campus
        .app
        .table
        .submissions_of(Id::new(id(&late["user"])), true)
        .await
        .expect("a table")
        .pop()
        .expect("a submission");
    let stored = shared::models::Submission {
        application: application.id,
        club: tests::fixtures::code("chess"),
        ..model
    };
    campus
        .campus
        .app
        .table
        .submit(&stored, &shared::table::StoredSubmission::Nothing, None)
        .await
        .expect("a table");
    drive.officer.delete(&drive.path).await.error(400);
    drive.officer.get(&drive.path).await.ok();
    let list = drive
        .officer
        .get(&format!("{}submissions/", drive.path))
        .await
        .ok();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
}

/// A campus on which the first `n` calls of an operation get `answer`. DynamoDB reports conflicts
/// like this; the embedded engine never does.
fn conflicting(operation: &'static str, n: usize, answer: Value) -> TestCampus {
    let calls = AtomicUsize::new(0);
    Setup::default()
        .table(Arc::new(move |called: &str, _: &[u8]| {
            let conflicts = called == operation && calls.fetch_add(1, Ordering::SeqCst) < n;
            let answer = answer.clone();
            Box::pin(async move { conflicts.then_some((400, answer)) })
        }))
        .build()
}

#[tokio::test(start_paused = true)]
async fn conflicts_are_retried_and_a_table_that_stays_busy_is_told() {
    let canceled = json!({
        "__type": "TransactionCanceledException",
        "Message": "conflict",
        "CancellationReasons": [
            { "Code": "TransactionConflict" },
            { "Code": "None" },
            { "Code": "None" },
        ],
    });
    conflicting("TransactWriteItems", 3, canceled.clone())
        .as_("ada")
        .post("/api/clubs/", json!({ "name": "Go" }))
        .await
        .created();
    let answer = conflicting("TransactWriteItems", 100, canceled)
        .as_("ada")
        .post("/api/clubs/", json!({ "name": "Go" }))
        .await;
    assert_eq!(answer.header("retry-after"), "1");
    answer.error(429);
    let conflict = json!({ "__type": "TransactionConflictException", "message": "conflict" });
    let campus = conflicting("UpdateItem", 2, conflict);
    let drive = campus.drive("chess").await;
    drive.submit(&campus.as_("sue")).await;
}

#[tokio::test(start_paused = true)]
async fn a_throttled_table_is_told_and_a_broken_one_keeps_its_secrets() {
    let throttled =
        json!({ "__type": "ProvisionedThroughputExceededException", "message": "slow down" });
    conflicting("BatchGetItem", 100, throttled)
        .as_("ada")
        .get("/api/clubs/go/members/")
        .await
        .error(429);
    let broken = json!({ "__type": "ResourceNotFoundException", "message": "internal table name" });
    let answer = conflicting("BatchGetItem", 100, broken)
        .as_("ada")
        .get("/api/clubs/go/members/")
        .await;
    assert!(!answer.text().contains("table name"), "{}", answer.text());
    assert!(answer.json()["request_id"].is_string());
    answer.error(500);
}
