//! `/clubs/{club}/applications/{application}/submissions/`, `…/{submission}/`

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use shared::bodies::Studies;
use shared::http::{
    ApiError, Code, Created, Input, Load, Maybe, PathIds, ReceivedAt, RequestKey, Result, SignedIn,
    User, key_reused, replayed, shown_at,
};
use shared::ids::Id;
use shared::mail::confirmation;
use shared::models::{
    Answers, Application, Club, Committee, Extension, Form, Person, Status, Submission,
};
use shared::table::usage::request_age;
use shared::table::{Retries, StoredSubmission, SubmitOutcome};
use shared::time::Timestamp;
use shared::{Shared, ids, limits};

use crate::answers::NewSubmission;
use shared::bodies::{AllPrompts, Prompts, SubmissionBody};

/// The message for every reason, so that it does not reveal a decision (S2).
const CLOSED: &str = "You cannot make, change or withdraw a submission to this application now.";

/// The profile and the extension of the caller, read in parallel with the form.
pub struct ApplicantData {
    pub(crate) person: Person,
    pub(crate) extension: Option<Extension>,
}

impl Load for ApplicantData {
    async fn load(app: &Shared, user: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(application) = path.id("application") else {
            return Ok(None);
        };
        let extension = async {
            Ok(app
                .table
                .extension(application, Extension::id_of(application, user.id()))
                .await?)
        };
        let (person, extension) = futures::try_join!(user.person(), extension)?;
        Ok(Some(Self {
            person: person.clone(),
            extension,
        }))
    }
}

/// The error whenever a submission cannot be made, changed or withdrawn (S2).
pub(crate) fn closed() -> ApiError {
    ApiError::rule(CLOSED).coded(Code::ApplicationClosed)
}

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
    State(app): State<Shared>,
    ReceivedAt(received): ReceivedAt,
    RequestKey(key): RequestKey,
    scope: SignedIn<Form, ApplicantData>,
    Input(input): Input<NewSubmission>,
) -> Result<Response> {
    let (form, ApplicantData { person, extension }) = (scope.parent, scope.object);
    let is_current = form
        .application
        .is_current(received, extension.map(|extension| extension.end));
    // A repeat with the key of an earlier request gets its answer also after the deadline (X6).
    if !is_current && key.is_none() {
        return Err(closed());
    }
    if person.erasing {
        return Err(ApiError::rule(shared::http::ERASING));
    }
    let accepted = input
        .check(&form)
        .map_err(|error| if is_current { error } else { closed() })?;
    let number = app.ids.received(received);
    let at = Timestamp::at(received);
    let submission = Submission {
        id: Submission::id_of(
            form.application.id,
            person.id,
            accepted.committee.as_ref().map(|committee| committee.id),
        ),
        club: form.application.club.clone(),
        application: form.application.id,
        person: Some(person.id),
        applicant: Some(person.applicant()),
        committee: accepted.committee.as_ref().map(|committee| committee.id),
        committee_name: accepted
            .committee
            .map(|committee| committee.name)
            .unwrap_or_default(),
        answers: accepted.answers,
        status: Status::Pending,
        reason: String::new(),
        sequence: number,
        received: number,
        revision: 1,
        withdrawn: 0,
        erased: 0,
        reviews: BTreeMap::new(),
        key,
        created_at: at,
        submitted_at: at,
        updated_at: at,
        notified: false,
        acceptance_mail: None,
        rejection_mail: None,
        mailed: None,
    };
    let key_since = ids::order_number(received - KEY_VALIDITY + TimeDelta::milliseconds(1));
    let studies = Studies::of(&app, submission.applicant.iter());
    let outcome = async {
        if is_current {
            store(
                &app,
                submission.clone(),
                key_since,
                (&scope.club, &form, &person),
            )
            .await
        } else {
            stored_before(&app, &submission, key_since).await
        }
    };
    let (outcome, studies) = futures::join!(outcome, studies);
    let SubmitResult { stored, is_replay } = outcome?;
    // The submission is stored, so a failure to read the names of schools is ignored.
    let studies = studies.unwrap_or_default();
    let prompts: Prompts = if stored.received == number {
        form.questions
            .into_iter()
            .map(|q| ((q.id, q.prompt.version), q.prompt))
            .collect()
    } else {
        app.table.prompts(stored.application).await?
    };
    let application = &form.application;
    let body =
        SubmissionBody::for_applicant(&app, &stored, application, &prompts, &studies, received);
    let location = format!(
        "/api/clubs/{}/applications/{}/submissions/{}/",
        stored.club, stored.application, stored.id
    );
    // The request that created the submission gets 201, also when it is repeated.
    let is_new = stored.sequence == stored.received && (is_replay || stored.received == number);
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

/// The result of a request to submit.
struct SubmitResult {
    /// The stored submission.
    stored: Submission,
    /// Whether an earlier request with the same idempotency key stored it.
    is_replay: bool,
}

/// Returns the submission as it is stored in the place of `earlier`.
fn replacing(earlier: &StoredSubmission, submission: Submission) -> Submission {
    let new = Submission {
        revision: earlier.revision() + 1,
        withdrawn: earlier.withdrawn(),
        erased: earlier.erased(),
        ..submission
    };
    let StoredSubmission::Present(old) = earlier else {
        return new;
    };
    Submission {
        sequence: old.sequence,
        created_at: old.created_at,
        reason: old.reason.clone(),
        notified: old.notified,
        mailed: old.mailed.clone(),
        ..new
    }
}

/// Stores a submission with the mail that confirms it (T5).
async fn submit_confirmed(
    app: &Shared,
    submission: &Submission,
    key_since: u64,
    (club, form): (&Club, &Form),
) -> Result<SubmitOutcome> {
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        let earlier = app
            .table
            .stored_submission(submission.application, submission.id)
            .await?;
        let new = replacing(&earlier, submission.clone());
        let receipt = app.receipt_of(&new).unwrap_or_default();
        let mail = confirmation(club, form, &new, &receipt, app.now());
        let outcome = app
            .table
            .submit_confirmed(submission, key_since, earlier, &mail);
        if let Some(outcome) = outcome.await? {
            return Ok(outcome);
        }
    }
}

async fn store(
    app: &Shared,
    submission: Submission,
    key_since: u64,
    (club, form, person): (&Club, &Form, &Person),
) -> Result<SubmitResult> {
    let outcome = if form.application.confirmation && !person.personal.email.is_empty() {
        submit_confirmed(app, &submission, key_since, (club, form)).await?
    } else {
        app.table.submit(&submission, key_since).await?
    };
    let outcome = match outcome {
        SubmitOutcome::Stored(earlier) => SubmitResult {
            stored: replacing(&earlier, submission),
            is_replay: false,
        },
        SubmitOutcome::Already(stored) => already(*stored, &submission)?,
        SubmitOutcome::Later(stored) => SubmitResult {
            stored: *stored,
            is_replay: false,
        },
        SubmitOutcome::Withdrawn(true) => return Err(ApiError::NotFound),
        SubmitOutcome::Decided | SubmitOutcome::Withdrawn(false) => return Err(closed()),
    };
    if !outcome.is_replay && request_age() > limits::DELETION_GRACE / 2 {
        take_back_if_orphaned(app, &outcome.stored, &form.application, person.id)
            .await
            .map_err(ApiError::after_write)?;
    }
    Ok(outcome)
}

async fn take_back_if_orphaned(
    app: &Shared,
    submission: &Submission,
    application: &Application,
    person: Id<Person>,
) -> Result<()> {
    if is_orphaned(app, application, person, submission.committee).await? {
        app.table.take_back(submission).await?;
        return Err(closed());
    }
    Ok(())
}

/// Reads the application and the applicant again after a write that took long. Returns whether the
/// application, the committee or the person is gone, so that the write must be taken back (X15). A
/// deletion of an application or a committee waits only for fast writes (X14).
pub(crate) async fn is_orphaned(
    app: &Shared,
    application: &Application,
    person: Id<Person>,
    committee: Option<Id<Committee>>,
) -> Result<bool> {
    let person = async { Ok(app.table.people([person]).await?.into_values().next()) };
    let (application, person) = futures::try_join!(
        app.table.application(&application.club, application.id),
        person
    )?;
    let has_committee =
        |application: &Application| committee.is_none_or(|id| application.committee(id).is_some());
    let is_there = person.is_some_and(|person: Person| !person.erasing);
    Ok(!is_there || !application.as_ref().is_some_and(has_committee))
}

/// The submission that an earlier request with the same key stored. Without one, the application is
/// closed.
async fn stored_before(
    app: &Shared,
    submission: &Submission,
    key_since: u64,
) -> Result<SubmitResult> {
    let stored = app
        .table
        .submission(submission.application, submission.id)
        .await?;
    let same = stored.filter(|stored| stored.key == submission.key && stored.received >= key_since);
    already(same.ok_or_else(closed)?, submission)
}

/// The result if this request, or an earlier one with its key, already stored the submission. The
/// answers must be the same.
fn already(stored: Submission, submission: &Submission) -> Result<SubmitResult> {
    if stored.received == submission.received {
        return Ok(SubmitResult {
            stored,
            is_replay: false,
        });
    }
    let said = |answers: &Answers| {
        let mut said: Vec<_> = answers
            .read()
            .iter()
            .map(|answer| (answer.question, answer.text(), answer.option))
            .collect();
        said.sort();
        said
    };
    if said(&stored.answers) == said(&submission.answers) {
        Ok(SubmitResult {
            stored,
            is_replay: true,
        })
    } else {
        Err(key_reused())
    }
}

/// Get a submission.
///
/// For officers and for the applicant. The applicant sees a decision from the release time on, or
/// when it was mailed.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/",
    tag = "submissions", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    responses((status = 200, body = SubmissionBody))
)]
pub async fn show_submission(
    State(app): State<Shared>,
    scope: SignedIn<Application, (Maybe<Submission>, (AllPrompts, Studies))>,
) -> Result<Response> {
    let is_officer = scope.is_officer();
    let (Maybe(submission), (AllPrompts(prompts), studies)) = scope.object;
    let own = submission
        .as_ref()
        .is_some_and(|submission| submission.person == Some(scope.user.id()));
    if !is_officer && !own {
        return Err(ApiError::Forbidden);
    }
    let submission = submission.ok_or(ApiError::NotFound)?;
    let body = if is_officer {
        let officer = scope.user.id();
        SubmissionBody::for_officer(&submission, &scope.parent, &prompts, &studies, officer)
    } else {
        SubmissionBody::for_applicant(
            &app,
            &submission,
            &scope.parent,
            &prompts,
            &studies,
            app.clock.now(),
        )
    };
    Ok(Json(body).into_response())
}
