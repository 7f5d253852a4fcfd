use chrono::{DurationRound as _, TimeDelta};
use serde::{Deserialize, Serialize};

use crate::db::execute::client_token;
use crate::ids::{Id, derived, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// Something that the timer has to look at (G5). It only says when to look: the timer reads what is
/// true then.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ScheduledTask {
    /// The hour in whose partition it is.
    pub hour: Timestamp,
    /// When it is due.
    pub at: Timestamp,
    /// What is due.
    pub what: TaskKind,
    /// When it was filed.
    pub filed_at: Timestamp,
    /// A random number. Who removes the entry names it, so that they do not remove one that was
    /// filed in the meantime.
    pub stamp: u64,
    /// When the table may delete it, in seconds since 1970.
    pub expires: i64,
}

impl ScheduledTask {
    /// Returns an entry for this time. What was due before now is found in the present hour.
    pub fn new(at: Timestamp, now: Timestamp, what: TaskKind) -> Self {
        Self {
            hour: hour_of(at.max(now)),
            at,
            what,
            filed_at: now,
            stamp: derived("due", &[&client_token()]),
            expires: at.max(now).plus(TimeDelta::days(60)).epoch_seconds(),
        }
    }
}

/// Returns the beginning of the hour.
pub fn hour_of(at: Timestamp) -> Timestamp {
    let hour = at.moment().duration_trunc(TimeDelta::hours(1));
    hour.map_or(at, Timestamp::at)
}

/// What is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TaskKind {
    /// Reminders of the drafts of an application: of everybody, or of somebody with an extension.
    Drafts {
        /// Code of the club.
        club: ClubCode,
        /// Id of the application.
        application: Id<of::Application>,
        /// The person with the extension.
        person: Option<Id<of::Person>>,
    },
    /// Reminders of the interviews in a slot.
    Slot {
        /// Id of the application.
        application: Id<of::Application>,
        /// Id of the slot.
        slot: Id<of::Slot>,
    },
    /// An upload that is removed, unless a draft names it.
    Upload {
        /// Id of the person.
        person: Id<of::Person>,
        /// Id of the application.
        application: Id<of::Application>,
        /// Id of the file.
        file: Id<of::Upload>,
    },
    /// A webhook that fails: it is switched off if it still does.
    Webhook {
        /// Where it is.
        key: WebhookKey,
    },
    /// A person who is erased (P17).
    Erasure {
        /// Id of the person.
        person: Id<of::Person>,
        /// When their profile was stored. Somebody who came back has another one.
        created_at: Timestamp,
    },
    /// An archived club: its interviews are cancelled, and its applicants are told (C22).
    ClubEnd {
        /// Code of the club.
        club: ClubCode,
        /// Its version when it was archived. Each time it is archived, people are told once.
        version: u64,
    },
    /// A mail about an interview that was kept back (K14).
    Appointment {
        /// Id of the submission, as a number.
        submission: u64,
        /// The sequence of the mail.
        sequence: u64,
        /// The attempt of the mail.
        attempt: u32,
    },
    /// A showing with types of tickets: who waits, the draw, reminders, and mails of changes.
    Tickets {
        /// Id of the event.
        event: Id<of::Event>,
        /// Id of the showing.
        showing: Id<of::Showing>,
        /// 0 for the next time that follows from the showing; else the part of an hour.
        #[serde(default)]
        part: u8,
    },
    /// The weekly news for a person.
    News {
        /// Id of the person.
        person: Id<of::Person>,
        /// When they switched the news on. If that changed, this entry means nothing.
        on_since: Timestamp,
        /// When the last news were due; at first, when they were switched on.
        last: Timestamp,
        /// The applications and events that were there at the last news.
        shown: Vec<u64>,
    },
}

/// Where a webhook is stored, which entries of the timer name: under one of the
/// [`crate::limits::WEBHOOKS`] numbers of its club.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookKey {
    /// Code of the club; none if it is for all clubs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub club: Option<ClubCode>,
    /// Which number it has.
    pub number: u8,
    /// Id of the webhook, because another one may get the number later.
    pub webhook: Id<of::Webhook>,
}

/// The timer looks again at the hours before the last one that is done: a write may arrive late.
pub const LOOKS_BACK: TimeDelta = TimeDelta::hours(2);

/// The hour up to which everything that was due is done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NoticeTimer {
    /// The beginning of the hour.
    pub hour: Timestamp,
}

/// How long before the end of an application, or before an interview, people are reminded.
pub const REMINDED_BEFORE: TimeDelta = TimeDelta::hours(24);
