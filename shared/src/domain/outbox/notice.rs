use serde::{Deserialize, Serialize};

use crate::domain::outbox::ticket::TicketMail;
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

crate::text::enums::text_enum! {
    /// A kind of notice that people can end.
    NoticeKind {
        /// Reminders of drafts.
        Drafts,
        /// Reminders of interviews.
        Interviews,
        /// News of the clubs that they follow.
        News,
        /// Reminders of showings for which they have tickets.
        Events,
    }
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
            NoticeAbout::Showing { about, .. } => about.start <= now,
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
    /// A showing for which the person has tickets.
    Showing {
        /// Id of the showing.
        showing: Id<of::Showing>,
        /// Ids of the tickets.
        tickets: Vec<String>,
        /// What the mail says.
        about: Box<TicketMail>,
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
