//! `/clubs/{club}/subscription/`: who subscribed to a club

use axum::Json;
use serde::Serialize;
use shared::Context;
use shared::bodies::{NamedBody, Studies};
use shared::domain::Subscription;
use shared::time::Timestamp;
use shared::web::scopes::ClubsRead;
use shared::web::{Officer, Result};
use utoipa::ToSchema;

/// A person who subscribed to a club.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubscriberBody {
    /// Whole name.
    name: String,
    /// User name.
    username: String,
    /// Address from the token, or an empty text.
    email: String,
    /// Ordered by name.
    school: Vec<NamedBody>,
    /// Ordered by name.
    major: Vec<NamedBody>,
    /// Year of graduation, or null.
    graduation_year: Option<u16>,
    /// When the person subscribed.
    created_at: Timestamp,
}

impl SubscriberBody {
    fn new(subscription: &Subscription, studies: &Studies) -> Self {
        let applicant = &subscription.applicant;
        let personal = applicant.personal.clone();
        Self {
            name: personal.name,
            username: personal.username,
            email: personal.email.to_string(),
            school: studies.schools(&applicant.school),
            major: studies.majors(&applicant.major),
            graduation_year: applicant.graduation_year,
            created_at: subscription.created_at,
        }
    }
}

/// List the subscribers of a club.
///
/// For officers. The oldest subscription comes first.
#[utoipa::path(
    get, path = "/api/clubs/{club}/subscription/", tag = "subscriptions",
    security(("bearer" = []), ("token" = ["clubs:read"])),
    params(("club" = String, Path)), responses((status = 200, body = Vec<SubscriberBody>))
)]
pub async fn list_subscribers(
    app: Context,
    scope: Officer<ClubsRead, (), Studies>,
) -> Result<Json<Vec<SubscriberBody>>> {
    let mut subscriptions = app.table.subscribers(&scope.club.code).await?;
    subscriptions.sort_by_key(|subscription| (subscription.created_at, subscription.id));
    Ok(Json(
        subscriptions
            .iter()
            .map(|subscription| SubscriberBody::new(subscription, &scope.object))
            .collect(),
    ))
}
