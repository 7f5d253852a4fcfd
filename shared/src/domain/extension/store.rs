//! Extensions: a later end of an application for one person.

use crate::db::read::Range;
use crate::db::{Entity, Key, Refusal, Table, TableError, Write};
use crate::domain::application::model::{Application, draft_reminder_at};
use crate::domain::extension::keys;
use crate::domain::extension::model::Extension;
use crate::domain::person::conditions::check_not_erasing;
use crate::domain::task::model::{ScheduledTask, TaskKind};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::Timestamp;

impl Entity for Extension {
    const KIND: Kind = Kind::Extension;

    fn key(&self) -> Key {
        keys::extension(self.application, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::own_extension(self.person, self.application))
    }
}

impl Extension {
    /// Returns the id of a person's extension of an application. It is derived from both.
    pub fn id_of(application: Id<of::Application>, person: Id<of::Person>) -> Id<of::Extension> {
        Id::derived(
            "extension",
            &[&application.to_string(), &person.to_string()],
        )
    }

    /// Returns when the timer has to look at the drafts of its person.
    pub fn scheduled_task(&self, application: &Application, now: Timestamp) -> ScheduledTask {
        self.task_at(self.end.max(application.end), application, now)
    }

    fn task_at(&self, end: Timestamp, application: &Application, now: Timestamp) -> ScheduledTask {
        let what = TaskKind::Drafts {
            club: application.club.clone(),
            application: self.application,
            person: Some(self.person),
        };
        ScheduledTask::new(draft_reminder_at(application.start, end), now, what)
    }
}

impl Table {
    /// Returns the extensions of an application: 1 query.
    pub async fn extensions(
        &self,
        application: Id<of::Application>,
    ) -> Result<Vec<Extension>, TableError> {
        self.query(keys::extensions(application), Range::All).await
    }

    /// Returns an extension by its id: 1 read.
    pub async fn extension(
        &self,
        application: Id<of::Application>,
        id: Id<of::Extension>,
    ) -> Result<Option<Extension>, TableError> {
        self.get(keys::extension(application, id)).await
    }

    /// Returns an extension as it is now: 1 read. None if it was deleted, also if the person got
    /// another one since.
    pub async fn same_extension(
        &self,
        before: &Extension,
    ) -> Result<Option<Extension>, TableError> {
        let found = self.extension(before.application, before.id).await?;
        Ok(found.filter(|found| found.creation == before.creation))
    }

    /// Stores a new extension. Refused if the person already has one, and as [`Refusal::Erased`] if
    /// the person is being erased, or the application is not there.
    pub async fn create_extension(
        &self,
        extension: &Extension,
        application: &Application,
        now: Timestamp,
    ) -> Result<(), TableError> {
        self.transact(vec![
            Write::create(extension)?.or(Refusal::AlreadyThere),
            Write::put(&extension.scheduled_task(application, now))?,
            check_not_erasing(extension.person),
            Write::check(application.key())
                .if_exists()
                .if_none("deleted")
                .or(Refusal::Changed),
        ])
        .await
    }

    /// Replaces an extension. Refused if it no longer has the version of `old`.
    pub async fn update_extension(
        &self,
        old: &Extension,
        new: &Extension,
        application: &Application,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let update = Write::put(new)?.if_equals("version", &old.version);
        let task = Write::put(&new.scheduled_task(application, now))?;
        self.transact(vec![update, task]).await
    }

    /// Deletes an extension. The person must now submit when everybody must, so the timer gets an
    /// entry for their draft: it may have looked at the drafts of the others already. Refused if
    /// the extension changed after it was read.
    pub async fn delete_extension(
        &self,
        extension: &Extension,
        application: &Application,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let is_over = application.end <= now;
        let task = (!is_over).then(|| extension.task_at(application.end, application, now));
        let delete = Write::delete_with_tombstone(extension.key());
        let mut writes = vec![delete.if_equals("version", &extension.version)];
        writes.extend(task.as_ref().map(Write::put).transpose()?);
        self.transact(writes).await
    }
}
