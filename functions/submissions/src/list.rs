//! `/clubs/{club}/applications/{application}/submissions/` (GET): the list of the officers

use axum::http::HeaderMap;
use axum::response::Response;
use shared::Context;
use shared::bodies::{Studies, SubmissionBody, references_of};
use shared::domain::Form;
use shared::web::scopes::RecruitmentRead;
use shared::web::{ExportFormat, ExportRequest, Officer, Params, Result, Slice, accepts_csv};

use crate::export;
use crate::filter::{FilterParams, find};

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
        FilterParams
    ),
    responses((status = 200, content(
        (Vec<SubmissionBody> = "application/json"),
        (String = "text/csv")
    )))
)]
pub async fn list_submissions(
    app: Context,
    headers: HeaderMap,
    params: Params,
    scope: Officer<RecruitmentRead, Form, Studies>,
    slice: Slice,
) -> Result<Response> {
    let (form, studies) = (scope.parent, scope.object);
    if accepts_csv(&headers) {
        let officer = scope.user.id();
        let all = ExportRequest {
            format: ExportFormat::csv(&params)?,
            chosen: None,
        };
        return export::export(&app, &form, officer, &params, &slice, &all).await;
    }
    let (application, officer) = (&form.application, scope.user.id());
    let (mut found, sort_key) = find(&app, application, officer, &params, &slice, None).await?;
    let references = references_of(&app, &form, found.iter()).await?;
    let now = app.clock.now();
    let show = |submission| {
        SubmissionBody::for_officer(submission, application, &references, &studies, officer, now)
    };
    Ok(slice.respond(&mut found, sort_key, show))
}
