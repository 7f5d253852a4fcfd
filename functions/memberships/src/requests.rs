//! `/requests/membership/`, `…/{club}/`: the membership requests of the caller

use std::collections::HashMap;

use axum::Json;
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use shared::Context;
use shared::bodies::Studies;
use shared::db::{Refusal, TableError};
use shared::domain::{Club, JoinState, Mail, MembershipRequest, Role};
use shared::mail::requested;
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::{
    ApiError, Code, Created, Input, Mode, NewId, NoContent, NoInput, PathIds, Reader, Result, User,
    Visibility, no_such_club, shown_at,
};

use crate::membershiprequests::RequestBody;

/// Largest number of officers who get a mail (R4). More mails would not fit into the transaction of
/// the request.
const MAX_MAILED_OFFICERS: usize = 90;

shared::input! {
    /// A request to join a club.
    pub struct NewRequest {
        /// Code of the club.
        club: String, Required;
    }
}

/// List the membership requests of the caller.
///
/// For every signed-in user. The oldest comes first.
#[utoipa::path(
    get, path = "/api/requests/membership/", tag = "own membership requests",
    security(("bearer" = [])), responses((status = 200, body = Vec<RequestBody>))
)]
pub async fn list_own_requests(app: Context, user: User) -> Result<Json<Vec<RequestBody>>> {
    let mut requests = app.table.requests_of(user.id()).await?;
    let codes: Vec<ClubCode> = requests
        .iter()
        .map(|request| request.club.clone())
        .collect();
    let clubs: HashMap<ClubCode, Club> = app.table.clubs(&codes).await?;
    requests.retain(|request| {
        clubs
            .get(&request.club)
            .is_some_and(|club| is_there(club, &user))
    });
    requests.sort_by_key(|request| (request.created_at, request.id));
    let studies = Studies::of(&app, requests.iter().map(|request| &request.applicant)).await?;
    Ok(Json(
        requests
            .iter()
            .map(|request| RequestBody::new(request, &studies))
            .collect(),
    ))
}

/// Whether the caller can see a club of which they are not a member.
fn is_there(club: &Club, user: &User) -> bool {
    Visibility::with(None, user.is_admin()).sees(club)
}

/// Ask to join a club.
///
/// For every signed-in user who is not a member. Asking again returns the same request with 200.
#[utoipa::path(
    post, path = "/api/requests/membership/", tag = "own membership requests",
    security(("bearer" = [])), request_body = NewRequest,
    responses(
        (status = 201, body = RequestBody),
        (status = 200, body = RequestBody, description = "The caller has asked before.")
    )
)]
pub async fn create_own_request(
    app: Context,
    user: User,
    NewId(creation): NewId,
    Input(input): Input<NewRequest>,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let code = reader.club(input.club);
    reader.finish()?;
    let is_member = || ApiError::field("club", Reason::YouAreMember).coded(Code::AlreadyMember);
    let now = app.now();
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let join_state = async { Ok(app.table.join_state(&code, user.id()).await?) };
        let (
            JoinState {
                club,
                membership,
                request,
            },
            person,
        ) = futures::try_join!(join_state, user.person())?;
        let club = club
            .filter(|club| membership.is_some() && !club.archived || is_there(club, &user))
            .ok_or_else(no_such_club)?;
        if let Some(membership) = membership {
            app.table.confirm_member(&membership).await?;
            return Err(is_member());
        }
        if let Some(request) = request {
            return respond(&app, &request, request.creation == creation).await;
        }
        let request = MembershipRequest::new(&code, person, creation, now);
        let mails = mails(&app, &club, &request).await?;
        match app.table.create_request(&request, &club, &mails).await {
            Ok(()) => {
                return respond(&app, &request, true)
                    .await
                    .map_err(ApiError::after_write);
            }
            Err(TableError::Refused(Refusal::AlreadyMember)) => return Err(is_member()),
            // The person asked twice at once; or this is a late attempt, and what an earlier one
            // stored was refused or taken back since (X17).
            Err(TableError::Refused(Refusal::Exists)) => {
                let stored = app.table.request(&code, request.id).await?;
                stored.ok_or(ApiError::NotFound)?;
            }
            // Another request to the club was stored at the same moment. Read again.
            Err(TableError::Refused(Refusal::Changed)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

async fn respond(app: &Context, request: &MembershipRequest, is_new: bool) -> Result<Response> {
    let (path, body) = (
        format!("/api/requests/membership/{}/", request.club),
        body(app, request).await?,
    );
    Ok(if is_new {
        Created {
            location: path,
            body,
        }
        .into_response()
    } else {
        shown_at(path, Json(body))
    })
}

async fn body(app: &Context, request: &MembershipRequest) -> Result<RequestBody> {
    Ok(RequestBody::new(
        request,
        &Studies::of(app, std::iter::once(&request.applicant)).await?,
    ))
}

/// The mails to the officers. None if officers of the club got such mails less than an hour ago
/// (R4).
async fn mails(app: &Context, club: &Club, request: &MembershipRequest) -> Result<Vec<Mail>> {
    let (now, notified) = (request.created_at, club.requests_notified_at);
    if notified.is_some_and(|notified| now < notified.plus(TimeDelta::hours(1))) {
        return Ok(vec![]);
    }
    let mut officers = app.table.members(&club.code).await?;
    // Whoever was made an officer without being asked must not get a mail every hour.
    let day = |time: Timestamp| time.moment().date_naive();
    let is_first = notified.is_none_or(|notified| day(notified) < day(now));
    officers.retain(|member| {
        let is_notified = member.confirmed || is_first;
        member.role <= Role::Officer && is_notified && !member.personal.email.is_empty()
    });
    officers.sort_by_key(|member| (!member.active, member.role, member.id));
    Ok(officers
        .iter()
        .take(MAX_MAILED_OFFICERS)
        .map(|officer| requested(club, officer, request))
        .collect())
}

/// Get a membership request of the caller.
///
/// For every signed-in user.
#[utoipa::path(
    get, path = "/api/requests/membership/{club}/", tag = "own membership requests",
    security(("bearer" = [])), params(("club" = String, Path)),
    responses((status = 200, body = RequestBody))
)]
pub async fn show_own_request(
    app: Context,
    user: User,
    path: PathIds,
) -> Result<Json<RequestBody>> {
    let JoinState { club, request, .. } = app.table.join_state(path.club(), user.id()).await?;
    let request = request
        .filter(|_| club.is_some_and(|club| is_there(&club, &user)))
        .ok_or(ApiError::NotFound)?;
    Ok(Json(body(&app, &request).await?))
}

/// Withdraw a membership request of the caller.
///
/// For every signed-in user, also if they cannot see the club any more.
#[utoipa::path(
    delete, path = "/api/requests/membership/{club}/", tag = "own membership requests",
    security(("bearer" = [])), params(("club" = String, Path)), responses((status = 204))
)]
pub async fn delete_own_request(
    app: Context,
    user: User,
    path: PathIds,
    _: NoInput,
) -> Result<NoContent> {
    let id = MembershipRequest::id_of(path.club(), user.id());
    let request = app
        .table
        .request(path.club(), id)
        .await?
        .ok_or(ApiError::NotFound)?;
    match app.table.delete_request(&request).await {
        Err(TableError::Refused(_)) => Err(ApiError::NotFound),
        done => Ok(done.map(|()| NoContent)?),
    }
}
