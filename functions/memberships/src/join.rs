//! `/clubs/{club}/joinlinks/{link}/join/`

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::Response;
use shared::db::{Refusal, TableError};
use shared::domain::{Club, JoinLink, Membership, Role};
use shared::mail::join_token_matches;
use shared::reason::Reason;
use shared::web::{ApiError, Code, Input, Mode, NewId, PathIds, Reader, Result, User, shown_at};
use shared::{Context, Shared};

use crate::admin_grants::may_still;
use crate::member::{MemberBody, MemberViewer};

shared::input! {
    /// The token of a join link, and how the new member wants to be shown.
    pub struct JoinInput {
        /// Token from the link.
        token: String, Required;
        /// Whether the membership is public.
        public: bool, Optional = true;
    }
}

/// The caller, the club and the join link that the path names.
pub struct Joining {
    user: User,
    club: Club,
    link: Option<JoinLink>,
    /// Whether the caller has joined with this link before.
    is_again: bool,
}

impl FromRequestParts<Shared> for Joining {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self> {
        let app = &Context::of(parts, state);
        let user = User::from_request_parts(parts, state).await?;
        let path = PathIds::from_request_parts(parts, state).await?;
        let code = path.club();
        let link = async {
            match path.id("link") {
                Some(id) => Ok(app.table.join_link(code, id).await?),
                None => Ok(None),
            }
        };
        let again = async {
            match path.id("link") {
                Some(id) => Ok(app.table.has_used_link(code, id, user.id()).await?),
                None => Ok(false),
            }
        };
        let club = async { Ok(app.table.club(code).await?) };
        let (club, link, is_again, _) = futures::try_join!(club, link, again, user.person())?;
        // A club that is not approved adds nobody by a link (J5).
        let club = club
            .filter(|club| !club.archived && club.approved == Some(true))
            .ok_or(ApiError::NotFound)?;
        Ok(Self {
            user,
            club,
            link,
            is_again,
        })
    }
}

/// The same answer for every reason (J3).
fn unusable() -> ApiError {
    ApiError::rule(Reason::LinkUnusable).coded(Code::InviteUnusable)
}

/// Whether the admin who made a link could still make it (J7). What an officer made is checked in
/// the write.
async fn may_still_invite(app: &Context, link: &JoinLink) -> Result<bool> {
    if link.by.is_some() {
        return Ok(true);
    }
    let creator = (&link.club, link.created_by);
    Ok(may_still(app, creator, link.created_at, Role::Officer).await?)
}

/// Join a club with a join link.
///
/// For every signed-in user who has the link. A pending membership request of the caller is
/// deleted.
#[utoipa::path(
    post, path = "/api/clubs/{club}/joinlinks/{link}/join/", tag = "join links",
    security(("bearer" = [])), params(("club" = String, Path), ("link" = u64, Path)),
    request_body = JoinInput, responses((status = 200, body = MemberBody))
)]
pub async fn join_club(
    app: Context,
    Joining {
        user,
        club,
        link,
        mut is_again,
    }: Joining,
    NewId(creation): NewId,
    Input(input): Input<JoinInput>,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let token = reader.get(input.token).unwrap_or_default();
    let public = reader.get(input.public).unwrap_or_default();
    reader.finish()?;
    let (secret, code) = (&app.settings.secrets.invite, &club.code);
    let shown = |membership: &Membership| {
        let viewer = MemberViewer {
            id: user.id(),
            is_officer: membership.role <= Role::Officer || user.is_admin(),
            is_admin: user.is_admin(),
        };
        shown_at(
            format!("/api/clubs/{code}/members/{}/", membership.id),
            Json(MemberBody::new(membership, viewer)),
        )
    };
    let right = link.filter(|link| join_token_matches(secret, code, link.id, &token));
    let mut link = right.ok_or_else(unusable)?;
    let may_join = may_still_invite(&app, &link).await?;
    let person = user.person().await?;
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let membership = Membership {
            title: link.title.clone(),
            public,
            ..Membership::new(code, person, Role::Member, creation, app.now())
        };
        let done = if !may_join {
            Err(TableError::Refused(Refusal::Authority))
        } else if link.is_usable(app.now(), is_again) {
            app.table.join(&link, &membership, is_again).await
        } else {
            Err(TableError::Refused(Refusal::Exists))
        };
        let refusal = match done {
            Ok(()) => return Ok(shown(&membership)),
            Err(TableError::Refused(refusal)) => refusal,
            Err(error) => return Err(error.into()),
        };
        if refusal == Refusal::Erased {
            return Err(ApiError::Erasing);
        }
        let (there, now, used) = futures::try_join!(
            app.table.member(code, membership.id),
            app.table.join_link(code, link.id),
            app.table.has_used_link(code, link.id, user.id())
        )?;
        match there {
            // An earlier attempt, whose answer was lost, or one with the same idempotency key.
            Some(there) if there.creation == creation => return Ok(shown(&there)),
            Some(there) => {
                app.table.confirm_member(&there).await?;
                return Err(ApiError::rule(Reason::YouAreMember).coded(Code::AlreadyMember));
            }
            // Whoever was removed after this request was received must ask anew.
            None if matches!(refusal, Refusal::Authority | Refusal::Deleted) => {
                return Err(unusable());
            }
            None => {}
        }
        is_again = used;
        link = now
            .filter(|link| link.is_usable(app.now(), is_again))
            .ok_or_else(unusable)?;
    }
}
