//! `/clubs/{club}/applications/{application}/slots/series/`: many slots at once

use chrono::TimeDelta;
use shared::domain::{Application, Slot};
use shared::ids::Id;
use shared::reason::Reason;
use shared::text::kinds::{BreakMinutes, Line, List, Places, SlotMinutes, SlotNote};
use shared::time::Timestamp;
use shared::web::scopes::RecruitmentWrite;
use shared::web::{ApiError, Created, Input, Mode, NewId, Officer, Reader, Reference, Result};
use shared::{Context, limits};

use crate::slot_body::{SlotBody, SlotInput};
use crate::slot_store::{new_slot, store};

shared::input! {
    /// Slots of the same length, one after another.
    pub struct SeriesInput {
        /// When the first one begins.
        start_time: Timestamp, Required;
        /// When the last one ends at the latest: at most 24 hours later.
        end_time: Timestamp, Required;
        /// The length of each slot in minutes, from 5 to 480.
        minutes: SlotMinutes, Required;
        /// Minutes between two slots, from 0 to 480.
        break_minutes: BreakMinutes, Optional = 0;
        /// Where they are: one line, at most 255 characters.
        location: Line, Optional;
        /// How many people can book each, from 1 to 50.
        capacity: Places, Optional = 1;
        /// Id of the committee that they are for, or null for all.
        committee: Option<Reference>, Optional;
        /// User ids of those who hold the interviews: at most 10 members of the club.
        interviewers: List<Reference, { limits::INTERVIEWERS }>, Optional;
        /// A note of the officers, at most 2,000 characters.
        note: SlotNote, Optional;
    }
}

/// Create a series of slots.
///
/// For officers. All slots that fit between the two times, from 1 to 200. If none fits, or more,
/// nothing is made.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/slots/series/", tag = "interviews",
    security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    request_body = SeriesInput, responses((status = 201, body = Vec<SlotBody>))
)]
pub async fn create_slots(
    app: Context,
    scope: Officer<RecruitmentWrite, Application>,
    new: NewId,
    Input(input): Input<SeriesInput>,
) -> Result<Created<Vec<SlotBody>>> {
    let mut reader = Reader::new(Mode::Create);
    let mut first = new_slot(&scope.parent, new.0, new.0);
    let minutes = reader.get(input.minutes).unwrap_or(1);
    let pause = reader.get(input.break_minutes).unwrap_or_default();
    let fields = SlotInput {
        start_time: input.start_time,
        end_time: input.end_time,
        location: input.location,
        capacity: input.capacity,
        committee: input.committee,
        interviewers: input.interviewers,
        note: input.note,
    };
    let requested = fields.read(&mut reader, &scope.parent, &mut first);
    reader.finish()?;
    let (start, end) = (first.start, first.end);
    let (length, step) = (
        TimeDelta::minutes(minutes),
        TimeDelta::minutes(minutes + pause),
    );
    let starts = std::iter::successors(Some(start), |start| Some(start.plus(step)));
    let slots: Vec<Slot> = starts
        .map(|start| (start, start.plus(length)))
        .take_while(|(start, stop)| start < stop && *stop <= end)
        .take(limits::SERIES + 1)
        .enumerate()
        .map(|(n, (start, end))| Slot {
            id: Id::derived("slot", &[&new.0.to_string(), &n.to_string()]),
            start,
            end,
            ..first.clone()
        })
        .collect();
    if slots.is_empty() {
        let why = Reason::NoSlotFits;
        return Err(ApiError::field("minutes", why));
    }
    if slots.len() > limits::SERIES {
        let limit = limits::SERIES;
        let why = Reason::TooMany { limit };
        return Err(ApiError::field("minutes", why));
    }
    let (club, application, officer) = (scope.club.code, scope.parent.id, scope.user.id());
    let shown = store(&app, scope.parent, slots, requested).await?;
    Ok(Created {
        location: format!(
            "/api/clubs/{club}/applications/{application}/slots/?series={}",
            new.0
        ),
        body: shown.iter().map(|slot| slot.body(officer)).collect(),
    })
}
