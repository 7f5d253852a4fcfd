//! What the collections that admins keep have in common (L1, L2, L3): the handlers of each are in
//! the file that is named like it.

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::Shared;
use shared::http::User;
use shared::http::{ApiError, Code, Created, IfMatch, Mode, NewId, NoContent, PathIds, Result};
use shared::lookups::InMemory;
use shared::models::Lookup;
use shared::table::{LookupRefusal, Retries, Versions};
use shared::text;

/// A collection as the API has it.
pub trait Collection: InMemory + Default {
    /// What admins write of an entry.
    type Input: DeserializeOwned + Clone;
    /// How an entry looks.
    type Body: Serialize + Send;
    /// What entries are shown with.
    type Context: Send + Sync;
    /// The variable of the path that names an entry.
    const PARAM: &'static str;
    /// The path of the collection.
    const PATH: &'static str;

    /// Reads a body into an entry.
    fn apply(&mut self, input: Self::Input, mode: Mode) -> Result<()>;

    /// Reads what entries are shown with.
    fn context(
        app: &Shared,
        versions: &Versions,
        user: Option<&User>,
    ) -> impl Future<Output = Result<Self::Context>> + Send;

    /// The entry as it looks.
    fn body(entry: &Lookup<Self>, context: &Self::Context) -> Self::Body;
}

/// An entry that the path names, and the states of it that the caller is ready to change.
pub struct Entry<T>(pub Lookup<T>, pub IfMatch);

impl<T: Collection> FromRequestParts<Shared> for Entry<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self> {
        let path = PathIds::from_request_parts(parts, app).await?;
        let id = path.id(T::PARAM).ok_or(ApiError::NotFound)?;
        let entry = app.table.lookup(id).await?.ok_or(ApiError::NotFound)?;
        Ok(Self(entry, IfMatch::of(&parts.headers)))
    }
}

/// The entries that `keep` lets through, by name.
pub async fn list<T: Collection>(
    app: &Shared,
    keep: impl Fn(&T) -> bool,
) -> Result<Json<Vec<T::Body>>> {
    let versions = app.table.versions().await?;
    let context = async { T::context(app, &versions, None).await };
    let entries = async { Ok(app.entries::<T>(&versions).await?) };
    let (entries, context) = futures::try_join!(entries, context)?;
    let mut kept: Vec<&Lookup<T>> = entries.iter().filter(|entry| keep(&entry.value)).collect();
    sort(&mut kept);
    let bodies: Vec<T::Body> = kept
        .into_iter()
        .map(|entry| T::body(entry, &context))
        .collect();
    Ok(Json(bodies))
}

/// Brings entries into the order of their names.
pub fn sort<T: Collection>(entries: &mut [&Lookup<T>]) {
    entries.sort_by_cached_key(|entry| (text::fold(entry.value.name()), entry.id));
}

/// One entry.
pub async fn show<T: Collection>(app: &Shared, path: &PathIds) -> Result<Json<T::Body>> {
    let versions = app.table.versions().await?;
    let entries = app.entries::<T>(&versions).await?;
    let entry = path
        .id(T::PARAM)
        .and_then(|id| entries.get(id))
        .ok_or(ApiError::NotFound)?;
    let context = T::context(app, &versions, None).await?;
    Ok(Json(T::body(entry, &context)))
}

/// What is shown of an entry that was just written.
pub async fn written<T: Collection>(
    app: &Shared,
    user: &User,
    entry: &Lookup<T>,
) -> Result<T::Body> {
    let context = T::context(app, &app.table.versions().await?, Some(user)).await?;
    Ok(T::body(entry, &context))
}

fn taken<T: Collection>() -> ApiError {
    ApiError::field(T::UNIQUE, "This name is already in use.")
}

/// Creates an entry.
pub async fn create<T: Collection>(
    app: &Shared,
    user: &User,
    new: NewId,
    input: T::Input,
) -> Result<Response> {
    let mut value = T::default();
    value.apply(input, Mode::Create)?;
    let mut entry = Lookup {
        id: new.0,
        version: 1,
        uses: 0,
        value,
    };
    let context = T::context(app, &app.table.versions().await?, Some(user)).await?;
    match app.table.create_lookup(&entry).await? {
        Ok(()) => {}
        // An earlier attempt with the same idempotency key may have been here.
        Err(LookupRefusal::Duplicate) => {
            entry = app.table.lookup(new.0).await?.ok_or_else(taken::<T>)?
        }
        Err(LookupRefusal::Changed | LookupRefusal::Used) => return Err(ApiError::Busy),
    }
    let location = format!("{}{}/", T::PATH, entry.id);
    Ok(Created {
        location,
        body: T::body(&entry, &context),
    }
    .into_response())
}

/// Changes an entry as it is now.
pub async fn change<T: Collection>(
    app: &Shared,
    user: &User,
    Entry(mut old, if_match): Entry<T>,
    input: T::Input,
    mode: Mode,
) -> Result<Json<T::Body>> {
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        let context = T::context(app, &app.table.versions().await?, Some(user)).await?;
        if_match.check(|| T::body(&old, &context))?;
        let mut new = old.clone();
        new.value.apply(input.clone(), mode)?;
        if new.value == old.value {
            return Ok(Json(T::body(&old, &context)));
        }
        new.version += 1;
        match app.table.update_lookup(&old, &new).await? {
            Ok(()) => return Ok(Json(T::body(&new, &context))),
            Err(LookupRefusal::Duplicate) => return Err(taken::<T>()),
            Err(LookupRefusal::Changed | LookupRefusal::Used) => {
                old = app.table.lookup(old.id).await?.ok_or(ApiError::NotFound)?;
            }
        }
    }
}

/// Deletes an entry that nothing refers to.
pub async fn delete<T: Collection>(
    app: &Shared,
    user: &User,
    Entry(mut old, if_match): Entry<T>,
) -> Result<NoContent> {
    let in_use = || {
        ApiError::rule("This is in use: clubs (deleted ones too) or people refer to it.")
            .coded(Code::InUse)
    };
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        if if_match.is_given() {
            let context = T::context(app, &app.table.versions().await?, Some(user)).await?;
            if_match.check(|| T::body(&old, &context))?;
        }
        if old.uses > 0 {
            return Err(in_use());
        }
        match app.table.delete_lookup(&old).await? {
            Ok(()) => return Ok(NoContent),
            Err(LookupRefusal::Used) => return Err(in_use()),
            Err(LookupRefusal::Changed | LookupRefusal::Duplicate) => {
                old = app.table.lookup(old.id).await?.ok_or(ApiError::NotFound)?;
            }
        }
    }
}
