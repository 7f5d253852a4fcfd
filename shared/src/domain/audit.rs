//! Checks for an audit of the whole table: what belongs together?

use std::str::FromStr as _;

use crate::db;
use crate::db::{Entity as _, Item, Key, from_item, to_item, type_of};
use crate::domain::application::deleted::DeletedApplication;
use crate::domain::event::model::Event;
use crate::domain::event::store::EventClub;
use crate::domain::interview::model::Booking;
use crate::domain::person::model::{Person, PersonAddress, PersonWord};
use crate::domain::question::model::Question;
use crate::domain::reference::model::{
    Badge, Fair, Major, ReferenceEntry, ReferenceKind, School, Tag, Year,
};
use crate::domain::reference::store::name_item;
use crate::domain::review::model::Review;
use crate::domain::slot::model::Slot;
use crate::domain::submission::model::{Submission, SubmissionAnswers};
use crate::domain::{application, event, person, reference, submission};
use crate::ids::Id;
use crate::kind::Kind;
use crate::time::Timestamp;

/// Returns the items that must exist together with this one, with their correct content. A person,
/// an event or an entry is found through them.
pub fn derived_entries(item: &Item) -> Vec<Item> {
    let of_one = |entry: Option<Item>| entry.into_iter().collect();
    match Kind::from_str(type_of(item)) {
        Ok(Kind::Person) => from_item::<Person>(item.clone())
            .map(|person| person.entry_items())
            .unwrap_or_default(),
        Ok(Kind::Event) => {
            let pointer = |event: Event| {
                to_item(&EventClub {
                    event: event.id,
                    club: event.club,
                })
                .ok()
            };
            of_one(from_item(item.clone()).ok().and_then(pointer))
        }
        Ok(Kind::Submission) => {
            let booking = |one: Submission| to_item(&one.booking()?).ok();
            of_one(from_item(item.clone()).ok().and_then(booking))
        }
        Ok(Kind::Badge) => of_one(name_of::<Badge>(item)),
        Ok(Kind::Fair) => of_one(name_of::<Fair>(item)),
        Ok(Kind::Major) => of_one(name_of::<Major>(item)),
        Ok(Kind::School) => of_one(name_of::<School>(item)),
        Ok(Kind::Tag) => of_one(name_of::<Tag>(item)),
        Ok(Kind::Year) => of_one(name_of::<Year>(item)),
        _ => vec![],
    }
}

/// Returns the item that reserves the name of an entry.
fn name_of<T: ReferenceKind>(item: &Item) -> Option<Item> {
    let entry: Option<ReferenceEntry<T>> = from_item(item.clone()).ok();
    entry.as_ref().map(name_item)
}

/// The type of an item that reserves a name.
const NAME: &str = Kind::Name.name();

/// Returns the key of the item that a derived entry leads to, whether that exists or not.
pub fn leads_to(derived: &Item) -> Option<Item> {
    let key =
        match type_of(derived) {
            PersonWord::TYPE => from_item(derived.clone())
                .map(|word: PersonWord| person::keys::profile(word.person)),
            PersonAddress::TYPE => from_item(derived.clone())
                .map(|entry: PersonAddress| person::keys::profile(entry.person)),
            Booking::TYPE => from_item(derived.clone()).map(|booking: Booking| {
                submission::keys::submission(booking.application, Id::new(booking.submission))
            }),
            EventClub::TYPE => from_item(derived.clone())
                .map(|of: EventClub| event::keys::event(&of.club, of.event)),
            NAME => {
                let names = derived.get(db::keys::PK)?.as_s().ok()?;
                let id = derived.get("id")?.as_n().ok()?.parse().ok()?;
                return Some(reference::keys::named_reference(names, id)?.into_item());
            }
            _ => return None,
        };
    key.ok().map(Key::into_item)
}

/// Returns the key of the submission of a review, and the sequence of the submission that was
/// reviewed. None if it cannot be read.
pub fn reviewed(review: &Item) -> Option<(Item, u64)> {
    let review: Review = from_item(review.clone()).ok()?;
    let key = submission::keys::submission(review.application, review.submission);
    Some((key.into_item(), review.sequence))
}

/// Returns the key of the submission with this id to the application of a slot. None if the slot
/// cannot be read.
pub fn seat_owner(slot: &Item, submission: u64) -> Option<Item> {
    let slot: Slot = from_item(slot.clone()).ok()?;
    let key = submission::keys::submission(slot.application, Id::new(submission));
    Some(key.into_item())
}

/// Returns the sequence of a submission, if it has booked this slot.
pub fn seat_of(slot: &Item, submission: &Item) -> Option<u64> {
    let slot: Slot = from_item(slot.clone()).ok()?;
    let submission: Submission = from_item(submission.clone()).ok()?;
    (submission.booked() == Some(slot.id)).then_some(submission.sequence)
}

/// Returns the key of the submission of answers, and the number of the request that sent them. None
/// if they cannot be read.
pub fn answers_of(submission_answers: &Item) -> Option<(Item, u64)> {
    let submission_answers: SubmissionAnswers = from_item(submission_answers.clone()).ok()?;
    let key = submission::keys::submission(
        submission_answers.application,
        submission_answers.submission,
    );
    Some((key.into_item(), submission_answers.at))
}

/// Returns the key of the application of a question, and the item that keeps it from being created.
/// None if the question cannot be read.
pub fn unfinished_duplicate(question: &Item, at: Timestamp) -> Option<(Item, Item)> {
    let question: Question = from_item(question.clone()).ok()?;
    let deleted = DeletedApplication {
        application: question.application,
        club: question.club,
        at,
    };
    let head = application::keys::application(&deleted.club, deleted.application);
    Some((head.into_item(), to_item(&deleted).ok()?))
}

/// Attributes of a [`Booking`] that do not follow from its submission. An earlier version of the
/// service stored none of them.
pub const NOT_COMPARED: [&str; 2] = ["calendar_revision", "received"];

/// The types of the items that [`derived_entries`] returns.
pub const DERIVED_ENTRIES: [&str; 5] = [
    Booking::TYPE,
    PersonWord::TYPE,
    PersonAddress::TYPE,
    EventClub::TYPE,
    NAME,
];
