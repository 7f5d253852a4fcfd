//! Whose webhooks the path names, and who may see them.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use shared::db::TableError;
use shared::domain::Webhook;
use shared::ids::of;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::scopes::SessionOnly;
use shared::web::{Admin, ApiError, IfMatch, Owner, PathIds, User};
use shared::{Context, Shared};

/// A caller who may use the webhooks of a club, or those for all clubs.
pub struct Holder {
    /// The caller.
    pub user: User,
    /// The club; none for all clubs.
    pub club: Option<ClubCode>,
    /// The state that the caller is willing to change.
    pub if_match: IfMatch,
    path: PathIds,
}

/// An owner of the club in the path.
pub struct OfClub(pub Holder);
/// An admin, for the webhooks of all clubs.
pub struct OfAll(pub Holder);

impl FromRequestParts<Shared> for OfClub {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, ApiError> {
        let scope: Owner<SessionOnly> = Owner::from_request_parts(parts, state).await?;
        Ok(Self(Holder {
            user: scope.user,
            club: Some(scope.club.code),
            if_match: scope.if_match,
            path: PathIds::from_request_parts(parts, state).await?,
        }))
    }
}

impl FromRequestParts<Shared> for OfAll {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, ApiError> {
        let Admin(user) = Admin::from_request_parts(parts, state).await?;
        Ok(Self(Holder {
            user,
            club: None,
            if_match: IfMatch::of(&parts.headers),
            path: PathIds::from_request_parts(parts, state).await?,
        }))
    }
}

/// A webhook as its holder sees it.
#[derive(Clone)]
pub struct OwnedWebhook {
    /// As it is stored.
    pub webhook: Webhook,
    /// Whether it is on: its creator still has the right to it, and it does not fail for too long.
    pub is_on: bool,
}

impl Holder {
    /// Returns the webhooks: 1 query, and 1 batch read of their creators.
    pub async fn all(&self, app: &Context) -> Result<Vec<OwnedWebhook>, TableError> {
        let webhooks = app.table.webhooks(self.club.as_ref()).await?;
        let creators = app.table.creators_of(&webhooks).await?;
        let now = app.now();
        let owned = webhooks.into_iter().zip(creators);
        let owned = owned.map(|(webhook, (person, membership))| OwnedWebhook {
            is_on: is_on(&webhook, now)
                && Webhook::has_right(
                    person.as_ref(),
                    membership.as_ref(),
                    now.moment().date_naive(),
                ),
            webhook,
        });
        Ok(owned.collect())
    }

    /// Returns the webhook that the path names; none if there is none.
    pub async fn find(&self, app: &Context) -> Result<Option<OwnedWebhook>, TableError> {
        let Some(id) = self.path.id::<of::Webhook>("webhook") else {
            return Ok(None);
        };
        let mut all = self.all(app).await?.into_iter();
        Ok(all.find(|owned| owned.webhook.id() == id))
    }

    /// Returns the webhook that the path names. 404 if there is none.
    pub async fn one(&self, app: &Context) -> Result<OwnedWebhook, ApiError> {
        self.find(app).await?.ok_or(ApiError::NotFound)
    }

    /// Returns the id of the delivery that the path names.
    pub fn delivery(&self) -> Result<u64, ApiError> {
        let id = self.path.id::<()>("delivery").ok_or(ApiError::NotFound)?;
        Ok(id.get())
    }

    /// Returns the path of a webhook in the API.
    pub fn location(&self, webhook: &Webhook) -> String {
        let of = self.club.as_ref().map(|club| format!("clubs/{club}/"));
        format!("/api/{}webhooks/{}/", of.unwrap_or_default(), webhook.id())
    }
}

fn is_on(webhook: &Webhook, now: Timestamp) -> bool {
    webhook.active && !webhook.has_failed(now)
}
