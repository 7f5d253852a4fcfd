//! Deliveries of webhooks, tests, and attempts that officers ask for (Z9).

use axum::Json;
use axum::http::StatusCode;
use chrono::TimeDelta;
use shared::db::TableError;
use shared::domain::{Delivery, Notification, Webhook};
use shared::ids::made_at;
use shared::reason::Reason;
use shared::time::Timestamp;
use shared::web::{ApiError, NewId, Result};
use shared::{Context, limits};

use super::bodies::DeliveryBody;
use super::holder::Holder;

/// 202: it is done soon.
pub type Accepted = (StatusCode, Json<DeliveryBody>);

fn accepted(delivery: &Delivery) -> Accepted {
    (StatusCode::ACCEPTED, Json(delivery.into()))
}

/// Returns the webhook that the path names, if it is on.
async fn one_that_is_on(app: &Context, holder: &Holder) -> Result<Webhook> {
    let owned = holder.one(app).await?;
    if !owned.is_on {
        return Err(ApiError::rule(Reason::WebhookOff));
    }
    Ok(owned.webhook)
}

pub async fn list(app: &Context, holder: &Holder) -> Result<Json<Vec<DeliveryBody>>> {
    let owned = holder.one(app).await?;
    let deliveries = app.table.deliveries(owned.webhook.id()).await?;
    Ok(Json(deliveries.iter().map(DeliveryBody::from).collect()))
}

/// Within this time, calls that somebody asked for are counted.
const COUNTED: TimeDelta = TimeDelta::hours(1);

/// It is 429 if as many calls were asked for within an hour as there may be, tests and further
/// attempts together: each is a call to an address that somebody chose. The last request for a
/// test, or for another attempt, is `id`.
fn check_calls(deliveries: &[Delivery], id: u64, now: Timestamp) -> Result<()> {
    let asked = deliveries.iter().flat_map(|one| {
        let test = one.notification.change_type.is_none();
        let test = test.then_some(one.notification.id);
        test.into_iter().chain(one.retries.iter().copied())
    });
    let asked: Vec<u64> = asked.collect();
    // An earlier attempt of this request asked for it.
    if asked.contains(&id) {
        return Ok(());
    }
    let until = asked
        .iter()
        .map(|id| Timestamp::at(made_at(*id)).plus(COUNTED));
    let recent: Vec<Timestamp> = until.filter(|until| *until > now).collect();
    let first = recent
        .iter()
        .min()
        .filter(|_| recent.len() >= limits::WEBHOOK_CALLS);
    let Some(first) = first else {
        return Ok(());
    };
    let limit = limits::WEBHOOK_CALLS;
    let why = Reason::TooManyTests { limit };
    let seconds = (first.moment() - now.moment()).num_seconds();
    Err(ApiError::RateLimited(why, seconds.unsigned_abs()))
}

/// Asks for a test.
pub async fn test(app: &Context, holder: &Holder, new: NewId) -> Result<Accepted> {
    let webhook = one_that_is_on(app, holder).await?;
    let now = app.now();
    let id = new.id::<Delivery>().get();
    // A repeat has the same id and time, and so the same key.
    let at = Timestamp::at(made_at(id));
    check_calls(&app.table.deliveries(webhook.id()).await?, id, now)?;
    let notification = Notification {
        id,
        at,
        club: holder.club.clone(),
        change_type: None,
        object: None,
        application: None,
        ticket: None,
        by: Some(holder.user.id()),
    };
    let delivery = Delivery {
        requested: Some(id),
        ..Delivery::new(webhook.key, notification, now)
    };
    match app.table.put_delivery(&delivery, None).await {
        // An earlier attempt of this request asked for it.
        Ok(()) | Err(TableError::Refused(_)) => Ok(accepted(&delivery)),
        Err(error) => Err(error.into()),
    }
}

/// Asks for another attempt.
pub async fn retry(app: &Context, holder: &Holder, new: NewId) -> Result<Accepted> {
    let webhook = one_that_is_on(app, holder).await?;
    let (id, request) = (holder.delivery()?, new.id::<Delivery>().get());
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let deliveries = app.table.deliveries(webhook.id()).await?;
        let now = app.now();
        let is_limited = check_calls(&deliveries, request, now);
        let before = deliveries.into_iter().find(|one| one.notification.id == id);
        let before = before.ok_or(ApiError::NotFound)?;
        let is_repeat = [before.requested, before.served].contains(&Some(request));
        if is_repeat || before.retries.contains(&request) {
            return Ok(accepted(&before));
        }
        is_limited?;
        let mut asked = before.retries.clone();
        asked.retain(|id| Timestamp::at(made_at(*id)).plus(COUNTED) > now);
        asked.push(request);
        let delivery = Delivery {
            requested: Some(request),
            retries: asked,
            ..before.clone()
        };
        match app.table.put_delivery(&delivery, Some(&before)).await {
            Ok(()) => return Ok(accepted(&delivery)),
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
