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

    /// Stores a new profile. Refused if it is known meanwhile.
    pub async fn create_person(&self, person: &Person) -> Result<(), TableError> {
        self.write(Write::put(person)?.if_new()).await.map(drop)
    }

    /// Stores what a token says anew. Copies are refreshed first: if that is cut short, the profile still differs from the
    /// token and the next request does it again.
    pub async fn update_claims(&self, person: &Person) -> Result<(), TableError> {
        self.refresh_copies(person).await?;
        let Key { pk, sk } = keys::by_username(&person.personal.username, person.id);
        let write = Write::update(person.key()).set("personal", &person.personal).set("token_issued_at", &person.token_issued_at);
        self.write(write.set(keys::GSI1PK, &pk).set(keys::GSI1SK, &sk).if_exists()).await.map(drop)
    }

    /// Stores what a person says of themselves, and refreshes the copies of it.
    pub async fn update_settings(&self, person: &Person) -> Result<(), TableError> {
        let write = Write::update(person.key()).set("graduation_year", &person.graduation_year).set("image_url", &person.image_url);
        self.write(write.if_exists()).await?;
        self.refresh_copies(person).await
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
