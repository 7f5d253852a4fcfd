//! What tokens may do (Z3). The first type of a handler's argument ([`super::Officer`],
//! [`super::SignedIn`], [`super::Owner`], [`super::Caller`]) names the scope that a token needs for
//! the route. A route cannot be written without one.

use crate::domain::TokenScope;

/// What a token needs for a route.
pub trait Permit: Send + Sync + 'static {
    /// The scope that it needs; none if the route is never for tokens.
    const SCOPE: Option<TokenScope>;
    /// Whether its person must have the rights of an officer, also where members may do the same.
    const OFFICERS: bool = true;
}

/// Never for tokens: what a person does for themselves, and what only admins do.
#[derive(Debug)]
pub struct SessionOnly;

impl Permit for SessionOnly {
    const SCOPE: Option<TokenScope> = None;
}

macro_rules! permits {
    ($($(#[doc = $doc:literal])+ $name:ident $(officers $officers:literal)?),+ $(,)?) => {$(
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub struct $name;

        impl Permit for $name {
            const SCOPE: Option<TokenScope> = Some(TokenScope::$name);
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
