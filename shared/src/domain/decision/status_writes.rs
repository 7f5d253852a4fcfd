//! What a mail changes in the submissions that it is about.

use crate::db::{Refusal, Write};
use crate::domain::decision::ended::{EndedInterviews, other_writes, with_end};
use crate::domain::outbox::model::{CommunicatedDecision, Mail};
use crate::domain::outbox::state::{EmailStatus, MailKind};
use crate::domain::submission;
use crate::domain::submission::model::{Mailed, Submission};
use crate::time::Timestamp;

/// Returns whether a submission still shows this mail.
pub(crate) fn shows(
    submission: &Submission,
    mail: &Mail,
    communicated: &CommunicatedDecision,
) -> bool {
    let state = submission.mail_state(mail.kind);
    submission.sequence == communicated.sequence
        && state.is_some_and(|state| state.attempt == mail.attempt)
}

/// Returns the changes of the submissions that belong to a status change of their mail.
pub(crate) fn status_writes(mail: &Mail, status: EmailStatus, now: Timestamp) -> Vec<Write> {
    communicated_writes(
        mail,
        mail.communicated(),
        (status, now),
        &EndedInterviews::default(),
        |_| true,
    )
}

/// Like [`status_writes`], for some of the submissions, and with the interviews that end. `is_last`
/// tells whether no later mail told the person something else.
pub(crate) fn communicated_writes(
    mail: &Mail,
    communicated: Vec<CommunicatedDecision>,
    (status, now): (EmailStatus, Timestamp),
    ends: &EndedInterviews,
    is_last: impl Fn(&CommunicatedDecision) -> bool,
) -> Vec<Write> {
    let Some(decision) = &mail.decision else {
        return vec![];
    };
    let state = state_of(mail.kind);
    let status_writes = |communicated: CommunicatedDecision| {
        let write = Write::update(submission::keys::submission(
            decision.application,
            communicated.submission,
        ))
        .set(&format!("{state}.status"), &status)
        .set(&format!("{state}.at"), &now)
        .if_equals(&format!("{state}.attempt"), &mail.attempt)
        .if_equals("sequence", &communicated.sequence)
        .or(Refusal::Superseded);
        match status {
            EmailStatus::Sent => {
                let write = write.set(&format!("{state}.taken"), &true);
                if !mail.kind.is_decision() {
                    return write;
                }
                let write = write.set("notified", &true);
                if is_last(&communicated) {
                    write
                        .set("mailed", &Mailed::of(&communicated, now))
                        .if_absent_or_below("mailed.order", &(communicated.order + 1))
                } else {
                    write
                }
            }
            // Do not send a decision that has changed since, and no invitation after a decision.
            EmailStatus::Sending => {
                let write = write.if_equals("status", &communicated.status);
                if mail.kind.is_decision() {
                    write.if_equals("reason", &communicated.reason)
                } else {
                    write
                }
            }
            _ => write,
        }
    };
    let status_writes = |communicated: CommunicatedDecision| {
        let id = communicated.submission;
        with_end(status_writes(communicated), id, ends)
    };
    let mut writes: Vec<Write> = communicated.into_iter().map(status_writes).collect();
    let others = other_writes(mail, ends).into_iter();
    writes.extend(others.map(|write| write.or(Refusal::Superseded)));
    writes
}

/// Returns the name of the submission attribute with the state of mails of this kind.
pub(crate) fn state_of(kind: MailKind) -> String {
    format!("{}_mail", kind.name())
}
