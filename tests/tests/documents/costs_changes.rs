//! Prices of the changes of clubs, and of webhooks.

use chrono::TimeDelta;
use serde_json::json;
use shared::db::usage::metered;
use shared::domain::ClubChange;
use shared::ids::Id;
use tests::Client;
use tests::fixtures::code;

use super::costs_rig::{Prices, Row, Witness, timed};

/// A row of one batch of the stream.
pub(super) async fn list(p: &mut Prices, note: &'static str) {
    p.serving(Some("Changes"));
    let (stream, feed) = (&p.campus.campus.feed_stream, &p.campus.campus.feed);
    let ((done, usage), rounds) = timed(Box::pin(metered(stream.deliver(&**feed)))).await;
    p.serving(None);
    done.expect("a stream");
    p.add("(changes)", note, usage, rounds);
}

/// Rows of storing changes, and of reading them.
pub(super) async fn changes(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let drive = p.campus.drive("chess").await;
    p.campus.list_changes().await;
    drive.submit(&p.campus.as_("sue")).await;
    list(&mut p, "1 change").await;
    for n in 0..49 {
        drive.submit(&p.campus.as_(&format!("s{n}"))).await;
    }
    list(&mut p, "49 changes of a club").await;
    for n in 0..150 {
        drive.submit(&p.campus.as_(&format!("t{n}"))).await;
    }
    p.campus.list_changes().await;
    let ada = drive.officer.clone();
    let path = "/api/clubs/chess/changes/";
    let first = ada.get(path).await.ok();
    let after = format!(
        "{path}?limit=200&since={}",
        first["next"].as_str().unwrap_or("")
    );
    let note = "100, by 100 people";
    p.get("list_changes", note, &ada, path).await;
    let rest = ada.get(&after).await.ok();
    let end = format!("{path}?since={}", rest["next"].as_str().unwrap_or(""));
    p.get("list_changes", "nothing new", &ada, &end).await;
    let subtitle = json!({ "subtitle": "x" });
    ada.patch("/api/clubs/chess/", subtitle).await.ok();
    p.campus.list_changes().await;
    p.get("list_changes", "1 new", &ada, &end).await;
    for n in 0..21 {
        let body = json!({ "subtitle": n.to_string() });
        ada.patch("/api/clubs/chess/", body).await.ok();
    }
    p.campus.list_changes().await;
    p.get(
        "list_changes",
        "200 and more",
        &ada,
        &format!("{path}?limit=200"),
    )
    .await;
    hidden(&mut p).await;
    p.rows
}

/// A row of a token that may see none of the changes that it has to go past: the most that one
/// request reads.
async fn hidden(p: &mut Prices) {
    let ada = p.campus.as_("ada");
    p.campus.club("go", &ada).await;
    p.campus.list_changes().await;
    let club = code("go");
    let table = &p.campus.campus.app.table;
    let count = table.change_count(&club).await.expect("a table");
    let count = count.expect("a count");
    let now = p.campus.campus.app.now();
    let of_members = table.changes_from(&club, 1, 1).await.expect("a table");
    let more: Vec<ClubChange> = (count.last + 1..=count.last + 2_000)
        .map(|number| ClubChange {
            number,
            id: Id::new(number + 1_000),
            ..of_members[0].clone()
        })
        .collect();
    table.load(&more).await.expect("a table");
    table
        .load(&[count.after(&more, now)])
        .await
        .expect("a table");
    let ask = json!({ "name": "n", "scopes": ["recruitment:read"] });
    let token = ada.post("/api/settings/tokens/", ask).await.created();
    let token = p
        .campus
        .with_token(token["token"].as_str().unwrap_or_default());
    let path = "/api/clubs/go/changes/";
    token.get(path).await.ok();
    p.get(
        "list_changes",
        "a token that may see none of 1,000",
        &token,
        path,
    )
    .await;
}

/// A row of all calls that are due.
async fn call(p: &mut Prices, note: &'static str) {
    p.serving(Some("Webhooks"));
    let (calls, dispatcher) = (&p.campus.campus.calls, &p.campus.campus.dispatcher);
    let ((_, usage), rounds) = timed(Box::pin(metered(calls.deliver(dispatcher)))).await;
    p.serving(None);
    p.add("(webhooks)", note, usage, rounds);
}

/// Rows of webhooks: handing a change on, and telling it.
pub(super) async fn webhooks(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let ada = p.campus.as_("ada");
    p.campus.club("chess", &ada).await;
    let change = async |p: &Prices, text: &str| {
        let body = json!({ "subtitle": text });
        p.campus
            .as_("ada")
            .patch("/api/clubs/chess/", body)
            .await
            .ok();
    };
    p.campus.list_changes().await;
    let path = "/api/clubs/chess/webhooks/";
    let body = |status: u16| {
        let url = format!("https://chat.example/{status}");
        json!({ "url": url, "types": ["club.updated"] })
    };
    let made = ada.post(path, body(204)).await.created();
    change(&p, "a").await;
    list(&mut p, "1 change, with a webhook").await;
    call(&mut p, "told").await;
    let one = format!("{path}{}/", made["id"]);
    ada.patch(&one, json!({ "url": "https://chat.example/500" }))
        .await
        .ok();
    change(&p, "b").await;
    p.campus.list_changes().await;
    call(&mut p, "failed").await;
    p.campus.advance(TimeDelta::seconds(5));
    call(&mut p, "its repeat failed").await;
    ada.patch(&one, json!({ "url": "https://chat.example/204" }))
        .await
        .ok();
    p.campus.advance(TimeDelta::minutes(5));
    call(&mut p, "told after failures").await;
    ada.post(&format!("{one}test/"), json!({})).await.accepted();
    list(&mut p, "a test of a webhook").await;
    ada.patch(&one, json!({ "url": "https://chat.example/410" }))
        .await
        .ok();
    call(&mut p, "gone, and its creator is mailed").await;
    let bob = p.campus.member("chess", &ada, "bob", 0).await;
    bob.patch(&one, json!({ "active": true })).await.ok();
    p.campus.call_webhooks().await;
    let bob = bob.get("/api/settings/").await.ok()["username"].clone();
    let bob = bob.as_str().unwrap_or_default().to_owned();
    ada.patch(
        &format!("/api/clubs/chess/members/{bob}/"),
        json!({ "role": 20 }),
    )
    .await
    .ok();
    p.campus.list_changes().await;
    call(&mut p, "off, and the owners are mailed").await;
    many(&mut p, &ada).await;
    p.rows
}

/// Rows of a club with as many webhooks and deliveries as it may have, as long as they may be.
async fn many(p: &mut Prices, ada: &Client) {
    let path = "/api/clubs/chess/webhooks/";
    let all: Vec<&str> = "submission.created submission.updated submission.withdrawn \
        submission.decided interview.booked interview.moved member.added member.updated \
        event.created event.updated"
        .split_whitespace()
        .collect();
    let url = format!("https://chat.example/{}", "x".repeat(1_900));
    let body = json!({ "url": url, "types": all, "description": "d".repeat(200) });
    let mut one = String::new();
    for _ in 1..5 {
        let made = ada.post(path, body.clone()).await.created();
        one = format!("{path}{}/", made["id"]);
        for _ in 1..5 {
            ada.post(&format!("{one}secret/"), json!({})).await.ok();
        }
    }
    for n in 0..110 {
        // 30 tests are possible in an hour.
        if n % 30 == 0 {
            p.campus.advance(TimeDelta::hours(1));
        }
        ada.post(&format!("{one}test/"), json!({})).await.accepted();
    }
    p.get("list_club_webhooks", "5, as long as they may be", ada, path)
        .await;
    let deliveries = format!("{one}deliveries/");
    p.get("list_club_deliveries", "100", ada, &deliveries).await;
}
