//! The document itself, clubs, what people keep of them, and what admins keep.

use serde_json::{Value, json};

use super::{ANYBODY, OFFICERS, Row, SIGNED_IN, admins, own, owners, read, replace, upload, write};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = clubs();
    rows.extend(kept());
    rows.extend(reference_data());
    rows.extend(fairs());
    rows
}

fn clubs() -> Vec<Row> {
    let created = [401, 201, 201, 201, 201, 201, 201];
    let new = json!({
        "name": "Sailing Club",
        "subtitle": "Wind, water and a shared boat",
        "description": "<p>Trips every Sunday. <b>No experience needed.</b></p>",
        "email": "sailing@clubs.example",
    });
    let whole = json!({
        "name": "Robotics Society",
        "subtitle": "We build things that move",
        "description": "<p>From line followers to a rover. <b>Everybody is welcome</b>.</p>",
        "email": "robotics@clubs.example",
        "website": "https://robotics.clubs.example/",
        "tags": [],
        "active": true,
        "application_required": 4,
    });
    let imported = json!([{
        "code": "sailing-2",
        "name": "Sailing Crew",
        "tags": "Sports",
        "owner": "sam@uni.example",
    }]);
    let subtitle = json!({ "subtitle": "We build things that move and think" });
    vec![
        read("show_health", ANYBODY),
        read("show_openapi", ANYBODY),
        read("show_openapi_3_0", ANYBODY),
        read("show_docs", ANYBODY),
        read("show_docs_file", ANYBODY),
        read("list_clubs", ANYBODY),
        write("create_club", created, new),
        read("show_club", ANYBODY),
        write("update_club", OFFICERS, subtitle),
        write("replace_club", OFFICERS, whole),
        replace("replace_club", OFFICERS),
        write("delete_club", owners(204), Value::Null),
        upload("upload_club_logo"),
        write("import_clubs", admins(200), imported),
        read("list_subscribers", OFFICERS),
        read("list_changes", OFFICERS),
    ]
}

fn kept() -> Vec<Row> {
    let kept = [401, 201, 201, 201, 201, 201, 400];
    let club = json!({ "club": "{club}" });
    vec![
        read("list_favorites", SIGNED_IN),
        write("create_favorite", kept, club.clone()),
        read("show_favorite", own(200)),
        write("delete_favorite", own(204), Value::Null),
        read("list_subscriptions", SIGNED_IN),
        write("create_subscription", kept, club),
        read("show_subscription", own(200)),
        write("delete_subscription", own(204), Value::Null),
    ]
}

fn reference_data() -> Vec<Row> {
    let best = json!({
        "label": "Club of the year",
        "purpose": "award",
        "description": "Chosen by the student union.",
        "color": "#ffb300",
    });
    let new = json!({
        "label": "New this year",
        "purpose": "history",
        "description": "Founded within the last twelve months.",
        "color": "#1565c0",
    });
    let medicine = json!({ "name": "Medicine", "is_graduate": true });
    let law = json!({ "name": "Graduate School of Law", "is_graduate": true });
    let ethics = json!({ "name": "Philosophy and Ethics" });
    let year = |year: u64| json!({ "name": format!("Class of {year}"), "year": year });
    vec![
        read("list_tags", ANYBODY),
        write("create_tag", admins(201), json!({ "name": "Sailing" })),
        read("show_tag", ANYBODY),
        write("update_tag", admins(200), json!({ "name": "Travel" })),
        write("replace_tag", admins(200), json!({ "name": "Languages" })),
        replace("replace_tag", admins(200)),
        write("delete_tag", admins(204), Value::Null),
        read("list_badges", ANYBODY),
        write("create_badge", admins(201), best),
        read("show_badge", ANYBODY),
        write("update_badge", admins(200), json!({ "color": "#0d47a1" })),
        write("replace_badge", admins(200), new),
        replace("replace_badge", admins(200)),
        write("delete_badge", admins(204), Value::Null),
        read("list_schools", ANYBODY),
        write("create_school", admins(201), medicine),
        read("show_school", ANYBODY),
        write("update_school", admins(200), json!({ "name": "Law" })),
        write("replace_school", admins(200), law),
        replace("replace_school", admins(200)),
        write("delete_school", admins(204), Value::Null),
        read("list_majors", ANYBODY),
        write("create_major", admins(201), json!({ "name": "Biology" })),
        read("show_major", ANYBODY),
        write("update_major", admins(200), ethics),
        write(
            "replace_major",
            admins(200),
            json!({ "name": "Philosophy" }),
        ),
        replace("replace_major", admins(200)),
        write("delete_major", admins(204), Value::Null),
        read("list_years", ANYBODY),
        write("create_year", admins(201), year(2032)),
        read("show_year", ANYBODY),
        write("update_year", admins(200), json!({ "name": "Seniors" })),
        write("replace_year", admins(200), year(2031)),
        replace("replace_year", admins(200)),
        write("delete_year", admins(204), Value::Null),
    ]
}

fn fairs() -> Vec<Row> {
    let fair = |name: &str| {
        json!({
            "name": name,
            "organization": "Student union",
            "contact": "fair@uni.example",
            "information": "<p>All clubs in one place.</p>",
            "start_time": "2099-03-10T09:00:00Z",
            "end_time": "2099-03-10T17:00:00Z",
            "registration_start_time": null,
            "registration_end_time": null,
            "virtual": false,
        })
    };
    let contact = json!({ "contact": "fairs@uni.example" });
    let registered = json!({ "club": "{club}", "status": true });
    vec![
        read("list_fairs", ANYBODY),
        write("create_fair", admins(201), fair("Spring fair")),
        read("show_fair", ANYBODY),
        write("update_fair", admins(200), contact),
        write("replace_fair", admins(200), fair("Autumn fair")),
        replace("replace_fair", admins(200)),
        // A fair with clubs stays.
        write("delete_fair", admins(204), Value::Null).at("/api/clubfairs/{empty_fair}/"),
        read("list_current_fairs", ANYBODY),
        write("register_club", OFFICERS, registered),
    ]
}
