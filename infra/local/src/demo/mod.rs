//! The demo campus: what a new user finds at the first start.

mod events;
mod people;
mod recruitment;

use shared::models::Person;
use shared::table::TableError;

use crate::issuer::Subject;
use crate::{Campus, Error};

pub use people::{admin, officer, student};

/// Whether nothing is stored yet.
pub async fn is_wanted(campus: &Campus) -> Result<bool, TableError> {
    Ok(campus.app.table.all_clubs().await?.is_empty())
}

/// Stores the demo campus.
pub async fn load(campus: &Campus) -> Result<(), Error> {
    let table = &campus.app.table;
    let now = campus.app.now();
    let people = people::people(now);
    table.load(&people).await?;
    table.load(&people.iter().flat_map(Person::words).collect::<Vec<_>>()).await?;
    table.load(&people.iter().filter_map(Person::address).collect::<Vec<_>>()).await?;
    let (mut clubs, members) = people::clubs(&people, now);
    let drive = recruitment::drives(&campus.app, &people, &mut clubs, now);
    table.load(&clubs).await?;
    table.load(&members).await?;
    let (requests, invites) = people::asking(&people, &members, now);
    table.load(&requests).await?;
    table.load(&invites).await?;
    table.load(&drive.applications).await?;
    table.load(&drive.questions).await?;
    table.load(&drive.prompts).await?;
    table.load(&drive.submissions).await?;
    table.load(&drive.changes).await?;
    let events = events::events(&campus.app, now);
    table.load_events(&events).await?;
    events::flyers(&campus.app, &events).await
}

fn subject(username: &str, name: &str) -> Subject {
    Subject { username: username.into(), email: Some(format!("{username}@uni.example")), name: Some(name.into()), ..Subject::default() }
}
