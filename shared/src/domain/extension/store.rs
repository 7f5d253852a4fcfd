//! Extensions: a later end of an application for one person.

use crate::db::read::Range;
use crate::db::{Entity, Refusal, Table, TableError, Write};
use crate::domain::application::model::Application;
use crate::domain::conditions::check_not_erasing;
use crate::domain::extension::model::Extension;
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::domain::notice::model::{Due, DueEntry, draft_due};
use crate::domain::person::model::Person;
use crate::ids::Id;
use crate::time::Timestamp;

impl Entity for Extension {
    const TYPE: &'static str = "Extension";

    fn key(&self) -> Key {
        keys::extension(self.application, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::own_extension(self.person, self.application))
    }
}

impl Extension {
    /// Returns the id of a person's extension of an application. It is derived from both.
    pub fn id_of(application: Id<Application>, person: Id<Person>) -> Id<Self> {
        Id::derived(
            "extension",
            &[&application.to_string(), &person.to_string()],
        )
    }

    /// Returns when the timer has to look at the drafts of its person.
    pub fn due_entry(&self, application: &Application, now: Timestamp) -> DueEntry {
        self.due_at(self.end.max(application.end), application, now)
    }

    fn due_at(&self, end: Timestamp, application: &Application, now: Timestamp) -> DueEntry {
        let what = Due::Drafts {
            club: application.club.clone(),
            application: self.application,
            person: Some(self.person),
        };
        DueEntry::new(draft_due(application.start, end), now, what)
    }

    fn deletion(&self) -> Write {
        Write::delete(self.key()).if_equals("version", &self.version)
    }

    /// Returns the primary key of a person's extension of an application.
    pub fn key_of(application: Id<Application>, person: Id<Person>) -> Key {
        keys::extension(application, Self::id_of(application, person))
    }
}

impl Table {
    /// Returns the extensions of an application: 1 query.
    pub async fn extensions(
        &self,
        application: Id<Application>,
    ) -> Result<Vec<Extension>, TableError> {
        self.query(keys::extensions(application), Range::All).await
    }

    /// Returns an extension by its id: 1 read.
    pub async fn extension(
        &self,
        application: Id<Application>,
        id: Id<Extension>,
    ) -> Result<Option<Extension>, TableError> {
        self.get(keys::extension(application, id)).await
    }

    /// Stores a new extension. Refused if the person already has one, and as [`Refusal::Erased`] if
    /// the person is being erased, or the application is not there.
    pub async fn create_extension(
        &self,
        extension: &Extension,
        application: &Application,
        now: Timestamp,
    ) -> Result<(), TableError> {
        // The client token of a transaction makes a late repeat harmless, which could otherwise
        // bring back an extension that was deleted since.
        self.transact(vec![
            Write::create(extension)?.or(Refusal::Exists),
            Write::put(&extension.due_entry(application, now))?,
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
        let due = Write::put(&new.due_entry(application, now))?;
        self.transact(vec![update, due]).await
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
        let due = (!is_over).then(|| extension.due_at(application.end, application, now));
        let mut writes = vec![extension.deletion()];
        writes.extend(due.as_ref().map(Write::put).transpose()?);
        self.transact(writes).await
    }

    /// Deletes the extension of a person who is being erased. Refused if it changed after it was
    /// read.
    pub(crate) async fn erase_extension(&self, extension: &Extension) -> Result<(), TableError> {
        self.write(extension.deletion()).await.map(drop)
    }
}
