use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use shared::kind::Kind;
use tests::fixtures::{Recruitment, hours};
use tests::{Setup, TestCampus};

#[test]
fn the_chart_is_made_from_the_code() {
    let mut text = "# The table\n\n\
        `cargo bless` writes this page from the code. One table: `pk`, `sk`, TTL on `ttl`, a stream\n\
        with old and new images. The index `gsi1` (`gsi1pk`, `gsi1sk`) has the keys, `type` and `role`. The\n\
        index `gsi2` (`gsi2pk`, `gsi2sk`) has the keys of submissions in the order of time. All keys\n\
        are built in `shared/src/domain/*/keys.rs`; ids in keys have leading zeros. Most\n\
        reads of the table are strongly consistent; an index may be behind.\n\n\
        | Type | pk | sk | gsi1 | What | Erasure of its person | Export |\n|---|---|---|---|---|---|---|\n"
        .to_owned();
    for kind in Kind::all() {
        let (name, facts) = (kind.name(), kind.facts());
        let ([pk, sk, index], about) = (facts.keys, facts.about);
        let (erased, export) = (facts.erased(), facts.export.unwrap_or_default());
        let index = if index.is_empty() {
            String::new()
        } else {
            format!("`{index}`")
        };
        let _ = writeln!(
            text,
            "| {name} | `{pk}` | `{sk}` | {index} | {about} | {erased} | {export} |"
        );
    }
    super::check("docs/table.md", &text);
}

#[test]
fn the_export_has_what_the_entities_say() {
    let text =
        std::fs::read_to_string(super::root().join("docs/openapi.json")).expect("a document");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let fields = &document["components"]["schemas"]["ExportBody"]["properties"];
    let is_list = |field: &&String| fields[field.as_str()]["items"]["$ref"].is_string();
    let names = fields.as_object().expect("fields").keys();
    let names: BTreeSet<&str> = names.filter(is_list).map(String::as_str).collect();
    let exported: BTreeSet<&str> = Kind::all().filter_map(|kind| kind.facts().export).collect();
    assert_eq!(names, exported);
}

/// Whether a key matches a pattern. Each `<…>` stands for any text that is not empty.
fn fits(key: &str, pattern: &str) -> bool {
    let (mut key, mut rest) = (key, pattern);
    while let Some((fixed, after)) = rest.split_once('<') {
        let Some(tail) = key.strip_prefix(fixed) else {
            return false;
        };
        let after = after.split_once('>').map_or("", |(_, after)| after);
        let next = after.split('<').next().unwrap_or_default();
        let end = if next.is_empty() {
            Some(tail.len())
        } else {
            tail.find(next)
        };
        let Some(end) = end.filter(|end| *end > 0) else {
            return false;
        };
        key = &tail[end..];
        rest = after;
    }
    key == rest
}

/// What an erased person leaves.
async fn what_an_erasure_leaves(campus: &TestCampus) {
    let deleted = campus.as_("gone");
    deleted
        .post("/api/clubs/", json!({ "name": "Left behind" }))
        .await
        .created();
    deleted
        .delete("/api/settings/?archive=true")
        .await
        .accepted();
    campus.finish_erasures().await;
}

async fn draft_and_review(campus: &TestCampus, recruitment: &Recruitment, submission: &Value) {
    campus
        .as_("ann")
        .patch(
            &format!("{}draft/", recruitment.path),
            json!({ "responses": [{ "question": recruitment.question, "text": "I", "version": 0 }] }),
        )
        .await
        .ok();
    let reviews = format!(
        "{}submissions/{}/reviews/",
        recruitment.path,
        tests::fixtures::id(submission)
    );
    recruitment
        .officer
        .put(
            &format!("{reviews}mine/"),
            json!({ "score": 4, "comment": "Clear." }),
        )
        .await
        .ok();
}

async fn file_of_a_submission(campus: &TestCampus, recruitment: &Recruitment) {
    let cv = recruitment.file_question(json!({})).await;
    let applicant = campus.as_("fay");
    let file = recruitment
        .upload(&applicant, &cv, &tests::files::pdf("CV"))
        .await;
    let answers = json!({ "responses": [{ "question": cv["id"], "file": file }] });
    let path = format!("{}submissions/", recruitment.path);
    applicant.post(&path, answers).await.created();
}

async fn question_with_a_condition(recruitment: &Recruitment) {
    let questions = format!("{}questions/", recruitment.path);
    let add = async |body| recruitment.officer.post(&questions, body).await.created();
    let options = json!({ "question_type": 2, "prompt": "A or B?", "multiple_choice": ["A", "B"] });
    let choice = add(options).await;
    let a = &choice["multiple_choice"][0]["id"];
    let body = json!({
        "question_type": 1,
        "prompt": "Why A?",
        "required": true,
        "show_if": { "question": choice["id"], "options": [a] },
    });
    add(body).await;
}

/// An event, a club at a fair, and a join link that somebody has used.
async fn event_fair_and_link(campus: &TestCampus, recruitment: &Recruitment) {
    let event = json!({
        "name": "Open evening",
        "description": "word ".repeat(1_000),
        "showings": [{ "start_time": hours(5), "end_time": hours(6) }],
    });
    recruitment
        .officer
        .post("/api/clubs/chess/events/", event)
        .await
        .created();
    tickets(campus, recruitment).await;
    let admin = campus.admin();
    let ids = tests::fixtures::collections(&admin).await;
    let fair = ids
        .iter()
        .find(|(name, _)| *name == "{fair}")
        .map(|(_, fair)| *fair)
        .unwrap_or_default();
    recruitment
        .officer
        .post(
            &format!("/api/clubfairs/{fair}/register/"),
            json!({ "club": "chess" }),
        )
        .await
        .ok();
    let link = recruitment
        .officer
        .post("/api/clubs/chess/joinlinks/", json!({ "note": "Fair" }))
        .await
        .created();
    let url = link["url"].as_str().unwrap_or_default().to_owned();
    let token = url
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    campus
        .as_("jo")
        .post(
            &format!("/api/clubs/chess/joinlinks/{}/join/", link["id"]),
            json!({ "token": token }),
        )
        .await
        .ok();
}

/// Tickets: one that somebody handed over and was let in with, and one that waits.
async fn tickets(campus: &TestCampus, recruitment: &Recruitment) {
    let sale = json!({
        "name": "Party",
        "showings": [{
            "start_time": hours(48), "end_time": hours(50), "location": "Hall",
            "ticket_drop_time": hours(-1), "ticket_end_time": hours(47),
            "ticket_sale": "first_come", "ticket_order_limit": 2,
            "ticket_types": [{ "name": "Seat", "capacity": 1, "price": "3 €" }],
        }],
    });
    let officer = &recruitment.officer;
    let event = officer
        .post("/api/clubs/chess/events/", sale)
        .await
        .created();
    let showing = format!(
        "events/{}/showings/{}",
        event["id"], event["showings"][0]["id"]
    );
    let shown = officer.get(&format!("/api/{showing}/")).await.ok();
    let seat = &shown["ticket_types"][0]["id"];
    let order = json!({ "tickets": [{ "type": seat, "count": 2 }], "wait": true });
    let (sue, jo) = (campus.as_("sue"), campus.as_("jo"));
    jo.get("/api/settings/").await.ok();
    let ordered = sue
        .post(&format!("/api/{showing}/tickets/"), order)
        .await
        .created();
    let ticket = ordered[0]["id"].as_str().unwrap_or_default().to_owned();
    let receiver = json!({ "username": "jo" });
    sue.post(&format!("/api/tickets/{ticket}/transfer/"), receiver)
        .await
        .ok();
    let door = format!("/api/clubs/chess/{showing}/checkins/");
    let scan = || json!({ "ticket": ticket });
    officer.post(&door, scan()).await.ok();
    officer
        .delete(&format!("{door}{ticket}/"))
        .await
        .no_content();
    campus.advance(chrono::TimeDelta::seconds(1));
    officer.post(&door, scan()).await.ok();
    let now = campus.campus.app.now();
    let draw_time = now.plus(chrono::TimeDelta::minutes(10));
    let draw = json!({
        "start_time": hours(48), "end_time": hours(50), "ticket_sale": "draw",
        "ticket_draw_time": draw_time, "ticket_types": [{ "name": "Seat" }],
    });
    let showings = format!("/api/clubs/chess/events/{}/showings/", event["id"]);
    let draw = officer.post(&showings, draw).await.created();
    let order = json!({ "tickets": [{ "type": draw["ticket_types"][0]["id"], "count": 1 }] });
    let path = format!(
        "/api/events/{}/showings/{}/tickets/",
        event["id"], draw["id"]
    );
    sue.post(&path, order).await.created();
    campus.advance(chrono::TimeDelta::minutes(11));
    campus.tick().await;
}

/// What remains of a withdrawn submission, and of a deleted application.
async fn what_is_deleted(campus: &TestCampus, recruitment: &Recruitment) {
    let withdrawn = recruitment.submit(&campus.as_("bob")).await;
    campus
        .as_("bob")
        .delete(&format!(
            "/api/submissions/{}/",
            tests::fixtures::id(&withdrawn)
        ))
        .await
        .no_content();
    let short = json!({
        "name": "Short", "application_start_time": hours(-1), "application_end_time": hours(1),
        "result_release_time": hours(2), "is_active": true,
    });
    let short = recruitment
        .officer
        .post("/api/clubs/chess/applications/", short)
        .await
        .created();
    let short = format!(
        "/api/clubs/chess/applications/{}/",
        tests::fixtures::id(&short)
    );
    let body = json!({ "responses": [] });
    let sue = campus.as_("sue");
    sue.post(&format!("{short}submissions/"), body)
        .await
        .created();
    recruitment
        .officer
        .delete(&format!("{short}?force=true"))
        .await
        .no_content();
}

/// A slot with an interviewer, a note and a booking, and an invitation.
async fn interview(recruitment: &Recruitment, submission: &Value) {
    let ada = recruitment.officer.get("/api/settings/").await.ok();
    let slot = json!({
        "start_time": hours(40), "end_time": hours(41), "note": "Bring tea.",
        "interviewers": [ada["id"]],
    });
    let path = format!("{}slots/", recruitment.path);
    let slot = recruitment.officer.post(&path, slot).await.created();
    let chosen = json!({ "submissions": [submission["id"]] });
    recruitment.send("interview", chosen).await.ok();
    let path = format!(
        "{}submissions/{}/interview/",
        recruitment.path, submission["id"]
    );
    let booking = json!({ "slot": slot["id"] });
    recruitment.officer.put(&path, booking).await.ok();
}

/// A table with at least one item of every type.
pub async fn one_of_everything() -> TestCampus {
    let campus = Setup::default()
        .settings(|settings| settings.mail.rate = 1_000)
        .build();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    let texts = json!({ "description": "<p>Tell us about yourself.</p>" });
    recruitment
        .officer
        .patch(&recruitment.path, texts)
        .await
        .ok();
    recruitment
        .officer
        .post(
            &format!("{}extensions/", recruitment.path),
            json!({ "username": "sue", "end_time": hours(30) }),
        )
        .await
        .created();
    draft_and_review(&campus, &recruitment, &submission).await;
    question_with_a_condition(&recruitment).await;
    file_of_a_submission(&campus, &recruitment).await;
    tests::scene::own_token(&campus.as_("pia")).await;
    tests::scene::webhooks(&campus.admin(), &recruitment.officer).await;
    interview(&recruitment, &submission).await;
    recruitment.decide(&submission, 4, "").await;
    recruitment.decide(&submission, 4, "Welcome.").await;
    campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    campus
        .as_("rita")
        .post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    event_fair_and_link(&campus, &recruitment).await;
    let sue = campus.as_("sue");
    for path in ["/api/favorites/", "/api/subscriptions/"] {
        sue.post(path, json!({ "club": "chess" })).await.created();
    }
    sue.patch("/api/settings/", json!({ "graduation_year": 2027 }))
        .await
        .ok();
    sue.clone()
        .header("idempotency-key", "k")
        .post("/api/clubs/", json!({ "name": "Go" }))
        .await
        .created();
    recruitment
        .officer
        .patch(
            "/api/clubs/chess/",
            json!({ "description": "word ".repeat(1_000) }),
        )
        .await
        .ok();
    recruitment
        .officer
        .post(
            "/api/clubs/chess/invites/",
            json!({ "email": "ina@uni.example" }),
        )
        .await
        .created();
    campus.tick().await;
    campus.list_changes().await;
    what_is_deleted(&campus, &recruitment).await;
    what_an_erasure_leaves(&campus).await;
    campus
}

#[tokio::test(start_paused = true)]
async fn stored_items_and_chart_agree() {
    let campus = one_of_everything().await;
    let stored = campus.stored();
    let text = |item: &Value, name: &str| item[name]["S"].as_str().unwrap_or_default().to_owned();
    for item in &stored {
        let kind = text(item, "type");
        let of_item = kind.parse::<Kind>();
        let row = of_item.unwrap_or_else(|_| panic!("{kind} is no kind: {item}"));
        let row = row.facts().keys;
        assert!(
            fits(&text(item, "pk"), row[0]) && fits(&text(item, "sk"), row[1]),
            "{item}"
        );
        let index = format!("{} / {}", text(item, "gsi1pk"), text(item, "gsi1sk"));
        let invitation =
            kind == "Mail" && fits(&index, "ADDRESS#<address> / MAIL#<about>#<sequence>");
        assert!(
            if row[2].is_empty() {
                index == " / "
            } else {
                fits(&index, row[2]) || invitation
            },
            "{item}"
        );
    }
    for name in Kind::all().map(Kind::name) {
        assert!(
            stored.iter().any(|item| text(item, "type") == name),
            "nothing of type {name} was stored"
        );
    }
}
