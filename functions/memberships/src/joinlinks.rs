//! `/clubs/{club}/joinlinks/`, `…/{link}/`, `…/{link}/qr.svg`

use axum::Json;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use chrono::TimeDelta;
use serde::Serialize;
use shared::db::{Refusal, TableError};
use shared::domain::{JoinLink, Person};
use shared::ids::{Id, of};
use shared::mail::join_url;
use shared::reason::Reason;
use shared::settings::Settings;
use shared::text::kinds::{JoinUses, Line};
use shared::time::Timestamp;
use shared::web::scopes::{MembersRead, MembersWrite};
use shared::web::{
    ApiError, Code, Created, Input, Load, Mode, NewId, NoContent, NoInput, Officer, PathIds,
    Reader, Result, User, create, edit,
};
use shared::{Context, limits};
use utoipa::ToSchema;

/// A link with which anybody can join the club as a member.
#[derive(Debug, Serialize, ToSchema)]
pub struct JoinLinkBody {
    /// Id of the link.
    #[schema(value_type = u64)]
    id: Id<of::JoinLink>,
    /// The address that people open. Whoever has it can join.
    url: String,
    /// Title of those who join with it.
    title: String,
    /// A note of the officers.
    note: String,
    /// Until when it can be used.
    expires_at: Timestamp,
    /// How often it can be used, or null for any number.
    max_uses: Option<u32>,
    /// How often it was used.
    uses: u32,
    /// The officer who created it. Null if the officer was erased.
    created_by: Option<CreatorBody>,
    /// When it was created.
    created_at: Timestamp,
}

/// The officer who created a join link.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreatorBody {
    /// User id.
    #[schema(value_type = u64)]
    id: Id<of::Person>,
    /// Present user name.
    username: String,
}

impl JoinLinkBody {
    fn new(link: &JoinLink, creator: Option<&Person>, settings: &Settings) -> Self {
        Self {
            id: link.id,
            url: join_url(settings, &link.club, link.id),
            title: link.title.clone(),
            note: link.note.clone(),
            expires_at: link.expires_at,
            max_uses: link.max_uses,
            uses: link.uses,
            created_by: creator
                .filter(|one| one.was_there(link.created_at))
                .map(|person| CreatorBody {
                    id: person.id,
                    username: person.personal.username.clone(),
                }),
            created_at: link.created_at,
        }
    }
}

shared::input! {
    /// The fields of a join link that officers write.
    pub struct JoinLinkInput {
        /// Until when it can be used: in the future, and within a year. In 30 days if not sent, or
        /// null.
        expires_at: Option<Timestamp>, Free;
        /// How often it can be used, from 1 to 10,000, or null for any number (default).
        max_uses: Option<JoinUses>, Free;
        /// Title of those who join with it: one line, at most 255 characters.
        title: Line, Free;
        /// A note for officers: one line, at most 255 characters.
        note: Line, Free;
    }
}

impl JoinLinkInput {
    fn apply(self, mode: Mode, link: &mut JoinLink, now: Timestamp) -> Result<()> {
        let mut reader = Reader::new(mode);
        let expires_at = reader.get(self.expires_at);
        // Null is the default.
        let default = now.plus(TimeDelta::days(JoinLink::DAYS));
        if let Some(expires_at) = expires_at.map(|at| at.unwrap_or(default)) {
            let most = now.plus(TimeDelta::days(JoinLink::MOST_DAYS));
            if expires_at <= now || expires_at > most {
                reader.errors.add("expires_at", Reason::NotWithinYear);
            }
            link.expires_at = expires_at;
        }
        reader.set(self.max_uses, &mut link.max_uses);
        reader.set(self.title, &mut link.title);
        reader.set(self.note, &mut link.note);
        reader.finish()
    }
}

/// The join link in the path, with its creator.
#[derive(Clone)]
pub struct LinkOfPath(JoinLink);

impl Load for LinkOfPath {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(id) = path.id("link") else {
            return Ok(None);
        };
        Ok(app.table.join_link(path.club(), id).await?.map(Self))
    }
}

async fn creator(app: &Context, link: &JoinLink) -> Result<Option<Person>> {
    Ok(app.table.person(link.created_by).await?)
}

/// List the join links of a club.
///
/// For officers. The newest comes first. Expired ones are shown for 90 days.
#[utoipa::path(
    get, path = "/api/clubs/{club}/joinlinks/", tag = "join links",
    security(("bearer" = []), ("token" = ["members:read"])),
    params(("club" = String, Path)), responses((status = 200, body = Vec<JoinLinkBody>))
)]
pub async fn list_join_links(
    app: Context,
    scope: Officer<MembersRead>,
) -> Result<Json<Vec<JoinLinkBody>>> {
    let mut links = app.table.join_links(&scope.club.code).await?;
    links.sort_by_key(|link| std::cmp::Reverse((link.created_at, link.id)));
    let people = app
        .table
        .people(links.iter().map(|link| link.created_by))
        .await?;
    let show =
        |link: &JoinLink| JoinLinkBody::new(link, people.get(&link.created_by), &app.settings);
    Ok(Json(links.iter().map(show).collect()))
}

/// Create a join link.
///
/// For officers. Anybody who has the link can join the club as a member, until it expires, is used
/// up or is deleted. A club has at most 100 join links.
#[utoipa::path(
    post, path = "/api/clubs/{club}/joinlinks/", tag = "join links",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(("club" = String, Path)), request_body = JoinLinkInput,
    responses((status = 201, body = JoinLinkBody))
)]
pub async fn create_join_link(
    app: Context,
    scope: Officer<MembersWrite>,
    NewId(creation): NewId,
    Input(input): Input<JoinLinkInput>,
) -> Result<Created<JoinLinkBody>> {
    let (club, now) = (&scope.club.code, app.now());
    let mut link = JoinLink {
        id: Id::new(creation),
        club: club.clone(),
        version: creation,
        creation,
        title: String::new(),
        note: String::new(),
        expires_at: now.plus(TimeDelta::days(JoinLink::DAYS)),
        max_uses: None,
        uses: 0,
        created_by: scope.user.id(),
        by: scope.authority().map(|own| own.id),
        created_at: now,
    };
    input.apply(Mode::Create, &mut link, now)?;
    if link.by.is_none() {
        scope.user.note_admin().await?;
    }
    // Once the link is stored, nothing may fail any more.
    let creator = Some(scope.user.person().await?);
    let stored = if app.table.join_links(club).await?.len() < limits::JOIN_LINKS {
        app.table.create_join_link(&link).await
    } else {
        Err(TableError::Refused(Refusal::Quota))
    };
    let read = app.table.join_link(club, link.id);
    let refused = |refusal| match refusal {
        Refusal::Quota => ApiError::rule(Reason::TooManyJoinLinks {
            limit: limits::JOIN_LINKS,
        })
        .coded(Code::Quota),
        _ => ApiError::NotFound,
    };
    let link = create(link, stored, read, |_| true, refused).await?;
    Ok(Created {
        location: format!("/api/clubs/{club}/joinlinks/{}/", link.id),
        body: JoinLinkBody::new(&link, creator, &app.settings),
    })
}

/// Get a join link.
///
/// For officers.
#[utoipa::path(
    get, path = "/api/clubs/{club}/joinlinks/{link}/", tag = "join links",
    security(("bearer" = []), ("token" = ["members:read"])),
    params(("club" = String, Path), ("link" = u64, Path)),
    responses((status = 200, body = JoinLinkBody))
)]
pub async fn show_join_link(
    app: Context,
    scope: Officer<MembersRead, (), LinkOfPath>,
) -> Result<Json<JoinLinkBody>> {
    let link = scope.object.0;
    let creator = creator(&app, &link).await?;
    Ok(Json(JoinLinkBody::new(
        &link,
        creator.as_ref(),
        &app.settings,
    )))
}

/// Change a join link.
///
/// For officers. Its address stays the same.
#[utoipa::path(
    patch, path = "/api/clubs/{club}/joinlinks/{link}/", tag = "join links",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(("club" = String, Path), ("link" = u64, Path)),
    request_body = JoinLinkInput, responses((status = 200, body = JoinLinkBody))
)]
pub async fn update_join_link(
    app: Context,
    scope: Officer<MembersWrite, (), LinkOfPath>,
    Input(input): Input<JoinLinkInput>,
) -> Result<Json<JoinLinkBody>> {
    let (app, link) = (&app, scope.object.0);
    let creator = creator(app, &link).await?;
    let (club, id, now) = (&scope.club.code, link.id, app.now());
    let read = || app.table.join_link(club, id);
    let show = |link: &JoinLink| JoinLinkBody::new(link, creator.as_ref(), &app.settings);
    let input = &input;
    let change = |old: JoinLink| async move {
        let mut new = old.clone();
        input.clone().apply(Mode::Update, &mut new, now)?;
        new.version = app.next_id();
        app.table.update_join_link(&old, &new).await?;
        Ok(new)
    };
    let saved = edit(app, &scope.if_match, link, show, read, change).await?;
    Ok(Json(show(&saved)))
}

/// Delete a join link.
///
/// For officers. Nobody can join with it any more. Those who joined stay members.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/joinlinks/{link}/", tag = "join links",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(("club" = String, Path), ("link" = u64, Path)),
    responses((status = 204))
)]
pub async fn delete_join_link(
    app: Context,
    scope: Officer<MembersWrite, (), LinkOfPath>,
    _: NoInput,
) -> Result<NoContent> {
    let (app, link) = (&app, scope.object.0);
    let creator = creator(app, &link).await?;
    let (club, id) = (&scope.club.code, link.id);
    let read = || app.table.join_link(club, id);
    let show = |link: &JoinLink| JoinLinkBody::new(link, creator.as_ref(), &app.settings);
    let delete = async |old: JoinLink| Ok(app.table.delete_join_link(&old).await?);
    edit(app, &scope.if_match, link, show, read, delete).await?;
    Ok(NoContent)
}

/// Get the QR code of a join link.
///
/// For officers: an SVG image to print or to show. It contains the address of the link.
#[utoipa::path(
    get, path = "/api/clubs/{club}/joinlinks/{link}/qr.svg", tag = "join links",
    security(("bearer" = []), ("token" = ["members:read"])),
    params(("club" = String, Path), ("link" = u64, Path)),
    responses((status = 200, body = String, content_type = "image/svg+xml"))
)]
pub async fn show_qr_code(
    app: Context,
    scope: Officer<MembersRead, (), LinkOfPath>,
) -> Result<Response> {
    let link = scope.object.0;
    let url = join_url(&app.settings, &link.club, link.id);
    let code =
        shared::qr::svg(&url).ok_or_else(|| ApiError::Internal("a long address".to_owned()))?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], code).into_response())
}
