//! `/users/`: the search for people

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Serialize;
use shared::domain::{Personal, Role};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::{ClubCode, Email};
use shared::web::{ApiError, Params, Result, User};
use shared::{Context, Shared, limits, text};
use utoipa::ToSchema;

/// A person who was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserBody {
    /// User id. To add the person to a club, send it as `person` of a new member.
    #[schema(value_type = u64)]
    id: Id<of::Person>,
    /// User name.
    username: String,
    /// Whole name.
    name: String,
    /// Officers see only the address that they searched for; it is null otherwise.
    email: Option<String>,
}

impl UserBody {
    fn new(id: Id<of::Person>, personal: Personal, shows_email: bool) -> Self {
        Self {
            id,
            username: personal.username,
            name: personal.name,
            email: shows_email.then(|| personal.email.to_string()),
        }
    }
}

/// The caller, if they are an admin, or an officer of a club that is approved and not deleted
/// (P11).
pub struct AnyOfficer(User);

impl FromRequestParts<Shared> for AnyOfficer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self> {
        let app = &Context::of(parts, state);
        let user = <User as FromRequestParts<Shared>>::from_request_parts(parts, state).await?;
        if user.is_admin() {
            return Ok(Self(user));
        }
        let mut roles = app.table.roles_of(user.id()).await?;
        roles.retain(|(_, role)| *role <= Role::Officer);
        let codes: Vec<ClubCode> = roles.into_iter().map(|(club, _)| club).collect();
        let clubs = app.table.clubs(&codes).await?;
        if clubs
            .values()
            .any(|club| !club.archived && club.approved == Some(true))
        {
            Ok(Self(user))
        } else {
            Err(ApiError::Forbidden)
        }
    }
}

/// Search for people.
///
/// For admins, and for officers of a club that is approved and not deleted. At most 20 people,
/// ordered by name. Each word of the search must begin a word of the name or user name, or the
/// search must be exactly the address.
#[utoipa::path(
    get, path = "/api/users/", tag = "people", security(("bearer" = [])),
    params(
        ("search" = String, Query, min_length = 2,
            description = "At least one word needs 2 or more characters")
    ),
    responses((status = 200, body = Vec<UserBody>))
)]
pub async fn list_users(
    app: Context,
    caller: AnyOfficer,
    params: Params,
) -> Result<Json<Vec<UserBody>>> {
    let AnyOfficer(user) = caller;
    let search = params.text("search").unwrap_or_default().trim();
    let words = text::words(search);
    if words.iter().all(|word| {
        word.iter()
            .all(|word| word.chars().count() < limits::SEARCH)
    }) {
        return Err(ApiError::field(
            "search",
            Reason::ShortSearch {
                minimum: limits::SEARCH,
            },
        ));
    }
    let at = async {
        let Some(address) = Email::parse(search) else {
            return Ok(vec![]);
        };
        app.table
            .people(app.table.people_at(&address).await?)
            .await
            .map(|people| people.into_values().collect())
    };
    let (at, like) =
        futures::try_join!(at, app.table.people_like(&words, limits::MAX_PEOPLE_FOUND))?;
    let exact = at
        .into_iter()
        .map(|person| UserBody::new(person.id, person.personal, true));
    let mut found: Vec<UserBody> = exact.take(limits::MAX_PEOPLE_FOUND).collect();
    for entry in like {
        if !found.iter().any(|user| user.id == entry.person)
            && found.len() < limits::MAX_PEOPLE_FOUND
        {
            found.push(UserBody::new(entry.person, entry.personal, user.is_admin()));
        }
    }
    found.sort_by_cached_key(|user| (text::fold(&user.name), user.id));
    Ok(Json(found))
}
