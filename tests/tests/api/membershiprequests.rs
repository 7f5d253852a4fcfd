//! `/clubs/{club}/membershiprequests/…`, `/requests/membership/…`

use chrono::TimeDelta;
use serde_json::{Value, json};
use shared::ids::Id;
use shared::text::Email;
use tests::fixtures::id;
use tests::recount::recount;
use tests::{Setup, TestCampus};

const OWN: &str = "/api/requests/membership/";
const ASKED: &str = "/api/clubs/chess/membershiprequests/";

async fn ask(client: &tests::Client) -> Value {
    client.post(OWN, json!({ "club": "chess" })).await.created()
}

// proves R1, R2, R3, R4
#[tokio::test]
async fn request_is_made_once_and_mailed_to_officers() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    ada.patch(
        "/api/clubs/chess/",
        json!({ "email": "chess@clubs.example" }),
    )
    .await
    .ok();
    let sue = campus.as_("sue");
    let response = sue.post(OWN, json!({ "club": "chess" })).await;
    assert_eq!(
        response.header("location"),
        "/api/requests/membership/chess/"
    );
    let request = response.created();
    assert_eq!(
        request,
        json!({
            "id": request["id"],
            "person": request["person"],
            "name": "sue Test",
            "username": "sue",
            "email": "sue@uni.example",
            "club": "chess",
            "created_at": "2026-11-21T09:00:00Z",
            "school": [],
            "major": [],
            "graduation_year": null,
        })
    );
    campus.advance(TimeDelta::minutes(1));
    assert_eq!(
        sue.post(OWN, json!({ "club": "chess" })).await.ok(),
        request,
        "asking again"
    );
    assert_eq!(sue.get(OWN).await.ok(), json!([request]));
    assert_eq!(sue.get(&format!("{OWN}chess/")).await.ok(), request);
    assert_eq!(ada.get(ASKED).await.ok(), json!([request]));
    for path in [format!("{ASKED}{}/", id(&request)), format!("{ASKED}sue/")] {
        assert_eq!(ada.get(&path).await.ok(), request);
    }
    campus.deliver().await;
    let notified = campus.mails();
    assert_eq!(
        (
            notified.len(),
            notified[0].to.as_str(),
            notified[0].subject.as_str()
        ),
        (1, "ada@uni.example", "Membership request for chess")
    );
    assert!(
        notified[0]
            .text
            .contains("sue Test (sue) would like to join chess"),
        "{}",
        notified[0].text
    );
    assert_eq!(notified[0].reply_to.as_deref(), Some("chess@clubs.example"));
}

// In an earlier version, officers were mailed the name of somebody who had withdrawn.
// proves R4, P14
#[tokio::test]
async fn a_mail_names_who_waits_when_it_is_sent() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let (sue, bob) = (campus.as_("sue"), campus.as_("bob"));
    ask(&sue).await;
    let queued = campus
        .stored()
        .iter()
        .map(Value::to_string)
        .collect::<String>();
    assert!(
        !queued.contains("sue Test (sue)"),
        "the mail stores no name"
    );
    let other = ask(&bob).await;
    sue.delete(&format!("{OWN}chess/")).await.no_content();
    campus.deliver().await;
    let notified = campus.mails();
    assert_eq!(notified.len(), 1);
    assert!(
        notified[0]
            .text
            .contains("bob Test (bob) would like to join chess")
    );
    // If nobody waits, there is nothing to tell.
    let one = format!("{ASKED}{}/", id(&other));
    ada.delete(&one).await.no_content();
    campus.advance(TimeDelta::hours(2));
    ask(&sue).await;
    campus.erase(&sue).await;
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 1);
    // That mail was not sent, so the next request does not wait for the end of its hour, also in
    // the same second.
    let last = ask(&bob).await;
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 2);
    // Nothing in mails that arrived tells later who asked.
    campus.report().await;
    let mails = campus.stored();
    let mut mails = mails.iter().filter(|item| item["type"]["S"] == "Mail");
    assert!(mails.all(|mail| !mail.to_string().contains(&last["id"].to_string())));
}

// proves M4, M6, R1, R3
#[tokio::test]
async fn a_request_is_answered_by_adding_the_person() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let sue = campus.as_("sue");
    let request = ask(&sue).await;
    campus.deliver().await;
    let [asked] = &campus.mails()[..] else {
        panic!("one mail")
    };
    let manage = "http://127.0.0.1:8000/clubs/chess/manage/";
    assert!(asked.text.contains(manage), "{}", asked.text);
    assert!(asked.html.contains(manage), "{}", asked.html);
    ada.post(
        "/api/clubs/chess/members/",
        json!({ "person": request["person"] }),
    )
    .await
    .created();
    assert_eq!(
        (ada.get(ASKED).await.ok(), sue.get(OWN).await.ok()),
        (json!([]), json!([]))
    );
    campus.deliver().await;
    let joined = &campus.mails()[1];
    assert_eq!(
        (joined.to.as_str(), joined.subject.as_str()),
        ("sue@uni.example", "Welcome to chess")
    );
    assert!(
        joined.text.contains("you are a member of chess now"),
        "{}",
        joined.text
    );
    sue.post(OWN, json!({ "club": "chess" }))
        .await
        .invalid(&["club"]);
    assert_eq!(recount(&campus), [""; 0]);
    // A person who did not ask gets a mail too. It says who added them and how to leave.
    campus.member("chess", &ada, "bob", 20).await;
    campus.deliver().await;
    let mails = campus.mails();
    let welcome = &mails[2];
    assert_eq!(
        (mails.len(), welcome.to.as_str(), welcome.subject.as_str()),
        (3, "bob@uni.example", "Welcome to chess")
    );
    assert!(
        welcome.text.contains("ada Test added you")
            && welcome.text.contains("you can leave the club")
            && welcome
                .text
                .contains("http://127.0.0.1:8000/clubs/chess/\n")
            && welcome.text.contains("http://127.0.0.1:8000/memberships/"),
        "{}",
        welcome.text
    );
}

// With `Bob` and `bOb`, an officer could reject the wrong person.
// proves P10, R3
#[tokio::test]
async fn a_user_name_in_a_path_means_one_person_or_nobody() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let person = |subject: &str, name: &str| {
        campus.client(
            &json!({
                "email": format!("{subject}@uni.example"),
                "name": subject,
                "preferred_username": name,
            }),
            subject,
        )
    };
    for name in ["Bob", "bOb"] {
        person(name, name)
            .post(OWN, json!({ "club": "chess" }))
            .await
            .created();
    }
    ada.get(&format!("{ASKED}bob/")).await.error(404);
    ada.delete(&format!("{ASKED}BOB/")).await.error(404);
    assert_eq!(
        ada.get(&format!("{ASKED}Bob/")).await.ok()["username"],
        "Bob"
    );
    ada.delete(&format!("{ASKED}bOb/")).await.no_content();
    assert_eq!(
        ada.get(&format!("{ASKED}BOB/")).await.ok()["username"],
        "Bob",
        "if only one person is meant, the case makes no difference"
    );
}

// proves R2, R3
#[tokio::test]
async fn a_request_is_rejected_by_officers_or_withdrawn() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.club("go", &ada).await;
    let (sue, bob) = (campus.as_("sue"), campus.as_("bob"));
    let request = ask(&sue).await;
    ada.delete(&format!(
        "/api/clubs/go/membershiprequests/{}/",
        id(&request)
    ))
    .await
    .error(404);
    sue.delete(&format!("{ASKED}sue/")).await.error(403);
    ada.delete(&format!("{ASKED}sue/")).await.no_content();
    ada.delete(&format!("{ASKED}sue/")).await.error(404);
    assert_eq!(sue.get(OWN).await.ok(), json!([]));
    ask(&sue).await;
    bob.delete(&format!("{OWN}chess/")).await.error(404);
    sue.delete(&format!("{OWN}chess/")).await.no_content();
    sue.delete(&format!("{OWN}chess/")).await.error(404);
    sue.delete(&format!("{OWN}Nö/")).await.error(404);
    assert_eq!(ada.get(ASKED).await.ok(), json!([]));
}

// proves C6, R1, R2
#[tokio::test]
async fn clubs_that_are_not_there_cannot_be_asked() {
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = shared::settings::Approval::Required)
        .build();
    let (ada, sue) = (campus.as_("ada"), campus.as_("sue"));
    campus.club("chess", &ada).await;
    for club in [
        json!("chess"),
        json!("nothing"),
        json!("CHESS"),
        json!(""),
        json!(7),
        json!(null),
    ] {
        sue.post(OWN, json!({ "club": club }))
            .await
            .invalid(&["club"]);
    }
    sue.post(OWN, json!({})).await.invalid(&["club"]);
    campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "approved": true }))
        .await
        .ok();
    ask(&sue).await;
    ada.delete("/api/clubs/chess/").await.no_content();
    sue.post(OWN, json!({ "club": "chess" }))
        .await
        .invalid(&["club"]);
    assert_eq!(sue.get(OWN).await.ok(), json!([]));
    sue.get(&format!("{OWN}chess/")).await.error(404);
    ada.get(ASKED).await.error(404);
    sue.delete(&format!("{OWN}chess/")).await.no_content();
}

// proves R4
#[tokio::test]
async fn officers_hear_at_most_once_an_hour_of_a_club() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.member("chess", &ada, "olga", 10).await;
    campus.member("chess", &ada, "mia", 20).await;
    for (n, minutes) in [0, 30, 29, 1, 24 * 60].into_iter().enumerate() {
        campus.advance(TimeDelta::minutes(minutes));
        ask(&campus.as_(&format!("student{n}"))).await;
        campus.deliver().await;
        let mut to: Vec<String> = campus
            .mails_but_welcomes()
            .into_iter()
            .map(|mail| mail.to)
            .collect();
        to.sort();
        // Nobody has asked Olga, so she hears of it once a day.
        let both = ["ada@uni.example", "olga@uni.example"];
        let expected = match n {
            3 => vec![both[0], both[0], both[1]],
            4 => vec![both[0], both[0], both[0], both[1], both[1]],
            _ => both.to_vec(),
        };
        assert_eq!(to, expected, "after request {n}");
    }
}

// proves P8
#[tokio::test]
async fn requests_follow_the_name_of_their_person() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let sue = campus.as_("sue");
    ask(&sue).await;
    campus.advance(TimeDelta::hours(1));
    let renamed = campus.client(
        &json!({ "email": "new@uni.example", "name": "New Name" }),
        "sue",
    );
    renamed
        .patch("/api/settings/", json!({ "graduation_year": 2030 }))
        .await
        .ok();
    let request = ada.get(ASKED).await.ok()[0].clone();
    assert_eq!(
        (
            &request["name"],
            &request["email"],
            &request["graduation_year"]
        ),
        (&json!("New Name"), &json!("new@uni.example"), &json!(2030))
    );
}

// proves R4
#[tokio::test]
async fn at_most_ninety_officers_are_mailed_owners_first() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let model = campus
        .campus
        .app
        .table
        .members(&tests::fixtures::code("chess"))
        .await
        .expect("a table")
        .pop()
        .expect("a member");
    let officer = |n: u64| {
        let mut copy = shared::domain::Membership {
            id: Id::new(n),
            person: Id::new(n),
            role: shared::domain::Role::Officer,
            ..model.clone()
        };
        copy.personal.email = Email::parse(&format!("officer{n}@uni.example")).unwrap();
        copy
    };
    campus
        .campus
        .app
        .table
        .load(&(1..120).map(officer).collect::<Vec<_>>())
        .await
        .expect("a table");
    ask(&campus.as_("sue")).await;
    campus.deliver().await;
    let mails = campus.mails();
    assert_eq!(
        (
            mails.len(),
            mails
                .iter()
                .filter(|mail| mail.to == "ada@uni.example")
                .count()
        ),
        (90, 1)
    );
}
