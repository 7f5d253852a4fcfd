//! The stored data of a person besides their profile (P13, P14).

use std::collections::BTreeMap;

use crate::db::error::check_memory_budget;
use crate::db::read::{MAX_BATCH_KEYS, Range};
use crate::db::response::{AnyItem as _, Stored, readable};
use crate::db::{Entity, Key, Table, TableError};
use crate::domain::entities::Erasure;
use crate::domain::outbox::model::Mail;
use crate::domain::person::model::Person;
use crate::domain::submission::model::RecentSubmission;
use crate::domain::{idempotency, person, submission};
use crate::kind::Kind;

/// What is stored of a person besides their profile, by kind: everything with which an erasure does
/// something. Submissions are without their answers, and of mails only the keys were read: there
/// may be thousands.
#[derive(Debug, Default)]
pub struct PersonalData {
    items: BTreeMap<Kind, Vec<Stored>>,
    size: usize,
}

impl PersonalData {
    fn add(&mut self, items: impl IntoIterator<Item = Stored>) {
        for item in items {
            let Ok(kind) = item.kind().parse::<Kind>() else {
                continue;
            };
            if !matches!(kind.facts().erasure, Erasure::Keep | Erasure::Elsewhere(_)) {
                self.size += item.size();
                self.items.entry(kind).or_default().push(item);
            }
        }
    }

    /// Takes out all entities of a type, in no particular order.
    pub fn take<E: Entity>(&mut self) -> Vec<E> {
        readable(self.items.remove(&E::KIND).unwrap_or_default())
    }

    /// Returns all items, by kind.
    pub(crate) fn into_items(self) -> impl Iterator<Item = (Kind, Vec<Stored>)> {
        self.items.into_iter()
    }
}

impl Table {
    /// Returns the stored data of a person: 3 queries, 1 or 2 for each of their addresses, and 1
    /// batch read per 100 items. [`TableError::TooMuch`] if it is larger than the memory limit.
    pub async fn personal_data(&self, person: &Person) -> Result<PersonalData, TableError> {
        let all = self.some_personal_data(person).await?;
        check_memory_budget(all.size).map(|()| all)
    }

    /// The same, and not all of it if it is larger than the memory limit.
    pub(crate) async fn some_personal_data(
        &self,
        person: &Person,
    ) -> Result<PersonalData, TableError> {
        let own = person::keys::own(person.id);
        let [first, rest] = idempotency::keys::beside_idempotency_records();
        let (mut partition, others, entries, addressed) = futures::try_join!(
            self.items(own.clone(), first),
            self.items(own.clone(), rest),
            self.index_entries(own.clone(), Range::All),
            self.addressed(person),
        )?;
        partition.extend(others);
        let mut all = PersonalData::default();
        // What was submitted within the last hour is found although the index is behind.
        let recent: Vec<RecentSubmission> = readable(partition.iter().cloned());
        let recent = recent.iter().map(|recent| {
            let key = submission::keys::submission(recent.application, recent.submission);
            (key, own.clone())
        });
        let entries = entries.into_iter().chain(addressed);
        let (mails, entries): (Vec<Stored>, Vec<Stored>) =
            entries.partition(|entry| entry.kind() == Mail::TYPE);
        let listed = entries.iter().map(|entry| {
            let partition = entry.index_partition().to_owned();
            (entry.key(), partition)
        });
        let listed: BTreeMap<Key, String> = recent.chain(listed).collect();
        all.add(partition.into_iter().chain(mails));
        let requested: Vec<Key> = listed.keys().cloned().collect();
        for batch in requested.chunks(MAX_BATCH_KEYS) {
            if check_memory_budget(all.size).is_err() {
                break;
            }
            let mut items = self.get_many(batch.to_vec()).await?.into_items();
            let is_theirs = |item: &Stored| {
                let partition = listed.get(&item.key());
                partition.is_some_and(|partition| partition == item.index_partition())
            };
            items.retain(is_theirs);
            all.add(items);
        }
        Ok(all)
    }

    /// Returns all mails to a person, the oldest first, without their HTML: 1 batch read per 100.
    pub async fn mails_to(&self, person: &mut PersonalData) -> Result<Vec<Mail>, TableError> {
        let without_html = |mail: Mail| Mail {
            html: String::new(),
            ..mail
        };
        let all = person.items.remove(&Kind::Mail).unwrap_or_default();
        let all: Vec<Key> = all.iter().map(Stored::key).collect();
        let (mut mails, mut memory_used) = (Vec::<Mail>::new(), 0);
        for batch in all.chunks(MAX_BATCH_KEYS) {
            let found = self.get_many(batch.to_vec()).await?.into_entities();
            let found: Vec<Mail> = found.into_iter().map(without_html).collect();
            memory_used += found
                .iter()
                .map(|mail| mail.text.len() + 1_000)
                .sum::<usize>();
            check_memory_budget(memory_used)?;
            mails.extend(found);
        }
        mails.sort_by_key(|mail| (mail.queued_at, mail.about));
        Ok(mails)
    }

    /// Returns what the index has of invites and mails to the present and the former addresses of a
    /// person. A former address that somebody else has now is theirs.
    async fn addressed(&self, person: &Person) -> Result<Vec<Stored>, TableError> {
        let present = Some(&person.personal.email).filter(|email| !email.is_empty());
        let former = person.former_emails.iter().map(async |email| {
            let others = self.people_at(email).await?;
            let is_unused = others.iter().all(|other| *other == person.id);
            Ok::<_, TableError>(is_unused.then_some(email))
        });
        let former = futures::future::try_join_all(former).await?;
        let all = present.into_iter().chain(former.into_iter().flatten());
        let found = all.map(|email| self.index_entries(person::keys::address(email), Range::All));
        let found = futures::future::try_join_all(found).await?;
        Ok(found.into_iter().flatten().collect())
    }
}
