//! Runs the real binary of a function in a test. One local port emulates what the binary needs: the
//! Lambda runtime API, DynamoDB, SES, S3 and the keys of the issuer.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _};
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use local::engine::Reply;
use serde_json::{Value, json};
use shared::db::Table;
use shared::lambda::READY;
use shared::time::Clock as _;
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::{Setup, TestCampus};

type Pending = Mutex<HashMap<String, oneshot::Sender<Value>>>;

struct RuntimeApi {
    campus: Arc<TestCampus>,
    next: Mutex<mpsc::Receiver<(String, Value)>>,
    pending: Pending,
    /// The files in the bucket: name, headers, size in bytes.
    images: Mutex<Vec<(String, HeaderMap, usize)>>,
}

/// A running process of a function.
pub struct LambdaProcess {
    /// The campus whose table the function uses. Its clock is that of the machine.
    pub campus: Arc<TestCampus>,
    cloud: Arc<RuntimeApi>,
    events: mpsc::Sender<(String, Value)>,
    log: File,
    // The process is killed when this is dropped.
    _child: Child,
}

impl LambdaProcess {
    /// Starts the binary of a function as Lambda does.
    #[expect(
        clippy::too_many_lines,
        reason = "a table: the environment of a function"
    )]
    pub async fn start(binary: &str) -> Self {
        let campus = Arc::new(Setup::default().running_clock().build());
        let (events, next) = mpsc::channel(8);
        let cloud = Arc::new(RuntimeApi {
            campus: campus.clone(),
            next: Mutex::new(next),
            pending: Pending::default(),
            images: Mutex::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let router = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next_invocation))
            .route(
                "/2018-06-01/runtime/invocation/{id}/response",
                post(respond),
            )
            .route("/2018-06-01/runtime/invocation/{id}/error", post(respond))
            .route("/2018-06-01/runtime/init/error", post(not_started))
            .route(
                "/jwks.json",
                get(async |State(cloud): State<Arc<RuntimeApi>>| {
                    Json(json!(cloud.campus.campus.issuer.keys()))
                }),
            )
            .route("/v2/email/outbound-emails", post(send_email))
            .route("/images/media/{file}", put(put_image).delete(delete_image))
            .route("/", post(table))
            .with_state(cloud.clone());
        #[expect(
            clippy::disallowed_methods,
            reason = "a server of this test, not of a function"
        )]
        tokio::spawn(async move { axum::serve(listener, router).await });
        let origin = format!("http://{address}");
        let settings = local::settings();
        // Nobody else needs the name of this file, so it is removed while both ends are open.
        let path = std::env::temp_dir().join(format!("clubs-{}.log", address.replace(':', "-")));
        let written = File::create(&path).expect("a file for the log");
        let log = File::open(&path).expect("the file for the log");
        fs::remove_file(&path).expect("the file for the log");
        let child = Command::new(binary)
            .env_clear()
            .envs([
                ("AWS_LAMBDA_RUNTIME_API", address.as_str()),
                ("AWS_LAMBDA_FUNCTION_NAME", "function"),
                ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
                ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
                ("AWS_LAMBDA_HTTP_IGNORE_STAGE_IN_PATH", "true"),
                ("AWS_REGION", "eu-central-1"),
                ("AWS_ACCESS_KEY_ID", "test"),
                ("AWS_SECRET_ACCESS_KEY", "test"),
                ("AWS_ENDPOINT_URL", origin.as_str()),
                ("TABLE_NAME", settings.table_name.as_str()),
                ("OIDC_ISSUER", settings.tokens.issuer.as_str()),
                ("OIDC_AUDIENCE", settings.tokens.audience.as_str()),
                ("OIDC_JWKS_URL", format!("{origin}/jwks.json").as_str()),
                ("PUBLIC_URL", "https://clubs.example"),
                ("SITE_URL", settings.addresses.site_url.as_str()),
                ("SITE_CLIENT_ID", "site"),
                ("SITE_CONNECT", "https://sign-in.example"),
                ("SITE_FILES", "https://files.example"),
                ("SITE_SCOPES", "openid email"),
                ("SITE_SECOND_FACTOR", "true"),
                ("SITE_TOKEN", "id_token"),
                ("UNIVERSITY", "Test University"),
                ("CAMPUS_TIME_ZONE", "Europe/Berlin"),
                ("MAIL_FROM", settings.mail.from.as_str()),
                ("MAIL_CONFIGURATION_SET", "reports"),
                ("INVITE_SECRET", "the local service has no secrets to keep"),
                (
                    "RECEIPT_SECRET",
                    "and none to sign the receipts of its demo campus",
                ),
                ("MEDIA_BUCKET", "images"),
                ("MEDIA_URL", "https://media.example"),
                ("FILES_BUCKET", "files"),
                ("RUST_LOG", "info"),
            ])
            .stdout(written)
            .kill_on_drop(true)
            .spawn()
            .expect("the function's binary");
        Self {
            campus,
            cloud,
            events,
            log,
            _child: child,
        }
    }

    /// Invokes the function with an event and returns its response.
    pub async fn invoke(&self, event: Value) -> Value {
        let id = format!(
            "00000000-0000-0000-0000-{:012x}",
            self.campus.campus.app.next_id() & 0xffff_ffff_ffff
        );
        let (sender, receiver) = oneshot::channel();
        self.cloud.pending.lock().await.insert(id.clone(), sender);
        self.events
            .send((id, event))
            .await
            .expect("a running cloud");
        receiver.await.expect("an answer")
    }

    /// The files in the bucket: name, headers, size in bytes.
    pub async fn images(&self) -> Vec<(String, HeaderMap, usize)> {
        self.cloud.images.lock().await.clone()
    }

    /// Everything that the function has logged so far.
    pub fn log(&self) -> String {
        let (mut file, mut text) = (&self.log, String::new());
        file.rewind().expect("the log");
        file.read_to_string(&mut text).expect("the log");
        text
    }

    pub fn table(&self) -> &Table {
        &self.campus.campus.app.table
    }
}

/// The event of API Gateway for a request. `received_ms` is the time at which the gateway received
/// the request.
pub fn event(method: &str, path: &str, token: &str, received_ms: i64) -> Value {
    let mut event: Value =
        serde_json::from_str(include_str!("../events/rest.json")).expect("an event");
    event["httpMethod"] = json!(method);
    event["path"] = json!(path);
    event["requestContext"]["path"] = json!(format!("/dev{path}"));
    event["requestContext"]["httpMethod"] = json!(method);
    event["requestContext"]["requestTimeEpoch"] = json!(received_ms);
    header(&mut event, "Authorization", &format!("Bearer {token}"));
    event
}

/// The event that each new version of a function must answer (O19). The function `Check` of
/// template.yaml sends it.
pub fn ready_event() -> Value {
    json!({ "httpMethod": "GET", "path": READY, "requestContext": { "httpMethod": "GET" } })
}

/// Adds a header to an event of API Gateway.
pub fn header(event: &mut Value, name: &str, value: &str) {
    event["headers"][name] = json!(value);
    event["multiValueHeaders"][name] = json!([value]);
}

/// The JSON body of a function's response to API Gateway.
pub fn body(response: &Value) -> Value {
    serde_json::from_str(response["body"].as_str().unwrap_or_default()).unwrap_or_default()
}

async fn next_invocation(State(cloud): State<Arc<RuntimeApi>>) -> Response {
    let Some((id, event)) = cloud.next.lock().await.recv().await else {
        return StatusCode::GONE.into_response();
    };
    let deadline = cloud.campus.campus.clock.now().timestamp_millis() + 30_000;
    let headers = [
        ("lambda-runtime-aws-request-id", id),
        ("lambda-runtime-deadline-ms", deadline.to_string()),
        (
            "lambda-runtime-invoked-function-arn",
            "arn:aws:lambda:eu-central-1:123456789012:function:function".to_owned(),
        ),
    ];
    (headers, Json(event)).into_response()
}

async fn not_started(body: String) -> StatusCode {
    eprintln!("the function did not start: {body}");
    StatusCode::ACCEPTED
}

async fn respond(
    State(cloud): State<Arc<RuntimeApi>>,
    Path(id): Path<String>,
    body: String,
) -> StatusCode {
    if let Some(sender) = cloud.pending.lock().await.remove(&id) {
        let _ = sender.send(serde_json::from_str(&body).unwrap_or_default());
    }
    StatusCode::ACCEPTED
}

async fn table(State(cloud): State<Arc<RuntimeApi>>, headers: HeaderMap, body: String) -> Response {
    let target = headers
        .get("x-amz-target")
        .and_then(|target| target.to_str().ok())
        .unwrap_or_default();
    let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
    let Reply::Response(status, body) = cloud
        .campus
        .campus
        .engine
        .call(&operation, body.as_bytes())
        .await
    else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (
        status,
        [("content-type", "application/x-amz-json-1.0")],
        body,
    )
        .into_response()
}

async fn send_email(State(cloud): State<Arc<RuntimeApi>>, Json(body): Json<Value>) -> Json<Value> {
    Json(json!({ "MessageId": cloud.campus.campus.mailbox.keep(&body).expect("a mailbox") }))
}

async fn put_image(
    State(cloud): State<Arc<RuntimeApi>>,
    Path(file): Path<String>,
    headers: HeaderMap,
    body: axum::body::Bytes,
) -> Response {
    cloud.images.lock().await.push((file, headers, body.len()));
    ([("etag", "\"test\"")], StatusCode::OK).into_response()
}

async fn delete_image(
    State(cloud): State<Arc<RuntimeApi>>,
    Path(file): Path<String>,
) -> StatusCode {
    cloud.images.lock().await.retain(|(name, ..)| *name != file);
    StatusCode::NO_CONTENT
}
