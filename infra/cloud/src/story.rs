//! A recruitment from end to end: what students, an officer and an operator do, through all parts.

use std::collections::BTreeMap;
use std::time::Instant;

use chrono::TimeDelta;
use futures::future::join_all;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use shared::time::{Clock as _, SystemClock};
use tests::Client;
use tests::fixtures::id;

use crate::caller::{Caller, caller, step, until};
use crate::checks::{gateway, logo, sound};
use crate::stream::Mapping;
use crate::{Cloud, Error};
use crate::{files, interviews};

/// Applicants who submit at the same moment.
const APPLICANTS: usize = 40;
/// Applicants who submit one after another. moto copies the whole table for each item of a
/// transaction, so a transaction takes longer for each thing that is stored: with 40 of them, calls
/// run into their time limits.
const ONE_BY_ONE: usize = 10;
/// The subject of the mails about decisions.
const DECISION: &str = "Your application to Łódź Go: Autumn";

/// Runs the story. With `at_once`, the applicants submit at the same moment.
#[expect(
    clippy::too_many_lines,
    reason = "one story, from the beginning to the end"
)]
pub async fn run(cloud: &Cloud, at_once: bool) -> Result<(), Error> {
    let began = Instant::now();
    let (ada, _) = caller(cloud, "ada", "ada@uni.example", "Ada Lovelace")?;
    let nobody = Caller(Client::new(cloud.gateway.router(), None));

    gateway(&nobody, &ada).await;
    step(began, "the gateway: slashes, queries, errors, compression");

    let club = ada
        .post(
            "/api/clubs/",
            json!({ "name": "Łódź Go", "description": "Black & white" }),
        )
        .await;
    assert_eq!(
        club.header("location"),
        "/dev/api/clubs/lodz-go/",
        "links have the stage"
    );
    club.created();
    logo(cloud, &ada).await?;
    step(
        began,
        "a club, found by its name without diacritics, and its logo in S3",
    );

    let day = |hours: i64| json!(SystemClock.now() + TimeDelta::hours(hours));
    let form = ada
        .post(
            "/api/clubs/lodz-go/applications/",
            json!({
                "name": "Autumn",
                "is_active": true,
                "application_start_time": day(-1),
                "application_end_time": day(24),
                "result_release_time": day(48),
                "acceptance_email": "<p>Dear {{ name }}, welcome.</p>",
            }),
        )
        .await
        .created();
    let path = format!("/api/clubs/lodz-go/applications/{}/", id(&form));
    let question = ada
        .post(
            &format!("{path}questions/"),
            json!({ "question_type": 1, "prompt": "Why?" }),
        )
        .await
        .created();
    let answer = |text: &str| json!({ "responses": [{ "question": id(&question), "text": text }] });

    let (felix, _) = caller(cloud, "felix", "felix@uni.example", "Felix File")?;
    files::files(cloud, &path, (&ada, &felix)).await?;
    step(
        began,
        "a file from a browser to the bucket and to an officer, replaced and withdrawn",
    );

    let (zerlina, token) = caller(
        cloud,
        "zerlina",
        "zerlina.q@uni.example",
        "Zerlina Quastenflosse",
    )?;
    let (bounced, _) = caller(cloud, "bob", "bounce@simulator.amazonses.com", "Bob Gone")?;
    let submissions = format!("{path}submissions/");
    let first = zerlina
        .post(&submissions, answer("Because of my aardvark."))
        .await
        .created();
    // She sends the same submission again, as if she had got no response.
    assert_eq!(
        zerlina
            .post(&submissions, answer("Because of my aardvark."))
            .await
            .ok()["id"],
        first["id"]
    );
    bounced
        .post(&submissions, answer("Why not?"))
        .await
        .created();
    let applicants = if at_once { APPLICANTS } else { ONE_BY_ONE };
    let mut crowd = Vec::new();
    for n in 0..applicants {
        crowd.push(
            caller(
                cloud,
                &format!("student{n}"),
                &format!("student{n}@uni.example"),
                &format!("Student {n}"),
            )?
            .0,
        );
    }
    let submit =
        async |student: &Caller| student.post(&submissions, answer("Me too.")).await.status;
    let statuses: Vec<StatusCode> = if at_once {
        join_all(crowd.iter().map(submit)).await
    } else {
        let mut statuses = Vec::new();
        for student in &crowd {
            statuses.push(submit(student).await);
        }
        statuses
    };
    assert!(
        statuses.iter().all(|status| *status == StatusCode::CREATED),
        "{statuses:?}"
    );
    let list = ada.get(&submissions).await.ok();
    assert_eq!(list.as_array().map(Vec::len), Some(applicants + 2));
    let csv = ada.header("accept", "text/csv").get(&submissions).await;
    assert_eq!(csv.text().lines().count(), applicants + 3);
    step(
        began,
        &format!(
            "{} students submit{}, one of them twice",
            applicants + 2,
            if at_once { " at once" } else { "" }
        ),
    );

    Box::pin(interviews::run(
        cloud,
        (&ada, &path),
        (&list, &crowd),
        at_once,
    ))
    .await?;
    step(
        began,
        "four people choose two places, one gives it back, and two are reminded once by a timer \
         that runs twice",
    );

    let mails = decide_and_send(cloud, &ada, &path, &list).await?;
    assert_eq!(
        zerlina.get("/api/submissions/").await.ok()[0]["status"],
        4,
        "she was told"
    );
    assert_eq!(
        crowd[0].get("/api/submissions/").await.ok()[0]["status"],
        1,
        "nobody told him"
    );
    step(
        began,
        "decisions, and each accepted student has one mail, though the stream was delivered twice",
    );

    until("the bounce", async || {
        let missed = ada
            .get(&format!("{submissions}?email_status=bounced,complained"))
            .await
            .ok();
        missed
            .as_array()
            .is_some_and(|missed| missed.len() == 1 && missed[0]["user"]["username"] == "bob")
    })
    .await?;
    step(
        began,
        "SES reports twice, and the officer finds whom the mail did not reach",
    );

    let (_, _, body) = mails
        .iter()
        .find(|(to, ..)| to == "zerlina.q@uni.example")
        .ok_or("no mail for her")?;
    let link = body
        .split("/invite/")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .ok_or("no link")?;
    let [_, invite, secret] = link.split('/').collect::<Vec<_>>()[..] else {
        return Err(format!("not a link: {link}").into());
    };
    zerlina
        .post(
            &format!("/api/clubs/lodz-go/invites/{invite}/accept/"),
            json!({ "token": secret }),
        )
        .await
        .ok();
    let members = ada.get("/api/clubs/lodz-go/members/").await.ok();
    assert!(
        members.to_string().contains("Zerlina Quastenflosse"),
        "{members}"
    );
    step(began, "she joins by the link of her mail");

    erase(cloud, &zerlina).await?;
    let members = ada.get("/api/clubs/lodz-go/members/").await.ok();
    assert!(!members.to_string().contains("Zerlina"), "{members}");
    step(began, "she is locked out at once, and erased by the timer");

    webhook(&ada).await?;
    step(
        began,
        "a test of a webhook goes through stream and queue, and a name that nobody has is not reached",
    );

    sound(cloud, &[secret, &token]).await?;
    step(
        began,
        "every call was allowed, no log has a name, and clubs-admin finds nothing wrong",
    );
    Ok(())
}

/// Accepts the first two and every third of the other applicants, gives another one a reason, and
/// sends. Returns the mails that SES took.
async fn decide_and_send(
    cloud: &Cloud,
    ada: &Caller,
    path: &str,
    list: &Value,
) -> Result<Vec<(String, String, String)>, Error> {
    // Those who submitted at once have any order in the list. So it is that of the names, with
    // Zerlina and Bob before the crowd, of which the first one stays undecided.
    let mut all: Vec<&Value> = list.as_array().into_iter().flatten().collect();
    all.sort_by_key(|submission| {
        let name = submission["user"]["username"].as_str().unwrap_or_default();
        (name.starts_with("student"), name.to_owned())
    });
    let ids: Vec<u64> = all.into_iter().map(id).collect();
    let accepted: Vec<u64> = ids
        .iter()
        .enumerate()
        .filter(|(n, _)| *n < 2 || n % 3 == 0)
        .map(|(_, id)| *id)
        .collect();
    let undecided = ids
        .iter()
        .find(|id| !accepted.contains(id))
        .copied()
        .ok_or("all are accepted")?;
    ada.post(
        &format!("{path}submissions/status/"),
        json!({ "submissions": accepted, "status": 4 }),
    )
    .await
    .ok();
    let reason = json!({ "submissions": [{ "id": undecided, "reason": "He was too shy." }] });
    ada.post(&format!("{path}submissions/reason/"), reason)
        .await
        .ok();
    let send = |dry: bool| json!({ "email_type": { "id": "acceptance" }, "dry_run": dry });
    let previews = ada
        .post(&format!("{path}send_emails/"), send(true))
        .await
        .ok();
    assert_eq!(
        previews["previews"].as_array().map(Vec::len),
        Some(accepted.len())
    );
    let answer = ada
        .post(&format!("{path}send_emails/"), send(false))
        .await
        .ok();
    assert_eq!(answer["recipients"], json!(accepted.len()), "{answer}");
    until("all mails", async || {
        decision_mails(cloud)
            .await
            .is_ok_and(|mails| mails.len() >= accepted.len())
    })
    .await?;
    until("all marks", async || {
        let waiting = ada
            .get(&format!("{path}submissions/?email_status=queued,sending"))
            .await
            .ok();
        waiting.as_array().is_some_and(Vec::is_empty)
    })
    .await?;
    let before = cloud.services.mails().await?.len();
    // The stream is delivered again from its beginning, and the officer sends again.
    let mut again = Mapping::new("Changes", &cloud.functions, &cloud.template, &cloud.origin)?;
    while again.deliver().await? {}
    assert_eq!(
        ada.post(&format!("{path}send_emails/"), send(false))
            .await
            .ok()["recipients"],
        0
    );
    assert_eq!(cloud.services.mails().await?.len(), before, "mailed again");
    let mails = decision_mails(cloud).await?;
    let mut each: BTreeMap<&str, usize> = BTreeMap::new();
    for (to, ..) in &mails {
        *each.entry(to).or_default() += 1;
    }
    assert!(
        each.len() == accepted.len() && each.values().all(|count| *count == 1),
        "{each:?}"
    );
    Ok(mails)
}

/// Somebody is erased, which the timer does.
async fn erase(cloud: &Cloud, person: &Caller) -> Result<(), Error> {
    let settings = "/api/settings/";
    person
        .send(Method::DELETE, settings, Value::Null)
        .await
        .accepted();
    assert_eq!(person.get(settings).await.status, StatusCode::FORBIDDEN);
    until("the erasure", async || {
        let run = cloud.functions["Notices"].invoke(&json!({})).await;
        run.is_ok() && person.get(settings).await.status == StatusCode::OK
    })
    .await
}

/// Asks for a test of a webhook whose receiver does not exist, and waits for the first attempt.
async fn webhook(ada: &Caller) -> Result<(), Error> {
    let path = "/api/clubs/lodz-go/webhooks/";
    let body = json!({ "url": "https://receiver.invalid/", "types": ["club.updated"] });
    let webhook = ada.post(path, body).await.created();
    assert!(webhook["secret"].is_string());
    let one = format!("{path}{}/", id(&webhook));
    ada.post(&format!("{one}test/"), json!({})).await.accepted();
    until("an attempt", async || {
        let deliveries = ada.get(&format!("{one}deliveries/")).await.ok();
        deliveries[0]["attempt"] != 0 && deliveries[0]["status"].is_null()
    })
    .await?;
    ada.send(Method::DELETE, &one, Value::Null)
        .await
        .no_content();
    Ok(())
}

/// The mails about decisions that SES took.
async fn decision_mails(cloud: &Cloud) -> Result<Vec<(String, String, String)>, Error> {
    let mut mails = cloud.services.mails().await?;
    mails.retain(|(_, subject, _)| subject == DECISION);
    Ok(mails)
}
