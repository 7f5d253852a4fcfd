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

macro_rules! permits {
    ($($(#[doc = $doc:literal])+ $name:ident $(officers $officers:literal)?),+ $(,)?) => {$(
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub struct $name;

        impl Permit for $name {
            const SCOPES: &'static [TokenScope] = &[TokenScope::$name];
            $(const OFFICERS: bool = $officers;)?
        }
    )+};
}

permits! {
    /// `clubs:read`
    ClubsRead officers false,
    /// `clubs:write`
    ClubsWrite officers false,
    /// `members:read`
    MembersRead,
    /// `members:write`
    MembersWrite,
    /// `recruitment:read`
    RecruitmentRead,
    /// `recruitment:write`
    RecruitmentWrite,
    /// `events:write`
    EventsWrite,
    /// `mail:send`
    MailSend,
}
