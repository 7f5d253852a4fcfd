//! One process of a function's binary behind a Lambda runtime API, to measure what the function
//! itself uses, apart from the table's engine.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::Value;
use shared::time::{Clock as _, SystemClock};
use tests::template::{Function, REGION};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, mpsc};

use crate::environments::access_key;
use crate::{Error, serve};

/// A running function.
pub struct Process {
    events: mpsc::UnboundedSender<Value>,
    asked: mpsc::UnboundedReceiver<Instant>,
    answers: mpsc::UnboundedReceiver<(Instant, Bytes)>,
    began: Instant,
    child: Child,
    pid: u32,
}

struct Runtime {
    events: Mutex<mpsc::UnboundedReceiver<Value>>,
    asked: mpsc::UnboundedSender<Instant>,
    answers: mpsc::UnboundedSender<(Instant, Bytes)>,
}

/// What an invocation took.
pub struct Invoked {
    /// From the hand-over of the event to the answer.
    pub time: Duration,
    /// What the function answered.
    pub answer: Value,
}

impl Process {
    /// Starts a binary with the environment of a function. `services` is the address of table,
    /// SES and S3.
    pub async fn start(
        function: &Function,
        bootstrap: &Path,
        services: &str,
    ) -> Result<Self, Error> {
        let (events, receiver) = mpsc::unbounded_channel();
        let (asked, when_asked) = mpsc::unbounded_channel();
        let (answers, when_answered) = mpsc::unbounded_channel();
        let runtime = Arc::new(Runtime {
            events: Mutex::new(receiver),
            asked,
            answers,
        });
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let router = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route(
                "/2018-06-01/runtime/invocation/{id}/response",
                post(respond),
            )
            .route("/2018-06-01/runtime/invocation/{id}/error", post(respond))
            .layer(DefaultBodyLimit::disable());
        serve(listener, router.with_state(runtime));
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
            ("AWS_ENDPOINT_URL", services),
            // The time for log lines should not count.
            ("RUST_LOG", "warn"),
        ]);
        let began = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let pid = child.id().ok_or("it ended at once")?;
        Ok(Self {
            events,
            asked: when_asked,
            answers: when_answered,
            began,
            child,
            pid,
        })
    }

    /// Waits until the function asks for its first event, and returns how long it took.
    pub async fn ready(&mut self) -> Result<Duration, Error> {
        Ok(within(self.asked.recv()).await? - self.began)
    }

    /// Invokes the function with an event.
    pub async fn invoke(&mut self, event: Value) -> Result<Invoked, Error> {
        let given = Instant::now();
        self.events.send(event)?;
        let (when, body) = within(self.answers.recv()).await?;
        Ok(Invoked {
            time: when - given,
            answer: serde_json::from_slice(&body)?,
        })
    }

    /// The processor time that all threads have used so far.
    pub fn cpu(&self) -> Result<Duration, Error> {
        let mut nanoseconds = 0;
        for task in std::fs::read_dir(format!("/proc/{}/task", self.pid))? {
            let text = std::fs::read_to_string(task?.path().join("schedstat"))?;
            nanoseconds += text
                .split_whitespace()
                .next()
                .and_then(|first| first.parse::<u64>().ok())
                .unwrap_or_default();
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// The largest memory so far, in megabytes.
    pub fn peak_mb(&self) -> Result<f64, Error> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid))?;
        let kilobytes: u32 = status
            .lines()
            .find_map(|line| {
                line.strip_prefix("VmHWM:")?
                    .split_whitespace()
                    .next()?
                    .parse()
                    .ok()
            })
            .ok_or("no VmHWM")?;
        Ok(f64::from(kilobytes) / 1_024.0)
    }

    /// Ends the process.
    pub async fn end(mut self) -> Result<(), Error> {
        self.child.kill().await?;
        Ok(())
    }
}

async fn within<T>(what: impl Future<Output = Option<T>>) -> Result<T, Error> {
    Ok(tokio::time::timeout(Duration::from_mins(1), what)
        .await?
        .ok_or("nothing came")?)
}

async fn next(State(runtime): State<Arc<Runtime>>) -> Response {
    let _ = runtime.asked.send(Instant::now());
    let event = runtime.events.lock().await.recv().await;
    let Some(event) = event else {
        return StatusCode::GONE.into_response();
    };
    let deadline = (SystemClock.now().timestamp_millis() + 60_000).to_string();
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
    (headers, Json(event)).into_response()
}

async fn respond(State(runtime): State<Arc<Runtime>>, body: Bytes) -> StatusCode {
    let _ = runtime.answers.send((Instant::now(), body));
    StatusCode::ACCEPTED
}
