//! Reports of SES about mails that it has taken: delivery, bounce, complaint (E18, E22, E23).

use std::sync::Arc;

use serde::Deserialize;
use shared::db::{Table, TableError};
use shared::domain::{Cancellations, MailId, MailReport, NoMailId, Report};
use shared::time::{Clock, Timestamp};

use crate::cancellations::cancellations;

/// Name of the message tag that holds the id of a mail.
pub(crate) const MAIL_ID_TAG: &str = "mail";

/// Events of SES, as SNS passes them to the function.
#[derive(Debug, Deserialize)]
pub struct Notifications {
    #[serde(rename = "Records")]
    records: Vec<SesNotification>,
}

#[derive(Debug, Deserialize)]
struct SesNotification {
    #[serde(rename = "Sns")]
    sns: Sns,
}

#[derive(Debug, Deserialize)]
struct Sns {
    #[serde(rename = "Message")]
    message: String,
}

/// The fields of an SES event that are needed. Fields with personal data are not read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SesEvent {
    event_type: String,
    mail: TaggedMail,
    bounce: Option<Bounce>,
    complaint: Option<Complaint>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaggedMail {
    /// When SES took the mail.
    timestamp: Timestamp,
    /// The id that SES gave the mail.
    #[serde(default)]
    message_id: String,
    #[serde(default)]
    tags: Tags,
}

#[derive(Debug, Default, Deserialize)]
struct Tags {
    #[serde(default)]
    mail: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bounce {
    bounce_type: String,
    #[serde(default)]
    bounce_sub_type: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Complaint {
    complaint_feedback_type: Option<String>,
    complaint_sub_type: Option<String>,
}

impl SesEvent {
    /// The report, with the words of SES. `None` if the event changes nothing.
    fn report(&self) -> Option<(Report, String)> {
        match (self.event_type.as_str(), &self.bounce, &self.complaint) {
            ("Delivery", ..) => Some((Report::Delivered, self.mail.message_id.clone())),
            ("Reject", ..) => Some((Report::Rejected, "rejected".into())),
            ("Bounce", Some(bounce), _) => {
                let report = if bounce.bounce_type == "Permanent" {
                    Report::Bounced
                } else {
                    Report::SoftBounced
                };
                Some((
                    report,
                    format!("{}/{}", bounce.bounce_type, bounce.bounce_sub_type),
                ))
            }
            // SES also sends "this is no spam" as a complaint.
            (
                "Complaint",
                _,
                Some(Complaint {
                    complaint_feedback_type: Some(kind),
                    ..
                }),
            ) if kind == "not-spam" => None,
            ("Complaint", _, complaint) => {
                let sub_type = complaint
                    .as_ref()
                    .and_then(|complaint| complaint.complaint_sub_type.as_deref());
                Some((
                    Report::Complained,
                    format!("complaint/{}", sub_type.unwrap_or_default()),
                ))
            }
            _ => None,
        }
    }
}

/// Stores the reports of SES about mails.
pub struct Reports {
    table: Table,
    clock: Arc<dyn Clock>,
}

impl Reports {
    /// Reports about the mails in a table.
    pub fn new(table: Table, clock: Arc<dyn Clock>) -> Self {
        Self { table, clock }
    }

    /// Processes events. After an error all of them are delivered again, which is harmless; after
    /// some attempts they go to the queue of failed ones (E33).
    pub async fn handle(&self, notifications: &Notifications) -> Result<(), TableError> {
        let mut unread = Ok(());
        for notification in &notifications.records {
            let message = &notification.sns.message;
            match serde_json::from_str(message) {
                Ok(event) => self.note(&event).await?,
                Err(error) if is_event(message) => {
                    tracing::error!(column = error.column(), "an event of SES cannot be read");
                    unread = Err(TableError::Failed("an event that cannot be read".into()));
                }
                // SNS sends a text when the subscription begins.
                Err(_) => tracing::warn!("a message that is no event of SES"),
            }
        }
        unread
    }

    async fn note(&self, event: &SesEvent) -> Result<(), TableError> {
        let Some((report, outcome)) = event.report() else {
            return Ok(());
        };
        let id: MailId = match event.mail.tags.mail.first().map(|tag| tag.parse()) {
            Some(Ok(id)) => id,
            // A later release has stored it. The report is delivered again.
            Some(Err(NoMailId::UnknownKind)) => {
                return Err(TableError::Failed(
                    "a report about an unknown kind of mail".into(),
                ));
            }
            None | Some(Err(NoMailId::Foreign)) => {
                tracing::warn!(?report, "an event of SES is about no mail of ours");
                return Ok(());
            }
        };
        let now = Timestamp::at(self.clock.now());
        let reported = MailReport {
            report,
            outcome: &outcome,
            taken_at: event.mail.timestamp,
            now,
        };
        let mut retries = self.table.retries();
        let mut cancelled = Cancellations::default();
        while let Some((mail, ended)) = self.table.report_mail(&id, &reported, &cancelled).await? {
            retries.next().await?;
            let mails = cancellations(&self.table, &mail, &ended, now).await?;
            cancelled = Cancellations { ended, mails };
        }
        self.table.show_delivery(&id, now).await?;
        tracing::info!(
            about = id.about,
            kind = id.kind.name(),
            attempt = id.attempt,
            ?report,
            why = outcome,
            "report"
        );
        Ok(())
    }
}

/// Whether a message of SNS is an event of SES, also one that cannot be read.
fn is_event(message: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(message)
        .is_ok_and(|event| event.get("eventType").is_some())
}
