//! Webhooks: their life, and what they are told (Z8, Z9).

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::receiver::{Answers, Received, Receiver};
use tests::{Client, Setup, TestCampus};

pub const HOOKS: &str = "/api/clubs/chess/webhooks/";

/// A campus on which webhooks may call this machine, with a club of Ada's.
pub async fn campus() -> (TestCampus, Client) {
    campus_of(Setup::default()).await
}

/// The same with another setup.
pub async fn campus_of(setup: Setup) -> (TestCampus, Client) {
    let setup = setup.settings(|settings| settings.webhooks.is_local = true);
    let campus = setup.build();
    let owner = campus.as_("ada");
    campus.club("chess", &owner).await;
    campus.call_webhooks().await;
    campus.advance(TimeDelta::minutes(1));
    (campus, owner)
}

/// Makes a webhook of the club for these types. Returns its path and its secret.
pub async fn hook(owner: &Client, receiver: &Receiver, types: Value) -> (String, String) {
    let body = json!({ "url": receiver.url(), "types": types });
    let made = owner.post(HOOKS, body).await.created();
    let secret = made["secret"].as_str().expect("a secret").to_owned();
    (format!("{HOOKS}{}/", id(&made)), secret)
}

/// Changes the club, so that there is one `club.updated`.
pub async fn change(owner: &Client, name: &str) {
    let body = json!({ "subtitle": name });
    owner.patch("/api/clubs/chess/", body).await.ok();
}

/// Whether one of the signatures of a request is that of this secret.
pub fn is_signed(request: &Received, secret: &str) -> bool {
    let bytes = BASE64_STANDARD
        .decode(secret.strip_prefix("whsec_").expect("the usual beginning"))
        .expect("base64");
    let (id, at) = (
        request.header("webhook-id"),
        request.header("webhook-timestamp"),
    );
    let signed = format!("{id}.{at}.{}", request.text);
    let key = hmac::Key::new(hmac::HMAC_SHA256, &bytes);
    let signature = BASE64_STANDARD.encode(hmac::sign(&key, signed.as_bytes()));
    let all = request.header("webhook-signature");
    all.split(' ').any(|one| one == format!("v1,{signature}"))
}

// proves Z8, Z9
#[tokio::test]
async fn change_is_sent_signed_and_listed() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let body = json!({
        "url": receiver.url(), "types": ["club.updated", "event.deleted", "club.updated"],
        "description": "Chat",
    });
    let idempotent = owner.clone().header("idempotency-key", "k");
    let made = idempotent.post(HOOKS, body.clone()).await.created();
    let secret = made["secret"].as_str().expect("a secret").to_owned();
    let one = format!("{HOOKS}{}/", id(&made));
    let shown = owner.get(&one).await.ok();
    assert_eq!(
        shown,
        json!({
            "id": made["id"], "url": receiver.url(), "types": ["club.updated", "event.deleted"],
            "description": "Chat", "active": true, "created_at": "2026-11-21T09:01:00Z",
            "failing_since": null,
        })
    );
    // A repeat shows it without the secret, which is nowhere stored as it is.
    assert_eq!(idempotent.post(HOOKS, body).await.created(), shown);
    assert_eq!(owner.get(HOOKS).await.ok(), json!([shown]));
    let bytes = BASE64_STANDARD.decode(&secret[6..]).expect("base64");
    let texts = [secret[6..].to_owned(), BASE64_STANDARD.encode(&bytes)];
    for item in campus.stored() {
        let item = item.to_string();
        assert!(texts.iter().all(|text| !item.contains(text)), "{item}");
    }

    change(&owner, "We play").await;
    // Nobody asked for this one.
    let event = json!({ "name": "Open day", "type": 2 });
    owner
        .post("/api/clubs/chess/events/", event)
        .await
        .created();
    campus.call_webhooks().await;
    let [request] = &receiver.take()[..] else {
        panic!("one request")
    };
    assert!(is_signed(request, &secret));
    let listed = owner.get("/api/clubs/chess/changes/").await.ok();
    let changes = listed["results"].as_array().expect("changes");
    let updated = changes.iter().find(|one| one["type"] == "club.updated");
    let mut expected = updated.expect("a change").clone();
    expected["club"] = json!("chess");
    expected["object"]["url"] = json!("http://127.0.0.1:8000/api/clubs/chess/");
    assert_eq!(request.json(), expected);
    assert_eq!(request.header("webhook-id"), expected["id"].to_string());
    assert_eq!(request.header("content-type"), "application/json");
    let mut deliveries = owner.get(&format!("{one}deliveries/")).await.ok();
    assert!(deliveries[0]["ms"].take().is_u64());
    assert_eq!(
        deliveries,
        json!([{ "id": expected["id"], "at": "2026-11-21T09:01:00Z", "type": "club.updated",
            "status": 204, "ms": null, "attempt": 1 }])
    );
    // The stream delivers again: nothing is told again.
    let again = campus.another();
    again.call_webhooks().await;
    let again = receiver.take();
    assert!(again.is_empty(), "{again:?}");

    owner.delete(&one).await.no_content();
    owner.get(&one).await.error(404);
    change(&owner, "We play again").await;
    campus.call_webhooks().await;
    assert!(receiver.take().is_empty());
}

// proves Z8
#[tokio::test]
async fn wrong_webhooks_are_named_and_five_are_enough() {
    let (campus, owner) = campus().await;
    let types = json!(["club.updated"]);
    let url = "https://chat.example/hook";
    for (body, field) in [
        (json!({ "types": types }), "url"),
        (json!({ "url": url }), "types"),
        (json!({ "url": url, "types": [] }), "types"),
        (json!({ "url": url, "types": ["test"] }), "types.0"),
        (json!({ "url": "https://10.0.0.1/", "types": types }), "url"),
        (
            json!({ "url": "https://u@chat.example/", "types": types }),
            "url",
        ),
        (json!({ "url": "chat", "types": types }), "url"),
        (
            json!({ "url": url, "types": types, "description": "d".repeat(201) }),
            "description",
        ),
    ] {
        owner.post(HOOKS, body).await.invalid(&[field]);
    }
    let body = json!({ "url": url, "types": types });
    let mut last = Value::Null;
    for _ in 0..5 {
        last = owner.post(HOOKS, body.clone()).await.created();
    }
    let full = owner.post(HOOKS, body.clone()).await;
    assert_eq!(full.json()["code"], "quota");
    full.error(400);
    owner
        .delete(&format!("{HOOKS}{}/", id(&last)))
        .await
        .no_content();
    owner.post(HOOKS, body.clone()).await.created();
    let one = format!("{HOOKS}{}/", id(&owner.get(HOOKS).await.ok()[0]));
    let off = json!({ "active": false });
    assert_eq!(owner.patch(&one, off).await.ok()["active"], json!(false));
    owner
        .post(&format!("{one}test/"), json!({}))
        .await
        .error(400);
    let on = json!({ "active": true, "types": ["event.created"] });
    assert_eq!(
        owner.patch(&one, on).await.ok()["types"],
        json!(["event.created"])
    );
    owner
        .patch(&one, json!({ "url": "ftp://x" }))
        .await
        .invalid(&["url"]);
    // Officers do not see addresses that may be secret; admins have a list of their own.
    let officer = campus.member("chess", &owner, "olga", 10).await;
    officer.get(HOOKS).await.error(403);
    officer.get("/api/webhooks/").await.error(403);
    assert_eq!(campus.admin().get("/api/webhooks/").await.ok(), json!([]));
}

// proves Z9
#[tokio::test]
async fn a_test_and_another_attempt_can_be_asked_for() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let (one, secret) = hook(&owner, &receiver, json!(["club.updated"])).await;
    receiver.answers([Answers::Status(500)]);
    let idempotent = owner.clone().header("idempotency-key", "t");
    let asked = idempotent
        .post(&format!("{one}test/"), json!({}))
        .await
        .accepted();
    assert_eq!(
        asked,
        json!({ "id": asked["id"], "at": "2026-11-21T09:01:00Z", "type": "test", "status": null,
            "ms": null, "attempt": 0 })
    );
    idempotent
        .post(&format!("{one}test/"), json!({}))
        .await
        .accepted();
    campus.call_webhooks().await;
    let requests = receiver.take();
    assert_eq!(requests.len(), 1);
    assert!(is_signed(&requests[0], &secret));
    let notification = requests[0].json();
    assert_eq!(notification["type"], "test");
    assert_eq!(notification["object"]["id"], "chess");
    assert_eq!(notification["club"], "chess");
    // It is no change of the club.
    let changes = owner
        .get("/api/clubs/chess/changes/")
        .await
        .ok()
        .to_string();
    assert!(!changes.contains(&asked["id"].to_string()));

    let delivery = format!("{one}deliveries/{}/retry/", asked["id"]);
    owner.post(&delivery, json!({})).await.accepted();
    campus.call_webhooks().await;
    assert_eq!(receiver.take()[0].json(), notification);
    let deliveries = owner.get(&format!("{one}deliveries/")).await.ok();
    assert_eq!(deliveries[0]["attempt"], 2);
    assert_eq!(deliveries[0]["status"], 204);
    // The repeat of the first attempt has nothing to do any more. Another attempt may follow.
    campus.pass(TimeDelta::seconds(10)).await;
    assert!(receiver.take().is_empty());
    owner.post(&delivery, json!({})).await.accepted();
    campus.call_webhooks().await;
    assert_eq!(receiver.take().len(), 1);
    owner
        .post(&format!("{one}deliveries/1/retry/"), json!({}))
        .await
        .error(404);
}

// In an earlier version, it was switched off five days after the other attempt.
// proves Z8, Z9
#[tokio::test]
async fn failing_retry_does_not_make_a_failing_webhook() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let (one, _) = hook(&owner, &receiver, json!(["club.updated"])).await;
    receiver.answers([Answers::Status(500)]);
    change(&owner, "a").await;
    campus.call_webhooks().await;
    campus.pass(TimeDelta::seconds(5)).await;
    let notification = owner.get(&format!("{one}deliveries/")).await.ok();
    receiver.answers([Answers::Status(500)]);
    let retry = format!("{one}deliveries/{}/retry/", notification[0]["id"]);
    owner.post(&retry, json!({})).await.accepted();
    campus.call_webhooks().await;
    assert_eq!(receiver.take().len(), 3);
    assert_eq!(owner.get(&one).await.ok()["failing_since"], json!(null));
}

// proves Z8
#[tokio::test]
async fn an_old_secret_signs_for_a_day() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let (one, old) = hook(&owner, &receiver, json!(["club.updated"])).await;
    let idempotent = owner.clone().header("idempotency-key", "s");
    let renewed = idempotent
        .post(&format!("{one}secret/"), json!({}))
        .await
        .ok();
    let new = renewed["secret"].as_str().expect("a secret").to_owned();
    let again = idempotent
        .post(&format!("{one}secret/"), json!({}))
        .await
        .ok();
    assert!(again.get("secret").is_none());
    change(&owner, "a").await;
    campus.call_webhooks().await;
    let request = &receiver.take()[0];
    assert!(is_signed(request, &old) && is_signed(request, &new));
    for _ in 0..3 {
        owner.post(&format!("{one}secret/"), json!({})).await.ok();
    }
    let full = owner.post(&format!("{one}secret/"), json!({})).await;
    assert_eq!(full.json()["code"], "quota");
    campus.advance(TimeDelta::hours(25));
    change(&owner, "b").await;
    campus.call_webhooks().await;
    let request = &receiver.take()[0];
    assert!(!is_signed(request, &old) && !is_signed(request, &new));
    assert_eq!(request.header("webhook-signature").split(' ').count(), 1);
    owner.post(&format!("{one}secret/"), json!({})).await.ok();
}

// proves Z8
#[tokio::test]
async fn admins_get_changes_of_all_clubs() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let admin = campus.admin();
    let body = json!({ "url": receiver.url(), "types": ["club.updated"] });
    let made = admin.post("/api/webhooks/", body).await.created();
    let one = format!("/api/webhooks/{}/", id(&made));
    campus.club("go", &owner).await;
    change(&owner, "a").await;
    owner
        .patch("/api/clubs/go/", json!({ "subtitle": "b" }))
        .await
        .ok();
    campus.call_webhooks().await;
    let mut clubs: Vec<Value> = receiver
        .take()
        .iter()
        .map(|one| one.json()["club"].clone())
        .collect();
    clubs.sort_by_key(Value::to_string);
    assert_eq!(clubs, ["chess", "go"]);
    admin
        .post(&format!("{one}test/"), json!({}))
        .await
        .accepted();
    campus.call_webhooks().await;
    let test = receiver.take()[0].json();
    assert_eq!(
        (&test["club"], &test["object"]),
        (&Value::Null, &Value::Null)
    );

    // Who is no admin any more is seen without the group: then it is off.
    assert_eq!(admin.get(&one).await.ok()["active"], true);
    campus.as_("root").get("/api/settings/").await.ok();
    assert_eq!(admin.get(&one).await.ok()["active"], false);
    change(&owner, "c").await;
    campus.call_webhooks().await;
    assert!(receiver.take().is_empty());
    campus.deliver().await;
    let mails = campus.mails();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].subject, "A webhook of all clubs was switched off");
    let on = admin.patch(&one, json!({ "active": true })).await.ok();
    assert_eq!(on["active"], true);
    change(&owner, "d").await;
    campus.call_webhooks().await;
    assert_eq!(receiver.take().len(), 1);
}

// proves Z10
#[tokio::test]
async fn whoever_sets_the_url_is_the_creator() {
    let (campus, ada) = campus().await;
    let receiver = Receiver::start().await;
    let (path, _) = hook(&ada, &receiver, json!(["club.updated"])).await;
    let olga = campus.member("chess", &ada, "olga", 0).await;
    let other = Receiver::start().await;
    let body = json!({ "url": other.url() });
    olga.patch(&path, body).await.ok();
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 20 }))
        .await
        .ok();
    campus.call_webhooks().await;
    change(&ada, "one").await;
    campus.call_webhooks().await;
    assert_eq!(other.take().len(), 0);
    assert_eq!(ada.get(&path).await.ok()["active"], false);
}

// proves H14, H26
#[tokio::test]
async fn a_test_ignores_what_it_does_not_know() {
    let (_campus, ada) = campus().await;
    let receiver = Receiver::start().await;
    let (path, _) = hook(&ada, &receiver, json!(["club.updated"])).await;
    let body = json!({ "note": "x" });
    let response = ada.post(&format!("{path}test/?x=1"), body.clone()).await;
    assert_eq!(response.status, 202);
    ada.post(&format!("{path}secret/"), body).await.ok();
    ada.delete(&format!("{path}?x=1")).await.error(400);
}

// proves Z8
#[tokio::test]
async fn people_ask_for_thirty_calls_an_hour() {
    let (campus, ada) = campus().await;
    let receiver = Receiver::start().await;
    let (path, _) = hook(&ada, &receiver, json!(["club.updated"])).await;
    let test = async || ada.post(&format!("{path}test/"), json!({})).await;
    let first = test().await.accepted();
    let retry = format!("{path}deliveries/{}/retry/", first["id"]);
    // Tests and further attempts count together.
    for n in 1..30 {
        campus.advance(TimeDelta::seconds(1));
        if n % 2 == 0 {
            test().await.accepted();
        } else {
            ada.post(&retry, json!({})).await.accepted();
        }
    }
    campus.advance(TimeDelta::seconds(1));
    let refused = test().await;
    assert_eq!(refused.header("retry-after"), "3570");
    refused.error(429);
    ada.post(&retry, json!({})).await.error(429);
    campus.advance(TimeDelta::hours(1));
    test().await.accepted();
}
