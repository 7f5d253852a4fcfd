//! `/health/`

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

/// That the service runs.
#[derive(Debug, Serialize, ToSchema)]
pub struct HealthBody {
    /// `ok`
    status: &'static str,
}

/// Tells that the service runs; touches nothing else. Anybody.
#[utoipa::path(get, path = "/api/health/", tag = "service", responses((status = 200, body = HealthBody)))]
pub async fn show_health() -> Json<HealthBody> {
    Json(HealthBody { status: "ok" })
}
