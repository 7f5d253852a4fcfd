//! What tokens may do (Z3). The first type of a handler's argument ([`super::Officer`],
//! [`super::SignedIn`], [`super::Owner`], [`super::Caller`]) names the scope that a token needs for
//! the route. A route cannot be written without one.

use crate::domain::TokenScope;

/// What a token needs for a route.
pub trait Permit: Send + Sync + 'static {
    /// The scopes of which it needs one; none if the route is never for tokens.
    const SCOPES: &'static [TokenScope];
    /// Whether its person must have the rights of an officer, also where members may do the same.
    const OFFICERS: bool = true;
}

/// Never for tokens: what a person does for themselves, and what only admins do.
#[derive(Debug)]
pub struct SessionOnly;

impl Permit for SessionOnly {
    const SCOPES: &'static [TokenScope] = &[];
}

/// Any of the scopes to read. The handler shows what the token may read.
#[derive(Debug)]
pub struct AnyRead;

impl Permit for AnyRead {
    const SCOPES: &'static [TokenScope] = &[
        TokenScope::ClubsRead,
        TokenScope::MembersRead,
        TokenScope::RecruitmentRead,
    ];
}

/// `clubs:read`
#[derive(Debug)]
pub struct ClubsRead;

impl Permit for ClubsRead {
    const SCOPES: &'static [TokenScope] = &[TokenScope::ClubsRead];
    const OFFICERS: bool = false;
}

/// `clubs:write`
#[derive(Debug)]
pub struct ClubsWrite;

impl Permit for ClubsWrite {
    const SCOPES: &'static [TokenScope] = &[TokenScope::ClubsWrite];
    const OFFICERS: bool = false;
}

/// `members:read`
#[derive(Debug)]
pub struct MembersRead;

impl Permit for MembersRead {
    const SCOPES: &'static [TokenScope] = &[TokenScope::MembersRead];
}

/// `members:write`
#[derive(Debug)]
pub struct MembersWrite;

impl Permit for MembersWrite {
    const SCOPES: &'static [TokenScope] = &[TokenScope::MembersWrite];
}

/// `recruitment:read`
#[derive(Debug)]
pub struct RecruitmentRead;

impl Permit for RecruitmentRead {
    const SCOPES: &'static [TokenScope] = &[TokenScope::RecruitmentRead];
}

/// `recruitment:write`
#[derive(Debug)]
pub struct RecruitmentWrite;

impl Permit for RecruitmentWrite {
    const SCOPES: &'static [TokenScope] = &[TokenScope::RecruitmentWrite];
}

/// `events:write`
#[derive(Debug)]
pub struct EventsWrite;

impl Permit for EventsWrite {
    const SCOPES: &'static [TokenScope] = &[TokenScope::EventsWrite];
}

/// `mail:send`
#[derive(Debug)]
pub struct MailSend;

impl Permit for MailSend {
    const SCOPES: &'static [TokenScope] = &[TokenScope::MailSend];
}
