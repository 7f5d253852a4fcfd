//! Which submissions a sending is about, and what is due to each.

use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::TimeDelta;
use shared::domain::{EmailStatus, Invite, InviteLink, Status, Submission};
use shared::ids::{Id, of};
use shared::limits;
use shared::mail::MailType;
use shared::text::ClubCode;
use shared::time::Timestamp;

/// Whether a mail about a submission is to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eligibility {
    Yes,
    /// The last decision that the applicant was told is of this kind, or will soon be told.
    Communicated,
    /// An earlier attempt of this request has queued the mail.
    Queued,
    /// There were enough mails in the last 24 hours.
    Recently,
}

impl Eligibility {
    pub(crate) fn of(
        submission: &Submission,
        kind: MailType,
        choice: &MailSelection,
        now: Timestamp,
    ) -> Self {
        let kind = kind.mail_kind();
        let Some(last) = submission.mail_state(kind) else {
            return Self::Yes;
        };
        let is_stuck = last.at.plus(TimeDelta::minutes(STUCK_MINUTES)) < now;
        // SES surely never got it. Its record is given up together with storing the new one (E16).
        let is_lost = last.status == EmailStatus::Queued && is_stuck;
        if last.is_of(choice.call, now) && !is_lost {
            return Self::Queued;
        }
        let is_communicated = submission.is_communicated(kind);
        let is_eligible = match last.status {
            EmailStatus::Queued => is_stuck,
            EmailStatus::Sending => is_stuck && (choice.allow_resend || !is_communicated),
            _ => choice.allow_resend || !is_communicated,
        };
        match is_eligible {
            false => Self::Communicated,
            true if last.count_recent(now) >= limits::MAILS_PER_DAY => Self::Recently,
            true => Self::Yes,
        }
    }
}

/// Whether one of these submissions has to be told, and the applicant was told the opposite of it.
pub(crate) fn was_communicated_otherwise(
    about: &[(Eligibility, Submission)],
    kind: MailType,
) -> bool {
    about.iter().any(|(eligibility, submission)| {
        let communicated = submission.last_communicated();
        *eligibility == Eligibility::Yes
            && communicated.is_some_and(|communicated| communicated != kind.mail_kind())
    })
}

/// The recipients that the officer chose.
#[derive(Debug, Clone, Default)]
pub struct MailSelection {
    /// Ids of the chosen submissions. `None` means all.
    pub submissions: Option<BTreeSet<Id<of::Submission>>>,
    /// Whether to send again to applicants who already have a mail of this type.
    pub allow_resend: bool,
    /// Whether each person gets one mail about all their submissions (E27).
    pub one_per_person: bool,
    /// The id of the request. Whoever has a mail of an earlier attempt of it gets no other (E31).
    pub call: u64,
}

/// The data that decides which accepted applicants are invited to the club (E24).
#[derive(Debug, Default)]
pub struct Invitations {
    /// Whether anybody is invited at all.
    pub is_open: bool,
    /// User ids of the members, who need no invitation.
    pub members: HashSet<Id<of::Person>>,
    /// The versions of existing invites by id. All mails with the same version have the same link.
    pub versions: HashMap<String, u64>,
    /// The version of new invites.
    pub new: u64,
}

impl Invitations {
    /// The invitation in the mail to an accepted person, if they need one.
    pub(crate) fn of(&self, club: &ClubCode, person: Id<of::Person>) -> Option<InviteLink> {
        if !self.is_open || self.members.contains(&person) {
            return None;
        }
        let id = Invite::id_for_accepted(club, person);
        let existing = self.versions.get(&id).copied();
        Some(InviteLink {
            club: club.clone(),
            invite: id,
            version: existing.unwrap_or(self.new),
            is_new: existing.is_none(),
        })
    }
}

impl MailSelection {
    /// Keeps the submissions of the people whom the request names.
    pub(crate) fn keep_people(&self, submissions: &mut Vec<Submission>) {
        let Some(chosen) = &self.submissions else {
            return;
        };
        let people: HashSet<Option<Id<of::Person>>> = submissions
            .iter()
            .filter(|submission| chosen.contains(&submission.id))
            .map(|submission| submission.person)
            .collect();
        submissions.retain(|submission| {
            let is_theirs = submission.person.is_some() && people.contains(&submission.person);
            is_theirs || chosen.contains(&submission.id)
        });
    }

    /// Keeps the submissions that the request names.
    pub(crate) fn keep_chosen(&self, submissions: &mut Vec<Submission>) {
        if let Some(chosen) = &self.submissions {
            submissions.retain(|submission| chosen.contains(&submission.id));
        }
    }
}

/// Returns the number of people with a pending submission and no accepted one.
pub(crate) fn undecided(submissions: &[Submission]) -> usize {
    let with = |status: Status| -> BTreeSet<Id<of::Person>> {
        submissions
            .iter()
            .filter(|submission| submission.status == status)
            .filter_map(|submission| submission.person)
            .collect()
    };
    let (pending, accepted) = (with(Status::Pending), with(Status::Accepted));
    pending.difference(&accepted).count()
}

/// After this time, a mail that is still queued or sending may be sent again, because its worker
/// died (E16).
pub(crate) const STUCK_MINUTES: i64 = 15;
