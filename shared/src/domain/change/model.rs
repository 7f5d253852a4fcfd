use std::collections::BTreeMap;

use chrono::{NaiveDate, TimeDelta};
use serde::{Deserialize, Serialize};

use crate::domain::ticket::model::TicketId;
use crate::domain::token::model::TokenScope;
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

crate::text::enums::text_enum! {
    /// What changed (Z6).
    ChangeType {
        /// An application was created.
        ApplicationCreated = "application.created",
        /// An application, one of its questions or of its committees was changed.
        ApplicationUpdated = "application.updated",
        /// An application was deleted.
        ApplicationDeleted = "application.deleted",
        /// Somebody submitted.
        SubmissionCreated = "submission.created",
        /// An applicant submitted again, or changed their profile.
        SubmissionUpdated = "submission.updated",
        /// An applicant withdrew their submission.
        SubmissionWithdrawn = "submission.withdrawn",
        /// A decision about a submission, or its reason, was stored.
        SubmissionDecided = "submission.decided",
        /// A submission was deleted: with its application, or because the applicant was erased.
        SubmissionDeleted = "submission.deleted",
        /// An interview was booked.
        InterviewIsBooked = "interview.booked",
        /// An interview has another slot, time or place.
        InterviewMoved = "interview.moved",
        /// A booked interview was cancelled.
        InterviewCancelled = "interview.cancelled",
        /// Somebody became a member.
        MemberAdded = "member.added",
        /// A membership or what it shows of the member was changed.
        MemberUpdated = "member.updated",
        /// Somebody is no longer a member.
        MemberRemoved = "member.removed",
        /// Somebody asked to join.
        RequestCreated = "request.created",
        /// A request to join was withdrawn, accepted or refused.
        RequestDeleted = "request.deleted",
        /// An event was created.
        EventCreated = "event.created",
        /// An event, its image or one of its showings was changed.
        EventUpdated = "event.updated",
        /// An event was deleted.
        EventDeleted = "event.deleted",
        /// A ticket became valid.
        TicketTaken = "ticket.taken",
        /// A valid ticket was given back or cancelled.
        TicketCancelled = "ticket.cancelled",
        /// Somebody was let in, or that was taken back.
        TicketCheckedIn = "ticket.checked_in",
        /// A ticket was handed over.
        TicketTransferred = "ticket.transferred",
        /// The club itself was changed, deleted or restored.
        ClubUpdated = "club.updated",
    }
}

crate::text::enums::text_enum! {
    /// What kind of object changed.
    ObjectType {
        /// An application.
        ApplicationObject = "application",
        /// A submission.
        SubmissionObject = "submission",
        /// The interview of a submission. It has the id of the submission.
        InterviewObject = "interview",
        /// A membership.
        MemberObject = "member",
        /// A membership request.
        RequestObject = "request",
        /// An event.
        EventObject = "event",
        /// A ticket. Its id is a text.
        TicketObject = "ticket",
        /// The club. Its id is its code.
        ClubObject = "club",
    }
}

impl ChangeType {
    /// Returns the kind of the object.
    pub fn object(self) -> ObjectType {
        match self {
            Self::ApplicationCreated | Self::ApplicationUpdated | Self::ApplicationDeleted => {
                ObjectType::ApplicationObject
            }
            Self::SubmissionCreated
            | Self::SubmissionUpdated
            | Self::SubmissionWithdrawn
            | Self::SubmissionDecided
            | Self::SubmissionDeleted => ObjectType::SubmissionObject,
            Self::InterviewIsBooked | Self::InterviewMoved | Self::InterviewCancelled => {
                ObjectType::InterviewObject
            }
            Self::MemberAdded | Self::MemberUpdated | Self::MemberRemoved => {
                ObjectType::MemberObject
            }
            Self::RequestCreated | Self::RequestDeleted => ObjectType::RequestObject,
            Self::EventCreated | Self::EventUpdated | Self::EventDeleted => ObjectType::EventObject,
            Self::TicketTaken
            | Self::TicketCancelled
            | Self::TicketCheckedIn
            | Self::TicketTransferred => ObjectType::TicketObject,
            Self::ClubUpdated => ObjectType::ClubObject,
        }
    }

    /// Returns the scope with which a token sees such a change.
    pub fn scope(self) -> TokenScope {
        match self.object() {
            ObjectType::ApplicationObject
            | ObjectType::SubmissionObject
            | ObjectType::InterviewObject => TokenScope::RecruitmentRead,
            ObjectType::MemberObject | ObjectType::RequestObject | ObjectType::TicketObject => {
                TokenScope::MembersRead
            }
            ObjectType::EventObject | ObjectType::ClubObject => TokenScope::ClubsRead,
        }
    }
}

/// A ticket, with the event and the showing that it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketKey {
    /// Id of the event.
    pub event: Id<of::Event>,
    /// Id of the showing.
    pub showing: Id<of::Showing>,
    /// Id of the ticket.
    pub ticket: TicketId,
}

/// What changed, as the stream of the table tells it. The same record of the stream always gives
/// the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChange {
    /// Names the record of the stream, and which of its changes this is.
    pub event: String,
    /// When the table stored it.
    pub at: Timestamp,
    /// What changed.
    pub change_type: ChangeType,
    /// Id of the object; none for the club itself.
    pub object: Option<u64>,
    /// Id of the application that the object belongs to; none if it belongs to none.
    pub application: Option<Id<of::Application>>,
    /// The ticket, if it is one. It has no number as an id.
    pub ticket: Option<TicketKey>,
    /// Id of the user who changed it; none if that is not known.
    pub by: Option<Id<of::Person>>,
}

/// A change of a club (Z6). Its number is one more than that of the change before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClubChange {
    /// Code of the club.
    pub club: ClubCode,
    /// Number in the club, from 1.
    pub number: u64,
    /// Id of the change.
    pub id: Id<of::ClubChange>,
    /// As in [`NewChange`].
    pub at: Timestamp,
    /// As in [`NewChange`].
    pub change_type: ChangeType,
    /// As in [`NewChange`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<u64>,
    /// As in [`NewChange`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<Id<of::Application>>,
    /// As in [`NewChange`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<TicketKey>,
    /// As in [`NewChange`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Id<of::Person>>,
    /// When the table may delete it, in seconds since 1970.
    pub expires: i64,
}

impl ClubChange {
    /// Returns the id of the change that an event names.
    pub(crate) fn id_of(event: &str) -> Id<of::ClubChange> {
        Id::derived("change", &[event])
    }
}

impl Object {
    /// Returns the path of the object in the API.
    pub fn path(&self) -> String {
        let club = &self.club;
        let id = self.id.unwrap_or_default();
        let application = self.application.map(|id| id.to_string());
        let application = application.unwrap_or_default();
        let submission =
            || format!("/api/clubs/{club}/applications/{application}/submissions/{id}/");
        match self.object_type {
            ObjectType::ApplicationObject => format!("/api/clubs/{club}/applications/{id}/"),
            ObjectType::SubmissionObject => submission(),
            ObjectType::InterviewObject => format!("{}interview/", submission()),
            ObjectType::MemberObject => format!("/api/clubs/{club}/members/{id}/"),
            ObjectType::RequestObject => format!("/api/clubs/{club}/membershiprequests/{id}/"),
            ObjectType::EventObject => format!("/api/clubs/{club}/events/{id}/"),
            ObjectType::TicketObject => {
                let of = self.ticket.map(|of| (of.event.get(), of.showing.get()));
                let (event, showing) = of.unwrap_or_default();
                format!("/api/clubs/{club}/events/{event}/showings/{showing}/tickets/")
            }
            ObjectType::ClubObject => format!("/api/clubs/{club}/"),
        }
    }
}

/// An object that changed.
#[derive(Debug, Clone)]
pub struct Object {
    /// Code of the club.
    pub club: ClubCode,
    /// What kind of object it is.
    pub object_type: ObjectType,
    /// As in [`NewChange::object`].
    pub id: Option<u64>,
    /// As in [`NewChange`].
    pub application: Option<Id<of::Application>>,
    /// As in [`NewChange`].
    pub ticket: Option<TicketKey>,
}

impl From<&ClubChange> for Object {
    fn from(change: &ClubChange) -> Self {
        Self {
            club: change.club.clone(),
            object_type: change.change_type.object(),
            id: change.object,
            application: change.application,
            ticket: change.ticket,
        }
    }
}

/// How many changes of a club were stored, and where each of the last days begins.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChangeCount {
    /// Code of the club.
    pub club: ClubCode,
    /// Number of the last change.
    pub last: u64,
    /// Id of the last change; none before the first one.
    pub last_change: Option<Id<of::ClubChange>>,
    /// The first number of each day (UTC) on which changes were stored.
    pub days: BTreeMap<NaiveDate, u64>,
}

impl ChangeCount {
    /// How long changes are kept. Those of one day (UTC) go together, when the last one of them is
    /// so old.
    pub const KEPT: TimeDelta = TimeDelta::days(30);

    /// Returns the count of a club without changes.
    pub fn none(club: ClubCode) -> Self {
        Self {
            club,
            last: 0,
            last_change: None,
            days: BTreeMap::new(),
        }
    }

    /// Returns the first day of which changes are kept.
    fn first_day(now: Timestamp) -> NaiveDate {
        (now.moment() - Self::KEPT).date_naive()
    }

    /// Returns the number of the first change that is kept; the next number if none is.
    pub fn first_kept(&self, now: Timestamp) -> u64 {
        // Clocks of two processes may be on both sides of midnight.
        let kept = self.days.range(Self::first_day(now)..);
        let first = kept.map(|(_, first)| *first).min();
        first.unwrap_or(self.last + 1)
    }

    /// Returns the count after these changes. They have the next numbers.
    #[must_use]
    pub fn after(&self, more: &[ClubChange], now: Timestamp) -> Self {
        let last = more.last();
        let kept = self.days.range(Self::first_day(now)..);
        let mut days: BTreeMap<NaiveDate, u64> = kept.map(|(day, n)| (*day, *n)).collect();
        days.entry(now.moment().date_naive())
            .or_insert(self.last + 1);
        Self {
            club: self.club.clone(),
            last: last.map_or(self.last, |change| change.number),
            last_change: last.map_or(self.last_change, |change| Some(change.id)),
            days,
        }
    }
}

/// Says for two days that the changes of a record of the stream are stored, so that a record that
/// comes again is not stored again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RecordedChange {
    /// As in [`NewChange`].
    pub event: String,
    /// When the table may delete it, in seconds since 1970.
    pub expires: i64,
}

impl RecordedChange {
    /// The stream keeps its records for a day.
    pub const KEPT: TimeDelta = TimeDelta::days(2);
}
