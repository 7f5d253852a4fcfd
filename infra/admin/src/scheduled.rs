//! The entries by which the timer finds what will be due (G5).

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use shared::domain::{
    Application, EmailStatus, Extension, LOOKS_BACK, Mail, NoticeTimer, Person, Sale,
    ScheduledTask, Slot, TaskKind, Upload, Webhook,
};
use shared::ids::{Id, of};
use shared::time::Timestamp;

use crate::finding::{Finding, Repair};
use crate::{StoredItems, typed};

/// What an entry leads to, without what the timer remembers in it.
fn object(expected: &TaskKind) -> String {
    match expected {
        TaskKind::Drafts {
            application,
            person,
            ..
        } => format!("drafts {application} {person:?}"),
        TaskKind::Slot { slot, .. } => format!("slot {slot}"),
        TaskKind::Upload { file, .. } => format!("upload {file}"),
        TaskKind::Webhook { key } => format!("webhook {}", key.webhook),
        TaskKind::Erasure { person, .. } => format!("erasure {person}"),
        TaskKind::ClubEnd { club, version } => format!("club {club} {version}"),
        TaskKind::Appointment {
            submission,
            sequence,
            attempt,
        } => format!("appointment {submission} {sequence} {attempt}"),
        TaskKind::Tickets { showing, .. } => format!("tickets {showing}"),
        TaskKind::News {
            person, on_since, ..
        } => format!("news {person} {on_since}"),
    }
}

/// Applications, extensions, slots, webhooks and people of whom the timer would not hear in time.
pub(crate) fn check(stored: &StoredItems, now: DateTime<Utc>) -> Vec<Finding> {
    let now = Timestamp::at(now);
    let mut filed: BTreeMap<String, Timestamp> = BTreeMap::new();
    let timers = typed::<NoticeTimer>(stored, "NoticeTimer");
    let passed = timers
        .iter()
        .map(|timer| timer.hour.plus(-LOOKS_BACK))
        .max();
    let entries = typed::<ScheduledTask>(stored, "ScheduledTask");
    // The timer does not look at earlier ones any more.
    for entry in entries
        .into_iter()
        .filter(|entry| Some(entry.hour) >= passed)
    {
        let first = filed.entry(object(&entry.what)).or_insert(entry.hour);
        *first = entry.hour.min(*first);
    }
    let applications: HashMap<Id<of::Application>, Application> =
        typed::<Application>(stored, "Application")
            .into_iter()
            .map(|application| (application.id, application))
            .collect();
    let mut expected: Vec<ScheduledTask> = applications
        .values()
        .filter_map(|application| application.scheduled_task(now))
        .collect();
    for extension in typed::<Extension>(stored, "Extension") {
        let application = applications.get(&extension.application);
        let application = application.filter(|one| one.deleted.is_none());
        expected.extend(application.map(|application| extension.scheduled_task(application, now)));
    }
    let slots = typed::<Slot>(stored, "Slot");
    let kept = slots.iter().filter(|slot| !slot.deleted);
    expected.extend(kept.filter_map(|slot| slot.scheduled_task(now)));
    let sales = typed::<Sale>(stored, "TicketSale");
    let open = sales
        .iter()
        .filter(|sale| !sale.cancelled && !sale.types.is_empty());
    expected.extend(open.filter_map(|sale| sale.next_task(now)));
    // What is due now is done by the next run, or was done already.
    expected.retain(|entry| entry.at > now);
    expected.extend(
        typed::<Upload>(stored, "Upload")
            .iter()
            .map(|upload| upload.scheduled_task(now)),
    );
    let people = typed::<Person>(stored, "Person");
    expected.extend(people.iter().filter_map(|person| person.news_entry(now)));
    let erased = people.iter().filter(|person| person.erasing);
    expected.extend(erased.map(|person| person.erasure_task(now, now)));
    let mails = typed::<Mail>(stored, "Mail").into_iter();
    let queued = mails.filter(|mail| mail.status == EmailStatus::Queued);
    expected.extend(queued.filter_map(|mail| {
        let until = mail.delayed_until.filter(|until| *until > now)?;
        Some(mail.kept_back(until, now))
    }));
    let webhooks = typed::<Webhook>(stored, "Webhook");
    let on = webhooks.iter().filter(|webhook| webhook.active);
    expected.extend(on.filter_map(|webhook| webhook.scheduled_task(now)));
    expected.retain(|entry| {
        let hour = filed.get(&object(&entry.what));
        // The news are filed for a later Monday, and an upload that a draft names for later weeks.
        let moves = matches!(entry.what, TaskKind::News { .. } | TaskKind::Upload { .. });
        hour.is_none_or(|hour| *hour > entry.hour && !moves)
    });
    expected.sort_by_key(|entry| object(&entry.what));
    let missing = expected.iter().map(|entry| Finding {
        text: format!("the timer has no entry for {}", object(&entry.what)),
        repair: entry.stored().map(Repair::PutTask),
    });
    missing.collect()
}
