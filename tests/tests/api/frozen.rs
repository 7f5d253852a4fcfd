//! What was read before its opposite is stored after it: an invitation that was revoked, a token
//! that was ended, a profile that was erased, an acceptance that was taken back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::TimeDelta;
use http::Method;
use serde_json::json;
use tests::TestCampus;
use tests::fixtures::id;
use tests::suspended::Suspended;

use crate::mail_worker::{campus_with, refused};

const INVITES: &str = "/api/clubs/chess/invites/";

// proves I7, X17
#[tokio::test(start_paused = true)]
async fn an_invitation_that_was_revoked_does_not_come_back() {
    let (suspended, campus) = Suspended::campus();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let idempotent = ada.clone().header("idempotency-key", "k");
    let body = json!({ "email": "sue@uni.example", "role": 10 });
    // The process dies before it notes what came of the request.
    suspended.hold(usize::MAX, "UpdateExpression");
    let invite = idempotent.post(INVITES, body.clone()).await.created();
    let _never = suspended.release();
    let one = format!("{INVITES}{}/", invite["id"].as_str().expect("an id"));
    ada.delete(&one).await.no_content();
    campus.advance(TimeDelta::minutes(1));
    idempotent
        .post(INVITES, body.clone())
        .await
        .invalid(&["email"]);
    assert_eq!(ada.get(INVITES).await.ok(), json!([]));
    // Whoever invites the address again does it.
    ada.post(INVITES, body).await.created();
}

// proves X2
#[tokio::test]
async fn repeat_of_large_import_keeps_newer_changes() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.member("chess", &ada, "sue", 20).await;
    let wrong = "nobody,,king,\n".repeat(999);
    let rows = format!("email,username,role,title\n,sue,,Trainee\n{wrong}");
    let idempotent = ada.clone().header("idempotency-key", "k");
    let import = || {
        let path = "/api/clubs/chess/members/import/";
        idempotent.raw(Method::POST, path, Some("text/csv"), rows.clone())
    };
    let done = import().await.ok();
    assert!(
        done.to_string().len() > 100_000,
        "{}",
        done.to_string().len()
    );
    let sue = "/api/clubs/chess/members/sue/";
    ada.patch(sue, json!({ "title": "President" })).await.ok();
    let repeat = import().await;
    assert_eq!(repeat.header("idempotency-replayed"), "true");
    let repeat = repeat.ok();
    assert_eq!(
        (&repeat["updated"], &repeat["truncated"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(repeat["errors"][0], done["errors"][0]);
    assert_eq!(ada.get(sue).await.ok()["title"], "President");
}

// proves X17, P14
#[tokio::test(start_paused = true)]
async fn request_before_erasure_gives_the_returning_person_nothing() {
    for (path, text) in [
        ("/api/requests/membership/", "REQUEST#"),
        ("/api/subscriptions/", "SUBSCRIPTION#"),
    ] {
        let (suspended, campus) = Suspended::campus();
        campus.club("chess", &campus.as_("ada")).await;
        let sue = campus.as_("sue");
        sue.get("/api/settings/").await.ok();
        suspended.hold(usize::MAX, text);
        sue.post(path, json!({ "club": "chess" })).await.error(500);
        let late = suspended.release();
        campus.advance(TimeDelta::minutes(1));
        campus.erase(&sue).await;
        campus.advance(TimeDelta::minutes(1));
        sue.get("/api/settings/").await.ok();
        late.arrive();
        assert_eq!(sue.get(path).await.ok(), json!([]), "{path}");
        // What is asked for now is done.
        sue.post(path, json!({ "club": "chess" })).await.created();
    }
}

// proves E24, E25
#[tokio::test(start_paused = true)]
async fn unsent_acceptance_keeps_later_invitation() {
    let down = Arc::new(AtomicBool::new(true));
    let is_down = down.clone();
    let campus = campus_with(move |_| {
        let is_down = is_down.load(Ordering::SeqCst);
        is_down.then(|| refused(500, "InternalFailure")).flatten()
    });
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let first = recruitment.submit(&sue).await;
    recruitment.decide(&first, 4, "").await;
    recruitment.send("acceptance", json!({})).await.ok();
    recruitment.decide(&first, 1, "").await;
    let own = format!("/api/submissions/{}/", id(&first));
    sue.delete(&own).await.no_content();
    let second = recruitment.submit(&sue).await;
    recruitment.decide(&second, 4, "").await;
    recruitment.send("acceptance", json!({})).await.ok();
    down.store(false, Ordering::SeqCst);
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 1);
    let invites = recruitment.officer.get(INVITES).await.ok();
    assert_eq!(invites.as_array().map(Vec::len), Some(1), "{invites}");
}

// A first attempt without an outcome is repeated with its key when it is possible.
// proves I7, X1
#[tokio::test]
async fn a_repeat_leaves_out_who_was_invited_and_revoked_since() {
    let campus = TestCampus::new();
    let (ada, bob) = (campus.as_("ada"), campus.as_("bob"));
    campus.club("chess", &ada).await;
    let idempotent = bob.clone().header("idempotency-key", "k");
    let body = json!({ "emails": "a@uni.example b@uni.example" });
    let path = "/api/clubs/chess/invite/";
    idempotent.post(path, body.clone()).await.error(403);
    let first = json!({ "email": "a@uni.example" });
    let invite = ada.post(INVITES, first).await.created();
    let one = format!("{INVITES}{}/", invite["id"].as_str().expect("an id"));
    ada.delete(&one).await.no_content();
    let person = id(&bob.get("/api/settings/").await.ok());
    // Somebody who signed in after the first attempt can be added by the repeat.
    campus.advance(TimeDelta::minutes(2));
    let officer = json!({ "person": person, "role": 10 });
    ada.post("/api/clubs/chess/members/", officer)
        .await
        .created();
    idempotent.post(path, body).await.ok();
    let invites = ada.get(INVITES).await.ok();
    assert_eq!(invites.as_array().map(Vec::len), Some(1), "{invites}");
    assert_eq!(invites[0]["email"], "b@uni.example");
}

// proves X1, X17
#[tokio::test]
async fn a_repeat_adds_who_signed_in_after_the_first_attempt() {
    let campus = TestCampus::new();
    let (ada, bob) = (campus.as_("ada"), campus.as_("bob"));
    campus.club("chess", &ada).await;
    let idempotent = bob.clone().header("idempotency-key", "k");
    let rows = json!([{ "username": "sue" }]);
    let path = "/api/clubs/chess/members/import/";
    idempotent.post(path, rows.clone()).await.error(403);
    campus.advance(TimeDelta::minutes(2));
    campus.as_("sue").get("/api/settings/").await.ok();
    let person = id(&bob.get("/api/settings/").await.ok());
    let officer = json!({ "person": person, "role": 10 });
    ada.post("/api/clubs/chess/members/", officer)
        .await
        .created();
    assert_eq!(idempotent.post(path, rows).await.ok()["created"], 1);
}

// proves X2
#[tokio::test]
async fn repeat_of_large_order_changes_nothing() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let questions = format!("{}questions/", recruitment.path);
    let mut order = vec![recruitment.question];
    for n in 0..30 {
        let prompt = format!("{n} {}", "x".repeat(4_000));
        let body = json!({ "question_type": 1, "prompt": prompt });
        order.push(id(&recruitment
            .officer
            .post(&questions, body)
            .await
            .created()));
    }
    let idempotent = recruitment.officer.clone().header("idempotency-key", "k");
    let path = format!("{questions}precedence/");
    let body = json!({ "precedence": order });
    let first = idempotent.post(&path, body.clone()).await.ok();
    assert!(first.is_array(), "{}", first.to_string().len());
    order.reverse();
    let later = json!({ "precedence": order });
    let later = recruitment.officer.post(&path, later).await.ok();
    assert_ne!(later, first);
    assert_eq!(idempotent.post(&path, body).await.ok(), later);
}
