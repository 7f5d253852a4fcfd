//! `/clubs/{club}/invites/`, `…/{invite}/`, `…/{invite}/resend/`, `/clubs/{club}/invite/`

use std::collections::HashSet;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use chrono::TimeDelta;
use futures::stream::{self, StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use shared::http::User;
use shared::http::{
    ApiError, Code, Created, Field, Input, Load, Mode, Need, NewId, NoContent, Officer, PathIds,
    Reader, Result, shown_at,
};
use shared::ids::Id;
use shared::mail::invitation;
use shared::models::{ClubCode, Email, InvitationLog, Invite, Mail, Person, Personal, Role};
use shared::table::{InviteWrite, PARALLEL, Refusal, Retries, Table, TableError};
use shared::time::Timestamp;
use shared::{Shared, limits};
use utoipa::ToSchema;

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
            updated_at: invite.updated_at,
            expires_at: invite.expires_at,
        }
    }
}

/// The invite that the path names.
pub struct InviteOfPath(pub Invite);

impl Load for InviteOfPath {
    async fn load(app: &Shared, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let id = path.text("invite");
        let invite = if Invite::is_id(id) {
            app.table.invite(path.club(), id).await?
        } else {
            None
        };
        Ok(invite.map(Self))
    }
}

/// An invitation of one address.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewInvite {
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    email: Field<String>,
    /// 0 owner, 10 officer, 20 member (default). Not above the role of the caller.
    #[serde(default)]
    #[schema(value_type = Role)]
    role: Field<Role>,
    /// Title of the new member. One line, at most 255 characters.
    #[serde(default)]
    #[schema(value_type = String)]
    title: Field<String>,
}

/// An invitation of many addresses.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewInvites {
    /// At most 100 addresses, separated by commas, semicolons or white space.
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    emails: Field<String>,
    /// 0 owner, 10 officer, 20 member (default). Not above the role of the caller.
    #[serde(default)]
    #[schema(value_type = Role)]
    role: Field<Role>,
    /// Title of the new members. One line, at most 255 characters.
    #[serde(default)]
    #[schema(value_type = String)]
    title: Field<String>,
}

/// The result of a bulk invitation.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvitedBody {
    /// A summary in one sentence.
    detail: String,
    /// Number of addresses that were invited.
    sent: usize,
    /// Number of addresses that belong to members or already have an open invite.
    skipped: usize,
}

/// The role and the title of a body. It is 403 if the role is above that of the caller.
fn read_grant(
    scope: &Officer,
    reader: &mut Reader,
    role: Field<Role>,
    title: Field<String>,
) -> Result<(Role, String)> {
    let role = reader
        .value("role", role, Need::Optional)
        .unwrap_or(Role::Member);
    if !scope.reaches(role) {
        return Err(ApiError::Forbidden);
    }
    let mut text = String::new();
    reader.line("title", title, Need::Optional, &mut text);
    Ok((role, text))
}

/// List the invites of a club.
///
/// For officers. Invites that were neither used nor revoked, the latest first. Expired invites stay
/// in the list for 30 days.
#[utoipa::path(
    get, path = "/api/clubs/{club}/invites/", tag = "invites", security(("bearer" = [])),
    params(("club" = String, Path)), responses((status = 200, body = Vec<InviteBody>))
)]
pub async fn list_invites(
    State(app): State<Shared>,
    scope: Officer,
) -> Result<Json<Vec<InviteBody>>> {
    let mut invites = app.table.invites(&scope.club.code).await?;
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
    post, path = "/api/clubs/{club}/invites/", tag = "invites", security(("bearer" = [])),
    params(("club" = String, Path)), request_body = NewInvite,
    responses((status = 201, body = InviteBody))
)]
pub async fn create_invite(
    State(app): State<Shared>,
    scope: Officer,
    new: NewId,
    Input(input): Input<NewInvite>,
) -> Result<Created<InviteBody>> {
    let mut reader = Reader::new(Mode::Create);
    let (role, title) = read_grant(&scope, &mut reader, input.role, input.title)?;
    let mut email = Email::default();
    reader.email("email", input.email, Need::Required, &mut email);
    reader.finish()?;
    let email = email.folded();
    let outcome = invite(&app, &scope, new, vec![email], (role, &title)).await?;
    if let Some(invite) = outcome.invited.first() {
        let location = format!("/api/clubs/{}/invites/{}/", invite.club, invite.id);
        return Ok(Created {
            location,
            body: invite.into(),
        });
    }
    let (why, code) = match outcome.members {
        0 => ("This address already has an open invite.", Code::Invalid),
        _ => ("This is the address of a member.", Code::AlreadyMember),
    };
    Err(ApiError::field("email", why).coded(code))
}

/// Invite many addresses.
///
/// For officers of an approved club. Members and addresses with an open invite are skipped. If one
/// address is wrong, nobody is invited. A club can send at most 300 invitations in 24 hours.
#[utoipa::path(
    post, path = "/api/clubs/{club}/invite/", tag = "invites", security(("bearer" = [])),
    params(("club" = String, Path)), request_body = NewInvites,
    responses((status = 200, body = InvitedBody))
)]
pub async fn create_invites(
    State(app): State<Shared>,
    scope: Officer,
    new: NewId,
    Input(input): Input<NewInvites>,
) -> Result<Json<InvitedBody>> {
    let mut reader = Reader::new(Mode::Create);
    let (role, title) = read_grant(&scope, &mut reader, input.role, input.title)?;
    let text = reader
        .value("emails", input.emails, Need::Required)
        .unwrap_or_default();
    let mut emails: Vec<Email> = Vec::new();
    let mut known = HashSet::new();
    for email in text
        .split(|c: char| c == ',' || c == ';' || c.is_whitespace())
        .filter(|email| !email.is_empty())
    {
        match Email::parse(email).map(|email| email.folded()) {
            Some(email) => {
                if known.insert(email.clone()) {
                    emails.push(email);
                }
            }
            None => {
                let shown: String = email.chars().take(100).collect();
                let why = format!("{shown:?} is not an e-mail address.");
                reader.errors.add("emails", why);
            }
        }
        if reader.errors.has("emails") {
            break;
        }
    }
    if emails.len() > limits::INVITED {
        reader.errors.add(
            "emails",
            format!("At most {} addresses are allowed.", limits::INVITED),
        );
    } else if emails.is_empty() && !reader.errors.has("emails") {
        reader.errors.add("emails", "Give at least one address.");
    }
    reader.finish()?;
    let all = emails.len();
    let outcome = invite(&app, &scope, new, emails, (role, &title)).await?;
    let sent = outcome.invited.len();
    let skipped = all - sent - outcome.left;
    let mut detail = format!("{sent} invitations sent, {skipped} addresses skipped.");
    if outcome.left > 0 {
        detail = format!(
            "{detail} {} addresses could not be invited now. Send them again.",
            outcome.left
        );
    }
    Ok(Json(InvitedBody {
        detail,
        sent,
        skipped,
    }))
}

/// An address can be invited this often in ten minutes (I14).
const OFTEN: usize = 3;

#[derive(Default)]
struct InviteOutcome {
    invited: Vec<Invite>,
    /// Number of addresses that belong to members.
    members: usize,
    /// Number of addresses that could not be invited, because the table was busy or the caller lost
    /// their role.
    left: usize,
}

/// An address, with the ids of the people who have it.
struct Addressee {
    email: Email,
    people: Vec<Id<Person>>,
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

/// The inviter, unless they are hidden in this club (I4).
fn shown_inviter<'a, O>(scope: &Officer<(), O>, inviter: &'a Person) -> Option<&'a Personal> {
    scope
        .membership
        .as_ref()
        .is_none_or(|own| own.public)
        .then_some(&inviter.personal)
}

/// It is 400 if the club is not approved (I15). Otherwise anybody could create a club and send
/// mails in its name.
fn check_approved(scope: &Officer<(), impl Sized>) -> Result<()> {
    if scope.club.approved == Some(true) {
        return Ok(());
    }
    Err(
        ApiError::rule("This club is not approved yet, so it cannot invite anybody.")
            .coded(Code::ClubNotApproved),
    )
}

/// It is 429 if `more` invitations would cross the limit of 24 hours (I13).
fn check_daily(log: &InvitationLog, more: usize, now: Timestamp) -> Result<()> {
    match log.wait_for(more, now) {
        0 => Ok(()),
        seconds => {
            let why = format!(
                "A club can send at most {} invitations in 24 hours.",
                InvitationLog::DAILY
            );
            Err(ApiError::RateLimited(why, seconds))
        }
    }
}

/// It is 429 if this invite was sent within the last ten minutes (I14).
fn check_pause(log: &InvitationLog, invite: &str, now: Timestamp) -> Result<()> {
    match log.wait_for_resend(invite, now) {
        0 => Ok(()),
        seconds => Err(ApiError::RateLimited(
            "Wait ten minutes before you send the same invitation again.".into(),
            seconds,
        )),
    }
}

/// Stores an invite and a mail for each address that neither belongs to a member nor has an open
/// invite. Each transaction has at most [`Table::INVITES`] of them.
async fn invite(
    app: &Shared,
    scope: &Officer,
    new: NewId,
    emails: Vec<Email>,
    grant: (Role, &str),
) -> Result<InviteOutcome> {
    check_approved(scope)?;
    let (code, mut outcome) = (&scope.club.code, InviteOutcome::default());
    let mut addressees: Vec<Addressee> = stream::iter(emails)
        .map(async |email| {
            app.table
                .people_at(&email)
                .await
                .map(|people| Addressee { email, people })
        })
        .buffered(PARALLEL)
        .try_collect()
        .await?;
    let people = addressees
        .iter()
        .flat_map(|addressee| addressee.people.iter().copied());
    let members: HashSet<Id<Person>> = app
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
    outcome.members = all - addressees.len();
    let inviter = scope.user.person().await?;
    for (n, chunk) in addressees.chunks(Table::INVITES).enumerate() {
        // The addresses after this chunk count for the limit too, so that a call above the limit is
        // refused as a whole (I13).
        let behind = &addressees[(n * Table::INVITES + chunk.len())..];
        match invite_chunk(app, scope, inviter, (chunk, behind), grant, new).await {
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

async fn invite_chunk(
    app: &Shared,
    scope: &Officer,
    inviter: &Person,
    (chunk, behind): (&[Addressee], &[Addressee]),
    (role, title): (Role, &str),
    NewId(version): NewId,
) -> Result<Vec<Invite>> {
    let code = &scope.club.code;
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        let now = app.now();
        let ids = chunk
            .iter()
            .chain(behind)
            .flat_map(|addressee| addressee.invite_ids(code));
        let (there, log) = futures::try_join!(
            app.table.invites_by_id(code, ids),
            app.table.invitation_log(code)
        )?;
        // An earlier attempt with the same idempotency key may have invited some of them.
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
        let wanted: Vec<&Addressee> = chunk
            .iter()
            .filter(|addressee| !is_open(addressee) && own(&addressee.email).is_none())
            .collect();
        let new: Vec<(Invite, Mail)> = wanted
            .into_iter()
            .map(|Addressee { email, .. }| {
                let invite = Invite {
                    id: Invite::id_for_address(code, email),
                    club: code.clone(),
                    email: email.clone(),
                    role,
                    title: title.to_owned(),
                    version,
                    by: scope.authority().map(|own| own.id),
                    expires_at: now.plus(TimeDelta::days(Invite::DAYS)),
                    updated_at: now,
                };
                let mail = invitation(&scope.club, shown_inviter(scope, inviter), &invite);
                (invite, mail)
            })
            .collect();
        if new.is_empty() {
            return Ok(done);
        }
        let later = behind
            .iter()
            .filter(|addressee| !is_open(addressee) && own(&addressee.email).is_none())
            .count();
        check_daily(&log, new.len() + later, now)?;
        // Without this check, officers could revoke an invite and invite again to avoid the pause
        // (I14).
        for (invite, _) in new
            .iter()
            .filter(|(invite, _)| log.times(&invite.id, now) >= OFTEN)
        {
            check_pause(&log, &invite.id, now)?;
        }
        let replaces = |invite: &Invite| {
            there
                .iter()
                .find(|old| old.id == invite.id)
                .map(|old| old.version)
        };
        let writes: Vec<InviteWrite<'_>> = new
            .iter()
            .map(|(invite, mail)| InviteWrite {
                invite,
                replaces: replaces(invite),
                mail,
            })
            .collect();
        let sent = log.with(
            code,
            new.iter().map(|(invite, _)| invite.id.as_str()),
            app.next_id(),
            now,
        );
        match app
            .table
            .put_invites(&writes, scope.authority(), (&log, &sent))
            .await
        {
            Ok(()) => {
                return Ok(done
                    .into_iter()
                    .chain(new.into_iter().map(|(invite, _)| invite))
                    .collect());
            }
            // Somebody else invited one of the addresses at the same moment. Read again.
            Err(TableError::Refused(Refusal::Changed)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Get an invite.
///
/// For officers.
#[utoipa::path(
    get, path = "/api/clubs/{club}/invites/{invite}/", tag = "invites", security(("bearer" = [])),
    params(("club" = String, Path), ("invite" = String, Path)),
    responses((status = 200, body = InviteBody))
)]
pub async fn show_invite(scope: Officer<(), InviteOfPath>) -> Json<InviteBody> {
    Json((&scope.object.0).into())
}

/// Revoke an invite.
///
/// For officers. The link in the mail stops working.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/invites/{invite}/", tag = "invites",
    security(("bearer" = [])), params(("club" = String, Path), ("invite" = String, Path)),
    responses((status = 204))
)]
pub async fn delete_invite(
    State(app): State<Shared>,
    scope: Officer<(), InviteOfPath>,
) -> Result<NoContent> {
    match app.table.delete_invite(&scope.object.0).await {
        Err(TableError::Refused(_)) => Err(ApiError::NotFound),
        done => Ok(done.map(|()| NoContent)?),
    }
}

/// Send an invite again.
///
/// For officers whose role is not below the invited role. The invite works for another 14 days,
/// also if it had expired; older links stop working. It can be sent again after ten minutes at the
/// earliest.
#[utoipa::path(
    post, path = "/api/clubs/{club}/invites/{invite}/resend/", tag = "invites",
    security(("bearer" = [])), params(("club" = String, Path), ("invite" = String, Path)),
    responses((status = 200, body = InviteBody))
)]
pub async fn resend_invite(
    State(app): State<Shared>,
    scope: Officer<(), InviteOfPath>,
    NewId(version): NewId,
) -> Result<Response> {
    let mut old = scope.object.0.clone();
    let path = format!("/api/clubs/{}/invites/{}/", old.club, old.id);
    let answer = |invite: &Invite| shown_at(path.clone(), Json(InviteBody::from(invite)));
    if !scope.reaches(old.role) {
        return Err(ApiError::Forbidden);
    }
    check_approved(&scope)?;
    let inviter = scope.user.person().await?;
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        // An earlier attempt with the same idempotency key sent it again.
        if old.version == version {
            return Ok(answer(&old));
        }
        let (now, log) = (app.now(), app.table.invitation_log(&old.club).await?);
        check_pause(&log, &old.id, now)?;
        check_daily(&log, 1, now)?;
        let by = scope.authority().map(|own| own.id);
        let invite = Invite {
            version,
            by,
            expires_at: now.plus(TimeDelta::days(Invite::DAYS)),
            updated_at: now,
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
            Ok(()) => return Ok(answer(&invite)),
            // Another invitation was sent at the same moment, or this one was used or revoked.
            Err(TableError::Refused(Refusal::Changed)) => {
                old = app
                    .table
                    .invite(&old.club, &old.id)
                    .await?
                    .ok_or(ApiError::NotFound)?
            }
            Err(error) => return Err(error.into()),
        }
    }
}
