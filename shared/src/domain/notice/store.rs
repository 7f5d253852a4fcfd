//! How a notice is stored, and what was due is finished (G5).

use crate::db::{Entity, Refusal, Table, TableError, Write};
use crate::domain::outbox::model::Mail;
use crate::domain::person::conditions::check_not_erasing;
use crate::domain::task::model::ScheduledTask;

impl Table {
    /// Finishes something that was due: 1 transaction stores the mail, files what follows, and
    /// removes the entry. Refused as [`Refusal::Exists`] if the mail is there already, as
    /// [`Refusal::Erased`] if its person is being erased, and as [`Refusal::Changed`] if another
    /// run was faster, or the entry was filed again.
    pub async fn finish_task(
        &self,
        entry: &ScheduledTask,
        next: Option<&ScheduledTask>,
        mail: Option<&Mail>,
    ) -> Result<(), TableError> {
        let mut writes = vec![];
        let is_same = next.is_some_and(|next| next.key() == entry.key());
        if let Some(next) = next {
            let put = Write::put(next)?;
            writes.push(if is_same {
                put.if_equals("stamp", &entry.stamp)
            } else {
                put
            });
        }
        if !is_same {
            writes.push(Write::delete(entry.key()).if_equals("stamp", &entry.stamp));
        }
        if let Some(mail) = mail {
            writes.push(Write::put(mail)?.if_new().or(Refusal::Exists));
            writes.extend(mail.person.map(check_not_erasing));
        }
        self.transact(writes).await
    }

    /// Stores a reminder: 1 transaction. If an earlier one was given up because it was not true at
    /// that time, this one is the next attempt: 1 read and 1 transaction more. Returns false if a
    /// reminder is stored already, or if its person is being erased.
    pub async fn queue_notice(&self, mut mail: Mail) -> Result<bool, TableError> {
        loop {
            // The token of a transaction makes a late repeat harmless.
            let put = Write::put(&mail)?.if_new().or(Refusal::Exists);
            let person = mail.person.map(check_not_erasing);
            let writes = std::iter::once(put).chain(person);
            match self.transact(writes.collect()).await {
                Ok(()) => return Ok(true),
                Err(TableError::Refused(Refusal::Exists)) => {}
                Err(TableError::Refused(_)) => return Ok(false),
                Err(error) => return Err(error),
            }
            let earlier = self.mail(&mail.id()).await?;
            if !earlier.is_some_and(|earlier| earlier.is_superseded()) {
                return Ok(false);
            }
            mail.attempt += 1;
        }
    }
}
