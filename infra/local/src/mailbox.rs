//! SES in this process. It keeps the mails instead of sending them.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use futures::future::BoxFuture;
use mailer::Reports;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::time::{Clock, Timestamp};
use tokio::sync::Notify;

use crate::engine::respond;
use crate::simulator;

/// A mail that was given to SES.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptMail {
    /// The address of the recipient.
    pub to: String,
    /// Name and address of the sender.
    pub from: String,
    /// The address for replies, or null.
    pub reply_to: Option<String>,
    pub subject: String,
    pub html: String,
    pub text: String,
    /// The headers that the mail has besides the usual ones.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub attachments: Vec<KeptAttachment>,
    pub sent_at: Timestamp,
}

/// A file of a mail.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptAttachment {
    pub name: String,
    /// Its media type.
    #[serde(rename = "type")]
    pub media_type: String,
    /// In base64.
    pub content: String,
}

/// The members of a list of objects in a request.
fn list<'a>(request: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    let found = request.pointer(pointer).and_then(Value::as_array);
    found.into_iter().flatten()
}

/// Gets the recipient of each mail, for tests of a failing SES. If it returns `None`, the mailbox
/// takes the mail.
pub type MailHook = Arc<
    dyn Fn(&str) -> BoxFuture<'static, Option<Result<(u16, Value), ConnectorError>>> + Send + Sync,
>;

#[derive(Clone)]
pub struct Mailbox {
    kept: Arc<Mutex<Vec<KeptMail>>>,
    clock: Arc<dyn Clock>,
    file: Option<PathBuf>,
    hook: Option<MailHook>,
    reports: Arc<(Mutex<VecDeque<Value>>, Notify)>,
}

/// Writes to the end of a file.
fn append(file: &Path, text: &str) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)?;
    file.write_all(text.as_bytes())
}

impl fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mailbox")
    }
}

impl Mailbox {
    /// A mailbox in memory, or in `file` with one mail in each line.
    pub fn open(clock: Arc<dyn Clock>, file: Option<PathBuf>) -> std::io::Result<Self> {
        let text = match &file {
            Some(file) if file.exists() => std::fs::read(file)?,
            _ => vec![],
        };
        // A line that was cut off by a crash is ignored. The next mail gets a line of its own.
        if let Some(file) = file.as_ref().filter(|_| !text.ends_with(b"\n")) {
            let end = if text.is_empty() { "" } else { "\n" };
            append(file, end)?;
        }
        let kept = String::from_utf8_lossy(&text)
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        Ok(Self {
            kept: Arc::new(Mutex::new(kept)),
            clock,
            file,
            hook: None,
            reports: Arc::default(),
        })
    }

    /// The same mailbox, behind a hook.
    #[must_use]
    pub fn hooked(&self, hook: MailHook) -> Self {
        Self {
            hook: Some(hook),
            ..self.clone()
        }
    }

    /// All mails, the oldest first.
    pub fn mails(&self) -> Vec<KeptMail> {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Deletes all mails.
    pub fn clear(&self) -> std::io::Result<()> {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        match &self.file {
            Some(file) => std::fs::write(file, ""),
            None => Ok(()),
        }
    }

    /// Returns the reports of SES that were not returned before.
    pub fn take_reports(&self) -> Vec<Value> {
        self.reports
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .drain(..)
            .collect()
    }

    /// Gives all reports of SES to `reports`, for ever.
    pub async fn report(&self, reports: &Reports) {
        loop {
            for event in self.take_reports() {
                if let Err(error) = simulator::deliver(reports, &event).await {
                    tracing::error!(error, "a report of the mailbox was not taken");
                }
            }
            self.reports.1.notified().await;
        }
    }

    /// Keeps the mail of a `SendEmail` request and returns its message id.
    pub fn keep(&self, request: &Value) -> std::io::Result<String> {
        let text = |pointer: &str| {
            request
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let mail = KeptMail {
            to: text("/Destination/ToAddresses/0"),
            from: text("/FromEmailAddress"),
            reply_to: request
                .pointer("/ReplyToAddresses/0")
                .and_then(Value::as_str)
                .map(str::to_owned),
            subject: text("/Content/Simple/Subject/Data"),
            html: text("/Content/Simple/Body/Html/Data"),
            text: text("/Content/Simple/Body/Text/Data"),
            headers: list(request, "/Content/Simple/Headers")
                .filter_map(|header| {
                    let part = |name: &str| Some(header[name].as_str()?.to_owned());
                    Some((part("Name")?, part("Value")?))
                })
                .collect(),
            attachments: list(request, "/Content/Simple/Attachments")
                .filter_map(|file| {
                    let part = |name: &str| Some(file[name].as_str()?.to_owned());
                    Some(KeptAttachment {
                        name: part("FileName")?,
                        media_type: part("ContentType")?,
                        content: part("RawContent")?,
                    })
                })
                .collect(),
            sent_at: Timestamp::at(self.clock.now()),
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &self.file {
            append(file, &format!("{}\n", serde_json::to_string(&mail)?))?;
        }
        kept.push(mail);
        let id = format!("local-{}", kept.len());
        self.reports
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(simulator::events(request, &id, self.clock.now()));
        self.reports.1.notify_one();
        Ok(id)
    }

    async fn respond(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let body: Value =
            serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        if let Some(hook) = &self.hook {
            let to = body
                .pointer("/Destination/ToAddresses/0")
                .and_then(Value::as_str)
                .unwrap_or_default();
            match hook(to).await {
                Some(Err(error)) => return Err(error),
                Some(Ok((status, body))) => return respond(status, body.to_string()),
                None => {}
            }
        }
        let id = self
            .keep(&body)
            .map_err(|error| ConnectorError::io(error.into()))?;
        respond(200, json!({ "MessageId": id }).to_string())
    }
}

impl HttpConnector for Mailbox {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let mailbox = self.clone();
        HttpConnectorFuture::new(async move { mailbox.respond(request).await })
    }
}

impl HttpClient for Mailbox {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
