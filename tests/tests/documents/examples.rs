//! The examples of the OpenAPI document. Every operation is called once on the demo campus, by the
//! admin, with the values that the document shows; what is sent and what comes back is the example.

use http::Method;
use serde_json::{Map, Value, json};
use shared::time::Clock as _;
use tests::images::{form, png};
use tests::{Client, Response, TestCampus};

use crate::examples_calls::{Scene, call_order};

/// Longer lists are cut in the examples.
const SHOWN: usize = 2;

// proves O12
#[tokio::test(start_paused = true)]
async fn the_examples_are_what_the_demo_campus_answers() {
    let (admin, scene) = admin_of_demo().await;
    let document = local::api().1;
    let mut examples = Map::new();
    for (path, method, operation) in call_order(&document) {
        let id = operation["operationId"].as_str().unwrap_or_default();
        let parameters = scene.parameters(id, operation);
        let body = scene.body(id);
        let target = target(path, operation, &parameters);
        let answer = send(&admin, method, &target, operation, &body).await;
        assert!(
            answer.status.is_success(),
            "{method} {path}: {} {}",
            answer.status,
            answer.text()
        );
        examples.insert(id.to_owned(), example(parameters, body, &answer));
    }
    let text = format!("{:#}\n", Value::Object(examples));
    super::check("docs/examples.json", &text);
}

/// The admin of a new demo campus, and its objects.
pub async fn admin_of_demo() -> (Client, Scene) {
    let campus = TestCampus::new();
    local::demo::load(&campus.campus).await.expect("a demo");
    let (token, _) = campus
        .campus
        .issuer
        .token(&local::demo::admin(), campus.campus.clock.now())
        .expect("a token");
    let admin = campus.with_token(&token);
    let scene = Scene::new(&campus, &admin).await;
    (admin, scene)
}

/// The path and the query of a request.
pub fn target(path: &str, operation: &Value, parameters: &Map<String, Value>) -> String {
    let plain = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let mut path = path.to_owned();
    let mut query = Vec::new();
    for (name, value) in parameters {
        let is_query = operation["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|known| known["name"] == json!(name) && known["in"] == "query");
        if is_query {
            query.push(format!("{name}={}", plain(value)));
        } else {
            path = path.replace(&format!("{{{name}}}"), &plain(value));
        }
    }
    if query.is_empty() {
        path
    } else {
        format!("{path}?{}", query.join("&"))
    }
}

async fn send(
    admin: &Client,
    method: &str,
    target: &str,
    operation: &Value,
    body: &Value,
) -> Response {
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
    let content = &operation["requestBody"]["content"];
    if content["application/json"].is_object() {
        return admin.send(method, target, Some(body.clone())).await;
    }
    if content["multipart/form-data"].is_object() {
        let (kind, bytes) = form(&[("file", &png(64, 64))]);
        return admin.raw(method, target, Some(&kind), bytes).await;
    }
    admin.send(method, target, None).await
}

fn example(parameters: Map<String, Value>, request: Value, answer: &Response) -> Value {
    let mut example = json!({ "status": answer.status.as_str() });
    if !parameters.is_empty() {
        example["parameters"] = parameters.into();
    }
    if !request.is_null() {
        example["request"] = request;
    }
    let is_json = answer.header("content-type") == "application/json";
    if answer.json()["openapi"].is_string() {
        // The document would contain itself.
        example["response"] = json!({ "openapi": answer.json()["openapi"] });
    } else if is_json {
        let mut response = answer.json();
        shorten(&mut response);
        example["response"] = response;
    } else if answer.header("content-type").starts_with("text/c") && answer.text().len() < 20_000 {
        let lines: Vec<String> = answer.text().lines().take(12).map(str::to_owned).collect();
        example["response"] = json!(lines.join("\r\n"));
    }
    example
}

fn shorten(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.truncate(SHOWN);
            items.iter_mut().for_each(shorten);
        }
        Value::Object(object) => {
            for (name, value) in object.iter_mut() {
                // An example that loses answers would mislead.
                match value {
                    Value::Array(answers) if name == "responses" => {
                        answers.iter_mut().for_each(shorten);
                    }
                    value => shorten(value),
                }
            }
            // Files have random names.
            for (field, file) in [
                ("image_url", "logo-600.jpg"),
                ("large_image_url", "logo.jpg"),
            ] {
                if object.get(field).is_some_and(Value::is_string) {
                    object[field] = json!(format!("https://media.uni.example/{file}"));
                }
            }
        }
        _ => {}
    }
}
