//! People, members, and the ways to become one.

use serde_json::{Value, json};

use super::{
    ANYBODY, OFFICERS, Row, SIGNED_IN, officers, outsiders, own, read, replace, report, write,
};
use crate::scene::{CONCERNED, STRANGER};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = people();
    rows.extend(members());
    rows.extend(requests());
    rows.extend(invites());
    rows.extend(join_links());
    rows
}

fn people() -> Vec<Row> {
    let whole = json!({ "graduation_year": 2028, "school": [], "major": [], "image_url": null });
    let erased = [401, 202, 202, 202, 202, 202, 202];
    let not_the_only_owner = [401, 202, 202, 202, 400, 202, 202];
    vec![
        read("show_settings", SIGNED_IN),
        write(
            "update_settings",
            SIGNED_IN,
            json!({ "graduation_year": 2028 }),
        ),
        write("replace_settings", SIGNED_IN, whole),
        replace("replace_settings", SIGNED_IN),
        write("delete_settings", erased, Value::Null)
            .query("?archive=true")
            .by(CONCERNED),
        write("delete_settings", not_the_only_owner, Value::Null).by(CONCERNED),
        read("export_settings", SIGNED_IN),
        read("show_calendar_address", SIGNED_IN),
        write("renew_calendar_address", SIGNED_IN, Value::Null),
        read("list_tokens", SIGNED_IN),
        write(
            "create_token",
            [401, 201, 201, 201, 201, 201, 201],
            json!({
                "name": "Nightly export",
                "scopes": ["recruitment:read", "members:read"],
                "club": "{club}",
            }),
        ),
        read("show_token", own(200)),
        write("delete_token", own(204), Value::Null),
        read("show_unsubscription", ANYBODY),
        write("unsubscribe", ANYBODY, Value::Null),
        read("list_users", OFFICERS).query("?search=sam"),
    ]
}

fn members() -> Vec<Row> {
    let officers_or_self = [401, 403, 403, 200, 200, 200, 200];
    let left = [401, 403, 403, 204, 204, 204, 204];
    let title = json!({ "title": "Workshop keeper" });
    let whole = json!({
        "role": 20,
        "title": "Workshop keeper",
        "description": "Knows where every screw is.",
        "public": true,
        "active": true,
    });
    let added = json!({ "person": "{person}", "role": 20, "title": "Webmaster" });
    let imported = json!([
        { "username": "{newcomer}", "role": 20, "title": "Workshop" },
        { "email": "new@uni.example" },
    ]);
    vec![
        read("list_memberships", SIGNED_IN),
        read("list_members", SIGNED_IN),
        read("export_members", OFFICERS),
        report("export_chosen_members", OFFICERS, json!({ "ids": [1] })),
        write("create_member", officers(201), added),
        read("show_member", SIGNED_IN),
        write("update_member", OFFICERS, title),
        write("resend_to_member", officers(204), Value::Null).stores_nothing(),
        write("update_member", OFFICERS, json!({ "role": 10 })),
        write(
            "update_member",
            officers_or_self,
            json!({ "active": false }),
        ),
        write("replace_member", OFFICERS, whole),
        replace("replace_member", OFFICERS),
        write("delete_member", left, Value::Null),
        write("import_members", OFFICERS, imported),
    ]
}

fn requests() -> Vec<Row> {
    let requested = "/api/requests/membership/{requested_club}/";
    let asked = json!({ "club": "{new_club}" });
    vec![
        read("list_membership_requests", OFFICERS),
        read("show_membership_request", OFFICERS),
        write("delete_membership_request", officers(204), Value::Null),
        read("list_own_requests", SIGNED_IN),
        write("create_own_request", outsiders(201), asked).by(STRANGER),
        read("show_own_request", own(200)).at(requested),
        write("delete_own_request", own(204), Value::Null).at(requested),
    ]
}

fn invites() -> Vec<Row> {
    let invite = json!({ "email": "kim@uni.example", "role": 20, "title": "" });
    let several = json!({
        "emails": "lee@uni.example, pat@uni.example",
        "role": 20,
        "title": "",
    });
    let token = json!({ "token": "{invite_token}", "public": true });
    vec![
        read("list_invites", OFFICERS),
        write("create_invite", officers(201), invite),
        write("create_invites", OFFICERS, several),
        read("show_invite", OFFICERS),
        write("delete_invite", officers(204), Value::Null),
        write("resend_invite", OFFICERS, Value::Null),
        write("accept_invite", outsiders(200), token)
            .at("/api/clubs/{inviting_club}/invites/{own_invite}/accept/")
            .by(STRANGER),
    ]
}

fn join_links() -> Vec<Row> {
    let link = json!({ "title": "Freshman", "note": "Fair, table 4", "max_uses": 200 });
    let token = json!({ "token": "{join_token}" });
    vec![
        read("list_join_links", OFFICERS),
        write("create_join_link", officers(201), link),
        read("show_join_link", OFFICERS),
        write("update_join_link", OFFICERS, json!({ "max_uses": 300 })),
        write("delete_join_link", officers(204), Value::Null),
        read("show_qr_code", OFFICERS),
        write("join_club", outsiders(200), token).by(STRANGER),
    ]
}
