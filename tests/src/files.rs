//! Uploads of files, as a browser does them.

use axum::http::Method;
use serde_json::{Value, json};
use shared::ids::sha256_hex;

use crate::client::{Client, Response};
use crate::fixtures::{Recruitment, hours, id};
use crate::images::form;

/// The bytes of a small PDF.
pub fn pdf(text: &str) -> Vec<u8> {
    format!("%PDF-1.7\n{text}\n%%EOF").into_bytes()
}

/// What announces a file for a question.
pub fn announced(question: &Value, name: &str, bytes: &[u8]) -> Value {
    json!({
        "question": question["id"],
        "name": name,
        "size": bytes.len(),
        "type": "application/pdf",
        "sha256": sha256_hex(bytes),
    })
}

/// Sends bytes as the response to an announcement says.
pub async fn send(client: &Client, file: &Value, bytes: &[u8]) -> Response {
    let fields = file["upload"]["fields"].as_object().expect("fields");
    let mut parts: Vec<(&str, &[u8])> = fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default().as_bytes()))
        .collect();
    parts.push(("file", bytes));
    let (kind, body) = form(&parts);
    let url = file["upload"]["url"].as_str().expect("an address");
    client
        .raw(Method::POST, path_of(url), Some(&kind), body)
        .await
}

/// The path and the query of an address of the local service.
pub fn path_of(url: &str) -> &str {
    let (_, rest) = url.split_once("://").expect("an address");
    &rest[rest.find('/').expect("a path")..]
}

impl Recruitment {
    /// Lets the application be open for this many days.
    pub async fn open_for_days(&self, days: i64) {
        let times = json!({
            "application_end_time": hours(24 * days),
            "result_release_time": hours(24 * days + 24),
        });
        self.officer.patch(&self.path, times).await.ok();
    }

    /// A question for a file, with more fields.
    pub async fn file_question(&self, more: Value) -> Value {
        let mut body = json!({ "question_type": 5, "prompt": "Your CV" });
        if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
            body.extend(more);
        }
        let path = format!("{}questions/", self.path);
        self.officer.post(&path, body).await.created()
    }

    /// Uploads a file for a question, and returns its id.
    pub async fn upload(&self, client: &Client, question: &Value, bytes: &[u8]) -> u64 {
        let path = format!("{}files/", self.path);
        let body = announced(question, "cv.pdf", bytes);
        let file = client.post(&path, body).await.created();
        assert_eq!(send(client, &file, bytes).await.status, 204);
        id(&file)
    }
}
