//! `/favorites/`, `/favorites/{favorite}/`: the favorite clubs of the caller

use axum::Json;
use axum::response::Response;
use shared::Context;
use shared::domain::Favorite;
use shared::web::{Input, NewId, NoContent, NoInput, PathIds, Result, User};

use crate::bookmarks::{self, BookmarkBody, BookmarkInput};

/// List the favorites of the caller.
///
/// For every signed-in user. The oldest comes first.
#[utoipa::path(
    get, path = "/api/favorites/", tag = "favorites", security(("bearer" = [])),
    responses((status = 200, body = Vec<BookmarkBody>))
)]
pub async fn list_favorites(app: Context, user: User) -> Result<Json<Vec<BookmarkBody>>> {
    bookmarks::list::<Favorite>(&app, &user).await
}

/// Add a club to the favorites of the caller.
///
/// For every signed-in user who can see the club.
#[utoipa::path(
    post, path = "/api/favorites/", tag = "favorites", security(("bearer" = [])),
    request_body = BookmarkInput, responses((status = 201, body = BookmarkBody))
)]
pub async fn create_favorite(
    app: Context,
    user: User,
    new: NewId,
    Input(input): Input<BookmarkInput>,
) -> Result<Response> {
    bookmarks::create_bookmark::<Favorite>(&app, &user, new, input, "/api/favorites/").await
}

/// Get a favorite of the caller.
///
/// For every signed-in user. It is 404 if the caller cannot see the club.
#[utoipa::path(
    get, path = "/api/favorites/{favorite}/", tag = "favorites", security(("bearer" = [])),
    params(("favorite" = String, Path, description = "Id, or code of the club")),
    responses((status = 200, body = BookmarkBody))
)]
pub async fn show_favorite(app: Context, user: User, path: PathIds) -> Result<Json<BookmarkBody>> {
    bookmarks::show::<Favorite>(&app, &user, &path, "favorite").await
}

/// Remove a favorite of the caller.
///
/// For every signed-in user, also if they cannot see the club any more.
#[utoipa::path(
    delete, path = "/api/favorites/{favorite}/", tag = "favorites", security(("bearer" = [])),
    params(("favorite" = String, Path, description = "Id, or code of the club")),
    responses((status = 204))
)]
pub async fn delete_favorite(
    app: Context,
    user: User,
    path: PathIds,
    _: NoInput,
) -> Result<NoContent> {
    bookmarks::delete::<Favorite>(&app, &user, &path, "favorite").await
}
