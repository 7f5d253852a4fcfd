//! `/subscriptions/`, `/subscriptions/{subscription}/`: clubs that the caller wants to hear of

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use shared::Shared;
use shared::auth::User;
use shared::http::{Input, NewId, NoContent, PathIds, Result};
use shared::models::Subscription;

use crate::interests::{self, InterestBody, InterestInput};

/// The caller's subscriptions, oldest first. Any signed-in user.
#[utoipa::path(get, path = "/api/subscriptions/", tag = "subscriptions", security(("bearer" = [])), responses((status = 200, body = Vec<InterestBody>)))]
pub async fn list_subscriptions(
    State(app): State<Shared>,
    user: User,
) -> Result<Json<Vec<InterestBody>>> {
    interests::list::<Subscription>(&app, &user).await
}

/// Subscribes to a club: its officers see who does. Any signed-in user.
#[utoipa::path(post, path = "/api/subscriptions/", tag = "subscriptions", security(("bearer" = [])), request_body = InterestInput,
    responses((status = 201, body = InterestBody)))]
pub async fn create_subscription(
    State(app): State<Shared>,
    user: User,
    new: NewId,
    Input(input): Input<InterestInput>,
) -> Result<Response> {
    interests::create::<Subscription>(&app, &user, new, input, "/api/subscriptions/").await
}

/// One of the caller's subscriptions. Any signed-in user.
#[utoipa::path(get, path = "/api/subscriptions/{subscription}/", tag = "subscriptions", security(("bearer" = [])),
    params(("subscription" = String, Path, description = "Its id, or a club code")), responses((status = 200, body = InterestBody)))]
pub async fn show_subscription(
    State(app): State<Shared>,
    user: User,
    path: PathIds,
) -> Result<Json<InterestBody>> {
    interests::show::<Subscription>(&app, &user, &path, "subscription").await
}

/// Removes one of the caller's subscriptions. Any signed-in user.
#[utoipa::path(delete, path = "/api/subscriptions/{subscription}/", tag = "subscriptions", security(("bearer" = [])),
    params(("subscription" = String, Path, description = "Its id, or a club code")), responses((status = 204)))]
pub async fn delete_subscription(
    State(app): State<Shared>,
    user: User,
    path: PathIds,
) -> Result<NoContent> {
    interests::delete::<Subscription>(&app, &user, &path, "subscription").await
}
