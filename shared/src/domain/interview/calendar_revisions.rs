//! Marks in the entries that tell which interviews a person has (V22). From them the service sees
//! whether a calendar changed, without reading each slot.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::try_join_all;

use crate::db::{Key, Table, TableError, Write};
use crate::domain::interview::keys;
use crate::domain::slot;
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// An entry, or several, whose interviews changed: they get another revision.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CalendarPart {
    /// The interview that this person has booked for a submission.
    Booked(Id<of::Person>, Id<of::Submission>),
    /// The interview that is booked for a submission of this application. Its person is read.
    BookedBy(Id<of::Application>, Id<of::Submission>),
    /// The interview that is booked for this submission, whose decision changed. Before the release
    /// of the application, the applicant may not know that it did (S14).
    Decided(
        ClubCode,
        Id<of::Application>,
        Id<of::Person>,
        Id<of::Submission>,
    ),
    /// The interviews that a person holds in an application.
    Interviewing(Id<of::Person>, Id<of::Application>),
    /// The interviews that a person holds in all applications of a club.
    InterviewsIn(Id<of::Person>, ClubCode),
}

/// How many revisions are written at the same time.
const AT_ONCE: usize = 16;

impl Table {
    /// Gives the entries of these interviews another revision. `revision` has to return another
    /// number each time. 1 write for each part; for [`CalendarPart::BookedBy`] also a read of the
    /// submission; for [`CalendarPart::Decided`] also a read of the application, and no write
    /// before its release; for [`CalendarPart::InterviewsIn`] 1 query, and 1 write for each
    /// application. What is not there gets none.
    pub async fn touch_calendars(
        &self,
        parts: Vec<CalendarPart>,
        now: Timestamp,
        revision: impl Fn() -> u64,
    ) -> Result<(), TableError> {
        let mut keys: Vec<Key> = Vec::new();
        let decided = parts.iter().filter_map(|part| match part {
            CalendarPart::Decided(club, application, ..) => Some((club.clone(), *application)),
            _ => None,
        });
        let decided: BTreeSet<_> = decided.collect();
        let mut released = self.applications_by_id(decided.into_iter()).await?;
        released.retain(|_, application| application.release <= now);
        let mut unknown: BTreeMap<Id<of::Application>, Vec<Id<of::Submission>>> = BTreeMap::new();
        for part in parts {
            match part {
                CalendarPart::Booked(person, id) => keys.push(keys::booking(person, id.get())),
                CalendarPart::BookedBy(application, id) => {
                    unknown.entry(application).or_default().push(id);
                }
                CalendarPart::Decided(_, application, person, id) => {
                    let is_released = released.contains_key(&application);
                    keys.extend(is_released.then(|| keys::booking(person, id.get())));
                }
                CalendarPart::Interviewing(person, id) => {
                    keys.push(slot::keys::own_interviews(person, id));
                }
                CalendarPart::InterviewsIn(person, club) => {
                    let (_, interviewing) = self.appointments(person).await?;
                    let interviewing = interviewing.into_iter().filter(|one| one.club == club);
                    keys.extend(
                        interviewing.map(|one| slot::keys::own_interviews(person, one.application)),
                    );
                }
            }
        }
        for (application, ids) in unknown {
            let found = self.submissions_by_id(application, &ids).await?;
            let of_people = found.iter().filter_map(|one| Some((one.person?, one.id)));
            keys.extend(of_people.map(|(person, id)| keys::booking(person, id.get())));
        }
        keys.sort();
        keys.dedup();
        for keys in keys.chunks(AT_ONCE) {
            let writes = keys.iter().map(|key| {
                let marked = Write::update(key.clone()).set("calendar_revision", &revision());
                self.write_revision(marked.if_exists())
            });
            try_join_all(writes).await?;
        }
        Ok(())
    }

    /// Writes a revision, if its item is still there.
    async fn write_revision(&self, write: Write) -> Result<(), TableError> {
        match self.write(write).await {
            Err(TableError::Refused(_)) => Ok(()),
            done => done.map(drop),
        }
    }
}
