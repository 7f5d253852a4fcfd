//! The beginning of an erasure: nobody finds the person any more, and nothing more is stored of
//! them.

use crate::db;
use chrono::TimeDelta;

use crate::db::{Entity as _, Refusal, Table, TableError, Write};
use crate::domain::club::model::Club;
use crate::domain::member::model::{Membership, Role};
use crate::domain::person::model::Person;
use crate::ids::{Id, of};
use crate::time::Timestamp;

/// Why a person cannot be erased: these clubs would have no owner.
#[derive(Debug, Clone)]
pub struct OnlyOwner(pub Vec<Club>);

/// The job begins after this time. By then the index shows what was written before, and most
/// requests that were running have ended.
pub const ERASURE_BEGINS_AFTER: TimeDelta = TimeDelta::seconds(5);

impl Table {
    /// Begins the erasure of a person: they leave the clubs that they own, and their profile is
    /// flagged. From then on nobody finds them, and nothing more is stored of them. The timer does
    /// the rest ([`Table::erase`]).
    ///
    /// Refused while the person is the only owner of a club that is not archived. With `archive`,
    /// these clubs are archived first (P16).
    pub async fn begin_erasure(
        &self,
        person: &Person,
        archive: bool,
        now: Timestamp,
    ) -> Result<Result<(), OnlyOwner>, TableError> {
        let (mut person, mut retries, mut wrote) = (person.clone(), self.retries(), false);
        loop {
            let step = async {
                retries.next().await?;
                self.begin_once(&person, archive, now, &mut wrote).await
            };
            let left = step.await;
            let left = left.map_err(|error| if wrote { error.after_write() } else { error })?;
            match left {
                Begun::Done => return Ok(Ok(())),
                Begun::Refused(clubs) => return Ok(Err(OnlyOwner(clubs))),
                Begun::Changed => {}
            }
            match self.person(person.id).await? {
                Some(stored) if stored.created_at == person.created_at && !stored.erasing => {
                    person = stored;
                }
                // Somebody else began it, or it is over and the person came back.
                _ => return Ok(Ok(())),
            }
        }
    }

    async fn begin_once(
        &self,
        person: &Person,
        archive: bool,
        now: Timestamp,
        wrote: &mut bool,
    ) -> Result<Begun, TableError> {
        let owned = self.owned_clubs(person.id).await?;
        // Only now: what was read before is of this profile, and not of one that came back.
        let stored = self.person(person.id).await?;
        let is_same = |stored: &Person| stored.created_at == person.created_at && !stored.erasing;
        if !stored.as_ref().is_some_and(is_same) {
            return Ok(Begun::Changed);
        }
        let codes: Vec<_> = owned.iter().map(|one| one.club.clone()).collect();
        let clubs = self.clubs(&codes).await?.into_values();
        let alone: Vec<Club> = clubs
            .filter(|club| club.owners <= 1 && !club.archived)
            .collect();
        if !alone.is_empty() && !archive {
            return Ok(Begun::Refused(alone));
        }
        for club in alone {
            match self.archive_club(&club, now).await {
                Err(TableError::Refused(_)) => return Ok(Begun::Changed),
                done => done?,
            }
            *wrote = true;
        }
        for membership in owned {
            match self.erase_member(&membership).await {
                // Another owner left at the same moment, or it was changed: it is read again.
                Err(TableError::Refused(_)) => return Ok(Begun::Changed),
                done => done?,
            }
            *wrote = true;
        }
        match self.flag_erasing(person, now).await {
            Err(TableError::Refused(_)) => Ok(Begun::Changed),
            done => done.map(|()| Begun::Done),
        }
    }

    /// Flags a profile as being erased, removes what it is found by, and tells the timer: 1
    /// transaction. Refused if the profile has changed, or the person owns a club.
    async fn flag_erasing(&self, person: &Person, now: Timestamp) -> Result<(), TableError> {
        let flag = Write::update(person.key())
            .set("erasing", &true)
            .remove(db::keys::GSI1PK)
            .remove(db::keys::GSI1SK)
            .if_equals("created_at", &person.created_at)
            .if_equals("personal", &person.personal)
            .if_at_most("clubs_owned", &0)
            .if_equals("erasing", &false)
            .or(Refusal::Changed);
        let task = Write::put(&person.erasure_task(now.plus(ERASURE_BEGINS_AFTER), now))?;
        let entries = person.entry_keys().into_iter().map(Write::delete);
        let writes = [flag, task].into_iter().chain(entries);
        // The token of a transaction makes a late repeat harmless, which could otherwise lock out
        // somebody who came back.
        self.transact(writes.collect()).await
    }

    /// Returns the memberships of a person as an owner. The index may be behind, so their number is
    /// compared with the profile.
    async fn owned_clubs(&self, person: Id<of::Person>) -> Result<Vec<Membership>, TableError> {
        let mut wait = self.backoff();
        loop {
            let profile = self.person(person).await?;
            let count = profile.map_or(0, |profile| profile.clubs_owned);
            // The index may still show a role that the person lost.
            let mut owned = self.memberships_of(person).await?;
            owned.retain(|membership| membership.role == Role::Owner);
            if i64::try_from(owned.len()).is_ok_and(|found| found >= count) {
                return Ok(owned);
            }
            if !wait.wait().await {
                return Err(TableError::Busy("the index is behind".to_owned()));
            }
        }
    }
}

/// What became of an attempt to begin.
enum Begun {
    /// The profile is flagged.
    Done,
    /// These clubs would have no owner.
    Refused(Vec<Club>),
    /// Something changed at the same moment. It is read again.
    Changed,
}
