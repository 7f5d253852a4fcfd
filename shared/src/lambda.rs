//! The home in the cloud: start-up of a function, and what the gateway tells of a request.

use std::sync::Arc;

use aws_config::BehaviorVersion;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use axum::extract::Request;
use chrono::DateTime;
use lambda_http::request::RequestContext;
use std::time::Duration;
use tower::ServiceBuilder;
use utoipa_axum::router::OpenApiRouter;

use crate::auth::{IssuerKeys, Keys, Verifier};
use crate::http::{PublicPath, ReceivedAt, finish, guard};
use crate::ids::Ids;
use crate::media::{Media, s3};
use crate::settings::Settings;
use crate::state::{App, Shared};
use crate::table::Table;
use crate::time::SystemClock;

/// Anything that keeps a function from starting.
pub type Error = lambda_http::Error;

/// Makes what keeps images.
type MakeMedia = fn(&Settings) -> Result<Media, String>;

/// Runs a group of routes that touch no images as a Lambda function: all that does not need a request is done before the
/// first one.
pub async fn run(routes: OpenApiRouter<Shared>) -> Result<(), Error> {
    // The code of the object store is then not in the binary.
    Box::pin(serve(routes, |settings| Ok(Media::nowhere(&settings.media_url)))).await
}

/// Runs a group of routes that keep images in the bucket.
pub async fn run_with_images(routes: OpenApiRouter<Shared>) -> Result<(), Error> {
    Box::pin(serve(routes, s3)).await
}

async fn serve(routes: OpenApiRouter<Shared>, media: MakeMedia) -> Result<(), Error> {
    log_as_json();
    let app = connect(Settings::from_env()?, media).await?;
    futures::join!(app.table.warm_up(), app.verifier.warm_up(app.clock.now()));
    let (group, _) = routes.split_for_parts();
    let service = finish(guard(group, &app), &app);
    lambda_http::run(ServiceBuilder::new().map_request(from_gateway).service(service)).await
}

/// JSON lines on standard output; `RUST_LOG` filters them.
pub fn log_as_json() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into());
    tracing_subscriber::fmt().json().flatten_event(true).with_current_span(false).with_env_filter(filter).without_time().init();
}

/// The SDK's configuration: time-outs below the function's own, so that a handler can still answer.
pub async fn sdk_config() -> aws_config::SdkConfig {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_secs(3))
        .operation_timeout(Duration::from_secs(8))
        .build();
    aws_config::defaults(BehaviorVersion::latest()).timeout_config(timeouts).retry_config(RetryConfig::standard()).load().await
}

async fn connect(settings: Settings, media: MakeMedia) -> Result<Shared, Error> {
    let table = Table::connect(&sdk_config().await, &settings.table_name);
    let verifier = Verifier::new(&settings, Keys::new(IssuerKeys::new(&settings)?));
    let media = media(&settings)?;
    Ok(App::new(table, verifier, media, Arc::new(SystemClock), Ids::random(), settings))
}

/// Takes the time of receipt and the public path from the gateway's event.
fn from_gateway(mut request: lambda_http::Request) -> Request {
    if let Some(RequestContext::ApiGatewayV1(context)) = request.extensions().get::<RequestContext>().cloned() {
        if let Some(received) = DateTime::from_timestamp_millis(context.request_time_epoch) {
            request.extensions_mut().insert(ReceivedAt(received));
        }
        if let Some(path) = context.path {
            request.extensions_mut().insert(PublicPath(path));
        }
    }
    request.map(axum::body::Body::new)
}
