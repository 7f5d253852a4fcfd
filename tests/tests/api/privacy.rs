//! A hidden member is shown to others by no operation that reads.

use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::operations::Values;
use tests::{Client, TestCampus};

/// Texts in lower case that only the hidden person has.
const PLANTED: [&str; 4] = [
    "planted-user",
    "planted@uni.example",
    "planted name",
    "planted.png",
];

struct Scene {
    campus: TestCampus,
    paths: Vec<String>,
    hidden: Client,
    secrets: Vec<String>,
}

/// A person with planted texts, and their number.
async fn planted(campus: &TestCampus) -> (Client, u64) {
    let hidden = campus.client(
        &json!({ "email": PLANTED[1], "name": "Planted Name" }),
        PLANTED[0],
    );
    let person = id(&hidden.get("/api/settings/").await.ok());
    hidden
        .patch(
            "/api/settings/",
            json!({ "image_url": "https://img.example/planted.png" }),
        )
        .await
        .ok();
    (hidden, person)
}

/// The paths of all operations that read, with these ids, and some that look for the person.
fn reads(values: &Values) -> Vec<String> {
    let document = local::document();
    let reads = document["paths"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, item)| item.get("get").is_some());
    let mut paths: Vec<String> = reads.map(|(path, _)| values.path(path)).collect();
    paths.extend(
        PLANTED.map(|secret| format!("/api/clubs/chess/members/{}/", secret.replace(' ', "%20"))),
    );
    paths.extend([
        "/api/clubs/?search=planted".to_owned(),
        "/api/clubs/chess/members/?limit=1".to_owned(),
    ]);
    paths
}

/// A hidden member who applied, asked to join a club, was invited and got an extension. The paths
/// are those of all operations that read, with ids of this member.
async fn scene() -> Scene {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let ada = recruitment.officer.clone();
    let (hidden, person) = planted(&campus).await;
    let submission = recruitment.submit(&hidden).await;
    let asked = hidden
        .post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    let member = ada
        .post(
            "/api/clubs/chess/members/",
            json!({ "person": person, "public": false }),
        )
        .await
        .created();
    let extension = json!({ "person": person, "end_time": hours(30) });
    let extension = ada
        .post(&format!("{}extensions/", recruitment.path), extension)
        .await
        .created();
    let invite = ada
        .post(
            "/api/clubs/chess/invites/",
            json!({ "email": "other@uni.example" }),
        )
        .await
        .created();
    let event = json!({
        "name": "Open evening",
        "showings": [{ "start_time": hours(5), "end_time": hours(6) }],
    });
    let event = ada.post("/api/clubs/chess/events/", event).await.created();
    for path in ["/api/favorites/", "/api/subscriptions/"] {
        hidden
            .post(path, json!({ "club": "chess" }))
            .await
            .created();
    }
    let mut values = Values::default();
    for (name, id) in tests::fixtures::collections(&campus.admin()).await {
        values.extend([(name, json!(id))]);
    }
    values.extend([
        ("{club}", json!("chess")),
        ("{favorite}", json!("chess")),
        ("{subscription}", json!("chess")),
        ("{file}", json!("index.html")),
        ("{member}", member["id"].clone()),
        ("{request}", asked["id"].clone()),
        ("{invite}", invite["id"].clone()),
        ("{application}", recruitment.application["id"].clone()),
        ("{question}", json!(recruitment.question)),
        ("{extension}", extension["id"].clone()),
        ("{submission}", submission["id"].clone()),
        ("{event}", event["id"].clone()),
        ("{showing}", event["showings"][0]["id"].clone()),
        ("{event_file}", json!(format!("{}.ics", event["id"]))),
        (
            "{showing_file}",
            json!(format!("{}.ics", event["showings"][0]["id"])),
        ),
    ]);
    let secrets = PLANTED
        .map(str::to_owned)
        .into_iter()
        .chain([person.to_string(), id(&member).to_string()])
        .collect();
    Scene {
        campus,
        paths: reads(&values),
        hidden,
        secrets,
    }
}

// proves P13, M2, M3
#[tokio::test]
async fn nobody_but_officers_learns_who_a_hidden_member_is() {
    let Scene {
        campus,
        paths,
        hidden,
        secrets,
    } = scene().await;
    let ada = campus.as_("ada");
    let member = campus.member("chess", &ada, "mia", 20).await;
    let officer_elsewhere = campus.as_("olga");
    campus.club("go", &officer_elsewhere).await;
    for client in [
        campus.anonymous(),
        campus.as_("stranger"),
        member,
        officer_elsewhere,
    ] {
        for path in &paths {
            let text = client.get(path).await.text().to_lowercase();
            let shown: Vec<&String> = secrets
                .iter()
                .filter(|secret| text.contains(secret.as_str()))
                .collect();
            assert_eq!(shown, [""; 0], "{path}: {text}");
        }
    }
    // Officers and the person do find the address at these paths, so the paths are right.
    let shown_count = async |client: &Client| {
        let mut shown_count = 0;
        for path in &paths {
            shown_count += usize::from(client.get(path).await.text().contains(PLANTED[1]));
        }
        shown_count
    };
    assert!(shown_count(&ada).await >= 5 && shown_count(&hidden).await >= 4);
}

// proves M1, M3
#[tokio::test]
async fn officers_see_addresses_and_members_do_not() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mia = campus.member("chess", &ada, "mia", 20).await;
    campus.member("chess", &ada, "max", 20).await;
    let emails = |list: Value| -> Vec<Value> {
        list.as_array()
            .into_iter()
            .flatten()
            .map(|member| member["email"].clone())
            .collect()
    };
    let list = "/api/clubs/chess/members/";
    assert_eq!(
        emails(ada.get(list).await.ok()),
        ["ada@uni.example", "max@uni.example", "mia@uni.example"]
    );
    assert_eq!(
        emails(mia.get(list).await.ok()),
        [Value::Null, Value::Null, Value::Null]
    );
    assert_eq!(
        emails(campus.admin().get(list).await.ok())
            .iter()
            .filter(|email| email.is_string())
            .count(),
        3
    );
}
