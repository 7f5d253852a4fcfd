//! Checks of mails and of the mail states in submissions.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use shared::domain::{EmailStatus, Mail, MailKind, MailState, Submission};
use shared::time::Timestamp;

/// A mail that waits longer is stuck. Officers may send it again.
const STUCK_MINUTES: i64 = 15;

/// Submissions that show another state than their mail, or a mail that does not exist; mails that
/// their submission does not refer to; and mails that are stuck. Submissions of erased people refer
/// to no mails, and old records of mails are deleted, so neither is an error.
pub(crate) fn check(submissions: &[Submission], mails: &[Mail], now: DateTime<Utc>) -> Vec<String> {
    let mut wrong = Vec::new();
    let kept_since = |kind: MailKind| Timestamp::at(now - TimeDelta::days(kind.kept_days() - 1));
    let by_id: BTreeMap<String, &Mail> = mails
        .iter()
        .map(|mail| (mail.id().to_string(), mail))
        .collect();
    let mut attempts = BTreeMap::new();
    for submission in submissions
        .iter()
        .filter(|submission| submission.person.is_some())
    {
        attempts.insert((submission.id, submission.sequence, None), 0);
        for (kind, state) in states(submission) {
            let mail_key = (submission.id, submission.sequence, Some(kind));
            attempts.insert(mail_key, state.attempt);
            let mail = submission
                .mail_id(kind, state)
                .and_then(|id| by_id.get(&id.to_string()).copied());
            if mail.is_some() || state.at > kept_since(kind) {
                wrong.extend(disagreement(submission, kind, state, mail));
            }
        }
        let taken = states(submission).any(|(kind, state)| kind.is_decision() && state.taken);
        if submission.notified != submission.mailed.is_some() || (taken && !submission.notified) {
            wrong.push(format!(
                "submission {}: `notified` does not agree with its mails",
                submission.id
            ));
        }
    }
    let stuck = Timestamp::at(now - TimeDelta::minutes(STUCK_MINUTES));
    for mail in mails {
        if matches!(mail.status, EmailStatus::Queued | EmailStatus::Sending)
            && mail.queued_at < stuck
        {
            wrong.push(format!(
                "mail {} has been waiting since {}",
                mail.id(),
                mail.queued_at
            ));
        }
        // A submission that was withdrawn, or made again, does not refer to its earlier mails.
        let forgotten = mail.communicated().into_iter().any(|communicated| {
            let mail_key = |kind| (communicated.submission, communicated.sequence, kind);
            attempts.contains_key(&mail_key(None))
                && attempts
                    .get(&mail_key(Some(mail.kind)))
                    .is_none_or(|last| *last < mail.attempt)
        });
        if forgotten {
            wrong.push(format!(
                "mail {}: its submission does not refer to it",
                mail.id()
            ));
        }
    }
    wrong
}

fn states(submission: &Submission) -> impl Iterator<Item = (MailKind, &MailState)> {
    let states = [
        (MailKind::Acceptance, &submission.acceptance_mail),
        (MailKind::Rejection, &submission.rejection_mail),
        (MailKind::Interview, &submission.interview_mail),
    ];
    states
        .into_iter()
        .filter_map(|(kind, state)| Some((kind, state.as_ref()?)))
}

fn disagreement(
    submission: &Submission,
    kind: MailKind,
    state: &MailState,
    mail: Option<&Mail>,
) -> Option<String> {
    let about = format!(
        "submission {}, {} mail {}",
        submission.id,
        kind.name(),
        state.attempt
    );
    match mail {
        None => Some(format!(
            "{about}: shown as {:?}, but there is no such mail",
            state.status
        )),
        Some(mail) if mail.status != state.status => Some(format!(
            "{about}: shown as {:?}, but it is {:?}",
            state.status, mail.status
        )),
        Some(_) if kind.is_decision() && state.status.taken() && !submission.notified => Some(
            format!("{about}: it is {:?}, but `notified` is false", state.status),
        ),
        Some(_) => None,
    }
}
