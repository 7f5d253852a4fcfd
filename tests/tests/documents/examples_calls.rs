//! The values of the examples: which club, application and so on, and the request bodies.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use shared::domain::Invite;
use shared::text::{ClubCode, Email};
use tests::fixtures::id;
use tests::{Client, TestCampus};

/// Deletions come last, what is inside another object before that object.
const DELETIONS: [&str; 23] = [
    "delete_join_link",
    "delete_draft",
    "delete_review",
    "delete_showing",
    "delete_event",
    "delete_question",
    "delete_extension",
    "delete_application",
    "delete_invite",
    "delete_membership_request",
    "delete_member",
    "delete_favorite",
    "delete_subscription",
    "delete_own_request",
    "withdraw_submission",
    "delete_tag",
    "delete_badge",
    "delete_school",
    "delete_major",
    "delete_year",
    "delete_fair",
    "delete_club",
    "delete_settings",
];

/// The operations of the document in an order in which each of them succeeds: reads, then writes,
/// then deletions.
pub fn call_order(document: &Value) -> Vec<(&str, &str, &Value)> {
    let mut all = crate::openapi::operations(document);
    all.sort_by_key(|(_, method, operation)| {
        let deletion = DELETIONS
            .iter()
            .position(|id| operation["operationId"] == *id);
        match (*method, deletion) {
            ("get", _) => 0,
            ("delete", Some(position)) => 2 + position,
            _ => 1,
        }
    });
    all
}

/// Objects of the demo campus that the examples use.
pub struct Scene {
    /// Values of parameters.
    values: BTreeMap<String, Value>,
    /// Values that one operation has instead, by operation id and name.
    others: BTreeMap<(&'static str, &'static str), Value>,
    bodies: BTreeMap<&'static str, Value>,
}

async fn list(client: &Client, path: &str) -> Vec<Value> {
    let answer = client.get(path).await.ok();
    let items = answer.get("results").unwrap_or(&answer);
    items.as_array().cloned().expect("a list")
}

/// The id of the object in a list whose field has this value.
async fn named(client: &Client, path: &str, field: &str, value: &str) -> u64 {
    let all = list(client, path).await;
    let found = all.iter().find(|item| item[field] == value);
    id(found.unwrap_or_else(|| panic!("no {value} in {path}")))
}

impl Scene {
    /// Looks up the objects.
    #[expect(clippy::too_many_lines, reason = "a table: one body an operation")]
    pub async fn new(campus: &TestCampus, admin: &Client) -> Self {
        let application = list(admin, "/api/clubs/robotics/applications/")
            .await
            .remove(0);
        let path = format!("/api/clubs/robotics/applications/{}/", id(&application));
        let submissions = list(admin, &format!("{path}submissions/")).await;
        let extension = list(admin, &format!("{path}extensions/")).await.remove(0);
        let own = list(admin, "/api/submissions/").await.remove(0);
        let event = list(admin, "/api/clubs/robotics/events/").await.remove(0);
        let request = list(admin, "/api/clubs/robotics/membershiprequests/")
            .await
            .remove(0);
        let invite = list(admin, "/api/clubs/robotics/invites/").await.remove(0);
        let member = list(admin, "/api/clubs/robotics/members/")
            .await
            .pop()
            .expect("a member");
        let link = list(admin, "/api/clubs/robotics/joinlinks/")
            .await
            .remove(0);
        let sam = named(admin, "/api/users/?search=sam", "username", "sam").await;
        let fair = list(admin, "/api/clubfairs/?all=true").await.remove(0);
        let (astronomy, invited, token) = invitation(campus);
        let questions = application["questions"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let question = |kind: u64| {
            questions
                .iter()
                .find(|question| question["question_type"] == kind)
                .expect("a question")
        };
        let values = [
            ("club", json!("robotics")),
            ("application", application["id"].clone()),
            ("question", question(1)["id"].clone()),
            ("extension", extension["id"].clone()),
            ("submission", submissions[0]["id"].clone()),
            ("event", event["id"].clone()),
            ("showing", event["showings"][0]["id"].clone()),
            ("invite", invite["id"].clone()),
            ("member", member["username"].clone()),
            ("link", link["id"].clone()),
            ("request", request["id"].clone()),
            ("favorite", json!("chess")),
            ("subscription", json!("chess")),
            (
                "tag",
                json!(named(admin, "/api/tags/", "name", "Languages").await),
            ),
            (
                "badge",
                json!(named(admin, "/api/badges/", "label", "New this year").await),
            ),
            (
                "school",
                json!(named(admin, "/api/schools/", "name", "Graduate School of Law").await),
            ),
            (
                "major",
                json!(named(admin, "/api/majors/", "name", "Philosophy").await),
            ),
            (
                "year",
                json!(named(admin, "/api/years/", "name", "Class of 2031").await),
            ),
            ("fair", fair["id"].clone()),
            ("file", json!("index.css")),
        ];
        let others = other_values(admin, &own, (&astronomy, &invited)).await;
        let pending: Vec<&Value> = submissions
            .iter()
            .filter(|submission| submission["status"] == 1)
            .map(|submission| &submission["id"])
            .take(2)
            .collect();
        let mut bodies = clubs(sam);
        bodies.extend(events(&event));
        bodies.extend(collections());
        bodies.extend(recruitment(&application, &questions, &pending, sam));
        bodies.insert("accept_invite", json!({ "token": token, "public": true }));
        let url = link["url"].as_str().unwrap_or_default();
        let token = url.rsplit('/').next().unwrap_or_default();
        bodies.insert("join_club", json!({ "token": token }));
        bodies.extend(applicant_and_reviewer(admin, &own, question(1)).await);
        Self {
            values: values.map(|(name, value)| (name.to_owned(), value)).into(),
            others,
            bodies,
        }
    }

    /// The parameters of an operation: those of its path, and those that it needs.
    pub fn parameters(&self, operation_id: &str, operation: &Value) -> Map<String, Value> {
        let known = operation["parameters"].as_array().into_iter().flatten();
        known
            .filter_map(|parameter| {
                let name = parameter["name"].as_str()?;
                let other = self
                    .others
                    .iter()
                    .find(|((id, other), _)| *id == operation_id && *other == name)
                    .map(|(_, value)| value);
                let usual = (parameter["in"] == "path").then(|| &self.values[name]);
                Some((name.to_owned(), other.or(usual)?.clone()))
            })
            .collect()
    }

    /// The request body of an operation, or null.
    pub fn body(&self, operation_id: &str) -> Value {
        self.bodies.get(operation_id).cloned().unwrap_or_default()
    }
}

/// The values that one operation has instead of the usual ones.
async fn other_values(
    admin: &Client,
    own: &Value,
    (club, invited): (&ClubCode, &str),
) -> BTreeMap<(&'static str, &'static str), Value> {
    let mut others = BTreeMap::from([
        (("list_users", "search"), json!("sam")),
        (("delete_application", "force"), json!(true)),
        (("delete_settings", "archive"), json!(true)),
        (("accept_invite", "club"), json!(club.to_string())),
        (("accept_invite", "invite"), json!(invited)),
    ]);
    let unused = list(admin, "/api/clubfairs/?all=true").await.pop();
    let unused = unused.expect("a fair")["id"].clone();
    others.insert(("delete_fair", "fair"), unused);
    for operation in ["show_own_request", "delete_own_request"] {
        others.insert((operation, "club"), json!("film"));
    }
    for operation in ["show_own_submission", "show_receipt", "withdraw_submission"] {
        others.insert((operation, "submission"), own["id"].clone());
    }
    others
}

/// Bodies for drafts, receipts and reviews.
async fn applicant_and_reviewer(
    admin: &Client,
    own: &Value,
    question: &Value,
) -> BTreeMap<&'static str, Value> {
    let receipt = format!("/api/submissions/{}/receipt/", id(own));
    let answer = json!({
        "question": question["id"],
        "text": "I like to build things, and",
        "version": 1,
    });
    BTreeMap::from([
        ("verify_receipt", admin.get(&receipt).await.ok()),
        ("save_draft", json!({ "responses": [answer] })),
        (
            "put_review",
            json!({ "score": 4, "comment": "Knows what to build, and why." }),
        ),
    ])
}

/// The invitation that the admin got: club, id and token. The mail has the token in its link.
fn invitation(campus: &TestCampus) -> (ClubCode, String, String) {
    let club = ClubCode::parse("astronomy").expect("a code");
    let invite = Invite::id_for_address(
        &club,
        &Email::parse("admin@uni.example").expect("an address"),
    );
    let secret = &campus.campus.app.settings.invite_secret;
    let token = shared::mail::token(secret, &club, &invite, 1);
    (club, invite, token)
}

/// Bodies for clubs, their members and the caller.
#[expect(clippy::too_many_lines, reason = "a table: one body an operation")]
fn clubs(sam: u64) -> BTreeMap<&'static str, Value> {
    let club = json!({
        "name": "Robotics Society",
        "subtitle": "We build things that move",
        "description": "<p>From line followers to a rover. <b>Everybody is welcome</b>.</p>",
        "email": "robotics@clubs.example",
        "website": "https://robotics.clubs.example/",
        "tags": [],
        "active": true,
        "application_required": 4,
    });
    BTreeMap::from([
        (
            "create_club",
            json!({
                "name": "Sailing Club",
                "subtitle": "Wind, water and a shared boat",
                "description": "<p>Trips every Sunday. <b>No experience needed.</b></p>",
                "email": "sailing@clubs.example",
            }),
        ),
        (
            "update_club",
            json!({ "subtitle": "We build things that move and think" }),
        ),
        ("replace_club", club),
        ("create_favorite", json!({ "club": "robotics" })),
        ("create_subscription", json!({ "club": "robotics" })),
        ("create_own_request", json!({ "club": "climbing" })),
        (
            "create_member",
            json!({ "person": sam, "role": 20, "title": "Webmaster" }),
        ),
        ("update_member", json!({ "title": "Workshop keeper" })),
        (
            "replace_member",
            json!({
                "role": 20,
                "title": "Workshop keeper",
                "description": "Knows where every screw is.",
                "public": true,
                "active": true,
            }),
        ),
        (
            "import_members",
            json!([
                { "username": "student", "role": 20, "title": "Workshop" },
                { "email": "new@uni.example" },
            ]),
        ),
        (
            "import_clubs",
            json!([{
                "code": "sailing-2",
                "name": "Sailing Crew",
                "tags": "Sports",
                "owner": "sam@uni.example",
            }]),
        ),
        (
            "create_join_link",
            json!({ "title": "Freshman", "note": "Fair, table 4", "max_uses": 200 }),
        ),
        ("update_join_link", json!({ "max_uses": 300 })),
        (
            "create_invite",
            json!({ "email": "kim@uni.example", "role": 20, "title": "" }),
        ),
        (
            "create_invites",
            json!({
                "emails": "lee@uni.example, pat@uni.example",
                "role": 20,
                "title": "",
            }),
        ),
        ("update_settings", json!({ "graduation_year": 2028 })),
        (
            "replace_settings",
            json!({
                "graduation_year": 2028,
                "school": [],
                "major": [],
                "image_url": null,
            }),
        ),
    ])
}

/// Bodies for events.
fn events(event: &Value) -> BTreeMap<&'static str, Value> {
    let showing = json!({
        "start_time": "2027-03-04T18:00:00Z",
        "end_time": "2027-03-04T20:00:00Z",
        "location": "Engineering, main hall",
        "location_visible_to_public": true,
        "ticketed": false,
        "ticket_drop_time": null,
        "ticket_order_limit": 4,
    });
    let event = json!({
        "name": event["name"],
        "description": "<p>Bring a laptop if you have one.</p>",
        "type": 5,
        "url": null,
    });
    BTreeMap::from([
        (
            "create_event",
            json!({
                "name": "Spring show",
                "description": "<p>See what we built this year.</p>",
                "type": 5,
                "url": "https://robotics.clubs.example/show/",
                "showings": [showing.clone()],
            }),
        ),
        (
            "update_event",
            json!({ "name": "Open workshop for everybody" }),
        ),
        ("replace_event", event),
        ("create_showing", showing.clone()),
        (
            "update_showing",
            json!({ "location": "Engineering, room 013" }),
        ),
        ("replace_showing", showing),
    ])
}

/// Bodies for the collections that admins keep.
fn collections() -> BTreeMap<&'static str, Value> {
    let fair = json!({
        "name": "Spring fair",
        "organization": "Student union",
        "contact": "fair@uni.example",
        "information": "<p>All clubs in one place.</p>",
        "start_time": "2099-03-10T09:00:00Z",
        "end_time": "2099-03-10T17:00:00Z",
        "registration_start_time": null,
        "registration_end_time": null,
        "virtual": false,
    });
    BTreeMap::from([
        ("create_tag", json!({ "name": "Sailing" })),
        ("update_tag", json!({ "name": "Languages and travel" })),
        ("replace_tag", json!({ "name": "Languages" })),
        (
            "create_badge",
            json!({
                "label": "Club of the year",
                "purpose": "award",
                "description": "Chosen by the student union.",
                "color": "#ffb300",
            }),
        ),
        ("update_badge", json!({ "color": "#0d47a1" })),
        (
            "replace_badge",
            json!({
                "label": "New this year",
                "purpose": "history",
                "description": "Founded within the last twelve months.",
                "color": "#1565c0",
            }),
        ),
        (
            "create_school",
            json!({ "name": "Medicine", "is_graduate": true }),
        ),
        ("update_school", json!({ "is_graduate": false })),
        (
            "replace_school",
            json!({ "name": "Graduate School of Law", "is_graduate": true }),
        ),
        ("create_major", json!({ "name": "Biology" })),
        ("update_major", json!({ "name": "Philosophy and Ethics" })),
        ("replace_major", json!({ "name": "Philosophy" })),
        (
            "create_year",
            json!({ "name": "Class of 2032", "year": 2032 }),
        ),
        ("update_year", json!({ "name": "Seniors of 2031" })),
        (
            "replace_year",
            json!({ "name": "Class of 2031", "year": 2031 }),
        ),
        ("create_fair", fair.clone()),
        ("update_fair", json!({ "contact": "fairs@uni.example" })),
        ("replace_fair", {
            let mut fair = fair;
            fair["name"] = json!("Autumn fair");
            fair
        }),
        (
            "register_club",
            json!({ "club": "hackers", "status": true }),
        ),
    ])
}

/// Bodies for applications, questions, submissions, decisions and mails.
#[expect(clippy::too_many_lines, reason = "a table: one body an operation")]
fn recruitment(
    application: &Value,
    questions: &[Value],
    pending: &[&Value],
    sam: u64,
) -> BTreeMap<&'static str, Value> {
    let committee = &application["committees"][0];
    let times = json!({
        "name": "Spring recruitment",
        "description": "<p>Tell us a little about yourself.</p>",
        "application_start_time": "2026-01-10T09:00:00Z",
        "application_end_time": "2098-02-01T22:59:59Z",
        "result_release_time": "2098-02-15T09:00:00Z",
        "is_active": true,
        "external_url": null,
        "acceptance_email": "<p>Dear {{ name }}, welcome to {{ club }}!</p>",
        "rejection_email": "",
        "committees": [{ "name": "Mechanics" }, { "name": "Software" }],
    });
    let mut whole = times.clone();
    for field in ["name", "committees"] {
        whole[field] = application[field].clone();
    }
    let question = json!({
        "question_type": 1,
        "prompt": "Why would you like to join us?",
        "word_limit": 200,
        "precedence": 1,
        "committee_question": false,
        "committees": [],
        "multiple_choice": [],
    });
    let choice = json!({
        "question_type": 2,
        "prompt": "Which evening suits you best?",
        "precedence": 9,
        "multiple_choice": ["Tuesday", "Thursday"],
    });
    let answers: Vec<Value> = questions
        .iter()
        .filter(|question| question["committee_question"] == false)
        .filter_map(|question| match question["question_type"].as_u64()? {
            2 => Some(json!({
                "question": question["id"],
                "multiple_choice": question["multiple_choice"][0]["id"],
            })),
            4 => None,
            _ => Some(json!({ "question": question["id"], "text": "I like to build things." })),
        })
        .collect();
    let reversed: Vec<&Value> = questions
        .iter()
        .rev()
        .map(|question| &question["id"])
        .collect();
    let reason = "We liked your project.";
    let reasons: Vec<Value> = pending
        .iter()
        .map(|id| json!({ "id": id, "reason": reason }))
        .collect();
    BTreeMap::from([
        ("create_application", times),
        (
            "update_application",
            json!({ "result_release_time": "2099-01-01T09:00:00Z" }),
        ),
        ("replace_application", whole),
        ("create_question", choice),
        ("update_question", json!({ "word_limit": 250 })),
        ("replace_question", question),
        ("order_questions", json!({ "precedence": reversed })),
        (
            "create_extension",
            json!({ "person": sam, "end_time": "2099-06-01T22:00:00Z" }),
        ),
        (
            "update_extension",
            json!({ "end_time": "2099-06-02T22:00:00Z" }),
        ),
        (
            "replace_extension",
            json!({ "end_time": "2099-06-03T22:00:00Z" }),
        ),
        (
            "submit",
            json!({ "committee": committee["id"], "responses": answers }),
        ),
        ("update_decision", json!({ "status": 4, "reason": reason })),
        ("replace_decision", json!({ "status": 1, "reason": "" })),
        (
            "set_statuses",
            json!({ "submissions": pending, "status": 4 }),
        ),
        ("set_reasons", json!({ "submissions": reasons })),
        (
            "send_emails",
            json!({ "email_type": { "id": "acceptance" }, "dry_run": true }),
        ),
    ])
}
