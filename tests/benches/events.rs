//! Measures lists of events when 200, 2,000 and 20,000 events are stored. A tenth of them is in the
//! future. `cargo bench -p tests --bench events` prints a table.

use std::time::Duration;

use tests::fixtures::event;
use tests::{TestCampus, measure};

const LISTS: [(&str, &str); 4] = [
    ("upcoming", "/api/events/"),
    (
        "upcoming, searched",
        "/api/events/?search=talks+chess&page_size=100",
    ),
    (
        "all times",
        "/api/events/?earliest_start_time=2000-01-01T00:00:00Z",
    ),
    ("calendar", "/api/events.ics"),
];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    measure::head("Events");
    for n in [200, 2_000, 20_000] {
        let campus = TestCampus::new();
        campus.club("chess", &campus.as_("ada")).await;
        campus
            .campus
            .app
            .table
            .load_listings(&(0..n).map(event).collect::<Vec<_>>())
            .await
            .expect("a table");
        for (name, path) in LISTS {
            measure::row(&campus, n, name, path, Duration::ZERO).await;
        }
    }
}
