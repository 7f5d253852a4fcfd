//! Measures functions at work: what officers and students wait for, with data of a real size. The
//! time of the table's engine is not in the processor time, because it is another process.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use chrono::{SecondsFormat, TimeDelta};
use local::issuer::Subject;
use serde_json::{Value, json};
use shared::time::{Clock as _, SystemClock};

use crate::process::Process;
use crate::{Cloud, Error};

/// Each submission has this many answers, together 12 KB.
const ANSWERS: usize = 18;
const MEMBERS: usize = 300;
const CLUBS: usize = 200;
const EVENTS: usize = 500;
/// How often each operation is done before it is measured.
const WARM_UP: usize = 3;

struct Bench<'a> {
    cloud: &'a Cloud,
    processes: BTreeMap<&'static str, Process>,
    /// How often each operation is measured. Medians are printed.
    times: usize,
    /// Only operations whose name contains this are measured.
    only: &'a str,
    /// The token of each person. A client sends the same one until it expires.
    tokens: HashMap<String, String>,
}

impl<'a> Bench<'a> {
    /// Starts these functions.
    async fn start(cloud: &'a Cloud, built: &Path, names: &[&'static str]) -> Result<Self, Error> {
        let mut processes = BTreeMap::new();
        for name in names {
            let bootstrap = std::path::absolute(tests::template::bootstrap(built, name))?;
            let function = &cloud.functions[*name].function;
            let mut process = Process::start(function, &bootstrap, cloud.services.table()).await?;
            process.ready().await?;
            processes.insert(*name, process);
        }
        Ok(Self {
            cloud,
            processes,
            times: 1,
            only: "",
            tokens: HashMap::new(),
        })
    }

    async fn end(self) -> Result<(), Error> {
        for (_, process) in self.processes {
            process.end().await?;
        }
        Ok(())
    }

    fn token(&mut self, username: &str) -> Result<String, Error> {
        if let Some(token) = self.tokens.get(username) {
            return Ok(token.clone());
        }
        let subject = Subject {
            username: username.into(),
            email: Some(format!("{username}@uni.example")),
            name: Some(format!("{username} of the University")),
            groups: if username == "root" {
                vec!["clubs-admin".into()]
            } else {
                Vec::new()
            },
            ..Subject::default()
        };
        let token = self.cloud.token(&subject)?;
        self.tokens.insert(username.to_owned(), token.clone());
        Ok(token)
    }

    fn event(
        &mut self,
        username: &str,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<Value, Error> {
        let token = self.token(username)?;
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let now = SystemClock.now().timestamp_millis();
        let mut event = tests::lambda::event(method, path, &token, now);
        let pairs: Vec<(&str, &str)> = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .collect();
        if !pairs.is_empty() {
            event["queryStringParameters"] = pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), json!(value)))
                .collect();
            event["multiValueQueryStringParameters"] = pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), json!([value])))
                .collect();
        }
        if !body.is_null() {
            tests::lambda::header(&mut event, "Content-Type", "application/json");
            event["body"] = json!(body.to_string());
        }
        Ok(event)
    }

    /// Sends a request that must succeed, and returns the body of the answer.
    async fn call(
        &mut self,
        function: &str,
        username: &str,
        method: &str,
        path: &str,
        body: Value,
    ) -> Result<Value, Error> {
        let event = self.event(username, method, path, &body)?;
        let process = self.processes.get_mut(function).ok_or("no such function")?;
        let answer = process.invoke(event).await?.answer;
        if answer["statusCode"]
            .as_u64()
            .is_none_or(|status| status >= 400)
        {
            return Err(format!("{method} {path}: {answer}").into());
        }
        Ok(serde_json::from_str(answer["body"].as_str().unwrap_or_default()).unwrap_or_default())
    }

    /// Prints a row: the median of the time and of the processor time of an operation.
    async fn measure(&mut self, row: &Row<'_>) -> Result<(), Error> {
        if !row.name.contains(self.only) {
            return Ok(());
        }
        let (mut times, mut cpus) = (Vec::new(), Vec::new());
        for n in 0..self.times + WARM_UP {
            let username = row.username.replace("{n}", &format!("late{n}"));
            let mut event = self.event(&username, row.method, row.path, &(row.body)(n))?;
            if row.gzip {
                tests::lambda::header(&mut event, "Accept-Encoding", "gzip");
            }
            let process = self
                .processes
                .get_mut(row.function)
                .ok_or("no such function")?;
            let before = process.cpu()?;
            let invoked = process.invoke(event).await?;
            let after = process.cpu()?;
            if invoked.answer["statusCode"]
                .as_u64()
                .is_none_or(|status| status >= 400)
            {
                return Err(format!("{}: {}", row.name, invoked.answer).into());
            }
            if n >= WARM_UP {
                times.push(invoked.time);
                cpus.push(after.saturating_sub(before));
            }
        }
        let peak = self.processes[row.function].peak_mb()?;
        println!(
            "| {} | {:.1} | {:.1} | {peak:.0} |",
            row.name,
            median(times),
            median(cpus)
        );
        Ok(())
    }
}

/// An operation to measure.
struct Row<'a> {
    name: &'a str,
    function: &'static str,
    username: &'a str,
    method: &'a str,
    path: &'a str,
    body: &'a dyn Fn(usize) -> Value,
    gzip: bool,
}

fn median(mut all: Vec<Duration>) -> f64 {
    all.sort();
    all[all.len() / 2].as_secs_f64() * 1_000.0
}

fn hours(hours: i64) -> String {
    (SystemClock.now() + TimeDelta::hours(hours)).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Fills the table through the functions, and prints one table of all operations.
pub async fn run(
    cloud: &Cloud,
    built: &Path,
    submissions: usize,
    times: usize,
    only: &str,
) -> Result<(), Error> {
    let names = [
        "Clubs",
        "Applications",
        "Submissions",
        "Memberships",
        "Events",
    ];
    let mut bench = Bench::start(cloud, built, &names).await?;
    (bench.times, bench.only) = (times, only);
    fill_catalogue(&mut bench).await?;
    let (application, submission, answers) = fill_club(&mut bench, submissions).await?;
    measure_all(&mut bench, &application, submission, &answers).await?;
    bench.end().await
}

/// Stores 200 clubs with 500 events through the functions.
pub async fn store_catalogue(cloud: &Cloud, built: &Path) -> Result<(), Error> {
    let mut bench = Bench::start(cloud, built, &["Clubs", "Events"]).await?;
    fill_catalogue(&mut bench).await?;
    bench.end().await
}

/// Measures every operation, and prints the table.
async fn measure_all(
    bench: &mut Bench<'_>,
    application: &str,
    submission: u64,
    answers: &Value,
) -> Result<(), Error> {
    let list = format!("{application}submissions/");
    let hundred = format!("{list}?limit=100");
    let fifty = format!("{list}?limit=50");
    let send = format!("{application}send_emails/");
    let decision = format!("{list}{submission}/");
    let none = |_: usize| Value::Null;
    let get = |name, function, path, gzip| Row {
        name,
        function,
        username: "ada",
        method: "GET",
        path,
        body: &none,
        gzip,
    };
    let submit = |_: usize| answers.clone();
    let decide = |n: usize| json!({ "status": n % 4 + 1, "reason": "Thank you." });
    let dry = |_: usize| json!({ "email_type": { "id": "acceptance" }, "dry_run": true });
    println!(
        "| Operation | Time (ms) | Processor (ms) | Peak of the function (MB) |\n\
         |---|---:|---:|---:|"
    );
    for row in [
        get(
            "300 members",
            "Memberships",
            "/api/clubs/chess/members/",
            false,
        ),
        get(
            "page of 25 of 200 clubs",
            "Clubs",
            "/api/clubs/?page_size=25",
            false,
        ),
        get(
            "page of 25 of 500 events",
            "Events",
            "/api/events/?page_size=25",
            false,
        ),
        get("50 submissions of all", "Submissions", &fifty, false),
        get("100 submissions of all", "Submissions", &hundred, false),
        get("all submissions, gzip", "Submissions", &list, true),
        Row {
            name: "dry run of all mails",
            function: "Submissions",
            username: "ada",
            method: "POST",
            path: &send,
            body: &dry,
            gzip: false,
        },
        Row {
            name: "a decision",
            function: "Submissions",
            username: "ada",
            method: "PATCH",
            path: &decision,
            body: &decide,
            gzip: false,
        },
        Row {
            name: "a submission",
            function: "Submissions",
            username: "{n}",
            method: "POST",
            path: &list,
            body: &submit,
            gzip: false,
        },
    ] {
        bench.measure(&row).await?;
    }
    Ok(())
}

/// Clubs with descriptions, and events of them.
async fn fill_catalogue(bench: &mut Bench<'_>) -> Result<(), Error> {
    for n in 0..CLUBS {
        let body = json!({
            "name": format!("Club {n}"),
            "code": format!("club-{n}"),
            "description": "<p>What we do. </p>".repeat(40),
        });
        bench
            .call("Clubs", "root", "POST", "/api/clubs/", body)
            .await?;
    }
    for n in 0..EVENTS {
        let body = json!({
            "name": format!("Event {n}"),
            "description": "<p>What happens. </p>".repeat(20),
            "showings": [{
                "start_time": hours(24),
                "end_time": hours(26),
                "location": "Main hall",
            }],
        });
        let path = format!("/api/clubs/club-{}/events/", n % CLUBS);
        bench.call("Events", "root", "POST", &path, body).await?;
    }
    Ok(())
}

/// A club with members and an application with decided submissions: the path of the application,
/// the id of a submission, and what one person submits.
async fn fill_club(
    bench: &mut Bench<'_>,
    submissions: usize,
) -> Result<(String, u64, Value), Error> {
    let body = json!({ "name": "Chess", "code": "chess" });
    bench
        .call("Clubs", "ada", "POST", "/api/clubs/", body)
        .await?;
    for n in 0..MEMBERS {
        let person = bench
            .call(
                "Memberships",
                &format!("member{n}"),
                "GET",
                "/api/settings/",
                Value::Null,
            )
            .await?;
        bench
            .call(
                "Memberships",
                "ada",
                "POST",
                "/api/clubs/chess/members/",
                json!({ "person": person["id"] }),
            )
            .await?;
    }
    let body = json!({
        "name": "Autumn", "is_active": true, "committees": [],
        "application_start_time": hours(-1),
        "application_end_time": hours(24),
        "result_release_time": hours(48),
    });
    let application = bench
        .call(
            "Applications",
            "ada",
            "POST",
            "/api/clubs/chess/applications/",
            body,
        )
        .await?;
    let path = format!("/api/clubs/chess/applications/{}/", application["id"]);
    let mut responses = Vec::new();
    for n in 0..ANSWERS {
        let body =
            json!({ "prompt": format!("Question {n}: what do you think?"), "question_type": 1 });
        let question = bench
            .call(
                "Applications",
                "ada",
                "POST",
                &format!("{path}questions/"),
                body,
            )
            .await?;
        responses.push(
            json!({ "question": question["id"], "text": "I think about this often. ".repeat(25) }),
        );
    }
    let submission = json!({ "committee": null, "responses": responses });
    let mut ids = Vec::new();
    for n in 0..submissions {
        let username = format!("student{n}");
        let list = format!("{path}submissions/");
        let body = submission.clone();
        let made = bench
            .call("Submissions", &username, "POST", &list, body)
            .await?;
        ids.push(made["id"].as_u64().unwrap_or_default());
    }
    // Everybody is accepted, so that a dry run has all mails.
    for some in ids.chunks(50) {
        let body = json!({ "status": 4, "submissions": some });
        bench
            .call(
                "Submissions",
                "ada",
                "POST",
                &format!("{path}submissions/status/"),
                body,
            )
            .await?;
    }
    Ok((path, ids[0], submission))
}
