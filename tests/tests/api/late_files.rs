//! Files while a call of the table, or of the bucket, arrives when nobody waits for it any more.

use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::bucket::Bucket;
use tests::files::{announced, pdf};
use tests::fixtures::{Recruitment, id};
use tests::suspended::Suspended;
use tests::{Client, Setup, TestCampus};

use crate::file_ends::{naming, stored, submit};

/// A campus whose calls can be stopped, a question for a file, and a student.
async fn scene() -> (Suspended, TestCampus, Recruitment, Value, Client) {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    recruitment.open_for_days(30).await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    (suspended, campus, recruitment, cv, sue)
}

fn draft(cv: &Value, file: u64, version: u64) -> Value {
    json!({ "responses": [{ "question": cv["id"], "file": file, "version": version }] })
}

// In an earlier version, the copies of the files were removed when nobody knew the outcome.
// proves U5, X8
#[tokio::test(start_paused = true)]
async fn submission_stored_after_its_error_has_its_files() {
    for is_new in [true, false] {
        let (suspended, campus, recruitment, cv, sue) = scene().await;
        if !is_new {
            let before = recruitment.upload(&sue, &cv, &pdf("0")).await;
            submit(&recruitment, &sue, naming(&cv, before)).await;
            campus.advance(TimeDelta::seconds(1));
        }
        let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
        let path = format!("{}submissions/", recruitment.path);
        suspended.hold(usize::MAX, "answers_hash");
        let lost = sue.post(&path, naming(&cv, file)).await;
        assert_eq!(lost.json()["code"], "outcome_unknown");
        suspended.release().arrive();
        campus.advance(TimeDelta::seconds(1));
        // The repeat finds that it is stored.
        let stored = submit(&recruitment, &sue, naming(&cv, file)).await;
        let of = format!("{path}{}/files/{file}/", id(&stored));
        assert_eq!(
            recruitment.officer.get(&of).await.status,
            302,
            "new: {is_new}"
        );
    }
}

// proves U5, U9
#[tokio::test(start_paused = true)]
async fn attachment_made_after_its_error_is_erased_with_the_person() {
    let bucket = Bucket::default();
    let campus = Setup::default().files(Arc::new(bucket.clone())).build();
    let recruitment = campus.recruitment("chess").await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
    bucket.delay_copies(true);
    let path = format!("{}submissions/", recruitment.path);
    sue.post(&path, naming(&cv, file)).await.error(503);
    bucket.delay_copies(false);
    assert!(bucket.copies_arrive().await > 0);
    assert_eq!(stored(&campus, "files/").await.len(), 1);
    campus.advance(TimeDelta::hours(2));
    campus.erase(&sue).await;
    assert_eq!(stored(&campus, "").await, [""; 0]);
}

/// An upload that was submitted and replaced, so that the timer looks at it.
async fn replaced(campus: &TestCampus, recruitment: &Recruitment, cv: &Value, sue: &Client) -> u64 {
    let file = recruitment.upload(sue, cv, &pdf("1")).await;
    submit(recruitment, sue, naming(cv, file)).await;
    campus.advance(TimeDelta::seconds(1));
    let other = recruitment.upload(sue, cv, &pdf("2")).await;
    submit(recruitment, sue, naming(cv, other)).await;
    file
}

// proves U6
#[tokio::test(start_paused = true)]
async fn draft_saved_while_timer_looks_keeps_its_file() {
    let (suspended, campus, recruitment, cv, sue) = scene().await;
    let file = replaced(&campus, &recruitment, &cv, &sue).await;
    let path = format!("{}draft/", recruitment.path);
    // The timer has read the drafts, and this one is not there yet.
    suspended.stop_answer("DRAFTS#");
    let (_, saved) = futures::join!(campus.tick(), async {
        suspended.stopped().await;
        let saved = sue.patch(&path, draft(&cv, file, 0)).await;
        suspended.go();
        saved
    });
    saved.ok();
    let there = sue.get(&format!("{}files/{file}/", recruitment.path)).await;
    assert_eq!(there.ok()["state"], "here");
    submit(&recruitment, &sue, naming(&cv, file)).await;
}

// proves U6
#[tokio::test(start_paused = true)]
async fn draft_saved_after_timer_reports_its_file_missing() {
    let (suspended, campus, recruitment, cv, sue) = scene().await;
    let file = replaced(&campus, &recruitment, &cv, &sue).await;
    let path = format!("{}draft/", recruitment.path);
    // It has seen that the file is here, and is not stored yet.
    suspended.stop_write("DRAFTS#");
    let (saved, ()) = futures::join!(sue.patch(&path, draft(&cv, file, 0)), async {
        suspended.stopped().await;
        campus.tick().await;
        suspended.go();
    });
    saved.invalid(&["responses.0.file"]);
}

// proves U2, U6
#[tokio::test]
async fn file_named_only_by_a_draft_keeps_its_number() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.open_for_days(30).await;
    let cv = recruitment.file_question(json!({})).await;
    let sue = campus.as_("sue");
    let file = recruitment.upload(&sue, &cv, &pdf("1")).await;
    let submission = submit(&recruitment, &sue, naming(&cv, file)).await;
    campus.advance(TimeDelta::seconds(1));
    let path = format!("{}draft/", recruitment.path);
    sue.patch(&path, draft(&cv, file, 0)).await.ok();
    let own = format!("/api/submissions/{}/", id(&submission));
    sue.delete(&own).await.no_content();
    campus.tick().await;
    let files = format!("{}files/", recruitment.path);
    for n in 1..20 {
        let body = announced(&cv, "cv.pdf", &pdf(&n.to_string()));
        sue.post(&files, body).await.created();
    }
    let more = sue.post(&files, announced(&cv, "cv.pdf", &pdf("20"))).await;
    assert_eq!(more.json()["code"], "quota");
    let there = sue.get(&format!("{files}{file}/")).await.ok();
    assert_eq!(there["state"], "here");
    submit(&recruitment, &sue, naming(&cv, file)).await;
}
