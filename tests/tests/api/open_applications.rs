//! `/applications/open/`, `/applications/unsent/`, and what a club may have of applications

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{application, hours, id};

async fn open(client: &tests::Client, query: &str) -> Vec<Value> {
    let all = client
        .get(&format!("/api/applications/open/{query}"))
        .await
        .ok();
    all.as_array().cloned().unwrap_or_default()
}

fn ids(all: &[Value]) -> Vec<u64> {
    all.iter().map(id).collect()
}

// proves A11, A13
#[tokio::test]
async fn one_request_lists_what_the_caller_can_apply_to() {
    let campus = TestCampus::new();
    let (chess, go) = (
        campus.recruitment("chess").await,
        campus.recruitment("go").await,
    );
    let sue = campus.as_("sue");
    let sooner = json!({ "application_end_time": hours(10) });
    go.officer.patch(&go.path, sooner).await.ok();
    let person = id(&sue.get("/api/settings/").await.ok());
    let all = open(&sue, "").await;
    assert_eq!(ids(&all), [id(&go.application), id(&chess.application)]);
    assert_eq!(all[0]["club"]["code"], "go");
    assert_eq!(
        (&all[0]["my_end_time"], &all[0]["draft"]),
        (&json!(hours(10)), &json!(false))
    );
    // An own extension keeps an application open, and shows its own end everywhere.
    let extension = json!({ "person": person, "end_time": hours(30) });
    go.officer
        .post(&format!("{}extensions/", go.path), extension)
        .await
        .created();
    campus.advance(TimeDelta::hours(11));
    let all = open(&sue, "").await;
    assert_eq!(ids(&all), [id(&go.application), id(&chess.application)]);
    assert_eq!(all[0]["my_end_time"], hours(30));
    assert_eq!(
        ids(&open(&campus.as_("bob"), "").await),
        [id(&chess.application)]
    );
    for path in [
        go.path.clone(),
        "/api/clubs/go/applications/current/".into(),
    ] {
        let shown = sue.get(&path).await.ok();
        let shown = shown.get(0).cloned().unwrap_or(shown);
        assert_eq!(
            (&shown["my_end_time"], &shown["application_end_time"]),
            (&json!(hours(30)), &json!(hours(10))),
            "{path}"
        );
    }
    assert_eq!(
        campus.as_("bob").get(&go.path).await.ok()["my_end_time"],
        hours(10)
    );
    // What the caller has begun and sent.
    let draft = json!({ "responses": [{ "question": go.question, "text": "I", "version": 0 }] });
    sue.patch(&format!("{}draft/", go.path), draft).await.ok();
    assert_eq!(open(&sue, "").await[0]["draft"], true);
    assert_eq!(open(&sue, "").await[0]["drafts"], json!([null]));
    assert_eq!(ids(&open(&sue, "?mine=true").await), [id(&go.application)]);
    assert_eq!(
        ids(&open(&sue, "?mine=false").await),
        [id(&chess.application)]
    );
    campus.advance(TimeDelta::seconds(1));
    let sent = go.submit(&sue).await;
    let mine = open(&sue, "?mine=true").await;
    assert_eq!(mine[0]["draft"], false);
    assert_eq!(mine[0]["drafts"], json!([]));
    assert_eq!(
        mine[0]["submissions"],
        json!([{
            "id": sent["id"], "committee": null, "updated_at": sent["updated_at"], "status": 1,
        }])
    );
    sue.post("/api/favorites/", json!({ "club": "chess" }))
        .await
        .created();
    assert_eq!(open(&sue, "?mine=true").await.len(), 2);
    // A draft that was submitted has ended, also after the submission was withdrawn.
    let own = format!("/api/submissions/{}/", sent["id"]);
    sue.delete(&own).await.no_content();
    assert_eq!(
        ids(&open(&sue, "?mine=true").await),
        [id(&chess.application)]
    );
    assert_eq!(ids(&open(&sue, "?mine=false").await), [id(&go.application)]);
    let sent = go.submit(&sue).await;
    let mine = open(&sue, "?mine=true").await;
    // A decision does not show before its time.
    go.decide(&sent, 4, "").await;
    assert_eq!(open(&sue, "?mine=true").await[0], mine[0]);
}

// proves A13
#[tokio::test]
async fn open_list_has_slices_and_no_invisible_club() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    for n in 1..=4 {
        let mut body = application(&format!("No. {n}"));
        body["application_end_time"] = json!(hours(30 + n / 2));
        body["is_active"] = json!(n != 4);
        recruitment
            .officer
            .post("/api/clubs/chess/applications/", body)
            .await
            .created();
    }
    let sue = campus.as_("sue");
    let all = ids(&open(&sue, "").await);
    assert_eq!(all.len(), 4);
    let (mut path, mut found) = ("/api/applications/open/?limit=1".to_owned(), Vec::new());
    loop {
        let response = sue.get(&path).await;
        let next = response.header("link").to_owned();
        found.extend(ids(response.ok().as_array().expect("a list")));
        let Some((next, _)) = next.trim_start_matches('<').split_once('>') else {
            break;
        };
        path = next.to_owned();
    }
    assert_eq!(found, all);
    for query in ["?limit=0", "?limit=201", "?cursor=x", "?mine=maybe"] {
        sue.get(&format!("/api/applications/open/{query}"))
            .await
            .error(400);
    }
    campus
        .anonymous()
        .get("/api/applications/open/")
        .await
        .error(401);
    let hidden = json!({ "approved": false });
    campus.admin().patch("/api/clubs/chess/", hidden).await.ok();
    assert_eq!(open(&sue, "").await, Vec::<Value>::new());
    assert_eq!(open(&recruitment.officer, "").await.len(), 4);
}

// proves A4, A5, A13, A14
#[tokio::test]
async fn lists_of_open_applications_read_what_they_show() {
    let campus = TestCampus::new();
    let officer = campus.as_("ada");
    campus.club("chess", &officer).await;
    let path = "/api/clubs/chess/applications/";
    let long = |bytes: usize| -> Value {
        let name = |n: usize| json!({ "name": format!("{n:02}{}", "x".repeat(bytes - 2)) });
        (0..50).map(name).collect()
    };
    let mut body = application("Large");
    body["committees"] = long(101);
    let refused = officer.post(path, body.clone()).await;
    refused.invalid(&["committees"]);
    for n in 0..30 {
        body["committees"] = long(100);
        body["name"] = json!(format!("Large {n}"));
        body["description"] = json!("word ".repeat(2_000));
        officer.post(path, body.clone()).await.created();
    }
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    let one = sue.get("/api/applications/open/?limit=1").await;
    assert!(one.usage.read_units <= 30.0, "{:?}", one.usage);
    assert_eq!(one.ok().as_array().map(Vec::len), Some(1));
    let home = sue.get("/api/home/").await;
    assert!(home.usage.read_units <= 100.0, "{:?}", home.usage);
    assert_eq!(home.ok()["applications"].as_array().map(Vec::len), Some(30));
    let (mut next, mut names) = (format!("{path}current/?limit=20"), vec![]);
    while !next.is_empty() {
        let part = sue.get(&next).await;
        let link = part.header("link").to_owned();
        next = link.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
        let part = part.ok();
        let part = part.as_array().into_iter().flatten();
        names.extend(part.map(|one| one["name"].clone()));
    }
    let all: Vec<Value> = (0..30).map(|n| json!(format!("Large {n}"))).collect();
    assert_eq!(names, all);
    let few = sue.get(&format!("{path}current/?limit=2")).await;
    assert!(few.usage.read_units <= 30.0, "{:?}", few.usage);
    assert_eq!(few.ok().as_array().map(Vec::len), Some(2));
    let whole = sue.get(&format!("{path}current/")).await.ok();
    assert_eq!(whole.as_array().map(Vec::len), Some(30));
}

// proves A12
#[tokio::test]
async fn a_club_has_fifty_applications_that_have_not_ended() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = "/api/clubs/chess/applications/";
    let mut short = application("Short");
    short["application_end_time"] = json!(hours(1));
    short["result_release_time"] = json!(hours(1));
    short["is_active"] = json!(false);
    let short = recruitment.officer.post(path, short).await.created();
    for n in 0..48 {
        recruitment
            .officer
            .post(path, application(&format!("A{n}")))
            .await
            .created();
    }
    let too_many = async |response: tests::Response| {
        assert_eq!(response.json()["code"], "quota");
        response.error(400);
    };
    too_many(recruitment.officer.post(path, application("B")).await).await;
    let copy = format!("{}duplicate/", recruitment.path);
    too_many(recruitment.officer.post(&copy, Value::Null).await).await;
    // One that has ended does not count, until its end is moved.
    campus.advance(TimeDelta::hours(2));
    recruitment
        .officer
        .post(path, application("B"))
        .await
        .created();
    let later = json!({ "application_end_time": hours(20), "result_release_time": hours(20) });
    let short = format!("{path}{}/", id(&short));
    too_many(recruitment.officer.patch(&short, later.clone()).await).await;
    recruitment
        .officer
        .patch(&short, json!({ "name": "Renamed" }))
        .await
        .ok();
    campus.admin().patch(&short, later).await.ok();
    campus.admin().post(path, application("C")).await.created();
    recruitment
        .officer
        .delete(&recruitment.path)
        .await
        .no_content();
    too_many(recruitment.officer.post(path, application("D")).await).await;
    let stored = campus.stored();
    assert_eq!(
        admin::check(&stored, shared::time::Clock::now(&*campus.campus.clock)),
        [""; 0]
    );
}

#[tokio::test]
async fn current_applications_cost_what_is_open() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = "/api/clubs/chess/applications/";
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    let before = sue.get(&format!("{path}current/")).await.usage;
    for n in 0..20 {
        let mut body = application(&format!("Over {n}"));
        body["application_start_time"] = json!(hours(-9));
        body["application_end_time"] = json!(hours(-8));
        body["description"] = json!("word ".repeat(2_000));
        recruitment.officer.post(path, body).await.created();
    }
    let response = sue.get(&format!("{path}current/")).await;
    assert!(response.usage.read_units <= before.read_units);
    assert_eq!(response.ok().as_array().map(Vec::len), Some(1));
}

// proves A13, N5
#[tokio::test]
async fn draft_ends_with_its_submission_even_if_withdrawn() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, draft) = (campus.as_("sue"), format!("{}draft/", recruitment.path));
    let answer = json!({ "question": recruitment.question, "text": "I", "version": 0 });
    sue.patch(&draft, json!({ "responses": [answer] }))
        .await
        .ok();
    assert_eq!(open(&sue, "").await[0]["draft"], true);
    campus.advance(TimeDelta::seconds(1));
    let own = format!("/api/submissions/{}/", id(&recruitment.submit(&sue).await));
    sue.delete(&own).await.no_content();
    sue.get(&draft).await.error(404);
    assert_eq!(open(&sue, "").await[0]["draft"], false);
}

// proves A13
#[tokio::test]
async fn clubs_that_somebody_is_in_or_follows_are_theirs() {
    let campus = TestCampus::new();
    let mut recruitments = vec![];
    for name in ["chess", "go", "film"] {
        recruitments.push(campus.recruitment(name).await);
    }
    let sue = campus
        .member("chess", &recruitments[0].officer, "sue", 20)
        .await;
    let follows = json!({ "club": "go" });
    sue.post("/api/subscriptions/", follows).await.created();
    let of = |n: usize| id(&recruitments[n].application);
    assert_eq!(ids(&open(&sue, "?mine=true").await), [of(0), of(1)]);
    assert_eq!(ids(&open(&sue, "?mine=false").await), [of(2)]);
}

// proves A16, N6
#[tokio::test]
async fn unsent_drafts_are_listed_after_the_end() {
    let campus = TestCampus::new();
    let (chess, go) = (
        campus.recruitment("chess").await,
        campus.recruitment("go").await,
    );
    let committees = json!({ "committees": [{ "name": "Board" }, { "name": "Web" }] });
    let with = go.officer.patch(&go.path, committees).await.ok();
    let (board, web) = (id(&with["committees"][0]), id(&with["committees"][1]));
    let (sue, bob) = (campus.as_("sue"), campus.as_("bob"));
    let unsent = async |client: &tests::Client| {
        let all = client.get("/api/applications/unsent/").await.ok();
        all.as_array().cloned().expect("a list")
    };
    let typed = |question: u64| {
        let answer = json!({ "question": question, "text": "I", "version": 0 });
        json!({ "responses": [answer] })
    };
    for (recruitment, query) in [
        (&chess, String::new()),
        (&go, format!("?committee={board}")),
        (&go, format!("?committee={web}")),
    ] {
        let path = format!("{}draft/{query}", recruitment.path);
        sue.patch(&path, typed(recruitment.question)).await.ok();
    }
    // As long as it can be sent, it is in the other list.
    assert_eq!(unsent(&sue).await, Vec::<Value>::new());
    campus.advance(TimeDelta::seconds(1));
    let mut sent = go.answer("Because.");
    sent["committee"] = json!(web);
    let path = format!("{}submissions/", go.path);
    sue.post(&path, sent).await.created();
    let draft = format!("{}draft/?committee={web}", go.path);
    sue.patch(&draft, typed(go.question)).await.ok();
    go.officer
        .patch(&go.path, json!({ "application_end_time": hours(10) }))
        .await
        .ok();
    let later =
        json!({ "person": id(&sue.get("/api/settings/").await.ok()), "end_time": hours(12) });
    let extensions = format!("{}extensions/", go.path);
    go.officer.post(&extensions, later).await.created();
    campus.advance(TimeDelta::hours(11));
    assert_eq!(unsent(&sue).await, Vec::<Value>::new(), "extended");
    campus.advance(TimeDelta::hours(2));
    let all = unsent(&sue).await;
    assert_eq!(ids(&all), [id(&go.application)]);
    // What was sent for the other committee counts, so it does not matter what was typed after it.
    assert_eq!(
        (&all[0]["drafts"], &all[0]["draft"], &all[0]["my_end_time"]),
        (&json!([board]), &json!(true), &json!(hours(12)))
    );
    assert_eq!(all[0]["submissions"][0]["committee"], web);
    // The one that ended last comes first; one that is switched off is there, too.
    let off = json!({ "is_active": false });
    chess.officer.patch(&chess.path, off).await.ok();
    assert_eq!(
        ids(&unsent(&sue).await),
        [id(&chess.application), id(&go.application)]
    );
    assert_eq!(unsent(&bob).await, Vec::<Value>::new());
    let hidden = json!({ "approved": false });
    campus.admin().patch("/api/clubs/chess/", hidden).await.ok();
    assert_eq!(ids(&unsent(&sue).await), [id(&go.application)]);
    let nobody = campus.anonymous();
    nobody.get("/api/applications/unsent/").await.error(401);
    // It goes with the draft, 30 days after the end as it was when something was last typed.
    let draft = format!("{}draft/?committee={board}", go.path);
    let answers = sue.get(&draft).await.ok();
    assert_eq!(answers["responses"][0]["text"], "I");
    campus.advance(TimeDelta::days(90));
    assert_eq!(unsent(&sue).await, Vec::<Value>::new());
}
