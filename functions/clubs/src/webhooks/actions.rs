//! What can be done with webhooks (Z8).

use aws_lc_rs::rand;
use axum::Json;
use axum::http::HeaderMap;
use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use shared::db::{Refusal, TableError};
use shared::domain::{EncryptedSecret, Webhook, WebhookKey};
use shared::encryption::SecretCipher;
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::receiver_rules::ReceiverRules;
use shared::web::{
    ApiError, Code, Created, IfMatch, Mode, NewId, NoContent, Result, edit, shown_at,
};
use shared::{Context, limits};

use super::bodies::{WebhookBody, WebhookInput};
use super::holder::{Holder, OwnedWebhook};

/// Random bytes of a secret.
const SECRET_BYTES: usize = 32;

/// Makes a secret of a webhook: as it is stored, and its text.
fn new_secret(app: &Context, webhook: Id<of::Webhook>, request: u64) -> (EncryptedSecret, String) {
    let mut bytes = [0_u8; SECRET_BYTES];
    rand::fill(&mut bytes).expect("the system has random numbers");
    let encryption = SecretCipher::new(&app.settings.secrets.invite);
    let encrypted = EncryptedSecret {
        id: request,
        encrypted: encryption.close(&webhook.to_string(), &bytes),
        until: None,
    };
    (
        encrypted,
        format!("whsec_{}", BASE64_STANDARD.encode(bytes)),
    )
}

fn too_many() -> ApiError {
    let limit = limits::WEBHOOKS;
    ApiError::rule(Reason::TooManyWebhooks { limit }).coded(Code::Quota)
}

pub async fn list(app: &Context, holder: &Holder) -> Result<Json<Vec<WebhookBody>>> {
    let mut all = holder.all(app).await?;
    all.sort_by_key(|owned| (owned.webhook.created_at, owned.webhook.id()));
    Ok(Json(all.iter().map(WebhookBody::from).collect()))
}

pub async fn show(app: &Context, holder: &Holder) -> Result<Json<WebhookBody>> {
    Ok(Json((&holder.one(app).await?).into()))
}

pub async fn create(
    app: &Context,
    holder: &Holder,
    new: NewId,
    input: WebhookInput,
) -> Result<Created<WebhookBody>> {
    let id = Id::new(new.id::<of::Webhook>().get());
    let (encrypted, secret) = new_secret(app, id, id.get());
    let mut webhook = Webhook {
        key: WebhookKey {
            club: holder.club.clone(),
            number: 0,
            webhook: id,
        },
        version: id.get(),
        url: String::new(),
        types: vec![],
        description: String::new(),
        active: true,
        creator: holder.user.id(),
        created_at: app.now(),
        on_since: app.now(),
        failing_since: None,
        secrets: vec![encrypted],
    };
    let rules = ReceiverRules::new(&app.settings);
    let active = input.apply(Mode::Create, &rules, &mut webhook)?;
    webhook.active = active.unwrap_or(true);
    holder.user.note_admin().await?;
    let (owned, is_own) = store(app, holder, webhook).await?;
    Ok(Created {
        location: holder.location(&owned.webhook),
        body: WebhookBody::from(&owned).with_secret(is_own.then_some(secret)),
    })
}

/// Stores a new webhook in an empty place. Returns what is stored, and whether it is this one and
/// not that of an earlier attempt of the request.
async fn store(
    app: &Context,
    holder: &Holder,
    mut webhook: Webhook,
) -> Result<(OwnedWebhook, bool)> {
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let all = holder.all(app).await?;
        if let Some(owned) = all.iter().find(|owned| owned.webhook.id() == webhook.id()) {
            let is_own = owned.webhook.secrets == webhook.secrets;
            return Ok((owned.clone(), is_own));
        }
        let is_taken = |number: &u8| all.iter().any(|owned| owned.webhook.key.number == *number);
        let empty = (0..limits::WEBHOOKS).find(|number| !is_taken(number));
        webhook.key.number = empty.ok_or_else(too_many)?;
        match app.table.put_webhook(&webhook).await {
            Ok(()) => {
                let is_on = webhook.active;
                return Ok((OwnedWebhook { webhook, is_on }, true));
            }
            Err(TableError::Refused(Refusal::ReferenceDeleted | Refusal::Deleted)) => {
                return Err(ApiError::NotFound);
            }
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn changed(error: TableError) -> ApiError {
    match error {
        TableError::Refused(Refusal::Changed) => ApiError::Changed,
        TableError::Refused(Refusal::ReferenceDeleted) => ApiError::NotFound,
        other => other.into(),
    }
}

pub async fn update(
    app: &Context,
    holder: &Holder,
    input: WebhookInput,
) -> Result<Json<WebhookBody>> {
    let owned = holder.one(app).await?;
    let rules = &ReceiverRules::new(&app.settings);
    if input.active.sent() == Some(&true) || !input.url.is_absent() {
        holder.user.note_admin().await?;
    }
    let change = async |owned: OwnedWebhook| {
        let mut webhook = owned.webhook.clone();
        let active = input.clone().apply(Mode::Update, rules, &mut webhook)?;
        let mut is_on = owned.is_on;
        let fails = !owned.is_on || webhook.failing_since.is_some();
        let is_moved = webhook.url != owned.webhook.url;
        if is_moved {
            webhook.creator = holder.user.id();
        }
        if is_moved || (active == Some(true) && fails) {
            webhook.failing_since = None;
            webhook.on_since = app.now();
        }
        if let Some(active) = active {
            if active && !owned.is_on {
                webhook.creator = holder.user.id();
            }
            webhook.active = active;
            is_on = active;
        }
        if webhook != owned.webhook {
            let stored = if webhook.active {
                app.table.change_active_webhook(&webhook).await
            } else {
                app.table.change_webhook(&webhook, None).await
            };
            webhook = stored.map_err(changed)?;
        }
        Ok(OwnedWebhook { webhook, is_on })
    };
    let show = |owned: &OwnedWebhook| WebhookBody::from(owned);
    let read = || holder.find(app);
    let owned = edit(app, &holder.if_match, owned, show, read, change).await?;
    Ok(Json((&owned).into()))
}

pub async fn delete(app: &Context, holder: &Holder) -> Result<NoContent> {
    let owned = holder.one(app).await?;
    let change = async |owned: OwnedWebhook| {
        let deleted = app.table.delete_webhook(&owned.webhook).await;
        deleted.map_err(changed)
    };
    let show = |owned: &OwnedWebhook| WebhookBody::from(owned);
    edit(
        app,
        &holder.if_match,
        owned,
        show,
        || holder.find(app),
        change,
    )
    .await?;
    Ok(NoContent)
}

/// Makes a new secret. The earlier ones sign for a day as well.
pub async fn renew_secret(app: &Context, holder: &Holder, new: NewId) -> Result<Response> {
    let owned = holder.one(app).await?;
    let now = app.now();
    let request = new.id::<of::Webhook>().get();
    let (encrypted, secret) = &new_secret(app, owned.webhook.id(), request);
    let change = async |owned: OwnedWebhook| {
        if owned.webhook.secrets.iter().any(|one| one.id == request) {
            return Ok((owned, None));
        }
        let mut webhook = owned.webhook.clone();
        webhook.secrets = owned.webhook.secrets_at(now).cloned().collect();
        if webhook.secrets.len() >= limits::WEBHOOK_SECRETS {
            let why = Reason::TooManySecrets;
            return Err(ApiError::rule(why).coded(Code::Quota));
        }
        for old in &mut webhook.secrets {
            old.until = old.until.or(Some(now.plus(Webhook::OLD_SECRET)));
        }
        webhook.secrets.insert(0, encrypted.clone());
        let stored = app.table.change_webhook(&webhook, None).await;
        let webhook = stored.map_err(changed)?;
        Ok((OwnedWebhook { webhook, ..owned }, Some(secret.clone())))
    };
    let show = |owned: &OwnedWebhook| WebhookBody::from(owned);
    let read = || holder.find(app);
    let any = IfMatch::of(&HeaderMap::new());
    let (owned, secret) = edit(app, &any, owned, show, read, change).await?;
    let body = WebhookBody::from(&owned).with_secret(secret);
    // A repeat shows it without the secret.
    Ok(shown_at(holder.location(&owned.webhook), Json(body)))
}
