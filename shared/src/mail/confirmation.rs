//! The mail that confirms a submission (T5). It never tells a decision.

use askama::Template;
use chrono_tz::Tz;

use super::{Bodies, Occasion, mail, rendered};
use crate::domain::{Answered, Club, Form, Mail, MailKind, MailOwner, StoredAnswer};
use crate::limits;
use crate::time::Timestamp;

/// A question with its answer.
#[derive(Clone)]
struct AnswerLine {
    prompt: String,
    answer: String,
}

/// What was submitted to whom.
#[derive(Clone, Copy)]
struct Submitted<'a> {
    club: &'a str,
    application: &'a str,
    committee: &'a str,
    at: &'a str,
    revision: u32,
}

templates! {
    ConfirmationHtml "mail/confirmation.html" ConfirmationText "mail/confirmation.txt" {
        name: &'a str, submitted: Submitted<'a>, answers: Option<Vec<AnswerLine>>, receipt: &'a str
    }
}

/// Returns the mail that confirms a submission to its applicant, with the time in the zone of the
/// campus. There is one mail for each revision. Answers that are too long for a mail are left out.
pub fn confirmation(
    club: &Club,
    form: &Form,
    submission: &Answered,
    (receipt, zone): (&str, Tz),
    now: Timestamp,
) -> Mail {
    let personal = submission
        .applicant
        .as_ref()
        .map(|applicant| applicant.personal.clone())
        .unwrap_or_default();
    let (name, application) = (&club.profile.name, &form.application.name);
    // With seconds: it may have been the last minute.
    let at = submission.submitted_at.moment().with_timezone(&zone);
    let at = format!("{} ({zone})", at.format("%A, %-d %B %Y, %H:%M:%S"));
    let submitted = Submitted {
        club: name,
        application,
        committee: &submission.committee_name,
        at: &at,
        revision: submission.revision,
    };
    let lines: Vec<AnswerLine> = submission
        .answers
        .read()
        .iter()
        .map(|answer| answer_line(form, answer))
        .collect();
    let bodies =
        |answers| ConfirmationHtml::bodies(&personal.first_name, submitted, answers, receipt);
    let whole = bodies(Some(lines));
    let fits = whole.html.len() <= limits::MAIL_BYTES && whole.text.len() <= limits::MAIL_BYTES;
    let occasion = Occasion {
        about: submission.id.get(),
        sequence: submission.sequence,
        kind: MailKind::Confirmation,
        owner: MailOwner::of(&submission.submission).with("sequence", submission.sequence),
    };
    let mail = mail(
        occasion,
        submission.person,
        &personal.email,
        &club.profile.email,
        &format!("We have your submission to {name}: {application}"),
        if fits { whole } else { bodies(None) },
        now,
    );
    Mail {
        attempt: submission.revision,
        ..mail
    }
}

fn answer_line(form: &Form, answer: &StoredAnswer<'_>) -> AnswerLine {
    let prompt = form
        .question(answer.question)
        .map(|question| &question.prompt);
    let option = prompt
        .and_then(|prompt| {
            prompt
                .options
                .iter()
                .find(|option| Some(option.id) == answer.option)
        })
        .map(|option| option.value.clone());
    let file = answer.file().map(|file| file.name);
    AnswerLine {
        prompt: prompt.map(|prompt| prompt.text.clone()).unwrap_or_default(),
        answer: answer.text().or(option).or(file).unwrap_or_default(),
    }
}
