//! Passes changes on to the webhooks (Z9).

use std::time::Duration;

use shared::db::{Table, TableError};
use shared::domain::{
    Call, CallKind, ChangeType, Delivery, Membership, NewChange, Notification, Webhook,
};
use shared::queue::{Queue, QueueError};
use shared::text::ClubCode;
use shared::time::CLOCKS_DIFFER;
use shared::time::Timestamp;

/// Why changes are passed on later.
#[derive(Debug, thiserror::Error)]
pub enum NotForwarded {
    /// The table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The queue did not take everything.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// Puts calls of webhooks into their queue.
pub struct Forwarder {
    table: Table,
    queue: Queue,
}

impl Forwarder {
    /// Passes changes on to this queue.
    pub fn new(table: Table, queue: Queue) -> Self {
        Self { table, queue }
    }

    /// Returns the webhooks for all clubs: 1 query.
    pub async fn for_all_clubs(&self) -> Result<Vec<Webhook>, TableError> {
        self.table.webhooks(None).await
    }

    /// Puts a call into the queue for each change of a club and each webhook that is told it, at
    /// least once: 1 query, and 1 request to the queue for 10 calls.
    pub async fn forward(
        &self,
        club: &ClubCode,
        changes: &[NewChange],
        for_all: &[Webhook],
        now: Timestamp,
    ) -> Result<(), NotForwarded> {
        let of_club = self.table.webhooks(Some(club)).await?;
        let mut calls = Vec::new();
        for webhook in of_club.iter().chain(for_all).filter(|one| one.active) {
            // A record may be delivered again, long after.
            let is_new = |one: &&NewChange| one.at.plus(CLOCKS_DIFFER) >= webhook.created_at;
            let new = changes.iter().filter(is_new);
            if new
                .clone()
                .any(|change| may_end_right(change, club, webhook))
            {
                calls.push(call(webhook, CallKind::Check));
            }
            for change in new {
                if webhook.types.contains(&change.change_type) {
                    let notification = Notification::change(club, change);
                    calls.push(call(webhook, first_attempt(notification, now)));
                }
            }
        }
        Ok(self.queue.send(&calls, Duration::ZERO).await?)
    }

    /// Puts a call into the queue for an attempt that somebody asked for.
    pub async fn forward_asked(
        &self,
        delivery: &Delivery,
        now: Timestamp,
    ) -> Result<(), NotForwarded> {
        let what = CallKind::Tell {
            notification: delivery.notification.clone(),
            // The first attempt of a test is repeated if it fails.
            repeat: u32::from(delivery.attempt == 0),
            scheduled_at: now,
            asked: delivery.requested,
        };
        let key = delivery.key.clone();
        Ok(self
            .queue
            .send(&[Call { key, what }], Duration::ZERO)
            .await?)
    }
}

fn call(webhook: &Webhook, what: CallKind) -> Call {
    let key = webhook.key.clone();
    Call { key, what }
}

fn first_attempt(notification: Notification, scheduled_at: Timestamp) -> CallKind {
    CallKind::Tell {
        notification,
        repeat: 1,
        scheduled_at,
        asked: None,
    }
}

/// Whether the creator of a webhook may have lost the right to it: as a member, or because the club
/// was deleted.
fn may_end_right(change: &NewChange, club: &ClubCode, webhook: &Webhook) -> bool {
    if webhook.key.club.is_none() {
        return false;
    }
    match change.change_type {
        ChangeType::ClubUpdated => true,
        ChangeType::MemberUpdated | ChangeType::MemberRemoved => {
            change.object == Some(Membership::id_of(club, webhook.creator).get())
        }
        _ => false,
    }
}
