//! The document in OpenAPI 3.0, for programs that read no newer one. It says the same, as far as
//! 3.0 can. The build script of the function that serves it includes this file.

use serde_json::{Map, Value, json};

use super::walk::{for_each_object, operations_of, schema_name};

/// Returns a document of OpenAPI 3.1 in 3.0.
pub fn version_3_0(mut document: Value) -> Value {
    document["openapi"] = json!("3.0.3");
    // This version has no webhooks. Some readers know this name.
    document["x-webhooks"] = document["webhooks"].take();
    if let Some(document) = document.as_object_mut() {
        document.remove("webhooks");
    }
    if let Some(license) = document.pointer_mut("/info/license")
        && let Some(license) = license.as_object_mut()
    {
        license.remove("identifier");
    }
    let schemas = document["components"]["schemas"].clone();
    for_each_object(&mut document, &mut |object| convert(object, &schemas));
    for (_, _, operation) in operations_of(&mut document) {
        // Only OAuth has scopes in this version.
        let ways = operation["security"].as_array_mut();
        for way in ways.into_iter().flatten() {
            if let Some(scopes) = way.get_mut("token") {
                *scopes = json!([]);
            }
        }
        if let Some(ways) = operation["security"].as_array_mut() {
            ways.dedup();
        }
        let answers = operation["responses"].as_object_mut();
        for answer in answers.into_iter().flat_map(|answers| answers.values_mut()) {
            text_as_file(answer);
        }
    }
    document
}

/// CSV, calendars and pictures are files. Generators of this version read any other text as JSON.
fn text_as_file(answer: &mut Value) {
    let content = answer.get_mut("content").and_then(Value::as_object_mut);
    let Some(content) = content.filter(|content| !content.contains_key("application/json")) else {
        return;
    };
    for media in content.values_mut() {
        if media["schema"]["type"] == "string" {
            media["schema"]["format"] = json!("binary");
        }
    }
}

fn convert(object: &mut Map<String, Value>, schemas: &Value) {
    // Examples are objects too, but none of them has these keys with such values.
    if let Some(Value::Array(kinds)) = object.get("type")
        && let [Value::String(kind), Value::String(null)] = kinds.as_slice()
        && null == "null"
    {
        let kind = json!(kind);
        object.insert("type".into(), kind);
        object.insert("nullable".into(), json!(true));
    }
    if object.contains_key("type")
        && let Some(value) = object.remove("const")
    {
        // Generators make an enumeration without values from one that has only null.
        if value.is_null() {
            object.insert("maxLength".into(), json!(0));
        } else {
            object.insert("enum".into(), json!([value]));
        }
    }
    object.remove("propertyNames");
    if object.get("required") == Some(&json!([])) {
        object.remove("required");
    }
    nullable_choice(object, schemas);
    // What stands beside a reference is ignored in 3.0.
    if object.len() > 1
        && let Some(reference) = object.get("$ref").and_then(Value::as_str)
        && reference.starts_with("#/components/schemas/")
    {
        let reference = json!({ "$ref": reference });
        object.remove("$ref");
        object.insert("allOf".into(), json!([reference]));
    }
}

/// "This, or null" is a schema that may be null, which needs a type.
fn nullable_choice(object: &mut Map<String, Value>, schemas: &Value) {
    let Some(Value::Array(choices)) = object.get_mut("oneOf") else {
        return;
    };
    choices.retain(|choice| choice["type"] != "null");
    let [choice] = choices.as_slice() else {
        return;
    };
    let choice = choice.clone();
    let kind = schema_name(&choice).map(|name| schemas[name]["type"].clone());
    object.remove("oneOf");
    object.insert("allOf".into(), json!([choice]));
    // What has several types is only optional here, not null.
    if let Some(kind) = kind.filter(Value::is_string) {
        object.insert("type".into(), kind);
        object.insert("nullable".into(), json!(true));
    }
}
