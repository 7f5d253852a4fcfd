//! `clubs-admin erase`: erases somebody who cannot sign in any more (P20).

use shared::db::{Table, TableError};
use shared::domain::{ERASURE_BEGINS_AFTER, OnlyOwner, Person};
use shared::ids;
use shared::text::Email;
use shared::time::{Clock, Timestamp};

/// The end of an erasure.
#[derive(Debug, PartialEq, Eq)]
pub enum Erased {
    /// The person with this id is erased.
    Done(u64),
    /// Nobody has this id, user name or address.
    Nobody,
    /// Several people have it; these are their ids.
    Several(Vec<u64>),
    /// The person is the only owner of the clubs with these codes.
    OnlyOwner(Vec<String>),
}

/// Erases the person with this id, user name or address, as `DELETE /settings/` does. With
/// `archive`, the clubs that nobody else owns are archived first.
pub async fn erase(
    table: &Table,
    who: &str,
    archive: bool,
    clock: &dyn Clock,
) -> Result<Erased, TableError> {
    let found = people(table, who).await?;
    let person = match &found[..] {
        [] => return Ok(Erased::Nobody),
        [person] => person,
        several => {
            return Ok(Erased::Several(
                several.iter().map(|one| one.id.get()).collect(),
            ));
        }
    };
    let begun = table.begin_erasure(person, archive, Timestamp::at(clock.now()));
    if let Err(OnlyOwner(clubs)) = begun.await? {
        let codes = clubs.iter().map(|club| club.code.to_string());
        return Ok(Erased::OnlyOwner(codes.collect()));
    }
    // The timer does it, too. This way it is known when it is done.
    let pause = ERASURE_BEGINS_AFTER.to_std().unwrap_or_default();
    tokio::time::sleep(pause).await;
    let of = (person.id, person.created_at);
    table.erase(of, clock.now()).await?;
    Ok(Erased::Done(person.id.get()))
}

async fn people(table: &Table, who: &str) -> Result<Vec<Person>, TableError> {
    let mut called = table.people_called(who).await?;
    if let Some(id) = ids::parse(who) {
        // User names may be numbers, too.
        let other = table.person(id).await?;
        called.extend(other.filter(|one| called.iter().all(|called| called.id != one.id)));
        return Ok(called);
    }
    let email = Email::parse(who).filter(|_| called.is_empty());
    let Some(email) = email else {
        return Ok(called);
    };
    let at = table.people_at(&email).await?;
    Ok(table.people(at).await?.into_values().collect())
}
