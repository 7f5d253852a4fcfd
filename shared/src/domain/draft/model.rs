use serde::{Deserialize, Serialize};

use crate::ids::{Id, of};
use crate::time::Timestamp;

/// One answer of a draft (N1). Each answer is an item of its own, so that saving it is one small
/// write, and two devices conflict only if they change the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftAnswer {
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the user.
    pub person: Id<of::Person>,
    /// The committee that the draft is for; none if it is for none.
    pub committee: Option<Id<of::Committee>>,
    /// Id of the question.
    pub question: Id<of::Question>,
    /// Increases with every change, also with a removal.
    pub version: u32,
    /// Answer to a free-response or short-answer question.
    pub text: Option<String>,
    /// Answer to a multiple-choice question: the id of the option.
    pub option: Option<Id<of::Choice>>,
    /// Answer to a question for a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Id<of::Upload>>,
    /// The order number of the request that wrote it. A submission that was received later ends the
    /// draft (N5).
    #[serde(default)]
    pub received: u64,
    /// When it was written.
    pub updated_at: Timestamp,
    /// When the table may delete it, in seconds since 1970.
    pub expires: i64,
}

impl DraftAnswer {
    /// Returns whether the answer was removed. The item stays, so that its version never comes
    /// again.
    pub fn is_removed(&self) -> bool {
        self.text.is_none() && self.option.is_none() && self.file.is_none()
    }

    /// Returns whether the answer belongs to a draft that can still be used: it has not expired,
    /// and nothing was submitted since. `submitted` is the order number of the last submission.
    pub fn is_live(&self, submitted: u64, now: Timestamp) -> bool {
        self.received > submitted && self.expires > now.epoch_seconds()
    }
}

/// Tells that a draft has answers, which are elsewhere: for lists, which would otherwise have to
/// read all of them, and for the timer. It is there from the first answer until the last one is
/// removed. What was submitted since does not remove it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunDraft {
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the person.
    pub person: Id<of::Person>,
    /// The committee that the draft is for.
    pub committee: Option<Id<of::Committee>>,
    /// When its first answer was saved.
    pub begun_at: Timestamp,
    /// The order number of the request that saved it. A submission that was received later ends the
    /// draft (N5).
    pub received: u64,
    /// When the table may delete it, in seconds since 1970.
    pub expires: i64,
}

impl BegunDraft {
    /// Returns whether the draft has neither expired nor been submitted. `submitted` is the order
    /// number of the last submission.
    pub fn is_live(&self, submitted: u64, now: Timestamp) -> bool {
        self.received > submitted && self.expires > now.epoch_seconds()
    }
}
