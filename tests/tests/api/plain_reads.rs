//! The local engine passes stored items through. These tests compare each such answer with the one
//! of the engine itself.

use serde_json::{Value, json};

use local::engine::Engine;

const PARTITIONS: [&str; 3] = ["CLUB#a", "Übung \"#1\"", "LONG"];

/// Items with all types of attributes, keys with quotes and letters beyond ASCII, and a partition
/// of more than 1 MB.
fn engine() -> Engine {
    let engine = Engine::memory().expect("an engine in memory");
    for pk in PARTITIONS {
        for number in 0..30 {
            let word = ["A#", "B#", "Ö\\#", "B#\u{10FFFF}"][number % 4];
            let length = if pk == "LONG" { 90_000 } else { number };
            let item = json!({
                "pk": { "S": pk },
                "sk": { "S": format!("{word}{number:02}") },
                "type": { "S": "Kind" },
                "role": { "N": "20" },
                "gsi1pk": { "S": format!("ONE#{pk}") },
                "gsi1sk": { "S": format!("{}", number / 3) },
                "gsi2pk": { "S": format!("TWO#{pk}") },
                "gsi2sk": { "S": format!("{number:03}") },
                "text": { "S": "ö".repeat(length) },
                "number": { "N": "-12.50" },
                "bytes": { "B": "AAEC/w==" },
                "words": { "SS": ["z", "a"] },
                "nothing": { "NULL": true },
                "list": { "L": [{ "BOOL": false }, { "M": { "a": { "N": "1" } } }] },
            });
            let put = json!({ "TableName": "clubs", "Item": item });
            engine.json("PutItem", &put).expect("stored");
        }
    }
    engine
}

/// Fails unless the reader answers, and says what the engine says. Returns the answer.
fn compare(engine: &Engine, operation: &str, body: &Value) -> Value {
    let passed = engine
        .passed_through(operation, body.to_string().as_bytes())
        .unwrap_or_else(|| panic!("the reader does not answer {operation} {body}"));
    let mut passed: Value = serde_json::from_str(&passed).expect("JSON");
    let mut own = engine.json(operation, body).expect("an answer");
    // The engine counts also the item that did not fit the page any more.
    for response in [&mut passed, &mut own] {
        if operation == "Query" {
            response["ScannedCount"] = Value::Null;
        }
    }
    assert!(passed == own, "{operation} {body}");
    own
}

fn is_left_to_engine(engine: &Engine, operation: &str, body: &Value) -> bool {
    let body = body.to_string();
    engine.passed_through(operation, body.as_bytes()).is_none()
}

fn key(pk: &str, sk: &str) -> Value {
    json!({ "pk": { "S": pk }, "sk": { "S": sk } })
}

fn get(key: &Value) -> Value {
    json!({ "TableName": "clubs", "Key": key, "ConsistentRead": true,
        "ReturnConsumedCapacity": "TOTAL" })
}

fn batch(keys: &[Value]) -> Value {
    json!({ "RequestItems": { "clubs": { "Keys": keys, "ConsistentRead": true } },
        "ReturnConsumedCapacity": "TOTAL" })
}

fn query(pk: &str) -> Value {
    json!({
        "TableName": "clubs",
        "KeyConditionExpression": "#pk = :pk",
        "ExpressionAttributeNames": { "#pk": "pk" },
        "ExpressionAttributeValues": { ":pk": { "S": pk } },
        "ConsistentRead": true,
        "ReturnConsumedCapacity": "TOTAL",
    })
}

/// Adds the condition on the sort key.
fn ranged(mut query: Value, condition: &str, values: &[(&str, &str)]) -> Value {
    query["KeyConditionExpression"] = format!("#pk = :pk AND {condition}").into();
    query["ExpressionAttributeNames"]["#sk"] = "sk".into();
    for (name, value) in values {
        query["ExpressionAttributeValues"][*name] = json!({ "S": value });
    }
    query
}

/// The query of an index instead of the table.
fn of_index(mut query: Value, index: &str) -> Value {
    let prefix = if index == "gsi1" { "ONE" } else { "TWO" };
    let names = &mut query["ExpressionAttributeNames"];
    names["#pk"] = format!("{index}pk").into();
    if names.get("#sk").is_some() {
        names["#sk"] = format!("{index}sk").into();
    }
    let pk = &mut query["ExpressionAttributeValues"][":pk"]["S"];
    *pk = format!("{prefix}#{}", pk.as_str().expect("a key")).into();
    query["IndexName"] = index.into();
    query["ConsistentRead"] = false.into();
    query
}

#[test]
fn items_are_read_as_the_engine_reads_them() {
    let engine = engine();
    let mut keys = vec![key("CLUB#a", "missing")];
    for pk in PARTITIONS {
        keys.extend((0..30).map(|number| {
            let word = ["A#", "B#", "Ö\\#", "B#\u{10FFFF}"][number % 4];
            key(pk, &format!("{word}{number:02}"))
        }));
    }
    for key in &keys {
        compare(&engine, "GetItem", &get(key));
    }
    compare(&engine, "BatchGetItem", &batch(&keys));
}

#[test]
fn all_pages_of_all_queries_are_as_the_engine_says() {
    let engine = engine();
    let mut pages = 0;
    for pk in PARTITIONS.into_iter().chain(["nobody"]) {
        let prefix = [(":sk", "B#")];
        let ends = [(":from", "A#04"), (":to", "B#\u{10FFFF}11")];
        for plain in [
            query(pk),
            ranged(query(pk), "begins_with(#sk, :sk)", &prefix),
            ranged(query(pk), "#sk BETWEEN :from AND :to", &ends),
            ranged(query(pk), "#sk < :sk", &[(":sk", "B#09")]),
        ] {
            let mut keys = plain.clone();
            keys["ProjectionExpression"] = "#pk, #own_sk".into();
            keys["ExpressionAttributeNames"]["#own_sk"] = "sk".into();
            let mut parts = keys.clone();
            parts["ProjectionExpression"] = "#pk, #own_sk, #words, #missing".into();
            parts["ExpressionAttributeNames"]["#words"] = "words".into();
            parts["ExpressionAttributeNames"]["#missing"] = "missing".into();
            let one = of_index(plain.clone(), "gsi1");
            let two = of_index(plain.clone(), "gsi2");
            for mut request in [plain, keys, parts, one, two] {
                for (forward, limit) in [
                    (true, None),
                    (false, None),
                    (true, Some(4)),
                    (false, Some(1)),
                ] {
                    request["ScanIndexForward"] = forward.into();
                    request["Limit"] = json!(limit);
                    request["ExclusiveStartKey"] = Value::Null;
                    pages += walk(&engine, &mut request);
                }
            }
        }
    }
    assert!(pages > 1000, "{pages}");
}

fn walk(engine: &Engine, request: &mut Value) -> usize {
    let mut pages = 0;
    loop {
        pages += 1;
        let request_as_sent = without_nulls(request);
        let response = compare(engine, "Query", &request_as_sent);
        let Some(last) = response.get("LastEvaluatedKey") else {
            return pages;
        };
        request["ExclusiveStartKey"] = last.clone();
    }
}

fn without_nulls(request: &Value) -> Value {
    let mut request = request.clone();
    if let Some(members) = request.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    request
}

#[test]
fn unusual_reads_are_left_to_the_engine() {
    let engine = engine();
    let plain = query("CLUB#a");
    let with = |name: &str, value: Value| {
        let mut request = plain.clone();
        request[name] = value;
        request
    };
    let mut outside = ranged(plain.clone(), "begins_with(#sk, :sk)", &[(":sk", "B#")]);
    outside["ExclusiveStartKey"] = key("CLUB#a", "A#00");
    for request in [
        with("FilterExpression", json!("attribute_exists(#pk)")),
        with("ProjectionExpression", json!("text")),
        with("Limit", json!(0)),
        with("TableName", json!("others")),
        with("IndexName", json!("gsi1")),
        with("IndexName", json!("gsi9")),
        with("KeyConditionExpression", json!("#pk = :pk OR #pk = :pk")),
        with("ExpressionAttributeNames", json!({ "#pk": "sk" })),
        with("ExpressionAttributeValues", json!({ ":pk": { "S": "" } })),
        with("ExpressionAttributeValues", json!({ ":pk": { "N": "1" } })),
        with("ExclusiveStartKey", key("another", "A#00")),
        with("ReturnConsumedCapacity", json!("INDEXES")),
        ranged(plain.clone(), "#sk = :sk", &[(":sk", "A#00")]),
        ranged(
            plain.clone(),
            "#sk BETWEEN :from AND :to",
            &[(":from", "B"), (":to", "A")],
        ),
        with(
            "ExpressionAttributeNames",
            json!({ "#pk": "pk", "#more": "text" }),
        ),
        outside,
        ranged(
            plain.clone(),
            "#sk < :sk",
            &[(":sk", "A"), (":unused", "A")],
        ),
    ] {
        assert!(is_left_to_engine(&engine, "Query", &request), "{request}");
    }
    let same = key("CLUB#a", "A#00");
    let many: Vec<Value> = (0..101).map(|n| key("x", &n.to_string())).collect();
    for keys in [&[same.clone(), same][..], &[], &many] {
        assert!(is_left_to_engine(&engine, "BatchGetItem", &batch(keys)));
    }
    for wrong in [
        key("", "A"),
        key(&"x".repeat(2049), "A"),
        json!({ "pk": { "S": "x" } }),
    ] {
        assert!(
            is_left_to_engine(&engine, "GetItem", &get(&wrong)),
            "{wrong}"
        );
    }
    let put = json!({ "TableName": "clubs", "Item": key("a", "b") });
    assert!(is_left_to_engine(&engine, "PutItem", &put));
}
