//! Measures the start and the size of the functions: the time until Lambda can invoke a function,
//! the time of its first answer, and the processor time and memory for both.

use std::path::{Path, PathBuf};
use std::time::Duration;

use local::issuer::Subject;
use serde_json::json;
use shared::time::{Clock as _, SystemClock};
use tests::template::Function;

use crate::process::Process;
use crate::{Cloud, Error};

/// How often each function is started. The medians are printed. The functions take turns, so that a
/// noisy minute of the machine does not fall on one of them.
const STARTS: usize = 25;

/// Each function and the path of its first request. The mailer gets a batch without mails.
const FIRST: [(&str, &str); 6] = [
    ("Clubs", "/api/clubs/"),
    ("Applications", "/api/clubs/chess/applications/"),
    ("Submissions", "/api/submissions/"),
    ("Memberships", "/api/settings/"),
    ("Events", "/api/events/"),
    ("Mailer", ""),
];

/// The functions that read the catalogue. They are also measured with 200 clubs and 500 events.
const LISTS: [&str; 2] = ["Clubs", "Events"];

#[derive(Clone, Copy, Default)]
struct StartupTimes {
    ready: Duration,
    ready_cpu: Duration,
    answer: Duration,
    answer_cpu: Duration,
    resident_mb: f64,
}

impl StartupTimes {
    fn cpu(&self) -> Duration {
        self.ready_cpu + self.answer_cpu
    }
}

/// Prints the table of docs/costs.md. `empty` is the binary of the function that does nothing: the
/// last column says how many times its processor time a function needs until its first answer. The
/// table is empty at first.
pub async fn run(cloud: &Cloud, built: &Path, empty: &Path) -> Result<(), Error> {
    println!(
        "| Function | Binary (MB) | Ready after (ms) | of that CPU | First answer after (ms) | of \
         that CPU | Resident (MB) | CPU, times the empty one |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let mut binaries = vec![Binary::new(cloud, "Events", "(empty)", "/", empty)?];
    for (name, path) in FIRST {
        let bootstrap = tests::template::bootstrap(built, name);
        let label = &cloud.functions[name].function.binary;
        binaries.push(Binary::new(cloud, name, label, path, &bootstrap)?);
    }
    take_turns(cloud, &mut binaries).await?;
    crate::catalogue::store_catalogue(cloud, built).await?;
    let mut with_catalogue = Vec::new();
    for (name, path) in FIRST.into_iter().filter(|(name, _)| LISTS.contains(name)) {
        let bootstrap = tests::template::bootstrap(built, name);
        let label = format!("{}, 200 clubs", cloud.functions[name].function.binary);
        with_catalogue.push(Binary::new(cloud, name, &label, path, &bootstrap)?);
    }
    take_turns(cloud, &mut with_catalogue).await?;
    let yardstick = binaries[0].median(StartupTimes::cpu);
    for binary in binaries.iter().chain(&with_catalogue) {
        let resident = binary.starts.iter().map(|start| start.resident_mb);
        println!(
            "| {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            binary.label,
            f64::from(u32::try_from(std::fs::metadata(&binary.bootstrap)?.len())?) / 1e6,
            binary.median(|start| start.ready),
            binary.median(|start| start.ready_cpu),
            binary.median(|start| start.answer),
            binary.median(|start| start.answer_cpu),
            resident.fold(0.0, f64::max),
            binary.median(StartupTimes::cpu) / yardstick,
        );
    }
    Ok(())
}

async fn take_turns(cloud: &Cloud, binaries: &mut [Binary<'_>]) -> Result<(), Error> {
    for _ in 0..STARTS {
        for binary in &mut *binaries {
            let times = start(cloud, binary.function, &binary.bootstrap, binary.path).await?;
            binary.starts.push(times);
        }
    }
    Ok(())
}

/// A binary, and what was measured of it.
struct Binary<'a> {
    function: &'a Function,
    /// Its name in the table.
    label: String,
    bootstrap: PathBuf,
    /// The path of its first request.
    path: &'a str,
    starts: Vec<StartupTimes>,
}

impl<'a> Binary<'a> {
    fn new(
        cloud: &'a Cloud,
        name: &str,
        label: &str,
        path: &'a str,
        bootstrap: &Path,
    ) -> Result<Self, Error> {
        Ok(Self {
            function: &cloud.functions[name].function,
            label: label.to_owned(),
            bootstrap: std::path::absolute(bootstrap)?,
            path,
            starts: Vec::with_capacity(STARTS),
        })
    }

    /// The median in milliseconds.
    fn median(&self, of: impl Fn(&StartupTimes) -> Duration) -> f64 {
        let mut all: Vec<Duration> = self.starts.iter().map(of).collect();
        all.sort();
        all[all.len() / 2].as_secs_f64() * 1_000.0
    }
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
