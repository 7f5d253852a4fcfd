//! The caller of a request, and their profile.

use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use tokio::sync::OnceCell;

use super::error::ApiError;
use crate::auth::Identity;
use crate::db::TableError;
use crate::domain::{Notices, Person, Personal};
use crate::ids::Id;
use crate::state::Shared;
use crate::time::Timestamp;

/// A signed-in caller. A handler with the argument `User` needs credentials; one with
/// `Option<User>` does not.
#[derive(Clone)]
pub struct User(Arc<Inner>);

struct Inner {
    identity: Identity,
    app: Shared,
    person: OnceCell<Person>,
}

impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "User({})", self.id())
    }
}

impl User {
    /// Returns the caller that the headers identify: none without credentials, 401 for invalid
    /// ones.
    pub(crate) async fn authenticate(
        app: &Shared,
        headers: &HeaderMap,
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
        let identity = app.verifier.verify(token, app.clock.now()).await?;
        Ok(Some(Self(Arc::new(Inner {
            identity,
            app: app.clone(),
            person: OnceCell::new(),
        }))))
    }

    /// Returns the user id.
    pub fn id(&self) -> Id<Person> {
        self.0.identity.id
    }

    /// Returns whether they are an admin.
    pub fn is_admin(&self) -> bool {
        self.0.identity.is_admin
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
        let clubs_created = if stored.is_some() {
            0
        } else {
            app.table.creations(identity.id).await?
        };
        let mut person = stored.clone().unwrap_or_else(|| Person {
            id: identity.id,
            personal: Personal::default(),
            former_emails: vec![],
            token_issued_at: identity.issued_at,
            graduation_year: None,
            school: vec![],
            major: vec![],
            image_url: None,
            subject: identity.subject.clone(),
            clubs_created,
            clubs_owned: 0,
            created_at: Timestamp::at(app.clock.now()),
            erasing: false,
            calendar: 0,
            notices: Notices::default(),
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
                }
                done => done?,
            }
        }
        app.known_people.saw(identity, app.clock.now());
        Ok(person)
    }

    /// Stores the profile if it may be new or changed. No read is needed for somebody whose profile
    /// was checked recently.
    pub(crate) async fn remember(&self) -> Result<(), ApiError> {
        let app = &self.0.app;
        if app.known_people.knows(&self.0.identity, app.clock.now()) {
            return Ok(());
        }
        self.person().await.map(drop)
    }
}

fn merged(known: &Personal, said: &Identity) -> Personal {
    let first_name = said
        .first_name
        .clone()
        .or_else(|| Some(said.name.as_deref()?.split_once(' ')?.0.to_owned()));
    let last_name = said
        .last_name
        .clone()
        .or_else(|| Some(said.name.as_deref()?.split_once(' ')?.1.trim().to_owned()));
    let both = match (&first_name, &last_name) {
        (Some(first), Some(last)) => Some(format!("{first} {last}")),
        (first, last) => first.clone().or_else(|| last.clone()),
    };
    let name = said
        .name
        .clone()
        .or(both)
        .or_else(|| (!known.name.is_empty()).then(|| known.name.clone()));
    let name = name.unwrap_or_else(|| said.username.clone());
    Personal {
        first_name: first_name.or_else(|| said.name.clone()).unwrap_or_else(|| {
            if known.first_name.is_empty() {
                name.clone()
            } else {
                known.first_name.clone()
            }
        }),
        last_name: last_name.unwrap_or_else(|| {
            if said.name.is_some() {
                String::new()
            } else {
                known.last_name.clone()
            }
        }),
        username: said.username.clone(),
        email: said.email.clone().unwrap_or_else(|| known.email.clone()),
        name,
    }
}

impl FromRequestParts<Shared> for User {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, ApiError> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or(ApiError::Unauthenticated)
    }
}

impl OptionalFromRequestParts<Shared> for User {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Option<Self>, ApiError> {
        Ok(parts.extensions.get::<Self>().cloned())
    }
}
