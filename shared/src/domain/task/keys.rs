//! The keys of what is due in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::task::model::TaskKind;
use crate::time::Timestamp;

/// Returns the partition of what is due in an hour.
pub(crate) fn tasks_in(hour: Timestamp) -> String {
    format!("DUE#{}", hour.moment().format("%Y-%m-%dT%H"))
}

/// Returns the key of something that is due.
pub(crate) fn scheduled(hour: Timestamp, what: &TaskKind) -> Key {
    let sk = match what {
        TaskKind::Drafts {
            application,
            person: None,
            ..
        } => format!("DRAFTS#{}", padded(*application)),
        TaskKind::Drafts {
            application,
            person: Some(person),
            ..
        } => format!("DRAFTS#{}#{}", padded(*application), padded(*person)),
        TaskKind::Slot {
            application, slot, ..
        } => format!("SLOT#{}#{}", padded(*application), padded(*slot)),
        TaskKind::Upload { person, file, .. } => {
            format!("UPLOAD#{}#{}", padded(*person), padded(*file))
        }
        TaskKind::Erasure { person, .. } => format!("ERASURE#{}", padded(*person)),
        TaskKind::ClubEnd { club, .. } => format!("CLUB#{club}"),
        TaskKind::Webhook { key } => format!("WEBHOOK#{}", padded(key.webhook)),
        TaskKind::Appointment {
            submission,
            sequence,
            attempt,
        } => format!(
            "APPOINTMENT#{}#{}#{attempt:06}",
            padded(*submission),
            padded(*sequence)
        ),
        TaskKind::Tickets { showing, part, .. } => format!("TICKETS#{}#{part}", padded(*showing)),
        TaskKind::News { person, .. } => format!("{NEWS}{}", padded(*person)),
    };
    Key::new(tasks_in(hour), sk)
}

/// The prefix of the sort keys of news.
pub(crate) const NEWS: &str = "NEWS#";

/// No news have a larger sort key.
pub(crate) const NEWS_END: &str = "NEWS#~";

/// Returns the key of the hour up to which everything is done.
pub(crate) fn notice_timer() -> Key {
    Key::new("NOTICES".into(), "TIMER".into())
}
