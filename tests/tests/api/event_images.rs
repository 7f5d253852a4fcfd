//! `/clubs/{club}/events/{event}/upload/`: which files are images, and how they are stored

use std::io::Cursor;
use std::sync::Arc;

use futures::TryStreamExt as _;
use http::Method;
use image::{DynamicImage, GenericImageView as _, ImageFormat, Rgba, RgbaImage};
use object_store::ObjectStore;
use object_store::memory::InMemory;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::images::{encoded, form, picture, png};
use tests::{Client, Response, Setup, TestCampus};

pub(crate) struct Scene {
    pub(crate) campus: TestCampus,
    store: Arc<InMemory>,
    pub(crate) ada: Client,
    /// `/api/clubs/chess/events/…/`
    pub(crate) path: String,
}

pub(crate) async fn scene() -> Scene {
    let store = Arc::new(InMemory::new());
    let campus = Setup::default().images(store.clone()).build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let event = ada.post(
        "/api/clubs/chess/events/",
        json!({ "name": "x", "showings": [{ "start_time": hours(1), "end_time": hours(2) }] }),
    );
    let path = format!("/api/clubs/chess/events/{}/", id(&event.await.created()));
    Scene {
        campus,
        store,
        ada,
        path,
    }
}

impl Scene {
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        parts: &[(&str, &[u8])],
    ) -> Response {
        let (content_type, body) = form(parts);
        self.ada.raw(method, path, Some(&content_type), body).await
    }

    pub(crate) async fn upload(&self, file: &[u8]) -> Response {
        self.send(
            Method::POST,
            &format!("{}upload/", self.path),
            &[("file", file)],
        )
        .await
    }

    pub(crate) async fn files(&self) -> usize {
        self.store
            .list(None)
            .try_collect::<Vec<_>>()
            .await
            .map(|files| files.len())
            .unwrap_or_default()
    }

    /// The image that the event's field `key` links to.
    pub(crate) async fn shown(&self, event: &Value, key: &str) -> (DynamicImage, Response) {
        let url = event[key]
            .as_str()
            .unwrap_or_else(|| panic!("no {key}: {event}"));
        let path = url
            .strip_prefix("http://127.0.0.1:8000")
            .unwrap_or_default();
        let response = self.campus.anonymous().get(path).await;
        assert_eq!(response.status, 200, "{path}");
        (
            image::load_from_memory(&response.bytes).expect("an image"),
            response,
        )
    }
}

// proves V13, V14, V16
#[tokio::test]
async fn formats_are_stored_in_three_sizes_without_metadata() {
    let scene = scene().await;
    let mut names = Vec::new();
    for format in [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::WebP,
        ImageFormat::Gif,
    ] {
        let event = scene
            .upload(&encoded(&picture(1_200, 300), format))
            .await
            .ok();
        let (full, response) = scene.shown(&event, "large_image_url").await;
        let (small, _) = scene.shown(&event, "image_url").await;
        let address = event["image_url"].as_str().unwrap_or_default();
        let lists = json!({ "sign": address.replace("-600.", "-112.") });
        let (sign, _) = scene.shown(&lists, "sign").await;
        assert_eq!(
            [full.dimensions(), small.dimensions(), sign.dimensions()],
            [(1_200, 300), (600, 150), (112, 28)],
            "{format:?}"
        );
        assert_eq!(response.header("content-type"), "image/jpeg");
        assert_eq!(
            response.header("cache-control"),
            "public, max-age=31536000, s-maxage=86400, immutable"
        );
        let name = event["large_image_url"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(
            name.rsplit('/')
                .next()
                .is_some_and(|name| name.len() == 32 + 4),
            "{name}"
        );
        names.push(name);
        assert_eq!(scene.files().await, 3, "old ones are removed");
        assert_eq!(scene.ada.get(&scene.path).await.ok(), event);
    }
    let names: std::collections::BTreeSet<String> = names.into_iter().collect();
    assert_eq!(names.len(), 4, "a name is never used twice");
}

// proves V14
#[tokio::test]
async fn transparency_stays_and_small_pictures_stay_small() {
    let scene = scene().await;
    let clear = DynamicImage::ImageRgba8(RgbaImage::from_fn(40, 30, |x, _| {
        Rgba([255, 0, 0, if x < 20 { 0 } else { 255 }])
    }));
    let event = scene.upload(&encoded(&clear, ImageFormat::Png)).await.ok();
    for key in ["image_url", "large_image_url"] {
        let (shown, response) = scene.shown(&event, key).await;
        assert_eq!(
            (shown.dimensions(), response.header("content-type")),
            ((40, 30), "image/png")
        );
        assert_eq!(
            (shown.get_pixel(0, 0).0[3], shown.get_pixel(30, 0).0),
            (0, [255, 0, 0, 255])
        );
    }
}

/// A PNG whose header has these dimensions, but which has hardly any data.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let mut file = png(8, 8);
    file[16..20].copy_from_slice(&width.to_be_bytes());
    file[20..24].copy_from_slice(&height.to_be_bytes());
    let mut crc = flate2::Crc::new();
    crc.update(&file[12..29]);
    file[29..33].copy_from_slice(&crc.sum().to_be_bytes());
    file
}

// proves V13, V15
#[tokio::test]
async fn other_files_are_no_images() {
    let scene = scene().await;
    let (good, jpeg, gif, webp) = (
        png(64, 64),
        encoded(&picture(64, 64), ImageFormat::Jpeg),
        encoded(&picture(64, 64), ImageFormat::Gif),
        encoded(&picture(64, 64), ImageFormat::WebP),
    );
    let cut = |file: &[u8]| file[..file.len() - 9].to_vec();
    let files: Vec<(&str, Vec<u8>)> = vec![
        (
            "an SVG",
            b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>".to_vec(),
        ),
        ("HTML", b"<!doctype html><script>alert(1)</script>".to_vec()),
        ("a PDF", b"%PDF-1.7\n".to_vec()),
        ("a signature alone", b"GIF89a/*".to_vec()),
        (
            "GIF as a script",
            b"GIF89a/*\x00\x00\x00*/=alert(1);".to_vec(),
        ),
        ("a cut PNG", cut(&good)),
        ("a cut JPEG", cut(&jpeg)),
        ("a cut GIF", cut(&gif)),
        ("a cut WebP", cut(&webp)),
        ("half a JPEG", jpeg[..jpeg.len() / 2].to_vec()),
        ("a bomb of pixels", bomb(60_000, 60_000)),
        ("a long bomb", bomb(4_000_000_000, 1)),
        ("a little too large", bomb(8_000, 5_001)),
        ("a BMP", encoded_bmp()),
        ("broken data", {
            let mut file = good.clone();
            let middle = file.len() / 2;
            file[middle] ^= 0xff;
            file
        }),
    ];
    for (what, file) in files {
        let began = std::time::Instant::now();
        scene.upload(&file).await.invalid(&["file"]);
        assert!(
            began.elapsed().as_secs() < 5,
            "{what} took {:?}",
            began.elapsed()
        );
    }
    scene
        .send(Method::PATCH, &scene.path, &[("image", b"nonsense")])
        .await
        .invalid(&["image"]);
    scene
        .send(
            Method::POST,
            &format!("{}upload/", scene.path),
            &[("other", b"x")],
        )
        .await
        .invalid(&["file"]);
    assert_eq!(scene.files().await, 0);
}

// proves V15
#[tokio::test]
async fn bytes_after_an_image_are_not_stored() {
    let scene = scene().await;
    let jpeg = encoded(&picture(64, 64), ImageFormat::Jpeg);
    let tails: [&[u8]; 4] = [
        b"\0\0\x01\x0a notes SEFT",
        b"PK\x03\x04 and more",
        b"<?php system('id'); ?>",
        b"<script>alert(1)</script>",
    ];
    let images = [
        png(64, 64),
        encoded(&picture(64, 64), ImageFormat::Gif),
        jpeg,
    ];
    for (image, tail) in images
        .iter()
        .flat_map(|image| tails.map(|tail| (image, tail)))
    {
        let event = scene.upload(&[image.as_slice(), tail].concat()).await.ok();
        for key in ["image_url", "large_image_url"] {
            let (_, response) = scene.shown(&event, key).await;
            assert!(!response.bytes.windows(tail.len()).any(|part| part == tail));
        }
    }
}

fn encoded_bmp() -> Vec<u8> {
    b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0".to_vec()
}

// proves H11, V13
#[tokio::test]
async fn four_mebibytes_and_forty_megapixels_are_the_most() {
    let scene = scene().await;
    let mut large = png(64, 64);
    large.resize(4 * 1024 * 1024 + 1, 0);
    scene.upload(&large).await.error(413);
    large.truncate(4 * 1024 * 1024);
    scene.upload(&large).await.ok();
    // 39.9 megapixels in one colour.
    let wide = DynamicImage::ImageLuma8(image::GrayImage::from_pixel(
        6_650,
        6_000,
        image::Luma([200]),
    ));
    let mut file = Vec::new();
    wide.write_to(&mut Cursor::new(&mut file), ImageFormat::Png)
        .expect("an image");
    let event = scene.upload(&file).await.ok();
    assert_eq!(
        scene.shown(&event, "image_url").await.0.dimensions(),
        (600, 541)
    );
}

// proves V14
#[tokio::test]
async fn photo_stands_upright_without_location() {
    let scene = scene().await;
    let jpeg = encoded(&picture(40, 20), ImageFormat::Jpeg);
    // Exif data: orientation 6 (turn to the right), and a text that must be removed.
    let mut exif = b"Exif\0\0II*\0\x08\0\0\0\x02\0".to_vec();
    exif.extend([0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]);
    exif.extend([0x0e, 0x01, 2, 0, 14, 0, 0, 0, 38, 0, 0, 0]);
    exif.extend([0; 4]);
    exif.extend(b"Planted place\0");
    let mut file = jpeg[..2].to_vec();
    file.extend([0xff, 0xe1]);
    file.extend(
        u16::try_from(exif.len() + 2)
            .unwrap_or_default()
            .to_be_bytes(),
    );
    file.extend(&exif);
    file.extend(&jpeg[2..]);
    let event = scene.upload(&file).await.ok();
    let (shown, response) = scene.shown(&event, "large_image_url").await;
    assert_eq!(shown.dimensions(), (20, 40));
    assert!(!response.bytes.windows(7).any(|window| window == b"Planted"));
}

#[tokio::test]
async fn images_are_found_by_their_names_alone() {
    let scene = scene().await;
    let anybody = scene.campus.anonymous();
    for path in [
        "/media/nothing.jpg",
        "/media/..%2f..%2fetc%2fpasswd",
        "/media/",
    ] {
        anybody.get(path).await.error(404);
    }
}

/// A PNG whose colour profile has `megabytes` MB before compression.
fn with_profile(megabytes: usize) -> Vec<u8> {
    use std::io::Write as _;
    let mut zipped =
        flate2::write::ZlibEncoder::new(b"iCCPx\0\0".to_vec(), flate2::Compression::best());
    for _ in 0..megabytes {
        zipped.write_all(&vec![0; 1024 * 1024]).expect("memory");
    }
    let chunk = zipped.finish().expect("memory");
    let mut crc = flate2::Crc::new();
    crc.update(&chunk);
    let mut file = png(8, 8);
    let tail = file.split_off(33);
    file.extend(
        u32::try_from(chunk.len() - 4)
            .unwrap_or_default()
            .to_be_bytes(),
    );
    file.extend(chunk);
    file.extend(crc.sum().to_be_bytes());
    file.extend(tail);
    file
}

#[tokio::test]
async fn a_profile_that_is_large_in_memory_is_not_looked_at() {
    let scene = scene().await;
    let file = with_profile(600);
    assert!(file.len() < 1024 * 1024, "{}", file.len());
    let began = std::time::Instant::now();
    scene.upload(&file).await.ok();
    assert!(began.elapsed().as_millis() < 500, "{:?}", began.elapsed());
}

// Phones put a video behind the picture, with any bytes.
// proves V15
#[tokio::test]
async fn bytes_after_a_jpeg_are_ignored() {
    let scene = scene().await;
    let jpeg = encoded(&picture(40, 20), ImageFormat::Jpeg);
    for more in [&[0xff, 0xda, 0, 1][..], &[0xff, 0xd9, 0xff, 0xda]] {
        let file = [&jpeg, more].concat();
        scene.upload(&file).await.ok();
    }
}
