//! `/events/{event}/showings/{showing}/draw/`: the draw, for everybody who wants to recompute it

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::Context;
use shared::domain::{DRAW_RESULTS, DrawEntry, DrawResult, DrawShare, TicketSale};
use shared::openapi::fields::SliceCount;
use shared::time::Timestamp;
use shared::web::{ApiError, PathIds, Result, Slice, User, Visibility, with_next};
use utoipa::ToSchema;

/// A draw.
#[derive(Debug, Serialize, ToSchema)]
pub struct DrawBody {
    /// The SHA-256 of the seed's text, as 64 hexadecimal digits.
    commitment: String,
    /// What decides, as 64 hexadecimal digits. Null before the draw.
    seed: Option<String>,
    /// When it was held. Null before that.
    drawn_at: Option<Timestamp>,
    /// What was there to be drawn of each type. Empty before the draw.
    #[serde(rename = "places")]
    shares: Vec<DrawShare>,
    /// The entries. After the draw in the drawn order: by the SHA-256 of `seed:entry`.
    entries: Vec<DrawResult>,
}

/// So many entries are listed if the request has no limit.
const LISTED: usize = 500;

/// Get the draw of a showing.
///
/// For everybody who can see the club. Before the draw the seed is secret, and only its commitment
/// is shown; afterwards everybody can recompute the order of the entries and who was drawn.
#[utoipa::path(
    get, path = "/api/events/{event}/showings/{showing}/draw/", tag = "tickets",
    security((), ("bearer" = [])),
    params(
        ("event" = u64, Path), ("showing" = u64, Path),
        ("limit" = Option<SliceCount>, Query, description = "Largest number of entries"),
        ("cursor" = Option<String>, Query,
            description = "Where the next part begins: from the header `Link` of the last answer")
    ),
    responses((status = 200, body = DrawBody))
)]
pub async fn show_draw(
    app: Context,
    user: Option<User>,
    path: PathIds,
    slice: Slice,
) -> Result<Response> {
    let (event, showing) = path
        .id("event")
        .zip(path.id("showing"))
        .ok_or(ApiError::NotFound)?;
    let sale = app.table.sale(event, showing).await?;
    let sale = sale.filter(|sale| sale.showing.tickets.sale == TicketSale::Draw && !sale.cancelled);
    let sale = sale.ok_or(ApiError::NotFound)?;
    let person = user.as_ref().map(User::id);
    let ((club, membership), draw) = futures::try_join!(
        app.table.club_and_membership(&sale.club, person),
        app.table.draw(&sale)
    )?;
    let is_admin = user.as_ref().is_some_and(User::is_admin);
    let visibility = Visibility::with(membership.as_ref(), is_admin);
    club.filter(|club| visibility.sees(club))
        .ok_or(ApiError::NotFound)?;
    let draw = draw.ok_or(ApiError::NotFound)?;
    let slice = slice.with_default(LISTED).at_most(LISTED);
    let limit = slice.limit().unwrap_or(LISTED);
    let (mut entries, next) = if draw.drawn_at.is_some() {
        let first: usize = slice.after()?.unwrap_or_default();
        let mut found = results(&app, showing, first, limit + 1).await?;
        let next = slice.cut(&mut found, |(n, _)| n + 1);
        (found.into_iter().map(|(_, one)| one).collect(), next)
    } else {
        let after: Option<String> = slice.after()?;
        let after = after.as_deref();
        let mut found = app
            .table
            .draw_entries_after(showing, after, limit + 1)
            .await?;
        let next = slice.cut(&mut found, |one: &DrawEntry| one.entry.clone());
        let entries: Vec<DrawResult> = found.iter().map(|one| one.result(None)).collect();
        (entries, next)
    };
    entries.truncate(limit);
    let body = DrawBody {
        commitment: draw.commitment(),
        seed: draw.drawn_at.map(|_| draw.seed.clone()),
        drawn_at: draw.drawn_at,
        shares: draw.shares,
        entries,
    };
    Ok(with_next(Json(body), next))
}

/// Returns results from this number on, with their numbers: 1 or 2 reads.
async fn results(
    app: &Context,
    showing: shared::ids::Id<shared::ids::of::Showing>,
    first: usize,
    most: usize,
) -> Result<Vec<(usize, DrawResult)>> {
    let size = DRAW_RESULTS;
    let mut found = Vec::new();
    let mut page = first / size;
    while found.len() < most {
        let number = u32::try_from(page).unwrap_or(u32::MAX);
        let Some(results) = app.table.draw_results(showing, number).await? else {
            break;
        };
        let numbered = (page * size..).zip(results.results);
        found.extend(numbered.filter(|(n, _)| *n >= first));
        page += 1;
    }
    found.truncate(most);
    Ok(found)
}
