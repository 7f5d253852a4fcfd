//! `/clubs/{club}/invites/`, `/clubs/{club}/invite/`: who may be invited, by whom and as what, and
//! what their mails say

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::MailedLink;
use tests::{Setup, TestCampus};

use crate::invites::{INVITES, chess, invite, invited};

const BULK: &str = "/api/clubs/chess/invite/";

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
    let response = ada
        .post(BULK, json!({ "emails": emails, "title": "Fresher" }))
        .await
        .ok();
    assert_eq!(
        (&response["sent"], &response["skipped"]),
        (&json!(96), &json!(2)),
        "{response}"
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
    let response = ada
        .post(BULK, json!({ "emails": emails.join(" ") }))
        .await
        .ok();
    assert_eq!(
        (&response["sent"], &response["skipped"]),
        (&json!(48), &json!(0))
    );
    assert!(
        response["detail"]
            .as_str()
            .is_some_and(|detail| detail.contains("12 addresses could not be invited now")),
        "{response}"
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
async fn written_text_stays_text_in_mails() {
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
    campus.deliver().await;
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
