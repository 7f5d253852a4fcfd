//! Every operation with every kind of caller. A test fails if an operation of the OpenAPI document
//! is missing here.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::{Client, TestCampus};

/// Method, path, body, and the status for each caller: not signed in, not a member, a member, an
/// officer, an owner, an admin, and the applicant or member whose data the path names.
type Row = (&'static str, &'static str, Value, [u16; 7]);

const ANYBODY: [u16; 7] = [200; 7];
const SIGNED_IN: [u16; 7] = [401, 200, 200, 200, 200, 200, 200];
const OFFICERS: [u16; 7] = [401, 403, 403, 200, 200, 200, 403];

fn officers(status: u16) -> [u16; 7] {
    [401, 403, 403, status, status, status, 403]
}

fn admins(status: u16) -> [u16; 7] {
    [401, 403, 403, 403, 403, status, 403]
}

#[expect(clippy::too_many_lines, reason = "one line an operation")]
fn rows() -> Vec<Row> {
    let application = tests::fixtures::application("Role table");
    let question = json!({ "question_type": 1, "prompt": "Why?" });
    let decision = json!({ "status": 1 });
    vec![
        ("get", "/api/health/", json!(null), ANYBODY),
        ("get", "/api/openapi.json", json!(null), ANYBODY),
        ("get", "/api/openapi-3.0.json", json!(null), ANYBODY),
        ("get", "/api/docs/", json!(null), ANYBODY),
        ("get", "/api/docs/{file}", json!(null), ANYBODY),
        ("get", "/api/clubs/", json!(null), ANYBODY),
        (
            "post",
            "/api/clubs/",
            json!({ "name": "Another" }),
            [401, 201, 201, 201, 201, 201, 201],
        ),
        ("get", "/api/clubs/{club}/", json!(null), ANYBODY),
        (
            "patch",
            "/api/clubs/{club}/",
            json!({ "subtitle": "x" }),
            OFFICERS,
        ),
        ("put", "/api/clubs/{club}/", json!({}), officers(400)),
        (
            "delete",
            "/api/clubs/{club}/",
            json!(null),
            [401, 403, 403, 403, 204, 204, 403],
        ),
        (
            "post",
            "/api/clubs/{club}/upload/",
            json!({}),
            officers(415),
        ),
        (
            "get",
            "/api/clubs/{club}/subscription/",
            json!(null),
            OFFICERS,
        ),
        ("get", "/api/favorites/", json!(null), SIGNED_IN),
        (
            "post",
            "/api/favorites/",
            json!({ "club": "chess" }),
            [401, 201, 201, 201, 201, 201, 400],
        ),
        (
            "get",
            "/api/favorites/{favorite}/",
            json!(null),
            [401, 404, 404, 404, 404, 404, 200],
        ),
        (
            "delete",
            "/api/favorites/{favorite}/",
            json!(null),
            [401, 404, 404, 404, 404, 404, 204],
        ),
        ("get", "/api/subscriptions/", json!(null), SIGNED_IN),
        (
            "post",
            "/api/subscriptions/",
            json!({ "club": "chess" }),
            [401, 201, 201, 201, 201, 201, 400],
        ),
        (
            "get",
            "/api/subscriptions/{subscription}/",
            json!(null),
            [401, 404, 404, 404, 404, 404, 200],
        ),
        (
            "delete",
            "/api/subscriptions/{subscription}/",
            json!(null),
            [401, 404, 404, 404, 404, 404, 204],
        ),
        ("get", "/api/tags/", json!(null), ANYBODY),
        (
            "post",
            "/api/tags/",
            json!({ "name": "Another" }),
            admins(201),
        ),
        ("get", "/api/tags/{tag}/", json!(null), ANYBODY),
        (
            "patch",
            "/api/tags/{tag}/",
            json!({ "name": "Other" }),
            admins(200),
        ),
        ("put", "/api/tags/{tag}/", json!({}), admins(400)),
        ("delete", "/api/tags/{tag}/", json!(null), admins(204)),
        ("get", "/api/badges/", json!(null), ANYBODY),
        (
            "post",
            "/api/badges/",
            json!({ "label": "Another" }),
            admins(201),
        ),
        ("get", "/api/badges/{badge}/", json!(null), ANYBODY),
        (
            "patch",
            "/api/badges/{badge}/",
            json!({ "label": "Other" }),
            admins(200),
        ),
        ("put", "/api/badges/{badge}/", json!({}), admins(400)),
        ("delete", "/api/badges/{badge}/", json!(null), admins(204)),
        ("get", "/api/schools/", json!(null), ANYBODY),
        (
            "post",
            "/api/schools/",
            json!({ "name": "Another" }),
            admins(201),
        ),
        ("get", "/api/schools/{school}/", json!(null), ANYBODY),
        (
            "patch",
            "/api/schools/{school}/",
            json!({ "name": "Other" }),
            admins(200),
        ),
        ("put", "/api/schools/{school}/", json!({}), admins(400)),
        ("delete", "/api/schools/{school}/", json!(null), admins(204)),
        ("get", "/api/majors/", json!(null), ANYBODY),
        (
            "post",
            "/api/majors/",
            json!({ "name": "Another" }),
            admins(201),
        ),
        ("get", "/api/majors/{major}/", json!(null), ANYBODY),
        (
            "patch",
            "/api/majors/{major}/",
            json!({ "name": "Other" }),
            admins(200),
        ),
        ("put", "/api/majors/{major}/", json!({}), admins(400)),
        ("delete", "/api/majors/{major}/", json!(null), admins(204)),
        ("get", "/api/years/", json!(null), ANYBODY),
        (
            "post",
            "/api/years/",
            json!({ "name": "Another", "year": 2030 }),
            admins(201),
        ),
        ("get", "/api/years/{year}/", json!(null), ANYBODY),
        (
            "patch",
            "/api/years/{year}/",
            json!({ "name": "Other" }),
            admins(200),
        ),
        ("put", "/api/years/{year}/", json!({}), admins(400)),
        ("delete", "/api/years/{year}/", json!(null), admins(204)),
        ("get", "/api/clubfairs/", json!(null), ANYBODY),
        (
            "post",
            "/api/clubfairs/",
            json!({ "name": "Another", "start_time": hours(1), "end_time": hours(2) }),
            admins(201),
        ),
        ("get", "/api/clubfairs/{fair}/", json!(null), ANYBODY),
        (
            "patch",
            "/api/clubfairs/{fair}/",
            json!({ "name": "Other" }),
            admins(200),
        ),
        ("put", "/api/clubfairs/{fair}/", json!({}), admins(400)),
        ("delete", "/api/clubfairs/{fair}/", json!(null), admins(204)),
        ("get", "/api/clubfairs/current/", json!(null), ANYBODY),
        (
            "post",
            "/api/clubfairs/{fair}/register/",
            json!({ "club": "chess" }),
            OFFICERS,
        ),
        ("get", "/api/settings/", json!(null), SIGNED_IN),
        ("patch", "/api/settings/", json!({}), SIGNED_IN),
        (
            "put",
            "/api/settings/",
            json!({}),
            [401, 400, 400, 400, 400, 400, 400],
        ),
        (
            "delete",
            "/api/settings/",
            json!(null),
            [401, 204, 204, 204, 400, 204, 204],
        ),
        ("get", "/api/settings/export/", json!(null), SIGNED_IN),
        ("get", "/api/users/", json!(null), officers(400)),
        ("get", "/api/memberships/", json!(null), SIGNED_IN),
        ("get", "/api/clubs/{club}/members/", json!(null), SIGNED_IN),
        (
            "post",
            "/api/clubs/{club}/members/",
            json!({}),
            officers(400),
        ),
        (
            "get",
            "/api/clubs/{club}/members/{member}/",
            json!(null),
            SIGNED_IN,
        ),
        (
            "patch",
            "/api/clubs/{club}/members/{member}/",
            json!({ "active": false }),
            [401, 403, 403, 200, 200, 200, 200],
        ),
        (
            "put",
            "/api/clubs/{club}/members/{member}/",
            json!({}),
            [401, 403, 403, 400, 400, 400, 400],
        ),
        (
            "delete",
            "/api/clubs/{club}/members/{member}/",
            json!(null),
            [401, 403, 403, 204, 204, 204, 204],
        ),
        (
            "get",
            "/api/clubs/{club}/membershiprequests/",
            json!(null),
            OFFICERS,
        ),
        (
            "get",
            "/api/clubs/{club}/membershiprequests/{request}/",
            json!(null),
            OFFICERS,
        ),
        (
            "delete",
            "/api/clubs/{club}/membershiprequests/{request}/",
            json!(null),
            officers(204),
        ),
        ("get", "/api/requests/membership/", json!(null), SIGNED_IN),
        (
            "post",
            "/api/requests/membership/",
            json!({ "club": "chess" }),
            [401, 201, 400, 400, 400, 201, 400],
        ),
        (
            "get",
            "/api/requests/membership/{club}/",
            json!(null),
            [401, 404, 404, 404, 404, 404, 404],
        ),
        (
            "delete",
            "/api/requests/membership/{club}/",
            json!(null),
            [401, 404, 404, 404, 404, 404, 404],
        ),
        ("get", "/api/clubs/{club}/invites/", json!(null), OFFICERS),
        (
            "post",
            "/api/clubs/{club}/invites/",
            json!({ "email": "new@uni.example" }),
            officers(201),
        ),
        (
            "post",
            "/api/clubs/{club}/invite/",
            json!({ "emails": "new@uni.example" }),
            OFFICERS,
        ),
        (
            "get",
            "/api/clubs/{club}/invites/{invite}/",
            json!(null),
            OFFICERS,
        ),
        (
            "delete",
            "/api/clubs/{club}/invites/{invite}/",
            json!(null),
            officers(204),
        ),
        (
            "post",
            "/api/clubs/{club}/invites/{invite}/resend/",
            json!(null),
            OFFICERS,
        ),
        (
            "post",
            "/api/clubs/{club}/invites/{invite}/accept/",
            json!({ "token": "x" }),
            [401, 400, 400, 400, 400, 400, 400],
        ),
        (
            "get",
            "/api/clubs/{club}/applications/",
            json!(null),
            OFFICERS,
        ),
        (
            "post",
            "/api/clubs/{club}/applications/",
            application.clone(),
            officers(201),
        ),
        (
            "get",
            "/api/clubs/{club}/applications/current/",
            json!(null),
            SIGNED_IN,
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/",
            json!(null),
            SIGNED_IN,
        ),
        (
            "patch",
            "/api/clubs/{club}/applications/{application}/",
            json!({ "name": "x" }),
            OFFICERS,
        ),
        (
            "put",
            "/api/clubs/{club}/applications/{application}/",
            json!({}),
            officers(400),
        ),
        (
            "delete",
            "/api/clubs/{club}/applications/{application}/",
            json!(null),
            officers(400),
        ),
        (
            "post",
            "/api/clubs/{club}/applications/{application}/duplicate/",
            json!(null),
            officers(201),
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/extensions/",
            json!(null),
            OFFICERS,
        ),
        (
            "post",
            "/api/clubs/{club}/applications/{application}/extensions/",
            json!({}),
            officers(400),
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/extensions/{extension}/",
            json!(null),
            OFFICERS,
        ),
        (
            "patch",
            "/api/clubs/{club}/applications/{application}/extensions/{extension}/",
            json!({}),
            OFFICERS,
        ),
        (
            "put",
            "/api/clubs/{club}/applications/{application}/extensions/{extension}/",
            json!({}),
            officers(400),
        ),
        (
            "delete",
            "/api/clubs/{club}/applications/{application}/extensions/{extension}/",
            json!(null),
            officers(204),
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/questions/",
            json!(null),
            SIGNED_IN,
        ),
        (
            "post",
            "/api/clubs/{club}/applications/{application}/questions/",
            question,
            officers(201),
        ),
        (
            "post",
            "/api/clubs/{club}/applications/{application}/questions/precedence/",
            json!({ "precedence": [] }),
            OFFICERS,
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/questions/{question}/",
            json!(null),
            SIGNED_IN,
        ),
        (
            "patch",
            "/api/clubs/{club}/applications/{application}/questions/{question}/",
            json!({}),
            OFFICERS,
        ),
        (
            "put",
            "/api/clubs/{club}/applications/{application}/questions/{question}/",
            json!({}),
            officers(400),
        ),
        (
            "delete",
            "/api/clubs/{club}/applications/{application}/questions/{question}/",
            json!(null),
            officers(204),
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/submissions/",
            json!(null),
            OFFICERS,
        ),
        (
            "post",
            "/api/clubs/{club}/applications/{application}/submissions/",
            json!({ "responses": [] }),
            [401, 201, 201, 201, 201, 201, 200],
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/submissions/export/",
            json!(null),
            OFFICERS,
        ),
        (
            "post",
            "/api/clubs/{club}/applications/{application}/submissions/status/",
            json!({ "submissions": [], "status": 4 }),
            OFFICERS,
        ),
        (
            "post",
            "/api/clubs/{club}/applications/{application}/submissions/reason/",
            json!({ "submissions": [] }),
            OFFICERS,
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/submissions/{submission}/",
            json!(null),
            [401, 403, 403, 200, 200, 200, 200],
        ),
        (
            "patch",
            "/api/clubs/{club}/applications/{application}/submissions/{submission}/",
            decision,
            OFFICERS,
        ),
        (
            "put",
            "/api/clubs/{club}/applications/{application}/submissions/{submission}/",
            json!({}),
            officers(400),
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/submissions/{submission}/history/",
            json!(null),
            OFFICERS,
        ),
        (
            "post",
            "/api/clubs/{club}/applications/{application}/send_emails/",
            json!({ "email_type": { "id": "rejection" } }),
            OFFICERS,
        ),
        ("get", "/api/events/", json!(null), ANYBODY),
        ("get", "/api/events.ics", json!(null), ANYBODY),
        ("get", "/api/events/{event}/", json!(null), ANYBODY),
        ("get", "/api/events/{event}/showings/", json!(null), ANYBODY),
        (
            "get",
            "/api/events/{event}/showings/{showing}/",
            json!(null),
            ANYBODY,
        ),
        ("get", "/api/clubs/{club}/events.ics", json!(null), ANYBODY),
        ("get", "/api/clubs/{club}/events/", json!(null), SIGNED_IN),
        (
            "post",
            "/api/clubs/{club}/events/",
            json!({ "name": "x" }),
            officers(201),
        ),
        (
            "get",
            "/api/clubs/{club}/events/{event}/",
            json!(null),
            SIGNED_IN,
        ),
        (
            "patch",
            "/api/clubs/{club}/events/{event}/",
            json!({ "name": "x" }),
            OFFICERS,
        ),
        (
            "put",
            "/api/clubs/{club}/events/{event}/",
            json!({}),
            officers(400),
        ),
        (
            "delete",
            "/api/clubs/{club}/events/{event}/",
            json!(null),
            officers(204),
        ),
        (
            "post",
            "/api/clubs/{club}/events/{event}/upload/",
            json!({}),
            officers(415),
        ),
        (
            "get",
            "/api/clubs/{club}/events/{event}/showings/",
            json!(null),
            SIGNED_IN,
        ),
        (
            "post",
            "/api/clubs/{club}/events/{event}/showings/",
            json!({}),
            officers(400),
        ),
        (
            "get",
            "/api/clubs/{club}/events/{event}/showings/{showing}/",
            json!(null),
            SIGNED_IN,
        ),
        (
            "patch",
            "/api/clubs/{club}/events/{event}/showings/{showing}/",
            json!({}),
            OFFICERS,
        ),
        (
            "put",
            "/api/clubs/{club}/events/{event}/showings/{showing}/",
            json!({}),
            officers(400),
        ),
        (
            "delete",
            "/api/clubs/{club}/events/{event}/showings/{showing}/",
            json!(null),
            officers(204),
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/draft/",
            json!(null),
            [401, 404, 404, 404, 404, 404, 200],
        ),
        (
            "patch",
            "/api/clubs/{club}/applications/{application}/draft/",
            json!({ "responses": [] }),
            SIGNED_IN,
        ),
        (
            "delete",
            "/api/clubs/{club}/applications/{application}/draft/",
            json!(null),
            [401, 204, 204, 204, 204, 204, 204],
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/reviewers/",
            json!(null),
            OFFICERS,
        ),
        (
            "get",
            "/api/clubs/{club}/applications/{application}/submissions/{submission}/reviews/",
            json!(null),
            OFFICERS,
        ),
        (
            "put",
            "/api/clubs/{club}/applications/{application}/submissions/{submission}/reviews/mine/",
            json!({ "score": 3, "comment": null }),
            OFFICERS,
        ),
        (
            "delete",
            "/api/clubs/{club}/applications/{application}/submissions/{submission}/reviews/mine/",
            json!(null),
            [401, 403, 403, 404, 404, 404, 403],
        ),
        (
            "post",
            "/api/clubs/import/",
            json!([{ "name": "Imported" }]),
            admins(200),
        ),
        (
            "post",
            "/api/clubs/{club}/members/import/",
            json!([{ "email": "imported@uni.example" }]),
            OFFICERS,
        ),
        ("get", "/api/clubs/{club}/joinlinks/", json!(null), OFFICERS),
        (
            "post",
            "/api/clubs/{club}/joinlinks/",
            json!({}),
            officers(201),
        ),
        (
            "get",
            "/api/clubs/{club}/joinlinks/{link}/",
            json!(null),
            OFFICERS,
        ),
        (
            "patch",
            "/api/clubs/{club}/joinlinks/{link}/",
            json!({ "note": "x" }),
            OFFICERS,
        ),
        (
            "delete",
            "/api/clubs/{club}/joinlinks/{link}/",
            json!(null),
            officers(204),
        ),
        (
            "get",
            "/api/clubs/{club}/joinlinks/{link}/qr.svg",
            json!(null),
            OFFICERS,
        ),
        (
            "post",
            "/api/clubs/{club}/joinlinks/{link}/join/",
            json!({ "token": "x" }),
            [401, 400, 400, 400, 400, 400, 400],
        ),
        ("get", "/api/receipts/jwks.json", json!(null), ANYBODY),
        (
            "post",
            "/api/receipts/verify/",
            json!({ "receipt": "x" }),
            ANYBODY,
        ),
        (
            "get",
            "/api/submissions/{submission}/receipt/",
            json!(null),
            [401, 404, 404, 404, 404, 404, 200],
        ),
        ("get", "/api/submissions/", json!(null), SIGNED_IN),
        ("get", "/api/applications/open/", json!(null), SIGNED_IN),
        ("get", "/api/home/", json!(null), SIGNED_IN),
        (
            "get",
            "/api/submissions/{submission}/",
            json!(null),
            [401, 404, 404, 404, 404, 404, 200],
        ),
        (
            "delete",
            "/api/submissions/{submission}/",
            json!(null),
            [401, 404, 404, 404, 404, 404, 204],
        ),
    ]
}

/// A campus with one object of each kind.
pub(crate) struct Scene {
    pub campus: TestCampus,
    /// Not signed in, not a member, a member, an officer, an owner, an admin, and the person whose
    /// data the ids name.
    pub callers: [Client; 7],
    ids: Vec<(&'static str, String)>,
}

impl Scene {
    /// The path with the ids of this campus.
    pub fn path(&self, path: &str) -> String {
        self.ids
            .iter()
            .fold(path.to_owned(), |path, (name, id)| path.replace(name, id))
    }
}

async fn scene() -> Scene {
    scene_on(TestCampus::new()).await
}

#[expect(
    clippy::too_many_lines,
    reason = "a list: what the operations are about"
)]
pub(crate) async fn scene_on(campus: TestCampus) -> Scene {
    let drive = campus.drive("chess").await;
    let member = campus.member("chess", &drive.officer, "mia", 20).await;
    let officer = campus.member("chess", &drive.officer, "olga", 10).await;
    let concerned = campus.member("chess", &drive.officer, "sue", 20).await;
    let submission = drive.submit(&concerned).await;
    // A draft that was begun after the submission.
    campus.advance(TimeDelta::seconds(1));
    let answer = json!({ "question": drive.question, "text": "x", "version": 0 });
    concerned
        .patch(
            &format!("{}draft/", drive.path),
            json!({ "responses": [answer] }),
        )
        .await
        .ok();
    let body = json!({ "username": "sue", "end_time": hours(30) });
    let extension = drive
        .officer
        .post(&format!("{}extensions/", drive.path), body)
        .await
        .created();
    campus
        .as_("rita")
        .post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    let invite = drive
        .officer
        .post(
            "/api/clubs/chess/invites/",
            json!({ "email": "ina@uni.example" }),
        )
        .await
        .created();
    let event = json!({
        "name": "Open evening",
        "showings": [{ "start_time": hours(5), "end_time": hours(6) }],
    });
    let event = drive
        .officer
        .post("/api/clubs/chess/events/", event)
        .await
        .created();
    let link = drive
        .officer
        .post("/api/clubs/chess/joinlinks/", json!({}))
        .await
        .created();
    for path in ["/api/favorites/", "/api/subscriptions/"] {
        concerned
            .post(path, json!({ "club": "chess" }))
            .await
            .created();
    }
    let mut ids = tests::fixtures::collections(&campus.admin()).await;
    ids.extend([
        ("{club}", "chess".into()),
        ("{favorite}", "chess".into()),
        ("{subscription}", "chess".into()),
        ("{file}", "index.css".into()),
        ("{member}", "sue".into()),
        ("{link}", id(&link).to_string()),
        ("{request}", "rita".into()),
        ("{invite}", invite["id"].as_str().unwrap_or_default().into()),
        ("{application}", id(&drive.application).to_string()),
        ("{question}", drive.question.to_string()),
        ("{extension}", id(&extension).to_string()),
        ("{submission}", id(&submission).to_string()),
        ("{event}", id(&event).to_string()),
        ("{showing}", id(&event["showings"][0]).to_string()),
    ]);
    // After ten minutes an invitation may be sent again.
    campus.advance(TimeDelta::minutes(11));
    let callers = [
        campus.anonymous(),
        campus.as_("stranger"),
        member,
        officer,
        drive.officer,
        campus.admin(),
        concerned,
    ];
    Scene {
        campus,
        callers,
        ids,
    }
}

/// Tries a part of the rows, so that several tests can share the work.
async fn try_every_caller(part: usize, parts: usize) {
    let names = [
        "nobody",
        "a stranger",
        "a member",
        "an officer",
        "an owner",
        "an admin",
        "the one concerned",
    ];
    let mut wrong = Vec::new();
    let mut scene_now = scene().await;
    let mut is_fresh = true;
    for (method, path, body, expected) in rows().into_iter().skip(part).step_by(parts) {
        for (i, name) in names.iter().enumerate() {
            // After a write the next caller gets a new campus.
            if !is_fresh {
                scene_now = scene().await;
            }
            let concrete = scene_now
                .ids
                .iter()
                .fold(path.to_owned(), |path, (name, id)| path.replace(name, id));
            let verb = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
            let answer = scene_now.callers[i]
                .send(
                    verb,
                    &concrete,
                    Some(body.clone()).filter(|body| !body.is_null()),
                )
                .await;
            is_fresh = method == "get" || !answer.status.is_success();
            if answer.status.as_u16() != expected[i] {
                wrong.push(format!(
                    "{method} {path} by {name}: {} instead of {}: {}",
                    answer.status,
                    expected[i],
                    answer.text()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// The erasure reads twice, with a pause in between, so the tokio clock is paused.
// proves H12, P2, P5, C1, C18, C19, C20, A1, Q1, S15, D1, M10, R3, I9, J6, V1, L1, O1
#[tokio::test(start_paused = true)]
async fn every_operation_and_every_kind_of_caller() {
    try_every_caller(0, 3).await;
}

// proves H12, P2, P5, C1, C19, Q1, S10, N1, T2, R3, I1, J6, V1, L1, F3, O1
#[tokio::test(start_paused = true)]
async fn every_operation_and_every_kind_of_caller_continued() {
    try_every_caller(1, 3).await;
}

// proves H12, P2, P5, C1, C18, C19, A1, A7, Q1, S13, D1, M9, M10, R3, I1, J6, V1, L1, O1
#[tokio::test(start_paused = true)]
async fn every_operation_and_every_kind_of_caller_to_the_end() {
    try_every_caller(2, 3).await;
}

#[tokio::test]
async fn every_operation_is_in_the_table() {
    let document = local::api().1;
    let mut documented = BTreeSet::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        documented.extend(
            item.as_object()
                .into_iter()
                .flatten()
                .map(|(method, _)| format!("{method} {path}")),
        );
    }
    let listed: BTreeSet<String> = rows()
        .iter()
        .map(|(method, path, _, _)| format!("{method} {path}"))
        .collect();
    assert_eq!(documented, listed);
}

// proves H2
#[tokio::test]
async fn verbs_that_are_not_documented_are_405() {
    let document = local::api().1;
    let scene = scene().await;
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        let concrete = scene.path(path);
        for method in ["get", "post", "put", "patch", "delete"]
            .into_iter()
            .filter(|method| item.get(method).is_none())
        {
            let verb = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
            scene.callers[5]
                .send(verb, &concrete, None)
                .await
                .error(405);
        }
    }
}

// proves X1
#[tokio::test]
async fn every_post_that_is_repeated_with_its_key_is_done_once() {
    for (method, path, body, expected) in rows() {
        if method != "post" {
            continue;
        }
        let scene = scene().await;
        let caller = (0..7).find(|i| expected[*i] < 300).unwrap_or(5);
        let concrete = scene.path(path);
        let client = scene.callers[caller].clone().header("idempotency-key", "k");
        let send = async || {
            client
                .send(
                    Method::POST,
                    &concrete,
                    Some(body.clone()).filter(|body| !body.is_null()),
                )
                .await
        };
        let first = send().await;
        let stored = scene.campus.stored();
        let again = send().await;
        assert_eq!(
            (first.status, &first.bytes),
            (again.status, &again.bytes),
            "{path}"
        );
        assert!(scene.campus.stored() == stored, "{path} did its work again");
    }
}
