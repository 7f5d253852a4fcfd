//! `/clubs/{club}/members/`, `…/{member}/`

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use shared::auth::User;
use shared::http::{
    ApiError, Created, Field, Input, Load, Maybe, Mode, Need, NoContent, Officer, OrRefused, PathIds, Reader, Reference, Result, SignedIn,
    Slice,
};
use shared::models::{Membership, Role};
use shared::{Shared, ids, text};
use utoipa::ToSchema;

/// A member of a club, as the caller may see them.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemberBody {
    /// Membership id; null for others than officers when the membership is not public.
    id: Option<u64>,
    /// User id; null for others than officers when the membership is not public.
    person: Option<u64>,
    /// `Anonymous` when the membership is not public.
    name: String,
    /// Null when the membership is not public.
    username: Option<String>,
    /// For officers only.
    email: Option<String>,
    /// 0 owner, 10 officer, 20 member.
    role: Role,
    title: String,
    description: String,
    public: bool,
    active: bool,
    /// Null when there is none, or the membership is not public.
    image: Option<String>,
}

/// Who looks at members.
#[derive(Debug, Clone, Copy)]
pub struct Viewer {
    /// User id.
    pub id: u64,
    /// Whether they may do what officers do.
    pub is_officer: bool,
}

impl MemberBody {
    /// The member as `viewer` may see them (decisions.md §7).
    pub fn new(membership: &Membership, viewer: Viewer) -> Self {
        let personal = &membership.personal;
        let known = membership.public || membership.person == viewer.id;
        Self {
            id: (known || viewer.is_officer).then_some(membership.id),
            person: (known || viewer.is_officer).then_some(membership.person),
            name: if known { personal.name.clone() } else { "Anonymous".to_owned() },
            username: known.then(|| personal.username.clone()),
            email: viewer.is_officer.then(|| personal.email.clone()),
            role: membership.role,
            title: membership.title.clone(),
            description: membership.description.clone(),
            public: membership.public,
            active: membership.active,
            image: membership.image_url.clone().filter(|_| known),
        }
    }
}

fn viewer<R, P, O>(scope: &shared::http::Scope<R, P, O>) -> Viewer {
    Viewer { id: scope.user.id(), is_officer: scope.is_officer() }
}

/// The members of a club: active first, then by role and by the name that is shown. Any signed-in user who can see it.
#[utoipa::path(get, path = "/api/clubs/{club}/members/", tag = "members", security(("bearer" = [])),
    params(("club" = String, Path), ("limit" = Option<u64>, Query, description = "At most so many; the answer's Link leads on"),
        ("cursor" = Option<String>, Query)), responses((status = 200, body = Vec<MemberBody>)))]
pub async fn list_members(State(app): State<Shared>, scope: SignedIn, slice: Slice) -> Result<Response> {
    let viewer = viewer(&scope);
    let mut members = app.table.members(&scope.club.code).await?;
    members.sort_by_key(|membership| membership.id);
    let mut bodies: Vec<MemberBody> = members.iter().map(|membership| MemberBody::new(membership, viewer)).collect();
    bodies.sort_by_cached_key(order);
    let mut members = numbered(bodies);
    if let Some(after) = slice.after::<Position>()? {
        members.retain(|(position, _)| *position > after);
    }
    members.truncate(slice.limit().map_or(usize::MAX, |limit| limit + 1));
    Ok(slice.answer(members, |(position, _)| position.clone(), |(_, body)| body))
}

type Order = (bool, u8, String);
/// A place in the list: the order, and a number among equals. A cursor tells nothing that the list does not show.
type Position = (Order, usize);

fn order(member: &MemberBody) -> Order {
    (!member.active, member.role.code(), text::fold(&member.name))
}

fn numbered(bodies: Vec<MemberBody>) -> Vec<(Position, MemberBody)> {
    let mut last: Option<Position> = None;
    let number = |body: MemberBody| {
        let order = order(&body);
        let n = last.as_ref().filter(|(before, _)| *before == order).map_or(0, |(_, n)| n + 1);
        last = Some((order.clone(), n));
        ((order, n), body)
    };
    bodies.into_iter().map(number).collect()
}

/// Somebody to be added.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewMember {
    /// User id.
    #[serde(default)]
    #[schema(required = true, value_type = u64)]
    person: Field<Reference>,
    /// 0 owner, 10 officer, 20 member (default).
    #[serde(default)]
    #[schema(value_type = Role)]
    role: Field<Role>,
    #[serde(default)]
    #[schema(value_type = String)]
    title: Field<String>,
    /// Default true.
    #[serde(default)]
    #[schema(value_type = bool)]
    public: Field<bool>,
    /// Default true.
    #[serde(default)]
    #[schema(value_type = bool)]
    active: Field<bool>,
}

/// Adds a member, with a role that is not above the caller's own. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/members/", tag = "members", security(("bearer" = [])), params(("club" = String, Path)),
    request_body = NewMember, responses((status = 201, body = MemberBody)))]
pub async fn create_member(State(app): State<Shared>, scope: Officer, Input(input): Input<NewMember>) -> Result<Created<MemberBody>> {
    let mut reader = Reader::new(Mode::Create);
    let person = reader.value("person", input.person, Need::Required).map(Reference::id);
    let role = reader.value("role", input.role, Need::Optional).unwrap_or(Role::Member);
    let mut title = String::new();
    reader.line("title", input.title, Need::Optional, &mut title);
    let public = reader.value("public", input.public, Need::Optional).unwrap_or(true);
    let active = reader.value("active", input.active, Need::Optional).unwrap_or(true);
    reader.finish()?;
    if !may_give(&scope, role) {
        return Err(ApiError::Forbidden);
    }
    let unknown = || ApiError::field("person", "There is no such person.");
    let person = app.table.person(person.ok_or_else(unknown)?).await?.ok_or_else(unknown)?;
    let membership = Membership { title, public, active, ..Membership::new(&scope.club.code, &person, role, app.now()) };
    app.table.add_member(&membership).await.or_refused(|| ApiError::field("person", "This person is a member already."))?;
    let location = format!("/api/clubs/{}/members/{}/", scope.club.code, membership.id);
    Ok(Created { location, body: MemberBody::new(&membership, viewer(&scope)) })
}

/// Nobody gives a role above their own (api.md "Memberships", rule 2); admins give any.
fn may_give(scope: &Officer, role: Role) -> bool {
    scope.user.is_admin() || scope.role().is_some_and(|own| own <= role)
}

impl Load for MemberOfPath {
    async fn load(app: &Shared, _: &User, path: &PathIds) -> Result<Option<Self>> {
        let (code, wanted) = (path.text("club"), path.text("member"));
        if let Some(id) = ids::parse(wanted)
            && let Some(membership) = app.table.member(code, id).await?
        {
            return Ok(Some(Self(membership)));
        }
        let members = app.table.members(code).await?;
        Ok(members.into_iter().find(|membership| membership.personal.username == wanted).map(Self))
    }
}

/// The member that the path names by membership id or user name.
pub struct MemberOfPath(Membership);

/// One member, by membership id or user name. Any signed-in user who can see the club; hidden members are found by
/// officers and by themselves alone.
#[utoipa::path(get, path = "/api/clubs/{club}/members/{member}/", tag = "members", security(("bearer" = [])),
    params(("club" = String, Path), ("member" = String, Path, description = "Membership id or user name")),
    responses((status = 200, body = MemberBody)))]
pub async fn show_member(scope: SignedIn<(), MemberOfPath>) -> Result<Json<MemberBody>> {
    let (viewer, membership) = (viewer(&scope), &scope.object.0);
    if !membership.public && membership.person != viewer.id && !viewer.is_officer {
        return Err(ApiError::NotFound);
    }
    Ok(Json(MemberBody::new(membership, viewer)))
}

/// Removes a member. Officers whose role is not below the member's, or the member; a club keeps an owner.
#[utoipa::path(delete, path = "/api/clubs/{club}/members/{member}/", tag = "members", security(("bearer" = [])),
    params(("club" = String, Path), ("member" = String, Path, description = "Membership id or user name")), responses((status = 204)))]
pub async fn delete_member(State(app): State<Shared>, scope: SignedIn<(), Maybe<MemberOfPath>>) -> Result<NoContent> {
    let is_officer = scope.is_officer();
    let Maybe(member) = &scope.object;
    let own = member.as_ref().is_some_and(|member| member.0.person == scope.user.id());
    if !own && !is_officer {
        return Err(ApiError::Forbidden);
    }
    let MemberOfPath(membership) = member.as_ref().ok_or(ApiError::NotFound)?;
    let above = scope.role().is_none_or(|role| membership.role < role);
    if !own && above && !scope.user.is_admin() {
        return Err(ApiError::Forbidden);
    }
    app.table
        .remove_member(membership)
        .await
        .or_refused_at(|which| if which.contains(&1) { ApiError::rule("A club keeps at least one owner.") } else { ApiError::NotFound })?;
    Ok(NoContent)
}
