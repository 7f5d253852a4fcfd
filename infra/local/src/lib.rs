//! The local service: the routers of all functions in one process (O10).

pub mod clock;
pub mod demo;
pub mod engine;
pub mod files;
pub mod grants;
pub mod issuer;
pub mod mailbox;
pub mod oidc;
mod pages;
mod reader;
pub mod routes;
pub mod simulator;
pub mod state;
pub mod stream;
pub mod table;
pub mod timer;

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_runtime_api::client::http::HttpClient;
use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn;
use changes::Feed;
use mailer::{Reports, Ses, Worker};
use notices::Timer;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use serde_json::Value;
use shared::auth::{FixedKeys, Keys, Verifier};
use shared::db::Table;
use shared::files::Files;
use shared::ids::Ids;
use shared::media::Media;
use shared::settings::{
    Addresses, Approval, ClaimNames, MailSettings, MediaSettings, Quotas, Secret, Secrets,
    Settings, TokenSettings,
};
use shared::web::{finish, guard};
use shared::{App, Shared};
use tower::ServiceExt as _;
use utoipa_axum::router::OpenApiRouter;

use clock::MovableClock;
use engine::Engine;
use issuer::{AUDIENCE, ISSUER, Issuer};
use mailbox::Mailbox;
use stream::Stream;
use table::TABLE;
use timer::Ticker;

/// Anything that keeps the local service from starting.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The name of a function, and its routes.
pub type Group = (&'static str, fn() -> OpenApiRouter<Shared>);

/// The functions and their routes.
pub const GROUPS: [Group; 5] = [
    ("clubs", clubs::routes),
    ("applications", applications::routes),
    ("submissions", submissions::routes),
    ("memberships", memberships::routes),
    ("events", events::routes),
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
    /// The stream of the table, for the mail worker.
    pub stream: Arc<Stream>,
    /// The mail worker.
    pub worker: Arc<Worker>,
    /// The stream of the table, for the changes of clubs.
    pub feed_stream: Arc<Stream>,
    /// Lists the changes of clubs.
    pub feed: Arc<Feed>,
    /// The timer for reminders and news.
    pub ticker: Arc<Ticker>,
    /// Takes the reports of the mailbox.
    pub reports: Arc<Reports>,
    pub clock: Arc<MovableClock>,
    /// The table.
    pub engine: Engine,
    _lock: Option<File>,
}

/// The parts of a [`Campus`].
pub struct Parts {
    /// The table.
    pub engine: Engine,
    pub mailbox: Mailbox,
    pub clock: Arc<MovableClock>,
    /// The issuer's key, in PKCS #8.
    pub key: Vec<u8>,
    pub ids: Ids,
    pub images: Arc<dyn ObjectStore>,
    pub files: Arc<dyn ObjectStore>,
    pub settings: Settings,
    /// The files for the positions of the mail worker and of the changes in the stream.
    pub positions: [Option<PathBuf>; 2],
    /// Keeps other processes out of the folder.
    pub lock: Option<File>,
}

impl Parts {
    /// Parts that are stored in a folder, or in memory.
    pub fn open(folder: Option<&Path>) -> Result<Self, Error> {
        let file = |name: &str| folder.map(|folder| folder.join(name));
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)?;
        }
        let lock = folder.map(lock).transpose()?;
        let engine = match file("table.db") {
            Some(path) => Engine::open(&path.to_string_lossy()).map_err(|error| {
                format!(
                    "the table {} cannot be opened: {error}. If it is damaged, move it away or \
                     choose another folder with --data-dir",
                    path.display()
                )
            })?,
            None => Engine::memory()?,
        };
        let key = match file("issuer.key") {
            Some(path) if path.exists() => {
                let key = std::fs::read(&path)?;
                Issuer::new(&key, ISSUER).map_err(|_| {
                    format!(
                        "the key {} is empty or damaged. Delete it: a new one is made, and tokens \
                         that were signed with it end",
                        path.display()
                    )
                })?;
                key
            }
            Some(path) => {
                let key = Issuer::new_key()?;
                std::fs::write(path, &key)?;
                key
            }
            None => Issuer::new_key()?,
        };
        let clock = Arc::new(MovableClock::running());
        let mailbox = Mailbox::open(clock.clone(), file("mail.jsonl"))?;
        let images: Arc<dyn ObjectStore> = match file("media") {
            Some(folder) => {
                std::fs::create_dir_all(&folder)?;
                Arc::new(LocalFileSystem::new_with_prefix(folder)?)
            }
            None => Arc::new(InMemory::new()),
        };
        let files: Arc<dyn ObjectStore> = match file("files") {
            Some(folder) => {
                std::fs::create_dir_all(&folder)?;
                Arc::new(LocalFileSystem::new_with_prefix(folder)?)
            }
            None => Arc::new(InMemory::new()),
        };
        Ok(Self {
            engine,
            mailbox,
            clock,
            key,
            ids: Ids::random(),
            images,
            files,
            settings: settings(),
            positions: [file("stream.position"), file("changes.position")],
            lock,
        })
    }
}

/// Takes the folder for this process, and tries whether it can be written to.
fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join("lock");
    let words = |why: &str| format!("the folder {} {why}", folder.display());
    let mut file =
        File::create(&path).map_err(|error| words(&format!("cannot be used: {error}")))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(
                words("is in use by another process; choose another one with --data-dir").into(),
            );
        }
        Err(TryLockError::Error(error)) => {
            return Err(words(&format!("cannot be locked: {error}")).into());
        }
    }
    // A full disk lets files be made, but nothing be written.
    let tried = file
        .write_all(&[b' '; 8_192])
        .and_then(|()| file.sync_all());
    tried.map_err(|error| words(&format!("cannot be written to: {error}")))?;
    Ok(file)
}

/// The settings of the local service.
pub fn settings() -> Settings {
    Settings {
        table_name: TABLE.into(),
        tokens: TokenSettings {
            issuer: ISSUER.into(),
            id_namespace: ISSUER.into(),
            audience: AUDIENCE.into(),
            jwks_url: None,
            leeway_seconds: 0,
            claims: ClaimNames::default(),
            admin_group: "clubs-admin".into(),
        },
        club_approval: Approval::Automatic,
        quotas: Quotas::default(),
        addresses: Addresses {
            public_url: None,
            site_url: "http://127.0.0.1:8000".into(),
            cors_origins: vec!["*".into()],
            trusts_forwarded: false,
        },
        mail: MailSettings {
            from: "Clubs <no-reply@clubs.example>".into(),
            rate: 0,
            configuration_set: Some("local".into()),
            time_zone: "UTC".into(),
        },
        metrics: None,
        secrets: Secrets {
            invite: Secret::new("the local service has no secrets to keep"),
            receipt: Secret::new("and none to sign the receipts of its demo campus"),
            old_receipt_keys: vec![],
        },
        media: MediaSettings {
            bucket: String::new(),
            url: "http://127.0.0.1:8000/media".into(),
        },
        files_bucket: String::new(),
    }
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
        time_zone: app.settings.mail.time_zone.clone(),
        second_factor: false,
        is_local: true,
        media_url: String::new(),
        connect: String::new(),
        files: String::new(),
    }
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
            positions: [mails_from, changes_from],
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
        let reports = Arc::new(Reports::new(table.clone()));
        let worker = Arc::new(Worker::new(
            table.clone(),
            ses,
            clock.clone(),
            settings.clone(),
        )?);
        let verifier = Verifier::new(&settings, Keys::new(FixedKeys(issuer.keys())));
        let media = Media::new(images, false, &settings.media.url);
        let app = App::new(table, verifier, media, clock.clone(), ids, settings);
        let stream_from = |position| Stream::open(engine.clone(), clock.clone(), position);
        let stream = Arc::new(stream_from(mails_from)?);
        let feed_stream = Arc::new(stream_from(changes_from)?);
        let feed = Arc::new(Feed::new(app.table.clone(), clock.clone()));
        let ticker = Arc::new(Ticker {
            timer: Timer::new(app.table.clone(), app.settings.clone())?,
            clock: clock.clone(),
            engine: engine.clone(),
            stream: stream.clone(),
            worker: worker.clone(),
            turn: tokio::sync::Mutex::default(),
        });
        let local = routes::routes(state::Local {
            issuer: issuer.clone(),
            mailbox: mailbox.clone(),
            clock: clock.clone(),
            ticker: ticker.clone(),
            grants: Arc::default(),
        });
        let router = router(&app, local, bucket, clock.clone());
        Ok(Self {
            app,
            router,
            issuer,
            mailbox,
            files,
            stream,
            worker,
            feed_stream,
            feed,
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
    bucket: Arc<files::LocalFiles>,
    clock: Arc<MovableClock>,
) -> Router {
    let (images_at, table) = (app.settings.media.url.clone(), app.table.clone());
    let public = site::Public::new(table, clock, images_at);
    let site = site::routes(site_config(app), public);
    // Only these paths belong to the service; all others are pages of the site.
    let service = finish(guard(api().0, app).merge(local).merge(pages::routes()), app);
    routes::media(app.clone())
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

/// All routes of the API, and their OpenAPI document without its examples.
pub fn api() -> (Router<Shared>, Value) {
    let all = OpenApiRouter::with_openapi(shared::openapi::base());
    let (router, document) = GROUPS
        .iter()
        .fold(all, |all, (_, routes)| all.merge(routes()))
        .split_for_parts();
    (router, shared::openapi::complete(document))
}
