//! `send_emails` with `one_per_person`: one mail a person instead of one for each submission

use serde_json::{Value, json};
use shared::time::Clock as _;
use tests::fixtures::Recruitment;
use tests::{Client, TestCampus};

/// Submits to the committees of the application with these positions, and decides.
pub(crate) async fn applied(
    recruitment: &Recruitment,
    client: &Client,
    decisions: &[(usize, u64)],
) -> Vec<Value> {
    let path = format!("{}submissions/", recruitment.path);
    let mut all = Vec::new();
    for (committee, status) in decisions {
        let committee = &recruitment.application["committees"][*committee]["id"];
        let body = json!({ "committee": committee, "responses": [] });
        let submission = client.post(&path, body).await.created();
        let reason = format!("Reason {status}.");
        all.push(if *status == 1 {
            submission
        } else {
            recruitment.decide(&submission, *status, &reason).await
        });
    }
    all
}

pub(crate) async fn campus() -> (TestCampus, Recruitment) {
    let campus = TestCampus::new();
    let recruitment = recruitment_on(&campus).await;
    (campus, recruitment)
}

pub(crate) async fn recruitment_on(campus: &TestCampus) -> Recruitment {
    let recruitment = campus.recruitment("chess").await;
    let template = "<p>{{ committees }}|{{ committee }}|{{ reason }}</p>";
    let body = json!({ "acceptance_email": template, "rejection_email": template });
    recruitment
        .officer
        .patch(&recruitment.path, body)
        .await
        .ok();
    recruitment
}

pub(crate) fn person(more: Value) -> Value {
    let mut body = json!({ "one_per_person": true });
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

pub(crate) async fn send(
    campus: &TestCampus,
    recruitment: &Recruitment,
    kind: &str,
    more: Value,
) -> Value {
    campus
        .with_worker(recruitment.send(kind, person(more)))
        .await
        .ok()
}

fn skipped(response: &Value) -> [u64; 3] {
    ["already_notified", "undecided", "accepted_elsewhere"]
        .map(|name| response["skipped"][name].as_u64().unwrap_or(99))
}

/// Five people who applied to both committees. Returns the submissions of Sue, whom both accept,
/// and of Bob, whom one accepts.
async fn five_people(campus: &TestCampus, recruitment: &Recruitment) -> [Vec<Value>; 2] {
    let both = applied(recruitment, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    let mixed = applied(recruitment, &campus.as_("bob"), &[(0, 4), (1, 2)]).await;
    applied(recruitment, &campus.as_("ann"), &[(0, 2), (1, 3)]).await;
    applied(recruitment, &campus.as_("tom"), &[(0, 2), (1, 1)]).await;
    applied(recruitment, &campus.as_("kim"), &[(0, 4), (1, 1)]).await;
    [both, mixed]
}

// proves E26
#[tokio::test]
async fn acceptance_names_all_committees_and_rejects_nobody_accepted() {
    let (campus, recruitment) = campus().await;
    let [both, _] = five_people(&campus, &recruitment).await;
    let dry = recruitment
        .send("acceptance", person(json!({ "dry_run": true })))
        .await
        .ok();
    assert_eq!(dry["recipients"], 3);
    assert_eq!(skipped(&dry), [0, 1, 0]);
    assert_eq!(
        dry["previews"][0]["submissions"],
        json!([both[0]["id"], both[1]["id"]])
    );
    let accepted = send(
        &campus,
        &recruitment,
        "acceptance",
        json!({ "digest": dry["digest"] }),
    )
    .await;
    assert_eq!(
        (&accepted["sent"], skipped(&accepted)),
        (&json!(3), [0, 1, 0])
    );
    let rejected = send(&campus, &recruitment, "rejection", json!({})).await;
    assert_eq!(
        (&rejected["sent"], skipped(&rejected)),
        (&json!(1), [0, 1, 1])
    );
    let mails = campus.mails_but_welcomes();
    let mut notified: Vec<(&str, &str)> = mails
        .iter()
        .map(|mail| {
            (
                mail.to.as_str(),
                mail.text.lines().next().unwrap_or_default(),
            )
        })
        .collect();
    notified.sort_unstable();
    assert_eq!(notified.len(), 4, "{notified:?}");
    assert_eq!(notified[0].0, "ann@uni.example");
    assert!(
        notified[0]
            .1
            .starts_with("Tech, Outreach|Tech, Outreach|Reason 2.")
    );
    assert!(notified[1].1.starts_with("Tech|Tech|Reason 4."));
    assert!(
        notified[3]
            .1
            .starts_with("Tech, Outreach|Tech, Outreach|Reason 4.")
    );
}

// proves S14, E27
#[tokio::test]
async fn submissions_show_their_own_mails_only() {
    let (campus, recruitment) = campus().await;
    let [both, mixed] = five_people(&campus, &recruitment).await;
    for kind in ["acceptance", "rejection"] {
        send(&campus, &recruitment, kind, json!({})).await;
    }
    // All submissions that the mail is about show it, and no other.
    let list = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    let state = |submission: &Value| {
        let all = list.as_array().cloned().unwrap_or_default();
        let row = all.into_iter().find(|row| row["id"] == submission["id"]);
        row.expect("the submission")["email_status"].clone()
    };
    assert_eq!(
        [&both[0], &both[1]].map(state),
        [json!("sent"), json!("sent")]
    );
    assert_eq!(
        [&mixed[0], &mixed[1]].map(state),
        [json!("sent"), json!(null)]
    );
    // The applicant learns what the mail said, and not the decision that it did not tell.
    let own = campus.as_("bob").get("/api/submissions/").await.ok();
    let mut statuses: Vec<u64> = own
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["status"].as_u64())
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [1, 4]);
}

// proves E27
#[tokio::test]
async fn mail_per_submission_and_per_person_are_exclusive() {
    let (campus, recruitment) = campus().await;
    let sue = applied(&recruitment, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    send(&campus, &recruitment, "acceptance", json!({})).await;
    let single = campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    assert_eq!(
        (&single["sent"], &single["skipped"]["already_notified"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(single["skipped"].get("undecided"), None);
    applied(&recruitment, &campus.as_("bob"), &[(0, 2), (1, 2)]).await;
    let chosen = campus
        .with_worker(recruitment.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(chosen["sent"], 2);
    let person = send(&campus, &recruitment, "rejection", json!({})).await;
    assert_eq!((&person["sent"], skipped(&person)), (&json!(0), [1, 0, 0]));
    // A resend names all committees, and is one mail.
    let again = send(
        &campus,
        &recruitment,
        "acceptance",
        json!({ "allow_resend": true }),
    )
    .await;
    assert_eq!(again["sent"], 1);
    let last = campus.mails_but_welcomes().pop().expect("a mail");
    assert!(last.text.starts_with("Tech, Outreach|"));
    assert_eq!(sue.len(), 2);
}

// proves E27
#[tokio::test]
async fn a_committee_that_accepts_later_is_named_by_a_resend() {
    let (campus, recruitment) = campus().await;
    let sue = applied(&recruitment, &campus.as_("sue"), &[(0, 4), (1, 1)]).await;
    send(&campus, &recruitment, "acceptance", json!({})).await;
    recruitment.decide(&sue[1], 4, "").await;
    let later = send(&campus, &recruitment, "acceptance", json!({})).await;
    assert_eq!((&later["sent"], skipped(&later)), (&json!(0), [1, 0, 0]));
    let again = send(
        &campus,
        &recruitment,
        "acceptance",
        json!({ "allow_resend": true }),
    )
    .await;
    assert_eq!(again["sent"], 1);
    let mails = campus.mails_but_welcomes();
    assert_eq!(mails.len(), 2);
    assert!(mails[0].text.starts_with("Tech|Tech|"));
    assert!(mails[1].text.starts_with("Tech, Outreach|"));
    // `clubs-admin check` knows mails to people.
    let findings = admin::check(&campus.stored(), campus.campus.clock.now());
    assert!(findings.is_empty(), "{findings:?}");
}

// proves E28
#[tokio::test]
async fn undecided_people_stop_the_mails_on_request() {
    let (campus, recruitment) = campus().await;
    let sue = applied(&recruitment, &campus.as_("sue"), &[(0, 4), (1, 1)]).await;
    let bob = applied(&recruitment, &campus.as_("bob"), &[(0, 1), (1, 2)]).await;
    let all = json!({ "require_all_decided": true });
    let refused = recruitment.send("acceptance", person(all.clone())).await;
    let body = refused.json();
    assert_eq!(body["code"], "undecided");
    assert!(body["detail"].as_str().unwrap().starts_with("1 "));
    refused.error(400);
    let refused = recruitment.send("acceptance", all.clone()).await;
    // Sue gets an acceptance, so she is not undecided, in either mode.
    assert!(refused.json()["detail"].as_str().unwrap().starts_with("1 "));
    assert_eq!(refused.json()["code"], "undecided");
    let dry = json!({ "require_all_decided": true, "dry_run": true });
    let dry = recruitment.send("acceptance", person(dry)).await.ok();
    assert_eq!(dry["recipients"], 1);
    assert!(dry["warnings"].to_string().contains("1 person is not"));
    recruitment.decide(&bob[0], 3, "").await;
    let sent = send(&campus, &recruitment, "acceptance", all.clone()).await;
    assert_eq!(sent["sent"], 1);
    recruitment.decide(&sue[1], 2, "").await;
    let sent = campus
        .with_worker(recruitment.send("rejection", all))
        .await
        .ok();
    assert_eq!(sent["sent"], 3);
}

// proves E29
#[tokio::test]
async fn a_digest_of_one_mode_does_not_fit_the_other() {
    let (campus, recruitment) = campus().await;
    applied(&recruitment, &campus.as_("sue"), &[(0, 4)]).await;
    let dry = json!({ "dry_run": true });
    let single = recruitment.send("acceptance", dry.clone()).await.ok();
    let to_person = recruitment.send("acceptance", person(dry)).await.ok();
    let refused = recruitment
        .send("acceptance", person(json!({ "digest": single["digest"] })))
        .await;
    assert_eq!(refused.json()["code"], "digest_changed");
    let refused = recruitment
        .send("acceptance", json!({ "digest": to_person["digest"] }))
        .await;
    assert_eq!(refused.json()["code"], "digest_changed");
    assert!(campus.mails_but_welcomes().is_empty());
}

// proves E26
#[tokio::test]
async fn people_are_chosen_by_any_of_their_submissions() {
    let (campus, recruitment) = campus().await;
    let sue = applied(&recruitment, &campus.as_("sue"), &[(0, 4), (1, 4)]).await;
    applied(&recruitment, &campus.as_("bob"), &[(0, 4)]).await;
    let chosen = json!({ "submissions": [sue[1]["id"]] });
    let sent = send(&campus, &recruitment, "acceptance", chosen).await;
    assert_eq!(sent["sent"], 1);
    let mail = campus.mails_but_welcomes().remove(0);
    assert!(mail.text.starts_with("Tech, Outreach|"));
    recruitment
        .send("acceptance", person(json!({ "submissions": [7] })))
        .await
        .invalid(&["submissions.0"]);
}
