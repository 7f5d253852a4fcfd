//! `/clubs/{club}/applications/{application}/submissions/`, `…/{submission}/`

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use shared::Shared;
use shared::auth::User;
use shared::http::{
    ApiError, Created, Input, Load, Maybe, Officer, OrRefused, Params, PathIds, ReceivedAt, Result, SignedIn, Slice, accepts_csv,
};
use shared::lookups::Studies;
use shared::models::{Application, EmailStatus, Extension, Person, Status, Submission};
use shared::table::{Form, Newest};
use shared::text;

use crate::answers::NewSubmission;
use crate::body::{AllPrompts, Prompts, SubmissionBody};
use crate::export;

/// What an applicant hears whenever a submission cannot be made, changed or withdrawn: a decision leaves no trace in it.
pub(crate) const CLOSED: &str = "This application does not take submissions, changes or withdrawals from you at present.";

/// The caller as an applicant: profile and extension, read beside the form.
pub struct OwnSide {
    person: Person,
    extension: Option<Extension>,
}

impl Load for OwnSide {
    async fn load(app: &Shared, user: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(application) = path.id("application") else { return Ok(None) };
        let extension = async { Ok(app.table.extension(application, Extension::id_of(application, user.id())).await?) };
        let (person, extension) = futures::try_join!(user.person(), extension)?;
        Ok(Some(Self { person: person.clone(), extension }))
    }
}

/// Submits, or submits again while the application is open and nothing was decided: then the answers are replaced as a
/// whole. Any signed-in user.
#[utoipa::path(post, path = "/api/clubs/{club}/applications/{application}/submissions/", tag = "submissions", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path)), request_body = NewSubmission,
    responses((status = 201, body = SubmissionBody), (status = 200, body = SubmissionBody, description = "Submitted again")))]
pub async fn submit(
    State(app): State<Shared>,
    ReceivedAt(received): ReceivedAt,
    scope: SignedIn<Form, OwnSide>,
    Input(input): Input<NewSubmission>,
) -> Result<Response> {
    let (form, OwnSide { person, extension }) = (scope.parent, scope.object);
    if !form.application.is_current(received, extension.map(|extension| extension.end)) {
        return Err(ApiError::rule(CLOSED));
    }
    if person.erasing {
        return Err(ApiError::rule(shared::auth::ERASING));
    }
    let accepted = input.check(&form)?;
    let now = app.now();
    let mut submission = Submission {
        id: Submission::id_of(form.application.id, person.id, accepted.committee.as_ref().map(|committee| committee.id)),
        club: form.application.club.clone(),
        application: form.application.id,
        person: Some(person.id),
        applicant: Some(person.applicant()),
        committee: accepted.committee.as_ref().map(|committee| committee.id),
        committee_name: accepted.committee.map(|committee| committee.name).unwrap_or_default(),
        answers: accepted.answers,
        status: Status::Pending,
        reason: String::new(),
        sequence: app.next_id(),
        created_at: now,
        submitted_at: now,
        updated_at: now,
        notified: false,
        acceptance_mail: None,
        rejection_mail: None,
        mailed: None,
    };
    let (old, studies) = futures::join!(app.table.submit(&submission), Studies::of(&app, submission.applicant.iter()));
    let old = old.or_refused(|| ApiError::rule(CLOSED))?;
    // It is stored, whether or not its schools can be named now.
    let studies = studies.unwrap_or_default();
    // A call whose answer was lost finds itself.
    let again = old.as_ref().is_some_and(|old| old.sequence != submission.sequence);
    if let Some(old) = old {
        submission.created_at = old.created_at;
        submission.mailed = old.mailed;
        submission.notified = old.notified;
        submission.reason = old.reason;
    }
    let prompts: Prompts = form.questions.into_iter().map(|q| ((q.id, q.prompt.version), q.prompt)).collect();
    let body = SubmissionBody::for_applicant(&submission, &form.application, &prompts, &studies, received);
    let location = format!("/api/clubs/{}/applications/{}/submissions/{}/", submission.club, submission.application, submission.id);
    Ok(if again { Json(body).into_response() } else { Created { location, body }.into_response() })
}

/// Which submissions are asked for.
pub(crate) struct Filter {
    status: Option<u64>,
    committee: Option<u64>,
    notified: Option<bool>,
    /// Any of these; none stands for those who were sent nothing.
    email_status: Option<Vec<Option<EmailStatus>>>,
    words: Vec<String>,
}

impl Filter {
    pub(crate) fn read(params: &Params) -> Result<Self> {
        Ok(Self {
            status: params.number("status", 1, 4)?,
            committee: params.number("committee", 1, shared::ids::MAX_ID)?,
            notified: params.flag("notified")?,
            email_status: params.text("email_status").map(email_statuses).transpose()?,
            words: text::words(params.text("search").unwrap_or_default()),
        })
    }

    pub(crate) fn matches(&self, submission: &Submission) -> bool {
        let person = submission.applicant.as_ref().map(|applicant| &applicant.personal);
        let texts = person.map(|person| [person.name.as_str(), &person.username, &person.email]);
        self.status.is_none_or(|status| u64::from(submission.status.code()) == status)
            && self.committee.is_none_or(|committee| submission.committee == Some(committee))
            && self.notified.is_none_or(|notified| submission.notified == notified)
            && self.email_status.as_ref().is_none_or(|wanted| wanted.contains(&submission.email_status()))
            && (self.words.is_empty() || text::matches(&self.words, texts.into_iter().flatten()))
    }
}

/// Names of statuses with commas between them; `none` stands for those who were sent nothing.
fn email_statuses(text: &str) -> Result<Vec<Option<EmailStatus>>> {
    let one = |name: &str| match EmailStatus::ALL.iter().find(|(known, _)| *known == name) {
        Some((_, status)) => Ok(Some(*status)),
        None if name == "none" => Ok(None),
        None => {
            let known: Vec<&str> = EmailStatus::ALL.iter().map(|(known, _)| *known).collect();
            Err(ApiError::field("email_status", format!("Expected one or more of {}, none, with commas between them.", known.join(", "))))
        }
    };
    text.split(',').map(|name| one(name.trim())).collect()
}

/// The submissions to an application, newest first, as JSON or CSV. Officers.
#[utoipa::path(get, path = "/api/clubs/{club}/applications/{application}/submissions/", tag = "submissions", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path),
        ("status" = Option<u8>, Query), ("committee" = Option<u64>, Query), ("notified" = Option<bool>, Query),
        ("email_status" = Option<String>, Query, description = "Any of these, with commas between them; `none` are those who were sent \
            nothing. `failed,unknown,bounced,complained` were not reached, or complained"),
        ("search" = Option<String>, Query, description = "Words in name, user name or e-mail"),
        ("limit" = Option<u64>, Query, description = "At most so many; the answer's Link leads on"), ("cursor" = Option<String>, Query)),
    responses((status = 200, body = Vec<SubmissionBody>)))]
pub async fn list_submissions(
    State(app): State<Shared>,
    headers: HeaderMap,
    params: Params,
    scope: Officer<Form, (AllPrompts, Studies)>,
    slice: Slice,
) -> Result<Response> {
    let (form, (AllPrompts(prompts), studies)) = (scope.parent, scope.object);
    if accepts_csv(&headers) {
        return export::csv(&app, &form, &prompts, &params).await;
    }
    let filter = Filter::read(&params)?;
    let wanted = Newest {
        matches: |submission: &Submission| filter.matches(submission),
        before: slice.after()?,
        limit: slice.limit().map(|limit| limit + 1),
        without_answers: false,
    };
    let found = app.table.submissions(form.application.id, wanted).await?;
    let show = |submission: Submission| SubmissionBody::for_officer(&submission, &form.application, &prompts, &studies);
    Ok(slice.answer(found, Submission::place, show))
}

/// One submission. Officers, and the applicant.
#[utoipa::path(get, path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/", tag = "submissions",
    security(("bearer" = [])), params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    responses((status = 200, body = SubmissionBody)))]
pub async fn show_submission(
    State(app): State<Shared>,
    scope: SignedIn<Application, (Maybe<Submission>, (AllPrompts, Studies))>,
) -> Result<Json<SubmissionBody>> {
    let is_officer = scope.is_officer();
    let (Maybe(submission), (AllPrompts(prompts), studies)) = scope.object;
    let own = submission.as_ref().is_some_and(|submission| submission.person == Some(scope.user.id()));
    if !is_officer && !own {
        return Err(ApiError::Forbidden);
    }
    let submission = submission.ok_or(ApiError::NotFound)?;
    Ok(Json(if is_officer {
        SubmissionBody::for_officer(&submission, &scope.parent, &prompts, &studies)
    } else {
        SubmissionBody::for_applicant(&submission, &scope.parent, &prompts, &studies, app.clock.now())
    }))
}
