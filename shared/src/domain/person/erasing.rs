//! The flag of a profile that is being erased, and its end.

use crate::db::{Entity as _, Refusal, Table, TableError, Write};
use crate::domain::keys;
use crate::domain::person::model::{Creations, Person};
use crate::domain::reference::store::count_person;

impl Table {
    /// Marks a profile as being erased, or removes the flag. Refused if the profile does not exist,
    /// or is another one: that of somebody who came back.
    pub(crate) async fn flag_erasing(
        &self,
        person: &Person,
        erasing: bool,
    ) -> Result<(), TableError> {
        let flag = Write::update(person.key())
            .set("erasing", &erasing)
            .if_equals("created_at", &person.created_at)
            .if_equals("erasing", &!erasing);
        // The client token of a transaction makes a late repeat harmless, which could otherwise
        // lock out somebody who came back.
        match self.transact(vec![flag]).await {
            Err(TableError::Refused(_)) => match self.person(person.id).await? {
                Some(stored)
                    if stored.erasing == erasing && stored.created_at == person.created_at =>
                {
                    Ok(())
                }
                _ => Err(TableError::Refused(Refusal::Changed)),
            },
            done => done,
        }
    }

    /// Returns whether this profile is still being erased: another request may have done it, and
    /// the person may have come back with a new one: 1 read.
    pub(crate) async fn is_being_erased(&self, person: &Person) -> Result<bool, TableError> {
        let stored = self.person(person.id).await?;
        Ok(stored.is_some_and(|stored| stored.erasing && stored.created_at == person.created_at))
    }

    /// Deletes a profile that is being erased, with its search entries. If the person created
    /// clubs, the number is kept in a separate item. Nothing is done to the profile of somebody who
    /// came back.
    pub(crate) async fn delete_person(&self, erased: &Person) -> Result<(), TableError> {
        let mut retries = self.retries();
        loop {
            retries.next().await?;
            let stored = self.person(erased.id).await?;
            let stored = stored.filter(|stored| stored.created_at == erased.created_at);
            let Some(person) = stored else {
                return Ok(());
            };
            if !person.erasing {
                let why = "another request has taken the erasure back";
                return Err(TableError::Unknown(why.to_owned()));
            }
            let entries = person.entry_keys().into_iter().map(Write::delete);
            if person.clubs_owned > 0 {
                // A membership that the index did not show. The erasure has to look again.
                return Err(TableError::Unknown(
                    "the person still owns clubs".to_owned(),
                ));
            }
            let profile = Write::delete(person.key())
                .if_equals("personal", &person.personal)
                .if_equals("created_at", &person.created_at)
                .if_equals("erasing", &true)
                .if_equals("clubs_owned", &person.clubs_owned);
            let flag = Write::delete(keys::erasure(person.id));
            let nothing = Person {
                graduation_year: None,
                school: vec![],
                major: vec![],
                ..person.clone()
            };
            let counts = count_person(&person, &nothing);
            let left = Creations {
                person: person.id,
                clubs_created: person.clubs_created,
            };
            let left = if left.clubs_created > 0 {
                Some(Write::put(&left)?)
            } else {
                None
            };
            match self
                .transact(
                    [profile, flag]
                        .into_iter()
                        .chain(entries)
                        .chain(counts)
                        .chain(left)
                        .collect(),
                )
                .await
            {
                // The claims changed in the meantime, so there are other search entries. Retry.
                Err(TableError::Refused(_)) => {}
                done => return done,
            }
        }
    }
}
