//! Measures lists for the benchmarks: once on a service without anything in memory, then on a warm
//! one.

use std::time::{Duration, Instant};

use shared::db::usage::Usage;

use crate::{Client, TestCampus};

const WARM: usize = 51;

/// Prints the head of the table.
pub fn head(of: &str) {
    println!(
        "| {of} | List | Calls | Read units | Time, not in memory | Read units, warm | Time, warm \
         (median) |\n|---:|---|---:|---:|---:|---:|---:|"
    );
}

/// Prints a row for the list at `path` when `n` objects are stored. The `latency` of the table is
/// subtracted from the warm time.
pub async fn row(campus: &TestCampus, n: u64, name: &str, path: &str, latency: Duration) {
    let client = campus.another().anonymous();
    let (cold, cold_time) = timed(&client, path).await;
    let (mut times, mut warm) = (Vec::new(), Usage::default());
    for _ in 0..WARM {
        let (usage, took) = timed(&client, path).await;
        warm = usage;
        times.push(took.saturating_sub(latency));
    }
    times.sort();
    let median = times[WARM / 2];
    println!(
        "| {n} | {name} | {} | {} | {cold_time:.1?} | {} | {median:.2?} |",
        cold.calls, cold.read_units, warm.read_units
    );
}

async fn timed(client: &Client, path: &str) -> (Usage, Duration) {
    let began = Instant::now();
    let answer = client.get(path).await;
    let took = began.elapsed();
    let usage = answer.usage;
    answer.ok();
    (usage, took)
}
