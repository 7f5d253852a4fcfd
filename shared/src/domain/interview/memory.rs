//! Where slots and submissions are, and what their applicants had booked. The application of a slot
//! and of a submission never changes, so it is remembered: a booking then reads everything at once.
//! What was booked may have changed since, so it only says what to read in the same round.

use std::sync::Arc;

use quick_cache::sync::Cache;

use crate::domain::slot::model::Slot;
use crate::domain::submission::model::Submission;
use crate::ids::{Id, of};
use crate::text::ClubCode;

/// What this process has seen of slots, and of submissions.
pub struct SlotCache {
    slots: Cache<Id<of::Slot>, ApplicationKey>,
    submissions: Cache<Id<of::Submission>, SeenSubmission>,
}

impl Default for SlotCache {
    fn default() -> Self {
        Self {
            slots: Cache::new(REMEMBERED),
            submissions: Cache::new(REMEMBERED),
        }
    }
}

/// The club and the application of a slot or a submission.
pub type ApplicationKey = (ClubCode, Id<of::Application>);

/// The slots that somebody had booked, each with its application.
pub type BookedSlots = Arc<[(Id<of::Application>, Id<of::Slot>)]>;

/// What was seen of a submission.
#[derive(Debug, Clone)]
pub struct SeenSubmission {
    /// Its club and application.
    pub application_key: ApplicationKey,
    /// The slots that its applicant had booked, this submission's own included.
    pub booked: BookedSlots,
}

/// How many slots are remembered, and how many submissions.
const REMEMBERED: usize = 20_000;

impl SlotCache {
    /// Remembers slots.
    pub fn saw(&self, slots: &[Slot]) {
        for slot in slots {
            let application_key = (slot.club.clone(), slot.application);
            self.slots.insert(slot.id, application_key);
        }
    }

    /// Remembers a submission, and the slots that its applicant has booked.
    pub fn saw_submission(&self, submission: &Submission, booked: BookedSlots) {
        let application_key = (submission.club.clone(), submission.application);
        let seen = SeenSubmission {
            application_key,
            booked,
        };
        self.submissions.insert(submission.id, seen);
    }

    /// Returns the application of a slot, if it is known.
    pub fn application(&self, slot: Id<of::Slot>) -> Option<ApplicationKey> {
        self.slots.get(&slot)
    }

    /// Returns what was seen of a submission.
    pub fn submission(&self, submission: Id<of::Submission>) -> Option<SeenSubmission> {
        self.submissions.get(&submission)
    }
}
