use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// The operations of the document: path, method, operation.
pub fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    document["paths"]
        .as_object()
        .into_iter()
        .flatten()
        .flat_map(|(path, item)| {
            item.as_object()
                .into_iter()
                .flatten()
                .map(|(method, operation)| (path.as_str(), method.as_str(), operation))
        })
        .collect()
}

/// Calls `look` for every object in a JSON value, with the path to it.
fn each_object<'a>(path: &str, value: &'a Value, look: &mut impl FnMut(&str, &'a Value)) {
    match value {
        Value::Object(object) => {
            look(path, value);
            for (key, inner) in object {
                each_object(&format!("{path}/{key}"), inner, look);
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|inner| each_object(path, inner, look)),
        _ => {}
    }
}

// Validators of 3.0 are in `infra/scripts/contract`.
// proves O1
#[test]
fn the_older_document_has_nothing_of_the_newer_version() {
    let document = local::document();
    let older = shared::openapi::version_3_0(document.clone());
    let (mut newer, mut nullable) = (0, 0);
    each_object("", &document["components"], &mut |_, object| {
        let has_null = object["type"].as_array().is_some() || object["type"] == "null";
        newer += usize::from(has_null);
    });
    each_object("", &older, &mut |path, object| {
        let is_old = !object["type"].is_array() && object["type"] != "null";
        assert!(is_old, "{path}: {object}");
        nullable += usize::from(object["nullable"] == true);
    });
    // Nine fields have several types, and are only optional in 3.0.
    assert_eq!((newer > 50, nullable), (true, newer - 9));
    assert_eq!(operations(&older).len(), operations(&document).len());
}

// proves O1
#[test]
fn codes_of_operations_are_codes_and_belong_to_operations() {
    let document = local::document();
    let codes = &document["components"]["schemas"]["Code"][shared::openapi::LISTED_VALUES];
    let mut seen = BTreeSet::new();
    for (.., operation) in operations(&document) {
        for code in operation[shared::openapi::CODES]
            .as_array()
            .into_iter()
            .flatten()
        {
            assert!(codes.as_array().expect("codes").contains(code), "{code}");
            seen.insert(code.as_str().unwrap_or_default());
        }
    }
    // Whatever does not follow from a status is given by some operation.
    for code in [
        "quota",
        "in_use",
        "question_gone",
        "draft_conflict",
        "erased",
        "undecided",
    ] {
        assert!(seen.contains(code), "{code}");
    }
}

#[test]
fn operation_ids_are_unique_and_references_resolve() {
    let document = local::document();
    let mut ids = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap_or_default();
        assert!(ids.insert(id), "{method} {path}: {id} is there twice");
    }
    each_object("", &document, &mut |path, object| {
        if let Some(reference) = object["$ref"].as_str() {
            let target = document.pointer(reference.trim_start_matches('#'));
            assert!(target.is_some(), "{path}: {reference} is missing");
        }
    });
}

#[test]
fn everything_has_a_text() {
    let document = local::document();
    let mut missing = Vec::new();
    let has_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    for (path, method, operation) in operations(&document) {
        let summary = operation["summary"].as_str().unwrap_or_default();
        if summary.is_empty() || summary.len() >= 60 {
            missing.push(format!(
                "{method} {path} needs a summary of less than 60 characters"
            ));
        }
        if !has_text(&operation["description"]) {
            missing.push(format!("{method} {path} needs a description"));
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            if parameter.get("$ref").is_none() && !has_text(&parameter["description"]) {
                missing.push(format!("{method} {path}: {}", parameter["name"]));
            }
        }
        for (status, response) in operation["responses"].as_object().into_iter().flatten() {
            if response.get("$ref").is_none() && !has_text(&response["description"]) {
                missing.push(format!("{method} {path}: {status}"));
            }
        }
    }
    for (name, schema) in document["components"]["schemas"]
        .as_object()
        .into_iter()
        .flatten()
    {
        if !has_text(&schema["description"]) {
            missing.push(format!("the schema {name}"));
        }
    }
    each_object(
        "",
        &document["components"]["schemas"],
        &mut |path, object| {
            for (name, field) in object["properties"].as_object().into_iter().flatten() {
                if !has_text(&field["description"]) {
                    missing.push(format!("{path}: {name}"));
                }
            }
        },
    );
    assert!(missing.is_empty(), "no text:\n{}", missing.join("\n"));
}

#[test]
fn every_tag_has_a_text_and_is_used() {
    let document = local::document();
    let listed: BTreeMap<&str, &Value> = document["tags"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|tag| {
            (
                tag["name"].as_str().unwrap_or_default(),
                &tag["description"],
            )
        })
        .collect();
    let used: BTreeSet<&str> = operations(&document)
        .iter()
        .filter_map(|(_, _, operation)| operation["tags"][0].as_str())
        .collect();
    assert_eq!(listed.keys().copied().collect::<BTreeSet<_>>(), used);
}

// proves O12
#[test]
fn every_enumeration_has_names() {
    let document = local::document();
    each_object(
        "",
        &document["components"]["schemas"],
        &mut |path, object| {
            if let Some(values) = object["enum"].as_array()
                && values.iter().all(Value::is_u64)
            {
                let names = object["x-enum-varnames"].as_array();
                assert_eq!(names.map(Vec::len), Some(values.len()), "{path}");
            }
        },
    );
}

/// A generated client in Go has all names of values in one list. A value without a name is one.
#[test]
fn no_two_enumerations_have_a_name_in_common() {
    let document = local::document();
    let schemas = document["components"]["schemas"].as_object();
    let names: Vec<String> = schemas
        .into_iter()
        .flat_map(|schemas| schemas.values())
        .filter(|schema| schema["type"] == "string")
        .filter_map(|schema| schema.get("x-enum-varnames").or_else(|| schema.get("enum")))
        .filter_map(Value::as_array)
        .flatten()
        .map(|name| name.as_str().unwrap_or_default().to_lowercase())
        .collect();
    for name in &names {
        let count = names.iter().filter(|other| *other == name).count();
        assert_eq!(count, 1, "{name} is a value of several enumerations");
    }
}

/// The generator of the document keeps one of two types with the same name without a word.
#[test]
fn no_two_types_of_bodies_have_the_same_name() {
    let mut files_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let files = ["functions", "shared"].map(super::sources::rust_files);
    for path in files.into_iter().flatten() {
        let text = std::fs::read_to_string(&path).expect("a source");
        let mut is_schema = false;
        for line in text.lines() {
            is_schema |= line.contains("derive(") && line.contains("ToSchema");
            let name = ["pub struct ", "pub enum "]
                .iter()
                .find_map(|start| line.strip_prefix(start));
            if let Some(name) = name {
                let name: String = name.chars().take_while(|c| c.is_alphanumeric()).collect();
                if std::mem::take(&mut is_schema) {
                    files_of
                        .entry(name)
                        .or_default()
                        .push(path.display().to_string());
                }
            }
        }
    }
    assert!(
        files_of.len() > 60,
        "only {} types were found",
        files_of.len()
    );
    files_of.retain(|_, files| files.len() > 1);
    assert!(files_of.is_empty(), "{files_of:#?}");
}

/// Sends an empty object to every operation that reads one. The service then names the fields that
/// it needs, and these are the required ones.
// proves O11
#[tokio::test(start_paused = true)]
async fn required_fields_are_the_ones_that_the_service_requires() {
    let document = local::document();
    let mut wrong = Vec::new();
    let (admin, values) = super::examples::admin_of_demo().await;
    for operation in tests::operations::once() {
        let method = operation.method.as_str().to_lowercase();
        let documented = &document["paths"][&operation.route][method];
        let content = &documented["requestBody"]["content"]["application/json"]["schema"];
        let Some(name) = content["$ref"]
            .as_str()
            .and_then(|name| name.rsplit('/').next())
        else {
            continue;
        };
        let id = operation.id;
        let target = super::examples::target(&operation, &values);
        let verb = operation.method;
        let response = admin.send(verb, &target, Some(json!({}))).await.json();
        let needed: BTreeSet<String> = response["errors"]
            .as_object()
            .into_iter()
            .flat_map(|errors| errors.keys().cloned())
            .collect();
        let required: BTreeSet<String> = document["components"]["schemas"][name]["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|field| field.as_str().map(str::to_owned))
            .collect();
        // Members who change their own membership need fewer fields than officers.
        let is_wider = id == "replace_member" && needed.is_superset(&required);
        if needed != required && !is_wider {
            wrong.push(format!(
                "{id}: required {required:?}, but it asks for {needed:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
