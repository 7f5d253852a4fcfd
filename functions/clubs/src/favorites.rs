//! `/favorites/`, `/favorites/{favorite}/`: clubs that the caller keeps at hand

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use shared::Shared;
use shared::http::User;
use shared::http::{Input, NewId, NoContent, PathIds, Result};
use shared::models::Favorite;

use crate::bookmarks::{self, BookmarkBody, BookmarkInput};

/// The caller's favorites, oldest first. Any signed-in user.
#[utoipa::path(get, path = "/api/favorites/", tag = "favorites", security(("bearer" = [])), responses((status = 200, body = Vec<BookmarkBody>)))]
pub async fn list_favorites(
    State(app): State<Shared>,
    user: User,
) -> Result<Json<Vec<BookmarkBody>>> {
    bookmarks::list::<Favorite>(&app, &user).await
}

/// Makes a club a favorite. Any signed-in user.
#[utoipa::path(post, path = "/api/favorites/", tag = "favorites", security(("bearer" = [])), request_body = BookmarkInput,
    responses((status = 201, body = BookmarkBody)))]
pub async fn create_favorite(
    State(app): State<Shared>,
    user: User,
    new: NewId,
    Input(input): Input<BookmarkInput>,
) -> Result<Response> {
    bookmarks::create::<Favorite>(&app, &user, new, input, "/api/favorites/").await
}

/// One of the caller's favorites. Any signed-in user.
#[utoipa::path(get, path = "/api/favorites/{favorite}/", tag = "favorites", security(("bearer" = [])),
    params(("favorite" = String, Path, description = "Its id, or a club code")), responses((status = 200, body = BookmarkBody)))]
pub async fn show_favorite(
    State(app): State<Shared>,
    user: User,
    path: PathIds,
) -> Result<Json<BookmarkBody>> {
    bookmarks::show::<Favorite>(&app, &user, &path, "favorite").await
}

/// Removes one of the caller's favorites. Any signed-in user.
#[utoipa::path(delete, path = "/api/favorites/{favorite}/", tag = "favorites", security(("bearer" = [])),
    params(("favorite" = String, Path, description = "Its id, or a club code")), responses((status = 204)))]
pub async fn delete_favorite(
    State(app): State<Shared>,
    user: User,
    path: PathIds,
) -> Result<NoContent> {
    bookmarks::delete::<Favorite>(&app, &user, &path, "favorite").await
}
