//! Mails and what their submissions say of them.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use shared::models::{EmailStatus, Mail, MailState, Submission};
use shared::time::Timestamp;

/// Mails that wait so long are stuck: an officer may send them again.
const STUCK_MINUTES: i64 = 15;

/// Mails without the submission that should show them, submissions that show another state than the mail has, mails that
/// are stuck.
pub(crate) fn check(submissions: &[Submission], mails: &[Mail], now: DateTime<Utc>) -> Vec<String> {
    let mut wrong = Vec::new();
    let key = |mail: &Mail| (mail.about, mail.sequence, mail.kind.clone(), mail.attempt);
    let by_key: BTreeMap<_, &Mail> = mails.iter().map(|mail| (key(mail), mail)).collect();
    for submission in submissions {
        let states = [("acceptance", &submission.acceptance_mail), ("rejection", &submission.rejection_mail)];
        for (kind, state) in states.into_iter().filter_map(|(kind, state)| Some((kind, state.as_ref()?))) {
            let mail = by_key.get(&(submission.id, submission.sequence, kind.to_owned(), state.attempt)).copied();
            wrong.extend(disagreement(submission, kind, state, mail));
        }
        let taken = [&submission.acceptance_mail, &submission.rejection_mail].into_iter().flatten().any(|state| state.taken);
        if submission.notified != submission.mailed.is_some() || (taken && !submission.notified) {
            wrong.push(format!("submission {} does not say rightly whether its applicant was notified", submission.id));
        }
    }
    let stuck = Timestamp::at(now - TimeDelta::minutes(STUCK_MINUTES));
    for mail in mails {
        if matches!(mail.status, EmailStatus::Queued | EmailStatus::Sending) && mail.queued_at < stuck {
            wrong.push(format!("mail {} waits since {}", mail.id(), mail.queued_at));
        }
    }
    wrong
}

fn disagreement(submission: &Submission, kind: &str, state: &MailState, mail: Option<&Mail>) -> Option<String> {
    let about = format!("submission {}, {kind} mail {}", submission.id, state.attempt);
    match mail {
        None => Some(format!("{about}: shown as {:?}, and there is no such mail", state.status)),
        Some(mail) if mail.status != state.status => Some(format!("{about}: shown as {:?}, and is {:?}", state.status, mail.status)),
        Some(_) if state.status.taken() && !submission.notified => Some(format!("{about}: {:?}, and nobody was notified", state.status)),
        Some(_) => None,
    }
}
