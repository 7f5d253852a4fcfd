//! Where slots and submissions are, and what their applicants had booked. The application of a slot
//! and of a submission never changes, so it is remembered: a booking then reads everything at once.
//! What was booked may have changed since, so it only says what to read in the same round.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::application::model::Application;
use crate::domain::slot::model::Slot;
use crate::domain::submission::model::Submission;
use crate::ids::Id;
use crate::text::ClubCode;

/// What this process has seen of slots, and of submissions.
#[derive(Default)]
pub struct SlotCache {
    slots: Mutex<HashMap<Id<Slot>, ApplicationKey>>,
    submissions: Mutex<HashMap<Id<Submission>, SeenSubmission>>,
}

/// The club and the application of a slot or a submission.
pub type ApplicationKey = (ClubCode, Id<Application>);

/// The slots that somebody had booked, each with its application.
pub type BookedSlots = Arc<[(Id<Application>, Id<Slot>)]>;

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

fn remember<K: Hash + Eq, V>(
    cache: &Mutex<HashMap<K, V>>,
    new: impl ExactSizeIterator<Item = (K, V)>,
) {
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    if cache.len() + new.len() > REMEMBERED {
        cache.clear();
    }
    cache.extend(new);
}

fn recall<K: Hash + Eq, V: Clone>(cache: &Mutex<HashMap<K, V>>, key: &K) -> Option<V> {
    let cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    cache.get(key).cloned()
}

impl SlotCache {
    /// Remembers slots.
    pub fn saw(&self, slots: &[Slot]) {
        let application_key = |slot: &Slot| (slot.id, (slot.club.clone(), slot.application));
        remember(&self.slots, slots.iter().map(application_key));
    }

    /// Remembers a submission, and the slots that its applicant has booked.
    pub fn saw_submission(&self, submission: &Submission, booked: BookedSlots) {
        let application_key = (submission.club.clone(), submission.application);
        let seen = SeenSubmission {
            application_key,
            booked,
        };
        remember(&self.submissions, [(submission.id, seen)].into_iter());
    }

    /// Returns the application of a slot, if it is known.
    pub fn application(&self, slot: Id<Slot>) -> Option<ApplicationKey> {
        recall(&self.slots, &slot)
    }

    /// Returns what was seen of a submission.
    pub fn submission(&self, submission: Id<Submission>) -> Option<SeenSubmission> {
        recall(&self.submissions, &submission)
    }
}
