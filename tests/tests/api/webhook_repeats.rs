//! Repeats of webhooks, and when they go off (Z9 to Z11).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use local::queues::WEBHOOKS;
use serde_json::{Value, json};
use shared::settings::Secret;
use shared::time::Clock as _;
use tests::receiver::{Answers, Receiver};

use tests::{Before, Client, Setup, TestCampus};

use crate::webhooks::{campus, campus_of, change, hook, is_signed};

async fn last(owner: &tests::Client, one: &str) -> Value {
    owner.get(&format!("{one}deliveries/")).await.ok()[0].clone()
}

// proves Z9
#[tokio::test]
async fn failing_receiver_is_called_again_for_a_day() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    receiver.always(Answers::Status(500));
    let (one, _) = hook(&owner, &receiver, json!(["club.updated"])).await;
    change(&owner, "a").await;
    campus.call_webhooks().await;
    let began = campus.campus.clock.now();
    let mut times = vec![];
    let mut ids = vec![];
    loop {
        for request in receiver.take() {
            times.push((campus.campus.clock.now() - began).num_seconds());
            ids.push(request.header("webhook-id").to_owned());
        }
        let Some(next) = campus.campus.queues.next() else {
            break;
        };
        campus.pass(next - campus.campus.clock.now()).await;
    }
    // 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, each after the attempt before it.
    assert_eq!(times, [0, 5, 305, 2_105, 9_305, 27_305, 63_305, 99_305]);
    ids.dedup();
    assert_eq!(ids.len(), 1, "all attempts have one id");
    let delivery = last(&owner, &one).await;
    assert_eq!(
        (&delivery["attempt"], &delivery["status"]),
        (&json!(8), &json!(500))
    );
    let shown = owner.get(&one).await.ok();
    assert_eq!(shown["active"], true);
    assert_eq!(shown["failing_since"], "2026-11-21T09:01:05Z");

    // Nothing more happens, and after five days it is off all the same.
    campus.pass(TimeDelta::days(4)).await;
    assert_eq!(owner.get(&one).await.ok()["active"], false);
    let mails = campus.mails();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].to, "ada@uni.example");
    assert!(mails[0].text.contains("For five days"), "{}", mails[0].text);
    assert!(!mails[0].text.contains("/hook"), "the path may be a secret");
    change(&owner, "b").await;
    campus.call_webhooks().await;
    assert!(receiver.take().is_empty());

    receiver.always(Answers::Status(200));
    let on = owner.patch(&one, json!({ "active": true })).await.ok();
    assert_eq!(
        (&on["active"], &on["failing_since"]),
        (&json!(true), &Value::Null)
    );
    change(&owner, "c").await;
    campus.call_webhooks().await;
    assert_eq!(receiver.take().len(), 1);
}

// proves Z9
#[tokio::test]
async fn success_ends_the_repeats() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let (one, _) = hook(&owner, &receiver, json!(["club.updated"])).await;
    receiver.answers([
        Answers::Status(500),
        Answers::Status(204),
        Answers::Status(500),
    ]);
    for name in ["a", "b"] {
        change(&owner, name).await;
        campus.call_webhooks().await;
    }
    campus.pass(TimeDelta::seconds(5)).await;
    assert_eq!(receiver.take().len(), 3);
    assert!(campus.campus.queues.next().is_some());
    campus.pass(TimeDelta::minutes(6)).await;
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(campus.campus.queues.len(WEBHOOKS), 0);
    assert_eq!(owner.get(&one).await.ok()["failing_since"], Value::Null);
    assert_eq!(last(&owner, &one).await["status"], 204);
}

// proves Z10
#[tokio::test]
async fn status_410_switches_webhook_off() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let (one, _) = hook(&owner, &receiver, json!(["club.updated"])).await;
    receiver.answers([Answers::Status(410)]);
    change(&owner, "a").await;
    // The stream delivers twice, so the same call is in the queue once more.
    let again = campus.another();
    again.list_changes().await;
    campus.call_webhooks().await;
    assert_eq!(owner.get(&one).await.ok()["active"], false);
    assert_eq!(campus.campus.queues.len(WEBHOOKS), 0);
    campus.deliver().await;
    assert!(campus.mails()[0].text.contains("410"));
    assert_eq!(campus.mails().len(), 1);
    // It comes when somebody has switched the webhook on again.
    campus.advance(TimeDelta::seconds(1));
    owner.patch(&one, json!({ "active": true })).await.ok();
    let (queues, dispatcher) = (&again.campus.queues, &*again.campus.dispatcher);
    assert!(queues.deliver(WEBHOOKS, dispatcher).await);
    assert_eq!(owner.get(&one).await.ok()["active"], true);
}

// proves Z10
#[tokio::test]
async fn it_works_while_its_creator_is_an_owner() {
    let (campus, owner) = campus().await;
    let bob = campus.member("chess", &owner, "bob", 0).await;
    let receiver = Receiver::start().await;
    let (one, _) = hook(&bob, &receiver, json!(["club.updated"])).await;
    let person = bob.get("/api/settings/").await.ok()["username"].clone();
    let path = format!(
        "/api/clubs/chess/members/{}/",
        person.as_str().expect("a name")
    );
    owner.patch(&path, json!({ "role": 10 })).await.ok();
    assert_eq!(owner.get(&one).await.ok()["active"], false);
    // The change itself tells it, though nobody asked for its type.
    campus.call_webhooks().await;
    campus.deliver().await;
    let all = campus.mails();
    let mails: Vec<_> = all
        .iter()
        .filter(|mail| mail.subject.contains("webhook"))
        .collect();
    let notification: Vec<&str> = mails.iter().map(|mail| mail.to.as_str()).collect();
    assert_eq!(notification, ["ada@uni.example"]);
    assert!(
        mails[0]
            .text
            .contains("http://127.0.0.1:8000/clubs/chess/webhooks/")
    );
    change(&owner, "a").await;
    campus.call_webhooks().await;
    assert!(receiver.take().is_empty());
    // Once is enough.
    campus.deliver().await;
    assert_eq!(campus.mails().len(), all.len());
    owner.patch(&one, json!({ "active": true })).await.ok();
    change(&owner, "b").await;
    campus.call_webhooks().await;
    assert_eq!(receiver.take().len(), 1);
}

// proves Z11
#[tokio::test]
async fn redirects_are_not_followed_and_answers_are_bounded() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let (one, _) = hook(&owner, &receiver, json!(["club.updated"])).await;
    receiver.answers([
        Answers::Redirect(receiver.url().to_owned()),
        Answers::Endless,
    ]);
    change(&owner, "a").await;
    campus.call_webhooks().await;
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(last(&owner, &one).await["status"], 302);
    campus.pass(TimeDelta::seconds(5)).await;
    assert_eq!(receiver.take().len(), 1);
    // It ended after 64 KB, and not with the time.
    let endless = last(&owner, &one).await;
    assert_eq!(endless["status"], 200);
    assert!(endless["ms"].as_u64().is_some_and(|ms| ms < 8_000));
}

// proves Z11
#[tokio::test]
async fn the_address_is_checked_at_each_call() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let (one, _) = hook(&owner, &receiver, json!(["club.updated"])).await;
    // The same table in a deployment, where such an address is refused.
    let deployed = campus.with_settings(|settings| settings.webhooks.is_local = false);
    change(&owner, "a").await;
    deployed.call_webhooks().await;
    assert!(receiver.take().is_empty());
    let delivery = last(&owner, &one).await;
    assert_eq!(
        (&delivery["attempt"], &delivery["status"]),
        (&json!(1), &Value::Null)
    );
}

// proves Z9
#[tokio::test]
async fn a_slow_receiver_delays_no_other() {
    let (campus, owner) = campus().await;
    let (slow, quick) = (Receiver::start().await, Receiver::start().await);
    slow.always(Answers::Never);
    hook(&owner, &slow, json!(["club.updated"])).await;
    hook(&owner, &quick, json!(["club.updated"])).await;
    for number in 0..20 {
        change(&owner, &number.to_string()).await;
    }
    campus.list_changes().await;
    let calls = campus
        .campus
        .queues
        .run(WEBHOOKS, &*campus.campus.dispatcher);
    let all_are_there = async {
        let mut got = 0;
        while got < 20 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            got += quick.take().len();
        }
    };
    tokio::select! {
        () = calls => unreachable!("it runs for ever"),
        () = all_are_there => {}
        () = tokio::time::sleep(Duration::from_secs(8)) => panic!("the quick one waits"),
    }
    assert!(!slow.take().is_empty());
}

// proves Z9
#[tokio::test]
async fn attempts_that_are_asked_for_do_not_use_up_the_repeats() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    receiver.always(Answers::Status(500));
    let (one, _) = hook(&owner, &receiver, json!(["club.updated"])).await;
    change(&owner, "a").await;
    campus.call_webhooks().await;
    let id = last(&owner, &one).await["id"].clone();
    for _ in 0..8 {
        let retry = format!("{one}deliveries/{id}/retry/");
        owner.post(&retry, json!({})).await.accepted();
        campus.call_webhooks().await;
    }
    assert_eq!(receiver.take().len(), 9);
    campus.pass(TimeDelta::days(2)).await;
    assert_eq!(receiver.take().len(), 7);
    assert_eq!(last(&owner, &one).await["attempt"], 16);
}

// proves Z9, Z10
#[tokio::test]
async fn call_result_is_stored_though_the_function_dies() {
    let dies = Arc::new(AtomicBool::new(false));
    let flag = dies.clone();
    let before: Before = Arc::new(move |operation: &str, body: &[u8]| {
        let is_note = operation == "PutItem" && String::from_utf8_lossy(body).contains("WEBHOOK#");
        let refuses = is_note && flag.load(Ordering::Relaxed);
        let error = json!({ "__type": "com.amazon.coral.validate#ValidationException" });
        Box::pin(async move { refuses.then_some((400, error)) })
    });
    let setup = Setup::default().table(before);
    let (campus, owner) = campus_of(setup).await;
    let receiver = Receiver::start().await;
    let (one, _) = hook(&owner, &receiver, json!(["club.updated"])).await;
    receiver.answers([Answers::Status(500), Answers::Status(500)]);
    change(&owner, "a").await;
    campus.call_webhooks().await;
    campus.pass(TimeDelta::seconds(5)).await;
    dies.store(true, Ordering::Relaxed);
    campus.advance(TimeDelta::minutes(5));
    campus.call_webhooks().await;
    assert_eq!(receiver.take().len(), 3);
    assert_eq!(last(&owner, &one).await["status"], 204);
    assert_ne!(owner.get(&one).await.ok()["failing_since"], Value::Null);
    // The queue gives it out again. The receiver is not called once more.
    dies.store(false, Ordering::Relaxed);
    campus.pass(TimeDelta::seconds(5)).await;
    assert!(receiver.take().is_empty());
    assert_eq!(owner.get(&one).await.ok()["failing_since"], Value::Null);
    assert_eq!(campus.campus.queues.len(WEBHOOKS), 0);
}

// proves Z8, Z10
#[tokio::test]
async fn a_secret_that_is_lost_switches_it_off() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let (one, _) = hook(&owner, &receiver, json!(["club.updated"])).await;
    let other = Secret::new("another secret from which the links are made");
    let changed = campus.with_settings(|settings| settings.secrets.invite = other);
    change(&owner, "a").await;
    changed.call_webhooks().await;
    assert!(receiver.take().is_empty());
    assert_eq!(owner.get(&one).await.ok()["active"], false);
    campus.deliver().await;
    assert!(campus.mails()[0].text.contains("Make a new secret"));
    // With a new secret it works, though the old ones cannot be read.
    let owner = changed.with_token(&campus.token("ada"));
    let owner = if owner.get(&one).await.status == 401 {
        changed.as_("ada")
    } else {
        owner
    };
    let new = owner.post(&format!("{one}secret/"), json!({})).await.ok();
    owner.patch(&one, json!({ "active": true })).await.ok();
    change(&owner, "b").await;
    changed.list_changes().await;
    let (queues, dispatcher) = (&changed.campus.queues, &*changed.campus.dispatcher);
    while queues.deliver(WEBHOOKS, dispatcher).await {}
    let requests = receiver.take();
    let secret = new["secret"].as_str().expect("a secret");
    assert!(requests.iter().all(|request| is_signed(request, secret)));
    assert!(!requests.is_empty());
}

// proves Z10
#[tokio::test]
async fn the_webhooks_of_a_deleted_club_are_off() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let (one, _) = hook(&owner, &receiver, json!(["member.updated"])).await;
    owner.delete("/api/clubs/chess/").await.no_content();
    campus.call_webhooks().await;
    campus.deliver().await;
    assert!(campus.mails().is_empty(), "nobody can see them any more");
    let back = json!({ "archived": false });
    campus.admin().patch("/api/clubs/chess/", back).await.ok();
    assert_eq!(owner.get(&one).await.ok()["active"], false);
}

/// A webhook whose receiver only fails, after its first call. Returns its path.
async fn failing(campus: &TestCampus, owner: &Client, receiver: &Receiver) -> String {
    receiver.always(Answers::Status(500));
    let (one, _) = hook(owner, receiver, json!(["club.updated"])).await;
    change(owner, "a").await;
    campus.call_webhooks().await;
    one
}

// In an earlier version, the timer failed at the place of the deleted webhook for a day.
// proves Z10
#[tokio::test]
async fn a_failing_webhook_that_is_deleted_holds_up_nothing() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let one = failing(&campus, &owner, &receiver).await;
    campus.pass(TimeDelta::hours(119)).await;
    let owner = campus.as_("ada");
    owner.delete(&one).await.no_content();
    owner.get(&one).await.error(404);
    // Five days after the first failure, the timer looks for it.
    campus.pass(TimeDelta::hours(2)).await;
    assert!(campus.mails().is_empty());
}

// proves Z9, Z10
#[tokio::test]
async fn new_url_starts_anew_and_inactive_webhook_is_not_called() {
    let (campus, owner) = campus().await;
    let receiver = Receiver::start().await;
    let one = failing(&campus, &owner, &receiver).await;
    campus.pass(TimeDelta::days(3)).await;
    assert_ne!(owner.get(&one).await.ok()["failing_since"], Value::Null);
    let moved = json!({ "url": format!("{}other", receiver.url()) });
    let moved = owner.patch(&one, moved).await.ok();
    assert_eq!(moved["failing_since"], Value::Null);
    change(&owner, "b").await;
    campus.call_webhooks().await;
    campus.pass(TimeDelta::days(3)).await;
    assert_eq!(owner.get(&one).await.ok()["active"], true);
    let id = last(&owner, &one).await["id"].clone();
    let off = json!({ "active": false });
    owner.patch(&one, off).await.ok();
    let retry = format!("{one}deliveries/{id}/retry/");
    owner.post(&retry, json!({})).await.error(400);
}
