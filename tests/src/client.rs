//! A client of the API. If a response is not the expected one, the test prints it.

use axum::Router;
use axum::body::{Body, to_bytes};
use http::{HeaderMap, Method, Request, StatusCode};
use serde_json::Value;
use shared::db::Usage;
use tower::ServiceExt as _;

use crate::{TestCampus, contract};

/// A caller of the API.
#[derive(Clone)]
pub struct Client {
    router: Router,
    token: Option<String>,
    headers: Vec<(&'static str, String)>,
}

impl Client {
    pub fn new(router: Router, token: Option<String>) -> Self {
        Self {
            router,
            token,
            headers: vec![],
        }
    }

    /// The same caller of another campus.
    #[must_use]
    pub fn at(self, campus: &TestCampus) -> Self {
        Self {
            router: campus.campus.router.clone(),
            ..self
        }
    }

    /// Adds a header to every request.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub async fn get(&self, path: &str) -> Response {
        self.send(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Response {
        self.send(Method::POST, path, Some(body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Response {
        self.send(Method::PUT, path, Some(body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Response {
        self.send(Method::PATCH, path, Some(body)).await
    }

    pub async fn delete(&self, path: &str) -> Response {
        self.send(Method::DELETE, path, None).await
    }

    /// Sends any method, with or without a JSON body.
    pub async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Response {
        let content_type = body.is_some().then_some("application/json");
        let text = body.as_ref().map(Value::to_string).unwrap_or_default();
        let response = self
            .exchange(&method, path, content_type, text.into())
            .await;
        contract::check(&method, path, body.as_ref(), &response);
        response
    }

    /// Sends any method with any body. The document is not asked whether the body is allowed.
    pub async fn raw(
        &self,
        method: Method,
        path: &str,
        content_type: Option<&str>,
        body: impl Into<Body>,
    ) -> Response {
        let response = self
            .exchange(&method, path, content_type, body.into())
            .await;
        contract::check(&method, path, None, &response);
        response
    }

    async fn exchange(
        &self,
        method: &Method,
        path: &str,
        content_type: Option<&str>,
        body: Body,
    ) -> Response {
        let mut request = Request::builder().method(method.clone()).uri(path);
        if self.headers.iter().all(|(name, _)| *name != "host") {
            request = request.header("host", host_of(path));
        }
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let request = request.body(body).expect("a request");
        let response = self
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("routers do not fail");
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.expect("a body").to_vec();
        let usage = parts.extensions.get().copied().unwrap_or_default();
        Response {
            call: format!("{method} {path}"),
            status: parts.status,
            headers: parts.headers,
            usage,
            bytes,
        }
    }
}

pub struct Response {
    call: String,
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// Calls of the table for this request, and the units that they consumed.
    pub usage: Usage,
    pub bytes: Vec<u8>,
}

impl Response {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The body as JSON, or null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }

    /// A header, or `""` if the response does not have it.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    #[track_caller]
    fn expect(self, status: u16) -> Value {
        assert_eq!(
            self.status.as_u16(),
            status,
            "{}: {}",
            self.call,
            self.text()
        );
        self.json()
    }

    /// Expects 200 and returns the body.
    #[track_caller]
    pub fn ok(self) -> Value {
        self.expect(200)
    }

    /// Expects 201 and returns the body.
    #[track_caller]
    pub fn created(self) -> Value {
        self.expect(201)
    }

    /// Expects 202 and returns the body.
    #[track_caller]
    pub fn accepted(self) -> Value {
        self.expect(202)
    }

    /// Expects 204 without a body.
    #[track_caller]
    pub fn no_content(self) {
        assert!(self.bytes.is_empty(), "{}: {}", self.call, self.text());
        self.expect(204);
    }

    /// Expects an error with this status and returns its `detail`.
    #[track_caller]
    pub fn error(self, status: u16) -> String {
        let detail = self.json()["detail"].as_str().map(str::to_owned);
        assert!(
            detail.is_some(),
            "{}: an error without a detail: {}",
            self.call,
            self.text()
        );
        self.expect(status);
        detail.unwrap_or_default()
    }

    /// Expects 400 and returns its `code`.
    #[track_caller]
    pub fn refused(self) -> String {
        let code = self.json()["code"].as_str().map(str::to_owned);
        self.expect(400);
        code.unwrap_or_default()
    }

    /// Expects 400 with errors for exactly these fields.
    #[track_caller]
    pub fn invalid(self, fields: &[&str]) {
        let body = self.json();
        let named: Vec<String> = body["errors"]
            .as_object()
            .map(|errors| errors.keys().cloned().collect())
            .unwrap_or_default();
        let mut expected: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        expected.sort();
        assert_eq!(
            named,
            expected,
            "{}: {} {}",
            self.call,
            self.status,
            self.text()
        );
        self.error(400);
    }
}

/// The local tools are for this machine only.
fn host_of(path: &str) -> &'static str {
    if path.starts_with("/local") {
        "127.0.0.1:8000"
    } else {
        "clubs.example"
    }
}
