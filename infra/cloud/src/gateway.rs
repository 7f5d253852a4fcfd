//! Emulates the REST API of API Gateway that template.yaml describes. It finds the resource of a
//! path, makes the event for the function, and turns its result into a response.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};
use shared::time::{Clock as _, SystemClock};
use tests::template::SamTemplate;

use crate::environments::Environments;

/// The largest body of a request, and the largest event with the body in it, in bytes.
const PAYLOAD: usize = 10 * 1024 * 1024;
const EVENT: usize = 6 * 1024 * 1024;

/// Headers of responses that the gateway renames to `x-amzn-remapped-…`.
const REMAPPED: [&str; 5] = [
    "connection",
    "content-length",
    "date",
    "server",
    "www-authenticate",
];

pub struct Gateway {
    stage: String,
    /// Resources and the functions that serve them.
    routes: Vec<(String, Arc<Environments>)>,
    /// Status and body template of each kind of response that the gateway makes itself.
    responses: BTreeMap<String, (u16, String)>,
    requests: AtomicU64,
}

impl Gateway {
    /// The gateway of a template, in front of these functions.
    pub fn new(
        template: &SamTemplate,
        functions: &BTreeMap<String, Arc<Environments>>,
    ) -> Arc<Self> {
        let api = template.resource("Api").unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let responses = api["Properties"]["GatewayResponses"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, response)| {
                let status = text(&response["StatusCode"]).parse().unwrap_or(0);
                (
                    name.clone(),
                    (
                        status,
                        text(&response["ResponseTemplates"]["application/json"]),
                    ),
                )
            });
        let routes = functions.values().flat_map(|environments| {
            let paths = environments.function.paths.clone();
            paths.into_iter().map(|path| (path, environments.clone()))
        });
        Arc::new(Self {
            stage: text(&api["Properties"]["StageName"]),
            routes: routes.collect(),
            responses: responses.collect(),
            requests: AtomicU64::new(0),
        })
    }

    pub fn router(self: &Arc<Self>) -> Router {
        Router::new().fallback(reply).with_state(self.clone())
    }

    /// A response that the gateway makes itself. A kind without a template has that of its class,
    /// 4xx or 5xx.
    fn own(&self, kind: &str, status: u16, message: &str) -> Response {
        let class = if status < 500 {
            "DEFAULT_4XX"
        } else {
            "DEFAULT_5XX"
        };
        let existing = self
            .responses
            .get(kind)
            .or_else(|| self.responses.get(class));
        let (own_status, template) = existing
            .cloned()
            .unwrap_or((0, r#"{"message":$context.error.messageString}"#.to_owned()));
        let body = template
            .replace("$context.error.messageString", &json!(message).to_string())
            .replace("$context.requestId", "none");
        let status = StatusCode::from_u16(if own_status == 0 { status } else { own_status })
            .unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        response
            .headers_mut()
            .insert("content-type", HeaderValue::from_static("application/json"));
        response
    }

    /// The most specific resource that matches a path, with the path variables. A slash at the end
    /// makes no difference.
    fn resource(&self, path: &str) -> Option<(&str, &Arc<Environments>, Map<String, Value>)> {
        let path_segments: Vec<&str> = path.trim_matches('/').split('/').collect();
        let fit = |route: &str| -> Option<(Vec<u8>, Map<String, Value>)> {
            let segments: Vec<&str> = route.trim_matches('/').split('/').collect();
            let (mut rank, mut variables) = (Vec::new(), Map::new());
            for (i, segment) in segments.iter().enumerate() {
                if let Some(name) = segment
                    .strip_prefix('{')
                    .and_then(|rest| rest.strip_suffix("+}"))
                {
                    variables.insert(name.to_owned(), json!(path_segments.get(i..)?.join("/")));
                    rank.push(2);
                    return (path_segments.get(i).is_some_and(|first| !first.is_empty()))
                        .then_some((rank, variables));
                }
                let part = path_segments.get(i)?;
                match segment
                    .strip_prefix('{')
                    .and_then(|rest| rest.strip_suffix('}'))
                {
                    Some(_) if part.is_empty() => return None,
                    Some(name) => {
                        variables.insert(name.to_owned(), json!(decoded(part)));
                        rank.push(1);
                    }
                    None if segment == part => rank.push(0),
                    None => return None,
                }
            }
            (segments.len() == path_segments.len()).then_some((rank, variables))
        };
        let fitting = self.routes.iter().filter_map(|(route, environments)| {
            let (rank, variables) = fit(route)?;
            Some((rank, route.as_str(), environments, variables))
        });
        fitting
            .min_by(|a, b| a.0.cmp(&b.0))
            .map(|(_, route, environments, variables)| (route, environments, variables))
    }

    /// The event for a request.
    fn event(
        &self,
        parts: &http::request::Parts,
        body: &[u8],
        resource: &str,
        variables: Map<String, Value>,
        path: &str,
    ) -> Value {
        let now = SystemClock.now();
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let mut event: Value =
            serde_json::from_str(include_str!("../../../tests/events/rest.json"))
                .unwrap_or_default();
        let method = parts.method.as_str();
        event["resource"] = json!(resource);
        event["path"] = json!(path);
        event["httpMethod"] = json!(method);
        let mut headers = several(parts.headers.iter().map(|(name, value)| {
            (
                cased(name.as_str()),
                String::from_utf8_lossy(value.as_bytes()).into_owned(),
            )
        }));
        for (name, value) in [
            ("X-Forwarded-For", "198.51.100.7"),
            ("X-Forwarded-Port", "443"),
            ("X-Forwarded-Proto", "https"),
        ] {
            headers.insert(name.to_owned(), json!([value]));
        }
        headers.insert(
            "X-Amzn-Trace-Id".to_owned(),
            json!([format!("Root=1-{:08x}-{number:024x}", now.timestamp())]),
        );
        event["headers"] = last(&headers);
        event["multiValueHeaders"] = headers.into();
        let query = several(
            url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes())
                .into_owned(),
        );
        let none_if_empty = |value: Value| {
            if value.as_object().is_none_or(Map::is_empty) {
                Value::Null
            } else {
                value
            }
        };
        event["queryStringParameters"] = none_if_empty(last(&query));
        event["multiValueQueryStringParameters"] = none_if_empty(query.into());
        event["pathParameters"] = none_if_empty(variables.into());
        let context = &mut event["requestContext"];
        context["resourcePath"] = json!(resource);
        context["httpMethod"] = json!(method);
        context["path"] = json!(format!("/{}{path}", self.stage));
        context["stage"] = json!(self.stage);
        context["requestTime"] = json!(now.format("%d/%b/%Y:%H:%M:%S +0000").to_string());
        context["requestTimeEpoch"] = json!(now.timestamp_millis());
        context["requestId"] = json!(format!("00000000-0000-4000-8000-{number:012x}"));
        // BinaryMediaTypes in template.yaml has all types, so every body is sent in base64.
        event["isBase64Encoded"] = json!(!body.is_empty());
        event["body"] = if body.is_empty() {
            Value::Null
        } else {
            json!(BASE64_STANDARD.encode(body))
        };
        event
    }

    /// The response for the result of a function. `None` if that has not the right form.
    fn response(reply: &Value) -> Option<Response> {
        let status = StatusCode::from_u16(reply["statusCode"].as_u64()?.try_into().ok()?).ok()?;
        let text = reply["body"].as_str().unwrap_or_default();
        let body = if reply["isBase64Encoded"] == true {
            BASE64_STANDARD.decode(text).ok()?
        } else {
            text.as_bytes().to_vec()
        };
        let mut headers = HeaderMap::new();
        let single = reply["headers"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name, std::slice::from_ref(value)));
        let multiple = reply["multiValueHeaders"].as_object().into_iter().flatten();
        let multiple =
            multiple.map(|(name, values)| (name, values.as_array().map_or(&[][..], Vec::as_slice)));
        // If a header is in both, the values in `multiValueHeaders` count.
        for (name, values) in single.chain(multiple) {
            let name = name.to_lowercase();
            let name = if REMAPPED.contains(&name.as_str()) {
                format!("x-amzn-remapped-{name}")
            } else {
                name
            };
            let name = HeaderName::try_from(name).ok()?;
            headers.remove(&name);
            for value in values {
                headers.append(name.clone(), HeaderValue::from_str(value.as_str()?).ok()?);
            }
        }
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Some(response)
    }
}

async fn reply(State(gateway): State<Arc<Gateway>>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let stage = format!("/{}", gateway.stage);
    let uri = parts.uri.clone();
    let path = uri
        .path()
        .strip_prefix(&stage)
        .filter(|rest| rest.is_empty() || rest.starts_with('/'));
    // Everything outside the stage comes through the distribution, which adds the stage and a
    // header.
    let path = path.unwrap_or_else(|| {
        let name = HeaderName::from_static("x-clubs-delivery");
        parts.headers.insert(name, HeaderValue::from_static("yes"));
        uri.path()
    });
    let path = if path.is_empty() { "/" } else { path };
    let Ok(body) = to_bytes(body, PAYLOAD).await else {
        return gateway.own("REQUEST_TOO_LARGE", 413, "Request Too Long");
    };
    let Some((resource, environments, variables)) = gateway.resource(path) else {
        return gateway.own(
            "MISSING_AUTHENTICATION_TOKEN",
            403,
            "Missing Authentication Token",
        );
    };
    let event = gateway.event(&parts, &body, resource, variables, path);
    if event["body"]
        .as_str()
        .is_some_and(|body| body.len() > EVENT)
    {
        return gateway.own("REQUEST_TOO_LARGE", 413, "Request Too Long");
    }
    match environments.invoke(&event).await {
        Ok(reply) => Gateway::response(&reply).unwrap_or_else(|| {
            eprintln!("not an answer: {reply}");
            gateway.own("INTEGRATION_FAILURE", 502, "Internal server error")
        }),
        Err(error) => {
            eprintln!("{} {path}: {error}", parts.method);
            gateway.own("INTEGRATION_FAILURE", 502, "Internal server error")
        }
    }
}

/// All values of each name, in their order.
fn several(pairs: impl Iterator<Item = (String, String)>) -> Map<String, Value> {
    let mut all: Map<String, Value> = Map::new();
    for (name, value) in pairs {
        if let Some(values) = all.entry(name).or_insert_with(|| json!([])).as_array_mut() {
            values.push(json!(value));
        }
    }
    all
}

/// The last value of each name.
fn last(all: &Map<String, Value>) -> Value {
    all.iter()
        .map(|(name, values)| {
            (
                name.clone(),
                values
                    .as_array()
                    .and_then(|values| values.last())
                    .cloned()
                    .unwrap_or_default(),
            )
        })
        .collect()
}

/// The name of a header in the usual case of HTTP/1.1, such as `Content-Type`.
fn cased(name: &str) -> String {
    let part = |part: &str| part[..1].to_uppercase() + &part[1..];
    name.split('-')
        .map(|word| {
            if word.is_empty() {
                String::new()
            } else {
                part(word)
            }
        })
        .collect::<Vec<_>>()
        .join("-")
}

fn decoded(part: &str) -> String {
    let whole = part.replace('+', "%2B");
    url::form_urlencoded::parse(format!("x={whole}").as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}
