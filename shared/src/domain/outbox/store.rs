//! The outbox: mails are stored as records before they are sent (E12).

use crate::db::{Entity, Key, Table, TableError};
use crate::domain::outbox::keys;
use crate::domain::outbox::model::Mail;
use crate::domain::outbox::state::MailId;
use crate::kind::Kind;

impl Entity for Mail {
    const KIND: Kind = Kind::Mail;
    const IS_MAIL: bool = true;

    fn key(&self) -> Key {
        key_of(&self.id())
    }

    fn index_key(&self) -> Option<Key> {
        Some(match self.person {
            Some(person) => keys::own_mail(person, self.about, self.sequence),
            None => keys::addressed_mail(&self.to, self.about, self.sequence),
        })
    }

    fn expires(&self) -> Option<i64> {
        let days = self.kind.kept_days();
        Some(
            self.queued_at
                .plus(chrono::TimeDelta::days(days))
                .epoch_seconds(),
        )
    }
}

pub(crate) fn key_of(mail: &MailId) -> Key {
    keys::outbox(mail.about, mail.sequence, mail.kind, mail.attempt)
}

impl Table {
    /// Returns a mail of the outbox: 1 read.
    pub async fn mail(&self, mail: &MailId) -> Result<Option<Mail>, TableError> {
        self.get(key_of(mail)).await
    }

    /// Returns the mail that a message of the queue names; none if it was deleted: 1 read.
    ///
    /// # Errors
    /// Also if this release cannot read it (E33).
    pub async fn queued_mail(&self, key: Key) -> Result<Option<Mail>, TableError> {
        self.get(key).await
    }

    /// Returns mails of the outbox as they are now: 1 batch read per 100.
    pub async fn mails(&self, mails: &[MailId]) -> Result<Vec<Mail>, TableError> {
        let requested: Vec<Key> = mails.iter().map(key_of).collect();
        let mut found = self.get_many(requested.clone()).await?;
        requested
            .iter()
            .filter_map(|key| found.take(key).transpose())
            .collect()
    }
}
