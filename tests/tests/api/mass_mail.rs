//! Limits for invitation mails of clubs

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;

const INVITE: &str = "/api/clubs/chess/invite/";

fn addresses(from: usize, to: usize) -> Value {
    let all: Vec<String> = (from..to)
        .map(|n| format!("person{n}@uni.example"))
        .collect();
    json!({ "emails": all.join(" ") })
}

// proves H7, I13
#[tokio::test]
async fn a_club_sends_300_invitations_in_a_day_and_no_more() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for n in 0..2 {
        assert_eq!(
            ada.post(INVITE, addresses(n * 100, n * 100 + 100))
                .await
                .ok()["sent"],
            100
        );
    }
    campus.advance(TimeDelta::hours(1));
    assert_eq!(ada.post(INVITE, addresses(200, 280)).await.ok()["sent"], 80);
    // A bulk invitation that would exceed the limit is refused as a whole.
    let refused = ada.post(INVITE, addresses(280, 301)).await;
    assert_eq!(
        (
            refused.json()["code"].as_str(),
            refused.header("retry-after")
        ),
        (Some("rate_limited"), "82800")
    );
    refused.error(429);
    let invites = ada.get("/api/clubs/chess/invites/").await.ok();
    assert_eq!(invites.as_array().map(Vec::len), Some(280));
    // Addresses that are invited already do not count. Sending an invitation again counts.
    assert_eq!(ada.post(INVITE, addresses(270, 299)).await.ok()["sent"], 19);
    let first = invites[279]["id"].as_str().unwrap_or_default();
    ada.post(
        &format!("/api/clubs/chess/invites/{first}/resend/"),
        Value::Null,
    )
    .await
    .ok();
    ada.post(
        "/api/clubs/chess/invites/",
        json!({ "email": "late@uni.example" }),
    )
    .await
    .error(429);
    // Each club has its own limit.
    campus.club("go", &ada).await;
    ada.post(
        "/api/clubs/go/invites/",
        json!({ "email": "late@uni.example" }),
    )
    .await
    .created();
    campus.advance(TimeDelta::hours(23));
    ada.post(
        "/api/clubs/chess/invites/",
        json!({ "email": "late@uni.example" }),
    )
    .await
    .created();
    campus.deliver().await;
}

// proves H7, I14
#[tokio::test]
async fn one_invitation_is_sent_again_after_ten_minutes() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let invite = ada
        .post(
            "/api/clubs/chess/invites/",
            json!({ "email": "ina@uni.example" }),
        )
        .await
        .created();
    let one = format!(
        "/api/clubs/chess/invites/{}/",
        invite["id"].as_str().unwrap_or_default()
    );
    campus.advance(TimeDelta::minutes(9));
    let refused = ada.post(&format!("{one}resend/"), Value::Null).await;
    assert_eq!(
        (
            refused.header("retry-after"),
            refused.json()["code"].as_str()
        ),
        ("60", Some("rate_limited"))
    );
    campus.advance(TimeDelta::minutes(1));
    ada.post(&format!("{one}resend/"), Value::Null).await.ok();
    // Revoking the invitation and inviting again is limited too.
    for _ in 0..2 {
        ada.delete(&one).await.no_content();
        ada.post(
            "/api/clubs/chess/invites/",
            json!({ "email": "ina@uni.example" }),
        )
        .await
        .created();
    }
    ada.delete(&one).await.no_content();
    ada.post(
        "/api/clubs/chess/invites/",
        json!({ "email": "ina@uni.example" }),
    )
    .await
    .error(429);
}

// proves H7, E24, I15
#[tokio::test]
async fn unapproved_club_accepts_without_invitation() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let invite = recruitment
        .officer
        .post(
            "/api/clubs/chess/invites/",
            json!({ "email": "ina@uni.example" }),
        )
        .await
        .created();
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 4, "").await;
    campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "approved": null }))
        .await
        .ok();
    campus.advance(TimeDelta::hours(1));
    let resend = format!(
        "/api/clubs/chess/invites/{}/resend/",
        invite["id"].as_str().unwrap_or_default()
    );
    for (path, body) in [
        (
            "/api/clubs/chess/invites/",
            json!({ "email": "bob@uni.example" }),
        ),
        (INVITE, json!({ "emails": "bob@uni.example" })),
        (resend.as_str(), Value::Null),
    ] {
        let refused = recruitment
            .officer
            .send(
                http::Method::POST,
                path,
                Some(body).filter(|body| !body.is_null()),
            )
            .await;
        assert_eq!(refused.json()["code"], "club_not_approved", "{path}");
        refused.error(400);
    }
    campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    let mail = campus
        .mails()
        .into_iter()
        .find(|mail| mail.to == "sue@uni.example")
        .expect("a mail");
    assert!(!mail.text.contains("/invite/"), "{}", mail.text);
}
