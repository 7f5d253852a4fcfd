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
        /// Token from the link in the mail. Without one, the invite must be to the caller's own
        /// address.
        token: String, Optional;
        /// Whether the membership is public.
        public: bool, Optional = true;
    }
}

/// The caller and the invite that the path names. The club does not have to be approved (I8).
pub struct Invited {
    user: User,
    club: ClubCode,
    id: String,
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
            id: id.to_owned(),
            invite,
            membership,
            sees_club,
        })
    }
}

/// A body that was read.
struct Acceptance {
    /// None if the caller shows the link to be theirs by their address.
    token: Option<String>,
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
            token,
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

/// Returns the invite if it is to the address of the caller (I16). That of an accepted applicant
/// can only be used when they may know that they are accepted. What is read depends on the path
/// alone, so that nobody learns from the time whether there is an invite.
async fn addressed(
    app: &Context,
    (user, club, id): (&User, &ClubCode, &str),
    invite: Option<Invite>,
) -> Result<Option<Invite>> {
    let address = &user.person().await?.personal.email;
    let invite = invite.filter(|invite| !address.is_empty() && invite.email == address.folded());
    if !Invite::is_of_accepted(id) {
        return Ok(invite);
    }
    let (mut own, _) = app.table.applied_of(user.id()).await?;
    own.retain(|submission| submission.club == *club);
    let names = own.iter().map(|one| (one.club.clone(), one.application));
    let applications = app.table.applications_by_id(names).await?;
    let now = app.clock.now();
    own.retain(|submission| {
        let application = applications.get(&submission.application);
        application.is_some_and(|of| submission.is_visible_acceptance(of, now))
    });
    Ok(invite.filter(|invite| own.iter().any(|submission| invite.is_for(submission))))
}

fn already_member() -> ApiError {
    ApiError::rule(Reason::YouAreMember).coded(Code::AlreadyMember)
}

/// Join a club with an invite.
///
/// For every signed-in user who has the token of the invite, or whose address it is to: the home
/// page lists these. An invite can be used once.
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
        id,
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
    let invite = match &token {
        Some(token) => {
            invite.filter(|invite| token_matches(secret, &club, &invite.id, invite.version, token))
        }
        None => addressed(&app, (&user, &club, &id), invite).await?,
    };
    let Some(invite) = invite.filter(|invite| invite.is_open(now)) else {
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
