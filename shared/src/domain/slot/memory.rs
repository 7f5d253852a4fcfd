//! Where slots and submissions are, and what their applicants had booked. The place of a slot and
//! of a submission never changes, so it is remembered: a booking then reads everything at once.
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
pub struct KnownSlots {
    slots: Mutex<HashMap<Id<Slot>, Place>>,
    submissions: Mutex<HashMap<Id<Submission>, SeenSubmission>>,
}

/// The club and the application of a slot or a submission.
pub type Place = (ClubCode, Id<Application>);

/// The slots that somebody had booked, each with its application.
pub type BookedPlaces = Arc<[(Id<Application>, Id<Slot>)]>;

/// What was seen of a submission.
#[derive(Debug, Clone)]
pub struct SeenSubmission {
    /// Its club and application.
    pub place: Place,
    /// The slots that its applicant had booked, this submission's own included.
    pub booked: BookedPlaces,
}

/// How many slots are remembered, and how many submissions.
const REMEMBERED: usize = 20_000;

fn remember<K: Hash + Eq, V>(
    known: &Mutex<HashMap<K, V>>,
    new: impl ExactSizeIterator<Item = (K, V)>,
) {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() + new.len() > REMEMBERED {
        known.clear();
    }
    known.extend(new);
}

fn recall<K: Hash + Eq, V: Clone>(known: &Mutex<HashMap<K, V>>, key: &K) -> Option<V> {
    let known = known.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(key).cloned()
}

impl KnownSlots {
    /// Remembers slots.
    pub fn saw(&self, slots: &[Slot]) {
        let place = |slot: &Slot| (slot.id, (slot.club.clone(), slot.application));
        remember(&self.slots, slots.iter().map(place));
    }

    /// Remembers a submission, and the slots that its applicant has booked.
    pub fn saw_submission(&self, submission: &Submission, booked: BookedPlaces) {
        let place = (submission.club.clone(), submission.application);
        let seen = SeenSubmission { place, booked };
        remember(&self.submissions, [(submission.id, seen)].into_iter());
    }

    /// Returns the application of a slot, if it is known.
    pub fn application(&self, slot: Id<Slot>) -> Option<Place> {
        recall(&self.slots, &slot)
    }

    /// Returns what was seen of a submission.
    pub fn submission(&self, submission: Id<Submission>) -> Option<SeenSubmission> {
        recall(&self.submissions, &submission)
    }
}
