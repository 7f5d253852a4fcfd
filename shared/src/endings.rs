//! Applications that end because the club was archived or the application deleted: interviews are
//! cancelled, and whoever was not told a decision yet is told that.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;

use crate::bookings;
use crate::db::{Table, TableError, each};
use crate::domain::{Application, Club, Interview, Mailed, Submission, SubmissionQuery};
use crate::ids::{Id, of, order_number};
use crate::mail::{ApplicationEnd, application_ended};
use crate::time::Timestamp;

/// Queues the mails about the end of an application whose decisions are not released yet: one for
/// each person who was not told one. It may be repeated: each mail is stored once, and none for
/// people who are being erased. 1 query for each part of the submissions, and 1 transaction a mail.
/// Returns how many are new.
pub async fn tell_applicants(
    table: &Table,
    (club, application): (&Club, &Application),
    end: ApplicationEnd,
    now: Timestamp,
) -> Result<usize, TableError> {
    if application.release <= now {
        return Ok(0);
    }
    let is_untold = |one: &Submission| one.visible_decision(application, now.moment()).is_none();
    let requested = SubmissionQuery {
        matches: &is_untold,
        ..SubmissionQuery::ALL
    };
    let found = table.submissions(application.id, &requested).await?;
    let mut people: BTreeMap<Id<of::Person>, Submission> = BTreeMap::new();
    for submission in found.submissions {
        if let Some(person) = submission.person {
            people.entry(person).or_insert(submission);
        }
    }
    let mut mails = vec![];
    for submission in people.values() {
        mails.extend(application_ended((club, application), submission, end, now));
    }
    let queued = AtomicUsize::new(0);
    each(mails, async |mail| {
        let is_new = table.queue_notice(mail).await?;
        queued.fetch_add(usize::from(is_new), Ordering::Relaxed);
        Ok(())
    })
    .await?;
    Ok(queued.into_inner())
}

/// Cancels the interviews of an application that have not begun, with mails. Nobody may be able to
/// book any more. It may be repeated.
pub async fn cancel_interviews(
    table: &Table,
    recruitment: (&Club, &Application),
    now: Timestamp,
) -> Result<(), TableError> {
    let mut slots = table.slots(recruitment.1.id).await?;
    slots.retain(|slot| !slot.seats.is_empty() && slot.start > now);
    let received = order_number(now.moment());
    each(slots, async |slot| {
        let released = bookings::release_all_bookings(table, recruitment, slot, received, now);
        released.await.map(drop)
    })
    .await
}

/// What ends with an application, before it does.
#[derive(Debug, Default)]
pub struct WhatEnds {
    /// Number of submissions.
    pub submissions: usize,
    /// Number of booked interviews that have not begun.
    pub interviews: usize,
    /// Those who get a mail: whose interview is cancelled, or who were not told a decision yet.
    pub people: BTreeSet<Id<of::Person>>,
    /// Whether there is more than was counted.
    pub has_more: bool,
}

impl WhatEnds {
    /// Returns whether anybody would notice.
    pub fn is_something(&self) -> bool {
        self.interviews > 0 || !self.people.is_empty()
    }

    /// Adds what ends with another application, if that is something.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        if other.is_something() {
            self.submissions += other.submissions;
        }
        self.interviews += other.interviews;
        self.people.extend(other.people);
        self.has_more |= other.has_more;
        self
    }
}

/// The attributes of a submission that say whether its applicant gets a mail.
#[derive(Deserialize)]
struct EndedSubmission {
    #[serde(default)]
    person: Option<Id<of::Person>>,
    #[serde(default)]
    mailed: Option<Mailed>,
    #[serde(default)]
    interview: Option<Interview>,
}

/// Counts what would end with an application, from copies that may be a second old: 1 query of its
/// slots and, for each part of its submissions, 1 for each megabyte, at most
/// [`limits::COUNTED_PAGES`].
///
/// # Errors
///
/// Those of the table.
pub async fn what_ends(
    table: &Table,
    application: &Application,
    now: Timestamp,
) -> Result<WhatEnds, TableError> {
    let slots = table.slots(application.id).await?;
    let coming = slots.iter().filter(|slot| slot.start > now);
    let coming: BTreeMap<Id<of::Slot>, usize> =
        coming.map(|slot| (slot.id, slot.seats.len())).collect();
    let mut ends = WhatEnds {
        interviews: coming.values().sum(),
        ..WhatEnds::default()
    };
    let parts = table.submission_parts(application.id, &["person", "mailed", "interview"]);
    for (items, has_more) in parts.await? {
        ends.has_more |= has_more;
        ends.submissions += items.len();
        for item in items {
            let EndedSubmission {
                person,
                mailed,
                interview,
            } = item.read()?;
            let slot = interview.and_then(|interview| interview.slot);
            let is_cancelled = slot.is_some_and(|slot| coming.contains_key(&slot));
            let is_untold = application.release > now && mailed.is_none();
            ends.people
                .extend(person.filter(|_| is_cancelled || is_untold));
        }
    }
    Ok(ends)
}
