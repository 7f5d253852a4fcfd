//! The response body of an interview (K5).

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::{Application, Slot, Submission};
use crate::ids::{Id, of};
use crate::time::Timestamp;

crate::text::enums::text_enum! {
    /// How far an interview is.
    InterviewState {
        /// The applicant is invited to choose a slot.
        Invited,
        /// A slot is booked.
        Booked,
    }
}

/// The interview of a submission.
#[derive(Debug, Serialize, ToSchema)]
#[expect(
    clippy::option_option,
    reason = "missing for applicants, null if nobody has noted it"
)]
pub struct InterviewBody {
    /// `invited` or `booked`.
    state: InterviewState,
    /// The booked slot, or null.
    slot: Option<BookedSlotBody>,
    /// Until when the applicant can move or cancel it. Null without a slot.
    changes_until: Option<Timestamp>,
    /// Whether the applicant came. Null if nobody has noted it. Missing if the caller sees it as
    /// the applicant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<bool>)]
    attended: Option<Option<bool>>,
}

/// A slot as the applicant who booked it sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct BookedSlotBody {
    /// Id of the slot.
    #[schema(value_type = u64)]
    id: Id<of::Slot>,
    /// When it begins.
    start_time: Timestamp,
    /// When it ends.
    end_time: Timestamp,
    /// Where it is, one line. If it is an https address, it can be shown as a link.
    location: String,
    /// The `SEQUENCE` of a calendar file about it: it rises with each change (K10).
    sequence: i64,
}

/// Returns until when applicants can book a slot, leave it or cancel it.
pub fn changes_until(slot: &Slot, application: &Application) -> Timestamp {
    let notice = i64::from(application.interview_notice_hours);
    slot.start.plus(-TimeDelta::hours(notice))
}

impl InterviewBody {
    /// Returns the interview of a submission; none before the invitation and after it ended by a
    /// rejection ([`Submission::shown_interview`]).
    pub fn of(
        submission: &Submission,
        application: &Application,
        slots: &HashMap<Id<of::Slot>, Slot>,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        let interview = submission.shown_interview(application, now)?;
        let slot = interview.slot.and_then(|id| slots.get(&id));
        Some(Self {
            state: match slot {
                Some(_) => InterviewState::Booked,
                None => InterviewState::Invited,
            },
            slot: slot.map(|slot| BookedSlotBody {
                id: slot.id,
                start_time: slot.start,
                end_time: slot.end,
                location: slot.location.clone(),
                sequence: interview.file + i64::from(slot.revision),
            }),
            changes_until: slot.map(|slot| changes_until(slot, application)),
            attended: None,
        })
    }

    /// Returns the interview as officers see it.
    #[must_use]
    pub fn with_attendance(self, submission: &Submission) -> Self {
        let attended = submission.interview().and_then(|found| found.attended);
        Self {
            attended: Some(attended),
            ..self
        }
    }
}
