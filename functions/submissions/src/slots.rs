//! `/clubs/{club}/applications/{application}/slots/`, `…/{slot}/` and `…/series/`, many slots at
//! once (K1, K3, K4)

use axum::Json;
use chrono::TimeDelta;
use shared::bookings::release_all_bookings;
use shared::db::{Refusal, TableError};
use shared::domain::{Application, AppointmentNews, Club, Mail, Slot, SlotChange};
use shared::ids::{Id, of};
use shared::mail::appointment;
use shared::reason::Reason;
use shared::text::kinds::{BreakMinutes, Line, List, Places, SlotMinutes, SlotNote};
use shared::time::Timestamp;
use shared::web::scopes::{RecruitmentRead, RecruitmentWrite};
use shared::web::{
    ApiError, Code, Created, Input, Mode, NewId, NoBody, NoContent, Officer, Params, Reader,
    ReceivedAt, Reference, Result, create,
};
use shared::{Context, limits};

use crate::release::release_bookings;
use crate::slot_body::{RequestedSlot, ShownSlot, SlotBody, SlotInput, interviewers};

/// List the slots of an application.
///
/// For officers. The earliest comes first.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/slots/", tag = "interviews",
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(
        ("club" = String, Path), ("application" = u64, Path),
        ("series" = Option<u64>, Query,
            description = "Only the slots of one series: from the header `Location` of its answer")
    ),
    responses((status = 200, body = Vec<SlotBody>))
)]
pub async fn list_slots(
    app: Context,
    params: Params,
    ReceivedAt(received): ReceivedAt,
    scope: Officer<RecruitmentRead, Application>,
) -> Result<Json<Vec<SlotBody>>> {
    let series = params.id::<of::Slot>("series")?;
    let slots = app.table.all_slots(scope.parent.id).await?;
    let (deleted, mut slots) = slots.into_iter().partition(|slot| slot.deleted);
    let received = app.ids.received(received);
    finish(&app, (&scope.club, &scope.parent), deleted, received).await;
    slots.sort_by_key(Slot::sort_key);
    slots.retain(|slot| series.is_none_or(|series| slot.creation == series.get()));
    let recruitment = (&scope.club.code, scope.parent.id);
    let mut shown = ShownSlot::all_of(&app, recruitment, slots).await?;
    release_bookings(&app, (&scope.club, &scope.parent), &mut shown).await?;
    let officer = scope.user.id();
    Ok(Json(shown.iter().map(|slot| slot.body(officer)).collect()))
}

/// Create a slot.
///
/// For officers. Slots in the past may be made. An application has at most 1,000 slots.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/slots/", tag = "interviews",
    security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    request_body = SlotInput, responses((status = 201, body = SlotBody))
)]
pub async fn create_slot(
    app: Context,
    scope: Officer<RecruitmentWrite, Application>,
    new: NewId,
    Input(input): Input<SlotInput>,
) -> Result<Created<SlotBody>> {
    let mut slot = new_slot(&scope.parent, new.0, new.0);
    let mut reader = Reader::new(Mode::Create);
    let requested = input.read(&mut reader, &scope.parent, &mut slot);
    reader.finish()?;
    let shown = store(&app, scope.parent, vec![slot], requested).await?;
    let shown = shown.into_iter().next().ok_or(ApiError::NotFound)?;
    let Slot {
        club,
        application,
        id,
        ..
    } = &shown.slot;
    Ok(Created {
        location: format!("/api/clubs/{club}/applications/{application}/slots/{id}/"),
        body: shown.body(scope.user.id()),
    })
}

/// A slot that is not being deleted.
pub(crate) fn visible(slot: Slot) -> Result<Slot> {
    Some(slot)
        .filter(|slot| !slot.deleted)
        .ok_or(ApiError::NotFound)
}

/// Get a slot.
///
/// For officers.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/slots/{slot}/", tag = "interviews",
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path), ("application" = u64, Path), ("slot" = u64, Path)),
    responses((status = 200, body = SlotBody))
)]
pub async fn show_slot(
    app: Context,
    scope: Officer<RecruitmentRead, Application, Slot>,
) -> Result<Json<SlotBody>> {
    let shown = ShownSlot::of(&app, visible(scope.object)?).await?;
    let mut shown = [shown];
    release_bookings(&app, (&scope.club, &scope.parent), &mut shown).await?;
    let [shown] = shown;
    Ok(Json(shown.body(scope.user.id())))
}

/// Change a slot.
///
/// For officers. Fields that are not sent stay as they are. If its time or its place changes,
/// everybody who has booked it gets a mail.
#[utoipa::path(
    patch, path = "/api/clubs/{club}/applications/{application}/slots/{slot}/", tag = "interviews",
    security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path), ("slot" = u64, Path)),
    request_body = SlotInput, responses((status = 200, body = SlotBody))
)]
pub async fn update_slot(
    app: Context,
    scope: Officer<RecruitmentWrite, Application, Slot>,
    Input(input): Input<SlotInput>,
) -> Result<Json<SlotBody>> {
    let mut shown = [ShownSlot::of(&app, visible(scope.object)?).await?];
    release_bookings(&app, (&scope.club, &scope.parent), &mut shown).await?;
    let [shown] = shown;
    let (application, slot) = (scope.parent.id, shown.slot.id);
    let read = async || match app.table.slot(application, slot).await? {
        Some(slot) if !slot.deleted => ShownSlot::of(&app, slot)
            .await
            .map(Some)
            .map_err(|_| TableError::Busy("the slot could not be read".into())),
        _ => Ok(None),
    };
    let body = |shown: &ShownSlot| shown.body(scope.user.id());
    let saved = shared::web::edit(&app, &scope.if_match, shown, body, read, |old| {
        change(&app, (&scope.club, &scope.parent), old, input.clone())
    });
    let saved = saved.await?;
    Ok(Json(body(&saved)))
}

/// Changes a slot as it was read, and tells everybody who has booked it if they must know.
pub(crate) async fn change(
    app: &Context,
    (club, application): (&Club, &Application),
    mut shown: ShownSlot,
    input: SlotInput,
) -> Result<ShownSlot> {
    let old = shown.slot.clone();
    let mut new = old.clone();
    let mut reader = Reader::new(Mode::Update);
    let requested = input.read(&mut reader, application, &mut new);
    reader.finish()?;
    let (is_smaller, booked) = (new.capacity < old.capacity, old.seats.len());
    if is_smaller && usize::from(new.capacity) < booked {
        return Err(ApiError::field("capacity", Reason::MoreBooked).coded(Code::InUse));
    }
    if new.committee != old.committee && booked > 0 {
        let why = Reason::BookedForCommittee;
        return Err(ApiError::field("committee", why).coded(Code::InUse));
    }
    if let Some(people) = requested.interviewers {
        let (found, members) = interviewers(app, &club.code, &people).await?;
        new.interviewers = found;
        shown.interviewers = members;
    }
    let is_there = |one: &Slot| (one.start, one.end, one.interviewers.clone());
    if !requested.overlap && is_there(&new) != is_there(&old) {
        check_interviewers(app, std::slice::from_ref(&new), None).await?;
    }
    let note = requested.note.filter(|note| *note != shown.note);
    if new == old && note.is_none() {
        return Ok(shown);
    }
    new.version = app.next_id();
    let is_elsewhere = (new.start, new.end, &new.location) != (old.start, old.end, &old.location);
    new.revision += u32::from(is_elsewhere);
    if is_elsewhere && new.revision > limits::SLOT_REVISIONS {
        let limit = limits::SLOT_REVISIONS;
        let why = Reason::ChangedTooOften { limit };
        return Err(ApiError::rule(why).coded(Code::Quota));
    }
    let mails = if is_elsewhere {
        mails(app, (club, application), &shown, &new)?
    } else {
        vec![]
    };
    let stored = || SlotChange {
        old: &old,
        new: &new,
        note: note.as_deref(),
        mails: &mails,
    };
    let (mut now, mut retries) = (application.clone(), app.table.retries());
    loop {
        retries.next().await?;
        match app.table.update_slot(stored(), &now, app.now()).await {
            Err(TableError::Refused(Refusal::ReferenceDeleted)) => {
                let read = app.table.application(&club.code, application.id).await?;
                now = read.ok_or(ApiError::NotFound)?;
                check_committee(&new, &now)?;
            }
            // An interviewer is being erased.
            Err(TableError::Refused(Refusal::Erased)) => return Err(ApiError::Changed),
            done => break done?,
        }
    }
    shown.slot = new;
    shown.note = note.unwrap_or(shown.note);
    Ok(shown)
}

/// It is 400 if an interviewer of one of these slots, which are in one application and have the
/// same ones, has another interview at that time, in any application of the club (K13). `there` are
/// the slots of the application, if they were read before: else 1 query; 1 query for each
/// interviewer and each of their last applications. Of two requests at the same moment, both may
/// pass.
async fn check_interviewers(app: &Context, new: &[Slot], there: Option<&[Slot]>) -> Result<()> {
    let Some(first) = new.first().filter(|slot| !slot.interviewers.is_empty()) else {
        return Ok(());
    };
    let people: Vec<Id<of::Person>> = first.interviewers.iter().map(|one| one.person).collect();
    let here = async {
        match there {
            Some(there) => Ok(there.to_vec()),
            None => app.table.slots(first.application).await,
        }
    };
    let (club, but) = (&first.club, first.application);
    let (here, elsewhere) =
        futures::try_join!(here, app.table.slots_of_interviewers(&people, club, but))?;
    let now = app.now();
    let is_busy = |other: &Slot| {
        let is_other = other.creation != first.creation || new.len() == 1 && other.id != first.id;
        let has_one_of_them = other
            .interviewers
            .iter()
            .any(|one| first.interviewers.contains(one));
        is_other && has_one_of_them && other.end > now && new.iter().any(|one| one.overlaps(other))
    };
    if here.iter().chain(&elsewhere).any(is_busy) {
        return Err(ApiError::field("interviewers", Reason::InterviewerBusy).coded(Code::Overlap));
    }
    Ok(())
}

/// One mail for everybody who has booked the slot. Nobody is told of what is over.
fn mails(
    app: &Context,
    (club, application): (&Club, &Application),
    shown: &ShownSlot,
    new: &Slot,
) -> Result<Vec<Mail>> {
    let now = app.now();
    if new.end <= now && shown.slot.end <= now {
        return Ok(vec![]);
    }
    let mut mails = vec![];
    for id in shown.slot.seats.keys() {
        let booked = shown.bookings.iter().find(|one| one.id.to_string() == *id);
        let booked = booked.filter(|one| one.booked() == Some(new.id));
        // The submission was read before the slot, or after it. Both are read again.
        let submission = booked.ok_or(ApiError::Changed)?;
        let Some(interview) = submission.interview() else {
            return Err(ApiError::Changed);
        };
        // The applicant knows of a rejection, and has no interview any more (K9).
        if submission.is_interview_over(application, now.moment()) {
            continue;
        }
        let file = interview.file + i64::from(new.revision);
        let news = (AppointmentNews::Changed, file);
        mails.extend(appointment((club, application), submission, new, news, now));
    }
    Ok(mails)
}

/// How many deletions one request finishes.
const FINISHED_AT_ONCE: usize = 2;

/// Delete a slot.
///
/// For officers. A slot with bookings is 400, unless `force` is true: then its places are freed,
/// and everybody who has booked it gets a mail.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/applications/{application}/slots/{slot}/",
    tag = "interviews", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(
        ("club" = String, Path), ("application" = u64, Path), ("slot" = u64, Path),
        ("force" = Option<bool>, Query, description = "Free the places of those who have booked it")
    ),
    responses((status = 204))
)]
pub async fn delete_slot(
    app: Context,
    ReceivedAt(received): ReceivedAt,
    scope: Officer<RecruitmentWrite, Application, Slot>,
    params: Params,
    _: NoBody,
) -> Result<NoContent> {
    params.only(&["force"])?;
    let force = params.flag("force")?.unwrap_or(false);
    let (club, application, mut slot) = (scope.club, scope.parent, scope.object);
    if !slot.deleted && (scope.if_match.is_given() || !slot.seats.is_empty()) {
        let mut shown = [ShownSlot::of(&app, slot).await?];
        release_bookings(&app, (&club, &application), &mut shown).await?;
        let [shown] = shown;
        scope.if_match.check(|| shown.body(scope.user.id()))?;
        slot = shown.slot;
    }
    let mut retries = app.table.retries();
    // An earlier deletion may have ended before it was finished.
    while !slot.deleted {
        retries.next().await?;
        if !slot.seats.is_empty() && !force {
            let why = Reason::SlotBooked;
            return Err(ApiError::rule(why).coded(Code::InUse));
        }
        match app.table.set_slot_deleted(&slot).await {
            Ok(()) => slot.deleted = true,
            Err(TableError::Refused(_)) if scope.if_match.is_given() => {
                return Err(ApiError::PreconditionFailed);
            }
            Err(TableError::Refused(_)) => {
                let current = app.table.slot(application.id, slot.id).await?;
                slot = current.ok_or(ApiError::NotFound)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    let received = app.ids.received(received);
    let removed = remove(&app, (&club, &application), slot, received).await;
    removed.map_err(ApiError::after_write)?;
    Ok(NoContent)
}

/// Removes slots whose deletion ended before it was finished: gives their places back, and tells
/// those who had booked them. What fails is tried again by the next request.
pub(crate) async fn finish(
    app: &Context,
    recruitment: (&Club, &Application),
    slots: Vec<Slot>,
    received: u64,
) {
    for slot in slots.into_iter().take(FINISHED_AT_ONCE) {
        let id = slot.id;
        if let Err(error) = remove(app, recruitment, slot, received).await {
            tracing::warn!(slot = %id, ?error, "the deletion of a slot could not be finished");
        }
    }
}

/// Gives the places of a slot that is being deleted back, and removes it. Safe to repeat.
async fn remove(
    app: &Context,
    recruitment: (&Club, &Application),
    slot: Slot,
    received: u64,
) -> Result<()> {
    let Some(slot) =
        release_all_bookings(&app.table, recruitment, slot, received, app.now()).await?
    else {
        return Ok(());
    };
    match app.table.remove_slot(&slot).await {
        Ok(()) | Err(TableError::Refused(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

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
        /// Whether interviewers may have another interview at that time.
        overlap: bool, Free = false;
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
        overlap: input.overlap,
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
        let why = Reason::LongSeries { limit };
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

/// The slot that a request creates, before its fields are read.
pub(crate) fn new_slot(application: &Application, id: u64, creation: u64) -> Slot {
    Slot {
        id: Id::new(id),
        club: application.club.clone(),
        application: application.id,
        start: application.created_at,
        end: application.created_at,
        location: String::new(),
        capacity: 1,
        committee: None,
        interviewers: vec![],
        version: creation,
        revision: 0,
        seats: [].into(),
        deleted: false,
        creation,
    }
}

/// Stores new slots, which have the same creation and the same interviewers. Slots that an earlier
/// attempt of the request stored are returned as they are now.
pub(crate) async fn store(
    app: &Context,
    mut application: Application,
    mut slots: Vec<Slot>,
    requested: RequestedSlot,
) -> Result<Vec<ShownSlot>> {
    let (club, id) = (application.club.clone(), application.id);
    let people = requested.interviewers.unwrap_or_default();
    let (there, (found, members)) = futures::try_join!(
        async { Ok(app.table.slots(id).await?) },
        interviewers(app, &club, &people)
    )?;
    let (creation, number) = (slots[0].creation, slots.len());
    let others = there
        .iter()
        .filter(|slot| slot.creation != creation)
        .count();
    if others + number > limits::SLOTS {
        let limit = limits::SLOTS;
        let why = Reason::TooManySlots { limit };
        return Err(ApiError::rule(why).coded(Code::Quota));
    }
    for slot in &mut slots {
        slot.interviewers.clone_from(&found);
    }
    if !requested.overlap {
        check_interviewers(app, &slots, Some(&there)).await?;
    }
    let note = requested.note.unwrap_or_default();
    let mut retries = app.table.retries();
    let stored = loop {
        retries.next().await?;
        match app
            .table
            .create_slots(&slots, &note, &application, app.now())
            .await
        {
            // The application was changed or deleted.
            Err(TableError::Refused(Refusal::ReferenceDeleted)) => {
                let current = app.table.application(&club, id).await?;
                application = current.ok_or(ApiError::NotFound)?;
                check_committee(&slots[0], &application)?;
            }
            done => break done,
        }
    };
    let shown = |slot: Slot| ShownSlot {
        slot,
        note: note.clone(),
        bookings: vec![],
        interviewers: members.clone(),
    };
    let new: Vec<ShownSlot> = slots.into_iter().map(shown).collect();
    let again = async {
        let mut there = app.table.slots(id).await?;
        there.retain(|slot| slot.creation == creation);
        if there.is_empty() {
            return Ok(None);
        }
        let shown = ShownSlot::all_of(app, (&club, id), there).await;
        shown
            .map(Some)
            .map_err(|_| TableError::Unknown("slots".into()))
    };
    create(new, stored, again, |_| true, |_| ApiError::Changed).await
}

/// The error if the committee of a slot was removed since it was checked.
pub(crate) fn check_committee(slot: &Slot, application: &Application) -> Result<()> {
    match slot.committee {
        Some(id) if application.committee(id).is_none() => {
            Err(ApiError::field("committee", Reason::unknown("committee")))
        }
        _ => Ok(()),
    }
}
