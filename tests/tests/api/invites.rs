//! `/clubs/{club}/invites/…`: how an invite is used, sent again and revoked

use chrono::TimeDelta;
use serde_json::{Value, json};
use shared::domain::Invite;
use shared::ids::parse;
use tests::fixtures::MailedLink;
use tests::recount::recount;
use tests::{Client, TestCampus};

pub(crate) const INVITES: &str = "/api/clubs/chess/invites/";

/// Accepts Sue and mails her. Returns the path and the token of her invite.
pub(crate) async fn invited(campus: &TestCampus) -> (String, String) {
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 4, "").await;
    campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    let link = MailedLink::sent_to(campus, "sue@uni.example");
    (link.path, link.token)
}

// proves I5, I6, I7
#[tokio::test]
async fn the_link_makes_a_member_once() {
    let campus = TestCampus::new();
    let (path, token) = invited(&campus).await;
    let sue = campus.as_("sue");
    let neutral = sue
        .post(&path, json!({ "token": "wrong" }))
        .await
        .error(400);
    assert_eq!(
        sue.post(
            "/api/clubs/chess/invites/unknown/accept/",
            json!({ "token": token })
        )
        .await
        .error(400),
        neutral
    );
    sue.post(&path, json!({ "token": 1 }))
        .await
        .invalid(&["token"]);
    let member = sue
        .post(&path, json!({ "token": token, "public": false }))
        .await
        .ok();
    assert_eq!(
        (&member["role"], &member["public"], &member["username"]),
        (&json!(20), &json!(false), &json!("sue"))
    );
    assert_eq!(
        campus
            .as_("bob")
            .post(&path, json!({ "token": token }))
            .await
            .error(400),
        neutral,
        "used"
    );
    assert_eq!(
        campus.as_("ada").get("/api/clubs/chess/").await.ok()["membership_count"],
        2
    );
}

// proves I3, I6
#[tokio::test]
async fn it_expires_after_fourteen_days_at_its_use() {
    let campus = TestCampus::new();
    let (path, token) = invited(&campus).await;
    campus.advance(TimeDelta::days(14));
    campus
        .as_("sue")
        .post(&path, json!({ "token": token }))
        .await
        .error(400);
}

// proves I7
#[tokio::test]
async fn a_member_keeps_the_invite_open() {
    let campus = TestCampus::new();
    let (path, token) = invited(&campus).await;
    let ada = campus.as_("ada");
    ada.post(&path, json!({ "token": token })).await.error(400);
    campus
        .as_("sue")
        .post(&path, json!({ "token": token }))
        .await
        .ok();
}

/// A campus with the chess club, and Ada, its owner.
pub(crate) async fn chess() -> (TestCampus, Client) {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    (campus, ada)
}

pub(crate) async fn invite(ada: &Client, body: Value) -> (String, Value) {
    let invite = ada.post(INVITES, body).await.created();
    (
        format!("{INVITES}{}/", invite["id"].as_str().unwrap_or_default()),
        invite,
    )
}

// proves I1, I3, I4, I5, I6, I7
#[tokio::test]
async fn invitation_is_mailed_used_and_deleted() {
    let (campus, ada) = chess().await;
    let (path, invite) = invite(
        &ada,
        json!({ "email": "Ina@Uni.example", "role": 10, "title": "Coach" }),
    )
    .await;
    assert_eq!(
        invite,
        json!({ "id": invite["id"], "email": "ina@uni.example", "role": 10, "title": "Coach",
            "undelivered": null,
            "updated_at": "2026-11-21T09:00:00Z", "expires_at": "2026-12-05T09:00:00Z" })
    );
    assert_eq!(
        (ada.get(INVITES).await.ok(), ada.get(&path).await.ok()),
        (json!([invite]), invite.clone())
    );
    campus.deliver().await;
    let mail = campus.mails()[0].clone();
    assert_eq!(
        (mail.to.as_str(), mail.subject.as_str()),
        ("ina@uni.example", "Invitation to join chess")
    );
    assert!(
        mail.text
            .contains("ada Test invites you to join chess, as an officer (Coach)."),
        "{}",
        mail.text
    );
    let link = MailedLink::sent_to(&campus, "ina@uni.example");
    let member = link.accept(&campus.as_("ina")).await.ok();
    assert_eq!(
        (&member["role"], &member["title"], &member["public"]),
        (&json!(10), &json!("Coach"), &json!(true))
    );
    let used = link.accept(&campus.as_("bob")).await.error(400);
    assert_eq!(link.accept(&campus.as_("ina")).await.error(400), used);
    assert_eq!(ada.get(INVITES).await.ok(), json!([]));
    ada.get(&path).await.error(404);
    ada.delete(&path).await.error(404);
    ada.post(&format!("{path}resend/"), Value::Null)
        .await
        .error(404);
    assert_eq!(recount(&campus), [""; 0]);
}

// proves I3, I6, I9
#[tokio::test]
async fn resending_makes_older_links_useless_and_renews() {
    let (campus, ada) = chess().await;
    let (path, _) = invite(&ada, json!({ "email": "ina@uni.example" })).await;
    campus.deliver().await;
    let first = MailedLink::sent_to(&campus, "ina@uni.example");
    campus.advance(TimeDelta::days(15));
    let ina = campus.as_("ina");
    let unusable = first.accept(&ina).await.error(400);
    let again = ada.post(&format!("{path}resend/"), Value::Null).await.ok();
    assert_eq!(
        (&again["updated_at"], &again["expires_at"]),
        (
            &json!("2026-12-06T09:00:00Z"),
            &json!("2026-12-20T09:00:00Z")
        )
    );
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 2);
    assert_eq!(first.accept(&ina).await.error(400), unusable);
    MailedLink::sent_to(&campus, "ina@uni.example")
        .accept(&ina)
        .await
        .ok();
}

// proves I6, I9
#[tokio::test]
async fn revoked_invite_is_neither_mailed_nor_used() {
    let (campus, ada) = chess().await;
    let (path, _) = invite(&ada, json!({ "email": "ina@uni.example" })).await;
    campus.deliver().await;
    let first = MailedLink::sent_to(&campus, "ina@uni.example");
    ada.delete(&path).await.no_content();
    let ina = campus.as_("ina");
    first.accept(&ina).await.error(400);
    // This invite is revoked before its mail is sent.
    let (path, _) = invite(&ada, json!({ "email": "ina@uni.example" })).await;
    ada.delete(&path).await.no_content();
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 1);
    invite(&ada, json!({ "email": "ina@uni.example" })).await;
    first.accept(&ina).await.error(400);
    campus.deliver().await;
    MailedLink::sent_to(&campus, "ina@uni.example")
        .accept(&ina)
        .await
        .ok();
}

// proves R3
#[tokio::test]
async fn joining_by_invite_answers_a_request_too() {
    let (campus, ada) = chess().await;
    let ina = campus.as_("ina");
    ina.post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    ada.post(INVITES, json!({ "email": "ina@uni.example" }))
        .await
        .created();
    campus.deliver().await;
    MailedLink::sent_to(&campus, "ina@uni.example")
        .accept(&ina)
        .await
        .ok();
    assert_eq!(
        ada.get("/api/clubs/chess/membershiprequests/").await.ok(),
        json!([])
    );
    assert_eq!(recount(&campus), [""; 0]);
}

// proves I12
#[tokio::test]
async fn lost_role_is_not_regained_by_own_invite() {
    let (campus, ada) = chess().await;
    let olga = campus.member("chess", &ada, "olga", 10).await;
    for email in [
        "second@uni.example",
        "friend@uni.example",
        "plain@uni.example",
    ] {
        let role = if email.starts_with("plain") { 20 } else { 10 };
        olga.post(INVITES, json!({ "email": email, "role": role }))
            .await
            .created();
    }
    campus.deliver().await;
    let second = MailedLink::sent_to(&campus, "second@uni.example");
    second.accept(&olga).await.error(400);
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 20 }))
        .await
        .ok();
    let friend = MailedLink::sent_to(&campus, "friend@uni.example");
    friend.accept(&campus.as_("friend")).await.error(400);
    olga.delete("/api/clubs/chess/members/olga/")
        .await
        .no_content();
    second.accept(&olga).await.error(400);
    friend.accept(&campus.as_("friend")).await.error(400);
    // An invite with role 20 still works. So does one that another officer sent again.
    MailedLink::sent_to(&campus, "plain@uni.example")
        .accept(&campus.as_("plain"))
        .await
        .ok();
    let path = friend.path.replace("accept/", "resend/");
    campus.advance(TimeDelta::minutes(10));
    ada.post(&path, Value::Null).await.ok();
    campus.deliver().await;
    assert_eq!(
        MailedLink::sent_to(&campus, "friend@uni.example")
            .accept(&campus.as_("friend"))
            .await
            .ok()["role"],
        10
    );
    assert_eq!(recount(&campus), [""; 0]);
}

// proves I9
#[tokio::test]
async fn accepted_persons_invite_stays_revoked_or_renewed() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, ada) = (campus.as_("sue"), campus.as_("ada"));
    let submission = recruitment.submit(&sue).await;
    recruitment.decide(&submission, 4, "").await;
    let send = async |more| {
        campus
            .with_worker(recruitment.send("acceptance", more))
            .await
            .ok()
    };
    send(json!({})).await;
    let first = MailedLink::sent_to(&campus, "sue@uni.example");
    ada.post(&first.path.replace("accept/", "resend/"), Value::Null)
        .await
        .ok();
    campus.deliver().await;
    let second = MailedLink::sent_to(&campus, "sue@uni.example");
    send(json!({ "allow_resend": true })).await;
    let third = MailedLink::sent_to(&campus, "sue@uni.example");
    assert_eq!(
        second.token, third.token,
        "the second mail has another link"
    );
    first.accept(&sue).await.error(400);
    ada.delete(&first.path.replace("accept/", ""))
        .await
        .no_content();
    send(json!({ "allow_resend": true })).await;
    third.accept(&sue).await.error(400);
    MailedLink::sent_to(&campus, "sue@uni.example")
        .accept(&sue)
        .await
        .ok();
}

// proves P11, I8
#[tokio::test]
async fn unapproved_club_is_open_to_the_invited_and_404_to_others() {
    let (campus, ada) = chess().await;
    invite(&ada, json!({ "email": "ina@uni.example" })).await;
    campus.deliver().await;
    campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "approved": null }))
        .await
        .ok();
    let link = MailedLink::sent_to(&campus, "ina@uni.example");
    let bob = campus.as_("bob");
    let wrong = MailedLink {
        path: link.path.clone(),
        token: "wrong".into(),
    };
    let unknown = MailedLink {
        path: link.path.replace("chess", "nothing"),
        token: "wrong".into(),
    };
    assert_eq!(
        wrong.accept(&bob).await.error(404),
        unknown.accept(&bob).await.error(404)
    );
    wrong.accept(&ada).await.error(400);
    ada.get("/api/users/?search=bob").await.error(403);
    link.accept(&campus.as_("ina")).await.ok();
}

// proves I6
#[tokio::test(start_paused = true)]
async fn resent_invite_that_is_revoked_stays_revoked() {
    let (suspended, campus) = tests::suspended::Suspended::campus();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let body = json!({ "email": "new@uni.example" });
    let invite = ada.post(INVITES, body).await.created();
    let one = format!("{INVITES}{}/", invite["id"].as_str().unwrap_or_default());
    campus.advance(TimeDelta::minutes(10));
    suspended.stop_write("INVITE#");
    let (deleted, ()) = futures::join!(ada.delete(&one), async {
        suspended.stopped().await;
        let again = format!("{one}resend/");
        ada.post(&again, Value::Null).await.ok();
        suspended.go();
    });
    deleted.no_content();
    ada.get(&one).await.error(404);
}

// proves I16
#[tokio::test]
async fn an_address_accepts_its_invite_without_the_mail() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let body = json!({ "email": "sue@uni.example", "role": 10, "title": "Treasurer" });
    let invite = ada.post(INVITES, body).await.created();
    let accept = format!(
        "{INVITES}{}/accept/",
        invite["id"].as_str().unwrap_or_default()
    );
    let sue = campus.as_("sue");
    let other = campus.as_("bob").post(&accept, json!({})).await;
    assert_eq!(other.json()["code"], "invite_unusable");
    let member = sue.post(&accept, json!({ "public": false })).await.ok();
    assert_eq!(
        (&member["role"], &member["title"], &member["public"]),
        (&json!(10), &json!("Treasurer"), &json!(false))
    );
    let again = sue.post(&accept, json!({})).await.json();
    assert_eq!(again["code"], "invite_unusable");
    assert_eq!(ada.get(INVITES).await.ok(), json!([]));
}

// proves I16
#[tokio::test(start_paused = true)]
async fn an_acceptance_that_is_unknown_lets_nobody_in() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let person = sue.get("/api/settings/").await.ok()["id"].to_string();
    let person = parse(&person).expect("an id");
    let id = Invite::id_for_accepted(&tests::fixtures::code("chess"), person);
    let accept = format!("{INVITES}{id}/accept/");
    let none = sue.post(&accept, json!({})).await.error(400);
    recruitment.decide(&submission, 4, "").await;
    recruitment.send("acceptance", json!({})).await.ok();
    // The invite is there, but its mail still waits. Another account with her address is no way in.
    assert_eq!(sue.post(&accept, json!({})).await.error(400), none);
    let other = campus.client(&json!({ "email": "sue@uni.example" }), "sue.again");
    assert_eq!(other.post(&accept, json!({})).await.error(400), none);
    assert_eq!(other.get("/api/home/").await.ok()["invites"], json!([]));
    campus.deliver().await;
    let member = sue.post(&accept, json!({})).await.ok();
    assert_eq!(member["role"], 20);
}
