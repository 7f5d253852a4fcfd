//! The header `Accept-Encoding`: in which codings a client takes a body.

use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::error::ApiError;

/// The codings that a request names.
pub struct Codings(Vec<Coding>);

struct Coding {
    name: String,
    is_accepted: bool,
}

impl Codings {
    /// Reads the header of a request.
    pub fn of(headers: &HeaderMap) -> Self {
        let lists = headers.get_all(header::ACCEPT_ENCODING).iter();
        let codings = lists
            .filter_map(|list| list.to_str().ok())
            .flat_map(|list| list.split(','))
            .map(|coding| {
                let (name, parameter) = coding.split_once(';').unwrap_or((coding, ""));
                let quality = parameter.trim().strip_prefix("q=").unwrap_or("1");
                let is_refused = quality.trim().parse() == Ok(0.0);
                Coding {
                    name: name.trim().to_ascii_lowercase(),
                    is_accepted: !is_refused,
                }
            });
        Self(codings.collect())
    }

    /// Returns whether the request accepts a coding; none if it says nothing about it.
    pub fn accepts(&self, name: &str) -> Option<bool> {
        let of = |name: &str| self.0.iter().find(|coding| coding.name == name);
        of(name)
            .or_else(|| of("*"))
            .map(|coding| coding.is_accepted)
    }

    /// Returns whether the service can answer: compressed, or with the plain body, which is
    /// accepted unless the request says otherwise.
    fn allow_a_response(&self) -> bool {
        self.accepts("identity").unwrap_or(true)
            || ["gzip", "br"]
                .iter()
                .any(|name| self.accepts(name) == Some(true))
    }
}

/// Answers 406 to a request that accepts no coding in which the service can answer (H32).
pub(super) async fn acceptable(request: Request, next: Next) -> Response {
    if Codings::of(request.headers()).allow_a_response() {
        next.run(request).await
    } else {
        ApiError::NotAcceptable.into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves H32
    #[test]
    fn the_plain_body_is_accepted_unless_the_client_refuses_it() {
        let can_respond = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, value.parse().unwrap());
            Codings::of(&headers).allow_a_response()
        };
        for accepted in [
            "",
            "gzip",
            "zstd",
            "identity;q=0, gzip",
            "identity;q=0, *",
            "*;q=0, br",
            "*;q=0, identity",
            "gzip;q=0",
        ] {
            assert!(can_respond(accepted), "{accepted}");
        }
        for refused in [
            "identity;q=0",
            "identity; q=0.000",
            "*;q=0",
            "identity;q=0, zstd",
            "IDENTITY;q=0, gzip;q=0, br;q=0",
        ] {
            assert!(!can_respond(refused), "{refused}");
        }
        assert!(Codings::of(&HeaderMap::new()).allow_a_response());
    }
}
