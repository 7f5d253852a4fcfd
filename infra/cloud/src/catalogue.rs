//! A catalogue of clubs, members and events, for measurements.

use std::path::Path;

use serde_json::{Value, json};

use crate::bench::{ANSWERS, Bench, CLUBS, EVENTS, MEMBERS, hours};
use crate::{Cloud, Error};

/// Stores 200 clubs with 500 events through the functions.
pub async fn store_catalogue(cloud: &Cloud, built: &Path) -> Result<(), Error> {
    let mut bench = Bench::start(cloud, built, &["Clubs", "Events"]).await?;
    fill_catalogue(&mut bench).await?;
    bench.end().await
}

/// Clubs with descriptions, and events of them.
pub(crate) async fn fill_catalogue(bench: &mut Bench<'_>) -> Result<(), Error> {
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
#[expect(
    clippy::too_many_lines,
    reason = "one club, from the beginning to the end"
)]
pub(crate) async fn fill_club(
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
