use serde::{Deserialize, Serialize};

use crate::domain::question::model::FileFormat;
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// A file that somebody uploads, or has uploaded, for a question (U2). Its bytes are in the bucket:
/// the browser sends them there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    /// Id of the file.
    pub id: Id<of::Upload>,
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the person.
    pub person: Id<of::Person>,
    /// Id of the question.
    pub question: Id<of::Question>,
    /// Which of the person's [`crate::limits::UPLOADS`] numbers in this application it has.
    pub number: usize,
    /// Its name, at most 255 characters.
    pub name: String,
    /// Its size, in bytes.
    pub size: u64,
    /// Its format.
    pub format: FileFormat,
    /// Its SHA-256 in lower-case hexadecimal digits.
    pub sha256: String,
    /// When it was announced.
    pub created_at: Timestamp,
    /// The order number of the request that announced it.
    pub received: u64,
    /// Whether a submission has a copy of it.
    pub used: bool,
    /// Until when it can be used.
    pub kept_until: Timestamp,
}

impl Upload {
    /// How long an upload is kept that no draft names.
    pub const KEPT: chrono::TimeDelta = chrono::TimeDelta::days(7);
    /// The timer removes it within this time afterwards; then the table may.
    pub(crate) const REMOVED_WITHIN: chrono::TimeDelta = chrono::TimeDelta::days(7);
    /// When nothing arrives any more that was announced: the form takes bytes for
    /// [`Self::SENT_WITHIN`], and slow ones may need longer.
    pub const ARRIVED_WITHIN: chrono::TimeDelta = chrono::TimeDelta::hours(1);
    /// How long the address takes the bytes.
    pub const SENT_WITHIN: chrono::TimeDelta = chrono::TimeDelta::minutes(15);
}

crate::text::enums::text_enum! {
    /// Where a file is.
    FileState {
        /// Its bytes have not arrived.
        Waiting,
        /// Its bytes have arrived.
        Here,
        /// A submission has it.
        Used,
    }
}

/// A file that is an answer of a submission. The submission has a copy of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct AnswerFile {
    /// Id of the file.
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub id: Id<of::Upload>,
    /// Its name.
    pub name: String,
    /// Its size, in bytes.
    pub size: u64,
    /// Its media type.
    #[serde(rename = "type")]
    pub media_type: String,
    /// Its SHA-256 in lower-case hexadecimal digits.
    pub sha256: String,
}
