//! A drop of tickets: thousands want one of some hundred places within seconds, then some give
//! theirs back, while calls of the table fail and functions are killed. Some send twice, and all
//! try again until they get a response. At the end, every answer must have been right.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use futures::future::{join_all, try_join_all};
use http::Method;
use serde_json::{Value, json};
use shared::time::{Clock as _, SystemClock};
use tests::fixtures::id;

use crate::burst::Tally;
use crate::caller::{Caller, caller};
use crate::checks::check_table;
use crate::{Cloud, Error};

#[derive(Debug, Clone, Copy)]
pub struct Rush {
    pub people: usize,
    pub capacity: usize,
    /// All people order within this time.
    pub seconds: u64,
    /// How many give back what they got or wait for.
    pub returns: usize,
    /// How many of a thousand calls of the table fail.
    pub per_mille: u64,
    /// How often all environments of the function are killed.
    pub kills: u32,
}

/// One person orders. Every fifth sends twice.
async fn order(
    tally: &Tally,
    person: &Caller,
    path: &str,
    body: &Value,
    n: usize,
) -> Result<(), Error> {
    let send = || tally.persist(person, "order", Method::POST, path, body);
    let answers = if n.is_multiple_of(5) {
        try_join_all([send(), send()]).await?
    } else {
        vec![send().await?]
    };
    for answer in answers {
        let state = answer.json()[0]["state"].clone();
        if answer.status != 201 || !(state == "valid" || state == "waiting") {
            return Err(format!("an order: {} {}", answer.status, answer.text()).into());
        }
    }
    Ok(())
}

async fn give_back(tally: &Tally, person: &Caller) -> Result<(), Error> {
    let own = tally.persist(person, "own", Method::GET, "/api/tickets/", &Value::Null);
    let own = own.await?.json();
    let path = format!(
        "/api/tickets/{}/",
        own[0]["id"].as_str().unwrap_or_default()
    );
    let answer = tally.persist(person, "back", Method::DELETE, &path, &Value::Null);
    match answer.await?.status.as_u16() {
        204 => Ok(()),
        other => Err(format!("a return: {other}").into()),
    }
}

/// All tickets, as the officer reads them.
async fn all_tickets(officer: &Caller, path: &str) -> Vec<Value> {
    let (mut all, mut slice) = (Vec::new(), format!("{path}?limit=500"));
    loop {
        let page = officer.get(&slice).await;
        let link = page.header("link").split(['<', '>']).nth(1);
        let link = link.map(|link| link.trim_start_matches("/dev").to_owned());
        all.extend(page.ok().as_array().cloned().unwrap_or_default());
        match link {
            Some(next) => slice = next,
            None => return all,
        }
    }
}

/// What is wrong in the end.
fn findings(all: &[Value], rush: Rush) -> Vec<String> {
    let of = |state: &str| {
        all.iter()
            .filter(|one| one["state"] == state)
            .collect::<Vec<_>>()
    };
    let (valid, waiting) = (of("valid"), of("waiting"));
    let mut wrong = Vec::new();
    if all.len() != rush.people {
        wrong.push(format!("{} tickets of {} people", all.len(), rush.people));
    }
    let most = rush.capacity.min(rush.people - rush.returns);
    if valid.len() != most || valid.len() + waiting.len() != rush.people - rush.returns {
        wrong.push(format!("{} valid, {} wait", valid.len(), waiting.len()));
    }
    let mut holders: BTreeMap<String, usize> = BTreeMap::new();
    for one in all {
        *holders
            .entry(one["holder"]["username"].to_string())
            .or_default() += 1;
    }
    wrong.extend(
        holders
            .into_iter()
            .filter(|(_, n)| *n > 1)
            .map(|(name, _)| format!("{name} twice")),
    );
    wrong
}

/// Makes a showing with one type of ticket, and people who want some. Returns the officer, the path
/// of the showing for officers, the order, and the people.
async fn scene(cloud: &Cloud, rush: Rush) -> Result<(Caller, String, Value, Vec<Caller>), Error> {
    let (ada, _) = caller(cloud, "ada", "ada@uni.example", "Ada Lovelace")?;
    ada.post("/api/clubs/", json!({ "name": "Go" }))
        .await
        .created();
    let time = |hours: i64| json!(SystemClock.now() + TimeDelta::hours(hours));
    let event = ada
        .post("/api/clubs/go/events/", json!({ "name": "Party" }))
        .await
        .created();
    let showing = json!({
        "start_time": time(48), "end_time": time(50), "ticket_order_limit": 1,
        "ticket_types": [{ "name": "Place", "capacity": rush.capacity }],
    });
    let path = format!("/api/clubs/go/events/{}/showings/", id(&event));
    let showing = ada.post(&path, showing).await.created();
    let kind = &showing["ticket_types"][0]["id"];
    let order = json!({ "tickets": [{ "type": kind, "count": 1 }], "wait": true });
    let mut people = Vec::new();
    for n in 0..rush.people {
        let name = format!("person{n}");
        people.push(caller(cloud, &name, &format!("{name}@uni.example"), &name)?.0);
    }
    Ok((ada, format!("{path}{}/", id(&showing)), order, people))
}

/// Runs the rush and prints a row of ARCHITECTURE.md.
pub async fn run(cloud: &Cloud, rush: Rush) -> Result<(), Error> {
    let (ada, path, body, people) = scene(cloud, rush).await?;
    let orders = format!("{}tickets/", path.replace("/clubs/go", ""));
    let (tally, began) = (Tally::default(), Instant::now());
    cloud.faults.hit(rush.per_mille);
    let all = people.iter().enumerate().map(async |(n, person)| {
        let at = rush.seconds * 1_000 * n as u64 / rush.people as u64;
        tokio::time::sleep(Duration::from_millis(at)).await;
        order(&tally, person, &orders, &body, n).await
    });
    let kill = async {
        let mut killed = 0;
        for _ in 0..rush.kills {
            tokio::time::sleep(Duration::from_secs(rush.seconds) / (rush.kills + 1)).await;
            killed += cloud.functions["Tickets"].kill()?;
        }
        Ok::<_, Error>(killed)
    };
    let (ordered, killed) = futures::join!(join_all(all), kill);
    ordered.into_iter().collect::<Result<Vec<()>, Error>>()?;
    println!(
        "{:6.2} s  all have an answer",
        began.elapsed().as_secs_f64()
    );
    let returns = people.iter().take(rush.returns);
    let returns = returns.map(|person| give_back(&tally, person));
    let kill = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        cloud.functions["Tickets"].kill()
    };
    let (returned, again) = futures::join!(join_all(returns), kill);
    returned.into_iter().collect::<Result<Vec<()>, Error>>()?;
    let seconds = began.elapsed().as_secs_f64();
    cloud.faults.hit(0);
    // What was interrupted is done by the timer.
    tokio::time::sleep(Duration::from_secs(35)).await;
    cloud.functions["Notices"].invoke(&json!({})).await?;
    let all = all_tickets(&ada, &format!("{path}tickets/")).await;
    let mut wrong = findings(&all, rush);
    wrong.extend(check_table(cloud).await?);
    println!("{:?}", cloud.faults);
    println!("| People | {} | findings |", Tally::COLUMNS);
    println!(
        "| {} in {seconds:.0} s | {} | {} |",
        rush.people,
        tally.row(cloud.faults.count(), killed? + again?),
        wrong.len()
    );
    if wrong.is_empty() {
        Ok(())
    } else {
        wrong.truncate(20);
        Err(wrong.join("\n").into())
    }
}
