//! Prices of interviews with many slots and many bookings.

use serde_json::{Value, json};
use shared::db::usage::metered;
use tests::Client;
use tests::fixtures::{Recruitment, hours, id};
use tests::reports::reports_of;

use super::costs_rig::{Prices, Row, Witness};

/// Somebody who is invited: their client and `/api/submissions/…/`.
async fn invited(p: &Prices, drive: &Recruitment, name: &str) -> (Client, String) {
    let client = p.campus.as_(name);
    let submission = drive.submit(&client).await;
    let chosen = json!({ "submissions": [id(&submission)] });
    drive.send("interview", chosen).await.ok();
    (client, format!("/api/submissions/{}/", id(&submission)))
}

/// Rows of the last of 50 places in each of two slots. The first one is full afterwards.
async fn last_place(p: &mut Prices, drive: &Recruitment, slots: [u64; 2]) {
    for n in 0..49 {
        for slot in slots {
            let (client, own) = invited(p, drive, &format!("p{n}of{slot}")).await;
            let interview = format!("{own}interview/");
            client.put(&interview, json!({ "slot": slot })).await.ok();
        }
    }
    let (tom, own) = invited(p, drive, "tom").await;
    tom.get(&format!("{own}slots/")).await.ok();
    let interview = format!("{own}interview/");
    let notes = [
        "the last of 50 places",
        "moved to the last of 50 places, from a full slot",
    ];
    for (slot, note) in slots.into_iter().zip(notes) {
        let book = json!({ "slot": slot });
        p.row("book_interview", note, &tom, &interview, book).await;
    }
    tom.put(&interview, json!({ "slot": slots[0] })).await.ok();
}

/// The row of a report that a rejection arrived, of which the worker does not know, while an
/// interview is booked.
async fn report(p: &mut Prices, drive: &Recruitment, own: &str) {
    let number = own.rsplit('/').find(|part| !part.is_empty());
    let one = format!("{}submissions/{}/", drive.path, number.unwrap_or_default());
    let rejected = json!({ "status": 2 });
    drive.officer.patch(&one, rejected).await.ok();
    drive.send("rejection", json!({})).await.ok();
    let events = reports_of(&p.campus, "rejection", tests::start());
    p.serving(Some("MailReports"));
    let ((), usage) = Box::pin(metered(p.campus.reported(&events[0]))).await;
    p.serving(None);
    p.add("(mail report)", "an interview ends", usage, 4);
}

/// Rows of an application with 100 slots, one of which has 50 bookings.
pub(super) async fn interviews(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let drive = p.campus.drive("chess").await;
    let path = format!("{}slots/", drive.path);
    let series = json!({
        "start_time": hours(100), "end_time": hours(120), "minutes": 12, "capacity": 50,
        "location": "Room 1",
    });
    let made = format!("{path}series/");
    p.row("create_slots", "100 slots", &drive.officer, &made, series)
        .await;
    let slots = drive.officer.get(&path).await.ok();
    let slots: Vec<Value> = slots.as_array().cloned().unwrap_or_default();
    let (full, free) = (id(&slots[0]), id(&slots[50]));
    last_place(&mut p, &drive, [full, id(&slots[99])]).await;
    let (sue, own) = invited(&p, &drive, "sue").await;
    let listed = format!("{own}slots/");
    p.row(
        "list_free_slots",
        "100 slots, 99 bookings",
        &sue,
        &listed,
        Value::Null,
    )
    .await;
    let interview = format!("{own}interview/");
    let book = json!({ "slot": free });
    p.row(
        "book_interview",
        "a slot of 100 that was listed",
        &sue,
        &interview,
        book,
    )
    .await;
    let move_to = json!({ "slot": id(&slots[60]) });
    p.row("book_interview", "moved", &sue, &interview, move_to)
        .await;
    let other = p.campus.drive("go").await;
    let body = json!({ "start_time": hours(200), "end_time": hours(201) });
    let slots_of_other = format!("{}slots/", other.path);
    let slot = other.officer.post(&slots_of_other, body).await.created();
    let submission = other.submit(&sue).await;
    let chosen = json!({ "submissions": [id(&submission)] });
    other.send("interview", chosen).await.ok();
    let second = format!("/api/submissions/{}/interview/", id(&submission));
    let note = "another interview is booked, and the slot was not listed";
    let book = json!({ "slot": id(&slot) });
    p.row("book_interview", note, &sue, &second, book.clone())
        .await;
    p.row("cancel_interview", "seen", &sue, &second, Value::Null)
        .await;
    let listed = format!("/api/submissions/{}/slots/", id(&submission));
    sue.get(&listed).await.ok();
    let note = "another interview is booked, and the slot was listed";
    p.row("book_interview", note, &sue, &second, book).await;
    let note = "100 slots, 99 bookings";
    p.get("list_slots", note, &drive.officer, &path).await;
    let one = format!("{path}{full}/");
    let change = json!({ "location": "Room 2" });
    p.row(
        "update_slot",
        "another place, 50 bookings",
        &drive.officer,
        &one,
        change,
    )
    .await;
    report(&mut p, &drive, &own).await;
    p.rows
}
