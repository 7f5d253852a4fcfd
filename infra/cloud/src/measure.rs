//! Measures the start and the size of the functions: the time until Lambda can invoke a function,
//! the time of its first answer, and the processor time and memory for both.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use local::issuer::Subject;
use serde_json::{Value, json};
use shared::time::{Clock as _, SystemClock};
use tests::template::{Function, REGION};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use crate::environments::access_key;
use crate::{Cloud, Error, serve};

/// How often each function is started. The medians are printed.
const STARTS: usize = 15;

/// Each function and the path of its first request. The mailer gets a batch without mails.
const FIRST: [(&str, &str); 6] = [
    ("Clubs", "/api/clubs/"),
    ("Applications", "/api/clubs/chess/applications/"),
    ("Submissions", "/api/submissions/"),
    ("Memberships", "/api/settings/"),
    ("Events", "/api/events/"),
    ("Mailer", ""),
];

/// A Lambda runtime API for one invocation. It reports when the function asks for work and when it
/// answers.
struct Runtime {
    event: Value,
    asked: mpsc::UnboundedSender<Instant>,
    answered: mpsc::UnboundedSender<Instant>,
    given: Mutex<bool>,
    go: tokio::sync::Notify,
}

#[derive(Clone, Copy, Default)]
struct StartupTimes {
    ready: Duration,
    ready_cpu: Duration,
    answer: Duration,
    answer_cpu: Duration,
    resident_kb: u64,
}

/// Prints the table of docs/costs.md.
pub async fn run(cloud: &Cloud, built: &Path) -> Result<(), Error> {
    println!(
        "| Function | Binary (MB) | Ready after (ms) | of that CPU | First answer after (ms) | of \
         that CPU | Resident (MB) |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for (name, path) in FIRST {
        let function = &cloud.functions[name].function;
        let bootstrap = std::path::absolute(tests::template::bootstrap(built, name))?;
        let size = std::fs::metadata(&bootstrap)?.len();
        let mut starts = Vec::new();
        for _ in 0..STARTS {
            starts.push(start(cloud, function, &bootstrap, path).await?);
        }
        let median = |of: &dyn Fn(&StartupTimes) -> Duration| {
            let mut all: Vec<Duration> = starts.iter().map(of).collect();
            all.sort();
            all[STARTS / 2].as_secs_f64() * 1_000.0
        };
        let resident = starts
            .iter()
            .map(|start| start.resident_kb)
            .max()
            .unwrap_or_default();
        println!(
            "| {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            function.binary,
            f64::from(u32::try_from(size)?) / 1e6,
            median(&|start| start.ready),
            median(&|start| start.ready_cpu),
            median(&|start| start.answer),
            median(&|start| start.answer_cpu),
            f64::from(u32::try_from(resident)?) / 1_024.0,
        );
    }
    Ok(())
}

async fn start(
    cloud: &Cloud,
    function: &Function,
    bootstrap: &Path,
    path: &str,
) -> Result<StartupTimes, Error> {
    let subject = Subject {
        username: "ada".into(),
        email: Some("ada@uni.example".into()),
        name: Some("Ada Lovelace".into()),
        ..Subject::default()
    };
    let token = cloud.token(&subject)?;
    let event = if path.is_empty() {
        // A record that is not a mail.
        json!({
            "Records": [{
                "eventName": "MODIFY",
                "eventSource": "aws:dynamodb",
                "dynamodb": { "NewImage": {} },
            }],
        })
    } else {
        tests::lambda::event("GET", path, &token, SystemClock.now().timestamp_millis())
    };
    let (asked, mut when_asked) = mpsc::unbounded_channel();
    let (answered, mut when_answered) = mpsc::unbounded_channel();
    let runtime = Arc::new(Runtime {
        event,
        asked,
        answered,
        given: Mutex::default(),
        go: tokio::sync::Notify::new(),
    });
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    let router = Router::new()
        .route("/2018-06-01/runtime/invocation/next", get(next))
        .route(
            "/2018-06-01/runtime/invocation/{id}/response",
            post(respond),
        )
        .route("/2018-06-01/runtime/invocation/{id}/error", post(respond));
    serve(listener, router.with_state(runtime.clone()));
    let mut command = Command::new(bootstrap);
    command.env_clear().envs(&function.variables).envs([
        ("AWS_LAMBDA_RUNTIME_API", address.as_str()),
        ("AWS_LAMBDA_FUNCTION_NAME", &function.name),
        (
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
            &function.memory.to_string(),
        ),
        ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
        ("AWS_REGION", REGION),
        ("AWS_ACCESS_KEY_ID", &access_key(&function.name)),
        ("AWS_SECRET_ACCESS_KEY", "emulated"),
        ("AWS_ENDPOINT_URL", &cloud.origin),
        // The time for log lines should not count.
        ("RUST_LOG", "warn"),
    ]);
    let began = Instant::now();
    let child: Child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let pid = child.id().ok_or("it ended at once")?;
    let ready = within(when_asked.recv()).await?;
    let ready_cpu = cpu(pid)?;
    let given = Instant::now();
    runtime.go.notify_one();
    let answer = within(when_answered.recv()).await?;
    let answer_cpu = cpu(pid)?.saturating_sub(ready_cpu);
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let resident = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    });
    Ok(StartupTimes {
        ready: ready - began,
        ready_cpu,
        answer: answer - given,
        answer_cpu,
        resident_kb: resident.ok_or("no VmHWM")?,
    })
}

async fn within(what: impl Future<Output = Option<Instant>>) -> Result<Instant, Error> {
    Ok(tokio::time::timeout(Duration::from_secs(10), what)
        .await?
        .ok_or("nothing came")?)
}

/// The processor time that all threads of a process have used so far.
fn cpu(pid: u32) -> Result<Duration, Error> {
    let mut nanoseconds = 0;
    for task in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = std::fs::read_to_string(task?.path().join("schedstat"))?;
        nanoseconds += text
            .split_whitespace()
            .next()
            .and_then(|first| first.parse::<u64>().ok())
            .unwrap_or_default();
    }
    Ok(Duration::from_nanos(nanoseconds))
}

async fn next(State(runtime): State<Arc<Runtime>>) -> Response {
    let given = std::mem::replace(
        &mut *runtime.given.lock().unwrap_or_else(PoisonError::into_inner),
        true,
    );
    if given {
        std::future::pending::<()>().await;
    }
    let _ = runtime.asked.send(Instant::now());
    runtime.go.notified().await;
    let deadline = (SystemClock.now().timestamp_millis() + 10_000).to_string();
    let headers = [
        (
            "lambda-runtime-aws-request-id",
            "00000000-0000-4000-8000-000000000000",
        ),
        ("lambda-runtime-deadline-ms", deadline.as_str()),
        (
            "lambda-runtime-invoked-function-arn",
            "arn:aws:lambda:eu-central-1:123456789012:function:function",
        ),
    ];
    (headers, Json(runtime.event.clone())).into_response()
}

async fn respond(State(runtime): State<Arc<Runtime>>) -> StatusCode {
    let _ = runtime.answered.send(Instant::now());
    StatusCode::ACCEPTED
}
