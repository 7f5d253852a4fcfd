//! The mail that tells an applicant that their application ended before they were told a decision
//! (C22, A7).

use askama::Template;

use super::{Bodies, Occasion, mail, rendered};
use crate::domain::{Application, Club, Mail, MailId, MailKind, MailOwner, Submission};
use crate::time::Timestamp;

/// Why applications end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplicationEnd {
    /// The club was archived, with this version.
    ClubClosed(u64),
    /// The application was deleted.
    Deleted,
}

templates! {
    EndedHtml "mail/ended.html" EndedText "mail/ended.txt" {
        name: &'a str, club: &'a str, application: &'a str, end: ApplicationEnd
    }
}

/// Returns the mail for the person of a submission; none if they have no address. There is one for
/// each person, application and end.
pub fn application_ended(
    (club, application): (&Club, &Application),
    submission: &Submission,
    end: ApplicationEnd,
    now: Timestamp,
) -> Option<Mail> {
    let person = submission.person?;
    let personal = &submission.applicant.as_ref()?.personal;
    if personal.email.is_empty() {
        return None;
    }
    let name = &club.profile.name;
    let bodies = EndedHtml::bodies(&personal.first_name, name, &application.name, end);
    let occasion = Occasion {
        about: MailId::about_person(application.id, person),
        sequence: match end {
            ApplicationEnd::ClubClosed(version) => version,
            ApplicationEnd::Deleted => 0,
        },
        kind: MailKind::Ended,
        owner: MailOwner::of(submission).with("sequence", submission.sequence),
    };
    let subject = format!("Your application to {name} has ended");
    let (to, reply_to) = (&personal.email, &club.profile.email);
    Some(mail(
        occasion,
        Some(person),
        to,
        reply_to,
        &subject,
        bodies,
        now,
    ))
}
