//! The real binary behind its queues.

use serde_json::json;
use tests::lambda::{LambdaProcess, ready_event};

// proves E12, E22
#[tokio::test(flavor = "multi_thread")]
async fn the_function_sends_what_the_queue_gives_out_once() {
    let function = LambdaProcess::start(env!("CARGO_BIN_EXE_mailer")).await;
    let campus = &function.campus;
    let recruitment = campus.recruitment_now("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 4, "").await;
    let send = recruitment.send("acceptance", json!({}));
    let (report, response) = tokio::join!(send, async {
        let mail = loop {
            let stored = campus.stored().into_iter();
            if let Some(mail) = { stored }.find(|item| item["type"]["S"] == "Mail") {
                break mail;
            }
            tokio::task::yield_now().await;
        };
        let body = json!({ "pk": mail["pk"]["S"], "sk": mail["sk"]["S"] }).to_string();
        let event = json!({ "Records": [
            { "messageId": "1", "body": body, "attributes": {}, "messageAttributes": {} },
        ]});
        let response = function.invoke(event.clone()).await;
        assert_eq!(function.invoke(event).await, response, "delivered twice");
        response
    });
    assert_eq!(response, json!({ "batchItemFailures": [] }));
    assert_eq!(report.ok()["sent"], 1);
    let mails = campus.mails();
    assert_eq!((mails.len(), mails[0].to.as_str()), (1, "sue@uni.example"));
    assert!(mails[0].text.contains("/invite/chess/"));
    // What SES reports comes to the same binary, through SNS.
    let reports = campus.campus.mailbox.take_reports();
    assert_eq!(reports.len(), 1);
    let bounced = reports[0]
        .to_string()
        .replace("Delivery", "Bounce")
        .replace(
            r#"\"delivery\":{"#,
            r#"\"bounce\":{\"bounceType\":\"Permanent\","#,
        );
    function
        .invoke(serde_json::from_str(&bounced).expect("an event"))
        .await;
    let list = recruitment
        .officer
        .get(&format!(
            "{}submissions/?email_status=bounced",
            recruitment.path
        ))
        .await
        .ok();
    assert_eq!(list.as_array().map(Vec::len), Some(1), "{list}");
}

// proves O19
#[tokio::test(flavor = "multi_thread")]
async fn a_new_version_answers_before_it_gets_mails() {
    let function = LambdaProcess::start(env!("CARGO_BIN_EXE_mailer")).await;
    let response = function.invoke(ready_event()).await;
    assert_eq!(response, json!({ "batchItemFailures": [] }));
}
