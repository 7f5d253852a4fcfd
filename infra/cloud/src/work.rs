//! Measures functions at work: what officers and students wait for, with data of a real size. The
//! time of the table's engine is not in the processor time, because it is another process.

use std::path::Path;

use serde_json::{Value, json};

use crate::bench::{Bench, Row};
use crate::catalogue::{fill_catalogue, fill_club};
use crate::{Cloud, Error};

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
