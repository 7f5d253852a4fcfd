//! The schemas of request and response bodies: what the code generator cannot know.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::walk::{for_each_object, operations_of, schema_name};
use super::{first_sentence, reference, says, schemas_of};
use crate::ids::MAX_ID;

/// In the description of a field of a response: not every response has it.
const MISSING: &str = "Missing if ";

/// Words of responses to which more may be added. A client must not fail if it reads a new one.
const OPEN: [&str; 3] = ["Code", "EmailStatus", "ReceiptState"];
/// The key with the values of such words that are known today.
pub const LISTED_VALUES: &str = "x-extensible-enum";

/// Completes all schemas of the document.
pub fn complete(document: &mut Value) {
    name_pages(document);
    for_each_object(document, &mut bound_ids);
    for_each_object(document, &mut without_rules);
    open_words(document);
    inline_scalars(document);
    require_fields_of_answers(document);
    for_each_object(&mut document["components"]["schemas"], &mut null_only);
    super::variants::add(document);
    for_each_object(&mut document["components"]["schemas"], &mut list_values);
    drop_unused(document);
}

/// A page of `ClubBody` is `ClubPage`, and names the schema of its items.
fn name_pages(document: &mut Value) {
    const PAGE: &str = "Envelope_";
    let schemas = schemas_of(document);
    let pages: Vec<String> = schemas
        .keys()
        .filter(|name| name.starts_with(PAGE))
        .cloned()
        .collect();
    for old in pages {
        let item = old[PAGE.len()..].to_owned();
        let new = format!("{}Page", item.trim_end_matches("Body"));
        let schemas = schemas_of(document);
        if let Some(mut page) = schemas.remove(&old) {
            page["properties"]["results"]["items"] = reference("schemas", &item);
            schemas.insert(new.clone(), page);
        }
        let (from, to) = (reference("schemas", &old), reference("schemas", &new));
        for_each_object(document, &mut |object| {
            if object.get("$ref") == Some(&from["$ref"]) {
                object.insert("$ref".into(), to["$ref"].clone());
            }
        });
    }
}

/// In this API every unsigned 64-bit number is an id.
fn bound_ids(schema: &mut Map<String, Value>) {
    if schema.get("format") == Some(&json!("int64")) && schema.get("minimum") == Some(&json!(0)) {
        schema.insert("minimum".into(), json!(1));
        schema.insert("maximum".into(), json!(MAX_ID));
    }
}

/// Removes the numbers of rules, such as ` (S14)`. They are for readers of the code.
fn without_rules(object: &mut Map<String, Value>) {
    for key in ["description", "summary"] {
        let Some(Value::String(text)) = object.get_mut(key) else {
            continue;
        };
        while let Some((start, end)) = rules_in(text) {
            text.replace_range(start..end, "");
        }
    }
}

fn rules_in(text: &str) -> Option<(usize, usize)> {
    text.match_indices(" (").find_map(|(start, open)| {
        let inside = start + open.len();
        let end = inside + text[inside..].find(')')?;
        let is_rule = |word: &str| {
            let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
            word.len() == digits.len() + 1
                && !digits.is_empty()
                && digits.bytes().all(|b| b.is_ascii_digit())
        };
        text[inside..end]
            .split(", ")
            .all(is_rule)
            .then_some((start, end + 1))
    })
}

/// Lets words of responses have other values than those of today. Generators of clients would
/// refuse them otherwise.
fn open_words(document: &mut Value) {
    let schemas = schemas_of(document);
    for name in OPEN {
        let Some(schema) = schemas.get_mut(name).and_then(Value::as_object_mut) else {
            continue;
        };
        list_values(schema);
        let about = schema["description"].as_str().unwrap_or_default();
        schema["description"] = json!(format!("{about}\n\nThere may be more in the future."));
        let values = schema.remove("enum").unwrap_or_default();
        schema.insert(LISTED_VALUES.into(), values);
        schema.retain(|name, _| !name.starts_with("x-enum-"));
    }
}

/// Writes texts and numbers where they are used. Generators of clients make a type of their own
/// from each schema that has a name.
fn inline_scalars(document: &mut Value) {
    let schemas = schemas_of(document);
    let scalars: BTreeMap<String, Map<String, Value>> = schemas
        .iter()
        .filter_map(|(name, schema)| Some((name.clone(), schema.as_object()?.clone())))
        .filter(|(_, schema)| {
            schema
                .get("type")
                .is_some_and(|kind| kind != "object" && kind != "array")
                && !schema.contains_key("enum")
                && !schema.contains_key(LISTED_VALUES)
        })
        .collect();
    schemas.retain(|name, _| !scalars.contains_key(name));
    for_each_object(document, &mut |object| {
        let name = object.get("$ref").and_then(Value::as_str);
        let name = name.and_then(|name| name.strip_prefix("#/components/schemas/"));
        if let Some(scalar) = name.and_then(|name| scalars.get(name)) {
            object.remove("$ref");
            for (key, value) in scalar {
                object.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        nullable(object);
    });
}

/// Writes "a text, or null" as one schema with two types. The description of an object that may be
/// null belongs to the field, not to the object.
fn nullable(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get_mut("oneOf") else {
        return;
    };
    let is_null = |choice: &Value| choice["type"] == "null";
    if choices.len() != 2 || !choices.iter().any(is_null) {
        return;
    }
    let Some(Value::Object(other)) = choices.iter_mut().find(|choice| !is_null(choice)) else {
        return;
    };
    let about = other.remove("description");
    let kind = other.get("type").filter(|kind| kind.is_string()).cloned();
    if let (Some(kind), false) = (kind, other.contains_key("enum")) {
        let other = std::mem::take(other);
        object.remove("oneOf");
        object.extend(other);
        object.insert("type".into(), json!([kind, "null"]));
    }
    if let Some(about) = about {
        object.entry("description").or_insert(about);
    }
}

/// Fields that may only be null are written as a text that is always null. Not every generator of
/// clients knows a type that has no value but null.
fn null_only(schema: &mut Map<String, Value>) {
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(|fields| fields.values_mut()) {
        if field["type"] == "null" {
            field["type"] = json!(["string", "null"]);
            field["const"] = Value::Null;
        }
    }
}

/// Every field of a response is always there, except those that say when they are [`MISSING`].
/// These are null only if they say so.
fn require_fields_of_answers(document: &mut Value) {
    let mut answers = BTreeSet::new();
    let mut open_schemas: Vec<Value> = vec![json!({ "$ref": "#/components/schemas/ErrorBody" })];
    for (_, _, operation) in operations_of(document) {
        open_schemas.push(operation["responses"].clone());
    }
    let schemas = schemas_of(document);
    while let Some(mut value) = open_schemas.pop() {
        for_each_object(&mut value, &mut |object| {
            let name = object
                .get("$ref")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let name = name.rsplit('/').next().unwrap_or_default();
            if let Some(schema) = schemas.get(name)
                && answers.insert(name.to_owned())
            {
                open_schemas.push(schema.clone());
            }
        });
    }
    for name in answers {
        let fields = schemas[&name].get_mut("properties");
        let Some(fields) = fields.and_then(Value::as_object_mut) else {
            continue;
        };
        let mut required = Vec::new();
        for (field, schema) in fields {
            if !says(schema, MISSING) {
                required.push(json!(field));
            } else if says(schema, "Null if") || says(schema, "or null.") {
                // Not everybody sees the field, and it may also be null.
            } else if let Some(Value::Array(kinds)) = schema.get_mut("type") {
                kinds.retain(|kind| kind != "null");
                let kind = kinds.pop().unwrap_or_default();
                schema["type"] = kind;
            }
        }
        schemas[&name]["required"] = json!(required);
    }
}

/// Adds the values of an enumeration, with name and meaning, to its description.
fn list_values(schema: &mut Map<String, Value>) {
    let list = |name: &str| schema.get(name).and_then(Value::as_array);
    let (Some(values), Some(names), Some(meanings)) = (
        list("enum"),
        list("x-enum-varnames"),
        list("x-enum-descriptions"),
    ) else {
        return;
    };
    let mut text = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    text.push('\n');
    for ((value, name), meaning) in values.iter().zip(names).zip(meanings) {
        let meaning = meaning.as_str().unwrap_or_default();
        let line = match (value, name) {
            (Value::Number(number), Value::String(name)) => {
                format!("\n- `{number}` {name}: {meaning}")
            }
            _ => format!("\n- `{}`: {meaning}", value.as_str().unwrap_or_default()),
        };
        text.push_str(&line);
    }
    schema.insert("description".into(), json!(text));
}

/// Removes the schemas that nothing refers to, for example one of which only the variants are used.
fn drop_unused(document: &mut Value) {
    loop {
        let mut used = BTreeSet::from(["ErrorBody".to_owned()]);
        for_each_object(document, &mut |object| {
            let name = object.get("$ref").and_then(Value::as_str);
            used.extend(
                name.and_then(|name| name.rsplit('/').next())
                    .map(str::to_owned),
            );
        });
        let schemas = schemas_of(document);
        let before = schemas.len();
        schemas.retain(|name, _| used.contains(name));
        if schemas.len() == before {
            return;
        }
    }
}

/// Returns what a schema is, in a few words: the first sentence of its description.
pub fn noun(schemas: &Value, schema: &Value) -> Option<String> {
    if let Some(name) = schema_name(schema) {
        let about = schemas[name]["description"].as_str()?;
        return Some(first_sentence(about).to_owned());
    }
    let item = noun(schemas, schema.get("items")?)?;
    Some(format!("A list. Each element: {item}"))
}
