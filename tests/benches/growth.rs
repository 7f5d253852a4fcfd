//! How the local service behaves as an application grows: submissions of 9 KB, slices of the list,
//! and 16 clients at once. `cargo bench -p tests --bench growth`.

mod common;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{Connection, median};
use local::issuer::Subject;
use local::{Campus, Parts};
use serde_json::{Value, json};
use shared::domain::{Answered, Application, Submission, SubmissionQuery};
use shared::ids::Id;
use shared::time::{Clock as _, Timestamp};
use tokio::net::{TcpListener, TcpStream};

/// Submissions that are stored when the times are taken.
const SIZES: [u64; 4] = [100, 1_000, 5_000, 20_000];
const QUESTIONS: usize = 18;
const SAMPLES: u64 = 60;
const CLIENTS: u64 = 16;

struct Bench {
    campus: Arc<Campus>,
    address: std::net::SocketAddr,
    officer: String,
    /// `/api/clubs/bench/applications/…/submissions/`
    path: String,
    application: Id<Application>,
    body: Value,
}

impl Bench {
    async fn start() -> Self {
        let campus = Arc::new(Campus::new(Parts::open(None).expect("parts")).expect("a campus"));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = campus.router.clone();
        #[expect(
            clippy::disallowed_methods,
            reason = "a server of this benchmark, not of a function"
        )]
        tokio::spawn(std::future::IntoFuture::into_future(axum::serve(
            listener, router,
        )));
        let mut bench = Self {
            campus,
            address,
            officer: String::new(),
            path: String::new(),
            application: Id::new(0),
            body: Value::Null,
        };
        bench.officer = bench.token("officer");
        let mut client = bench.connect().await;
        let now = bench.campus.clock.now();
        let at = |hours: i64| Timestamp::at(now + chrono::TimeDelta::hours(hours)).to_string();
        let officer = bench.officer.clone();
        client
            .created("/api/clubs/", &officer, &json!({ "name": "Bench" }))
            .await;
        let application = json!({
            "name": "Fall",
            "is_active": true,
            "application_start_time": at(-1),
            "application_end_time": at(24),
            "result_release_time": at(48),
        });
        let list = "/api/clubs/bench/applications/";
        let application = client.created(list, &officer, &application).await;
        let path = format!("{list}{}/", application["id"]);
        let mut responses = Vec::new();
        for n in 0..QUESTIONS {
            let question = json!({ "question_type": 1, "prompt": format!("Question {n}?") });
            let questions = format!("{path}questions/");
            let question = client.created(&questions, &officer, &question).await;
            let text = "I learn best by doing, and I have an idea for the next one. ".repeat(8);
            responses.push(json!({ "question": question["id"], "text": text }));
        }
        bench.body = json!({ "responses": responses });
        bench.application = Id::new(application["id"].as_u64().unwrap_or_default());
        bench.path = format!("{path}submissions/");
        bench
    }

    async fn connect(&self) -> Connection {
        Connection(
            TcpStream::connect(self.address)
                .await
                .expect("a connection"),
        )
    }

    fn token(&self, username: &str) -> String {
        let subject = Subject {
            username: username.into(),
            email: Some(format!("{username}@uni.example")),
            ..Subject::default()
        };
        let token = self.campus.issuer.token(&subject, self.campus.clock.now());
        token.expect("a token").0
    }

    /// Submits for a new student and returns the time that it took.
    async fn submit(&self, client: &mut Connection, student: &str) -> Duration {
        let token = self.token(student);
        let began = Instant::now();
        client.created(&self.path, &token, &self.body).await;
        began.elapsed()
    }

    /// Stores copies of a submission until there are `wanted`.
    async fn fill(&self, from: u64, wanted: u64) {
        let table = &self.campus.app.table;
        let newest = SubmissionQuery {
            limit: Some(1),
            ..SubmissionQuery::ALL
        };
        let found = table.submissions(self.application, &newest).await;
        let found = table.answered(found.expect("a table").submissions).await;
        let first = found.expect("a table").remove(0);
        let copies = (from..wanted).map(|n| Answered {
            submission: Submission {
                id: Submission::id_of(self.application, Id::new(n + 1), None),
                person: Some(Id::new(n + 1)),
                sequence: first.sequence + n,
                ..first.submission.clone()
            },
            answers: first.answers.clone(),
        });
        let copies: Vec<Answered> = copies.collect();
        for part in copies.chunks(500) {
            table.load_answered(part).await.expect("a table");
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let bench = Arc::new(Bench::start().await);
    let mut client = bench.connect().await;
    let mut stored = 0;
    let mut medians = Vec::new();
    println!("| Stored | submit | `limit=50` | 16 clients |\n|---:|---:|---:|---:|");
    for size in SIZES {
        bench.submit(&mut client, &format!("first{size}")).await;
        bench.fill(stored, size).await;
        stored = size;
        let mut submits = Vec::new();
        for n in 0..SAMPLES {
            submits.push(bench.submit(&mut client, &format!("one{size}-{n}")).await);
        }
        let mut slices = Vec::new();
        for _ in 0..15 {
            let slice = format!("{}?limit=50", bench.path);
            let began = Instant::now();
            let (status, _) = client
                .call("GET", &slice, &bench.officer, &Value::Null)
                .await;
            assert_eq!(status, 200);
            slices.push(began.elapsed());
        }
        let began = Instant::now();
        let all = (0..CLIENTS).map(async |c| {
            let mut client = bench.connect().await;
            for n in 0..20 {
                bench
                    .submit(&mut client, &format!("many{size}-{c}-{n}"))
                    .await;
            }
        });
        futures::future::join_all(all).await;
        let rate =
            f64::from(20 * u32::try_from(CLIENTS).unwrap_or(1)) / began.elapsed().as_secs_f64();
        let (submit, slice) = (median(&mut submits), median(&mut slices));
        println!("| {size} | {submit:.2?} | {slice:.2?} | {rate:.0} a second |");
        medians.push(submit);
    }
    // Twice as slow would be growth; less is noise.
    let grows = medians.last() > medians.first().map(|first| *first * 2).as_ref();
    if grows {
        println!("a submission gets slower with the number of submissions");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
