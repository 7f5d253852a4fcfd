//! Bytes that nobody needs any more go, whatever happened before: a killed process, an erasure and
//! a return, a draft that changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::TimeDelta;
use object_store::path::Path;
use object_store::{ObjectStoreExt as _, PutPayload};
use serde_json::{Value, json};
use tests::files::{announced, pdf};
use tests::fixtures::{Recruitment, hours, id};
use tests::{Client, Setup, TestCampus};

use crate::file_ends::{naming, stored, submit};
use crate::file_faults::{findings, repair};

/// A campus on which a process can be killed when it writes a submission: nothing of what it wants
/// after that arrives.
pub fn with_killed_submissions() -> (TestCampus, Arc<AtomicBool>) {
    let is_killed = Arc::new(AtomicBool::new(false));
    let (killed, dead) = (is_killed.clone(), AtomicBool::new(false));
    let hook = move |operation: &str, _: &[u8]| {
        let is_killed = killed.load(Ordering::Relaxed);
        let dies = is_killed && (operation == "UpdateItem" || dead.load(Ordering::Relaxed));
        dead.store(dies, Ordering::Relaxed);
        Box::pin(async move {
            let body = json!({ "__type": "ValidationException" });
            dies.then_some((400_u16, body))
        }) as futures::future::BoxFuture<'static, _>
    };
    (Setup::default().table(Arc::new(hook)).build(), is_killed)
}

/// A submission with a file whose process was killed before it was stored.
async fn killed_submission() -> (TestCampus, Recruitment, Client) {
    let (campus, is_killed) = with_killed_submissions();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
    let path = format!("{}submissions/", recruitment.path);
    is_killed.store(true, Ordering::Relaxed);
    sue.post(&path, naming(&cv, file)).await.error(500);
    is_killed.store(false, Ordering::Relaxed);
    assert_eq!(stored(&campus, "files/").await.len(), 1);
    (campus, recruitment, sue)
}

async fn state(client: &Client, recruitment: &str, file: u64) -> u16 {
    let path = format!("{recruitment}files/{file}/");
    client.get(&path).await.status.as_u16()
}

// proves U9, P18
#[tokio::test(start_paused = true)]
async fn returning_person_can_upload_again() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    recruitment.upload(&sue, &cv, &pdf("1")).await;
    campus.erase(&sue).await;
    campus.advance(TimeDelta::minutes(1));
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("2")).await;
    submit(&recruitment, &sue, naming(&cv, file)).await;
}

// proves U9, P14
#[tokio::test(start_paused = true)]
async fn erasure_finds_files_of_unstored_submissions() {
    let (campus, _, sue) = killed_submission().await;
    campus.advance(TimeDelta::hours(2));
    campus.erase(&sue).await;
    assert_eq!(stored(&campus, "files/").await, [""; 0]);
    assert_eq!(stored(&campus, "uploads/").await, [""; 0]);
}

// proves U9, A7
#[tokio::test(start_paused = true)]
async fn deletion_finds_files_of_unstored_submissions() {
    let (campus, recruitment, _) = killed_submission().await;
    campus.advance(TimeDelta::hours(2));
    recruitment
        .officer
        .delete(&recruitment.path)
        .await
        .no_content();
    assert_eq!(stored(&campus, "").await, [""; 0]);
}

// proves U9
#[tokio::test]
async fn an_upload_goes_with_the_submission_that_used_it() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.open_for_days(30).await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let first = recruitment.upload(&sue, &cv, &pdf("1")).await;
    submit(&recruitment, &sue, naming(&cv, first)).await;
    campus.advance(TimeDelta::seconds(1));
    let second = recruitment.upload(&sue, &cv, &pdf("2")).await;
    let submission = submit(&recruitment, &sue, naming(&cv, second)).await;
    campus.tick().await;
    let uploads = stored(&campus, "uploads/").await;
    assert_eq!(uploads.len(), 1, "the first one was replaced");
    assert!(uploads[0].ends_with(&second.to_string()));
    let own = format!("/api/submissions/{}/", id(&submission));
    sue.delete(&own).await.no_content();
    campus.tick().await;
    assert_eq!(stored(&campus, "").await, [""; 0]);
    assert_eq!(state(&sue, &recruitment.path, second).await, 404);
}

// proves U6
#[tokio::test]
async fn a_file_that_a_draft_names_no_more_goes_within_a_week() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.open_for_days(30).await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
    let draft = format!("{}draft/", recruitment.path);
    let saved = |file: Option<u64>, version: u64| -> Value {
        json!({ "responses": [{ "question": cv["id"], "file": file, "version": version }] })
    };
    sue.patch(&draft, saved(Some(file), 0)).await.ok();
    campus.advance(TimeDelta::days(8));
    campus.tick().await;
    assert_eq!(
        state(&campus.as_("sue"), &recruitment.path, file).await,
        200
    );
    campus.as_("sue").patch(&draft, saved(None, 1)).await.ok();
    campus.advance(TimeDelta::days(7) + TimeDelta::hours(1));
    campus.tick().await;
    assert_eq!(stored(&campus, "uploads/").await, [""; 0]);
}

// proves U6
#[tokio::test]
async fn file_lives_as_long_as_its_moved_draft() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
    let draft = format!("{}draft/", recruitment.path);
    let body = json!({ "responses": [{ "question": cv["id"], "file": file, "version": 0 }] });
    sue.patch(&draft, body).await.ok();
    let later = json!({
        "application_end_time": hours(24 * 60),
        "result_release_time": hours(24 * 61),
    });
    recruitment
        .officer
        .patch(&recruitment.path, later)
        .await
        .ok();
    let text = json!({ "question": recruitment.question, "text": "Because", "version": 0 });
    let body = json!({ "responses": [text] });
    sue.patch(&draft, body).await.ok();
    for _ in 0..8 {
        campus.advance(TimeDelta::days(7));
        campus.tick().await;
    }
    let sue = campus.as_("sue");
    assert_eq!(state(&sue, &recruitment.path, file).await, 200);
    submit(&recruitment, &sue, naming(&cv, file)).await;
}

// proves U12, O6
#[tokio::test]
async fn a_check_finds_uploads_that_nobody_has() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    recruitment.upload(&sue, &cv, &pdf("1")).await;
    let announcement = announced(&cv, "late.pdf", &pdf("2"));
    let path = format!("{}files/", recruitment.path);
    let late = sue.post(&path, announcement).await.created();
    let key = late["upload"]["fields"]["key"].as_str().expect("a key");
    let planted = key.replace(&format!("{:016}", id(&late)), &format!("{:016}", 7));
    let objects = &campus.campus.files;
    let bytes = PutPayload::from(pdf("2"));
    objects
        .put(&Path::from(planted.as_str()), bytes)
        .await
        .expect("a write");
    campus.advance(TimeDelta::hours(2));
    let found = findings(&campus).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].text.starts_with(&planted));
    let expected = found[0].repair.as_ref().expect("a repair");
    assert!(repair(&campus, expected).await);
    assert_eq!(findings(&campus).await.len(), 0);
}
