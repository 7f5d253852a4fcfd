//! What a mail changes in the submissions that it is about.

use crate::db::{Refusal, Write};
use crate::domain::interview::told::{EndedInterviews, other_writes, with_end};
use crate::domain::keys;
use crate::domain::mail::model::{Mail, ToldDecision};
use crate::domain::mail::state::{EmailStatus, MailKind};
use crate::domain::submission::model::Submission;
use crate::time::Timestamp;

/// Returns whether a submission still shows this mail.
pub(crate) fn shows(submission: &Submission, mail: &Mail, told: &ToldDecision) -> bool {
    let state = submission.mail_state(mail.kind);
    submission.sequence == told.sequence && state.is_some_and(|state| state.attempt == mail.attempt)
}

/// Returns the changes of the submissions that belong to a status change of their mail.
pub(crate) fn mark(mail: &Mail, status: EmailStatus, now: Timestamp) -> Vec<Write> {
    mark_told(
        mail,
        mail.told(),
        (status, now),
        &EndedInterviews::default(),
        |_| true,
    )
}

/// Like [`mark`], for some of the submissions, and with the interviews that end. `is_last` tells
/// whether no later mail told the person something else.
pub(crate) fn mark_told(
    mail: &Mail,
    told: Vec<ToldDecision>,
    (status, now): (EmailStatus, Timestamp),
    ends: &EndedInterviews,
    is_last: impl Fn(&ToldDecision) -> bool,
) -> Vec<Write> {
    let Some(decision) = &mail.decision else {
        return vec![];
    };
    let state = state_of(mail.kind);
    let mark = |told: ToldDecision| {
        let write = Write::update(keys::submission(decision.application, told.submission))
            .set(&format!("{state}.status"), &status)
            .set(&format!("{state}.at"), &now)
            .if_equals(&format!("{state}.attempt"), &mail.attempt)
            .if_equals("sequence", &told.sequence)
            .or(Refusal::Superseded);
        match status {
            EmailStatus::Sent => {
                let write = write.set(&format!("{state}.taken"), &true);
                if !mail.kind.is_decision() {
                    return write;
                }
                let write = write.set("notified", &true);
                if is_last(&told) {
                    write
                        .set("mailed", &told.mailed(now))
                        .if_absent_or_below("mailed.order", &(told.order + 1))
                } else {
                    write
                }
            }
            // Do not send a decision that has changed since, and no invitation after a decision.
            EmailStatus::Sending => {
                let write = write.if_equals("status", &told.status);
                if mail.kind.is_decision() {
                    write.if_equals("reason", &told.reason)
                } else {
                    write
                }
            }
            _ => write,
        }
    };
    let mark = |told: ToldDecision| {
        let id = told.submission;
        with_end(mark(told), id, ends)
    };
    let mut writes: Vec<Write> = told.into_iter().map(mark).collect();
    let others = other_writes(mail, ends).into_iter();
    writes.extend(others.map(|write| write.or(Refusal::Superseded)));
    writes
}

/// Returns the name of the submission attribute with the state of mails of this kind.
pub(crate) fn state_of(kind: MailKind) -> String {
    format!("{}_mail", kind.name())
}
