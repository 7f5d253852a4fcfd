//! The owners that an import of clubs names: added, or invited (B6).

use chrono::TimeDelta;
use shared::Context;
use shared::db::{Refusal, TableError};
use shared::domain::{
    Additions, Club, InvitationLog, Invite, InviteWrite, Membership, MembershipRequest,
    NewMembership, Person, Role,
};
use shared::mail::{invitation, joined};
use shared::reason::Reason;
use shared::text::Email;
use shared::web::Result;

/// Makes a person an owner of a club. Returns whether that changed anything, or why it cannot be
/// done.
pub async fn add_owner(
    app: &Context,
    club: &Club,
    person: &Person,
    creation: u64,
    dry_run: bool,
) -> Result<Result<bool, Reason>> {
    let (code, now) = (&club.code, app.now());
    let id = Membership::id_of(code, person.id);
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let (member, request, log) = futures::try_join!(
            app.table.member(code, id),
            app.table
                .request(code, MembershipRequest::id_of(code, person.id)),
            app.table.invitation_log(code)
        )?;
        let done = match member {
            Some(member) if member.role == Role::Owner => return Ok(Ok(false)),
            _ if dry_run => return Ok(Ok(true)),
            Some(member) => {
                let owner = Membership {
                    role: Role::Owner,
                    ..member.clone()
                };
                app.table.update_member(&member, &owner, None, None).await
            }
            None => {
                let owner = Membership::new(code, person, Role::Owner, creation, now);
                let site = app.settings.addresses.site_url.as_str();
                let may_mail = club.approved == Some(true)
                    && !person.personal.email.is_empty()
                    && log.allowed(now) > 0;
                let mail = may_mail
                    .then(|| joined((club, site), None, &owner, request.is_some(), creation));
                let key = owner.id.to_string();
                let mailed = mail.as_ref().map(|_| key.as_str());
                // The log is written without a mail, too: it refuses a late attempt, which could
                // make somebody an owner who was removed since.
                let sent = log.with(code, mailed.into_iter(), app.next_id(), now);
                let new = NewMembership {
                    membership: &owner,
                    request: request.as_ref(),
                    mail: mail.as_ref(),
                };
                let additions = Additions {
                    by: None,
                    log: Some((&log, &sent)),
                    limit: None,
                };
                app.table.add_members(&[new], additions).await
            }
        };
        match done {
            Ok(()) => return Ok(Ok(true)),
            Err(TableError::Refused(Refusal::Erased)) => {
                return Ok(Err(Reason::UnknownPerson));
            }
            // An earlier attempt of this request added them, and somebody removed them since.
            Err(TableError::Refused(Refusal::AlreadyMember))
                if app.table.member(code, id).await?.is_none() =>
            {
                return Ok(Ok(false));
            }
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Invites somebody as owner. Returns whether an invitation was sent, or why none can be sent.
pub async fn invite_owner(
    app: &Context,
    club: &Club,
    email: &Email,
    dry_run: bool,
) -> Result<Result<bool, Reason>> {
    let (code, now) = (&club.code, app.now());
    let id = Invite::id_for_address(code, email);
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let (there, log) =
            futures::try_join!(app.table.invite(code, &id), app.table.invitation_log(code))?;
        if there.as_ref().is_some_and(|invite| invite.is_open(now)) {
            return Ok(Ok(false));
        }
        if club.approved != Some(true) {
            return Ok(Err(Reason::ClubNotApproved));
        }
        if log.allowed(now) == 0 {
            let limit = InvitationLog::DAILY;
            return Ok(Err(Reason::TooManyInvitations { limit }));
        }
        if dry_run {
            return Ok(Ok(true));
        }
        let version = app.next_id();
        let invite = Invite {
            id: id.clone(),
            club: code.clone(),
            email: email.clone(),
            role: Role::Owner,
            title: String::new(),
            version,
            creation: version,
            by: None,
            granted_by: None,
            expires_at: now.plus(TimeDelta::days(Invite::DAYS)),
            updated_at: now,
            accepted: vec![],
            undelivered: None,
        };
        let mail = invitation(club, None, &invite);
        let write = InviteWrite {
            invite: &invite,
            replaces: there.map(|invite| invite.version),
            mail: &mail,
        };
        let sent = log.with(code, std::iter::once(id.as_str()), app.next_id(), now);
        match app.table.put_invites(&[write], None, (&log, &sent)).await {
            Ok(()) => return Ok(Ok(true)),
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
