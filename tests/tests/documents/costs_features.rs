//! Prices of drafts, receipts, confirmations, reviews, join links and imports.

use http::Method;
use serde_json::{Value, json};
use tests::fixtures::{Recruitment, id};

use super::costs::{Prices, Row, Witness};
use super::costs_long::keep_form;

/// Rows of what applicants do besides submitting, and of reviews, on a separate campus.
#[expect(clippy::too_many_lines, reason = "a table: one row an operation")]
pub(super) async fn recruitment(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    p.at_work(None);
    let drive = p.campus.drive("chess").await;
    let sue = p.campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    let body = json!({ "confirmation": true });
    drive.officer.patch(&drive.path, body).await.ok();
    keep_form(&p.campus, &drive, &sue).await;
    let draft = format!("{}draft/", drive.path);
    let answer = |text: &str, version: u64| json!({ "responses": [{ "question": drive.question, "text": text, "version": version }] });
    let (get, patch, none) = (Method::GET, Method::PATCH, Value::Null);
    p.row(
        "save_draft",
        "first answer",
        &sue,
        patch.clone(),
        &draft,
        answer("I", 0),
    )
    .await;
    p.row(
        "save_draft",
        "an answer again",
        &sue,
        patch,
        &draft,
        answer("I like", 1),
    )
    .await;
    p.row(
        "show_draft",
        "1 answer",
        &sue,
        get.clone(),
        &draft,
        none.clone(),
    )
    .await;
    p.row(
        "delete_draft",
        "1 answer",
        &sue,
        Method::DELETE,
        &draft,
        none.clone(),
    )
    .await;
    let submissions = format!("{}submissions/", drive.path);
    let submission = p
        .row(
            "submit",
            "confirmed by mail",
            &sue,
            Method::POST,
            &submissions,
            drive.answer("Because."),
        )
        .await;
    let receipt = format!("/api/submissions/{}/receipt/", id(&submission));
    let receipt = p
        .row(
            "show_receipt",
            "",
            &sue,
            get.clone(),
            &receipt,
            none.clone(),
        )
        .await;
    let keys = "/api/receipts/jwks.json";
    p.row(
        "show_receipt_keys",
        "",
        &sue,
        get.clone(),
        keys,
        none.clone(),
    )
    .await;
    let verify = "/api/receipts/verify/";
    p.row(
        "verify_receipt",
        "applicant",
        &sue,
        Method::POST,
        verify,
        receipt,
    )
    .await;
    reviewing(&mut p, &drive, &submission).await;
    p.rows
}

/// Rows of the reviews of a submission.
async fn reviewing(p: &mut Prices, drive: &Recruitment, submission: &Value) {
    let ada = p.campus.as_("ada");
    let (get, put, none) = (Method::GET, Method::PUT, Value::Null);
    let reviews = format!("{}submissions/{}/reviews/", drive.path, id(submission));
    let mine = format!("{reviews}mine/");
    let reviewers = format!("{}reviewers/", drive.path);
    let review = json!({ "score": 4, "comment": "Clear." });
    p.row("put_review", "", &ada, put, &mine, review).await;
    for (name, path) in [("list_reviewers", &reviewers), ("list_reviews", &reviews)] {
        p.row(name, "1", &ada, get.clone(), path, none.clone())
            .await;
    }
    p.row("delete_review", "", &ada, Method::DELETE, &mine, none)
        .await;
}

/// Rows of join links and imports, on a separate campus.
#[expect(clippy::too_many_lines, reason = "a table: one row an operation")]
pub(super) async fn joining(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    p.at_work(None);
    let (ada, sue, admin) = (p.campus.as_("ada"), p.campus.as_("sue"), p.campus.admin());
    p.campus.club("chess", &ada).await;
    for client in [&sue, &admin] {
        client.get("/api/settings/").await.ok();
    }
    for n in 0..20 {
        let person = p.campus.as_(&format!("p{n}"));
        person.get("/api/settings/").await.ok();
    }
    let (get, post, none) = (Method::GET, Method::POST, Value::Null);
    let links = "/api/clubs/chess/joinlinks/";
    let link = p
        .row("create_join_link", "", &ada, post.clone(), links, json!({}))
        .await;
    p.row(
        "list_join_links",
        "1",
        &ada,
        get.clone(),
        links,
        none.clone(),
    )
    .await;
    let one = format!("{links}{}/", id(&link));
    p.row("show_join_link", "", &ada, get.clone(), &one, none.clone())
        .await;
    let code = format!("{one}qr.svg");
    p.row("show_qr_code", "", &ada, get, &code, none.clone())
        .await;
    let fair = json!({ "note": "Fair" });
    p.row("update_join_link", "", &ada, Method::PATCH, &one, fair)
        .await;
    let url = link["url"].as_str().unwrap_or_default();
    let token = json!({ "token": url.rsplit('/').next() });
    let join = format!("{one}join/");
    p.row("join_club", "", &sue, post.clone(), &join, token)
        .await;
    p.row("delete_join_link", "", &ada, Method::DELETE, &one, none)
        .await;
    let rows: Vec<Value> = (0..20)
        .map(|n| json!({ "username": format!("p{n}") }))
        .collect();
    let import = "/api/clubs/chess/members/import/";
    p.row(
        "import_members",
        "20 new members",
        &ada,
        post.clone(),
        import,
        json!(rows),
    )
    .await;
    p.row(
        "import_members",
        "the same file again",
        &ada,
        post.clone(),
        import,
        json!(rows),
    )
    .await;
    let rows: Vec<Value> = (0..5)
        .map(|n| json!({ "name": format!("Club {n}"), "owner": "sue@uni.example" }))
        .collect();
    let import = "/api/clubs/import/";
    p.row(
        "import_clubs",
        "5 new clubs",
        &admin,
        post.clone(),
        import,
        json!(rows),
    )
    .await;
    p.row(
        "import_clubs",
        "the same file again",
        &admin,
        post,
        import,
        json!(rows),
    )
    .await;
    p.rows
}
