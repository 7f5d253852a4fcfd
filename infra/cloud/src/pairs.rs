//! What a table does on a bad day, to the release binaries: the first write of a request arrives
//! 4.5 seconds late, after the opposite of the request; the indexes are two seconds behind; and a
//! function is killed after each of its calls.

use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::map_request;
use http::Uri;
use local::issuer::Subject;
use serde_json::Value;
use shared::time::{Clock as _, SystemClock};
use tests::Client;
use tests::faults::HELD;
use tests::pairs::{PAIRS, Scene};

use crate::checks::{check_table, stored};
use crate::{Cloud, Error};

/// How far the indexes are behind.
const BEHIND: Duration = Duration::from_secs(2);
/// No request makes more calls of the table than this.
const MOST_CALLS: u64 = 120;

/// The API below `/api/`, as clients of the distribution see it.
fn api(cloud: &Cloud) -> Router {
    let staged = async |mut request: Request| {
        let path = format!("/dev{}", request.uri());
        if let Ok(uri) = path.parse::<Uri>() {
            *request.uri_mut() = uri;
        }
        request
    };
    let gateway = cloud.gateway.router();
    Router::new()
        .fallback_service(gateway)
        .layer(map_request(staged))
}

async fn scene(cloud: &Cloud, name: &str) -> Result<Scene, Error> {
    let client = |username: &str| -> Result<Client, Error> {
        let subject = Subject {
            username: format!("{username}-{name}"),
            email: Some(format!("{username}-{name}@uni.example")),
            name: Some(format!("{username} Test")),
            ..Subject::default()
        };
        Ok(Client::new(api(cloud), Some(cloud.token(&subject)?)))
    };
    Ok(Scene::new(name, client("ada")?, client("sue")?, SystemClock.now()).await)
}

/// Plays the first `count` pairs with this word in their name, and then kills the function at each call of `count` requests.
pub async fn run(cloud: &Cloud, count: usize, only: &str) -> Result<(), Error> {
    cloud.faults.lag(BEHIND);
    let functions: Vec<_> = cloud.functions.values().cloned().collect();
    cloud.faults.killed_by(move || {
        for function in &functions {
            let _ = function.kill();
        }
    });
    let pairs = || PAIRS.iter().filter(|pair| pair.contains(only)).take(count);
    for (n, pair) in pairs().enumerate() {
        arrives_late(cloud, pair, &format!("late-{n}")).await?;
        println!("late: {pair}");
    }
    for (n, pair) in pairs().enumerate() {
        let kills = killed_at_each_call(cloud, pair, n).await?;
        println!("killed {kills} times: {pair}");
    }
    let wrong = check_table(cloud).await?;
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("the table is wrong: {wrong:?}").into())
    }
}

/// The first write of the pair arrives after its opposite. It must change nothing.
async fn arrives_late(cloud: &Cloud, pair: &str, name: &str) -> Result<(), Error> {
    let scene = scene(cloud, name).await?.ready_for(pair).await;
    cloud.faults.hold(1);
    let began = tokio::time::Instant::now();
    scene.play(pair, || ()).await;
    if cloud.faults.to_be_held() > 0 {
        return Err(format!("{pair}: nothing was held back").into());
    }
    if began.elapsed() > HELD {
        return Err(format!("{pair}: took {:?}, so nothing was late", began.elapsed()).into());
    }
    let before = stored(cloud).await?;
    tokio::time::sleep(HELD).await;
    let after = stored(cloud).await?;
    // The mailer and the list of changes may still be at work.
    let is_later = |item: &Value| {
        let kind = item["type"]["S"].as_str().unwrap_or_default();
        kind.starts_with("Mail") || ["ClubChange", "ChangeCount", "KnownChange"].contains(&kind)
    };
    let mut new = after.iter().filter(|item| !before.contains(item));
    match new.find(|item| !is_later(item)) {
        None => Ok(()),
        Some(item) => Err(format!("{pair}: a late write stored {item}").into()),
    }
}

/// Kills all functions after the first call of the opposite, then after the second, and so on.
/// Whoever sends the request again gets to the same end.
async fn killed_at_each_call(cloud: &Cloud, pair: &str, number: usize) -> Result<u64, Error> {
    for call in 1..=MOST_CALLS {
        let scene = scene(cloud, &format!("killed-{number}-{call}")).await?;
        let scene = scene.ready_for(pair).await;
        scene.play(pair, || cloud.faults.kill_after(call)).await;
        if cloud.faults.is_to_kill() {
            cloud.faults.kill_after(0);
            return Ok(call - 1);
        }
    }
    Err(format!("{pair} makes more than {MOST_CALLS} calls").into())
}
