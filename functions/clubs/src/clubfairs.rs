//! `/clubfairs/`, `/clubfairs/current/`, `/clubfairs/{fair}/`, `/clubfairs/{fair}/register/`:
//! fairs, and the clubs that take part

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use shared::auth::User;
use shared::catalogue::club_parts;
use shared::http::{
    Admin, ApiError, Code, Field, Input, Known, Mode, Need, NewId, NoContent, Params, PathIds,
    Reader, ReceivedAt, Result, Sight, is_officer, no_such_club, shown_at,
};
use shared::models::{Fair, Kind as _, Lookup, Registration};
use shared::table::{TableError, Tries, Versions, keys};
use shared::time::Timestamp;
use shared::{Shared, limits};
use utoipa::ToSchema;

use crate::lookups::{self, Collection, Entry};

/// A club fair.
#[derive(Debug, Serialize, ToSchema)]
pub struct FairBody {
    id: u64,
    name: String,
    organization: String,
    contact: String,
    /// HTML.
    information: String,
    start_time: Timestamp,
    end_time: Timestamp,
    /// Since when officers register their clubs; null: since ever.
    registration_start_time: Option<Timestamp>,
    /// Until when; null: until the fair ends.
    registration_end_time: Option<Timestamp>,
    /// Whether it is held online.
    r#virtual: bool,
    /// Codes of the registered clubs that the caller sees.
    clubs: Vec<String>,
}

/// What admins write of a fair.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct FairInput {
    /// Unique, whatever its case and diacritics.
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    name: Field<String>,
    #[serde(default)]
    #[schema(value_type = String)]
    organization: Field<String>,
    #[serde(default)]
    #[schema(value_type = String)]
    contact: Field<String>,
    /// HTML, at most 50,000 characters.
    #[serde(default)]
    #[schema(value_type = String)]
    information: Field<String>,
    #[serde(default)]
    #[schema(required = true, value_type = Timestamp)]
    start_time: Field<Timestamp>,
    /// Not before the start.
    #[serde(default)]
    #[schema(required = true, value_type = Timestamp)]
    end_time: Field<Timestamp>,
    #[serde(default)]
    #[schema(value_type = Option<Timestamp>)]
    registration_start_time: Field<Timestamp>,
    /// Not before the start of the registration.
    #[serde(default)]
    #[schema(value_type = Option<Timestamp>)]
    registration_end_time: Field<Timestamp>,
    /// Default false.
    #[serde(default, rename = "virtual")]
    #[schema(value_type = bool)]
    is_virtual: Field<bool>,
}

/// The clubs of all fairs that somebody sees.
pub struct Guests {
    by_fair: HashMap<u64, Vec<String>>,
    /// Whether everybody sees the same clubs.
    for_all: bool,
}

impl Collection for Fair {
    type Input = FairInput;
    type Body = FairBody;
    type Around = Guests;
    const PARAM: &'static str = "fair";
    const PATH: &'static str = "/api/clubfairs/";

    fn apply(&mut self, input: FairInput, mode: Mode) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.line("name", input.name, Need::Required, &mut self.name);
        reader.line(
            "organization",
            input.organization,
            Need::Optional,
            &mut self.organization,
        );
        reader.line("contact", input.contact, Need::Optional, &mut self.contact);
        reader.html(
            "information",
            input.information,
            limits::DESCRIPTION_BYTES,
            &mut self.information,
        );
        reader.time(
            "start_time",
            input.start_time,
            Need::Required,
            &mut self.start,
        );
        reader.time("end_time", input.end_time, Need::Required, &mut self.end);
        if let Some(start) = reader.nullable(
            "registration_start_time",
            input.registration_start_time,
            Need::Optional,
        ) {
            self.registration_start = start;
        }
        if let Some(end) = reader.nullable(
            "registration_end_time",
            input.registration_end_time,
            Need::Optional,
        ) {
            self.registration_end = end;
        }
        reader.flag(
            "virtual",
            input.is_virtual,
            Need::Optional,
            &mut self.is_virtual,
        );
        let (start, end) = (("start_time", self.start), ("end_time", self.end));
        reader.in_order(start, end, "A fair does not end before it starts.");
        if let Some((start, end)) = self.registration_start.zip(self.registration_end) {
            let (start, end) = (
                ("registration_start_time", start),
                ("registration_end_time", end),
            );
            reader.in_order(
                start,
                end,
                "The registration does not end before it starts.",
            );
        }
        reader.finish()
    }

    fn parts() -> Vec<String> {
        [Self::PART, keys::REGISTRATIONS]
            .map(str::to_owned)
            .into_iter()
            .chain(club_parts())
            .collect()
    }

    async fn around(app: &Shared, versions: &Versions, user: Option<&User>) -> Result<Guests> {
        let registrations = app
            .lookups
            .registrations(&app.table, versions, app.clock.now());
        let (clubs, registrations) = futures::try_join!(app.all_clubs(versions), registrations)?;
        let there =
            |registration: &Registration| clubs.get(&registration.club).map(|listed| &listed.club);
        let sight = Sight::of(app, user, registrations.iter().filter_map(there)).await?;
        let (mut by_fair, mut for_all) = (HashMap::<u64, Vec<String>>::new(), true);
        for registration in registrations.iter() {
            let Some(club) = there(registration) else {
                continue;
            };
            // Who may see it moves no version.
            for_all &= user.is_none() || club.archived || Sight::default().sees(club);
            if sight.sees(club) {
                by_fair
                    .entry(registration.fair)
                    .or_default()
                    .push(club.code.clone());
            }
        }
        Ok(Guests { by_fair, for_all })
    }

    fn body(Lookup { id, value, .. }: &Lookup<Self>, guests: &Guests) -> FairBody {
        let fair = value.clone();
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
            clubs: guests.by_fair.get(id).cloned().unwrap_or_default(),
        }
    }
}

/// The fairs that `keep` lets through at the present, by name.
async fn fairs(
    app: &Shared,
    user: Option<&User>,
    known: &Known,
    keep: impl Fn(&Fair, Timestamp) -> bool,
) -> Result<Response> {
    let (versions, now) = (app.table.versions().await?, app.now());
    let draft = match known.draft(
        &versions,
        &Fair::parts(),
        &user.map(|user| (user.id(), user.is_admin())),
    ) {
        Ok(draft) => draft,
        Err(unchanged) => return Ok(unchanged.into_response()),
    };
    let entries = async { Ok(app.entries::<Fair>(&versions).await?) };
    let (entries, guests) = futures::try_join!(entries, Fair::around(app, &versions, user))?;
    let mut kept: Vec<&Lookup<Fair>> = entries
        .iter()
        .filter(|fair| keep(&fair.value, now))
        .collect();
    lookups::sort(&mut kept);
    let bodies: Vec<FairBody> = kept
        .into_iter()
        .map(|fair| Fair::body(fair, &guests))
        .collect();
    let turns = entries
        .iter()
        .flat_map(|fair| [fair.value.start, fair.value.end.plus(TimeDelta::seconds(1))]);
    let next = turns.filter(|turn| *turn > now).min();
    // What somebody is in has no version: where it matters, it is looked at anew.
    Ok(draft.done(Json(bodies), if guests.for_all { next } else { Some(now) }))
}

/// The fairs that have not ended, by name. Anybody.
#[utoipa::path(get, path = "/api/clubfairs/", tag = "clubfairs", security((), ("bearer" = [])),
    params(("all" = Option<bool>, Query, description = "Those that have ended too")),
    responses((status = 200, body = Vec<FairBody>)))]
pub async fn list_fairs(
    State(app): State<Shared>,
    user: Option<User>,
    known: Known,
    params: Params,
) -> Result<Response> {
    let all = params.flag("all")?.unwrap_or_default();
    fairs(&app, user.as_ref(), &known, |fair, now| {
        all || !fair.is_over(now)
    })
    .await
}

/// The fairs that are on now, by name. Anybody.
#[utoipa::path(get, path = "/api/clubfairs/current/", tag = "clubfairs", security((), ("bearer" = [])),
    responses((status = 200, body = Vec<FairBody>)))]
pub async fn list_current_fairs(
    State(app): State<Shared>,
    user: Option<User>,
    known: Known,
) -> Result<Response> {
    fairs(&app, user.as_ref(), &known, Fair::is_on).await
}

/// Adds a fair. Admins.
#[utoipa::path(post, path = "/api/clubfairs/", tag = "clubfairs", security(("bearer" = [])), request_body = FairInput,
    responses((status = 201, body = FairBody)))]
pub async fn create_fair(
    State(app): State<Shared>,
    Admin(user): Admin,
    new: NewId,
    Input(input): Input<FairInput>,
) -> Result<Response> {
    lookups::create::<Fair>(&app, &user, new, input).await
}

/// One fair. Anybody.
#[utoipa::path(get, path = "/api/clubfairs/{fair}/", tag = "clubfairs", security((), ("bearer" = [])), params(("fair" = u64, Path)),
    responses((status = 200, body = FairBody)))]
pub async fn show_fair(
    State(app): State<Shared>,
    user: Option<User>,
    path: PathIds,
) -> Result<Response> {
    let versions = app.table.versions().await?;
    let entries = app.entries::<Fair>(&versions).await?;
    let fair = path
        .id(Fair::PARAM)
        .and_then(|id| entries.get(id))
        .ok_or(ApiError::NotFound)?;
    Ok(Json(Fair::body(
        fair,
        &Fair::around(&app, &versions, user.as_ref()).await?,
    ))
    .into_response())
}

/// Changes the fields that are sent. Admins.
#[utoipa::path(patch, path = "/api/clubfairs/{fair}/", tag = "clubfairs", security(("bearer" = [])), params(("fair" = u64, Path)),
    request_body = FairInput, responses((status = 200, body = FairBody)))]
pub async fn update_fair(
    State(app): State<Shared>,
    Admin(user): Admin,
    fair: Entry<Fair>,
    Input(input): Input<FairInput>,
) -> Result<Json<FairBody>> {
    lookups::change(&app, &user, fair, input, Mode::Update).await
}

/// Replaces all fields. Admins.
#[utoipa::path(put, path = "/api/clubfairs/{fair}/", tag = "clubfairs", security(("bearer" = [])), params(("fair" = u64, Path)),
    request_body = FairInput, responses((status = 200, body = FairBody)))]
pub async fn replace_fair(
    State(app): State<Shared>,
    Admin(user): Admin,
    fair: Entry<Fair>,
    Input(input): Input<FairInput>,
) -> Result<Json<FairBody>> {
    lookups::change(&app, &user, fair, input, Mode::Replace).await
}

/// Deletes a fair that no club is registered for. Admins.
#[utoipa::path(delete, path = "/api/clubfairs/{fair}/", tag = "clubfairs", security(("bearer" = [])), params(("fair" = u64, Path)),
    responses((status = 204)))]
pub async fn delete_fair(
    State(app): State<Shared>,
    Admin(user): Admin,
    fair: Entry<Fair>,
) -> Result<NoContent> {
    lookups::delete(&app, &user, fair).await
}

/// Which club takes part.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct RegistrationInput {
    /// Club code.
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    club: Field<String>,
    /// False takes the club off the list; default true.
    #[serde(default)]
    #[schema(value_type = bool)]
    status: Field<bool>,
}

/// Registers a club for a fair, or no longer, while the registration is open. Officers of the club.
#[utoipa::path(post, path = "/api/clubfairs/{fair}/register/", tag = "clubfairs", security(("bearer" = [])), params(("fair" = u64, Path)),
    request_body = RegistrationInput, responses((status = 200, body = FairBody)))]
pub async fn register_club(
    State(app): State<Shared>,
    ReceivedAt(received): ReceivedAt,
    user: User,
    Entry(mut fair, _): Entry<Fair>,
    Input(input): Input<RegistrationInput>,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let code = reader.club(input.club);
    let mut status = true;
    reader.flag("status", input.status, Need::Free, &mut status);
    reader.finish()?;
    let registration = Registration {
        fair: fair.id,
        club: code.clone(),
        created_at: app.now(),
    };
    let mut tries = Tries::default();
    loop {
        tries.next().await?;
        let club = app.table.club_and_membership(&code, Some(user.id()));
        let ((club, membership), registered) =
            futures::try_join!(club, app.table.registration(fair.id, &code))?;
        let sight = Sight::with(membership.as_ref(), user.is_admin());
        // Admins clear fairs of clubs that were deleted.
        let is_there = |club: &_| sight.sees(club) || (user.is_admin() && !status);
        club.filter(is_there).ok_or_else(no_such_club)?;
        if !is_officer(
            membership.as_ref().map(|membership| membership.role),
            user.is_admin(),
        ) {
            return Err(ApiError::Forbidden);
        }
        if !fair.value.takes_clubs(Timestamp::at(received)) {
            return Err(
                ApiError::rule("The registration for this fair is not open.")
                    .coded(Code::RegistrationClosed),
            );
        }
        if registered.is_some() == status {
            return shown(&app, &user, &fair).await;
        }
        match app
            .table
            .register(
                &registration,
                status,
                membership.as_ref().filter(|_| !user.is_admin()),
            )
            .await
        {
            Ok(()) => {
                return shown(&app, &user, &fair)
                    .await
                    .map_err(ApiError::after_write);
            }
            Err(TableError::Refused(_)) => {
                fair = app.table.lookup(fair.id).await?.ok_or(ApiError::NotFound)?
            }
            Err(error) => return Err(error.into()),
        }
    }
}

async fn shown(app: &Shared, user: &User, fair: &Lookup<Fair>) -> Result<Response> {
    Ok(shown_at(
        format!("/api/clubfairs/{}/", fair.id),
        Json(lookups::written(app, user, fair).await?),
    ))
}
