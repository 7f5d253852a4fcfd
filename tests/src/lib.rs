//! Runs the whole service in the process of a test: the real routers, table engine, tokens and mail
//! worker. The clock stands still until the test moves it.

mod another;
pub mod bucket;
pub mod client;
mod contract;
pub mod faults;
pub mod files;
pub mod fixtures;
pub mod images;
mod intrinsics;
pub mod lag;
pub mod lambda;
pub mod operations;
pub mod pairs;
pub mod receiver;
pub mod recount;
pub mod reports;
pub mod scene;
pub mod suspended;
pub mod template;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::BoxFuture;
use local::clock::MovableClock;
use local::engine::{self, Engine};
use local::issuer::Issuer;
use local::mailbox::{self, KeptMail, Mailbox};
use local::queues::{MAILS, NOTICES};
use local::stream::Delivered;
use local::{Campus, Parts};
use object_store::ObjectStore;
use object_store::memory::InMemory;
use serde_json::{Value, json};
use shared::ids::Ids;
use shared::settings::Settings;
use shared::time::Clock as _;

pub use client::{Client, Response};

/// The time at which tests begin: 2026-11-21T09:00:00Z.
pub fn start() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_251_600, 0).unwrap_or_default()
}

/// A number that looks random but depends only on `n` (the finalizer of splitmix64).
pub(crate) fn mixed(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// The service of one test, with a table of its own.
pub struct TestCampus {
    pub campus: Campus,
    /// The issuer's key.
    key: Vec<u8>,
}

/// Gets the operation and the body of a call of the table before the engine does. If it returns a
/// status and a body, the caller gets these and the engine is not called.
pub type Before =
    Arc<dyn Fn(&str, &[u8]) -> BoxFuture<'static, Option<(u16, Value)>> + Send + Sync>;

type SettingsChange = Box<dyn FnOnce(&mut Settings)>;

/// Changes to the usual setup of a [`TestCampus`].
pub struct Setup {
    engine: Option<Engine>,
    hook: Option<engine::EngineHook>,
    key: Option<Vec<u8>>,
    time: DateTime<Utc>,
    mailbox: Option<mailbox::MailHook>,
    settings: Option<SettingsChange>,
    images: Arc<dyn ObjectStore>,
    files: Arc<dyn ObjectStore>,
    running_clock: bool,
    receivers: Option<SharedHttpConnector>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            engine: None,
            hook: None,
            key: None,
            time: start(),
            mailbox: None,
            settings: None,
            images: Arc::new(InMemory::new()),
            files: Arc::new(InMemory::new()),
            running_clock: false,
            receivers: None,
        }
    }
}

impl Setup {
    /// Calls `before` for each call of the table. It may delay the call, or answer it instead of
    /// the engine.
    #[must_use]
    pub fn table(self, before: Before) -> Self {
        self.hook(Arc::new(move |call: engine::Call| {
            let response = before(&call.operation, &call.body);
            Box::pin(async move {
                response
                    .await
                    .map(|(status, body)| engine::Reply::Response(status, body.to_string()))
            })
        }))
    }

    /// Calls `hook` for each call of the table. It may also execute the call and lose the response.
    #[must_use]
    pub fn hook(self, hook: engine::EngineHook) -> Self {
        Self {
            hook: Some(hook),
            ..self
        }
    }

    /// Each call of the table takes `ms` milliseconds. Without a delay, requests at the same moment
    /// would run one after the other.
    #[must_use]
    pub fn latency(self, ms: u64) -> Self {
        self.table(Arc::new(move |_: &str, _: &[u8]| {
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                None
            })
        }))
    }

    /// Calls `hook` for each mail. It may answer instead of the mailbox.
    #[must_use]
    pub fn mail(self, hook: mailbox::MailHook) -> Self {
        Self {
            mailbox: Some(hook),
            ..self
        }
    }

    /// Changes the settings of the service.
    #[must_use]
    pub fn settings(self, change: impl FnOnce(&mut Settings) + 'static) -> Self {
        Self {
            settings: Some(Box::new(change)),
            ..self
        }
    }

    /// Stores images in `images`.
    #[must_use]
    pub fn images(self, images: Arc<dyn ObjectStore>) -> Self {
        Self { images, ..self }
    }

    /// Keeps the files of applicants in `files`.
    #[must_use]
    pub fn files(self, files: Arc<dyn ObjectStore>) -> Self {
        Self { files, ..self }
    }

    /// Uses a clock that runs as tokio's does, which tests pause, instead of one that stands still.
    #[must_use]
    pub fn running_clock(self) -> Self {
        Self {
            running_clock: true,
            ..self
        }
    }

    /// Builds the campus.
    pub fn build(self) -> TestCampus {
        let new = || Engine::memory().expect("an engine in memory");
        let engine = self.engine.unwrap_or_else(new);
        let engine = match self.hook {
            Some(hook) => engine.hooked(hook),
            None => engine,
        };
        let clock = Arc::new(if self.running_clock {
            MovableClock::following_tokio(self.time)
        } else {
            MovableClock::standing_at(self.time)
        });
        let mailbox = Mailbox::open(clock.clone(), None).expect("a mailbox in memory");
        let mailbox = match self.mailbox {
            Some(hook) => mailbox.hooked(hook),
            None => mailbox,
        };
        let mut settings = local::settings();
        if let Some(change) = self.settings {
            change(&mut settings);
        }
        let counter = AtomicU64::new(0);
        let ids = Ids::with(move || counter.fetch_add(1, Ordering::Relaxed));
        let new = || Issuer::new_key().expect("a key");
        let key = self.key.unwrap_or_else(new);
        let campus = Campus::new(Parts {
            engine,
            mailbox,
            clock,
            key: key.clone(),
            ids,
            images: self.images,
            files: self.files,
            settings,
            positions: [None, None],
            receivers: self.receivers,
            lock: None,
        })
        .expect("a campus");
        TestCampus { campus, key }
    }
}

impl Default for TestCampus {
    fn default() -> Self {
        Setup::default().build()
    }
}

impl TestCampus {
    /// A campus with an empty table and the usual setup.
    pub fn new() -> Self {
        Self::default()
    }

    /// A signed-in caller. Address and name are made from the user name.
    pub fn as_(&self, username: &str) -> Client {
        self.with_token(&self.token(username))
    }

    /// A caller in the admin group.
    pub fn admin(&self) -> Client {
        self.client(
            &json!({
                "email": "root@uni.example",
                "name": "Root Admin",
                "groups": ["clubs-admin"],
            }),
            "root",
        )
    }

    /// The token that [`TestCampus::as_`] uses.
    pub fn token(&self, username: &str) -> String {
        self.signed(
            &json!({
                "email": format!("{username}@uni.example"),
                "name": format!("{username} Test"),
            }),
            username,
        )
    }

    /// A caller whose token has these claims.
    pub fn client(&self, claims: &Value, username: &str) -> Client {
        self.with_token(&self.signed(claims, username))
    }

    fn signed(&self, claims: &Value, username: &str) -> String {
        let mut subject = claims.clone();
        subject["username"] = json!(username);
        let mut subject: local::issuer::Subject =
            serde_json::from_value(subject).expect("a subject");
        // Tests move the clock, so tokens are valid for a year.
        subject.expires_in = Some(31_536_000);
        let (token, _) = self
            .campus
            .issuer
            .token(&subject, self.campus.clock.now())
            .expect("a token");
        token
    }

    /// A caller with this token.
    pub fn with_token(&self, token: &str) -> Client {
        Client::new(self.campus.router.clone(), Some(token.to_owned()))
    }

    /// A caller without a token.
    pub fn anonymous(&self) -> Client {
        Client::new(self.campus.router.clone(), None)
    }

    /// The present time in milliseconds, as in the events of API Gateway.
    pub fn now_ms(&self) -> i64 {
        self.campus.clock.now().timestamp_millis()
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: TimeDelta) {
        self.campus.clock.advance(by);
    }

    /// Runs the timer, and sends what it has queued. Returns what it did.
    pub async fn tick(&self) -> notices::Worked {
        let worked = self.campus.ticker.tick().await.expect("a table");
        self.deliver().await;
        worked
    }

    /// Erases somebody: they ask for it, and the timer does it.
    pub async fn erase(&self, who: &Client) {
        who.delete("/api/settings/").await.accepted();
        self.finish_erasures().await;
    }

    /// Lets the timer do the erasures that were begun.
    pub async fn finish_erasures(&self) {
        self.advance(TimeDelta::seconds(5));
        self.campus.ticker.tick().await.expect("a table");
    }

    /// Sends what is due, and ten minutes later what was kept back until then (K14).
    pub async fn ten_minutes(&self) {
        self.deliver().await;
        self.advance(TimeDelta::minutes(10));
        self.tick().await;
    }

    /// Passes new mails on, and sends what is due. Returns whether mails are left that are tried
    /// again two minutes later.
    pub async fn deliver(&self) -> Delivered {
        self.list_changes().await;
        let (queues, worker) = (&self.campus.queues, &*self.campus.worker);
        for queue in [MAILS, NOTICES] {
            while queues.deliver(queue, worker).await {}
        }
        match queues.len(MAILS) + queues.len(NOTICES) {
            0 => Delivered::Nothing,
            _ => Delivered::RetryLater,
        }
    }

    /// Sends all mails, however often that has to be tried. Tokio's clock must be paused.
    pub async fn deliver_all(&self) {
        while self.deliver().await == Delivered::RetryLater {
            self.advance(TimeDelta::minutes(2));
            tokio::time::sleep(Duration::from_mins(2)).await;
        }
    }

    /// Runs `work` while the mail worker runs.
    pub async fn with_worker<T>(&self, work: impl Future<Output = T>) -> T {
        let campus = &self.campus;
        let worker = &*campus.worker;
        tokio::select! {
            done = work => done,
            () = campus.stream.run(&campus.feed) => unreachable!("it runs for ever"),
            () = campus.queues.run(MAILS, worker) => unreachable!("it runs for ever"),
            () = campus.queues.run(NOTICES, worker) => unreachable!("it runs for ever"),
        }
    }

    /// Gives the reports of SES about all mails so far to the function for reports.
    pub async fn report(&self) {
        for event in self.campus.mailbox.take_reports() {
            self.reported(&event).await;
        }
    }

    /// Gives one event of SES to the function for reports.
    pub async fn reported(&self, event: &Value) {
        local::simulator::deliver(&self.campus.reports, event)
            .await
            .expect("a report");
    }

    /// The mails that were sent, the oldest first.
    pub fn mails(&self) -> Vec<KeptMail> {
        self.campus.mailbox.mails()
    }

    /// The mails that were sent, without those to people who were added by an officer.
    pub fn mails_but_welcomes(&self) -> Vec<KeptMail> {
        self.mails()
            .into_iter()
            .filter(|mail| !mail.subject.starts_with("Welcome to "))
            .collect()
    }

    /// All items of the table, for tests that look behind the API.
    pub fn stored(&self) -> Vec<Value> {
        let response = self
            .campus
            .engine
            .json("Scan", &json!({ "TableName": local::table::TABLE }))
            .expect("a scan");
        response["Items"].as_array().cloned().unwrap_or_default()
    }
}
