//! SES: one mail, one call, no retries by the SDK.

use std::time::Duration;

use aws_sdk_sesv2::Client;
use aws_sdk_sesv2::config::retry::RetryConfig;
use aws_sdk_sesv2::config::timeout::TimeoutConfig;
use aws_sdk_sesv2::types::{
    Body, Content, Destination, EmailContent, Message as SesMessage, MessageTag,
};
use shared::mail::Message;
use shared::models::Mail;
use shared::settings::Settings;

use crate::outcome::{SendOutcome, classify};

/// How long SES may take: an answer that comes later is as good as none, and the mail's state
/// unknown.
fn patient() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(2))
        .operation_timeout(Duration::from_secs(20))
        .build()
}

/// The sender of a deployment.
pub struct Ses {
    client: Client,
    from: String,
    configuration_set: Option<String>,
}

impl Ses {
    /// SES with this configuration, except for retries: only the worker knows when a second try is
    /// safe.
    pub fn new(config: &aws_config::SdkConfig, settings: &Settings) -> Self {
        let config = aws_sdk_sesv2::config::Builder::from(config)
            .retry_config(RetryConfig::disabled())
            .timeout_config(patient())
            .build();
        Self {
            client: Client::from_conf(config),
            from: settings.mail_from.clone(),
            configuration_set: settings.mail_configuration_set.clone(),
        }
    }

    /// Hands a mail over, and tells what came of it.
    pub async fn send(&self, mail: &Mail, message: &Message) -> SendOutcome {
        let sent = self.request(mail, message);
        match sent {
            Err(error) => SendOutcome::Refused(error.to_string()),
            Ok(request) => match request.send().await {
                // An answer without an id is no answer of SES.
                Ok(output) => output.message_id.filter(|id| !id.is_empty()).map_or_else(
                    || SendOutcome::Unknown("no message id".into()),
                    SendOutcome::Sent,
                ),
                Err(error) => classify(&error),
            },
        }
    }

    fn request(
        &self,
        mail: &Mail,
        message: &Message,
    ) -> Result<
        aws_sdk_sesv2::operation::send_email::builders::SendEmailFluentBuilder,
        aws_sdk_sesv2::error::BuildError,
    > {
        let utf8 = |text: &str| Content::builder().data(text).charset("UTF-8").build();
        let body = Body::builder()
            .html(utf8(&message.html)?)
            .text(utf8(&message.text)?)
            .build();
        let simple = SesMessage::builder()
            .subject(utf8(&message.subject)?)
            .body(body)
            .build();
        Ok(self
            .client
            .send_email()
            .from_email_address(&self.from)
            .destination(Destination::builder().to_addresses(&mail.to).build())
            .set_reply_to_addresses(mail.reply_to.clone().map(|address| vec![address]))
            .set_configuration_set_name(self.configuration_set.clone())
            // By this the reports of SES are found to be this mail's.
            .email_tags(
                MessageTag::builder()
                    .name(crate::reports::TAG)
                    .value(mail.id().to_string())
                    .build()?,
            )
            .content(EmailContent::builder().simple(simple).build()))
    }
}
