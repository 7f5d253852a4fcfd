//! The OpenAPI document with its examples. The admin calls every operation once on the demo campus,
//! with the body of its row (`tests/src/operations/`); what is sent and what comes back is the
//! example.

use serde_json::{Map, Value, json};
use shared::domain::Invite;
use shared::text::{ClubCode, Email};
use shared::time::Clock as _;
use tests::fixtures::id;
use tests::operations::{self, Body, Operation, Values};
use tests::scene::{calendar_of, link_of};
use tests::{Client, Response, TestCampus};

/// Longer lists are cut in the examples.
const SHOWN: usize = 2;

// proves O1, O12
#[tokio::test(start_paused = true)]
async fn document_is_made_from_routes_and_demo_responses() {
    let mut document = local::document();
    let (admin, values) = admin_of_demo().await;
    for operation in operations::once() {
        let parameters = parameters(&operation, &values);
        let (path, body) = (target(&operation, &values), body(&operation.body, &values));
        let response = match (&operation.body, &body) {
            (Body::Picture, _) => admin.upload(operation.method.clone(), &path).await,
            (_, body) => {
                admin
                    .send(operation.method.clone(), &path, body.clone())
                    .await
            }
        };
        let (id, status) = (operation.id, response.status);
        let is_done = status.is_success() || status.is_redirection();
        assert!(is_done, "{id}: {status} {}", response.text());
        let method = operation.method.as_str().to_lowercase();
        let documented = &mut document["paths"][&operation.route][method];
        add_parameters(documented, &parameters);
        add_request(documented, body.as_ref());
        add_response(documented, &response);
    }
    assert_eq!(without_example(&document), [""; 0]);
    let nulls = document["paths"]
        .to_string()
        .contains(r#""parameters":null"#);
    assert!(!nulls, "parameters are a list or not there");
    super::check("docs/openapi.json", &format!("{document:#}\n"));
}

/// The bodies in JSON that have no example.
fn without_example(document: &Value) -> Vec<String> {
    let mut missing = Vec::new();
    for (path, method, operation) in crate::openapi::operations(document) {
        let requests = &operation["requestBody"]["content"]["application/json"];
        if requests.is_object() && requests.get("example").is_none() {
            missing.push(format!("{method} {path}: the request"));
        }
        for (status, response) in operation["responses"].as_object().into_iter().flatten() {
            let content = &response["content"]["application/json"];
            // A request has one outcome: `submit` is 201 here, 200 for whoever submits again.
            let other = status == "200" && operation["responses"].get("201").is_some();
            if content.is_object() && content.get("example").is_none() && !other {
                missing.push(format!("{method} {path}: {status}"));
            }
        }
    }
    missing
}

/// The admin of a new demo campus, and the values of its objects.
pub async fn admin_of_demo() -> (Client, Values) {
    let campus = TestCampus::new();
    local::demo::load(&campus.campus).await.expect("a demo");
    let (token, _) = campus
        .campus
        .issuer
        .token(&local::demo::admin(), campus.campus.clock.now())
        .expect("a token");
    let admin = campus.with_token(&token);
    let mut values = Values::default();
    values.extend(clubs(&admin).await);
    values.extend(tickets(&admin).await);
    values.extend(recruitment(&admin).await);
    values.extend(reference_data(&admin).await);
    values.extend(invitation(&campus));
    values.extend([("{calendar}", calendar_of(&admin).await)]);
    let token = list(&admin, "/api/settings/tokens/").await.remove(0);
    values.extend([("{api_token}", token["id"].clone())]);
    for (path, names) in [
        ("/api/clubs/robotics/webhooks/", ["{webhook}", "{delivery}"]),
        ("/api/webhooks/", ["{all_webhook}", "{all_delivery}"]),
    ] {
        let webhook = list(&admin, path).await.remove(0)["id"].clone();
        let shown = list(&admin, &format!("{path}{webhook}/deliveries/")).await;
        values.extend([(names[0], webhook), (names[1], shown[0]["id"].clone())]);
    }
    let own = admin.get("/api/settings/").await.ok();
    let link = link_of(&campus, own["id"].as_u64().unwrap_or_default()).await;
    values.extend([("{token}", link)]);
    (admin, values)
}

/// The path and the query of a request.
pub fn target(operation: &Operation, values: &Values) -> String {
    values.path(&operation.path) + operation.query
}

fn body(body: &Body, values: &Values) -> Option<Value> {
    match body {
        Body::Json(body) => Some(values.body(body)),
        _ => None,
    }
}

/// The values of the parameters: those of the path, and those that the request has.
fn parameters(operation: &Operation, values: &Values) -> Map<String, Value> {
    let names = operation.route.split('/');
    let path = names.zip(operation.path.split('/'));
    let in_path = path.filter_map(|(name, placeholder)| {
        let name = name.strip_prefix('{')?.strip_suffix('}')?;
        Some((name.to_owned(), values.get(placeholder).clone()))
    });
    let query = operation.query.trim_start_matches('?').split('&');
    let in_query = query.filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let value = value
            .parse::<bool>()
            .map_or_else(|_| json!(value), |flag| json!(flag));
        Some((name.to_owned(), value))
    });
    in_path.chain(in_query).collect()
}

fn add_parameters(operation: &mut Value, values: &Map<String, Value>) {
    // Indexing would add a null where there are no parameters.
    let parameters = operation.get_mut("parameters");
    let parameters = parameters.and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default();
        if let Some(value) = values.get(name) {
            let is_text = parameter["schema"]["type"] == "string" && !value.is_string();
            parameter["example"] = if is_text {
                json!(value.to_string())
            } else {
                value.clone()
            };
        }
    }
}

fn add_request(operation: &mut Value, body: Option<&Value>) {
    let bodies = operation.pointer_mut("/requestBody/content");
    let Some((bodies, body)) = bodies.and_then(Value::as_object_mut).zip(body) else {
        return;
    };
    for (kind, media) in bodies {
        media["example"] = match body {
            Value::Array(rows) if kind == "text/csv" => json!(csv(rows)),
            other => other.clone(),
        };
    }
}

fn add_response(operation: &mut Value, response: &Response) {
    let kind = response.header("content-type");
    let example = if response.json()["openapi"].is_string() {
        // The document would contain itself.
        json!({ "openapi": response.json()["openapi"] })
    } else if kind == "application/json" {
        let mut response = response.json();
        shorten(&mut response);
        // It is random. This one has a wrong checksum, so that no scanner takes it for a secret.
        if let Some(token) = response.get_mut("token") {
            *token = json!("clubs_0Example0Example0Example0Example0Example0");
        }
        if let Some(secret) = response.get_mut("secret") {
            *secret = json!("whsec_RXhhbXBsZUV4YW1wbGVFeGFtcGxlRXhhbXBsZUV4YW0=");
        }
        response
    } else if kind.starts_with("text/c") && response.text().len() < 20_000 {
        let text = response.text();
        let lines: Vec<&str> = text.lines().take(12).collect();
        json!(lines.join("\r\n"))
    } else {
        return;
    };
    // A text is an example of CSV or a calendar, anything else one of JSON.
    let kinds: &[&str] = if example.is_string() {
        &["text~1csv", "text~1calendar"]
    } else {
        &["application~1json"]
    };
    for kind in kinds {
        let position = format!("/responses/{}/content/{kind}", response.status.as_str());
        if let Some(media) = operation.pointer_mut(&position) {
            media["example"] = example.clone();
        }
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.truncate(SHOWN);
            items.iter_mut().for_each(shorten);
        }
        Value::Object(object) => {
            for (name, value) in object.iter_mut() {
                // An example that loses answers would mislead.
                match value {
                    Value::Array(answers) if name == "responses" => {
                        answers.iter_mut().for_each(shorten);
                    }
                    value => shorten(value),
                }
            }
            // Files have random names.
            for (field, file) in [
                ("image_url", "logo-600.jpg"),
                ("club_image_url", "logo-600.jpg"),
                ("large_image_url", "logo.jpg"),
            ] {
                if object.get(field).is_some_and(Value::is_string) {
                    object[field] = json!(format!("https://media.uni.example/{file}"));
                }
            }
        }
        _ => {}
    }
}

/// Returns rows of JSON as CSV. The values of examples need no quotes.
fn csv(rows: &[Value]) -> String {
    let mut columns: Vec<&String> = Vec::new();
    for column in rows.iter().filter_map(Value::as_object).flat_map(Map::keys) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let cell = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let line = |row: &Value| {
        let cells = columns.iter();
        let cells = cells.map(|column| row.get(*column).map_or_else(String::new, cell));
        cells.collect::<Vec<_>>().join(",")
    };
    let header = columns.iter().map(|column| column.as_str());
    std::iter::once(header.collect::<Vec<_>>().join(","))
        .chain(rows.iter().map(line))
        .map(|line| line + "\n")
        .collect()
}

async fn list(client: &Client, path: &str) -> Vec<Value> {
    let response = client.get(path).await.ok();
    let items = response.get("results").unwrap_or(&response);
    items.as_array().cloned().expect("a list")
}

/// The id of the object in a list whose field has this value.
async fn named(client: &Client, path: &str, field: &str, value: &str) -> Value {
    let all = list(client, path).await;
    let found = all.iter().find(|item| item[field] == value);
    json!(id(found.unwrap_or_else(|| panic!("no {value} in {path}"))))
}

/// Clubs, people, and ways to become a member.
async fn clubs(admin: &Client) -> Vec<(&'static str, Value)> {
    let club = "/api/clubs/robotics/";
    let first = async |collection: &str| {
        let all = list(admin, &format!("{club}{collection}/")).await;
        all.into_iter().next().expect("an object")
    };
    let event = first("events").await;
    let link = first("joinlinks").await;
    let url = link["url"].as_str().unwrap_or_default();
    let token = url.rsplit('/').next().unwrap_or_default();
    let members = list(admin, &format!("{club}members/")).await;
    let member = members.last().expect("a member");
    vec![
        ("{club}", json!("robotics")),
        ("{new_club}", json!("climbing")),
        ("{requested_club}", json!("film")),
        ("{favorite}", json!("chess")),
        ("{subscription}", json!("chess")),
        ("{file}", json!("index.css")),
        ("{newcomer}", json!("student")),
        ("{receiver}", json!("sam")),
        (
            "{person}",
            named(admin, "/api/users/?search=sam", "username", "sam").await,
        ),
        ("{member}", member["username"].clone()),
        ("{request}", first("membershiprequests").await["id"].clone()),
        ("{invite}", first("invites").await["id"].clone()),
        ("{link}", link["id"].clone()),
        ("{join_token}", json!(token)),
        ("{event}", event["id"].clone()),
        ("{showing}", event["showings"][0]["id"].clone()),
        ("{event_file}", json!(format!("{}.ics", event["id"]))),
        (
            "{showing_file}",
            json!(format!("{}.ics", event["showings"][0]["id"])),
        ),
    ]
}

/// A showing with types of tickets, and four of one's own.
async fn tickets(admin: &Client) -> Vec<(&'static str, Value)> {
    let event = list(admin, "/api/clubs/robotics/events/").await.remove(0);
    let path = format!("/api/events/{}/showings/", event["id"]);
    let all = list(admin, &path).await;
    let is_open = |one: &&Value| one["ticket_types"][1]["name"] == "Late entry";
    let showing = all.iter().find(is_open).expect("a showing with tickets");
    let late = &showing["ticket_types"][1]["id"];
    let order = json!({ "tickets": [{ "type": late, "count": 4 }] });
    let path = format!("{path}{}/tickets/", showing["id"]);
    let ordered = admin.post(&path, order).await.created();
    let ticket = |n: usize| ordered[n]["id"].clone();
    let event = list(admin, "/api/clubs/astronomy/events/").await;
    let mut draws = Vec::new();
    for event in event {
        let all = list(admin, &format!("/api/events/{}/showings/", event["id"])).await;
        draws.extend(all.into_iter().map(|one| (event["id"].clone(), one)));
    }
    let draw = draws.iter().find(|(_, one)| one["ticket_sale"] == "draw");
    let (draw_event, draw) = draw.expect("a draw");
    vec![
        ("{draw_event}", draw_event.clone()),
        ("{draw_sale}", draw["id"].clone()),
        ("{sale}", showing["id"].clone()),
        ("{seat}", late.clone()),
        ("{ticket}", ticket(0)),
        ("{ticket_code}", ordered[3]["code"].clone()),
        ("{given_ticket}", ticket(1)),
        ("{cancelled_ticket}", ticket(2)),
        ("{door_ticket}", ticket(3)),
    ]
}

/// An application and what belongs to it.
async fn recruitment(admin: &Client) -> Vec<(&'static str, Value)> {
    let application = list(admin, "/api/clubs/robotics/applications/")
        .await
        .remove(0);
    let path = format!("/api/clubs/robotics/applications/{}/", id(&application));
    let submissions = list(admin, &format!("{path}submissions/")).await;
    let extension = list(admin, &format!("{path}extensions/")).await.remove(0);
    let own = list(admin, "/api/submissions/").await.remove(0);
    let slots = list(admin, &format!("{path}slots/")).await;
    let slot = slots.iter().find(|slot| slot["booked"] == 0);
    let free = format!("/api/submissions/{}/slots/", id(&own));
    let free = list(admin, &free).await.remove(0);
    let own_file = own["responses"].as_array().into_iter().flatten();
    let mut own_file = own_file.map(|response| response["file"]["id"].clone());
    let own_file = own_file.rfind(|id| !id.is_null()).expect("a file");
    let receipt = format!("/api/submissions/{}/receipt/", id(&own));
    let questions = application["questions"].as_array().expect("questions");
    let question = |kind: u64| {
        let mut all = questions.iter();
        all.find(|question| question["question_type"] == kind)
            .expect("a question")
    };
    let pending = submissions
        .iter()
        .find(|submission| submission["status"] == 1);
    vec![
        ("{application}", application["id"].clone()),
        ("{committees}", application["committees"].clone()),
        ("{committee}", application["committees"][0]["id"].clone()),
        ("{question}", question(1)["id"].clone()),
        ("{choice}", question(2)["id"].clone()),
        ("{option}", question(2)["multiple_choice"][0]["id"].clone()),
        ("{extension}", extension["id"].clone()),
        (
            "{submission}",
            pending.expect("a pending one")["id"].clone(),
        ),
        ("{own_submission}", own["id"].clone()),
        ("{own_club}", own["club"].clone()),
        ("{own_application}", own["application"].clone()),
        ("{file_question}", question(5)["id"].clone()),
        ("{own_file}", own_file),
        ("{slot}", slot.expect("a free one")["id"].clone()),
        ("{own_slot}", free["id"].clone()),
        ("{receipt}", admin.get(&receipt).await.ok()),
        ("{draft_version}", json!(1)),
    ]
}

/// What admins keep; each of these is used nowhere.
async fn reference_data(admin: &Client) -> Vec<(&'static str, Value)> {
    let fairs = list(admin, "/api/clubfairs/?all=true").await;
    let (used, empty) = (
        fairs.first().expect("a fair"),
        fairs.last().expect("a fair"),
    );
    let mut values = vec![
        ("{fair}", used["id"].clone()),
        ("{empty_fair}", empty["id"].clone()),
    ];
    for (name, path, field, value) in [
        ("{tag}", "/api/tags/", "name", "Languages"),
        ("{badge}", "/api/badges/", "label", "New this year"),
        (
            "{school}",
            "/api/schools/",
            "name",
            "Graduate School of Law",
        ),
        ("{major}", "/api/majors/", "name", "Philosophy"),
        ("{year}", "/api/years/", "name", "Class of 2031"),
    ] {
        values.push((name, named(admin, path, field, value).await));
    }
    values
}

/// The invitation that the admin got: club, id and token. The mail has the token in its link.
fn invitation(campus: &TestCampus) -> [(&'static str, Value); 3] {
    let club = ClubCode::parse("astronomy").expect("a code");
    let address = Email::parse("admin@uni.example").expect("an address");
    let invite = Invite::id_for_address(&club, &address);
    let secret = &campus.campus.app.settings.secrets.invite;
    let token = shared::mail::token(secret, &club, &invite, 1);
    [
        ("{inviting_club}", json!(club.to_string())),
        ("{own_invite}", json!(invite)),
        ("{invite_token}", json!(token)),
    ]
}
