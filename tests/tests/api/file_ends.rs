//! How long files are there: what is replaced, withdrawn, erased or never used goes, and nothing
//! that is needed does.

use chrono::TimeDelta;
use futures::TryStreamExt as _;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::client::Client;
use tests::files::{announced, pdf, send};
use tests::fixtures::{Recruitment, id};

/// The keys of all files in the bucket, by their beginning.
pub async fn stored(campus: &TestCampus, prefix: &str) -> Vec<String> {
    let all = campus.campus.files.list(None);
    let all: Vec<_> = all.try_collect().await.expect("a list");
    let keys = all.into_iter().map(|one| one.location.to_string());
    keys.filter(|key| key.starts_with(prefix)).collect()
}

pub async fn submit(recruitment: &Recruitment, client: &Client, body: Value) -> Value {
    let path = format!("{}submissions/", recruitment.path);
    let response = client.post(&path, body).await;
    assert!(response.status.is_success(), "{}", response.text());
    response.json()
}

pub fn naming(question: &Value, file: u64) -> Value {
    json!({ "responses": [{ "question": question["id"], "file": file }] })
}

// proves U5, U9
#[tokio::test]
async fn a_replaced_file_goes_and_the_new_one_is_there() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let first = recruitment.upload(&sue, &cv, &pdf("1")).await;
    let submission = submit(&recruitment, &sue, naming(&cv, first)).await;
    let before = stored(&campus, "files/").await;
    let second = recruitment.upload(&sue, &cv, &pdf("2")).await;
    campus.advance(TimeDelta::seconds(1));
    let again = submit(&recruitment, &sue, naming(&cv, second)).await;
    let after = stored(&campus, "files/").await;
    assert_eq!((before.len(), after.len()), (1, 1));
    assert_ne!(before, after);
    let of = |file: u64| {
        format!(
            "{}submissions/{}/files/{file}/",
            recruitment.path,
            id(&again)
        )
    };
    assert_eq!(recruitment.officer.get(&of(first)).await.status, 404);
    assert_eq!(recruitment.officer.get(&of(second)).await.status, 302);
    assert_ne!(submission["receipt"], again["receipt"]);
    // The same answers again change nothing, and leave nothing.
    let same = submit(&recruitment, &sue, naming(&cv, second)).await;
    assert_eq!(same["revision"], again["revision"]);
    assert_eq!(stored(&campus, "files/").await, after);
}

// proves U5, U6
#[tokio::test]
async fn submitted_file_can_be_named_again_after_weeks() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.open_for_days(60).await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
    submit(&recruitment, &sue, naming(&cv, file)).await;
    campus.tick().await;
    campus.advance(TimeDelta::days(20));
    campus.tick().await;
    assert_eq!(stored(&campus, "uploads/").await.len(), 0);
    let sue = campus.as_("sue");
    let one = format!("{}files/{file}/", recruitment.path);
    assert_eq!(sue.get(&one).await.ok()["state"], "used");
    let mut body = naming(&cv, file);
    let more = json!({ "question": recruitment.question, "text": "more" });
    body["responses"].as_array_mut().expect("a list").push(more);
    let again = submit(&recruitment, &sue, body.clone()).await;
    assert_eq!(again["revision"], 2);
    // Each submission has a copy of its own.
    body["committee"] = recruitment.application["committees"][0]["id"].clone();
    let other = submit(&recruitment, &sue, body).await;
    assert_eq!(stored(&campus, "files/").await.len(), 2);
    let withdrawn = format!("/api/submissions/{}/", id(&again));
    sue.delete(&withdrawn).await.no_content();
    assert_eq!(stored(&campus, "files/").await.len(), 1);
    let read = format!(
        "{}submissions/{}/files/{file}/",
        recruitment.path,
        id(&other)
    );
    assert_eq!(sue.get(&read).await.status, 302);
}

// proves U6
#[tokio::test]
async fn uploads_go_after_seven_days_unless_a_draft_names_them() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.open_for_days(30).await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let unused = recruitment.upload(&sue, &cv, &pdf("1")).await;
    let named = recruitment.upload(&sue, &cv, &pdf("2")).await;
    let draft = format!("{}draft/", recruitment.path);
    let body = json!({ "responses": [{ "question": cv["id"], "file": named, "version": 0 }] });
    let saved = sue.patch(&draft, body).await.ok();
    assert_eq!(saved["responses"][0]["file"], named);
    let state = async |file: u64| {
        let path = format!("{}files/{file}/", recruitment.path);
        campus.as_("sue").get(&path).await.status.as_u16()
    };
    campus.advance(TimeDelta::days(6));
    campus.tick().await;
    assert_eq!((state(unused).await, state(named).await), (200, 200));
    campus.advance(TimeDelta::days(1) + TimeDelta::minutes(1));
    campus.tick().await;
    assert_eq!((state(unused).await, state(named).await), (404, 200));
    assert_eq!(stored(&campus, "uploads/").await.len(), 1);
    // A draft is kept for 30 days after the end.
    campus.advance(TimeDelta::days(54));
    campus.tick().await;
    assert_eq!(
        (state(named).await, stored(&campus, "uploads/").await.len()),
        (404, 0)
    );
}

// proves U9, P14
#[tokio::test(start_paused = true)]
async fn an_erasure_removes_all_files() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
    recruitment.upload(&sue, &cv, &pdf("2")).await;
    let submission = submit(&recruitment, &sue, naming(&cv, file)).await;
    let toms = recruitment.upload(&campus.as_("tom"), &cv, &pdf("3")).await;
    submit(&recruitment, &campus.as_("tom"), naming(&cv, toms)).await;
    recruitment.decide(&submission, 4, "").await;
    campus.erase(&sue).await;
    let left = (
        stored(&campus, "uploads/").await.len(),
        stored(&campus, "files/").await.len(),
    );
    assert_eq!(left, (1, 1), "what is Tom's stays");
    let path = format!(
        "{}submissions/{}/files/{file}/",
        recruitment.path,
        id(&submission)
    );
    recruitment.officer.get(&path).await.error(404);
}

// proves U9
#[tokio::test(start_paused = true)]
async fn file_arriving_after_erasure_is_deleted_within_an_hour() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let bytes = pdf("1");
    let body = announced(&cv, "cv.pdf", &bytes);
    let file = sue
        .post(&format!("{}files/", recruitment.path), body)
        .await
        .created();
    campus.tick().await;
    campus.erase(&sue).await;
    assert_eq!(send(&sue, &file, &bytes).await.status, 204);
    assert_eq!(stored(&campus, "uploads/").await.len(), 1);
    campus.advance(TimeDelta::minutes(61));
    campus.tick().await;
    assert_eq!(stored(&campus, "uploads/").await.len(), 0);
}

// proves U9, A7
#[tokio::test(start_paused = true)]
async fn a_deleted_application_takes_its_files_with_it() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
    recruitment.upload(&sue, &cv, &pdf("2")).await;
    submit(&recruitment, &sue, naming(&cv, file)).await;
    recruitment
        .officer
        .delete(&recruitment.path)
        .await
        .error(400);
    assert_eq!(stored(&campus, "").await.len(), 3);
    recruitment
        .officer
        .delete(&format!("{}?force=true", recruitment.path))
        .await
        .no_content();
    assert_eq!(stored(&campus, "").await.len(), 0);
}

// proves U5, S20
#[tokio::test]
async fn a_file_that_is_not_asked_for_is_not_used() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let options = json!({ "question_type": 2, "prompt": "?", "multiple_choice": ["a", "b"] });
    let questions = format!("{}questions/", recruitment.path);
    let choice = recruitment
        .officer
        .post(&questions, options)
        .await
        .created();
    let [a, b] = [0, 1].map(|n| choice["multiple_choice"][n]["id"].clone());
    let condition = json!({ "show_if": { "question": choice["id"], "options": [a] } });
    let cv = recruitment.file_question(condition).await;
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
    let body = json!({ "responses": [
        { "question": choice["id"], "multiple_choice": b },
        { "question": cv["id"], "file": file },
    ] });
    let submission = submit(&recruitment, &sue, body).await;
    assert_eq!(submission["responses"].as_array().map(Vec::len), Some(1));
    assert_eq!(stored(&campus, "files/").await.len(), 0);
    let one = format!("{}files/{file}/", recruitment.path);
    assert_eq!(sue.get(&one).await.ok()["state"], "here");
}

// proves U10
#[tokio::test]
async fn receipts_and_the_export_have_files() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment
        .officer
        .patch(&recruitment.path, json!({ "confirmation": true }))
        .await
        .ok();
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let bytes = pdf("1");
    let file = recruitment.upload(&sue, &cv, &bytes).await;
    let submission = submit(&recruitment, &sue, naming(&cv, file)).await;
    let receipt = json!({ "receipt": submission["receipt"] });
    let verified = sue.post("/api/receipts/verify/", receipt).await.ok();
    let canonical = format!(
        "[{{\"file\":\"{}\",\"multiple_choice\":null,\"question\":{},\"text\":null}}]",
        shared::ids::sha256_hex(&bytes),
        cv["id"]
    );
    let hash = shared::ids::sha256_hex(canonical.as_bytes());
    let stated = verified["claims"]["answers"].as_str().expect("a hash");
    assert_eq!(hex(stated), hash);
    assert_eq!(verified["stored"], "current");
    let path = format!("{}submissions/", recruitment.path);
    let csv = recruitment
        .officer
        .clone()
        .header("accept", "text/csv")
        .get(&path)
        .await
        .text();
    let cell = format!("cv.pdf {path}{}/files/{file}/", id(&submission));
    assert!(csv.contains(&cell), "{csv}");
    campus.deliver().await;
    let mails = campus.campus.mailbox.mails();
    let mail = serde_json::to_value(&mails[0]).expect("a mail");
    assert!(mail["text"].as_str().unwrap_or_default().contains("cv.pdf"));
}

/// The digits of a hash in base64url.
fn hex(base64: &str) -> String {
    use std::fmt::Write as _;

    use base64::Engine as _;
    let bytes = base64::prelude::BASE64_URL_SAFE_NO_PAD.decode(base64);
    let bytes = bytes.expect("a hash");
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
