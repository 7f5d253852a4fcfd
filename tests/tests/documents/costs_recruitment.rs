//! Prices of forms, submissions, decisions and mails, by how many there are.

use serde_json::{Value, json};
use shared::db::usage::metered;
use shared::domain::{Answered, Submission};
use shared::ids::Id;
use shared::limits;
use tests::TestCampus;
use tests::fixtures::{MailedLink, Recruitment, hours, id};

use super::costs_rig::{Prices, Row, Witness, timed};

/// A drive with five questions.
async fn drive(campus: &TestCampus) -> Recruitment {
    let drive = campus.drive("chess").await;
    for (kind, n) in [(3, 0), (3, 1), (2, 2), (4, 3)] {
        let mut body = json!({
            "question_type": kind,
            "prompt": "A question of the usual length, is it not?",
            "precedence": n,
        });
        if kind == 2 {
            body["multiple_choice"] = json!(["one", "two", "three"]);
        }
        let questions = format!("{}questions/", drive.path);
        drive.officer.post(&questions, body).await.created();
    }
    drive
}

/// Rows of applications and their parts.
pub(super) async fn form(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let Recruitment {
        officer: ada,
        path,
        question,
        ..
    } = drive(&p.campus).await;
    p.campus.member("chess", &ada, "bob", 20).await;
    p.get("show_application", "5 questions", &ada, &path).await;
    let own = format!("{path}?own=true");
    let (sue, sent) = (p.campus.as_("sue"), p.campus.as_("sent"));
    let body = json!({ "responses": [{ "question": question, "text": "I play." }] });
    let submissions = format!("{path}submissions/");
    sent.post(&submissions, body).await.created();
    sue.get("/api/settings/").await.ok();
    let note = "own submissions, none";
    p.get("show_application", note, &sue, &own).await;
    let note = "own submissions, 1";
    p.get("show_application", note, &sent, &own).await;
    let copies = format!("{path}duplicate/");
    let copy = p
        .get("duplicate_application", "5 questions", &ada, &copies)
        .await;
    let copy = format!("/api/clubs/chess/applications/{}/", id(&copy));
    let note = "5 questions, no submission; 100 rounds are its pause";
    p.get("delete_application", note, &ada, &copy).await;
    let extensions = format!("{path}extensions/");
    let body = json!({ "username": "bob", "end_time": hours(30) });
    p.row("create_extension", "by user name", &ada, &extensions, body)
        .await;
    let one = format!("{path}questions/{question}/");
    let body = json!({ "prompt": "Why exactly?" });
    p.row("update_question", "new prompt", &ada, &one, body)
        .await;
    let questions = format!("{path}questions/");
    let options = json!({ "question_type": 2, "prompt": "?", "multiple_choice": ["a", "b"] });
    let mut above = ada.post(&questions, options.clone()).await.created();
    for _ in 1..limits::CONDITIONS {
        let mut body = options.clone();
        body["show_if"] = condition(&above);
        above = ada.post(&questions, body).await.created();
    }
    let body = json!({ "show_if": condition(&above) });
    let note = "its condition is the fifth of a chain";
    p.row("update_question", note, &ada, &one, body).await;
    p.rows
}

/// The condition that somebody chose the first option of a question.
fn condition(question: &Value) -> Value {
    let option = &question["multiple_choice"][0]["id"];
    json!({ "question": question["id"], "options": [option] })
}

/// Adds `n` pending submissions to the application. They are copies of the first one.
async fn fill(campus: &TestCampus, drive: &Recruitment, first: &Value, n: u64) {
    let app = &campus.campus.app;
    let table = &app.table;
    let application = id(&drive.application);
    let model = table
        .submission(Id::new(application), Id::new(id(first)))
        .await
        .expect("a table");
    let found = table.answered(model.into_iter().collect()).await;
    let model = found.expect("a table").remove(0);
    let copies = (0..n).map(|i| Answered {
        submission: Submission {
            id: Id::new(1_000_000 + i),
            person: Some(Id::new(5_000_000 + i)),
            sequence: app.next_id(),
            ..model.submission.clone()
        },
        answers: model.answers.clone(),
    });
    let copies: Vec<Answered> = copies.collect();
    table.load_answered(&copies).await.expect("a table");
}

/// Rows of submissions: first there are 10, then 2,000.
pub(super) async fn submissions(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let drive = drive(&p.campus).await;
    let ada = drive.officer.clone();
    let bob = p.campus.member("chess", &ada, "bob", 20).await;
    let sue = p.campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    p.campus.deliver().await;
    let first = drive.submit(&bob).await;
    fill(&p.campus, &drive, &first, 9).await;
    let path = format!("{}submissions/", drive.path);
    for (note, text) in [("10 submissions there", "Because."), ("again", "Because!")] {
        p.row("submit", note, &sue, &path, drive.answer(text)).await;
    }
    let note = "a student, 1 open application";
    p.get("show_home", note, &sue, "/api/home/").await;
    let own = sue.get("/api/submissions/").await.ok();
    let own = format!("/api/submissions/{}/", id(&own[0]));
    sue.delete(&own).await.no_content();
    p.get("list_submissions", "10", &ada, &path).await;
    let export = format!("{path}export/");
    p.get("export_submissions", "10", &ada, &export).await;
    let one = format!("{path}{}/", id(&first));
    let (note, body) = ("10 submissions there", json!({ "status": 2 }));
    p.row("update_decision", note, &ada, &one, body).await;
    let (note, body) = ("with a reason", json!({ "status": 2, "reason": "x" }));
    p.row("update_decision", note, &ada, &one, body).await;
    let all: Vec<u64> = (1_000_000..1_000_009).collect();
    let statuses = format!("{path}status/");
    let body = json!({ "submissions": all, "status": 4 });
    p.row("set_statuses", "9", &ada, &statuses, body).await;
    let reasons = all.iter().map(|id| json!({ "id": id, "reason": "x" }));
    let body = json!({ "submissions": reasons.collect::<Vec<_>>() });
    let reasons = format!("{path}reason/");
    p.row("set_reasons", "9", &ada, &reasons, body).await;
    let send = format!("{}send_emails/", drive.path);
    let dry = json!({ "email_type": { "id": "acceptance" }, "dry_run": true });
    p.row("send_emails", "dry run, 9 mails", &ada, &send, dry)
        .await;

    fill(&p.campus, &drive, &first, 1_999).await;
    let (note, body) = ("2,000 submissions there", drive.answer("Because."));
    p.row("submit", note, &sue, &path, body).await;
    let (one, body) = (format!("{path}1000500/"), json!({ "status": 3 }));
    p.row("update_decision", note, &ada, &one, body).await;
    p.get("list_submissions", "2,000", &ada, &path).await;
    let slice = format!("{path}?limit=50");
    p.get("list_submissions", "`limit=50` of 2,000", &ada, &slice)
        .await;
    let note = "an officer, 2,000 submissions";
    p.get("show_home", note, &ada, "/api/home/").await;
    let accepted: Vec<u64> = (1_000_000..1_000_120).collect();
    let body = json!({ "submissions": accepted, "status": 4 });
    p.row("set_statuses", "120", &ada, &statuses, body).await;
    let body = json!({ "email_type": { "id": "acceptance" } });
    let note = "120 mails, 2,000 submissions";
    p.row("send_emails", note, &ada, &send, body).await;
    mails(&mut p).await;
    p.rows
}

/// Rows of the mail worker, which delivers 120 mails, and of reports about them.
async fn mails(p: &mut Prices) {
    let before = p.campus.mails().len();
    p.serving(Some("Mailer"));
    let ((_, usage), rounds) = timed(Box::pin(metered(p.campus.deliver()))).await;
    assert_eq!(p.campus.mails().len(), before + 120);
    p.add("(mail worker)", "120 mails", usage, rounds);
    p.serving(Some("MailReports"));
    let reports = p.campus.campus.mailbox.take_reports();
    let delivery = reports
        .into_iter()
        .find(|report| report.to_string().contains("-acceptance-"))
        .expect("a report about a decision");
    let bounce = delivery.to_string().replace("Delivery", "Bounce").replace(
        r#"\"delivery\":{"#,
        r#"\"bounce\":{\"bounceType\":\"Permanent\","#,
    );
    let bounce = serde_json::from_str(&bounce).expect("an event");
    for (note, report, rounds) in [("a delivery", delivery, 2), ("a bounce", bounce, 3)] {
        let ((), usage) = Box::pin(metered(p.campus.reported(&report))).await;
        assert!(usage.calls > 0, "{note} was not understood");
        p.add("(mail report)", note, usage, rounds);
    }
    p.serving(None);
}

/// An acceptance from its mail to the membership.
pub(super) async fn accept(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let drive = p.campus.drive("chess").await;
    let sue = p.campus.as_("sue");
    let submission = drive.submit(&sue).await;
    drive.decide(&submission, 4, "").await;
    p.campus
        .with_worker(drive.send("acceptance", json!({})))
        .await
        .ok();
    let MailedLink { path, token } = MailedLink::sent_to(&p.campus, "sue@uni.example");
    let body = json!({ "token": token });
    p.row("accept_invite", "of an acceptance", &sue, &path, body)
        .await;
    p.rows
}
