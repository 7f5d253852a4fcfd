//! Files while the bucket or the process fails.

use shared::time::Clock as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use chrono::TimeDelta;
use futures::TryStreamExt as _;
use object_store::path::Path;
use object_store::{ObjectStoreExt as _, PutPayload};
use serde_json::{Value, json};
use tests::bucket::Bucket;
use tests::files::pdf;
use tests::fixtures::id;
use tests::{Setup, TestCampus};

use crate::file_ends;
use crate::file_releases::with_killed_submissions;

/// How many files submissions have.
async fn stored(campus: &TestCampus) -> usize {
    file_ends::stored(campus, "files/").await.len()
}

// proves U11
#[tokio::test]
async fn missing_bucket_stores_nothing_and_loses_nothing() {
    let bucket = Bucket::default();
    let campus = Setup::default().files(Arc::new(bucket.clone())).build();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
    let (submit, draft) = (
        format!("{}submissions/", recruitment.path),
        format!("{}draft/", recruitment.path),
    );
    let answers = json!({ "responses": [{ "question": cv["id"], "file": file }] });
    let saved = json!({ "responses": [{ "question": cv["id"], "file": file, "version": 0 }] });
    let text = json!({ "question": recruitment.question, "text": "kept", "version": 0 });
    bucket.set_down(true);
    let before = campus.stored();
    let refused = sue.post(&submit, answers.clone()).await;
    assert_eq!(refused.json()["code"], "files_unavailable");
    refused.error(503);
    sue.patch(&draft, saved.clone()).await.error(503);
    assert_eq!(campus.stored(), before);
    sue.patch(&draft, json!({ "responses": [text] })).await.ok();
    bucket.set_down(false);
    sue.patch(&draft, saved).await.ok();
    let submission = sue.post(&submit, answers).await.created();
    let read = format!("{submit}{}/files/{file}/", id(&submission));
    bucket.set_down(true);
    recruitment.officer.get(&read).await.error(503);
    // The submission is withdrawn, but not all of it is done: a repeat does the rest.
    let own = format!("/api/submissions/{}/", id(&submission));
    sue.delete(&own).await.error(500);
    bucket.set_down(false);
    assert_eq!(stored(&campus).await, 1);
    sue.delete(&own).await.no_content();
    assert_eq!(stored(&campus).await, 0);
}

// proves U5, U9
#[tokio::test]
async fn leftover_attachments_go_with_the_next_submission() {
    let (campus, is_killed) = with_killed_submissions();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let submit = format!("{}submissions/", recruitment.path);
    let named =
        |file: u64| -> Value { json!({ "responses": [{ "question": cv["id"], "file": file }] }) };
    let first = recruitment.upload(&sue, &cv, &pdf("1")).await;
    is_killed.store(true, Ordering::Relaxed);
    sue.post(&submit, named(first)).await.error(500);
    is_killed.store(false, Ordering::Relaxed);
    assert_eq!(stored(&campus).await, 1, "it may be stored");
    campus.advance(TimeDelta::seconds(1));
    let submission = sue.post(&submit, named(first)).await.created();
    assert_eq!(stored(&campus).await, 2);
    let own = format!("/api/submissions/{}/", id(&submission));
    sue.delete(&own).await.no_content();
    assert_eq!(stored(&campus).await, 0);
}

/// What `clubs-admin` finds when it reads the bucket, too.
pub async fn findings(campus: &TestCampus) -> Vec<admin::Finding> {
    let mut reading = admin::Reading::default();
    reading.add(campus.stored());
    let store = campus.campus.app.table.files().store().expect("a bucket");
    for prefix in [admin::SUBMITTED, admin::UPLOADED] {
        reading.add_files(store.list(prefix).await.expect("a list"));
    }
    reading.findings(campus.campus.clock.now())
}

/// Does a repair. Returns whether something was changed.
pub async fn repair(campus: &TestCampus, repair: &admin::Repair) -> bool {
    let client = admin::client(&local::sdk_config(campus.campus.engine.clone()));
    let repairs = admin::Repairs {
        client: &client,
        table: local::table::TABLE,
        files: Some(&campus.campus.app.table),
        before: &admin::Reading::default().count_versions(),
    };
    repairs.apply(repair).await.expect("an answer")
}

// proves U12, O6
#[tokio::test]
async fn check_finds_files_without_answers_and_answers_without_files() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.open_for_days(30).await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
    let answers = json!({ "responses": [{ "question": cv["id"], "file": file }] });
    let submit = format!("{}submissions/", recruitment.path);
    sue.post(&submit, answers).await.created();
    let objects = &campus.campus.files;
    let all: Vec<_> = objects.list(None).try_collect().await.expect("a list");
    let key = all.iter().map(|one| one.location.to_string());
    let key = key
        .filter(|key| key.starts_with("files/"))
        .collect::<Vec<_>>()
        .remove(0);
    // A copy that was made after its submission was withdrawn.
    let mut parts: Vec<String> = key.split('/').map(str::to_owned).collect();
    parts[3] = format!("{:016}", 7);
    let planted = parts.join("/");
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
    // A repair of what is needed changes nothing.
    let needed = shared::domain::Attachment::of_object(&key).expect("a key");
    assert!(!repair(&campus, &admin::Repair::DeleteFile(needed)).await);
    objects
        .delete(&Path::from(key.as_str()))
        .await
        .expect("a deletion");
    let found = findings(&campus).await;
    assert_eq!(found.len(), 1);
    assert!(found[0].text.contains("is not in the bucket") && found[0].repair.is_none());
}
