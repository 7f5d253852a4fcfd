//! Execution environments. Each one runs the binary of a function in the runtime interface emulator
//! of the SAM CLI, and takes one invocation at a time. New ones are started when all are in use.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tests::template::{Function, REGION, bootstrap};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, Semaphore};

use crate::{Error, http};

/// The largest number of environments of one function. Requests that meet faults take long and need
/// many. In the cloud the limit is 1,000.
const AT_ONCE: usize = 24;

/// A request waits so long for one of them. The gateway gives up after 29 seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The environments of one function.
pub struct Environments {
    pub function: Function,
    start: Start,
    idle: Mutex<Vec<Environment>>,
    /// How often the function was invoked.
    invoked: AtomicUsize,
    room: Semaphore,
    http: reqwest::Client,
}

/// What is needed to start an environment.
#[derive(Clone)]
pub struct Start {
    /// The binary of the emulator.
    pub emulator: PathBuf,
    /// The folder into which `sam build` put the functions.
    pub built: PathBuf,
    /// The functions of another release, which take every second invocation.
    pub beside: Option<PathBuf>,
    /// The address of all services.
    pub services: String,
    /// The folder for logs. Each function has one file.
    pub logs: PathBuf,
}

struct Environment {
    address: String,
    /// Whether it runs the other release.
    is_beside: bool,
    // The emulator and its binary are killed when this is dropped.
    _emulator: Child,
}

/// The access key of a function. The services recognise the caller by it.
pub fn access_key(function: &str) -> String {
    format!("AKIA{}", function.to_uppercase())
}

impl Environments {
    /// Starts no environment yet.
    pub fn new(function: Function, start: Start) -> Arc<Self> {
        Arc::new(Self {
            function,
            start,
            idle: Mutex::default(),
            invoked: AtomicUsize::new(0),
            room: Semaphore::new(AT_ONCE),
            http: http(),
        })
    }

    /// Invokes the function in an idle or a new environment. Time-outs, crashes and responses that
    /// are not JSON are errors, and end the environment.
    pub async fn invoke(&self, event: &Value) -> Result<Value, Error> {
        // More at once are refused, as in the cloud.
        let room = tokio::time::timeout(PATIENCE, self.room.acquire()).await;
        let _room = room.map_err(|_| format!("{}: throttled", self.function.name))??;
        let count = self.invoked.fetch_add(1, Ordering::Relaxed);
        let is_beside = self.start.beside.is_some() && count % 2 == 1;
        let idle = {
            let mut idle = self.idle.lock().await;
            let found = idle.iter().rposition(|one| one.is_beside == is_beside);
            found.map(|n| idle.remove(n))
        };
        let environment = match idle {
            Some(environment) => environment,
            // Another program may have taken the port in the meantime, so this is tried twice.
            None => match self.start(is_beside).await {
                Err(_) => self.start(is_beside).await?,
                started => started?,
            },
        };
        let url = format!(
            "http://{}/2015-03-31/functions/function/invocations",
            environment.address
        );
        let response = self.http.post(url).body(event.to_string()).send().await?;
        let (status, text) = (response.status(), response.text().await?);
        let reply: Value = serde_json::from_str(&text)
            .map_err(|_| format!("{}: {status} {text}", self.function.name))?;
        if !status.is_success() || reply.get("errorType").is_some() {
            return Err(format!("{}: {status} {text}", self.function.name).into());
        }
        self.idle.lock().await.push(environment);
        Ok(reply)
    }

    /// Kills all environments, also while they work. Returns how many binaries were running.
    pub fn kill(&self) -> Result<usize, Error> {
        let bootstrap_path =
            std::path::absolute(bootstrap(&self.start.built, &self.function.name))?;
        let mut killed = 0;
        for process in std::fs::read_dir("/proc")?.flatten() {
            let name = process.file_name();
            let Some(pid) = name
                .to_str()
                .filter(|name| name.bytes().all(|b| b.is_ascii_digit()))
            else {
                continue;
            };
            if std::fs::read_link(process.path().join("exe")).is_ok_and(|exe| exe == bootstrap_path)
            {
                std::process::Command::new("kill")
                    .args(["-KILL", pid])
                    .status()?;
                killed += 1;
            }
        }
        Ok(killed)
    }

    async fn start(&self, is_beside: bool) -> Result<Environment, Error> {
        let Start {
            emulator,
            built,
            beside,
            services,
            logs,
        } = &self.start;
        let (address, runtime) = (free_address().await?, free_address().await?);
        let folder = beside.as_ref().filter(|_| is_beside).unwrap_or(built);
        let bootstrap = bootstrap(folder, &self.function.name);
        if !bootstrap.exists() {
            return Err(format!(
                "{} is not there: run `sam build` first",
                bootstrap.display()
            )
            .into());
        }
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(logs.join(format!("{}.log", self.function.name)))?;
        let mut emulator = Command::new(emulator)
            .args([
                "--log-level",
                "error",
                "--runtime-interface-emulator-address",
                &address,
                "--runtime-api-address",
                &runtime,
            ])
            .arg(std::path::absolute(bootstrap)?)
            .env_clear()
            .envs(&self.function.variables)
            .envs([
                ("AWS_LAMBDA_FUNCTION_NAME", self.function.name.as_str()),
                (
                    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
                    &self.function.memory.to_string(),
                ),
                (
                    "AWS_LAMBDA_FUNCTION_TIMEOUT",
                    &self.function.timeout.to_string(),
                ),
                ("AWS_REGION", REGION),
                ("AWS_ACCESS_KEY_ID", &access_key(&self.function.name)),
                ("AWS_SECRET_ACCESS_KEY", "emulated"),
                ("AWS_SESSION_TOKEN", "emulated"),
                ("AWS_ENDPOINT_URL", services),
            ])
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        wait_for(&address).await?;
        if let Some(status) = emulator.try_wait()? {
            return Err(format!(
                "the emulator of {} ended at once: {status}",
                self.function.name
            )
            .into());
        }
        Ok(Environment {
            address,
            is_beside,
            _emulator: emulator,
        })
    }
}

async fn free_address() -> Result<String, Error> {
    Ok(TcpListener::bind("127.0.0.1:0")
        .await?
        .local_addr()?
        .to_string())
}

/// Waits until a program listens on this address, at most five seconds.
pub async fn wait_for(address: &str) -> Result<(), Error> {
    for _ in 0..500 {
        if TcpStream::connect(address).await.is_ok() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Err(format!("nothing listens on {address}").into())
}
