//! `/applications/unsent/`: what the caller typed and cannot submit now

use std::cmp::Reverse;

use axum::Json;
use shared::Context;
use shared::domain::{Application, Club};
use shared::ids;
use shared::media::Media;
use shared::web::{ReceivedAt, Result, User};

use crate::open::{Candidate, OpenApplicationBody, Own, body, live_drafts, seen_by};

/// Largest number of applications in the list.
const MOST: usize = 50;

/// List what the caller typed and cannot send now.
///
/// For every signed-in user: the applications of clubs that the caller can see, to which the caller
/// has a draft for a committee, or for none, without a submission, and which take no submission of
/// the caller now. Those that end last come first. At most 50. A draft stays for 30 days after the
/// end.
#[utoipa::path(
    get, path = "/api/applications/unsent/", tag = "own submissions", security(("bearer" = [])),
    responses((status = 200, body = Vec<OpenApplicationBody>))
)]
pub async fn list_unsent_applications(
    app: Context,
    ReceivedAt(now): ReceivedAt,
    user: User,
) -> Result<Json<Vec<OpenApplicationBody>>> {
    let versions = async { Ok(app.table.versions().await?) };
    let (versions, own) = futures::try_join!(versions, Own::read(&app, &user, false))?;
    if !own.has_drafts() {
        return Ok(Json(vec![]));
    }
    let clubs = app.all_clubs(&versions).await?;
    let visible = seen_by(&app, &user, &clubs).await?;
    let candidates: Vec<Candidate> = visible
        .into_iter()
        .flat_map(|club| candidates(club, &app.media, &own))
        .collect();
    let candidate_keys = candidates.iter().map(|one| (one.club.code.clone(), one.id));
    let applications = app.table.applications_by_id(candidate_keys).await?;
    let mut closed: Vec<(&Application, &Candidate)> = candidates
        .iter()
        .filter_map(|one| Some((applications.get(&one.id)?, one)))
        .filter(|(application, _)| !application.is_current(now, own.extended(application.id)))
        .collect();
    closed.sort_by_key(|(application, _)| Reverse((application.end, application.id)));
    closed.truncate(MOST);
    let mut drafts = live_drafts(&app, &user, &closed, &own).await?;
    for (application, committees) in &mut drafts {
        committees.retain(|committee| !own.has_submitted(*application, *committee));
    }
    drafts.retain(|_, committees| !committees.is_empty());
    let unsent = closed.into_iter().filter_map(|(application, candidate)| {
        let drafts = drafts.get(&application.id)?;
        Some(body(application, candidate, &own, Some(drafts), now))
    });
    Ok(Json(unsent.collect()))
}

/// The applications of a club to which the caller perhaps has a draft.
fn candidates(club: &Club, media: &Media, own: &Own) -> Vec<Candidate> {
    let ids = club.windows.keys().filter_map(|id| ids::parse(id));
    ids.filter(|id| own.has_draft(*id))
        .map(|id| Candidate::new(club, media, id))
        .collect()
}
