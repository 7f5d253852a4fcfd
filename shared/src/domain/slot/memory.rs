//! Where slots are: their application never changes, so it is remembered. Then a booking reads
//! everything at once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::domain::application::model::Application;
use crate::domain::slot::model::Slot;
use crate::ids::Id;
use crate::text::ClubCode;

/// The applications of slots, by the id of the slot.
#[derive(Default)]
pub struct KnownSlots(Mutex<HashMap<Id<Slot>, Place>>);

/// The club and the application of a slot.
type Place = (ClubCode, Id<Application>);

/// How many slots are remembered.
const REMEMBERED: usize = 20_000;

impl KnownSlots {
    /// Remembers slots.
    pub fn saw(&self, slots: &[Slot]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + slots.len() > REMEMBERED {
            known.clear();
        }
        let places = slots.iter();
        known.extend(places.map(|slot| (slot.id, (slot.club.clone(), slot.application))));
    }

    /// Returns the application of a slot, if it is known.
    pub fn application(&self, slot: Id<Slot>) -> Option<Place> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&slot).cloned()
    }
}
