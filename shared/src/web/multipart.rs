//! Images in requests: `multipart/form-data`, with other fields or alone (V13, V17).

use axum::body::Bytes;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, header};
use serde_json::{Map, Value};

use super::body::{Input, media_type, read_object};
use super::error::ApiError;
use super::input::Body;
use super::twice::{Twice, sent_twice};
use crate::limits;
use crate::reason::Reason;

/// The parts of a form: text fields, and an image if there is one.
struct FormParts {
    texts: Vec<(String, String)>,
    image: Option<(String, Bytes)>,
}

impl FormParts {
    /// Reads a form. The image is the part whose name is one of `names`.
    async fn read<S: Send + Sync>(
        request: Request,
        state: &S,
        names: &[&str],
    ) -> Result<Self, ApiError> {
        let broken = |_| ApiError::rule(Reason::Unread);
        let mut form = Multipart::from_request(request, state)
            .await
            .map_err(|_| ApiError::rule(Reason::Unread))?;
        let mut parts = Self {
            texts: vec![],
            image: None,
        };
        while let Some(part) = form.next_field().await.map_err(broken)? {
            let name = part.name().unwrap_or_default().to_owned();
            let part_is_file = part.file_name().is_some();
            let is_file = part_is_file || part.content_type().is_some();
            let bytes = part.bytes().await.map_err(broken)?;
            // If no file was chosen, a form sends an empty part.
            if names.contains(&name.as_str()) && bytes.is_empty() {
                continue;
            }
            let is_image = names.contains(&name.as_str());
            if part_is_file && !is_image {
                let allowed = vec![names[0].to_owned()];
                return Err(ApiError::field(&name, Reason::OtherPart { allowed }));
            }
            if is_image && (is_file || bytes.as_ref() != b"null") {
                if bytes.len() > limits::IMAGE {
                    return Err(ApiError::TooLarge(limits::IMAGE));
                }
                parts.image = Some((name, bytes));
            } else {
                let text = String::from_utf8(bytes.to_vec())
                    .map_err(|_| ApiError::field(&name, Reason::NotText))?;
                parts.texts.push((name, text));
            }
        }
        Ok(parts)
    }
}

/// Returns the value of a form field. Values that are not text (numbers, booleans, arrays, null)
/// are sent as JSON; all other values are taken as text. 400 if an object in it has a key twice
/// (H37).
fn json_or_text(name: &str, text: String) -> Result<Value, ApiError> {
    match serde_json::from_str(&text) {
        Ok(Value::String(_)) | Err(_) => Ok(Value::String(text)),
        Ok(value) => match Twice::of(text.as_bytes()) {
            Some(inside) => Err(sent_twice(format!("{name}.{inside}"))),
            None => Ok(value),
        },
    }
}

fn is_form(request: &Request) -> bool {
    media_type(request.headers()) == "multipart/form-data"
}

/// A JSON body, or a form that may have an image in its part `image`.
pub struct WithImage<T> {
    /// The fields of the body.
    pub input: T,
    /// The image; none in a JSON body.
    pub image: Option<Bytes>,
}

/// Names of the fields that are always text. In a form, a name such as `7` is then not read as a
/// number.
pub trait TextFields {
    /// The names.
    const TEXTS: &'static [&'static str];
    /// Names of the fields that are lists. A form may have one part with a JSON list, or, as
    /// clients send it that are generated from the document, one part with a JSON object for each
    /// element.
    const LISTS: &'static [&'static str] = &[];
}

impl<S: Send + Sync, T: Body + TextFields> FromRequest<S> for WithImage<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if !is_form(&request) {
            let Input(input) = Input::from_request(request, state).await?;
            return Ok(Self { input, image: None });
        }
        let FormParts { texts, image } = FormParts::read(request, state, &["image"]).await?;
        let mut fields = Map::new();
        for (name, text) in texts {
            let value = if T::TEXTS.contains(&name.as_str()) {
                Value::String(text)
            } else {
                json_or_text(&name, text)?
            };
            match (T::LISTS.contains(&name.as_str()), value) {
                (true, Value::Object(element)) => {
                    let list = fields.entry(name).or_insert_with(|| Value::Array(vec![]));
                    if let Value::Array(list) = list {
                        list.push(element.into());
                    }
                }
                (_, value) => {
                    if fields.contains_key(&name) {
                        return Err(sent_twice(name));
                    }
                    fields.insert(name, value);
                }
            }
        }
        let input = read_object(Value::Object(fields))?;
        Ok(Self {
            input,
            image: image.map(|(_, bytes)| bytes),
        })
    }
}

/// A form that contains only an image, in its part `file` or `image`: the name of the part, and the
/// image.
pub struct Upload(pub String, pub Bytes);

impl<S: Send + Sync> FromRequest<S> for Upload {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if !is_form(&request) {
            return Err(ApiError::UnsupportedMediaType(
                "Send a form with the header Content-Type: multipart/form-data.",
            ));
        }
        let parts = FormParts::read(request, state, &["file", "image"]).await?;
        let (name, bytes) = parts
            .image
            .ok_or_else(|| ApiError::field("file", Reason::Required))?;
        Ok(Self(name, bytes))
    }
}

/// Returns a form body without the boundary, because clients generate a new boundary for each
/// request.
pub(super) fn without_boundary(headers: &HeaderMap, body: &Bytes) -> Vec<u8> {
    let content_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let boundary = content_type.split_once("boundary=").map(|(_, boundary)| {
        boundary
            .split(';')
            .next()
            .unwrap_or_default()
            .trim_matches('"')
    });
    match boundary.filter(|boundary| !boundary.is_empty()) {
        Some(boundary) => {
            let finder = memchr::memmem::Finder::new(boundary);
            let (mut kept, mut from) = (Vec::with_capacity(body.len()), 0);
            while let Some(at) = finder.find(&body[from..]) {
                kept.extend_from_slice(&body[from..from + at]);
                from += at + boundary.len();
            }
            kept.extend_from_slice(&body[from..]);
            kept
        }
        None => body.to_vec(),
    }
}
