//! Mails about interviews that were booked, moved or cancelled (K10). Only the facts are stored:
//! the text, with the time zone of the campus, and the calendar file are made when the mail is
//! sent.

use askama::Template;

use super::decision::Message;
use super::{Bodies, Occasion, mail, rendered};
use crate::domain::{
    Application, Appointment, AppointmentNews, Club, Mail, MailKind, MailOwner, Slot, Submission,
};
use crate::ids::{Id, of};
use crate::time::Timestamp;

/// Returns the page of the site where an applicant chooses an interview.
pub fn interview_url(site: &str, submission: Id<of::Submission>) -> String {
    format!("{site}/submissions/{submission}/interview/")
}

/// Returns the mail that tells an applicant what happened to their interview in this slot. `file`
/// is the number of the calendar file. None if the applicant has no address.
pub fn appointment(
    (club, application): (&Club, &Application),
    submission: &Submission,
    slot: &Slot,
    (news, file): (AppointmentNews, i64),
    now: Timestamp,
) -> Option<Mail> {
    let personal = &submission.applicant.as_ref()?.personal;
    if personal.email.is_empty() {
        return None;
    }
    let occasion = Occasion {
        about: submission.id.get(),
        sequence: submission.sequence,
        kind: MailKind::Appointment,
        owner: MailOwner::of(submission).with("sequence", submission.sequence),
    };
    let name = &club.profile.name;
    let subject = match news {
        AppointmentNews::Booked => format!("Your interview with {name}"),
        AppointmentNews::Moved | AppointmentNews::Changed => {
            format!("Your interview with {name} has changed")
        }
        AppointmentNews::Cancelled => format!("Your interview with {name} is cancelled"),
    };
    let mail = mail(
        occasion,
        submission.person,
        &personal.email,
        &club.profile.email,
        &subject,
        Bodies::default(),
        now,
    );
    Some(Mail {
        attempt: u32::try_from(file).unwrap_or(u32::MAX),
        appointment: Some(Appointment {
            news,
            club: name.clone(),
            application: application.name.clone(),
            name: personal.name.clone(),
            first_name: personal.first_name.clone(),
            start: slot.start,
            end: slot.end,
            location: slot.location.clone(),
            file,
            application_id: Some(application.id),
        }),
        ..mail
    })
}

templates! {
    AppointmentHtml "mail/appointment.html" AppointmentText "mail/appointment.txt" {
        about: &'a Appointment, when: &'a str, link: &'a str
    }
}

impl Appointment {
    /// Returns the name in the greeting. Mails of earlier releases have no first name.
    fn greeting(&self) -> &str {
        if self.first_name.is_empty() {
            &self.name
        } else {
            &self.first_name
        }
    }

    /// Returns the address of a location that is one.
    fn address(&self) -> Option<&str> {
        let is_address = self.location.starts_with("https://");
        Some(self.location.as_str()).filter(|_| is_address)
    }

    /// Returns the mail without its subject. `when` is its time as people say it, `link` the page
    /// where the applicant can change it.
    pub fn message(&self, subject: String, when: &str, link: &str) -> Message {
        let Bodies { html, text } = AppointmentHtml::bodies(self, when, link);
        Message {
            subject,
            html,
            text,
        }
    }
}
