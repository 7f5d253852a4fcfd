//! Profiles and the search entries of people.

use std::collections::{BTreeSet, HashMap};

use crate::db::read::Range;
use crate::db::{Entity, Item, Key, Table, TableError, Write, to_item};
use crate::domain::outbox::undelivered::MailOwner;
use crate::domain::person::keys;
use crate::domain::person::model::{Applicant, Creations, Person};
use crate::domain::reference::store::ProfileUses;
use crate::ids::{Id, of};
use crate::kind::Kind;

impl Person {
    /// Returns what shows that a mail to a person did not arrive.
    pub(crate) fn owner_of_mails(person: Id<of::Person>) -> MailOwner {
        MailOwner::at::<Self>(keys::profile(person))
    }
}

impl Entity for Person {
    const KIND: Kind = Kind::Person;

    fn key(&self) -> Key {
        keys::profile(self.id)
    }

    fn index_key(&self) -> Option<Key> {
        (!self.erasing).then(|| keys::by_username(&self.personal.username, self.id))
    }
}

impl Entity for Creations {
    const KIND: Kind = Kind::Creations;

    fn key(&self) -> Key {
        keys::creations(self.person)
    }
}

impl Person {
    /// Returns the search entries as they are stored; none if they are being erased.
    pub(crate) fn entry_items(&self) -> Vec<Item> {
        if self.erasing {
            return vec![];
        }
        let words = self
            .words()
            .into_iter()
            .filter_map(|word| to_item(&word).ok());
        words
            .chain(
                self.address()
                    .iter()
                    .filter_map(|address| to_item(address).ok()),
            )
            .collect()
    }

    /// Returns the entries of collections that the profile uses.
    pub(crate) fn uses(&self) -> ProfileUses<'_> {
        ProfileUses {
            school: &self.school,
            major: &self.major,
            graduation_year: self.graduation_year,
        }
    }

    /// Returns the person in the form in which lists show applicants.
    pub fn applicant(&self) -> Applicant {
        Applicant {
            personal: self.personal.clone(),
            graduation_year: self.graduation_year,
            school: self.school.clone(),
            major: self.major.clone(),
        }
    }
}

impl Table {
    /// Returns the people with this user name (case is ignored): 1 query of the index.
    pub async fn people_called(&self, username: &str) -> Result<Vec<Person>, TableError> {
        self.query_index(keys::username(username), Range::All).await
    }

    /// Returns a profile: 1 read.
    pub async fn person(&self, id: Id<of::Person>) -> Result<Option<Person>, TableError> {
        self.get(keys::profile(id)).await
    }

    /// Returns the number of clubs that an erased person created (0 if there is no record): 1 read.
    pub async fn creations(&self, person: Id<of::Person>) -> Result<i64, TableError> {
        Ok(self
            .get::<Creations>(keys::creations(person))
            .await?
            .map_or(0, |left| left.clubs_created))
    }

    /// Returns profiles by user id; ids that do not exist are skipped: 1 batch read per 100.
    pub async fn people(
        &self,
        ids: impl IntoIterator<Item = Id<of::Person>>,
    ) -> Result<HashMap<Id<of::Person>, Person>, TableError> {
        let requested: BTreeSet<Id<of::Person>> = ids.into_iter().collect();
        let mut found = self
            .get_many(requested.iter().map(|id| keys::profile(*id)).collect())
            .await?;
        requested
            .iter()
            .filter_map(|id| {
                Some(
                    found
                        .take(&keys::profile(*id))
                        .transpose()?
                        .map(|person| (*id, person)),
                )
            })
            .collect()
    }

    /// Stores a new profile with its search entries. Refused if the profile was stored in the
    /// meantime.
    pub async fn create_person(&self, person: &Person) -> Result<(), TableError> {
        let mut writes = vec![Write::put(person)?.if_new()];
        writes.extend(person.entry_puts()?);
        self.transact(writes).await
    }

    /// Stores people as they are, with their search entries. Only for loading data into a table
    /// that has no other writers.
    pub async fn load_people(&self, people: &[Person]) -> Result<(), TableError> {
        self.load(people).await?;
        self.load(&people.iter().flat_map(Person::words).collect::<Vec<_>>())
            .await?;
        self.load(
            &people
                .iter()
                .filter_map(Person::address)
                .collect::<Vec<_>>(),
        )
        .await?;
        let years = people.iter().filter_map(|person| person.graduation_year);
        self.load_years(years).await
    }

    /// Ends the address of a person's calendar, and returns the number of the new one: 1 write. If
    /// another request was faster, its address is returned. Refused if the person was erased, also
    /// if they came back with a new profile: a late repeat ends no address of that.
    pub async fn renew_calendar(&self, person: &Person) -> Result<u32, TableError> {
        let next = person.calendar + 1;
        let write = Write::update(person.key())
            .set("calendar", &next)
            .if_absent_or_equals("calendar", &person.calendar)
            .if_equals("created_at", &person.created_at)
            .if_equals("erasing", &false);
        match self.write(write).await {
            Ok(_) => Ok(next),
            Err(TableError::Refused(refusal)) => match self.person(person.id).await? {
                Some(now)
                    if now.calendar > person.calendar
                        && now.created_at == person.created_at
                        && !now.erasing =>
                {
                    Ok(now.calendar)
                }
                _ => Err(TableError::Refused(refusal)),
            },
            Err(error) => Err(error),
        }
    }
}
