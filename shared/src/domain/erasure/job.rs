//! The job that erases a person: passes, until one finds nothing.

use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

use crate::db::read::Range;
use crate::db::response::Stored;
use crate::db::{Table, TableError, each};
use crate::domain::entities::Erasure;
use crate::domain::person::model::Person;
use crate::domain::{idempotency, person};
use crate::ids::{Id, of, order_number};
use crate::kind::Kind;
use crate::time::{RequestTime, Timestamp};

/// The job looks once more after this time, for what arrived late.
const LOOKS_AGAIN_AFTER: TimeDelta = TimeDelta::hours(1);

/// The most passes of one run. Each erases as much as fits into memory.
const MOST_PASSES: u32 = 20;

/// Returns a time of the job: whatever was received until then is erased.
fn until(now: DateTime<Utc>) -> RequestTime {
    RequestTime {
        received: order_number(now + TimeDelta::milliseconds(1)) - 1,
        at: Timestamp::at(now),
    }
}

impl Table {
    /// Erases a person whose profile of this time is flagged: in passes until one finds nothing.
    /// Then the profile is deleted, and the timer is told to look once more an hour later. That
    /// look finds no profile, and does the same with what it finds.
    ///
    /// It may be repeated, and run more than once at the same time. Nothing is done if the person
    /// came back. [`TableError::Busy`] if something is left for the next run.
    pub async fn erase(
        &self,
        (id, created_at): (Id<of::Person>, Timestamp),
        now: DateTime<Utc>,
    ) -> Result<(), TableError> {
        let began = Instant::now();
        let stored = self.person(id).await?;
        let is_first = stored.is_some();
        let person = stored.unwrap_or_else(|| Person::erased(id, created_at));
        for _ in 0..MOST_PASSES {
            // Officers may write until a pass reads. `now` has whole seconds.
            let passed = TimeDelta::from_std(began.elapsed()).unwrap_or_default();
            let when = until(now + passed + TimeDelta::seconds(1));
            let table = self.for_job(when);
            let pass = table.erase_once(&person, is_first, when).await;
            self.request.count(table.usage());
            match pass? {
                Pass::Erased => {}
                Pass::FoundNothing if is_first => {
                    let now = Timestamp::at(now);
                    let again = person.erasure_task(now.plus(LOOKS_AGAIN_AFTER), now);
                    return self.delete_person(&person, &again).await;
                }
                Pass::FoundNothing | Pass::Returned => return Ok(()),
            }
        }
        Err(TableError::Busy("an erasure goes on later".to_owned()))
    }

    /// Erases what one look finds.
    async fn erase_once(
        &self,
        person: &Person,
        is_first: bool,
        when: RequestTime,
    ) -> Result<Pass, TableError> {
        let all = self.some_personal_data(person).await?;
        // Only now: what was read before is of this profile, and not of one that came back.
        let stored = self.person(person.id).await?;
        let is_same = match &stored {
            Some(stored) => is_first && stored.erasing && stored.created_at == person.created_at,
            None => !is_first,
        };
        if !is_same {
            return Ok(Pass::Returned);
        }
        // What leads to other items goes after them.
        let (plain, special): (Vec<_>, Vec<_>) = all
            .into_items()
            .partition(|(kind, _)| matches!(kind.facts().erasure, Erasure::Delete { .. }));
        // There may be many, and they have what was answered, so they are not read.
        let range = Range::Prefix(idempotency::keys::IDEMPOTENCY_RECORDS.to_owned());
        let records = self.keys(person::keys::own(person.id), range).await?;
        let mut found = !records.is_empty();
        self.delete_many(records).await?;
        for (kind, items) in special.into_iter().chain(plain) {
            found |= self.erase_items(kind, items, when).await?;
        }
        Ok(if found {
            Pass::Erased
        } else {
            Pass::FoundNothing
        })
    }

    /// Does with items of one kind what the table of entities says. Returns whether anything was
    /// there.
    async fn erase_items(
        &self,
        kind: Kind,
        items: Vec<Stored>,
        when: RequestTime,
    ) -> Result<bool, TableError> {
        match kind.facts().erasure {
            Erasure::Keep | Erasure::Elsewhere(_) => Ok(false),
            Erasure::Delete { tombstone } => {
                let found = AtomicBool::new(false);
                each(items, async |item| {
                    if self.delete_as_read(tombstone, &item).await? {
                        found.store(true, Ordering::Relaxed);
                    }
                    Ok(())
                })
                .await?;
                Ok(found.into_inner())
            }
            Erasure::Anonymise(erase) | Erasure::FreeAndDelete(erase) => {
                let found = AtomicBool::new(false);
                each(items, async |item| {
                    if erase(self, &item, when).await? {
                        found.store(true, Ordering::Relaxed);
                    }
                    Ok(())
                })
                .await?;
                Ok(found.into_inner())
            }
        }
    }
}

/// What a pass found.
enum Pass {
    /// The person has a new profile, or none. What there is now stays.
    Returned,
    /// Nothing is left.
    FoundNothing,
    /// Something was there. It is looked once more.
    Erased,
}
