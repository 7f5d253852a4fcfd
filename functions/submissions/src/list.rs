//! `/clubs/{club}/applications/{application}/submissions/` (GET): the list of the officers

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use shared::Shared;
use shared::bodies::{Studies, SubmissionBody, references_of};
use shared::domain::{Form, Status};
use shared::openapi::fields::{
    EmailStatuses, InterviewStage, Reviewed, SliceCount, SubmissionOrdering,
};
use shared::web::scopes::RecruitmentRead;
use shared::web::{Officer, Params, Result, Slice, accepts_csv};

use crate::export;
use crate::filter::find;

/// List the submissions to an application.
///
/// For officers. The newest comes first, unless `ordering` says otherwise. The header `Accept:
/// text/csv` returns CSV.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/submissions/", tag = "submissions",
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(
        ("club" = String, Path),
        ("application" = u64, Path),
        ("status" = Option<Status>, Query, description = "Only submissions with this status"),
        ("committee" = Option<u64>, Query,
            description = "Only submissions for the committee with this id"),
        ("notified" = Option<bool>, Query, description = "Whether a decision mail was sent"),
        ("email_status" = Option<EmailStatuses>, Query,
            description = "One or more states of the last decision mail, separated by commas. \
                `none` means applicants who were sent nothing"),
        ("reviewed" = Option<Reviewed>, Query,
            description = "`mine`: the caller has reviewed it. `none`: nobody has. `others`: others \
                have, but not the caller"),
        ("interview" = Option<InterviewStage>, Query,
            description = "`none`: not invited. `invited`: invited, and nothing is booked. `booked`: \
                also those who came or did not. `attended`, `missed`: what an officer noted"),
        ("ordering" = Option<SubmissionOrdering>, Query,
            description = "`-created_at`: the newest first. `-score`: the best average score first. \
                `score`: the lowest first. Those without a score are last"),
        ("search" = Option<String>, Query,
            description = "Every word must occur in the name, user name or address"),
        ("limit" = Option<SliceCount>, Query,
            description = "Largest number of results, at most 10,000; all if not sent. If there \
                are more, the header `Link` has the address of the next part"),
        ("cursor" = Option<String>, Query,
            description = "Where the next part begins: from the header `Link` of the last answer")
    ),
    responses((status = 200, content(
        (Vec<SubmissionBody> = "application/json"),
        (String = "text/csv")
    )))
)]
pub async fn list_submissions(
    State(app): State<Shared>,
    headers: HeaderMap,
    params: Params,
    scope: Officer<RecruitmentRead, Form, Studies>,
    slice: Slice,
) -> Result<Response> {
    let (form, studies) = (scope.parent, scope.object);
    if accepts_csv(&headers) {
        let officer = scope.user.id();
        return export::csv(&app, &form, officer, &params, &slice).await;
    }
    let (application, officer) = (&form.application, scope.user.id());
    let (mut found, place) = find(&app, application, officer, &params, &slice).await?;
    let references = references_of(&app, &form, found.iter()).await?;
    let now = app.clock.now();
    let show = |submission| {
        SubmissionBody::for_officer(submission, application, &references, &studies, officer, now)
    };
    Ok(slice.answer(&mut found, place, show))
}
