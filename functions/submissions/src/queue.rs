//! Queues the mails of a sending, and waits a little until they are sent.

use std::time::Duration;

use futures::stream::{self, StreamExt};
use shared::Context;
use shared::db::{PARALLEL, TableError};
use shared::domain::{DecisionMail, EmailStatus, Mail, MailId, Submission};
use shared::ids::{Id, of};
use shared::mail::MailType;
use shared::web::Result;

use crate::previews::{Composer, PlannedMail};

/// How long the answer waits for its mails (E11).
const MAX_WAIT: Duration = Duration::from_secs(3);

/// The answer waits only for so many mails, or fewer (E11).
const SMALL_BATCH: usize = 100;

#[derive(Default)]
pub(crate) struct SendCounts {
    pub(crate) sent: usize,
    pub(crate) queued: usize,
    pub(crate) failed: usize,
    pub(crate) unknown: usize,
    /// Number of mails that somebody else queued at the same moment.
    pub(crate) raced: usize,
    /// Number of mails that were not queued, because the time was over.
    pub(crate) left: usize,
    /// Number of mails of which the table could not tell whether they were queued. They are counted
    /// as failed, too.
    pub(crate) broken: usize,
}

enum QueueResult {
    Mine(MailId),
    Raced,
    Changed,
    Left,
}

/// No mail is queued after this time in a request, so that the function answers in time.
const QUEUE_WITHIN: Duration = Duration::from_secs(18);

/// Queues the mails. `mine` are the mails that an earlier attempt of this request has queued.
pub(crate) async fn send(
    app: &Context,
    composer: &Composer,
    mails: Vec<PlannedMail>,
    mut mine: Vec<MailId>,
    kind: MailType,
    call: u64,
) -> Result<SendCounts> {
    let results: Vec<Result<QueueResult>> = stream::iter(mails)
        .map(|planned| queue(app, composer, planned, kind, call))
        .buffer_unordered(PARALLEL)
        .collect()
        .await;
    let mut outcome = SendCounts::default();
    let mut broken = Vec::new();
    for result in results {
        match result {
            Ok(QueueResult::Mine(mail)) => mine.push(mail),
            Ok(QueueResult::Raced) => outcome.raced += 1,
            Ok(QueueResult::Changed) => outcome.failed += 1,
            Ok(QueueResult::Left) => outcome.left += 1,
            Err(error) => broken.push(error),
        }
    }
    // Queued mails are sent in any case. If no mail was queued, the caller gets the error.
    outcome.broken = broken.len();
    outcome.failed += outcome.broken;
    if let Some(error) = broken.pop() {
        if mine.is_empty() {
            return Err(if broken.is_empty() {
                error
            } else {
                error.after_write()
            });
        }
        tracing::error!(?error, "some mails were not queued");
    }
    for status in wait_until_sent(app, &mine).await {
        match status {
            EmailStatus::Sent | EmailStatus::Bounced | EmailStatus::Complained => outcome.sent += 1,
            EmailStatus::Failed => outcome.failed += 1,
            EmailStatus::Unknown => outcome.unknown += 1,
            EmailStatus::Queued | EmailStatus::Sending => outcome.queued += 1,
        }
    }
    Ok(outcome)
}

async fn queue(
    app: &Context,
    composer: &Composer,
    planned: PlannedMail,
    kind: MailType,
    call: u64,
) -> Result<QueueResult> {
    if app.table.request_age() > QUEUE_WITHIN {
        return Ok(QueueResult::Left);
    }
    let (mut mail, mut submissions) = (composer.mail(&planned)?, planned.submissions);
    let Some(application) = submissions.first().map(|one| one.application) else {
        return Ok(QueueResult::Changed);
    };
    let ids: Vec<Id<of::Submission>> = submissions.iter().map(|one| one.id).collect();
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        match app
            .table
            .queue_decision(DecisionMail {
                submissions: &submissions,
                mail: &mail,
                call,
            })
            .await
        {
            Ok(()) => return Ok(QueueResult::Mine(mail.id())),
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let current = app.table.submissions_by_id(application, &ids).await?;
        let newer = current.iter().find_map(|current| {
            let state = current.mail_state(kind.mail_kind())?;
            (state.attempt >= mail.attempt).then_some((current, state))
        });
        if let Some((submission, state)) = newer {
            // Another attempt of this request may run beside this one.
            let id = submission.mail_id(kind.mail_kind(), state);
            let own = id.filter(|_| state.is_of(call, app.now()));
            return Ok(own.map_or(QueueResult::Raced, QueueResult::Mine));
        }
        // A mail to the person was given up for a mail about another of its submissions.
        let is_given_up = |old: &Submission| {
            current.iter().any(|current| {
                let state = current.mail_state(kind.mail_kind());
                current.id == old.id
                    && (current.status, &current.reason, current.sequence)
                        == (old.status, &old.reason, old.sequence)
                    && state != old.mail_state(kind.mail_kind())
                    && state.is_some_and(|current| {
                        current.status == EmailStatus::Failed && !current.taken
                    })
            })
        };
        if !submissions.is_empty() && submissions.iter().all(is_given_up) {
            submissions = current;
            continue;
        }
        // Another mail, for another committee or from another officer, stored the same invite
        // first. This mail gets the same link.
        let Some(link) = &mut mail.invite else {
            return Ok(QueueResult::Changed);
        };
        match app.table.invite(&link.club, &link.invite).await? {
            Some(invite) if invite.version != link.version => {
                link.version = invite.version;
                link.is_new = false;
            }
            _ => return Ok(QueueResult::Changed),
        }
    }
}

/// Waits until all mails are sent or failed, but not longer than [`MAX_WAIT`]. Returns their
/// states. Mails are large, so each is read until it is done, and not after.
async fn wait_until_sent(app: &Context, mails: &[MailId]) -> Vec<EmailStatus> {
    let (mut open, mut states) = (mails.to_vec(), vec![]);
    let end = tokio::time::Instant::now() + MAX_WAIT;
    let mut pause = Duration::from_millis(20);
    let waits = |mail: &Mail| matches!(mail.status, EmailStatus::Queued | EmailStatus::Sending);
    let is_small = mails.len() <= SMALL_BATCH;
    while is_small && !open.is_empty() && tokio::time::Instant::now() + pause < end {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(500));
        match app.table.mails(&open).await {
            Ok(now) => {
                let (waiting, done): (Vec<Mail>, Vec<Mail>) = now.into_iter().partition(waits);
                states.extend(done.iter().map(|mail| mail.status));
                open = waiting.iter().map(Mail::id).collect();
            }
            Err(error) => {
                tracing::warn!(%error, "the outbox could not be read");
                break;
            }
        }
    }
    states.extend(open.iter().map(|_| EmailStatus::Queued));
    states
}
