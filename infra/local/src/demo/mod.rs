//! The demo campus: the data of the local service after its first start.

mod catalogue;
mod events;
mod files;
mod interviews;
mod own;
mod people;
mod questions;
mod recruitment;
mod tickets;
mod webhooks;

use std::sync::atomic::{AtomicU64, Ordering};

use shared::db::TableError;
use shared::domain::{Role, ScheduledTask};
use shared::ids::Id;
use shared::text::{ClubCode, Email};
use shared::time::Timestamp;

use crate::issuer::Subject;
use crate::{Campus, Error};
use interviews::Interviews;
use recruitment::Recruitments;

pub use people::{admin, officer, student};

/// The people who get a token when the service starts: role and person.
pub fn personas() -> [(&'static str, Subject); 3] {
    [
        ("admin", admin()),
        ("officer", officer()),
        ("student", student()),
    ]
}

/// The drawn pictures by name: the logo of a club by its code, and its flyer with `-event`.
const PICTURES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/pictures.rs"));

/// A picture of the demo campus, as PNG.
fn picture(name: &str) -> Option<&'static [u8]> {
    let found = PICTURES.iter().find(|(other, _)| *other == name)?;
    Some(found.1)
}

/// Whether the table is empty.
pub async fn matches(campus: &Campus) -> Result<bool, TableError> {
    Ok(campus.app.table.versions().await?.is_empty())
}

/// Stores the demo campus.
pub async fn load(campus: &Campus) -> Result<(), Error> {
    let table = &campus.app.table;
    let now = campus.app.now();
    let numbers = Numbers::default();
    let mut people = people::people(now);
    let (mut clubs, members) = people::clubs(&people, now);
    let collections = catalogue::collections(&numbers, &mut people, &mut clubs, now);
    for owner in members.iter().filter(|member| member.role == Role::Owner) {
        people
            .iter_mut()
            .filter(|person| person.id == owner.person)
            .for_each(|person| person.clubs_owned += 1);
    }
    table.load_people(&people).await?;
    collections.load(&campus.app).await?;
    catalogue::logos(&campus.app, &mut clubs).await?;
    let mut recruitment = recruitment::recruitments(&numbers, &people, &mut clubs, now);
    let mut interviews = interviews::interviews(&numbers, &mut recruitment, &members, now);
    let own = own::load(campus, &mut clubs, &recruitment, &mut interviews, now);
    let mut events = events::events(&numbers, now);
    let secret = &campus.app.settings.secrets.invite;
    let tickets = tickets::sell(&numbers, &mut events, &people, (secret, now));
    for event in &events {
        clubs
            .iter_mut()
            .filter(|club| club.code == event.club)
            .for_each(|club| club.events += 1);
    }
    table.load_clubs(&clubs).await?;
    table.load(&members).await?;
    let (requests, invites) = people::asking(&people, &members, now);
    table.load(&requests).await?;
    table.load(&invites).await?;
    table.load(&recruitment.applications).await?;
    table.load(&recruitment.texts).await?;
    table.load(&recruitment.questions).await?;
    table.load(&recruitment.prompts).await?;
    table.load_answered(&recruitment.submissions).await?;
    files::load(campus, &recruitment.submissions).await?;
    table.load(&recruitment.changes).await?;
    table.load(&recruitment.reviews).await?;
    table.load(&interviews.slots).await?;
    table.load(&interviews.notes).await?;
    table.load(&interviews.bookings).await?;
    table.load(&interviews.own).await?;
    table
        .load(&scheduled_tasks(&recruitment, &interviews, now))
        .await?;
    own.await?;
    table.load_events(&events).await?;
    tickets.load(table, now).await?;
    events::flyers(&campus.app, &events).await
}

/// What the timer has to know.
fn scheduled_tasks(
    recruitments: &Recruitments,
    interviews: &Interviews,
    now: Timestamp,
) -> Vec<ScheduledTask> {
    let applications = recruitments.applications.iter();
    let slots = interviews.slots.iter();
    let drafts = applications.filter_map(|application| application.scheduled_task(now));
    drafts
        .chain(slots.filter_map(|slot| slot.scheduled_task(now)))
        .collect()
}

/// The ids of the demo campus: small numbers that are the same on every start, so that the examples
/// of the OpenAPI document can be tried at once.
struct Numbers(AtomicU64);

impl Default for Numbers {
    fn default() -> Self {
        Self(AtomicU64::new(100))
    }
}

impl Numbers {
    fn next<T>(&self) -> Id<T> {
        Id::new(self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

fn subject(username: &str, name: &str) -> Subject {
    Subject {
        username: username.into(),
        email: Some(format!("{username}@uni.example")),
        name: Some(name.into()),
        ..Subject::default()
    }
}

/// The code of a club of the demo campus.
fn code(text: &str) -> ClubCode {
    ClubCode::parse(text).unwrap_or_default()
}

/// An address of the demo campus.
fn email(text: &str) -> Email {
    Email::parse(text).unwrap_or_default()
}
