use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{ClubCode, Person, Window, integer_enum};
use crate::ids::Id;
use crate::time::Timestamp;

/// An application: a club's recruitment form. Its questions stand beside it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Application {
    /// Application id.
    pub id: Id<Application>,
    /// Club code.
    pub club: ClubCode,
    /// Moves with every change.
    pub version: u64,
    /// Name.
    pub name: String,
    /// HTML, cleaned.
    pub description: String,
    /// Opens.
    pub start: Timestamp,
    /// Closes.
    pub end: Timestamp,
    /// Decisions are shown from here on.
    pub release: Timestamp,
    /// Switched on.
    pub is_active: bool,
    /// A form elsewhere.
    pub external_url: Option<String>,
    /// Template; empty for the built-in text.
    pub acceptance_email: String,
    /// Template; empty for the built-in text.
    pub rejection_email: String,
    /// Committees that one can apply to.
    pub committees: Vec<Committee>,
    /// Being deleted, with its submissions (true) or as long as it has none (false): invisible, and
    /// what is under it goes.
    pub deleted: Option<bool>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Last change.
    pub updated_at: Timestamp,
}

impl Application {
    /// Whether it takes submissions at `now`, from somebody whose extension ends at `extended`.
    pub fn is_current(&self, now: DateTime<Utc>, extended: Option<Timestamp>) -> bool {
        let end = extended.map_or(self.end, |end| end.max(self.end));
        self.is_active && self.start.moment() <= now && now <= end.moment()
    }

    /// Its window, while it is switched on.
    pub fn window(&self) -> Option<Window> {
        self.is_active.then_some(Window {
            start: self.start,
            end: self.end,
        })
    }

    /// One of its committees.
    pub fn committee(&self, id: Id<Committee>) -> Option<&Committee> {
        self.committees.iter().find(|committee| committee.id == id)
    }
}

/// A part of the club that applicants choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct Committee {
    /// Committee id.
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub id: Id<Committee>,
    /// Unique in its application, whatever the case.
    pub name: String,
}

integer_enum! {
    /// What kind of answer a question wants.
    QuestionType {
        /// A long text.
        FreeResponse = 1,
        /// One of the options.
        MultipleChoice = 2,
        /// A short text.
        ShortAnswer = 3,
        /// No answer.
        InfoText = 4,
    }
}

/// An option of a multiple-choice question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct Choice {
    /// Option id.
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub id: Id<Choice>,
    /// Its text.
    pub value: String,
}

/// A question as it is now.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Question {
    /// Question id.
    pub id: Id<Question>,
    /// Club code.
    pub club: ClubCode,
    /// Application id.
    pub application: Id<Application>,
    /// Moves with every change.
    pub version: u64,
    /// Order of display; lower comes first.
    pub precedence: i32,
    /// Whether it is for some committees only.
    pub committee_question: bool,
    /// Those committees.
    pub committees: Vec<Id<Committee>>,
    /// What applicants see, and its version.
    pub prompt: Prompt,
}

/// What applicants see of a question. A version never changes: answers point at the one that they
/// were given to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// Question id.
    pub question: Id<Question>,
    /// Application id.
    pub application: Id<Application>,
    /// From 1.
    pub version: u32,
    /// Kind.
    pub question_type: QuestionType,
    /// Text.
    pub text: String,
    /// Words allowed; 0 is no limit.
    pub word_limit: u32,
    /// Options of a multiple-choice question.
    pub options: Vec<Choice>,
}

/// A later end of an application for one person (A9).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Extension {
    /// Derived from application and person.
    pub id: Id<Extension>,
    /// Application id.
    pub application: Id<Application>,
    /// User id.
    pub person: Id<Person>,
    /// Their user name; kept equal to the profile.
    pub username: String,
    /// The id of the request that made it ([`crate::http::NewId`]): a repeat finds its own work by
    /// it, and a late deletion of an older one does not meet this one.
    pub creation: u64,
    /// Made anew with every change.
    pub version: u64,
    /// Until when they may submit.
    pub end: Timestamp,
}

/// An application with its questions in the order in which they are shown.
#[derive(Debug, Clone)]
pub struct Form {
    /// The application.
    pub application: Application,
    /// Its questions.
    pub questions: Vec<Question>,
}

impl Form {
    /// Lets questions forget committees that are gone; one that was for these alone is for all.
    pub fn settle_committees(&mut self) {
        let Self {
            application,
            questions,
        } = self;
        for question in questions {
            question
                .committees
                .retain(|id| application.committee(*id).is_some());
            question.committee_question &= !question.committees.is_empty();
        }
    }

    /// One of its questions.
    pub fn question(&self, id: Id<Question>) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }
}
