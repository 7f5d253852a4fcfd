//! `/clubs/{club}/invites/…`, `/clubs/{club}/invite/`

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::MailedLink;
use tests::recount::recount;
use tests::{Client, Setup, TestCampus};

const INVITES: &str = "/api/clubs/chess/invites/";
const BULK: &str = "/api/clubs/chess/invite/";

/// Accepts Sue and mails her. Returns the path and the token of her invite.
async fn invited(campus: &TestCampus) -> (String, String) {
    let drive = campus.drive("chess").await;
    let submission = drive.submit(&campus.as_("sue")).await;
    drive.decide(&submission, 4, "").await;
    campus
        .with_worker(drive.send("acceptance", json!({})))
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
    sue.post(&path, json!({})).await.invalid(&["token"]);
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
async fn chess() -> (TestCampus, Client) {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    (campus, ada)
}

async fn invite(ada: &Client, body: Value) -> (String, Value) {
    let invite = ada.post(INVITES, body).await.created();
    (
        format!("{INVITES}{}/", invite["id"].as_str().unwrap_or_default()),
        invite,
    )
}

// proves I1, I3, I4, I5, I6, I7
#[tokio::test]
async fn an_invitation_is_mailed_used_and_gone() {
    let (campus, ada) = chess().await;
    let (path, invite) = invite(
        &ada,
        json!({ "email": "Ina@Uni.example", "role": 10, "title": "Coach" }),
    )
    .await;
    assert_eq!(
        invite,
        json!({ "id": invite["id"], "email": "ina@uni.example", "role": 10, "title": "Coach",
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
async fn a_revoked_invite_is_neither_mailed_nor_used_even_when_the_address_is_invited_anew() {
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

// proves H4, I2
#[tokio::test]
async fn an_address_has_one_open_invite_and_members_none() {
    let (campus, ada) = chess().await;
    campus.member("chess", &ada, "mia", 20).await;
    ada.post(INVITES, json!({ "email": "MIA@uni.example" }))
        .await
        .invalid(&["email"]);
    invite(&ada, json!({ "email": "ina@uni.example" })).await;
    ada.post(INVITES, json!({ "email": "INA@uni.example", "title": "x" }))
        .await
        .invalid(&["email"]);
    campus.advance(TimeDelta::days(14));
    let (_, renewed) = invite(&ada, json!({ "email": "ina@uni.example", "title": "x" })).await;
    assert_eq!(
        ada.get(INVITES).await.ok(),
        json!([renewed]),
        "an expired invite is replaced"
    );
    // An invite of another club does not count.
    campus.club("go", &ada).await;
    ada.post(
        "/api/clubs/go/invites/",
        json!({ "email": "ina@uni.example" }),
    )
    .await
    .created();
    let id = renewed["id"].as_str().unwrap_or_default();
    ada.get(&format!("/api/clubs/go/invites/{id}/"))
        .await
        .error(404);
}

// proves I2
#[tokio::test]
async fn somebody_accepted_is_not_invited_a_second_time() {
    let campus = TestCampus::new();
    invited(&campus).await;
    let ada = campus.as_("ada");
    assert_eq!(ada.get(INVITES).await.ok()[0]["email"], "sue@uni.example");
    ada.post(INVITES, json!({ "email": "sue@uni.example" }))
        .await
        .invalid(&["email"]);
}

// proves H20, M5, I1, I9
#[tokio::test]
async fn nobody_invites_above_their_own_role() {
    let (campus, ada) = chess().await;
    let olga = campus.member("chess", &ada, "olga", 10).await;
    olga.post(INVITES, json!({ "email": "ina@uni.example", "role": 0 }))
        .await
        .error(403);
    olga.post(BULK, json!({ "emails": "ina@uni.example", "role": 0 }))
        .await
        .error(403);
    let (path, _) = invite(&ada, json!({ "email": "ina@uni.example", "role": 0 })).await;
    olga.post(&format!("{path}resend/"), Value::Null)
        .await
        .error(403);
    assert_eq!(
        campus
            .admin()
            .post(INVITES, json!({ "email": "eve@uni.example", "role": 0 }))
            .await
            .created()["role"],
        0
    );
    for wrong in [
        json!({}),
        json!({ "email": "" }),
        json!({ "email": null }),
        json!({ "email": "a@b" }),
        json!({ "email": 7 }),
    ] {
        ada.post(INVITES, wrong).await.invalid(&["email"]);
    }
    ada.post(
        INVITES,
        json!({ "email": "x@y.example", "role": 1, "title": "a\nb" }),
    )
    .await
    .invalid(&["role", "title"]);
}

// proves I10
#[tokio::test]
async fn many_are_invited_at_once() {
    let (campus, ada) = chess().await;
    campus.member("chess", &ada, "mia", 20).await;
    invite(&ada, json!({ "email": "ina@uni.example" })).await;
    let hundred: Vec<String> = (0..96).map(|n| format!("new{n}@uni.example")).collect();
    let emails = format!(
        "mia@uni.example, INA@uni.example;\n{}, NEW0@uni.example,,",
        hundred.join(" ")
    );
    let answer = ada
        .post(BULK, json!({ "emails": emails, "title": "Fresher" }))
        .await
        .ok();
    assert_eq!(
        (&answer["sent"], &answer["skipped"]),
        (&json!(96), &json!(2)),
        "{answer}"
    );
    assert_eq!(
        ada.get(INVITES).await.ok().as_array().map(Vec::len),
        Some(97)
    );
    campus.deliver().await;
    assert_eq!(campus.mails_but_welcomes().len(), 97);
    let again = ada.post(BULK, json!({ "emails": emails })).await.ok();
    assert_eq!((&again["sent"], &again["skipped"]), (&json!(0), &json!(98)));
    let too_many: Vec<String> = (0..101).map(|n| format!("many{n}@uni.example")).collect();
    for wrong in [
        json!("ok@uni.example, nonsense"),
        json!(""),
        json!(" , "),
        json!(7),
        json!(null),
        json!(too_many.join(",")),
    ] {
        ada.post(BULK, json!({ "emails": wrong }))
            .await
            .invalid(&["emails"]);
    }
    ada.post(BULK, json!({})).await.invalid(&["emails"]);
    assert_eq!(
        ada.get(INVITES).await.ok().as_array().map(Vec::len),
        Some(97),
        "a wrong address invites nobody"
    );
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

// proves I4
#[tokio::test]
async fn the_token_is_in_the_mail_and_nowhere_else() {
    let (campus, ada) = chess().await;
    let (path, _) = invite(&ada, json!({ "email": "ina@uni.example" })).await;
    campus.deliver().await;
    let token = MailedLink::sent_to(&campus, "ina@uni.example").token;
    assert!(token.len() > 40);
    let stored = json!(campus.stored()).to_string();
    let hashed = shared::ids::sha256_hex(token.as_bytes());
    assert!(!stored.contains(&token) && !stored.contains(&hashed));
    for path in [INVITES, &path, "/api/settings/export/"] {
        assert!(!campus.as_("ada").get(path).await.text().contains(&token));
        assert!(!campus.as_("ina").get(path).await.text().contains(&token));
    }
}

// proves H19
#[tokio::test]
async fn what_people_write_stays_text_in_mails() {
    let campus = TestCampus::new();
    let eve = campus.client(
        &json!({ "email": "eve@uni.example", "name": "<img src=x> \r\nBcc: all@uni.example" }),
        "eve",
    );
    eve.post("/api/clubs/", json!({ "name": "A & <b>", "code": "chess" }))
        .await
        .created();
    eve.post(
        INVITES,
        json!({ "email": "ina@uni.example", "title": "<script>" }),
    )
    .await
    .created();
    let sue = campus.client(
        &json!({ "email": "sue@uni.example", "name": "<script>alert(1)</script>" }),
        "sue",
    );
    sue.post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    let person = sue.get("/api/settings/").await.ok()["id"].clone();
    eve.post("/api/clubs/chess/members/", json!({ "person": person }))
        .await
        .created();
    campus.deliver().await;
    let mails = campus.mails();
    assert_eq!(mails.len(), 3);
    for mail in mails {
        assert!(
            !mail.html.contains("<script")
                && !mail.html.contains("<img")
                && mail.html.contains("A &#38; &#60;b&#62;"),
            "{}",
            mail.html
        );
        assert!(!mail.subject.contains(['\r', '\n']));
    }
}

// proves I12
#[tokio::test]
async fn who_lost_a_role_does_not_get_it_back_by_an_invite_of_their_own() {
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
async fn the_invite_of_somebody_accepted_that_was_revoked_or_sent_anew_stays_so() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (sue, ada) = (campus.as_("sue"), campus.as_("ada"));
    let submission = drive.submit(&sue).await;
    drive.decide(&submission, 4, "").await;
    let send = async |more| {
        campus
            .with_worker(drive.send("acceptance", more))
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
async fn clubs_that_wait_for_approval_are_open_to_the_invited_and_unknown_to_others() {
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

// proves I4
#[tokio::test]
async fn an_officer_who_is_hidden_is_not_named_in_mails() {
    let (campus, ada) = chess().await;
    ada.patch("/api/clubs/chess/members/ada/", json!({ "public": false }))
        .await
        .ok();
    invite(&ada, json!({ "email": "ina@uni.example" })).await;
    campus.deliver().await;
    let text = campus.mails()[0].text.clone();
    assert!(
        text.contains("You are invited to join chess") && !text.contains("ada"),
        "{text}"
    );
}

// proves I11
#[tokio::test(start_paused = true)]
async fn a_bulk_that_is_cut_short_says_whom_it_did_not_reach() {
    let (seen, armed) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let (counted, failing) = (seen.clone(), armed.clone());
    let campus = Setup::default()
        .table(Arc::new(move |operation: &str, _: &[u8]| {
            let writes = operation == "TransactWriteItems" && failing.load(Ordering::SeqCst);
            let fails = writes && counted.fetch_add(1, Ordering::SeqCst) >= 1;
            Box::pin(async move {
                fails.then(|| {
                    (
                        400,
                        json!({
                            "__type": "ProvisionedThroughputExceededException",
                            "message": "slow",
                        }),
                    )
                })
            })
        }))
        .build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let emails: Vec<String> = (0..60).map(|n| format!("new{n}@uni.example")).collect();
    armed.store(true, Ordering::SeqCst);
    let answer = ada
        .post(BULK, json!({ "emails": emails.join(" ") }))
        .await
        .ok();
    assert_eq!(
        (&answer["sent"], &answer["skipped"]),
        (&json!(48), &json!(0))
    );
    assert!(
        answer["detail"]
            .as_str()
            .is_some_and(|detail| detail.contains("12 addresses could not be invited now")),
        "{answer}"
    );
    armed.store(false, Ordering::SeqCst);
    let again = ada
        .post(BULK, json!({ "emails": emails.join(" ") }))
        .await
        .ok();
    assert_eq!(
        (&again["sent"], &again["skipped"]),
        (&json!(12), &json!(48))
    );
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 60);
}
