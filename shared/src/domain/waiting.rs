//! What waits for officers: counts for the home page. They are read from copies that may be a
//! second old, for half the price, and every read has an end.

use chrono::TimeDelta;
use futures::future::try_join_all;
use serde::Deserialize;

use crate::db::read::Range;
use crate::db::response::Stored;
use crate::db::{Key, Table, TableError};
use crate::domain::invite::model::Invite;
use crate::domain::outbox::state::{EmailStatus, MailKind, MailState};
use crate::domain::request::model::MembershipRequest;
use crate::domain::status::Status;
use crate::domain::submission::model::{Communicated, Mailed, Submission};
use crate::domain::{club, invite, person, request, submission};
use crate::ids::{Id, of};
use crate::limits;
use crate::text::{ClubCode, Email};
use crate::time::Timestamp;

/// How much there is to do about the submissions to an application.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Number of submissions.
    pub submissions: usize,
    /// Number of those without a decision.
    pub undecided: usize,
    /// Number of those whose applicant was not told the decision.
    pub unmailed: usize,
    /// Number of those whose last decision mail did not arrive, or perhaps did not.
    pub unreached: usize,
    /// Whether there are more submissions than were counted.
    pub has_more: bool,
}

/// What else waits in a club.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClubWaiting {
    /// Number of membership requests, at most [`limits::COUNTED_ITEMS`].
    pub requests: usize,
    /// Number of open invitations that expire within [`ClubWaiting::SOON_DAYS`].
    pub invites_ending: usize,
}

impl ClubWaiting {
    /// Invitations that expire within so many days end soon.
    pub const SOON_DAYS: i64 = 3;
}

/// The attributes of a submission that tell what is still to do.
#[derive(Deserialize)]
struct CountedDecision {
    status: Status,
    /// None after an erasure: there is nobody to tell.
    #[serde(default)]
    person: Option<Id<of::Person>>,
    #[serde(default)]
    acceptance_mail: Option<MailState>,
    #[serde(default)]
    rejection_mail: Option<MailState>,
    #[serde(default)]
    mailed: Option<Mailed>,
}

/// The attributes of an invitation that are counted.
#[derive(Deserialize)]
struct Ending {
    expires_at: Timestamp,
}

impl Waiting {
    fn add(&mut self, decision: &CountedDecision) {
        let communicated = Communicated {
            acceptance: decision.acceptance_mail.as_ref(),
            rejection: decision.rejection_mail.as_ref(),
            mailed: decision.mailed.as_ref(),
        };
        let expected = match decision.status {
            Status::Pending => None,
            Status::Accepted => Some(MailKind::Acceptance),
            Status::RejectedWritten | Status::RejectedInterview => Some(MailKind::Rejection),
        };
        let is_unreached = communicated
            .last_status()
            .is_some_and(|status| match status {
                EmailStatus::Queued | EmailStatus::Sending | EmailStatus::Sent => false,
                EmailStatus::Failed
                | EmailStatus::Unknown
                | EmailStatus::Bounced
                | EmailStatus::Complained => true,
            });
        let is_there = decision.person.is_some();
        self.submissions += 1;
        self.undecided += usize::from(expected.is_none());
        self.unmailed +=
            usize::from(is_there && expected.is_some() && communicated.last_kind() != expected);
        self.unreached += usize::from(is_there && is_unreached);
    }
}

impl Table {
    /// Counts what is to do about the submissions to an application: 1 query for each of their
    /// partitions and each megabyte in it, at most [`limits::COUNTED_PAGES`].
    pub async fn waiting(&self, application: Id<of::Application>) -> Result<Waiting, TableError> {
        let parts = (0..submission::keys::SUBMISSION_PARTS).map(async |part| {
            let partition = (submission::keys::submissions(application, part), None);
            let expected = [
                "status",
                "person",
                "acceptance_mail",
                "rejection_mail",
                "mailed",
            ];
            let pages = limits::COUNTED_PAGES;
            let (found, has_more) = self
                .some_of::<Submission>(partition, &expected, pages, None)
                .await?;
            let mut waiting = Waiting {
                has_more,
                ..Waiting::default()
            };
            for item in &found {
                waiting.add(&item.read()?);
            }
            Ok::<_, TableError>(waiting)
        });
        let parts = try_join_all(parts).await?;
        Ok(parts.into_iter().fold(Waiting::default(), |a, b| Waiting {
            submissions: a.submissions + b.submissions,
            undecided: a.undecided + b.undecided,
            unmailed: a.unmailed + b.unmailed,
            unreached: a.unreached + b.unreached,
            has_more: a.has_more || b.has_more,
        }))
    }

    /// Counts what else waits in a club: 2 queries.
    pub async fn waiting_in_club(
        &self,
        club: &ClubCode,
        now: Timestamp,
    ) -> Result<ClubWaiting, TableError> {
        let (pages, most) = (limits::COUNTED_PAGES, Some(limits::COUNTED_ITEMS));
        let of = |prefix: &'static str| (club::keys::club_items(club), Some(prefix));
        let ((requests, _), (invites, _)) = futures::try_join!(
            self.some_of::<MembershipRequest>(of(request::keys::REQUESTS), &[], pages, most),
            self.some_of::<Invite>(of(invite::keys::INVITES), &["expires_at"], pages, most)
        )?;
        let soon = now.plus(TimeDelta::days(ClubWaiting::SOON_DAYS));
        let mut invites_ending = 0;
        for invite in &invites {
            let Ending { expires_at } = invite.read()?;
            invites_ending += usize::from(now < expires_at && expires_at < soon);
        }
        Ok(ClubWaiting {
            requests: requests
                .len()
                .min(usize::try_from(limits::COUNTED_ITEMS).unwrap_or(usize::MAX)),
            invites_ending,
        })
    }

    /// Returns the invitations to an address that can be used: 1 query of the index and 1 batch
    /// read.
    pub async fn invites_to(
        &self,
        email: &Email,
        now: Timestamp,
    ) -> Result<Vec<Invite>, TableError> {
        if email.is_empty() {
            return Ok(vec![]);
        }
        let range = Range::Prefix(invite::keys::INVITES.into());
        let entries = self
            .index_entries(person::keys::address(email), range)
            .await?;
        // The index tells neither which ones are open nor when they were sent.
        let latest = entries.iter().rev().take(limits::HOME_INVITES_READ);
        let expected: Vec<Key> = latest.map(Stored::key).collect();
        let mut found: Vec<Invite> = self.get_many(expected).await?.into_entities();
        found.retain(|invite| invite.is_open(now) && invite.email == email.folded());
        found.sort_by_key(|invite| std::cmp::Reverse(invite.updated_at));
        found.truncate(limits::HOME_INVITES);
        Ok(found)
    }
}
