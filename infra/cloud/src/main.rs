//! The cloud on one machine. The binaries that `sam build` made run in Lambda's own emulator. A
//! gateway in front of them makes the events of API Gateway. Programs of others emulate DynamoDB,
//! SES and S3. Routes, environment variables, rights, table and filters are those of template.yaml.

mod bucket;
mod burst;
mod caller;
mod checks;
mod conveniences;
mod environments;
mod feed;
mod files;
mod forward;
mod gateway;
mod interviews;
mod options;
mod queues;
mod rush;
mod services;
mod story;
mod stream;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use clap::Parser as _;
use environments::{Environments, Start};
use gateway::Gateway;
use local::issuer::{AUDIENCE, ISSUER, Subject};
use options::{Command, Options, TableEngine};
use serde_json::Value;
use services::{Behind, Services};
use shared::time::{Clock as _, SystemClock};
use stream::Mapping;
use tests::faults::Faults;
use tests::template::{ACCOUNT, REGION, SamTemplate};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

type Error = Box<dyn std::error::Error + Send + Sync>;

struct Cloud {
    template: SamTemplate,
    services: Arc<Services>,
    functions: BTreeMap<String, Arc<Environments>>,
    gateway: Arc<Gateway>,
    /// Faults of the table. Only the burst has some.
    faults: Arc<Faults>,
    origin: String,
    logs: PathBuf,
    /// Whether functions of two releases run.
    is_mixed: bool,
}

/// The name of the stack. With it, the table has the same name as in infra/sam-local.json.
pub const STACK: &str = "clubs";

impl Cloud {
    /// Starts the services on `listener`, and prepares the functions and the gateway.
    #[expect(
        clippy::too_many_lines,
        reason = "a list: each process with its settings"
    )]
    async fn start(options: &Options, listener: TcpListener, logs: &Path) -> Result<Self, Error> {
        let port = listener.local_addr()?.port();
        let origin = format!("http://127.0.0.1:{port}");
        let restored = options.restored.as_deref().unwrap_or_default();
        let stream = format!("arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{restored}/stream/now");
        let template = SamTemplate::load(
            STACK,
            &[
                ("RestoredTable", restored),
                ("RestoredStream", &stream),
                ("Issuer", ISSUER),
                ("Audience", AUDIENCE),
                ("JwksUrl", &format!("{origin}/jwks.json")),
                ("InviteSecret", "an emulated cloud has no secrets to keep"),
                ("ReceiptSecret", "and none with which it signs its receipts"),
                ("MailFrom", "Clubs <clubs@uni.example>"),
                ("SiteUrl", "https://clubs.uni.example"),
                ("MailRate", "1000"),
            ],
        );
        if restored.is_empty() {
            http()
                .post(format!("{}/moto-api/reset", options.moto))
                .send()
                .await?
                .error_for_status()?;
        }
        let table = match options.table {
            TableEngine::Moto => options.moto.clone(),
            TableEngine::Dynoxide => {
                let engine = TcpListener::bind("127.0.0.1:0").await?;
                let address = engine.local_addr()?;
                let database = dynoxide::Database::memory().map_err(|error| error.to_string())?;
                beside(dynoxide::server::serve_on(engine, database));
                format!("http://{address}")
            }
        };
        let roles = !matches!(options.command, Command::Services { .. });
        let (reports, incoming) = mpsc::unbounded_channel();
        let seed = match options.command {
            Command::Burst { seed, .. } | Command::Rush { seed, .. } => seed,
            _ => 0,
        };
        let faults = Faults::new(seed);
        let behind = Behind {
            table,
            moto: options.moto.clone(),
            faults: faults.clone(),
        };
        let services = Services::new(
            &template,
            behind,
            options.table == TableEngine::Moto,
            roles,
            reports,
        )?;
        serve(listener, services.router());
        if restored.is_empty() {
            services.deploy(&template).await?;
        }
        let start = Start {
            emulator: options.emulator.clone(),
            built: options.built.clone(),
            beside: options.beside.clone(),
            services: origin.clone(),
            logs: logs.to_owned(),
        };
        let functions: BTreeMap<String, Arc<Environments>> = template
            .functions()
            .into_iter()
            .map(|(name, function)| (name, Environments::new(function, start.clone())))
            .collect();
        let gateway = Gateway::new(&template, &functions);
        beside(Mapping::new("Changes", &functions, &template, &origin)?.run());
        for mapping in queues::mappings(&template, &functions) {
            beside(services.queues.clone().run(mapping));
        }
        beside(report(functions["MailReports"].clone(), incoming));
        Ok(Self {
            template,
            services,
            functions,
            gateway,
            faults,
            origin,
            logs: logs.to_owned(),
            is_mixed: options.beside.is_some(),
        })
    }

    fn token(&self, subject: &Subject) -> Result<String, Error> {
        Ok(self.services.issuer.token(subject, SystemClock.now())?.0)
    }
}

/// Invokes the function for each report, up to three times, as Lambda does for events of SNS.
async fn report(function: Arc<Environments>, mut incoming: mpsc::UnboundedReceiver<Value>) {
    while let Some(event) = incoming.recv().await {
        for attempt in 1..=3 {
            match function.invoke(&event).await {
                Ok(_) => break,
                Err(error) => eprintln!("report, attempt {attempt}: {error}"),
            }
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "servers of this program, not of a function"
)]
fn beside(work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(work);
}

fn serve(listener: TcpListener, router: Router) {
    beside(async move {
        let _ = axum::serve(listener, router).await;
    });
}

async fn run(options: Options) -> Result<(), Error> {
    let logs = options.built.join("../cloud-logs");
    let _ = std::fs::remove_dir_all(&logs);
    std::fs::create_dir_all(&logs)?;
    let (host, port) = if let Command::Services { port } = options.command {
        ("0.0.0.0", port)
    } else {
        ("127.0.0.1", 0)
    };
    let listener = TcpListener::bind((host, port)).await?;
    let cloud = Arc::new(Cloud::start(&options, listener, &logs).await?);
    match options.command {
        Command::Story => story::run(&cloud, options.table == TableEngine::Dynoxide).await?,
        Command::Burst {
            students,
            seconds,
            faults,
            kills,
            ..
        } => {
            burst::run(
                &cloud,
                burst::Burst {
                    students,
                    seconds,
                    per_mille: faults,
                    kills,
                },
            )
            .await?;
        }
        Command::Rush {
            people,
            capacity,
            seconds,
            returns,
            faults,
            kills,
            ..
        } => {
            let rush = rush::Rush {
                people,
                capacity,
                seconds,
                returns: returns.min(people),
                per_mille: faults,
                kills,
            };
            rush::run(&cloud, rush).await?;
        }
        Command::Serve { port } => {
            let listener = TcpListener::bind(("127.0.0.1", port)).await?;
            println!("listening on http://{}/dev", listener.local_addr()?);
            serve(
                listener,
                conveniences::conveniences(&cloud).fallback_service(cloud.gateway.router()),
            );
            stopped().await?;
        }
        Command::Services { .. } => {
            let subject = Subject {
                username: "sue".into(),
                email: Some("sue@uni.example".into()),
                name: Some("Sue Storm".into()),
                ..Subject::default()
            };
            println!(
                "table, SES, S3 and the issuer's keys on port {port}; a token for sue:\n{}",
                cloud.token(&subject)?
            );
            stopped().await?;
        }
    }
    Ok(())
}

/// Waits for Ctrl-C or SIGTERM. Returning ends the environments too.
async fn stopped() -> Result<(), Error> {
    let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        done = tokio::signal::ctrl_c() => done?,
        _ = terminated.recv() => {}
    }
    Ok(())
}

/// A client with a time-out, so that nothing waits for ever, and without a proxy.
fn http() -> reqwest::Client {
    reqwest::Client::builder()
        .timeout(Duration::from_secs(40))
        .no_proxy()
        .build()
        .unwrap_or_default()
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    match Box::pin(run(options)).await {
        Ok(()) => {
            // The environments get this time to end.
            tokio::time::sleep(Duration::from_millis(50)).await;
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
