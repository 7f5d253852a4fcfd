//! Checks every request and every response of the tests against the OpenAPI document, so that the
//! document cannot say anything that is not true (O11).
//!
//! Responses are read strictly: a key that the document does not name is an error, and so is one
//! that is missing, a wrong type, an undocumented status, content type or header. A request that
//! succeeds must be one that the document allows.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use http::Method;
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use shared::openapi::{CODES, LISTED_VALUES};

use crate::Response;

/// Headers that belong to HTTP itself. They mean the same everywhere.
const OF_HTTP: [&str; 15] = [
    "access-control-allow-credentials",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
    "access-control-expose-headers",
    "access-control-max-age",
    "cache-control",
    "content-encoding",
    "content-length",
    "x-content-type-options",
    "content-security-policy",
    "content-type",
    "date",
    "transfer-encoding",
    "vary",
];

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::new);

/// The document, prepared for looking up operations.
struct Contract {
    document: Value,
    /// The document with response schemas that allow no other keys.
    closed: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// Fails the test if the document does not allow this request or this response.
#[track_caller]
pub fn check(method: &Method, target: &str, body: Option<&Value>, response: &Response) {
    let problems = CONTRACT.problems(method, target, body, response);
    assert!(
        problems.is_empty(),
        "{} {} {} is not as documented: {}\n{}",
        method,
        target,
        response.status,
        problems.join("; "),
        response.text().chars().take(2_000).collect::<String>()
    );
}

impl Contract {
    fn new() -> Self {
        let document = local::document();
        let mut closed = document.clone();
        close(&mut closed);
        Self {
            document,
            closed,
            validators: Mutex::default(),
        }
    }

    fn problems(
        &self,
        method: &Method,
        target: &str,
        body: Option<&Value>,
        response: &Response,
    ) -> Vec<String> {
        let path = target.split(['?', '#']).next().unwrap_or_default();
        // `/api/` itself leads to the docs in the local service.
        let is_ours = path.starts_with("/api/") && path != "/api/";
        if !is_ours || method == Method::OPTIONS {
            return vec![];
        }
        let verb = match method.as_str() {
            "HEAD" => "get".to_owned(),
            other => other.to_ascii_lowercase(),
        };
        let mut problems = Vec::new();
        let Some((template, operation)) = self.operation(path, &verb) else {
            let status = response.status.as_u16();
            if !matches!(status, 404 | 405 | 413) {
                problems.push(format!(
                    "no operation is documented, but it answers {status}"
                ));
            }
            return problems;
        };
        let status = response.status.as_str();
        let documented = &operation["responses"];
        let (key, documented) = match documented.get(status) {
            Some(response) => (status.to_owned(), response),
            None if status.starts_with('5') => ("5XX".to_owned(), &documented["5XX"]),
            None => return vec!["this status is not documented".to_owned()],
        };
        let documented = self.resolve(documented);
        if matches!(key.as_str(), "400" | "412") && method != Method::HEAD {
            let code = response.json()["code"].clone();
            let codes = operation[CODES].as_array();
            if !codes.is_some_and(|codes| codes.contains(&code)) {
                problems.push(format!("the code {code} is not documented"));
            }
        }
        // What a write answers to a token that may not read has no tag.
        let ways = operation["security"].as_array();
        let by_token = ways.is_some_and(|ways| ways.iter().any(|way| way.get("token").is_some()));
        let has_tag = *method == Method::GET || !by_token;
        Self::check_headers(method, has_tag, documented, response, &mut problems);
        if method != Method::HEAD {
            let location = format!("{verb} {template} {key}");
            self.check_body(&location, documented, response, &mut problems);
        }
        if response.status.is_success() {
            self.check_query(operation, target, &mut problems);
            if let Some(body) = body {
                let schema = operation.pointer("/requestBody/content/application~1json/schema");
                // A body that nobody asked for is ignored.
                if let Some(schema) = schema {
                    let location = format!("{verb} {template}");
                    self.check_value(&location, &self.document, schema, body, &mut problems);
                }
            }
        }
        problems
    }

    /// The operation for a path. A path without its final slash is the same.
    fn operation(&self, path: &str, method: &str) -> Option<(&str, &Value)> {
        let fits = |template: &str| {
            let is_folder = template.ends_with('/');
            let path = if is_folder {
                path.trim_end_matches('/')
            } else {
                path
            };
            let expected: Vec<&str> = path.split('/').collect();
            let parts: Vec<&str> = template.trim_end_matches('/').split('/').collect();
            let same = parts.len() == expected.len()
                && parts
                    .iter()
                    .zip(&expected)
                    .all(|(part, word)| part.starts_with('{') && !word.is_empty() || part == word);
            // The more words agree, the better: `current/` is no id, and `5.ics` names a file.
            let agreeing = parts.iter().filter(|part| !part.starts_with('{')).count();
            same.then_some((agreeing, is_folder == path.strip_suffix(".ics").is_none()))
        };
        let (template, item) = self.document["paths"]
            .as_object()?
            .iter()
            .filter_map(|(template, item)| Some((fits(template)?, (template, item))))
            .max_by_key(|(fit, _)| *fit)?
            .1;
        Some((template.as_str(), item.get(method)?))
    }

    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        value["$ref"]
            .as_str()
            .and_then(|reference| self.document.pointer(reference.trim_start_matches('#')))
            .unwrap_or(value)
    }

    fn check_headers(
        method: &Method,
        has_tag: bool,
        documented: &Value,
        response: &Response,
        problems: &mut Vec<String>,
    ) {
        let empty = Map::new();
        let existing = documented["headers"].as_object().unwrap_or(&empty);
        for name in response.headers.keys() {
            let is_listed = existing
                .keys()
                .any(|existing| existing.eq_ignore_ascii_case(name.as_str()));
            // The gateway of the emulated cloud adds headers of its own.
            let is_gateways = name.as_str().starts_with("x-amzn-");
            if !is_listed && !is_gateways && !OF_HTTP.contains(&name.as_str()) {
                problems.push(format!("the header {name} is not documented"));
            }
        }
        let status = response.status.as_u16();
        for (name, is_required) in [
            (
                "ETag",
                has_tag && matches!(status, 200 | 201) && method != Method::POST,
            ),
            ("ETag", has_tag && status == 201),
            ("Location", matches!(status, 201 | 302)),
        ] {
            let is_promised = is_required && existing.contains_key(name);
            if is_promised && !response.headers.contains_key(name) {
                problems.push(format!("the header {name} is missing"));
            }
        }
    }

    fn check_body(
        &self,
        location: &str,
        documented: &Value,
        response: &Response,
        problems: &mut Vec<String>,
    ) {
        let Some(content) = documented["content"].as_object() else {
            if !response.bytes.is_empty() {
                problems.push("a body is not documented".to_owned());
            }
            return;
        };
        let kind = response.header("content-type");
        let kind = kind.split(';').next().unwrap_or_default().trim();
        let Some(media) = content.get(kind) else {
            problems.push(format!("the content type {kind:?} is not documented"));
            return;
        };
        if kind == "application/json" && response.header("content-encoding").is_empty() {
            match serde_json::from_slice::<Value>(&response.bytes) {
                // A shortened response names the entry and says so; it has no other part (H35).
                Ok(body) if body["truncated"] == true => {}
                Ok(body) => {
                    self.check_value(location, &self.closed, &media["schema"], &body, problems);
                }
                Err(error) => problems.push(format!("the body is not JSON: {error}")),
            }
        }
    }

    /// Checks the parameters of a query as far as they are documented. Others are ignored.
    fn check_query(&self, operation: &Value, target: &str, problems: &mut Vec<String>) {
        let query = target.split_once('?').map_or("", |(_, query)| query);
        for (name, text) in url::form_urlencoded::parse(query.as_bytes()) {
            let parameter = operation["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .find(|existing| existing["in"] == "query" && existing["name"] == name.as_ref());
            let Some(schema) = parameter.map(|parameter| &parameter["schema"]) else {
                continue;
            };
            let value = match self.resolve(schema)["type"].as_str() {
                Some("integer") => serde_json::from_str(&text).unwrap_or_else(|_| json!(text)),
                Some("boolean") => match text.as_ref() {
                    "true" | "1" => json!(true),
                    "false" | "0" => json!(false),
                    other => json!(other),
                },
                _ => json!(text),
            };
            let location = format!("{} ?{name}", operation["operationId"]);
            self.check_value(&location, &self.document, schema, &value, problems);
        }
    }

    fn check_value(
        &self,
        location: &str,
        document: &Value,
        schema: &Value,
        value: &Value,
        problems: &mut Vec<String>,
    ) {
        let validator = {
            let mut existing = self
                .validators
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            existing
                .entry(location.to_owned())
                .or_insert_with(|| {
                    let mut schema = schema.clone();
                    schema["components"] = json!({ "schemas": document["components"]["schemas"] });
                    let options = jsonschema::options().should_validate_formats(true);
                    Arc::new(options.build(&schema).expect("a schema"))
                })
                .clone()
        };
        problems.extend(
            validator
                .iter_errors(value)
                .map(|error| format!("{location}, {}: {error}", error.instance_path()))
                .map(|text| text.chars().take(400).collect()),
        );
    }
}

/// Lets the objects of all schemas have no other keys than those with a name, and words no other
/// values than those of today.
fn close(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(close);
            if let Some(existing) = object.remove(LISTED_VALUES) {
                object.insert("enum".into(), existing);
            }
            if object.get("properties").is_some_and(Value::is_object)
                && object.get("type") == Some(&json!("object"))
            {
                object.entry("additionalProperties").or_insert(json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
