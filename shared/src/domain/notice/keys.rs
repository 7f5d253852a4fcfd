//! The keys of reminders and news in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::application::model::{Application, Committee};
use crate::domain::notice::model::Due;
use crate::domain::person::model::Person;
use crate::ids::Id;
use crate::time::Timestamp;

/// Returns the partition of what is due in an hour.
pub(crate) fn due_in(hour: Timestamp) -> String {
    format!("DUE#{}", hour.moment().format("%Y-%m-%dT%H"))
}

/// Returns the key of something that is due.
pub(crate) fn due(hour: Timestamp, what: &Due) -> Key {
    let sk = match what {
        Due::Drafts {
            application,
            person: None,
            ..
        } => format!("DRAFTS#{}", padded(*application)),
        Due::Drafts {
            application,
            person: Some(person),
            ..
        } => format!("DRAFTS#{}#{}", padded(*application), padded(*person)),
        Due::Slot {
            application, slot, ..
        } => format!("SLOT#{}#{}", padded(*application), padded(*slot)),
        Due::Upload { person, file, .. } => {
            format!("UPLOAD#{}#{}", padded(*person), padded(*file))
        }
        Due::Webhook { place } => format!("WEBHOOK#{}", padded(place.webhook)),
        Due::News { person, .. } => format!("{NEWS}{}", padded(*person)),
    };
    Key::new(due_in(hour), sk)
}

/// The prefix of the sort keys of news.
pub(crate) const NEWS: &str = "NEWS#";

/// No news have a larger sort key.
pub(crate) const NEWS_END: &str = "NEWS#~";

/// Returns the key of the hour up to which everything is done.
pub(crate) fn notice_timer() -> Key {
    Key::new("NOTICES".into(), "TIMER".into())
}

/// Returns the partition of the drafts of an application that were begun.
pub(crate) fn begun_drafts(application: Id<Application>) -> String {
    format!("BEGUN#{}", padded(application))
}

pub(crate) fn begun_draft(
    application: Id<Application>,
    person: Id<Person>,
    committee: Option<Id<Committee>>,
) -> Key {
    let committee = padded(committee.map_or(0, u64::from));
    Key::new(
        begun_drafts(application),
        format!("{}#{committee}", padded(person)),
    )
}
