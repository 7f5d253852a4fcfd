//! `/clubs/{club}/members/`, `…/{member}/`

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use shared::db::{Refusal, TableError};
use shared::domain::{InvitationLog, Membership, Personal, Role};
use shared::ids::{Id, of};
use shared::openapi::fields::{ExportParams, SliceCount};
use shared::reason::Reason;
use shared::text::kinds::{Line, List, MemberText};
use shared::web::scopes::{MembersRead, MembersWrite};
use shared::web::{
    ApiError, Code, ExportFile, ExportFormat, ExportRequest, Input, Maybe, Mode, NoContent,
    NoInput, Officer, Params, Presence, Reader, Result, SignedIn, Slice, edit, is_officer,
};
use shared::{Context, Shared, limits, text};

use crate::member::{MemberBody, MemberOfPath, MemberViewer};

/// The columns of an export.
const COLUMNS: [&str; 9] = [
    "id",
    "name",
    "username",
    "email",
    "role",
    "title",
    "description",
    "public",
    "active",
];

shared::input! {
    /// The members to export.
    pub struct ExportMembersInput strict {
        /// Ids of memberships, at most 10,000. Those of other clubs are left out.
        ids: List<Id<of::Membership>, { limits::EXPORTED }>, Required;
    }
}

/// Export the members of a club.
///
/// For officers. CSV in UTF-8 with a byte order mark, or XLSX, in the order of the list.
#[utoipa::path(
    get, path = "/api/clubs/{club}/members/export/", tag = "members",
    security(("bearer" = []), ("token" = ["members:read"])),
    params(
        ("club" = String, Path),
        ("limit" = Option<SliceCount>, Query, description = "Largest number of rows"),
        ("cursor" = Option<String>, Query,
            description = "Where the next part begins: from the header `Link` of the last answer"),
        ExportParams
    ),
    responses((status = 200, content((String = "text/csv"), (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"))))
)]
pub async fn export_members(
    app: Context,
    headers: HeaderMap,
    params: Params,
    scope: Officer<MembersRead>,
    slice: Slice,
) -> Result<Response> {
    let request = ExportRequest::of(&params, &headers)?;
    export(&app, &scope, &slice, &request).await
}

/// Export many members by their ids.
///
/// For officers. Like the export with `GET`, for more ids than an address can have.
#[utoipa::path(
    post, path = "/api/clubs/{club}/members/export/", tag = "members",
    security(("bearer" = []), ("token" = ["members:read"])),
    params(
        ("club" = String, Path),
        ("limit" = Option<SliceCount>, Query, description = "Largest number of rows"),
        ("cursor" = Option<String>, Query,
            description = "Where the next part begins: from the header `Link` of the last answer"),
        ExportParams
    ),
    request_body = ExportMembersInput,
    responses((status = 200, content((String = "text/csv"), (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"))))
)]
pub async fn export_chosen_members(
    app: Context,
    headers: HeaderMap,
    params: Params,
    scope: Officer<MembersRead>,
    slice: Slice,
    Input(input): Input<ExportMembersInput>,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let ids = reader.get(input.ids).unwrap_or_default();
    reader.finish()?;
    let request = ExportRequest::of_ids(&params, &headers, ids)?;
    export(&app, &scope, &slice, &request).await
}

async fn export(
    app: &Context,
    scope: &Officer<MembersRead>,
    slice: &Slice,
    request: &ExportRequest<of::Membership>,
) -> Result<Response> {
    let mut members = app.table.members(&scope.club.code).await?;
    members.retain(|one| request.has(one.id));
    let mut shown = in_order(members, MemberViewer::of(scope), slice)?;
    let next = slice.cut(&mut shown, |(position, _)| position.clone());
    let mut file = ExportFile::new(app, request.format, &COLUMNS.map(str::to_owned))?;
    for (_, member) in &shown {
        file.row(member.cells(request.format == ExportFormat::Xlsx))?;
    }
    file.response(&format!("members-{}", scope.club.code), next)
}

/// List the members of a club.
///
/// For every signed-in user who can see the club. Active members first, then ordered by role and by
/// the name that is shown.
#[utoipa::path(
    get, path = "/api/clubs/{club}/members/", tag = "members",
    security(("bearer" = []), ("token" = ["members:read"])),
    params(
        ("club" = String, Path),
        ("limit" = Option<SliceCount>, Query,
            description = "Largest number of results, at most 10,000; all if not sent. If there \
                are more, the header `Link` has the address of the next part"),
        ("cursor" = Option<String>, Query,
            description = "Where the next part begins: from the header `Link` of the last answer"),
        ("undelivered" = Option<bool>, Query,
            description = "Only members with `undelivered`, or only the others. Others than \
                officers see nobody's")
    ),
    responses((status = 200, body = Vec<MemberBody>))
)]
pub async fn list_members(
    app: Context,
    scope: SignedIn<MembersRead>,
    params: Params,
    slice: Slice,
) -> Result<Response> {
    let viewer = MemberViewer::of(&scope);
    let mut members = app.table.members(&scope.club.code).await?;
    if let Some(wish) = params.flag("undelivered")? {
        members.retain(|one| (viewer.is_officer && one.undelivered.is_some()) == wish);
    }
    let mut members = in_order(members, viewer, &slice)?;
    Ok(slice.respond(
        &mut members,
        |(position, _)| position.clone(),
        |(_, body)| body,
    ))
}

/// The members of a slice and one more, if there are more, each with its position.
fn in_order(
    mut members: Vec<Membership>,
    viewer: MemberViewer,
    slice: &Slice,
) -> Result<Vec<(Position, MemberBody)>> {
    members.sort_by_key(|membership| membership.id);
    let mut ordered: Vec<(MemberOrder, MemberBody)> = members
        .iter()
        .map(|membership| MemberBody::new(membership, viewer))
        .map(|body| (order(&body), body))
        .collect();
    ordered.sort_by(|a, b| a.0.cmp(&b.0));
    let mut members = numbered(ordered);
    if let Some(after) = slice.after::<Position>()? {
        members.retain(|(position, _)| *position > after);
    }
    members.truncate(slice.limit().map_or(usize::MAX, |limit| limit + 1));
    Ok(members)
}

type MemberOrder = (bool, u8, String);
/// The position of a member in the list: the sort key, and a number among members with equal keys.
/// So a cursor has no data that the list does not show.
type Position = (MemberOrder, usize);

fn order(member: &MemberBody) -> MemberOrder {
    (!member.active, member.role.code(), text::fold(&member.name))
}

fn numbered(ordered: Vec<(MemberOrder, MemberBody)>) -> Vec<(Position, MemberBody)> {
    let mut all: Vec<(Position, MemberBody)> = Vec::with_capacity(ordered.len());
    for (order, body) in ordered {
        let n = match all.last() {
            Some(((last, n), _)) if *last == order => n + 1,
            _ => 0,
        };
        all.push(((order, n), body));
    }
    all
}

/// The officer who acts, unless they are hidden in this club.
pub(crate) async fn named_adder(scope: &Officer<MembersWrite>) -> Result<Option<&Personal>> {
    let hidden = scope.membership.as_ref().is_some_and(|own| !own.public);
    Ok(if hidden {
        None
    } else {
        Some(&scope.user.person().await?.personal)
    })
}

/// The largest number of clubs that a person can own. No limit if an admin acts (C16).
pub(crate) fn owned_limit(app: &Context, is_admin: bool) -> Option<u32> {
    (!is_admin).then_some(app.settings.quotas.clubs_owned)
}

/// The error if a person would own more clubs than allowed.
pub(crate) fn owner_limit_error(app: &Context) -> ApiError {
    ApiError::field("role", owns_too_many(app)).coded(Code::Quota)
}

/// What is wrong if a person would own more clubs than allowed.
pub(crate) fn owns_too_many(app: &Context) -> Reason {
    let limit = app.settings.quotas.clubs_owned;
    Reason::TooManyOwned { limit }
}

/// What is wrong with a row of an import above the limit of 24 hours (M14).
pub(crate) fn too_many_added() -> Reason {
    let limit = InvitationLog::DAILY;
    Reason::TooManyImported { limit }
}

/// Get a member.
///
/// For every signed-in user who can see the club. Only officers and the member can get a member who
/// is not public.
#[utoipa::path(
    get, path = "/api/clubs/{club}/members/{member}/", tag = "members",
    security(("bearer" = []), ("token" = ["members:read"])),
    params(
        ("club" = String, Path),
        ("member" = String, Path, description = "Id of the membership, or user name")
    ),
    responses((status = 200, body = MemberBody))
)]
pub async fn show_member(
    scope: SignedIn<MembersRead, (), MemberOfPath>,
) -> Result<Json<MemberBody>> {
    let (viewer, membership) = (MemberViewer::of(&scope), &scope.object.0);
    if !membership.public && membership.person != viewer.id && !viewer.is_officer {
        return Err(ApiError::NotFound);
    }
    Ok(Json(MemberBody::new(membership, viewer)))
}

/// The caller, if they are the member that the path names, or an officer whose role is not below
/// that of the member.
pub struct OfficerOrSelf {
    scope: SignedIn<MembersWrite, (), Maybe<MemberOfPath>>,
    member: Membership,
    /// Whether the caller is the member.
    is_self: bool,
}

impl FromRequestParts<Shared> for OfficerOrSelf {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self> {
        let mut scope =
            SignedIn::<MembersWrite, (), Maybe<MemberOfPath>>::from_request_parts(parts, state)
                .await?;
        let member = scope.object.0.take().map(|found| found.0);
        let is_self = member
            .as_ref()
            .is_some_and(|member| member.person == scope.user.id());
        if !is_self && !scope.is_officer() {
            return Err(ApiError::Forbidden);
        }
        let member = member.ok_or(ApiError::NotFound)?;
        if !is_self && !scope.reaches(member.role) {
            return Err(ApiError::Forbidden);
        }
        Ok(Self {
            scope,
            member,
            is_self,
        })
    }
}

shared::input! {
    /// The fields of a member. Officers write all of them, for members whose role is not above
    /// their own. Members write only their own `public` and `active`.
    pub struct MemberInput {
        /// Only officers send it; not above their own role. From a member it is 403, even if it
        /// does not change, so for members
        role: Role, Free;
        /// One line. Only officers send it; from a member it is 403. For members
        title: Line, Free;
        /// Plain text. Only officers send it; from a member it is 403. For members
        description: MemberText, Free;
        /// Whether others see who the member is. Only the member can set it to true.
        public: bool, Optional;
        /// Whether the member is active now.
        active: bool, Optional;
    }
}

impl MemberInput {
    /// Checks the fields and returns the changed member (M7, M8).
    fn apply(self, mode: Mode, caller: &OfficerOrSelf, member: &Membership) -> Result<Membership> {
        let officer = caller.reaches(member, Role::Officer);
        let absent =
            self.role.is_absent() && self.title.is_absent() && self.description.is_absent();
        if !officer && !absent {
            return Err(ApiError::Forbidden);
        }
        let mut new = member.clone();
        let mut reader = Reader::new(mode);
        let presence = if officer {
            Presence::Optional
        } else {
            Presence::Free
        };
        reader.set(self.role.with_presence(presence), &mut new.role);
        reader.set(self.public, &mut new.public);
        // What only the member does, a program does not do for them.
        let in_person = caller.is_self && caller.scope.user.token().is_none();
        let unhides = new.public && !member.public && !in_person;
        let exceeds = new.role != member.role && !caller.reaches(member, new.role);
        if unhides || exceeds {
            return Err(ApiError::Forbidden);
        }
        reader.set(self.title.with_presence(presence), &mut new.title);
        reader.set(
            self.description.with_presence(presence),
            &mut new.description,
        );
        reader.set(self.active, &mut new.active);
        reader.finish()?;
        new.confirmed |= in_person;
        Ok(new)
    }
}

/// Change some fields of a member.
///
/// For officers, if the role of the member is not above their own. Members can change their own
/// `public` and `active`. With `PUT` every field that the caller may write must be sent; with
/// `PATCH` the others stay as they are. A club keeps at least one owner.
#[utoipa::path(
    method(put, patch), path = "/api/clubs/{club}/members/{member}/", tag = "members",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(
        ("club" = String, Path),
        ("member" = String, Path, description = "Id of the membership, or user name")
    ),
    request_body = MemberInput, responses((status = 200, body = MemberBody))
)]
pub async fn update_member(
    app: Context,
    caller: OfficerOrSelf,
    mode: Mode,
    Input(input): Input<MemberInput>,
) -> Result<Json<MemberBody>> {
    save_member(&app, caller, &input, mode).await
}

async fn save_member(
    app: &Context,
    caller: OfficerOrSelf,
    input: &MemberInput,
    mode: Mode,
) -> Result<Json<MemberBody>> {
    let (caller, limit) = (&caller, owned_limit(app, caller.scope.user.is_admin()));
    let member = caller
        .edit(app, |old| async move {
            let new = input.clone().apply(mode, caller, &old)?;
            // Who confirms a role must not get an older one back from a request that arrives late.
            if new != old || !input.role.is_absent() {
                let stored = app
                    .table
                    .update_member(&old, &new, caller.by(), limit)
                    .await;
                stored.map_err(|error| match error {
                    TableError::Refused(Refusal::Quota) => owner_limit_error(app),
                    error => error.into(),
                })?;
            }
            Ok(new)
        })
        .await?;
    Ok(Json(caller.show(&member)))
}

/// Remove a member.
///
/// For officers, if the role of the member is not above their own, and for the member. A club keeps
/// at least one owner.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/members/{member}/", tag = "members",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(
        ("club" = String, Path),
        ("member" = String, Path, description = "Id of the membership, or user name")
    ),
    responses((status = 204))
)]
pub async fn delete_member(app: Context, caller: OfficerOrSelf, _: NoInput) -> Result<NoContent> {
    let (app, caller) = (&app, &caller);
    caller
        .edit(app, |member| async move {
            Ok(app.table.remove_member(&member, caller.by()).await?)
        })
        .await?;
    Ok(NoContent)
}

impl OfficerOrSelf {
    /// Whether the caller may give or change this role. If the caller is the member, the newest
    /// state of the membership counts.
    fn reaches(&self, member: &Membership, role: Role) -> bool {
        if self.is_self {
            self.scope.user.is_admin() || member.role <= role
        } else {
            self.scope.reaches(role)
        }
    }

    /// The member as the caller may see them.
    fn show(&self, member: &Membership) -> MemberBody {
        let is_officer = is_officer(
            if self.is_self {
                Some(member.role)
            } else {
                self.scope.role()
            },
            self.scope.user.is_admin(),
        );
        let id = self.scope.user.id();
        let is_admin = self.scope.user.is_admin();
        MemberBody::new(
            member,
            MemberViewer {
                id,
                is_officer,
                is_admin,
            },
        )
    }

    /// The membership whose role allows the change. `None` for members who change themselves: then
    /// the write checks the version of their membership.
    fn by(&self) -> Option<&Membership> {
        self.scope.authority().filter(|_| !self.is_self)
    }

    /// Applies a change to the newest state of the member (X7). Checks the rights of the caller
    /// again each time.
    async fn edit<O, C: Future<Output = Result<O>>>(
        &self,
        app: &Context,
        change: impl Fn(Membership) -> C,
    ) -> Result<O> {
        let change = &change;
        let read = || app.table.same_member(&self.member);
        let show = |member: &Membership| self.show(member);
        edit(
            app,
            &self.scope.if_match,
            self.member.clone(),
            show,
            read,
            |member: Membership| async move {
                if !self.is_self && !self.scope.reaches(member.role) {
                    return Err(ApiError::Forbidden);
                }
                change(member).await
            },
        )
        .await
    }
}
