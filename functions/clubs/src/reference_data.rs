//! The common part of the collections that admins maintain (L1, L2, L3). The handlers of each
//! collection are in its own file.

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::db::{Refusal, TableError};
use shared::domain::{InMemory, ReferenceEntry, Versions};
use shared::reason::Reason;
use shared::web::{
    ApiError, Code, Created, IfMatch, Mode, NewId, NoContent, Params, PathIds, Result, User,
    create, edit,
};
use shared::{Context, Shared, text};

/// A collection of the API.
pub trait Collection: InMemory + Default {
    /// The request body.
    type Input: DeserializeOwned + Clone;
    /// The response body.
    type Body: Serialize + Send;
    /// Other data that the response body needs.
    type Context: Default + Send + Sync;
    /// The path variable with the id of an entry.
    const PARAM: &'static str;
    /// The path of the collection.
    const PATH: &'static str;

    /// Checks the fields and writes them into the entry.
    fn apply(&mut self, input: Self::Input, mode: Mode) -> Result<()>;

    /// Reads the other data for response bodies, if they need any.
    fn context(
        _app: &Context,
        _versions: &Versions,
        _user: Option<&User>,
    ) -> impl Future<Output = Result<Self::Context>> + Send {
        async { Ok(Self::Context::default()) }
    }

    /// Whether a list with this query has the entry.
    fn is_asked_for(&self, _params: &Params) -> bool {
        true
    }

    /// The response body of an entry.
    fn body(entry: &ReferenceEntry<Self>, context: &Self::Context) -> Self::Body;
}

/// The entry that the path names, with the header `If-Match` of the request.
pub struct Entry<T>(pub ReferenceEntry<T>, pub IfMatch);

impl<T: Collection> FromRequestParts<Shared> for Entry<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self> {
        let app = &Context::of(parts, state);
        let path = PathIds::from_request_parts(parts, state).await?;
        let id = path.id(T::PARAM).ok_or(ApiError::NotFound)?;
        let entry = app.table.reference(id).await?.ok_or(ApiError::NotFound)?;
        Ok(Self(entry, IfMatch::of(&parts.headers)))
    }
}

/// The entries that a query asks for, ordered by name.
pub async fn list<T: Collection>(app: &Context, params: &Params) -> Result<Json<Vec<T::Body>>> {
    let versions = app.table.versions().await?;
    let context = async { T::context(app, &versions, None).await };
    let entries = async { Ok(app.entries::<T>(&versions).await?) };
    let (entries, context) = futures::try_join!(entries, context)?;
    let mut kept: Vec<&ReferenceEntry<T>> = entries
        .iter()
        .filter(|entry| entry.value.is_asked_for(params))
        .collect();
    sort(&mut kept);
    let bodies: Vec<T::Body> = kept
        .into_iter()
        .map(|entry| T::body(entry, &context))
        .collect();
    Ok(Json(bodies))
}

/// Sorts entries by name.
pub fn sort<T: Collection>(entries: &mut [&ReferenceEntry<T>]) {
    entries.sort_by_cached_key(|entry| (text::fold(entry.value.name()), entry.id));
}

/// One entry.
pub async fn show<T: Collection>(app: &Context, path: &PathIds) -> Result<Json<T::Body>> {
    let versions = app.table.versions().await?;
    let entries = app.entries::<T>(&versions).await?;
    let entry = path
        .id(T::PARAM)
        .and_then(|id| entries.get(id))
        .ok_or(ApiError::NotFound)?;
    let context = T::context(app, &versions, None).await?;
    Ok(Json(T::body(entry, &context)))
}

/// The response body of an entry that was just written.
pub async fn written<T: Collection>(
    app: &Context,
    user: &User,
    entry: &ReferenceEntry<T>,
) -> Result<T::Body> {
    let context = T::context(app, &app.table.versions().await?, Some(user)).await?;
    Ok(T::body(entry, &context))
}

fn taken<T: Collection>() -> ApiError {
    ApiError::field(T::UNIQUE, Reason::Taken)
}

/// Creates an entry.
pub async fn create_entry<T: Collection>(
    app: &Context,
    user: &User,
    new: NewId,
    input: T::Input,
) -> Result<Response> {
    let mut value = T::default();
    value.apply(input, Mode::Create)?;
    let entry = ReferenceEntry {
        id: new.id(),
        version: 1,
        uses: 0,
        value,
    };
    let context = T::context(app, &app.table.versions().await?, Some(user)).await?;
    let stored = app.table.create_reference(&entry).await;
    let read = app.table.reference(new.id());
    let entry = create(entry, stored, read, |_| true, |_| taken::<T>()).await?;
    let location = format!("{}{}/", T::PATH, entry.id);
    Ok(Created {
        location,
        body: T::body(&entry, &context),
    }
    .into_response())
}

/// Changes the newest state of an entry.
pub async fn save<T: Collection>(
    app: &Context,
    user: &User,
    Entry(entry, if_match): Entry<T>,
    input: T::Input,
    mode: Mode,
) -> Result<Json<T::Body>> {
    let context = T::context(app, &app.table.versions().await?, Some(user)).await?;
    let (input, id, show) = (&input, entry.id, |entry: &ReferenceEntry<T>| {
        T::body(entry, &context)
    });
    let read = || app.table.reference(id);
    let saved = edit(
        app,
        &if_match,
        entry,
        show,
        read,
        |old: ReferenceEntry<T>| async move {
            let mut new = old.clone();
            new.value.apply(input.clone(), mode)?;
            if new.value != old.value {
                new.version += 1;
                let stored = app.table.update_reference(&old, &new).await;
                stored.map_err(|error| match error {
                    TableError::Refused(Refusal::Exists) => taken::<T>(),
                    error => error.into(),
                })?;
            }
            Ok(new)
        },
    );
    Ok(Json(show(&saved.await?)))
}

/// Deletes an entry that is not in use.
pub async fn delete<T: Collection>(
    app: &Context,
    user: &User,
    Entry(entry, if_match): Entry<T>,
) -> Result<NoContent> {
    let in_use = || ApiError::rule(Reason::EntryInUse).coded(Code::InUse);
    let context = if if_match.is_given() {
        Some(T::context(app, &app.table.versions().await?, Some(user)).await?)
    } else {
        None
    };
    let show = |entry: &ReferenceEntry<T>| context.as_ref().map(|context| T::body(entry, context));
    let id = entry.id;
    let read = || app.table.reference(id);
    edit(
        app,
        &if_match,
        entry,
        show,
        read,
        |entry: ReferenceEntry<T>| async move {
            if entry.uses > 0 {
                return Err(in_use());
            }
            let deleted = app.table.delete_reference(&entry).await;
            deleted.map_err(|error| match error {
                TableError::Refused(Refusal::InUse) => in_use(),
                error => error.into(),
            })
        },
    )
    .await?;
    Ok(NoContent)
}

/// The handlers of a collection that admins edit and everybody reads.
macro_rules! collection {
    (
        $kind:ident, $input:ident, $body:ident, tag = $tag:tt, id = $id:tt;
        $(#[$list_doc:meta])+ $list:ident = $path:tt $(params $query:tt)?;
        $(#[$create_doc:meta])+ $create:ident;
        $(#[$show_doc:meta])+ $show:ident = $one:tt;
        $(#[$update_doc:meta])+ $update:ident;
        $(#[$delete_doc:meta])+ $delete:ident;
    ) => {
        $(#[$list_doc])+
        #[utoipa::path(
            get, path = $path, tag = $tag, security((), ("bearer" = [])), $(params $query,)?
            responses((status = 200, body = Vec<$body>))
        )]
        pub async fn $list(app: Context, params: Params) -> Result<Json<Vec<$body>>> {
            $crate::reference_data::list::<$kind>(&app, &params).await
        }

        $(#[$create_doc])+
        #[utoipa::path(
            post, path = $path, tag = $tag, security(("bearer" = [])), request_body = $input,
            responses((status = 201, body = $body))
        )]
        pub async fn $create(
            app: Context,
            Admin(user): Admin,
            new: NewId,
            Input(input): Input<$input>,
        ) -> Result<Response> {
            $crate::reference_data::create_entry::<$kind>(&app, &user, new, input).await
        }

        $(#[$show_doc])+
        #[utoipa::path(
            get, path = $one, tag = $tag, security((), ("bearer" = [])),
            params(($id = u64, Path)), responses((status = 200, body = $body))
        )]
        pub async fn $show(app: Context, path: PathIds) -> Result<Json<$body>> {
            $crate::reference_data::show::<$kind>(&app, &path).await
        }

        $(#[$update_doc])+
        #[utoipa::path(
            method(put, patch), path = $one, tag = $tag, security(("bearer" = [])),
            params(($id = u64, Path)), request_body = $input,
            responses((status = 200, body = $body))
        )]
        pub async fn $update(
            app: Context,
            Admin(user): Admin,
            entry: Entry<$kind>,
            mode: Mode,
            Input(input): Input<$input>,
        ) -> Result<Json<$body>> {
            $crate::reference_data::save(&app, &user, entry, input, mode).await
        }

        $(#[$delete_doc])+
        #[utoipa::path(
            delete, path = $one, tag = $tag, security(("bearer" = [])),
            params(($id = u64, Path)), responses((status = 204))
        )]
        pub async fn $delete(
            app: Context,
            Admin(user): Admin,
            entry: Entry<$kind>,
            _: NoInput,
        ) -> Result<NoContent> {
            $crate::reference_data::delete(&app, &user, entry).await
        }
    };
}
pub(crate) use collection;
