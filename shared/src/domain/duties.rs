//! What waits for somebody (A14): one place says what a duty is, for the counts and for the lists
//! that they lead to. The counts are read from copies that may be a second old, for half the price,
//! and every read has an end.

use chrono::TimeDelta;
use futures::future::try_join_all;
use serde::{Deserialize, Serialize};

use crate::db::read::Range;
use crate::db::response::Stored;
use crate::db::{Key, Table, TableError};
use crate::domain::invite::model::Invite;
use crate::domain::outbox::state::{MailKind, MailState};
use crate::domain::outbox::undelivered::Undelivered;
use crate::domain::request::model::MembershipRequest;
use crate::domain::status::Status;
use crate::domain::submission::interview::Interview;
use crate::domain::submission::model::{Communicated, Mailed, Submission};
use crate::domain::{club, invite, person, request, submission};
use crate::ids::{Id, of};
use crate::limits;
use crate::text::{ClubCode, Email};
use crate::time::Timestamp;

/// A kind of what waits for officers and admins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Duty {
    /// A club waits for approval.
    Approvals,
    /// Somebody asks to join a club.
    Requests,
    /// An invitation to a club expires within three days.
    InvitesEnding,
    /// A submission has no decision.
    Undecided,
    /// A submission has a decision that its applicant was sent no mail about.
    Untold,
    /// The last mail about a submission did not arrive, or perhaps did not.
    Unreached,
}

impl Duty {
    /// Invitations that expire within so many days end soon.
    pub const SOON_DAYS: i64 = 3;

    /// The duties that a submission can be.
    pub const OF_SUBMISSIONS: [Self; 3] = [Self::Undecided, Self::Untold, Self::Unreached];

    /// Returns the word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approvals => "approvals",
            Self::Requests => "requests",
            Self::InvitesEnding => "invites_ending",
            Self::Undecided => "undecided",
            Self::Untold => "untold",
            Self::Unreached => "unreached",
        }
    }
}

/// How many there are of a duty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DutyCount {
    /// At most [`limits::COUNTED_ITEMS`].
    pub count: usize,
    /// Whether there may be more.
    pub has_more: bool,
}

impl DutyCount {
    /// Counts so many, of which there may be more.
    pub fn of(all: usize, has_more: bool) -> Self {
        let most = usize::try_from(limits::COUNTED_ITEMS).unwrap_or(usize::MAX);
        Self {
            count: all.min(most),
            has_more: has_more || all > most,
        }
    }
}

/// The attributes of a submission that say what is still to do.
#[derive(Deserialize)]
struct Decided {
    status: Status,
    /// None after an erasure: there is nothing to decide, and nobody to tell.
    #[serde(default)]
    person: Option<Id<of::Person>>,
    #[serde(default)]
    acceptance_mail: Option<MailState>,
    #[serde(default)]
    rejection_mail: Option<MailState>,
    #[serde(default)]
    mailed: Option<Mailed>,
    #[serde(default)]
    interview_mail: Option<MailState>,
    #[serde(default)]
    interview: Option<Interview>,
    #[serde(default)]
    undelivered: Option<Undelivered>,
}

/// The attributes of an invitation that are counted.
#[derive(Deserialize)]
struct Ending {
    expires_at: Timestamp,
}

/// Whether what expires then can still be used, but not for long.
fn ends_soon(expires_at: Timestamp, now: Timestamp) -> bool {
    now < expires_at && expires_at < now.plus(TimeDelta::days(Duty::SOON_DAYS))
}

impl Invite {
    /// Returns whether it expires soon ([`Duty::InvitesEnding`]).
    pub fn ends_soon(&self, now: Timestamp) -> bool {
        ends_soon(self.expires_at, now)
    }
}

impl Decided {
    const ATTRIBUTES: [&str; 8] = [
        "status",
        "person",
        "acceptance_mail",
        "rejection_mail",
        "mailed",
        "interview_mail",
        "interview",
        "undelivered",
    ];

    fn duties(&self) -> Vec<Duty> {
        let communicated = Communicated {
            acceptance: self.acceptance_mail.as_ref(),
            rejection: self.rejection_mail.as_ref(),
            mailed: self.mailed.as_ref(),
        };
        let invitation = self.interview_mail.as_ref();
        let interview = (invitation, self.interview.as_ref());
        let undelivered = self.undelivered.as_ref();
        duties(
            self.person,
            self.status,
            communicated,
            interview,
            undelivered,
        )
    }
}

impl Submission {
    /// Returns what officers have to do about it.
    pub fn duties(&self) -> Vec<Duty> {
        let interview = (self.interview_mail.as_ref(), self.interview.as_ref());
        let (communicated, undelivered) = (self.communicated(), self.undelivered.as_ref());
        duties(
            self.person,
            self.status,
            communicated,
            interview,
            undelivered,
        )
    }
}

/// What officers have to do about a submission. A mail that did not arrive has told nobody, and
/// waits to be sent again; so only a decision without such a mail is untold.
fn duties(
    person: Option<Id<of::Person>>,
    status: Status,
    communicated: Communicated<'_>,
    (invitation, interview): (Option<&MailState>, Option<&Interview>),
    undelivered: Option<&Undelivered>,
) -> Vec<Duty> {
    if person.is_none() {
        return vec![];
    }
    let expected = match status {
        Status::Pending => None,
        Status::Accepted => Some(MailKind::Acceptance),
        Status::RejectedWritten | Status::RejectedInterview => Some(MailKind::Rejection),
    };
    // Whoever has chosen a time knows of the interview.
    let is_booked = interview.is_some_and(|interview| interview.slot.is_some());
    let last = match communicated.last_mail() {
        Some((kind, mail)) if Some(kind) == expected => Some(mail),
        None | Some(_) => invitation.filter(|_| expected.is_none() && !is_booked),
    };
    let is_lost = last.is_some_and(|mail| mail.status.is_undelivered());
    let is_communicated = is_lost || communicated.last_kind() == expected;
    let all = [
        (Duty::Undecided, expected.is_none()),
        (Duty::Untold, expected.is_some() && !is_communicated),
        (Duty::Unreached, is_lost || undelivered.is_some()),
    ];
    let duties = all.into_iter().filter(|(_, is_one)| *is_one);
    duties.map(|(duty, _)| duty).collect()
}

/// What waits in a club, beside its submissions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClubDuties {
    /// Membership requests.
    pub requests: DutyCount,
    /// Open invitations that expire within [`Duty::SOON_DAYS`].
    pub invites_ending: DutyCount,
}

impl Table {
    /// Reads some attributes of the submissions to an application, which may be a second old: of
    /// each of their parts, at most [`limits::COUNTED_PAGES`] megabytes, and whether there are more.
    pub(crate) async fn submission_parts(
        &self,
        application: Id<of::Application>,
        attributes: &[&str],
    ) -> Result<Vec<(Vec<Stored>, bool)>, TableError> {
        let parts = (0..submission::keys::SUBMISSION_PARTS).map(async |part| {
            let partition = (submission::keys::submissions(application, part), None);
            let pages = limits::COUNTED_PAGES;
            self.some_of::<Submission>(partition, attributes, pages, None)
                .await
        });
        try_join_all(parts).await
    }

    /// Counts what is to do about the submissions to an application, for each of
    /// [`Duty::OF_SUBMISSIONS`]: 1 query for each of their partitions and each megabyte in it, at
    /// most [`limits::COUNTED_PAGES`].
    pub async fn submission_duties(
        &self,
        application: Id<of::Application>,
    ) -> Result<[(Duty, DutyCount); 3], TableError> {
        let mut parts = vec![];
        for (items, has_more) in self
            .submission_parts(application, &Decided::ATTRIBUTES)
            .await?
        {
            let mut duties = vec![];
            for item in &items {
                duties.extend(item.read::<Decided>()?.duties());
            }
            parts.push((duties, has_more));
        }
        let has_more = parts.iter().any(|(_, has_more)| *has_more);
        Ok(Duty::OF_SUBMISSIONS.map(|duty| {
            let all = parts.iter().flat_map(|(duties, _)| duties);
            let count = all.filter(|one| **one == duty).count();
            (duty, DutyCount::of(count, has_more))
        }))
    }

    /// Counts what else waits in a club: 2 queries.
    pub async fn club_duties(
        &self,
        club: &ClubCode,
        now: Timestamp,
    ) -> Result<ClubDuties, TableError> {
        let (pages, most) = (limits::COUNTED_PAGES, Some(limits::COUNTED_ITEMS));
        let of = |prefix: &'static str| (club::keys::club_items(club), Some(prefix));
        // Which ones end soon, only the whole list says.
        let ((requests, more_requests), (invites, more_invites)) = futures::try_join!(
            self.some_of::<MembershipRequest>(of(request::keys::REQUESTS), &[], pages, most),
            self.some_of::<Invite>(of(invite::keys::INVITES), &["expires_at"], pages, None)
        )?;
        let mut ending = 0;
        for invite in &invites {
            let Ending { expires_at } = invite.read()?;
            ending += usize::from(ends_soon(expires_at, now));
        }
        Ok(ClubDuties {
            requests: DutyCount::of(requests.len(), more_requests),
            invites_ending: DutyCount::of(ending, more_invites),
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
