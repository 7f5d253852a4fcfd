//! Which codes an operation gives with 400 and 412, besides those that follow from the status.

use serde_json::{Value, json};

/// The key of an operation with the codes of its 400 and 412.
pub const CODES: &str = "x-error-codes";

/// Codes with the operations that give them. The tests refuse any other.
const GIVEN: [(&str, &[&str]); 22] = [
    (
        "application_closed",
        &[
            "book_interview",
            "create_file",
            "save_draft",
            "submit",
            "withdraw_submission",
        ],
    ),
    (
        "already_member",
        &[
            "accept_invite",
            "create_invite",
            "create_member",
            "create_own_request",
            "join_club",
        ],
    ),
    (
        "club_not_approved",
        &[
            "create_extension",
            "create_invite",
            "create_invites",
            "resend_invite",
        ],
    ),
    ("digest_changed", &["send_emails"]),
    ("draft_conflict", &["save_draft"]),
    (
        "erased",
        &[
            "book_submission_interview",
            "cancel_submission_interview",
            "delete_review",
            "note_attendance",
            "put_review",
            "replace_decision",
            "resend_to_applicant",
            "set_reasons",
            "set_statuses",
            "update_decision",
        ],
    ),
    (
        "in_use",
        &[
            "delete_application",
            "delete_badge",
            "delete_event",
            "delete_fair",
            "delete_major",
            "delete_question",
            "delete_school",
            "delete_showing",
            "delete_slot",
            "delete_tag",
            "delete_year",
            "replace_application",
            "replace_question",
            "replace_showing",
            "update_application",
            "update_question",
            "update_showing",
            "update_slot",
        ],
    ),
    ("invite_unusable", &["accept_invite", "join_club"]),
    (
        "last_owner",
        &[
            "delete_member",
            "delete_settings",
            "replace_member",
            "update_member",
        ],
    ),
    (
        "overlap",
        &[
            "book_interview",
            "book_submission_interview",
            "create_slot",
            "create_slots",
            "update_slot",
        ],
    ),
    ("question_gone", &["submit"]),
    (
        "quota",
        &[
            "accept_invite",
            "book_interview",
            "book_submission_interview",
            "create_application",
            "create_club",
            "create_club_webhook",
            "create_event",
            "create_file",
            "create_join_link",
            "create_member",
            "create_question",
            "create_series",
            "create_showing",
            "create_slot",
            "create_slots",
            "create_token",
            "create_webhook",
            "duplicate_application",
            "duplicate_event",
            "order_tickets",
            "renew_club_webhook_secret",
            "renew_webhook_secret",
            "replace_application",
            "replace_member",
            "replace_question",
            "resend_to_applicant",
            "resend_to_member",
            "save_draft",
            "submit",
            "transfer_ticket",
            "update_application",
            "update_member",
            "update_question",
            "update_slot",
        ],
    ),
    ("registration_closed", &["register_club"]),
    ("slot_closed", &["book_interview", "cancel_interview"]),
    (
        "slot_full",
        &["book_interview", "book_submission_interview"],
    ),
    ("not_started", &["order_tickets"]),
    (
        "closed",
        &[
            "issue_tickets",
            "order_tickets",
            "return_ticket",
            "transfer_ticket",
        ],
    ),
    ("audience", &["order_tickets", "transfer_ticket"]),
    (
        "drawing",
        &[
            "issue_tickets",
            "order_tickets",
            "return_ticket",
            "cancel_ticket",
            "update_showing",
            "replace_showing",
        ],
    ),
    ("sold_out", &["issue_tickets", "order_tickets"]),
    ("ticket_unusable", &["check_in"]),
    ("undecided", &["send_emails"]),
];

/// Adds the codes of an operation, and a sentence about them.
pub fn add(operation: &mut Value, id: &str) {
    let has = |status: &str| operation["responses"].get(status).is_some();
    let takes_idempotency_key = operation["parameters"].as_array().is_some_and(|all| {
        all.iter()
            .any(|one| one["$ref"] == "#/components/parameters/IdempotencyKey")
    });
    let given = GIVEN
        .iter()
        .filter(|(_, operations)| operations.contains(&id));
    let codes: Vec<&str> = [
        has("400").then_some("invalid"),
        takes_idempotency_key.then_some("key_reused"),
        has("412").then_some("precondition_failed"),
    ]
    .into_iter()
    .flatten()
    .chain(given.map(|(code, _)| *code))
    .collect();
    if codes.is_empty() {
        return;
    }
    let named: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
    let about = operation["description"].as_str().unwrap_or_default();
    let status = match (has("400"), has("412")) {
        (true, true) => "400 and 412",
        (_, true) => "412",
        _ => "400",
    };
    let about = format!("{about}\n\nCodes of {status}: {}.", named.join(", "));
    operation["description"] = json!(about);
    operation[CODES] = json!(codes);
}
