//! What was deleted leaves its place for a day, and what is made there after it is not taken for
//! something else.

use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::held::Held;
use tests::{Client, TestCampus};

// proves X17
#[tokio::test(start_paused = true)]
async fn events_slots_and_tags_that_were_deleted_do_not_come_back() {
    let (held, campus) = Held::campus();
    let drive = campus.drive("chess").await;
    let admin = campus.admin();
    let event = json!({ "name": "Blitz", "type": 2, "showings": [
        { "start_time": hours(4), "end_time": hours(5), "location": "Hall" },
    ] });
    let slots = format!("{}slots/", drive.path);
    let slot = campus.slot_in(48);
    let cases: [(&Client, &str, Value, &'static str); 3] = [
        (
            &drive.officer,
            "/api/clubs/chess/events/",
            event,
            "\"EVENT#",
        ),
        (&drive.officer, &slots, slot, "\"SLOT#"),
        (&admin, "/api/tags/", json!({ "name": "Games" }), "Games"),
    ];
    for (client, path, body, written) in cases {
        let keyed = client.clone().header("idempotency-key", path);
        held.hold(usize::MAX, written);
        keyed.post(path, body.clone()).await.error(500);
        let late = held.release();
        let made = keyed.post(path, body.clone()).await.created();
        let one = format!("{path}{}/", id(&made));
        client.delete(&one).await.no_content();
        late.arrive();
        client.get(&one).await.error(404);
        assert_eq!(client.get(path).await.ok(), json!([]), "{path}");
        client.post(path, body).await.created();
    }
}

/// Puts what is left of something deleted into the place of the item with this type.
fn bury(campus: &TestCampus, place: &Value) {
    let gone = json!({
        "TableName": local::table::TABLE,
        "Item": {
            "pk": place["pk"], "sk": place["sk"], "type": { "S": "Gone" },
            "received": { "N": "1" }, "expires": { "N": "4102444800" },
        },
    });
    let engine = &campus.campus.engine;
    engine.json("PutItem", &gone).expect("a deleted item");
}

// proves X17
#[tokio::test]
async fn what_a_later_release_leaves_in_a_place_does_not_stand_in_the_way() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (officer, sue, bob) = (&drive.officer, campus.as_("sue"), campus.as_("bob"));
    let submission = drive.submit(&sue).await;
    let review = format!("{}submissions/{}/reviews/", drive.path, id(&submission));
    let extensions = format!("{}extensions/", drive.path);
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
    let place = |kind: &str| {
        let is_this = |item: &Value| item["type"]["S"] == kind;
        campus.stored().into_iter().rfind(is_this)
    };
    let mine = format!("{review}mine/");
    officer
        .put(&mine, json!({ "score": 4, "comment": "" }))
        .await
        .ok();
    let reviewed = place("Review").expect("a review");
    officer.delete(&mine).await.no_content();
    bury(&campus, &reviewed);
    assert_eq!(officer.get(&review).await.ok(), json!([]));
    officer.get(&format!("{}reviewers/", drive.path)).await.ok();
    officer
        .put(&mine, json!({ "score": 2, "comment": "" }))
        .await
        .ok();
    for (kind, client, path, body) in cases {
        let before = client.get(path).await.ok();
        let made = client.post(path, body.clone()).await.created();
        let items = campus.stored();
        let is_new = |item: &&Value| item["type"]["S"] == kind && item["role"]["N"] != "0";
        let place = items.iter().rfind(is_new).expect(kind);
        let named = if kind == "MembershipRequest" {
            "chess".to_owned()
        } else {
            made["id"].to_string().replace('"', "")
        };
        let one = format!("{path}{named}/");
        client.delete(&one).await.no_content();
        bury(&campus, place);
        client.get(&one).await.error(404);
        assert_eq!(client.get(path).await.ok(), before, "{kind}");
        officer.get("/api/home/").await.ok();
        let club = bob.get("/api/clubs/chess/").await.ok();
        assert_eq!(club["is_favorite"], kind != "Favorite", "{kind}");
        client.post(path, body).await.created();
    }
}
