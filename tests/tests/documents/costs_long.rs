//! Prices of long answers and of clubs with long texts.

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{Recruitment, id};
use tests::{Client, TestCampus};

use super::costs_rig::{Prices, Row, Witness};

const QUESTIONS: usize = 18;
/// When questions changed as long ago, functions keep them in memory.
pub(super) const SETTLED: TimeDelta = TimeDelta::minutes(2);

/// Adds questions to the form until there are [`QUESTIONS`], and returns their ids.
pub(super) async fn questions(drive: &Recruitment) -> Vec<u64> {
    let mut ids = vec![drive.question];
    for n in 1..QUESTIONS {
        let body = json!({ "question_type": 1, "prompt": format!("Question {n}?") });
        let path = format!("{}questions/", drive.path);
        ids.push(id(&drive.officer.post(&path, body).await.created()));
    }
    ids
}

/// Lets time pass and reads the form, so that functions keep it in memory, as warm ones do.
pub(super) async fn keep_form(campus: &TestCampus, drive: &Recruitment, client: &Client) {
    campus.advance(SETTLED);
    client.get(&format!("{}questions/", drive.path)).await.ok();
}

/// Answers of `bytes` in total.
pub(super) fn answers(questions: &[u64], bytes: usize) -> Value {
    let mut dice = 1;
    let each = bytes / questions.len();
    let answer = |question| json!({ "question": question, "text": prose(each, &mut dice) });
    json!({ "responses": questions.iter().map(answer).collect::<Vec<_>>() })
}

/// A text of this length that compresses like English: two known words, then one of its own.
fn prose(bytes: usize, dice: &mut u64) -> String {
    const WORDS: &str = "the and that with about because would project people learn time first \
        build together always club music robot week what which their there could other after \
        before through team idea work year study like made from have been more when where show \
        help think start found small large open write code play group event member teach";
    let known: Vec<&str> = WORDS.split_whitespace().collect();
    let mut roll = |sides: u64| {
        *dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from((*dice >> 33) % sides).unwrap_or_default()
    };
    let mut text = String::new();
    while text.len() < bytes {
        for _ in 0..2 {
            text.push_str(known[roll(known.len() as u64)]);
            text.push(' ');
        }
        let letters = (0..3 + roll(5)).map(|_| char::from(b"abcdefghijklmnopqrstuvwxyz"[roll(26)]));
        text.extend(letters.collect::<Vec<_>>());
        text.push(' ');
    }
    text.truncate(bytes);
    text
}

/// Submissions and decisions, first of a club with short texts, then with long ones.
pub(super) async fn long_texts(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let drive = p.campus.drive("chess").await;
    let questions = questions(&drive).await;
    let path = format!("{}submissions/", drive.path);
    p.campus.advance(SETTLED);
    let people = ["sue", "tom", "uma", "vic", "wes"].map(|name| p.campus.as_(name));
    for person in &people {
        person.get("/api/settings/").await.ok();
    }
    let five = answers(&questions, 5_000);
    let ten = answers(&questions, 10_000);
    let note = "18 answers of 5 KB, form not in memory";
    p.row("submit", note, &people[3], &path, five.clone()).await;
    let note = "18 answers of 5 KB";
    p.row("submit", note, &people[0], &path, five.clone()).await;
    let note = "18 answers of 10 KB";
    let long = p.row("submit", note, &people[1], &path, ten).await;
    let one = format!("{path}{}/", id(&long));
    let officer = drive.officer.clone();
    let decision = json!({ "status": 4, "reason": "Well done." });
    p.row("update_decision", note, &officer, &one, decision)
        .await;
    let note = "18 answers of 300 KB";
    let huge = answers(&questions, 290_000);
    let huge = p.row("submit", note, &people[4], &path, huge).await;
    let one = format!("{path}{}/", id(&huge));
    let rejection = json!({ "status": 2, "reason": "Not this time." });
    p.row("update_decision", note, &officer, &one, rejection)
        .await;
    let review = format!("{one}reviews/mine/");
    let body = json!({ "score": 4, "comment": "A good idea." });
    p.row("put_review", note, &officer, &review, body).await;
    let (note_again, body) = (
        "18 answers of 300 KB, again",
        json!({ "score": 5, "comment": "" }),
    );
    p.row("put_review", note_again, &officer, &review, body)
        .await;
    let send = format!("{}send_emails/", drive.path);
    let body = json!({ "email_type": { "id": "rejection" } });
    p.row("send_emails", note, &officer, &send, body).await;
    let texts = |bytes: usize| format!("<p>{}</p>", "word ".repeat(bytes / 5 - 2));
    let description = json!({ "description": texts(48_000) });
    officer.patch("/api/clubs/chess/", description).await.ok();
    let body = json!({
        "description": texts(40_000),
        "acceptance_email": texts(24_000),
        "rejection_email": texts(24_000),
    });
    officer.patch(&drive.path, body).await.ok();
    let prompt = json!({ "prompt": "word ".repeat(400) });
    for question in &questions {
        let path = format!("{}questions/{question}/", drive.path);
        officer.patch(&path, prompt.clone()).await.ok();
    }
    keep_form(&p.campus, &drive, &people[2]).await;
    let note = "18 answers of 5 KB, club and application with texts of 172 KB";
    p.row("submit", note, &people[2], &path, five).await;
    p.rows
}
