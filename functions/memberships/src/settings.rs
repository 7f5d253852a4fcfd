//! `/settings/`: the caller's profile

use axum::Json;
use axum::http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize};
use shared::bodies::{Studies, UndeliveredBody};
use shared::domain::{Major, NewsRhythm, Notices, OnlyOwner, Person, School};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::kinds::{List, WebAddress, YearNumber};
use shared::time::Timestamp;
use shared::web::{
    ApiError, Code, IfMatch, Input, Mode, NoBody, Params, Reader, Reference, Result, User, edit,
};
use shared::{Context, limits};
use utoipa::ToSchema;

/// The profile of the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct SettingsBody {
    /// User id.
    #[schema(value_type = u64)]
    id: Id<of::Person>,
    /// User name, from the token.
    username: String,
    /// Whole name, from the token.
    name: String,
    /// First part of the name.
    first_name: String,
    /// Last part of the name.
    last_name: String,
    /// From the token; cannot be changed here.
    email: String,
    /// 1900 to 2200, or null.
    graduation_year: Option<u16>,
    /// Ids of schools.
    #[schema(value_type = Vec<u64>)]
    school: Vec<Id<School>>,
    /// Ids of majors.
    #[schema(value_type = Vec<u64>)]
    major: Vec<Id<Major>>,
    /// Web address of the profile image.
    image_url: Option<String>,
    /// Which reminders and news the caller gets.
    notices: NoticesBody,
    /// The last reminder or news to the caller that did not arrive, until they get another address
    /// or change their settings; null if there is none.
    undelivered: Option<UndeliveredBody>,
    /// Whether the caller is an admin.
    is_admin: bool,
}

/// Which reminders and news a person gets.
#[derive(Debug, Serialize, ToSchema)]
pub struct NoticesBody {
    /// Reminders of drafts that were not submitted.
    drafts: bool,
    /// Reminders of booked interviews.
    interviews: bool,
    /// Reminders of showings for which they have tickets.
    events: bool,
    /// News of the clubs that they follow: `off` or `weekly`.
    news: NewsRhythm,
}

/// Which reminders and news the caller wants. What is not sent stays as it is.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct NoticesInput {
    /// Reminders of drafts that were not submitted.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    drafts: Option<bool>,
    /// Reminders of booked interviews.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    interviews: Option<bool>,
    /// Reminders of showings for which they have tickets.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    events: Option<bool>,
    /// News of the clubs that they follow: `off` or `weekly`.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    news: Option<NewsRhythm>,
}

/// A field that may be left out, and may not be null.
fn not_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    sent: D,
) -> std::result::Result<Option<T>, D::Error> {
    T::deserialize(sent).map(Some)
}

shared::kinds!(NoticesInput);

impl NoticesInput {
    fn apply(self, notices: &mut Notices, now: Timestamp) {
        notices.drafts = self.drafts.unwrap_or(notices.drafts);
        notices.interviews = self.interviews.unwrap_or(notices.interviews);
        notices.events = self.events.unwrap_or(notices.events);
        let news = self.news.unwrap_or(notices.news);
        if news != notices.news {
            notices.news = news;
            notices.on_since = (news == NewsRhythm::Weekly).then_some(now);
        }
    }
}

impl SettingsBody {
    /// The response body of a profile.
    pub fn new(person: &Person, is_admin: bool) -> Self {
        let personal = person.personal.clone();
        Self {
            id: person.id,
            username: personal.username,
            name: personal.name,
            first_name: personal.first_name,
            last_name: personal.last_name,
            email: personal.email.to_string(),
            graduation_year: person.graduation_year,
            school: person.school.clone(),
            major: person.major.clone(),
            image_url: person.image_url.clone(),
            notices: NoticesBody {
                drafts: person.notices.drafts,
                interviews: person.notices.interviews,
                events: person.notices.events,
                news: person.notices.news,
            },
            undelivered: person.undelivered.as_ref().map(Into::into),
            is_admin,
        }
    }
}

shared::input! {
    /// The fields of the profile that people change themselves. The other fields come from the
    /// token.
    pub struct SettingsInput {
        /// 1900 to 2200, or null.
        graduation_year: Option<YearNumber>, Optional;
        /// Ids of schools, at most 10.
        school: List<Reference, { limits::STUDIES }>, Optional;
        /// Ids of majors, at most 10.
        major: List<Reference, { limits::STUDIES }>, Optional;
        /// Web address (http or https) of the profile image.
        image_url: Option<WebAddress>, Optional;
        /// Which reminders and news the caller gets.
        notices: NoticesInput, Free;
    }
}

/// Get the profile of the caller.
///
/// For every signed-in user.
#[utoipa::path(
    get, path = "/api/settings/", tag = "me", security(("bearer" = [])),
    responses((status = 200, body = SettingsBody))
)]
pub async fn show_settings(user: User) -> Result<Json<SettingsBody>> {
    Ok(Json(SettingsBody::new(
        user.person().await?,
        user.is_admin(),
    )))
}

/// Change some fields of the profile of the caller.
///
/// For every signed-in user. With `PUT` every writable field must be sent; with `PATCH` the others
/// stay as they are.
#[utoipa::path(
    method(put, patch), path = "/api/settings/", tag = "me", security(("bearer" = [])),
    request_body = SettingsInput, responses((status = 200, body = SettingsBody))
)]
pub async fn update_settings(
    app: Context,
    user: User,
    if_match: IfMatch,
    mode: Mode,
    Input(input): Input<SettingsInput>,
) -> Result<Json<SettingsBody>> {
    save_settings(&app, &user, &if_match, input, mode).await
}

impl SettingsInput {
    fn apply(
        self,
        mode: Mode,
        person: &mut Person,
        studies: Option<&Studies>,
        now: Timestamp,
    ) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.set(self.graduation_year, &mut person.graduation_year);
        let is_school = |id| studies.is_some_and(|studies| studies.has_school(id));
        reader.references(self.school, is_school, &mut person.school);
        let is_major = |id| studies.is_some_and(|studies| studies.has_major(id));
        reader.references(self.major, is_major, &mut person.major);
        reader.url(self.image_url, &mut person.image_url);
        if let Some(notices) = reader.get(self.notices) {
            notices.apply(&mut person.notices, now);
        }
        reader.finish()
    }
}

async fn save_settings(
    app: &Context,
    user: &User,
    if_match: &IfMatch,
    input: SettingsInput,
    mode: Mode,
) -> Result<Json<SettingsBody>> {
    let input = &input;
    let show = |person: &Person| SettingsBody::new(person, user.is_admin());
    let read = || async move {
        let person = app.table.person(user.id()).await?;
        Ok(person.filter(|person| !person.erasing))
    };
    let person = edit(
        app,
        if_match,
        user.person().await?.clone(),
        show,
        read,
        |old| async move {
            let names_some = input.school.sent().is_some() || input.major.sent().is_some();
            let studies = if names_some {
                Some(Studies::now(app).await?)
            } else {
                None
            };
            let mut new = old.clone();
            let now = app.now();
            input.clone().apply(mode, &mut new, studies.as_ref(), now)?;
            new.undelivered = None;
            if new != old {
                app.table.update_settings(&old, &new, now).await?;
            }
            Ok(new)
        },
    );
    Ok(Json(show(&person.await?)))
}

/// What happens now.
#[derive(Debug, Serialize, ToSchema)]
pub struct StartedBody {
    /// One sentence for people.
    detail: String,
}

/// Erase the caller.
///
/// For every signed-in user. From now on nobody finds the caller, and each of their requests is
/// 403, `erasing`, until everything is erased, which takes about a minute: memberships, requests,
/// extensions, invites, mails, favorites, subscriptions, pending submissions and the profile. Of
/// decided submissions only the status, the committee and the times stay. The only owner of a club
/// is refused with 400, `last_owner`, unless `archive` is true.
#[utoipa::path(
    delete, path = "/api/settings/", tag = "me", security(("bearer" = [])),
    params(
        ("archive" = Option<bool>, Query, description = "Delete the clubs that nobody else owns")
    ),
    responses((status = 202, body = StartedBody))
)]
pub async fn delete_settings(
    app: Context,
    user: User,
    if_match: IfMatch,
    params: Params,
    _: NoBody,
) -> Result<(StatusCode, Json<StartedBody>)> {
    params.only(&["archive"])?;
    let archive = params.flag("archive")?.unwrap_or(false);
    let person = user.person().await?;
    if_match.check(|| SettingsBody::new(person, user.is_admin()))?;
    let begun = app.table.begin_erasure(person, archive, app.now()).await?;
    if let Err(OnlyOwner(clubs)) = begun {
        let names: Vec<String> = clubs.iter().map(|club| club.profile.name.clone()).collect();
        let value = names.join(", ");
        return Err(ApiError::rule(Reason::OnlyOwner { value }).coded(Code::LastOwner));
    }
    app.profiles.forget(person.id);
    let detail = "Everything about you is being erased. This takes about a minute.".to_owned();
    Ok((StatusCode::ACCEPTED, Json(StartedBody { detail })))
}
