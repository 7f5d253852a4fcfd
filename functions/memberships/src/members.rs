//! `/clubs/{club}/members/`, `…/{member}/`

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::response::Response;
use serde::Deserialize;
use shared::http::{
    ApiError, Code, Created, Field, Input, Maybe, Mode, Need, NewId, NoContent, Officer, Reader,
    Reference, Result, SignedIn, Slice, edit, is_officer,
};
use shared::models::{Membership, MembershipRequest, Personal, Role};
use shared::table::{NewMembership, Refusal, Retries, TableError};
use shared::{Shared, limits, mail, text};
use utoipa::ToSchema;

use crate::member::{MemberBody, MemberOfPath, MemberViewer};

/// The members of a club: active first, then by role and by the name that is shown. Any signed-in
/// user who can see it.
#[utoipa::path(get, path = "/api/clubs/{club}/members/", tag = "members", security(("bearer" = [])),
    params(("club" = String, Path), ("limit" = Option<u64>, Query, description = "At most so many; the answer's Link leads on"),
        ("cursor" = Option<String>, Query)), responses((status = 200, body = Vec<MemberBody>)))]
pub async fn list_members(
    State(app): State<Shared>,
    scope: SignedIn,
    slice: Slice,
) -> Result<Response> {
    let viewer = MemberViewer::of(&scope);
    let mut members = app.table.members(&scope.club.code).await?;
    members.sort_by_key(|membership| membership.id);
    let mut bodies: Vec<MemberBody> = members
        .iter()
        .map(|membership| MemberBody::new(membership, viewer))
        .collect();
    bodies.sort_by_cached_key(order);
    let mut members = numbered(bodies);
    if let Some(after) = slice.after::<Position>()? {
        members.retain(|(position, _)| *position > after);
    }
    members.truncate(slice.limit().map_or(usize::MAX, |limit| limit + 1));
    Ok(slice.answer(members, |(position, _)| position.clone(), |(_, body)| body))
}

type Order = (bool, u8, String);
/// A place in the list: the order, and a number among equals. A cursor tells nothing that the list
/// does not show.
type Position = (Order, usize);

fn order(member: &MemberBody) -> Order {
    (!member.active, member.role.code(), text::fold(&member.name))
}

fn numbered(bodies: Vec<MemberBody>) -> Vec<(Position, MemberBody)> {
    let mut last: Option<Position> = None;
    let number = |body: MemberBody| {
        let order = order(&body);
        let n = last
            .as_ref()
            .filter(|(before, _)| *before == order)
            .map_or(0, |(_, n)| n + 1);
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

/// Adds a member, with a role that is not above the caller's own; a pending request of theirs is
/// answered by it. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/members/", tag = "members", security(("bearer" = [])), params(("club" = String, Path)),
    request_body = NewMember, responses((status = 201, body = MemberBody)))]
pub async fn create_member(
    State(app): State<Shared>,
    scope: Officer,
    NewId(creation): NewId,
    Input(input): Input<NewMember>,
) -> Result<Created<MemberBody>> {
    let mut reader = Reader::new(Mode::Create);
    let role = reader
        .value("role", input.role, Need::Optional)
        .unwrap_or(Role::Member);
    if !scope.reaches(role) {
        return Err(ApiError::Forbidden);
    }
    let person = reader
        .value("person", input.person, Need::Required)
        .map(Reference::id);
    let mut title = String::new();
    reader.line("title", input.title, Need::Optional, &mut title);
    let public = reader
        .value("public", input.public, Need::Optional)
        .unwrap_or(true);
    let active = reader
        .value("active", input.active, Need::Optional)
        .unwrap_or(true);
    reader.finish()?;
    let club = &scope.club;
    let unknown = || ApiError::field("person", "There is no such person.");
    let duplicate =
        || ApiError::field("person", "This person is already a member.").coded(Code::AlreadyMember);
    let person = person.ok_or_else(unknown)?;
    if scope
        .membership
        .as_ref()
        .is_some_and(|own| own.person == person)
    {
        return Err(duplicate());
    }
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        let request = app
            .table
            .request(&club.code, MembershipRequest::id_of(&club.code, person));
        let found = async {
            Ok(futures::try_join!(
                app.table.person(person),
                request,
                app.table.invitation_log(&club.code)
            )?)
        };
        let ((person, request, log), by) = futures::try_join!(found, shown_by(&scope))?;
        let person = person.ok_or_else(unknown)?;
        let membership = Membership {
            title: title.clone(),
            public,
            active,
            ..Membership::new(&club.code, &person, role, creation, app.now())
        };
        // These mails count like invitations: anybody can create a club, and add anybody.
        let (now, id) = (app.now(), membership.id.to_string());
        let may_mail = club.approved == Some(true)
            && log.wait_for(1, now) == 0
            && log.wait_for_resend(&id, now) == 0;
        let mail = (may_mail && !person.personal.email.is_empty())
            .then(|| mail::joined(club, by, &membership, request.is_some(), creation));
        let sent = log.with(&club.code, std::iter::once(id.as_str()), app.next_id(), now);
        let limit = owned_limit(&app, scope.user.is_admin());
        let addition = NewMembership {
            membership: &membership,
            by: scope.authority(),
            request: request.as_ref(),
            mail: mail.as_ref().map(|mail| (mail, &log, &sent)),
            limit,
        };
        match app.table.add_member(addition).await {
            Ok(()) => return Ok(created(&scope, &membership)),
            Err(TableError::Refused(Refusal::AlreadyMember)) => {
                let there = app.table.member(&club.code, membership.id).await?;
                // An earlier attempt with the same idempotency key may have stored it.
                let there = there
                    .filter(|there| there.creation == creation)
                    .ok_or_else(duplicate)?;
                return Ok(created(&scope, &there));
            }
            Err(TableError::Refused(Refusal::Erased)) => return Err(unknown()),
            Err(TableError::Refused(Refusal::Quota)) => return Err(owns_enough(&app)),
            Err(TableError::Refused(Refusal::Changed)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The officer who acts, unless they do not want to be shown in this club.
async fn shown_by(scope: &Officer) -> Result<Option<&Personal>> {
    let hidden = scope.membership.as_ref().is_some_and(|own| !own.public);
    Ok(if hidden {
        None
    } else {
        Some(&scope.user.person().await?.personal)
    })
}

/// Clubs that one person may own; admins may give anybody more.
pub(crate) fn owned_limit(app: &Shared, is_admin: bool) -> Option<u32> {
    (!is_admin).then_some(app.settings.quotas.clubs_owned)
}

/// 400 for somebody who owns as many clubs as one may.
pub(crate) fn owns_enough(app: &Shared) -> ApiError {
    let limit = app.settings.quotas.clubs_owned;
    ApiError::field(
        "role",
        format!("A person owns at most {limit} clubs, deleted ones included."),
    )
    .coded(Code::Quota)
}

fn created(scope: &Officer, membership: &Membership) -> Created<MemberBody> {
    let location = format!("/api/clubs/{}/members/{}/", membership.club, membership.id);
    Created {
        location,
        body: MemberBody::new(membership, MemberViewer::of(scope)),
    }
}

/// One member, by membership id or user name. Any signed-in user who can see the club; hidden
/// members are found by officers and by themselves alone.
#[utoipa::path(get, path = "/api/clubs/{club}/members/{member}/", tag = "members", security(("bearer" = [])),
    params(("club" = String, Path), ("member" = String, Path, description = "Membership id or user name")),
    responses((status = 200, body = MemberBody)))]
pub async fn show_member(scope: SignedIn<(), MemberOfPath>) -> Result<Json<MemberBody>> {
    let (viewer, membership) = (MemberViewer::of(&scope), &scope.object.0);
    if !membership.public && membership.person != viewer.id && !viewer.is_officer {
        return Err(ApiError::NotFound);
    }
    Ok(Json(MemberBody::new(membership, viewer)))
}

/// An officer, or the member whom the path names. Officers reach members whose role is not above
/// their own.
pub struct OfficerOrSelf {
    scope: SignedIn<(), Maybe<MemberOfPath>>,
    member: Membership,
    /// Whether the caller is the member.
    own: bool,
}

impl FromRequestParts<Shared> for OfficerOrSelf {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self> {
        let mut scope = SignedIn::<(), Maybe<MemberOfPath>>::from_request_parts(parts, app).await?;
        let member = scope.object.0.take().map(|found| found.0);
        let own = member
            .as_ref()
            .is_some_and(|member| member.person == scope.user.id());
        if !own && !scope.is_officer() {
            return Err(ApiError::Forbidden);
        }
        let member = member.ok_or(ApiError::NotFound)?;
        if !own && !scope.reaches(member.role) {
            return Err(ApiError::Forbidden);
        }
        Ok(Self { scope, member, own })
    }
}

/// What is written of a member. Officers write all of it, of members whose role is not above their
/// own; members write their own `public` and `active`.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct MemberInput {
    /// 0 owner, 10 officer, 20 member; not above the caller's own. For officers.
    #[serde(default)]
    #[schema(value_type = Role)]
    role: Field<Role>,
    /// For officers.
    #[serde(default)]
    #[schema(value_type = String)]
    title: Field<String>,
    /// Plain text, at most 1,000 characters. For officers.
    #[serde(default)]
    #[schema(value_type = String)]
    description: Field<String>,
    /// Whether others see who it is. Nobody but the member sets it to true.
    #[serde(default)]
    #[schema(value_type = bool)]
    public: Field<bool>,
    #[serde(default)]
    #[schema(value_type = bool)]
    active: Field<bool>,
}

impl MemberInput {
    /// The member with the fields that were sent (M7, M8).
    fn apply(self, mode: Mode, caller: &OfficerOrSelf, member: &Membership) -> Result<Membership> {
        let officer = caller.reaches(member, Role::Officer);
        let absent = matches!(
            (&self.role, &self.title, &self.description),
            (Field::Absent, Field::Absent, Field::Absent)
        );
        if !officer && !absent {
            return Err(ApiError::Forbidden);
        }
        let mut new = member.clone();
        let mut reader = Reader::new(mode);
        let need = if officer { Need::Optional } else { Need::Free };
        new.role = reader.value("role", self.role, need).unwrap_or(new.role);
        reader.flag("public", self.public, Need::Optional, &mut new.public);
        let unhides = new.public && !member.public && !caller.own;
        let exceeds = new.role != member.role && !caller.reaches(member, new.role);
        if unhides || exceeds {
            return Err(ApiError::Forbidden);
        }
        reader.line("title", self.title, need, &mut new.title);
        reader.text(
            "description",
            self.description,
            need,
            limits::MEMBER_DESCRIPTION,
            &mut new.description,
        );
        reader.flag("active", self.active, Need::Optional, &mut new.active);
        reader.finish()?;
        Ok(new)
    }
}

/// Changes the fields that are sent; a club keeps an owner. Officers, whose role is not below the
/// member's; the member, `public` and `active`.
#[utoipa::path(patch, path = "/api/clubs/{club}/members/{member}/", tag = "members", security(("bearer" = [])),
    params(("club" = String, Path), ("member" = String, Path, description = "Membership id or user name")),
    request_body = MemberInput, responses((status = 200, body = MemberBody)))]
pub async fn update_member(
    State(app): State<Shared>,
    caller: OfficerOrSelf,
    Input(input): Input<MemberInput>,
) -> Result<Json<MemberBody>> {
    save_member(&app, caller, &input, Mode::Update).await
}

/// Replaces all fields that the caller may write; a club keeps an owner. Officers, whose role is
/// not below the member's; the member, `public` and `active`.
#[utoipa::path(put, path = "/api/clubs/{club}/members/{member}/", tag = "members", security(("bearer" = [])),
    params(("club" = String, Path), ("member" = String, Path, description = "Membership id or user name")),
    request_body = MemberInput, responses((status = 200, body = MemberBody)))]
pub async fn replace_member(
    State(app): State<Shared>,
    caller: OfficerOrSelf,
    Input(input): Input<MemberInput>,
) -> Result<Json<MemberBody>> {
    save_member(&app, caller, &input, Mode::Replace).await
}

async fn save_member(
    app: &Shared,
    caller: OfficerOrSelf,
    input: &MemberInput,
    mode: Mode,
) -> Result<Json<MemberBody>> {
    let (caller, limit) = (&caller, owned_limit(app, caller.scope.user.is_admin()));
    let member = caller
        .edit(app, |old| async move {
            let new = input.clone().apply(mode, caller, &old)?;
            if new != old {
                let stored = app
                    .table
                    .update_member(&old, &new, caller.by(), limit)
                    .await;
                stored.map_err(|error| match error {
                    TableError::Refused(Refusal::Quota) => owns_enough(app),
                    error => error.into(),
                })?;
            }
            Ok(new)
        })
        .await?;
    Ok(Json(caller.show(&member)))
}

/// Removes a member; a club keeps an owner. Officers, whose role is not below the member's; the
/// member.
#[utoipa::path(delete, path = "/api/clubs/{club}/members/{member}/", tag = "members", security(("bearer" = [])),
    params(("club" = String, Path), ("member" = String, Path, description = "Membership id or user name")), responses((status = 204)))]
pub async fn delete_member(State(app): State<Shared>, caller: OfficerOrSelf) -> Result<NoContent> {
    let (app, caller) = (&app, &caller);
    caller
        .edit(app, |member| async move {
            Ok(app.table.remove_member(&member, caller.by()).await?)
        })
        .await?;
    Ok(NoContent)
}

impl OfficerOrSelf {
    /// The caller's role; their own membership is the newest one that was read.
    fn reaches(&self, member: &Membership, role: Role) -> bool {
        if self.own {
            self.scope.user.is_admin() || member.role <= role
        } else {
            self.scope.reaches(role)
        }
    }

    /// The member as the caller may see them.
    fn show(&self, member: &Membership) -> MemberBody {
        let is_officer = is_officer(
            if self.own {
                Some(member.role)
            } else {
                self.scope.role()
            },
            self.scope.user.is_admin(),
        );
        let id = self.scope.user.id();
        MemberBody::new(member, MemberViewer { id, is_officer })
    }

    /// Whose role a change depends on. A change of oneself depends on the version of the membership.
    fn by(&self) -> Option<&Membership> {
        self.scope.authority().filter(|_| !self.own)
    }

    /// Does a change on the newest state of the member, as long as the caller may do it.
    async fn edit<O, C: Future<Output = Result<O>>>(
        &self,
        app: &Shared,
        change: impl Fn(Membership) -> C,
    ) -> Result<O> {
        let change = &change;
        let (club, id) = (&self.scope.club.code, self.member.id);
        let read = || app.table.member(club, id);
        let show = |member: &Membership| self.show(member);
        edit(
            &self.scope.if_match,
            self.member.clone(),
            show,
            read,
            |member: Membership| async move {
                if !self.own && !self.scope.reaches(member.role) {
                    return Err(ApiError::Forbidden);
                }
                change(member).await
            },
        )
        .await
    }
}
