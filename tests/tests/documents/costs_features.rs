//! Prices of drafts, confirmed submissions, files and imports.

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::files::pdf;
use tests::fixtures::id;

use super::costs_long::keep_form;
use super::costs_rig::{Prices, Row, Witness};

/// Rows of what applicants do besides submitting.
pub(super) async fn recruitment(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let drive = p.campus.drive("chess").await;
    let sue = p.campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    let body = json!({ "confirmation": true });
    drive.officer.patch(&drive.path, body).await.ok();
    keep_form(&p.campus, &drive, &sue).await;
    let draft = format!("{}draft/", drive.path);
    for (version, (note, text)) in [("first answer", "I"), ("an answer again", "I like")]
        .into_iter()
        .enumerate()
    {
        let answer = json!({ "question": drive.question, "text": text, "version": version });
        let body = json!({ "responses": [answer] });
        p.row("save_draft", note, &sue, &draft, body).await;
    }
    let submissions = format!("{}submissions/", drive.path);
    let body = drive.answer("Because.");
    p.row("submit", "confirmed by mail", &sue, &submissions, body)
        .await;
    let tom = p.campus.as_("tom");
    let answer = json!({ "question": drive.question, "text": "I", "version": 0 });
    tom.patch(&draft, json!({ "responses": [answer] }))
        .await
        .ok();
    let off = json!({ "is_active": false });
    drive.officer.patch(&drive.path, off).await.ok();
    let unsent = "/api/applications/unsent/";
    p.get("list_unsent_applications", "a draft", &tom, unsent)
        .await;
    p.rows
}

/// Rows of requests with a token, for the first time and within a minute.
pub(super) async fn tokens(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let owner = p.campus.as_("ada");
    p.campus.club("chess", &owner).await;
    let body = json!({ "name": "Portal", "scopes": ["members:read"] });
    let made = owner.post("/api/settings/tokens/", body).await.created();
    let token = p
        .campus
        .with_token(made["token"].as_str().unwrap_or_default());
    let members = "/api/clubs/chess/members/";
    p.row("list_members", "in a session", &owner, members, Value::Null)
        .await;
    token.get(members).await.ok();
    p.campus.advance(TimeDelta::minutes(2));
    for note in ["with a token", "with a token, within a minute"] {
        p.row("list_members", note, &token, members, Value::Null)
            .await;
    }
    p.rows
}

/// Rows of files: a submission with three of them, one that replaces it, and its withdrawal.
pub(super) async fn files(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let drive = p.campus.drive("chess").await;
    let sue = p.campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    let mut questions = Vec::new();
    for _ in 0..3 {
        questions.push(drive.file_question(json!({})).await);
    }
    let submissions = format!("{}submissions/", drive.path);
    let draft = format!("{}draft/", drive.path);
    let mut last = Value::Null;
    for (n, note) in ["3 files", "3 files, again"].into_iter().enumerate() {
        let mut responses = Vec::new();
        for question in &questions {
            let file = drive.upload(&sue, question, &pdf(&n.to_string())).await;
            responses.push(json!({ "question": question["id"], "file": file }));
        }
        let mut saved = responses[0].clone();
        saved["version"] = json!(0);
        let body = json!({ "responses": [saved] });
        p.row("save_draft", note, &sue, &draft, body).await;
        let body = json!({ "responses": responses });
        last = p.row("submit", note, &sue, &submissions, body).await;
    }
    let own = format!("/api/submissions/{}/", id(&last));
    p.get("withdraw_submission", "3 files", &sue, &own).await;
    p.rows
}

/// Rows of imports.
pub(super) async fn imports(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let (ada, admin) = (p.campus.as_("ada"), p.campus.admin());
    p.campus.club("chess", &ada).await;
    p.campus.as_("sue").get("/api/settings/").await.ok();
    admin.get("/api/settings/").await.ok();
    for n in 0..20 {
        let person = p.campus.as_(&format!("p{n}"));
        person.get("/api/settings/").await.ok();
    }
    let people = |n: usize| json!({ "username": format!("p{n}") });
    let people: Vec<Value> = (0..20).map(people).collect();
    let import = "/api/clubs/chess/members/import/";
    for note in ["20 new members", "the same file again"] {
        p.row("import_members", note, &ada, import, json!(people))
            .await;
    }
    let club = |n: usize| json!({ "name": format!("Club {n}"), "owner": "sue@uni.example" });
    let clubs: Vec<Value> = (0..5).map(club).collect();
    let import = "/api/clubs/import/";
    for note in ["5 new clubs", "the same file again"] {
        p.row("import_clubs", note, &admin, import, json!(clubs))
            .await;
    }
    p.rows
}
