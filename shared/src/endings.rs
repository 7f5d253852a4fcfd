//! Applications that end because the club was archived or the application deleted: interviews are
//! cancelled, and whoever was not told a decision yet is told that.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::bookings;
use crate::db::{Table, TableError, each};
use crate::domain::{Application, Club, Submission, SubmissionQuery};
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
