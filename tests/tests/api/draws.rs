//! Draws, and who is drawn

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::hours;
use tests::{Client, TestCampus};

use crate::tickets::{Sale, seats, states};

/// Recomputes a draw as the guide says: the entries in their order, and who is drawn.
fn recomputed(draw: &Value) -> Vec<(String, bool)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let seed = text(&draw["seed"]);
    assert_eq!(draw["commitment"], shared::ids::sha256_hex(seed.as_bytes()));
    let mut entries: Vec<&Value> = draw["entries"].as_array().into_iter().flatten().collect();
    let hash = |entry: &Value| {
        shared::ids::sha256_hex(format!("{seed}:{}", text(&entry["entry"])).as_bytes())
    };
    entries.sort_by_key(|entry| hash(entry));
    let mut left = draw["places"][0]["capacity"].as_u64().unwrap_or_default();
    left -= draw["places"][0]["issued"].as_u64().unwrap_or_default();
    let result = |entry: &Value| {
        let count = entry["count"].as_u64().unwrap_or_default();
        let is_drawn = count <= left;
        left -= if is_drawn { count } else { 0 };
        (text(&entry["entry"]), is_drawn)
    };
    entries.into_iter().map(result).collect()
}

// proves Y14
#[tokio::test(start_paused = true)]
async fn everybody_can_recompute_a_draw() {
    let rules = json!({
        "ticket_sale": "draw", "ticket_drop_time": hours(-1), "ticket_draw_time": hours(2),
    });
    let sale = Sale::new(seats(5), rules).await;
    let draw = format!("/api/{}draw/", sale.showing);
    let names: Vec<String> = (0..9).map(|n| format!("p{n}")).collect();
    let people: Vec<Client> = names.iter().map(|name| sale.campus.as_(name)).collect();
    for (n, person) in (1..).zip(&people) {
        let ordered = sale.order(person, 0, 1 + n % 2, true).await.created();
        assert_eq!(ordered[0]["state"], "requested");
    }
    assert_eq!(sale.order(&people[0], 0, 1, true).await.refused(), "quota");
    // Who gives a ticket back before the draw takes part with the others.
    let own = people[8].get("/api/tickets/").await.ok();
    let path = format!(
        "/api/tickets/{}/",
        own[0]["id"].as_str().unwrap_or_default()
    );
    people[8].delete(&path).await.no_content();
    let anybody = sale.campus.anonymous();
    let before = anybody.get(&draw).await.ok();
    assert_eq!(
        (&before["seed"], &before["drawn_at"]),
        (&Value::Null, &Value::Null)
    );
    sale.campus.advance(TimeDelta::hours(2));
    let late = sale.order(&sale.campus.as_("late"), 0, 1, true).await;
    assert_eq!(late.header("retry-after"), "30");
    assert_eq!(late.refused(), "drawing");
    assert_eq!(people[0].delete(&path).await.status, 404);
    sale.campus.advance(TimeDelta::minutes(1));
    sale.campus.tick().await;
    let after = anybody.get(&draw).await.ok();
    assert_eq!(after["commitment"], before["commitment"]);
    let expected = recomputed(&after);
    let entries = after["entries"].as_array().expect("entries");
    let shown = entries.iter().map(|one| {
        let entry = one["entry"].as_str().unwrap_or_default().to_owned();
        (entry, one["drawn"] == true)
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    let first = anybody.get(&format!("{draw}?limit=3")).await;
    assert!(first.header("link").contains("rel=\"next\""));
    for person in &people {
        for ticket in person
            .get("/api/tickets/")
            .await
            .ok()
            .as_array()
            .into_iter()
            .flatten()
        {
            let (_, is_drawn) = expected
                .iter()
                .find(|(entry, _)| ticket["entry"] == **entry)
                .expect("an entry");
            let state = match ticket["state"].as_str() {
                Some("cancelled") => continue,
                state => state.unwrap_or_default().to_owned(),
            };
            assert_eq!(state, if *is_drawn { "valid" } else { "waiting" });
        }
    }
    assert!(sale.counts(0).await["taken"].as_u64() <= Some(5));
    // A second look changes nothing.
    sale.campus.advance(TimeDelta::minutes(2));
    sale.campus.tick().await;
    assert_eq!(anybody.get(&draw).await.ok(), after);
}

// In an earlier version such a draw was never held.
// proves Y14
#[tokio::test(start_paused = true)]
async fn draws_may_be_created_with_their_event() {
    let campus = TestCampus::new();
    let officer = campus.as_("oscar");
    campus.club("chess", &officer).await;
    let party = json!({ "name": "Party", "showings": [{
        "start_time": hours(48), "end_time": hours(50), "ticket_sale": "draw",
        "ticket_draw_time": hours(1), "ticket_types": [{ "name": "Seat", "capacity": 1 }],
    }] });
    let party = officer
        .post("/api/clubs/chess/events/", party)
        .await
        .created();
    let showing = format!(
        "events/{}/showings/{}/",
        party["id"], party["showings"][0]["id"]
    );
    let shown = officer.get(&format!("/api/{showing}")).await.ok();
    let sale = Sale {
        types: vec![shown["ticket_types"][0]["id"].clone()],
        campus,
        officer,
        showing,
    };
    let (ann, ben) = (sale.campus.as_("ann"), sale.campus.as_("ben"));
    sale.order(&ann, 0, 1, true).await.created();
    sale.order(&ben, 0, 1, true).await.created();
    sale.campus.advance(TimeDelta::minutes(61));
    // While it is held, and afterwards, nobody draws again.
    let later = json!({ "ticket_draw_time": hours(20) });
    let change = async || sale.officer.patch(&sale.of_club(""), later.clone()).await;
    assert_eq!(change().await.refused(), "drawing");
    sale.campus.tick().await;
    let mut both = [states(&ann).await, states(&ben).await].concat();
    both.sort();
    assert_eq!(both, ["valid", "waiting"]);
    assert_eq!(change().await.refused(), "in_use");
    assert_eq!(
        sale.order(&sale.campus.as_("cat"), 0, 1, true)
            .await
            .created()[0]["state"],
        "waiting"
    );
}
