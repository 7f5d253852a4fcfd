//! `/clubs/{club}/membershiprequests/`, `…/{request}/`: the membership requests to a club, for its
//! officers

use axum::Json;
use serde::Serialize;
use shared::Context;
use shared::bodies::{NamedBody, Studies};
use shared::db::TableError;
use shared::domain::MembershipRequest;
use shared::ids::{Id, of};
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::scopes::{MembersRead, MembersWrite};
use shared::web::{ApiError, Load, NoContent, NoInput, Officer, PathIds, Result, User};
use utoipa::ToSchema;

use crate::member::{by_id_and_name, single_match};

/// A request to join a club.
#[derive(Debug, Serialize, ToSchema)]
pub struct RequestBody {
    /// Id of the request.
    #[schema(value_type = u64)]
    id: Id<of::MembershipRequest>,
    /// User id. To accept the request, send it as `person` of a new member.
    #[schema(value_type = u64)]
    person: Id<of::Person>,
    /// Whole name.
    name: String,
    /// User name.
    username: String,
    /// Address from the token, or an empty text.
    email: String,
    /// Code of the club.
    #[schema(value_type = String)]
    club: ClubCode,
    /// When the person asked.
    created_at: Timestamp,
    /// Ordered by name.
    school: Vec<NamedBody>,
    /// Ordered by name.
    major: Vec<NamedBody>,
    /// Year of graduation, or null.
    graduation_year: Option<u16>,
}

impl RequestBody {
    /// The response body of a request.
    pub fn new(request: &MembershipRequest, studies: &Studies) -> Self {
        let personal = request.applicant.personal.clone();
        Self {
            id: request.id,
            person: request.person,
            name: personal.name,
            username: personal.username,
            email: personal.email.to_string(),
            club: request.club.clone(),
            created_at: request.created_at,
            school: studies.schools(&request.applicant.school),
            major: studies.majors(&request.applicant.major),
            graduation_year: request.applicant.graduation_year,
        }
    }
}

/// The request that the path names by its id or by the user name.
pub struct RequestOfPath(MembershipRequest);

impl Load for RequestOfPath {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let (code, name_or_id) = (path.club(), path.text("request"));
        let read = async |id| app.table.request(code, id).await;
        let (request, people) = by_id_and_name(app, name_or_id, read).await?;
        if request.is_some() {
            return Ok(request.map(Self));
        }
        let found = app.table.requests_among(code, people.into_iter()).await?;
        Ok(single_match(found, name_or_id, |request| {
            &request.applicant.personal.username
        })
        .map(Self))
    }
}

/// List the membership requests to a club.
///
/// For officers. The oldest comes first.
#[utoipa::path(
    get, path = "/api/clubs/{club}/membershiprequests/", tag = "membership requests",
    security(("bearer" = []), ("token" = ["members:read"])), params(("club" = String, Path)),
    responses((status = 200, body = Vec<RequestBody>))
)]
pub async fn list_membership_requests(
    app: Context,
    scope: Officer<MembersRead, (), Studies>,
) -> Result<Json<Vec<RequestBody>>> {
    let mut requests = app.table.requests(&scope.club.code).await?;
    requests.sort_by_key(|request| (request.created_at, request.id));
    Ok(Json(
        requests
            .iter()
            .map(|request| RequestBody::new(request, &scope.object))
            .collect(),
    ))
}

/// Get a membership request.
///
/// For officers.
#[utoipa::path(
    get, path = "/api/clubs/{club}/membershiprequests/{request}/", tag = "membership requests",
    security(("bearer" = []), ("token" = ["members:read"])),
    params(
        ("club" = String, Path),
        ("request" = String, Path, description = "Id of the request, or user name")
    ),
    responses((status = 200, body = RequestBody))
)]
pub async fn show_membership_request(
    scope: Officer<MembersRead, (), (RequestOfPath, Studies)>,
) -> Json<RequestBody> {
    let (RequestOfPath(request), studies) = scope.object;
    Json(RequestBody::new(&request, &studies))
}

/// Reject a membership request.
///
/// For officers. To accept the request, add the person as a member.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/membershiprequests/{request}/", tag = "membership requests",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(
        ("club" = String, Path),
        ("request" = String, Path, description = "Id of the request, or user name")
    ),
    responses((status = 204))
)]
pub async fn delete_membership_request(
    app: Context,
    scope: Officer<MembersWrite, (), RequestOfPath>,
    _: NoInput,
) -> Result<NoContent> {
    match app.table.delete_request(&scope.object.0).await {
        Err(TableError::Refused(_)) => Err(ApiError::NotFound),
        done => Ok(done.map(|()| NoContent)?),
    }
}
