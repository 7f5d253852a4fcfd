//! The cloud on one machine. The binaries that `sam build` made run in Lambda's own emulator. A
//! gateway in front of them makes the events of API Gateway. Programs of others emulate DynamoDB,
//! SES and S3. Routes, environment variables, rights, table and filters are those of template.yaml.

mod bench;
mod burst;
mod caller;
mod catalogue;
mod checks;
mod conveniences;
mod environments;
mod forward;
mod gateway;
mod measure;
mod pairs;
mod process;
mod services;
mod story;
mod stream;
mod work;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use clap::{Parser, Subcommand, ValueEnum};
use environments::{Environments, Start};
use gateway::Gateway;
use local::issuer::{AUDIENCE, ISSUER, Subject};
use serde_json::Value;
use services::{Behind, Services};
use shared::time::{Clock as _, SystemClock};
use stream::Mapping;
use tests::faults::Faults;
use tests::pairs::PAIRS;
use tests::template::{ACCOUNT, REGION, SamTemplate};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Runs the release binaries in an emulated cloud on this machine. `bash infra/scripts/cloud`
/// prepares what it needs.
#[derive(Parser)]
struct Options {
    #[command(subcommand)]
    command: Command,
    /// The folder into which `sam build` put the functions
    #[arg(long, default_value = ".aws-sam/build", global = true)]
    built: PathBuf,
    /// The functions of another release, which take every second invocation
    #[arg(long, global = true)]
    beside: Option<PathBuf>,
    /// The runtime interface emulator, which is a part of the SAM CLI
    #[arg(long, default_value = "aws-lambda-rie", global = true)]
    emulator: PathBuf,
    /// Address of the moto server, for SES and S3
    #[arg(long, default_value = "http://127.0.0.1:5000", global = true)]
    moto: String,
    /// The program that emulates DynamoDB
    #[arg(long, value_enum, default_value_t = TableEngine::Dynoxide, global = true)]
    table: TableEngine,
    /// Continue with this table, into which a table of the same moto server was restored
    #[arg(long, global = true)]
    restored: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// Run a recruitment from end to end, through all parts
    Story,
    /// Let a thousand students submit in a minute, while calls of the table fail and functions are
    /// killed
    Burst {
        #[arg(long, default_value_t = 1_000)]
        students: usize,
        /// Seconds within which all students submit
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// How many of a thousand calls of the table fail
        #[arg(long, default_value_t = 100)]
        faults: u64,
        /// Seed that decides which calls fail
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How often all environments of the function are killed
        #[arg(long, default_value_t = 2)]
        kills: u32,
    },
    /// Let writes arrive seconds late, after their opposites, with indexes that are behind, and
    /// kill the functions after each call
    Pairs {
        /// How many pairs of requests
        #[arg(long, default_value_t = PAIRS.len())]
        count: usize,
    },
    /// Measure the start and the size of each function, beside those of a function that does
    /// nothing
    Measure {
        /// The binary of the function that does nothing
        #[arg(long)]
        empty: PathBuf,
    },
    /// Measure time, processor and memory of functions at work, apart from the table's engine
    Work {
        /// Let the first index have all attributes, as releases before 2026-11-22 needed it
        #[arg(long)]
        project_all: bool,
        /// How many people have submitted
        #[arg(long, default_value_t = 1_000)]
        submissions: usize,
        /// How often each operation is measured
        #[arg(long, default_value_t = 15)]
        times: usize,
        /// Measure only operations whose name contains this
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Serve the whole API, for use by hand
    Serve {
        #[arg(long, default_value_t = 9000)]
        port: u16,
    },
    /// Serve only table, SES, S3 and issuer, for `sam local start-api`
    Services {
        #[arg(long, default_value_t = 8001)]
        port: u16,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TableEngine {
    /// The engine of the local service, as a server
    Dynoxide,
    /// An independent emulator, as a second opinion. It takes one call at a time
    Moto,
}

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
        let (reports, told) = mpsc::unbounded_channel();
        let seed = if let Command::Burst { seed, .. } = options.command {
            seed
        } else {
            0
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
        let project_all = matches!(
            options.command,
            Command::Work {
                project_all: true,
                ..
            }
        );
        if restored.is_empty() {
            services.deploy(&template, project_all).await?;
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
        // Nothing is mailed while functions are measured.
        if !matches!(options.command, Command::Work { .. }) {
            beside(Mapping::new(&functions, &template, &origin)?.run());
        }
        beside(report(functions["MailReports"].clone(), told));
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
async fn report(function: Arc<Environments>, mut told: mpsc::UnboundedReceiver<Value>) {
    while let Some(event) = told.recv().await {
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
        Command::Pairs { count } => pairs::run(&cloud, count).await?,
        Command::Measure { empty } => measure::run(&cloud, &options.built, &empty).await?,
        Command::Work {
            submissions,
            times,
            only,
            ..
        } => {
            work::run(&cloud, &options.built, submissions, times, &only).await?;
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
    match Box::pin(run(Options::parse())).await {
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
