//! The variants of request bodies for PUT, PATCH and forms.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::walk::{operations_of, schema_name};
use super::{reference, says, schemas_of};
use crate::web::input::NOT_IN_PUT;

/// In the description of a field of a request: it stays as it is if a PUT does not have it.
const MAY_BE_LEFT_OUT: &str = "PUT may leave it out.";

/// Fields that are only read when an object is created. What an update says about them is ignored.
const ONLY_NEW: [(&str, &str); 3] = [
    ("ClubInput", "code"),
    ("EventInput", "showings"),
    ("ShowingInput", "ticketed"),
];

/// Adds all variants.
pub fn add(document: &mut Value) {
    say_what_put_needs(document);
    add_variants(document);
}

/// Says of the fields that PUT may leave out that it may, where there is a PUT.
fn say_what_put_needs(document: &mut Value) {
    let mut replaced = BTreeSet::new();
    for (_, method, operation) in operations_of(document) {
        let content = operation.pointer("/requestBody/content/application~1json/schema");
        let name = content.and_then(schema_name).filter(|_| method == "put");
        replaced.extend(name.map(str::to_owned));
    }
    for (name, schema) in schemas_of(document) {
        let extensions = schema
            .as_object_mut()
            .and_then(|all| all.remove(NOT_IN_PUT));
        let Some(Value::Array(names)) = extensions.filter(|_| replaced.contains(name)) else {
            continue;
        };
        for field in names.iter().filter_map(Value::as_str) {
            let about = &mut schema["properties"][field]["description"];
            let old = about.as_str().unwrap_or_default();
            *about = json!(format!("{old} {MAY_BE_LEFT_OUT}").trim_start());
        }
    }
}

/// PATCH needs no field, PUT needs every field that is not [`MAY_BE_LEFT_OUT`], and a form has a
/// file where JSON has none.
fn add_variants(document: &mut Value) {
    let schemas = schemas_of(document).clone();
    let mut variants = Map::new();
    for (_, method, operation) in operations_of(document) {
        let content = operation.pointer_mut("/requestBody/content");
        let Some(content) = content.and_then(Value::as_object_mut) else {
            continue;
        };
        for (kind, media) in content {
            let Some(base) = schema_name(&media["schema"]).map(str::to_owned) else {
                continue;
            };
            // A form differs from JSON only in its image, which is a file.
            let has_image = schemas[&base].pointer("/properties/image").is_some();
            let is_form = kind.starts_with("multipart/") && has_image;
            let stem = if is_form {
                format!("{}Form", base.trim_end_matches("Input"))
            } else {
                base.clone()
            };
            let name = match method {
                "patch" => format!("{stem}Patch"),
                "put" => format!("{stem}Put"),
                _ => stem,
            };
            if name == base {
                continue;
            }
            media["schema"] = reference("schemas", &name);
            if is_form
                && method == "post"
                && schemas[&base].pointer("/properties/showings").is_some()
            {
                media["encoding"] = json!({ "showings": { "contentType": "application/json" } });
            }
            variants
                .entry(name)
                .or_insert_with(|| variant(&base, schemas[&base].clone(), method, is_form));
        }
    }
    schemas_of(document).extend(variants);
}

fn variant(base: &str, mut schema: Value, method: &str, is_form: bool) -> Value {
    if method != "post" {
        for (_, name) in ONLY_NEW.iter().filter(|(of, _)| *of == base) {
            if let Some(fields) = schema["properties"].as_object_mut() {
                fields.remove(*name);
            }
        }
    }
    let about = schema["description"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let note = match method {
        "patch" => " Fields that are not sent stay as they are.",
        "put" => " Every field that is required has to be sent.",
        _ => "",
    };
    schema["description"] = json!(format!("{about}{note}"));
    let fields = schema.get("properties").and_then(Value::as_object);
    let needed: Vec<String> = fields
        .into_iter()
        .flatten()
        .filter(|(_, field)| !says(field, MAY_BE_LEFT_OUT))
        .map(|(name, _)| name.clone())
        .collect();
    match method {
        "patch" => {
            schema
                .as_object_mut()
                .map(|schema| schema.remove("required"));
        }
        "put" => schema["required"] = json!(needed),
        _ => {}
    }
    if is_form {
        schema["properties"]["image"] = json!({
            "type": "string",
            "format": "binary",
            "description": "The image: PNG, JPEG, WebP or GIF, at most 4 MiB.",
        });
    }
    schema
}
