//! An embedded DynamoDB. The real SDK calls it in the same process, instead of over HTTP.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_lambda_events::event::dynamodb::EventRecord;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use dynoxide::{Database, DynoxideError};
use futures::future::BoxFuture;
use rusqlite::Connection;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::records;

/// The engine looks for the largest sequence number of its stream at each write, through all
/// records that it ever wrote. With an index it finds the number at once. As in template.yaml, only
/// mails and what belongs to clubs is delivered, so the other records need not be kept, and none
/// longer than a week. The sequence numbers are microseconds. The triggers are made anew, because
/// an earlier release may have made them otherwise; the `UPDATE` is for data of such a release,
/// too.
const STREAM: &str = "
    DROP TRIGGER IF EXISTS only_mails;
    DROP TRIGGER IF EXISTS only_delivered;
    UPDATE _tables SET stream_view_type = 'NEW_AND_OLD_IMAGES' WHERE stream_enabled = 1;
    CREATE INDEX IF NOT EXISTS stream_order
        ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
    CREATE TRIGGER only_delivered BEFORE INSERT ON _stream_records
        WHEN NEW.keys_json NOT LIKE '%OUTBOX#%' AND NEW.keys_json NOT LIKE '%APPLICATIONS#%'
            AND NEW.keys_json NOT LIKE '%SUBMISSIONS#%' AND NEW.keys_json NOT LIKE '%SLOT#%'
            AND NEW.keys_json NOT LIKE '%CLUBS#%' AND NEW.keys_json NOT LIKE '%\"CLUB#%'
            AND NEW.keys_json NOT LIKE '%DELIVERIES#%' AND NEW.keys_json NOT LIKE '%TICKETS#%'
        BEGIN SELECT RAISE(IGNORE); END;
    CREATE TRIGGER IF NOT EXISTS only_lately AFTER INSERT ON _stream_records
        BEGIN
            DELETE FROM _stream_records WHERE table_name = NEW.table_name
                AND CAST(sequence_number AS INTEGER)
                    < CAST(NEW.sequence_number AS INTEGER) - 604800000000;
        END;";

/// Databases in memory have different names, so that they stay apart.
static IN_MEMORY: AtomicU64 = AtomicU64::new(0);

/// The path of a new database in memory.
fn in_memory() -> String {
    let number = IN_MEMORY.fetch_add(1, Ordering::Relaxed);
    format!("file:/clubs-{number}?vfs=memdb")
}

/// Gets each call before the engine, for tests of slow and failing tables. If it returns `None`,
/// the engine executes the call.
pub type EngineHook = Arc<dyn Fn(Call) -> BoxFuture<'static, Option<Reply>> + Send + Sync>;

/// A call of the SDK.
#[derive(Debug, Clone)]
pub struct Call {
    engine: Engine,
    /// For example `PutItem`.
    pub operation: String,
    /// The request as JSON.
    pub body: Vec<u8>,
}

impl Call {
    /// Executes the call with this body.
    pub fn apply(&self, body: &[u8]) -> Reply {
        let (status, body) = self.engine.respond(&self.operation, body);
        Reply::Response(status, body)
    }
}

/// The result of a call.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Status and body of a response.
    Response(u16, String),
    /// The connection breaks before the response.
    Broken,
}

#[derive(Clone)]
pub struct Engine {
    database: Database,
    /// A connection to the engine's database, for the records of the stream.
    connection: Arc<Mutex<Connection>>,
    /// In memory, a reader would make a writer fail: one call goes after the other.
    one_at_a_time: bool,
    written: Arc<Notify>,
    hook: Option<EngineHook>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Engine")
    }
}

type EngineResult = Result<String, DynoxideError>;

impl Engine {
    /// An engine in memory. With this file system of `SQLite`, a write costs the same however large
    /// the table is; `mode=memory` looks through the whole table at each commit.
    pub fn memory() -> Result<Self, DynoxideError> {
        Self::new(&in_memory(), true)
    }

    /// An engine in memory with a copy of the present data, for tests that begin many times from
    /// the same state. What is written to one of the two later is not in the other.
    pub fn copy(&self) -> Result<Self, DynoxideError> {
        let path = in_memory();
        // A database in memory is deleted with its last connection, so one is opened first.
        let kept = Connection::open(&path);
        let _kept = kept.map_err(|error| DynoxideError::InternalServerError(error.to_string()))?;
        self.database.vacuum_into(&path)?;
        Self::new(&path, true)
    }

    /// An engine on disk. The file is created if it does not exist.
    pub fn open(path: &str) -> Result<Self, DynoxideError> {
        Self::new(path, false)
    }

    fn new(path: &str, one_at_a_time: bool) -> Result<Self, DynoxideError> {
        let database = Database::new(path)?;
        let storage =
            |error: rusqlite::Error| DynoxideError::InternalServerError(error.to_string());
        let connection = Connection::open(path).map_err(storage)?;
        connection.execute_batch(STREAM).map_err(storage)?;
        let engine = Self {
            database,
            connection: Arc::new(Mutex::new(connection)),
            one_at_a_time,
            written: Arc::default(),
            hook: None,
        };
        match engine.run(
            "CreateTable",
            crate::table::definition().to_string().as_bytes(),
        ) {
            Ok(_) | Err(DynoxideError::ResourceInUseException(_)) => {}
            Err(error) => return Err(error),
        }
        let ttl = json!({
            "TableName": crate::table::TABLE,
            "TimeToLiveSpecification": { "AttributeName": "ttl", "Enabled": true },
        });
        // This is refused if the table has this setting already.
        let _ = engine.run("UpdateTimeToLive", ttl.to_string().as_bytes());
        Ok(engine)
    }

    /// The same engine, behind a hook.
    #[must_use]
    pub fn hooked(&self, hook: EngineHook) -> Self {
        Self {
            hook: Some(hook),
            ..self.clone()
        }
    }

    /// Is notified after each write.
    pub fn written(&self) -> &Notify {
        &self.written
    }

    /// Executes one call of the DynamoDB API.
    pub async fn call(&self, operation: &str, body: &[u8]) -> Reply {
        if let Some(hook) = &self.hook {
            let call = Call {
                engine: Self {
                    hook: None,
                    ..self.clone()
                },
                operation: operation.to_owned(),
                body: body.to_vec(),
            };
            if let Some(reply) = hook(call).await {
                return reply;
            }
        }
        let (status, body) = self.respond(operation, body);
        Reply::Response(status, body)
    }

    fn respond(&self, operation: &str, body: &[u8]) -> (u16, String) {
        let respond = match self.run(operation, body) {
            Ok(text) => (200, text),
            Err(error) => {
                storage_error(&error).unwrap_or_else(|| (error.status_code(), error.to_json()))
            }
        };
        if !matches!(operation, "GetItem" | "BatchGetItem" | "Query") {
            self.written.notify_one();
        }
        respond
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// At most `most` records of the stream: those after the record with this number, or the first
    /// ones. Their time is that of the machine.
    pub(crate) fn records(
        &self,
        after: Option<&str>,
        most: usize,
    ) -> Result<Vec<EventRecord>, String> {
        let records = records::read(&self.connection(), after, most);
        records.map_err(|error| error.to_string())
    }

    fn run(&self, operation: &str, body: &[u8]) -> EngineResult {
        let db = &self.database;
        let _lock = self.one_at_a_time.then(|| self.connection());
        match operation {
            "GetItem" => typed(body, |r| db.get_item(r)),
            "BatchGetItem" => typed(body, |r| db.batch_get_item(r)),
            "Query" => typed(body, |r| db.query(r)),
            "PutItem" => typed(body, |r| db.put_item(r)),
            "UpdateItem" => typed(body, |r| db.update_item(r)),
            "DeleteItem" => typed(body, |r| db.delete_item(r)),
            "TransactWriteItems" => typed(body, |r| db.transact_write_items(r)),
            "BatchWriteItem" => typed(body, |r| db.batch_write_item(r)),
            "CreateTable" => typed(body, |r| db.create_table(r)),
            "UpdateTimeToLive" => typed(body, |r| db.update_time_to_live(r)),
            // Only tests and clubs-admin scan the table. The service never does.
            "Scan" => typed(body, |r| db.scan(r)),
            other => Err(DynoxideError::ValidationException(format!(
                "{other} is not supported here"
            ))),
        }
    }

    /// Executes a call in the engine itself, without the hook, and returns the answer as JSON.
    pub fn json(&self, operation: &str, body: &Value) -> Result<Value, DynoxideError> {
        let text = self.run(operation, body.to_string().as_bytes())?;
        serde_json::from_str(&text)
            .map_err(|error| DynoxideError::InternalServerError(error.to_string()))
    }
}

/// The response to an error of the storage that does not go by itself, in words for whoever runs
/// the service. It is no 5xx, which the SDK would try again for seconds. Nothing was stored.
fn storage_error(error: &DynoxideError) -> Option<(u16, String)> {
    const WORDS: [(&str, &str); 3] = [
        (
            "is full",
            "the disk of the data folder is full, or the table in memory has 1 GB: nothing is stored \
                until there is room",
        ),
        (
            "disk I/O error",
            "the disk of the data folder cannot be read or written",
        ),
        (
            "malformed",
            "the table in the data folder is damaged: move it away, or choose another folder with \
                --data-dir",
        ),
    ];
    let DynoxideError::InternalServerError(message) = error else {
        return None;
    };
    let (_, words) = WORDS.iter().find(|(part, _)| message.contains(part))?;
    let body =
        json!({ "__type": "com.amazonaws.dynamodb.v20120810#StorageError", "message": words });
    Some((400, body.to_string()))
}

fn typed<Q: DeserializeOwned, A: Serialize>(
    body: &[u8],
    run: impl FnOnce(Q) -> Result<A, DynoxideError>,
) -> EngineResult {
    let request = serde_json::from_slice(body)
        .map_err(|error| DynoxideError::SerializationException(error.to_string()))?;
    serde_json::to_string(&run(request)?)
        .map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

/// A response in the type that the SDK expects from its HTTP client.
pub(crate) fn respond(status: u16, body: String) -> Result<HttpResponse, ConnectorError> {
    let response = http::Response::builder()
        .status(status)
        .header("content-type", "application/x-amz-json-1.0")
        .body(SdkBody::from(body));
    let response = response.map_err(|error| ConnectorError::user(error.into()))?;
    HttpResponse::try_from(response).map_err(|error| ConnectorError::user(error.into()))
}

impl HttpConnector for Engine {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let engine = self.clone();
        HttpConnectorFuture::new(async move {
            let operation = request
                .headers()
                .get("x-amz-target")
                .and_then(|target| target.rsplit('.').next())
                .unwrap_or_default()
                .to_owned();
            let body = request.body().bytes().unwrap_or_default();
            match Self::call(&engine, &operation, body).await {
                Reply::Response(status, body) => respond(status, body),
                Reply::Broken => Err(ConnectorError::io("the connection broke".into())),
            }
        })
    }
}

impl HttpClient for Engine {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
