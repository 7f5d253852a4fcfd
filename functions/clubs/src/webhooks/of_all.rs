//! `/webhooks/`: the webhooks for all clubs.

use axum::Json;
use axum::response::Response;
use shared::Context;
use shared::web::{Created, Input, NewId, NoContent, NoInput, Result};

use super::actions;
use super::attempts::{self, Accepted};
use super::bodies::{DeliveryBody, WebhookBody, WebhookInput};
use super::holder::OfAll;

/// List the webhooks for all clubs.
///
/// For admins. The oldest comes first.
#[utoipa::path(
    get, path = "/api/webhooks/",
    tag = "webhooks", security(("bearer" = [])),
    responses((status = 200, body = Vec<WebhookBody>))
)]
pub async fn list_webhooks(app: Context, OfAll(holder): OfAll) -> Result<Json<Vec<WebhookBody>>> {
    actions::list(&app, &holder).await
}

/// Create a webhook for all clubs.
///
/// For admins. It is told by a signed `POST` request (Standard Webhooks) what changed. Only this
/// answer shows the secret with which it signs. There can be at most 5 of them.
#[utoipa::path(
    post, path = "/api/webhooks/",
    tag = "webhooks", security(("bearer" = [])),
    request_body = WebhookInput, responses((status = 201, body = WebhookBody))
)]
pub async fn create_webhook(
    app: Context,
    OfAll(holder): OfAll,
    new: NewId,
    Input(input): Input<WebhookInput>,
) -> Result<Created<WebhookBody>> {
    actions::create(&app, &holder, new, input).await
}

/// Get a webhook for all clubs.
///
/// For admins.
#[utoipa::path(
    get, path = "/api/webhooks/{webhook}/",
    tag = "webhooks", security(("bearer" = [])),
    params(("webhook" = u64, Path)),
    responses((status = 200, body = WebhookBody))
)]
pub async fn show_webhook(app: Context, OfAll(holder): OfAll) -> Result<Json<WebhookBody>> {
    actions::show(&app, &holder).await
}

/// Change a webhook for all clubs.
///
/// For admins. Whoever switches it on is its creator from then on: it works while they are an
/// admin.
#[utoipa::path(
    patch, path = "/api/webhooks/{webhook}/",
    tag = "webhooks", security(("bearer" = [])),
    params(("webhook" = u64, Path)),
    request_body = WebhookInput, responses((status = 200, body = WebhookBody))
)]
pub async fn update_webhook(
    app: Context,
    OfAll(holder): OfAll,
    Input(input): Input<WebhookInput>,
) -> Result<Json<WebhookBody>> {
    actions::update(&app, &holder, input).await
}

/// Delete a webhook for all clubs.
///
/// For admins. What it was not told yet is not told any more.
#[utoipa::path(
    delete, path = "/api/webhooks/{webhook}/",
    tag = "webhooks", security(("bearer" = [])),
    params(("webhook" = u64, Path)),
    responses((status = 204))
)]
pub async fn delete_webhook(app: Context, OfAll(holder): OfAll, _: NoInput) -> Result<NoContent> {
    actions::delete(&app, &holder).await
}

/// Make a new secret.
///
/// For admins. Only this answer shows it. For 24 hours, the secrets before it sign as well.
#[utoipa::path(
    post, path = "/api/webhooks/{webhook}/secret/",
    tag = "webhooks", security(("bearer" = [])),
    params(("webhook" = u64, Path)),
    responses((status = 200, body = WebhookBody))
)]
pub async fn renew_webhook_secret(
    app: Context,
    OfAll(holder): OfAll,
    new: NewId,
) -> Result<Response> {
    actions::renew_secret(&app, &holder, new).await
}

/// Test a webhook for all clubs.
///
/// For admins. It is told something of the type `test` in a few seconds. The list of deliveries
/// says what came of it.
#[utoipa::path(
    post, path = "/api/webhooks/{webhook}/test/",
    tag = "webhooks", security(("bearer" = [])),
    params(("webhook" = u64, Path)),
    responses((status = 202, body = DeliveryBody))
)]
pub async fn test_webhook(app: Context, OfAll(holder): OfAll, new: NewId) -> Result<Accepted> {
    attempts::test(&app, &holder, new).await
}

/// List the deliveries.
///
/// For admins. The newest comes first, at most 100.
#[utoipa::path(
    get, path = "/api/webhooks/{webhook}/deliveries/",
    tag = "webhooks", security(("bearer" = [])),
    params(("webhook" = u64, Path)),
    responses((status = 200, body = Vec<DeliveryBody>))
)]
pub async fn list_deliveries(
    app: Context,
    OfAll(holder): OfAll,
) -> Result<Json<Vec<DeliveryBody>>> {
    attempts::list(&app, &holder).await
}

/// Ask for another attempt.
///
/// For admins. It is made in a few seconds, whatever came of the last one.
#[utoipa::path(
    post, path = "/api/webhooks/{webhook}/deliveries/{delivery}/retry/",
    tag = "webhooks", security(("bearer" = [])),
    params(("webhook" = u64, Path), ("delivery" = u64, Path)),
    responses((status = 202, body = DeliveryBody))
)]
pub async fn retry_delivery(app: Context, OfAll(holder): OfAll, new: NewId) -> Result<Accepted> {
    attempts::retry(&app, &holder, new).await
}
