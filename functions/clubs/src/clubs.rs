//! `/clubs/`, `/clubs/{club}/`, `/clubs/{club}/upload/`

use std::collections::{BTreeMap, HashMap};

use axum::Json;
use axum::response::Response;
use shared::Context;
use shared::db::{Refusal, TableError};
use shared::domain::{Club, ClubPage, ClubProfile, ClubQuota, Event, Membership, Role, Versions};
use shared::ids::{Id, of};
use shared::openapi::fields::{ClubOrdering, Count, SearchText, Unapproved};
use shared::reason::Reason;
use shared::settings::Approval;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::scopes::{ClubsRead, ClubsWrite, SessionOnly};
use shared::web::{
    AnyCaller, ApiError, Caller, Code, Created, Envelope, Input, Kept, Mode, NewId, NoContent,
    NoInput, Owner, Page, Params, PathIds, Result, User, Visibility, create, edit,
};

use crate::body::{ClubBody, ClubInput, ClubViewer, NextEventBody, TagsAndBadges};
use crate::codes::{numbered, requested_code, slug};
use crate::ranking::{ClubFilter, Ranked, Ranking, compare};

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
        ("approved" = Option<Unapproved>, Query,
            description = "`none`: only clubs that wait for approval. For admins"),
        ("archived" = Option<bool>, Query,
            description = "`true`: only deleted clubs. For admins"),
        ("ordering" = Option<ClubOrdering>, Query,
            description = "The order; `featured` if not given. `-` turns it round"),
        ("page" = Option<Count>, Query, description = "Number of the page, from 1. 404 if there is no such page"),
        ("page_size" = Option<Count>, Query,
            description = "Results on one page: 25 by default. More than 100 counts as 100")
    ),
    responses((status = 200, body = Envelope<ClubBody>))
)]
pub async fn list_clubs(
    app: Context,
    user: Option<User>,
    params: Params,
    page: Page,
) -> Result<Response> {
    let filter = ClubFilter::read(&params)?;
    if filter.is_for_admins() && !user.as_ref().is_some_and(User::is_admin) {
        return Err(ApiError::Forbidden);
    }
    let (versions, (viewer, visibility)) =
        futures::try_join!(app.table.versions(), ClubViewer::of(&app, user.as_ref()))?;
    let now = app.now();
    let months = versions.event_segments(Some(now), None);
    let (clubs, labels, hosts) = futures::try_join!(
        app.all_clubs(&versions),
        TagsAndBadges::at(&app, &versions),
        next_events(&app, &versions, &months, now)
    )?;
    let ranking = Ranking { now, hosts };
    let mut found = filter.find(&clubs, &labels, &ranking, |club| {
        // Only admins ask for deleted clubs.
        let is_listed = if filter.is_archived {
            club.archived
        } else {
            visibility.sees(club)
        };
        is_listed && filter.is_for(club, &viewer, user.is_some(), now)
    });
    let show = |ranked: &Ranked| {
        ClubBody::new(&ranked.listed.club, &viewer, &labels, &app.media, now)
            .in_list(ranking.hosts.get(&ranked.listed.club.code))
    };
    let page = page.of_sorted(&mut found, |a, b| compare(filter.order, a, b), show)?;
    Ok(Kept::MinuteInDistribution.unless_signed_in(user.as_ref(), Json(page)))
}

/// The event of each club that is on or begins next.
async fn next_events(
    app: &Context,
    versions: &Versions,
    months: &[String],
    now: Timestamp,
) -> Result<HashMap<ClubCode, NextEventBody>, TableError> {
    let segments = app
        .events
        .segments(&app.table, versions, months, app.clock.now())
        .await?;
    let upcoming = segments
        .iter()
        .flat_map(|segment| segment.iter())
        .filter(|listed| listed.span.is_some_and(|span| span.ends.1 >= now))
        .filter_map(|listed| {
            let coming = listed.event.showings.iter().filter(|one| one.end >= now);
            Some((coming.map(|one| one.start).min()?, &listed.event))
        });
    let mut next: HashMap<&ClubCode, (Timestamp, &Event)> = HashMap::new();
    for (start, event) in upcoming {
        let first = next.entry(&event.club).or_insert((start, event));
        if start < first.0 {
            *first = (start, event);
        }
    }
    let shown = next.into_iter().map(|(club, (start_time, event))| {
        let (id, name) = (event.id, event.name.clone());
        let body = NextEventBody {
            id,
            name,
            start_time,
        };
        (club.clone(), body)
    });
    Ok(shown.collect())
}

/// Create a club.
///
/// For every signed-in user. The caller becomes its owner. A person can create at most 10 clubs and
/// own at most 50, deleted clubs included; admins have no limit. The club may wait for the approval
/// of an admin.
#[utoipa::path(
    post, path = "/api/clubs/", tag = "clubs",
    security(("bearer" = []), ("token" = ["clubs:write"])),
    request_body = ClubInput,
    responses((status = 201, body = ClubBody))
)]
pub async fn create_club(
    app: Context,
    Caller(user, _): Caller<ClubsWrite>,
    NewId(creation): NewId,
    Input(input): Input<ClubInput>,
) -> Result<Created<ClubBody>> {
    let now = app.now();
    let code = requested_code(input.code.clone())?;
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
        requests_notified_at: None,
        windows: BTreeMap::new(),
        releases: BTreeMap::new(),
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
        let stored = app.table.create_club(&club, &owner, quota).await;
        let read = async { Ok(app.table.club_page(&club.code, None).await?.club) };
        let is_own = |there: &Club| there.creation == creation;
        let created = create(club.clone(), stored, read, is_own, TableError::Refused).await;
        let club = match created {
            Ok(club) => club,
            Err(TableError::Refused(Refusal::Exists)) if code.is_none() => continue,
            Err(TableError::Refused(Refusal::Exists)) => {
                return Err(ApiError::field("code", Reason::Taken));
            }
            Err(TableError::Refused(Refusal::Quota)) => {
                return Err(too_many_clubs(&app, user.id()).await?);
            }
            Err(TableError::Refused(Refusal::ReferenceDeleted)) => {
                return Err(ApiError::field("tags", Reason::TagDeleted));
            }
            Err(error) => return Err(error.into()),
        };
        let viewer = ClubViewer::on(&club.code, Some(&owner), &ClubPage::default(), Some(&user));
        let body = ClubBody::new(&club, &viewer, &labels, &app.media, now);
        return Ok(Created {
            location: format!("/api/clubs/{}/", club.code),
            body,
        });
    }
    Err(ApiError::field("name", Reason::CommonName))
}

/// The reason why this person cannot create another club.
async fn too_many_clubs(app: &Context, person: Id<of::Person>) -> Result<ApiError> {
    let Some(person) = app
        .table
        .person(person)
        .await?
        .filter(|person| !person.erasing)
    else {
        return Ok(ApiError::Erasing);
    };
    let quotas = app.settings.quotas;
    let why = if person.clubs_created >= i64::from(quotas.clubs_created) {
        Reason::TooManyCreated {
            limit: quotas.clubs_created,
        }
    } else {
        Reason::TooManyOwned {
            limit: quotas.clubs_owned,
        }
    };
    Ok(ApiError::rule(why).coded(Code::Quota))
}

/// Get a club.
///
/// For everybody who can see the club.
#[utoipa::path(
    get, path = "/api/clubs/{club}/", tag = "clubs",
    security((), ("bearer" = []), ("token" = ["clubs:read"])),
    params(("club" = String, Path)), responses((status = 200, body = ClubBody))
)]
pub async fn show_club(
    app: Context,
    AnyCaller(user, _): AnyCaller<ClubsRead>,
    path: PathIds,
) -> Result<Json<ClubBody>> {
    let page = app
        .table
        .club_page(path.club(), user.as_ref().map(User::id))
        .await?;
    let user = user.as_ref();
    let is_admin = user.is_some_and(User::is_admin);
    let visibility = Visibility::with(page.membership.as_ref(), is_admin);
    let club = page
        .club
        .as_ref()
        .filter(|club| visibility.sees(club))
        .ok_or(ApiError::NotFound)?;
    let labels = TagsAndBadges::at(&app, &page.versions).await?;
    let viewer = ClubViewer::on(&club.code, page.membership.as_ref(), &page, user);
    let (media, now) = (&app.media, app.now());
    Ok(Json(ClubBody::new(club, &viewer, &labels, media, now)))
}

/// A club, with the tags and badges that are needed to show it.
pub(crate) type PageAndLabels = (ClubPage, TagsAndBadges);

/// The club as the caller sees it, if there is a club.
pub(crate) fn shown(
    app: &Context,
    page: &ClubPage,
    labels: &TagsAndBadges,
    user: &User,
) -> Option<ClubBody> {
    let club = page.club.as_ref()?;
    let viewer = ClubViewer::on(&club.code, page.membership.as_ref(), page, Some(user));
    let (media, now) = (&app.media, app.now());
    Some(ClubBody::new(club, &viewer, labels, media, now))
}

/// Delete a club.
///
/// For owners. The club and everything in it are 404 afterwards. The code stays taken, and an admin
/// can restore the club.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/", tag = "clubs", security(("bearer" = [])),
    params(("club" = String, Path)), responses((status = 204))
)]
pub async fn delete_club(app: Context, scope: Owner<SessionOnly>, _: NoInput) -> Result<NoContent> {
    let (app, scope) = (&app, &scope);
    let code = &scope.club.code;
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
    let show = |(page, labels): &PageAndLabels| shown(app, page, labels, &scope.user);
    edit(
        app,
        &scope.if_match,
        object,
        show,
        read,
        |(page, _): PageAndLabels| async move {
            let old = page.club.ok_or(ApiError::NotFound)?;
            // Somebody else deleted it at the same moment.
            if old.archived {
                return Ok(());
            }
            Ok(app.table.archive_club(&old, app.now()).await?)
        },
    )
    .await?;
    Ok(NoContent)
}
