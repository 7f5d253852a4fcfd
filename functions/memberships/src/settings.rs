//! `/settings/`: the caller's profile

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use shared::Shared;
use shared::auth::User;
use shared::http::{ApiError, Field, Input, Mode, Need, NoContent, OrRefused, Reader, Result};
use shared::models::Person;
use utoipa::ToSchema;

/// A profile.
#[derive(Debug, Serialize, ToSchema)]
pub struct SettingsBody {
    id: u64,
    username: String,
    name: String,
    first_name: String,
    last_name: String,
    /// Read-only, from the token.
    email: String,
    graduation_year: Option<u16>,
    school: Vec<u64>,
    major: Vec<u64>,
    image_url: Option<String>,
    is_admin: bool,
}

impl SettingsBody {
    /// The profile of a person.
    pub fn new(person: &Person, is_admin: bool) -> Self {
        let personal = person.personal.clone();
        Self {
            id: person.id,
            username: personal.username,
            name: personal.name,
            first_name: personal.first_name,
            last_name: personal.last_name,
            email: personal.email,
            graduation_year: person.graduation_year,
            school: vec![],
            major: vec![],
            image_url: person.image_url.clone(),
            is_admin,
        }
    }
}

/// What people write of themselves; the rest is from their token.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct SettingsInput {
    /// 1900–2200, or null.
    #[serde(default)]
    #[schema(value_type = Option<u16>)]
    graduation_year: Field<i64>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    image_url: Field<String>,
}

/// The caller's profile.
#[utoipa::path(get, path = "/api/settings/", tag = "people", security(("bearer" = [])), responses((status = 200, body = SettingsBody)))]
pub async fn show_settings(user: User) -> Result<Json<SettingsBody>> {
    Ok(Json(SettingsBody::new(user.person().await?, user.is_admin())))
}

/// Changes the fields that are sent.
#[utoipa::path(patch, path = "/api/settings/", tag = "people", security(("bearer" = [])), request_body = SettingsInput,
    responses((status = 200, body = SettingsBody)))]
pub async fn update_settings(State(app): State<Shared>, user: User, Input(input): Input<SettingsInput>) -> Result<Json<SettingsBody>> {
    change(&app, &user, input, Mode::Update).await
}

/// Replaces all writable fields.
#[utoipa::path(put, path = "/api/settings/", tag = "people", security(("bearer" = [])), request_body = SettingsInput,
    responses((status = 200, body = SettingsBody)))]
pub async fn replace_settings(State(app): State<Shared>, user: User, Input(input): Input<SettingsInput>) -> Result<Json<SettingsBody>> {
    change(&app, &user, input, Mode::Replace).await
}

async fn change(app: &Shared, user: &User, input: SettingsInput, mode: Mode) -> Result<Json<SettingsBody>> {
    let mut person = user.person().await?.clone();
    let mut reader = Reader::new(mode);
    if let Some(year) = reader.nullable("graduation_year", input.graduation_year, Need::Optional) {
        match year.map(u16::try_from) {
            None => person.graduation_year = None,
            Some(Ok(year)) if (1900..=2200).contains(&year) => person.graduation_year = Some(year),
            Some(_) => reader.errors.add("graduation_year", "Expected a year from 1900 to 2200."),
        }
    }
    reader.url("image_url", input.image_url, &mut person.image_url);
    reader.finish()?;
    if person != *user.person().await? {
        app.table.update_settings(&person).await.or_refused(|| ApiError::Busy)?;
    }
    Ok(Json(SettingsBody::new(&person, user.is_admin())))
}

/// Erases the caller: memberships, requests, extensions, invites, mails and profile; pending submissions are withdrawn, of decided
/// ones the status stays. Any signed-in user who is not the only owner of a club.
#[utoipa::path(delete, path = "/api/settings/", tag = "people", security(("bearer" = [])), responses((status = 204)))]
pub async fn delete_settings(State(app): State<Shared>, user: User) -> Result<NoContent> {
    let person = user.person().await?;
    app.table
        .erase(person)
        .await?
        .map_err(|_| ApiError::rule("You are the only owner of a club. Make somebody else an owner, or delete the club."))?;
    app.known_people.forget(person.id);
    Ok(NoContent)
}
