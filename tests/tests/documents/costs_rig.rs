//! How prices are measured: the calls of a request, their rounds, and the rights that they need.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use shared::db::usage::Usage;
use tests::operations::{self, documented};
use tests::receiver::Instant;
use tests::scene::Scene;
use tests::template::table_actions;
use tests::{Client, Response, Setup, TestCampus};

/// Duration of each call of the table. Only these calls move the paused tokio clock, so the elapsed
/// time divided by it is the number of rounds.
const LATENCY: Duration = Duration::from_millis(10);

/// A line of the price list.
pub(super) struct Row {
    pub(super) operation: &'static str,
    /// What is special about the request. Empty for the usual one.
    pub(super) note: &'static str,
    pub(super) usage: Usage,
    pub(super) rounds: u128,
}

/// The actions of each function, with their table or index.
pub(super) type Rights = BTreeMap<String, BTreeSet<(String, String)>>;

/// The function that is running, and the actions of all functions so far.
pub(super) type Witness = Arc<Mutex<(Option<String>, Rights)>>;

/// A campus whose requests are measured.
pub(super) struct Prices {
    pub(super) campus: TestCampus,
    pub(super) rows: Vec<Row>,
    /// The function that serves each operation.
    serves: BTreeMap<String, &'static str>,
    methods: BTreeMap<String, Method>,
    witness: Witness,
}

fn setup(witness: &Witness) -> Setup {
    let witness = witness.clone();
    let hook = move |operation: &str, body: &[u8]| {
        let mut seen = witness.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(function), rights) = &mut *seen {
            let body = serde_json::from_slice(body).unwrap_or_default();
            let rights = rights.entry(function.clone()).or_default();
            rights.extend(table_actions(operation, &body));
        }
        Box::pin(async {
            tokio::time::sleep(LATENCY).await;
            None
        }) as futures::future::BoxFuture<'static, _>
    };
    let setup = Setup::default().table(Arc::new(hook));
    setup.instant_receivers(&Instant::default())
}

/// Waits for `work`, and counts its rounds.
pub(super) async fn timed<F: Future>(work: F) -> (F::Output, u128) {
    let began = tokio::time::Instant::now();
    let output = work.await;
    (output, began.elapsed().as_millis() / LATENCY.as_millis())
}

impl Prices {
    /// Prices on a new campus.
    pub(super) fn new(witness: &Witness) -> Self {
        let methods = documented().into_iter();
        Self {
            campus: setup(witness).build(),
            rows: vec![],
            serves: serves(),
            methods: methods.map(|(id, (method, _))| (id, method)).collect(),
            witness: witness.clone(),
        }
    }

    /// Says which function works from now on, or that none does.
    pub(super) fn serving(&self, function: Option<&str>) {
        let mut seen = self.witness.lock().unwrap_or_else(PoisonError::into_inner);
        seen.0 = function.map(str::to_owned);
    }

    /// Measures a request.
    async fn measure(
        &mut self,
        operation: &'static str,
        note: &'static str,
        request: impl Future<Output = Response>,
    ) -> Value {
        self.serving(self.serves.get(operation).copied());
        let (answer, rounds) = timed(request).await;
        self.serving(None);
        let is_done = answer.status.is_success() || answer.status.is_redirection();
        assert!(is_done, "{operation}: {}", answer.text());
        self.rows.push(Row {
            operation,
            note,
            usage: answer.usage,
            rounds,
        });
        answer.json()
    }

    /// Measures a request with a body, or with none if it is null. Returns the answer.
    pub(super) async fn row(
        &mut self,
        operation: &'static str,
        note: &'static str,
        client: &Client,
        path: &str,
        body: Value,
    ) -> Value {
        let method = self.methods[operation].clone();
        let body = Some(body).filter(|body| !body.is_null());
        self.measure(operation, note, client.send(method, path, body))
            .await
    }

    /// Measures a request without a body. Returns the answer.
    pub(super) async fn get(
        &mut self,
        operation: &'static str,
        note: &'static str,
        client: &Client,
        path: &str,
    ) -> Value {
        self.row(operation, note, client, path, Value::Null).await
    }

    /// Adds a row that was measured elsewhere.
    pub(super) fn add(
        &mut self,
        operation: &'static str,
        note: &'static str,
        usage: Usage,
        rounds: u128,
    ) {
        self.rows.push(Row {
            operation,
            note,
            usage,
            rounds,
        });
    }
}

/// The usual request of each operation. What is read is in memory where functions keep it.
pub(super) async fn usual(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let first = Scene::on(setup(witness).build()).await;
    let again = async || {
        let scene = first.again(setup(witness)).await;
        scene.warm().await;
        scene
    };
    let mut scene = again().await;
    for operation in operations::once() {
        let caller = &scene.callers[operation.caller()];
        caller.get("/api/settings/").await;
        // Reads leave the campus as it is.
        let reads = operation.method == Method::GET;
        if reads {
            scene.send(&operation, caller).await;
        }
        p.measure(operation.id, "", scene.send(&operation, caller))
            .await;
        if !reads {
            scene = again().await;
        }
    }
    p.rows
}

/// The function that serves each operation.
pub(super) fn serves() -> BTreeMap<String, &'static str> {
    let operations = |(function, routes): local::Group| {
        let document = json!(routes().split_for_parts().1);
        let items: Vec<Value> = document["paths"]
            .as_object()
            .into_iter()
            .flat_map(|paths| paths.values().cloned())
            .collect();
        let ids = items
            .into_iter()
            .flat_map(|item| item.as_object().cloned().unwrap_or_default());
        ids.map(move |(_, operation)| {
            let id = operation["operationId"].as_str().unwrap_or_default();
            (id.to_owned(), function)
        })
        .collect::<Vec<_>>()
    };
    local::GROUPS.into_iter().flat_map(operations).collect()
}
