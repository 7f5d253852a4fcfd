//! `/clubs/{club}/invites/`, `…/{invite}/`, `…/{invite}/resend/`

use axum::Json;
use axum::response::Response;
use chrono::TimeDelta;
use serde::Serialize;
use shared::Context;
use shared::bodies::UndeliveredBody;
use shared::db::{Refusal, TableError};
use shared::domain::{Invite, InviteWrite, Role};
use shared::mail::invitation;
use shared::reason::Reason;
use shared::text::kinds::{Address, Line};
use shared::time::Timestamp;
use shared::web::scopes::{MembersRead, MembersWrite};
use shared::web::{
    ApiError, Code, Created, Input, Load, Mode, NewId, NoContent, NoInput, Officer, Params,
    PathIds, Reader, Result, User, edit, shown_at,
};
use utoipa::ToSchema;

use crate::invitations::{
    check_approved, check_daily, check_pause, granting_admin, invite, read_grant, shown_inviter,
};

/// An invite that was neither used nor revoked.
#[derive(Debug, Serialize, ToSchema)]
pub struct InviteBody {
    /// A text of letters and digits.
    id: String,
    /// Invited address, in lower case.
    email: String,
    /// 0 owner, 10 officer, 20 member.
    role: Role,
    /// Title that the new member gets.
    title: String,
    /// The mail, if it did not arrive; else null. Inviting the address once more sends it again.
    undelivered: Option<UndeliveredBody>,
    /// When the invite was last sent.
    updated_at: Timestamp,
    /// The invite cannot be used from this time on, unless it is sent again.
    expires_at: Timestamp,
}

impl From<&Invite> for InviteBody {
    fn from(invite: &Invite) -> Self {
        Self {
            id: invite.id.clone(),
            email: invite.email.to_string(),
            role: invite.role,
            title: invite.title.clone(),
            undelivered: invite.undelivered.as_ref().map(Into::into),
            updated_at: invite.updated_at,
            expires_at: invite.expires_at,
        }
    }
}

/// The invite that the path names.
pub struct InviteOfPath(pub Invite);

impl Load for InviteOfPath {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let id = path.text("invite");
        let invite = if Invite::is_id(id) {
            app.table.invite(path.club(), id).await?
        } else {
            None
        };
        Ok(invite.map(Self))
    }
}

shared::input! {
    /// An invitation of one address.
    pub struct NewInvite {
        /// Address to invite.
        email: Address, Required;
        /// 0 owner, 10 officer, 20 member (default). Not above the role of the caller.
        role: Role, Optional;
        /// Title of the new member. One line, at most 255 characters.
        title: Line, Optional;
    }
}

/// List the invites of a club.
///
/// For officers. Invites that were neither used nor revoked, the latest first. Expired invites stay
/// in the list for 30 days.
#[utoipa::path(
    get, path = "/api/clubs/{club}/invites/", tag = "invites",
    security(("bearer" = []), ("token" = ["members:read"])),
    params(
        ("club" = String, Path),
        ("ending" = Option<bool>, Query,
            description = "Only invites that expire within three days, or only others")
    ),
    responses((status = 200, body = Vec<InviteBody>))
)]
pub async fn list_invites(
    app: Context,
    scope: Officer<MembersRead>,
    params: Params,
) -> Result<Json<Vec<InviteBody>>> {
    let (now, ending) = (app.now(), params.flag("ending")?);
    let mut invites = app.table.invites(&scope.club.code).await?;
    invites.retain(|invite| ending.is_none_or(|ending| invite.ends_soon(now) == ending));
    invites.sort_by(|a, b| {
        b.updated_at
            .cmp(&a.updated_at)
            .then_with(|| a.email.cmp(&b.email))
    });
    Ok(Json(invites.iter().map(InviteBody::from).collect()))
}

/// Invite an address.
///
/// For officers of an approved club. The address gets a mail with a link that works for 14 days. A
/// club can send at most 300 invitations in 24 hours.
#[utoipa::path(
    post, path = "/api/clubs/{club}/invites/", tag = "invites",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(("club" = String, Path)), request_body = NewInvite,
    responses((status = 201, body = InviteBody))
)]
pub async fn create_invite(
    app: Context,
    scope: Officer<MembersWrite>,
    new: NewId,
    Input(input): Input<NewInvite>,
) -> Result<Created<InviteBody>> {
    let mut reader = Reader::new(Mode::Create);
    let (role, title) = read_grant(&scope, &mut reader, input.role, input.title)?;
    let email = reader.get(input.email).unwrap_or_default();
    reader.finish()?;
    let email = email.folded();
    let outcome = invite(&app, &scope, new, vec![email], role, &title).await?;
    if let Some(invite) = outcome.invited.first() {
        let location = format!("/api/clubs/{}/invites/{}/", invite.club, invite.id);
        return Ok(Created {
            location,
            body: invite.into(),
        });
    }
    let (why, code) = match outcome.members {
        0 => (Reason::AlreadyInvited, Code::Invalid),
        _ => (Reason::AlreadyMember, Code::AlreadyMember),
    };
    Err(ApiError::field("email", why).coded(code))
}

/// Get an invite.
///
/// For officers.
#[utoipa::path(
    get, path = "/api/clubs/{club}/invites/{invite}/", tag = "invites",
    security(("bearer" = []), ("token" = ["members:read"])),
    params(("club" = String, Path), ("invite" = String, Path)),
    responses((status = 200, body = InviteBody))
)]
pub async fn show_invite(scope: Officer<MembersRead, (), InviteOfPath>) -> Json<InviteBody> {
    Json((&scope.object.0).into())
}

/// Revoke an invite.
///
/// For officers. The link in the mail stops working.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/invites/{invite}/", tag = "invites",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(("club" = String, Path), ("invite" = String, Path)),
    responses((status = 204))
)]
pub async fn delete_invite(
    app: Context,
    scope: Officer<MembersWrite, (), InviteOfPath>,
    _: NoInput,
) -> Result<NoContent> {
    let (app, invite) = (&app, scope.object.0);
    let (club, id, creation) = (&scope.club.code, invite.id.clone(), invite.creation);
    // Sent again at the same moment, it is another version, and is revoked as well. If the
    // address was invited anew, that is another invite.
    let read = async || {
        let found = app.table.invite(club, &id).await?;
        Ok(found.filter(|found| found.creation == creation))
    };
    let delete = async |old: Invite| Ok(app.table.delete_invite(&old).await?);
    let show = |invite: &Invite| InviteBody::from(invite);
    edit(app, &scope.if_match, invite, show, read, delete).await?;
    Ok(NoContent)
}

/// Send an invite again.
///
/// For officers whose role is not below the invited role. The invite works for another 14 days,
/// also if it had expired; older links stop working. It can be sent again after ten minutes at the
/// earliest.
#[utoipa::path(
    post, path = "/api/clubs/{club}/invites/{invite}/resend/", tag = "invites",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(("club" = String, Path), ("invite" = String, Path)),
    responses((status = 200, body = InviteBody))
)]
pub async fn resend_invite(
    app: Context,
    scope: Officer<MembersWrite, (), InviteOfPath>,
    NewId(version): NewId,
) -> Result<Response> {
    let mut old = scope.object.0.clone();
    let path = format!("/api/clubs/{}/invites/{}/", old.club, old.id);
    let respond = |invite: &Invite| shown_at(path.clone(), Json(InviteBody::from(invite)));
    if !scope.reaches(old.role) {
        return Err(ApiError::Forbidden);
    }
    check_approved(&scope)?;
    let inviter = scope.user.person().await?;
    if granting_admin(&scope, old.role).is_some() {
        scope.user.note_admin().await?;
    }
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        // An earlier attempt with the same idempotency key sent it again.
        if old.version == version {
            return Ok(respond(&old));
        }
        let (now, log) = (app.now(), app.table.invitation_log(&old.club).await?);
        check_pause(&log, &old.id, now)?;
        check_daily(&log, 1, now)?;
        let by = scope.authority().map(|own| own.id);
        let invite = Invite {
            version,
            by,
            granted_by: granting_admin(&scope, old.role),
            expires_at: now.plus(TimeDelta::days(Invite::DAYS)),
            updated_at: now,
            undelivered: None,
            ..old.clone()
        };
        let mail = invitation(&scope.club, shown_inviter(&scope, inviter), &invite);
        let write = InviteWrite {
            invite: &invite,
            replaces: Some(old.version),
            mail: &mail,
        };
        let sent = log.with(
            &old.club,
            std::iter::once(old.id.as_str()),
            app.next_id(),
            now,
        );
        match app
            .table
            .put_invites(&[write], scope.authority(), (&log, &sent))
            .await
        {
            Ok(()) => return Ok(respond(&invite)),
            // Another invitation was sent at the same moment, or this one was used or revoked.
            Err(TableError::Refused(Refusal::Changed)) => {
                old = app
                    .table
                    .invite(&old.club, &old.id)
                    .await?
                    .ok_or(ApiError::NotFound)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
}
