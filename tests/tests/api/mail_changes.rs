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
    let recruitment = queued(&campus).await;
    recruitment
        .officer
        .delete(&format!("{}?force=true", recruitment.path))
        .await
        .no_content();
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    let mails = campus.mails();
    let subjects: Vec<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
    assert_eq!(subjects, ["Your application to chess has ended"]);
}

// proves E17
#[tokio::test(start_paused = true)]
async fn decision_changed_before_its_mail_is_not_communicated() {
    for (status, reason) in [(2, ""), (1, ""), (4, "Another reason.")] {
        let campus = TestCampus::new();
        let recruitment = campus.recruitment("chess").await;
        let submission = recruitment.submit(&campus.as_("sue")).await;
        recruitment.decide(&submission, 4, "").await;
        assert_eq!(
            recruitment.send("acceptance", json!({})).await.ok()["queued"],
            1
        );
        recruitment.decide(&submission, status, reason).await;
        assert_eq!(campus.deliver().await, Delivered::Nothing);
        assert!(campus.mails().is_empty(), "{status}");
        assert_eq!(state(&recruitment).await, (json!("failed"), json!(false)));
        // The officer can send the present decision.
        recruitment.decide(&submission, 4, "Yes, after all.").await;
        assert_eq!(
            campus
                .with_worker(recruitment.send("acceptance", json!({})))
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
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let first = recruitment.submit(&sue).await;
    recruitment.decide(&first, 4, "").await;
    assert_eq!(
        campus
            .with_worker(recruitment.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1
    );
    recruitment.decide(&first, 1, "").await;
    sue.delete(&format!("/api/submissions/{}/", id(&first)))
        .await
        .no_content();
    let second = recruitment.submit(&sue).await;
    assert_eq!(second["notified"], false);
    recruitment.decide(&second, 4, "").await;
    assert_eq!(
        campus
            .with_worker(recruitment.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1
    );
    assert_eq!(campus.mails().len(), 2);
}
