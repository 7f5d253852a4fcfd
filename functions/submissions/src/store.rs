//! Stores a submission: the newest request is kept, whatever the order of the writes (X9).

use chrono::TimeDelta;
use shared::db::TableError;
use shared::domain::{
    Answered, Answers, Application, Club, Form, Person, RecentSubmission, RememberedKey,
    StoredSubmission, Submission,
};
use shared::ids::{Id, of};
use shared::mail::confirmation;
use shared::reason::Reason;
use shared::time::{RequestTime, Timestamp};
use shared::web::{ApiError, Code, Result};
use shared::{Context, limits};

/// The message for every reason, so that it does not reveal a decision (S2).
const CLOSED: Reason = Reason::ApplicationClosed;

/// How long it is noted where somebody has submitted (S16).
const RECENT_FOR: TimeDelta = TimeDelta::hours(1);
/// How long confirmations count for their limit.
const DAY: TimeDelta = TimeDelta::hours(24);

/// To what, and by whom, something is submitted.
pub(crate) struct Target<'a> {
    pub(crate) club: &'a Club,
    pub(crate) form: &'a Form,
    pub(crate) person: &'a Person,
    /// The revision that shall be replaced, 0 for none; none if the request does not say.
    pub(crate) seen: Option<u32>,
}

/// The error whenever a submission cannot be made, changed or withdrawn (S2).
pub(crate) fn closed() -> ApiError {
    ApiError::rule(CLOSED).coded(Code::ApplicationClosed)
}

/// The result of a request to submit.
pub(crate) struct SubmitResult {
    /// The stored submission.
    pub(crate) stored: Submission,
    /// Its answers, if they are those of this request.
    pub(crate) answers: Option<Answers>,
    /// Whether an earlier request with the same idempotency key stored it.
    pub(crate) is_replay: bool,
    /// Whether this request created the submission, or the earlier one with the same key.
    pub(crate) is_new: bool,
}

impl SubmitResult {
    /// Returns the stored submission with its answers.
    pub(crate) async fn answered(self, app: &Context) -> Result<Answered> {
        let Some(answers) = self.answers else {
            let found = app.table.answered(vec![self.stored]).await?;
            return found.into_iter().next().ok_or_else(closed);
        };
        Ok(Answered {
            submission: self.stored,
            answers,
        })
    }
}

/// What a request has to do, from what is stored at its key.
enum Step {
    /// Nothing: this request stored it, although the answer was lost, or the applicant was told
    /// a decision on the same answers.
    Own(Submission),
    /// Nothing: a request that was received later stored it.
    Later(Submission),
    /// Note that the same answers were submitted again.
    Same(Submission),
    /// Store the submission.
    Write,
}

fn step(
    submission: &Submission,
    earlier: &StoredSubmission,
    target: &Target<'_>,
    now: Timestamp,
) -> Result<Step> {
    let present = match earlier {
        StoredSubmission::Present(stored) => Some(stored),
        _ => None,
    };
    let is_same = present.is_some_and(|one| one.hash_of_answers() == submission.answers_hash);
    let (application, seen) = (&target.form.application, target.seen);
    let is_closed = present.is_some_and(|one| one.is_closed(application, now.moment()));
    let revision = present.map_or(0, |one| one.revision);
    // Another tab or device has submitted or withdrawn since (S21).
    let is_behind = seen.is_some_and(|seen| seen != revision) && !is_same && !is_closed;
    let number = submission.received;
    Ok(match earlier {
        StoredSubmission::Present(stored) if stored.received == number && is_same => {
            Step::Own(Submission::clone(stored))
        }
        _ if is_behind => return Err(ApiError::PreconditionFailed),
        StoredSubmission::Present(stored) if stored.received >= number => {
            Step::Later(Submission::clone(stored))
        }
        // They change nothing (S19).
        StoredSubmission::Present(stored) if is_closed && is_same => {
            Step::Own(Submission::clone(stored))
        }
        StoredSubmission::Present(_) if is_closed => return Err(closed()),
        StoredSubmission::Present(stored) if is_same => Step::Same(Submission::clone(stored)),
        earlier
            if earlier
                .received()
                .is_some_and(|received| received >= number) =>
        {
            return Err(closed());
        }
        _ => Step::Write,
    })
}

/// Stores a submission in its place, where `earlier` was read, with the mail that confirms it (T5).
pub(crate) async fn store(
    app: &Context,
    submission: Answered,
    key: Option<RememberedKey>,
    mut earlier: StoredSubmission,
    target: &Target<'_>,
) -> Result<SubmitResult> {
    let Answered {
        submission,
        answers,
    } = submission;
    let mut retries = app.table.retries();
    let done = |stored: Submission, answers: Option<Answers>| SubmitResult {
        is_new: stored.sequence == submission.received,
        stored,
        answers,
        is_replay: false,
    };
    // What was stored in the place when this request wanted to replace it.
    let mut replaced: Option<Option<u64>> = None;
    loop {
        retries.next().await?;
        let step = step(&submission, &earlier, target, app.now());
        // The place has changed since then, so a late write of the submission is refused, too.
        let is_overtaken = replaced.is_some_and(|replaced| replaced != earlier.received());
        if is_overtaken && step.is_err() {
            forget_answers(app, &submission).await;
        }
        let step = step?;
        let is_written = matches!(step, Step::Write);
        let (stored, is_mine) = match step {
            Step::Own(stored) => return Ok(done(stored, Some(answers))),
            Step::Later(stored) => (stored, false),
            Step::Same(read) => {
                let again = Submission {
                    received: submission.received,
                    keys: remembered(&read.keys, key.as_ref()),
                    ..read.clone()
                };
                match app.table.submit_same(&again, &read).await {
                    Err(TableError::Refused(_)) => {
                        earlier = read_again(app, &submission).await?;
                        continue;
                    }
                    stored => {
                        stored?;
                        forget_earlier_answers(app, &again).await;
                        (again, true)
                    }
                }
            }
            Step::Write => {
                let new = replacing(&earlier, submission.clone(), key.as_ref());
                replaced = Some(earlier.received());
                let new = Answered {
                    submission: new,
                    answers: answers.clone(),
                };
                match write(app, new, &earlier, target).await {
                    Err(ApiError::Changed) => {
                        earlier = read_again(app, &submission).await?;
                        continue;
                    }
                    stored => (stored?.submission, true),
                }
            }
        };
        if is_overtaken && !is_written {
            forget_answers(app, &submission).await;
        }
        if app.table.request_age() > limits::DELETION_GRACE / 2 {
            let is_first = !matches!(earlier, StoredSubmission::Present(_));
            take_back_if_orphaned(app, &stored, is_first, target)
                .await
                .map_err(ApiError::after_write)?;
        }
        return Ok(done(stored, is_mine.then_some(answers)));
    }
}

/// Removes answers that this request stored, and that no submission will name: a request that was
/// received later has stored its own, or has withdrawn the submission. Answers that remain have no
/// meaning, so a failure does not matter.
async fn forget_answers(app: &Context, submission: &Submission) {
    let when = RequestTime {
        received: submission.received,
        at: submission.submitted_at,
    };
    let attachments = submission.attachments();
    let removed = app.table.remove_attachments(&attachments, when);
    let removed = async {
        futures::try_join!(
            removed,
            app.table.delete_submission_answers(submission, when)
        )
    };
    if let Err(error) = removed.await {
        tracing::warn!(%error, "answers without a submission were not removed");
    }
}

/// Removes the answers in the place of a submission that were sent before its own. An attempt of
/// this request may have ended before it did so.
async fn forget_earlier_answers(app: &Context, submission: &Submission) {
    let Some(received) = submission.answers_at.checked_sub(1) else {
        return;
    };
    let (application, id) = (submission.application, submission.id);
    let when = RequestTime {
        received,
        at: app.now(),
    };
    if let Err(error) = app.table.delete_answers(application, id, when).await {
        tracing::warn!(%error, "answers that were replaced were not removed");
    }
}

/// Lets the timer remove the uploads of a submission that was replaced. What fails here is done a
/// week after they were announced.
async fn release_files(app: &Context, replaced: &Submission, now: Timestamp) {
    let Some(person) = replaced.person else {
        return;
    };
    let attachments = replaced.attachments();
    let released = app.table.release_uploads(person, &attachments, now).await;
    if let Err(error) = released {
        tracing::warn!(%error, "files of a replaced submission were not released");
    }
}

async fn read_again(app: &Context, submission: &Submission) -> Result<StoredSubmission> {
    let (application, id) = (submission.application, submission.id);
    Ok(app.table.stored_submission(application, id).await?)
}

/// Writes the submission, and notes its place if it is a new one, because the index may be behind.
async fn write(
    app: &Context,
    mut new: Answered,
    earlier: &StoredSubmission,
    Target {
        club, form, person, ..
    }: &Target<'_>,
) -> Result<Answered> {
    let now = app.now();
    new.submission.confirmations.retain(|at| now < at.plus(DAY));
    let is_confirmed = form.application.confirmation
        && !person.personal.email.is_empty()
        && new.submission.confirmations.len() < limits::CONFIRMATIONS_PER_DAY;
    let mail = is_confirmed.then(|| {
        new.submission.confirmations.push(now);
        let receipt = app.receipt_of(&new).unwrap_or_default();
        confirmation(
            club,
            form,
            &new,
            (&receipt, app.settings.mail.time_zone),
            now,
        )
    });
    let submit = app.table.submit(&new, earlier, mail.as_ref());
    if let StoredSubmission::Present(replaced) = earlier {
        submit.await?;
        forget_answers(app, replaced).await;
        release_files(app, replaced, now).await;
        return Ok(new);
    }
    let recent = RecentSubmission {
        person: person.id,
        submission: new.id,
        application: new.application,
        received: new.received,
        expires: now.plus(RECENT_FOR).epoch_seconds(),
    };
    let (stored, noted) = futures::join!(submit, app.table.note_recent_submission(&recent));
    stored?;
    if let Err(error) = noted {
        // The index finds the submission, only a moment later.
        tracing::warn!(%error, "the place of a submission was not noted");
    }
    Ok(new)
}

/// The last keys of a submission, with that of this request.
fn remembered(keys: &[RememberedKey], key: Option<&RememberedKey>) -> Vec<RememberedKey> {
    let mut keys: Vec<RememberedKey> = keys.iter().chain(key).cloned().collect();
    keys.drain(..keys.len().saturating_sub(RememberedKey::MAX_KEYS));
    keys
}

/// Returns the submission as it is stored in the place of `earlier`.
fn replacing(
    earlier: &StoredSubmission,
    submission: Submission,
    key: Option<&RememberedKey>,
) -> Submission {
    let revision = earlier.revision() + 1;
    let StoredSubmission::Present(old) = earlier else {
        return Submission {
            revision,
            withdrawn: earlier.withdrawn(),
            erased: earlier.erased(),
            keys: remembered(&[], key),
            confirmations: earlier.confirmations().to_vec(),
            ..submission
        };
    };
    // Of the new one is what was sent; the decision and all else stay.
    Submission {
        revision,
        applicant: submission.applicant,
        committee_name: submission.committee_name,
        answers_at: submission.answers_at,
        answers_hash: submission.answers_hash,
        answers: submission.answers,
        files: submission.files,
        rejected_at: old.status.is_rejection().then(|| old.rejected_since()),
        received: submission.received,
        submitted_at: submission.submitted_at,
        updated_at: submission.updated_at,
        keys: remembered(&old.keys, key),
        ..Submission::clone(old)
    }
}

/// Looks at the application again after a write that took long. A submission that was there before
/// stays: a deletion finds it.
async fn take_back_if_orphaned(
    app: &Context,
    submission: &Submission,
    is_first: bool,
    target: &Target<'_>,
) -> Result<()> {
    let (application, person) = (&target.form.application, target.person);
    if is_orphaned(app, application, person, submission.committee).await? {
        if is_first {
            app.table.take_back(submission, app.now()).await?;
        }
        return Err(closed());
    }
    Ok(())
}

/// Reads the application and the applicant again after a write that took long. Returns whether the
/// application, the committee or the person is gone, so that the write must be taken back (X15). A
/// deletion of an application or a committee waits only for fast writes (X14).
pub(crate) async fn is_orphaned(
    app: &Context,
    application: &Application,
    person: &Person,
    committee: Option<Id<of::Committee>>,
) -> Result<bool> {
    let current = async { Ok(app.table.people([person.id]).await?.into_values().next()) };
    let (application, current) = futures::try_join!(
        app.table.application(&application.club, application.id),
        current
    )?;
    let has_committee =
        |application: &Application| committee.is_none_or(|id| application.committee(id).is_some());
    // Whoever comes back after an erasure has a new profile.
    let is_same = |current: Person| !current.erasing && current.created_at == person.created_at;
    let is_there = current.is_some_and(is_same);
    Ok(!is_there || !application.as_ref().is_some_and(has_committee))
}

/// The time of a withdrawal for [`shared::db::Table::withdraw`].
pub(crate) fn request_time(app: &Context, received: chrono::DateTime<chrono::Utc>) -> RequestTime {
    RequestTime {
        received: app.ids.received(received),
        at: Timestamp::at(received),
    }
}
