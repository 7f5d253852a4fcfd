//! The layers around every router, in every environment: request log, panics, compression, entity
//! tags, slashes, body limits.

use std::any::Any;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use futures::StreamExt as _;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{AllowHeaders, AllowOrigin, Any as AnyValue, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;

use super::body::{media_type, unread, whole};
use super::coding::acceptable;
use super::entity_tag::{entity_tags, for_every_origin, set, weak_if_compressed};
use super::error::{ApiError, Cause, Code, ErrorBody, NO_FILES};
use super::grant::{Reduced, without_what_is_read};
use super::idempotency::{REPLAYED, Replays, idempotent, remembers_itself};
use super::request::{ClientAddress, PublicPath, ReceivedAt};
use super::request_line::RequestLine;
use super::slash::with_slash;
use super::user::{Sender, User};
use crate::ids::{Id, of};
use crate::limits;
use crate::state::{Context, Shared};
use crate::web::response_layers::{bounded_response, shortened};

/// How long browsers may cache a preflight response.
const PREFLIGHT: Duration = Duration::from_hours(2);
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Which route was called and by whom. It is attached to the response for the log.
#[derive(Clone)]
struct Called {
    route: String,
    user: Option<Id<of::Person>>,
    token: Option<Id<of::Token>>,
}

/// Adds authentication to the routes of a router, and answers requests that match no route. It must
/// be applied before [`finish`].
pub fn guard(router: Router<Shared>, app: &Shared) -> Router<Shared> {
    // A token is verified only where route and method match, so 404 and 405 come before 401.
    let router = if router.has_routes() {
        let replays = Replays {
            app: app.clone(),
            routes: router.clone().with_state(app.clone()),
        };
        let once = router.route_layer(from_fn_with_state(replays, idempotent));
        once.route_layer(from_fn_with_state(app.clone(), authenticate))
    } else {
        router
    };
    router
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .fallback(async || ApiError::NotFound)
}

/// Returns the router with all layers, ready to serve requests.
pub fn finish(router: Router<Shared>, app: &Shared) -> Router {
    Router::new()
        .fallback_service(router.with_state(app.clone()))
        .layer(from_fn(entity_tags))
        // The body limit is checked in `normalise` instead.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn(normalise))
        .layer(from_fn(shortened))
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .layer(from_fn(weak_if_compressed))
        .layer(from_fn(acceptable))
        .layer(from_fn(bounded_response))
        // Below the headers for browsers, so that a page can read the error.
        .layer(CatchPanicLayer::custom(panicked))
        .layer(cors(&app.settings.addresses.cors_origins))
        .layer(from_fn(for_every_origin))
        // Browsers take the content type of a response as it is.
        .layer(SetResponseHeaderLayer::overriding(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        .layer(from_fn_with_state(app.clone(), log))
}

/// Which origins may call from a browser, and which response headers they may read.
pub fn cors(origins: &[String]) -> CorsLayer {
    let layer = CorsLayer::new()
        .allow_methods([
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        ])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([
            header::CONTENT_DISPOSITION,
            header::ETAG,
            header::LINK,
            header::LOCATION,
            header::RETRY_AFTER,
            header::WWW_AUTHENTICATE,
            REPLAYED,
            REQUEST_ID,
        ])
        .max_age(PREFLIGHT)
        // `Vary` is set only here, because this layer replaces values from other layers.
        .vary([
            header::ACCEPT,
            header::ACCEPT_ENCODING,
            header::AUTHORIZATION,
            header::ORIGIN,
            header::ACCESS_CONTROL_REQUEST_HEADERS,
        ]);
    if origins.iter().any(|origin| origin == "*") {
        layer.allow_origin(AnyValue)
    } else {
        layer.allow_origin(AllowOrigin::list(
            origins
                .iter()
                .filter_map(|origin| HeaderValue::from_str(origin).ok()),
        ))
    }
}

async fn authenticate(app: Context, request: Request, next: Next) -> Response {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(String::new, |path| path.as_str().to_owned());
    let address = request.extensions().get::<ClientAddress>();
    let address = address.cloned().unwrap_or_default();
    let (mut user, mut token) = (None, None);
    let mut response = match User::authenticate(&app, request.headers(), &address).await {
        Ok(Some(caller)) => {
            user = Some(caller.id());
            app.table.acts(caller.id().get());
            token = caller.token().map(|token| token.id);
            let response = response_to(caller.clone(), &route, request, next).await;
            for_token(&caller, response).await
        }
        Ok(None) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    response
        .extensions_mut()
        .insert(Called { route, user, token });
    response
}

/// Removes from a response to a token what it may not read (Z3).
async fn for_token(caller: &User, response: Response) -> Response {
    if media_type(response.headers()) != "application/json" || !caller.only_writes() {
        return response;
    }
    let (mut parts, bytes) = match whole(response).await {
        Ok(whole) => whole,
        Err(error) => return error,
    };
    let Some(kept) = without_what_is_read(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.extensions.insert(Reduced);
    Response::from_parts(parts, Body::from(kept))
}

/// Answers the request of a caller. The profile is stored while the request is processed, so it
/// takes no extra time; before a write, it is stored first.
async fn response_to(user: User, route: &str, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(Sender(user.clone()));
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_read
        && !remembers_itself(route)
        && let Err(error @ (ApiError::BadToken(_) | ApiError::Erasing)) = user.remember().await
    {
        // Nothing is executed for a caller whose id belongs to somebody else, or who is being
        // erased.
        return error.into_response();
    }
    let (response, stored) = futures::join!(next.run(request), user.remember());
    match stored {
        Ok(()) => response,
        // The response is discarded.
        Err(error @ (ApiError::BadToken(_) | ApiError::Erasing)) => error.into_response(),
        Err(error) => {
            tracing::error!(
                ?error,
                "the profile was not stored; the next request will retry"
            );
            response
        }
    }
}

/// Gives the request an id and a time, logs the result, and rewrites the body of 5xx errors.
async fn log(State(app): State<Shared>, mut request: Request, next: Next) -> Response {
    let started = tokio::time::Instant::now();
    let received = *request
        .extensions_mut()
        .get_or_insert_with(|| ReceivedAt(app.clock.now()));
    let request_id = request
        .extensions()
        .get::<lambda_http::Context>()
        .map_or_else(
            || format!("{:x}", app.ids.next(received.0)),
            |context| context.request_id.clone(),
        );
    let method = request.method().clone();
    let context = Context::new(&app, received.0);
    request.extensions_mut().insert(context.clone());
    let mut response = next.run(request).await;
    let usage = context.table.usage();
    let status = response.status();
    let cause = response.extensions_mut().remove::<Cause>();
    if status.is_server_error() {
        let Cause { text, code } = cause.unwrap_or(Cause {
            text: String::new(),
            code: Code::Internal,
        });
        tracing::error!(request_id, cause = text, "request failed");
        let detail = match code {
            Code::OutcomeUnknown => {
                "It is not known whether this was stored. You may send the same request again."
                    .to_owned()
            }
            Code::FilesUnavailable => NO_FILES.to_owned(),
            _ => format!(
                "Something went wrong on our side. If it happens again, tell us this request id: \
                    {request_id}."
            ),
        };
        // The other headers stay (for example the CORS headers), so that browsers can read the
        // response.
        let body = ErrorBody {
            detail,
            code,
            errors: None,
            reasons: None,
            reason: None,
            request_id: Some(request_id.clone()),
        };
        *response.body_mut() = Body::from(serde_json::to_vec(&body).unwrap_or_default());
        response.headers_mut().remove(header::CONTENT_ENCODING);
        response.headers_mut().remove(header::CONTENT_LENGTH);
    }
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let called = response.extensions().get::<Called>();
    RequestLine {
        message: "request",
        request_id: &request_id,
        method: method.as_str(),
        route: called.map_or("", |called| called.route.as_str()),
        user: called.and_then(|called| called.user).map(Id::get),
        token: called.and_then(|called| called.token).map(Id::get),
        status: status.as_u16(),
        ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        table_calls: usage.calls,
        read_units: usage.read_units,
        write_units: usage.write_units,
        mails_queued: usage.mails,
    }
    .log(&context);
    response.extensions_mut().insert(usage);
    response
}

/// The location is in the log already. The text may quote what somebody wrote (O9).
fn panicked(_: Box<dyn Any + Send>) -> Response {
    ApiError::Internal("a panic".to_owned()).into_response()
}

/// Reads the body up to its limit, adds the final slash to the path, and answers HEAD like GET.
async fn normalise(request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let multipart = media_type(&parts.headers).starts_with("multipart/");
    let limit = if multipart {
        limits::IMAGE + limits::MULTIPART_OVERHEAD
    } else {
        limits::JSON_BODY
    };
    let bytes = match read_body(body, limit).await {
        Ok(bytes) => bytes,
        Err(Unread::TooLarge) => {
            let limit = if multipart { limits::IMAGE } else { limit };
            return ApiError::TooLarge(limit).into_response();
        }
        Err(Unread::Broken) => {
            return unread().into_response();
        }
    };
    // The stage that the gateway puts before the path also belongs in our links.
    let stage = PublicPath::of(&parts)
        .strip_suffix(parts.uri.path())
        .unwrap_or_default()
        .to_owned();
    with_slash(&mut parts);
    let head = parts.method == Method::HEAD;
    if head {
        parts.method = Method::GET;
    }
    let mut response = next
        .run(Request::from_parts(parts, Body::from(bytes)))
        .await;
    if let Some(location) = response
        .headers()
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok())
        .filter(|_| !stage.is_empty())
    {
        let location = format!("{stage}{location}");
        set(response.headers_mut(), header::LOCATION, &location);
    }
    if !head {
        return response;
    }
    let (parts, body) = response.into_parts();
    let length = to_bytes(body, usize::MAX)
        .await
        .map_or(0, |bytes| bytes.len());
    let mut response = Response::from_parts(parts, Body::empty());
    response
        .headers_mut()
        .insert(header::CONTENT_LENGTH, length.into());
    response
}

/// Why a body was not read.
enum Unread {
    TooLarge,
    /// The client broke off, or sent malformed chunks.
    Broken,
}

/// Returns the body if it is not larger than `limit`. A larger body is read a little further and
/// discarded, because many clients look for a response only after they have sent everything.
async fn read_body(body: Body, limit: usize) -> Result<Bytes, Unread> {
    let mut stream = body.into_data_stream();
    let (mut bytes, mut seen) = (Vec::new(), 0);
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| Unread::Broken)?;
        seen += chunk.len();
        if seen <= limit {
            bytes.extend_from_slice(&chunk);
        } else if seen > limits::MAX_DRAINED_BYTES {
            return Err(Unread::TooLarge);
        }
    }
    if seen <= limit {
        Ok(bytes.into())
    } else {
        Err(Unread::TooLarge)
    }
}
