//! Writes that reach the table late, or are repeated because their answer was lost. They neither
//! remove nor replace what was written after them.

use serde_json::{Value, json};
use tests::fixtures::{Recruitment, id};
use tests::recount::recount;
use tests::{Client, Setup, TestCampus};

use crate::lost_responses::{LOSSES, Loss, Trap, after};

fn texts(list: &Value) -> Vec<&str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(|submission| submission["responses"][0]["text"].as_str())
        .collect()
}

/// A trap, its campus, a recruitment, a student with a profile, and the path of its submissions.
async fn scene() -> (Trap, TestCampus, Recruitment, Client, String) {
    let trap = Trap::default();
    let campus = trap.campus();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    let path = format!("{}submissions/", recruitment.path);
    (trap, campus, recruitment, sue, path)
}

// In an earlier version, the repeat of a deletion removed a submission that was made after it.
// proves X8, X9
#[tokio::test(start_paused = true)]
async fn late_withdrawal_keeps_newer_submission() {
    for loss in LOSSES {
        let (trap, campus, recruitment, sue, path) = scene().await;
        let first = recruitment.submit(&sue).await;
        trap.arm(1, loss);
        let one = format!("/api/submissions/{}/", id(&first));
        let (withdrawn, again) = futures::join!(sue.delete(&one), async {
            after(100).await;
            sue.post(&path, recruitment.answer("again")).await
        });
        withdrawn.no_content();
        assert!(again.status.is_success(), "{loss:?}: {}", again.text());
        after(5_000).await;
        assert_eq!(
            texts(&recruitment.officer.get(&path).await.ok()),
            ["again"],
            "{loss:?}"
        );
        assert_eq!(recount(&campus), [""; 0]);
    }
}

// In an earlier version, the repeat of an older submission replaced a newer one.
// proves X8, X9
#[tokio::test(start_paused = true)]
async fn a_late_submission_does_not_replace_a_later_one() {
    for loss in LOSSES {
        let (trap, campus, recruitment, sue, path) = scene().await;
        trap.arm(1, loss);
        let (old, new) = futures::join!(sue.post(&path, recruitment.answer("old")), async {
            after(100).await;
            sue.post(&path, recruitment.answer("new")).await
        });
        assert!(
            new.status.is_success() && old.status.is_success(),
            "{loss:?}: {} {}",
            old.text(),
            new.text()
        );
        after(5_000).await;
        assert_eq!(
            texts(&recruitment.officer.get(&path).await.ok()),
            ["new"],
            "{loss:?}"
        );
        assert_eq!(
            old.json()["responses"][0]["text"],
            "new",
            "{loss:?}: the answer does not show what is stored"
        );
        assert_eq!(recount(&campus), [""; 0]);
    }
}

// A submission that arrives after its withdrawal must not bring it back.
// proves X8, X9
#[tokio::test(start_paused = true)]
async fn a_late_submission_does_not_undo_a_later_withdrawal() {
    for loss in LOSSES {
        let (trap, campus, recruitment, sue, path) = scene().await;
        let first = recruitment.submit(&sue).await;
        trap.arm(1, loss);
        let (_, withdrawn) = futures::join!(sue.post(&path, recruitment.answer("old")), async {
            after(100).await;
            sue.delete(&format!("/api/submissions/{}/", id(&first)))
                .await
        });
        withdrawn.no_content();
        after(5_000).await;
        assert_eq!(
            recruitment.officer.get(&path).await.ok(),
            json!([]),
            "{loss:?}"
        );
        let again = sue.post(&path, recruitment.answer("x")).await.created();
        assert_eq!(again["id"], first["id"]);
        assert_eq!(recount(&campus), [""; 0]);
    }
}

// proves X8
#[tokio::test(start_paused = true)]
async fn late_request_withdrawal_keeps_newer_request() {
    for loss in LOSSES {
        let trap = Trap::default();
        let campus = trap.campus();
        let ada = campus.as_("ada");
        campus.club("chess", &ada).await;
        let rita = campus.as_("rita");
        let (requests, wish) = ("/api/requests/membership/", json!({ "club": "chess" }));
        rita.post(requests, wish.clone()).await.created();
        trap.arm(1, loss);
        let (deleted, again) =
            futures::join!(rita.delete("/api/requests/membership/chess/"), async {
                after(100).await;
                rita.post(requests, wish.clone()).await
            });
        // If the deletion is applied later, the second request finds the first one and is no 201.
        // Then the deletion removes it.
        if again.status == 201 {
            after(5_000).await;
            assert_eq!(
                rita.get(requests).await.ok().as_array().map(Vec::len),
                Some(1),
                "{loss:?}: {}",
                deleted.text()
            );
        }
    }
}

// The times of a submission are those at which the gateway received it, even if it is written
// later (S1).
// proves S1
#[tokio::test(start_paused = true)]
async fn a_submission_is_as_old_as_its_receipt() {
    let campus = Setup::default().latency(400).running_clock().build();
    let recruitment = campus.recruitment_now("chess").await;
    let sue = campus.as_("sue");
    let before = campus.now_ms() / 1_000;
    let submission = recruitment.submit(&sue).await;
    let created: shared::time::Timestamp = submission["created_at"]
        .as_str()
        .unwrap_or_default()
        .parse()
        .expect("a time");
    assert!(created.epoch_seconds() <= before + 1, "{created}");
    assert_eq!(submission["created_at"], submission["updated_at"]);
}

// The first attempt is not applied. Before the second attempt, an officer revokes the invite. The
// missing invite must not be mistaken for the work of the first attempt.
// proves X10
#[tokio::test(start_paused = true)]
async fn somebody_elses_work_is_not_taken_for_ones_own() {
    let trap = Trap::default();
    let campus = trap.campus();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let invite = ada
        .post(
            "/api/clubs/chess/invites/",
            json!({ "email": "ina@uni.example" }),
        )
        .await
        .created();
    campus.deliver().await;
    let link = tests::fixtures::MailedLink::sent_to(&campus, "ina@uni.example");
    let ina = campus.as_("ina");
    ina.get("/api/settings/").await.ok();
    trap.arm(1, Loss::Nothing);
    let (accepted, revoked) = futures::join!(link.accept(&ina), async {
        after(100).await;
        ada.delete(&format!(
            "/api/clubs/chess/invites/{}/",
            invite["id"].as_str().unwrap_or_default()
        ))
        .await
    });
    revoked.no_content();
    accepted.error(400);
    assert_eq!(
        ada.get("/api/clubs/chess/members/")
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    assert_eq!(recount(&campus), [""; 0]);
}

// proves X9
#[tokio::test(start_paused = true)]
async fn overtaken_decision_is_no_failure() {
    for withdraws in [false, true] {
        let (trap, _campus, recruitment, sue, path) = scene().await;
        let first = recruitment.submit(&sue).await;
        trap.arm(1, Loss::Late);
        let old = async {
            if withdraws {
                let one = format!("/api/submissions/{}/", id(&first));
                sue.delete(&one).await
            } else {
                sue.post(&path, recruitment.answer("old")).await
            }
        };
        let (old, ()) = futures::join!(old, async {
            after(100).await;
            let new = sue.post(&path, recruitment.answer("new")).await.ok();
            recruitment.decide(&new, 4, "").await;
        });
        assert!(old.status.is_success(), "{withdraws}: {}", old.text());
        after(5_000).await;
        assert_eq!(texts(&recruitment.officer.get(&path).await.ok()), ["new"]);
    }
}
