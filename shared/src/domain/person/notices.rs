//! Which notices people get (G1).

use serde::{Deserialize, Serialize};

use crate::domain::outbox::notice::NoticeKind;
use crate::time::Timestamp;

crate::text::enums::text_enum! {
    /// How often somebody gets news of the clubs that they follow.
    NewsRhythm {
        /// Never.
        Off,
        /// Every Monday, if there is anything new.
        Weekly,
    }
}

/// Which notices a person gets (G1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notices {
    /// Whether they are reminded of drafts.
    pub drafts: bool,
    /// Whether they are reminded of interviews.
    pub interviews: bool,
    /// Whether they are reminded of showings for which they have tickets.
    #[serde(default = "yes")]
    pub events: bool,
    /// News.
    pub news: NewsRhythm,
    /// When they switched the news on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_since: Option<Timestamp>,
}

fn yes() -> bool {
    true
}

impl Default for Notices {
    fn default() -> Self {
        Self {
            drafts: true,
            interviews: true,
            events: true,
            news: NewsRhythm::Off,
            on_since: None,
        }
    }
}

impl Notices {
    /// Returns whether the person gets this kind.
    pub fn has(&self, kind: NoticeKind) -> bool {
        match kind {
            NoticeKind::Drafts => self.drafts,
            NoticeKind::Interviews => self.interviews,
            NoticeKind::Events => self.events,
            NoticeKind::News => self.news == NewsRhythm::Weekly,
        }
    }

    /// Returns the settings without this kind.
    #[must_use]
    pub fn without(self, kind: NoticeKind) -> Self {
        match kind {
            NoticeKind::Drafts => Self {
                drafts: false,
                ..self
            },
            NoticeKind::Interviews => Self {
                interviews: false,
                ..self
            },
            NoticeKind::Events => Self {
                events: false,
                ..self
            },
            NoticeKind::News => Self {
                news: NewsRhythm::Off,
                on_since: None,
                ..self
            },
        }
    }
}
