//! `/health/`

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

/// The state of the service.
#[derive(Debug, Serialize, ToSchema)]
pub struct HealthBody {
    /// Always `ok`.
    status: &'static str,
}

/// Check that the service runs.
///
/// For everybody. Reads no data.
#[utoipa::path(
    get, path = "/api/health/", tag = "service", security((), ("bearer" = [])),
    responses((status = 200, body = HealthBody))
)]
pub async fn show_health() -> Json<HealthBody> {
    Json(HealthBody { status: "ok" })
}
