//! `docs/costs.md`: calls of DynamoDB, sequential rounds and capacity units of each operation, as
//! the engine counts them. The requests are the rows of `tests/src/operations`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::TimeDelta;
use http::Method;
use local::queues::{MAILS, WEBHOOKS};
use serde_json::{Value, json};
use shared::db::Usage;
use tests::operations;
use tests::receiver::Instant;
use tests::scene::Scene;
use tests::template::table_actions;
use tests::{Response, Setup, TestCampus};

/// Duration of each call of the table. Only these calls move the paused tokio clock, so the elapsed
/// time divided by it is the number of rounds.
const LATENCY: Duration = Duration::from_millis(10);

/// A row of the table.
struct Row {
    operation: &'static str,
    usage: Usage,
    rounds: u128,
}

/// The actions of each function, with their table or index.
type Rights = BTreeMap<String, BTreeSet<(String, String)>>;

/// The function that is running, and the actions of all functions so far.
type Witness = Arc<Mutex<(Option<String>, Rights)>>;

/// A campus whose requests are measured.
struct Prices {
    campus: TestCampus,
    rows: Vec<Row>,
    /// The function that serves each operation.
    serves: BTreeMap<String, &'static str>,
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
async fn timed<F: Future>(work: F) -> (F::Output, u128) {
    let began = tokio::time::Instant::now();
    let output = work.await;
    (output, began.elapsed().as_millis() / LATENCY.as_millis())
}

impl Prices {
    /// Prices on a new campus.
    fn new(witness: &Witness) -> Self {
        Self {
            campus: setup(witness).build(),
            rows: vec![],
            serves: serves(),
            witness: witness.clone(),
        }
    }

    /// Says which function works from now on, or that none does.
    fn serving(&self, function: Option<&str>) {
        let mut seen = self.witness.lock().unwrap_or_else(PoisonError::into_inner);
        seen.0 = function.map(str::to_owned);
    }

    /// Measures a request.
    async fn measure(
        &mut self,
        operation: &'static str,
        request: impl Future<Output = Response>,
    ) -> Value {
        self.serving(self.serves.get(operation).copied());
        let (response, rounds) = timed(request).await;
        self.serving(None);
        let is_done = response.status.is_success() || response.status.is_redirection();
        assert!(is_done, "{operation}: {}", response.text());
        self.rows.push(Row {
            operation,
            usage: response.usage,
            rounds,
        });
        response.json()
    }

    /// Measures what a function without routes does.
    async fn work<T>(
        &mut self,
        operation: &'static str,
        function: &str,
        work: impl AsyncFnOnce(&TestCampus) -> T,
    ) -> T {
        let table = self.campus.campus.app.table.clone();
        let before = table.usage();
        self.serving(Some(function));
        let (done, rounds) = timed(Box::pin(work(&self.campus))).await;
        self.serving(None);
        let now = table.usage();
        let usage = Usage {
            calls: now.calls - before.calls,
            read_units: now.read_units - before.read_units,
            write_units: now.write_units - before.write_units,
            mails: now.mails - before.mails,
        };
        self.rows.push(Row {
            operation,
            usage,
            rounds,
        });
        done
    }
}

/// The usual request of each operation. What is read is in memory where functions keep it.
async fn usual(witness: &Witness) -> Vec<Row> {
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
        p.measure(operation.id, scene.send(&operation, caller))
            .await;
        if !reads {
            scene = again().await;
        }
    }
    p.rows
}

/// The function that serves each operation.
fn serves() -> BTreeMap<String, &'static str> {
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

/// One run of each function without routes: a submission and a decision about it become changes, a
/// call of a webhook, a mail, and the report about it. The timer runs for the first time, and has
/// nothing to do; then it erases the applicant.
async fn workers(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let recruitment = p.campus.recruitment("chess").await;
    let webhook = json!({ "url": "https://chat.example/204", "types": ["submission.created"] });
    let webhooks = "/api/clubs/chess/webhooks/";
    recruitment.officer.post(webhooks, webhook).await.created();
    p.campus.list_changes().await;
    let submission = recruitment.submit(&p.campus.as_("sue")).await;

    let list = async |there: &TestCampus| there.list_changes().await;
    p.work("(changes)", "Changes", list).await;
    let call = async |there: &TestCampus| {
        let (queues, dispatcher) = (&there.campus.queues, &*there.campus.dispatcher);
        queues.deliver(WEBHOOKS, dispatcher).await
    };
    assert!(p.work("(webhooks)", "Webhooks", call).await);
    let tick = async |there: &TestCampus| there.campus.ticker.tick().await;
    let done = p.work("(timer)", "Notices", tick).await;
    done.expect("a table");

    recruitment.decide(&submission, 4, "").await;
    recruitment.send("acceptance", json!({})).await.ok();
    p.campus.list_changes().await;
    let send = async |there: &TestCampus| {
        there
            .campus
            .queues
            .deliver(MAILS, &*there.campus.worker)
            .await
    };
    assert!(p.work("(mailer)", "Mailer", send).await);
    let report = async |there: &TestCampus| there.report().await;
    Box::pin(p.work("(mail reports)", "MailReports", report)).await;

    let sue = p.campus.as_("sue");
    sue.delete("/api/settings/").await.accepted();
    p.campus.advance(TimeDelta::seconds(5));
    let done = p.work("(erasure)", "Notices", tick).await;
    done.expect("a table");
    p.rows
}

fn document(rows: &[Row]) -> String {
    let mut text = "# Calls and units\n\n\
        What each operation costs in the table, measured by a test on the embedded engine, which\n\
        counts capacity as DynamoDB documents it. `cargo bless` writes this page again; the test\n\
        fails if a figure changes. The request is the row of the operation in\n\
        `tests/src/operations`. Functions are warm, and the profile of the caller is cached.\n\
        *Rounds* are calls that wait for each other: a round takes about 5 ms. A strongly\n\
        consistent read costs 1 unit for 4 KB. A write costs 1 unit for 1 KB, twice that in a\n\
        transaction, and 1 unit more for each index entry that is made, moved or removed.\n\
        Neighbours with the same figures share a row.\n\n\
        | Operation | Calls | Rounds | Read units | Write units |\n|---|---:|---:|---:|---:|\n"
        .to_owned();
    let figures = |row: &Row| {
        let usage = row.usage;
        format!(
            "{} | {} | {} | {}",
            usage.calls, row.rounds, usage.read_units, usage.write_units
        )
    };
    for same in rows.chunk_by(|one, next| figures(one) == figures(next)) {
        let names: Vec<&str> = same.iter().map(|row| row.operation).collect();
        let _ = writeln!(text, "| {} | {} |", names.join(", "), figures(&same[0]));
    }
    text
}

// proves O3, O4
#[tokio::test(start_paused = true)]
async fn calls_and_units_of_each_operation_are_measured() {
    let witness = Witness::default();
    let mut rows = usual(&witness).await;
    rows.extend(Box::pin(workers(&witness)).await);
    // The rows of an operation stand together.
    let order: Vec<&str> = operations::all().iter().map(|one| one.id).collect();
    rows.sort_by_key(|row| {
        let position = order.iter().position(|id| *id == row.operation);
        position.unwrap_or(order.len())
    });
    let rights = std::mem::take(&mut witness.lock().unwrap_or_else(PoisonError::into_inner).1);
    super::template::compare_rights(&rights);
    super::check("docs/costs.md", &document(&rows));
}
