//! Lists of events across clubs: `/events/`

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::{Client, Setup, TestCampus};

use crate::events::{CHESS, chess, event, names, showing};

// proves V2, V3
#[tokio::test]
async fn list_forgets_ended_events_by_the_clock() {
    let (campus, ada) = chess().await;
    event(&ada, "later", &[showing(30, 31)]).await;
    event(&ada, "long", &[showing(-100, 2)]).await;
    event(&ada, "soon", &[showing(-50, -49), showing(1, 3)]).await;
    event(&ada, "over", &[showing(-2, -1)]).await;
    event(&ada, "never", &[]).await;
    let anybody = campus.anonymous();
    assert_eq!(names(&anybody, "").await, ["long", "soon", "later"]);
    event(&ada, "next", &[showing(-30, 0), showing(40, 41)]).await;
    for (query, expected) in [
        ("?ordering=start_time", "long soon next later"),
        ("?ordering=next_start_time", "long soon later next"),
        (
            "?ordering=next_start_time&from=2026-11-20T12:00:00Z",
            "long next over soon later",
        ),
    ] {
        assert_eq!(names(&anybody, query).await.join(" "), expected, "{query}");
    }
    let wrong = anybody.get("/api/events/?ordering=name").await;
    wrong.invalid(&["ordering"]);
    let club: Vec<Value> = ada
        .get(CHESS)
        .await
        .ok()
        .as_array()
        .into_iter()
        .flatten()
        .map(|event| event["name"].clone())
        .collect();
    assert_eq!(club, ["long", "soon", "next", "over", "later", "never"]);
    campus.advance(TimeDelta::hours(2));
    assert_eq!(
        names(&anybody, "").await,
        ["long", "soon", "next", "later"],
        "it ends now"
    );
    campus.advance(TimeDelta::seconds(1));
    assert_eq!(names(&anybody, "").await, ["soon", "next", "later"]);
    campus.advance(TimeDelta::days(40));
    assert_eq!(names(&anybody, "").await, [""; 0]);
}

// proves H22, H23
#[tokio::test]
async fn the_list_comes_in_pages() {
    let (campus, ada) = chess().await;
    for n in 0..5 {
        event(&ada, &format!("e{n}"), &[showing(10 - n, 20)]).await;
    }
    let anybody = campus.anonymous();
    let page = anybody
        .get("/api/events/?page_size=2&page=2&search=e")
        .await
        .ok();
    assert_eq!(
        (
            &page["count"],
            &page["results"][0]["name"],
            page["results"].as_array().map(Vec::len)
        ),
        (&json!(5), &json!("e2"), Some(2))
    );
    assert!(
        page["next"]
            .as_str()
            .is_some_and(|next| next.contains("page=3") && next.contains("search=e"))
    );
    assert_eq!(
        anybody
            .get("/api/events/?page_size=2&page=4")
            .await
            .error(404),
        "Invalid page."
    );
}

// proves V5
#[tokio::test]
async fn writes_show_at_once_in_lists_of_other_functions() {
    let (campus, ada) = chess().await;
    // A second service with caches of its own on the same table.
    let other = campus.another();
    let anybody = other.anonymous();
    assert_eq!(names(&anybody, "").await, [""; 0]);
    let made = event(&ada, "x", &[showing(1, 2)]).await;
    assert_eq!(names(&anybody, "").await, ["x"]);
    let path = format!("{CHESS}{}/", id(&made));
    ada.patch(&path, json!({ "name": "y" })).await.ok();
    assert_eq!(names(&anybody, "").await, ["y"]);
    // A later showing moves the event to another month of the catalogue. Without the showing it
    // moves back.
    let moved = ada
        .post(&format!("{path}showings/"), showing(24 * 45, 24 * 45 + 1))
        .await
        .created();
    assert_eq!(
        names(&anybody, "?latest_end_time=2026-12-31T00:00:00Z").await,
        [""; 0]
    );
    ada.delete(&format!("{path}showings/{}/", id(&moved)))
        .await
        .no_content();
    assert_eq!(
        names(&anybody, "?latest_end_time=2026-12-31T00:00:00Z").await,
        ["y"]
    );
    ada.patch("/api/clubs/chess/", json!({ "name": "Renamed" }))
        .await
        .ok();
    assert_eq!(
        anybody.get("/api/events/").await.ok()["results"][0]["club_name"],
        "Renamed"
    );
    ada.delete(&path).await.no_content();
    assert_eq!(names(&anybody, "").await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn lists_at_once_load_once() {
    let campus = Setup::default().latency(5).build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    event(&ada, "x", &[showing(1, 2)]).await;
    let anybody = campus.anonymous();
    let answers = futures::future::join_all((0..16).map(|_| anybody.get("/api/events/"))).await;
    let calls: u64 = answers
        .iter()
        .map(|response| u64::from(response.usage.calls))
        .sum();
    // Each request reads the versions. One part of the clubs and one month of events are read once;
    // the others were never written.
    assert_eq!(calls, 16 + 2);
}

// proves C15, H17
#[tokio::test(start_paused = true)]
async fn long_descriptions_keep_nobody_from_the_list() {
    let (campus, ada) = chess().await;
    let long = format!("<p>{}</p>", "\"".repeat(49_000));
    for n in 0..40 {
        let body = json!({
            "name": format!("long {n}"),
            "description": long,
            "showings": [showing(1, 2)],
        });
        ada.post(CHESS, body).await.created();
    }
    let anybody = campus.anonymous();
    for query in ["?page_size=5", "?page_size=40"] {
        let page = anybody.get(&format!("/api/events/{query}")).await.ok();
        let text = page["results"][0]["description"]
            .as_str()
            .unwrap_or_default();
        assert!(
            text.ends_with("…</p>") && text.chars().count() <= 2_010,
            "{} bytes",
            text.len()
        );
        let one = format!("/api/events/{}/", id(&page["results"][0]));
        assert!(
            anybody.get(&one).await.ok()["description"] == *long,
            "the event itself shows the whole text"
        );
    }
    ada.post(
        CHESS,
        json!({ "name": "x", "description": "<ul><li>".repeat(3_000) }),
    )
    .await
    .invalid(&["description"]);
    assert!(
        anybody
            .get("/api/events.ics")
            .await
            .text()
            .ends_with("END:VCALENDAR\r\n")
    );
}

// proves V5
#[tokio::test]
async fn lists_during_writes_have_each_event_once() {
    // The tokio clock runs, so reads and writes can interleave in any way.
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for n in 0..6 {
        event(&ada, &format!("still {n}"), &[showing(1, 2)]).await;
    }
    let moving = event(&ada, "moving", &[showing(3, 4)]).await;
    let one = format!(
        "{CHESS}{}/showings/{}/",
        id(&moving),
        id(&moving["showings"][0])
    );
    let other = campus.another();
    let writes = async {
        for n in 0..60 {
            let hour = if n % 2 == 0 { 24 * 45 } else { 3 };
            ada.patch(&one, showing(hour, hour + 1)).await.ok();
            tokio::task::yield_now().await;
        }
    };
    let reads = async |client: Client| {
        for _ in 0..60 {
            let mut names = names(&client, "").await;
            names.sort();
            assert_eq!(
                names,
                [
                    "moving", "still 0", "still 1", "still 2", "still 3", "still 4", "still 5"
                ]
            );
            tokio::task::yield_now().await;
        }
    };
    futures::join!(
        writes,
        reads(other.anonymous()),
        reads(other.anonymous()),
        reads(campus.anonymous())
    );
}
