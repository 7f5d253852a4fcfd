//! Prices of drafts, confirmed submissions and imports.

use serde_json::{Value, json};

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
