//! Webhooks of a club, and of admins for all clubs.

use serde_json::{Value, json};

use super::{Row, admins, owners, read, write};

pub(super) fn rows() -> Vec<Row> {
    let hook = json!({
        "url": "https://chat.example/hooks/7",
        "types": ["submission.created", "submission.withdrawn"],
        "description": "The chat of the board",
    });
    let types = json!({ "types": ["submission.created"], "description": "The chat" });
    let all = "/api/webhooks/{all_webhook}/";
    let below = |tail: &str| format!("{all}{tail}");
    vec![
        read("list_club_webhooks", owners(200)),
        write("create_club_webhook", owners(201), hook.clone()),
        read("show_club_webhook", owners(200)),
        write("update_club_webhook", owners(200), types.clone()),
        write("delete_club_webhook", owners(204), Value::Null),
        write("renew_club_webhook_secret", owners(200), Value::Null),
        write("test_club_webhook", owners(202), Value::Null),
        read("list_club_deliveries", owners(200)),
        write("retry_club_delivery", owners(202), Value::Null),
        read("list_webhooks", admins(200)),
        write("create_webhook", admins(201), hook),
        read("show_webhook", admins(200)).at(all),
        write("update_webhook", admins(200), types).at(all),
        write("delete_webhook", admins(204), Value::Null).at(all),
        write("renew_webhook_secret", admins(200), Value::Null).at(&below("secret/")),
        write("test_webhook", admins(202), Value::Null).at(&below("test/")),
        read("list_deliveries", admins(200)).at(&below("deliveries/")),
        write("retry_delivery", admins(202), Value::Null)
            .at(&below("deliveries/{all_delivery}/retry/")),
    ]
}
