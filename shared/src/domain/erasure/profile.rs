//! The end of a profile that is being erased.

use crate::db::{Entity as _, Table, TableError, Write};
use crate::domain::person::model::{Creations, Person, Personal};
use crate::domain::reference::store::count_profile;
use crate::domain::task::model::{ScheduledTask, TaskKind};
use crate::ids::{Id, of};
use crate::time::Timestamp;

impl Person {
    /// Returns what tells the timer to erase them at this time.
    pub fn erasure_task(&self, at: Timestamp, now: Timestamp) -> ScheduledTask {
        let what = TaskKind::Erasure {
            person: self.id,
            created_at: self.created_at,
        };
        ScheduledTask::new(at, now, what)
    }

    /// Whoever had this id, and has no profile any more.
    pub(crate) fn erased(id: Id<of::Person>, created_at: Timestamp) -> Self {
        Self {
            erasing: true,
            ..Self::new(id, String::new(), Personal::default(), created_at)
        }
    }
}

impl Table {
    /// Deletes a profile that is being erased, and files what follows: 1 transaction. If the person
    /// created clubs, the number is kept in a separate item. Nothing is done to the profile of
    /// somebody who came back.
    pub(crate) async fn delete_person(
        &self,
        person: &Person,
        next: &ScheduledTask,
    ) -> Result<(), TableError> {
        let profile = Write::delete(person.key())
            .if_equals("created_at", &person.created_at)
            .if_equals("erasing", &true)
            // A membership that the index did not show. The erasure has to look again.
            .if_at_most("clubs_owned", &0);
        let nothing = Person {
            graduation_year: None,
            school: vec![],
            major: vec![],
            ..person.clone()
        };
        let left = Creations {
            person: person.id,
            clubs_created: person.clubs_created,
        };
        let left = (left.clubs_created > 0).then(|| Write::put(&left));
        let mut writes = vec![profile, Write::put(next)?];
        writes.extend(count_profile(person.uses(), nothing.uses()));
        writes.extend(left.transpose()?);
        match self.transact(writes).await {
            // Another run was faster.
            Err(TableError::Refused(_)) if self.person(person.id).await?.is_none() => Ok(()),
            done => done,
        }
    }
}
