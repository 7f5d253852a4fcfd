//! Checks for an audit of the whole table: can an item be read, and does it have the right keys?

use crate::db::{Entity, Item, from_item, to_item, type_of};
use crate::domain::application::deleted::DeletedApplication;
use crate::domain::application::model::{Application, ApplicationTexts};
use crate::domain::bookmark::model::{Favorite, Subscription};
use crate::domain::change::model::{ChangeCount, ClubChange, RecordedChange};
use crate::domain::club::model::{Club, ClubText};
use crate::domain::draft::model::DraftAnswer;
use crate::domain::erasure_flag::ErasureFlag;
use crate::domain::event::model::{Event, EventText};
use crate::domain::event::store::{EventClub, EventListing};
use crate::domain::extension::model::Extension;
use crate::domain::file::attachment::Attachment;
use crate::domain::file::model::Upload;
use crate::domain::idempotency::model::IdempotencyRecord;
use crate::domain::interview::model::Booking;
use crate::domain::invite::model::{InvitationLog, Invite};
use crate::domain::join_link::model::{JoinLink, LinkUse};
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::domain::mail::model::Mail;
use crate::domain::member::model::Membership;
use crate::domain::notice::model::{BegunDraft, NoticeTimer, ScheduledTask};
use crate::domain::person::model::{Creations, Person, PersonAddress, PersonWord};
use crate::domain::question::model::{Prompt, Question};
use crate::domain::reference::model::{
    Badge, Fair, Major, ReferenceEntry, Registration, School, Tag, Year,
};
use crate::domain::reference::store::{YearUses, name_item};
use crate::domain::request::model::MembershipRequest;
use crate::domain::review::model::Review;
use crate::domain::slot::model::{OwnInterviews, Slot, SlotNote};
use crate::domain::submission::model::{
    DecisionChange, RecentSubmission, Submission, SubmissionAnswers,
};
use crate::domain::submission::withdrawal::Withdrawal;
use crate::domain::token::model::Token;
use crate::domain::webhook::model::{Delivery, Webhook};
use crate::ids::Id;
use crate::time::Timestamp;

/// Attributes that can be computed from the other attributes of an item.
const KEYS: [&str; 6] = [
    keys::PK,
    keys::SK,
    keys::GSI1PK,
    keys::GSI1SK,
    keys::GSI2PK,
    keys::GSI2SK,
];

/// Returns what is wrong with an item: it cannot be read, or its keys do not match its content.
/// `None` if it is correct.
pub fn misplaced(item: &Item) -> Option<String> {
    macro_rules! as_one_of {
        ($($entity:ty),+ $(,)?) => {
            match type_of(item) {
                $(<$entity as Entity>::TYPE => wrong_keys::<$entity>(item),)+
                // Counters and name reservations have no content to compare with their keys.
                // So have the tombstones of deleted items.
                "Name" | "Version" | "Tombstone" => None,
                other => Some(format!("of no known type ({other:?})")),
            }
        };
    }
    as_one_of!(
        SubmissionAnswers,
        BegunDraft,
        Booking,
        Application,
        ApplicationTexts,
        ChangeCount,
        ClubChange,
        DecisionChange,
        Delivery,
        DeletedApplication,
        RecordedChange,
        Club,
        ClubText,
        Creations,
        DraftAnswer,
        ScheduledTask,
        ErasureFlag,
        Event,
        EventClub,
        EventListing,
        EventText,
        Extension,
        Favorite,
        Attachment,
        InvitationLog,
        Invite,
        JoinLink,
        IdempotencyRecord,
        LinkUse,
        ReferenceEntry<Badge>,
        ReferenceEntry<Fair>,
        ReferenceEntry<Major>,
        ReferenceEntry<School>,
        ReferenceEntry<Tag>,
        ReferenceEntry<Year>,
        Mail,
        Membership,
        MembershipRequest,
        NoticeTimer,
        OwnInterviews,
        RecentSubmission,
        Person,
        PersonAddress,
        PersonWord,
        Prompt,
        Question,
        Registration,
        Review,
        Slot,
        SlotNote,
        Submission,
        Subscription,
        Token,
        Upload,
        Webhook,
        Withdrawal,
        YearUses,
    )
}

fn wrong_keys<E: Entity>(item: &Item) -> Option<String> {
    let entity: E = match from_item(item.clone()) {
        Ok(entity) => entity,
        // The error would quote the item's content, which may be personal.
        Err(_) => return Some(format!("cannot be read as {}", E::TYPE)),
    };
    let expected = to_item(&entity).ok()?;
    let wrong: Vec<&str> = KEYS
        .into_iter()
        .filter(|key| item.get(*key) != expected.get(*key))
        .collect();
    (!wrong.is_empty()).then(|| format!("{} do not follow from the content", wrong.join(", ")))
}

/// Returns the items that must exist together with this one, with their correct content. A person,
/// an event or an entry is found through them.
pub fn derived_entries(item: &Item) -> Vec<Item> {
    macro_rules! of_references {
        ($($kind:ty),+) => {
            match type_of(item) {
                <Person as Entity>::TYPE => from_item::<Person>(item.clone())
                    .map(|person| person.entry_items())
                    .unwrap_or_default(),
                <Event as Entity>::TYPE => {
                    let pointer = |event: Event| {
                        to_item(&EventClub { event: event.id, club: event.club }).ok()
                    };
                    from_item::<Event>(item.clone()).ok().and_then(pointer).into_iter().collect()
                }
                <Submission as Entity>::TYPE => from_item::<Submission>(item.clone())
                    .ok()
                    .and_then(|submission| to_item(&submission.booking()?).ok())
                    .into_iter()
                    .collect(),
                $(<ReferenceEntry<$kind> as Entity>::TYPE => {
                    from_item::<ReferenceEntry<$kind>>(item.clone())
                        .map(|reference| vec![name_item(&reference)])
                        .unwrap_or_default()
                })+
                _ => vec![],
            }
        };
    }
    of_references!(Badge, Fair, Major, School, Tag, Year)
}

/// Returns the key of the item that a derived entry leads to, whether that exists or not.
pub fn leads_to(derived: &Item) -> Option<Item> {
    let key = match type_of(derived) {
        PersonWord::TYPE => {
            from_item(derived.clone()).map(|word: PersonWord| keys::profile(word.person))
        }
        PersonAddress::TYPE => {
            from_item(derived.clone()).map(|entry: PersonAddress| keys::profile(entry.person))
        }
        Booking::TYPE => from_item(derived.clone()).map(|booking: Booking| {
            keys::submission(booking.application, Id::new(booking.submission))
        }),
        EventClub::TYPE => {
            from_item(derived.clone()).map(|of: EventClub| keys::event(&of.club, of.event))
        }
        "Name" => {
            let names = derived.get(keys::PK)?.as_s().ok()?;
            let id = derived.get("id")?.as_n().ok()?.parse().ok()?;
            return Some(keys::named_reference(names, id)?.into_item());
        }
        _ => return None,
    };
    key.ok().map(Key::into_item)
}

/// Returns the key of the submission of a review, and the sequence of the submission that was
/// reviewed. None if it cannot be read.
pub fn reviewed(review: &Item) -> Option<(Item, u64)> {
    let review: Review = from_item(review.clone()).ok()?;
    let key = keys::submission(review.application, review.submission);
    Some((key.into_item(), review.sequence))
}

/// Returns the key of the submission with this id to the application of a slot. None if the slot
/// cannot be read.
pub fn seat_owner(slot: &Item, submission: u64) -> Option<Item> {
    let slot: Slot = from_item(slot.clone()).ok()?;
    let key = keys::submission(slot.application, Id::new(submission));
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
    let key = keys::submission(
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
    let head = keys::application(&deleted.club, deleted.application);
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
    "Name",
];
