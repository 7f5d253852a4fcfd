//! `/clubs/`, `/clubs/{club}/`, `/clubs/{club}/upload/`

use std::collections::{BTreeMap, HashSet};

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::response::Response;
use shared::Shared;
use shared::http::{
    ApiError, Code, Created, Envelope, IfMatch, Input, Mode, NewId, NoContent, Owner, Page, Params,
    PathIds, Result, Upload, Visibility, is_officer, shown_at,
};
use shared::http::{ERASING, User, remove_unless_saved, store_image};
use shared::models::{Club, ClubProfile, Membership, Role};
use shared::settings::Approval;
use shared::table::{ClubPage, ClubQuota, ClubRefusal, Retries, TableError, Versions};
use shared::time::Timestamp;

use crate::body::{ClubBody, ClubInput, ClubViewer, TagsAndBadges};
use crate::codes::{numbered, slug, wanted_code};
use crate::ranking::{ClubFilter, ClubOrder, Ranked, Ranking, compare};

/// The clubs that the caller can see. Anybody.
#[utoipa::path(get, path = "/api/clubs/", tag = "clubs", security((), ("bearer" = [])),
    params(("search" = Option<String>, Query, description = "Words that must all occur in name, code, subtitle, description or a tag"),
        ("active" = Option<bool>, Query),
        ("tags" = Option<String>, Query, description = "Ids or names, separated by commas; all must match"),
        ("badges" = Option<String>, Query, description = "Id or label of a badge"),
        ("accepting" = Option<bool>, Query, description = "Whether an application is open now"),
        ("member" = Option<bool>, Query, description = "Whether the caller is in it; callers who are not signed in are in none"),
        ("ordering" = Option<String>, Query, description = "alphabetical, -alphabetical, featured (default), favorite_count, -favorite_count"),
        ("page" = Option<u64>, Query), ("page_size" = Option<u64>, Query, description = "25, at most 100")),
    responses((status = 200, body = Envelope<ClubBody>)))]
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
    // Only the featured order looks at events.
    let months = if filter.order == ClubOrder::Featured {
        versions.event_parts(Some(now), None)
    } else {
        vec![]
    };
    let (clubs, labels, hosts) = futures::try_join!(
        app.all_clubs(&versions),
        TagsAndBadges::at(&app, &versions),
        hosts(&app, &versions, &months, now)
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
async fn hosts(
    app: &Shared,
    versions: &Versions,
    months: &[String],
    now: Timestamp,
) -> Result<HashSet<String>, TableError> {
    let parts = app
        .events
        .parts(&app.table, versions, months, app.clock.now())
        .await?;
    Ok(parts
        .iter()
        .flat_map(|part| part.iter())
        .filter(|listed| listed.event.span().is_some_and(|span| span.ends.1 >= now))
        .map(|listed| listed.event.club.clone())
        .collect())
}

/// Creates a club; the caller becomes its owner. Any signed-in user.
#[utoipa::path(post, path = "/api/clubs/", tag = "clubs", security(("bearer" = [])), request_body = ClubInput,
    responses((status = 201, body = ClubBody)))]
pub async fn create_club(
    State(app): State<Shared>,
    user: User,
    NewId(creation): NewId,
    Input(mut input): Input<ClubInput>,
) -> Result<Created<ClubBody>> {
    let now = app.now();
    let code = wanted_code(std::mem::take(&mut input.code))?;
    let mut club = Club {
        code: String::new(),
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
    };
    let labels = async { Ok(TagsAndBadges::at(&app, &app.table.versions().await?).await?) };
    let (labels, person) = futures::try_join!(labels, user.person())?;
    input.apply(Mode::Create, &mut club, &labels, user.is_admin())?;
    // Names collide; codes may not: the second club of a name gets -2, and so on.
    let slug = slug(&club.profile.name);
    let quotas = app.settings.quotas;
    let quota = (!user.is_admin()).then_some(ClubQuota {
        created: quotas.clubs_created,
        owned: quotas.clubs_owned,
    });
    for n in 1..=100 {
        club.code = code.clone().unwrap_or_else(|| numbered(&slug, n, creation));
        let owner = Membership::new(&club.code, person, Role::Owner, creation, now);
        let taken = match app.table.create_club(&club, &owner, quota).await? {
            Ok(()) => None,
            Err(ClubRefusal::Taken) => app.table.club_page(&club.code, None).await?.club,
            Err(ClubRefusal::Creator) => return Err(too_many_clubs(&app, user.id()).await?),
            Err(ClubRefusal::Reference) => {
                return Err(ApiError::field(
                    "tags",
                    "A tag or badge was deleted at this moment.",
                ));
            }
        };
        match taken {
            // An earlier attempt with the same idempotency key was here.
            Some(there) if there.creation == creation => club = there,
            Some(_) if code.is_none() => continue,
            Some(_) => return Err(ApiError::field("code", "This code is taken.")),
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
        "A hundred clubs have this name. Choose another one, or a code.",
    ))
}

/// Why somebody creates no further club.
async fn too_many_clubs(app: &Shared, person: u64) -> Result<ApiError> {
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
            "A person creates at most {} clubs, deleted ones included. An administrator can create more.",
            quotas.clubs_created
        )
    } else {
        format!(
            "A person owns at most {} clubs, deleted ones included.",
            quotas.clubs_owned
        )
    };
    Ok(ApiError::rule(why).coded(Code::Quota))
}

/// One club. Anybody who can see it.
#[utoipa::path(get, path = "/api/clubs/{club}/", tag = "clubs", security((), ("bearer" = [])), params(("club" = String, Path)),
    responses((status = 200, body = ClubBody)))]
pub async fn show_club(
    State(app): State<Shared>,
    user: Option<User>,
    path: PathIds,
) -> Result<Json<ClubBody>> {
    let page = app
        .table
        .club_page(path.text("club"), user.as_ref().map(User::id))
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
    Ok(Json(ClubBody::new(
        club,
        &viewer,
        &labels,
        &app.media,
        app.now(),
    )))
}

/// Changes the fields that are sent. Officers; admins also restore, approve and award badges.
#[utoipa::path(patch, path = "/api/clubs/{club}/", tag = "clubs", security(("bearer" = [])), params(("club" = String, Path)),
    request_body = ClubInput, responses((status = 200, body = ClubBody)))]
pub async fn update_club(
    State(app): State<Shared>,
    scope: EditableClub,
    Input(input): Input<ClubInput>,
) -> Result<Json<ClubBody>> {
    let restores = input.restores();
    edit(&app, scope, restores, |club, labels, is_admin| {
        input.clone().apply(Mode::Update, club, labels, is_admin)
    })
    .await
}

/// Replaces all writable fields. Officers; admins also restore, approve and award badges.
#[utoipa::path(put, path = "/api/clubs/{club}/", tag = "clubs", security(("bearer" = [])), params(("club" = String, Path)),
    request_body = ClubInput, responses((status = 200, body = ClubBody)))]
pub async fn replace_club(
    State(app): State<Shared>,
    scope: EditableClub,
    Input(input): Input<ClubInput>,
) -> Result<Json<ClubBody>> {
    let restores = input.restores();
    edit(&app, scope, restores, |club, labels, is_admin| {
        input.clone().apply(Mode::Replace, club, labels, is_admin)
    })
    .await
}

/// Gives a club its logo, in the part `file` (or `image`) of a form. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/upload/", tag = "clubs", security(("bearer" = [])), params(("club" = String, Path)),
    request_body(content = String, content_type = "multipart/form-data"), responses((status = 200, body = ClubBody)))]
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
    let done = edit(&app, scope, false, |club, _, _| {
        club.image = Some(image.clone());
        Ok(())
    });
    Ok(shown_at(
        path,
        remove_unless_saved(&app.media, done.await, Some(&image)).await?,
    ))
}

/// Does a change on the club as it is now: whoever else changes it at this moment loses nothing.
/// A deleted club can be restored, and nothing else.
async fn edit(
    app: &Shared,
    scope: EditableClub,
    restores: bool,
    change: impl Fn(&mut Club, &TagsAndBadges, bool) -> Result<()>,
) -> Result<Json<ClubBody>> {
    let EditableClub {
        user,
        code,
        mut page,
        if_match,
    } = scope;
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        let old = page
            .club
            .take()
            .filter(|club| restores || !club.archived)
            .ok_or(ApiError::NotFound)?;
        let mut membership = page.membership.take();
        let labels = TagsAndBadges::at(app, &page.versions).await?;
        let seen = |club: &Club, membership: Option<&Membership>| {
            let viewer = ClubViewer::on(&code, membership, &page, user.is_admin());
            ClubBody::new(club, &viewer, &labels, &app.media, app.now())
        };
        if_match.check(|| seen(&old, membership.as_ref()))?;
        let mut club = old.clone();
        change(&mut club, &labels, user.is_admin())?;
        if club != old {
            club.version += 1;
            // Who restores a club whose last owner was erased owns it.
            let owner = match &membership {
                _ if club.archived || club.owners > 0 => None,
                Some(own) => Some((
                    Membership {
                        role: Role::Owner,
                        ..own.clone()
                    },
                    true,
                )),
                None => Some((
                    Membership::new(
                        &code,
                        user.person().await?,
                        Role::Owner,
                        app.next_id(),
                        app.now(),
                    ),
                    false,
                )),
            };
            match app.table.update_club(&old, &club, owner.as_ref()).await {
                Err(TableError::Refused(_)) => {
                    page = app.table.club_page(&code, Some(user.id())).await?;
                    continue;
                }
                done => done?,
            }
            app.media
                .forget(old.image.as_ref(), club.image.as_ref())
                .await;
            if let Some((own, was_member)) = owner {
                club.members += i64::from(!was_member);
                membership = Some(own);
            }
        }
        return Ok(Json(seen(&club, membership.as_ref())));
    }
}

/// A club that its officers may change; admins get deleted ones too, to restore them.
pub struct EditableClub {
    user: User,
    code: String,
    page: ClubPage,
    if_match: IfMatch,
}

impl FromRequestParts<Shared> for EditableClub {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self> {
        let user = <User as FromRequestParts<Shared>>::from_request_parts(parts, app).await?;
        let path = PathIds::from_request_parts(parts, app).await?;
        let code = path.text("club").to_owned();
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

/// Archives a club: the code stays taken, the club and all under it answer 404. Owners.
#[utoipa::path(delete, path = "/api/clubs/{club}/", tag = "clubs", security(("bearer" = [])), params(("club" = String, Path)),
    responses((status = 204)))]
pub async fn delete_club(State(app): State<Shared>, scope: Owner) -> Result<NoContent> {
    let mut old = scope.club;
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        if scope.if_match.is_given() {
            let mut page = app
                .table
                .club_page(&old.code, Some(scope.user.id()))
                .await?;
            old = page.club.take().ok_or(ApiError::NotFound)?;
            let labels = TagsAndBadges::at(&app, &page.versions).await?;
            let viewer = ClubViewer::on(
                &old.code,
                page.membership.as_ref(),
                &page,
                scope.user.is_admin(),
            );
            scope
                .if_match
                .check(|| ClubBody::new(&old, &viewer, &labels, &app.media, app.now()))?;
        }
        let club = Club {
            archived: true,
            version: old.version + 1,
            ..old.clone()
        };
        match app.table.update_club(&old, &club, None).await {
            Err(TableError::Refused(_)) => {
                old = app.table.club(&old.code).await?.ok_or(ApiError::NotFound)?
            }
            done => return Ok(done.map(|()| NoContent)?),
        }
    }
}
