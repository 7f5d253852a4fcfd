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
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use futures::future::BoxFuture;
use mail_parser::{Address, MessageParser, MessagePart, MimeHeaders as _, PartType};
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
    /// What it has beside HTML and text, of which a program shows one: calendars.
    #[serde(default)]
    pub alternatives: Vec<KeptAlternative>,
    #[serde(default)]
    pub attachments: Vec<KeptAttachment>,
    pub sent_at: Timestamp,
}

/// A part of a mail that stands for the whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptAlternative {
    /// Its media type, with its parameters but the charset.
    #[serde(rename = "type")]
    pub media_type: String,
    pub content: String,
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

/// Gets the recipient of each mail, for tests of a failing SES. If it returns `None`, the mailbox
/// takes the mail.
pub type MailHook = Arc<
    dyn Fn(&str) -> BoxFuture<'static, Option<Result<(u16, Value), ConnectorError>>> + Send + Sync,
>;

/// The headers that every mail has.
const USUAL: [&str; 7] = [
    "From",
    "To",
    "Reply-To",
    "Subject",
    "Date",
    "MIME-Version",
    "Content-Type",
];

impl KeptMail {
    /// Reads a mail that was sent as MIME; none if it is no MIME.
    #[must_use]
    pub fn read(raw: &[u8], sent_at: Timestamp) -> Option<Self> {
        let message = MessageParser::default().parse(raw)?;
        let first = |list: Option<&Address<'_>>| {
            let address = list.and_then(|list| list.first()?.address());
            address.map(str::to_owned)
        };
        let mut mail = Self {
            to: first(message.to()).unwrap_or_default(),
            from: first(message.from()).unwrap_or_default(),
            reply_to: first(message.reply_to()),
            subject: message.subject().unwrap_or_default().to_owned(),
            html: String::new(),
            text: String::new(),
            headers: message
                .headers_raw()
                .filter(|(name, _)| !USUAL.contains(name))
                .map(|(name, value)| (name.to_owned(), value.trim().replace("\r\n", "")))
                .collect(),
            alternatives: vec![],
            attachments: vec![],
            sent_at,
        };
        message.parts.iter().for_each(|part| mail.take(part));
        Some(mail)
    }

    /// Takes over a part of a message.
    fn take(&mut self, part: &MessagePart<'_>) {
        let written = |text: &str| text.replace("\r\n", "\n");
        let kind = part.content_type();
        let name = kind.map_or_else(String::new, |kind| {
            format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default())
        });
        let bytes = part.contents();
        if let Some(file) = part.attachment_name() {
            self.attachments.push(KeptAttachment {
                name: file.to_owned(),
                media_type: name,
                content: BASE64.encode(bytes),
            });
            return;
        }
        let text = String::from_utf8_lossy(bytes);
        match &part.body {
            PartType::Html(_) => self.html = written(&text),
            PartType::Text(_) if name == "text/plain" => self.text = written(&text),
            PartType::Multipart(_) => {}
            _ => {
                let method = kind.and_then(|kind| kind.attribute("method"));
                let method = method.map_or_else(String::new, |method| format!("; method={method}"));
                self.alternatives.push(KeptAlternative {
                    media_type: name + &method,
                    content: text.into_owned(),
                });
            }
        }
    }
}

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
        let raw = BASE64.decode(text("/Content/Raw/Data"));
        let raw = raw.map_err(std::io::Error::other)?;
        let mut mail = KeptMail::read(&raw, Timestamp::at(self.clock.now()))
            .ok_or_else(|| std::io::Error::other("no MIME"))?;
        mail.to = text("/Destination/ToAddresses/0");
        mail.from = text("/FromEmailAddress");
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
