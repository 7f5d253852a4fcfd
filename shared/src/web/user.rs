//! The caller of a request, and their profile.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use tokio::sync::OnceCell;

use super::error::ApiError;
use super::grant::{grant_of, is_first_today, only_writes, permit};
use super::request::ClientAddress;
use super::scopes::{Permit, SessionOnly};
use crate::auth::{Identity, is_secret};
use crate::db::TableError;
use crate::domain::{Person, Personal, Token, TokenScope};
use crate::ids::{Id, of};
use crate::state::{Context, Shared};
use crate::text::ClubCode;
use crate::text::name_parts;
use crate::time::Timestamp;

/// A signed-in caller. A handler with the argument `User` needs a session; one with `Option<User>`
/// needs no credentials, and a token counts as none. Handlers for tokens have [`Caller`], or an
/// argument of [`super::access`].
#[derive(Clone)]
pub struct User(Arc<Inner>);

struct Inner {
    identity: Identity,
    /// None in a session.
    token: Option<Token>,
    /// The scope that the route needed.
    used: OnceLock<TokenScope>,
    /// Whether the day of use of the token was noted by this request.
    is_noted: AtomicBool,
    app: Context,
    person: OnceCell<Person>,
}

/// Whoever sent the request, with a session or a token, before anything is permitted.
#[derive(Clone)]
pub(super) struct Sender(pub User);

/// A caller with a session, or with a token that has this scope and is for all clubs.
#[derive(Debug)]
pub struct Caller<P>(pub User, pub PhantomData<P>);

impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "User({})", self.id())
    }
}

impl User {
    /// Returns the caller that the headers identify: none without credentials, 401 for invalid
    /// ones.
    pub(crate) async fn authenticate(
        app: &Context,
        headers: &HeaderMap,
        address: &ClientAddress,
    ) -> Result<Option<Self>, ApiError> {
        let Some(value) = headers.get(header::AUTHORIZATION) else {
            return Ok(None);
        };
        let text = value.to_str().unwrap_or_default();
        let token = text
            .split_once(' ')
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token.trim());
        let token = token.ok_or_else(|| ApiError::BadToken("expected a bearer token".into()))?;
        let (identity, token) = if is_secret(token) {
            let grant = grant_of(app, address, token).await?;
            (grant.identity, Some(grant.token))
        } else {
            (app.verifier.verify(token, app.clock.now()).await?, None)
        };
        Ok(Some(Self(Arc::new(Inner {
            identity,
            token,
            used: OnceLock::new(),
            is_noted: AtomicBool::new(false),
            app: app.clone(),
            person: OnceCell::new(),
        }))))
    }

    /// Returns the token that the caller has instead of a session.
    pub fn token(&self) -> Option<&Token> {
        self.0.token.as_ref()
    }

    /// Returns whether they have a token that may not read what it writes (Z3).
    pub(super) fn only_writes(&self) -> bool {
        let used = self.0.used.get().copied();
        self.token().is_some_and(|token| only_writes(token, used))
    }

    /// Returns the user id.
    pub fn id(&self) -> Id<of::Person> {
        self.0.identity.id
    }

    /// Returns whether they are an admin.
    pub fn is_admin(&self) -> bool {
        self.0.identity.is_admin
    }

    /// When the caller's token was issued, in seconds since 1970.
    pub fn issued_at(&self) -> i64 {
        self.0.identity.issued_at
    }

    /// Returns the caller's profile. A new profile is stored, and a stored one is updated if the
    /// token has different claims. The profile is read at most once in each request.
    pub async fn person(&self) -> Result<&Person, ApiError> {
        self.0.person.get_or_try_init(|| self.load()).await
    }

    async fn load(&self) -> Result<Person, ApiError> {
        let app = &self.0.app;
        let identity = &self.0.identity;
        let stored = app.table.person(identity.id).await?;
        if self.0.token.is_some() {
            let there = stored.filter(|person| !person.erasing);
            return there.ok_or_else(|| ApiError::BadToken("its person was erased".into()));
        }
        if stored.as_ref().is_some_and(|person| person.erasing) {
            return Err(ApiError::Erasing);
        }
        let today = app.clock.now().date_naive();
        let clubs_created = if stored.is_some() {
            0
        } else {
            app.table.creations(identity.id).await?
        };
        let mut person = stored.clone().unwrap_or_else(|| {
            let (subject, now) = (identity.subject.clone(), Timestamp::at(app.clock.now()));
            Person {
                token_issued_at: identity.issued_at,
                clubs_created,
                ..Person::new(identity.id, subject, Personal::default(), now)
            }
        });
        if person.subject != identity.subject {
            // Ids have only 53 bits. If an issuer lets people choose their subject, two subjects
            // could be made to have the same id.
            return Err(ApiError::BadToken(
                "its user id already belongs to another subject".into(),
            ));
        }
        // Two tokens of one person may differ. The claims of the newer token are used.
        let personal = merged(&person.personal, identity);
        if identity.issued_at >= person.token_issued_at && personal != person.personal {
            person.take_claims(personal, identity.issued_at);
            let stored = match &stored {
                None => app.table.create_person(&person).await,
                Some(old) => app.table.update_claims(old, &person).await,
            };
            match stored {
                // A concurrent request has stored the profile already: that one counts.
                Err(TableError::Refused(_)) => {
                    let theirs = app.table.person(identity.id).await?;
                    let same = |theirs: &Person| theirs.subject == identity.subject;
                    person = theirs.filter(same).unwrap_or(person);
                    if person.erasing {
                        return Err(ApiError::Erasing);
                    }
                }
                done => done?,
            }
        }
        if person.signed_in_on.is_some_and(|on| on < today) {
            // A later request does it if this one cannot. Nobody has to wait for it.
            if let Err(error) = app.table.note_return(&person, today).await {
                tracing::warn!(%error, "the day of a session was not stored");
            }
        }
        if let Some(seen) = person.admin_seen.and_then(|seen| seen_as(identity, seen))
            && let Err(error) = app.table.note_admin(&person, seen).await
        {
            tracing::warn!(%error, "the right of an admin was not stored");
        }
        app.profiles.saw(identity, app.clock.now());
        Ok(person)
    }

    /// Stores the profile if it may be new or changed. No read is needed for somebody whose profile
    /// was checked recently.
    ///
    /// For a token, the day of its use is stored once a day.
    pub(crate) async fn remember(&self) -> Result<(), ApiError> {
        let app = &self.0.app;
        if let Some(token) = &self.0.token {
            if is_first_today(app, token) && !self.0.is_noted.swap(true, Ordering::Relaxed) {
                let today = app.clock.now().date_naive();
                app.table.use_token(token, today).await?;
                app.grants.was_used(token, today);
            }
            return Ok(());
        }
        if app.profiles.knows(&self.0.identity, app.clock.now()) {
            return Ok(());
        }
        self.person().await.map(drop)
    }

    /// Notes that the caller is an admin, if they are one: what they make as an admin works as long
    /// as they are.
    pub async fn note_admin(&self) -> Result<(), ApiError> {
        let person = self.person().await?;
        let issued_at = self.issued_at();
        let is_stored = person
            .admin_seen
            .is_some_and(|seen| seen > 0 && issued_at - seen < DAY);
        if self.is_admin() && !is_stored {
            self.0.app.table.note_admin(person, issued_at).await?;
        }
        Ok(())
    }
}

fn merged(stored_data: &Personal, claims: &Identity) -> Personal {
    let parts = claims.name.as_deref().map(name_parts);
    let first_name = claims.first_name.clone();
    let first_name = first_name.or_else(|| Some(parts?.0.to_owned()));
    let last_name = claims.last_name.clone();
    let last_name = last_name.or_else(|| Some(parts?.1.to_owned()));
    let both = match (&first_name, &last_name) {
        (Some(first), Some(last)) => Some(format!("{first} {last}")),
        (first, last) => first.clone().or_else(|| last.clone()),
    };
    let name = claims
        .name
        .clone()
        .or(both)
        .or_else(|| (!stored_data.name.is_empty()).then(|| stored_data.name.clone()));
    let name = name.unwrap_or_else(|| claims.username.clone());
    Personal {
        first_name: first_name
            .or_else(|| claims.name.clone())
            .unwrap_or_else(|| {
                if stored_data.first_name.is_empty() {
                    name.clone()
                } else {
                    stored_data.first_name.clone()
                }
            }),
        last_name: last_name.unwrap_or_else(|| {
            if claims.name.is_some() {
                String::new()
            } else {
                stored_data.last_name.clone()
            }
        }),
        username: claims.username.clone(),
        email: claims
            .email
            .clone()
            .unwrap_or_else(|| stored_data.email.clone()),
        name,
    }
}

impl Sender {
    /// Returns whoever sent the request; none without credentials.
    pub(super) fn of(parts: &Parts) -> Option<User> {
        parts
            .extensions
            .get::<Self>()
            .map(|sender| sender.0.clone())
    }
}

/// Returns the caller on a route of a club, if a session or a token with this scope was sent.
pub fn caller<P: Permit>(parts: &Parts, club: Option<&ClubCode>) -> Result<User, ApiError> {
    let user = Sender::of(parts).ok_or(ApiError::Unauthenticated)?;
    if let Some(token) = user.token() {
        let scope = permit::<P>(token, club, parts)?;
        let _ = user.0.used.set(scope);
    }
    Ok(user)
}

impl<P: Permit> FromRequestParts<Shared> for Caller<P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, ApiError> {
        Ok(Self(caller::<P>(parts, None)?, PhantomData))
    }
}

impl FromRequestParts<Shared> for User {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, ApiError> {
        let caller = Caller::<SessionOnly>::from_request_parts(parts, state).await?;
        Ok(caller.0)
    }
}

impl OptionalFromRequestParts<Shared> for User {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Option<Self>, ApiError> {
        Ok(Sender::of(parts).filter(|user| user.token().is_none()))
    }
}

/// How often it is noted that somebody is an admin, in seconds.
const DAY: i64 = 86_400;

/// What is to be noted about somebody who was an admin, see [`Person::admin_seen`]. Of two tokens
/// the newer one counts; of two of the same second, the one without the right.
fn seen_as(identity: &Identity, seen: i64) -> Option<i64> {
    let issued_at = identity.issued_at;
    if identity.is_admin {
        let is_new = issued_at > seen.abs() + if seen > 0 { DAY } else { 0 };
        return is_new.then_some(issued_at);
    }
    (seen > 0 && issued_at >= seen).then_some(-issued_at)
}
