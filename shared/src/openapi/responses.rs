//! The parts of the document that many operations refer to: errors, headers and parameters.

use serde_json::{Map, Value, json};

use super::reference;
use crate::limits;

/// Status, name and meaning of an error, its code and its sentence in the example, and its headers
/// besides the id of the request.
type Error = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

const ERRORS: [Error; 12] = [
    (
        "400",
        "Invalid",
        "The request is not valid: `errors` and `reasons` name each wrong field. Or a rule does not \
            allow it: `code` tells which one. Nothing was changed.",
        "invalid",
        "name: This field is required.",
        &["Idempotency-Replayed", "Retry-After"],
    ),
    (
        "401",
        "Unauthenticated",
        "No credentials were sent, or they are not valid. Nothing was changed.",
        "authentication_required",
        "Authentication credentials were not provided.",
        &["WWW-Authenticate"],
    ),
    (
        "403",
        "Forbidden",
        "The caller does not have the rights for this, or is being erased. Nothing was changed.",
        "permission_denied",
        "You do not have permission to do this.",
        &["Idempotency-Replayed"],
    ),
    (
        "404",
        "NotFound",
        "It does not exist, or the caller may not see it. Nothing was changed.",
        "not_found",
        "Not found.",
        &["Idempotency-Replayed"],
    ),
    (
        "405",
        "MethodNotAllowed",
        "The path has no such method. Every path answers this to the methods that it does not \
            list.",
        "method_not_allowed",
        "This method is not allowed here.",
        &["Allow"],
    ),
    (
        "406",
        "NotAcceptable",
        "`Accept-Encoding` refuses gzip, br and the plain body. Nothing was changed.",
        "not_acceptable",
        "Accept one of gzip, br and identity in the header Accept-Encoding.",
        &[],
    ),
    (
        "410",
        "Gone",
        "Changes after this cursor are not kept any more: it was handed out more than 30 days ago.",
        "cursor_expired",
        "Changes after this cursor are not kept any more. Read everything, and begin without a \
            cursor.",
        &[],
    ),
    (
        "412",
        "PreconditionFailed",
        "The object has changed since it was read: it does not match `If-Match` or the revision \
            that was sent. Nothing was changed.",
        "precondition_failed",
        "This was changed since you read it. Read it again, then decide.",
        &["Idempotency-Replayed"],
    ),
    (
        "413",
        "PayloadTooLarge",
        "The body is larger than 1 MiB, or the image is larger than 4 MiB. Nothing was changed.",
        "payload_too_large",
        "The request body is larger than 1048576 bytes.",
        &["Idempotency-Replayed"],
    ),
    (
        "415",
        "UnsupportedMediaType",
        "The content type is not one that this operation reads. Nothing was changed.",
        "unsupported_media_type",
        "Send a JSON body with the header Content-Type: application/json.",
        &["Idempotency-Replayed"],
    ),
    (
        "429",
        "TooManyRequests",
        "Too much at once. Nothing was stored: send the request again after `Retry-After` seconds.",
        "busy",
        "The service is busy. Please try again.",
        &["Retry-After"],
    ),
    (
        "5XX",
        "ServerError",
        "An error of the service. With the code `outcome_unknown` it is not known whether the \
            change is stored: send the same request again.",
        "internal",
        "Something went wrong on our side. If it happens again, tell us this request id: 1f3c.",
        &["Retry-After"],
    ),
];

/// Name, meaning and example of a response header.
const HEADERS: [(&str, &str, &str); 9] = [
    ("Allow", "The methods of the path.", "GET,HEAD,POST"),
    (
        "Content-Disposition",
        "The name for the file.",
        "attachment; filename=\"submissions-7.csv\"",
    ),
    (
        "ETag",
        "The entity tag of this state. Send it exactly as it is, also with `W/` at its beginning, \
            in `If-Match` with a change, or in `If-None-Match` with the next read. Missing if \
            something was left out of the answer to a write, because a token may not read it.",
        "\"9f86d081884c7d659a2feaa0c55ad015\"",
    ),
    (
        "Idempotency-Replayed",
        "`true` if an earlier request with the same `Idempotency-Key` was executed instead of this \
            one.",
        "true",
    ),
    (
        "Link",
        "The address of the next part of the list (`rel=\"next\"`). Missing if this is the last \
            part.",
        "</api/clubs/robotics/members/?cursor=AVsxXQ&limit=100>; rel=\"next\"",
    ),
    (
        "Location",
        "The path of the new object.",
        "/api/clubs/robotics/",
    ),
    (
        "Retry-After",
        "After how many seconds to send the request again.",
        "1",
    ),
    (
        "WWW-Authenticate",
        "Always `Bearer`, with `error=\"invalid_token\"` if a token was sent.",
        "Bearer",
    ),
    (
        "X-Request-Id",
        "The id of the request in the logs of the service.",
        "1f3c",
    ),
];

/// Name, key in the document and meaning of a request header.
const PARAMETERS: [(&str, &str, &str); 3] = [
    (
        "Idempotency-Key",
        "IdempotencyKey",
        "A key that the client makes up, for example a UUID. It counts for one caller and path. \
            For 24 hours a repeat with the same key and the same bytes is not executed again and \
            gets the first status, also if that was an error. Another body with the same key is \
            400, `key_reused`: use a new key after a request was corrected.",
    ),
    (
        "If-Match",
        "IfMatch",
        "The entity tag of the object as it was read. 412 if the object has changed since then.",
    ),
    (
        "If-None-Match",
        "IfNoneMatch",
        "The entity tag of the last answer. 304 without a body if nothing has changed.",
    ),
];

/// Returns the key of a header among the components.
fn header_key(name: &str) -> String {
    name.replace('-', "")
}

/// Returns the headers of a response: the given ones, and the id of the request.
pub fn headers(names: &[&str]) -> Value {
    names
        .iter()
        .chain(&["X-Request-Id"])
        .map(|name| ((*name).to_owned(), reference("headers", &header_key(name))))
        .collect::<Map<_, _>>()
        .into()
}

/// Returns a reference to the response for an error status.
pub fn error(status: &str) -> Option<Value> {
    ERRORS
        .iter()
        .find(|(existing, ..)| *existing == status)
        .map(|(_, name, ..)| reference("responses", name))
}

/// Returns a reference to a header parameter.
pub fn parameter(name: &str) -> Option<Value> {
    PARAMETERS
        .iter()
        .find(|(existing, ..)| *existing == name)
        .map(|(_, key, _)| reference("parameters", key))
}

/// Adds the responses, headers and parameters to the components.
pub fn add(components: &mut Value) {
    let example = |code: &str, detail: &str| {
        let mut body = json!({ "detail": detail, "code": code });
        if code == "invalid" {
            body["errors"] = json!({ "name": ["This field is required."] });
            body["reasons"] = json!({ "name": [{ "code": "required" }] });
            body["reason"] = json!({ "code": "required" });
        }
        body
    };
    for (_, name, about, code, detail, names) in ERRORS {
        components["responses"][name] = json!({
            "description": about,
            "headers": headers(names),
            "content": {
                "application/json": {
                    "schema": reference("schemas", "ErrorBody"),
                    "example": example(code, detail),
                },
            },
        });
    }
    components["responses"]["NotModified"] = json!({
        "description": "Nothing has changed since the answer with the entity tag in \
            `If-None-Match`. There is no body.",
        "headers": headers(&["ETag"]),
    });
    for (name, about, example) in HEADERS {
        components["headers"][header_key(name)] = json!({
            "description": about,
            "schema": { "type": "string" },
            "example": example,
        });
    }
    for (name, key, about) in PARAMETERS {
        let mut schema = json!({ "type": "string" });
        if name == "Idempotency-Key" {
            schema["maxLength"] = json!(limits::IDEMPOTENCY_KEY);
        }
        components["parameters"][key] = json!({
            "name": name,
            "in": "header",
            "description": about,
            "required": false,
            "schema": schema,
        });
    }
}
