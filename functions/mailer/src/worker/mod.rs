//! Sends mails: claims a mail, hands it to SES and stores the result (E12).

mod send;
mod settle;

use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use shared::db::{Table, TableError};
use shared::settings::Settings;
use shared::time::{Clock, Timestamp};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::ses::Ses;

/// How many workers send at the same time: `MaximumConcurrency` of both queues in template.yaml.
/// Each has its part of the rate (O7).
pub const WORKERS: u32 = 4;
/// No mail is begun after this time in one invocation, so that even a slow call of SES ends before
/// the time-out of the function.
const BEGIN_WITHIN: Duration = Duration::from_secs(30);
/// How long a worker sends nothing after a server error of SES (E20).
const PAUSE: Duration = Duration::from_mins(1);

/// The mail worker.
pub struct Worker {
    table: Table,
    ses: Ses,
    clock: Arc<dyn Clock>,
    settings: Settings,
    /// When the next mail may be sent.
    next: Mutex<Instant>,
}

/// Why a mail is not finished. The queue gives it out again after its visibility time-out.
#[derive(Debug, thiserror::Error)]
enum Later {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error("{0}")]
    Waits(String),
}

impl Later {
    fn waits(why: &str) -> Self {
        Self::Waits(why.to_owned())
    }
}

impl Worker {
    /// A worker for the mails of a table.
    pub fn new(table: Table, ses: Ses, clock: Arc<dyn Clock>, settings: Settings) -> Self {
        Self {
            table,
            ses,
            clock,
            settings,
            next: Mutex::new(Instant::now()),
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::at(self.clock.now())
    }

    /// Sends the mails that these messages name, one after the other. The response names those that
    /// the queue gives out again.
    pub async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        let began = Instant::now();
        let mut response = SqsBatchResponse::default();
        for message in &event.records {
            if let Err(error) = self.take(message, began).await {
                tracing::warn!(%error, "a mail is tried again later");
                let mut failure = BatchItemFailure::default();
                failure.item_identifier = message.message_id.clone().unwrap_or_default();
                response.batch_item_failures.push(failure);
            }
        }
        response
    }

    async fn take(&self, message: &SqsMessage, began: Instant) -> Result<(), Later> {
        let key = serde_json::from_str(message.body.as_deref().unwrap_or_default())?;
        match self.table.queued_mail(key).await? {
            Some(mail) => self.work(&mail, began).await,
            None => Ok(()),
        }
    }

    /// Waits until the next mail may be sent: each worker has its part of the rate (O7).
    async fn wait(&self, began: Instant) -> Result<(), Later> {
        let mut next = self.next.lock().await;
        let (at, end) = ((*next).max(Instant::now()), began + BEGIN_WITHIN);
        // A worker that pauses keeps its invocation until then. Otherwise it would get the next
        // mails at once, and all of them would wait for their visibility time-out.
        tokio::time::sleep_until(at.min(end)).await;
        if at >= end {
            return Err(Later::waits("no time left"));
        }
        let rate = self.settings.mail.rate;
        if rate > 0 {
            *next = at + Duration::from_secs(1) * WORKERS / rate;
        }
        Ok(())
    }

    /// Sends nothing for a while, because each further mail would become `unknown` (E20).
    async fn pause(&self) {
        *self.next.lock().await = Instant::now() + PAUSE;
    }
}
