//! A campus with one object of each kind, and the people who may meet it.

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use shared::domain::NoticeKind;
use shared::ids::Id;

use crate::fixtures::{MailedLink, Recruitment, hours, id};
use crate::operations::{Body, Operation, Values};
use crate::{Client, Response, Setup, TestCampus};

/// Not signed in.
pub const NOBODY: usize = 0;
/// Signed in, and not a member.
pub const STRANGER: usize = 1;
/// A member of the club.
pub const MEMBER: usize = 2;
/// An officer of the club.
pub const OFFICER: usize = 3;
/// The owner of the club.
pub const OWNER: usize = 4;
/// An admin who is not a member.
pub const ADMIN: usize = 5;
/// The member and applicant whose data the ids name.
pub const CONCERNED: usize = 6;

/// What the callers are called in messages.
pub const CALLERS: [&str; 7] = [
    "nobody",
    "a stranger",
    "a member",
    "an officer",
    "an owner",
    "an admin",
    "the one concerned",
];

/// A campus with one object of each kind.
pub struct Scene {
    /// The campus.
    pub campus: TestCampus,
    /// The callers in the order of [`CALLERS`].
    pub callers: [Client; 7],
    /// The values of placeholders.
    pub values: Values,
}

impl Scene {
    /// A scene on a new campus.
    pub async fn new() -> Self {
        Self::on(TestCampus::new()).await
    }

    /// A scene on this campus. Its mails are delivered.
    pub async fn on(campus: TestCampus) -> Self {
        let recruitment = campus.recruitment("chess").await;
        let owner = recruitment.officer.clone();
        let member = campus.member("chess", &owner, "mia", 20).await;
        let officer = campus.member("chess", &owner, "olga", 10).await;
        let concerned = campus.member("chess", &owner, "sue", 20).await;
        let mut values = Values::default();
        for (name, id) in crate::fixtures::collections(&campus.admin()).await {
            values.extend([(name, json!(id))]);
        }
        let fair = values.get("{fair}").clone();
        values.extend([("{empty_fair}", fair)]);
        values.extend(
            [
                ("{club}", "chess"),
                ("{new_club}", "chess"),
                ("{requested_club}", "go"),
                ("{inviting_club}", "chess"),
                ("{favorite}", "chess"),
                ("{subscription}", "chess"),
                ("{file}", "index.css"),
                ("{member}", "sue"),
                ("{request}", "rita"),
                ("{newcomer}", "rita"),
                ("{receiver}", "olga"),
            ]
            .map(|(name, value)| (name, json!(value))),
        );
        values.extend(recruitment_values(&campus, &recruitment, &officer, &concerned).await);
        values.extend(people(&campus, &owner, &concerned).await);
        values.extend(event(&owner, &concerned).await);
        values.extend(webhooks(&campus.admin(), &owner).await);
        campus.list_changes().await;
        // After ten minutes an invitation may be sent again.
        campus.advance(TimeDelta::minutes(11));
        let callers = [
            campus.anonymous(),
            campus.as_("stranger"),
            member,
            officer,
            owner,
            campus.admin(),
            concerned,
        ];
        let scene = Self {
            campus,
            callers,
            values,
        };
        scene.warm().await;
        scene
    }

    /// Reads what functions keep in memory. What was kept just after a change is read once more,
    /// which no request of the scene should pay.
    pub async fn warm(&self) {
        for list in [
            "clubs",
            "events",
            "tags",
            "badges",
            "schools",
            "majors",
            "years",
            "clubfairs",
        ] {
            let list = format!("/api/{list}/");
            self.callers[OWNER].get(&list).await.ok();
        }
    }

    /// The same scene on a copy of its campus. What changes there does not change this one.
    pub async fn again(&self, setup: Setup) -> Self {
        let campus = setup.like(&self.campus).await.build();
        Self {
            callers: self.callers.clone().map(|one| one.at(&campus)),
            values: self.values.clone(),
            campus,
        }
    }

    /// The path with the ids of this campus.
    pub fn path(&self, path: &str) -> String {
        self.values.path(path)
    }

    /// Sends the request of an operation as `client`.
    pub async fn send(&self, operation: &Operation, client: &Client) -> Response {
        let path = self.path(&operation.path);
        let full = format!("{path}{}", operation.query);
        let body = match &operation.body {
            Body::Nothing => None,
            Body::Json(body) => Some(self.values.body(body)),
            Body::Whole => {
                let own = client.get(&path).await;
                let shown = if own.status == 200 {
                    own
                } else {
                    self.callers[OWNER].get(&path).await
                };
                Some(shown.ok())
            }
            Body::Picture => return client.upload(operation.method.clone(), &full).await,
        };
        client.send(operation.method.clone(), &full, body).await
    }
}

impl Client {
    /// Uploads a small picture.
    pub async fn upload(&self, method: Method, path: &str) -> Response {
        let picture = crate::images::png(8, 8);
        let (content_type, body) = crate::images::form(&[("file", &picture)]);
        self.raw(method, path, Some(&content_type), body).await
    }
}

/// Two questions, a submission with a review, a draft that was begun after it, and an extension.
async fn recruitment_values(
    campus: &TestCampus,
    recruitment: &Recruitment,
    officer: &Client,
    concerned: &Client,
) -> Vec<(&'static str, Value)> {
    let choice = json!({
        "question_type": 2,
        "prompt": "Which evening?",
        "multiple_choice": ["Tuesday", "Thursday"],
    });
    let questions = format!("{}questions/", recruitment.path);
    let choice = recruitment.officer.post(&questions, choice).await.created();
    let cv = recruitment.file_question(json!({})).await;
    let file = recruitment
        .upload(concerned, &cv, &crate::files::pdf("CV"))
        .await;
    let answers = json!({ "responses": [
        { "question": recruitment.question, "text": "Because" },
        { "question": cv["id"], "file": file },
    ] });
    let path = format!("{}submissions/", recruitment.path);
    let submission = concerned.post(&path, answers).await.created();
    let review = json!({ "score": 5, "comment": null });
    let reviews = format!(
        "{}submissions/{}/reviews/",
        recruitment.path,
        id(&submission)
    );
    let mine = format!("{reviews}mine/");
    officer.put(&mine, review).await.ok();
    let own = format!("/api/submissions/{}/receipt/", id(&submission));
    let receipt = concerned.get(&own).await.ok();
    campus.advance(TimeDelta::seconds(1));
    let answer = json!({ "question": recruitment.question, "text": "x", "version": 0 });
    let answers = json!({ "responses": [answer] });
    let draft = format!("{}draft/", recruitment.path);
    concerned.patch(&draft, answers).await.ok();
    let slots = format!("{}slots/", recruitment.path);
    let slot = async |start: i64| {
        let body = json!({ "start_time": hours(start), "end_time": hours(start + 1) });
        recruitment.officer.post(&slots, body).await.created()
    };
    let (taken, free) = (slot(40).await, slot(50).await);
    let interview = format!(
        "{}submissions/{}/interview/",
        recruitment.path,
        id(&submission)
    );
    let booking = json!({ "slot": id(&taken) });
    recruitment.officer.put(&interview, booking).await.ok();
    let extension = json!({ "username": "sue", "end_time": hours(30) });
    let extensions = format!("{}extensions/", recruitment.path);
    let extension = recruitment
        .officer
        .post(&extensions, extension)
        .await
        .created();
    vec![
        ("{application}", recruitment.application["id"].clone()),
        (
            "{committees}",
            recruitment.application["committees"].clone(),
        ),
        (
            "{committee}",
            recruitment.application["committees"][0]["id"].clone(),
        ),
        ("{question}", json!(recruitment.question)),
        ("{choice}", choice["id"].clone()),
        ("{option}", choice["multiple_choice"][0]["id"].clone()),
        ("{extension}", extension["id"].clone()),
        ("{submission}", submission["id"].clone()),
        ("{own_submission}", submission["id"].clone()),
        ("{own_club}", json!("chess")),
        ("{own_application}", recruitment.application["id"].clone()),
        ("{file_question}", cv["id"].clone()),
        ("{own_file}", json!(file)),
        ("{slot}", free["id"].clone()),
        ("{own_slot}", free["id"].clone()),
        ("{receipt}", receipt),
        ("{draft_version}", json!(0)),
    ]
}

/// A webhook of the club and one for all clubs, each with a test that was asked for.
pub async fn webhooks(admin: &Client, owner: &Client) -> Vec<(&'static str, Value)> {
    let mut values = vec![];
    for (client, path, names) in [
        (
            owner,
            "/api/clubs/chess/webhooks/",
            ["{webhook}", "{delivery}"],
        ),
        (admin, "/api/webhooks/", ["{all_webhook}", "{all_delivery}"]),
    ] {
        let body = json!({ "url": "https://chat.example/7", "types": ["member.added"] });
        let webhook = client.post(path, body).await.created();
        let test = format!("{path}{}/test/", webhook["id"]);
        let test = client.post(&test, json!({})).await.accepted();
        values.extend([
            (names[0], webhook["id"].clone()),
            (names[1], test["id"].clone()),
        ]);
    }
    values
}

/// The id of a new token of somebody.
pub async fn own_token(person: &Client) -> Value {
    let body = json!({ "name": "Portal", "scopes": ["clubs:read"] });
    let token = person.post("/api/settings/tokens/", body).await.created();
    token["id"].clone()
}

/// Somebody who asked for membership, an invite, a join link, and what the person concerned keeps.
async fn people(
    campus: &TestCampus,
    owner: &Client,
    concerned: &Client,
) -> Vec<(&'static str, Value)> {
    let asking = campus.as_("rita");
    let person = asking.get("/api/settings/").await.ok();
    let requests = "/api/requests/membership/";
    asking
        .post(requests, json!({ "club": "chess" }))
        .await
        .created();
    campus.club("go", &campus.as_("gil")).await;
    for (path, club) in [
        (requests, "go"),
        ("/api/favorites/", "chess"),
        ("/api/subscriptions/", "chess"),
    ] {
        let body = json!({ "club": club });
        concerned.post(path, body).await.created();
    }
    let invite = json!({ "email": "ina@uni.example" });
    let invites = "/api/clubs/chess/invites/";
    let invite = owner.post(invites, invite).await.created();
    campus.deliver().await;
    let mailed = MailedLink::sent_to(campus, "ina@uni.example");
    let links = "/api/clubs/chess/joinlinks/";
    let link = owner.post(links, json!({})).await.created();
    let url = link["url"].as_str().unwrap_or_default();
    let token = url.rsplit('/').next().unwrap_or_default();
    vec![
        ("{api_token}", own_token(concerned).await),
        ("{calendar}", calendar_of(concerned).await),
        ("{token}", link_of(campus, id(&person)).await),
        ("{person}", person["id"].clone()),
        ("{invite}", invite["id"].clone()),
        ("{own_invite}", invite["id"].clone()),
        ("{invite_token}", json!(mailed.token)),
        ("{link}", link["id"].clone()),
        ("{join_token}", json!(token)),
    ]
}

/// The last part of the address of somebody's calendar.
pub async fn calendar_of(person: &Client) -> Value {
    let found = person.get("/api/settings/calendar/").await.ok();
    let url = found["url"].as_str().unwrap_or_default();
    json!(url.rsplit('/').next().unwrap_or_default())
}

/// The last part of the link in reminders of drafts to a person.
pub async fn link_of(campus: &TestCampus, person: u64) -> Value {
    let app = &campus.campus.app;
    let person = app.table.person(Id::new(person)).await.ok().flatten();
    let person = person.expect("a profile");
    let (secret, since) = (&app.settings.secrets.invite, person.created_at);
    json!(shared::unsubscribe::token(
        secret,
        person.id,
        since,
        NoticeKind::Drafts
    ))
}

/// An event with a showing.
async fn event(owner: &Client, concerned: &Client) -> Vec<(&'static str, Value)> {
    let event = json!({
        "name": "Open evening",
        "showings": [{ "start_time": hours(5), "end_time": hours(6) }],
    });
    let event = owner
        .post("/api/clubs/chess/events/", event)
        .await
        .created();
    let mut values = tickets(owner, concerned, &event).await;
    values.extend([
        ("{event}", event["id"].clone()),
        ("{event_file}", json!(format!("{}.ics", event["id"]))),
        ("{showing}", event["showings"][0]["id"].clone()),
        (
            "{showing_file}",
            json!(format!("{}.ics", event["showings"][0]["id"])),
        ),
    ]);
    values
}

/// Another showing of an event, which has tickets: the one concerned has four.
async fn tickets(owner: &Client, concerned: &Client, event: &Value) -> Vec<(&'static str, Value)> {
    let showings = format!("/api/clubs/chess/events/{}/showings/", event["id"]);
    let showing = json!({
        "start_time": hours(48), "end_time": hours(50), "ticket_order_limit": 20,
        "ticket_types": [{ "name": "Seat", "capacity": 200, "price": "3 €" }],
    });
    let showing = owner.post(&showings, showing).await.created();
    let sale = format!("/api/events/{}/showings/{}/", event["id"], showing["id"]);
    let seat = &showing["ticket_types"][0]["id"];
    let order = json!({ "tickets": [{ "type": seat, "count": 4 }] });
    let ordered = concerned
        .post(&format!("{sale}tickets/"), order)
        .await
        .created();
    let ticket = |n: usize| ordered[n]["id"].clone();
    let draw = json!({
        "start_time": hours(72), "end_time": hours(73), "ticket_sale": "draw",
        "ticket_draw_time": hours(60), "ticket_types": [{ "name": "Seat", "capacity": 20 }],
    });
    let draw = owner.post(&showings, draw).await.created();
    vec![
        ("{draw_event}", event["id"].clone()),
        ("{draw_sale}", draw["id"].clone()),
        ("{sale}", showing["id"].clone()),
        ("{seat}", seat.clone()),
        ("{ticket}", ticket(0)),
        ("{ticket_code}", ordered[3]["code"].clone()),
        ("{given_ticket}", ticket(1)),
        ("{cancelled_ticket}", ticket(2)),
        ("{door_ticket}", ticket(3)),
    ]
}
