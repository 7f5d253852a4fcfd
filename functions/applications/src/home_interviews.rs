//! The interviews of the caller on their home page

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::Context;
use shared::bodies::ClubNameBody;
use shared::bodies::{InterviewBody, committee_of};
use shared::domain::{Application, Club, Slot, Submission};
use shared::ids::{Id, of};
use shared::text::ClubCode;
use utoipa::ToSchema;

/// An interview of the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct HomeInterviewBody {
    /// Id of the submission.
    #[schema(value_type = u64)]
    id: Id<of::Submission>,
    /// Name of the application.
    name: String,
    /// The club.
    club: ClubNameBody,
    /// Name of the committee, or null.
    committee: Option<String>,
    /// The interview.
    interview: InterviewBody,
}

/// The interviews that are to be chosen, and those that are not over.
pub(crate) fn interviews_of(
    app: &Context,
    submissions: &[&Submission],
    applications: &HashMap<Id<of::Application>, Application>,
    slots: &HashMap<Id<of::Slot>, Slot>,
    clubs: &HashMap<&ClubCode, &Club>,
    now: DateTime<Utc>,
) -> Vec<HomeInterviewBody> {
    let show = |submission: &&Submission| {
        let application = applications.get(&submission.application)?;
        let interview = InterviewBody::of(submission, application, slots, now)?;
        let slot = submission.booked().and_then(|id| slots.get(&id));
        let is_over = slot.is_some_and(|slot| slot.end.moment() < now);
        let club = clubs.get(&submission.club)?;
        let body = HomeInterviewBody {
            id: submission.id,
            name: application.name.clone(),
            club: ClubNameBody::new(club, &app.media),
            committee: committee_of(submission, application).map(|committee| committee.name),
            interview,
        };
        let is_shown = !is_over && !submission.is_interview_over(application, now);
        is_shown.then(|| (slot.map(|slot| slot.start), body))
    };
    let mut shown: Vec<_> = submissions.iter().filter_map(show).collect();
    shown.sort_by_key(|(start, body)| (*start, body.id));
    shown.into_iter().map(|(_, body)| body).collect()
}
