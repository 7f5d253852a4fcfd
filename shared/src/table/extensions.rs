//! Extensions of an application's end for single persons.

use super::{Entity, Key, Range, Table, TableError, Write, keys};
use crate::ids::Id;
use crate::models::{Application, Extension, Person};

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
    /// The id of a person's extension of an application.
    pub fn id_of(application: Id<Application>, person: Id<Person>) -> Id<Self> {
        Id::derived(
            "extension",
            &[&application.to_string(), &person.to_string()],
        )
    }

    /// Where it stands.
    pub fn key_of(application: Id<Application>, person: Id<Person>) -> Key {
        keys::extension(application, Self::id_of(application, person))
    }
}

impl Table {
    /// The extensions of an application: 1 query.
    pub async fn extensions(
        &self,
        application: Id<Application>,
    ) -> Result<Vec<Extension>, TableError> {
        self.query(keys::extensions(application), Range::All).await
    }

    /// An extension by its id: 1 read.
    pub async fn extension(
        &self,
        application: Id<Application>,
        id: Id<Extension>,
    ) -> Result<Option<Extension>, TableError> {
        self.get(keys::extension(application, id)).await
    }

    /// Gives an extension. Refused if the person has one.
    pub async fn create_extension(&self, extension: &Extension) -> Result<(), TableError> {
        self.write(Write::put(extension)?.if_new()).await.map(drop)
    }

    /// Changes an extension. Refused if it is not at the version of `old`.
    pub async fn update_extension(
        &self,
        old: &Extension,
        new: &Extension,
    ) -> Result<(), TableError> {
        let update = Write::put(new)?.if_equals("version", &old.version);
        self.write(update).await.map(drop)
    }

    /// Takes an extension back, if it is still as it was read.
    pub async fn delete_extension(&self, extension: &Extension) -> Result<(), TableError> {
        self.write(Write::delete(extension.key()).if_equals("version", &extension.version))
            .await
            .map(drop)
    }
}
