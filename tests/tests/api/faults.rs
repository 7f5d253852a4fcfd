//! Longer scenarios on a table that fails at random: nothing is lost, nothing happens twice, and
//! every answer is true. This runs more seeds: `FAULTS=200 cargo test -p tests --test api faults`

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use http::Method;
use serde_json::{Value, json};
use tests::faults::Faults;
use tests::fixtures::{MailedLink, Recruitment, id};
use tests::recount::recount;
use tests::{Client, Response, Setup, TestCampus};

/// How many of a thousand calls get a fault.
pub(crate) const RATE: u64 = 150;

#[expect(clippy::disallowed_methods, reason = "a setting of this test")]
pub(crate) fn seeds() -> std::ops::Range<u64> {
    0..std::env::var("FAULTS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(6)
}

pub(crate) fn campus(seed: u64) -> (TestCampus, Arc<Faults>) {
    let faults = Faults::new(seed);
    (Setup::default().hook(faults.hook()).build(), faults)
}

/// Sends a request with a key until the answer is neither 429 nor 5xx.
pub(crate) async fn persist(
    client: &Client,
    key: &str,
    method: Method,
    path: &str,
    body: &Value,
) -> Response {
    let client = client.clone().header("idempotency-key", key);
    for _ in 0..40 {
        let response = client
            .send(
                method.clone(),
                path,
                Some(body.clone()).filter(|body| !body.is_null()),
            )
            .await;
        if !response.status.is_server_error() && response.status != 429 {
            return response;
        }
        assert!(
            response.status == 429 || response.json()["code"].is_string(),
            "{}",
            response.text()
        );
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    panic!("{method} {path}: no answer after forty tries");
}

/// One student submits with a double click, changes the answers, and perhaps withdraws and submits
/// again. Returns the text that must be stored at the end.
async fn evening(recruitment: &Recruitment, student: &Client, n: usize) -> Option<String> {
    let path = format!("{}submissions/", recruitment.path);
    let text = |step: &str| format!("{n} {step}");
    let first = recruitment.answer(&text("first"));
    // A double click: two requests with one key at once.
    let (a, b) = futures::join!(
        persist(student, "first", Method::POST, &path, &first),
        persist(student, "first", Method::POST, &path, &first)
    );
    assert!(
        a.status.is_success() && b.status.is_success(),
        "{} {}",
        a.text(),
        b.text()
    );
    let one = format!("/api/submissions/{}/", id(&a.json()));
    let second = persist(
        student,
        "second",
        Method::POST,
        &path,
        &recruitment.answer(&text("second")),
    )
    .await;
    assert_eq!(second.status, 200, "{}", second.text());
    if n.is_multiple_of(3) {
        let deleted = persist(student, "gone", Method::DELETE, &one, &Value::Null).await;
        // 404: the index is behind, or an earlier try deleted the submission and its answer was
        // lost.
        assert!(
            matches!(deleted.status.as_u16(), 204 | 404),
            "{}",
            deleted.text()
        );
        if deleted.status == 404 && student.get(&one).await.status != 404 {
            return Some(text("second"));
        }
        if n.is_multiple_of(2) {
            return None;
        }
        let third = persist(
            student,
            "third",
            Method::POST,
            &path,
            &recruitment.answer(&text("third")),
        )
        .await;
        assert!(third.status.is_success(), "{}", third.text());
        return Some(text("third"));
    }
    Some(text("second"))
}

// proves X8, X10, X16
#[tokio::test(start_paused = true)]
async fn deadline_on_failing_table_loses_and_doubles_nothing() {
    for seed in seeds() {
        let (campus, faults) = campus(seed);
        let recruitment = campus.recruitment("chess").await;
        let students: Vec<Client> = (0..24)
            .map(|n| campus.as_(&format!("student{n}")))
            .collect();
        faults.hit(RATE);
        let submitted_all = join_all(
            students
                .iter()
                .enumerate()
                .map(|(n, student)| evening(&recruitment, student, n)),
        )
        .await;
        // Late writes arrive now.
        tokio::time::sleep(Duration::from_secs(5)).await;
        faults.hit(0);
        let mut expected: Vec<String> = submitted_all.into_iter().flatten().collect();
        let list = recruitment
            .officer
            .get(&format!("{}submissions/", recruitment.path))
            .await
            .ok();
        let mut stored: Vec<String> = list
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["responses"][0]["text"].as_str().map(str::to_owned))
            .collect();
        expected.sort();
        stored.sort();
        assert_eq!(stored, expected, "{faults:?}");
        assert_eq!(recount(&campus), [""; 0], "{faults:?}");
        assert!(faults.count() > 50, "{faults:?}");
    }
}

/// Two officers send the acceptances until nobody is left.
async fn two_officers_send(campus: &TestCampus, recruitment: &Recruitment) {
    let send = format!("{}send_emails/", recruitment.path);
    let body = json!({ "email_type": { "id": "acceptance" } });
    let press = async |officer: &str| {
        for n in 0..20 {
            let response = persist(
                &recruitment.officer,
                &format!("{officer}{n}"),
                Method::POST,
                &send,
                &body,
            )
            .await
            .ok();
            if response["recipients"] == 0 && response["failed"] == 0 {
                break;
            }
            campus.advance(chrono::TimeDelta::minutes(1));
        }
    };
    campus
        .with_worker(async { futures::join!(press("ada"), press("olga")) })
        .await;
}

// proves X16
#[tokio::test(start_paused = true)]
async fn decisions_and_mails_on_failing_table_arrive_once() {
    for seed in seeds() {
        let (campus, faults) = campus(seed + 1_000);
        let recruitment = campus.recruitment("chess").await;
        let mut submissions = Vec::new();
        for n in 0..18 {
            submissions.push(
                recruitment
                    .submit(&campus.as_(&format!("student{n}")))
                    .await,
            );
        }
        faults.hit(RATE);
        let ids: Vec<u64> = submissions.iter().map(id).collect();
        let accepted = json!({ "submissions": ids[..12], "status": 4 });
        let path = format!("{}submissions/status/", recruitment.path);
        persist(
            &recruitment.officer,
            "status",
            Method::POST,
            &path,
            &accepted,
        )
        .await
        .ok();
        two_officers_send(&campus, &recruitment).await;
        campus
            .with_worker(tokio::time::sleep(Duration::from_mins(5)))
            .await;
        faults.hit(0);
        // The claims of workers that could not mark their mail end now.
        campus.advance(chrono::TimeDelta::minutes(5));
        campus
            .with_worker(tokio::time::sleep(Duration::from_mins(1)))
            .await;
        let mut each: BTreeMap<String, usize> = BTreeMap::new();
        for mail in campus.mails() {
            *each.entry(mail.to).or_default() += 1;
        }
        assert!(
            each.values().all(|count| *count == 1),
            "{faults:?}: {each:?}"
        );
        let list = recruitment
            .officer
            .get(&format!("{}submissions/?status=4", recruitment.path))
            .await
            .ok();
        for one in list.as_array().into_iter().flatten() {
            let to = one["user"]["email"].as_str().unwrap_or_default();
            let shown = one["email_status"].as_str().unwrap_or_default();
            // A person without a mail is never shown as `sent`.
            assert!(
                each.contains_key(to) || matches!(shown, "unknown" | "failed" | "queued"),
                "{faults:?}: {one}"
            );
            assert!(
                shown != "sent" || each.contains_key(to),
                "{faults:?}: {one}"
            );
        }
        assert_eq!(list.as_array().map(Vec::len), Some(12));
        let wrong: Vec<String> = recount(&campus)
            .into_iter()
            .filter(|finding| !finding.contains("has been waiting since"))
            .collect();
        assert_eq!(wrong, [""; 0], "{faults:?}");
    }
}

// proves X10, X13
#[tokio::test(start_paused = true)]
async fn members_on_failing_table_are_counted_rightly() {
    for seed in seeds() {
        let (campus, faults) = campus(seed + 2_000);
        let ada = campus.as_("ada");
        campus.club("chess", &ada).await;
        let mut people = Vec::new();
        for n in 0..10 {
            let person = campus.as_(&format!("person{n}"));
            people.push((id(&person.get("/api/settings/").await.ok()), person));
        }
        faults.hit(RATE);
        let visit = async |n: usize, person: u64, client: &Client| {
            let members = "/api/clubs/chess/members/";
            persist(
                client,
                "favorite",
                Method::POST,
                "/api/favorites/",
                &json!({ "club": "chess" }),
            )
            .await
            .created();
            persist(
                client,
                "wish",
                Method::POST,
                "/api/requests/membership/",
                &json!({ "club": "chess" }),
            )
            .await;
            let added = persist(
                &ada,
                &format!("add{n}"),
                Method::POST,
                members,
                &json!({ "person": person }),
            )
            .await;
            assert_eq!(added.status, 201, "{}", added.text());
            if n.is_multiple_of(2) {
                let one = format!("{members}{}/", id(&added.json()));
                let deleted = persist(client, "leave", Method::DELETE, &one, &Value::Null).await;
                assert!(
                    matches!(deleted.status.as_u16(), 204 | 404),
                    "{}",
                    deleted.text()
                );
            }
        };
        join_all(
            people
                .iter()
                .enumerate()
                .map(|(n, (person, client))| visit(n, *person, client)),
        )
        .await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        faults.hit(0);
        let members = ada.get("/api/clubs/chess/members/").await.ok();
        let names: BTreeSet<&str> = members
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["username"].as_str())
            .collect();
        assert_eq!(
            names,
            BTreeSet::from(["ada", "person1", "person3", "person5", "person7", "person9"]),
            "{faults:?}"
        );
        let club = ada.get("/api/clubs/chess/").await.ok();
        assert_eq!(
            (&club["membership_count"], &club["favorite_count"]),
            (&json!(6), &json!(10)),
            "{faults:?}"
        );
        assert_eq!(recount(&campus), [""; 0], "{faults:?}");
    }
}

// proves X10, X13
#[tokio::test(start_paused = true)]
async fn invitations_on_a_failing_table_let_each_in_once() {
    for seed in seeds() {
        let (campus, faults) = campus(seed + 3_000);
        let ada = campus.as_("ada");
        campus.club("chess", &ada).await;
        let guests: Vec<Client> = (0..8).map(|n| campus.as_(&format!("guest{n}"))).collect();
        for guest in &guests {
            guest.get("/api/settings/").await.ok();
        }
        faults.hit(RATE);
        let emails: Vec<String> = (0..8).map(|n| format!("guest{n}@uni.example")).collect();
        let bulk = json!({ "emails": emails.join(" ") });
        let invited = persist(
            &ada,
            "bulk",
            Method::POST,
            "/api/clubs/chess/invite/",
            &bulk,
        )
        .await
        .ok();
        assert_eq!(invited["sent"], 8, "{faults:?}");
        faults.hit(0);
        campus
            .with_worker(tokio::time::sleep(Duration::from_mins(2)))
            .await;
        assert_eq!(campus.mails().len(), 8);
        faults.hit(RATE);
        let accept = async |guest: &Client, email: &str| {
            let MailedLink { path, token } = MailedLink::sent_to(&campus, email);
            persist(
                guest,
                "accept",
                Method::POST,
                &path,
                &json!({ "token": token }),
            )
            .await
        };
        for response in join_all(
            guests
                .iter()
                .zip(&emails)
                .map(|(guest, email)| accept(guest, email)),
        )
        .await
        {
            assert_eq!(response.status, 200, "{faults:?}: {}", response.text());
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
        faults.hit(0);
        assert_eq!(
            ada.get("/api/clubs/chess/").await.ok()["membership_count"],
            9,
            "{faults:?}"
        );
        assert_eq!(recount(&campus), [""; 0], "{faults:?}");
    }
}
