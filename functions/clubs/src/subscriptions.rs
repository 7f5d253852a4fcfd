//! `/subscriptions/`, `/subscriptions/{subscription}/`: clubs that the caller wants to hear of

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use shared::Shared;
use shared::http::User;
use shared::http::{Input, NewId, NoContent, PathIds, Result};
use shared::models::Subscription;

use crate::bookmarks::{self, BookmarkBody, BookmarkInput};

/// The caller's subscriptions, oldest first. Any signed-in user.
#[utoipa::path(get, path = "/api/subscriptions/", tag = "subscriptions", security(("bearer" = [])), responses((status = 200, body = Vec<BookmarkBody>)))]
pub async fn list_subscriptions(
    State(app): State<Shared>,
    user: User,
) -> Result<Json<Vec<BookmarkBody>>> {
    bookmarks::list::<Subscription>(&app, &user).await
}

/// Subscribes to a club: its officers see who does. Any signed-in user.
#[utoipa::path(post, path = "/api/subscriptions/", tag = "subscriptions", security(("bearer" = [])), request_body = BookmarkInput,
    responses((status = 201, body = BookmarkBody)))]
pub async fn create_subscription(
    State(app): State<Shared>,
    user: User,
    new: NewId,
    Input(input): Input<BookmarkInput>,
) -> Result<Response> {
    bookmarks::create::<Subscription>(&app, &user, new, input, "/api/subscriptions/").await
}

/// One of the caller's subscriptions. Any signed-in user.
#[utoipa::path(get, path = "/api/subscriptions/{subscription}/", tag = "subscriptions", security(("bearer" = [])),
    params(("subscription" = String, Path, description = "Its id, or a club code")), responses((status = 200, body = BookmarkBody)))]
pub async fn show_subscription(
    State(app): State<Shared>,
    user: User,
    path: PathIds,
) -> Result<Json<BookmarkBody>> {
    bookmarks::show::<Subscription>(&app, &user, &path, "subscription").await
}

/// Removes one of the caller's subscriptions. Any signed-in user.
#[utoipa::path(delete, path = "/api/subscriptions/{subscription}/", tag = "subscriptions", security(("bearer" = [])),
    params(("subscription" = String, Path, description = "Its id, or a club code")), responses((status = 204)))]
pub async fn delete_subscription(
    State(app): State<Shared>,
    user: User,
    path: PathIds,
) -> Result<NoContent> {
    bookmarks::delete::<Subscription>(&app, &user, &path, "subscription").await
}
