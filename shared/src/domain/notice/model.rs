use chrono::{DurationRound as _, TimeDelta};
use serde::{Deserialize, Serialize};

use crate::db::execute::client_token;
use crate::domain::notice::settings::NoticeKind;
use crate::domain::webhook::model::WebhookKey;
use crate::ids::{Id, derived, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// How long before the end of an application, or before an interview, people are reminded.
pub const REMINDED_BEFORE: TimeDelta = TimeDelta::hours(24);

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

/// When the draft of somebody is due, for whom the application is open in this time: 24 hours
/// before the end, or after half of the time if it is open for less than 48 hours (G2).
pub fn draft_reminder_at(start: Timestamp, end: Timestamp) -> Timestamp {
    let open = end.moment() - start.moment();
    if open < REMINDED_BEFORE * 2 {
        return start.plus(open / 2);
    }
    end.plus(-REMINDED_BEFORE)
}

/// A draft that was begun: for whom and when. The answers are elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BegunDraft {
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the person.
    pub person: Id<of::Person>,
    /// The committee that the draft is for.
    pub committee: Option<Id<of::Committee>>,
    /// When its first answer was saved.
    pub begun_at: Timestamp,
    /// When the table may delete it, in seconds since 1970.
    pub expires: i64,
}

/// The timer looks again at the hours before the last one that is done: a write may arrive late.
pub const LOOKS_BACK: TimeDelta = TimeDelta::hours(2);

/// The hour up to which everything that was due is done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NoticeTimer {
    /// The beginning of the hour.
    pub hour: Timestamp,
}

/// What a reminder or a news mail says. Its text is made when it is sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Notice {
    /// Which kind of notice ends with the link in the mail.
    pub kind: NoticeKind,
    /// Name of the recipient.
    pub name: String,
    /// When the recipient's profile was created: the link is made for this profile alone.
    pub since: Timestamp,
    /// What it is about.
    pub about: NoticeAbout,
}

impl Notice {
    /// Returns whether it comes too late to help: the application or the interview is over.
    pub(crate) fn is_late(&self, now: Timestamp) -> bool {
        match &self.about {
            NoticeAbout::Draft { end, .. } => *end < now,
            NoticeAbout::Interview { start, .. } => *start <= now,
            NoticeAbout::News { .. } => false,
        }
    }
}

/// What a notice is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeAbout {
    /// A draft that was not submitted.
    Draft {
        /// Id of the application.
        id: Id<of::Application>,
        /// Code of the club.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<ClubCode>,
        /// Name of the club.
        club: String,
        /// Name of the application.
        application: String,
        /// Until when it can be submitted.
        end: Timestamp,
        /// Path on the site.
        path: String,
    },
    /// A booked interview.
    Interview {
        /// Name of the club.
        club: String,
        /// Name of the application.
        application: String,
        /// Id of the application.
        id: Id<of::Application>,
        /// Id of the slot.
        slot: Id<of::Slot>,
        /// When it begins.
        start: Timestamp,
        /// When it ends.
        end: Timestamp,
        /// Where it is.
        location: String,
    },
    /// News of clubs.
    News {
        /// The nearest deadlines and showings.
        items: Vec<NewsItem>,
        /// Whether there are more.
        has_more: bool,
    },
}

/// One line of the news.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NewsItem {
    /// Whether it is the deadline of an application, and not a showing of an event.
    pub is_deadline: bool,
    /// Name of the club.
    pub club: String,
    /// Name of the application or of the event.
    pub name: String,
    /// When.
    pub at: Timestamp,
    /// Path on the site.
    pub path: String,
}
