//! Five hundred people choose a hundred places for interviews within ten seconds, while calls of
//! the table fail. Then whoever has a place wants another one, and all are taken.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use futures::StreamExt as _;
use futures::future::join_all;
use http::Method;
use serde_json::{Value, json};
use shared::time::{Clock as _, SystemClock};
use tests::fixtures::id;

use crate::burst::Tally;
use crate::caller::{Caller, caller};
use crate::checks::check_table;
use crate::{Cloud, Error};

/// Slots that are offered.
const SLOTS: usize = 10;
/// Students who submit at the same time.
const AT_ONCE: usize = 20;

#[derive(Debug, Clone, Copy)]
pub struct Choose {
    pub people: usize,
    pub places: usize,
    /// All people choose within this time.
    pub seconds: u64,
    /// How many of a thousand calls of the table fail.
    pub per_mille: u64,
}

/// A student and the path of the own interview.
struct Chooser {
    student: Caller,
    submission: u64,
}

impl Chooser {
    /// Asks for one slot after another, beginning with the `n`th. Returns the slot that was booked.
    async fn choose(&self, tally: &Tally, slots: &[u64], n: usize) -> Result<Option<u64>, Error> {
        let path = format!("/api/submissions/{}/interview/", self.submission);
        for tried in 0..slots.len() {
            let slot = slots[(n + tried) % slots.len()];
            let (key, body) = (format!("{n}-{tried}"), json!({ "slot": slot }));
            let answer = tally
                .persist(&self.student, &key, Method::PUT, &path, &body)
                .await?;
            if answer.status == 200 {
                return Ok(Some(slot));
            }
            if answer.json()["code"] != "slot_full" {
                return Err(format!("{path}: {} {}", answer.status, answer.text()).into());
            }
        }
        Ok(None)
    }

    /// The slot that the service shows.
    async fn shown(&self) -> Option<u64> {
        let path = format!("/api/submissions/{}/", self.submission);
        self.student.get(&path).await.ok()["interview"]["slot"]["id"].as_u64()
    }
}

/// Runs the story and prints a row of docs/reliability.md.
pub async fn run(cloud: &Cloud, choose: Choose) -> Result<(), Error> {
    let (ada, _) = caller(cloud, "ada", "ada@uni.example", "Ada Lovelace")?;
    let (path, slots) = offer(&ada, choose.places / SLOTS).await;
    let people = Box::pin(applicants(cloud, &path, choose.people)).await?;
    let ids: Vec<u64> = people.iter().map(|person| person.submission).collect();
    for ids in ids.chunks(100) {
        let invitation = json!({ "email_type": { "id": "interview" }, "submissions": ids });
        ada.post(&format!("{path}send_emails/"), invitation)
            .await
            .ok();
    }
    let (tally, began) = (Tally::default(), Instant::now());
    cloud.faults.hit(choose.per_mille);
    let told = people.iter().enumerate().map(async |(n, person)| {
        let at = choose.seconds * 1_000 * n as u64 / choose.people as u64;
        tokio::time::sleep(Duration::from_millis(at)).await;
        person.choose(&tally, &slots, n).await
    });
    let told: Vec<Option<u64>> = join_all(told).await.into_iter().collect::<Result<_, _>>()?;
    let seconds = began.elapsed().as_secs_f64();
    let booked = told.iter().flatten().count();
    // Whoever has a place asks for another one.
    let moved = people.iter().zip(&told).enumerate();
    let moved = moved.map(async |(n, (person, told))| match told {
        // The own slot is the last one that is tried, and booked already.
        Some(slot) => {
            let own = slots.iter().position(|one| one == slot).unwrap_or_default();
            let others: Vec<u64> = (1..=SLOTS).map(|m| slots[(own + m) % SLOTS]).collect();
            let moved = person.choose(&tally, &others, n * SLOTS);
            moved.await
        }
        None => Ok(None),
    });
    let moved: Vec<Option<u64>> = join_all(moved)
        .await
        .into_iter()
        .collect::<Result<_, _>>()?;
    // Late writes arrive now.
    tokio::time::sleep(Duration::from_secs(3)).await;
    cloud.faults.hit(0);
    let mut wrong = check_table(cloud).await?;
    for (person, moved) in people.iter().zip(&moved) {
        let shown = person.shown().await;
        if shown != *moved {
            wrong.push(format!("told {moved:?}, shown {shown:?}"));
        }
    }
    let seats = seats(&ada, &path).await;
    println!("| people | places | seconds | faults | sent again | booked | wrong |");
    println!(
        "| {} | {} | {seconds:.0} | {} | {} | {booked} | {} |",
        choose.people,
        choose.places,
        cloud.faults.count(),
        tally.sent_again(),
        wrong.len()
    );
    if booked != choose.places || seats != vec![choose.places / SLOTS; SLOTS] {
        wrong.push(format!("{booked} booked, {seats:?} in the slots"));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{wrong:?}").into())
    }
}

/// A club with an application and slots of so many places each.
async fn offer(ada: &Caller, capacity: usize) -> (String, Vec<u64>) {
    ada.post("/api/clubs/", json!({ "name": "Go" }))
        .await
        .created();
    let hours = |hours: i64| json!(SystemClock.now() + TimeDelta::hours(hours));
    let form = json!({
        "name": "Autumn",
        "is_active": true,
        "application_start_time": hours(-1),
        "application_end_time": hours(24),
        "result_release_time": hours(96),
    });
    let form = ada
        .post("/api/clubs/go/applications/", form)
        .await
        .created();
    let path = format!("/api/clubs/go/applications/{}/", id(&form));
    let mut slots = Vec::new();
    for begin in (48..).take(SLOTS) {
        let slot = json!({
            "start_time": hours(begin), "end_time": hours(begin + 1), "capacity": capacity,
        });
        let slot = ada.post(&format!("{path}slots/"), slot).await.created();
        slots.push(id(&slot));
    }
    (path, slots)
}

/// People who have submitted.
async fn applicants(cloud: &Cloud, path: &str, count: usize) -> Result<Vec<Chooser>, Error> {
    let submit = async |n: usize| -> Result<Chooser, Error> {
        let (name, email) = (format!("student{n}"), format!("student{n}@uni.example"));
        let (student, _) = caller(cloud, &name, &email, &format!("Student {n}"))?;
        let submissions = format!("{path}submissions/");
        let made = student.post(&submissions, json!({ "responses": [] })).await;
        let submission = id(&made.created());
        Ok(Chooser {
            student,
            submission,
        })
    };
    let mut people = Vec::new();
    let mut submitted = futures::stream::iter((0..count).map(submit)).buffered(AT_ONCE);
    while let Some(person) = submitted.next().await {
        people.push(person?);
    }
    Ok(people)
}

/// How many people each slot has, for the officer.
async fn seats(ada: &Caller, path: &str) -> Vec<usize> {
    let slots = ada.get(&format!("{path}slots/")).await.ok();
    let slots = slots.as_array().into_iter().flatten();
    slots
        .map(|slot: &Value| {
            let booked = slot["booked"].as_u64().unwrap_or_default();
            usize::try_from(booked).unwrap_or_default()
        })
        .collect()
}
