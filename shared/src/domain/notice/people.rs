//! How people switch notices on and off (G1, G4).

use crate::db::{Entity, Table, TableError, Write};
use crate::domain::outbox::notice::NoticeKind;
use crate::domain::person::model::Person;
use crate::domain::task::model::{ScheduledTask, TaskKind};
use crate::time::Timestamp;

/// Returns the write by which the timer knows that somebody switched the news on.
pub(crate) fn news_switched_on(
    old: &Person,
    new: &Person,
    now: Timestamp,
) -> Result<Option<Write>, TableError> {
    let is_new = old.notices.on_since != new.notices.on_since;
    let entry = new.news_entry(now).filter(|_| is_new);
    entry.as_ref().map(Write::put).transpose()
}

impl Person {
    /// Returns the entry by which the timer begins to tell this person the news; none if they do
    /// not want any. The timer knows the Mondays.
    pub fn news_entry(&self, now: Timestamp) -> Option<ScheduledTask> {
        let on_since = self.notices.on_since?;
        let what = TaskKind::News {
            person: self.id,
            on_since,
            last: on_since,
            shown: vec![],
        };
        Some(ScheduledTask::new(now, now, what))
    }
}

impl Table {
    /// Ends a kind of notice: 1 write. Does nothing if the profile is another one than that of this
    /// time, or is being erased.
    pub async fn end_notices(&self, person: &Person, kind: NoticeKind) -> Result<(), TableError> {
        let write = Write::update(person.key())
            .set("notices", &person.notices.without(kind))
            .add("settings_version", 1)
            .if_absent_or_equals("notices", &person.notices)
            .if_equals("created_at", &person.created_at)
            .if_equals("erasing", &false);
        // The token of a transaction keeps a late repeat from undoing a later change.
        self.transact(vec![write]).await
    }
}
