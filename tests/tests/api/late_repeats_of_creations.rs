//! What was deleted leaves its place for a day, and what is made there after it is not taken for
//! something else.

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::recount::recount;
use tests::suspended::Suspended;
use tests::{Client, TestCampus};

use crate::clubfairs::fair;
use crate::webhooks::HOOKS;

// proves X17
#[tokio::test(start_paused = true)]
async fn deleted_events_slots_and_tags_do_not_come_back() {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    let admin = campus.admin();
    let event = json!({ "name": "Blitz", "type": 2, "showings": [
        { "start_time": hours(4), "end_time": hours(5), "location": "Hall" },
    ] });
    let slots = format!("{}slots/", recruitment.path);
    let slot = campus.slot_in(48);
    let cases: [(&Client, &str, Value, &'static str); 3] = [
        (
            &recruitment.officer,
            "/api/clubs/chess/events/",
            event,
            "\"EVENT#",
        ),
        (&recruitment.officer, &slots, slot, "\"SLOT#"),
        (&admin, "/api/tags/", json!({ "name": "Games" }), "Games"),
    ];
    for (client, path, body, written) in cases {
        let idempotent = client.clone().header("idempotency-key", path);
        suspended.hold(usize::MAX, written);
        idempotent.post(path, body.clone()).await.error(500);
        let late = suspended.release();
        let made = idempotent.post(path, body.clone()).await.created();
        let one = format!("{path}{}/", id(&made));
        client.delete(&one).await.no_content();
        late.arrive();
        client.get(&one).await.error(404);
        assert_eq!(client.get(path).await.ok(), json!([]), "{path}");
        client.post(path, body).await.created();
    }
}

/// Puts what is left of something deleted into the place of the item with this type.
fn put_tombstone(campus: &TestCampus, created_item: &Value) {
    let tombstone = json!({
        "TableName": local::table::TABLE,
        "Item": {
            "pk": created_item["pk"], "sk": created_item["sk"], "type": { "S": "Tombstone" },
            "received": { "N": "1" }, "expires": { "N": "4102444800" },
        },
    });
    let engine = &campus.campus.engine;
    engine.json("PutItem", &tombstone).expect("a deleted item");
}

// proves X17
#[tokio::test]
async fn tombstone_of_a_later_release_is_no_obstacle() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (officer, sue, bob) = (&recruitment.officer, campus.as_("sue"), campus.as_("bob"));
    let submission = recruitment.submit(&sue).await;
    let review = format!(
        "{}submissions/{}/reviews/",
        recruitment.path,
        id(&submission)
    );
    let extensions = format!("{}extensions/", recruitment.path);
    let bobs = id(&bob.get("/api/settings/").await.ok());
    let club = json!({ "club": "chess" });
    let ends = json!({ "person": bobs, "end_time": hours(30) });
    let cases: [(&str, &Client, &str, Value); 6] = [
        ("Favorite", &bob, "/api/favorites/", club.clone()),
        ("Subscription", &bob, "/api/subscriptions/", club.clone()),
        ("MembershipRequest", &bob, "/api/requests/membership/", club),
        ("Extension", officer, &extensions, ends),
        (
            "Invite",
            officer,
            "/api/clubs/chess/invites/",
            json!({ "email": "new@example.org" }),
        ),
        (
            "Membership",
            officer,
            "/api/clubs/chess/members/",
            json!({ "person": bobs }),
        ),
    ];
    let created_item = |kind: &str| {
        let is_this = |item: &Value| item["type"]["S"] == kind;
        campus.stored().into_iter().rfind(is_this)
    };
    let mine = format!("{review}mine/");
    officer
        .put(&mine, json!({ "score": 4, "comment": "" }))
        .await
        .ok();
    let reviewed = created_item("Review").expect("a review");
    officer.delete(&mine).await.no_content();
    put_tombstone(&campus, &reviewed);
    assert_eq!(officer.get(&review).await.ok(), json!([]));
    officer
        .get(&format!("{}reviewers/", recruitment.path))
        .await
        .ok();
    officer
        .put(&mine, json!({ "score": 2, "comment": "" }))
        .await
        .ok();
    for (kind, client, path, body) in cases {
        let before = client.get(path).await.ok();
        let made = client.post(path, body.clone()).await.created();
        let items = campus.stored();
        let is_new = |item: &&Value| item["type"]["S"] == kind && item["role"]["N"] != "0";
        let created_item = items.iter().rfind(is_new).expect(kind);
        let named = if kind == "MembershipRequest" {
            "chess".to_owned()
        } else {
            made["id"].to_string().replace('"', "")
        };
        let one = format!("{path}{named}/");
        client.delete(&one).await.no_content();
        put_tombstone(&campus, created_item);
        client.get(&one).await.error(404);
        assert_eq!(client.get(path).await.ok(), before, "{kind}");
        officer.get("/api/home/").await.ok();
        let club = bob.get("/api/clubs/chess/").await.ok();
        assert_eq!(club["is_favorite"], kind != "Favorite", "{kind}");
        client.post(path, body).await.created();
    }
}

// proves X17
#[tokio::test(start_paused = true)]
async fn unique_things_of_a_person_do_not_come_back() {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    let (officer, sue, bob) = (&recruitment.officer, campus.as_("sue"), campus.as_("bob"));
    recruitment.submit(&sue).await;
    let extensions = format!("{}extensions/", recruitment.path);
    let bobs = id(&bob.get("/api/settings/").await.ok());
    let club = json!({ "club": "chess" });
    let ends = json!({ "person": bobs, "end_time": hours(30) });
    let cases: [(&Client, &str, Value, &'static str); 4] = [
        (&bob, "/api/favorites/", club.clone(), "\"FAVORITE#"),
        (&bob, "/api/subscriptions/", club, "\"SUBSCRIPTION#"),
        (officer, &extensions, ends, "\"EXTENSIONS#"),
        (
            officer,
            "/api/clubs/chess/members/",
            json!({ "person": bobs }),
            "\"Membership\"",
        ),
    ];
    for (client, path, body, written) in cases {
        let before = client.get(path).await.ok();
        suspended.hold(usize::MAX, written);
        client.post(path, body.clone()).await.error(500);
        let late = suspended.release();
        let made = client.post(path, body.clone()).await.created();
        let one = format!("{path}{}/", made["id"].to_string().replace('"', ""));
        client.delete(&one).await.no_content();
        late.arrive();
        client.get(&one).await.error(404);
        assert_eq!(client.get(path).await.ok(), before, "{path}");
        client.post(path, body).await.created();
    }
    assert_eq!(recount(&campus), [""; 0]);
}

// proves X17
#[tokio::test(start_paused = true)]
async fn a_review_that_was_deleted_does_not_come_back() {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    let reviews = format!(
        "{}submissions/{}/reviews/",
        recruitment.path,
        id(&submission)
    );
    let (officer, mine) = (&recruitment.officer, format!("{reviews}mine/"));
    let review = json!({ "score": 1, "comment": "" });
    suspended.hold(usize::MAX, "\"Review\"");
    officer.put(&mine, review.clone()).await.error(500);
    let late = suspended.release();
    officer.put(&mine, review).await.ok();
    officer.delete(&mine).await.no_content();
    late.arrive();
    assert_eq!(officer.get(&reviews).await.ok(), json!([]));
    let all = officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    assert_eq!(all[0]["review_count"], 0);
}

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

// proves X9, X17
#[tokio::test(start_paused = true)]
async fn a_late_registration_changes_nothing_that_was_confirmed() {
    let (suspended, campus, ada, path) = at_fair().await;
    let register = format!("{path}register/");
    for first in [true, false] {
        // The first request is late, the second one does the opposite of what is there, or nothing.
        for then in [vec![first, !first], vec![!first]] {
            ada.post(&register, set(!first)).await.ok();
            suspended.hold(usize::MAX, "REGISTRATIONS");
            ada.post(&register, set(first)).await.error(500);
            let late = suspended.release();
            for status in &then {
                ada.post(&register, set(*status)).await.ok();
            }
            let before = ada.get(&path).await.ok()["clubs"].clone();
            late.arrive();
            assert_eq!(
                ada.get(&path).await.ok()["clubs"],
                before,
                "{first} {then:?}"
            );
        }
    }
    assert_eq!(recount(&campus), [""; 0]);
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
    let begun = json!({ "name": "Gala" });
    let gala = recruitment
        .officer
        .post("/api/clubs/chess/events/", begun)
        .await;
    let showings = format!("/api/clubs/chess/events/{}/showings/", id(&gala.created()));
    let showing = json!({ "start_time": hours(1), "end_time": hours(2) });
    let links = "/api/clubs/chess/joinlinks/";
    let cases: [(&Client, &str, Value, &[u16]); 9] = [
        (&recruitment.officer, &showings, showing, &[404]),
        (&recruitment.officer, links, json!({}), &[404]),
        (&recruitment.officer, HOOKS, hook, &[404]),
        (&bob, "/api/settings/tokens/", token, &[404]),
        (
            &recruitment.officer,
            "/api/clubs/chess/events/",
            event,
            &[404],
        ),
        (&recruitment.officer, &slots, slot, &[429]),
        (&admin, "/api/tags/", json!({ "name": "Games" }), &[400]),
        (&bob, "/api/favorites/", club, &[404]),
        (&recruitment.officer, members, member, &[404]),
    ];
    for (client, path, body, statuses) in cases {
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
        let again = idempotent.post(path, body).await;
        let status = again.status.as_u16();
        assert!(
            statuses.contains(&status),
            "{path}: {status} {}",
            again.text()
        );
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

// proves X9
#[tokio::test(start_paused = true)]
async fn concurrent_fair_requests_are_both_answered() {
    let (suspended, campus, ada, path) = at_fair().await;
    let register = format!("{path}register/");
    for first in [false, true] {
        for second in [true, false] {
            ada.post(&register, set(!first)).await.ok();
            suspended.stop_write("REGISTRATIONS");
            let (one, ()) = futures::join!(ada.post(&register, set(first)), async {
                suspended.stopped().await;
                ada.post(&register, set(second)).await.ok();
                suspended.go();
            });
            let fair = one.ok();
            let clubs = if second { json!(["chess"]) } else { json!([]) };
            assert_eq!(fair["clubs"], clubs, "{first} {second}");
        }
    }
    assert_eq!(recount(&campus), [""; 0]);
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
