//! What favorites and subscriptions have in common (C18, C19): the handlers of each are in the file
//! that is named like it.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use shared::Shared;
use shared::bodies::NamedBody;
use shared::http::{
    ApiError, Created, Field, Mode, NewId, NoContent, OrRefused, PathIds, Reader, Result,
    Visibility, no_such_club,
};
use shared::http::{ERASING, User};
use shared::ids;
use shared::models::{Club, is_club_code};
use shared::table::{Bookmark, BookmarkRefusal};
use shared::time::Timestamp;
use utoipa::ToSchema;

use crate::body::{TagsAndBadges, logo};

/// A favorite or a subscription.
#[derive(Debug, Serialize, ToSchema)]
pub struct BookmarkBody {
    id: u64,
    club: ClubBrief,
    created_at: Timestamp,
}

/// A club, in short.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClubBrief {
    code: String,
    name: String,
    subtitle: String,
    /// Logo, at most 600 pixels wide.
    image_url: Option<String>,
    active: bool,
    /// By name.
    tags: Vec<NamedBody>,
}

/// Which club.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct BookmarkInput {
    /// Club code.
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    club: Field<String>,
}

fn body<I: Bookmark>(
    app: &Shared,
    bookmark: &I,
    club: &Club,
    labels: &TagsAndBadges,
) -> BookmarkBody {
    let (id, _, _, created_at) = bookmark.parts();
    let club = ClubBrief {
        code: club.code.clone(),
        name: club.profile.name.clone(),
        subtitle: club.profile.subtitle.clone(),
        image_url: logo(club, &app.media),
        active: club.profile.active,
        tags: labels.tags_of(club),
    };
    BookmarkBody {
        id,
        club,
        created_at,
    }
}

/// Those of the caller whose clubs they see, oldest first.
pub async fn list<I: Bookmark>(app: &Shared, user: &User) -> Result<Json<Vec<BookmarkBody>>> {
    let (mut own, versions) =
        futures::try_join!(app.table.bookmarks_of::<I>(user.id()), app.table.versions())?;
    own.sort_by_key(|bookmark| (bookmark.parts().3, bookmark.parts().0));
    let (clubs, labels) =
        futures::try_join!(app.all_clubs(&versions), TagsAndBadges::at(app, &versions))?;
    let pairs: Vec<(&I, &Club)> = own
        .iter()
        .filter_map(|bookmark| Some((bookmark, &clubs.get(bookmark.parts().1)?.club)))
        .collect();
    let visibility = Visibility::of(app, Some(user), pairs.iter().map(|(_, club)| *club)).await?;
    let seen = pairs.into_iter().filter(|(_, club)| visibility.sees(club));
    Ok(Json(
        seen.map(|(bookmark, club)| body(app, bookmark, club, &labels))
            .collect(),
    ))
}

/// Stores one; a second one of the same club is 400.
pub async fn create<I: Bookmark>(
    app: &Shared,
    user: &User,
    new: NewId,
    input: BookmarkInput,
    path: &str,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let code = reader.club(input.club);
    reader.finish()?;
    let page = async { Ok(app.table.club_page(&code, Some(user.id())).await?) };
    let (page, person) = futures::try_join!(page, user.person())?;
    let visibility = Visibility::with(page.membership.as_ref(), user.is_admin());
    let club = page
        .club
        .filter(|club| visibility.sees(club))
        .ok_or_else(no_such_club)?;
    let bookmark = I::new(&code, person, new.0, app.now());
    let (labels, stored) = futures::try_join!(
        TagsAndBadges::at(app, &page.versions),
        app.table.create_bookmark(&bookmark)
    )?;
    let bookmark = match stored {
        Ok(()) => bookmark,
        Err(BookmarkRefusal::Erased) => return Err(ApiError::rule(ERASING)),
        Err(BookmarkRefusal::Duplicate) => {
            let there: Option<I> = app.table.bookmark(user.id(), bookmark.parts().0).await?;
            // An earlier attempt with the same idempotency key may have been here.
            let duplicate = || ApiError::field("club", "This club is already in your list.");
            there
                .filter(|there| there.creation() == new.0)
                .ok_or_else(duplicate)?
        }
    };
    let location = format!("{path}{}/", bookmark.parts().0);
    Ok(Created {
        location,
        body: body(app, &bookmark, &club, &labels),
    }
    .into_response())
}

/// The caller's own that the path names by its id or by the code of its club.
async fn own<I: Bookmark>(app: &Shared, user: &User, named: &str) -> Result<I> {
    let id = ids::parse(named).or_else(|| is_club_code(named).then(|| I::id_of(named, user.id())));
    app.table
        .bookmark(user.id(), id.ok_or(ApiError::NotFound)?)
        .await?
        .ok_or(ApiError::NotFound)
}

/// One of the caller's whose club they see.
pub async fn show<I: Bookmark>(
    app: &Shared,
    user: &User,
    path: &PathIds,
    param: &str,
) -> Result<Json<BookmarkBody>> {
    let bookmark: I = own(app, user, path.text(param)).await?;
    let page = app
        .table
        .club_page(bookmark.parts().1, Some(user.id()))
        .await?;
    let visibility = Visibility::with(page.membership.as_ref(), user.is_admin());
    let club = page
        .club
        .filter(|club| visibility.sees(club))
        .ok_or(ApiError::NotFound)?;
    let labels = TagsAndBadges::at(app, &page.versions).await?;
    Ok(Json(body(app, &bookmark, &club, &labels)))
}

/// Removes one of the caller's, whatever became of the club.
pub async fn delete<I: Bookmark>(
    app: &Shared,
    user: &User,
    path: &PathIds,
    param: &str,
) -> Result<NoContent> {
    let bookmark: I = own(app, user, path.text(param)).await?;
    app.table
        .delete_bookmark(&bookmark)
        .await
        .or_refused(|| ApiError::NotFound)?;
    Ok(NoContent)
}
