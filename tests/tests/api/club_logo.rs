//! `/clubs/{club}/upload/`

use std::sync::Arc;

use futures::TryStreamExt as _;
use http::Method;
use image::GenericImageView as _;
use object_store::ObjectStore;
use object_store::memory::InMemory;
use serde_json::{Value, json};
use tests::images::{encoded, form, picture, png};
use tests::{Client, Response, Setup};

const PATH: &str = "/api/clubs/chess/upload/";

async fn upload(client: &Client, path: &str, name: &str, file: &[u8]) -> Response {
    let (content_type, body) = form(&[(name, file)]);
    client
        .raw(Method::POST, path, Some(&content_type), body)
        .await
}

/// How many files a store has.
async fn count(store: &InMemory) -> usize {
    store
        .list(None)
        .try_collect::<Vec<_>>()
        .await
        .map(|files| files.len())
        .unwrap_or_default()
}

// proves C9, C17
#[tokio::test]
async fn a_logo_is_stored_shown_and_replaced() {
    let store = Arc::new(InMemory::new());
    let campus = Setup::default().images(store.clone()).build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let anybody = campus.anonymous();
    let olga = campus.member("chess", &ada, "olga", 10).await;
    let club = upload(
        &olga,
        PATH,
        "file",
        &encoded(&picture(1_200, 300), image::ImageFormat::Jpeg),
    )
    .await
    .ok();
    let url = club["image_url"].as_str().unwrap_or_default().to_owned();
    let logo = anybody
        .get(
            url.strip_prefix("http://127.0.0.1:8000")
                .unwrap_or_default(),
        )
        .await;
    assert_eq!(
        image::load_from_memory(&logo.bytes)
            .expect("an image")
            .dimensions(),
        (600, 150)
    );
    assert_eq!(
        anybody.get("/api/clubs/").await.ok()["results"][0]["image_url"],
        json!(url),
        "the list shows it at once"
    );
    let named = olga.get("/api/home/").await.ok()["clubs"][0]["club"].clone();
    let own = olga.get("/api/memberships/").await.ok()[0]["club_image_url"].clone();
    assert_eq!((&named["image_url"], own), (&json!(url), json!(url)));
    assert_eq!((&club["is_member"], count(&store).await), (&json!(10), 3));
    olga.post("/api/favorites/", json!({ "club": "chess" }))
        .await
        .created();
    assert_eq!(
        olga.get("/api/favorites/").await.ok()[0]["club"]["image_url"],
        json!(url)
    );
    // A second upload replaces the logo.
    let other = upload(&ada, PATH, "image", &png(10, 10)).await.ok()["image_url"].clone();
    assert!(other != json!(url) && count(&store).await == 3);
}

// proves H11, C17
#[tokio::test]
async fn wrong_logo_or_no_officer_changes_nothing() {
    let store = Arc::new(InMemory::new());
    let campus = Setup::default().images(store.clone()).build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let anybody = campus.anonymous();
    let mia = campus.member("chess", &ada, "mia", 20).await;
    let logo = upload(&ada, PATH, "image", &png(10, 10)).await.ok()["image_url"].clone();
    upload(&ada, PATH, "file", b"GIF89a")
        .await
        .invalid(&["file"]);
    upload(&ada, PATH, "other", b"text")
        .await
        .invalid(&["file"]);
    ada.post(PATH, json!({})).await.error(415);
    upload(&ada, PATH, "file", &vec![0; 4 * 1024 * 1024 + 1])
        .await
        .error(413);
    upload(&mia, PATH, "file", &png(1, 1)).await.error(403);
    upload(&anybody, PATH, "file", &png(1, 1)).await.error(401);
    upload(&ada, "/api/clubs/nothing/upload/", "file", &png(1, 1))
        .await
        .error(404);
    let club = ada.get("/api/clubs/chess/").await.ok();
    assert_eq!((&club["image_url"], count(&store).await), (&logo, 3));
}

// proves C17
#[tokio::test]
async fn a_logo_is_removed_by_null_and_by_nothing_else() {
    let store = Arc::new(InMemory::new());
    let campus = Setup::default().images(store.clone()).build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let other = upload(&ada, PATH, "image", &png(10, 10)).await.ok()["image_url"].clone();
    // PATCH and PUT change the logo only if `image_url` is null.
    let club = ada
        .patch(
            "/api/clubs/chess/",
            json!({ "image_url": null, "subtitle": "x" }),
        )
        .await
        .ok();
    assert_eq!((&club["image_url"], count(&store).await), (&other, 3));
    assert_eq!(
        ada.put("/api/clubs/chess/", club).await.ok()["image_url"],
        other
    );
    ada.patch(
        "/api/clubs/chess/",
        json!({ "image": "https://x.example/x.png" }),
    )
    .await
    .invalid(&["image"]);
    assert_eq!(
        ada.patch("/api/clubs/chess/", json!({ "image": null }))
            .await
            .ok()["image_url"],
        Value::Null
    );
    assert_eq!(count(&store).await, 0);
    ada.delete("/api/clubs/chess/").await.no_content();
    upload(&campus.admin(), PATH, "file", &png(1, 1))
        .await
        .error(404);
    assert_eq!(count(&store).await, 0);
}

// If the writes did not check the version, the subtitle would be lost, and an image that no club
// shows would stay in the store.
// proves C17, X7
#[tokio::test(start_paused = true)]
async fn concurrent_logos_and_change_leave_one_logo_and_the_change() {
    let store = Arc::new(InMemory::new());
    let campus = Setup::default().images(store.clone()).latency(5).build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let logos = [png(3, 3), png(4, 4)];
    let (one, other, change) = futures::join!(
        upload(&ada, PATH, "file", &logos[0]),
        upload(&ada, PATH, "file", &logos[1]),
        ada.patch("/api/clubs/chess/", json!({ "subtitle": "kept" })),
    );
    assert_eq!(
        [one.status, other.status, change.status].map(|status| status.as_u16()),
        [200; 3]
    );
    let club = campus.anonymous().get("/api/clubs/chess/").await.ok();
    assert_eq!(club["subtitle"], "kept");
    let files: Vec<String> = store
        .list(None)
        .map_ok(|file| file.location.to_string())
        .try_collect()
        .await
        .expect("a store");
    let shown = club["image_url"]
        .as_str()
        .and_then(|url| url.rsplit('/').next())
        .unwrap_or_default();
    assert!(
        files.len() == 3 && files.iter().any(|file| file == shown),
        "{files:?} {shown}"
    );
}
