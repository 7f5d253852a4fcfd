//! The mail worker: submissions that change, go or come back while they have a mail.

use local::stream::Delivered;
use serde_json::json;
use tests::TestCampus;
use tests::fixtures::id;

use crate::mail_worker::{queued, state};

// proves E17
#[tokio::test(start_paused = true)]
async fn a_submission_that_went_before_its_mail_gets_none() {
    let campus = TestCampus::new();
    let drive = queued(&campus).await;
    drive
        .officer
        .delete(&format!("{}?force=true", drive.path))
        .await
        .no_content();
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    assert!(campus.mails().is_empty());
}

// proves E17
#[tokio::test(start_paused = true)]
async fn a_decision_that_was_changed_before_its_mail_is_not_told() {
    for (status, reason) in [(2, ""), (1, ""), (4, "Another reason.")] {
        let campus = TestCampus::new();
        let drive = campus.drive("chess").await;
        let submission = drive.submit(&campus.as_("sue")).await;
        drive.decide(&submission, 4, "").await;
        assert_eq!(drive.send("acceptance", json!({})).await.ok()["queued"], 1);
        drive.decide(&submission, status, reason).await;
        assert_eq!(campus.deliver().await, Delivered::Nothing);
        assert!(campus.mails().is_empty(), "{status}");
        assert_eq!(state(&drive).await, (json!("failed"), json!(false)));
        // The officer can send the present decision.
        drive.decide(&submission, 4, "Yes, after all.").await;
        assert_eq!(
            campus
                .with_worker(drive.send("acceptance", json!({})))
                .await
                .ok()["sent"],
            1
        );
        assert_eq!(campus.mails().len(), 1);
    }
}

// proves E18
#[tokio::test(start_paused = true)]
async fn a_submission_made_anew_has_mails_of_its_own() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let first = drive.submit(&sue).await;
    drive.decide(&first, 4, "").await;
    assert_eq!(
        campus
            .with_worker(drive.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1
    );
    drive.decide(&first, 1, "").await;
    sue.delete(&format!("/api/submissions/{}/", id(&first)))
        .await
        .no_content();
    let second = drive.submit(&sue).await;
    assert_eq!(second["notified"], false);
    drive.decide(&second, 4, "").await;
    assert_eq!(
        campus
            .with_worker(drive.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1
    );
    assert_eq!(campus.mails().len(), 2);
}
