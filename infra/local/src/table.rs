//! The definition of the table. A test compares it with template.yaml.

use serde_json::{Value, json};

/// The name of the table in the embedded engine.
pub const TABLE: &str = "clubs";

/// The body of `CreateTable`.
pub fn definition() -> Value {
    let attributes = ["pk", "sk", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk"]
        .map(|name| json!({ "AttributeName": name, "AttributeType": "S" }));
    let keys = |hash, range| {
        json!([
            { "AttributeName": hash, "KeyType": "HASH" },
            { "AttributeName": range, "KeyType": "RANGE" },
        ])
    };
    json!({
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": attributes,
        "KeySchema": keys("pk", "sk"),
        "GlobalSecondaryIndexes": [{
            "IndexName": "gsi1",
            "KeySchema": keys("gsi1pk", "gsi1sk"),
            "Projection": { "ProjectionType": "INCLUDE", "NonKeyAttributes": ["role", "type"] },
        }, {
            "IndexName": "gsi2",
            "KeySchema": keys("gsi2pk", "gsi2sk"),
            "Projection": { "ProjectionType": "KEYS_ONLY" },
        }],
        "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES" },
    })
}
