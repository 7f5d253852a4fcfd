//! `/clubs/`, `/clubs/{club}/`

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use axum::Json;
use axum::extract::State;
use shared::auth::{ERASING, User};
use shared::html::shorten;
use shared::http::access::{is_code, is_shown};
use shared::http::{
    ApiError, Created, Envelope, Field, Input, Mode, Need, NoContent, Officer, OrRefused, Owner, Page, Params, PathIds, Reader, Result,
    Visible,
};
use shared::models::{Club, ClubProfile, Membership, Role};
use shared::settings::Approval;
use shared::table::{EDITS, TableError};
use shared::{Shared, ids, limits, text};

use crate::body::{ClubBody, ClubInput, Viewer, is_accepting};

/// The clubs that the caller can see. Anybody.
#[utoipa::path(get, path = "/api/clubs/", tag = "clubs", security((), ("bearer" = [])),
    params(("search" = Option<String>, Query, description = "Words that must all occur"), ("active" = Option<bool>, Query),
        ("ordering" = Option<String>, Query, description = "alphabetical, -alphabetical, featured (default), favorite_count, -favorite_count"),
        ("page" = Option<u64>, Query), ("page_size" = Option<u64>, Query, description = "25, at most 100")),
    responses((status = 200, body = Envelope<ClubBody>)))]
pub async fn list_clubs(State(app): State<Shared>, user: Option<User>, params: Params, page: Page) -> Result<Json<Envelope<ClubBody>>> {
    let active = params.flag("active")?;
    let words = text::words(params.text("search").unwrap_or_default());
    let ordering = Ordering::read(&params)?;
    let now = app.now();
    let own = async {
        match &user {
            Some(user) => app.table.memberships_of(user.id()).await,
            None => Ok(vec![]),
        }
    };
    let all = async { app.clubs.clubs(&app.table, &app.table.versions().await?, app.clock.now()).await };
    let (all, own) = futures::try_join!(all, own)?;
    let roles: HashMap<String, Role> = own.into_iter().map(|membership| (membership.club, membership.role)).collect();
    let viewer = Viewer { roles, is_admin: user.is_some_and(|user| user.is_admin()) };
    let mut clubs: Vec<&Club> = all
        .iter()
        .filter(|listed| text::contains(&listed.text, &words))
        .map(|listed| &listed.club)
        .filter(|club| !club.archived && is_shown(club, viewer.roles.contains_key(&club.code), viewer.is_admin))
        .filter(|club| active.is_none_or(|active| club.profile.active == active))
        .collect();
    let folded = |club: &Club| (text::fold(&club.profile.name), club.code.clone());
    match ordering {
        Ordering::Alphabetical => clubs.sort_by_cached_key(|club| folded(club)),
        Ordering::ReverseAlphabetical => clubs.sort_by_cached_key(|club| Reverse(folded(club))),
        Ordering::Favorites => clubs.sort_by_cached_key(|club| (club.favorites, folded(club))),
        Ordering::MostFavorites => clubs.sort_by_cached_key(|club| (Reverse(club.favorites), folded(club))),
        Ordering::Featured => {
            let day = (now.epoch_seconds() / 86_400).to_string();
            clubs.sort_by_cached_key(|club| (Reverse(score(club, is_accepting(club, now))), ids::derived("featured", &[&day, &club.code])));
        }
    }
    let mut page = page.of(&clubs, |club| ClubBody::new(club, &viewer, now))?;
    shorten(page.results.iter_mut().map(|club| &mut club.description));
    Ok(Json(page))
}

enum Ordering {
    Alphabetical,
    ReverseAlphabetical,
    Featured,
    Favorites,
    MostFavorites,
}

impl Ordering {
    fn read(params: &Params) -> Result<Self> {
        Ok(match params.text("ordering") {
            None | Some("featured") => Self::Featured,
            Some("alphabetical") => Self::Alphabetical,
            Some("-alphabetical") => Self::ReverseAlphabetical,
            Some("favorite_count") => Self::Favorites,
            Some("-favorite_count") => Self::MostFavorites,
            Some(_) => {
                let known = "alphabetical, -alphabetical, featured, favorite_count, -favorite_count";
                return Err(ApiError::field("ordering", format!("Expected one of {known}.")));
            }
        })
    }
}

/// The score of `ordering=featured` (docs/architecture.md): a complete profile, an open application, favorites.
fn score(club: &Club, accepting: bool) -> i64 {
    let profile = &club.profile;
    let complete = [
        !profile.subtitle.is_empty(),
        !profile.description.is_empty(),
        !profile.email.is_empty(),
        profile.website.is_some(),
        profile.image_url.is_some(),
    ];
    let complete: i64 = complete.into_iter().map(i64::from).sum();
    let favorites = i64::from((club.favorites + 1).max(1).ilog2());
    complete * 2 + if accepting { 10 } else { 0 } + favorites + if profile.active { 5 } else { 0 }
}

/// Creates a club; the caller becomes its owner. Any signed-in user.
#[utoipa::path(post, path = "/api/clubs/", tag = "clubs", security(("bearer" = [])), request_body = ClubInput,
    responses((status = 201, body = ClubBody)))]
pub async fn create_club(State(app): State<Shared>, user: User, Input(mut input): Input<ClubInput>) -> Result<Created<ClubBody>> {
    let now = app.now();
    let code = wanted_code(std::mem::take(&mut input.code))?;
    let mut club = Club {
        code: String::new(),
        version: 1,
        profile: ClubProfile { active: true, application_required: 4, ..ClubProfile::default() },
        approved: (app.settings.club_approval == Approval::Automatic).then_some(true),
        archived: false,
        created_at: now,
        members: 1,
        owners: 1,
        favorites: 0,
        told_of_requests_at: None,
        windows: BTreeMap::new(),
    };
    input.apply(Mode::Create, &mut club, user.is_admin())?;
    let person = user.person().await?;
    // Names collide; codes may not: the second club of a name gets -2, and so on.
    let slug = slug(&club.profile.name);
    for n in 1.. {
        club.code = code.clone().unwrap_or_else(|| numbered(&slug, n, &app));
        let owner = Membership::new(&club.code, person, Role::Owner, now);
        match app.table.create_club(&club, &owner).await {
            Err(TableError::Refused(which)) if which.contains(&0) && code.is_none() && n < 100 => {}
            done => {
                done.or_refused_at(|which| match which {
                    [0, ..] => ApiError::field("code", "This code is taken."),
                    _ => ApiError::rule(ERASING),
                })?;
                break;
            }
        }
    }
    let viewer = Viewer { roles: HashMap::from([(club.code.clone(), Role::Owner)]), is_admin: user.is_admin() };
    Ok(Created { location: format!("/api/clubs/{}/", club.code), body: ClubBody::new(&club, &viewer, now) })
}

fn wanted_code(field: Field<String>) -> Result<Option<String>> {
    let mut reader = Reader::new(Mode::Update);
    let code = reader.nullable("code", field, Need::Free).flatten().filter(|code| !code.is_empty());
    if code.as_ref().is_some_and(|code| !is_code(code)) {
        reader.errors.add("code", "Use a-z, 0-9 and -, at most 64 characters, with at least one letter.");
    }
    reader.finish()?;
    Ok(code)
}

/// A name in lower-case Latin letters, digits and single hyphens; other scripts are transliterated.
fn slug(name: &str) -> String {
    let latin = deunicode::deunicode(name).to_ascii_lowercase();
    let words: Vec<&str> = latin.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("-");
    slug.truncate(limits::CODE - 4);
    slug.trim_end_matches('-').to_owned()
}

fn numbered(slug: &str, n: u32, app: &Shared) -> String {
    match (slug.bytes().any(|b| b.is_ascii_lowercase()), n) {
        (false, _) => format!("club-{}", app.next_id()),
        (true, 1) => slug.to_owned(),
        (true, n) => format!("{slug}-{n}"),
    }
}

/// One club. Anybody who can see it.
#[utoipa::path(get, path = "/api/clubs/{club}/", tag = "clubs", security((), ("bearer" = [])), params(("club" = String, Path)),
    responses((status = 200, body = ClubBody)))]
pub async fn show_club(State(app): State<Shared>, scope: Visible) -> Json<ClubBody> {
    let viewer = viewer(&scope.club.code, scope.membership.as_ref(), scope.user.as_ref());
    Json(ClubBody::new(&scope.club, &viewer, app.now()))
}

fn viewer(code: &str, membership: Option<&Membership>, user: Option<&User>) -> Viewer {
    let roles = membership.map(|membership| (code.to_owned(), membership.role)).into_iter().collect();
    Viewer { roles, is_admin: user.is_some_and(User::is_admin) }
}

/// Changes the fields that are sent. Officers; admins also restore and approve.
#[utoipa::path(patch, path = "/api/clubs/{club}/", tag = "clubs", security(("bearer" = [])), params(("club" = String, Path)),
    request_body = ClubInput, responses((status = 200, body = ClubBody)))]
pub async fn update_club(State(app): State<Shared>, scope: Editable, Input(input): Input<ClubInput>) -> Result<Json<ClubBody>> {
    change(&app, scope, &input, Mode::Update).await
}

/// Replaces all writable fields. Officers; admins also restore and approve.
#[utoipa::path(put, path = "/api/clubs/{club}/", tag = "clubs", security(("bearer" = [])), params(("club" = String, Path)),
    request_body = ClubInput, responses((status = 200, body = ClubBody)))]
pub async fn replace_club(State(app): State<Shared>, scope: Editable, Input(input): Input<ClubInput>) -> Result<Json<ClubBody>> {
    change(&app, scope, &input, Mode::Replace).await
}

async fn change(app: &Shared, scope: Editable, input: &ClubInput, mode: Mode) -> Result<Json<ClubBody>> {
    let Editable { user, mut club, mut membership } = scope;
    for _ in 0..EDITS {
        let read_version = club.version;
        input.clone().apply(mode, &mut club, user.is_admin())?;
        club.version += 1;
        // Who restores a club whose last owner was erased owns it.
        let owner = match &membership {
            _ if club.archived || club.owners > 0 => None,
            Some(own) => Some((Membership { role: Role::Owner, ..own.clone() }, true)),
            None => Some((Membership::new(&club.code, user.person().await?, Role::Owner, app.now()), false)),
        };
        match app.table.update_club(&club, read_version, owner.as_ref()).await {
            Err(TableError::Refused(_)) => club = app.table.club(&club.code).await?.ok_or(ApiError::NotFound)?,
            done => {
                done?;
                if let Some((own, was_member)) = owner {
                    club.members += i64::from(!was_member);
                    membership = Some(own);
                }
                let viewer = viewer(&club.code, membership.as_ref(), Some(&user));
                return Ok(Json(ClubBody::new(&club, &viewer, app.now())));
            }
        }
    }
    Err(ApiError::Busy)
}

/// A club that its officers may change; an admin gets archived ones too, to restore them.
pub struct Editable {
    user: User,
    club: Club,
    membership: Option<Membership>,
}

impl axum::extract::FromRequestParts<Shared> for Editable {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut axum::http::request::Parts, app: &Shared) -> Result<Self> {
        let user = User::from_request_parts(parts, app).await?;
        if user.is_admin() {
            let path = PathIds::from_request_parts(parts, app).await?;
            let (club, membership) = app.table.club_and_membership(path.text("club"), Some(user.id())).await?;
            return Ok(Self { user, club: club.ok_or(ApiError::NotFound)?, membership });
        }
        let scope = <Officer>::from_request_parts(parts, app).await?;
        Ok(Self { user, club: scope.club, membership: scope.membership })
    }
}

/// Archives a club: the code stays taken, the club and all under it answer 404. Owners.
#[utoipa::path(delete, path = "/api/clubs/{club}/", tag = "clubs", security(("bearer" = [])), params(("club" = String, Path)),
    responses((status = 204)))]
pub async fn delete_club(State(app): State<Shared>, scope: Owner) -> Result<NoContent> {
    let mut club = scope.club;
    for _ in 0..EDITS {
        let read_version = club.version;
        club.archived = true;
        club.version += 1;
        match app.table.update_club(&club, read_version, None).await {
            Err(TableError::Refused(_)) => club = app.table.club(&club.code).await?.ok_or(ApiError::NotFound)?,
            done => return Ok(done.map(|()| NoContent)?),
        }
    }
    Err(ApiError::Busy)
}
