//! What a list of events takes beside 200, 2,000 and 20,000 of them, a tenth still to come: `cargo bench -p tests --bench events`.
//! Prints the rows of the table in docs/costs.md.

use std::time::{Duration, Instant};

use shared::table::usage::Usage;
use tests::fixtures::event;
use tests::{Client, TestCampus};

const WARM: usize = 51;

async fn timed(client: &Client, path: &str) -> (Usage, Duration) {
    let began = Instant::now();
    let answer = client.get(path).await;
    let took = began.elapsed();
    let usage = answer.usage;
    answer.ok();
    (usage, took)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    println!(
        "| Events | List | Calls | Read units | Time, not in memory | Read units, warm | Time, warm (median) |\n|---:|---|---:|---:|---:|---:|---:|"
    );
    for n in [200, 2_000, 20_000] {
        let campus = TestCampus::new();
        campus.club("chess", &campus.as_("ada")).await;
        campus.campus.app.table.load_listings(&(0..n).map(event).collect::<Vec<_>>()).await.expect("a table");
        let lists = [
            ("upcoming", "/api/events/"),
            ("upcoming, searched", "/api/events/?search=talks+chess&page_size=100"),
            ("all times", "/api/events/?earliest_start_time=2000-01-01T00:00:00Z"),
            ("calendar", "/api/events.ics"),
        ];
        for (name, path) in lists {
            let client = campus.another().anonymous();
            let (cold, cold_time) = timed(&client, path).await;
            let (mut times, mut warm) = (Vec::new(), Usage::default());
            for _ in 0..WARM {
                let (usage, took) = timed(&client, path).await;
                warm = usage;
                times.push(took);
            }
            times.sort();
            println!(
                "| {n} | {name} | {} | {} | {cold_time:.1?} | {} | {:.2?} |",
                cold.calls,
                cold.read_units,
                warm.read_units,
                times[WARM / 2]
            );
        }
    }
}
