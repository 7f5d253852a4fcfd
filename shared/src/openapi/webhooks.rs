//! The requests of webhooks, which receivers get.

use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::Components;

use super::{reference, schemas_of};
use crate::changes::WebhookMessage;

/// Adds the schemas of the messages.
pub fn add_schemas(components: &mut Components) {
    let mut schemas = vec![(WebhookMessage::name().into_owned(), schema())];
    WebhookMessage::schemas(&mut schemas);
    components.schemas.extend(schemas);
}

fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
    <WebhookMessage as utoipa::PartialSchema>::schema()
}

/// A header of a message.
fn header(name: &str, about: &str, example: &str) -> Value {
    json!({
        "name": name, "in": "header", "required": true, "description": about,
        "schema": { "type": "string" }, "example": example,
    })
}

/// Adds the requests of webhooks.
pub fn complete(document: &mut Value) {
    let message = &mut schemas_of(document)["WebhookMessage"];
    let fields = message["properties"].as_object();
    let all: Vec<String> = fields
        .into_iter()
        .flat_map(|all| all.keys().cloned())
        .collect();
    message["required"] = json!(all);
    let object = json!({
        "type": "submission", "id": 2_814_061_120_000_005_u64,
        "url": "http://127.0.0.1:8000/api/clubs/robotics/applications/17/submissions/2814061120000005/",
    });
    let example = json!({
        "id": 6_885_967_978_585_726_u64, "at": "2026-11-21T09:00:00Z", "club": "robotics",
        "type": "submission.created", "object": object, "by": 4_712_085_066_213_u64,
    });
    document["webhooks"] = json!({ "change": { "post": {
        "operationId": "receive_change",
        "summary": "Something changed",
        "description": "What a webhook gets: a change of a club, or a test. It is signed as \
            [Standard Webhooks](https://www.standardwebhooks.com) says, which has libraries for \
            many languages. Check the signature before you read the body. The same change may come \
            more than once, with the same `webhook-id`, and changes may come in any order.",
        "tags": ["webhooks"],
        "security": [],
        "parameters": [
            header("webhook-id", "Id of the change or of the test. All attempts have the same.",
                "6885967978585726"),
            header("webhook-timestamp", "When it was sent, in seconds since 1970. Refuse what is \
                older than five minutes.", "1795251600"),
            header("webhook-signature", "One signature for each secret that is valid, separated by \
                spaces: `v1,` and the HMAC-SHA-256 of id, time and body, with periods between them, \
                in base64.", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
        ],
        "requestBody": {
            "required": true,
            "content": { "application/json": {
                "schema": reference("schemas", "WebhookMessage"), "example": example,
            } },
        },
        "responses": {
            "204": { "description": "It was taken. Any other answer of 200 to 299 says the same." },
            "410": { "description": "The receiver is gone. The webhook is switched off." },
            "503": { "description": "It was not taken. So says any answer but those above, and none \
                in ten seconds. It comes again after 5 seconds, 5 and 30 minutes, 2, 5, 10 and 10 \
                hours." },
        },
    } } });
}
