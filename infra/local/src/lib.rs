//! The local service: the routers of all functions in one process (O10).

pub mod clock;
pub mod demo;
pub mod engine;
pub mod files;
pub mod grants;
mod images;
pub mod issuer;
pub mod mailbox;
pub mod oidc;
mod pages;
mod parts;
pub mod queues;
mod records;
pub mod routes;
pub mod simulator;
pub mod state;
pub mod stream;
pub mod table;
pub mod timer;

use std::fs::File;
use std::sync::{Arc, LazyLock};

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use aws_smithy_runtime_api::client::http::{HttpClient, SharedHttpConnector};
use aws_smithy_runtime_api::client::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_types::SdkConfig;
use aws_types::region::Region;
use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn;
use changes::Feed;
use mailer::{Reports, Ses, Worker};
use notices::Timer;
use object_store::ObjectStore;
use serde_json::Value;
use shared::auth::{FixedKeys, Keys, Verifier};
use shared::db::Table;
use shared::files::Files;
use shared::media::Media;
use shared::queue::Queue;
use shared::receiver_rules::ReceiverRules;
use shared::web::{finish, guard};
use shared::{App, Shared};
use tower::ServiceExt as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use webhooks::{Dispatcher, Receivers};

use clock::MovableClock;
use engine::Engine;
use images::LocalImages;
use issuer::{AUDIENCE, Issuer};
use mailbox::Mailbox;
use queues::{Queues, WEBHOOKS};
use stream::Stream;
use table::TABLE;
use timer::Ticker;

pub use parts::{Parts, settings};

/// Anything that keeps the local service from starting.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The name of a function, and its routes.
pub type Group = (&'static str, fn() -> OpenApiRouter<Shared>);

/// The functions and their routes.
pub const GROUPS: [Group; 6] = [
    ("clubs", clubs::routes),
    ("applications", applications::routes),
    ("submissions", submissions::routes),
    ("memberships", memberships::routes),
    ("events", events::routes),
    ("tickets", tickets::routes),
];

/// The local service with all its parts.
pub struct Campus {
    /// The state of the routers.
    pub app: Shared,
    /// All routes.
    pub router: Router,
    pub issuer: Arc<Issuer>,
    pub mailbox: Mailbox,
    /// The files of applicants.
    pub files: Arc<dyn ObjectStore>,
    /// The stream of the table.
    pub stream: Arc<Stream>,
    /// Lists the changes of clubs, and fills the queues.
    pub feed: Arc<Feed>,
    /// What waits for the mail worker and for the webhooks.
    pub queues: Queues,
    /// The mail worker.
    pub worker: Arc<Worker>,
    /// Calls the webhooks.
    pub dispatcher: Arc<Dispatcher>,
    /// The timer for reminders and news.
    pub ticker: Arc<Ticker>,
    /// Takes the reports of the mailbox.
    pub reports: Arc<Reports>,
    pub clock: Arc<MovableClock>,
    /// The table.
    pub engine: Engine,
    _lock: Option<File>,
}

/// A configuration of the SDK that sends all calls to `client`.
pub fn sdk_config(client: impl HttpClient + 'static) -> SdkConfig {
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(Credentials::from_keys(
            "local", "local", None,
        )))
        .http_client(client)
        // Calls do not leave the process. Tests pause the clock of tokio, but this protection also
        // looks at the clock of the machine, and ends slow calls when the machine is busy.
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .build()
}

/// The configuration of the site.
fn site_config(app: &Shared) -> site::SiteConfig {
    site::SiteConfig {
        issuer: app.settings.tokens.issuer.clone(),
        client_id: AUDIENCE.into(),
        scopes: "openid".into(),
        token: site::SentToken::AccessToken,
        university: "Demo University".into(),
        time_zone: app.settings.mail.time_zone.to_string(),
        second_factor: false,
        is_local: true,
        media_url: String::new(),
        connect: String::new(),
        files: String::new(),
    }
}

/// What calls the webhooks, through this connector or the network.
fn dispatcher(
    app: &Shared,
    queue: Queue,
    receivers: Option<SharedHttpConnector>,
    clock: Arc<MovableClock>,
) -> Dispatcher {
    let rules = ReceiverRules::new(&app.settings);
    let receivers = match receivers {
        Some(connector) => Receivers::through(rules, connector),
        None => Receivers::new(rules),
    };
    let table_and_queue = (app.table.clone(), queue);
    Dispatcher::new(table_and_queue, receivers, clock, app.settings.clone())
}

impl Campus {
    /// Builds the service from its parts.
    pub fn new(parts: Parts) -> Result<Self, Error> {
        let Parts {
            engine,
            mailbox,
            clock,
            key,
            ids,
            images,
            files,
            settings,
            positions: [changes_from, queues_at],
            receivers,
            lock,
        } = parts;
        let issuer = Arc::new(Issuer::new(&key, &settings.tokens.issuer)?);
        let secret = settings.secrets.invite.reveal();
        let files_at = settings.media.url.replace("/media", "/files");
        let bucket = files::LocalFiles::new(files.clone(), &files_at, secret, clock.clone());
        let bucket = Arc::new(bucket);
        let table = Table::connect(&sdk_config(engine.clone()), TABLE);
        let table = table.with_files(Files::new(bucket.clone()));
        let ses = Ses::new(&sdk_config(mailbox.clone()), &settings);
        let reports = Arc::new(Reports::new(table.clone(), clock.clone()));
        let worker = Arc::new(Worker::new(
            table.clone(),
            ses,
            clock.clone(),
            settings.clone(),
        ));
        let verifier = Verifier::new(&settings, Keys::new(FixedKeys(issuer.keys())));
        let images = LocalImages(images);
        let media = Media::new(Arc::new(images.clone()), &settings.media.url);
        let app = App::new(table, verifier, media, clock.clone(), ids, settings);
        let stream = Arc::new(Stream::open(engine.clone(), clock.clone(), changes_from));
        let queues = Queues::open(clock.clone(), queues_at);
        let feed = Feed::new(app.table.clone(), queues.of_feed(), clock.clone());
        let feed = Arc::new(feed);
        let dispatcher = Arc::new(dispatcher(
            &app,
            queues.queue(WEBHOOKS),
            receivers,
            clock.clone(),
        ));
        let ticker = Arc::new(Ticker {
            timer: Timer::new(app.table.clone(), app.settings.clone()),
            clock: clock.clone(),
            engine: engine.clone(),
            stream: stream.clone(),
            feed: feed.clone(),
            queues: queues.clone(),
            worker: worker.clone(),
            dispatcher: dispatcher.clone(),
            lock: tokio::sync::Mutex::default(),
        });
        let local = routes::routes(state::Local {
            issuer: issuer.clone(),
            mailbox: mailbox.clone(),
            clock: clock.clone(),
            ticker: ticker.clone(),
            grants: Arc::default(),
        });
        let router = router(&app, local, (bucket, images), clock.clone());
        Ok(Self {
            app,
            router,
            issuer,
            mailbox,
            files,
            stream,
            feed,
            queues,
            worker,
            dispatcher,
            ticker,
            reports,
            clock,
            engine,
            _lock: lock,
        })
    }
}

/// The API, the routes of the local service, the files and images, and the site.
fn router(
    app: &Shared,
    local: Router<Shared>,
    (bucket, images): (Arc<files::LocalFiles>, LocalImages),
    clock: Arc<MovableClock>,
) -> Router {
    let (images_at, table) = (app.settings.media.url.clone(), app.table.clone());
    let config = site_config(app);
    let public = site::Public::new(table, clock, images_at, config.time_zone.clone());
    let site = site::routes(config, public);
    // Only these paths belong to the service; all others are pages of the site.
    let service = finish(guard(api(), app).merge(local).merge(pages::routes()), app);
    routes::media(app, images)
        .merge(files::routes(bucket, &app.settings.addresses.cors_origins))
        .fallback(move |request: Request| {
            let path = request.uri().path();
            let is_own = ["/api", "/local"]
                .iter()
                .any(|start| path == *start || path.starts_with(&format!("{start}/")));
            let chosen = if is_own { &service } else { &site };
            chosen.clone().oneshot(request)
        })
        .layer(from_fn(routes::own_callers))
        .layer(from_fn(routes::one_host))
}

fn described() -> (Router<Shared>, OpenApi) {
    let all = OpenApiRouter::with_openapi(shared::openapi::base());
    let groups = GROUPS.iter();
    let all = groups.fold(all, |all, (_, routes)| all.merge(routes()));
    all.split_for_parts()
}

/// The OpenAPI document of the API without its examples.
pub fn document() -> Value {
    shared::openapi::complete(described().1)
}

/// All routes of the API. They are made once, because tests run many services in one process.
fn api() -> Router<Shared> {
    static API: LazyLock<Router<Shared>> = LazyLock::new(|| described().0);
    API.clone()
}
