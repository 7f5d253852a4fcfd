//! `/clubs/{club}/invites/`, `…/{invite}/`, `…/{invite}/resend/`, `/clubs/{club}/invite/`

use std::collections::HashSet;

use axum::Json;
use axum::extract::State;
use chrono::TimeDelta;
use futures::stream::{self, StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use shared::auth::User;
use shared::http::{
    ApiError, Created, Field, Input, Late, Load, Mode, Need, NoContent, Officer, OrRefused, PathIds, Reader, Result, Rights, is_email,
};
use shared::mail::invitation;
use shared::models::{Invite, Mail, Person, Personal, Role};
use shared::table::{EDITS, InviteRefusal, Inviting, PARALLEL, Table};
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
    /// From then on it cannot be used, until it is sent anew.
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
        let invite = if Invite::is_id(id) { app.table.invite(path.text("club"), id).await? } else { None };
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
fn read_grant(scope: &Officer, reader: &mut Reader, role: Field<Role>, title: Field<String>) -> Result<(Role, String)> {
    let role = reader.value("role", role, Need::Optional).unwrap_or(Role::Member);
    if !scope.reaches(role) {
        return Err(ApiError::Forbidden);
    }
    let mut text = String::new();
    reader.line("title", title, Need::Optional, &mut text);
    Ok((role, text))
}

/// The invites of a club that were neither used nor revoked, the latest first; expired ones for 30 days. Officers.
#[utoipa::path(get, path = "/api/clubs/{club}/invites/", tag = "invites", security(("bearer" = [])), params(("club" = String, Path)),
    responses((status = 200, body = Vec<InviteBody>)))]
pub async fn list_invites(State(app): State<Shared>, scope: Officer) -> Result<Json<Vec<InviteBody>>> {
    let mut invites = app.table.invites(&scope.club.code).await?;
    invites.sort_by(|a, b| b.updated_at.cmp(&a.updated_at).then_with(|| a.email.cmp(&b.email)));
    Ok(Json(invites.iter().map(InviteBody::from).collect()))
}

/// Invites an address by e-mail, with a role that is not above the caller's own. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/invites/", tag = "invites", security(("bearer" = [])), params(("club" = String, Path)),
    request_body = NewInvite, responses((status = 201, body = InviteBody)))]
pub async fn create_invite(
    State(app): State<Shared>,
    scope: Officer,
    rights: Rights,
    Late(Input(input)): Late<Input<NewInvite>>,
) -> Result<Created<InviteBody>> {
    let mut reader = Reader::new(Mode::Create);
    let (role, title) = read_grant(&scope, &mut reader, input.role, input.title)?;
    rights.hold()?;
    let mut email = String::new();
    reader.email("email", input.email, Need::Required, &mut email);
    reader.finish()?;
    let email = email.to_lowercase();
    let outcome = invite(&app, &scope, vec![email], role, &title).await?;
    if let Some(invite) = outcome.invited.first() {
        let location = format!("/api/clubs/{}/invites/{}/", invite.club, invite.id);
        return Ok(Created { location, body: invite.into() });
    }
    let why = if outcome.members > 0 { "This is a member's address." } else { "This address has an open invite." };
    Err(ApiError::field("email", why))
}

/// Invites up to 100 addresses; members and open invites are skipped. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/invite/", tag = "invites", security(("bearer" = [])), params(("club" = String, Path)),
    request_body = NewInvites, responses((status = 200, body = InvitedBody)))]
pub async fn create_invites(
    State(app): State<Shared>,
    scope: Officer,
    rights: Rights,
    Late(Input(input)): Late<Input<NewInvites>>,
) -> Result<Json<InvitedBody>> {
    let mut reader = Reader::new(Mode::Create);
    let (role, title) = read_grant(&scope, &mut reader, input.role, input.title)?;
    rights.hold()?;
    let text = reader.value("emails", input.emails, Need::Required).unwrap_or_default();
    let mut emails: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    for email in text.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|email| !email.is_empty()) {
        if !is_email(email) {
            let shown: String = email.chars().take(100).collect();
            reader.errors.add("emails", format!("{shown:?} is not an e-mail address."));
        } else if known.insert(email.to_lowercase()) {
            emails.push(email.to_lowercase());
        }
        if reader.errors.has("emails") {
            break;
        }
    }
    if emails.len() > limits::INVITED {
        reader.errors.add("emails", format!("At most {} addresses are allowed.", limits::INVITED));
    } else if emails.is_empty() && !reader.errors.has("emails") {
        reader.errors.add("emails", "Give at least one address.");
    }
    reader.finish()?;
    let all = emails.len();
    let outcome = invite(&app, &scope, emails, role, &title).await?;
    let sent = outcome.invited.len();
    let skipped = all - sent - outcome.left;
    let mut detail = format!("{sent} invitations sent, {skipped} addresses skipped.");
    if outcome.left > 0 {
        detail = format!("{detail} {} addresses could not be invited now: send them again.", outcome.left);
    }
    Ok(Json(InvitedBody { detail, sent, skipped }))
}

#[derive(Default)]
struct Outcome {
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
        let accepted = self.people.iter().map(|person| Invite::id_for_accepted(code, *person));
        std::iter::once(Invite::id_for_address(code, &self.email)).chain(accepted)
    }
}

/// The inviter, unless they do not want to be shown in this club.
fn shown_inviter<'a, O>(scope: &Officer<(), O>, inviter: &'a Person) -> Option<&'a Personal> {
    scope.membership.as_ref().is_none_or(|own| own.public).then_some(&inviter.personal)
}

/// Invites each of these addresses that neither belongs to a member nor has an open invite, with its mail: in
/// transactions of at most [`Table::INVITES`].
async fn invite(app: &Shared, scope: &Officer, emails: Vec<String>, role: Role, title: &str) -> Result<Outcome> {
    let (code, mut outcome) = (&scope.club.code, Outcome::default());
    let mut addressees: Vec<Addressee> = stream::iter(emails)
        .map(async |email| app.table.people_at(&email).await.map(|people| Addressee { email, people }))
        .buffered(PARALLEL)
        .try_collect()
        .await?;
    let people = addressees.iter().flat_map(|addressee| addressee.people.iter().copied());
    let members: HashSet<u64> = app.table.members_among(code, people).await?.into_iter().map(|member| member.person).collect();
    let all = addressees.len();
    addressees.retain(|addressee| addressee.people.iter().all(|person| !members.contains(person)));
    outcome.members = all - addressees.len();
    let inviter = scope.user.person().await?;
    for (n, chunk) in addressees.chunks(Table::INVITES).enumerate() {
        match invite_chunk(app, scope, inviter, chunk, (role, title)).await {
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
    chunk: &[Addressee],
    (role, title): (Role, &str),
) -> Result<Vec<Invite>> {
    let code = &scope.club.code;
    for _ in 0..EDITS {
        let now = app.now();
        let there = app.table.invites_by_id(code, chunk.iter().flat_map(|addressee| addressee.invite_ids(code))).await?;
        let is_open = |email: &String| there.iter().any(|invite| invite.email == *email && invite.is_open(now));
        let new = chunk.iter().filter(|addressee| !is_open(&addressee.email)).map(|Addressee { email, .. }| {
            let invite = Invite {
                id: Invite::id_for_address(code, email),
                club: code.clone(),
                email: email.clone(),
                role,
                title: title.to_owned(),
                version: app.next_id(),
                by: scope.authority().map(|own| own.id),
                expires_at: now.plus(TimeDelta::days(Invite::DAYS)),
                updated_at: now,
            };
            let mail = invitation(&scope.club, shown_inviter(scope, inviter), &invite);
            (invite, mail)
        });
        let new: Vec<(Invite, Mail)> = new.collect();
        if new.is_empty() {
            return Ok(vec![]);
        }
        let replaces = |invite: &Invite| there.iter().find(|old| old.id == invite.id).map(|old| old.version);
        let writes: Vec<Inviting<'_>> = new.iter().map(|(invite, mail)| Inviting { invite, replaces: replaces(invite), mail }).collect();
        match app.table.put_invites(&writes, scope.authority()).await? {
            Ok(()) => return Ok(new.into_iter().map(|(invite, _)| invite).collect()),
            Err(InviteRefusal::Authority) => return Err(ApiError::Forbidden),
            // Somebody else invited one of them at this moment: look again.
            Err(InviteRefusal::Changed) => {}
        }
    }
    Err(ApiError::Busy)
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
pub async fn delete_invite(State(app): State<Shared>, scope: Officer<(), InviteOfPath>) -> Result<NoContent> {
    app.table.delete_invite(&scope.object.0).await.or_refused(|| ApiError::NotFound)?;
    Ok(NoContent)
}

/// Sends an invite anew, expired or not, for another 14 days; older links stop working. Officers whose role is not below the invited one.
#[utoipa::path(post, path = "/api/clubs/{club}/invites/{invite}/resend/", tag = "invites", security(("bearer" = [])),
    params(("club" = String, Path), ("invite" = String, Path)), responses((status = 200, body = InviteBody)))]
pub async fn resend_invite(State(app): State<Shared>, scope: Officer<(), InviteOfPath>, rights: Rights) -> Result<Json<InviteBody>> {
    let old = &scope.object.0;
    if !scope.reaches(old.role) {
        return Err(ApiError::Forbidden);
    }
    rights.hold()?;
    let now = app.now();
    let by = scope.authority().map(|own| own.id);
    let invite = Invite { version: app.next_id(), by, expires_at: now.plus(TimeDelta::days(Invite::DAYS)), updated_at: now, ..old.clone() };
    let mail = invitation(&scope.club, shown_inviter(&scope, scope.user.person().await?), &invite);
    let write = Inviting { invite: &invite, replaces: Some(old.version), mail: &mail };
    match app.table.put_invites(&[write], scope.authority()).await? {
        Ok(()) => Ok(Json((&invite).into())),
        Err(InviteRefusal::Authority) => Err(ApiError::Forbidden),
        // Sent anew by somebody else at this moment, which does as well; or used, or revoked.
        Err(InviteRefusal::Changed) => {
            let invite = app.table.invite(&old.club, &old.id).await?.ok_or(ApiError::NotFound)?;
            Ok(Json((&invite).into()))
        }
    }
}
