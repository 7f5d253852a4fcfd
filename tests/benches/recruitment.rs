//! Measures the local service over HTTP on the loopback interface. `cargo bench -p tests` prints
//! each figure with its target. If a figure misses its target, the run fails.

mod common;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use local::issuer::Subject;
use local::{Campus, Parts};
use serde_json::{Value, json};
use shared::time::{Clock as _, Timestamp};
use tokio::net::{TcpListener, TcpStream};

use common::{Connection, median};

const STUDENTS: usize = 2_000;

fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap_or_default();
    line.split_whitespace()
        .next()
        .and_then(|kb| kb.parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}

/// Opens an application with three questions. Returns its path, and a submission to it.
async fn open_form(
    client: &mut Connection,
    officer: &str,
    now: chrono::DateTime<chrono::Utc>,
) -> (String, Value) {
    client
        .created("/api/clubs/", officer, &json!({ "name": "Bench" }))
        .await;
    let at = |hours: i64| Timestamp::at(now + chrono::TimeDelta::hours(hours)).to_string();
    let body = json!({
        "name": "Fall",
        "is_active": true,
        "application_start_time": at(-1),
        "application_end_time": at(1),
        "result_release_time": at(2),
    });
    let application = client
        .created("/api/clubs/bench/applications/", officer, &body)
        .await;
    let path = format!("/api/clubs/bench/applications/{}/", application["id"]);
    let mut questions = Vec::new();
    for _ in 0..3 {
        questions.push(
            client
                .created(
                    &format!("{path}questions/"),
                    officer,
                    &json!({ "question_type": 1, "prompt": "Why would you like to join?" }),
                )
                .await,
        );
    }
    let answer =
        "I have wanted to do this since the fair in September, and I learn best by doing. "
            .repeat(2);
    let responses: Vec<Value> = questions
        .iter()
        .map(|question| json!({ "question": question["id"], "text": answer }))
        .collect();
    let submission = json!({ "responses": responses });
    (path, submission)
}

#[expect(
    clippy::too_many_lines,
    reason = "a list: one measurement after another"
)]
#[tokio::main]
async fn main() -> ExitCode {
    let campus = Arc::new(Campus::new(Parts::open(None).expect("parts")).expect("a campus"));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (router, served) = (campus.router.clone(), campus.clone());
    #[expect(
        clippy::disallowed_methods,
        reason = "a server of this benchmark, not of a function"
    )]
    tokio::spawn(async move {
        tokio::select! {
            done = std::future::IntoFuture::into_future(axum::serve(listener, router)) => done,
            () = served.stream.run(&*served.worker) => Ok(()),
        }
    });
    let token = |username: &str| {
        let subject = Subject {
            username: username.into(),
            email: Some(format!("{username}@uni.example")),
            ..Subject::default()
        };
        campus
            .issuer
            .token(&subject, campus.clock.now())
            .expect("a token")
            .0
    };
    let mut client = Connection(TcpStream::connect(address).await.expect("a connection"));
    let officer = token("officer");
    let (path, submission) = open_form(&mut client, &officer, campus.clock.now()).await;
    let tokens: Vec<String> = (0..STUDENTS)
        .map(|n| token(&format!("student{n}")))
        .collect();

    // Half of the students read the form first, as people usually do. For the others, submitting is
    // the first request, so their profile is stored with it.
    let (mut submits, mut first_requests) = (Vec::new(), Vec::new());
    for (n, token) in tokens.iter().enumerate() {
        let known = n % 2 == 0;
        if known {
            assert_eq!(client.call("GET", &path, token, &Value::Null).await.0, 200);
        }
        let began = Instant::now();
        client
            .created(&format!("{path}submissions/"), token, &submission)
            .await;
        (if known {
            &mut submits
        } else {
            &mut first_requests
        })
        .push(began.elapsed());
    }
    let mut medians = Vec::new();
    for encoding in ["identity", "gzip", "br"] {
        let (mut times, mut size) = (Vec::new(), 0);
        for _ in 0..9 {
            let began = Instant::now();
            let list = format!("GET {path}submissions/ HTTP/1.1\r\naccept-encoding: {encoding}");
            let (status, bytes) = client.send(&list, &officer, "").await;
            times.push(began.elapsed());
            assert_eq!(status, 200, "{}", String::from_utf8_lossy(&bytes));
            size = bytes.len();
        }
        medians.push(median(&mut times));
        println!(
            "list of {STUDENTS} submissions, {encoding}, {} KB: median {:.2?} (target: under 150 \
             ms)",
            size / 1024,
            median(&mut times)
        );
    }
    let (submit, list, resident) = (
        median(&mut submits),
        medians.into_iter().max().unwrap_or_default(),
        resident_mb(),
    );
    println!(
        "submit: median {submit:.2?} (target: under 2 ms), p99 {:.2?}",
        submits[submits.len() * 99 / 100]
    );
    println!(
        "submit as the first request of a person: median {:.2?}",
        median(&mut first_requests)
    );
    println!("resident memory, service and client: {resident} MB (target: under 120 MB)");
    let good =
        submit < Duration::from_millis(2) && list < Duration::from_millis(150) && resident < 120;
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
