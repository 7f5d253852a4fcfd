//! `/clubs/{club}/invite/`

use std::collections::HashSet;

use axum::Json;
use serde::Serialize;
use shared::domain::Role;
use shared::reason::Reason;
use shared::text::Email;
use shared::text::kinds::Line;
use shared::web::scopes::MembersWrite;
use shared::web::{Input, Mode, NewId, Officer, Reader, Result};
use shared::{Context, limits};
use utoipa::ToSchema;

use crate::invitations::{invite, read_grant};

shared::input! {
    /// An invitation of many addresses.
    pub struct NewInvites {
        /// At most 100 addresses, separated by commas, semicolons or white space.
        emails: String, Required;
        /// 0 owner, 10 officer, 20 member (default). Not above the role of the caller.
        role: Role, Optional;
        /// Title of the new members. One line, at most 255 characters.
        title: Line, Optional;
    }
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

/// Invite many addresses.
///
/// For officers of an approved club. Members and addresses with an open invite are skipped. If one
/// address is wrong, nobody is invited. A club can send at most 300 invitations in 24 hours.
#[utoipa::path(
    post, path = "/api/clubs/{club}/invite/", tag = "invites",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(("club" = String, Path)), request_body = NewInvites,
    responses((status = 200, body = InvitedBody))
)]
pub async fn create_invites(
    app: Context,
    scope: Officer<MembersWrite>,
    new: NewId,
    Input(input): Input<NewInvites>,
) -> Result<Json<InvitedBody>> {
    let mut reader = Reader::new(Mode::Create);
    let (role, title) = read_grant(&scope, &mut reader, input.role, input.title)?;
    let text = reader.get(input.emails).unwrap_or_default();
    let emails = read_addresses(&text, &mut reader);
    if emails.len() > limits::INVITED {
        reader.errors.add(
            "emails",
            Reason::TooMany {
                limit: limits::INVITED,
            },
        );
    } else if emails.is_empty() && !reader.errors.has("emails") {
        reader.errors.add("emails", Reason::TooFew { minimum: 1 });
    }
    reader.finish()?;
    let all = emails.len();
    let outcome = invite(&app, &scope, new, emails, role, &title).await?;
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

/// The addresses of a text, each once, in lower case. They are separated by commas, semicolons or
/// white space. The first wrong one is reported, and ends the list.
fn read_addresses(text: &str, reader: &mut Reader) -> Vec<Email> {
    let mut emails: Vec<Email> = Vec::new();
    let mut seen = HashSet::new();
    for word in text
        .split(|c: char| c == ',' || c == ';' || c.is_whitespace())
        .filter(|word| !word.is_empty())
    {
        let Some(email) = Email::parse(word).map(|email| email.folded()) else {
            let value = word.chars().take(100).collect();
            let why = Reason::WrongAddress { value };
            reader.errors.add("emails", why);
            break;
        };
        if seen.insert(email.clone()) {
            emails.push(email);
        }
    }
    emails
}
