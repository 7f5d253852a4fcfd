//! How addresses are invited: the limits, and the writes.

use std::collections::HashSet;

use chrono::TimeDelta;
use futures::stream;
use futures::stream::{StreamExt, TryStreamExt};
use shared::Context;
use shared::db::{PARALLEL, Refusal, Table, TableError};
use shared::domain::{InvitationLog, Invite, InviteWrite, Mail, Person, Personal, Role};
use shared::ids::{Id, of};
use shared::mail::invitation;
use shared::reason::Reason;
use shared::text::kinds::Line;
use shared::text::{ClubCode, Email};
use shared::time::Timestamp;
use shared::web::scopes::MembersWrite;
use shared::web::{ApiError, Code, FieldInput, NewId, Officer, Reader, Result};

/// The role and the title of a body. It is 403 if the role is above that of the caller.
pub(crate) fn read_grant(
    scope: &Officer<MembersWrite>,
    reader: &mut Reader,
    role: FieldInput<Role>,
    title: FieldInput<Line>,
) -> Result<(Role, String)> {
    let role = reader.get(role).unwrap_or(Role::Member);
    if !scope.reaches(role) {
        return Err(ApiError::Forbidden);
    }
    let title = reader.get(title).unwrap_or_default();
    Ok((role, title))
}

/// The inviter, unless they are hidden in this club (I4).
pub(crate) fn shown_inviter<'a, O>(
    scope: &Officer<MembersWrite, (), O>,
    inviter: &'a Person,
) -> Option<&'a Personal> {
    scope
        .membership
        .as_ref()
        .is_none_or(|own| own.public)
        .then_some(&inviter.personal)
}

/// Why a club invites nobody (I15).
pub(crate) const NOT_APPROVED: Reason = Reason::ClubNotApproved;

/// It is 400 if the club is not approved (I15). Otherwise anybody could create a club and send
/// mails in its name.
pub(crate) fn check_approved(scope: &Officer<MembersWrite, (), impl Sized>) -> Result<()> {
    if scope.club.approved == Some(true) {
        return Ok(());
    }
    Err(ApiError::rule(NOT_APPROVED).coded(Code::ClubNotApproved))
}

/// It is 429 if `more` invitations would cross the limit of 24 hours (I13).
pub(crate) fn check_daily(log: &InvitationLog, more: usize, now: Timestamp) -> Result<()> {
    match log.wait_for(more, now) {
        0 => Ok(()),
        seconds => {
            let limit = InvitationLog::DAILY;
            let why = Reason::TooManyInvitations { limit };
            Err(ApiError::RateLimited(why, seconds))
        }
    }
}

/// It is 429 if this invite was sent within the last ten minutes (I14).
pub(crate) fn check_pause(log: &InvitationLog, invite: &str, now: Timestamp) -> Result<()> {
    match log.wait_for_resend(invite, now) {
        0 => Ok(()),
        seconds => Err(ApiError::RateLimited(Reason::InvitedJustNow, seconds)),
    }
}

/// An address can be invited this often in ten minutes (I14).
pub(crate) const MAX_INVITES_IN_TEN_MINUTES: usize = 3;

#[derive(Default)]
pub(crate) struct InviteOutcome {
    pub(crate) invited: Vec<Invite>,
    /// Number of addresses that belong to members.
    pub(crate) members: usize,
    /// Number of addresses that could not be invited, because the table was busy or the caller lost
    /// their role.
    pub(crate) left: usize,
}

/// An address, with the ids of the people who have it, and what they are invited as.
pub(crate) struct Addressee {
    pub(crate) email: Email,
    pub(crate) people: Vec<Id<of::Person>>,
    pub(crate) role: Role,
    pub(crate) title: String,
}

impl Addressee {
    /// The ids of all invites that the address may have: from an officer, or with an acceptance
    /// mail.
    fn invite_ids(&self, code: &ClubCode) -> impl Iterator<Item = String> {
        let accepted = self
            .people
            .iter()
            .map(|person| Invite::id_for_accepted(code, *person));
        std::iter::once(Invite::id_for_address(code, &self.email)).chain(accepted)
    }
}

/// Stores an invite and a mail for each address that neither belongs to a member nor has an open
/// invite. Each transaction has at most [`Table::INVITES`] of them.
pub(crate) async fn invite(
    app: &Context,
    scope: &Officer<MembersWrite>,
    new: NewId,
    emails: Vec<Email>,
    role: Role,
    title: &str,
) -> Result<InviteOutcome> {
    check_approved(scope)?;
    let code = &scope.club.code;
    let mut addressees: Vec<Addressee> = stream::iter(emails)
        .map(async |email| {
            let people = app.table.people_at(&email).await?;
            Ok::<_, TableError>(Addressee {
                email,
                people,
                role,
                title: title.to_owned(),
            })
        })
        .buffered(PARALLEL)
        .try_collect()
        .await?;
    let people = addressees
        .iter()
        .flat_map(|addressee| addressee.people.iter().copied());
    let members: HashSet<Id<of::Person>> = app
        .table
        .members_among(code, people)
        .await?
        .into_iter()
        .map(|member| member.person)
        .collect();
    let all = addressees.len();
    addressees.retain(|addressee| {
        addressee
            .people
            .iter()
            .all(|person| !members.contains(person))
    });
    let mut outcome = invite_addressees(app, scope, new, &addressees).await?;
    outcome.members = all - addressees.len();
    Ok(outcome)
}

/// Stores an invite and a mail for each address without an open invite. Each transaction has at
/// most [`Table::INVITES`] of them.
pub(crate) async fn invite_addressees(
    app: &Context,
    scope: &Officer<MembersWrite>,
    new: NewId,
    addressees: &[Addressee],
) -> Result<InviteOutcome> {
    let mut outcome = InviteOutcome::default();
    let inviter = scope.user.person().await?;
    let mut roles = addressees.iter().map(|addressee| addressee.role);
    if roles.any(|role| granting_admin(scope, role).is_some()) {
        scope.user.note_admin().await?;
    }
    for (n, chunk) in addressees.chunks(Table::INVITES).enumerate() {
        // The addresses after this chunk count for the limit too, so that a call above the limit is
        // refused as a whole (I13).
        let later_chunks = &addressees[(n * Table::INVITES + chunk.len())..];
        match invite_chunk(app, scope, inviter, chunk, later_chunks, new).await {
            Ok(done) => outcome.invited.extend(done),
            Err(error) if outcome.invited.is_empty() => return Err(error),
            // The chunks before were invited. The answer says how many addresses were not (I11).
            Err(error) => {
                tracing::warn!(?error, "not all were invited");
                outcome.left = addressees.len() - n * Table::INVITES;
                break;
            }
        }
    }
    Ok(outcome)
}

/// The admin who grants a role with an invite, if an admin does, and the role is above member.
pub(crate) fn granting_admin<O>(
    scope: &Officer<MembersWrite, (), O>,
    role: Role,
) -> Option<Id<of::Person>> {
    let is_granted = role < Role::Member && scope.authority().is_none();
    is_granted.then(|| scope.user.id())
}

fn new_invite(
    scope: &Officer<MembersWrite>,
    Addressee {
        email, role, title, ..
    }: &Addressee,
    version: u64,
    now: Timestamp,
) -> Invite {
    let code = &scope.club.code;
    Invite {
        id: Invite::id_for_address(code, email),
        club: code.clone(),
        email: email.clone(),
        role: *role,
        title: title.clone(),
        version,
        creation: version,
        by: scope.authority().map(|own| own.id),
        granted_by: granting_admin(scope, *role),
        expires_at: now.plus(TimeDelta::days(Invite::DAYS)),
        updated_at: now,
        accepted: vec![],
        undelivered: None,
    }
}

/// Without this check, officers could revoke an invite and invite again to avoid the pause (I14).
fn check_pauses(log: &InvitationLog, new: &[(Invite, Mail)], now: Timestamp) -> Result<()> {
    new.iter()
        .filter(|(invite, _)| log.times(&invite.id, now) >= MAX_INVITES_IN_TEN_MINUTES)
        .try_for_each(|(invite, _)| check_pause(log, &invite.id, now))
}

async fn invite_chunk(
    app: &Context,
    scope: &Officer<MembersWrite>,
    inviter: &Person,
    chunk: &[Addressee],
    later_chunks: &[Addressee],
    NewId(version): NewId,
) -> Result<Vec<Invite>> {
    let code = &scope.club.code;
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let now = app.now();
        let ids = chunk
            .iter()
            .chain(later_chunks)
            .flat_map(|addressee| addressee.invite_ids(code));
        let ((there, ended), log) = futures::try_join!(
            app.table.invites_by_id(code, ids),
            app.table.invitation_log(code)
        )?;
        // An earlier attempt with the same idempotency key may have invited some of them. What was
        // used or revoked since is not sent again.
        let id = |one: &Addressee| Invite::id_for_address(code, &one.email);
        let is_ended = |one: &&Addressee| ended.contains(&id(one));
        let is_open = |addressee: &&Addressee| {
            there.iter().any(|invite| {
                invite.email == addressee.email && invite.is_open(now) && invite.version != version
            })
        };
        let own = |email: &Email| {
            there
                .iter()
                .find(|invite| invite.email == *email && invite.version == version)
                .cloned()
        };
        let done: Vec<Invite> = chunk
            .iter()
            .filter_map(|addressee| own(&addressee.email))
            .collect();
        let requested: Vec<&Addressee> = chunk
            .iter()
            .filter(|one| !is_open(one) && !is_ended(one) && own(&one.email).is_none())
            .collect();
        let new: Vec<(Invite, Mail)> = requested
            .into_iter()
            .map(|addressee| {
                let invite = new_invite(scope, addressee, version, now);
                let mail = invitation(&scope.club, shown_inviter(scope, inviter), &invite);
                (invite, mail)
            })
            .collect();
        if new.is_empty() {
            return Ok(done);
        }
        let later = later_chunks
            .iter()
            .filter(|one| !is_open(one) && !is_ended(one) && own(&one.email).is_none())
            .count();
        check_daily(&log, new.len() + later, now)?;
        check_pauses(&log, &new, now)?;
        let replaces = |invite: &Invite| {
            let old = there.iter().find(|old| old.id == invite.id);
            old.map(|old| old.version)
        };
        let writes: Vec<InviteWrite<'_>> = new
            .iter()
            .map(|(invite, mail)| InviteWrite {
                invite,
                replaces: replaces(invite),
                mail,
            })
            .collect();
        let ids = new.iter().map(|(invite, _)| invite.id.as_str());
        let sent = log.with(code, ids, app.next_id(), now);
        match app
            .table
            .put_invites(&writes, scope.authority(), (&log, &sent))
            .await
        {
            Ok(()) => {
                let new = new.into_iter().map(|(invite, _)| invite);
                return Ok(done.into_iter().chain(new).collect());
            }
            // Somebody else invited one of the addresses at the same moment. Read again.
            Err(TableError::Refused(Refusal::Changed)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
