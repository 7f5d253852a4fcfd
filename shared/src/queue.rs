//! The queues: mails that are to be sent (E12), and what webhooks are to be told (Z9).

use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::DisplayErrorContext;
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use aws_types::SdkConfig;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use serde::Serialize;

use crate::db::Key;
use crate::domain::Call;

/// The most messages that SQS takes at once.
const AT_ONCE: usize = 10;
/// How many requests are sent at the same time.
const SIDE_BY_SIDE: usize = 16;
/// The longest time for which SQS keeps a message back.
pub const LONGEST_DELAY: Duration = Duration::from_mins(15);

/// The queue did not take everything. What it took is there.
#[derive(Debug, thiserror::Error)]
#[error("a queue: {0}")]
pub struct QueueError(String);

/// What a queue holds: one thing to be done. It may be done more than once, and in any order.
pub trait Message: Serialize {
    /// Returns the group of the message. While the messages of one group are slow or many, SQS
    /// prefers the others.
    fn group(&self) -> Option<String>;
}

/// A call of a webhook.
impl Message for Call {
    fn group(&self) -> Option<String> {
        Some(self.key.webhook.to_string())
    }
}

/// A mail of the outbox that is to be sent.
impl Message for Key {
    fn group(&self) -> Option<String> {
        None
    }
}

/// A queue in SQS.
#[derive(Debug, Clone)]
pub struct Queue {
    client: Client,
    url: String,
}

impl Queue {
    /// The queue at this URL.
    pub fn connect(config: &SdkConfig, url: &str) -> Self {
        Self {
            client: Client::new(config),
            url: url.to_owned(),
        }
    }

    /// Puts messages into the queue, which gives them out after this time, at most
    /// [`LONGEST_DELAY`]: 1 request for 10. They may be given out more than once, and in any order.
    pub async fn send(&self, messages: &[impl Message], delay: Duration) -> Result<(), QueueError> {
        let seconds = delay.min(LONGEST_DELAY).as_millis().div_ceil(1_000);
        let seconds = i32::try_from(seconds).unwrap_or_default();
        let sent = messages
            .chunks(AT_ONCE)
            .map(|some| self.send_some(some, seconds));
        let sent: Vec<_> = sent.collect();
        let sent = stream::iter(sent).buffer_unordered(SIDE_BY_SIDE);
        sent.try_collect().await
    }

    async fn send_some(&self, some: &[impl Message], seconds: i32) -> Result<(), QueueError> {
        let mut entries = Vec::with_capacity(some.len());
        for (position, message) in some.iter().enumerate() {
            let text = serde_json::to_string(message);
            let entry = SendMessageBatchRequestEntry::builder()
                .id(position.to_string())
                .message_body(text.map_err(|error| QueueError(error.to_string()))?)
                .delay_seconds(seconds)
                .set_message_group_id(message.group())
                .build();
            entries.push(entry.map_err(|error| QueueError(error.to_string()))?);
        }
        let request = self.client.send_message_batch().queue_url(&self.url);
        let response = request.set_entries(Some(entries)).send().await;
        let response =
            response.map_err(|error| QueueError(DisplayErrorContext(&error).to_string()))?;
        if let Some(failed) = response.failed.first() {
            return Err(QueueError(failed.code.clone()));
        }
        Ok(())
    }
}
