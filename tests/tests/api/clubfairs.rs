//! `/clubfairs/`, `/clubfairs/current/`, and `fair=` of `/events/`

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::{Client, TestCampus};

/// Creates a fair with these hours of its start and end, and of its registration. Returns its path.
pub(crate) async fn fair(
    campus: &TestCampus,
    name: &str,
    times: (i64, i64),
    registration: (Option<i64>, Option<i64>),
) -> String {
    let body = json!({
        "name": name,
        "start_time": hours(times.0),
        "end_time": hours(times.1),
        "registration_start_time": registration.0.map(hours),
        "registration_end_time": registration.1.map(hours),
    });
    format!(
        "/api/clubfairs/{}/",
        id(&campus.admin().post("/api/clubfairs/", body).await.created())
    )
}

async fn names(client: &Client, path: &str) -> Vec<String> {
    let list = client.get(path).await.ok();
    list.as_array()
        .into_iter()
        .flatten()
        .map(|fair| fair["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}

// proves F1
#[tokio::test]
async fn lists_show_fairs_that_have_not_ended_or_are_on_now() {
    let campus = TestCampus::new();
    for (name, times) in [
        ("Past", (-4, -2)),
        ("Now", (-1, 1)),
        ("Later", (2, 4)),
        ("Instant", (3, 3)),
    ] {
        fair(&campus, name, times, (None, None)).await;
    }
    let anybody = campus.anonymous();
    assert_eq!(
        names(&anybody, "/api/clubfairs/").await,
        ["Instant", "Later", "Now"]
    );
    assert_eq!(
        names(&anybody, "/api/clubfairs/?all=true").await,
        ["Instant", "Later", "Now", "Past"]
    );
    assert_eq!(
        names(&anybody, "/api/clubfairs/?all=false").await,
        ["Instant", "Later", "Now"]
    );
    assert_eq!(names(&anybody, "/api/clubfairs/current/").await, ["Now"]);
    anybody
        .get("/api/clubfairs/?all=perhaps")
        .await
        .invalid(&["all"]);
    // The answers change with time, although nothing is written.
    let existing: Vec<String> = [
        anybody.get("/api/clubfairs/").await,
        anybody.get("/api/clubfairs/current/").await,
    ]
    .map(|response| response.header("etag").to_owned())
    .into();
    campus.advance(TimeDelta::hours(1));
    assert_eq!(
        anybody
            .clone()
            .header("if-none-match", &existing[0])
            .get("/api/clubfairs/")
            .await
            .status,
        304,
        "the last second belongs to the fair"
    );
    campus.advance(TimeDelta::seconds(1));
    for (existing, path, expected) in [
        (
            &existing[0],
            "/api/clubfairs/",
            ["Instant", "Later"].as_slice(),
        ),
        (&existing[1], "/api/clubfairs/current/", &[]),
    ] {
        assert_eq!(
            names(&anybody.clone().header("if-none-match", existing), path).await,
            expected
        );
    }
    campus.advance(TimeDelta::hours(2));
    assert_eq!(
        names(&anybody, "/api/clubfairs/current/").await,
        ["Later"],
        "three hours and a second after the start"
    );
}

// proves F2
#[tokio::test]
async fn nobody_could_register_after_the_end_of_a_fair() {
    let campus = TestCampus::new();
    let body = json!({
        "name": "Short",
        "start_time": hours(1),
        "end_time": hours(2),
        "registration_start_time": hours(3),
    });
    let response = campus.admin().post("/api/clubfairs/", body).await;
    response.invalid(&["registration_start_time"]);
}

// proves V3, F7
#[tokio::test]
async fn events_of_a_fair_are_those_of_its_clubs_inside_its_time() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    for code in ["chess", "go"] {
        campus.club(code, &ada).await;
    }
    for (club, name, times) in [
        ("chess", "inside", vec![(11, 12)]),
        ("chess", "all of it", vec![(10, 14)]),
        ("chess", "before", vec![(8, 9)]),
        ("chess", "begins before", vec![(9, 11)]),
        ("chess", "ends after", vec![(13, 15)]),
        ("chess", "one of two", vec![(1, 2), (13, 14)]),
        ("go", "of another club", vec![(11, 12)]),
    ] {
        let showings: Vec<Value> = times
            .iter()
            .map(|(start, end)| json!({ "start_time": hours(*start), "end_time": hours(*end) }))
            .collect();
        ada.post(
            &format!("/api/clubs/{club}/events/"),
            json!({ "name": name, "showings": showings }),
        )
        .await
        .created();
    }
    let path = fair(&campus, "Fair", (10, 14), (None, None)).await;
    let number = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let query = format!("/api/events/?fair={number}");
    let found = async |query: &str| -> Vec<String> {
        let page = campus.anonymous().get(query).await.ok();
        let all = page["results"].as_array().cloned().unwrap_or_default();
        all.iter()
            .map(|event| event["name"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(found(&query).await, [""; 0]);
    ada.post(&format!("{path}register/"), json!({ "club": "chess" }))
        .await
        .ok();
    assert_eq!(found(&query).await, ["one of two", "all of it", "inside"]);
    assert_eq!(found(&format!("{query}&search=inside")).await, ["inside"]);
    assert_eq!(found("/api/events/?fair=7").await, [""; 0]);
    campus
        .anonymous()
        .get("/api/events/?fair=x")
        .await
        .invalid(&["fair"]);
    campus
        .admin()
        .patch(&path, json!({ "end_time": hours(12) }))
        .await
        .ok();
    assert_eq!(found(&query).await, ["inside"]);
    // Without a time parameter, events that have ended are not listed.
    campus.advance(TimeDelta::hours(13));
    assert_eq!(found(&query).await, [""; 0]);
    assert_eq!(
        found(&format!("{query}&earliest_start_time={}", hours(0))).await,
        ["inside"]
    );
}

// proves F2, H18
#[tokio::test]
async fn registration_times_are_ordered_and_information_is_cleaned() {
    let campus = TestCampus::new();
    let admin = campus.admin();
    let body = |registration: (i64, i64)| {
        json!({
            "name": "Fair",
            "information": "<b>x</b><script>y</script>",
            "start_time": hours(10),
            "end_time": hours(12),
            "registration_start_time": hours(registration.0),
            "registration_end_time": hours(registration.1),
        })
    };
    admin
        .post("/api/clubfairs/", body((5, 4)))
        .await
        .invalid(&["registration_end_time"]);
    let made = admin.post("/api/clubfairs/", body((4, 5))).await.created();
    assert_eq!(made["information"], "<b>x</b>");
}

// proves F4, H7
#[tokio::test]
async fn the_registration_is_closed_for_admins_too() {
    let campus = TestCampus::new();
    let (ada, admin) = (campus.as_("ada"), campus.admin());
    campus.club("chess", &ada).await;
    let path = fair(&campus, "Fair", (10, 12), (Some(1), Some(2))).await;
    let register = format!("{path}register/");
    let chess = json!({ "club": "chess", "status": true });
    for hours in [0, 3] {
        campus.advance(TimeDelta::hours(hours));
        let refused = admin.post(&register, chess.clone()).await;
        assert_eq!(refused.json()["code"], "registration_closed", "{hours}");
        refused.error(400);
    }
}

// proves F4, F6
#[tokio::test]
async fn an_admin_tidies_a_fair_that_is_over() {
    let campus = TestCampus::new();
    let (ada, admin) = (campus.as_("ada"), campus.admin());
    campus.club("chess", &ada).await;
    campus.club("go", &ada).await;
    let path = fair(&campus, "Fair", (1, 2), (None, None)).await;
    let register = format!("{path}register/");
    for club in ["chess", "go"] {
        ada.post(&register, json!({ "club": club })).await.ok();
    }
    campus.advance(TimeDelta::hours(3));
    ada.delete("/api/clubs/go/").await.no_content();
    // Only admins see, and take off, what is deleted.
    assert_eq!(ada.get(&path).await.ok()["clubs"], json!(["chess"]));
    let fair = admin.get(&path).await.ok();
    assert_eq!(fair["clubs"], json!(["chess", "go"]));
    let named = json!({ "code": "chess", "name": "chess", "image_url": null });
    assert_eq!(ada.get(&path).await.ok()["participants"], json!([named]));
    let off = |club: &str| json!({ "club": club, "status": false });
    ada.post(&register, off("chess")).await.error(400);
    admin.delete(&path).await.error(400);
    for club in ["chess", "go"] {
        admin.post(&register, off(club)).await.ok();
    }
    admin.delete(&path).await.no_content();
}
