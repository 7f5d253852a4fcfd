//! The changes of a club: what makes one, once, and who sees it (Z5, Z6).

use serde_json::{Value, json};
use shared::domain::TokenScope;
use tests::fixtures::{hours, id};
use tests::{Client, Setup, TestCampus};

use crate::tokens::with_scopes;

/// All changes of a club that a caller sees, and the cursor behind them.
pub async fn all(client: &Client, club: &str) -> (Vec<Value>, String) {
    let (mut all, mut next) = (vec![], String::new());
    loop {
        let (results, cursor) = since(client, club, &next).await;
        let is_end = results.is_empty();
        all.extend(results);
        next = cursor;
        if is_end {
            return (all, next);
        }
    }
}

/// The changes after a cursor, and the next one.
pub async fn since(client: &Client, club: &str, cursor: &str) -> (Vec<Value>, String) {
    let query = if cursor.is_empty() {
        String::new()
    } else {
        format!("?since={cursor}")
    };
    let path = format!("/api/clubs/{club}/changes/{query}");
    let page = client.get(&path).await.ok();
    let next = page["next"].as_str().expect("a cursor").to_owned();
    (page["results"].as_array().expect("changes").clone(), next)
}

/// The types of the changes since the last call, each with its object.
struct Log<'a> {
    campus: &'a TestCampus,
    officer: Client,
    cursor: String,
}

impl<'a> Log<'a> {
    fn new(campus: &'a TestCampus, officer: &Client) -> Self {
        let (officer, cursor) = (officer.clone(), String::new());
        Self {
            campus,
            officer,
            cursor,
        }
    }

    async fn more(&mut self) -> Vec<Value> {
        self.campus.list_changes().await;
        let (results, cursor) = since(&self.officer, "chess", &self.cursor).await;
        self.cursor = cursor;
        results
    }

    async fn types(&mut self) -> Vec<String> {
        let more = self.more().await;
        let kind = |one: &Value| one["type"].as_str().unwrap_or_default().to_owned();
        more.iter().map(kind).collect()
    }
}

async fn user(client: &Client) -> Value {
    client.get("/api/settings/").await.ok()["id"].clone()
}

// proves Z5, Z6
#[tokio::test(start_paused = true)]
async fn a_recruitment_as_programs_see_it() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let mut log = Log::new(&campus, &recruitment.officer);
    let begin = log.more().await;
    let types: Vec<&Value> = begin.iter().map(|one| &one["type"]).collect();
    // The question changes the application, which is also switched on.
    assert_eq!(
        types[..2],
        [&json!("member.added"), &json!("application.created")]
    );
    assert!(
        types[2..]
            .iter()
            .all(|kind| **kind == "application.updated")
    );
    let owner = user(&recruitment.officer).await;
    assert_eq!(begin[1]["by"], owner);
    let application = recruitment.officer.get(&recruitment.path).await.ok();
    assert_eq!(begin[1]["object"]["id"], application["id"]);
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let created = log.more().await;
    assert_eq!(created.len(), 1);
    let url = format!(
        "http://clubs.example{}submissions/{}/",
        recruitment.path,
        id(&submission)
    );
    assert_eq!(
        created[0]["object"],
        json!({ "type": "submission", "id": submission["id"], "url": url })
    );
    assert_eq!(
        (&created[0]["type"], &created[0]["by"]),
        (&json!("submission.created"), &user(&sue).await)
    );
    recruitment.submit_again(&sue).await;
    recruitment.decide(&submission, 4, "Welcome").await;
    recruitment.decide(&submission, 4, "Welcome").await;
    let decided = log.more().await;
    let types: Vec<&Value> = decided.iter().map(|one| &one["type"]).collect();
    assert_eq!(types, ["submission.updated", "submission.decided"]);
    assert_eq!(decided[1]["by"], owner);
    // What is in a decision is not in the change.
    assert!(!decided[1].to_string().contains("Welcome"));
    recruitment.decide(&submission, 1, "").await;
    log.types().await;
    let own = format!("/api/submissions/{}/", id(&submission));
    sue.delete(&own).await.no_content();
    assert_eq!(log.types().await, ["submission.withdrawn"]);
    recruitment.submit(&sue).await;
    assert_eq!(log.types().await, ["submission.created"]);
    let force = format!("{}?force=true", recruitment.path);
    recruitment.officer.delete(&force).await.no_content();
    assert_eq!(
        log.types().await,
        ["application.deleted", "submission.deleted"]
    );
}

// proves Z6
#[tokio::test(start_paused = true)]
async fn interviews_that_are_booked_moved_and_cancelled() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    let slots = format!("{}slots/", recruitment.path);
    let first = recruitment
        .officer
        .post(&slots, campus.slot_in(40))
        .await
        .created();
    let second = recruitment
        .officer
        .post(&slots, campus.slot_in(50))
        .await
        .created();
    let chosen = json!({ "submissions": [submission["id"]] });
    recruitment.send("interview", chosen).await.ok();
    let mut log = Log::new(&campus, &recruitment.officer);
    log.types().await;
    let path = format!(
        "{}submissions/{}/interview/",
        recruitment.path,
        id(&submission)
    );
    let book = async |slot: &Value| {
        let body = json!({ "slot": slot["id"] });
        recruitment.officer.put(&path, body).await.ok();
    };
    book(&first).await;
    let booked = log.more().await;
    assert_eq!(booked[0]["type"], "interview.booked");
    assert_eq!(booked[0]["object"]["id"], submission["id"]);
    let url = booked[0]["object"]["url"].as_str().unwrap_or_default();
    assert!(url.ends_with(&path), "{url}");
    book(&second).await;
    let moved = log.more().await;
    assert_eq!(moved[0]["type"], "interview.moved");
    assert_eq!(moved[0]["by"], user(&recruitment.officer).await);
    // A slot that gets another place moves whoever has booked it.
    let location = json!({ "location": "Room 9" });
    let slot = format!("{slots}{}/", id(&second));
    recruitment.officer.patch(&slot, location).await.ok();
    assert_eq!(log.types().await, ["interview.moved"]);
    recruitment
        .officer
        .patch(&slot, json!({ "capacity": 3 }))
        .await
        .ok();
    assert_eq!(log.types().await, Vec::<String>::new());
    recruitment.officer.delete(&path).await.no_content();
    assert_eq!(log.types().await, ["interview.cancelled"]);
    // A rejection that is mailed ends the interview. Nobody cancelled it.
    book(&first).await;
    recruitment.decide(&submission, 3, "").await;
    recruitment.send("rejection", json!({})).await.ok();
    campus.deliver().await;
    let ended = log.more().await;
    let types: Vec<&Value> = ended.iter().map(|one| &one["type"]).collect();
    let expected = [
        "interview.booked",
        "submission.decided",
        "interview.cancelled",
    ];
    assert_eq!(types, expected);
    assert_eq!(ended[2]["by"], Value::Null);
}

// proves Z6
#[tokio::test]
async fn members_requests_events_and_the_club() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mut log = Log::new(&campus, &ada);
    log.types().await;
    let bob = campus.as_("bob");
    let ask = json!({ "club": "chess" });
    bob.post("/api/requests/membership/", ask.clone())
        .await
        .created();
    let asked = log.more().await;
    assert_eq!(
        (&asked[0]["type"], &asked[0]["by"]),
        (&json!("request.created"), &user(&bob).await)
    );
    campus.member("chess", &ada, "bob", 20).await;
    let added = log.more().await;
    let changed = |n: usize| (added[n]["type"].clone(), added[n]["by"].clone());
    let owner = user(&ada).await;
    assert_eq!(changed(0), (json!("member.added"), owner.clone()));
    assert_eq!(changed(1), (json!("request.deleted"), owner.clone()));
    let member = "/api/clubs/chess/members/bob/";
    ada.patch(member, json!({ "title": "Treasurer" }))
        .await
        .ok();
    let updated = log.more().await;
    assert_eq!(
        (&updated[0]["type"], &updated[0]["by"]),
        (&json!("member.updated"), &user(&ada).await)
    );
    bob.delete(member).await.no_content();
    let left = log.more().await;
    assert_eq!(
        (&left[0]["type"], &left[0]["by"]),
        (&json!("member.removed"), &user(&bob).await)
    );
    let event = json!({ "name": "Open evening" });
    let event = ada.post("/api/clubs/chess/events/", event).await.created();
    let path = format!("/api/clubs/chess/events/{}/", id(&event));
    let showing = json!({ "start_time": hours(5), "end_time": hours(6) });
    ada.post(&format!("{path}showings/"), showing)
        .await
        .created();
    ada.delete(&path).await.no_content();
    let changed = log.more().await;
    let types: Vec<&Value> = changed.iter().map(|one| &one["type"]).collect();
    assert_eq!(types, ["event.created", "event.updated", "event.deleted"]);
    assert_eq!(changed[2]["by"], owner);
    ada.patch("/api/clubs/chess/", json!({ "subtitle": "Sixty-four" }))
        .await
        .ok();
    let club = log.more().await;
    assert_eq!(club[0]["type"], "club.updated");
    let url = "http://clubs.example/api/clubs/chess/";
    assert_eq!(
        club[0]["object"],
        json!({ "type": "club", "id": "chess", "url": url })
    );
}

// proves Z5, Z6
#[tokio::test(start_paused = true)]
async fn a_deletion_says_who_deleted() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.submit(&campus.as_("sue")).await;
    campus
        .member("chess", &recruitment.officer, "bob", 10)
        .await;
    let bob = campus.as_("bob");
    let mut log = Log::new(&campus, &recruitment.officer);
    log.types().await;
    let forced = format!("{}?force=true", recruitment.path);
    bob.delete(&forced).await.no_content();
    let changed = log.more().await;
    for kind in ["application.deleted", "submission.deleted"] {
        let deleted = changed.iter().find(|one| one["type"] == kind);
        let by = deleted.map(|one| &one["by"]);
        assert_eq!(by, Some(&user(&bob).await), "{kind}: {changed:?}");
    }
}

// proves Z6
#[tokio::test]
async fn a_write_that_changes_nothing_is_no_change() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let officer = &recruitment.officer;
    let event = json!({ "name": "Long", "description": "word ".repeat(1_000) });
    let event = officer
        .post("/api/clubs/chess/events/", event)
        .await
        .created();
    campus.member("chess", officer, "bob", 20).await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let mut log = Log::new(&campus, officer);
    log.types().await;
    let question = format!("{}questions/{}/", recruitment.path, recruitment.question);
    let event = format!("/api/clubs/chess/events/{}/", id(&event));
    let member = "/api/clubs/chess/members/bob/".to_owned();
    let one = format!("{}submissions/{}/", recruitment.path, id(&submission));
    let club = "/api/clubs/chess/".to_owned();
    for path in [&recruitment.path, &question, &event, &member, &club, &one] {
        let read = officer.get(path).await.ok();
        let (name, value) = ["name", "prompt", "title", "status"]
            .iter()
            .find_map(|name| Some((*name, read.get(*name)?.clone())))
            .expect("a field");
        officer.patch(path, json!({ name: value })).await.ok();
    }
    let submissions = format!("{}submissions/", recruitment.path);
    sue.post(&submissions, recruitment.answer("Because."))
        .await
        .ok();
    // Counters, mails, scores and favorites are no changes of the club.
    sue.post("/api/favorites/", json!({ "club": "chess" }))
        .await
        .created();
    let review = json!({ "score": 4, "comment": "Clear." });
    officer
        .put(&format!("{one}reviews/mine/"), review)
        .await
        .ok();
    assert_eq!(log.types().await, Vec::<String>::new());
}

// proves Z6
#[tokio::test(start_paused = true)]
async fn two_deletions_of_a_club_at_once_are_one_change() {
    let campus = Setup::default().latency(5).build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let club = "/api/clubs/chess/";
    let (one, two) = futures::join!(ada.delete(club), ada.delete(club));
    one.no_content();
    two.no_content();
    let restored = json!({ "archived": false });
    campus.admin().patch(club, restored).await.ok();
    let types = Log::new(&campus, &ada).types().await;
    assert_eq!(types, ["member.added", "club.updated", "club.updated"]);
}

// proves Z5, Z6
#[tokio::test]
async fn a_token_sees_the_changes_of_its_scopes() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    for n in 0..3 {
        recruitment.submit(&campus.as_(&format!("s{n}"))).await;
    }
    let subtitle = json!({ "subtitle": "x" });
    recruitment
        .officer
        .patch("/api/clubs/chess/", subtitle)
        .await
        .ok();
    campus.list_changes().await;
    let (whole, _) = all(&recruitment.officer, "chess").await;
    let mut seen = 0;
    for (scope, prefixes) in [
        (TokenScope::ClubsRead, &["club.", "event."][..]),
        (TokenScope::MembersRead, &["member.", "request."]),
        (
            TokenScope::RecruitmentRead,
            &["application.", "submission.", "interview."],
        ),
    ] {
        let token = with_scopes(&campus, &recruitment.officer, &[scope]).await;
        let (some, cursor) = all(&token, "chess").await;
        let fits = |one: &Value| {
            let kind = one["type"].as_str().unwrap_or_default();
            prefixes.iter().any(|prefix| kind.starts_with(prefix))
        };
        assert!(!some.is_empty() && some.iter().all(fits), "{some:?}");
        seen += some.len();
        // The end is the end, also if the last changes were not for this token.
        assert_eq!(since(&token, "chess", &cursor).await, (vec![], cursor));
    }
    assert_eq!(seen, whole.len());
    let writes = with_scopes(
        &campus,
        &recruitment.officer,
        &[TokenScope::RecruitmentWrite],
    )
    .await;
    let refused = writes.get("/api/clubs/chess/changes/").await;
    assert_eq!(
        (refused.status.as_u16(), &refused.json()["code"]),
        (403, &json!("scope"))
    );
}

// proves Z6
#[tokio::test(start_paused = true)]
async fn an_erasure_deletes_and_leaves_no_name() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let officer = campus
        .member("chess", &recruitment.officer, "olga", 10)
        .await;
    let (sue, eve) = (campus.as_("sue"), campus.as_("eve"));
    let decided = recruitment.submit(&sue).await;
    recruitment.submit(&eve).await;
    let path = format!("{}submissions/{}/", recruitment.path, id(&decided));
    officer.patch(&path, json!({ "status": 4 })).await.ok();
    let who = [user(&sue).await, user(&eve).await, user(&officer).await];
    let mut log = Log::new(&campus, &recruitment.officer);
    let before = log.more().await;
    let named = |changes: &[Value]| {
        changes
            .iter()
            .filter(|one| who.contains(&one["by"]))
            .count()
    };
    assert_eq!(named(&before), 3);
    for person in [&sue, &eve, &officer] {
        campus.erase(person).await;
    }
    assert_eq!(
        log.types().await,
        ["submission.deleted", "submission.deleted", "member.removed"]
    );
    let (after, _) = all(&recruitment.officer, "chess").await;
    assert_eq!(named(&after), 0);
    assert!(after.len() > before.len());
    // Whoever comes back has the same id, and did not do what was done before.
    campus.advance(chrono::TimeDelta::minutes(1));
    let ask = json!({ "club": "chess" });
    let again = campus.as_("sue");
    again.post("/api/requests/membership/", ask).await.created();
    campus.list_changes().await;
    let (after, _) = all(&recruitment.officer, "chess").await;
    assert_eq!(named(&after), 1);
}
