//! Invitations to an interview, and the mails and calendar files about bookings

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::TimeDelta;
use local::mailbox::KeptMail;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{hours, id};
use tests::recount::recount;

use crate::slots::{Interviewing, slot};

/// The calendar file of a mail, with unfolded lines. The same stands among its alternatives.
#[track_caller]
pub(crate) fn calendar(mail: &KeptMail) -> String {
    let [file] = &mail.attachments[..] else {
        panic!("no file: {}", mail.subject)
    };
    assert_eq!(file.media_type, "text/calendar");
    let bytes = BASE64_STANDARD.decode(&file.content).expect("base64");
    let text = String::from_utf8(bytes).expect("UTF-8");
    // Mail programs offer what stands among the alternatives.
    let [shown] = &mail.alternatives[..] else {
        panic!("no alternative: {}", mail.subject)
    };
    let method = line(&text, "METHOD:").replace("METHOD:", "");
    let expected = format!("text/calendar; method={method}");
    assert_eq!((&shown.media_type, &shown.content), (&expected, &text));
    text.replace("\r\n ", "")
}

/// A line of a calendar file.
#[track_caller]
pub(crate) fn line(calendar: &str, name: &str) -> String {
    let line = calendar.lines().find(|line| line.starts_with(name));
    line.unwrap_or_else(|| panic!("no {name} in {calendar}"))
        .to_owned()
}

/// The mails to Sue about interviews, as far as the worker has sent them.
pub(crate) async fn notified(campus: &TestCampus) -> Vec<KeptMail> {
    campus.deliver().await;
    let mut mails = campus.mails();
    mails.retain(|mail| mail.to.starts_with("sue") && !mail.attachments.is_empty());
    mails
}

// proves K10
#[tokio::test(start_paused = true)]
async fn each_change_of_a_booking_is_one_mail_about_one_event() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let email = json!({ "email": "chess@clubs.example" });
    let ada = &there.recruitment.officer;
    ada.patch("/api/clubs/chess/", email).await.ok();
    let (first, second) = (there.slot(slot(30)).await, there.slot(slot(40)).await);
    there.book(first).await.ok();
    there.book(first).await.ok();
    campus.ten_minutes().await;
    there.book(second).await.ok();
    campus.ten_minutes().await;
    let path = format!("{}slots/{second}/", there.recruitment.path);
    let location =
        json!({ "location": "https://meet.example/2", "start_time": hours(40), "note": "x" });
    ada.patch(&path, location).await.ok();
    campus.ten_minutes().await;
    ada.patch(&path, json!({ "capacity": 2, "note": "y" }))
        .await
        .ok();
    there
        .sue
        .delete(&format!("{}interview/", there.own()))
        .await
        .no_content();
    campus.ten_minutes().await;
    ada.put(&there.path(), json!({ "slot": first })).await.ok();
    campus.ten_minutes().await;
    ada.delete(&there.path()).await.no_content();
    let mails = notified(&campus).await;
    let subjects: Vec<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
    let (new, changed) = (
        "Your interview with chess",
        "Your interview with chess has changed",
    );
    let cancelled = "Your interview with chess is cancelled";
    assert_eq!(subjects, [new, changed, changed, cancelled, new, cancelled]);
    let files: Vec<String> = mails.iter().map(calendar).collect();
    let uid = format!("UID:interview-{}@clubs", id(&there.submission));
    for (n, file) in files.iter().enumerate() {
        assert_eq!(line(file, "UID:"), uid);
        assert_eq!(line(file, "SEQUENCE:"), format!("SEQUENCE:{}", n + 1));
        let is_over = subjects[n] == cancelled;
        let (method, status) = if is_over {
            ("CANCEL", "CANCELLED")
        } else {
            ("REQUEST", "CONFIRMED")
        };
        assert_eq!(line(file, "METHOD:"), format!("METHOD:{method}"));
        assert_eq!(line(file, "STATUS:"), format!("STATUS:{status}"));
        assert!(line(file, "ORGANIZER").ends_with("mailto:chess@clubs.example"));
        assert!(line(file, "ATTENDEE").ends_with(&format!("mailto:{}", mails[n].to)));
        assert!(!file.contains("ada"), "{file}");
    }
    assert_eq!(line(&files[0], "DTSTART:"), "DTSTART:20261122T150000Z");
    assert_eq!(
        line(&files[2], "LOCATION:"),
        "LOCATION:https://meet.example/2"
    );
    let text = &mails[0].text;
    for part in [
        "Sunday, 22 November 2026, 15:00 – 16:00 (UTC)",
        "Room 1",
        "/interview/",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(mails[0].reply_to.as_deref(), Some("chess@clubs.example"));
    assert_eq!(recount(&campus), [""; 0]);
}

// proves E34
#[tokio::test(start_paused = true)]
async fn invitations_are_sent_like_decision_mails() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let (first, second) = (
        recruitment.submit(&sue).await,
        recruitment.submit(&campus.as_("bob")).await,
    );
    recruitment.decide(&second, 2, "").await;
    let chosen = json!({ "submissions": [id(&first), id(&second)], "dry_run": true });
    let preview = recruitment.send("interview", chosen).await.ok();
    assert_eq!(
        (
            &preview["recipients"],
            &preview["skipped"]["decided"],
            &preview["skipped"]["pending"]
        ),
        (&json!(1), &json!(1), &json!(0))
    );
    let link = format!("/submissions/{}/interview/", id(&first));
    let html = preview["previews"][0]["html"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(html.contains(&format!("{link}\">")), "{html}");
    assert_eq!(
        recruitment.own(&sue, &first).await["interview"],
        json!(null)
    );
    let real = json!({
        "submissions": [id(&first), id(&second)], "digest": preview["digest"],
    });
    let sent = campus
        .with_worker(recruitment.send("interview", real.clone()))
        .await
        .ok();
    assert_eq!((&sent["sent"], &sent["warnings"]), (&json!(1), &json!([])));
    let shown = recruitment.own(&sue, &first).await;
    assert_eq!(
        (
            &shown["interview"]["state"],
            &shown["notified"],
            &shown["email_status"]
        ),
        (&json!("invited"), &json!(false), &json!(null))
    );
    // Officers see how the invitation went; the applicant does not.
    assert_eq!(shown.get("interview_email_status"), None);
    let path = format!("{}submissions/{}/", recruitment.path, id(&first));
    let seen = recruitment.officer.get(&path).await.ok();
    assert_eq!(seen["interview_email_status"], "sent");
    let again = recruitment.send("interview", real).await.ok();
    assert_eq!(again["skipped"]["already_notified"], 1);
    let mail = campus.mails().pop().expect("a mail");
    let subject = "Choose a time for your interview with chess: Fall";
    assert_eq!(mail.subject, subject);
    assert!(mail.text.contains(&link), "{}", mail.text);
    // A decision mail is due as before.
    recruitment.decide(&first, 4, "").await;
    let accepted = recruitment
        .send("acceptance", json!({ "dry_run": true }))
        .await
        .ok();
    assert_eq!(accepted["recipients"], 1);
    recruitment
        .send("interview", json!({}))
        .await
        .invalid(&["submissions"]);
    for field in ["one_per_person", "require_all_decided"] {
        let mut body = json!({ "submissions": [id(&first)] });
        body[field] = json!(true);
        recruitment.send("interview", body).await.invalid(&[field]);
    }
    let template = json!({ "interview_email": "<p>Come to {{ club }}, {{ name }}.</p>" });
    recruitment
        .officer
        .patch(&recruitment.path, template)
        .await
        .ok();
    let body = json!({ "submissions": [id(&first)], "dry_run": true });
    let warned = recruitment.send("interview", body).await.ok();
    assert_eq!(warned["warnings"].as_array().map(Vec::len), Some(1));
}

// proves E34
#[tokio::test(start_paused = true)]
async fn an_invitation_is_not_sent_after_a_decision() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    there.recruitment.decide(&there.submission, 2, "").await;
    campus.deliver().await;
    assert!(campus.mails_but_welcomes().is_empty());
}

// proves K9
#[tokio::test(start_paused = true)]
async fn uncommunicated_decision_changes_no_interview() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (first, second) = (there.slot(slot(60)).await, there.slot(slot(70)).await);
    there.book(first).await.ok();
    let before = there.recruitment.own(&there.sue, &there.submission).await;
    there.recruitment.decide(&there.submission, 3, "No.").await;
    assert_eq!(
        there.recruitment.own(&there.sue, &there.submission).await,
        before
    );
    there.book(second).await.ok();
    assert_eq!(there.shown(second).await["booked"], 1);
    // The mail ends it.
    campus
        .with_worker(there.recruitment.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(there.shown(second).await["booked"], 0);
    assert_eq!(there.interview().await, json!(null));
    there
        .sue
        .get(&format!("{}slots/", there.own()))
        .await
        .error(404);
    let refused = there.book(first).await;
    assert_eq!(refused.json()["code"], "application_closed");
    let mails = notified(&campus).await;
    let last = mails.last().expect("a mail");
    assert_eq!(last.subject, "Your application to chess: Fall");
    let file = calendar(last);
    assert_eq!(
        (line(&file, "METHOD:"), line(&file, "SEQUENCE:")),
        ("METHOD:CANCEL".to_owned(), "SEQUENCE:3".to_owned())
    );
    assert_eq!(recount(&campus), [""; 0]);
}

// proves K9
#[tokio::test(start_paused = true)]
async fn the_release_ends_it_when_somebody_asks() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(90)).await;
    there.book(slot).await.ok();
    there.recruitment.decide(&there.submission, 2, "").await;
    let other = campus.recruitment("go").await;
    let submission = other.submit(&there.sue).await;
    let go = Interviewing {
        recruitment: other,
        sue: there.sue.clone(),
        submission,
    };
    go.invite(&go.submission).await;
    let later = go
        .slot(json!({ "start_time": hours(200), "end_time": hours(201) }))
        .await;
    go.book(later).await.ok();
    go.recruitment.decide(&go.submission, 2, "").await;
    campus.advance(TimeDelta::hours(48));
    // An officer asks for the slot.
    assert_eq!(there.shown(slot).await["bookings"], json!([]));
    let mails = notified(&campus).await;
    assert!(
        mails
            .last()
            .is_some_and(|mail| mail.subject.ends_with("is cancelled"))
    );
    // The applicant asks.
    assert_eq!(go.interview().await, json!(null));
    go.sue.get("/api/submissions/").await.ok();
    assert!(
        !campus
            .stored()
            .iter()
            .any(|item| item["type"]["S"] == "Booking")
    );
    assert_eq!(recount(&campus), [""; 0]);
}

// proves K9
#[tokio::test(start_paused = true)]
async fn an_interview_that_has_begun_and_an_acceptance_stay() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let soon = there.slot(slot(13)).await;
    there.book(soon).await.ok();
    let bob = campus.as_("bob");
    let other = there.recruitment.submit(&bob).await;
    let later = there.slot(slot(60)).await;
    let path = format!(
        "{}submissions/{}/interview/",
        there.recruitment.path,
        id(&other)
    );
    there
        .recruitment
        .officer
        .put(&path, json!({ "slot": later }))
        .await
        .ok();
    campus.advance(TimeDelta::hours(13));
    there.recruitment.decide(&there.submission, 3, "").await;
    there.recruitment.decide(&other, 4, "").await;
    campus
        .with_worker(there.recruitment.send("rejection", json!({})))
        .await
        .ok();
    campus
        .with_worker(there.recruitment.send("acceptance", json!({})))
        .await
        .ok();
    assert_eq!(there.shown(soon).await["booked"], 1);
    assert_eq!(there.shown(later).await["booked"], 1);
    assert_eq!(
        there.recruitment.own(&bob, &other).await["interview"]["state"],
        "booked"
    );
    let shown = there.recruitment.officer.get(&there.path()).await.ok();
    assert_eq!(shown["state"], "booked");
}

// proves K9
#[tokio::test(start_paused = true)]
async fn acceptance_releases_bookings_of_the_persons_rejections() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let mut body = slot(60);
    body["capacity"] = json!(2);
    let slot = there.slot(body).await;
    let committee = &there.recruitment.application["committees"][0]["id"];
    let mut answer = there.recruitment.answer("Tech!");
    answer["committee"] = committee.clone();
    let path = format!("{}submissions/", there.recruitment.path);
    let second = there.sue.post(&path, answer).await.created();
    there.book(slot).await.ok();
    let other = format!("{path}{}/interview/", id(&second));
    let both = json!({ "slot": slot, "overlap": true });
    there.recruitment.officer.put(&other, both).await.ok();
    there.recruitment.decide(&there.submission, 2, "").await;
    there.recruitment.decide(&second, 4, "").await;
    let one = json!({ "one_per_person": true });
    campus
        .with_worker(there.recruitment.send("acceptance", one))
        .await
        .ok();
    let left = there.shown(slot).await;
    assert_eq!(
        (&left["booked"], &left["bookings"][0]["submission"]),
        (&json!(1), &second["id"])
    );
    assert_eq!(there.interview().await, json!(null));
    let mails = notified(&campus).await;
    let last = mails.last().expect("a mail");
    assert_eq!(line(&calendar(last), "METHOD:"), "METHOD:CANCEL");
    assert_eq!(recount(&campus), [""; 0]);
}

// proves K11
#[tokio::test(start_paused = true)]
async fn withdrawal_and_deleted_slot_are_mailed_but_not_erasure() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(30)).await;
    there.book(slot).await.ok();
    campus.ten_minutes().await;
    there.sue.delete(&there.own()).await.no_content();
    let mails = notified(&campus).await;
    assert_eq!(line(&calendar(&mails[1]), "METHOD:"), "METHOD:CANCEL");
    let bob = campus.as_("bob");
    let other = there.recruitment.submit(&bob).await;
    let path = format!(
        "{}submissions/{}/interview/",
        there.recruitment.path,
        id(&other)
    );
    there
        .recruitment
        .officer
        .put(&path, json!({ "slot": slot }))
        .await
        .ok();
    campus.deliver().await;
    let before = campus.mails().len();
    campus.erase(&bob).await;
    campus.deliver().await;
    assert_eq!(campus.mails().len(), before);
    assert_eq!(recount(&campus), [""; 0]);
}

// proves K14
#[tokio::test(start_paused = true)]
async fn changes_within_ten_minutes_are_one_mail() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (first, second) = (there.slot(slot(30)).await, there.slot(slot(40)).await);
    let path = format!("{}slots/{second}/", there.recruitment.path);
    there.book(first).await.ok();
    campus.deliver().await;
    for room in ["2", "3", "4"] {
        there.book(first).await.ok();
        there.book(second).await.ok();
        let moved = json!({ "location": room });
        there.recruitment.officer.patch(&path, moved).await.ok();
        assert_eq!(notified(&campus).await.len(), 1);
    }
    campus.advance(TimeDelta::minutes(9));
    campus.tick().await;
    assert_eq!(notified(&campus).await.len(), 1);
    campus.advance(TimeDelta::minutes(1));
    campus.tick().await;
    campus.ten_minutes().await;
    let mails = notified(&campus).await;
    assert_eq!(mails.len(), 2);
    let file = calendar(&mails[1]);
    assert_eq!(line(&file, "LOCATION:"), "LOCATION:4");
    let shown = campus.stored().into_iter();
    let is_kept = |item: &Value| item["type"]["S"] == "AppointmentMails";
    assert_eq!(shown.filter(is_kept).count(), 1);
    campus.erase(&there.sue).await;
    assert!(!campus.stored().iter().any(is_kept), "after an erasure");
}

// proves K14
#[tokio::test(start_paused = true)]
async fn a_person_has_ten_mails_of_interviews_a_day() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (first, second) = (there.slot(slot(60)).await, there.slot(slot(70)).await);
    for n in 0..14 {
        there.book([first, second][n % 2]).await.ok();
        campus.ten_minutes().await;
    }
    assert_eq!(notified(&campus).await.len(), 10);
    campus.advance(TimeDelta::hours(22));
    campus.tick().await;
    let mails = notified(&campus).await;
    assert_eq!(mails.len(), 11);
    let last = calendar(&mails[10]);
    assert_eq!(line(&last, "SEQUENCE:"), "SEQUENCE:14");
    assert_eq!(
        line(&last, "DTSTART:"),
        line(&calendar(&mails[9]), "DTSTART:")
    );
}

// proves K14
#[tokio::test(start_paused = true)]
async fn nothing_waits_until_the_interview_has_begun() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let soon = there.slot(slot(1)).await;
    campus.advance(TimeDelta::minutes(55));
    there.assign(soon).await.ok();
    campus.deliver().await;
    let path = format!("{}slots/{soon}/", there.recruitment.path);
    let moved = json!({ "location": "Room 2" });
    there.recruitment.officer.patch(&path, moved).await.ok();
    assert_eq!(notified(&campus).await.len(), 2);
}
