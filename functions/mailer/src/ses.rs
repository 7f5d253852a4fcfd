//! Hands mails to SES: one call for each mail, without retries by the SDK.

use std::time::Duration;

use aws_sdk_sesv2::Client;
use aws_sdk_sesv2::config::retry::RetryConfig;
use aws_sdk_sesv2::config::timeout::TimeoutConfig;
use aws_sdk_sesv2::primitives::Blob;
use aws_sdk_sesv2::types::{
    Attachment, AttachmentContentDisposition, AttachmentContentTransferEncoding, Body, Content,
    Destination, EmailContent, Message as SesMessage, MessageHeader, MessageTag,
};
use shared::domain::Mail;
use shared::settings::Settings;

use crate::envelope::{CalendarFile, MailEnvelope};
use crate::outcome::{SendOutcome, classify};

/// Time limits of a call. If SES does not answer in time, the state of the mail is unknown (E15).
fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(2))
        .operation_timeout(Duration::from_secs(20))
        .build()
}

/// The calendar files as attachments; none if there are none.
fn attachments(
    calendars: &[CalendarFile],
) -> Result<Option<Vec<Attachment>>, aws_sdk_sesv2::error::BuildError> {
    let attachment = |file: &CalendarFile| {
        Attachment::builder()
            .raw_content(Blob::new(file.content.as_bytes()))
            .file_name(file.name)
            .content_type("text/calendar")
            .content_disposition(AttachmentContentDisposition::Attachment)
            .content_transfer_encoding(AttachmentContentTransferEncoding::Base64)
            .build()
    };
    let all: Vec<Attachment> = calendars.iter().map(attachment).collect::<Result<_, _>>()?;
    Ok((!all.is_empty()).then_some(all))
}

/// The headers; none if there are none.
fn message_headers(
    headers: &[(&'static str, String)],
) -> Result<Option<Vec<MessageHeader>>, aws_sdk_sesv2::error::BuildError> {
    let header = |(name, value): &(&'static str, String)| {
        let header = MessageHeader::builder().name(*name);
        header.value(value.as_str()).build()
    };
    let all: Vec<MessageHeader> = headers.iter().map(header).collect::<Result<_, _>>()?;
    Ok((!all.is_empty()).then_some(all))
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
        MailEnvelope {
            message,
            calendars,
            headers,
        }: &MailEnvelope,
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
            .set_attachments(attachments(calendars)?)
            .set_headers(message_headers(headers)?)
            .build();
        Ok(self
            .client
            .send_email()
            .from_email_address(&self.from)
            .destination(Destination::builder().to_addresses(mail.to.ascii()).build())
            .set_reply_to_addresses(
                mail.reply_to
                    .clone()
                    .map(|address| vec![address.ascii().into_owned()]),
            )
            .set_configuration_set_name(self.configuration_set.clone())
            // SES returns this tag in its reports, so that they can be matched to the mail.
            .email_tags(
                MessageTag::builder()
                    .name(crate::reports::MAIL_ID_TAG)
                    .value(mail.id().to_string())
                    .build()?,
            )
            .content(EmailContent::builder().simple(simple).build()))
    }
}
