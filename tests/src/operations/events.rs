//! Events, their showings and calendars.

use serde_json::{Value, json};

use super::{ANYBODY, OFFICERS, Row, SIGNED_IN, officers, own, read, replace, upload, write};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = public();
    rows.extend(of_a_club());
    rows.extend(tickets());
    rows
}

fn tickets() -> Vec<Row> {
    let sale = "/api/clubs/{club}/events/{event}/showings/{sale}/";
    let order = json!({ "tickets": [{ "type": "{seat}", "count": 1 }], "wait": true });
    let issued = json!({ "people": ["{person}"], "type": "{seat}" });
    let of_sale = |row: Row, rest: &str| row.at(&format!("{sale}{rest}"));
    vec![
        write("order_tickets", [401, 201, 201, 201, 201, 201, 201], order)
            .at("/api/events/{event}/showings/{sale}/tickets/"),
        read("show_draw", ANYBODY).at("/api/events/{draw_event}/showings/{draw_sale}/draw/"),
        read("list_tickets", SIGNED_IN),
        read("show_ticket", own(200)),
        read("show_ticket_code", own(200)),
        write("return_ticket", own(204), Value::Null),
        write(
            "transfer_ticket",
            own(200),
            json!({ "username": "{receiver}" }),
        )
        .at("/api/tickets/{given_ticket}/transfer/"),
        of_sale(read("list_showing_tickets", OFFICERS), "tickets/"),
        of_sale(write("issue_tickets", officers(201), issued), "tickets/"),
        of_sale(
            write("cancel_ticket", officers(204), Value::Null),
            "tickets/{cancelled_ticket}/",
        ),
        of_sale(
            write("check_in", OFFICERS, json!({ "code": "{ticket_code}" })),
            "checkins/",
        ),
        of_sale(
            write("take_back_checkin", officers(204), Value::Null).stores_nothing(),
            "checkins/{door_ticket}/",
        ),
    ]
}

fn public() -> Vec<Row> {
    vec![
        read("list_events", ANYBODY),
        read("show_calendar", ANYBODY),
        read("show_event", ANYBODY),
        read("list_showings", ANYBODY),
        read("show_showing", ANYBODY),
        read("show_club_calendar", ANYBODY),
        read("show_own_calendar", ANYBODY),
        read("show_event_calendar", ANYBODY).at("/api/events/{event_file}"),
        read("show_showing_calendar", ANYBODY).at("/api/events/{event}/showings/{showing_file}"),
    ]
}

fn of_a_club() -> Vec<Row> {
    let showing = json!({
        "start_time": "2027-03-04T18:00:00Z",
        "end_time": "2027-03-04T20:00:00Z",
        "location": "Engineering, main hall",
        "location_visible_to_public": true,
        "ticketed": false,
        "ticket_drop_time": null,
        "ticket_order_limit": 4,
    });
    let event = json!({
        "name": "Spring show",
        "description": "<p>See what we built this year.</p>",
        "type": 5,
        "url": "https://robotics.clubs.example/show/",
        "showings": [showing.clone()],
    });
    let whole = json!({
        "name": "Open workshop",
        "description": "<p>Bring a laptop if you have one.</p>",
        "type": 5,
        "url": null,
    });
    let name = json!({ "name": "Open workshop for everybody" });
    let location = json!({ "location": "Engineering, room 013" });
    let mut series = showing.clone();
    series["rule"] = json!("FREQ=WEEKLY;BYDAY=TH;COUNT=3");
    series["except"] = json!(["2027-03-11"]);
    let copy = json!({ "start_time": "2027-05-06T17:00:00Z" });
    vec![
        read("list_club_events", SIGNED_IN),
        write("create_event", officers(201), event),
        read("show_club_event", SIGNED_IN),
        write("update_event", OFFICERS, name),
        write("replace_event", OFFICERS, whole),
        replace("replace_event", OFFICERS),
        write("delete_event", officers(204), Value::Null).query("?force=true"),
        upload("upload_event_image"),
        write("duplicate_event", officers(201), copy),
        read("list_club_showings", SIGNED_IN),
        write("create_showing", officers(201), showing.clone()),
        write("create_series", officers(201), series),
        read("show_club_showing", SIGNED_IN),
        write("update_showing", OFFICERS, location),
        write("replace_showing", OFFICERS, showing),
        replace("replace_showing", OFFICERS),
        write("delete_showing", officers(204), Value::Null).query("?force=true"),
    ]
}
