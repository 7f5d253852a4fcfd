//! Measures the start and the size of the functions: the time until Lambda can invoke a function,
//! the time of its first answer, and the processor time and memory for both.

use std::path::Path;
use std::time::Duration;

use local::issuer::Subject;
use serde_json::json;
use shared::time::{Clock as _, SystemClock};
use tests::template::Function;

use crate::process::Process;
use crate::{Cloud, Error};

/// How often each function is started. The medians are printed.
const STARTS: usize = 15;

/// Each function and the path of its first request. The mailer gets a batch without mails.
const FIRST: [(&str, &str); 6] = [
    ("Clubs", "/api/clubs/"),
    ("Applications", "/api/clubs/chess/applications/"),
    ("Submissions", "/api/submissions/"),
    ("Memberships", "/api/settings/"),
    ("Events", "/api/events/"),
    ("Mailer", ""),
];

#[derive(Clone, Copy, Default)]
struct StartupTimes {
    ready: Duration,
    ready_cpu: Duration,
    answer: Duration,
    answer_cpu: Duration,
    resident_mb: f64,
}

/// Prints the table of docs/costs.md. `empty` is the binary of the function that does nothing: the
/// last column says how many times its processor time a function needs until its first answer.
pub async fn run(cloud: &Cloud, built: &Path, empty: &Path) -> Result<(), Error> {
    println!(
        "| Function | Binary (MB) | Ready after (ms) | of that CPU | First answer after (ms) | of \
         that CPU | Resident (MB) | CPU, times the empty one |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let mut yardstick = None;
    let all =
        std::iter::once(("Events", "/", true)).chain(FIRST.map(|(name, path)| (name, path, false)));
    for (name, path, is_empty) in all {
        let function = &cloud.functions[name].function;
        let bootstrap = if is_empty {
            std::path::absolute(empty)?
        } else {
            std::path::absolute(tests::template::bootstrap(built, name))?
        };
        let size = std::fs::metadata(&bootstrap)?.len();
        let mut starts = Vec::new();
        for _ in 0..STARTS {
            starts.push(start(cloud, function, &bootstrap, path).await?);
        }
        let median = |of: &dyn Fn(&StartupTimes) -> Duration| {
            let mut all: Vec<Duration> = starts.iter().map(of).collect();
            all.sort();
            all[STARTS / 2].as_secs_f64() * 1_000.0
        };
        let resident = starts
            .iter()
            .map(|start| start.resident_mb)
            .fold(0.0, f64::max);
        let cpu = median(&|start| start.ready_cpu + start.answer_cpu);
        println!(
            "| {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            if is_empty {
                "(empty)"
            } else {
                &function.binary
            },
            f64::from(u32::try_from(size)?) / 1e6,
            median(&|start| start.ready),
            median(&|start| start.ready_cpu),
            median(&|start| start.answer),
            median(&|start| start.answer_cpu),
            resident,
            cpu / *yardstick.get_or_insert(cpu),
        );
    }
    Ok(())
}

async fn start(
    cloud: &Cloud,
    function: &Function,
    bootstrap: &Path,
    path: &str,
) -> Result<StartupTimes, Error> {
    let subject = Subject {
        username: "ada".into(),
        email: Some("ada@uni.example".into()),
        name: Some("Ada Lovelace".into()),
        ..Subject::default()
    };
    let token = cloud.token(&subject)?;
    let event = if path.is_empty() {
        // A record that is not a mail.
        json!({
            "Records": [{
                "eventName": "MODIFY",
                "eventSource": "aws:dynamodb",
                "dynamodb": { "NewImage": {} },
            }],
        })
    } else {
        tests::lambda::event("GET", path, &token, SystemClock.now().timestamp_millis())
    };
    let mut process = Process::start(function, bootstrap, &cloud.origin).await?;
    let ready = process.ready().await?;
    let ready_cpu = process.cpu()?;
    let answer = process.invoke(event).await?.time;
    let answer_cpu = process.cpu()?.saturating_sub(ready_cpu);
    let resident_mb = process.peak_mb()?;
    process.end().await?;
    Ok(StartupTimes {
        ready,
        ready_cpu,
        answer,
        answer_cpu,
        resident_mb,
    })
}
