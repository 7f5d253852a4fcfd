//! Links of invites, and join links. The token of an invite is derived when the mail is sent. It is
//! never stored, previewed or
//! logged (I4).

use askama::Template;
use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use super::decision::Message;
use super::rendered;
use crate::domain::{InviteLink, MailKind};
use crate::ids::{Id, of};
use crate::settings::{Secret, Settings};
use crate::text::ClubCode;

/// Text that previews show instead of the link.
pub const PREVIEW_LINK: &str = "(a personal link, made when the mail is sent)";

fn signed(club: &ClubCode, invite: &str, version: u64) -> Vec<u8> {
    // Codes and ids contain no line breaks, so the three parts cannot be confused.
    format!("invite\n{club}\n{invite}\n{version}").into_bytes()
}

fn key(secret: &Secret) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, secret.reveal())
}

/// Returns the token of one version of an invite.
pub fn token(secret: &Secret, club: &ClubCode, invite: &str, version: u64) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(hmac::sign(&key(secret), &signed(club, invite, version)))
}

/// Returns whether this is the right token. The comparison takes constant time.
pub fn token_matches(
    secret: &Secret,
    club: &ClubCode,
    invite: &str,
    version: u64,
    token: &str,
) -> bool {
    let Ok(bytes) = BASE64_URL_SAFE_NO_PAD.decode(token) else {
        return false;
    };
    hmac::verify(&key(secret), &signed(club, invite, version), &bytes).is_ok()
}

/// Returns the token of a join link.
fn join_token(secret: &Secret, club: &ClubCode, link: Id<of::JoinLink>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(hmac::sign(&key(secret), &signed_join(club, link)))
}

/// Returns whether this is the token of a join link. The comparison takes constant time.
pub fn join_token_matches(
    secret: &Secret,
    club: &ClubCode,
    link: Id<of::JoinLink>,
    token: &str,
) -> bool {
    let Ok(bytes) = BASE64_URL_SAFE_NO_PAD.decode(token) else {
        return false;
    };
    hmac::verify(&key(secret), &signed_join(club, link), &bytes).is_ok()
}

fn signed_join(club: &ClubCode, link: Id<of::JoinLink>) -> Vec<u8> {
    format!("join\n{club}\n{link}").into_bytes()
}

/// Returns the URL of a join link.
pub fn join_url(settings: &Settings, club: &ClubCode, link: Id<of::JoinLink>) -> String {
    let token = join_token(&settings.secrets.invite, club, link);
    format!("{}/join/{club}/{link}/{token}", settings.addresses.site_url)
}

/// Returns the URL that an invited person opens.
pub fn invite_url(settings: &Settings, link: &InviteLink) -> String {
    let InviteLink {
        club,
        invite,
        version,
        ..
    } = link;
    let token = token(&settings.secrets.invite, club, invite, *version);
    format!(
        "{}/invite/{club}/{invite}/{token}",
        settings.addresses.site_url
    )
}

#[derive(Template)]
#[template(path = "mail/invite_link.html")]
struct LinkHtml<'a> {
    words: &'a str,
    link: &'a str,
}

#[derive(Template)]
#[template(path = "mail/invite_link.txt")]
struct LinkText<'a> {
    words: &'a str,
    link: &'a str,
}

/// Returns the mail with the link of the invitation below its text. Below the words of a club,
/// which may be in any language, the line is in both languages of the service.
pub fn with_invite(message: Message, kind: MailKind, link: &str) -> Message {
    let words = if kind == MailKind::Invitation {
        "Join the club here, within 14 days"
    } else {
        "Join the club / Dem Club beitreten (14 days / 14 Tage)"
    };
    Message {
        html: message.html + &rendered(&LinkHtml { words, link }),
        text: message.text + &rendered(&LinkText { words, link }),
        ..message
    }
}
