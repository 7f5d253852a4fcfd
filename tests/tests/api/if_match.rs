//! `If-Match` on every object that officers or admins edit: a caller with an old state gets 412

use serde_json::{Value, json};
use tests::fixtures::{Recruitment, collections, hours, id};
use tests::{Client, Setup, TestCampus};

// proves H29
#[tokio::test]
async fn a_tag_that_cannot_be_read_never_matches() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let path = "/api/clubs/chess/";
    let tag = ada.get(path).await.header("etag").to_owned();
    let bare = tag.trim_matches('"').to_owned();
    let change = json!({ "subtitle": "a" });
    for wrong in [
        bare.clone(),
        format!("W/W/\"{bare}\""),
        format!("\"\"{bare}\"\""),
    ] {
        let client = ada.clone().header("if-match", &wrong);
        client.patch(path, change.clone()).await.error(412);
    }
    let weak = ada.clone().header("if-match", format!("\"x\", W/{tag}"));
    weak.patch(path, change).await.ok();
}

struct Scene {
    campus: TestCampus,
    recruitment: Recruitment,
    objects: Vec<Edited>,
}

/// The path of an object, two changes of it, and whether it can be deleted.
type Edited = (String, Value, Value, bool);

async fn scene_on(campus: TestCampus) -> Scene {
    let recruitment = campus.recruitment("chess").await;
    let mut objects = of_the_club(&campus, &recruitment).await;
    objects.extend(of_admins(&campus).await);
    let (one, other) = (
        json!({ "graduation_year": 2030 }),
        json!({ "graduation_year": 2031 }),
    );
    objects.push(("/api/settings/".to_owned(), one, other, false));
    objects.push((
        "/api/clubs/chess/".to_owned(),
        json!({ "subtitle": "a" }),
        json!({ "subtitle": "b" }),
        true,
    ));
    Scene {
        campus,
        recruitment,
        objects,
    }
}

/// What is in the club.
async fn of_the_club(campus: &TestCampus, recruitment: &Recruitment) -> Vec<Edited> {
    let ada = recruitment.officer.clone();
    let member = campus.member("chess", &ada, "mia", 20).await;
    let submission = recruitment.submit(&member).await;
    let extension = json!({ "username": "mia", "end_time": hours(30) });
    let extension = ada
        .post(&format!("{}extensions/", recruitment.path), extension)
        .await
        .created();
    let event = json!({
        "name": "Open evening",
        "showings": [
            { "start_time": hours(5), "end_time": hours(6) },
            { "start_time": hours(7), "end_time": hours(8) },
        ],
    });
    let event = ada.post("/api/clubs/chess/events/", event).await.created();
    let events = format!("/api/clubs/chess/events/{}/", id(&event));
    let other = ada
        .post(
            "/api/clubs/chess/applications/",
            tests::fixtures::application("Other"),
        )
        .await
        .created();
    let name = |name: &str| json!({ "name": name });
    let decision = format!("{}submissions/{}/", recruitment.path, id(&submission));
    vec![
        (
            format!("{events}showings/{}/", id(&event["showings"][0])),
            json!({ "location": "a" }),
            json!({ "location": "b" }),
            true,
        ),
        (events, name("a"), name("b"), true),
        (
            format!("{}questions/{}/", recruitment.path, recruitment.question),
            json!({ "prompt": "a" }),
            json!({ "prompt": "b" }),
            true,
        ),
        (
            format!("{}extensions/{}/", recruitment.path, id(&extension)),
            json!({ "end_time": hours(40) }),
            json!({ "end_time": hours(41) }),
            true,
        ),
        (
            decision,
            json!({ "reason": "a" }),
            json!({ "reason": "b" }),
            false,
        ),
        (
            format!("/api/clubs/chess/applications/{}/", id(&other)),
            name("a"),
            name("b"),
            true,
        ),
        (
            "/api/clubs/chess/members/mia/".to_owned(),
            json!({ "title": "a" }),
            json!({ "title": "b" }),
            true,
        ),
    ]
}

/// An entry of each collection that admins keep.
async fn of_admins(campus: &TestCampus) -> Vec<Edited> {
    let mut objects = Vec::new();
    for (variable, entry) in collections(&campus.admin()).await {
        let path = match variable {
            "{tag}" => "tags",
            "{badge}" => "badges",
            "{school}" => "schools",
            "{major}" => "majors",
            "{year}" => "years",
            _ => "clubfairs",
        };
        let unique = if path == "badges" { "label" } else { "name" };
        objects.push((
            format!("/api/{path}/{entry}/"),
            json!({ unique: "a" }),
            json!({ unique: "b" }),
            true,
        ));
    }
    objects
}

/// The caller who edits the object at a path.
fn editor(scene: &Scene, path: &str) -> Client {
    if path.starts_with("/api/clubs/") {
        scene.recruitment.officer.clone()
    } else {
        scene.campus.admin()
    }
}

// proves H29
#[tokio::test]
async fn a_tag_that_cannot_be_read_is_no_tag_at_all() {
    let scene = scene_on(TestCampus::new()).await;
    for (path, one, ..) in &scene.objects {
        editor(&scene, path)
            .header("if-match", "\"é\"")
            .patch(path, one.clone())
            .await
            .error(412);
    }
    let event = "/api/clubs/chess/events/";
    let event = format!(
        "{event}{}/",
        id(&scene.recruitment.officer.get(event).await.ok()[0])
    );
    let (content_type, body) = tests::images::form(&[("file", &tests::images::png(2, 2))]);
    for path in [
        format!("{event}upload/"),
        "/api/clubs/chess/upload/".to_owned(),
    ] {
        let client = scene
            .recruitment
            .officer
            .clone()
            .header("if-match", "\"old\"");
        client
            .raw(http::Method::POST, &path, Some(&content_type), body.clone())
            .await
            .error(412);
    }
}

// proves H3, H28, H29
#[tokio::test(start_paused = true)]
async fn an_old_state_is_412_on_every_object_that_is_edited() {
    let scene = scene_on(TestCampus::new()).await;
    for (path, one, other, deletable) in &scene.objects {
        let editor = editor(&scene, path);
        let read = async || editor.get(path).await.header("etag").to_owned();
        let when = |tag: &str| editor.clone().header("if-match", tag);
        let first = read().await;
        when(&first).patch(path, one.clone()).await.ok();
        let second = read().await;
        assert_ne!(first, second, "{path}");
        when(&first).patch(path, other.clone()).await.error(412);
        when(&first).put(path, json!({})).await.error(412);
        assert_eq!(read().await, second, "{path}");
        // One of several tags is enough, with or without `W/`. `*` stands for any state.
        when(&format!("\"x\", {}", second.trim_start_matches("W/")))
            .patch(path, other.clone())
            .await
            .ok();
        let changed = when("*").patch(path, one.clone()).await;
        let now = read().await;
        assert_eq!(
            changed.header("etag"),
            now.split('-')
                .next()
                .map(|tag| format!("{}\"", tag.trim_end_matches('"')))
                .unwrap_or_default(),
            "{path}"
        );
        when(changed.header("etag"))
            .patch(path, one.clone())
            .await
            .ok();
        if *deletable {
            when(&first).delete(path).await.error(412);
            when(&read().await).delete(path).await.no_content();
            // What is not there has no state.
            when(&first).patch(path, one.clone()).await.error(404);
            when(&first).delete(path).await.error(404);
        }
    }
}

// If the tag were not checked again at each attempt to write, both would get 200.
// proves H29
#[tokio::test(start_paused = true)]
async fn concurrent_changes_of_one_state_give_one_412() {
    let scene = scene_on(Setup::default().latency(5).build()).await;
    for (path, one, other, _) in &scene.objects {
        let editor = editor(&scene, path);
        let tag = editor.get(path).await.header("etag").to_owned();
        let editor = editor.header("if-match", tag);
        let (first, second) = futures::join!(
            editor.patch(path, one.clone()),
            editor.patch(path, other.clone())
        );
        let mut statuses = [first.status.as_u16(), second.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412], "{path}");
    }
}
