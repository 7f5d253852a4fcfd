//! What the repeat of a request with an `Idempotency-Key` is answered: what the caller may see now.

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use tests::TestCampus;

use crate::idempotency::with;

// proves X2, X3
#[tokio::test]
async fn lost_rights_get_no_old_response() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let olga = with(&campus.member("chess", &ada, "olga", 10).await, "k");
    let invite = json!({ "email": "ina@uni.example" });
    let first = olga
        .post("/api/clubs/chess/invites/", invite.clone())
        .await
        .created();
    assert_eq!(
        olga.post("/api/clubs/chess/invites/", invite.clone())
            .await
            .created(),
        first
    );
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 20 }))
        .await
        .ok();
    olga.post("/api/clubs/chess/invites/", invite.clone())
        .await
        .error(403);
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 10 }))
        .await
        .ok();
    assert_eq!(
        olga.post("/api/clubs/chess/invites/", invite.clone())
            .await
            .created(),
        first
    );
    ada.delete("/api/clubs/chess/").await.no_content();
    olga.post("/api/clubs/chess/invites/", invite)
        .await
        .error(404);
}

// A repeat shows an object only if the caller may still see it. An answer without data of other
// people is returned as it was.
// proves X2
#[tokio::test]
async fn replays_show_what_the_caller_may_see_now() {
    let campus = TestCampus::new();
    let (ada, admin) = (campus.as_("ada"), campus.admin());
    campus.club("chess", &ada).await;
    let olga = campus.member("chess", &ada, "olga", 0).await;
    let bob = tests::fixtures::id(&campus.as_("bob").get("/api/settings/").await.ok());
    let olgas = with(&olga, "k");
    let (added, invited) = (
        json!({ "person": bob, "role": 20 }),
        json!({ "emails": "ina@uni.example" }),
    );
    let first = olgas
        .post("/api/clubs/chess/members/", added.clone())
        .await
        .created();
    assert_eq!(first["email"], "bob@uni.example");
    let counts = olgas
        .post("/api/clubs/chess/invite/", invited.clone())
        .await
        .ok();
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 20 }))
        .await
        .ok();
    let again = olgas
        .post("/api/clubs/chess/members/", added.clone())
        .await
        .created();
    assert_eq!(
        (&again["id"], &again["email"]),
        (&first["id"], &Value::Null),
        "a member sees no addresses"
    );
    assert_eq!(
        olgas.post("/api/clubs/chess/invite/", invited).await.ok(),
        counts
    );
    ada.delete("/api/clubs/chess/members/bob/")
        .await
        .no_content();
    olgas
        .post("/api/clubs/chess/members/", added.clone())
        .await
        .error(404);
    admin
        .patch("/api/clubs/chess/", json!({ "approved": false }))
        .await
        .ok();
    olga.delete("/api/clubs/chess/members/olga/")
        .await
        .no_content();
    olgas
        .post("/api/clubs/chess/members/", added)
        .await
        .error(404);
}

// proves X2
#[tokio::test]
async fn previews_are_computed_again() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 2, "").await;
    let ada = with(&recruitment.officer, "k");
    let path = format!("{}send_emails/", recruitment.path);
    let preview = json!({ "email_type": { "id": "rejection" }, "dry_run": true });
    assert_eq!(ada.post(&path, preview.clone()).await.ok()["recipients"], 1);
    recruitment.decide(&submission, 4, "").await;
    assert_eq!(ada.post(&path, preview).await.ok()["recipients"], 0);
    let other = json!({ "email_type": { "id": "acceptance" }, "dry_run": true });
    ada.post(&path, other).await.invalid(&["Idempotency-Key"]);
}

// The path has no parameter here. The document has to name this 404 all the same.
// proves X2
#[tokio::test]
async fn repeat_is_404_after_deletion() {
    let campus = TestCampus::new();
    let admin = campus.admin();
    let idempotent = admin.clone().header("idempotency-key", "k");
    let tag = idempotent
        .post("/api/tags/", json!({ "name": "Games" }))
        .await;
    let path = tag.header("location").to_owned();
    tag.created();
    admin.delete(&path).await.no_content();
    let again = idempotent
        .post("/api/tags/", json!({ "name": "Games" }))
        .await;
    again.error(404);
}

// With an attempt in the table, a student whose first request died would have to wait for the
// attempt to end (X6).
// proves H7, S2, X6
#[tokio::test(start_paused = true)]
async fn submission_with_key_is_replayed() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (
        campus.as_("sue"),
        format!("{}submissions/", recruitment.path),
    );
    let first = with(&sue, "k").post(&path, recruitment.answer("x")).await;
    assert!(
        !json!(campus.stored())
            .to_string()
            .contains("IdempotencyRecord")
    );
    let again = with(&sue, "k").post(&path, recruitment.answer("x")).await;
    assert_eq!(
        (
            again.status.as_u16(),
            again.header("idempotency-replayed"),
            again.header("location")
        ),
        (201, "true", first.header("location"))
    );
    assert_eq!(again.bytes, first.bytes);
    let reused = with(&sue, "k").post(&path, recruitment.answer("y")).await;
    assert_eq!(reused.json()["code"], "key_reused");
    let first = first.created();
    // After the deadline and a decision, the repeat is still answered like the first request.
    campus.advance(TimeDelta::hours(23));
    recruitment.decide(&first, 4, "").await;
    let ends = json!({ "application_end_time": tests::fixtures::hours(1) });
    recruitment
        .officer
        .patch(&recruitment.path, ends)
        .await
        .ok();
    assert_eq!(
        with(&sue, "k")
            .post(&path, recruitment.answer("x"))
            .await
            .created(),
        first
    );
    assert_eq!(
        sue.post(&path, recruitment.answer("x")).await.json()["code"],
        "application_closed"
    );
    assert_eq!(
        with(&sue, "other")
            .post(&path, recruitment.answer("x"))
            .await
            .json()["code"],
        "application_closed"
    );
    campus.advance(TimeDelta::hours(1));
    with(&sue, "k")
        .post(&path, recruitment.answer("x"))
        .await
        .error(400);
    with(&sue, &"k".repeat(256))
        .post(&path, recruitment.answer("x"))
        .await
        .error(400);
}

// proves X6
#[tokio::test]
async fn a_withdrawal_forgets_the_keys_of_its_submission() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (
        campus.as_("sue"),
        format!("{}submissions/", recruitment.path),
    );
    let first = with(&sue, "k")
        .post(&path, recruitment.answer("x"))
        .await
        .created();
    sue.delete(&format!(
        "/api/submissions/{}/",
        tests::fixtures::id(&first)
    ))
    .await
    .no_content();
    assert_eq!(sue.get("/api/submissions/").await.ok(), json!([]));
    let second = with(&sue, "k")
        .post(&path, recruitment.answer("y"))
        .await
        .created();
    assert_eq!(
        (&second["id"], &second["revision"]),
        (&first["id"], &json!(2))
    );
}

// proves P19, X2
#[tokio::test]
async fn a_repeat_of_a_renewal_gets_the_address_that_is_valid() {
    let campus = TestCampus::new();
    let sue = campus.as_("sue");
    let path = "/api/settings/calendar";
    let renew = async |key: &str| {
        let idempotent = sue.clone().header("idempotency-key", key.to_owned());
        idempotent.send(Method::POST, path, None).await.ok()["url"].clone()
    };
    let first = renew("a").await;
    assert_eq!(renew("a").await, first);
    let second = renew("b").await;
    assert_eq!(renew("a").await, second);
    let token = second.as_str().and_then(|url| url.rsplit('/').next());
    let token = token.expect("a token").trim_end_matches(".ics");
    assert!(!json!(campus.stored()).to_string().contains(token));
}

// A dry run and the request itself are two requests, also with the same key.
// proves X1
#[tokio::test]
async fn a_dry_run_does_not_use_the_key_of_the_request() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let first = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&first, 4, "").await;
    let idempotent = with(&recruitment.officer, "k");
    let path = format!("{}send_emails/", recruitment.path);
    let body = json!({ "email_type": { "id": "acceptance" } });
    let dry = format!("{path}?dry_run=true");
    assert_eq!(
        idempotent.post(&dry, body.clone()).await.ok()["dry_run"],
        true
    );
    let sent = idempotent.post(&path, body.clone()).await.ok();
    assert_eq!(
        (&sent["recipients"], &sent["dry_run"]),
        (&json!(1), &json!(false))
    );
    // Somebody else is accepted before the repeat.
    let second = recruitment.submit(&campus.as_("bob")).await;
    recruitment.decide(&second, 4, "").await;
    let again = idempotent.post(&path, body.clone()).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.ok()["recipients"], 1);
    assert_eq!(idempotent.post(&dry, body).await.ok()["dry_run"], true);
}
