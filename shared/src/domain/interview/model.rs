use serde::{Deserialize, Serialize};

use crate::ids::{Id, of};
use crate::text::ClubCode;

/// What a person has booked for a submission. It is beside their profile, so that all their
/// bookings are found with one query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booking {
    /// Id of the person.
    pub person: Id<of::Person>,
    /// Id of the submission, as a number.
    pub submission: u64,
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the slot.
    pub slot: Id<of::Slot>,
    /// The order number of the request that booked it.
    #[serde(default)]
    pub received: u64,
    /// Another number after each change of what the calendar shows
    /// ([`crate::domain::CalendarPart`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar_revision: Option<u64>,
}
