//! Changes of clubs: how they get their numbers, and how they are read (Z7).

use std::collections::{HashMap, HashSet};

use chrono::TimeDelta;

use crate::db::read::{Fetch, Range};
use crate::db::{Entity, Key, Table, TableError, Write};
use crate::domain::change::keys;
use crate::domain::change::model::{ChangeCount, ClubChange, NewChange, RecordedChange};
use crate::domain::person;
use crate::domain::person::model::Person;
use crate::ids::{Id, MAX_ID, of};
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::time::Timestamp;

impl Entity for ClubChange {
    const KIND: Kind = Kind::ClubChange;

    fn key(&self) -> Key {
        Key::new(keys::changes(&self.club), keys::change_number(self.number))
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

impl Entity for ChangeCount {
    const KIND: Kind = Kind::ChangeCount;

    fn key(&self) -> Key {
        keys::change_count(&self.club)
    }
}

impl Entity for RecordedChange {
    const KIND: Kind = Kind::RecordedChange;

    fn key(&self) -> Key {
        keys::recorded_change(&self.event)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

/// Changes in one transaction. Each has two writes, the count is one more, and DynamoDB allows 100
/// writes.
const CHANGES_AT_ONCE: usize = 49;

/// Changes are deleted a day after nobody sees them any more.
const DELETED_LATER: TimeDelta = TimeDelta::days(2);

impl NewChange {
    fn numbered(&self, club: &ClubCode, number: u64, now: Timestamp) -> ClubChange {
        let expires = now.plus(ChangeCount::KEPT).plus(DELETED_LATER);
        ClubChange {
            club: club.clone(),
            number,
            id: ClubChange::id_of(&self.event),
            at: self.at,
            change_type: self.change_type,
            object: self.object,
            application: self.application,
            ticket: self.ticket,
            by: self.by,
            expires: expires.epoch_seconds(),
        }
    }
}

impl Table {
    /// Stores changes of a club, in this order, each once: those that are stored already are left
    /// out. 1 batch read and 1 transaction for 49. Returns how many were new.
    ///
    /// A transaction gives the next numbers to its changes, under the condition that nobody else
    /// did. So a number never changes, and whoever has read up to a number has read all that was
    /// stored up to then, however late other changes come.
    pub async fn store_changes(
        &self,
        club: &ClubCode,
        changes: &[NewChange],
        now: Timestamp,
    ) -> Result<usize, TableError> {
        let mut stored = 0;
        for chunk in changes.chunks(CHANGES_AT_ONCE) {
            stored += self.store_some_changes(club, chunk, now).await?;
        }
        Ok(stored)
    }

    async fn store_some_changes(
        &self,
        club: &ClubCode,
        changes: &[NewChange],
        now: Timestamp,
    ) -> Result<usize, TableError> {
        let mut retries = self.retries();
        loop {
            retries.next().await?;
            let recorded = changes.iter().map(|one| keys::recorded_change(&one.event));
            let requested = recorded.chain([keys::change_count(club)]).collect();
            let mut found = self.get_many(requested).await?;
            let count: Option<ChangeCount> = found.take(&keys::change_count(club))?;
            let mut seen = HashSet::new();
            let new = changes.iter().filter(|one| {
                let key = keys::recorded_change(&one.event);
                found.take_item(&key).is_none() && seen.insert(&one.event)
            });
            let new: Vec<&NewChange> = new.collect();
            if new.is_empty() {
                return Ok(0);
            }
            let before = count.clone();
            let before = before.unwrap_or_else(|| ChangeCount::none(club.clone()));
            let numbers = before.last + 1..;
            let numbered = new.iter().zip(numbers);
            let numbered = numbered.map(|(change, number)| change.numbered(club, number, now));
            let numbered: Vec<ClubChange> = numbered.collect();
            let counted = Write::put(&before.after(&numbered, now))?;
            let mut writes = vec![match count {
                Some(count) => counted.if_equals("last", &count.last),
                None => counted.if_new(),
            }];
            for (change, numbered) in new.iter().zip(&numbered) {
                let recorded = RecordedChange {
                    event: change.event.clone(),
                    expires: now.plus(RecordedChange::KEPT).epoch_seconds(),
                };
                writes.push(Write::put(numbered)?.if_new());
                writes.push(Write::put(&recorded)?.if_new());
            }
            match self.transact(writes).await {
                Ok(()) => return Ok(new.len()),
                // Somebody else stored changes of this club, or these, at the same moment.
                Err(TableError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns how many changes of a club were stored: 1 read.
    pub async fn change_count(&self, club: &ClubCode) -> Result<Option<ChangeCount>, TableError> {
        self.get(keys::change_count(club)).await
    }

    /// Returns the changes of a club from this number on, at most `most`: 1 query. While they are
    /// being stored, a query may miss some of them: what comes after the first gap is left out.
    pub async fn changes_from(
        &self,
        club: &ClubCode,
        first: u64,
        most: usize,
    ) -> Result<Vec<ClubChange>, TableError> {
        let range = Range::Between(keys::change_number(first), keys::change_number(MAX_ID));
        let size = i32::try_from(most).unwrap_or(i32::MAX);
        let mut found: Vec<ClubChange> = Vec::new();
        let take = |page: Vec<ClubChange>| {
            found.extend(page);
            Ok(false)
        };
        let pages = Fetch::Pages(size);
        self.each_page(false, keys::changes(club), range, pages, take)
            .await?;
        let whole = found.iter().zip(first..);
        let whole = whole.take_while(|(change, number)| change.number == *number);
        let whole = whole.count();
        found.truncate(whole);
        Ok(found)
    }

    /// Returns since when these people are there; those who were erased are left out. Whoever comes
    /// back has the same id, but was not there before. 1 batch read per 100, for half the price.
    pub async fn there_since(
        &self,
        people: HashSet<Id<of::Person>>,
    ) -> Result<HashMap<Id<of::Person>, Timestamp>, TableError> {
        let profiles = people.into_iter().map(person::keys::profile).collect();
        let there: Vec<Person> = self.get_all(profiles, false).await?;
        let there = there.into_iter().filter(|person| !person.erasing);
        Ok(there.map(|person| (person.id, person.created_at)).collect())
    }
}
