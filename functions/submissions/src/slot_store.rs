//! Storing new slots (K1, K4).

use shared::Context;
use shared::db::{Refusal, TableError};
use shared::domain::{Application, Slot};
use shared::ids::Id;
use shared::limits;
use shared::reason::Reason;
use shared::web::{ApiError, Code, Result, create};

use crate::slot_body::{RequestedSlot, ShownSlot, interviewers};

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
