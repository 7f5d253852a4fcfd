//! Images of events that come with the event in a form, change with it and go with it

use http::Method;
use image::GenericImageView as _;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::images::png;

use crate::event_images::scene;

// proves V17
#[tokio::test]
async fn a_form_has_its_showings_as_one_list_or_one_by_one() {
    let scene = scene().await;
    let showing = |hour: i64| json!({ "start_time": hours(hour), "end_time": hours(hour + 1) });
    let list = json!([showing(1), showing(3)]).to_string();
    let (first, second) = (showing(1).to_string(), showing(3).to_string());
    for parts in [
        vec![("name", "x"), ("showings", list.as_str())],
        vec![
            ("name", "x"),
            ("showings", first.as_str()),
            ("showings", second.as_str()),
        ],
    ] {
        let parts: Vec<(&str, &[u8])> = parts
            .into_iter()
            .map(|(name, value)| (name, value.as_bytes()))
            .collect();
        let event = scene
            .send(Method::POST, "/api/clubs/chess/events/", &parts)
            .await
            .created();
        assert_eq!(event["showings"].as_array().map(Vec::len), Some(2));
    }
    let send = async |parts: &[(&str, &[u8])]| {
        scene
            .send(Method::POST, "/api/clubs/chess/events/", parts)
            .await
    };
    send(&[("name", b"x"), ("showings", b"{}")])
        .await
        .invalid(&["showings.0.end_time", "showings.0.start_time"]);
    // A file in a part of another name would be lost.
    let response = send(&[("name", b"x"), ("file", &png(8, 8))]).await;
    assert_eq!(
        response.error(400),
        "file: Send the image in the part `image`."
    );
}

// proves V13, V16
#[tokio::test]
async fn image_is_created_changed_and_deleted_with_event() {
    let scene = scene().await;
    let file = png(20, 10);
    let event = scene
        .send(
            Method::POST,
            "/api/clubs/chess/events/",
            &[("name", b"with"), ("image", &file)],
        )
        .await
        .created();
    let path = format!("/api/clubs/chess/events/{}/", id(&event));
    assert_eq!(
        scene.shown(&event, "image_url").await.0.dimensions(),
        (20, 10)
    );
    let changed = scene
        .send(
            Method::PATCH,
            &path,
            &[("image", &png(30, 10)), ("type", b"1")],
        )
        .await
        .ok();
    assert_eq!(
        (
            scene.shown(&changed, "image_url").await.0.dimensions(),
            &changed["type"]
        ),
        ((30, 10), &json!(1))
    );
    let put = [
        ("name", &b"x"[..]),
        ("description", b""),
        ("type", b"0"),
        ("url", b""),
    ];
    let kept = scene.send(Method::PUT, &path, &put).await.ok();
    assert_eq!(
        kept["image_url"], changed["image_url"],
        "PUT without an image keeps it"
    );
    let list = scene
        .campus
        .anonymous()
        .get(&format!("/api/events/{}/", id(&event)))
        .await
        .ok();
    assert_eq!(list["image_url"], changed["image_url"]);
    let none = scene.ada.patch(&path, json!({ "image": null })).await.ok();
    assert_eq!(
        (
            &none["image_url"],
            &none["large_image_url"],
            scene.files().await
        ),
        (&Value::Null, &Value::Null, 0)
    );
    scene
        .send(Method::PATCH, &path, &[("image", &file)])
        .await
        .ok();
    assert_eq!(scene.files().await, 3);
    scene.ada.delete(&path).await.no_content();
    assert_eq!(scene.files().await, 0);
}

// proves V17
#[tokio::test]
async fn a_wrong_field_stores_no_image() {
    let scene = scene().await;
    scene
        .send(
            Method::POST,
            "/api/clubs/chess/events/",
            &[("name", b""), ("image", &png(8, 8))],
        )
        .await
        .invalid(&["name"]);
    scene
        .send(
            Method::PATCH,
            &scene.path,
            &[("type", b"9"), ("image", &png(8, 8))],
        )
        .await
        .invalid(&["type"]);
    assert_eq!(scene.files().await, 0);
}

// proves V17
#[tokio::test]
async fn concurrent_uploads_keep_one_image() {
    let scene = scene().await;
    let files = [png(20, 10), png(30, 10), png(40, 10), png(50, 10)];
    for response in futures::future::join_all(files.iter().map(|file| scene.upload(file))).await {
        response.ok();
    }
    let now = scene.ada.get(&scene.path).await.ok();
    scene.shown(&now, "image_url").await;
    scene.shown(&now, "large_image_url").await;
    assert_eq!(scene.files().await, 3);
}

// proves V16
#[tokio::test]
async fn an_image_has_a_text_for_people_who_do_not_see_it() {
    let scene = scene().await;
    let parts: [(&str, &[u8]); 3] = [
        ("name", b"with"),
        ("image", &png(20, 10)),
        ("image_alt", b"1"),
    ];
    let events = "/api/clubs/chess/events/";
    let event = scene.send(Method::POST, events, &parts).await.created();
    assert_eq!(event["image_alt"], "1");
    let path = format!("{events}{}/", id(&event));
    let described = json!({ "image_alt": "Two players" });
    scene.ada.patch(&path, described.clone()).await.ok();
    let public = format!("/api/events/{}/", id(&event));
    let shown = scene.campus.anonymous().get(&public).await.ok();
    assert_eq!(shown["image_alt"], "Two players");
    for wrong in [json!("a\nb"), json!("x".repeat(256)), Value::Null] {
        let body = json!({ "image_alt": wrong });
        scene.ada.patch(&path, body).await.invalid(&["image_alt"]);
    }
    // The file stays when only the text changes, and another image has another text.
    let upload = format!("{path}upload/");
    let other = scene
        .send(Method::POST, &upload, &[("file", &png(9, 9))])
        .await;
    let other = other.ok();
    assert_eq!(other["image_alt"], "");
    scene.ada.patch(&path, described.clone()).await.ok();
    let parts: [(&str, &[u8]); 1] = [("image", &png(9, 9))];
    let other = scene.send(Method::PATCH, &path, &parts).await.ok();
    assert_eq!(other["image_alt"], "");
    scene.ada.patch(&path, described.clone()).await.ok();
    assert_eq!(
        scene.shown(&other, "image_url").await.0.dimensions(),
        (9, 9)
    );
    let none = scene.ada.patch(&path, json!({ "image": null })).await.ok();
    assert_eq!(none["image_alt"], "");

    let club = "/api/clubs/chess/";
    let logo = format!("{club}upload/");
    let uploaded = scene
        .send(Method::POST, &logo, &[("file", &png(9, 9))])
        .await;
    assert_eq!(uploaded.ok()["image_alt"], "");
    let club = scene.ada.patch(club, described).await.ok();
    assert_eq!(club["image_alt"], "Two players");
    let list = scene.campus.anonymous().get("/api/clubs/").await.ok();
    assert_eq!(list["results"][0]["image_alt"], "Two players");
}
