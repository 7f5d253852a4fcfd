use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{ClubCode, Person, Window};
use crate::ids::Id;
use crate::time::Timestamp;

/// A club's recruitment form, as far as a submission or a decision needs it. Its questions and its
/// long texts are stored as separate items.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Application {
    /// Id of the application.
    pub id: Id<Application>,
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
    /// Whether it is being deleted: with its submissions (true), or only if it has none (false). It
    /// is then invisible, and everything under it is being deleted.
    pub deleted: Option<bool>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When one of its questions was last changed; none if none was since it was created. Together
    /// with this, the version changes.
    #[serde(default)]
    pub questions_changed_at: Option<Timestamp>,
}

impl Application {
    /// Returns whether it accepts submissions at `now` from a person whose extension ends at
    /// `extended`.
    pub fn is_current(&self, now: DateTime<Utc>, extended: Option<Timestamp>) -> bool {
        let end = extended.map_or(self.end, |end| end.max(self.end));
        self.is_active && self.start.moment() <= now && now <= end.moment()
    }

    /// Returns its submission window.
    pub fn window(&self) -> Window {
        Window {
            start: self.start,
            end: self.end,
            is_active: self.is_active,
        }
    }

    /// Returns the committee with this id.
    pub fn committee(&self, id: Id<Committee>) -> Option<&Committee> {
        self.committees.iter().find(|committee| committee.id == id)
    }
}

/// A part of the club that people can apply to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct Committee {
    /// Id of the committee.
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub id: Id<Committee>,
    /// Unique in its application; upper and lower case count as the same.
    pub name: String,
}

crate::models::enums::integer_enum! {
    /// The kind of answer to a question.
    QuestionType {
        /// A long text.
        FreeResponse = 1,
        /// One of the options.
        MultipleChoice = 2,
        /// A short text.
        ShortAnswer = 3,
        /// Information only, without an answer.
        InfoText = 4,
    }
}

/// An option of a multiple-choice question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct Choice {
    /// Id of the option.
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub id: Id<Choice>,
    /// Text of the option.
    pub value: String,
}

/// A question as it is now.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Question {
    /// Id of the question.
    pub id: Id<Question>,
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the application.
    pub application: Id<Application>,
    /// Changes with every change.
    pub version: u64,
    /// Position in the form; lower numbers come first.
    pub precedence: i32,
    /// Whether the question is only for some committees.
    pub committee_question: bool,
    /// Ids of those committees.
    pub committees: Vec<Id<Committee>>,
    /// The part that applicants see, with its version.
    pub prompt: Prompt,
}

/// The part of a question that applicants see. A version never changes: an answer refers to the
/// version that it was given to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// Id of the question.
    pub question: Id<Question>,
    /// Id of the application.
    pub application: Id<Application>,
    /// Number of the version, from 1.
    pub version: u32,
    /// Kind of the question.
    pub question_type: QuestionType,
    /// Text of the question.
    pub text: String,
    /// Maximum number of words; 0 means no limit.
    pub word_limit: u32,
    /// Options of a multiple-choice question.
    pub options: Vec<Choice>,
}

/// A later end of an application for one person (A9).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Extension {
    /// Derived from the application and the person.
    pub id: Id<Extension>,
    /// Id of the application.
    pub application: Id<Application>,
    /// Code of the club. Extensions of earlier releases do not have it.
    #[serde(default)]
    pub club: Option<ClubCode>,
    /// Id of the user.
    pub person: Id<Person>,
    /// Their user name; a copy that is updated with the profile.
    pub username: String,
    /// The id of the request that created it ([`crate::http::NewId`]). A repeated request
    /// recognises its own result by it, and a late deletion meant for an older one does not delete
    /// this one.
    pub creation: u64,
    /// A new value with every change.
    pub version: u64,
    /// Until when the person may submit.
    pub end: Timestamp,
}

/// The long texts of an application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplicationTexts {
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the application.
    pub application: Id<Application>,
    /// Changes with every change of a text; 0 if there are no texts.
    pub version: u64,
    /// Clean HTML.
    pub description: String,
    /// Template; empty means the built-in text.
    pub acceptance_email: String,
    /// Template; empty means the built-in text.
    pub rejection_email: String,
}

impl ApplicationTexts {
    /// Returns the texts of an application that has none.
    pub fn none(club: ClubCode, application: Id<Application>) -> Self {
        Self {
            club,
            application,
            version: 0,
            description: String::new(),
            acceptance_email: String::new(),
            rejection_email: String::new(),
        }
    }
}

/// An application with its questions and its texts.
#[derive(Debug, Clone)]
pub struct WholeForm {
    /// The application with its questions.
    pub form: Form,
    /// Its texts.
    pub texts: ApplicationTexts,
}

/// An application with its questions in the order of display.
#[derive(Debug, Clone)]
pub struct Form {
    /// The application.
    pub application: Application,
    /// Its questions, in the order of display.
    pub questions: Vec<Question>,
}

impl Form {
    /// Removes deleted committees from the questions. A question that was only for deleted
    /// committees becomes a question for everybody.
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

    /// Returns the question with this id.
    pub fn question(&self, id: Id<Question>) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }
}
