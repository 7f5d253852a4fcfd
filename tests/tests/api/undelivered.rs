//! Mails that did not arrive: where each kind is shown, and how it is sent again

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::TimeDelta;
use serde_json::{Value, json};
use shared::domain::MailKind;
use tests::fixtures::{hours, id};
use tests::receiver::{Answers, Receiver};
use tests::{Client, Setup, TestCampus};

use crate::slots::{Interviewing, slot};
use crate::webhooks::{change, hook};

/// A campus whose SES refuses all mails as long as the test says so.
fn refusing() -> (TestCampus, Arc<AtomicBool>) {
    let is_refused = Arc::new(AtomicBool::new(true));
    let refused = is_refused.clone();
    let setup = Setup::default().mail(Arc::new(move |_: &str| {
        let is_on = refused.load(Ordering::Relaxed);
        let answer = (400, json!({ "__type": "MessageRejected" }));
        Box::pin(async move { is_on.then_some(Ok(answer)) })
    }));
    let local = setup.settings(|settings| settings.webhooks.is_local = true);
    (local.build(), is_refused)
}

/// Collects which kinds of mails were shown.
struct Shown<'a> {
    campus: &'a TestCampus,
    kinds: BTreeSet<&'static str>,
}

impl Shown<'_> {
    /// Checks that a mail of this kind is shown at this path, as failed.
    async fn at(&mut self, kind: MailKind, client: &Client, path: &str, pointer: &str) {
        self.campus.deliver().await;
        let body = client.get(path).await.ok();
        let shown = body.pointer(pointer).cloned().unwrap_or_default();
        let (kind, status) = (kind.name(), json!("failed"));
        if shown != status {
            assert_eq!(
                (&shown["type"], &shown["status"]),
                (&json!(kind), &status),
                "{path}: {body}"
            );
        }
        self.kinds.insert(kind);
    }
}

// proves E35
#[tokio::test(start_paused = true)]
async fn each_kind_of_mail_is_shown_where_it_did_not_arrive() {
    let (campus, _) = refusing();
    let recruitment = campus.recruitment("chess").await;
    let ada = recruitment.officer.clone();
    let form = json!({ "confirmation": true });
    ada.patch(&recruitment.path, form).await.ok();
    let there = Interviewing::uninvited_in(&campus, recruitment).await;
    let mut shown = Shown {
        campus: &campus,
        kinds: BTreeSet::new(),
    };
    of_an_applicant(&mut shown, &there).await;
    of_members(&mut shown, &ada).await;
    of_people(&mut shown, &there).await;
    of_the_end(&mut shown, &there).await;
    let all: BTreeSet<&str> = MailKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(shown.kinds, all, "each kind of mail has its place");
}

async fn of_an_applicant(shown: &mut Shown<'_>, there: &Interviewing) {
    let ada = &there.recruitment.officer;
    let list = format!("{}submissions/", there.recruitment.path);
    let one = format!("{list}{}/", id(&there.submission));
    let confirmation = MailKind::Confirmation;
    shown.at(confirmation, ada, &one, "/undelivered").await;
    there.invite(&there.submission).await;
    let status = "/interview_email_status";
    shown.at(MailKind::Interview, ada, &one, status).await;
    let booked = there.slot(slot(30)).await;
    there.book(booked).await.ok();
    let appointment = MailKind::Appointment;
    shown.at(appointment, ada, &one, "/undelivered").await;
    let filtered = ada.get(&format!("{list}?undelivered=true")).await.ok();
    assert_eq!(filtered[0]["id"], there.submission["id"]);
    let filtered = ada.get(&format!("{list}?undelivered=false")).await.ok();
    assert_eq!(filtered, json!([]));
    // The applicant sees it, too.
    let hers = format!("/api/submissions/{}/", id(&there.submission));
    shown
        .at(appointment, &there.sue, &hers, "/undelivered")
        .await;
}

async fn of_members(shown: &mut Shown<'_>, ada: &Client) {
    let campus = shown.campus;
    campus.member("chess", ada, "bob", 20).await;
    let members = "/api/clubs/chess/members/";
    let bob = format!("{members}bob/");
    shown.at(MailKind::Joined, ada, &bob, "/undelivered").await;
    let filtered = ada.get(&format!("{members}?undelivered=true")).await.ok();
    assert_eq!(filtered.as_array().map(Vec::len), Some(1));
    let others = campus.as_("bob").get(members).await.ok();
    assert!(!others.to_string().contains("joined"), "{others}");
    let asking = json!({ "club": "chess" });
    let zoe = campus.as_("zoe");
    let asked = zoe.post("/api/requests/membership/", asking);
    asked.await.created();
    let own = format!("{members}ada/");
    shown.at(MailKind::Request, ada, &own, "/undelivered").await;
    let invite = json!({ "email": "new@uni.example", "role": 20 });
    let invites = "/api/clubs/chess/invites/";
    ada.post(invites, invite).await.created();
    let invitation = MailKind::Invitation;
    shown.at(invitation, ada, invites, "/0/undelivered").await;
    campus.call_webhooks().await;
    let receiver = Receiver::start().await;
    hook(ada, &receiver, json!(["club.updated"])).await;
    receiver.answers([Answers::Status(410)]);
    change(ada, "a").await;
    campus.call_webhooks().await;
    shown.at(MailKind::Webhook, ada, &own, "/undelivered").await;
}

/// Reminders and news are shown to whom they should have reached.
async fn of_people(shown: &mut Shown<'_>, there: &Interviewing) {
    let (campus, ada) = (shown.campus, &there.recruitment.officer);
    let one = format!(
        "{}submissions/{}/",
        there.recruitment.path,
        id(&there.submission)
    );
    let dan = campus.as_("dan");
    crate::notices::draft(&there.recruitment, &dan, "One", 0).await;
    campus.advance(TimeDelta::hours(13));
    campus.tick().await;
    let settings = "/api/settings/";
    let reminders = [
        (MailKind::InterviewReminder, ada, one.as_str()),
        (MailKind::DraftReminder, &dan, settings),
    ];
    for (kind, client, path) in reminders {
        shown.at(kind, client, path, "/undelivered").await;
    }
    let weekly = json!({ "notices": { "news": "weekly" } });
    let changed = dan.patch(settings, weekly).await.ok();
    assert_eq!(changed["undelivered"], Value::Null);
    let follow = json!({ "club": "chess" });
    dan.post("/api/subscriptions/", follow).await.created();
    let event = json!({ "name": "Open evening", "showings": [
        { "start_time": hours(300), "end_time": hours(301) }
    ] });
    let events = "/api/clubs/chess/events/";
    ada.post(events, event).await.created();
    crate::news::days(campus, 8).await;
    shown
        .at(MailKind::News, &dan, settings, "/undelivered")
        .await;
    let party = json!({ "name": "Party", "showings": [{
        "start_time": hours(350), "end_time": hours(351), "ticket_types": [{ "name": "Seat" }],
    }] });
    let party = ada.post(events, party).await.created();
    let sale = format!(
        "/api/events/{}/showings/{}/",
        party["id"], party["showings"][0]["id"]
    );
    let seat = dan.get(&sale).await.ok()["ticket_types"][0]["id"].clone();
    let order = json!({ "tickets": [{ "type": seat, "count": 1 }] });
    dan.post(&format!("{sale}tickets/"), order).await.created();
    shown
        .at(MailKind::Tickets, &dan, settings, "/undelivered")
        .await;
    crate::news::days(campus, 7).await;
    let reminder = MailKind::TicketReminder;
    shown.at(reminder, &dan, settings, "/undelivered").await;
}

async fn of_the_end(shown: &mut Shown<'_>, there: &Interviewing) {
    let (campus, form) = (shown.campus, &there.recruitment);
    let ada = &form.officer;
    let later = json!({
        "application_end_time": hours(400), "result_release_time": hours(500)
    });
    ada.patch(&form.path, later).await.ok();
    for (kind, status) in [(MailKind::Acceptance, 4), (MailKind::Rejection, 2)] {
        let decided = form.submit(&campus.as_(kind.name())).await;
        form.decide(&decided, status, "").await;
        form.send(kind.name(), json!({})).await.ok();
        let one = format!("{}submissions/{}/", form.path, id(&decided));
        shown.at(kind, ada, &one, "/email_status").await;
    }
    ada.delete("/api/clubs/chess/").await.no_content();
    campus.advance(TimeDelta::minutes(3));
    campus.tick().await;
    let hers = format!("/api/submissions/{}/", id(&there.submission));
    let ended = MailKind::Ended;
    shown.at(ended, &there.sue, &hers, "/undelivered").await;
}

// proves E36
#[tokio::test(start_paused = true)]
async fn what_did_not_arrive_is_sent_again_to_the_address_of_now() {
    let (campus, is_refused) = refusing();
    let there = Interviewing::new(&campus).await;
    let ada = &there.recruitment.officer;
    let one = format!(
        "{}submissions/{}/",
        there.recruitment.path,
        id(&there.submission)
    );
    let resend = format!("{one}resend/");
    let refused = there.sue.post(&resend, Value::Null).await;
    assert_eq!(refused.status, 403);
    ada.post(&resend, Value::Null).await.no_content();
    let booked = there.slot(slot(30)).await;
    there.book(booked).await.ok();
    campus.member("chess", ada, "bob", 20).await;
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 0);
    let address = json!({ "email": "new@uni.example", "name": "sue Test" });
    campus.advance(TimeDelta::seconds(2));
    campus
        .client(&address, "sue")
        .get("/api/settings/")
        .await
        .ok();

    is_refused.store(false, Ordering::Relaxed);
    for _ in 0..2 {
        ada.post(&resend, Value::Null).await.no_content();
        ada.post("/api/clubs/chess/members/bob/resend/", Value::Null)
            .await
            .no_content();
        campus.deliver().await;
        let mut subjects: Vec<(String, String)> = campus
            .mails()
            .into_iter()
            .map(|mail| (mail.to, mail.subject))
            .collect();
        subjects.sort();
        let expected = [
            ("bob@uni.example", "Welcome to chess"),
            ("new@uni.example", "Your interview with chess"),
        ];
        let expected = expected.map(|(to, subject)| (to.to_owned(), subject.to_owned()));
        assert_eq!(subjects, expected, "once");
    }
    assert_eq!(ada.get(&one).await.ok()["undelivered"], Value::Null);
    for mail in campus.mails() {
        assert!(mail.html.contains("chess"), "{}", mail.html);
    }

    // A later mail told something else.
    is_refused.store(true, Ordering::Relaxed);
    let other = there.slot(slot(40)).await;
    campus.advance(TimeDelta::minutes(11));
    there.book(other).await.ok();
    campus.deliver().await;
    is_refused.store(false, Ordering::Relaxed);
    campus.advance(TimeDelta::minutes(11));
    there
        .sue
        .delete(&format!("{}interview/", there.own()))
        .await
        .no_content();
    ada.post(&resend, Value::Null).await.no_content();
    campus.deliver().await;
    let mut mails = campus.mails();
    mails.retain(|mail| mail.to.starts_with("new"));
    let subjects: Vec<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
    assert_eq!(subjects[1..], ["Your interview with chess is cancelled"]);
}

// proves E35, O8
#[tokio::test(start_paused = true)]
async fn a_mail_that_bounces_keeps_its_text_and_one_that_arrives_does_not() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let form = json!({ "confirmation": true });
    recruitment
        .officer
        .patch(&recruitment.path, form)
        .await
        .ok();
    let address = json!({ "email": "bounce@simulator.amazonses.com", "name": "Bo" });
    let submitted = recruitment.submit(&campus.client(&address, "bo")).await;
    recruitment.submit(&campus.as_("sue")).await;
    campus.deliver().await;
    campus.report().await;
    let one = format!("{}submissions/{}/", recruitment.path, id(&submitted));
    let shown = note(&recruitment.officer, &one).await;
    assert_eq!(shown["status"], "bounced");
    let is_mail = |item: &Value| item["kind"]["S"] == "confirmation";
    for mail in campus.stored().into_iter().filter(is_mail) {
        let (to, html) = (mail["to"]["S"].as_str(), mail["html"]["S"].as_str());
        let is_empty = html.is_none_or(str::is_empty);
        assert_eq!(is_empty, to == Some("sue@uni.example"), "{to:?}");
    }
    let before = campus.mails().len();
    campus.advance(TimeDelta::seconds(1));
    let resend = format!("{one}resend/");
    recruitment
        .officer
        .post(&resend, Value::Null)
        .await
        .no_content();
    campus.deliver().await;
    assert_eq!(campus.mails().len(), before + 1);
    campus.report().await;
    // Nor does it outlast the submission.
    let own = format!("/api/submissions/{}/", id(&submitted));
    campus
        .client(&address, "bo")
        .delete(&own)
        .await
        .no_content();
    let mut left = campus.stored().into_iter().filter(is_mail);
    assert!(left.all(|mail| mail["html"]["S"].as_str().is_none_or(str::is_empty)));
}

/// The member or submission at this path, as officers see it, with its note.
async fn note(ada: &Client, path: &str) -> Value {
    ada.get(path).await.ok()["undelivered"].clone()
}

// proves E35
#[tokio::test(start_paused = true)]
async fn what_arrives_after_all_is_shown_no_longer() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let address = json!({ "email": "bounce@simulator.amazonses.com", "name": "Bo" });
    let bo = campus.client(&address, "bo");
    let person = id(&bo.get("/api/settings/").await.ok());
    let body = json!({ "person": person, "role": 20 });
    ada.post("/api/clubs/chess/members/", body).await.created();
    campus.deliver().await;
    let reports = campus.campus.mailbox.take_reports();
    let soft = reports[0].to_string().replace("Permanent", "Transient");
    let soft: Value = serde_json::from_str(&soft).expect("an event");
    campus.reported(&soft).await;
    let member = "/api/clubs/chess/members/bo/";
    assert_eq!(note(&ada, member).await["status"], "bounced");
    let delivered = soft.to_string().replace("Bounce", "Delivery");
    let delivered = delivered.replace(r#"\"bounce\":"#, r#"\"delivery\":"#);
    let delivered: Value = serde_json::from_str(&delivered).expect("an event");
    campus.reported(&delivered).await;
    assert_eq!(note(&ada, member).await, Value::Null);
}

// proves E36
#[tokio::test(start_paused = true)]
async fn a_late_report_of_the_first_attempt_changes_nothing() {
    let campus = TestCampus::new();
    let there = Interviewing::uninvited(&campus).await;
    let ada = &there.recruitment.officer;
    let address = json!({ "email": "bounce@simulator.amazonses.com", "name": "sue Test" });
    campus.advance(TimeDelta::seconds(2));
    campus
        .client(&address, "sue")
        .get("/api/settings/")
        .await
        .ok();
    let booked = there.slot(slot(30)).await;
    there.assign(booked).await.ok();
    campus.deliver().await;
    let first = campus.campus.mailbox.take_reports();
    campus.reported(&first[0]).await;
    let one = format!(
        "{}submissions/{}/",
        there.recruitment.path,
        id(&there.submission)
    );
    assert_eq!(note(ada, &one).await["status"], "bounced");
    campus.advance(TimeDelta::minutes(2));
    campus.as_("sue").get("/api/settings/").await.ok();
    let resend = format!("{one}resend/");
    ada.post(&resend, Value::Null).await.no_content();
    campus.reported(&first[0]).await;
    campus.deliver().await;
    campus.reported(&first[0]).await;
    assert_eq!(note(ada, &one).await, Value::Null);
    let subjects = campus.mails_but_welcomes();
    assert_eq!(subjects.len(), 2);
}

// proves E36
#[tokio::test(start_paused = true)]
async fn what_is_not_true_any_more_is_not_sent_again() {
    let (campus, is_refused) = refusing();
    let recruitment = campus.recruitment("chess").await;
    let form = json!({ "confirmation": true });
    recruitment
        .officer
        .patch(&recruitment.path, form)
        .await
        .ok();
    let there = Interviewing::uninvited_in(&campus, recruitment).await;
    let ada = &there.recruitment.officer;
    let one = format!(
        "{}submissions/{}/",
        there.recruitment.path,
        id(&there.submission)
    );
    let resend = format!("{one}resend/");
    campus.deliver().await;
    assert_eq!(note(ada, &one).await["type"], "confirmation");
    let off = json!({ "confirmation": false });
    ada.patch(&there.recruitment.path, off).await.ok();
    there.recruitment.submit_again(&there.sue).await;
    is_refused.store(false, Ordering::Relaxed);
    ada.post(&resend, Value::Null).await.no_content();
    assert_eq!(note(ada, &one).await, Value::Null, "other answers");

    is_refused.store(true, Ordering::Relaxed);
    let soon = there.slot(slot(20)).await;
    there.assign(soon).await.ok();
    campus.deliver().await;
    assert_eq!(note(ada, &one).await["type"], "appointment");
    campus.advance(TimeDelta::hours(22));
    is_refused.store(false, Ordering::Relaxed);
    ada.post(&resend, Value::Null).await.no_content();
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 0, "the interview is over");

    // Whoever is no officer any more learns nothing of requests.
    is_refused.store(true, Ordering::Relaxed);
    let bob = campus.member("chess", ada, "bob", 10).await;
    campus.deliver().await;
    let asking = json!({ "club": "chess" });
    let zoe = campus.as_("zoe");
    zoe.post("/api/requests/membership/", asking)
        .await
        .created();
    campus.deliver().await;
    let member = "/api/clubs/chess/members/bob/";
    assert_eq!(note(ada, member).await["type"], "request");
    ada.patch(member, json!({ "role": 20 })).await.ok();
    is_refused.store(false, Ordering::Relaxed);
    let again = format!("{member}resend/");
    ada.post(&again, Value::Null).await.no_content();
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 0);
    assert_eq!(note(ada, member).await, Value::Null);
    assert_eq!(bob.get(member).await.ok()["undelivered"], Value::Null);
}

// proves E36
#[tokio::test(start_paused = true)]
async fn a_welcome_is_sent_again_three_times_without_who_added() {
    let (campus, is_refused) = refusing();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.member("chess", &ada, "bob", 20).await;
    let resend = "/api/clubs/chess/members/bob/resend/";
    for n in 0..3 {
        campus.deliver().await;
        campus.advance(TimeDelta::seconds(1));
        if n == 2 {
            is_refused.store(false, Ordering::Relaxed);
        }
        ada.post(resend, Value::Null).await.no_content();
        campus.deliver().await;
    }
    // It is given up eleven hours from now, not from when they were added.
    let queued = campus.stored().into_iter().rev();
    let mut queued = queued.filter(|item| item["resent"]["N"] == "3");
    let last = queued.next().expect("the last mail");
    assert_ne!(last["queued_at"]["S"], "2026-11-21T09:00:00Z");
    let mails = campus.mails();
    assert_eq!(mails.len(), 1);
    assert!(!mails[0].text.contains("ada"), "{}", mails[0].text);
    // Not more often.
    let mut bounced = campus.campus.mailbox.take_reports()[0].to_string();
    for (from, to) in [
        ("Delivery", "Bounce"),
        (
            r#"\"delivery\":{"#,
            r#"\"bounce\":{\"bounceType\":\"Permanent\","#,
        ),
    ] {
        bounced = bounced.replace(from, to);
    }
    let bounced: Value = serde_json::from_str(&bounced).expect("an event");
    campus.reported(&bounced).await;
    let refused = ada.post(resend, Value::Null).await;
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["code"], "quota");
}

// proves E35
#[tokio::test(start_paused = true)]
async fn an_invite_that_is_sent_again_is_not_undelivered() {
    let (campus, is_refused) = refusing();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let invites = "/api/clubs/chess/invites/";
    let body = json!({ "email": "new@uni.example", "role": 20 });
    let invite = ada.post(invites, body).await.created();
    campus.deliver().await;
    let one = format!("{invites}{}/", invite["id"].as_str().expect("an id"));
    assert_eq!(note(&ada, &one).await["type"], "invitation");
    is_refused.store(false, Ordering::Relaxed);
    campus.advance(TimeDelta::minutes(11));
    let again = ada.post(&format!("{one}resend/"), Value::Null).await.ok();
    assert_eq!(again["undelivered"], Value::Null);
    assert_eq!(note(&ada, &one).await, Value::Null);
}
