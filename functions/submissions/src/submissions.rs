//! `/clubs/{club}/applications/{application}/submissions/`, `…/{submission}/`

use std::collections::{BTreeMap, HashMap};

use axum::Json;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, TimeDelta, Utc};
use shared::bodies::{Studies, SubmissionBody, references_of};
use shared::domain::{
    Answered, Form, Membership, Person, RememberedKey, Status, StoredSubmission, Submission,
};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::time::{RequestTime, Timestamp};
use shared::web::scopes::{RecruitmentRead, SessionOnly};
use shared::web::{
    ApiError, Code, Created, Input, Load, Maybe, PathIds, ReceivedAt, RequestKey, Result, SignedIn,
    User, key_reused, replayed, shown_at,
};
use shared::{Context, ids, limits};

use crate::answers::{CheckError, CheckedAnswers, NewSubmission};
use crate::applicant::ApplicantData;
use crate::attachments::{attach_files, finish_files};
use crate::files::{CheckedFiles, check_files};
use crate::store::{SubmitResult, Target, closed, store};

/// How long an idempotency key is valid (X1).
const KEY_VALIDITY: TimeDelta = TimeDelta::hours(24);

/// Submit an application.
///
/// For every signed-in user who can see the club, while the application is open. Submitting again
/// replaces all answers, as long as nothing is decided. A person has one submission for each
/// committee, and one without a committee. Of two requests, the one that was received later is
/// kept.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/submissions/", tag = "submissions",
    security(("bearer" = [])), params(("club" = String, Path), ("application" = u64, Path)),
    request_body = NewSubmission,
    responses(
        (status = 201, body = SubmissionBody),
        (status = 200, body = SubmissionBody, description = "Submitted again: it replaces the earlier one.")
    )
)]
pub async fn submit(
    app: Context,
    ReceivedAt(received): ReceivedAt,
    RequestKey(key): RequestKey,
    scope: SignedIn<SessionOnly, Form, (ApplicantData, EarlierSubmissions)>,
    Input(input): Input<NewSubmission>,
) -> Result<Response> {
    let form = scope.parent;
    let (ApplicantData { person, extension }, recent) = scope.object;
    let is_current = form
        .application
        .is_current(received, extension.map(|extension| extension.end));
    let number = app.ids.received(received);
    let mut recent = recent.complete(&app, &form, person.id).await?;
    let fingerprint = input.fingerprint();
    let key = key.zip(fingerprint.as_ref()).map(|(mut key, fingerprint)| {
        key.truncate(RememberedKey::HASH);
        RememberedKey {
            key,
            fingerprint: fingerprint.hash.clone(),
            received: number,
        }
    });
    // A repeat with the key of an earlier request gets its answer also after the deadline, and
    // whatever became of the form (X6).
    let key_since = ids::order_number(received - KEY_VALIDITY + TimeDelta::milliseconds(1));
    let remembered = key
        .as_ref()
        .map(|key| {
            recent.remembered(
                key,
                fingerprint.and_then(|fingerprint| fingerprint.committee),
                key_since,
            )
        })
        .transpose()?
        .flatten();
    let outcome = if let Some((stored, first)) = remembered {
        SubmitResult {
            is_new: stored.sequence == first,
            stored,
            answers: None,
            is_replay: true,
        }
    } else {
        if !is_current {
            return Err(closed());
        }
        let files = check_files(&app, &form, person.id, input.files()).await?;
        let accepted = check(&app, input, &form, &files).await?;
        let committee = accepted.committee.as_ref().map(|committee| committee.id);
        let seen = accepted.seen;
        let id = Submission::id_of(form.application.id, person.id, committee);
        let earlier = recent.take(id);
        recent.check_quota(&earlier)?;
        let submission = new_submission(
            &form,
            &person,
            accepted,
            id,
            RequestTime {
                received: number,
                at: Timestamp::at(received),
            },
        );
        let target = Target {
            club: &scope.club,
            form: &form,
            person: &person,
            seen,
        };
        let attachments = attach_files(&app, &submission, &files).await?;
        let stored = Box::pin(store(&app, submission, key, earlier, &target)).await;
        finish_files(&app, (number, &attachments), &files, &stored).await;
        stored?
    };
    confirm_membership(&app, scope.membership.as_ref(), &outcome).await;
    respond(&app, &form, outcome, received).await
}

/// Shows the applicant what is stored.
async fn respond(
    app: &Context,
    form: &Form,
    outcome: SubmitResult,
    received: DateTime<Utc>,
) -> Result<Response> {
    let is_new = outcome.is_new;
    let is_replay = outcome.is_replay;
    let stored = &outcome.answered(app).await.map_err(ApiError::after_write)?;
    // The submission is stored, so a failure to read the names of schools is ignored.
    let studies = Studies::of(app, stored.applicant.iter()).await;
    let studies = studies.unwrap_or_default();
    let references = references_of(app, form, std::iter::once(stored)).await;
    let references = references.map_err(ApiError::after_write)?;
    let application = &form.application;
    let body = SubmissionBody::for_applicant(
        app,
        stored,
        (None, application),
        &references,
        &studies,
        received,
    );
    let location = format!(
        "/api/clubs/{}/applications/{}/submissions/{}/",
        stored.club, stored.application, stored.id
    );
    let mut response = if is_new {
        Created { location, body }.into_response()
    } else {
        shown_at(location, Json(body))
    };
    if is_replay {
        replayed(&mut response);
    }
    Ok(response)
}

/// Checks the body against the form. An answer to a question that was deleted has a code of its own
/// (S17).
async fn check(
    app: &Context,
    input: NewSubmission,
    form: &Form,
    files: &CheckedFiles,
) -> Result<CheckedAnswers> {
    match input.check(form, files) {
        Ok(accepted) => Ok(accepted),
        Err(CheckError::Invalid(error)) => Err(error),
        Err(CheckError::Deleted(error, questions)) => {
            let was_there = app.table.had_questions(form.application.id, &questions);
            Err(if was_there.await? {
                error.coded(Code::QuestionGone)
            } else {
                error
            })
        }
    }
}

/// Applying tells that a member knows the club (M13). A failure is no failure of the submission.
async fn confirm_membership(
    app: &Context,
    membership: Option<&Membership>,
    outcome: &SubmitResult,
) {
    let Some(membership) = membership.filter(|_| !outcome.is_replay) else {
        return;
    };
    if let Err(error) = app.table.confirm_member(membership).await {
        tracing::warn!(%error, "a membership was not confirmed");
    }
}

fn new_submission(
    form: &Form,
    person: &Person,
    accepted: CheckedAnswers,
    id: Id<of::Submission>,
    when: RequestTime,
) -> Answered {
    let answers = accepted.answers;
    let submission = Submission {
        id,
        club: form.application.club.clone(),
        application: form.application.id,
        person: Some(person.id),
        applicant: Some(person.applicant()),
        committee: accepted.committee.as_ref().map(|committee| committee.id),
        committee_name: accepted
            .committee
            .map(|committee| committee.name)
            .unwrap_or_default(),
        answers_at: when.received,
        answers_hash: answers.hash(),
        answers: None,
        files: answers.files().into_iter().map(|file| file.id).collect(),
        status: Status::Pending,
        decided_revision: 0,
        rejected_at: None,
        reason: String::new(),
        sequence: when.received,
        received: when.received,
        revision: 1,
        withdrawn: 0,
        erased: 0,
        changes: vec![],
        last_change: None,
        reviews: BTreeMap::new(),
        keys: vec![],
        confirmations: vec![],
        created_at: when.at,
        submitted_at: when.at,
        updated_at: when.at,
        notified: false,
        acceptance_mail: None,
        rejection_mail: None,
        interview_mail: None,
        mailed: None,
        interview: None,
        calendar_file: 0,
        undelivered: None,
    };
    Answered {
        submission,
        answers,
    }
}

/// The earlier submissions of the caller to this application: one for each committee, and one for
/// none. They are read together with the form.
#[derive(Default)]
pub struct EarlierSubmissions {
    stored: HashMap<Id<of::Submission>, StoredSubmission>,
    /// Number of submissions in all clubs, and with withdrawn ones beside.
    counts: (usize, usize),
}

impl Load for EarlierSubmissions {
    async fn load(app: &Context, user: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(application) = path.id("application") else {
            return Ok(None);
        };
        // The committees of a form that is not in memory are read after the form.
        let remembered = app.forms.committees(application).unwrap_or_default();
        let ids = Submission::ids_of(application, user.id(), remembered);
        let (stored, counts) = futures::try_join!(
            app.table.stored_submissions(application, ids),
            app.table.count_submissions(user.id())
        )?;
        Ok(Some(Self { stored, counts }))
    }
}

impl EarlierSubmissions {
    /// Reads those of committees that were not in memory before.
    async fn complete(
        mut self,
        app: &Context,
        form: &Form,
        person: Id<of::Person>,
    ) -> Result<Self> {
        let application = form.application.id;
        let committees = form.application.committees.iter().map(|one| one.id);
        let missing: Vec<Id<of::Submission>> = Submission::ids_of(application, person, committees)
            .filter(|id| !self.stored.contains_key(id))
            .collect();
        if !missing.is_empty() {
            let more = app.table.stored_submissions(application, missing).await?;
            self.stored.extend(more);
        }
        Ok(self)
    }

    fn take(&mut self, id: Id<of::Submission>) -> StoredSubmission {
        self.stored.remove(&id).unwrap_or_default()
    }

    /// Returns the submission that an earlier request with this key stored, and the order number of
    /// that request. It is 400 if the request said something else, or was for another committee.
    fn remembered(
        &self,
        key: &RememberedKey,
        committee: Option<Id<of::Committee>>,
        key_since: u64,
    ) -> Result<Option<(Submission, u64)>> {
        for stored in self.stored.values() {
            let StoredSubmission::Present(stored) = stored else {
                continue;
            };
            // A key may be used again after a day.
            let is_it = |remembered: &&RememberedKey| {
                remembered.key == key.key && remembered.received >= key_since
            };
            let Some(remembered) = stored.keys.iter().find(is_it) else {
                continue;
            };
            if remembered.fingerprint != key.fingerprint || stored.committee != committee {
                return Err(key_reused());
            }
            return Ok(Some((Submission::clone(stored), remembered.received)));
        }
        Ok(None)
    }

    /// It is 400 if the person has as many submissions as allowed, and this is a new one.
    fn check_quota(&self, earlier: &StoredSubmission) -> Result<()> {
        let (submissions, all) = self.counts;
        if matches!(earlier, StoredSubmission::Present(_)) {
            return Ok(());
        }
        let is_withdrawn = matches!(earlier, StoredSubmission::Withdrawn(_));
        let why = if submissions >= limits::SUBMISSIONS {
            Reason::TooManySubmissions {
                limit: limits::SUBMISSIONS,
            }
        } else if !is_withdrawn && all >= limits::SUBMISSIONS_WITH_WITHDRAWN {
            Reason::TooManyWithWithdrawn {
                limit: limits::SUBMISSIONS_WITH_WITHDRAWN,
            }
        } else {
            return Ok(());
        };
        Err(ApiError::rule(why).coded(Code::Quota))
    }
}

/// Get a submission.
///
/// For officers and for the applicant. The applicant sees a decision from the release time on, or
/// when it was mailed.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/",
    tag = "submissions", security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    responses((status = 200, body = SubmissionBody))
)]
pub async fn show_submission(
    app: Context,
    scope: SignedIn<RecruitmentRead, Form, (Maybe<Submission>, Studies)>,
) -> Result<Response> {
    let is_officer = scope.is_officer();
    let (Maybe(submission), studies) = scope.object;
    let own = submission
        .as_ref()
        .is_some_and(|submission| submission.person == Some(scope.user.id()));
    if !is_officer && !own {
        return Err(ApiError::Forbidden);
    }
    let submission = submission.ok_or(ApiError::NotFound)?;
    let submission = app.table.one_answered(submission).await?;
    let submission = submission.ok_or(ApiError::NotFound)?;
    let application = &scope.parent.application;
    let references = references_of(&app, &scope.parent, std::iter::once(&submission)).await?;
    let body = if is_officer {
        let (officer, now) = (scope.user.id(), app.clock.now());
        SubmissionBody::for_officer(
            &submission,
            application,
            &references,
            &studies,
            officer,
            now,
        )
    } else {
        SubmissionBody::for_applicant(
            &app,
            &submission,
            (None, application),
            &references,
            &studies,
            app.clock.now(),
        )
    };
    Ok(Json(body).into_response())
}
