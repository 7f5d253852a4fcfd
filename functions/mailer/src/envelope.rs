//! What is handed to SES for a mail: its texts, and the calendar files of interviews (K10).

use shared::domain::{AppointmentNews, EndedInterview, Mail};
use shared::mail::Message;
use shared::text::ics::Component;
use shared::time::Timestamp;

/// A mail as it is handed to SES.
#[derive(Debug)]
pub struct MailEnvelope {
    /// Its texts.
    pub message: Message,
    /// The calendar files.
    pub calendars: Vec<CalendarFile>,
    /// Headers besides the usual ones: name and value.
    pub headers: Vec<(&'static str, String)>,
}

/// A calendar file (RFC 5545, RFC 5546).
#[derive(Debug)]
pub struct CalendarFile {
    /// Its name.
    pub name: &'static str,
    /// Its content.
    pub content: String,
}

/// What a calendar file says about an interview.
pub(crate) struct Entry<'a> {
    /// Id of the submission.
    pub(crate) submission: u64,
    /// Name of the club, which is the organizer.
    pub(crate) club: &'a str,
    /// Name of the application.
    pub(crate) application: &'a str,
    /// Name of the applicant.
    pub(crate) name: &'a str,
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) location: &'a str,
    /// `SEQUENCE`.
    pub(crate) number: i64,
    pub(crate) is_cancelled: bool,
}

impl Entry<'_> {
    /// Returns the calendar file. `mail` names the applicant's address and the organizer's; `from`
    /// is the organizer's, if the club has none.
    pub(crate) fn file(&self, mail: &Mail, from: &str, page: &str) -> CalendarFile {
        let sender = from.rsplit_once('<').map_or(from, |(_, address)| address);
        let sender = sender.trim_end_matches('>').trim();
        let organizer = mail
            .reply_to
            .as_ref()
            .map_or_else(|| sender.to_owned(), ToString::to_string);
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
            .raw("UID", &format!("interview-{}@clubs", self.submission))
            .raw("SEQUENCE", &number.to_string())
            .time("DTSTAMP", mail.queued_at.moment())
            .time("DTSTART", self.start.moment())
            .time("DTEND", self.end.moment())
            .raw("STATUS", status)
            .text("SUMMARY", &format!("Interview: {}", self.club))
            .text("DESCRIPTION", &format!("{}\n{page}", self.application))
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
            content: calendar.into_text(),
        }
    }

    /// What a mail about an appointment says.
    pub(crate) fn of_appointment(mail: &Mail) -> Option<Entry<'_>> {
        let about = mail.appointment.as_ref()?;
        Some(Entry {
            submission: mail.about,
            club: &about.club,
            application: &about.application,
            name: &about.name,
            start: about.start,
            end: about.end,
            location: &about.location,
            number: about.file,
            is_cancelled: about.news == AppointmentNews::Cancelled,
        })
    }

    /// The cancellation of an interview that ends with a decision mail.
    pub(crate) fn of_ended<'a>(
        ended: &'a EndedInterview,
        (club, application): (&'a str, &'a str),
    ) -> Entry<'a> {
        let applicant = ended.submission.applicant.as_ref();
        Entry {
            submission: ended.submission.id.get(),
            club,
            application,
            name: applicant.map_or("", |applicant| applicant.personal.name.as_str()),
            start: ended.slot.start,
            end: ended.slot.end,
            location: &ended.slot.location,
            number: ended.file(),
            is_cancelled: true,
        }
    }
}
