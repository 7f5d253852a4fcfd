//! What is handed to SES for a mail: its texts, and the calendar files of interviews (K10).

use lettre::Message;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use shared::domain::{AppointmentNews, EndedInterview, Mail};
use shared::text::ics::Component;
use shared::time::Timestamp;

/// A mail as it is handed to SES.
#[derive(Debug)]
pub struct MailEnvelope {
    /// Its texts.
    pub message: shared::mail::Message,
    /// The calendar files.
    pub calendars: Vec<CalendarFile>,
    /// Headers besides the usual ones: name and value.
    pub headers: Vec<(&'static str, String)>,
}

/// Why a mail cannot be written as MIME.
#[derive(Debug, thiserror::Error)]
pub enum NoMime {
    /// An address or a part of the mail.
    #[error(transparent)]
    Address(#[from] lettre::address::AddressError),
    /// The message as a whole.
    #[error(transparent)]
    Message(#[from] lettre::error::Error),
    /// The type of a part.
    #[error(transparent)]
    Type(#[from] lettre::message::header::ContentTypeErr),
    /// The name of a header.
    #[error(transparent)]
    Header(#[from] lettre::message::header::InvalidHeaderName),
}

impl MailEnvelope {
    /// Returns the mail as MIME. A calendar file stands among its alternatives, too, so that mail
    /// programs offer to take it over (RFC 6047); of several only in the attachments, because they
    /// show no more than one.
    pub(crate) fn mime(&self, mail: &Mail, from: &str) -> Result<Vec<u8>, NoMime> {
        let mut texts = MultiPart::alternative()
            .singlepart(SinglePart::plain(self.message.text.clone()))
            .singlepart(SinglePart::html(self.message.html.clone()));
        if let [file] = &self.calendars[..] {
            let kind = format!("text/calendar; method={}; charset=UTF-8", file.method);
            let part = SinglePart::builder().header(ContentType::parse(&kind)?);
            texts = texts.singlepart(part.body(file.content.clone()));
        }
        let (name, address) = sender(from);
        let mut message = Message::builder()
            .from(Mailbox::new(name.map(str::to_owned), address.parse()?))
            .to(Mailbox::new(None, mail.to.ascii().parse()?))
            .subject(self.message.subject.as_str());
        if let Some(address) = &mail.reply_to {
            message = message.reply_to(Mailbox::new(None, address.ascii().parse()?));
        }
        for (name, value) in &self.headers {
            let name = HeaderName::new_from_ascii((*name).to_owned())?;
            message = message.raw_header(HeaderValue::new(name, value.clone()));
        }
        let message = if self.calendars.is_empty() {
            message.multipart(texts)?
        } else {
            let mut whole = MultiPart::mixed().multipart(texts);
            for file in &self.calendars {
                let part = Attachment::new(file.name.to_owned());
                let kind = ContentType::parse("text/calendar; charset=UTF-8")?;
                whole = whole.singlepart(part.body(file.content.clone(), kind));
            }
            message.multipart(whole)?
        };
        Ok(message.formatted())
    }
}

/// The name and the address of a sender such as `Clubs <no-reply@clubs.example>`.
fn sender(from: &str) -> (Option<&str>, &str) {
    let Some((name, address)) = from.rsplit_once('<') else {
        return (None, from.trim());
    };
    let name = name.trim().trim_matches('"');
    let address = address.trim_end().trim_end_matches('>').trim();
    (Some(name).filter(|name| !name.is_empty()), address)
}

/// A calendar file (RFC 5545, RFC 5546).
#[derive(Debug)]
pub struct CalendarFile {
    /// Its name.
    pub name: &'static str,
    /// What it asks the program of its reader to do: `REQUEST` or `CANCEL`.
    pub method: &'static str,
    /// Its content.
    pub content: String,
}

/// What a calendar file says about an interview, or about a showing.
pub(crate) struct Entry<'a> {
    /// What tells it apart from others.
    pub(crate) uid: String,
    /// The first line.
    pub(crate) summary: String,
    /// Name of the club, which is the organizer.
    pub(crate) club: &'a str,
    /// Name of the application or of the event.
    pub(crate) about: &'a str,
    /// Name of the recipient.
    pub(crate) name: &'a str,
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) location: &'a str,
    /// `SEQUENCE`.
    pub(crate) number: i64,
    pub(crate) is_cancelled: bool,
}

fn interview_uid(submission: u64) -> String {
    format!("interview-{submission}@clubs")
}

impl Entry<'_> {
    /// Returns the calendar file. `mail` names the applicant's address and the organizer's; `from`
    /// is the organizer's, if the club has none.
    pub(crate) fn file(&self, mail: &Mail, from: &str, page: &str) -> CalendarFile {
        let organizer = mail
            .reply_to
            .as_ref()
            .map_or_else(|| sender(from).1.to_owned(), ToString::to_string);
        let number = u32::try_from(self.number).unwrap_or_default();
        let (method, status) = if self.is_cancelled {
            ("CANCEL", "CANCELLED")
        } else {
            ("REQUEST", "CONFIRMED")
        };
        let mut event = Component::new("VEVENT");
        let attending = [
            ("ROLE", "REQ-PARTICIPANT"),
            ("PARTSTAT", "ACCEPTED"),
            ("RSVP", "FALSE"),
        ];
        event
            .raw("UID", &self.uid)
            .raw("SEQUENCE", &number.to_string())
            .time("DTSTAMP", mail.queued_at.moment())
            .time("DTSTART", self.start.moment())
            .time("DTEND", self.end.moment())
            .raw("STATUS", status)
            .text("SUMMARY", &self.summary)
            .text("DESCRIPTION", &format!("{}\n{page}", self.about))
            .person("ORGANIZER", (self.club, &organizer), &[])
            .person("ATTENDEE", (self.name, &mail.to), &attending);
        if !self.location.is_empty() {
            event.text("LOCATION", self.location);
        }
        let mut calendar = Component::calendar();
        calendar.raw("METHOD", method).push(event);
        CalendarFile {
            name: if self.is_cancelled {
                "cancelled.ics"
            } else {
                "interview.ics"
            },
            method,
            content: calendar.into_text(),
        }
    }

    /// What a mail about an appointment says.
    pub(crate) fn of_appointment(mail: &Mail) -> Option<Entry<'_>> {
        let about = mail.appointment.as_ref()?;
        Some(Entry {
            uid: interview_uid(mail.about),
            summary: format!("Interview: {}", about.club),
            club: &about.club,
            about: &about.application,
            name: &about.name,
            start: about.start,
            end: about.end,
            location: &about.location,
            number: about.file,
            is_cancelled: about.news == AppointmentNews::Cancelled,
        })
    }

    /// What a mail about tickets says, if its recipient can go there, or could.
    pub(crate) fn of_tickets(mail: &Mail) -> Option<Entry<'_>> {
        let about = mail.tickets.as_ref()?;
        let has_file = about.has_valid || about.is_off;
        has_file.then(|| Entry {
            uid: format!("showing-{}@clubs", about.showing),
            summary: about.event.clone(),
            club: &about.club,
            about: &about.event,
            name: &about.name,
            start: about.start,
            end: about.end,
            location: &about.location,
            // Later mails replace earlier ones.
            number: mail.queued_at.epoch_seconds(),
            is_cancelled: about.is_off,
        })
    }

    /// The cancellation of an interview that ends with a decision mail.
    pub(crate) fn of_ended<'a>(
        ended: &'a EndedInterview,
        (club, application): (&'a str, &'a str),
    ) -> Entry<'a> {
        let applicant = ended.submission.applicant.as_ref();
        Entry {
            uid: interview_uid(ended.submission.id.get()),
            summary: format!("Interview: {club}"),
            club,
            about: application,
            name: applicant.map_or("", |applicant| applicant.personal.name.as_str()),
            start: ended.slot.start,
            end: ended.slot.end,
            location: &ended.slot.location,
            number: ended.file(),
            is_cancelled: true,
        }
    }
}
