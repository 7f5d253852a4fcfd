//! The catalogue of clubs, its supporting collections, the health check and the API documentation.

pub mod badges;
pub mod body;
pub mod bookmarks;
mod changes;
mod club_edit;
pub mod clubfairs;
pub mod clubs;
pub mod codes;
pub mod docs;
pub mod favorites;
pub mod health;
pub mod import;
mod import_owner;
mod import_rows;
pub mod majors;
pub mod ranking;
pub mod reference_data;
mod registrations;
pub mod schools;
pub mod subscription;
pub mod subscriptions;
pub mod tags;
mod webhooks;
pub mod years;

use shared::{Shared, routes};
use utoipa_axum::router::OpenApiRouter;

/// The routes of webhooks.
fn webhooks() -> OpenApiRouter<Shared> {
    use webhooks::{of_all, of_club};
    OpenApiRouter::new()
        .routes(routes!(
            of_club::list_club_webhooks,
            of_club::create_club_webhook
        ))
        .routes(routes!(
            of_club::show_club_webhook,
            of_club::update_club_webhook,
            of_club::delete_club_webhook
        ))
        .routes(routes!(of_club::renew_club_webhook_secret))
        .routes(routes!(of_club::test_club_webhook))
        .routes(routes!(of_club::list_club_deliveries))
        .routes(routes!(of_club::retry_club_delivery))
        .routes(routes!(of_all::list_webhooks, of_all::create_webhook))
        .routes(routes!(
            of_all::show_webhook,
            of_all::update_webhook,
            of_all::delete_webhook
        ))
        .routes(routes!(of_all::renew_webhook_secret))
        .routes(routes!(of_all::test_webhook))
        .routes(routes!(of_all::list_deliveries))
        .routes(routes!(of_all::retry_delivery))
}

/// The routes of this function.
pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(shared::openapi::base())
        .routes(routes!(clubs::list_clubs, clubs::create_club))
        .routes(routes!(import::import_clubs))
        .routes(routes!(
            clubs::show_club,
            club_edit::update_club,
            clubs::delete_club
        ))
        .routes(routes!(club_edit::upload_club_logo))
        .routes(routes!(changes::list_changes))
        .merge(webhooks())
        .routes(routes!(subscription::list_subscribers))
        .routes(routes!(
            favorites::list_favorites,
            favorites::create_favorite
        ))
        .routes(routes!(
            favorites::show_favorite,
            favorites::delete_favorite
        ))
        .routes(routes!(
            subscriptions::list_subscriptions,
            subscriptions::create_subscription
        ))
        .routes(routes!(
            subscriptions::show_subscription,
            subscriptions::delete_subscription
        ))
        .routes(routes!(tags::list_tags, tags::create_tag))
        .routes(routes!(tags::show_tag, tags::update_tag, tags::delete_tag))
        .routes(routes!(badges::list_badges, badges::create_badge))
        .routes(routes!(
            badges::show_badge,
            badges::update_badge,
            badges::delete_badge
        ))
        .routes(routes!(schools::list_schools, schools::create_school))
        .routes(routes!(
            schools::show_school,
            schools::update_school,
            schools::delete_school
        ))
        .routes(routes!(majors::list_majors, majors::create_major))
        .routes(routes!(
            majors::show_major,
            majors::update_major,
            majors::delete_major
        ))
        .routes(routes!(years::list_years, years::create_year))
        .routes(routes!(
            years::show_year,
            years::update_year,
            years::delete_year
        ))
        .routes(routes!(clubfairs::list_fairs, clubfairs::create_fair))
        .routes(routes!(clubfairs::list_current_fairs))
        .routes(routes!(
            clubfairs::show_fair,
            clubfairs::update_fair,
            clubfairs::delete_fair
        ))
        .routes(routes!(registrations::register_club))
        .routes(routes!(health::show_health))
        .routes(routes!(docs::show_openapi))
        .routes(routes!(docs::show_openapi_3_0))
        .routes(routes!(docs::show_docs))
        .routes(routes!(docs::show_docs_file))
}
