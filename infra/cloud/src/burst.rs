//! A bad last minute before a deadline. A thousand students submit within 60 seconds, a tenth of
//! the table's calls fails, and functions are killed. Some students send twice, and all try again
//! until they get a response. At the end, everything that was answered with success must be stored.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use futures::future::join_all;
use http::Method;
use serde_json::{Value, json};
use shared::time::{Clock as _, SystemClock};
use tests::Response;
use tests::fixtures::id;

use crate::caller::{Caller, caller};
use crate::checks::check_table;
use crate::{Cloud, Error, feed};

#[derive(Debug, Clone, Copy)]
pub struct Burst {
    pub students: usize,
    /// All students submit within this time.
    pub seconds: u64,
    /// How many of a thousand calls of the table fail.
    pub per_mille: u64,
    /// How often all functions are killed.
    pub kills: u32,
}

/// What was asked for, and how often it had to be sent again.
#[derive(Default)]
pub(crate) struct Tally {
    requests: AtomicU64,
    /// Answers with 429 or 5xx, after which the request was sent again.
    unanswered: AtomicU64,
    /// Milliseconds from the first request to the response, for each student.
    took: Mutex<Vec<u128>>,
}

impl Tally {
    /// The names of what [`Tally::row`] says.
    pub(crate) const COLUMNS: &str =
        "Requests | Faults | Environments killed | Sent again | Median | 99th percentile";

    /// How many requests there were, what they met, and how long people waited.
    pub(crate) fn row(&self, faults: u64, killed: usize) -> String {
        let mut took = self
            .took
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        took.sort_unstable();
        let at = |part: usize| {
            let found = took.get(took.len() * part / 100).or(took.last());
            found.copied().unwrap_or_default()
        };
        format!(
            "{} | {faults} | {killed} | {} | {} ms | {} ms",
            self.requests.load(Ordering::Relaxed),
            self.unanswered.load(Ordering::Relaxed),
            at(50),
            at(99)
        )
    }

    /// Sends a request with a key until the response is neither 429 nor 5xx.
    pub(crate) async fn persist(
        &self,
        caller: &Caller,
        key: &str,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Response, Error> {
        let began = Instant::now();
        let caller = caller.header("idempotency-key", key);
        while began.elapsed() < Duration::from_mins(3) {
            self.requests.fetch_add(1, Ordering::Relaxed);
            let answer = caller.send(method.clone(), path, body.clone()).await;
            if !answer.status.is_server_error() && answer.status != 429 {
                self.took
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(began.elapsed().as_millis());
                return Ok(answer);
            }
            self.unanswered.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        Err(format!("{method} {path} was not answered in three minutes").into())
    }
}

/// One student submits. Every fifth student sends twice, and every seventh changes the answers.
/// Returns the text that must be stored at the end.
async fn evening(
    tally: &Tally,
    student: &Caller,
    path: &str,
    question: u64,
    n: usize,
) -> Result<String, Error> {
    let answer = |text: &str| json!({ "responses": [{ "question": question, "text": text }] });
    let text = format!("{n} {}", "Because I like it here. ".repeat(40));
    let body = answer(&text);
    let first = tally.persist(student, "first", Method::POST, path, &body);
    if n.is_multiple_of(5) {
        let (a, b) = futures::try_join!(
            first,
            tally.persist(student, "first", Method::POST, path, &body)
        )?;
        expect_stored(&a)?;
        expect_stored(&b)?;
    } else {
        expect_stored(&first.await?)?;
    }
    if !n.is_multiple_of(7) {
        return Ok(text);
    }
    let changed = format!("{text} On second thoughts.");
    expect_stored(
        &tally
            .persist(student, "second", Method::POST, path, &answer(&changed))
            .await?,
    )?;
    Ok(changed)
}

fn expect_stored(answer: &Response) -> Result<(), Error> {
    if answer.status.is_success() {
        Ok(())
    } else {
        Err(format!(
            "a submission was answered {}: {}",
            answer.status,
            answer.text()
        )
        .into())
    }
}

/// The answers of all submissions, as the officer reads them.
async fn stored_texts(ada: &Caller, submissions: &str) -> Vec<String> {
    let (mut stored, mut slice) = (Vec::new(), format!("{submissions}?limit=200"));
    loop {
        let page = ada.get(&slice).await;
        let link = page
            .header("link")
            .split(['<', '>'])
            .nth(1)
            .map(|link| link.trim_start_matches("/dev").to_owned());
        let texts = page.ok();
        stored.extend(texts.as_array().into_iter().flatten().map(|one| {
            one["responses"][0]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        }));
        let Some(next) = link else { break };
        slice = next;
    }
    stored
}

/// Runs the burst and prints a row of ARCHITECTURE.md.
#[expect(
    clippy::too_many_lines,
    reason = "one story, from the beginning to the end"
)]
pub async fn run(cloud: &Cloud, burst: Burst) -> Result<(), Error> {
    let (ada, _) = caller(cloud, "ada", "ada@uni.example", "Ada Lovelace")?;
    ada.post("/api/clubs/", json!({ "name": "Go" }))
        .await
        .created();
    let day = |hours: i64| json!(SystemClock.now() + TimeDelta::hours(hours));
    let form = json!({
        "name": "Autumn",
        "is_active": true,
        "application_start_time": day(-1),
        "application_end_time": day(24),
        "result_release_time": day(48),
    });
    let form = ada
        .post("/api/clubs/go/applications/", form)
        .await
        .created();
    let path = format!("/api/clubs/go/applications/{}/", id(&form));
    let question = ada
        .post(
            &format!("{path}questions/"),
            json!({ "question_type": 1, "prompt": "Why?" }),
        )
        .await
        .created();
    let submissions = format!("{path}submissions/");
    let mut students = Vec::new();
    for n in 0..burst.students {
        students.push(
            caller(
                cloud,
                &format!("student{n}"),
                &format!("student{n}@uni.example"),
                &format!("Student {n}"),
            )?
            .0,
        );
    }
    let (tally, began) = (Tally::default(), Instant::now());
    cloud.faults.hit(burst.per_mille);
    let all = students.iter().enumerate().map(async |(n, student)| {
        let at = burst.seconds * 1_000 * n as u64 / burst.students as u64;
        tokio::time::sleep(Duration::from_millis(at)).await;
        evening(&tally, student, &submissions, id(&question), n).await
    });
    let kill = async {
        let mut killed = 0;
        for n in 1..=burst.kills {
            tokio::time::sleep(Duration::from_secs(burst.seconds) / (burst.kills + 1)).await;
            killed += cloud.functions["Submissions"].kill()?;
            killed += cloud.functions["Changes"].kill()?;
            println!(
                "{:6.2} s  killed all environments, time {n}",
                began.elapsed().as_secs_f64()
            );
        }
        Ok::<_, Error>(killed)
    };
    let (submitted, killed) = futures::join!(join_all(all), kill);
    let submitted = submitted
        .into_iter()
        .collect::<Result<Vec<String>, Error>>()?;
    let seconds = began.elapsed().as_secs_f64();
    // Late writes arrive now.
    tokio::time::sleep(Duration::from_secs(3)).await;
    cloud.faults.hit(0);
    let mut stored = stored_texts(&ada, &submissions).await;
    let (mut expected, total) = (submitted, stored.len());
    expected.sort();
    stored.sort();
    let lost = expected
        .iter()
        .filter(|text| stored.binary_search(text).is_err())
        .count();
    let extra = stored
        .iter()
        .filter(|text| expected.binary_search(text).is_err())
        .count();
    let listed = feed::compare(cloud, &ada, "go").await?;
    println!(
        "{:6.2} s  {listed} changes listed",
        began.elapsed().as_secs_f64()
    );
    let wrong = check_table(cloud).await?;
    println!("{:?}", cloud.faults);
    println!(
        "| Students | {} | lost | wrong | findings |",
        Tally::COLUMNS
    );
    println!(
        "| {} in {seconds:.0} s | {} | {lost} | {} | {} |",
        burst.students,
        tally.row(cloud.faults.count(), killed?),
        extra + total.saturating_sub(burst.students),
        wrong.len()
    );
    if lost > 0 || extra > 0 || total != burst.students || !wrong.is_empty() {
        return Err(
            format!("{lost} lost, {extra} not as answered, {total} stored, {wrong:?}").into(),
        );
    }
    Ok(())
}
