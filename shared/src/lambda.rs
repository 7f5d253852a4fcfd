//! The home in the cloud: start-up of a function, and what the gateway tells of a request.

use std::sync::Arc;

use aws_config::environment::EnvironmentVariableCredentialsProvider;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::provider::SharedCredentialsProvider;
use axum::extract::Request;
use chrono::DateTime;
use lambda_http::request::RequestContext;
use std::time::Duration;
use tower::ServiceBuilder;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, Registry};
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

/// Runs a group of routes that touch no images as a Lambda function: all that does not need a
/// request is done before the first one.
pub async fn run(routes: OpenApiRouter<Shared>) -> Result<(), Error> {
    // The code of the object store is then not in the binary.
    Box::pin(serve(routes, |settings| {
        Ok(Media::nowhere(&settings.media_url))
    }))
    .await
}

/// Runs a group of routes that keep images in the bucket.
pub async fn run_with_images(routes: OpenApiRouter<Shared>) -> Result<(), Error> {
    Box::pin(serve(routes, s3)).await
}

async fn serve(routes: OpenApiRouter<Shared>, media: MakeMedia) -> Result<(), Error> {
    log_as_json();
    let app = connect(Settings::from_env()?, media)?;
    futures::join!(app.table.warm_up(), app.verifier.warm_up(app.clock.now()));
    let (group, _) = routes.split_for_parts();
    let service = finish(guard(group, &app), &app);
    lambda_http::run(
        ServiceBuilder::new()
            .map_request(from_gateway)
            .service(service),
    )
    .await
}

/// JSON lines on standard output; `RUST_LOG` filters them.
pub fn log_as_json() {
    log(
        tracing_subscriber::fmt::layer()
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .without_time(),
        "info",
    );
}

/// Logs through `layer` what `RUST_LOG` lets pass, such as `info` or `warn,shared=debug`; what it
/// says without it is `default`.
pub fn log(layer: impl Layer<Registry> + Send + Sync, default: &str) {
    let wanted = variable("RUST_LOG")
        .and_then(|text| text.parse().ok())
        .or_else(|| default.parse().ok());
    let wanted: Targets = wanted.unwrap_or_default();
    tracing_subscriber::registry()
        .with(layer.with_filter(wanted))
        .init();
}

#[expect(
    clippy::disallowed_methods,
    reason = "what Lambda itself tells a function; the settings are read in settings.rs"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The SDK's configuration: region, credentials and endpoint as Lambda's environment has them,
/// which is the one place where functions find them; time-outs below the function's own, so that a
/// handler can still answer.
pub fn sdk_config() -> SdkConfig {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_secs(3))
        .operation_timeout(Duration::from_secs(8))
        .build();
    let mut config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(variable("AWS_REGION").map(Region::new))
        .credentials_provider(SharedCredentialsProvider::new(
            EnvironmentVariableCredentialsProvider::new(),
        ))
        .timeout_config(timeouts)
        .retry_config(RetryConfig::standard());
    config.set_endpoint_url(variable("AWS_ENDPOINT_URL"));
    config.build()
}

fn connect(settings: Settings, media: MakeMedia) -> Result<Shared, Error> {
    let table = Table::connect(&sdk_config(), &settings.table_name);
    let verifier = Verifier::new(&settings, Keys::new(IssuerKeys::new(&settings)?));
    let media = media(&settings)?;
    Ok(App::new(
        table,
        verifier,
        media,
        Arc::new(SystemClock),
        Ids::random(),
        settings,
    ))
}

/// Takes the time of receipt and the public path from the gateway's event.
fn from_gateway(mut request: lambda_http::Request) -> Request {
    if let Some(RequestContext::ApiGatewayV1(context)) =
        request.extensions().get::<RequestContext>().cloned()
    {
        if let Some(received) = DateTime::from_timestamp_millis(context.request_time_epoch) {
            request.extensions_mut().insert(ReceivedAt(received));
        }
        if let Some(path) = context.path {
            request.extensions_mut().insert(PublicPath(path));
        }
    }
    request.map(axum::body::Body::new)
}
