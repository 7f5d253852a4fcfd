//! What applicants hear when a club is closed, or an application with submissions is deleted

use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use local::mailbox::KeptMail;
use serde_json::{Value, json};
use tests::fixtures::{Recruitment, application, id};
use tests::recount::recount;
use tests::{Setup, TestCampus};

use crate::slots::{Interviewing, slot};

/// The mails about ends to somebody.
async fn ended(campus: &TestCampus, to: &str) -> Vec<KeptMail> {
    campus.tick().await;
    campus.deliver().await;
    let mut mails = campus.mails();
    mails.retain(|mail| mail.to.starts_with(to) && mail.subject.ends_with("has ended"));
    mails
}

fn cancelled(campus: &TestCampus) -> usize {
    let mails = campus.mails();
    mails
        .iter()
        .filter(|mail| mail.subject.ends_with("is cancelled"))
        .count()
}

async fn close(campus: &TestCampus, recruitment: &Recruitment) {
    let closed = recruitment.officer.delete("/api/clubs/chess/").await;
    closed.no_content();
    campus.advance(TimeDelta::minutes(3));
}

// proves C22
#[tokio::test]
async fn a_closed_club_tells_its_applicants_once_and_cancels_interviews() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let recruitment = &there.recruitment;
    let booked = there.slot(slot(30)).await;
    there.book(booked).await.ok();
    // Somebody with two committees, somebody who was told, and somebody who was decided only.
    let bob = campus.as_("bob");
    recruitment.submit(&bob).await;
    let mut other = recruitment.answer("x");
    other["committee"] = recruitment.application["committees"][1]["id"].clone();
    let path = format!("{}submissions/", recruitment.path);
    bob.post(&path, other).await.created();
    let informed = recruitment.submit(&campus.as_("tom")).await;
    recruitment.decide(&informed, 4, "").await;
    campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    let hidden = recruitment.submit(&campus.as_("hugo")).await;
    recruitment.decide(&hidden, 2, "").await;

    // Who closes it can know before: all but Tom get a mail.
    let officer = &recruitment.officer;
    let expected = json!({
        "applications": 1, "submissions": 5, "interviews": 1, "people": 3, "has_more": false,
    });
    for path in ["/api/clubs/chess/", &recruitment.path] {
        let ends = officer.get(&format!("{path}ending/")).await.ok();
        assert_eq!(ends, expected, "{path}");
    }

    campus.ten_minutes().await;
    close(&campus, recruitment).await;
    let own = there.sue.get("/api/submissions/").await.ok();
    assert_eq!(
        (
            &own[0]["club"],
            &own[0]["club_name"],
            &own[0]["club_archived"]
        ),
        (&json!("chess"), &json!("chess"), &json!(true))
    );
    assert_eq!(own[0]["interview"], Value::Null);
    let one = format!("/api/submissions/{}/", id(&there.submission));
    assert_eq!(there.sue.get(&one).await.ok()["club_archived"], true);

    for name in ["sue", "bob", "hugo"] {
        let mails = ended(&campus, name).await;
        assert_eq!(mails.len(), 1, "{name}");
        assert!(
            mails[0]
                .text
                .contains("chess was closed; your application (Fall) ended"),
            "{}",
            mails[0].text
        );
    }
    assert_eq!(ended(&campus, "tom").await.len(), 0, "was told a decision");
    assert_eq!(cancelled(&campus), 1);
    campus.advance(TimeDelta::hours(1));
    assert_eq!(ended(&campus, "sue").await.len(), 1, "once");
    // Whoever restores it mails nobody. Closed again, it tells again.
    let restored = json!({ "archived": false });
    let mails = campus.mails().len();
    campus
        .admin()
        .patch("/api/clubs/chess/", restored)
        .await
        .ok();
    campus.advance(TimeDelta::hours(1));
    ended(&campus, "sue").await;
    assert_eq!(campus.mails().len(), mails);
    let own = there.sue.get("/api/submissions/").await.ok();
    assert_eq!(own[0]["club_archived"], false);
    assert_eq!(recount(&campus), [""; 0]);
    close(&campus, recruitment).await;
    assert_eq!(ended(&campus, "sue").await.len(), 2);
}

// proves C22
#[tokio::test]
async fn a_restored_club_and_released_decisions_tell_nobody() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.submit(&campus.as_("sue")).await;
    recruitment
        .officer
        .delete("/api/clubs/chess/")
        .await
        .no_content();
    let restored = json!({ "archived": false });
    campus
        .admin()
        .patch("/api/clubs/chess/", restored)
        .await
        .ok();
    campus.advance(TimeDelta::minutes(3));
    assert_eq!(ended(&campus, "sue").await.len(), 0);
    // After the release time.
    campus.advance(TimeDelta::days(4));
    close(&campus, &recruitment).await;
    assert_eq!(ended(&campus, "sue").await.len(), 0);
}

// One application that cannot be read kept the others waiting.
// proves C22
#[tokio::test]
async fn what_cannot_be_done_for_one_application_is_done_later() {
    let broken = Arc::new(Mutex::new(String::from("none")));
    let name = broken.clone();
    let campus = Setup::default()
        .table(Arc::new(move |operation: &str, body: &[u8]| {
            let name = name.lock().expect("no panic").clone();
            let fails = operation == "Query" && String::from_utf8_lossy(body).contains(&name);
            Box::pin(async move {
                let error = json!({ "__type": "ResourceNotFoundException", "message": "cut" });
                fails.then_some((400, error))
            })
        }))
        .build();
    let recruitment = campus.recruitment("chess").await;
    recruitment.submit(&campus.as_("sue")).await;
    let body = application("Other");
    let path = "/api/clubs/chess/applications/";
    let other = id(&recruitment.officer.post(path, body).await.created());
    let open = json!({ "is_active": true });
    let path = format!("{path}{other}/");
    recruitment.officer.patch(&path, open).await.ok();
    let bob = campus.as_("bob");
    let body = json!({ "committee": null, "responses": [] });
    bob.post(&format!("{path}submissions/"), body)
        .await
        .created();
    *broken.lock().expect("no panic") = format!("SLOTS#{:016}", id(&recruitment.application));
    close(&campus, &recruitment).await;
    assert_eq!(ended(&campus, "sue").await.len(), 0);
    assert_eq!(ended(&campus, "bob").await.len(), 1);
    *broken.lock().expect("no panic") = String::from("none");
    campus.advance(TimeDelta::minutes(10));
    assert_eq!(ended(&campus, "sue").await.len(), 1);
    assert_eq!(ended(&campus, "bob").await.len(), 1);
}

// proves A7
#[tokio::test]
async fn a_deleted_application_tells_who_knew_no_decision() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let booked = there.slot(slot(30)).await;
    there.book(booked).await.ok();
    campus.ten_minutes().await;
    let officer = &there.recruitment.officer;
    let forced = format!("{}?force=true", there.recruitment.path);
    officer.delete(&forced).await.no_content();
    let mails = ended(&campus, "sue").await;
    assert_eq!((mails.len(), cancelled(&campus)), (1, 1));
    assert!(
        mails[0].text.contains("deleted its application “Fall”"),
        "{}",
        mails[0].text
    );
}

// proves C22
#[tokio::test]
async fn what_ends_counts_applications_that_ended_and_interviews_after_a_release() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let officer = &there.recruitment.officer;
    there.book(there.slot(slot(90)).await).await.ok();
    // More than a club remembers the times of.
    for n in 0..7 {
        let form = application(&format!("Form {n}"));
        let form = officer.post("/api/clubs/chess/applications/", form).await;
        let path = format!("/api/clubs/chess/applications/{}/", id(&form.created()));
        let person = campus.as_(&format!("person{n}"));
        let body = json!({ "responses": [] });
        let made = person.post(&format!("{path}submissions/"), body).await;
        made.created();
    }
    campus.advance(TimeDelta::hours(30));
    let ends = async || officer.get("/api/clubs/chess/ending/").await.ok();
    let before = ends().await;
    let numbers = |ends: &Value| {
        ["applications", "submissions", "interviews", "people"].map(|name| ends[name].clone())
    };
    assert_eq!(numbers(&before), [8, 8, 1, 8].map(|n| json!(n)));
    // Once the decisions are released, the interview alone is left.
    campus.advance(TimeDelta::hours(30));
    assert_eq!(numbers(&ends().await), [1, 1, 1, 1].map(|n| json!(n)));
}
