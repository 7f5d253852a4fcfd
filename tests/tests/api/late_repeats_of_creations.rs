//! What was deleted leaves its place for a day, and what is made there after it is not taken for
//! something else.

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::suspended::Suspended;
use tests::{Client, TestCampus};

use crate::clubfairs::fair;
use crate::webhooks::HOOKS;

/// A fair that takes clubs, with its path, and Ada's club.
async fn at_fair() -> (Suspended, TestCampus, Client, String) {
    let (suspended, campus) = Suspended::campus();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let path = fair(&campus, "Fair", (10, 12), (None, None)).await;
    (suspended, campus, ada, path)
}

/// The body that takes the club to a fair, or off it.
fn set(status: bool) -> Value {
    json!({ "club": "chess", "status": status })
}

// proves M7, X8
#[tokio::test(start_paused = true)]
async fn confirmed_role_survives_older_request() {
    let (suspended, campus) = Suspended::campus();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.member("chess", &ada, "bob", 20).await;
    let bob = "/api/clubs/chess/members/bob/";
    suspended.hold(usize::MAX, "\"Membership\"");
    ada.patch(bob, json!({ "role": 10 })).await.error(500);
    let late = suspended.release();
    ada.patch(bob, json!({ "role": 20 })).await.ok();
    late.arrive();
    assert_eq!(ada.get(bob).await.ok()["role"], 20);
}

// proves X17
#[tokio::test(start_paused = true)]
async fn a_repeat_with_a_key_brings_nothing_back() {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    let admin = campus.admin();
    let event = json!({ "name": "Blitz", "type": 2 });
    let slots = format!("{}slots/", recruitment.path);
    let slot = campus.slot_in(48);
    let (members, bob) = ("/api/clubs/chess/members/", campus.as_("bob"));
    let member = json!({ "person": id(&bob.get("/api/settings/").await.ok()) });
    let club = json!({ "club": "chess" });
    let hook = json!({ "url": "https://chat.example/h", "types": ["club.updated"] });
    let token = json!({ "name": "CI", "scopes": ["clubs:read"] });
    let links = "/api/clubs/chess/joinlinks/";
    let cases: [(&Client, &str, Value); 8] = [
        (&recruitment.officer, links, json!({})),
        (&recruitment.officer, HOOKS, hook),
        (&bob, "/api/settings/tokens/", token),
        (&recruitment.officer, "/api/clubs/chess/events/", event),
        (&recruitment.officer, &slots, slot),
        (&admin, "/api/tags/", json!({ "name": "Games" })),
        (&bob, "/api/favorites/", club),
        (&recruitment.officer, members, member),
    ];
    for (client, path, body) in cases {
        let before = client.get(path).await.ok();
        let idempotent = client.clone().header("idempotency-key", path);
        // The process ends before it has stored what came of the request.
        suspended.hold(usize::MAX, ":\"outcome\"");
        let made = idempotent.post(path, body.clone()).await.created();
        drop(suspended.release());
        client
            .delete(&format!(
                "{path}{}/",
                made["id"].to_string().replace('"', "")
            ))
            .await
            .no_content();
        campus.advance(TimeDelta::minutes(2));
        idempotent.post(path, body).await.error(404);
        assert_eq!(client.get(path).await.ok(), before, "{path}");
    }
}

// proves J4, X17
#[tokio::test(start_paused = true)]
async fn a_repeat_with_a_key_does_not_join_again() {
    let (suspended, campus) = Suspended::campus();
    let (ada, bob) = (campus.as_("ada"), campus.as_("bob"));
    campus.club("chess", &ada).await;
    let links = "/api/clubs/chess/joinlinks/";
    let link = ada.post(links, json!({})).await.created();
    let url = link["url"].as_str().unwrap_or_default();
    let token = url.rsplit(['=', '/', '#']).find(|part| !part.is_empty());
    let join = format!("{links}{}/join/", id(&link));
    let idempotent = bob.clone().header("idempotency-key", "once");
    let body = json!({ "token": token });
    suspended.hold(usize::MAX, ":\"outcome\"");
    idempotent.post(&join, body.clone()).await.ok();
    drop(suspended.release());
    let member = "/api/clubs/chess/members/bob/";
    ada.delete(member).await.no_content();
    campus.advance(TimeDelta::minutes(2));
    let again = idempotent.post(&join, body).await;
    assert_eq!(again.json()["code"], "invite_unusable");
    ada.get(member).await.error(404);
}

// proves X9, X17
#[tokio::test(start_paused = true)]
async fn a_repeat_about_a_fair_is_as_old_as_its_first_attempt() {
    let (suspended, campus, ada, path) = at_fair().await;
    let register = format!("{path}register/");
    ada.post(&register, set(true)).await.ok();
    let idempotent = ada.clone().header("idempotency-key", "off");
    suspended.hold(usize::MAX, ":\"outcome\"");
    idempotent.post(&register, set(false)).await.ok();
    drop(suspended.release());
    campus.advance(TimeDelta::seconds(1));
    ada.post(&register, set(true)).await.ok();
    for _ in 0..2 {
        campus.advance(TimeDelta::minutes(2));
        let fair = idempotent.post(&register, set(false)).await.ok();
        assert_eq!(fair["clubs"], json!(["chess"]));
    }
    // Repeats have one number. None of them waits for another one.
    let idempotent = ada.clone().header("idempotency-key", "off again");
    for _ in 0..4 {
        suspended.hold(usize::MAX, ":\"outcome\"");
        let fair = idempotent.post(&register, set(false)).await.ok();
        assert_eq!(fair["clubs"], json!([]));
        drop(suspended.release());
        campus.advance(TimeDelta::minutes(2));
    }
}

// proves I16, X17
#[tokio::test(start_paused = true)]
async fn a_repeat_with_a_key_uses_no_later_invite() {
    let (suspended, campus) = Suspended::campus();
    let (ada, bob) = (campus.as_("ada"), campus.as_("bob"));
    campus.club("chess", &ada).await;
    let invites = "/api/clubs/chess/invites/";
    let invite = json!({ "email": "bob@uni.example", "role": 20, "title": "" });
    let made = ada.post(invites, invite.clone()).await.created();
    let id = made["id"].as_str().unwrap_or_default();
    let accept = format!("{invites}{id}/accept/");
    let idempotent = bob.clone().header("idempotency-key", "once");
    suspended.hold(usize::MAX, ":\"outcome\"");
    idempotent.post(&accept, json!({})).await.ok();
    drop(suspended.release());
    let member = "/api/clubs/chess/members/bob/";
    ada.delete(member).await.no_content();
    ada.post(invites, invite).await.created();
    campus.advance(TimeDelta::minutes(2));
    let again = idempotent.post(&accept, json!({})).await;
    assert!(again.status.is_client_error(), "{}", again.text());
    ada.get(member).await.error(404);
    // What was meant anew joins.
    bob.post(&accept, json!({})).await.ok();
}
