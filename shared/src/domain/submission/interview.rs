//! The interview of a submission, which is a part of it.

use serde::{Deserialize, Serialize};

use crate::domain::slot::model::Slot;
use crate::ids::{Id, of};
use crate::time::Timestamp;

/// The interview of a submission: whether its applicant is invited, and what is booked (K5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interview {
    /// The sequence of the submission that was invited. After a withdrawal and a new submission it
    /// is another one.
    pub sequence: u64,
    /// The slot that is booked.
    pub slot: Option<Id<of::Slot>>,
    /// When it was booked.
    pub booked_at: Option<Timestamp>,
    /// Whether the applicant came, if an officer has noted it.
    pub attended: Option<bool>,
    /// The order number of the request that booked, moved or cancelled last.
    pub received: u64,
    /// Together with the revision of the slot: the number (`SEQUENCE`) of the last calendar file.
    /// Without a slot: this number itself.
    pub file: i64,
    /// When the applicant was last invited, if they had been told a decision before. That decision
    /// does not end this interview.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invited_at: Option<Timestamp>,
    /// A rejection that the applicant may know since this time does not end it: an officer booked
    /// after that, in the same second (K8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Timestamp>,
    /// Whether it ended because the applicant was told a rejection (K9).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over: bool,
}

impl Interview {
    /// Returns the interview of somebody who is invited and has booked nothing. `calendar_file` is
    /// the number of the last calendar file of an earlier interview; 0 if there was none.
    pub fn invited(sequence: u64, calendar_file: u32) -> Self {
        Self {
            sequence,
            slot: None,
            booked_at: None,
            attended: None,
            received: 0,
            file: i64::from(calendar_file),
            invited_at: None,
            kept: None,
            over: false,
        }
    }

    /// Returns the interview after somebody was invited once more, because it may have ended.
    /// Calendar files go on with their numbers.
    #[must_use]
    pub fn again(&self, invited_at: Option<Timestamp>) -> Self {
        Self {
            slot: None,
            booked_at: None,
            attended: None,
            invited_at,
            kept: None,
            over: false,
            ..self.clone()
        }
    }

    /// Returns whether a rejection that the applicant may know since this time ends it (K8).
    pub fn is_before(&self, rejection: Timestamp) -> bool {
        self.kept != Some(rejection) && self.booked_at.is_none_or(|at| at <= rejection)
    }

    /// Returns the number of the next calendar file. `slot` is the one that is booked now.
    pub fn next_file(&self, slot: Option<&Slot>) -> i64 {
        self.file + slot.map_or(0, |slot| i64::from(slot.revision)) + 1
    }

    /// Returns the interview after it was booked, or moved from the slot `from`.
    #[must_use]
    pub fn booked(&self, from: Option<&Slot>, to: &Slot, received: u64, at: Timestamp) -> Self {
        Self {
            slot: Some(to.id),
            booked_at: Some(at),
            attended: None,
            received,
            file: self.next_file(from) - i64::from(to.revision),
            kept: None,
            over: false,
            ..self.clone()
        }
    }

    /// Returns the interview after its place in the slot `from` was released.
    #[must_use]
    pub fn after_release(&self, from: &Slot, received: u64) -> Self {
        Self {
            slot: None,
            booked_at: None,
            attended: None,
            received: received.max(self.received),
            file: self.next_file(Some(from)),
            kept: None,
            ..self.clone()
        }
    }
}
