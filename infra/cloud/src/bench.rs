//! Requests whose cost is measured, one after the other.

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
pub(crate) const ANSWERS: usize = 18;

pub(crate) const MEMBERS: usize = 300;

pub(crate) const CLUBS: usize = 200;

pub(crate) const EVENTS: usize = 500;

/// How often each operation is done before it is measured.
const WARM_UP: usize = 3;

pub(crate) struct Bench<'a> {
    cloud: &'a Cloud,
    processes: BTreeMap<&'static str, Process>,
    /// How often each operation is measured. Medians are printed.
    pub(crate) times: usize,
    /// Only operations whose name contains this are measured.
    pub(crate) only: &'a str,
    /// The token of each person. A client sends the same one until it expires.
    tokens: HashMap<String, String>,
}

impl<'a> Bench<'a> {
    /// Starts these functions.
    pub(crate) async fn start(
        cloud: &'a Cloud,
        built: &Path,
        names: &[&'static str],
    ) -> Result<Self, Error> {
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

    pub(crate) async fn end(self) -> Result<(), Error> {
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
    pub(crate) async fn call(
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
    pub(crate) async fn measure(&mut self, row: &Row<'_>) -> Result<(), Error> {
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
pub(crate) struct Row<'a> {
    pub(crate) name: &'a str,
    pub(crate) function: &'static str,
    pub(crate) username: &'a str,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) body: &'a dyn Fn(usize) -> Value,
    pub(crate) gzip: bool,
}

fn median(mut all: Vec<Duration>) -> f64 {
    all.sort();
    all[all.len() / 2].as_secs_f64() * 1_000.0
}

pub(crate) fn hours(hours: i64) -> String {
    (SystemClock.now() + TimeDelta::hours(hours)).to_rfc3339_opts(SecondsFormat::Secs, true)
}
