//! Whether a version of a function works, with its role and its settings (O19).

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::READY;
use crate::db::Table;
use crate::state::Shared;

/// Returns a router with these routes and one for [`READY`]: 200 if the table can be read, and 503
/// if not; the log has the reason.
pub fn ready(routes: Router, table: Table) -> Router {
    let readable = async |State(table): State<Table>| respond(table.warm_up().await);
    Router::new()
        .route(READY, get(readable))
        .with_state(table)
        .fallback_service(routes)
}

/// As [`ready`]. The keys of the issuer must have been fetched, too.
pub(super) fn api_ready(routes: Router, app: Shared) -> Router {
    let works = async |State(app): State<Shared>| {
        let (table, keys) =
            futures::join!(app.table.warm_up(), app.verifier.warm_up(app.clock.now()));
        match table {
            Ok(()) => respond(keys),
            failed => respond(failed),
        }
    };
    Router::new()
        .route(READY, get(works))
        .with_state(app)
        .fallback_service(routes)
}

fn respond(result: Result<(), impl std::fmt::Display>) -> Response {
    match result {
        Ok(()) => "ready\n".into_response(),
        Err(error) => {
            tracing::error!(%error, "this version does not work");
            // The site answers everybody, and errors of AWS name accounts and roles.
            (StatusCode::SERVICE_UNAVAILABLE, "not ready\n").into_response()
        }
    }
}
