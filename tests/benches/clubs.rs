//! Measures lists of clubs when 200, 2,000 and 5,000 clubs are stored. Descriptions have 2 KB, and
//! each call of the table takes 5 ms more. `cargo bench -p tests --bench clubs` prints a table.

use shared::ids::Id;
use std::time::{Duration, Instant};

use tests::fixtures::club;
use tests::{Setup, measure};

const LISTS: [(&str, &str); 10] = [
    ("featured", "/api/clubs/"),
    ("featured, 100 a page", "/api/clubs/?page_size=100"),
    (
        "alphabetical, eighth page",
        "/api/clubs/?ordering=alphabetical&page=8",
    ),
    ("most favorites", "/api/clubs/?ordering=-favorite_count"),
    ("a frequent word", "/api/clubs/?search=music"),
    ("three words", "/api/clubs/?search=cafe+bucher+weekend"),
    ("a word that nothing has", "/api/clubs/?search=zymurgy"),
    ("a letter that nothing has", "/api/clubs/?search=q"),
    ("inactive", "/api/clubs/?active=false"),
    ("tag", "/api/clubs/?tags=games"),
];

/// How long a pause of 5 ms really takes on this machine: timers are not exact.
async fn latency() -> Duration {
    let began = Instant::now();
    for _ in 0..40 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    began.elapsed() / 40
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    measure::head("Clubs");
    for n in [200, 2_000, 5_000] {
        let campus = Setup::default().latency(5).build();
        let tag = tests::fixtures::id(
            &campus
                .admin()
                .post("/api/tags/", serde_json::json!({ "name": "Games" }))
                .await
                .created(),
        );
        let mut clubs: Vec<_> = (0..n).map(club).collect();
        clubs
            .iter_mut()
            .step_by(7)
            .for_each(|club| club.profile.tags = vec![Id::new(tag)]);
        campus
            .campus
            .app
            .table
            .load_clubs(&clubs)
            .await
            .expect("a table");
        for (name, path) in LISTS {
            measure::row(&campus, n, name, path, latency().await).await;
        }
    }
}
