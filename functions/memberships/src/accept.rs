//! `/clubs/{club}/invites/{invite}/accept/`

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::Response;
use shared::db::{Refusal, TableError};
use shared::domain::{Invite, Membership, Role};
use shared::ids::{Id, of};
use shared::mail::token_matches;
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::web::{
    ApiError, Code, Input, Mode, NewId, PathIds, Reader, Result, User, Visibility, shown_at,
};
use shared::{Context, Shared};

use crate::admin_grants::may_still;
use crate::member::{MemberBody, MemberViewer};
use crate::members::{owned_limit, owner_limit_error};

shared::input! {
    /// The token of an invite, and how the new member wants to be shown.
    pub struct AcceptInput {
        /// Token from the link in the mail.
        token: String, Required;
        /// Whether the membership is public.
        public: bool, Optional = true;
    }
}

/// The caller and the invite that the path names. The club does not have to be approved (I8).
pub struct Invited {
    user: User,
    club: ClubCode,
    invite: Option<Invite>,
    membership: Option<Membership>,
    /// Whether the caller can see the club without the invite.
    sees_club: bool,
}

impl FromRequestParts<Shared> for Invited {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self> {
        let app = &Context::of(parts, state);
        let user = User::from_request_parts(parts, state).await?;
        let path = PathIds::from_request_parts(parts, state).await?;
        let (code, id) = (path.club(), path.text("invite"));
        let invite = async {
            if Invite::is_id(id) {
                app.table.invite(code, id).await
            } else {
                Ok(None)
            }
        };
        let club = app.table.club_and_membership(code, Some(user.id()));
        let ((club, membership), invite) = futures::try_join!(club, invite)?;
        let club = club
            .filter(|club| !club.archived)
            .ok_or(ApiError::NotFound)?;
        let sees_club = Visibility::with(membership.as_ref(), user.is_admin()).sees(&club);
        Ok(Self {
            user,
            club: club.code,
            invite,
            membership,
            sees_club,
        })
    }
}

/// A body that was read.
struct Acceptance {
    token: String,
    /// Whether others see who the member is.
    public: bool,
}

impl AcceptInput {
    fn read(self) -> Result<Acceptance> {
        let mut reader = Reader::new(Mode::Create);
        let token = reader.get(self.token);
        let public = reader.get(self.public);
        reader.finish()?;
        Ok(Acceptance {
            token: token.unwrap_or_default(),
            public: public.unwrap_or_default(),
        })
    }
}

/// Returns the membership of the caller, who may have become a member since it was read.
async fn present(
    app: &Context,
    read: Option<Membership>,
    (club, person): (&ClubCode, Id<of::Person>),
) -> Result<Option<Membership>> {
    match read {
        Some(member) => Ok(Some(member)),
        None => Ok(app
            .table
            .member(club, Membership::id_of(club, person))
            .await?),
    }
}

fn already_member() -> ApiError {
    ApiError::rule(Reason::YouAreMember).coded(Code::AlreadyMember)
}

/// Join a club with an invite.
///
/// For every signed-in user who has the token of the invite. An invite can be used once.
#[utoipa::path(
    post, path = "/api/clubs/{club}/invites/{invite}/accept/", tag = "invites",
    security(("bearer" = [])), params(("club" = String, Path), ("invite" = String, Path)),
    request_body = AcceptInput, responses((status = 200, body = MemberBody))
)]
pub async fn accept_invite(
    app: Context,
    invited: Invited,
    NewId(creation): NewId,
    input: Result<Input<AcceptInput>>,
) -> Result<Response> {
    let read = input.and_then(|Input(input)| input.read());
    let Acceptance { token, public } = match read {
        Err(_) if !invited.sees_club => return Err(ApiError::NotFound),
        read => read?,
    };
    let Invited {
        user,
        club,
        invite,
        membership: before,
        sees_club,
    } = invited;
    // The same answer for every reason (I6). It is 404 if the caller cannot see the club (I8).
    let unusable = || {
        let why = ApiError::rule(Reason::InviteUnusable).coded(Code::InviteUnusable);
        if sees_club { why } else { ApiError::NotFound }
    };
    let now = app.now();
    let shown = |membership: &Membership| {
        let viewer = MemberViewer {
            id: user.id(),
            is_officer: membership.role <= Role::Officer || user.is_admin(),
            is_admin: user.is_admin(),
        };
        shown_at(
            format!("/api/clubs/{club}/members/{}/", membership.id),
            Json(MemberBody::new(membership, viewer)),
        )
    };
    let secret = &app.settings.secrets.invite;
    let invite = invite
        .filter(|invite| token_matches(secret, &club, &invite.id, invite.version, &token))
        .filter(|invite| invite.is_open(now));
    let Some(invite) = invite else {
        // An earlier attempt with the same idempotency key may have used it. The reads are the same
        // for every reason, so that nobody learns from the time which invites there are.
        let member = present(&app, before, (&club, user.id())).await?;
        let own = member.filter(|member| member.creation == creation);
        return own.map(|member| shown(&member)).ok_or_else(unusable);
    };
    if let Some(by) = invite.granted_by
        && !may_still(&app, (&club, by), invite.updated_at, invite.role).await?
    {
        return Err(unusable());
    }
    let membership = Membership {
        title: invite.title.clone(),
        public,
        ..Membership::new(&club, user.person().await?, invite.role, creation, now)
    };
    let limit = owned_limit(&app, user.is_admin());
    match app.table.accept_invite(&invite, &membership, limit).await {
        Ok(()) => Ok(shown(&membership)),
        Err(TableError::Refused(Refusal::AlreadyMember)) => {
            if let Some(member) = app.table.member(&club, membership.id).await? {
                app.table.confirm_member(&member).await?;
            }
            Err(already_member())
        }
        Err(TableError::Refused(refusal)) => Err(match refusal {
            Refusal::Erased => ApiError::Erasing,
            Refusal::Quota => owner_limit_error(&app),
            _ => unusable(),
        }),
        Err(error) => Err(error.into()),
    }
}
