//! The common part of favorites and subscriptions (C18, C19). Their handlers are in favorites.rs
//! and subscriptions.rs.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use shared::bodies::NamedBody;
use shared::db::{Refusal, TableError};
use shared::domain::{Bookmark, Club};
use shared::ids::Id;
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::{
    ApiError, Created, Mode, NewId, NoContent, PathIds, Reader, Result, User, Visibility, create,
    no_such_club,
};
use shared::{Context, ids};
use utoipa::ToSchema;

use shared::bodies::logo;

use crate::body::TagsAndBadges;

/// A favorite or a subscription.
#[derive(Debug, Serialize, ToSchema)]
pub struct BookmarkBody {
    /// Id of the entry.
    #[schema(value_type = u64)]
    id: Id<BookmarkBody>,
    /// The club.
    club: ClubBrief,
    /// When the club was added.
    created_at: Timestamp,
}

/// The main fields of a club.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClubBrief {
    /// Code of the club.
    #[schema(value_type = String)]
    code: ClubCode,
    /// One line.
    name: String,
    /// One line, or an empty text.
    subtitle: String,
    /// Address of the logo, at most 600 pixels wide. Null if there is none.
    image_url: Option<String>,
    /// False if the club is not active any more.
    active: bool,
    /// Ordered by name.
    tags: Vec<NamedBody>,
}

shared::input! {
    /// The club to add.
    pub struct BookmarkInput {
        /// Code of the club.
        club: String, Required;
    }
}

fn body<I: Bookmark>(
    app: &Context,
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
        id: Id::new(id.get()),
        club,
        created_at,
    }
}

/// The bookmarks of the caller, oldest first. Clubs that the caller cannot see are left out.
pub async fn list<I: Bookmark>(app: &Context, user: &User) -> Result<Json<Vec<BookmarkBody>>> {
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

/// Stores a bookmark. It is 400 if the club is already in the list.
pub async fn create_bookmark<I: Bookmark>(
    app: &Context,
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
    let store = async { Ok::<_, TableError>(app.table.create_bookmark(&bookmark).await) };
    let labels = TagsAndBadges::at(app, &page.versions);
    let (labels, stored) = futures::try_join!(labels, store)?;
    let read = app.table.bookmark(user.id(), bookmark.parts().0);
    let is_own = |there: &I| there.creation() == new.0;
    let refused = |refusal| match refusal {
        Refusal::AlreadyThere => ApiError::field("club", Reason::AlreadyListed),
        other => TableError::Refused(other).into(),
    };
    let bookmark = create(bookmark, stored, read, is_own, refused).await?;
    let location = format!("{path}{}/", bookmark.parts().0);
    Ok(Created {
        location,
        body: body(app, &bookmark, &club, &labels),
    }
    .into_response())
}

/// The bookmark of the caller that the path names by its id or by the code of its club.
async fn own<I: Bookmark>(app: &Context, user: &User, named: &str) -> Result<I> {
    let id =
        ids::parse(named).or_else(|| ClubCode::parse(named).map(|code| I::id_of(&code, user.id())));
    app.table
        .bookmark(user.id(), id.ok_or(ApiError::NotFound)?)
        .await?
        .ok_or(ApiError::NotFound)
}

/// One bookmark of the caller. It is 404 if the caller cannot see the club.
pub async fn show<I: Bookmark>(
    app: &Context,
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

/// Removes a bookmark of the caller, even if they cannot see the club any more.
pub async fn delete<I: Bookmark>(
    app: &Context,
    user: &User,
    path: &PathIds,
    param: &str,
) -> Result<NoContent> {
    let bookmark: I = own(app, user, path.text(param)).await?;
    match app.table.delete_bookmark(&bookmark).await {
        Err(TableError::Refused(_)) => Err(ApiError::NotFound),
        done => Ok(done.map(|()| NoContent)?),
    }
}
