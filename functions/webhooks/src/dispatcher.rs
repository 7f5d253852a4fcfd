//! Takes calls from the queue, tells the receivers, and stores what came of it (Z9, Z10).

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use chrono::TimeDelta;
use futures::future::join_all;
use shared::changes::{WebhookMessage, shown_by};
use shared::db::{Table, TableError};
use shared::domain::{
    Call, CallKind, Delivery, EncryptedSecret, Notification, OffReason, Webhook, WebhookKey,
};
use shared::encryption::SecretCipher;
use shared::queue::{Queue, QueueError};
use shared::settings::Settings;
use shared::time::{Clock, Timestamp};
use shared::webhook_off::switch_off;

use crate::call::{CallResponse, Receivers, Request};
use crate::signature::signatures;

/// The pauses before a call is repeated, in seconds: 5 s, 5 and 30 minutes, 2, 5, 10 and 10 hours.
const PAUSES: [i64; 7] = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
/// The receiver does not exist any more.
const GONE: u16 = 410;

/// Tells receivers what the queue holds.
pub struct Dispatcher {
    table: Table,
    queue: Queue,
    clock: Arc<dyn Clock>,
    receivers: Receivers,
    encryption: SecretCipher,
    settings: Settings,
}

/// Why a call stays in the queue.
#[derive(Debug, thiserror::Error)]
enum CallFailure {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
}

/// An attempt to tell a receiver something.
struct Attempt {
    key: WebhookKey,
    notification: Notification,
    repeat: u32,
    scheduled_at: Timestamp,
    asked: Option<u64>,
}

impl Attempt {
    /// The call that is to be put into the queue for it.
    fn call(&self) -> Call {
        Call {
            key: self.key.clone(),
            what: CallKind::Tell {
                notification: self.notification.clone(),
                repeat: self.repeat,
                scheduled_at: self.scheduled_at,
                asked: self.asked,
            },
        }
    }

    /// Returns whether a webhook is to be told this.
    fn is_for(&self, webhook: &Webhook) -> bool {
        let change_type = self.notification.change_type;
        let is_type = change_type.is_none_or(|kind| webhook.types.contains(&kind));
        webhook.active && (is_type || self.asked.is_some())
    }

    /// Returns whether it was made already: the queue gives out a call more than once.
    fn is_made(&self, before: &Delivery) -> bool {
        match self.asked {
            Some(_) => before.served == self.asked,
            None => before.repeat >= self.repeat,
        }
    }

    /// The delivery after this attempt.
    fn delivery(&self, before: Option<&Delivery>, reply: CallResponse, at: Timestamp) -> Delivery {
        let first = || Delivery::new(self.key.clone(), self.notification.clone(), at);
        let before = before.cloned().unwrap_or_else(first);
        Delivery {
            attempt: before.attempt + 1,
            repeat: before.repeat.max(self.repeat),
            tried_at: Some(at),
            status: reply.status,
            ms: Some(reply.ms),
            requested: before
                .requested
                .filter(|requested| Some(*requested) != self.asked),
            served: self.asked.or(before.served),
            ..before
        }
    }

    /// The next attempt, if this one failed; none if it was the last one, or another one that
    /// somebody asked for: the repeats go on without it.
    fn next(&self, now: Timestamp) -> Option<Self> {
        let tried = usize::try_from(self.repeat).ok()?;
        let pause = PAUSES.get(tried.checked_sub(1)?)?;
        Some(Self {
            key: self.key.clone(),
            notification: self.notification.clone(),
            repeat: self.repeat + 1,
            scheduled_at: now.plus(TimeDelta::seconds(*pause)),
            asked: None,
        })
    }
}

impl Dispatcher {
    /// A dispatcher with these settings.
    pub fn new(
        (table, queue): (Table, Queue),
        receivers: Receivers,
        clock: Arc<dyn Clock>,
        settings: Settings,
    ) -> Self {
        Self {
            table,
            queue,
            clock,
            receivers,
            encryption: SecretCipher::new(&settings.secrets.invite),
            settings,
        }
    }

    /// Does all calls of a batch, at the same time. The response names those that the queue gives
    /// out again.
    pub async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        let done = event.records.iter().map(async |message| {
            let done = self.take(message).await;
            done.err().map(|error| {
                tracing::error!(%error, "a call of a webhook is done later");
                let mut failure = BatchItemFailure::default();
                failure.item_identifier = message.message_id.clone().unwrap_or_default();
                failure
            })
        });
        let mut response = SqsBatchResponse::default();
        response.batch_item_failures = join_all(done).await.into_iter().flatten().collect();
        response
    }

    async fn take(&self, message: &SqsMessage) -> Result<(), CallFailure> {
        let call: Call = serde_json::from_str(message.body.as_deref().unwrap_or_default())?;
        let key = call.key;
        match call.what {
            CallKind::Check => self.switch_off(&key, OffReason::NoRight).await,
            CallKind::Tell {
                notification,
                repeat,
                scheduled_at,
                asked,
            } => {
                let attempt = Attempt {
                    key,
                    notification,
                    repeat,
                    scheduled_at,
                    asked,
                };
                self.tell(attempt).await
            }
        }
    }

    /// Puts an attempt into the queue, for as long as the queue can.
    async fn send_later(&self, attempt: &Attempt, now: Timestamp) -> Result<(), QueueError> {
        let pause = (attempt.scheduled_at.moment() - now.moment()).to_std();
        let pause = pause.unwrap_or(Duration::ZERO);
        self.queue.send(&[attempt.call()], pause).await
    }

    async fn tell(&self, attempt: Attempt) -> Result<(), CallFailure> {
        let now = Timestamp::at(self.clock.now());
        if now < attempt.scheduled_at {
            return Ok(self.send_later(&attempt, now).await?);
        }
        let (key, notification) = (&attempt.key, &attempt.notification);
        let read = self.table.webhook_and_delivery(key, notification);
        let people: HashSet<_> = notification.by.into_iter().collect();
        let ((webhook, before), there) = futures::try_join!(read, self.table.there_since(people))?;
        if let Some(before) = &before {
            if attempt.is_made(before) {
                // An earlier invocation may have ended before it noted what came of it.
                return self.note_response(&attempt, before, now).await;
            }
            if before.is_taken() && attempt.asked.is_none() {
                return Ok(());
            }
        }
        let Some(webhook) = webhook.filter(|webhook| attempt.is_for(webhook)) else {
            return Ok(());
        };
        let (creator, membership) = self.table.creator_of(&webhook).await?;
        let today = now.moment().date_naive();
        if !Webhook::has_right(creator.as_ref(), membership.as_ref(), today) {
            return self.switch_off(key, OffReason::NoRight).await;
        }
        let secrets = match self.secrets(&webhook, now) {
            Ok(secrets) => secrets,
            Err(lost) => return self.switch_off(key, OffReason::NoSecret(lost)).await,
        };
        let by = shown_by(notification.by, notification.at, &there);
        let message = WebhookMessage::new(notification, by, self.base());
        let reply = self.call(&webhook.url, &secrets, &message, now).await?;
        tracing::info!(
            webhook = key.webhook.get(),
            repeat = attempt.repeat,
            status = reply.status,
            ms = reply.ms,
            "webhook"
        );
        self.store(&attempt, before.as_ref(), reply, now).await
    }

    /// Returns the secrets that sign now, or the id of the present one if it cannot be decrypted:
    /// the secret of the deployment was changed since it was made.
    fn secrets(&self, webhook: &Webhook, now: Timestamp) -> Result<Vec<Vec<u8>>, u64> {
        let object = webhook.id().to_string();
        let open = |one: &EncryptedSecret| self.encryption.open(&object, &one.encrypted);
        let present = webhook.secrets.first();
        let is_lost = present.is_none_or(|present| open(present).is_none());
        if is_lost {
            return Err(present.map_or(0, |present| present.id));
        }
        Ok(webhook.secrets_at(now).filter_map(open).collect())
    }

    /// What URLs of the API begin with.
    fn base(&self) -> &str {
        let addresses = &self.settings.addresses;
        let public = addresses.public_url.as_deref();
        public.unwrap_or(&addresses.site_url)
    }

    async fn call(
        &self,
        url: &str,
        secrets: &[Vec<u8>],
        message: &WebhookMessage,
        now: Timestamp,
    ) -> Result<CallResponse, CallFailure> {
        let body = serde_json::to_string(message)?;
        let (id, seconds) = (message.id(), now.epoch_seconds());
        let headers = [
            ("webhook-id", id.to_string()),
            ("webhook-timestamp", seconds.to_string()),
            ("webhook-signature", signatures(secrets, id, seconds, &body)),
        ];
        let request = Request { url, headers, body };
        Ok(self.receivers.call(request).await)
    }

    /// Stores what came of an attempt. The next one is in the queue before that.
    async fn store(
        &self,
        attempt: &Attempt,
        before: Option<&Delivery>,
        reply: CallResponse,
        began: Timestamp,
    ) -> Result<(), CallFailure> {
        let now = Timestamp::at(self.clock.now());
        let delivery = attempt.delivery(before, reply, began);
        let is_over = delivery.is_taken() || reply.status == Some(GONE);
        if let Some(next) = attempt.next(now).filter(|_| !is_over) {
            self.send_later(&next, now).await?;
        }
        match self.table.put_delivery(&delivery, before).await {
            // The same call was done twice at the same time.
            Ok(()) | Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
        self.note_response(attempt, &delivery, now).await
    }

    /// Notes at the webhook what came of an attempt.
    async fn note_response(
        &self,
        attempt: &Attempt,
        delivery: &Delivery,
        now: Timestamp,
    ) -> Result<(), CallFailure> {
        let key = &attempt.key;
        let at = delivery.tried_at.unwrap_or(now);
        if delivery.status == Some(GONE) {
            return self.switch_off(key, OffReason::EndedByReceiver(at)).await;
        }
        // A receiver that now and then refuses a call would have a write for each. An attempt that
        // somebody asked for is not repeated, so its failure says nothing of the later calls.
        if !delivery.is_taken() && attempt.repeat < 2 {
            return Ok(());
        }
        self.note(key, (delivery.is_taken(), at), now).await
    }

    /// Notes whether a webhook fails, and since when.
    async fn note(
        &self,
        key: &WebhookKey,
        (is_taken, at): (bool, Timestamp),
        now: Timestamp,
    ) -> Result<(), CallFailure> {
        let mut retries = self.table.retries();
        loop {
            retries.next().await?;
            let webhook = self.table.webhook(key).await?;
            let Some(webhook) = webhook.filter(|one| one.active && one.on_since <= at) else {
                return Ok(());
            };
            if webhook.has_failed(now) && !is_taken {
                return self.switch_off(key, OffReason::Failed).await;
            }
            if webhook.failing_since.is_none() == is_taken {
                return Ok(());
            }
            let noted = Webhook {
                failing_since: (!is_taken).then_some(now),
                ..webhook
            };
            let scheduled_at = noted.scheduled_task(now);
            match self
                .table
                .change_webhook(&noted, scheduled_at.as_ref())
                .await
            {
                Err(TableError::Refused(_)) => {}
                done => return Ok(done.map(drop)?),
            }
        }
    }

    async fn switch_off(&self, key: &WebhookKey, why: OffReason) -> Result<(), CallFailure> {
        let now = Timestamp::at(self.clock.now());
        let site = &self.settings.addresses.site_url;
        Ok(switch_off(&self.table, key, why, site, now).await?)
    }
}
