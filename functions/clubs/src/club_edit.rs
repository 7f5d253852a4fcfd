//! `/clubs/{club}/` (PATCH, PUT) and `/clubs/{club}/upload/`

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::Response;
use shared::db::TableError;
use shared::domain::{Club, ClubPage, Membership, NewOwner, Role};
use shared::openapi::fields::ImageUpload;
use shared::text::ClubCode;
use shared::web::scopes::ClubsWrite;
use shared::web::{
    ApiError, IfMatch, Input, Mode, PathIds, Result, Upload, User, Visibility, caller, edit,
    is_officer, remove_unless_saved, shown_at, store_image,
};
use shared::{Context, Shared};

use crate::body::{ClubBody, ClubInput, TagsAndBadges};
use crate::clubs::{PageAndLabels, shown};

/// Change some fields of a club.
///
/// For officers. With `PUT` every writable field must be sent, except `image` and the fields that
/// only admins write; with `PATCH` the others stay as they are. Only admins restore a deleted club,
/// approve a club or award badges.
#[utoipa::path(
    method(put, patch), path = "/api/clubs/{club}/", tag = "clubs",
    security(("bearer" = []), ("token" = ["clubs:write"])),
    params(("club" = String, Path)), request_body = ClubInput,
    responses((status = 200, body = ClubBody))
)]
pub async fn update_club(
    app: Context,
    scope: EditableClub,
    mode: Mode,
    Input(input): Input<ClubInput>,
) -> Result<Json<ClubBody>> {
    let restores = input.restores();
    edit_club(&app, scope, restores, |club, labels, is_admin| {
        input.clone().apply(mode, club, labels, is_admin)
    })
    .await
}

/// Upload the logo of a club.
///
/// For officers. The form has the image in the part `file`: PNG, JPEG, WebP or GIF, at most 4 MiB
/// and 40 megapixels.
#[utoipa::path(
    post, path = "/api/clubs/{club}/upload/", tag = "clubs",
    security(("bearer" = []), ("token" = ["clubs:write"])),
    params(("club" = String, Path)),
    request_body(content = ImageUpload, content_type = "multipart/form-data"),
    responses((status = 200, body = ClubBody))
)]
pub async fn upload_club_logo(
    app: Context,
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
        club.profile.image_alt.clear();
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
    app: &Context,
    scope: EditableClub,
    restores: bool,
    change: impl Fn(&mut Club, &TagsAndBadges, bool) -> Result<()>,
) -> Result<Json<ClubBody>> {
    let (scope, change) = (&scope, &change);
    let (user, is_admin) = (&scope.user, scope.user.is_admin());
    let read = || async move { scope.read(app).await.map(Some) };
    let labels = TagsAndBadges::at(app, &scope.page.versions).await?;
    let object = (scope.page.clone(), labels);
    let show = |(page, labels): &PageAndLabels| shown(app, page, labels, user);
    let saved = edit(
        app,
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
                    _ if !old.archived || club.archived || club.owners > 0 => None,
                    Some(own) => Some(NewOwner {
                        membership: Membership {
                            role: Role::Owner,
                            version: own.version + 1,
                            ..own.clone()
                        },
                        is_member: true,
                    }),
                    None => {
                        let (person, id) = (user.person().await?, app.next_id());
                        let new = Membership::new(&scope.code, person, Role::Owner, id, app.now());
                        Some(NewOwner {
                            membership: new,
                            is_member: false,
                        })
                    }
                };
                let update = app
                    .table
                    .update_club(&old, &club, owner.as_ref(), app.now());
                update.await?;
                let (before, now) = (old.image.as_ref(), club.image.as_ref());
                app.media.forget(before, now).await;
                if let Some(new) = owner {
                    club.members += i64::from(!new.is_member);
                    page.membership = Some(new.membership);
                }
            }
            page.club = Some(club);
            Ok((page, labels))
        },
    );
    let (page, labels) = saved.await?;
    shown(app, &page, &labels, user)
        .map(Json)
        .ok_or(ApiError::NotFound)
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
    async fn read(&self, app: &Context) -> Result<PageAndLabels, TableError> {
        let person = Some(self.user.id());
        let page = app.table.club_page(&self.code, person).await?;
        let labels = TagsAndBadges::at(app, &page.versions).await?;
        Ok((page, labels))
    }
}

impl FromRequestParts<Shared> for EditableClub {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self> {
        let app = &Context::of(parts, state);
        let path = PathIds::from_request_parts(parts, state).await;
        let user = caller::<ClubsWrite>(parts, path.as_ref().ok().map(PathIds::club))?;
        let code = path?.club().clone();
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
