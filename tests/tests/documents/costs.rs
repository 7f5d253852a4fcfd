//! The price list: calls of DynamoDB, sequential rounds and capacity units of every operation, as
//! the engine counts them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use shared::db::usage::{Usage, metered};
use shared::domain::Submission;
use shared::ids::Id;
use tests::fixtures::{Recruitment, hours, id};
use tests::template::table_actions;
use tests::{Client, Setup, TestCampus};

/// Duration of each call of the table. Only these calls move the paused tokio clock, so the elapsed
/// time divided by it is the number of rounds.
const LATENCY: Duration = Duration::from_millis(10);

pub(super) struct Row {
    pub(super) operation: &'static str,
    pub(super) note: &'static str,
    pub(super) usage: Usage,
    pub(super) rounds: u128,
}

pub(super) struct Prices {
    pub(super) campus: TestCampus,
    pub(super) rows: Vec<Row>,
    /// The function that serves each operation.
    serves: BTreeMap<String, &'static str>,
    witness: Witness,
}

/// The actions of each function, with their table or index.
pub(super) type Rights = BTreeMap<String, BTreeSet<(String, String)>>;

/// The function that is running, and the actions of all functions so far.
pub(super) type Witness = Arc<Mutex<(Option<String>, Rights)>>;

fn campus(witness: &Witness) -> TestCampus {
    let witness = witness.clone();
    Setup::default()
        .table(Arc::new(move |operation: &str, body: &[u8]| {
            let mut seen = witness.lock().unwrap_or_else(PoisonError::into_inner);
            if let (Some(function), rights) = &mut *seen {
                let body = serde_json::from_slice(body).unwrap_or_default();
                rights
                    .entry(function.clone())
                    .or_default()
                    .extend(table_actions(operation, &body));
            }
            Box::pin(async {
                tokio::time::sleep(LATENCY).await;
                None
            })
        }))
        .build()
}

async fn timed<F: Future>(work: F) -> (F::Output, u128) {
    let began = tokio::time::Instant::now();
    let output = work.await;
    (output, began.elapsed().as_millis() / LATENCY.as_millis())
}

impl Prices {
    /// Prices on a new campus.
    pub(super) fn new(witness: &Witness) -> Self {
        Self {
            campus: campus(witness),
            rows: vec![],
            serves: serves(),
            witness: witness.clone(),
        }
    }

    pub(super) fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    pub(super) fn at_work(&self, operation: Option<&str>) {
        self.serving(
            operation
                .and_then(|operation| self.serves.get(operation))
                .copied()
                .unwrap_or_default(),
        );
    }

    fn serving(&self, function: &str) {
        self.witness
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .0 = Some(function.to_owned()).filter(|name| !name.is_empty());
    }

    pub(super) async fn row(
        &mut self,
        operation: &'static str,
        note: &'static str,
        client: &Client,
        method: Method,
        path: &str,
        body: Value,
    ) -> Value {
        self.at_work(Some(operation));
        let (answer, rounds) =
            timed(client.send(method, path, Some(body).filter(|body| !body.is_null()))).await;
        self.at_work(None);
        assert!(answer.status.is_success(), "{operation}: {}", answer.text());
        self.rows.push(Row {
            operation,
            note,
            usage: answer.usage,
            rounds,
        });
        answer.json()
    }

    async fn upload(&mut self, operation: &'static str, client: &Client, path: &str) {
        let (content_type, body) = tests::images::form(&[("file", &tests::images::png(8, 8))]);
        self.at_work(Some(operation));
        let (answer, rounds) =
            timed(client.raw(Method::POST, path, Some(&content_type), body)).await;
        self.at_work(None);
        assert!(answer.status.is_success(), "{operation}: {}", answer.text());
        self.rows.push(Row {
            operation,
            note: "",
            usage: answer.usage,
            rounds,
        });
    }
}

/// Adds `n` pending submissions to the application. They are copies of the first one.
async fn fill(campus: &TestCampus, drive: &Recruitment, first: &Value, n: u64) {
    let app = &campus.campus.app;
    let table = &app.table;
    let application = id(&drive.application);
    let model = table
        .submission(Id::new(application), Id::new(id(first)))
        .await
        .expect("a table")
        .expect("a submission");
    let copies: Vec<Submission> = (0..n)
        .map(|i| Submission {
            id: Id::new(1_000_000 + i),
            person: Some(Id::new(5_000_000 + i)),
            sequence: app.next_id(),
            ..model.clone()
        })
        .collect();
    table.load(&copies).await.expect("a table");
}

/// The function that serves each operation.
pub(super) fn serves() -> BTreeMap<String, &'static str> {
    let operations = |(function, routes): local::Group| {
        let document = json!(routes().split_for_parts().1);
        let items: Vec<Value> = document["paths"]
            .as_object()
            .into_iter()
            .flat_map(|paths| paths.values().cloned())
            .collect();
        let ids = items
            .into_iter()
            .flat_map(|item| item.as_object().cloned().unwrap_or_default());
        ids.map(move |(_, operation)| {
            (
                operation["operationId"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                function,
            )
        })
        .collect::<Vec<_>>()
    };
    local::GROUPS.into_iter().flat_map(operations).collect()
}

#[expect(
    clippy::too_many_lines,
    clippy::similar_names,
    reason = "a list, in the order in which things come about"
)]
async fn measure() -> (Vec<Row>, Rights) {
    let witness = Witness::default();
    let campus = campus(&witness);
    let (get, post, put, patch, delete) = (
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
    );
    let null = Value::Null;
    let drive = campus.drive("chess").await;
    let ada = drive.officer.clone();
    for (kind, n) in [(3, 0), (3, 1), (2, 2), (4, 3)] {
        let mut body = json!({
            "question_type": kind,
            "prompt": "A question of the usual length, is it not?",
            "precedence": n,
        });
        if kind == 2 {
            body["multiple_choice"] = json!(["one", "two", "three"]);
        }
        ada.post(&format!("{}questions/", drive.path), body)
            .await
            .created();
    }
    let bob = campus.member("chess", &ada, "bob", 20).await;
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    let first = drive.submit(&bob).await;
    fill(&campus, &drive, &first, 9).await;
    let submissions = format!("{}submissions/", drive.path);
    let mut p = Prices {
        campus,
        rows: vec![],
        serves: serves(),
        witness,
    };

    let new = p.campus.as_("new");
    p.row(
        "show_settings",
        "first request of a new person",
        &new,
        get.clone(),
        "/api/settings/",
        null.clone(),
    )
    .await;
    p.row(
        "show_settings",
        "known person",
        &sue,
        get.clone(),
        "/api/settings/",
        null.clone(),
    )
    .await;
    p.row(
        "update_settings",
        "",
        &sue,
        patch.clone(),
        "/api/settings/",
        json!({ "graduation_year": 2028 }),
    )
    .await;
    p.row(
        "replace_settings",
        "",
        &sue,
        put.clone(),
        "/api/settings/",
        json!({ "graduation_year": 2029, "image_url": null, "school": [], "major": [] }),
    )
    .await;
    p.row(
        "show_health",
        "",
        &sue,
        get.clone(),
        "/api/health/",
        null.clone(),
    )
    .await;
    for (operation, path) in [
        ("show_openapi", "/api/openapi.json"),
        ("show_openapi_3_0", "/api/openapi-3.0.json"),
    ] {
        p.row(operation, "", &sue, get.clone(), path, null.clone())
            .await;
    }
    p.row(
        "show_docs",
        "",
        &sue,
        get.clone(),
        "/api/docs/",
        null.clone(),
    )
    .await;
    p.row(
        "show_docs_file",
        "",
        &sue,
        get.clone(),
        "/api/docs/index.css",
        null.clone(),
    )
    .await;

    p.row(
        "create_club",
        "",
        &sue,
        post.clone(),
        "/api/clubs/",
        json!({ "name": "Go" }),
    )
    .await;
    let once = sue.clone().header("idempotency-key", "k");
    p.row(
        "create_club",
        "with an idempotency key",
        &once,
        post.clone(),
        "/api/clubs/",
        json!({ "name": "Bridge" }),
    )
    .await;
    p.row(
        "create_club",
        "with its key again",
        &once,
        post.clone(),
        "/api/clubs/",
        json!({ "name": "Bridge" }),
    )
    .await;
    p.row(
        "list_clubs",
        "catalogue not in memory",
        &sue,
        get.clone(),
        "/api/clubs/",
        null.clone(),
    )
    .await;
    p.row(
        "list_clubs",
        "signed in",
        &sue,
        get.clone(),
        "/api/clubs/?search=go",
        null.clone(),
    )
    .await;
    let anybody = p.campus.anonymous();
    p.row(
        "list_clubs",
        "anonymous",
        &anybody,
        get.clone(),
        "/api/clubs/?search=go",
        null.clone(),
    )
    .await;
    p.row(
        "show_club",
        "",
        &sue,
        get.clone(),
        "/api/clubs/go/",
        null.clone(),
    )
    .await;
    p.row(
        "show_club",
        "anonymous",
        &anybody,
        get.clone(),
        "/api/clubs/go/",
        null.clone(),
    )
    .await;
    let mut club = p
        .row(
            "update_club",
            "",
            &sue,
            patch.clone(),
            "/api/clubs/go/",
            json!({ "subtitle": "x" }),
        )
        .await;
    club["subtitle"] = json!("y");
    p.row(
        "replace_club",
        "",
        &sue,
        put.clone(),
        "/api/clubs/go/",
        club,
    )
    .await;
    p.upload("upload_club_logo", &sue, "/api/clubs/go/upload/")
        .await;
    Box::pin(p.collections(&sue)).await;
    Box::pin(p.bookmarks(&sue)).await;
    p.row(
        "delete_club",
        "",
        &sue,
        delete.clone(),
        "/api/clubs/go/",
        null.clone(),
    )
    .await;
    p.row(
        "list_memberships",
        "",
        &bob,
        get.clone(),
        "/api/memberships/",
        null.clone(),
    )
    .await;
    let members = "/api/clubs/chess/members/";
    p.row(
        "list_members",
        "2 members",
        &ada,
        get.clone(),
        members,
        null.clone(),
    )
    .await;
    let person = id(&sue.get("/api/settings/").await.ok());
    let member = p
        .row(
            "create_member",
            "",
            &ada,
            post.clone(),
            members,
            json!({ "person": person }),
        )
        .await;
    p.row(
        "show_member",
        "by id",
        &ada,
        get.clone(),
        &format!("{members}{}/", id(&member)),
        null.clone(),
    )
    .await;
    p.row(
        "show_member",
        "by user name",
        &ada,
        get.clone(),
        &format!("{members}sue/"),
        null.clone(),
    )
    .await;
    let one = format!("{members}{}/", id(&member));
    p.row(
        "update_member",
        "role",
        &ada,
        patch.clone(),
        &one,
        json!({ "role": 10 }),
    )
    .await;
    let body =
        json!({ "role": 20, "title": "", "description": "", "public": true, "active": false });
    p.row("replace_member", "", &ada, put.clone(), &one, body)
        .await;
    p.row(
        "delete_member",
        "by id",
        &ada,
        delete.clone(),
        &format!("{members}{}/", id(&member)),
        null.clone(),
    )
    .await;

    let (rita, requests) = (p.campus.as_("rita"), "/api/requests/membership/");
    rita.get("/api/settings/").await.ok();
    p.row(
        "create_own_request",
        "2 officers to tell",
        &rita,
        post.clone(),
        requests,
        json!({ "club": "chess" }),
    )
    .await;
    p.row(
        "create_own_request",
        "again",
        &rita,
        post.clone(),
        requests,
        json!({ "club": "chess" }),
    )
    .await;
    p.row(
        "list_own_requests",
        "1",
        &rita,
        get.clone(),
        requests,
        null.clone(),
    )
    .await;
    p.row(
        "show_own_request",
        "",
        &rita,
        get.clone(),
        &format!("{requests}chess/"),
        null.clone(),
    )
    .await;
    let asked = "/api/clubs/chess/membershiprequests/";
    let request = p
        .row(
            "list_membership_requests",
            "1",
            &ada,
            get.clone(),
            asked,
            null.clone(),
        )
        .await;
    let one = format!("{asked}{}/", id(&request[0]));
    p.row(
        "show_membership_request",
        "by id",
        &ada,
        get.clone(),
        &one,
        null.clone(),
    )
    .await;
    p.row(
        "delete_membership_request",
        "by id",
        &ada,
        delete.clone(),
        &one,
        null.clone(),
    )
    .await;
    p.row(
        "create_own_request",
        "officers were told",
        &rita,
        post.clone(),
        requests,
        json!({ "club": "chess" }),
    )
    .await;
    p.row(
        "delete_own_request",
        "",
        &rita,
        delete.clone(),
        &format!("{requests}chess/"),
        null.clone(),
    )
    .await;
    rita.post(requests, json!({ "club": "chess" }))
        .await
        .created();
    p.row(
        "create_member",
        "answers a request",
        &ada,
        post.clone(),
        members,
        json!({ "person": request[0]["person"] }),
    )
    .await;
    p.row(
        "list_users",
        "3 found",
        &ada,
        get.clone(),
        "/api/users/?search=test",
        null.clone(),
    )
    .await;
    p.row(
        "list_users",
        "exact address",
        &ada,
        get.clone(),
        "/api/users/?search=bob@uni.example",
        null.clone(),
    )
    .await;
    let invites = "/api/clubs/chess/invites/";
    let invite = p
        .row(
            "create_invite",
            "",
            &ada,
            post.clone(),
            invites,
            json!({ "email": "ina@uni.example" }),
        )
        .await;
    let one = format!("{invites}{}/", invite["id"].as_str().unwrap_or_default());
    p.row(
        "list_invites",
        "1",
        &ada,
        get.clone(),
        invites,
        null.clone(),
    )
    .await;
    p.row("show_invite", "", &ada, get.clone(), &one, null.clone())
        .await;
    p.campus.advance(chrono::TimeDelta::minutes(10));
    p.row(
        "resend_invite",
        "",
        &ada,
        post.clone(),
        &format!("{one}resend/"),
        null.clone(),
    )
    .await;
    p.campus.advance(chrono::TimeDelta::minutes(-10));
    p.row(
        "delete_invite",
        "",
        &ada,
        delete.clone(),
        &one,
        null.clone(),
    )
    .await;
    let hundred: Vec<String> = (0..100).map(|n| format!("person{n}@uni.example")).collect();
    let body = json!({ "emails": hundred.join(", ") });
    p.row(
        "create_invites",
        "100 addresses",
        &ada,
        post.clone(),
        "/api/clubs/chess/invite/",
        body,
    )
    .await;
    p.row(
        "export_settings",
        "2 memberships, 1 submission",
        &bob,
        get.clone(),
        "/api/settings/export/",
        null.clone(),
    )
    .await;
    p.row(
        "delete_settings",
        "1 membership; 100 rounds are its pause",
        &rita,
        delete.clone(),
        "/api/settings/",
        null.clone(),
    )
    .await;
    p.campus.deliver().await;

    let body = json!({
        "name": "Open evening",
        "description": "<p>Come and see.</p>",
        "showings": [{ "start_time": hours(5), "end_time": hours(6) }],
    });
    let event = p
        .row(
            "create_event",
            "1 showing",
            &ada,
            post.clone(),
            "/api/clubs/chess/events/",
            body,
        )
        .await;
    p.row(
        "list_events",
        "month not in memory",
        &anybody,
        get.clone(),
        "/api/events/",
        null.clone(),
    )
    .await;
    p.row(
        "list_events",
        "anonymous",
        &anybody,
        get.clone(),
        "/api/events/?search=open",
        null.clone(),
    )
    .await;
    p.row(
        "list_events",
        "signed in",
        &sue,
        get.clone(),
        "/api/events/?search=open",
        null.clone(),
    )
    .await;
    p.row(
        "show_calendar",
        "",
        &anybody,
        get.clone(),
        "/api/events.ics",
        null.clone(),
    )
    .await;
    let one = format!("/api/events/{}/", id(&event));
    p.row("show_event", "", &anybody, get.clone(), &one, null.clone())
        .await;
    p.row(
        "list_showings",
        "",
        &anybody,
        get.clone(),
        &format!("{one}showings/"),
        null.clone(),
    )
    .await;
    let showing = format!("{one}showings/{}/", id(&event["showings"][0]));
    p.row(
        "show_showing",
        "",
        &anybody,
        get.clone(),
        &showing,
        null.clone(),
    )
    .await;
    p.row(
        "list_club_events",
        "1",
        &sue,
        get.clone(),
        "/api/clubs/chess/events/",
        null.clone(),
    )
    .await;
    p.row(
        "show_club_calendar",
        "1",
        &anybody,
        get.clone(),
        "/api/clubs/chess/events.ics",
        null.clone(),
    )
    .await;
    let one = format!("/api/clubs/chess/events/{}/", id(&event));
    p.row("show_club_event", "", &sue, get.clone(), &one, null.clone())
        .await;
    p.row(
        "update_event",
        "",
        &ada,
        patch.clone(),
        &one,
        json!({ "name": "Open night" }),
    )
    .await;
    p.row(
        "replace_event",
        "",
        &ada,
        put.clone(),
        &one,
        json!({ "name": "Open", "description": "", "type": 1, "url": null }),
    )
    .await;
    let showings = format!("{one}showings/");
    let body = json!({ "start_time": hours(900), "end_time": hours(901) });
    let showing = p
        .row(
            "create_showing",
            "in another month",
            &ada,
            post.clone(),
            &showings,
            body,
        )
        .await;
    p.row(
        "list_club_showings",
        "2",
        &sue,
        get.clone(),
        &showings,
        null.clone(),
    )
    .await;
    let showing = format!("{showings}{}/", id(&showing));
    let got = p
        .row(
            "show_club_showing",
            "",
            &ada,
            get.clone(),
            &showing,
            null.clone(),
        )
        .await;
    p.row(
        "update_showing",
        "",
        &ada,
        patch.clone(),
        &showing,
        json!({ "location": "Hall" }),
    )
    .await;
    p.row("replace_showing", "", &ada, put.clone(), &showing, got)
        .await;
    p.row(
        "delete_showing",
        "",
        &ada,
        delete.clone(),
        &showing,
        null.clone(),
    )
    .await;
    p.upload("upload_event_image", &ada, &format!("{one}upload/"))
        .await;
    p.row("delete_event", "", &ada, delete.clone(), &one, null.clone())
        .await;
    p.events(&anybody).await;

    let path = drive.path.as_str();
    p.row(
        "list_applications",
        "1 application, 5 questions",
        &ada,
        get.clone(),
        "/api/clubs/chess/applications/",
        null.clone(),
    )
    .await;
    p.row(
        "list_current_applications",
        "",
        &sue,
        get.clone(),
        "/api/clubs/chess/applications/current/",
        null.clone(),
    )
    .await;
    let body = tests::fixtures::application("Other");
    let other = p
        .row(
            "create_application",
            "",
            &ada,
            post.clone(),
            "/api/clubs/chess/applications/",
            body,
        )
        .await;
    let other = format!("/api/clubs/chess/applications/{}/", id(&other));
    p.row(
        "show_application",
        "5 questions",
        &sue,
        get.clone(),
        path,
        null.clone(),
    )
    .await;
    let got = p
        .row(
            "update_application",
            "",
            &ada,
            patch.clone(),
            &other,
            json!({ "name": "Another", "is_active": false }),
        )
        .await;
    p.row("replace_application", "", &ada, put.clone(), &other, got)
        .await;
    p.row(
        "delete_application",
        "empty; 100 rounds are its pause",
        &ada,
        delete.clone(),
        &other,
        null.clone(),
    )
    .await;
    let copy = p
        .row(
            "duplicate_application",
            "5 questions",
            &ada,
            post.clone(),
            &format!("{path}duplicate/"),
            null.clone(),
        )
        .await;
    let copy = format!("/api/clubs/chess/applications/{}/", id(&copy));
    p.row(
        "delete_application",
        "5 questions",
        &ada,
        delete.clone(),
        &copy,
        null.clone(),
    )
    .await;
    let extensions = format!("{path}extensions/");
    let extension = json!({ "person": person, "end_time": hours(30) });
    let extension = p
        .row(
            "create_extension",
            "by id",
            &ada,
            post.clone(),
            &extensions,
            extension,
        )
        .await;
    let one = format!("{extensions}{}/", id(&extension));
    p.row(
        "list_extensions",
        "",
        &ada,
        get.clone(),
        &extensions,
        null.clone(),
    )
    .await;
    p.row("show_extension", "", &ada, get.clone(), &one, null.clone())
        .await;
    p.row(
        "update_extension",
        "",
        &ada,
        patch.clone(),
        &one,
        json!({ "end_time": hours(31) }),
    )
    .await;
    p.row(
        "replace_extension",
        "",
        &ada,
        put.clone(),
        &one,
        json!({ "end_time": hours(32) }),
    )
    .await;
    p.row(
        "delete_extension",
        "",
        &ada,
        delete.clone(),
        &one,
        null.clone(),
    )
    .await;
    let extension = json!({ "username": "bob", "end_time": hours(30) });
    p.row(
        "create_extension",
        "by user name",
        &ada,
        post.clone(),
        &extensions,
        extension,
    )
    .await;
    let questions = format!("{path}questions/");
    p.row(
        "list_questions",
        "",
        &sue,
        get.clone(),
        &questions,
        null.clone(),
    )
    .await;
    let question = p
        .row(
            "create_question",
            "",
            &ada,
            post.clone(),
            &questions,
            json!({ "question_type": 1, "prompt": "?" }),
        )
        .await;
    let one = format!("{questions}{}/", id(&question));
    p.row("show_question", "", &sue, get.clone(), &one, null.clone())
        .await;
    let got = p
        .row(
            "update_question",
            "new prompt",
            &ada,
            patch.clone(),
            &one,
            json!({ "prompt": "Why?" }),
        )
        .await;
    p.row(
        "replace_question",
        "same prompt",
        &ada,
        put.clone(),
        &one,
        got,
    )
    .await;
    p.row(
        "order_questions",
        "",
        &ada,
        post.clone(),
        &format!("{questions}precedence/"),
        json!({ "precedence": [question["id"]] }),
    )
    .await;
    p.row(
        "delete_question",
        "",
        &ada,
        delete.clone(),
        &one,
        null.clone(),
    )
    .await;

    let mine = p
        .row(
            "submit",
            "10 submissions there",
            &sue,
            post.clone(),
            &submissions,
            drive.answer("Because."),
        )
        .await;
    p.row(
        "submit",
        "again",
        &sue,
        post.clone(),
        &submissions,
        drive.answer("Because!"),
    )
    .await;
    p.row(
        "list_own_submissions",
        "1",
        &sue,
        get.clone(),
        "/api/submissions/",
        null.clone(),
    )
    .await;
    p.row(
        "list_open_applications",
        "1",
        &sue,
        get.clone(),
        "/api/applications/open/?mine=true",
        null.clone(),
    )
    .await;
    p.row(
        "show_home",
        "a student, 1 open application",
        &sue,
        get.clone(),
        "/api/home/",
        null.clone(),
    )
    .await;
    p.row(
        "show_own_submission",
        "",
        &sue,
        get.clone(),
        &format!("/api/submissions/{}/", id(&mine)),
        null.clone(),
    )
    .await;
    p.row(
        "withdraw_submission",
        "",
        &sue,
        delete.clone(),
        &format!("/api/submissions/{}/", id(&mine)),
        null.clone(),
    )
    .await;
    let one = format!("{submissions}{}/", id(&first));
    p.row(
        "list_submissions",
        "10",
        &ada,
        get.clone(),
        &submissions,
        null.clone(),
    )
    .await;
    p.row(
        "export_submissions",
        "10",
        &ada,
        get.clone(),
        &format!("{submissions}export/"),
        null.clone(),
    )
    .await;
    p.row("show_submission", "", &ada, get.clone(), &one, null.clone())
        .await;
    p.row(
        "update_decision",
        "10 submissions there",
        &ada,
        patch.clone(),
        &one,
        json!({ "status": 2 }),
    )
    .await;
    p.row(
        "replace_decision",
        "",
        &ada,
        put.clone(),
        &one,
        json!({ "status": 3, "reason": "x" }),
    )
    .await;
    p.row(
        "list_history",
        "2 changes",
        &ada,
        get.clone(),
        &format!("{one}history/"),
        null.clone(),
    )
    .await;
    let all: Vec<u64> = (1_000_000..1_000_009).collect();
    p.row(
        "set_statuses",
        "9",
        &ada,
        post.clone(),
        &format!("{submissions}status/"),
        json!({ "submissions": all, "status": 4 }),
    )
    .await;
    let reasons: Vec<Value> = all
        .iter()
        .map(|id| json!({ "id": id, "reason": "x" }))
        .collect();
    p.row(
        "set_reasons",
        "9",
        &ada,
        post.clone(),
        &format!("{submissions}reason/"),
        json!({ "submissions": reasons }),
    )
    .await;
    let send = format!("{path}send_emails/");
    let dry = json!({ "email_type": { "id": "acceptance" }, "dry_run": true });
    p.row(
        "send_emails",
        "dry run, 9 mails",
        &ada,
        post.clone(),
        &send,
        dry.clone(),
    )
    .await;

    fill(&p.campus, &drive, &first, 1_999).await;
    p.row(
        "submit",
        "2,000 submissions there",
        &sue,
        post.clone(),
        &submissions,
        drive.answer("Because."),
    )
    .await;
    let one = format!("{submissions}1000500/");
    p.row(
        "update_decision",
        "2,000 submissions there",
        &ada,
        patch.clone(),
        &one,
        json!({ "status": 2 }),
    )
    .await;
    p.row(
        "list_submissions",
        "2,000",
        &ada,
        get.clone(),
        &submissions,
        null.clone(),
    )
    .await;
    p.row(
        "list_submissions",
        "`limit=50` of 2,000",
        &ada,
        get.clone(),
        &format!("{submissions}?limit=50"),
        null.clone(),
    )
    .await;
    p.row(
        "show_home",
        "an officer, 2,000 submissions",
        &ada,
        get.clone(),
        "/api/home/",
        null.clone(),
    )
    .await;
    let accepted: Vec<u64> = (1_000_000..1_000_120).collect();
    let body = json!({ "submissions": accepted, "status": 4 });
    p.row(
        "set_statuses",
        "120",
        &ada,
        post.clone(),
        &format!("{submissions}status/"),
        body,
    )
    .await;
    let body = json!({ "email_type": { "id": "acceptance" } });
    p.row(
        "send_emails",
        "120 mails, 2,000 submissions",
        &ada,
        post.clone(),
        &send,
        body,
    )
    .await;
    let before = p.campus.mails().len();
    p.serving("Mailer");
    let ((_, usage), rounds) = timed(Box::pin(metered(p.campus.deliver()))).await;
    assert_eq!(p.campus.mails().len(), before + 120);
    p.rows.push(Row {
        operation: "(mail worker)",
        note: "120 mails",
        usage,
        rounds,
    });
    p.serving("MailReports");
    let reports = p.campus.campus.mailbox.take_reports();
    let delivery = reports
        .into_iter()
        .find(|report| report.to_string().contains("-acceptance-"))
        .expect("a report about a decision");
    let ((), usage) = Box::pin(metered(p.campus.reported(&delivery))).await;
    p.rows.push(Row {
        operation: "(mail report)",
        note: "a delivery",
        usage,
        rounds: 2,
    });
    let bounce = delivery.to_string().replace("Delivery", "Bounce").replace(
        r#"\"delivery\":{"#,
        r#"\"bounce\":{\"bounceType\":\"Permanent\","#,
    );
    let bounce = serde_json::from_str(&bounce).expect("an event");
    let ((), usage) = Box::pin(metered(p.campus.reported(&bounce))).await;
    assert!(usage.calls > 0, "the bounce was not understood");
    p.rows.push(Row {
        operation: "(mail report)",
        note: "a bounce",
        usage,
        rounds: 3,
    });
    p.rows.extend(accept(&p.witness).await);
    p.rows
        .extend(super::costs_long::long_texts(&p.witness).await);
    p.rows
        .extend(super::costs_features::recruitment(&p.witness).await);
    p.rows
        .extend(super::costs_features::joining(&p.witness).await);
    let rights = std::mem::take(&mut p.witness.lock().unwrap_or_else(PoisonError::into_inner).1);
    (p.rows, rights)
}

/// An acceptance from its mail to the membership, on a separate campus.
async fn accept(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    p.at_work(None);
    let campus = &p.campus;
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let submission = drive.submit(&sue).await;
    drive.decide(&submission, 4, "").await;
    campus
        .with_worker(drive.send("acceptance", json!({})))
        .await
        .ok();
    let text = campus.mails()[0].text.clone();
    let link = text
        .split_whitespace()
        .find(|word| word.contains("/invite/"))
        .unwrap_or_default()
        .to_owned();
    let parts: Vec<&str> = link.rsplit('/').take(2).collect();
    let path = format!("/api/clubs/chess/invites/{}/accept/", parts[1]);
    let body = json!({ "token": parts[0] });
    p.row("accept_invite", "", &sue, Method::POST, &path, body)
        .await;
    p.rows
}

fn document(rows: &[Row]) -> String {
    let mut text = include_str!("costs_head.md").to_owned();
    for Row {
        operation,
        note,
        usage,
        rounds,
    } in rows
    {
        let _ = writeln!(
            text,
            "| {operation} | {note} | {} | {rounds} | {} | {} |",
            usage.calls, usage.read_units, usage.write_units
        );
    }
    text.push_str(include_str!("costs_notes.md"));
    text
}

// proves O3, O4
#[tokio::test(start_paused = true)]
async fn the_price_list_is_measured() {
    let (rows, done) = Box::pin(measure()).await;
    super::template::compare_rights(&done);
    let measured: BTreeSet<&str> = rows.iter().map(|row| row.operation).collect();
    let document_ = local::api().1;
    for item in document_["paths"]
        .as_object()
        .into_iter()
        .flat_map(|paths| paths.values())
    {
        for operation in item
            .as_object()
            .into_iter()
            .flat_map(|operations| operations.values())
        {
            let id = operation["operationId"].as_str().unwrap_or_default();
            assert!(measured.contains(id), "{id} has no price");
        }
    }
    let price = |operation: &str, note: &str| {
        let row = rows
            .iter()
            .find(|row| row.operation == operation && row.note == note)
            .expect("a row");
        (row.usage, row.rounds)
    };
    // The number of submissions changes neither the price of a submission nor that of a decision.
    for operation in ["submit", "update_decision"] {
        assert_eq!(
            price(operation, "10 submissions there"),
            price(operation, "2,000 submissions there")
        );
    }
    // The texts of a club and of an application change the price of a submission by nothing.
    let (short, wordy) = (
        price("submit", "18 answers of 5 KB").0,
        price(
            "submit",
            "18 answers of 5 KB, club and application with texts of 172 KB",
        )
        .0,
    );
    assert_eq!(short, wordy);
    // These are upper limits.
    assert!(price("submit", "18 answers of 5 KB").1 <= 2);
    // A form that is not in memory is read before the places of its committees.
    assert!(price("submit", "10 submissions there").1 <= 3);
    assert!(price("update_decision", "10 submissions there").1 <= 2);
    assert!(price("list_submissions", "10").1 <= 2);
    let (draft, rounds) = price("save_draft", "an answer again");
    assert!(draft.write_units <= 2.0 && rounds <= 2);
    assert!(price("put_review", "").1 <= 2);
    let (slice, rounds) = price("list_submissions", "`limit=50` of 2,000");
    assert!(slice.read_units < 70.0 && rounds <= 3);
    assert_eq!(price("list_clubs", "anonymous").0.calls, 1);
    assert_eq!(price("show_club", "").0.calls, 1);
    for note in ["anonymous", "signed in", "200 events", "2,000 events"] {
        assert_eq!(price("list_events", note).0.calls, 1, "{note}");
    }
    super::check("docs/costs.md", &document(&rows));
    super::check("docs/prices.md", &super::prices::document(&rows));
}
