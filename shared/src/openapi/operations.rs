//! What every operation has: errors, headers, and parameters with a text.

use serde_json::{Value, json};

use super::walk::operations_of;
use super::{codes, reference, responses, schemas};

/// What it means for the caller if a request fails.
const FAILED_READ: &str = "A read changes nothing: if it fails, send it again.";
const FAILED_WRITE: &str = "After an error nothing has changed. Only after the code \
    `outcome_unknown` it may have: send the same request again.";

/// Operations that honour `If-Match`, although the object of their path cannot be changed with
/// PATCH or has parts with versions.
const CONDITIONAL: [&str; 5] = [
    "save_draft",
    "put_review",
    "delete_review",
    "delete_draft",
    "withdraw_submission",
];
/// Reads without a query whose answer can be larger than Lambda allows without compression.
const LARGE: [&str; 2] = ["show_application", "list_current_applications"];

/// Completes all operations of the document.
pub fn complete(document: &mut Value) {
    responses::add(&mut document["components"]);
    let schemas = document["components"]["schemas"].clone();
    // `If-Match` is for objects that can be changed in place, unless their parts have versions.
    let editable: Vec<String> = operations_of(document)
        .filter(|(_, method, operation)| {
            *method == "patch" && operation["responses"].get("412").is_none()
        })
        .map(|(path, ..)| path.to_owned())
        .collect();
    for (path, method, operation) in operations_of(document) {
        name_replacement(method, operation);
        let id = operation["operationId"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let is_edit = matches!(method, "put" | "patch" | "delete")
            && editable.iter().any(|editable| editable == path)
            || path.ends_with("/upload/")
            || CONDITIONAL.contains(&id.as_str());
        let call = Call {
            path,
            method,
            is_edit,
            names_revision: id == "submit",
            is_large: LARGE.contains(&id.as_str()),
            is_service: operation["tags"] == json!(["service"]),
        };
        describe(operation, &call);
        add_parameters(operation, &call);
        complete_responses(operation, &call, &schemas);
        codes::add(operation, &id);
    }
}

/// PUT and PATCH have one handler, which is described as the change of some fields.
fn name_replacement(method: &str, operation: &mut Value) {
    let id = operation["operationId"].as_str().unwrap_or_default();
    if let Some(object) = id.strip_prefix("update_").filter(|_| method == "put") {
        let summary = operation["summary"].as_str().unwrap_or_default();
        let object = format!("replace_{object}");
        let summary = summary.replacen("Change some fields of", "Replace all fields of", 1);
        let summary = summary.replacen("Change the", "Replace the", 1);
        operation["operationId"] = json!(object);
        operation["summary"] = json!(summary);
    }
}

struct Call<'a> {
    path: &'a str,
    method: &'a str,
    /// Whether `If-Match` is honoured.
    is_edit: bool,
    /// Whether the body may name the revision that shall be replaced.
    names_revision: bool,
    /// Whether the response can be too large.
    is_large: bool,
    /// Whether it is about the service itself.
    is_service: bool,
}

fn describe(operation: &mut Value, call: &Call<'_>) {
    let summary = operation["summary"].as_str().unwrap_or_default();
    operation["summary"] = json!(summary.trim_end_matches('.'));
    if !call.is_service {
        let note = if call.method == "get" {
            FAILED_READ
        } else {
            FAILED_WRITE
        };
        let about = operation["description"].as_str().unwrap_or_default();
        operation["description"] = json!(format!("{about}\n\n{note}"));
    }
}

fn add_parameters(operation: &mut Value, call: &Call<'_>) {
    let signed_in = operation["security"][0] == json!({ "bearer": [] });
    let headers = [
        ("If-None-Match", call.method == "get"),
        ("Idempotency-Key", call.method == "post" && signed_in),
        ("If-Match", call.is_edit),
    ];
    if operation["parameters"].is_null() {
        operation["parameters"] = json!([]);
    }
    let Some(parameters) = operation["parameters"].as_array_mut() else {
        return;
    };
    for parameter in parameters.iter_mut() {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        if parameter["description"].is_null() {
            let about = match name.as_str() {
                "club" => "Code of the club.".to_owned(),
                "file" => "Name of the file.".to_owned(),
                name => format!("Id of the {name}."),
            };
            parameter["description"] = json!(about);
        }
        if parameter["in"] == "query" {
            // A parameter is left out instead of being null.
            optional(&mut parameter["schema"]);
        }
    }
    let headers = headers.iter().filter(|(_, applies)| *applies);
    parameters.extend(headers.filter_map(|(name, _)| responses::parameter(name)));
    if parameters.is_empty() {
        operation
            .as_object_mut()
            .map(|operation| operation.remove("parameters"));
    }
}

fn optional(schema: &mut Value) {
    if let Some(kinds) = schema["type"].as_array() {
        let kind = kinds.iter().find(|kind| *kind != "null").cloned();
        schema["type"] = kind.unwrap_or_default();
    }
    if let Some(choices) = schema.get("oneOf").and_then(Value::as_array)
        && let Some(choice) = choices
            .iter()
            .find(|choice| choice["type"] != "null")
            .cloned()
    {
        *schema = choice;
    }
}

fn complete_responses(operation: &mut Value, call: &Call<'_>, schemas: &Value) {
    let has_body = operation.get("requestBody").is_some();
    let signed_in = operation["security"][0] == json!({ "bearer": [] });
    let takes_callers = operation["security"].to_string().contains("bearer");
    let parameters = operation["parameters"].as_array().cloned();
    let parameters = parameters.unwrap_or_default();
    let has = |name: &str| parameters.iter().any(|parameter| parameter["name"] == name);
    let has_query = parameters
        .iter()
        .any(|parameter| parameter["in"] == "query");
    let errors = [
        (
            "400",
            call.method != "get" || has_query || call.is_large || call.path.ends_with("s/"),
        ),
        ("401", true),
        ("403", takes_callers),
        (
            "404",
            // A repeat with an idempotency key shows the object, which may be gone by then.
            call.path.contains('{')
                || call.is_edit
                || has("page")
                || call.method == "post" && signed_in,
        ),
        ("406", true),
        ("410", has("since")),
        ("412", call.is_edit || call.names_revision),
        ("413", has_body),
        ("415", has_body),
        ("429", true),
        ("5XX", true),
    ];
    let Some(existing) = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    for (status, response) in existing.iter_mut() {
        let media = response["content"]
            .as_object()
            .and_then(|content| content.values().next());
        let noun = media.and_then(|media| schemas::noun(schemas, &media["schema"]));
        if response["description"]
            .as_str()
            .unwrap_or_default()
            .is_empty()
        {
            response["description"] = json!(meaning(call.method, status, noun.as_deref()));
        }
        let mut headers = vec![];
        if status == "201" || status == "302" {
            headers.push("Location");
        }
        let shows = call.method != "post" && call.method != "delete";
        if shows || status == "201" || noun.is_some_and(|noun| !noun.starts_with("The result")) {
            headers.push("ETag");
        }
        if call.method == "post" {
            headers.push("Idempotency-Replayed");
        }
        if has("cursor") {
            headers.push("Link");
        }
        if response["content"].get("text/csv").is_some() {
            headers.push("Content-Disposition");
        }
        response["headers"] = responses::headers(&headers);
    }
    if call.method == "get" {
        existing.insert("304".into(), reference("responses", "NotModified"));
    }
    for (status, _) in errors.into_iter().filter(|(_, applies)| *applies) {
        if let Some(error) = responses::error(status) {
            existing.entry(status).or_insert(error);
        }
    }
}

/// Returns the text of a response that has none of its own.
fn meaning(method: &str, status: &str, noun: Option<&str>) -> String {
    let noun = noun.unwrap_or("The file");
    match (method, status) {
        (_, "204") => "Done. There is no body.".into(),
        (_, "202") => format!("It is done soon. {noun}."),
        (_, "201") => format!("Created. {noun}."),
        ("put" | "patch", _) => format!("Changed. {noun}, with all fields as they are now."),
        ("post", _) => format!("Done. {noun}."),
        _ => format!("{noun}."),
    }
}
