//! Deletions at the same moment as submissions: what somebody was told is stored stays stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use shared::ids::Id;
use tests::Setup;
use tests::fixtures::id;

use crate::races::{delayed, slow};

// proves A6
#[tokio::test(start_paused = true)]
async fn a_committee_is_removed_or_applied_to_but_not_both() {
    for _ in 0..4 {
        let campus = slow();
        let recruitment = campus.recruitment("chess").await;
        let tech = &recruitment.application["committees"][0]["id"];
        let sue = campus.as_("sue");
        let path = format!("{}submissions/", recruitment.path);
        let (removed, submitted) = futures::join!(
            recruitment
                .officer
                .patch(&recruitment.path, json!({ "committees": [] })),
            sue.post(&path, json!({ "committee": tech, "responses": [] }))
        );
        assert!(
            removed.status != 200 || submitted.status != 201,
            "{} {}",
            removed.text(),
            submitted.text()
        );
        let left = recruitment.officer.get(&recruitment.path).await.ok();
        assert_eq!(
            left["committees"]
                .as_array()
                .is_some_and(|all| all.contains(&recruitment.application["committees"][0])),
            submitted.status == 201
        );
    }
}

// proves A6, X14
#[tokio::test(start_paused = true)]
async fn no_deletion_loses_a_submission_that_is_being_written() {
    // The write of a submission comes long after its reads.
    let campus = delayed(|operation| if operation == "UpdateItem" { 400 } else { 5 });
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", recruitment.path);
    let (deleted, submitted) = futures::join!(
        recruitment.officer.delete(&recruitment.path),
        sue.post(&path, recruitment.answer("x"))
    );
    assert_eq!(
        (deleted.status.as_u16(), submitted.status.as_u16()),
        (400, 201)
    );
    assert_eq!(
        recruitment
            .officer
            .get(&path)
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    let tech = &recruitment.application["committees"][0]["id"];
    let (removed, submitted) = futures::join!(
        recruitment
            .officer
            .patch(&recruitment.path, json!({ "committees": [] })),
        sue.post(&path, json!({ "committee": tech, "responses": [] }))
    );
    assert_eq!(
        (removed.status.as_u16(), submitted.status.as_u16()),
        (400, 201)
    );
    assert_eq!(
        recruitment.officer.get(&recruitment.path).await.ok()["committees"],
        recruitment.application["committees"],
        "the refused change was stored"
    );
}

// A deletion that is refused hid the application meanwhile.
// proves X14
#[tokio::test(start_paused = true)]
async fn while_a_deletion_is_undecided_nobody_is_turned_away() {
    let campus = delayed(|operation| if operation == "UpdateItem" { 400 } else { 5 });
    let recruitment = campus.recruitment("chess").await;
    let (sue, bob) = (campus.as_("sue"), campus.as_("bob"));
    bob.get("/api/settings/").await.ok();
    let path = format!("{}submissions/", recruitment.path);
    let meanwhile = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        let sent = bob.post(&path, recruitment.answer("x")).await;
        let shown = bob.get(&recruitment.path).await;
        let open = bob.get("/api/applications/open/").await.ok();
        (sent, shown, open)
    };
    let (deleted, first, (sent, shown, open)) = futures::join!(
        recruitment.officer.delete(&recruitment.path),
        sue.post(&path, recruitment.answer("x")),
        meanwhile
    );
    first.created();
    deleted.error(400);
    sent.created();
    shown.ok();
    assert_eq!(open.as_array().map(Vec::len), Some(1));
}

// If a slow submission did not read its application again, the answer would be 201, and the
// submission would belong to a deleted application.
// proves X15
#[tokio::test(start_paused = true)]
async fn late_submission_finds_application_deleted() {
    for (milliseconds, deactivated) in [(900, false), (2_000, false), (2_000, true)] {
        // The first update is the submission.
        let updates = Arc::new(AtomicUsize::new(usize::MAX));
        let left = updates.clone();
        let campus = delayed(move |operation| {
            let is_first = operation == "UpdateItem" && left.swap(0, Ordering::SeqCst) == 1;
            if is_first { milliseconds } else { 5 }
        });
        let recruitment = campus.recruitment("chess").await;
        let sue = campus.as_("sue");
        sue.get("/api/settings/").await.ok();
        updates.store(1, Ordering::SeqCst);
        let path = format!("{}submissions/", recruitment.path);
        let delete = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            if deactivated {
                recruitment
                    .officer
                    .patch(&recruitment.path, json!({ "is_active": false }))
                    .await
                    .ok();
            }
            recruitment.officer.delete(&recruitment.path).await
        };
        let (deleted, submitted) = futures::join!(delete, sue.post(&path, recruitment.answer("x")));
        // What is stored before the deletion looks stops it.
        let is_late = milliseconds > 1_000;
        let expected = if is_late {
            (204, Some("application_closed"))
        } else {
            (400, None)
        };
        assert_eq!(
            (deleted.status.as_u16(), submitted.json()["code"].as_str()),
            expected
        );
        let stored = campus.stored();
        let mut items = stored.iter();
        let is_there = items.any(|item| item["type"]["S"] == "Submission");
        assert_eq!(is_there, !is_late, "{milliseconds}");
    }
}

// proves X15
#[tokio::test(start_paused = true)]
async fn interrupted_deletion_keeps_newer_submission() {
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
    let recruitment = campus.recruitment("chess").await;
    let application = campus
        .campus
        .app
        .table
        .application(
            &tests::fixtures::code("chess"),
            Id::new(id(&recruitment.application)),
        )
        .await
        .expect("a table")
        .expect("an application");
    let sue = campus.as_("sue");
    cut.store(1, Ordering::SeqCst);
    recruitment
        .officer
        .delete(&recruitment.path)
        .await
        .error(500);
    cut.store(0, Ordering::SeqCst);
    // Whether it is deleted is not decided, and nobody goes on with it.
    recruitment.officer.get(&recruitment.path).await.error(429);
    // This student's request had read the application before the deletion.
    let late = campus.recruitment("go").await.submit(&sue).await;
    let table = &campus.campus.app.table;
    let model = tests::fixtures::answered_of(table, id(&late["user"])).await;
    let stored = shared::domain::Answered {
        submission: shared::domain::Submission {
            application: application.id,
            club: tests::fixtures::code("chess"),
            ..model.submission
        },
        answers: model.answers,
    };
    campus
        .campus
        .app
        .table
        .submit(&stored, &shared::domain::StoredSubmission::Nothing, None)
        .await
        .expect("a table");
    recruitment
        .officer
        .delete(&recruitment.path)
        .await
        .error(400);
    recruitment.officer.get(&recruitment.path).await.ok();
    let list = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
}
