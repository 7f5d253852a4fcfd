//! Running a group of routes as a Lambda function.

use std::net::IpAddr;
use std::sync::Arc;

use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use aws_types::SdkConfig;
use axum::extract::Request;
use chrono::DateTime;
use lambda_http::request::RequestContext;
use tower::ServiceBuilder;
use utoipa_axum::router::OpenApiRouter;

use super::connection::connector;
use super::ready::api_ready;
use super::{Error, log_as_json, sdk_config_with};
use crate::auth::{IssuerKeys, Keys, Verifier};
use crate::db::Table;
use crate::files::Files;
use crate::ids::Ids;
use crate::media::Media;
use crate::settings::Settings;
use crate::state::{App, Shared};
use crate::time::SystemClock;
use crate::web::{ClientAddress, PublicOrigin, PublicPath, ReceivedAt, finish, guard};

/// Creates the store of images.
type MakeMedia = fn(&Settings, &SdkConfig, SharedHttpConnector) -> Result<Media, String>;
/// Creates the bucket of files.
type MakeFiles = fn(&Settings, &SdkConfig, SharedHttpConnector) -> Result<Files, String>;

// What a function does not use is not in its binary.
const NO_IMAGES: MakeMedia = |settings, _, _| Ok(Media::links_only(&settings.media.url));
const NO_FILES: MakeFiles = |_, _, _| Ok(Files::default());

/// Runs a group of routes that store neither images nor files as a Lambda function. Everything that
/// does not depend on a request is done before the first request.
pub async fn run(routes: OpenApiRouter<Shared>) -> Result<(), Error> {
    Box::pin(serve(routes, NO_IMAGES, NO_FILES)).await
}

#[cfg(feature = "files")]
/// Runs a group of routes that work with the files of applicants.
pub async fn run_with_files(routes: OpenApiRouter<Shared>) -> Result<(), Error> {
    Box::pin(serve(routes, NO_IMAGES, super::files_of)).await
}

#[cfg(feature = "images")]
/// Runs a group of routes that store images in the bucket.
pub async fn run_with_images(routes: OpenApiRouter<Shared>) -> Result<(), Error> {
    Box::pin(serve(routes, crate::media::s3, NO_FILES)).await
}

async fn serve(
    routes: OpenApiRouter<Shared>,
    media: MakeMedia,
    files: MakeFiles,
) -> Result<(), Error> {
    log_as_json();
    let app = connect(Settings::from_env()?, media, files)?;
    // The first request tells what is wrong, if anything is.
    let _ = futures::join!(app.table.warm_up(), app.verifier.warm_up(app.clock.now()));
    let (group, _) = routes.split_for_parts();
    let service = api_ready(finish(guard(group, &app), &app), app.clone());
    run_behind_gateway(service, app.settings.addresses.public_url.clone()).await
}

/// Runs routes that need no table as a Lambda function. `public_url` is the address of the
/// distribution in front of the gateway, if there is one.
pub async fn run_behind_gateway(
    routes: axum::Router,
    public_url: Option<String>,
) -> Result<(), Error> {
    lambda_http::run(
        ServiceBuilder::new()
            .map_request(move |request| from_gateway(request, public_url.as_deref()))
            .service(routes),
    )
    .await
}

fn connect(settings: Settings, media: MakeMedia, files: MakeFiles) -> Result<Shared, Error> {
    let connector = connector();
    let config = sdk_config_with(connector.clone());
    let files = files(&settings, &config, connector.clone())?;
    let table = Table::connect(&config, &settings.table_name).with_files(files);
    let keys = IssuerKeys::new(&settings, connector.clone());
    let verifier = Verifier::new(&settings, Keys::new(keys));
    let media = media(&settings, &config, connector)?;
    Ok(App::new(
        table,
        verifier,
        media,
        Arc::new(SystemClock),
        Ids::random(),
        settings,
    ))
}

/// The distribution adds this header to its requests. If a client adds it, only the links in its
/// own answer change.
const DELIVERY: &str = "x-clubs-delivery";
/// The address of the client, as the distribution tells it where there is a firewall. Only wrong
/// tokens are counted by it, so whoever makes it up wins nothing but another count.
const VIEWER: &str = "x-clubs-viewer";

/// Copies the time of receipt and the public address from the gateway's event to the request.
fn from_gateway(mut request: lambda_http::Request, public_url: Option<&str>) -> Request {
    if let Some(RequestContext::ApiGatewayV1(context)) =
        request.extensions().get::<RequestContext>().cloned()
    {
        if let Some(received) = DateTime::from_timestamp_millis(context.request_time_epoch) {
            request.extensions_mut().insert(ReceivedAt(received));
        }
        let viewer = request.headers().get(VIEWER);
        let viewer = viewer.and_then(|value| value.to_str().ok()?.parse::<IpAddr>().ok());
        let viewer = viewer.map(|address| address.to_string());
        let address = viewer.or(context.identity.source_ip).unwrap_or_default();
        request.extensions_mut().insert(ClientAddress(address));
        let delivery = public_url.filter(|_| request.headers().contains_key(DELIVERY));
        if let Some(origin) = delivery {
            let origin = PublicOrigin(origin.to_owned());
            request.extensions_mut().insert(origin);
        } else if let Some(path) = context.path {
            request.extensions_mut().insert(PublicPath(path));
        }
    }
    request.map(axum::body::Body::new)
}
