use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::domain::club::model::Window;
use crate::domain::task::model::{REMINDED_BEFORE, ScheduledTask, TaskKind};
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// A club's recruitment form, as far as a submission or a decision needs it. Its questions and its
/// long texts are stored as separate items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// Id of the application.
    pub id: Id<of::Application>,
    /// Code of the club.
    pub club: ClubCode,
    /// Changes with every change, also with every change of its questions.
    pub version: u64,
    /// Name of the application.
    pub name: String,
    /// When it opens.
    pub start: Timestamp,
    /// When it closes.
    pub end: Timestamp,
    /// When decisions become visible to applicants.
    pub release: Timestamp,
    /// Whether it is switched on.
    pub is_active: bool,
    /// URL of a form on another site.
    pub external_url: Option<String>,
    /// Committees that people can apply to.
    pub committees: Vec<Committee>,
    /// Whether each submission is confirmed to its applicant by mail.
    #[serde(default)]
    pub confirmation: bool,
    /// Whether officers see the reviews of others only after writing their own.
    #[serde(default)]
    pub blind_reviews: bool,
    /// How many hours before an interview its applicant can still choose, move or cancel it
    /// (0–168).
    #[serde(default = "Application::usual_notice")]
    pub interview_notice_hours: u16,
    /// Whether it is being deleted: with its submissions (true), or only if it has none (false). It
    /// is then invisible, and everything under it is being deleted.
    pub deleted: Option<bool>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it was last opened, or when its start or its activity was changed while it was not
    /// open; none if neither happened since it was created. It is not news before this (G3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening_set_at: Option<Timestamp>,
    /// When one of its questions was last changed; none if none was since it was created. Together
    /// with this, the version changes.
    #[serde(default)]
    pub questions_changed_at: Option<Timestamp>,
    /// Whether a decision was ever stored on one of its submissions (D7).
    #[serde(default)]
    pub is_decided: bool,
}

impl Application {
    /// Returns whether its deletion has begun, and is taken back if it gets a submission before it
    /// is decided (X14).
    pub(crate) fn may_be_deleted(&self) -> bool {
        self.deleted == Some(false)
    }

    /// The notice of applications that were stored before they had one.
    pub const NOTICE_HOURS: u16 = 12;

    fn usual_notice() -> u16 {
        Self::NOTICE_HOURS
    }

    /// Returns whether it accepts submissions at `now` from a person whose extension ends at
    /// `extended`.
    pub fn is_current(&self, now: DateTime<Utc>, extended: Option<Timestamp>) -> bool {
        let end = extended.map_or(self.end, |end| end.max(self.end));
        self.is_active && self.start.moment() <= now && now <= end.moment()
    }

    /// Notes at `now` whether its opening is another one than that of `old`, which it replaces.
    pub fn note_opening(&mut self, old: &Self, now: Timestamp) {
        let is_another = (self.start, self.is_active) != (old.start, old.is_active);
        let is_open = |one: &Self| one.window().is_open(now.moment());
        if !is_open(old) && (is_another || is_open(self)) {
            self.opening_set_at = Some(now);
        }
    }

    /// Returns whether its results were released at `now`, so that the release can no longer be
    /// moved to a time that is still to come (D7).
    pub fn is_released(&self, now: Timestamp) -> bool {
        self.is_decided && self.release <= now
    }

    /// Returns since when it is open, at the earliest.
    pub fn open_since(&self) -> Timestamp {
        let set_at = self.opening_set_at.unwrap_or(self.created_at);
        self.start.max(set_at)
    }

    /// Returns its submission window.
    pub fn window(&self) -> Window {
        let cut = |name: &str| name.chars().take(Window::NAME).collect();
        let committees = self.committees.iter().take(Window::COMMITTEES);
        Window {
            name: cut(&self.name),
            start: self.start,
            end: self.end,
            is_active: self.is_active,
            committees: committees.map(|committee| cut(&committee.name)).collect(),
        }
    }

    /// Returns the committee with this id.
    pub fn committee(&self, id: Id<of::Committee>) -> Option<&Committee> {
        self.committees.iter().find(|committee| committee.id == id)
    }
}

/// A part of the club that people can apply to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct Committee {
    /// Id of the committee.
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub id: Id<of::Committee>,
    /// Unique in its application; upper and lower case count as the same.
    pub name: String,
}

/// The long texts of an application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplicationTexts {
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Changes with every change of a text; 0 if there are no texts.
    pub version: u64,
    /// Clean HTML.
    pub description: String,
    /// Template; empty means the built-in text.
    pub acceptance_email: String,
    /// Template; empty means the built-in text.
    pub rejection_email: String,
    /// Template of the invitation to an interview; empty means the built-in text.
    #[serde(default)]
    pub interview_email: String,
    /// How the template of the acceptance was written.
    #[serde(default)]
    pub acceptance_format: TemplateFormat,
    /// How the template of the rejection was written.
    #[serde(default)]
    pub rejection_format: TemplateFormat,
    /// How the template of the invitation to an interview was written.
    #[serde(default)]
    pub interview_format: TemplateFormat,
}

/// How a template was written (E4).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TemplateFormat {
    /// Without a tag: its empty lines make paragraphs.
    Text,
    /// With tags, or stored by an earlier release.
    #[default]
    Html,
}

impl ApplicationTexts {
    /// Returns the texts of an application that has none.
    pub fn none(club: ClubCode, application: Id<of::Application>) -> Self {
        Self {
            club,
            application,
            version: 0,
            description: String::new(),
            acceptance_email: String::new(),
            rejection_email: String::new(),
            interview_email: String::new(),
            acceptance_format: TemplateFormat::Html,
            rejection_format: TemplateFormat::Html,
            interview_format: TemplateFormat::Html,
        }
    }
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

impl Application {
    /// Returns when the timer has to look at the drafts of this application; none if it is over.
    pub fn scheduled_task(&self, now: Timestamp) -> Option<ScheduledTask> {
        let what = TaskKind::Drafts {
            club: self.club.clone(),
            application: self.id,
            person: None,
        };
        let is_over = self.deleted.is_some() || !self.is_active || self.end <= now;
        (!is_over).then(|| ScheduledTask::new(draft_reminder_at(self.start, self.end), now, what))
    }
}
