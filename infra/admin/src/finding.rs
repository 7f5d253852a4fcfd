//! Findings, and what repairs them if the right value follows from other items.

use serde_json::Value;
use shared::domain::Attachment;

/// An error in a table.
#[derive(Debug, Clone)]
pub struct Finding {
    /// A sentence about the error. It names items by ids only.
    pub text: String,
    /// The repair, if it follows from other items.
    pub repair: Option<Repair>,
}

/// A write that repairs an error. `apply` looks again before it writes, because a scan shows items
/// of different moments.
#[derive(Debug, Clone)]
pub enum Repair {
    /// Stores an entry that is missing beside another item.
    PutEntry(Value),
    /// Deletes an entry that leads to nothing.
    DeleteEntry(Value),
    /// Deletes what remained of a withdrawn submission after its application was deleted.
    DeleteWithdrawal(Value),
    /// Deletes answers that no submission names.
    DeleteAnswers(Value),
    /// Deletes a file that no submission has, and its entry.
    DeleteFile(Attachment),
    /// Deletes an upload in the bucket that nobody has.
    DeleteUpload(String),
    /// Stores an entry for the timer. One too many does no harm: it only says when to look.
    PutTask(Value),
    /// Takes or frees a place in a slot, as the submission says.
    SetSeat {
        /// The slot as it was read.
        slot: Value,
        /// The id of the submission.
        submission: u64,
    },
    /// Deletes a review of a submission that was withdrawn.
    DeleteReview(Value),
    /// Deletes the questions and prompts of a copy of an application that was interrupted. The
    /// first one is a question.
    DeleteDuplicate(Vec<Value>),
    /// Stores the versions of the catalogue.
    PutVersions(Value),
    /// Sets the version of a segment of the catalogue that has none.
    SetVersion {
        /// The versions as they were read.
        item: Value,
        /// The name of the segment.
        segment: String,
        /// The new version.
        value: Value,
    },
    /// Sets a counter, or something else that follows from items which the scan read.
    SetCount {
        /// The item as it was read.
        item: Value,
        /// The name of the attribute.
        attribute: &'static str,
        /// The right value.
        value: Value,
    },
}

impl From<String> for Finding {
    fn from(text: String) -> Self {
        Self { text, repair: None }
    }
}
