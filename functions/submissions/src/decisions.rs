//! `/clubs/{club}/applications/{application}/submissions/{submission}/` (PUT, PATCH), `…/history/`,
//! `…/submissions/status/`, `…/submissions/reason/`

use std::collections::{HashMap, HashSet};

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use shared::bodies::{Studies, SubmissionBody, references_of};
use shared::db::{Refusal, TableError};
use shared::domain::{
    Answered, Application, DecisionChange, DecisionWrite, Form, OldAndNew, Person, Status,
    Submission,
};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::kinds::{List, ReasonText};
use shared::time::Timestamp;
use shared::web::scopes::{RecruitmentRead, RecruitmentWrite};
use shared::web::{ApiError, Input, Mode, Officer, Params, Reader, Result, applicant_erased};
use shared::{Context, limits};
use utoipa::ToSchema;

shared::input! {
    /// The decision about a submission.
    pub struct DecisionInput {
        /// 1 pending, 2 rejected after written, 3 rejected after interview, 4 accepted.
        status: Status, Required;
        /// Feedback for the applicant, at most 5,000 characters.
        reason: ReasonText, Optional;
    }
}

/// Change some fields of the decision on a submission.
///
/// For officers. With `PUT` both fields must be sent; with `PATCH` the other one stays as it is.
/// Any status may follow any other. Each change is kept in the history.
#[utoipa::path(
    method(put, patch), path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/",
    tag = "submissions", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    request_body = DecisionInput, responses((status = 200, body = SubmissionBody))
)]
pub async fn update_decision(
    app: Context,
    scope: Officer<RecruitmentWrite, Form, (Submission, Studies)>,
    mode: Mode,
    Input(input): Input<DecisionInput>,
) -> Result<Response> {
    decide(&app, scope, input, mode).await
}

async fn decide(
    app: &Context,
    scope: Officer<RecruitmentWrite, Form, (Submission, Studies)>,
    input: DecisionInput,
    mode: Mode,
) -> Result<Response> {
    let (submission, studies) = scope.object;
    let (form, officer) = (&scope.parent, scope.user.id());
    if scope.if_match.is_given() {
        let shown = app.table.answered(vec![submission.clone()]).await?;
        let references = references_of(app, form, shown.iter()).await?;
        let mut shown = shown.iter();
        let mut show = |one| {
            let now = app.clock.now();
            SubmissionBody::for_officer(one, &form.application, &references, &studies, officer, now)
        };
        scope.if_match.check(|| shown.next().map(&mut show))?;
    }
    let mut reader = Reader::new(mode);
    let status = reader.get(input.status);
    let reason = reader.get(input.reason);
    reader.finish()?;
    if submission.person.is_none() {
        return Err(applicant_erased());
    }
    let verdict = DecisionWrite {
        submission: submission.clone(),
        status,
        was: None,
        reason,
        only_as_read: scope.if_match.is_given(),
    };
    // A decision does not change the answers, so they are read beside it.
    let (decided, answered) = futures::join!(
        write(app, &form.application, vec![verdict], officer),
        app.table.answered(vec![submission])
    );
    let decided = decided?.into_iter().next().ok_or(ApiError::NotFound)?;
    let read = answered.ok().and_then(|mut found| found.pop());
    let is_same = |read: &Answered| read.answers_at == decided.answers_at;
    let submission = if let Some(read) = read.filter(is_same) {
        Answered {
            submission: decided,
            answers: read.answers,
        }
    } else {
        let again = app.table.answered(vec![decided]).await;
        let again = again.map_err(TableError::after_write)?;
        again.into_iter().next().ok_or(ApiError::NotFound)?
    };
    let references = references_of(app, form, std::iter::once(&submission)).await;
    let references = references.map_err(ApiError::after_write)?;
    let body = SubmissionBody::for_officer(
        &submission,
        &form.application,
        &references,
        &studies,
        officer,
        app.clock.now(),
    );
    Ok(Json(body).into_response())
}

async fn write(
    app: &Context,
    application: &Application,
    verdicts: Vec<DecisionWrite>,
    by: Id<of::Person>,
) -> Result<Vec<Submission>> {
    let decided = app
        .table
        .decide(application, verdicts, by, app.now(), || app.next_id());
    decided.await.map_err(|error| match error {
        TableError::Refused(Refusal::ApplicantErased) => applicant_erased(),
        TableError::Refused(_) => ApiError::PreconditionFailed,
        error => error.into(),
    })
}

shared::input! {
    /// The same status for many submissions.
    pub struct StatusesInput strict {
        /// Ids of submissions of this application, at most 2,000.
        submissions: List<Id<of::Submission>, { limits::BULK }>, Required;
        /// 1 pending, 2 rejected after written, 3 rejected after interview, 4 accepted.
        status: Status, Required;
        /// If sent, submissions that have another status than this by now are left alone.
        was_status: Option<Status>, Optional;
        /// If sent, the feedback for their applicants, at most 5,000 characters.
        reason: Option<ReasonText>, Optional;
    }
}

shared::input! {
    /// A reason for each of many submissions.
    pub struct ReasonsInput strict {
        /// Submissions of this application, at most 2,000.
        submissions: List<ReasonInput, { limits::BULK }>, Required;
    }
}

/// A reason for one submission.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReasonInput {
    /// Id of the submission.
    #[schema(value_type = u64)]
    id: Id<of::Submission>,
    /// Feedback for the applicant, at most 5,000 characters.
    #[schema(value_type = ReasonText)]
    reason: String,
}

shared::kinds!(ReasonInput);

/// The result of a bulk decision.
#[derive(Debug, Serialize, ToSchema)]
pub struct BulkBody {
    /// A summary in one sentence.
    detail: String,
    /// Number of submissions that have the decision now.
    updated: usize,
}

/// Set the status of many submissions.
///
/// For officers. At most 2,000 submissions. If one id or the status is wrong, nothing is changed.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/submissions/status/",
    tag = "submissions", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path)), request_body = StatusesInput,
    responses((status = 200, body = BulkBody))
)]
pub async fn set_statuses(
    app: Context,
    scope: Officer<RecruitmentWrite, Application>,
    params: Params,
    Input(input): Input<StatusesInput>,
) -> Result<Json<BulkBody>> {
    params.only(&[])?;
    let mut reader = Reader::new(Mode::Create);
    let ids = reader.get(input.submissions).unwrap_or_default();
    let status = reader.get(input.status);
    let was = reader.get(input.was_status).flatten();
    let reason = reader.get(input.reason).flatten();
    let decisions = ids.into_iter().map(|id| (id, reason.clone())).collect();
    decide_many(&app, scope, reader, decisions, (status, was)).await
}

/// Set the reasons of many submissions.
///
/// For officers. At most 2,000 submissions. If one id or reason is wrong, nothing is changed.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/submissions/reason/",
    tag = "submissions", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path)), request_body = ReasonsInput,
    responses((status = 200, body = BulkBody))
)]
pub async fn set_reasons(
    app: Context,
    scope: Officer<RecruitmentWrite, Application>,
    params: Params,
    Input(input): Input<ReasonsInput>,
) -> Result<Json<BulkBody>> {
    params.only(&[])?;
    let mut reader = Reader::new(Mode::Create);
    let reasons = reader.get(input.submissions).unwrap_or_default();
    let mut named = HashSet::new();
    for (i, given) in reasons.iter().enumerate().take(limits::BULK) {
        let field = format!("submissions.{i}.reason");
        reader.part::<ReasonText>(field, given.reason.clone());
        if !named.insert(given.id) {
            reader
                .errors
                .add(format!("submissions.{i}.id"), Reason::Twice);
        }
    }
    let decisions = reasons
        .into_iter()
        .map(|given| (given.id, Some(given.reason)))
        .collect();
    decide_many(&app, scope, reader, decisions, (None, None)).await
}

/// Stores many decisions. If one id does not belong to the application, nothing is changed (D3).
async fn decide_many(
    app: &Context,
    scope: Officer<RecruitmentWrite, Application>,
    mut reader: Reader,
    decisions: Vec<(Id<of::Submission>, Option<String>)>,
    (status, was): (Option<Status>, Option<Status>),
) -> Result<Json<BulkBody>> {
    if decisions.len() > limits::BULK {
        reader.errors.add(
            "submissions",
            Reason::TooMany {
                limit: limits::BULK,
            },
        );
    }
    reader.finish()?;
    let ids: Vec<Id<of::Submission>> = decisions.iter().map(|(id, _)| *id).collect();
    let found = app.table.submissions_by_id(scope.parent.id, &ids).await?;
    let mut found: HashMap<Id<of::Submission>, Submission> = found
        .into_iter()
        .map(|submission| (submission.id, submission))
        .collect();
    let mut reader = Reader::new(Mode::Create);
    for (i, _) in ids
        .iter()
        .enumerate()
        .filter(|(_, id)| !found.contains_key(id))
    {
        // The place in the body: an id, or an object with one.
        let field = if status.is_some() { "" } else { ".id" };
        reader.errors.add(
            format!("submissions.{i}{field}"),
            Reason::unknown("submission"),
        );
    }
    reader.finish()?;
    if found.values().any(|submission| submission.person.is_none()) {
        return Err(applicant_erased());
    }
    let verdicts: Vec<DecisionWrite> = decisions
        .into_iter()
        .filter_map(|(id, reason)| {
            Some(DecisionWrite {
                submission: found.remove(&id)?,
                status,
                was,
                reason,
                only_as_read: false,
            })
        })
        .collect();
    let updated = write(app, &scope.parent, verdicts, scope.user.id())
        .await?
        .len();
    Ok(Json(BulkBody {
        detail: format!("{updated} submissions updated."),
        updated,
    }))
}

/// A change of a decision.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangeBody {
    /// Id of the change.
    #[schema(value_type = u64)]
    id: Id<of::DecisionChange>,
    /// When the decision was changed.
    at: Timestamp,
    /// The officer who changed it.
    by: AuthorBody,
    /// The fields that changed.
    changes: ChangedFields,
}

/// What a change of a decision changed: each field with its old and its new value.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedFields {
    /// The old and the new status. Missing if it did not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 2, max_items = 2)]
    status: Option<[Status; 2]>,
    /// The old and the new reason. Missing if it did not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 2, max_items = 2)]
    reason: Option<[String; 2]>,
}

/// An officer who did something.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AuthorBody {
    /// User id.
    #[schema(value_type = u64)]
    id: Id<of::Person>,
    /// Present user name. Null if the person was erased.
    username: Option<String>,
}

impl AuthorBody {
    /// Returns the author; the user name is none after an erasure.
    pub fn new(id: Id<of::Person>, username: Option<&str>) -> Self {
        Self {
            id,
            username: username.map(str::to_owned),
        }
    }
}

impl ChangeBody {
    fn new(change: DecisionChange, people: &HashMap<Id<of::Person>, Person>) -> Self {
        let changes = ChangedFields {
            status: change.status.map(|OldAndNew { old, new }| [old, new]),
            reason: change.reason.map(|OldAndNew { old, new }| [old, new]),
        };
        let author = people.get(&change.by);
        let author = author.filter(|person| person.was_there(change.at));
        let username = author.map(|person| person.personal.username.as_str());
        let by = AuthorBody::new(change.by, username);
        Self {
            id: change.id,
            at: change.at,
            by,
            changes,
        }
    }
}

/// List the changes of the decision.
///
/// For officers. Who changed the decision of a submission, when and how. The oldest change comes
/// first.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/history/",
    tag = "submissions", security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    responses((status = 200, body = Vec<ChangeBody>))
)]
pub async fn list_history(
    app: Context,
    scope: Officer<RecruitmentRead, Application, Submission>,
) -> Result<Json<Vec<ChangeBody>>> {
    let changes = app.table.changes(&scope.object).await?;
    let people = app
        .table
        .people(changes.iter().map(|change| change.by))
        .await?;
    Ok(Json(
        changes
            .into_iter()
            .map(|change| ChangeBody::new(change, &people))
            .collect(),
    ))
}
