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
use shared::mail::invitation;
use shared::models::{InvitationLog, Invite, Mail, Person, Personal, Role};
use shared::table::{InviteWrite, PARALLEL, Refusal, Retries, Table, TableError};
use shared::text::is_email;
use shared::time::Timestamp;
use shared::{Shared, limits};
use utoipa::ToSchema;

/// An invitation to join a club that was neither used nor revoked.
#[derive(Debug, Serialize, ToSchema)]
pub struct InviteBody {
    /// Letters and digits.
    id: String,
    /// The address invited, in lower case.
    email: String,
    /// 0 owner, 10 officer, 20 member.
    role: Role,
    title: String,
    updated_at: Timestamp,
    /// From then on it cannot be used, until it is sent again.
    expires_at: Timestamp,
}

impl From<&Invite> for InviteBody {
    fn from(invite: &Invite) -> Self {
        Self {
            id: invite.id.clone(),
            email: invite.email.clone(),
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
            app.table.invite(path.text("club"), id).await?
        } else {
            None
        };
        Ok(invite.map(Self))
    }
}

/// Somebody to be invited.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewInvite {
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    email: Field<String>,
    /// 0 owner, 10 officer, 20 member (default); not above the caller's own.
    #[serde(default)]
    #[schema(value_type = Role)]
    role: Field<Role>,
    #[serde(default)]
    #[schema(value_type = String)]
    title: Field<String>,
}

/// Many to be invited.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewInvites {
    /// At most 100 addresses, with commas, semicolons or white space between them.
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    emails: Field<String>,
    /// 0 owner, 10 officer, 20 member (default); not above the caller's own.
    #[serde(default)]
    #[schema(value_type = Role)]
    role: Field<Role>,
    #[serde(default)]
    #[schema(value_type = String)]
    title: Field<String>,
}

/// What a bulk invitation did.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvitedBody {
    /// One sentence.
    detail: String,
    /// Addresses that were invited.
    sent: usize,
    /// Addresses of members, and such that have an open invite.
    skipped: usize,
}

/// The role and title of a body, if the caller may give them.
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

/// The invites of a club that were neither used nor revoked, the latest first; expired ones for 30
/// days. Officers.
#[utoipa::path(get, path = "/api/clubs/{club}/invites/", tag = "invites", security(("bearer" = [])), params(("club" = String, Path)),
    responses((status = 200, body = Vec<InviteBody>)))]
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

/// Invites an address by e-mail, with a role that is not above the caller's own. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/invites/", tag = "invites", security(("bearer" = [])), params(("club" = String, Path)),
    request_body = NewInvite, responses((status = 201, body = InviteBody)))]
pub async fn create_invite(
    State(app): State<Shared>,
    scope: Officer,
    new: NewId,
    Input(input): Input<NewInvite>,
) -> Result<Created<InviteBody>> {
    let mut reader = Reader::new(Mode::Create);
    let (role, title) = read_grant(&scope, &mut reader, input.role, input.title)?;
    let mut email = String::new();
    reader.email("email", input.email, Need::Required, &mut email);
    reader.finish()?;
    let email = email.to_lowercase();
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

/// Invites up to 100 addresses; members and open invites are skipped. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/invite/", tag = "invites", security(("bearer" = [])), params(("club" = String, Path)),
    request_body = NewInvites, responses((status = 200, body = InvitedBody)))]
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
    let mut emails: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    for email in text
        .split(|c: char| c == ',' || c == ';' || c.is_whitespace())
        .filter(|email| !email.is_empty())
    {
        if !is_email(email) {
            let shown: String = email.chars().take(100).collect();
            reader
                .errors
                .add("emails", format!("{shown:?} is not an e-mail address."));
        } else if known.insert(email.to_lowercase()) {
            emails.push(email.to_lowercase());
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
            "{detail} {} addresses could not be invited now: send them again.",
            outcome.left
        );
    }
    Ok(Json(InvitedBody {
        detail,
        sent,
        skipped,
    }))
}

/// Invitations of one address in ten minutes.
const OFTEN: usize = 3;

#[derive(Default)]
struct InviteOutcome {
    invited: Vec<Invite>,
    /// Addresses that were left out because they are members'.
    members: usize,
    /// Addresses that were not reached, because the table was busy or the caller lost their role.
    left: usize,
}

/// An address, and the people who have it.
struct Addressee {
    email: String,
    people: Vec<u64>,
}

impl Addressee {
    /// The invites that the address may have: its own, and those of people who were accepted.
    fn invite_ids(&self, code: &str) -> impl Iterator<Item = String> {
        let accepted = self
            .people
            .iter()
            .map(|person| Invite::id_for_accepted(code, *person));
        std::iter::once(Invite::id_for_address(code, &self.email)).chain(accepted)
    }
}

/// The inviter, unless they do not want to be shown in this club.
fn shown_inviter<'a, O>(scope: &Officer<(), O>, inviter: &'a Person) -> Option<&'a Personal> {
    scope
        .membership
        .as_ref()
        .is_none_or(|own| own.public)
        .then_some(&inviter.personal)
}

/// 400 for a club that waits for approval: anybody can create one, and write to anybody in its
/// name.
fn check_approved(scope: &Officer<(), impl Sized>) -> Result<()> {
    if scope.club.approved == Some(true) {
        return Ok(());
    }
    Err(
        ApiError::rule("This club has not been approved yet. Until then it cannot invite anybody.")
            .coded(Code::ClubNotApproved),
    )
}

/// 429 if so many more invitations would be more than a club sends in a day.
fn check_daily(log: &InvitationLog, more: usize, now: Timestamp) -> Result<()> {
    match log.wait_for(more, now) {
        0 => Ok(()),
        seconds => {
            let why = format!(
                "A club sends at most {} invitations in 24 hours.",
                InvitationLog::DAILY
            );
            Err(ApiError::RateLimited(why, seconds))
        }
    }
}

/// 429 if this invite was sent within the last ten minutes.
fn check_pause(log: &InvitationLog, invite: &str, now: Timestamp) -> Result<()> {
    match log.wait_for_resend(invite, now) {
        0 => Ok(()),
        seconds => Err(ApiError::RateLimited(
            "An invitation is sent again after ten minutes at the earliest.".into(),
            seconds,
        )),
    }
}

/// Invites each of these addresses that neither belongs to a member nor has an open invite, with
/// its mail: in transactions of at most [`Table::INVITES`].
async fn invite(
    app: &Shared,
    scope: &Officer,
    new: NewId,
    emails: Vec<String>,
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
    let members: HashSet<u64> = app
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
        // What is too much for a day is refused as a whole, before the first is invited.
        let behind = &addressees[(n * Table::INVITES + chunk.len())..];
        match invite_chunk(app, scope, inviter, (chunk, behind), grant, new).await {
            Ok(done) => outcome.invited.extend(done),
            Err(error) if outcome.invited.is_empty() => return Err(error),
            // Those before were invited, and the caller is told how many.
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
        let own = |email: &String| {
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
        // Revoking an invitation and making it again is no way around the pause.
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
            // Somebody else invited one of them at this moment: look again.
            Err(TableError::Refused(Refusal::Changed)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// One invite. Officers.
#[utoipa::path(get, path = "/api/clubs/{club}/invites/{invite}/", tag = "invites", security(("bearer" = [])),
    params(("club" = String, Path), ("invite" = String, Path)), responses((status = 200, body = InviteBody)))]
pub async fn show_invite(scope: Officer<(), InviteOfPath>) -> Json<InviteBody> {
    Json((&scope.object.0).into())
}

/// Revokes an invite: its link stops working. Officers.
#[utoipa::path(delete, path = "/api/clubs/{club}/invites/{invite}/", tag = "invites", security(("bearer" = [])),
    params(("club" = String, Path), ("invite" = String, Path)), responses((status = 204)))]
pub async fn delete_invite(
    State(app): State<Shared>,
    scope: Officer<(), InviteOfPath>,
) -> Result<NoContent> {
    match app.table.delete_invite(&scope.object.0).await {
        Err(TableError::Refused(_)) => Err(ApiError::NotFound),
        done => Ok(done.map(|()| NoContent)?),
    }
}

/// Sends an invite again, expired or not, for another 14 days; older links stop working. At the
/// earliest ten minutes after the last time. Officers whose role is not below the invited one.
#[utoipa::path(post, path = "/api/clubs/{club}/invites/{invite}/resend/", tag = "invites", security(("bearer" = [])),
    params(("club" = String, Path), ("invite" = String, Path)), responses((status = 200, body = InviteBody)))]
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
        // An earlier attempt with the same idempotency key was here.
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
            // Another invitation was sent at this moment; or this one was used, or revoked.
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
