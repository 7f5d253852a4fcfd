//! Profiles, and the copies of names and addresses where lists need them.

use super::{Entity, Key, Table, TableError, Write, keys, type_of};
use crate::models::{Applicant, Membership, Person, Submission};

impl Entity for Person {
    const TYPE: &'static str = "Person";

    fn key(&self) -> Key {
        keys::profile(self.id)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::by_username(&self.personal.username, self.id))
    }
}

impl Table {
    /// The people with this user name, whatever its case: 1 query of the index.
    pub async fn people_called(&self, username: &str) -> Result<Vec<Person>, TableError> {
        self.query_index(keys::username(username), super::Range::All).await
    }

    /// A profile: 1 read.
    pub async fn person(&self, id: u64) -> Result<Option<Person>, TableError> {
        self.get(keys::profile(id)).await
    }

    /// Stores a profile. Copies of its data are refreshed first: if that is cut short, the profile still differs
    /// from the token and the next request does it again.
    pub async fn put_person(&self, person: &Person, known: bool) -> Result<(), TableError> {
        if known {
            self.refresh_copies(person).await?;
        }
        self.write(Write::put(person)?).await.map(drop)
    }

    async fn refresh_copies(&self, person: &Person) -> Result<(), TableError> {
        let applicant = Applicant { personal: person.personal.clone(), graduation_year: person.graduation_year };
        let items = self.items(true, keys::own(person.id), super::Range::All).await?;
        let writes = items.into_iter().filter_map(|item| match type_of(&item) {
            Membership::TYPE => {
                let write = Write::update(Key::of(&item)?).set("personal", &person.personal).set("image_url", &person.image_url);
                Some(write.if_exists())
            }
            Submission::TYPE => Some(Write::update(Key::of(&item)?).set("applicant", &applicant).if_exists()),
            _ => None,
        });
        let results = futures::future::join_all(writes.map(|write| self.write(write))).await;
        // What was removed meanwhile needs no copy.
        results.into_iter().filter(|result| !matches!(result, Err(TableError::Refused(_)))).try_for_each(|result| result.map(drop))
    }
}
