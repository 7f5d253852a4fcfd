//! Prices of the timer for reminders and news.

use chrono::TimeDelta;
use serde_json::json;
use shared::db::usage::metered;
use tests::fixtures::{hours, id};

use super::costs_rig::{Prices, Row, Witness, timed};

/// A row of one run of the timer.
async fn run(p: &mut Prices, note: &'static str, mails: usize) {
    p.serving(Some("Notices"));
    let ticker = &p.campus.campus.ticker;
    let ((worked, usage), rounds) = timed(Box::pin(metered(ticker.tick()))).await;
    p.serving(None);
    assert_eq!(worked.expect("a table").mails, mails, "{note}");
    p.add("(timer)", note, usage, rounds);
    p.campus.deliver().await;
}

/// Rows of a quiet run, and of runs with something to do.
pub(super) async fn notices(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let drive = p.campus.drive("chess").await;
    let times = json!({
        "application_end_time": hours(95), "result_release_time": hours(200)
    });
    drive.officer.patch(&drive.path, times).await.ok();
    p.campus.tick().await;
    run(&mut p, "nothing is due", 0).await;
    let slot = json!({
        "start_time": hours(40), "end_time": hours(41), "capacity": 50, "location": "Room 1",
    });
    let slots = format!("{}slots/", drive.path);
    let slot = drive.officer.post(&slots, slot).await.created();
    for n in 0..10 {
        let client = p.campus.as_(&format!("p{n}"));
        let submission = drive.submit(&client).await;
        let chosen = json!({ "submissions": [id(&submission)] });
        drive.send("interview", chosen).await.ok();
        let own = format!("/api/submissions/{}/interview/", id(&submission));
        client.put(&own, json!({ "slot": id(&slot) })).await.ok();
        let answer = json!({ "question": drive.question, "text": "One", "version": 0 });
        let writer = p.campus.as_(&format!("w{n}"));
        let draft = format!("{}draft/", drive.path);
        let body = json!({ "responses": [answer] });
        writer.patch(&draft, body).await.ok();
    }
    p.campus.deliver().await;
    p.campus.advance(TimeDelta::hours(16));
    run(&mut p, "10 reminders of interviews", 10).await;
    let sue = p.campus.as_("sue");
    let weekly = json!({ "notices": { "news": "weekly" } });
    sue.patch("/api/settings/", weekly).await.ok();
    let admin = p.campus.admin();
    for n in 0..20 {
        let club = p.campus.club(&format!("c{n}"), &admin).await;
        let follows = json!({ "club": club });
        sue.post("/api/subscriptions/", follows).await.created();
        let showing = json!({ "start_time": hours(100), "end_time": hours(101) });
        let event = json!({ "name": "Evening", "showings": [showing] });
        let events = format!("/api/clubs/{club}/events/");
        admin.post(&events, event).await.created();
    }
    p.campus.tick().await;
    p.campus.advance(TimeDelta::hours(32));
    run(&mut p, "news of 20 clubs for somebody", 1).await;
    p.campus.advance(TimeDelta::hours(24));
    run(&mut p, "10 reminders of drafts", 10).await;
    p.rows
}
