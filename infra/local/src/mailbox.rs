//! SES in this process: keeps the message that the real client sends, instead of sending it.

use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use aws_smithy_runtime_api::client::http::{HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::time::{Clock, Timestamp};

use crate::engine::answer;

/// A mail as it was handed over.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptMail {
    /// Recipient.
    pub to: String,
    /// Sender.
    pub from: String,
    /// Where answers go, or null.
    pub reply_to: Option<String>,
    /// Subject line.
    pub subject: String,
    /// HTML part.
    pub html: String,
    /// Text part.
    pub text: String,
    /// When.
    pub sent_at: Timestamp,
}

/// Answers a call in the mailbox's place: for tests of a failing SES. It gets the recipient.
pub type Hook = Arc<dyn Fn(&str) -> BoxFuture<'static, Option<Result<(u16, Value), ConnectorError>>> + Send + Sync>;

/// The mailbox.
#[derive(Clone)]
pub struct Mailbox {
    kept: Arc<Mutex<Vec<KeptMail>>>,
    clock: Arc<dyn Clock>,
    file: Option<PathBuf>,
    hook: Option<Hook>,
}

impl fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mailbox")
    }
}

impl Mailbox {
    /// A mailbox that is kept in `file`, one mail a line, or in memory.
    pub fn open(clock: Arc<dyn Clock>, file: Option<PathBuf>) -> std::io::Result<Self> {
        let text = match &file {
            Some(file) if file.exists() => std::fs::read_to_string(file)?,
            _ => String::new(),
        };
        // A line that was cut off by a crash is dropped.
        let kept = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Self { kept: Arc::new(Mutex::new(kept)), clock, file, hook: None })
    }

    /// The same mailbox, behind a hook.
    #[must_use]
    pub fn hooked(&self, hook: Hook) -> Self {
        Self { hook: Some(hook), ..self.clone() }
    }

    /// All mails, oldest first.
    pub fn mails(&self) -> Vec<KeptMail> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Throws all mails away.
    pub fn clear(&self) -> std::io::Result<()> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
        match &self.file {
            Some(file) => std::fs::write(file, ""),
            None => Ok(()),
        }
    }

    /// Keeps the mail of a `SendEmail` request; how many there are now.
    pub fn keep(&self, request: &Value) -> std::io::Result<usize> {
        let text = |pointer: &str| request.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mail = KeptMail {
            to: text("/Destination/ToAddresses/0"),
            from: text("/FromEmailAddress"),
            reply_to: request.pointer("/ReplyToAddresses/0").and_then(Value::as_str).map(str::to_owned),
            subject: text("/Content/Simple/Subject/Data"),
            html: text("/Content/Simple/Body/Html/Data"),
            text: text("/Content/Simple/Body/Text/Data"),
            sent_at: Timestamp::at(self.clock.now()),
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &self.file {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
            writeln!(file, "{}", serde_json::to_string(&mail)?)?;
        }
        kept.push(mail);
        Ok(kept.len())
    }

    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let body: Value = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        if let Some(hook) = &self.hook {
            let to = body.pointer("/Destination/ToAddresses/0").and_then(Value::as_str).unwrap_or_default();
            match hook(to).await {
                Some(Err(error)) => return Err(error),
                Some(Ok((status, body))) => return answer(status, body.to_string()),
                None => {}
            }
        }
        let number = self.keep(&body).map_err(|error| ConnectorError::io(error.into()))?;
        answer(200, format!("{{\"MessageId\":\"local-{number}\"}}"))
    }
}

impl HttpConnector for Mailbox {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let mailbox = self.clone();
        HttpConnectorFuture::new(async move { mailbox.answer(request).await })
    }
}

impl HttpClient for Mailbox {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
