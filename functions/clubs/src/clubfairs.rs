//! `/clubfairs/`, `/clubfairs/current/`, `/clubfairs/{fair}/`, `/clubfairs/{fair}/register/`: club
//! fairs and the clubs that are registered for them

use std::collections::HashMap;

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::bodies::ClubNameBody;
use shared::domain::{Fair, ReferenceEntry, Registration, Versions};
use shared::ids::Id;
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::text::kinds::{Html, Line, Name};
use shared::time::Timestamp;
use shared::web::{
    Admin, ApiError, Input, Mode, NewId, NoContent, NoInput, Params, PathIds, Reader, Result, User,
    Visibility, shown_at,
};
use shared::{Context, limits};
use utoipa::ToSchema;

use crate::reference_data::{self, Collection, Entry};

/// A club fair.
#[derive(Debug, Serialize, ToSchema)]
pub struct FairBody {
    /// Id of the fair.
    #[schema(value_type = u64)]
    id: Id<Fair>,
    /// One line.
    name: String,
    /// Who organizes the fair.
    organization: String,
    /// How to reach the organizers.
    contact: String,
    /// HTML.
    information: String,
    /// Beginning of the fair.
    start_time: Timestamp,
    /// End of the fair.
    end_time: Timestamp,
    /// First moment at which officers can register their clubs. Null means no limit.
    registration_start_time: Option<Timestamp>,
    /// Last moment at which officers can register their clubs. Null means the end of the fair.
    registration_end_time: Option<Timestamp>,
    /// Whether it is held online.
    r#virtual: bool,
    /// Codes of the registered clubs that the caller can see.
    #[schema(value_type = Vec<String>)]
    clubs: Vec<ClubCode>,
    /// The same clubs with their names and logos. Deleted ones are left out.
    participants: Vec<ClubNameBody>,
}

shared::input! {
    /// The fields of a fair that admins write.
    pub struct FairInput {
        /// One line, at most 255 characters. Unique, whatever its case and accents.
        name: Name, Required;
        /// One line, at most 255 characters.
        organization: Line, Optional;
        /// How to reach the organizers. One line, at most 255 characters.
        contact: Line, Optional;
        /// HTML, at most 50,000 characters.
        information: Html, Optional;
        /// Beginning of the fair.
        start_time: Timestamp, Required;
        /// Must not be before `start_time`.
        end_time: Timestamp, Required;
        /// First moment at which officers can register their clubs. Null means no limit.
        registration_start_time: Option<Timestamp>, Optional;
        /// Must not be before `registration_start_time`. Null means the end of the fair.
        registration_end_time: Option<Timestamp>, Optional;
        /// Whether the fair is held online.
        is_virtual as "virtual": bool, Optional = false;
    }
}

/// The clubs of each fair that the caller can see, by the id of the fair.
pub type FairClubs = HashMap<Id<Fair>, Vec<(ClubCode, Option<ClubNameBody>)>>;

impl Collection for Fair {
    type Input = FairInput;
    type Body = FairBody;
    type Context = FairClubs;
    const PARAM: &'static str = "fair";
    const PATH: &'static str = "/api/clubfairs/";

    fn apply(&mut self, input: FairInput, mode: Mode) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.set(input.name, &mut self.name);
        reader.set(input.organization, &mut self.organization);
        reader.set(input.contact, &mut self.contact);
        reader.html(
            input.information,
            limits::DESCRIPTION_BYTES,
            &mut self.information,
        );
        reader.set(input.start_time, &mut self.start);
        reader.set(input.end_time, &mut self.end);
        reader.set(input.registration_start_time, &mut self.registration_start);
        reader.set(input.registration_end_time, &mut self.registration_end);
        reader.set(input.is_virtual, &mut self.is_virtual);
        let (start, end) = (("start_time", self.start), ("end_time", self.end));
        reader.in_order(start, end);
        if self
            .registration_start
            .is_some_and(|start| start > self.end)
        {
            reader.errors.add(
                "registration_start_time",
                Reason::After { field: "end_time" },
            );
        }
        if let Some((start, end)) = self.registration_start.zip(self.registration_end) {
            let (start, end) = (
                ("registration_start_time", start),
                ("registration_end_time", end),
            );
            reader.in_order(start, end);
        }
        reader.finish()
    }

    async fn context(app: &Context, versions: &Versions, user: Option<&User>) -> Result<FairClubs> {
        let registrations = app
            .reference_data
            .registrations(&app.table, versions, app.clock.now());
        let (clubs, registrations) = futures::try_join!(app.all_clubs(versions), registrations)?;
        let there =
            |registration: &Registration| clubs.get(&registration.club).map(|listed| &listed.club);
        let visibility = Visibility::of(app, user, registrations.iter().filter_map(there)).await?;
        let mut by_fair = FairClubs::new();
        // Admins see deleted clubs as well, because they may take them off (F6).
        let is_admin = user.is_some_and(User::is_admin);
        for registration in registrations.iter() {
            let is_seen = there(registration).is_some_and(|club| visibility.sees(club));
            if is_seen || is_admin {
                let clubs = by_fair.entry(registration.fair).or_default();
                let club = there(registration).filter(|club| visibility.sees(club));
                let name = club.map(|club| ClubNameBody::new(club, &app.media));
                clubs.push((registration.club.clone(), name));
            }
        }
        Ok(by_fair)
    }

    fn body(
        ReferenceEntry { id, value, .. }: &ReferenceEntry<Self>,
        clubs: &FairClubs,
    ) -> FairBody {
        let fair = value.clone();
        let of_fair = clubs.get(id).into_iter().flatten();
        FairBody {
            id: *id,
            name: fair.name,
            organization: fair.organization,
            contact: fair.contact,
            information: fair.information,
            start_time: fair.start,
            end_time: fair.end,
            registration_start_time: fair.registration_start,
            registration_end_time: fair.registration_end,
            r#virtual: fair.is_virtual,
            clubs: of_fair.clone().map(|(code, _)| code.clone()).collect(),
            participants: of_fair.filter_map(|(_, name)| name.clone()).collect(),
        }
    }
}

/// The fairs for which `keep` is true now, ordered by name.
async fn fairs(
    app: &Context,
    user: Option<&User>,
    keep: impl Fn(&Fair, Timestamp) -> bool,
) -> Result<Json<Vec<FairBody>>> {
    let (versions, now) = (app.table.versions().await?, app.now());
    let entries = async { Ok(app.entries::<Fair>(&versions).await?) };
    let (entries, clubs) = futures::try_join!(entries, Fair::context(app, &versions, user))?;
    let mut kept: Vec<&ReferenceEntry<Fair>> = entries
        .iter()
        .filter(|fair| keep(&fair.value, now))
        .collect();
    reference_data::sort(&mut kept);
    let bodies: Vec<FairBody> = kept
        .into_iter()
        .map(|fair| Fair::body(fair, &clubs))
        .collect();
    Ok(Json(bodies))
}

/// List club fairs.
///
/// For everybody. Fairs that have not ended, ordered by name.
#[utoipa::path(
    get, path = "/api/clubfairs/", tag = "clubfairs", security((), ("bearer" = [])),
    params(("all" = Option<bool>, Query, description = "Also fairs that have ended")),
    responses((status = 200, body = Vec<FairBody>))
)]
pub async fn list_fairs(
    app: Context,
    user: Option<User>,
    params: Params,
) -> Result<Json<Vec<FairBody>>> {
    let all = params.flag("all")?.unwrap_or_default();
    fairs(&app, user.as_ref(), |fair, now| all || !fair.is_over(now)).await
}

/// List the club fairs that are on now.
///
/// For everybody. Ordered by name.
#[utoipa::path(
    get, path = "/api/clubfairs/current/", tag = "clubfairs", security((), ("bearer" = [])),
    responses((status = 200, body = Vec<FairBody>))
)]
pub async fn list_current_fairs(app: Context, user: Option<User>) -> Result<Json<Vec<FairBody>>> {
    fairs(&app, user.as_ref(), Fair::is_on).await
}

/// Create a club fair.
///
/// For admins.
#[utoipa::path(
    post, path = "/api/clubfairs/", tag = "clubfairs", security(("bearer" = [])),
    request_body = FairInput, responses((status = 201, body = FairBody))
)]
pub async fn create_fair(
    app: Context,
    Admin(user): Admin,
    new: NewId,
    Input(input): Input<FairInput>,
) -> Result<Response> {
    reference_data::create_entry::<Fair>(&app, &user, new, input).await
}

/// Get a club fair.
///
/// For everybody.
#[utoipa::path(
    get, path = "/api/clubfairs/{fair}/", tag = "clubfairs", security((), ("bearer" = [])),
    params(("fair" = u64, Path)), responses((status = 200, body = FairBody))
)]
pub async fn show_fair(app: Context, user: Option<User>, path: PathIds) -> Result<Json<FairBody>> {
    let versions = app.table.versions().await?;
    let entries = app.entries::<Fair>(&versions).await?;
    let fair = path
        .id(Fair::PARAM)
        .and_then(|id| entries.get(id))
        .ok_or(ApiError::NotFound)?;
    let context = Fair::context(&app, &versions, user.as_ref()).await?;
    Ok(Json(Fair::body(fair, &context)))
}

/// Change some fields of a club fair.
///
/// For admins. With `PUT` every writable field must be sent; with `PATCH` the others stay as they
/// are.
#[utoipa::path(
    method(put, patch), path = "/api/clubfairs/{fair}/", tag = "clubfairs", security(("bearer" = [])),
    params(("fair" = u64, Path)), request_body = FairInput,
    responses((status = 200, body = FairBody))
)]
pub async fn update_fair(
    app: Context,
    Admin(user): Admin,
    fair: Entry<Fair>,
    mode: Mode,
    Input(input): Input<FairInput>,
) -> Result<Json<FairBody>> {
    reference_data::save(&app, &user, fair, input, mode).await
}

/// Delete a club fair.
///
/// For admins. It is 400, `in_use`, if a club is registered.
#[utoipa::path(
    delete, path = "/api/clubfairs/{fair}/", tag = "clubfairs", security(("bearer" = [])),
    params(("fair" = u64, Path)), responses((status = 204))
)]
pub async fn delete_fair(
    app: Context,
    Admin(user): Admin,
    fair: Entry<Fair>,
    _: NoInput,
) -> Result<NoContent> {
    reference_data::delete(&app, &user, fair).await
}

pub(crate) async fn shown(
    app: &Context,
    user: &User,
    fair: &ReferenceEntry<Fair>,
) -> Result<Response> {
    Ok(shown_at(
        format!("/api/clubfairs/{}/", fair.id),
        Json(reference_data::written(app, user, fair).await?),
    ))
}
