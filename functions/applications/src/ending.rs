//! What would end with a club or an application, so that nobody is surprised (C22):
//! `/clubs/{club}/ending/` and `/clubs/{club}/applications/{application}/ending/`

use axum::Json;
use futures::future::try_join_all;
use serde::Serialize;
use shared::domain::Application;
use shared::endings::{WhatEnds, what_ends};
use shared::web::scopes::{RecruitmentRead, SessionOnly};
use shared::web::{Officer, Owner, Result};
use shared::{Context, limits};
use utoipa::ToSchema;

/// What would end.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndingBody {
    /// Number of applications with interviews to come, or with applicants who were not told a
    /// decision yet.
    applications: usize,
    /// Number of their submissions; of an application, of all.
    submissions: usize,
    /// Number of booked interviews that have not begun. They are cancelled.
    interviews: usize,
    /// Number of people who get a mail: whose interview is cancelled, or who were not told a
    /// decision yet.
    people: usize,
    /// Whether there is more than was counted.
    has_more: bool,
}

impl EndingBody {
    fn new(applications: usize, ends: &WhatEnds) -> Self {
        Self {
            applications,
            submissions: ends.submissions,
            interviews: ends.interviews,
            people: ends.people.len(),
            has_more: ends.has_more,
        }
    }
}

/// Get what would end with a club.
///
/// For owners. It is counted for the ten newest applications, and may be a second old.
#[utoipa::path(
    get, path = "/api/clubs/{club}/ending/", tag = "clubs", security(("bearer" = [])),
    params(("club" = String, Path)), responses((status = 200, body = EndingBody))
)]
pub async fn show_club_ending(app: Context, scope: Owner<SessionOnly>) -> Result<Json<EndingBody>> {
    let (club, now) = (&scope.club.code, app.now());
    // As the job that ends them: also those that are released may have interviews to come.
    let mut ids = app.table.application_ids(club).await?;
    ids.sort_unstable();
    let newest = ids.split_off(ids.len().saturating_sub(limits::ENDING_APPLICATIONS));
    let names = newest.into_iter().map(|id| (club.clone(), id));
    let found = app.table.applications_by_id(names).await?;
    let counted = found.values().map(|one| what_ends(&app.table, one, now));
    let ends = try_join_all(counted).await?;
    let open = ends.iter().filter(|one| one.is_something()).count();
    let ends = ends.into_iter().fold(WhatEnds::default(), WhatEnds::and);
    Ok(Json(EndingBody {
        has_more: !ids.is_empty() || ends.has_more,
        ..EndingBody::new(open, &ends)
    }))
}

/// Get what would end with an application.
///
/// For officers. It may be a second old.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/ending/", tag = "applications",
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    responses((status = 200, body = EndingBody))
)]
pub async fn show_application_ending(
    app: Context,
    scope: Officer<RecruitmentRead, (), Application>,
) -> Result<Json<EndingBody>> {
    let ends = what_ends(&app.table, &scope.object, app.now()).await?;
    let applications = usize::from(ends.is_something());
    Ok(Json(EndingBody::new(applications, &ends)))
}
