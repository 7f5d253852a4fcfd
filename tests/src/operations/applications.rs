//! Applications, their questions, and extensions.

use serde_json::{Value, json};

use super::{OFFICERS, Row, SIGNED_IN, officers, owners, read, replace, write};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = applications();
    rows.extend(extensions());
    rows.extend(questions());
    rows
}

fn applications() -> Vec<Row> {
    let application = |committees: Value| {
        json!({
            "name": "Spring recruitment",
            "description": "<p>Tell us a little about yourself.</p>",
            "application_start_time": "2026-01-10T09:00:00Z",
            "application_end_time": "2098-02-01T22:59:59Z",
            "result_release_time": "2098-02-15T09:00:00Z",
            "is_active": true,
            "external_url": null,
            "acceptance_email": "<p>Dear {{ name }}, welcome to {{ club }}!</p>",
            "rejection_email": "",
            "committees": committees,
        })
    };
    let committees = json!([{ "name": "Mechanics" }, { "name": "Software" }]);
    let released = json!({ "result_release_time": "2099-01-01T09:00:00Z" });
    vec![
        read("list_open_applications", SIGNED_IN),
        read("list_unsent_applications", SIGNED_IN),
        read("show_home", SIGNED_IN),
        read("show_overview", OFFICERS),
        read("show_club_ending", owners(200)),
        read("show_application_ending", OFFICERS),
        read("list_applications", OFFICERS),
        write("create_application", officers(201), application(committees)),
        read("list_current_applications", SIGNED_IN),
        read("show_application", SIGNED_IN),
        write("update_application", OFFICERS, released),
        write(
            "replace_application",
            OFFICERS,
            application(json!("{committees}")),
        ),
        replace("replace_application", OFFICERS),
        write("delete_application", officers(204), Value::Null).query("?force=true"),
        // It has submissions.
        write("delete_application", officers(400), Value::Null).stores_nothing(),
        write("duplicate_application", officers(201), Value::Null),
    ]
}

fn extensions() -> Vec<Row> {
    let until = |end: &str| json!({ "end_time": end });
    let extension = json!({ "person": "{person}", "end_time": "2099-06-01T22:00:00Z" });
    vec![
        read("list_extensions", OFFICERS),
        write("create_extension", officers(201), extension),
        read("show_extension", OFFICERS),
        write("update_extension", OFFICERS, until("2099-06-02T22:00:00Z")),
        write("replace_extension", OFFICERS, until("2099-06-03T22:00:00Z")),
        replace("replace_extension", OFFICERS),
        write("delete_extension", officers(204), Value::Null),
    ]
}

fn questions() -> Vec<Row> {
    let choice = json!({
        "question_type": 2,
        "prompt": "Which evening suits you best?",
        "precedence": 9,
        "multiple_choice": ["Tuesday", "Thursday"],
    });
    let whole = json!({
        "question_type": 1,
        "prompt": "Why would you like to join us?",
        "word_limit": 200,
        "precedence": 1,
        "committee_question": false,
        "committees": [],
        "multiple_choice": [],
    });
    let order = json!({ "precedence": ["{choice}", "{question}"] });
    vec![
        read("list_questions", SIGNED_IN),
        write("create_question", officers(201), choice),
        write("order_questions", OFFICERS, order),
        read("show_question", SIGNED_IN),
        write("update_question", OFFICERS, json!({ "word_limit": 250 })),
        // This one keeps the version of the prompt.
        write("update_question", OFFICERS, json!({ "precedence": 7 })),
        write("replace_question", OFFICERS, whole),
        replace("replace_question", OFFICERS),
        write("delete_question", officers(204), Value::Null),
    ]
}
