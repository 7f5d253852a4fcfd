//! Interviews and their reminders on a table that fails at random: no slot has more bookings than
//! places, everybody is told the truth, and everybody who has booked is reminded once

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::TimeDelta;
use futures::future::join_all;
use http::Method;
use serde_json::{Value, json};
use tests::Client;
use tests::recount::recount;

use crate::faults::{RATE, campus, persist, seeds};
use crate::interview_races::{crowd, slots};
use crate::notices::notices;
use crate::slots::slot;

/// Tries all slots, beginning with the `n`th. Returns the one that was booked.
async fn choose(client: &Client, path: &str, all: &[Value], n: usize, step: &str) -> Option<Value> {
    for tried in 0..all.len() {
        let slot = &all[(n + tried) % all.len()]["id"];
        let (key, body) = (format!("{step}{tried}"), json!({ "slot": slot }));
        let response = persist(client, &key, Method::PUT, path, &body).await;
        if response.status == 200 {
            return Some(slot.clone());
        }
        assert_eq!(response.json()["code"], "slot_full", "{}", response.text());
    }
    None
}

/// One person books, and perhaps moves or cancels. Returns the slot that was told last.
async fn week(client: &Client, path: &str, all: &[Value], n: usize) -> Option<Value> {
    let booked = choose(client, path, all, n, "book").await?;
    if n.is_multiple_of(3) {
        return choose(client, path, all, n + 1, "move").await;
    }
    if n.is_multiple_of(4) {
        let deleted = persist(client, "cancel", Method::DELETE, path, &Value::Null).await;
        // 404: an earlier try cancelled it, and its answer was lost.
        assert!(
            matches!(deleted.status.as_u16(), 204 | 404),
            "{}",
            deleted.text()
        );
        return None;
    }
    Some(booked)
}

// proves K7, X16, G5
#[tokio::test(start_paused = true)]
async fn interviews_on_failing_table_have_one_booking_and_one_reminder() {
    for seed in seeds() {
        let (campus, faults) = campus(seed + 4_000);
        let (recruitment, people) = crowd(&campus, 18).await;
        for n in 0..4 {
            let mut body = slot(60 + n);
            body["capacity"] = json!(3);
            let path = format!("{}slots/", recruitment.path);
            recruitment.officer.post(&path, body).await.created();
        }
        campus.deliver().await;
        let all = slots(&recruitment).await;
        faults.hit(RATE);
        let notified = people.iter().enumerate();
        let notified = notified.map(|(n, (client, path))| week(client, path, &all, n));
        let notified = join_all(notified).await;
        // Late writes arrive now.
        tokio::time::sleep(Duration::from_secs(5)).await;
        faults.hit(0);
        let mut seats: BTreeMap<u64, u64> = BTreeMap::new();
        for ((client, path), notified) in people.iter().zip(&notified) {
            let own = path.trim_end_matches("interview/");
            let shown = client.get(own).await.ok()["interview"]["slot"]["id"].as_u64();
            assert_eq!(
                shown,
                notified.as_ref().and_then(Value::as_u64),
                "{faults:?}"
            );
            if let Some(slot) = shown {
                *seats.entry(slot).or_default() += 1;
            }
        }
        for slot in slots(&recruitment).await {
            let count = slot["id"].as_u64().and_then(|id| seats.get(&id));
            let count = count.copied().unwrap_or_default();
            assert_eq!(slot["booked"], count, "{faults:?}");
            assert!(count <= 3, "{faults:?}: {slot}");
        }
        campus.deliver().await;
        assert_eq!(recount(&campus), [""; 0], "{faults:?}");

        // A day before the interviews, two timers run at once until both come to their end.
        campus.advance(TimeDelta::hours(40));
        faults.hit(RATE);
        let ticker = &campus.campus.ticker;
        for _ in 0..20 {
            let (first, second) = futures::join!(ticker.tick(), ticker.tick());
            if first.is_ok() && second.is_ok() {
                break;
            }
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
        faults.hit(0);
        campus.tick().await;
        let reminders = notices(&campus).len();
        assert!(faults.count() > 50, "{faults:?}");
        assert_eq!(reminders as u64, seats.values().sum::<u64>(), "{faults:?}");
        assert_eq!(recount(&campus), [""; 0], "{faults:?}");
    }
}
