//! Start-up of a Lambda function.

mod connection;
mod line;
#[cfg(feature = "api")]
mod ready;
#[cfg(feature = "api")]
mod serve;

#[cfg(feature = "files")]
use std::sync::Arc;
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use aws_smithy_runtime_api::client::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use aws_types::region::Region;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, Registry};

use crate::db::Table;
use crate::environment::variable;
#[cfg(feature = "files")]
use crate::files::{Files, S3Files};
use crate::settings::Settings;

#[cfg(feature = "api")]
pub use ready::ready;
#[cfg(all(feature = "api", feature = "files"))]
pub use serve::run_with_files;
#[cfg(feature = "images")]
pub use serve::run_with_images;
#[cfg(feature = "api")]
pub use serve::{run, run_behind_gateway};

/// The path of the request that each new version must answer before it gets others (O19). The
/// gateway does not lead to it, except to that of the site.
pub const READY: &str = "/ready";

/// Any error that prevents a function from starting.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Logs JSON lines to standard output, filtered by `RUST_LOG`. Of a panic, only its location in the
/// code is logged: its text may quote what somebody wrote (O9).
pub fn log_as_json() {
    std::panic::set_hook(Box::new(|panic| {
        let panicked_at = panic.location().map(ToString::to_string);
        tracing::error!(panicked_at, "a panic");
    }));
    log(
        tracing_subscriber::fmt::layer()
            .json()
            .flatten_event(true)
            // The id of the invocation stands once in each line.
            .with_current_span(true)
            .with_span_list(false)
            .without_time()
            .map_event_format(line::Versioned),
        "info",
    );
}

/// Sends log events to `layer`, filtered by `RUST_LOG`, for example `info` or `warn,shared=debug`.
/// Without `RUST_LOG`, the filter is `default`.
pub fn log(layer: impl Layer<Registry> + Send + Sync, default: &str) {
    let requested = variable("RUST_LOG")
        .and_then(|text| text.parse().ok())
        .or_else(|| default.parse().ok());
    let requested: Targets = requested.unwrap_or_default();
    tracing_subscriber::registry()
        .with(layer.with_filter(requested))
        .init();
}

/// Returns the configuration of the AWS SDK. Region, credentials and endpoint come from Lambda's
/// environment variables, the only source that functions use. The time-outs are shorter than the
/// function's own, so that a handler can still respond.
pub fn sdk_config() -> SdkConfig {
    sdk_config_with(connection::connector())
}

/// What a function without routes begins with.
pub struct Begun {
    /// Its settings.
    pub settings: Settings,
    /// The configuration of the SDK.
    pub config: SdkConfig,
    /// The table. What is wrong with it, if anything is, is told by the first event.
    pub table: Table,
}

/// Begins a function without routes: its log, its settings and its table.
pub async fn begin() -> Result<Begun, Error> {
    log_as_json();
    let settings = Settings::from_env()?;
    let config = sdk_config();
    let table = Table::connect(&config, &settings.table_name);
    let _ = table.warm_up().await;
    Ok(Begun {
        settings,
        config,
        table,
    })
}

/// Returns the bucket of files in the settings.
#[cfg(feature = "files")]
fn files_of(
    settings: &Settings,
    config: &SdkConfig,
    connector: SharedHttpConnector,
) -> Result<Files, String> {
    let store = S3Files::new(config, connector, &settings.files_bucket)?;
    Ok(Files::new(Arc::new(store)))
}

/// Returns the bucket with this name, for a command that is no function.
#[cfg(feature = "files")]
pub fn files(config: &SdkConfig, bucket: &str) -> Result<Files, String> {
    let store = S3Files::new(config, connection::connector(), bucket)?;
    Ok(Files::new(Arc::new(store)))
}

/// Returns the table and the bucket of the settings.
#[cfg(feature = "files")]
pub fn table_with_files(settings: &Settings) -> Result<Table, String> {
    let connector = connection::connector();
    let config = sdk_config_with(connector.clone());
    let files = files_of(settings, &config, connector)?;
    Ok(Table::connect(&config, &settings.table_name).with_files(files))
}

fn sdk_config_with(connector: SharedHttpConnector) -> SdkConfig {
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_secs(3))
        .operation_timeout(Duration::from_secs(8))
        .build();
    let mut config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(connection::client(connector))
        .region(variable("AWS_REGION").map(Region::new))
        .timeout_config(timeouts)
        // It acts after 20 seconds, but an attempt ends after three: it would do work for nothing.
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .retry_config(RetryConfig::standard());
    config.set_credentials_provider(credentials());
    config.set_endpoint_url(variable("AWS_ENDPOINT_URL"));
    config.build()
}

/// The credentials that Lambda puts into the environment. They are good for as long as it lives.
fn credentials() -> Option<SharedCredentialsProvider> {
    let (key, secret) = variable("AWS_ACCESS_KEY_ID").zip(variable("AWS_SECRET_ACCESS_KEY"))?;
    let session = variable("AWS_SESSION_TOKEN");
    let credentials = Credentials::new(key, secret, session, None, "environment");
    Some(SharedCredentialsProvider::new(credentials))
}
