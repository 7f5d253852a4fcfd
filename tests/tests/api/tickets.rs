//! Tickets: orders, who waits, returns, hand-overs, and the door

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::hours;
use tests::suspended::Suspended;
use tests::{Client, TestCampus};

/// A showing in two days with these types and other fields.
pub struct Sale {
    pub campus: TestCampus,
    pub officer: Client,
    pub types: Vec<Value>,
    /// The path of the showing after `/api/`.
    pub showing: String,
}

impl Sale {
    pub async fn new(types: Value, more: Value) -> Self {
        Self::on(TestCampus::new(), types, more).await
    }

    pub async fn on(campus: TestCampus, types: Value, more: Value) -> Self {
        let officer = campus.as_("oscar");
        campus.club("chess", &officer).await;
        let event = json!({ "name": "Party", "showings": [] });
        let event = officer
            .post("/api/clubs/chess/events/", event)
            .await
            .created();
        let showings = format!("/api/clubs/chess/events/{}/showings/", event["id"]);
        let mut body = json!({
            "start_time": hours(48), "end_time": hours(50), "ticket_types": types,
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let showing = officer.post(&showings, body).await.created();
        let types = showing["ticket_types"].as_array().expect("types");
        Self {
            campus,
            officer,
            types: types.iter().map(|one| one["id"].clone()).collect(),
            showing: format!("events/{}/showings/{}/", event["id"], showing["id"]),
        }
    }

    /// The path of the showing for officers.
    pub fn of_club(&self, rest: &str) -> String {
        format!("/api/clubs/chess/{}{rest}", self.showing)
    }

    pub async fn order(&self, who: &Client, n: usize, count: u64, wait: bool) -> tests::Response {
        let order = json!({ "tickets": [{ "type": self.types[n], "count": count }], "wait": wait });
        who.post(&format!("/api/{}tickets/", self.showing), order)
            .await
    }

    /// The type as officers see it.
    pub async fn counts(&self, n: usize) -> Value {
        self.officer.get(&self.of_club("")).await.ok()["ticket_types"][n].clone()
    }
}

/// The states of a person's tickets, in their order.
pub async fn states(who: &Client) -> Vec<String> {
    let all = who.get("/api/tickets/").await.ok();
    let all = all.as_array().expect("a list");
    let state = |ticket: &Value| ticket["state"].as_str().unwrap_or_default().to_owned();
    all.iter().map(state).collect()
}

pub fn seats(capacity: u64) -> Value {
    json!([{ "name": "Seat", "capacity": capacity }])
}

// proves Y1
#[tokio::test]
async fn an_order_takes_all_or_nothing() {
    let sale = Sale::new(seats(3), json!({})).await;
    let (ann, ben) = (sale.campus.as_("ann"), sale.campus.as_("ben"));
    let ordered = sale.order(&ann, 0, 2, false).await.created();
    assert_eq!(ordered[0]["state"], "valid");
    assert_eq!(ordered[0]["event"]["name"], "Party");
    assert_eq!(ordered[0]["code"].as_str().map(str::len), Some(131));
    let refused = sale.order(&ben, 0, 2, false).await;
    assert_eq!(refused.refused(), "sold_out");
    assert_eq!(states(&ben).await, Vec::<String>::new());
    let shown = ben.get(&format!("/api/{}", sale.showing)).await.ok();
    assert_eq!(shown["ticket_types"][0]["available"], 1);
    assert_eq!(shown["ticket_types"][0]["taken"], Value::Null);
    let counts = sale.counts(0).await;
    assert_eq!(
        (&counts["taken"], &counts["waiting"]),
        (&json!(2), &json!(0))
    );
}

// proves Y4, Y5
#[tokio::test]
async fn who_waits_gets_what_is_given_back_in_order() {
    let sale = Sale::new(seats(1), json!({})).await;
    let people = ["ann", "ben", "cat"].map(|name| sale.campus.as_(name));
    for (n, person) in people.iter().enumerate() {
        sale.campus.advance(TimeDelta::seconds(1));
        let ordered = sale.order(person, 0, 1, true).await.created();
        let position = if n == 0 { Value::Null } else { json!(n) };
        assert_eq!(ordered[0]["position"], position);
    }
    // A new order does not pass those who wait.
    let own = people[0].get("/api/tickets/").await.ok();
    let path = format!(
        "/api/tickets/{}/",
        own[0]["id"].as_str().unwrap_or_default()
    );
    people[0].delete(&path).await.no_content();
    people[0].delete(&path).await.no_content();
    assert_eq!(states(&people[0]).await, ["cancelled"]);
    assert_eq!(states(&people[1]).await, ["valid"]);
    assert_eq!(states(&people[2]).await, ["waiting"]);
    assert_eq!(people[2].get("/api/tickets/").await.ok()[0]["position"], 1);
    let late = sale.order(&sale.campus.as_("dan"), 0, 1, false).await;
    assert_eq!(late.refused(), "sold_out");
    sale.campus.deliver().await;
    let mails = sale.campus.mails();
    let moved = mails
        .iter()
        .filter(|mail| mail.subject.starts_with("You have got a ticket"));
    assert_eq!(moved.count(), 1);
}

// proves Y5
#[tokio::test]
async fn the_timer_gives_what_a_killed_request_left() {
    let (suspended, campus) = Suspended::campus();
    let sale = Sale::on(campus, seats(1), json!({})).await;
    let (ann, ben) = (sale.campus.as_("ann"), sale.campus.as_("ben"));
    let own = sale.order(&ann, 0, 1, false).await.created();
    sale.order(&ben, 0, 1, true).await.created();
    // What was filed when he began to wait is done.
    sale.campus.advance(TimeDelta::minutes(3));
    sale.campus.tick().await;
    suspended.stop_write("moved_up");
    let path = format!(
        "/api/tickets/{}/",
        own[0]["id"].as_str().unwrap_or_default()
    );
    tokio::select! {
        _ = ann.delete(&path) => panic!("the request was not stopped"),
        () = suspended.stopped() => {}
    }
    assert_eq!(states(&ann).await, ["cancelled"]);
    assert_eq!(states(&ben).await, ["waiting"]);
    sale.campus.advance(TimeDelta::minutes(2));
    sale.campus.tick().await;
    assert_eq!(states(&ben).await, ["valid"]);
}

// proves Y5
#[tokio::test]
async fn who_gave_a_ticket_back_does_not_move_up() {
    let (suspended, campus) = Suspended::campus();
    let sale = Sale::on(campus, seats(1), json!({})).await;
    let people = ["ann", "ben"].map(|name| sale.campus.as_(name));
    let mut paths = Vec::new();
    for person in &people {
        sale.campus.advance(TimeDelta::seconds(1));
        let own = sale.order(person, 0, 1, true).await.created();
        paths.push(format!(
            "/api/tickets/{}/",
            own[0]["id"].as_str().unwrap_or_default()
        ));
    }
    // Ann's return has read that Ben is the first, and goes on when he has left.
    suspended.stop_answer("QUEUE#");
    futures::join!(
        async { people[0].delete(&paths[0]).await.no_content() },
        async {
            suspended.stopped().await;
            people[1].delete(&paths[1]).await.no_content();
            suspended.go();
        }
    );
    assert_eq!(states(&people[0]).await, ["cancelled"]);
    assert_eq!(states(&people[1]).await, ["cancelled"]);
    assert_eq!(sale.counts(0).await["available"], 1);
}

// proves Y5
#[tokio::test]
async fn others_who_wait_do_not_put_off_a_look() {
    let sale = Sale::new(seats(1), json!({})).await;
    sale.campus.advance(TimeDelta::minutes(3));
    sale.campus.tick().await;
    for n in 0..10 {
        let person = sale.campus.as_(&format!("person{n}"));
        sale.order(&person, 0, 1, true).await.created();
        sale.campus.advance(TimeDelta::seconds(10));
    }
    // Those of the first minute are due.
    assert!(sale.campus.tick().await.entries >= 4);
}

// proves Y5, Y10
#[tokio::test]
async fn what_is_taken_back_before_it_arrives_does_not_count() {
    let sale = Sale::new(seats(1), json!({})).await;
    let own = sale.order(&sale.campus.as_("ann"), 0, 1, false).await;
    let ticket = own.created()[0]["id"].clone();
    let scanned = json!({ "ticket": ticket, "at": tests::start() });
    sale.campus.advance(TimeDelta::seconds(5));
    let id = ticket.as_str().unwrap_or_default();
    let back = sale.of_club(&format!("checkins/{id}/"));
    sale.officer.delete(&back).await.no_content();
    let door = sale.of_club("checkins/");
    let late = sale.officer.post(&door, scanned).await.ok();
    assert_eq!(late["checked_in_at"], Value::Null);
    sale.campus.advance(TimeDelta::seconds(5));
    let again = sale
        .officer
        .post(&door, json!({ "ticket": ticket }))
        .await
        .ok();
    assert_ne!(again["checked_in_at"], Value::Null);
}

// proves Y5, G5
#[tokio::test]
async fn the_timer_does_not_look_while_nothing_is_free() {
    let sale = Sale::new(seats(1), json!({})).await;
    for name in ["ann", "ben"] {
        let person = sale.campus.as_(name);
        sale.order(&person, 0, 1, true).await.created();
    }
    sale.campus.advance(TimeDelta::minutes(3));
    sale.campus.tick().await;
    sale.campus.advance(TimeDelta::minutes(3));
    assert_eq!(sale.campus.tick().await.entries, 0);
}

// proves Y3
#[tokio::test]
async fn an_order_is_refused_for_the_first_reason() {
    let types = json!([{ "name": "Seat" }, { "name": "Member", "audience": "members" }]);
    let times = json!({ "ticket_drop_time": hours(1), "ticket_order_limit": 2 });
    let sale = Sale::new(types, times).await;
    let ann = sale.campus.as_("ann");
    let reason = async |n, count| sale.order(&ann, n, count, true).await.refused();
    assert_eq!(reason(1, 3).await, "not_started");
    sale.campus.advance(TimeDelta::hours(2));
    assert_eq!(reason(1, 3).await, "audience");
    assert_eq!(reason(0, 3).await, "quota");
    sale.order(&ann, 0, 2, true).await.created();
    assert_eq!(reason(0, 1).await, "quota");
    sale.campus.advance(TimeDelta::hours(47));
    assert_eq!(reason(1, 3).await, "closed");
    let order = json!({ "tickets": [{ "type": 7, "count": 1 }] });
    let path = format!("/api/{}tickets/", sale.showing);
    ann.post(&path, order).await.invalid(&["tickets.0.type"]);
}

// proves Y10
#[tokio::test]
async fn the_earliest_scan_counts_and_other_codes_do_not() {
    let sale = Sale::new(seats(3), json!({})).await;
    let ann = sale.campus.as_("ann");
    let ordered = sale.order(&ann, 0, 2, false).await.created();
    let door = sale.of_club("checkins/");
    let at = |minutes: i64| (tests::start() + TimeDelta::minutes(minutes)).to_rfc3339();
    let scan = async |ticket: &Value, minutes| {
        let body = json!({ "code": ticket["code"], "at": at(minutes) });
        sale.officer.post(&door, body).await
    };
    let first = scan(&ordered[0], -10).await.ok();
    assert_eq!(
        (&first["again"], &first["holder"]["username"]),
        (&json!(false), &json!("ann"))
    );
    assert_eq!(scan(&ordered[0], -10).await.ok()["again"], false);
    let earlier = scan(&ordered[0], -20).await.ok();
    assert_eq!(earlier["again"], true);
    assert_eq!(
        scan(&ordered[0], -5).await.ok()["checked_in_at"],
        earlier["checked_in_at"]
    );
    scan(&ordered[0], 6).await.invalid(&["at"]);
    let wrong = json!({ "code": "ABC" });
    assert_eq!(
        sale.officer.post(&door, wrong).await.refused(),
        "ticket_unusable"
    );
    // Who was let in cannot give the ticket back.
    let path = |n: usize| {
        format!(
            "/api/tickets/{}/",
            ordered[n]["id"].as_str().unwrap_or_default()
        )
    };
    assert_eq!(ann.delete(&path(0)).await.refused(), "closed");
    ann.delete(&path(1)).await.no_content();
    assert_eq!(scan(&ordered[1], -1).await.ok()["conflict"], "cancelled");
    sale.campus.advance(TimeDelta::minutes(2));
    assert_eq!(scan(&ordered[1], 1).await.refused(), "ticket_unusable");
}

// proves Y8
#[tokio::test]
async fn a_ticket_that_is_handed_over_has_another_code() {
    let sale = Sale::new(seats(3), json!({ "ticket_order_limit": 1 })).await;
    let (ann, ben) = (sale.campus.as_("ann"), sale.campus.as_("ben"));
    ben.get("/api/settings/").await.ok();
    let ordered = sale.order(&ann, 0, 1, false).await.created();
    let path = format!(
        "/api/tickets/{}/",
        ordered[0]["id"].as_str().unwrap_or_default()
    );
    let give = async |username: &str| {
        let body = json!({ "username": username });
        ann.post(&format!("{path}transfer/"), body).await
    };
    give("nobody").await.invalid(&["username"]);
    give("ann").await.invalid(&["username"]);
    assert_eq!(give("ben").await.ok()["code"], Value::Null);
    ann.get(&path).await.error(404);
    let theirs = ben.get(&path).await.ok();
    assert_ne!(theirs["code"], ordered[0]["code"]);
    let listed = sale.officer.get(&sale.of_club("tickets/")).await.ok();
    assert_eq!(listed[0]["code_version"], 2);
    // It counts for both.
    assert_eq!(sale.order(&ann, 0, 1, false).await.refused(), "quota");
    assert_eq!(sale.order(&ben, 0, 1, false).await.refused(), "quota");
    sale.campus.advance(TimeDelta::seconds(1));
    let old = json!({ "code": ordered[0]["code"] });
    let door = sale.of_club("checkins/");
    assert_eq!(
        sale.officer.post(&door, old).await.refused(),
        "ticket_unusable"
    );
}

// proves Y6
#[tokio::test]
async fn capacity_follows_what_is_taken() {
    let sale = Sale::new(seats(2), json!({})).await;
    let (ann, ben) = (sale.campus.as_("ann"), sale.campus.as_("ben"));
    sale.order(&ann, 0, 2, true).await.created();
    sale.order(&ben, 0, 2, true).await.created();
    let change = async |capacity: u64| {
        let body = json!({ "ticket_types": [{ "name": "Seat", "capacity": capacity }] });
        sale.officer.patch(&sale.of_club(""), body).await
    };
    let refused = change(1).await;
    refused.invalid(&["ticket_types.0.capacity"]);
    let none = json!({ "ticket_types": [] });
    sale.officer
        .patch(&sale.of_club(""), none)
        .await
        .invalid(&["ticket_types"]);
    change(3).await.ok();
    assert_eq!(states(&ben).await, ["valid", "waiting"]);
    change(200).await.ok();
    assert_eq!(states(&ben).await, ["valid", "valid"]);
    assert_eq!(sale.counts(0).await["available"], 196);
    change(4).await.ok();
    assert_eq!(sale.order(&ann, 0, 1, false).await.refused(), "sold_out");
}

// proves Y9
#[tokio::test]
async fn tickets_beyond_the_capacity_stand_aside() {
    let sale = Sale::new(seats(1), json!({})).await;
    let [ann, ben, cat] = ["ann", "ben", "cat"].map(|name| sale.campus.as_(name));
    sale.order(&ann, 0, 1, false).await.created();
    let people = json!([ben.get("/api/settings/").await.ok()["id"]]);
    let issue = json!({ "people": people, "type": sale.types[0] });
    let path = sale.of_club("tickets/");
    assert_eq!(
        sale.officer.post(&path, issue.clone()).await.refused(),
        "sold_out"
    );
    let mut over = issue;
    over["over"] = json!(true);
    let issued = sale.officer.post(&path, over).await.created();
    assert_eq!(issued[0]["holder"]["email"], Value::Null);
    assert_eq!(sale.counts(0).await["taken"], 2);
    assert_eq!(sale.counts(0).await["available"], 0);
    sale.order(&cat, 0, 1, true).await.created();
    let own = ann.get("/api/tickets/").await.ok();
    let own = format!(
        "/api/tickets/{}/",
        own[0]["id"].as_str().unwrap_or_default()
    );
    ann.delete(&own).await.no_content();
    // One more than the capacity was valid, so nothing is free.
    assert_eq!(states(&cat).await, ["waiting"]);
    assert_eq!(sale.counts(0).await["taken"], 1);
    let id = issued[0]["id"].as_str().unwrap_or_default();
    sale.officer
        .delete(&format!("{path}{id}/"))
        .await
        .no_content();
    assert_eq!(states(&ben).await, ["cancelled"]);
    assert_eq!(states(&cat).await, ["valid"]);
}

// proves Y7
#[tokio::test]
async fn what_has_tickets_is_deleted_only_by_force() {
    let sale = Sale::new(seats(2), json!({})).await;
    let ann = sale.campus.as_("ann");
    let ordered = sale.order(&ann, 0, 1, false).await.created();
    let path = sale.of_club("");
    assert_eq!(sale.officer.delete(&path).await.refused(), "in_use");
    sale.officer
        .delete(&format!("{path}?force=true"))
        .await
        .no_content();
    let own = ann.get("/api/tickets/").await.ok();
    assert_eq!(
        (&own[0]["state"], &own[0]["code"]),
        (&json!("cancelled"), &Value::Null)
    );
    assert_eq!(own[0]["event"]["name"], "Party");
    sale.order(&ann, 0, 1, false).await.error(404);
    let code = json!({ "code": ordered[0]["code"] });
    let door = sale.of_club("checkins/");
    assert_eq!(
        sale.officer.post(&door, code).await.refused(),
        "ticket_unusable"
    );
}

// proves Y2
#[tokio::test]
async fn times_of_a_sale_are_in_order() {
    let sale = Sale::new(seats(2), json!({})).await;
    let change = async |body: Value| sale.officer.patch(&sale.of_club(""), body).await;
    let end = json!({ "ticket_drop_time": hours(2), "ticket_end_time": hours(1) });
    change(end).await.invalid(&["ticket_end_time"]);
    let end = json!({ "ticket_end_time": hours(51) });
    change(end).await.invalid(&["ticket_end_time"]);
    let draw = json!({ "ticket_sale": "draw" });
    change(draw).await.invalid(&["ticket_draw_time"]);
    for (draw, is_right) in [(1, false), (46, true), (48, false)] {
        let body = json!({
            "ticket_sale": "draw", "ticket_drop_time": hours(1), "ticket_draw_time": hours(draw),
        });
        let response = change(body).await;
        if is_right {
            response.ok();
            change(json!({ "ticket_sale": "first_come" })).await.ok();
        } else {
            response.invalid(&["ticket_draw_time"]);
        }
    }
    change(json!({ "ticket_order_limit": 21 }))
        .await
        .invalid(&["ticket_order_limit"]);
    sale.campus.advance(TimeDelta::hours(2));
    sale.order(&sale.campus.as_("ann"), 0, 1, false)
        .await
        .created();
    let draw = json!({ "ticket_sale": "draw", "ticket_draw_time": hours(46) });
    change(draw).await.invalid(&["ticket_sale"]);
}

// proves Y4
#[tokio::test]
async fn a_repeated_order_takes_nothing_new() {
    let sale = Sale::new(seats(5), json!({})).await;
    let ann = sale.campus.as_("ann").header("Idempotency-Key", "one");
    let first = sale.order(&ann, 0, 2, false).await.created();
    let path = format!(
        "/api/tickets/{}/",
        first[0]["id"].as_str().unwrap_or_default()
    );
    assert_eq!(sale.order(&ann, 0, 2, false).await.created(), first);
    sale.campus.as_("ann").delete(&path).await.no_content();
    let again = sale.order(&ann, 0, 2, false).await.created();
    let states: Vec<&Value> = (0..2).map(|n| &again[n]["state"]).collect();
    assert_eq!(states, ["cancelled", "valid"]);
    assert_eq!(sale.counts(0).await["taken"], 1);
}

// proves Y11, Y12
#[tokio::test]
async fn officers_see_who_has_tickets_and_people_are_mailed() {
    let sale = Sale::new(seats(1), json!({ "location": "Hall" })).await;
    let (ann, ben) = (sale.campus.as_("ann"), sale.campus.as_("ben"));
    sale.order(&ann, 0, 1, false).await.created();
    sale.order(&ben, 0, 1, true).await.created();
    let path = sale.of_club("tickets/");
    let count = async |query: &str| {
        let all = sale.officer.get(&format!("{path}?{query}")).await.ok();
        assert!(
            all[0]["code"].is_null() && all.to_string().contains("uni.example") || all == json!([])
        );
        all.as_array().map(Vec::len)
    };
    assert_eq!(count("").await, Some(2));
    assert_eq!(count("limit=1").await, Some(1));
    assert_eq!(count("state=waiting").await, Some(1));
    assert_eq!(count("search=ann").await, Some(1));
    assert_eq!(count("checked_in=true").await, Some(0));
    ann.get(&path).await.error(403);
    sale.campus.deliver().await;
    let mails = sale.campus.mails();
    let text = |subject: &str| {
        let mail = mails.iter().find(|mail| mail.subject == subject);
        mail.map(|mail| mail.text.clone()).unwrap_or_default()
    };
    assert!(text("Your tickets: Party").contains("1 × Seat: valid"));
    assert!(text("You are on the waiting list: Party").contains("on the waiting list"));
}

// proves Y13
#[tokio::test]
async fn an_erasure_gives_tickets_back() {
    let sale = Sale::new(seats(1), json!({})).await;
    let (ann, ben) = (sale.campus.as_("ann"), sale.campus.as_("ben"));
    sale.order(&ann, 0, 1, false).await.created();
    sale.order(&ben, 0, 1, true).await.created();
    sale.campus.erase(&ann).await;
    sale.campus.advance(TimeDelta::minutes(2));
    sale.campus.tick().await;
    assert_eq!(states(&ben).await, ["valid"]);
    let all = sale.officer.get(&sale.of_club("tickets/")).await.ok();
    assert_eq!(
        (&all[0]["holder"], &all[0]["state"]),
        (&Value::Null, &json!("cancelled"))
    );
}

// proves Y12
#[tokio::test(start_paused = true)]
async fn holders_get_reminders_and_mails_of_changes() {
    let sale = Sale::new(seats(5), json!({ "location": "Hall" })).await;
    let ann = sale.campus.as_("ann");
    sale.order(&ann, 0, 2, false).await.created();
    let count = |subject: &str| {
        let mails = sale.campus.mails();
        mails.iter().filter(|mail| mail.subject == subject).count()
    };
    for n in 0..5 {
        let room = json!({ "location": format!("Room {n}") });
        sale.officer.patch(&sale.of_club(""), room).await.ok();
        sale.campus.tick().await;
        sale.campus.advance(TimeDelta::minutes(1));
    }
    assert_eq!(count("Another time or place: Party"), 3);
    sale.campus.advance(TimeDelta::hours(24));
    sale.campus.tick().await;
    assert_eq!(count("Another time or place: Party"), 4);
    assert_eq!(count("Tomorrow: Party"), 1);
    sale.campus.advance(TimeDelta::hours(1));
    sale.campus.tick().await;
    assert_eq!(count("Tomorrow: Party"), 1);
}

// proves Y7
#[tokio::test(start_paused = true)]
async fn tickets_end_with_their_club() {
    let sale = Sale::new(seats(5), json!({})).await;
    let ann = sale.campus.as_("ann");
    sale.order(&ann, 0, 1, false).await.created();
    sale.officer.delete("/api/clubs/chess/").await.no_content();
    assert_eq!(states(&ann).await, ["cancelled"]);
    sale.order(&ann, 0, 1, false).await.error(404);
    sale.campus.advance(TimeDelta::minutes(3));
    sale.campus.tick().await;
    sale.campus.tick().await;
    let mails = sale.campus.mails();
    let cancelled = mails
        .iter()
        .filter(|mail| mail.subject == "Your ticket was cancelled: Party");
    assert_eq!(cancelled.count(), 1);
    let back = json!({ "archived": false });
    sale.campus
        .admin()
        .patch("/api/clubs/chess/", back)
        .await
        .ok();
    assert_eq!(states(&ann).await, ["cancelled"]);
}

// proves Z6
#[tokio::test]
async fn tickets_are_among_the_changes() {
    let sale = Sale::new(seats(2), json!({})).await;
    let ann = sale.campus.as_("ann");
    sale.campus.as_("ben").get("/api/settings/").await.ok();
    let ordered = sale.order(&ann, 0, 1, false).await.created();
    let path = format!(
        "/api/tickets/{}/",
        ordered[0]["id"].as_str().unwrap_or_default()
    );
    let receiver = json!({ "username": "ben" });
    ann.post(&format!("{path}transfer/"), receiver).await.ok();
    let scan = json!({ "ticket": ordered[0]["id"] });
    sale.officer
        .post(&sale.of_club("checkins/"), scan)
        .await
        .ok();
    let id = ordered[0]["id"].as_str().unwrap_or_default();
    sale.officer
        .delete(&sale.of_club(&format!("tickets/{id}/")))
        .await
        .no_content();
    sale.campus.list_changes().await;
    let (all, _) = crate::changes::all(&sale.officer, "chess").await;
    let of_tickets = all.iter().filter(|one| one["object"]["type"] == "ticket");
    let types: Vec<&str> = of_tickets
        .map(|one| {
            assert_eq!(one["object"]["id"], ordered[0]["id"]);
            one["type"].as_str().unwrap_or_default()
        })
        .collect();
    let expected = [
        "ticket.taken",
        "ticket.transferred",
        "ticket.checked_in",
        "ticket.cancelled",
    ];
    assert_eq!(types, expected, "{all:?}");
}

// proves V21
#[tokio::test]
async fn the_personal_calendar_has_valid_tickets() {
    let sale = Sale::new(seats(1), json!({})).await;
    let (ann, ben) = (sale.campus.as_("ann"), sale.campus.as_("ben"));
    let entries = async |who: &Client| {
        let url = who.get("/api/settings/calendar/").await.ok()["url"].clone();
        let url = url.as_str().unwrap_or_default().to_owned();
        let path = url.find("/api/").map_or("", |at| &url[at..]).to_owned();
        sale.campus
            .anonymous()
            .get(&path)
            .await
            .text()
            .matches("SUMMARY:Party")
            .count()
    };
    sale.order(&ann, 0, 1, true).await.created();
    sale.order(&ben, 0, 1, true).await.created();
    assert_eq!((entries(&ann).await, entries(&ben).await), (1, 0));
    sale.officer
        .delete(&sale.of_club("?force=true"))
        .await
        .no_content();
    assert_eq!(entries(&ann).await, 0);
}

// In an earlier version who waited when it began kept others out.
// proves Y5
#[tokio::test]
async fn nobody_waits_after_the_start() {
    let sale = Sale::new(seats(1), json!({ "ticket_end_time": hours(49) })).await;
    let [ann, ben, cat] = ["ann", "ben", "cat"].map(|name| sale.campus.as_(name));
    let first = sale.order(&ann, 0, 1, true).await.created();
    sale.order(&ben, 0, 1, true).await.created();
    sale.campus.advance(TimeDelta::minutes(48 * 60 + 10));
    assert_eq!(states(&ben).await, ["cancelled"]);
    let id = first[0]["id"].as_str().unwrap_or_default();
    let path = sale.of_club(&format!("tickets/{id}/"));
    sale.officer.delete(&path).await.no_content();
    assert_eq!(sale.counts(0).await["sold_out"], false);
    assert_eq!(
        sale.order(&cat, 0, 1, true).await.created()[0]["state"],
        "valid"
    );
}
