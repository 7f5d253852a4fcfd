//! Submissions, drafts, reviews, decisions, their mails, and receipts.

use serde_json::{Value, json};

use super::{ANYBODY, OFFICERS, Row, SIGNED_IN, officers, own, read, replace, report, write};
use crate::scene::CONCERNED;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = submissions();
    rows.extend(decisions());
    rows.extend(drafts());
    rows.extend(files());
    rows.extend(reviews());
    rows.extend(interviews());
    rows.extend(of_a_person());
    rows
}

fn submissions() -> Vec<Row> {
    let answers = json!({
        "committee": "{committee}",
        "responses": [
            { "question": "{question}", "text": "I like to build things." },
            { "question": "{choice}", "multiple_choice": "{option}" },
        ],
    });
    let again = json!({ "responses": [{ "question": "{question}", "text": "y" }] });
    let submitted = [401, 201, 201, 201, 201, 201, 201];
    let changed = [401, 201, 201, 201, 201, 201, 200];
    vec![
        read("list_submissions", OFFICERS),
        write("submit", submitted, answers),
        write("submit", changed, again).by(CONCERNED),
        read("export_submissions", OFFICERS),
        report(
            "export_chosen_submissions",
            OFFICERS,
            json!({ "ids": ["{submission}"] }),
        ),
        read("show_submission", [401, 403, 403, 200, 200, 200, 200]),
    ]
}

fn decisions() -> Vec<Row> {
    let reason = "We liked your project.";
    let statuses = json!({ "submissions": ["{submission}"], "status": 4 });
    let reasons = json!({ "submissions": [{ "id": "{submission}", "reason": reason }] });
    let dry = json!({ "email_type": { "id": "acceptance" }, "dry_run": true });
    let nobody = json!({ "email_type": { "id": "rejection" } });
    let accepted = json!({ "status": 4, "reason": reason });
    vec![
        write("set_statuses", OFFICERS, statuses),
        write("set_reasons", OFFICERS, reasons),
        write("update_decision", OFFICERS, accepted),
        write(
            "replace_decision",
            OFFICERS,
            json!({ "status": 3, "reason": "" }),
        ),
        replace("replace_decision", OFFICERS),
        read("list_history", OFFICERS),
        write("send_emails", OFFICERS, dry).stores_nothing(),
        write("send_emails", OFFICERS, nobody).stores_nothing(),
        write("resend_to_applicant", officers(204), Value::Null).stores_nothing(),
    ]
}

fn drafts() -> Vec<Row> {
    let answer = json!({
        "question": "{question}",
        "text": "I like to build things, and",
        "version": "{draft_version}",
    });
    // The person concerned has a draft already.
    let saved = [401, 200, 200, 200, 200, 200, 412];
    let deleted = [401, 204, 204, 204, 204, 204, 204];
    vec![
        read("show_draft", own(200)),
        write("save_draft", saved, json!({ "responses": [answer] })),
        write("delete_draft", deleted, Value::Null).by(CONCERNED),
    ]
}

fn files() -> Vec<Row> {
    let file = json!({
        "question": "{file_question}",
        "name": "CV.pdf",
        "size": 48_213,
        "type": "application/pdf",
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    });
    let of = "/api/clubs/{own_club}/applications/{own_application}/";
    let one = format!("{of}files/{{own_file}}/");
    let submitted = format!("{of}submissions/{{own_submission}}/files/{{own_file}}/");
    let announced = [401, 201, 201, 201, 201, 201, 201];
    vec![
        write("create_file", announced, file),
        read("show_file", own(200)).at(&one),
        read("show_submitted_file", [401, 403, 403, 302, 302, 302, 302]).at(&submitted),
    ]
}

fn reviews() -> Vec<Row> {
    let review = json!({ "score": 4, "comment": "Knows what to build, and why." });
    // Only the officer has written one.
    let deleted = [401, 403, 403, 204, 404, 404, 403];
    vec![
        read("list_reviewers", OFFICERS),
        read("list_reviews", OFFICERS),
        write("put_review", OFFICERS, review),
        write("delete_review", deleted, Value::Null),
    ]
}

fn interviews() -> Vec<Row> {
    let slot = json!({
        "start_time": "2027-01-11T14:00:00Z",
        "end_time": "2027-01-11T14:25:00Z",
        "location": "Workshop, room 2",
    });
    let series = json!({
        "start_time": "2027-01-12T14:00:00Z",
        "end_time": "2027-01-12T16:00:00Z",
        "minutes": 25,
        "break_minutes": 5,
        "location": "https://meet.uni.example/robotics",
        "capacity": 2,
    });
    vec![
        read("list_slots", OFFICERS),
        write("create_slot", officers(201), slot),
        write("create_slots", officers(201), series),
        read("show_slot", OFFICERS),
        write(
            "update_slot",
            OFFICERS,
            json!({ "note": "Bring the robot." }),
        ),
        write("delete_slot", officers(204), Value::Null),
        read("show_submission_interview", OFFICERS),
        write(
            "book_submission_interview",
            OFFICERS,
            json!({ "slot": "{slot}", "overlap": false }),
        ),
        write("note_attendance", OFFICERS, json!({ "attended": true })),
        write("cancel_submission_interview", officers(204), Value::Null),
    ]
}

fn of_a_person() -> Vec<Row> {
    let one = "/api/submissions/{own_submission}/";
    vec![
        read("show_receipt_keys", ANYBODY),
        write("verify_receipt", ANYBODY, json!("{receipt}")).stores_nothing(),
        read("show_receipt", own(200)).at("/api/submissions/{own_submission}/receipt/"),
        read("list_own_submissions", SIGNED_IN),
        read("show_own_submission", own(200)).at(one),
        read("list_free_slots", own(200)).at("/api/submissions/{own_submission}/slots/"),
        write(
            "book_interview",
            own(200),
            json!({ "slot": "{own_slot}", "overlap": false }),
        )
        .at("/api/submissions/{own_submission}/interview/"),
        write("cancel_interview", own(204), Value::Null)
            .at("/api/submissions/{own_submission}/interview/"),
        write("withdraw_submission", own(204), Value::Null).at(one),
    ]
}
