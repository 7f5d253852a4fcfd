use serde::{Deserialize, Serialize};

use crate::domain::application::model::Application;
use crate::ids::{Id, of};
use crate::text::ClubCode;

crate::text::enums::integer_enum! {
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
        /// A file.
        File = 5,
    }
}

crate::text::enums::text_enum! {
    /// The format of a file that a question takes (U1).
    FileFormat {
        /// `application/pdf`
        Pdf,
        /// `image/png`
        Png,
        /// `image/jpeg`
        Jpeg,
    }
}

impl FileFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Pdf, Self::Png, Self::Jpeg];

    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
        }
    }

    /// Returns the format of a media type.
    pub fn of(media_type: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|one| one.media_type() == media_type)
    }

    /// Returns what names of its files end in; the first is the usual one.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Pdf => &[".pdf"],
            Self::Png => &[".png"],
            Self::Jpeg => &[".jpg", ".jpeg"],
        }
    }

    /// Returns the name that a file is handed out with: it ends as the format does, so that no
    /// program is opened under the name of a document (U8). At most 255 characters.
    pub fn named(self, name: &str) -> String {
        let lower = name.to_lowercase();
        if self.endings().iter().any(|ending| lower.ends_with(ending)) {
            return name.to_owned();
        }
        let ending = self.endings().first().copied().unwrap_or_default();
        let begin: String = name
            .chars()
            .take(crate::limits::NAME - ending.len())
            .collect();
        begin + ending
    }

    /// Returns whether a file that begins with these bytes may be of this format (U4). Readers of
    /// PDF accept a few bytes before the header.
    pub fn fits(self, first: &[u8]) -> bool {
        match self {
            Self::Pdf => {
                let header = b"%PDF-";
                let begin = first.len().min(1_023 + header.len());
                first[..begin]
                    .windows(header.len())
                    .any(|one| one == header)
            }
            Self::Png => first.starts_with(b"\x89PNG\r\n\x1a\n"),
            Self::Jpeg => first.starts_with(&[0xff, 0xd8, 0xff]),
        }
    }
}

/// The files that a question takes (U1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRule {
    /// The formats, at least one.
    pub formats: Vec<FileFormat>,
    /// The largest size, in MiB, from 1 to 10.
    pub max_mb: u32,
    /// Whether a photo may be made smaller before it is sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shrink_photos: bool,
}

impl FileRule {
    /// Returns the largest size, in bytes.
    pub fn max_bytes(&self) -> u64 {
        u64::from(self.max_mb) * 1024 * 1024
    }
}

impl Default for FileRule {
    fn default() -> Self {
        Self {
            formats: vec![FileFormat::Pdf],
            max_mb: 5,
            shrink_photos: false,
        }
    }
}

/// An option of a multiple-choice question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct Choice {
    /// Id of the option.
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub id: Id<of::Choice>,
    /// Text of the option.
    pub value: String,
}

/// A condition: the question is asked only of those who chose one of these options (Q8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct ShowIf {
    /// Id of a multiple-choice question of the same application.
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub question: Id<of::Question>,
    /// Ids of some of its options.
    #[cfg_attr(feature = "api", schema(value_type = Vec<u64>))]
    pub options: Vec<Id<of::Choice>>,
}

impl Question {
    /// Returns how large the question is in memory and in the table, in bytes (roughly).
    pub(crate) fn size(&self) -> usize {
        let options = self.prompt.options.iter();
        let texts = options.map(|option| option.value.len() + 40).sum::<usize>();
        let condition = self.prompt.show_if.as_ref();
        let condition = condition.map_or(0, |show_if| show_if.options.len() * 8);
        self.prompt.text.len() + texts + condition + 300
    }
}

/// A question as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Id of the question.
    pub id: Id<of::Question>,
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Changes with every change.
    pub version: u64,
    /// Position in the form; lower numbers come first.
    pub precedence: i32,
    /// Whether the question is only for some committees.
    pub committee_question: bool,
    /// Ids of those committees.
    pub committees: Vec<Id<of::Committee>>,
    /// The part that applicants see, with its version.
    pub prompt: Prompt,
}

impl Question {
    /// A new free-response question for everybody, without a text.
    pub fn blank(application: &Application, id: Id<of::Question>) -> Self {
        Self {
            id,
            club: application.club.clone(),
            application: application.id,
            version: 1,
            precedence: 0,
            committee_question: false,
            committees: vec![],
            prompt: Prompt {
                question: id,
                application: application.id,
                version: 1,
                question_type: QuestionType::FreeResponse,
                text: String::new(),
                word_limit: 0,
                options: vec![],
                show_if: None,
                required: false,
                file: None,
            },
        }
    }

    /// Returns whether the question is for people who apply to this committee.
    pub fn is_for(&self, committee: Option<Id<of::Committee>>) -> bool {
        !self.committee_question || committee.is_some_and(|id| self.committees.contains(&id))
    }

    /// Returns whether whoever this question is for, `other` is for, too.
    pub fn is_within(&self, other: &Self) -> bool {
        let is_shared = |id: &Id<of::Committee>| other.committees.contains(id);
        !other.committee_question
            || (self.committee_question && self.committees.iter().all(is_shared))
    }
}

/// The part of a question that applicants see. A version never changes: an answer refers to the
/// version that it was given to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// Id of the question.
    pub question: Id<of::Question>,
    /// Id of the application.
    pub application: Id<of::Application>,
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
    /// Whom it is asked of; none means everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_if: Option<ShowIf>,
    /// Whether a submission needs an answer to it, while it is asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// What a question for a file takes; none for other questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileRule>,
}
