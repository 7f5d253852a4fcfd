//! Webhooks in the table: under numbers in their club, so that the quota needs no counter.

use std::collections::{HashMap, HashSet};

use crate::db::read::{Fetch, Range};
use crate::db::{Entity, Key, Refusal, Table, TableError, Write};
use crate::domain::member::model::Membership;
use crate::domain::person::model::Person;
use crate::domain::task::model::{ScheduledTask, TaskKind, WebhookKey};
use crate::domain::webhook::keys;
use crate::domain::webhook::model::{Delivery, Notification, Webhook};
use crate::domain::{club, member, person};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::limits;
use crate::text::ClubCode;
use crate::time::Timestamp;

impl Entity for Webhook {
    const KIND: Kind = Kind::Webhook;

    fn key(&self) -> Key {
        keys::webhook(&self.key)
    }
}

impl Entity for Delivery {
    const KIND: Kind = Kind::Delivery;

    fn key(&self) -> Key {
        keys::delivery(self.key.webhook, &self.notification)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

impl Webhook {
    /// Returns the entry with which the timer looks whether it still fails (Z10); none if it does
    /// not fail.
    pub fn scheduled_task(&self, now: Timestamp) -> Option<ScheduledTask> {
        let at = self.failing_since?.plus(Self::FAILS_FOR);
        let key = self.key.clone();
        Some(ScheduledTask::new(at, now, TaskKind::Webhook { key }))
    }
}

/// The profile of the creator of a webhook, and their membership of its club.
pub type Creator = (Option<Person>, Option<Membership>);

fn creator_keys(webhook: &Webhook) -> (Key, Option<Key>) {
    let club = webhook.key.club.as_ref();
    let member =
        club.map(|club| member::keys::member(club, Membership::id_of(club, webhook.creator)));
    (person::keys::profile(webhook.creator), member)
}

/// Checks that the club of a webhook is there, if it has one.
fn club_there(webhook: &Webhook) -> Option<Write> {
    let there = Write::check(club::keys::club(webhook.key.club.as_ref()?));
    let there = there.if_equals("archived", &false);
    Some(there.or(Refusal::ReferenceDeleted))
}

/// Returns a webhook with a new version, and its write.
fn changed(webhook: &Webhook) -> Result<(Webhook, Write), TableError> {
    let mut changed = webhook.clone();
    changed.version += 1;
    let put = Write::put(&changed)?.if_equals("version", &webhook.version);
    Ok((changed, put))
}

impl Table {
    /// Returns the webhooks of a club, or those for all clubs, at most [`limits::WEBHOOKS`]: 1
    /// query.
    pub async fn webhooks(&self, club: Option<&ClubCode>) -> Result<Vec<Webhook>, TableError> {
        let range = Range::Prefix("WEBHOOK#".into());
        // Tombstones of webhooks are not webhooks.
        self.query(keys::webhooks(club), range).await
    }

    /// Returns a webhook: 1 read.
    pub async fn webhook(&self, key: &WebhookKey) -> Result<Option<Webhook>, TableError> {
        let found: Option<Webhook> = self.get(keys::webhook(key)).await?;
        Ok(found.filter(|webhook| webhook.id() == key.webhook))
    }

    /// Returns a webhook, and what is known of telling it something: 1 batch read of 2 items.
    pub async fn webhook_and_delivery(
        &self,
        key: &WebhookKey,
        notification: &Notification,
    ) -> Result<(Option<Webhook>, Option<Delivery>), TableError> {
        let (webhook, delivery) = (
            keys::webhook(key),
            keys::delivery(key.webhook, notification),
        );
        let requested = vec![webhook.clone(), delivery.clone()];
        let mut found = self.get_many(requested).await?;
        let webhook: Option<Webhook> = found.take(&webhook)?;
        let webhook = webhook.filter(|webhook| webhook.id() == key.webhook);
        Ok((webhook, found.take(&delivery)?))
    }

    /// Returns the profile of the creator of a webhook, and their membership of its club: 1 batch
    /// read.
    pub async fn creator_of(&self, webhook: &Webhook) -> Result<Creator, TableError> {
        let found = self.creators_of(std::slice::from_ref(webhook)).await?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    /// Returns the same for several webhooks, in their order: 1 batch read.
    pub async fn creators_of(&self, webhooks: &[Webhook]) -> Result<Vec<Creator>, TableError> {
        let requested: Vec<(Key, Option<Key>)> = webhooks.iter().map(creator_keys).collect();
        let (people, members): (HashSet<Key>, HashSet<Option<Key>>) =
            requested.iter().cloned().unzip();
        let members: Vec<Key> = members.into_iter().flatten().collect();
        let keys = people.iter().chain(&members).cloned();
        let mut found = self.get_many(keys.collect()).await?;
        let (mut parsed, mut roles) = (HashMap::new(), HashMap::new());
        for key in people {
            parsed.insert(key.clone(), found.take(&key)?);
        }
        for key in members {
            roles.insert(key.clone(), found.take(&key)?);
        }
        let creators = requested.iter().map(|(person, member)| {
            let role = member.as_ref().and_then(|key| roles.get(key));
            let person = parsed.get(person).cloned();
            (person.flatten(), role.cloned().flatten())
        });
        Ok(creators.collect())
    }

    /// Stores a new webhook: 1 transaction. Refused if its number is not empty, as
    /// [`Refusal::Deleted`] if one with this number was deleted after it was asked for (X17), and
    /// as [`Refusal::ReferenceDeleted`] if the club is deleted (Z10).
    pub async fn put_webhook(&self, webhook: &Webhook) -> Result<(), TableError> {
        let put = Write::create(webhook)?.or(Refusal::Exists);
        let there = club_there(webhook).into_iter();
        self.transact(there.chain([put]).collect()).await
    }

    /// Stores a changed webhook with a new version: 1 write, and 1 for an entry of the timer.
    /// Refused if it is not as it was read.
    pub async fn change_webhook(
        &self,
        webhook: &Webhook,
        task: Option<&ScheduledTask>,
    ) -> Result<Webhook, TableError> {
        let (changed, put) = changed(webhook)?;
        match task {
            None => self.write(put).await.map(drop)?,
            Some(task) => self.transact(vec![put, Write::put(task)?]).await?,
        }
        Ok(changed)
    }

    /// Stores a changed webhook that is on. Like [`Table::change_webhook`], and refused like
    /// [`Table::put_webhook`].
    pub async fn change_active_webhook(&self, webhook: &Webhook) -> Result<Webhook, TableError> {
        let (changed, put) = changed(webhook)?;
        match club_there(webhook) {
            None => self.write(put).await.map(drop)?,
            Some(there) => self.transact(vec![put, there]).await?,
        }
        Ok(changed)
    }

    /// Deletes a webhook: 1 write. Refused if it is not as it was read.
    pub async fn delete_webhook(&self, webhook: &Webhook) -> Result<(), TableError> {
        let delete = Write::delete_with_tombstone(webhook.key());
        let delete = delete.if_equals("version", &webhook.version);
        self.write(delete).await.map(drop)
    }

    /// Returns the last deliveries of a webhook, the newest first, at most
    /// [`limits::DELIVERIES`]: 1 query.
    pub async fn deliveries(&self, webhook: Id<of::Webhook>) -> Result<Vec<Delivery>, TableError> {
        let mut found: Vec<Delivery> = Vec::new();
        let take = |page: Vec<Delivery>| {
            found.extend(page);
            Ok(false)
        };
        let (partition, one_page) = (keys::deliveries(webhook), Fetch::Pages(limits::DELIVERIES));
        self.each_page(false, partition, Range::All, one_page, take)
            .await?;
        Ok(found)
    }

    /// Stores an attempt, or that somebody asks for one: 1 write. Refused if another one was stored
    /// since `before` was read.
    pub async fn put_delivery(
        &self,
        delivery: &Delivery,
        before: Option<&Delivery>,
    ) -> Result<(), TableError> {
        let put = Write::put(delivery)?;
        let put = match before {
            None => put.if_new(),
            Some(before) => put.if_equals("attempt", &before.attempt),
        };
        self.write(put).await.map(drop)
    }
}
