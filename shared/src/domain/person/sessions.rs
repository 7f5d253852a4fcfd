//! When people used the service last.

use crate::db::error::ignore_refusal;
use crate::db::{Entity as _, Table, TableError, Write};
use crate::domain::person::model::Person;

impl Table {
    /// Notes the day on which a person used the service with a session: 1 write. It is no error if
    /// the person was erased, or another request was faster. A late repeat does not reach the new
    /// profile of somebody who came back.
    pub async fn note_session(
        &self,
        person: &Person,
        on: chrono::NaiveDate,
    ) -> Result<(), TableError> {
        let write = Write::update(person.key())
            .set("signed_in_on", &on)
            .if_is("signed_in_on", person.signed_in_on.as_ref())
            .if_equals("created_at", &person.created_at)
            .if_equals("erasing", &false);
        ignore_refusal(self.write(write).await.map(drop))
    }

    /// Notes whether a person is an admin, as in [`Person::admin_seen`]: 1 write, with the same
    /// conditions.
    pub async fn note_admin(&self, person: &Person, seen: i64) -> Result<(), TableError> {
        let write = Write::update(person.key())
            .set("admin_seen", &seen)
            .if_is("admin_seen", person.admin_seen.as_ref())
            .if_equals("created_at", &person.created_at)
            .if_equals("erasing", &false);
        ignore_refusal(self.write(write).await.map(drop))
    }
}
