//! `/clubs/{club}/invites/{invite}/accept/`

use chrono::TimeDelta;
use serde_json::json;
use tests::TestCampus;

/// Path and token of the invite that the accepted Sue gets.
async fn invited(campus: &TestCampus) -> (String, String) {
    let drive = campus.drive("chess").await;
    let submission = drive.submit(&campus.as_("sue")).await;
    drive.decide(&submission, 4, "").await;
    campus.with_worker(drive.send("acceptance", json!({}))).await.ok();
    let text = campus.mails()[0].text.clone();
    let link = text.split_whitespace().find(|word| word.contains("/invite/")).unwrap_or_default().to_owned();
    let mut parts = link.rsplit('/');
    let (token, invite) = (parts.next().unwrap_or_default().to_owned(), parts.next().unwrap_or_default().to_owned());
    (format!("/api/clubs/chess/invites/{invite}/accept/"), token)
}

#[tokio::test]
async fn the_link_makes_a_member_once() {
    let campus = TestCampus::new();
    let (path, token) = invited(&campus).await;
    let sue = campus.as_("sue");
    let neutral = sue.post(&path, json!({ "token": "wrong" })).await.error(400);
    assert_eq!(sue.post("/api/clubs/chess/invites/unknown/accept/", json!({ "token": token })).await.error(400), neutral);
    sue.post(&path, json!({})).await.invalid(&["token"]);
    let member = sue.post(&path, json!({ "token": token, "public": false })).await.ok();
    assert_eq!((&member["role"], &member["public"], &member["username"]), (&json!(20), &json!(false), &json!("sue")));
    assert_eq!(campus.as_("bob").post(&path, json!({ "token": token })).await.error(400), neutral, "used");
    assert_eq!(campus.as_("ada").get("/api/clubs/chess/").await.ok()["membership_count"], 2);
}

#[tokio::test]
async fn it_expires_after_fourteen_days_at_its_use() {
    let campus = TestCampus::new();
    let (path, token) = invited(&campus).await;
    campus.advance(TimeDelta::days(14));
    campus.as_("sue").post(&path, json!({ "token": token })).await.error(400);
}

#[tokio::test]
async fn a_member_keeps_the_invite_open() {
    let campus = TestCampus::new();
    let (path, token) = invited(&campus).await;
    let ada = campus.as_("ada");
    ada.post(&path, json!({ "token": token })).await.error(400);
    campus.as_("sue").post(&path, json!({ "token": token })).await.ok();
}
