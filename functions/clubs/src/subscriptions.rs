//! `/subscriptions/`, `/subscriptions/{subscription}/`: the clubs that the caller subscribed to

use axum::Json;
use axum::response::Response;
use shared::Context;
use shared::domain::Subscription;
use shared::web::{Input, NewId, NoContent, NoInput, PathIds, Result, User};

use crate::bookmarks::{self, BookmarkBody, BookmarkInput};

/// List the subscriptions of the caller.
///
/// For every signed-in user. The oldest comes first.
#[utoipa::path(
    get, path = "/api/subscriptions/", tag = "subscriptions", security(("bearer" = [])),
    responses((status = 200, body = Vec<BookmarkBody>))
)]
pub async fn list_subscriptions(app: Context, user: User) -> Result<Json<Vec<BookmarkBody>>> {
    bookmarks::list::<Subscription>(&app, &user).await
}

/// Subscribe to a club.
///
/// For every signed-in user who can see the club. Its officers see who subscribed.
#[utoipa::path(
    post, path = "/api/subscriptions/", tag = "subscriptions", security(("bearer" = [])),
    request_body = BookmarkInput, responses((status = 201, body = BookmarkBody))
)]
pub async fn create_subscription(
    app: Context,
    user: User,
    new: NewId,
    Input(input): Input<BookmarkInput>,
) -> Result<Response> {
    bookmarks::create_bookmark::<Subscription>(&app, &user, new, input, "/api/subscriptions/").await
}

/// Get a subscription of the caller.
///
/// For every signed-in user. It is 404 if the caller cannot see the club.
#[utoipa::path(
    get, path = "/api/subscriptions/{subscription}/", tag = "subscriptions",
    security(("bearer" = [])),
    params(("subscription" = String, Path, description = "Id, or code of the club")),
    responses((status = 200, body = BookmarkBody))
)]
pub async fn show_subscription(
    app: Context,
    user: User,
    path: PathIds,
) -> Result<Json<BookmarkBody>> {
    bookmarks::show::<Subscription>(&app, &user, &path, "subscription").await
}

/// Remove a subscription of the caller.
///
/// For every signed-in user, also if they cannot see the club any more.
#[utoipa::path(
    delete, path = "/api/subscriptions/{subscription}/", tag = "subscriptions",
    security(("bearer" = [])),
    params(("subscription" = String, Path, description = "Id, or code of the club")),
    responses((status = 204))
)]
pub async fn delete_subscription(
    app: Context,
    user: User,
    path: PathIds,
    _: NoInput,
) -> Result<NoContent> {
    bookmarks::delete::<Subscription>(&app, &user, &path, "subscription").await
}
