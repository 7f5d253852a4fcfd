//! `/clubs/`, `/clubs/{club}/`, `/clubs/{club}/upload/`

use std::collections::{BTreeMap, HashSet};

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::response::Response;
use shared::Shared;
use shared::db::{Refusal, TableError};
use shared::domain::{Club, ClubProfile, Membership, Person, Role};
use shared::domain::{ClubPage, ClubQuota, Versions};
use shared::ids::Id;
use shared::openapi::fields::{ClubOrdering, Count, ImageUpload, SearchText};
use shared::settings::Approval;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::{
    ApiError, Code, Created, Envelope, IfMatch, Input, Mode, NewId, NoContent, NoInput, Owner,
    Page, Params, PathIds, Result, Upload, Visibility, edit, is_officer, shown_at,
};
use shared::web::{ERASING, User, remove_unless_saved, store_image};

use crate::body::{ClubBody, ClubInput, ClubViewer, TagsAndBadges};
use crate::codes::{numbered, slug, wanted_code};
use crate::ranking::{ClubFilter, ClubOrder, Ranked, Ranking, compare};

/// List clubs.
///
/// For everybody. Only clubs that the caller can see. In pages.
#[utoipa::path(
    get, path = "/api/clubs/", tag = "clubs", security((), ("bearer" = [])),
    params(
        ("search" = Option<SearchText>, Query,
            description = "Every word must occur in the name, code, subtitle, description or a \
                tag"),
        ("similar" = Option<bool>, Query,
            description = "`true`: words of the search may have a mistake in names, codes and tags"),
        ("active" = Option<bool>, Query, description = "Only active clubs, or only inactive ones"),
        ("tags" = Option<String>, Query,
            description = "Ids or names of tags, separated by commas. A club must have all of \
                them"),
        ("badges" = Option<String>, Query,
            description = "Ids or labels of badges, separated by commas. A club must have all of \
                them"),
        ("accepting" = Option<bool>, Query,
            description = "Only clubs with an open application, or only those without one"),
        ("member" = Option<bool>, Query,
            description = "Only clubs of the caller, or only others. Empty for callers who are not \
                signed in"),
        ("ordering" = Option<ClubOrdering>, Query,
            description = "The order; `featured` if not given. `-` turns it round"),
        ("page" = Option<Count>, Query, description = "Number of the page, from 1. 404 if there is no such page"),
        ("page_size" = Option<Count>, Query,
            description = "Results on one page: 25 by default. More than 100 counts as 100")
    ),
    responses((status = 200, body = Envelope<ClubBody>))
)]
pub async fn list_clubs(
    State(app): State<Shared>,
    user: Option<User>,
    params: Params,
    page: Page,
) -> Result<Json<Envelope<ClubBody>>> {
    let filter = ClubFilter::read(&params)?;
    let (versions, (viewer, visibility)) =
        futures::try_join!(app.table.versions(), ClubViewer::of(&app, user.as_ref()))?;
    let now = app.now();
    // Only the order `featured` depends on events.
    let months = if filter.order == ClubOrder::Featured {
        versions.event_parts(Some(now), None)
    } else {
        vec![]
    };
    let (clubs, labels, hosts) = futures::try_join!(
        app.all_clubs(&versions),
        TagsAndBadges::at(&app, &versions),
        clubs_with_upcoming_events(&app, &versions, &months, now)
    )?;
    let ranking = Ranking { now, hosts };
    let mut found = filter.find(&clubs, &labels, &ranking, |club| {
        visibility.sees(club) && filter.is_for(club, &viewer, user.is_some(), now)
    });
    let show =
        |ranked: &Ranked| ClubBody::new(&ranked.listed.club, &viewer, &labels, &app.media, now);
    let page = page.of_sorted(&mut found, |a, b| compare(filter.order, a, b), show)?;
    Ok(Json(page))
}

/// The codes of the clubs with events that have not ended.
async fn clubs_with_upcoming_events(
    app: &Shared,
    versions: &Versions,
    months: &[String],
    now: Timestamp,
) -> Result<HashSet<ClubCode>, TableError> {
    let parts = app
        .events
        .parts(&app.table, versions, months, app.clock.now())
        .await?;
    let upcoming = parts
        .iter()
        .flat_map(|part| part.iter())
        .filter(|listed| listed.span.is_some_and(|span| span.ends.1 >= now))
        .map(|listed| &listed.event.club);
    // Each club once, before its code is copied.
    let clubs: HashSet<&ClubCode> = upcoming.collect();
    Ok(clubs.into_iter().cloned().collect())
}

/// Create a club.
///
/// For every signed-in user. The caller becomes its owner. A person can create at most 10 clubs and
/// own at most 50, deleted clubs included; admins have no limit. The club may wait for the approval of an admin.
#[utoipa::path(
    post, path = "/api/clubs/", tag = "clubs", security(("bearer" = [])), request_body = ClubInput,
    responses((status = 201, body = ClubBody))
)]
pub async fn create_club(
    State(app): State<Shared>,
    user: User,
    NewId(creation): NewId,
    Input(mut input): Input<ClubInput>,
) -> Result<Created<ClubBody>> {
    let now = app.now();
    let code = wanted_code(std::mem::take(&mut input.code))?;
    let mut club = Club {
        code: ClubCode::default(),
        version: 1,
        profile: ClubProfile {
            active: true,
            application_required: 4,
            ..ClubProfile::default()
        },
        image: None,
        badges: vec![],
        approved: (app.settings.club_approval == Approval::Automatic).then_some(true),
        archived: false,
        creation,
        created_at: now,
        members: 1,
        owners: 1,
        favorites: 0,
        events: 0,
        told_of_requests_at: None,
        windows: BTreeMap::new(),
        applications: 0,
        without_owner: false,
    };
    let labels = async { Ok(TagsAndBadges::at(&app, &app.table.versions().await?).await?) };
    let (labels, person) = futures::try_join!(labels, user.person())?;
    input.apply(Mode::Create, &mut club, &labels, user.is_admin())?;
    // Codes are unique, names are not: if the code is taken, `-2`, `-3` and so on are tried (C4).
    let slug = slug(&club.profile.name);
    let quotas = app.settings.quotas;
    let quota = (!user.is_admin()).then_some(ClubQuota {
        created: quotas.clubs_created,
        owned: quotas.clubs_owned,
    });
    for n in 1..=100 {
        club.code = code.clone().unwrap_or_else(|| numbered(&slug, n, creation));
        let owner = Membership::new(&club.code, person, Role::Owner, creation, now);
        let taken = match app.table.create_club(&club, &owner, quota).await {
            Ok(()) => None,
            Err(TableError::Refused(Refusal::Exists)) => {
                app.table.club_page(&club.code, None).await?.club
            }
            Err(TableError::Refused(Refusal::Quota)) => {
                return Err(too_many_clubs(&app, user.id()).await?);
            }
            Err(TableError::Refused(Refusal::ReferenceGone)) => {
                return Err(ApiError::field(
                    "tags",
                    "A tag or badge was deleted just now. Send only those that still exist.",
                ));
            }
            Err(error) => return Err(error.into()),
        };
        match taken {
            // An earlier attempt with the same idempotency key stored it.
            Some(there) if there.creation == creation => club = there,
            Some(_) if code.is_none() => continue,
            Some(_) => return Err(ApiError::field("code", "This code is already taken.")),
            None => {}
        }
        let viewer = ClubViewer::on(
            &club.code,
            Some(&owner),
            &ClubPage::default(),
            user.is_admin(),
        );
        let body = ClubBody::new(&club, &viewer, &labels, &app.media, now);
        return Ok(Created {
            location: format!("/api/clubs/{}/", club.code),
            body,
        });
    }
    Err(ApiError::field(
        "name",
        "A hundred clubs already have this name. Choose another name, or send a `code`.",
    ))
}

/// The reason why this person cannot create another club.
async fn too_many_clubs(app: &Shared, person: Id<Person>) -> Result<ApiError> {
    let Some(person) = app
        .table
        .person(person)
        .await?
        .filter(|person| !person.erasing)
    else {
        return Ok(ApiError::rule(ERASING));
    };
    let quotas = app.settings.quotas;
    let why = if person.clubs_created >= i64::from(quotas.clubs_created) {
        format!(
            "You can create at most {} clubs. Deleted clubs count too. Admins have no limit.",
            quotas.clubs_created
        )
    } else {
        format!(
            "You can own at most {} clubs. Deleted clubs count too.",
            quotas.clubs_owned
        )
    };
    Ok(ApiError::rule(why).coded(Code::Quota))
}

/// Get a club.
///
/// For everybody who can see the club.
#[utoipa::path(
    get, path = "/api/clubs/{club}/", tag = "clubs", security((), ("bearer" = [])),
    params(("club" = String, Path)), responses((status = 200, body = ClubBody))
)]
pub async fn show_club(
    State(app): State<Shared>,
    user: Option<User>,
    path: PathIds,
) -> Result<Json<ClubBody>> {
    let page = app
        .table
        .club_page(path.club(), user.as_ref().map(User::id))
        .await?;
    let is_admin = user.is_some_and(|user| user.is_admin());
    let visibility = Visibility::with(page.membership.as_ref(), is_admin);
    let club = page
        .club
        .as_ref()
        .filter(|club| visibility.sees(club))
        .ok_or(ApiError::NotFound)?;
    let labels = TagsAndBadges::at(&app, &page.versions).await?;
    let viewer = ClubViewer::on(&club.code, page.membership.as_ref(), &page, is_admin);
    let (media, now) = (&app.media, app.now());
    Ok(Json(ClubBody::new(club, &viewer, &labels, media, now)))
}

/// Change some fields of a club.
///
/// For officers. Fields that are not sent stay as they are. Only admins restore a deleted club,
/// approve a club or award badges.
#[utoipa::path(
    patch, path = "/api/clubs/{club}/", tag = "clubs", security(("bearer" = [])),
    params(("club" = String, Path)), request_body = ClubInput,
    responses((status = 200, body = ClubBody))
)]
pub async fn update_club(
    State(app): State<Shared>,
    scope: EditableClub,
    Input(input): Input<ClubInput>,
) -> Result<Json<ClubBody>> {
    let restores = input.restores();
    edit_club(&app, scope, restores, |club, labels, is_admin| {
        input.clone().apply(Mode::Update, club, labels, is_admin)
    })
    .await
}

/// Replace all fields of a club.
///
/// For officers. Every writable field must be sent, except `image` and the fields that only admins
/// write. Only admins restore a deleted club, approve a club or award badges.
#[utoipa::path(
    put, path = "/api/clubs/{club}/", tag = "clubs", security(("bearer" = [])),
    params(("club" = String, Path)), request_body = ClubInput,
    responses((status = 200, body = ClubBody))
)]
pub async fn replace_club(
    State(app): State<Shared>,
    scope: EditableClub,
    Input(input): Input<ClubInput>,
) -> Result<Json<ClubBody>> {
    let restores = input.restores();
    edit_club(&app, scope, restores, |club, labels, is_admin| {
        input.clone().apply(Mode::Replace, club, labels, is_admin)
    })
    .await
}

/// Upload the logo of a club.
///
/// For officers. The form has the image in the part `file`: PNG, JPEG, WebP or GIF, at most 4 MiB
/// and 40 megapixels.
#[utoipa::path(
    post, path = "/api/clubs/{club}/upload/", tag = "clubs", security(("bearer" = [])),
    params(("club" = String, Path)),
    request_body(content = ImageUpload, content_type = "multipart/form-data"),
    responses((status = 200, body = ClubBody))
)]
pub async fn upload_club_logo(
    State(app): State<Shared>,
    scope: EditableClub,
    Upload(field, bytes): Upload,
) -> Result<Response> {
    if scope.page.club.as_ref().is_some_and(|club| club.archived) {
        return Err(ApiError::NotFound);
    }
    let path = format!("/api/clubs/{}/", scope.code);
    let image = store_image(&app.media, &field, bytes).await?;
    let done = edit_club(&app, scope, false, |club, _, _| {
        club.image = Some(image.clone());
        Ok(())
    });
    Ok(shown_at(
        path,
        remove_unless_saved(&app.media, done.await, Some(&image)).await?,
    ))
}

/// Applies a change to the newest state of the club, so that other changes at the same moment are
/// not lost (X7). A deleted club can only be restored.
async fn edit_club(
    app: &Shared,
    scope: EditableClub,
    restores: bool,
    change: impl Fn(&mut Club, &TagsAndBadges, bool) -> Result<()>,
) -> Result<Json<ClubBody>> {
    let (scope, change) = (&scope, &change);
    let (user, is_admin) = (&scope.user, scope.user.is_admin());
    let read = || async move { scope.read(app).await.map(Some) };
    let labels = TagsAndBadges::at(app, &scope.page.versions).await?;
    let object = (scope.page.clone(), labels);
    let show = |(page, labels): &PageAndLabels| shown(app, page, labels, is_admin);
    let saved = edit(
        &scope.if_match,
        object,
        show,
        read,
        |read: PageAndLabels| async move {
            let (mut page, labels) = read;
            let old = page
                .club
                .take()
                .filter(|club| restores || !club.archived)
                .ok_or(ApiError::NotFound)?;
            let mut club = old.clone();
            change(&mut club, &labels, is_admin)?;
            if club != old {
                club.version += 1;
                // Whoever restores a club whose last owner was erased becomes its owner.
                let owner = match &page.membership {
                    _ if club.archived || club.owners > 0 => None,
                    Some(own) => {
                        let (role, version) = (Role::Owner, own.version + 1);
                        let own = own.clone();
                        Some((
                            Membership {
                                role,
                                version,
                                ..own
                            },
                            true,
                        ))
                    }
                    None => {
                        let (person, id) = (user.person().await?, app.next_id());
                        let new = Membership::new(&scope.code, person, Role::Owner, id, app.now());
                        Some((new, false))
                    }
                };
                app.table.update_club(&old, &club, owner.as_ref()).await?;
                let (before, now) = (old.image.as_ref(), club.image.as_ref());
                app.media.forget(before, now).await;
                if let Some((own, was_member)) = owner {
                    club.members += i64::from(!was_member);
                    page.membership = Some(own);
                }
            }
            page.club = Some(club);
            Ok((page, labels))
        },
    );
    let (page, labels) = saved.await?;
    shown(app, &page, &labels, is_admin)
        .map(Json)
        .ok_or(ApiError::NotFound)
}

/// A club, with the tags and badges that are needed to show it.
type PageAndLabels = (ClubPage, TagsAndBadges);

/// The club as the caller sees it, if there is a club.
fn shown(
    app: &Shared,
    page: &ClubPage,
    labels: &TagsAndBadges,
    is_admin: bool,
) -> Option<ClubBody> {
    let club = page.club.as_ref()?;
    let viewer = ClubViewer::on(&club.code, page.membership.as_ref(), page, is_admin);
    let (media, now) = (&app.media, app.now());
    Some(ClubBody::new(club, &viewer, labels, media, now))
}

/// A club that the caller may change as an officer. Admins also get deleted clubs, to restore them.
pub struct EditableClub {
    user: User,
    code: ClubCode,
    page: ClubPage,
    if_match: IfMatch,
}

impl EditableClub {
    /// Reads the newest state of the club.
    async fn read(&self, app: &Shared) -> Result<PageAndLabels, TableError> {
        let person = Some(self.user.id());
        let page = app.table.club_page(&self.code, person).await?;
        let labels = TagsAndBadges::at(app, &page.versions).await?;
        Ok((page, labels))
    }
}

impl FromRequestParts<Shared> for EditableClub {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self> {
        let user = <User as FromRequestParts<Shared>>::from_request_parts(parts, app).await?;
        let path = PathIds::from_request_parts(parts, app).await?;
        let code = path.club().clone();
        let page = app.table.club_page(&code, Some(user.id())).await?;
        let visibility = Visibility::with(page.membership.as_ref(), user.is_admin());
        if !page
            .club
            .as_ref()
            .is_some_and(|club| visibility.sees(club) || user.is_admin())
        {
            return Err(ApiError::NotFound);
        }
        if !is_officer(
            page.membership.as_ref().map(|membership| membership.role),
            user.is_admin(),
        ) {
            return Err(ApiError::Forbidden);
        }
        Ok(Self {
            user,
            code,
            page,
            if_match: IfMatch::of(&parts.headers),
        })
    }
}

/// Delete a club.
///
/// For owners. The club and everything in it are 404 afterwards. The code stays taken, and an admin
/// can restore the club.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/", tag = "clubs", security(("bearer" = [])),
    params(("club" = String, Path)), responses((status = 204))
)]
pub async fn delete_club(State(app): State<Shared>, scope: Owner, _: NoInput) -> Result<NoContent> {
    let (app, scope) = (&app, &scope);
    let (code, is_admin) = (&scope.club.code, scope.user.is_admin());
    let read = || async move {
        let page = app.table.club_page(code, Some(scope.user.id())).await?;
        let labels = TagsAndBadges::at(app, &page.versions).await?;
        Ok::<_, TableError>(Some((page, labels)))
    };
    let object = if scope.if_match.is_given() {
        read().await?
    } else {
        let club = Some(scope.club.clone());
        let page = ClubPage {
            club,
            ..ClubPage::default()
        };
        Some((page, TagsAndBadges::default()))
    };
    let object = object.ok_or(ApiError::NotFound)?;
    let show = |(page, labels): &PageAndLabels| shown(app, page, labels, is_admin);
    edit(
        &scope.if_match,
        object,
        show,
        read,
        |(page, _): PageAndLabels| async move {
            let old = page.club.ok_or(ApiError::NotFound)?;
            let club = Club {
                archived: true,
                version: old.version + 1,
                ..old.clone()
            };
            Ok(app.table.update_club(&old, &club, None).await?)
        },
    )
    .await?;
    Ok(NoContent)
}
