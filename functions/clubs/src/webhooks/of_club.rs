//! `/clubs/{club}/webhooks/`: the webhooks of a club.

use axum::Json;
use axum::response::Response;
use shared::Context;
use shared::web::{Created, Input, NewId, NoContent, NoInput, Result};

use super::actions;
use super::attempts::{self, Accepted};
use super::bodies::{DeliveryBody, WebhookBody, WebhookInput};
use super::holder::OfClub;

/// List the webhooks of a club.
///
/// For owners. The oldest comes first.
#[utoipa::path(
    get, path = "/api/clubs/{club}/webhooks/",
    tag = "webhooks", security(("bearer" = [])),
    params(("club" = String, Path)),
    responses((status = 200, body = Vec<WebhookBody>))
)]
pub async fn list_club_webhooks(
    app: Context,
    OfClub(holder): OfClub,
) -> Result<Json<Vec<WebhookBody>>> {
    actions::list(&app, &holder).await
}

/// Create a webhook of a club.
///
/// For owners. It is told by a signed `POST` request (Standard Webhooks) what changed. Only this
/// answer shows the secret with which it signs. There can be at most 5 of them.
#[utoipa::path(
    post, path = "/api/clubs/{club}/webhooks/",
    tag = "webhooks", security(("bearer" = [])),
    params(("club" = String, Path)),
    request_body = WebhookInput, responses((status = 201, body = WebhookBody))
)]
pub async fn create_club_webhook(
    app: Context,
    OfClub(holder): OfClub,
    new: NewId,
    Input(input): Input<WebhookInput>,
) -> Result<Created<WebhookBody>> {
    actions::create(&app, &holder, new, input).await
}

/// Get a webhook of a club.
///
/// For owners.
#[utoipa::path(
    get, path = "/api/clubs/{club}/webhooks/{webhook}/",
    tag = "webhooks", security(("bearer" = [])),
    params(("club" = String, Path), ("webhook" = u64, Path)),
    responses((status = 200, body = WebhookBody))
)]
pub async fn show_club_webhook(app: Context, OfClub(holder): OfClub) -> Result<Json<WebhookBody>> {
    actions::show(&app, &holder).await
}

/// Change a webhook of a club.
///
/// For owners. Whoever switches it on is its creator from then on: it works while they are an
/// owner.
#[utoipa::path(
    patch, path = "/api/clubs/{club}/webhooks/{webhook}/",
    tag = "webhooks", security(("bearer" = [])),
    params(("club" = String, Path), ("webhook" = u64, Path)),
    request_body = WebhookInput, responses((status = 200, body = WebhookBody))
)]
pub async fn update_club_webhook(
    app: Context,
    OfClub(holder): OfClub,
    Input(input): Input<WebhookInput>,
) -> Result<Json<WebhookBody>> {
    actions::update(&app, &holder, input).await
}

/// Delete a webhook of a club.
///
/// For owners. What it was not told yet is not told any more.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/webhooks/{webhook}/",
    tag = "webhooks", security(("bearer" = [])),
    params(("club" = String, Path), ("webhook" = u64, Path)),
    responses((status = 204))
)]
pub async fn delete_club_webhook(
    app: Context,
    OfClub(holder): OfClub,
    _: NoInput,
) -> Result<NoContent> {
    actions::delete(&app, &holder).await
}

/// Make a new secret.
///
/// For owners. Only this answer shows it. For 24 hours, the secrets before it sign as well.
#[utoipa::path(
    post, path = "/api/clubs/{club}/webhooks/{webhook}/secret/",
    tag = "webhooks", security(("bearer" = [])),
    params(("club" = String, Path), ("webhook" = u64, Path)),
    responses((status = 200, body = WebhookBody))
)]
pub async fn renew_club_webhook_secret(
    app: Context,
    OfClub(holder): OfClub,
    new: NewId,
) -> Result<Response> {
    actions::renew_secret(&app, &holder, new).await
}

/// Test a webhook of a club.
///
/// For owners. It is told something of the type `test` in a few seconds. The list of deliveries
/// says what came of it.
#[utoipa::path(
    post, path = "/api/clubs/{club}/webhooks/{webhook}/test/",
    tag = "webhooks", security(("bearer" = [])),
    params(("club" = String, Path), ("webhook" = u64, Path)),
    responses((status = 202, body = DeliveryBody))
)]
pub async fn test_club_webhook(
    app: Context,
    OfClub(holder): OfClub,
    new: NewId,
) -> Result<Accepted> {
    attempts::test(&app, &holder, new).await
}

/// List the deliveries.
///
/// For owners. The newest comes first, at most 100.
#[utoipa::path(
    get, path = "/api/clubs/{club}/webhooks/{webhook}/deliveries/",
    tag = "webhooks", security(("bearer" = [])),
    params(("club" = String, Path), ("webhook" = u64, Path)),
    responses((status = 200, body = Vec<DeliveryBody>))
)]
pub async fn list_club_deliveries(
    app: Context,
    OfClub(holder): OfClub,
) -> Result<Json<Vec<DeliveryBody>>> {
    attempts::list(&app, &holder).await
}

/// Ask for another attempt.
///
/// For owners. It is made in a few seconds, whatever came of the last one.
#[utoipa::path(
    post, path = "/api/clubs/{club}/webhooks/{webhook}/deliveries/{delivery}/retry/",
    tag = "webhooks", security(("bearer" = [])),
    params(("club" = String, Path), ("webhook" = u64, Path), ("delivery" = u64, Path)),
    responses((status = 202, body = DeliveryBody))
)]
pub async fn retry_club_delivery(
    app: Context,
    OfClub(holder): OfClub,
    new: NewId,
) -> Result<Accepted> {
    attempts::retry(&app, &holder, new).await
}
