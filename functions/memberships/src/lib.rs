//! Members of clubs, membership requests, invites, and the profile of the caller.

pub mod accept;
mod add_member;
mod admin_grants;
pub mod export;
mod exported;
pub mod import;
mod import_people;
mod import_plan;
mod invitations;
pub mod invite;
pub mod invites;
pub mod join;
pub mod joinlinks;
pub mod member;
pub mod members;
pub mod membershiprequests;
pub mod memberships;
mod own_calendar;
pub mod requests;
mod resend;
pub mod settings;
mod tokens;
pub mod unsubscribe;
pub mod users;

use shared::{Shared, routes};
use utoipa_axum::router::OpenApiRouter;

/// The routes of this function.
pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(shared::openapi::base())
        .routes(routes!(
            settings::show_settings,
            settings::update_settings,
            settings::delete_settings
        ))
        .routes(routes!(export::export_settings))
        .routes(routes!(
            own_calendar::show_calendar_address,
            own_calendar::renew_calendar_address
        ))
        .routes(routes!(tokens::list_tokens, tokens::create_token))
        .routes(routes!(tokens::show_token, tokens::delete_token))
        .routes(routes!(
            unsubscribe::show_unsubscription,
            unsubscribe::unsubscribe
        ))
        .routes(routes!(users::list_users))
        .routes(routes!(memberships::list_memberships))
        .routes(routes!(members::list_members, add_member::create_member))
        .routes(routes!(
            members::show_member,
            members::update_member,
            members::delete_member
        ))
        .routes(routes!(resend::resend_to_member))
        .routes(routes!(
            members::export_members,
            members::export_chosen_members
        ))
        .routes(routes!(import::import_members))
        .routes(routes!(membershiprequests::list_membership_requests))
        .routes(routes!(
            membershiprequests::show_membership_request,
            membershiprequests::delete_membership_request
        ))
        .routes(routes!(
            requests::list_own_requests,
            requests::create_own_request
        ))
        .routes(routes!(
            requests::show_own_request,
            requests::delete_own_request
        ))
        .routes(routes!(invites::list_invites, invites::create_invite))
        .routes(routes!(invites::show_invite, invites::delete_invite))
        .routes(routes!(invites::resend_invite))
        .routes(routes!(invite::create_invites))
        .routes(routes!(accept::accept_invite))
        .routes(routes!(
            joinlinks::list_join_links,
            joinlinks::create_join_link
        ))
        .routes(routes!(
            joinlinks::show_join_link,
            joinlinks::update_join_link,
            joinlinks::delete_join_link
        ))
        .routes(routes!(joinlinks::show_qr_code))
        .routes(routes!(join::join_club))
}
