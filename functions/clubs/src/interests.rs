//! What favorites and subscriptions have in common (C18, C19): the handlers of each are in the file
//! that is named like it.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use shared::Shared;
use shared::auth::{ERASING, User};
use shared::http::{
    ApiError, Created, Field, Mode, NewId, NoContent, OrRefused, PathIds, Reader, Result, Sight,
    is_code, no_such_club,
};
use shared::ids;
use shared::lookups::NamedBody;
use shared::models::Club;
use shared::table::{Interest, InterestRefusal};
use shared::time::Timestamp;
use utoipa::ToSchema;

use crate::body::{Terms, logo};

/// A favorite or a subscription.
#[derive(Debug, Serialize, ToSchema)]
pub struct InterestBody {
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
pub struct InterestInput {
    /// Club code.
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    club: Field<String>,
}

fn body<I: Interest>(app: &Shared, interest: &I, club: &Club, terms: &Terms) -> InterestBody {
    let (id, _, _, created_at) = interest.parts();
    let club = ClubBrief {
        code: club.code.clone(),
        name: club.profile.name.clone(),
        subtitle: club.profile.subtitle.clone(),
        image_url: logo(club, &app.media),
        active: club.profile.active,
        tags: terms.tags_of(club),
    };
    InterestBody {
        id,
        club,
        created_at,
    }
}

/// Those of the caller whose clubs they see, oldest first.
pub async fn list<I: Interest>(app: &Shared, user: &User) -> Result<Json<Vec<InterestBody>>> {
    let (mut own, versions) =
        futures::try_join!(app.table.interests_of::<I>(user.id()), app.table.versions())?;
    own.sort_by_key(|interest| (interest.parts().3, interest.parts().0));
    let (clubs, terms) = futures::try_join!(app.all_clubs(&versions), Terms::at(app, &versions))?;
    let pairs: Vec<(&I, &Club)> = own
        .iter()
        .filter_map(|interest| Some((interest, &clubs.get(interest.parts().1)?.club)))
        .collect();
    let sight = Sight::of(app, Some(user), pairs.iter().map(|(_, club)| *club)).await?;
    let seen = pairs.into_iter().filter(|(_, club)| sight.sees(club));
    Ok(Json(
        seen.map(|(interest, club)| body(app, interest, club, &terms))
            .collect(),
    ))
}

/// Stores one; a second one of the same club is 400.
pub async fn create<I: Interest>(
    app: &Shared,
    user: &User,
    new: NewId,
    input: InterestInput,
    path: &str,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let code = reader.club(input.club);
    reader.finish()?;
    let page = async { Ok(app.table.club_page(&code, Some(user.id())).await?) };
    let (page, person) = futures::try_join!(page, user.person())?;
    let sight = Sight::with(page.membership.as_ref(), user.is_admin());
    let club = page
        .club
        .filter(|club| sight.sees(club))
        .ok_or_else(no_such_club)?;
    let interest = I::new(&code, person, new.0, app.now());
    let (terms, stored) = futures::try_join!(
        Terms::at(app, &page.versions),
        app.table.create_interest(&interest)
    )?;
    let interest = match stored {
        Ok(()) => interest,
        Err(InterestRefusal::Erased) => return Err(ApiError::rule(ERASING)),
        Err(InterestRefusal::Duplicate) => {
            let there: Option<I> = app.table.interest(user.id(), interest.parts().0).await?;
            // An earlier attempt with the same idempotency key may have been here.
            let duplicate = || ApiError::field("club", "This club is already in your list.");
            there
                .filter(|there| there.creation() == new.0)
                .ok_or_else(duplicate)?
        }
    };
    let location = format!("{path}{}/", interest.parts().0);
    Ok(Created {
        location,
        body: body(app, &interest, &club, &terms),
    }
    .into_response())
}

/// The caller's own that the path names by its id or by the code of its club.
async fn own<I: Interest>(app: &Shared, user: &User, named: &str) -> Result<I> {
    let id = ids::parse(named).or_else(|| is_code(named).then(|| I::id_of(named, user.id())));
    app.table
        .interest(user.id(), id.ok_or(ApiError::NotFound)?)
        .await?
        .ok_or(ApiError::NotFound)
}

/// One of the caller's whose club they see.
pub async fn show<I: Interest>(
    app: &Shared,
    user: &User,
    path: &PathIds,
    param: &str,
) -> Result<Json<InterestBody>> {
    let interest: I = own(app, user, path.text(param)).await?;
    let page = app
        .table
        .club_page(interest.parts().1, Some(user.id()))
        .await?;
    let sight = Sight::with(page.membership.as_ref(), user.is_admin());
    let club = page
        .club
        .filter(|club| sight.sees(club))
        .ok_or(ApiError::NotFound)?;
    let terms = Terms::at(app, &page.versions).await?;
    Ok(Json(body(app, &interest, &club, &terms)))
}

/// Removes one of the caller's, whatever became of the club.
pub async fn delete<I: Interest>(
    app: &Shared,
    user: &User,
    path: &PathIds,
    param: &str,
) -> Result<NoContent> {
    let interest: I = own(app, user, path.text(param)).await?;
    app.table
        .delete_interest(&interest)
        .await
        .or_refused(|| ApiError::NotFound)?;
    Ok(NoContent)
}
