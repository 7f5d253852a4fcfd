//! Files as answers: announced, sent to the bucket, named, and read.

use chrono::TimeDelta;
use serde_json::json;
use shared::ids::sha256_hex;
use tests::TestCampus;
use tests::files::{announced, path_of, pdf, send};
use tests::fixtures::id;

// proves U1
#[tokio::test]
async fn questions_for_files() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    assert_eq!(
        (&cv["formats"], &cv["max_mb"]),
        (&json!(["pdf"]), &json!(5))
    );
    assert_eq!(cv["multiple_choice"], json!([]));
    let path = format!("{}questions/{}/", recruitment.path, id(&cv));
    let formats = json!({ "formats": ["png", "jpeg", "png"], "max_mb": 10 });
    let changed = recruitment.officer.patch(&path, formats).await.ok();
    assert_eq!(changed["formats"], json!(["png", "jpeg"]));
    assert_eq!(
        recruitment.officer.put(&path, changed.clone()).await.ok(),
        changed
    );
    for (field, body) in [
        ("formats", json!({ "formats": [] })),
        ("formats.0", json!({ "formats": ["exe"] })),
        ("max_mb", json!({ "max_mb": 0 })),
        ("max_mb", json!({ "max_mb": 11 })),
        ("word_limit", json!({ "word_limit": 5 })),
        ("multiple_choice", json!({ "multiple_choice": ["a", "b"] })),
    ] {
        recruitment
            .officer
            .patch(&path, body)
            .await
            .invalid(&[field]);
    }
    let photos = json!({ "shrink_photos": true });
    let changed = recruitment.officer.patch(&path, photos).await.ok();
    assert_eq!(changed["shrink_photos"], true);
    let other = json!({ "question_type": 1, "prompt": "x", "max_mb": 5 });
    let questions = format!("{}questions/", recruitment.path);
    recruitment
        .officer
        .post(&questions, other)
        .await
        .invalid(&["max_mb"]);
    for _ in 1..5 {
        recruitment.file_question(json!({})).await;
    }
    let sixth = json!({ "question_type": 5, "prompt": "x" });
    let sixth = recruitment.officer.post(&questions, sixth).await;
    assert_eq!(sixth.json()["code"], "quota");
    sixth.error(400);
}

// proves U2, U4, U5, U7
#[tokio::test]
async fn a_file_from_the_browser_to_the_officer() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let files = format!("{}files/", recruitment.path);
    let bytes = pdf("Sue");
    let announcement = announced(&cv, "Lebenslauf \u{e4} \"1\".pdf", &bytes);
    let file = sue.post(&files, announcement).await.created();
    let one = format!("{files}{}/", id(&file));
    assert_eq!(sue.get(&one).await.ok()["state"], "waiting");
    assert_eq!(send(&sue, &file, &bytes).await.status, 204);
    let here = sue.get(&one).await.ok();
    assert_eq!(
        (&here["state"], &here["question"]),
        (&json!("here"), &cv["id"])
    );
    campus.as_("tom").get(&one).await.error(404);
    let submit = format!("{}submissions/", recruitment.path);
    let body = json!({ "responses": [{ "question": cv["id"], "file": file["id"] }] });
    let submission = sue.post(&submit, body).await.created();
    let shown = &submission["responses"][0]["file"];
    assert_eq!(
        *shown,
        json!({
            "id": file["id"],
            "name": "Lebenslauf \u{e4} \"1\".pdf",
            "size": bytes.len(),
            "type": "application/pdf",
            "sha256": sha256_hex(&bytes),
        })
    );
    assert_eq!(sue.get(&one).await.ok()["state"], "used");
    let read = format!("{submit}{}/files/{}/", id(&submission), id(&file));
    let found = recruitment.officer.get(&read).await;
    assert_eq!(
        (found.status.as_u16(), found.header("cache-control")),
        (302, "no-store")
    );
    let address = found.header("location").to_owned();
    let anonymous = campus.anonymous();
    let raw = |address: String| {
        let anonymous = &anonymous;
        async move {
            let path = path_of(&address).to_owned();
            anonymous
                .raw(axum::http::Method::GET, &path, None, "")
                .await
        }
    };
    let got = raw(address.clone()).await;
    assert_eq!((got.status.as_u16(), &got.bytes), (200, &bytes));
    assert_eq!(got.header("content-type"), "application/pdf");
    assert_eq!(got.header("x-content-type-options"), "nosniff");
    assert!(
        got.header("content-disposition")
            .starts_with("attachment; filename=\"Lebenslauf _ _1_.pdf\"")
    );
    campus.advance(TimeDelta::seconds(61));
    assert_eq!(raw(address).await.status, 403);
    let json = sue.clone().header("accept", "application/json");
    assert!(json.get(&read).await.ok()["url"].is_string());
    campus.as_("tom").get(&read).await.error(403);
    anonymous.get(&read).await.error(401);
}

// proves U2
#[tokio::test]
async fn the_bucket_takes_only_what_was_announced() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let files = format!("{}files/", recruitment.path);
    let bytes = pdf("Sue");
    let announce = async || {
        let body = announced(&cv, "cv.pdf", &bytes);
        sue.post(&files, body).await.created()
    };
    let file = announce().await;
    let (longer, other) = (pdf("Sue!"), pdf("Tom"));
    assert_eq!(send(&sue, &file, &longer).await.status, 400);
    assert_eq!(send(&sue, &file, &other).await.status, 400);
    assert_eq!(send(&sue, &file, b"").await.status, 400);
    for (field, value) in [
        ("key", "uploads/other"),
        ("Content-Type", "text/html"),
        ("policy", "{}"),
        ("signature", "00"),
    ] {
        let mut changed = file.clone();
        changed["upload"]["fields"][field] = json!(value);
        assert_eq!(send(&sue, &changed, &bytes).await.status, 403, "{field}");
    }
    let one = format!("{files}{}/", id(&file));
    assert_eq!(sue.get(&one).await.ok()["state"], "waiting");
    // Sending twice, after a lost answer, is as sending once.
    assert_eq!(send(&sue, &file, &bytes).await.status, 204);
    assert_eq!(send(&sue, &file, &bytes).await.status, 204);
    let late = announce().await;
    campus.advance(TimeDelta::minutes(15) + TimeDelta::seconds(1));
    assert_eq!(send(&sue, &late, &bytes).await.status, 403);
}

// proves U2, U3
#[tokio::test]
async fn wrong_announcements_are_named() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({ "max_mb": 1 })).await;
    let sue = campus.as_("sue");
    let files = format!("{}files/", recruitment.path);
    let right = announced(&cv, "cv.pdf", &pdf("Sue"));
    for (field, value) in [
        ("question", json!(recruitment.question)),
        ("question", json!(1)),
        ("name", json!("")),
        ("name", json!("a\nb")),
        ("name", json!("x".repeat(256))),
        ("size", json!(0)),
        ("size", json!(1024 * 1024 + 1)),
        ("type", json!("image/png")),
        ("type", json!("application/pdf; charset=x")),
        ("sha256", json!("A".repeat(64))),
        ("sha256", json!("a")),
    ] {
        let mut body = right.clone();
        body[field] = value;
        sue.post(&files, body).await.invalid(&[field]);
    }
    let all = ["question", "name", "size", "type", "sha256"];
    sue.post(&files, json!({})).await.invalid(&all);
    campus
        .anonymous()
        .post(&files, right.clone())
        .await
        .error(401);
    campus.advance(TimeDelta::days(60));
    let sue = campus.as_("sue");
    let late = sue.post(&files, right).await;
    assert_eq!(late.json()["code"], "application_closed");
}

// proves U3
#[tokio::test]
async fn twenty_files_wait_at_most() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.open_for_days(30).await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let files = format!("{}files/", recruitment.path);
    let bytes = pdf("Sue");
    let body = announced(&cv, "cv.pdf", &bytes);
    let first = recruitment.upload(&sue, &cv, &bytes).await;
    for _ in 1..20 {
        sue.post(&files, body.clone()).await.created();
    }
    let full = sue.post(&files, body.clone()).await;
    assert_eq!(full.json()["code"], "quota");
    full.error(400);
    campus.as_("tom").post(&files, body.clone()).await.created();
    // What is submitted does not count.
    let submit = format!("{}submissions/", recruitment.path);
    let answers = json!({ "responses": [{ "question": cv["id"], "file": first }] });
    sue.post(&submit, answers).await.created();
    sue.post(&files, body.clone()).await.created();
    sue.post(&files, body.clone()).await.error(400);
    campus.advance(TimeDelta::days(7) + TimeDelta::seconds(1));
    campus.as_("sue").post(&files, body).await.created();
}

// proves U4
#[tokio::test]
async fn file_format_size_and_hash_are_checked() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let other = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let bytes = pdf("Sue");
    let files = format!("{}files/", recruitment.path);
    let waiting = sue
        .post(&files, announced(&cv, "cv.pdf", &bytes))
        .await
        .created();
    let toms = recruitment.upload(&campus.as_("tom"), &cv, &bytes).await;
    let script = b"<script>alert(1)</script>".to_vec();
    let fake = recruitment.upload(&sue, &cv, &script).await;
    let elsewhere = recruitment.upload(&sue, &other, &bytes).await;
    let submit = format!("{}submissions/", recruitment.path);
    let draft = format!("{}draft/", recruitment.path);
    for file in [id(&waiting), toms, fake, elsewhere, 1] {
        let body = json!({ "responses": [{ "question": cv["id"], "file": file }] });
        sue.post(&submit, body).await.invalid(&["responses.0.file"]);
        let body = json!({ "responses": [{ "question": cv["id"], "file": file, "version": 0 }] });
        sue.patch(&draft, body).await.invalid(&["responses.0.file"]);
    }
    let file = recruitment.upload(&sue, &cv, &bytes).await;
    for (field, response) in [
        (
            "responses.0.text",
            json!({ "question": cv["id"], "text": "x" }),
        ),
        (
            "responses.0.multiple_choice",
            json!({ "question": cv["id"], "multiple_choice": 1 }),
        ),
        (
            "responses.0.file",
            json!({ "question": recruitment.question, "file": file }),
        ),
    ] {
        let body = json!({ "responses": [response] });
        sue.post(&submit, body).await.invalid(&[field]);
    }
    sue.get(&draft).await.error(404);
}

// proves U3, U4, U8
#[tokio::test]
async fn a_file_is_handed_out_as_what_it_is() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    // A PDF may begin within its first 1,024 bytes.
    let late = |before: usize| [&b"x".repeat(before)[..], &pdf("Sue")].concat();
    let files = format!("{}files/", recruitment.path);
    let body = announced(&cv, "cv\u{202e}fdp.bat\u{feff}", &late(1_023));
    let file = sue.post(&files, body).await.created();
    assert_eq!(send(&sue, &file, &late(1_023)).await.status, 204);
    let body = json!({ "responses": [{ "question": cv["id"], "file": file["id"] }] });
    let submit = format!("{}submissions/", recruitment.path);
    let submission = sue.post(&submit, body).await.created();
    assert_eq!(submission["responses"][0]["file"]["name"], "cvfdp.bat");
    let read = format!("{submit}{}/files/{}/", id(&submission), id(&file));
    let address = recruitment
        .officer
        .get(&read)
        .await
        .header("location")
        .to_owned();
    let path = path_of(&address);
    let got = campus
        .anonymous()
        .raw(axum::http::Method::GET, path, None, "")
        .await;
    assert_eq!(
        got.header("content-disposition"),
        "attachment; filename=\"cvfdp.bat.pdf\"; filename*=UTF-8''cvfdp.bat.pdf"
    );
    let too_late = recruitment.upload(&sue, &cv, &late(1_024)).await;
    let body = json!({ "responses": [{ "question": cv["id"], "file": too_late }] });
    sue.post(&submit, body).await.invalid(&["responses.0.file"]);
    let body = announced(&cv, "\u{200b}", &late(0));
    sue.post(&files, body).await.invalid(&["name"]);
}
