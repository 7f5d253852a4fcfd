//! template.yaml agrees with the code: how mails go out, and how their reports come back.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::template::{ACCOUNT, REGION, SamTemplate};

use crate::template::template;

#[test]
fn mails_go_out_as_the_identity_that_they_are_from() {
    let arn = |name: &str| format!("arn:aws:ses:{REGION}:{ACCOUNT}:identity/{name}");
    for (parameters, identity) in [
        (
            vec![("MailFrom", "Clubs <clubs@uni.example>")],
            "uni.example",
        ),
        (vec![("MailFrom", "clubs@uni.example")], "uni.example"),
        (
            vec![
                ("MailFrom", "clubs@uni.example"),
                ("MailIdentity", "clubs@uni.example"),
            ],
            "clubs@uni.example",
        ),
    ] {
        let functions = SamTemplate::load("clubs", &parameters).functions();
        assert!(
            functions["Mailer"].may("ses:SendRawEmail", &arn(identity)),
            "{parameters:?}"
        );
        assert!(
            !functions["Mailer"].may("ses:SendRawEmail", &arn("other.example")),
            "{parameters:?}"
        );
    }
}

// proves E14, E19, O7
#[test]
fn the_queues_of_mails_fit_the_worker() {
    let resources = template().resources();
    let mut workers = 0;
    for (queue, mapping) in [
        ("Mails", "MailsMapping"),
        ("NoticeMails", "NoticeMailsMapping"),
    ] {
        let queue = &resources[queue]["Properties"];
        let visible = queue["VisibilityTimeout"].as_u64().expect("seconds");
        // A message comes again after the claim of a worker that died has ended.
        assert!(visible > 90 && template().functions()["Mailer"].timeout < 90);
        let tries = queue["RedrivePolicy"]["maxReceiveCount"].as_u64();
        assert_eq!(tries.map(|tries| tries * visible), Some(12 * 3_600));
        let scaling = &resources[mapping]["Properties"]["ScalingConfig"];
        workers += scaling["MaximumConcurrency"].as_u64().expect("a number");
    }
    assert_eq!(workers, u64::from(mailer::WORKERS));
}

#[test]
fn the_reports_of_ses_reach_the_mailer() {
    let resources = template().resources();
    let source = &resources["MailReportsSource"]["Properties"];
    assert_eq!(
        source["ConfigurationSetName"],
        template().functions()["Mailer"].variables["MAIL_CONFIGURATION_SET"]
    );
    let topic = &source["EventDestination"]["SnsDestination"]["TopicARN"];
    assert_eq!(
        source["EventDestination"]["MatchingEventTypes"],
        json!(["delivery", "bounce", "complaint", "reject"])
    );
    assert_eq!(
        &template().functions()["MailReports"].events["Reports"]["Properties"]["Topic"],
        topic
    );
    assert_eq!(
        resources["MailReportsTopicPolicy"]["Properties"]["Topics"],
        json!([topic])
    );
}

// CloudWatch asks 3 USD a month for a dashboard with more.
#[test]
fn the_dashboard_has_at_most_fifty_metrics() {
    let resources = template().resources();
    let body = resources["Dashboard"]["Properties"]["DashboardBody"].as_str();
    let body: Value = body
        .and_then(|body| serde_json::from_str(body).ok())
        .expect("JSON");
    let mut metrics = BTreeSet::new();
    for widget in body["widgets"].as_array().into_iter().flatten() {
        for metric in widget["properties"]["metrics"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let names = metric.as_array().into_iter().flatten();
            metrics.insert(
                names
                    .filter_map(Value::as_str)
                    .collect::<Vec<_>>()
                    .join(" "),
            );
        }
    }
    assert!((40..=50).contains(&metrics.len()), "{}", metrics.len());
}
