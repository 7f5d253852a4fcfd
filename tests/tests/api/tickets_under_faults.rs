//! Tickets on a table that fails at random, with requests that are killed between two calls: in the
//! end no place is empty while somebody waits, nobody was passed over, and all counts are right

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use http::Method;
use proptest::prelude::*;
use serde_json::{Value, json};
use tests::faults::Faults;
use tests::recount::recount;
use tests::{Client, Setup};
use tokio::sync::Notify;

use crate::faults::persist;
use crate::tickets::{Sale, seats};

/// So many of a thousand calls get a fault.
const RATE: u64 = 200;
/// A person has at most so many tickets.
const LIMIT: u64 = 3;

/// What somebody does, and after how many calls of the table the request is killed; 0 for never.
#[derive(Debug, Clone)]
struct Step {
    what: u8,
    who: usize,
    number: u64,
    killed_after: u64,
    is_repeated: bool,
}

/// A seed, what people do, and who gives a ticket back at the end, after how many calls killed.
fn steps() -> impl Strategy<Value = (u64, Vec<Step>, (usize, u64))> {
    let step = (0u8..7, 0usize..5, 1u64..4, 0u64..16, any::<bool>());
    let step = step.prop_map(|(what, who, number, killed_after, is_repeated)| Step {
        what,
        who,
        number,
        killed_after: if killed_after > 10 { 0 } else { killed_after },
        is_repeated,
    });
    let steps = proptest::collection::vec(step, 4..16);
    (0u64..1_000_000, steps, (0usize..5, 8u64..20))
}

/// A request, with its method, path and body.
type Planned = (Client, Method, String, Value);

/// What a step asks for; none if there is nothing to give back.
async fn planned(sale: &Sale, step: &Step) -> Option<Planned> {
    let person = sale
        .campus
        .as_(["ann", "ben", "cat", "dan", "eve"][step.who]);
    let own = async || {
        let all = person.get("/api/tickets/").await.ok();
        let kept = |one: &&Value| one["state"] == "valid" || one["state"] == "waiting";
        all.as_array()?.iter().find(kept)?["id"]
            .as_str()
            .map(str::to_owned)
    };
    Some(match step.what {
        0..=3 => {
            let order = json!({
                "tickets": [{ "type": sale.types[0], "count": step.number }],
                "wait": step.what != 3,
            });
            let path = format!("/api/{}tickets/", sale.showing);
            (person, Method::POST, path, order)
        }
        4 => {
            let path = format!("/api/tickets/{}/", own().await?);
            (person, Method::DELETE, path, Value::Null)
        }
        5 => {
            let path = sale.of_club(&format!("tickets/{}/", own().await?));
            (sale.officer.clone(), Method::DELETE, path, Value::Null)
        }
        _ => {
            let capacity = step.number * 2;
            let types = json!([{ "id": sale.types[0], "name": "Seat", "capacity": capacity }]);
            let body = json!({ "ticket_types": types });
            (sale.officer.clone(), Method::PATCH, sale.of_club(""), body)
        }
    })
}

/// Does a step. A request that is killed may be sent again, with its key.
async fn take(sale: &Sale, faults: &Faults, killed: &Notify, (n, step): (usize, &Step)) {
    let Some((client, method, path, body)) = planned(sale, step).await else {
        return;
    };
    let key = format!("step{n}");
    faults.hit(RATE);
    if step.killed_after > 0 {
        faults.kill_after(step.killed_after);
    }
    let is_killed = tokio::select! {
        _ = persist(&client, &key, method.clone(), &path, &body) => false,
        () = killed.notified() => true,
    };
    faults.kill_after(0);
    if is_killed {
        // What was on its way arrives, and another attempt may take its place.
        tokio::time::sleep(Duration::from_secs(15)).await;
        sale.campus.advance(TimeDelta::seconds(15));
        if step.is_repeated {
            persist(&client, &key, method, &path, &body).await;
        }
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    faults.hit(0);
}

/// How many tickets there are in a state.
fn count(all: &[Value], state: &str) -> u64 {
    all.iter().filter(|one| one["state"] == state).count() as u64
}

async fn check(sale: &Sale, context: &str) {
    let all = sale.officer.get(&sale.of_club("tickets/")).await.ok();
    let all = all.as_array().cloned().unwrap_or_default();
    let counts = sale.counts(0).await;
    let (valid, waiting) = (count(&all, "valid"), count(&all, "waiting"));
    let capacity = counts["capacity"].as_u64().unwrap_or_default();
    assert!(valid <= capacity, "{context}: {valid} of {capacity}");
    assert_eq!(
        (&counts["taken"], &counts["waiting"]),
        (&json!(valid), &json!(waiting)),
        "{context}"
    );
    assert!(
        waiting == 0 || valid == capacity,
        "{context}: {waiting} wait, but {valid} of {capacity} are taken"
    );
    let times = |state: &str| {
        let of_state = all.iter().filter(|one| one["state"] == state);
        let times = of_state.map(|one| one["created_at"].as_str().unwrap_or_default().to_owned());
        times.collect::<Vec<_>>()
    };
    let (last, first) = (
        times("valid").into_iter().max(),
        times("waiting").into_iter().min(),
    );
    if let Some((last, first)) = last.zip(first) {
        assert!(
            last <= first,
            "{context}: who waits since {first} was passed over"
        );
    }
    let mut people: BTreeMap<String, u64> = BTreeMap::new();
    for one in &all {
        if one["state"] == "valid" || one["state"] == "waiting" {
            *people
                .entry(one["holder"]["username"].to_string())
                .or_default() += 1;
        }
    }
    assert!(
        people.values().all(|n| *n <= LIMIT),
        "{context}: {people:?}"
    );
    assert_eq!(recount(&sale.campus), [""; 0], "{context}");
}

async fn tried(seed: u64, mut steps: Vec<Step>, (who, killed_after): (usize, u64)) {
    let (faults, killed) = (Faults::new(seed), Arc::new(Notify::new()));
    let kill = killed.clone();
    faults.killed_by(move || kill.notify_waiters());
    let campus = Setup::default().hook(faults.hook()).build();
    let sale = Sale::on(campus, seats(2), json!({ "ticket_order_limit": LIMIT })).await;
    // Everybody wants more than there are, and the last one is killed while others wait.
    let all_order = (0..5).map(|who| Step {
        what: 0,
        who,
        number: 2,
        killed_after: 0,
        is_repeated: false,
    });
    steps.extend(all_order);
    let last_step = steps.len();
    steps.push(Step {
        what: 4,
        who,
        number: 1,
        killed_after,
        is_repeated: false,
    });
    for (n, step) in steps.iter().enumerate() {
        sale.campus.advance(TimeDelta::seconds(2));
        if n == last_step {
            // Nothing that was filed before is left.
            sale.campus.advance(TimeDelta::minutes(3));
            sale.campus.tick().await;
        }
        take(&sale, &faults, &killed, (n, step)).await;
    }
    // What failed is done within a minute.
    for _ in 0..3 {
        sale.campus.advance(TimeDelta::minutes(1));
        sale.campus.tick().await;
    }
    check(&sale, &format!("{faults:?}")).await;
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 12,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    // proves Y3, Y4, Y5
    #[test]
    fn who_waits_gets_what_becomes_free((seed, steps, last) in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .expect("a runtime");
        runtime.block_on(tried(seed, steps, last));
    }
}
