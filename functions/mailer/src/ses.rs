//! Hands mails to SES: one call for each mail, without retries by the SDK.

use std::time::Duration;

use aws_sdk_sesv2::Client;
use aws_sdk_sesv2::config::retry::RetryConfig;
use aws_sdk_sesv2::config::timeout::TimeoutConfig;
use aws_sdk_sesv2::error::BuildError;
use aws_sdk_sesv2::operation::send_email::builders::SendEmailFluentBuilder;
use aws_sdk_sesv2::primitives::Blob;
use aws_sdk_sesv2::types::{Destination, EmailContent, MessageTag, RawMessage};
use shared::domain::Mail;
use shared::settings::Settings;

use crate::envelope::{MailEnvelope, NoMime};
use crate::outcome::{SendOutcome, classify};

/// Time limits of a call. If SES does not answer in time, the state of the mail is unknown (E15).
fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(2))
        .operation_timeout(Duration::from_secs(20))
        .build()
}

/// A client of SES, with the sender address of this deployment.
pub struct Ses {
    client: Client,
    from: String,
    configuration_set: Option<String>,
}

impl Ses {
    /// A client with this configuration, but without retries. Only the worker knows when a retry is
    /// safe.
    pub fn new(config: &aws_types::SdkConfig, settings: &Settings) -> Self {
        let config = aws_sdk_sesv2::config::Builder::from(config)
            .retry_config(RetryConfig::disabled())
            .timeout_config(timeouts())
            .build();
        Self {
            client: Client::from_conf(config),
            from: settings.mail.from.clone(),
            configuration_set: settings.mail.configuration_set.clone(),
        }
    }

    /// Hands a mail to SES and returns the result.
    pub async fn send(&self, mail: &Mail, envelope: &MailEnvelope) -> SendOutcome {
        let sent = self.request(mail, envelope);
        match sent {
            Err(error) => SendOutcome::Refused(error.to_string()),
            Ok(request) => match request.send().await {
                // A real response of SES always has an id.
                Ok(output) => output.message_id.filter(|id| !id.is_empty()).map_or_else(
                    || SendOutcome::Unknown("no message id".into()),
                    SendOutcome::Sent,
                ),
                Err(error) => classify(&error, &self.from),
            },
        }
    }

    fn request(
        &self,
        mail: &Mail,
        envelope: &MailEnvelope,
    ) -> Result<SendEmailFluentBuilder, Unsendable> {
        let raw = envelope.mime(mail, &self.from)?;
        let raw = RawMessage::builder().data(Blob::new(raw)).build()?;
        Ok(self
            .client
            .send_email()
            .from_email_address(&self.from)
            .destination(Destination::builder().to_addresses(mail.to.ascii()).build())
            .set_configuration_set_name(self.configuration_set.clone())
            // SES returns this tag in its reports, so that they can be matched to the mail.
            .email_tags(
                MessageTag::builder()
                    .name(crate::reports::MAIL_ID_TAG)
                    .value(mail.id().to_string())
                    .build()?,
            )
            .content(EmailContent::builder().raw(raw).build()))
    }
}

/// Why a mail cannot be handed to SES.
#[derive(Debug, thiserror::Error)]
enum Unsendable {
    #[error(transparent)]
    Mime(#[from] NoMime),
    #[error(transparent)]
    Request(#[from] BuildError),
}
