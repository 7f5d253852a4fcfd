//! Prices of the calendars of people with many interviews.

use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::scene::calendar_of;
use tests::{Client, TestCampus};

use super::costs_changes::list;
use super::costs_rig::{Prices, Row, Witness};

/// Books an interview with a club that has a hundred slots, and returns the path of the interview.
async fn book(
    campus: &TestCampus,
    sue: &Client,
    (club, day): (&str, i64),
    interviewers: &Value,
) -> String {
    let drive = campus.drive(club).await;
    let path = format!("{}slots/series/", drive.path);
    let series = json!({
        "start_time": hours(24 * day), "end_time": hours(24 * day + 20), "minutes": 12,
        "interviewers": interviewers,
    });
    let made = drive.officer.post(&path, series).await.created();
    let submission = drive.submit(sue).await;
    let chosen = json!({ "submissions": [id(&submission)] });
    drive.send("interview", chosen).await.ok();
    let interview = format!("/api/submissions/{}/interview/", id(&submission));
    let slot = json!({ "slot": id(&made[0]) });
    sue.put(&interview, slot).await.ok();
    interview
}

/// Rows of the calendar of somebody, and of the same once more.
async fn twice(p: &mut Prices, person: &Client, notes: [&'static str; 2]) {
    let address = calendar_of(person).await;
    let path = format!("/api/calendars/{}", address.as_str().unwrap_or_default());
    p.get("show_own_calendar", notes[0], &p.campus.anonymous(), &path)
        .await;
    let tag = p.campus.anonymous().get(&path).await;
    let tag = tag.header("etag").to_owned();
    let caller = p.campus.anonymous().header("if-none-match", tag);
    p.get("show_own_calendar", notes[1], &caller, &path).await;
}

/// Rows of calendars, and of the marks that tell of changes.
pub(super) async fn calendars(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let (sue, ada) = (p.campus.as_("sue"), p.campus.as_("ada"));
    let holds = json!([id(&ada.get("/api/settings/").await.ok())]);
    let mut paths = vec![];
    for place in ["chess", "go", "rowing", "debate", "film"]
        .into_iter()
        .zip(4..)
    {
        let holds = if place.0 == "chess" {
            holds.clone()
        } else {
            json!([])
        };
        paths.push(book(&p.campus, &sue, place, &holds).await);
    }
    p.campus.list_changes().await;
    let notes = ["5 booked interviews", "5 booked interviews, unchanged"];
    twice(&mut p, &sue, notes).await;
    let notes = [
        "interviews that the person holds, of 100 slots",
        "interviews that the person holds, of 100 slots, unchanged",
    ];
    twice(&mut p, &ada, notes).await;
    sue.delete(&paths[0]).await.no_content();
    list(&mut p, "a slot lost its last booking, 1 interviewer").await;
    p.rows
}
