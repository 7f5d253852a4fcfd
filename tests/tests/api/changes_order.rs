//! The order of changes: each once, whatever the stream and the function do (Z7).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aws_lambda_events::event::dynamodb::Event;
use chrono::TimeDelta;
use futures::FutureExt as _;
use local::stream::Stream;
use serde_json::{Value, json};
use tests::faults::Faults;
use tests::fixtures::id;
use tests::{Client, Setup, TestCampus};

use crate::changes::{all, since};

fn event(records: &[Value]) -> Event {
    serde_json::from_value(json!({ "Records": records })).expect("records")
}

/// The ids of the changes of a club, in their order.
async fn ids(officer: &Client) -> Vec<u64> {
    all(officer, "chess").await.0.iter().map(id).collect()
}

/// The next records for the feed.
fn next(stream: &Stream) -> Vec<Value> {
    let event = stream.next().expect("a stream");
    let record = |record| serde_json::to_value(record).expect("a record");
    event.records.iter().map(record).collect()
}

// proves Z7
#[tokio::test]
async fn repeated_and_unordered_records_are_one_change_each() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    for n in 0..60 {
        recruitment.submit(&campus.as_(&format!("s{n}"))).await;
    }
    let feed = &campus.campus.feed;
    let mut records = vec![];
    let other = || {
        let (engine, clock) = (campus.campus.engine.clone(), campus.campus.clock.clone());
        Stream::open(engine, clock, None)
    };
    let reader = other();
    loop {
        let more = next(&reader);
        if more.is_empty() {
            break;
        }
        records.extend(more);
        reader.deliver(feed).await.expect("a stream");
    }
    let once = ids(&recruitment.officer).await;
    assert_eq!(once.len(), 60 + 3);
    // All of them again: in other batches, the later ones first, two functions at once.
    let (first, second) = records.split_at(records.len() / 3);
    let (second, first) = (event(second), event(first));
    futures::join!(
        feed.handle(second.clone()),
        feed.handle(first),
        feed.handle(second)
    );
    campus.list_changes().await;
    assert_eq!(ids(&recruitment.officer).await, once);
}

// proves Z7
#[tokio::test]
async fn a_shard_that_lags_comes_after_what_was_read() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    campus.list_changes().await;
    let (begin, cursor) = all(&recruitment.officer, "chess").await;
    for n in 0..4 {
        recruitment.submit(&campus.as_(&format!("s{n}"))).await;
        campus
            .member("chess", &recruitment.officer, &format!("m{n}"), 20)
            .await;
    }
    let records = next(&campus.campus.stream);
    let is_late = |record: &Value| {
        let pk = record["dynamodb"]["Keys"]["pk"]["S"].as_str();
        pk.is_some_and(|pk| pk.starts_with("SUBMISSIONS#"))
    };
    let (late, now): (Vec<Value>, Vec<Value>) = records.into_iter().partition(is_late);
    let feed = &campus.campus.feed;
    feed.handle(event(&now)).await;
    let (first, cursor_then) = since(&recruitment.officer, "chess", &cursor).await;
    assert_eq!(first.len(), 4);
    // The other shard is read at last. Nothing of it is before the cursor.
    feed.handle(event(&late)).await;
    let (second, _) = since(&recruitment.officer, "chess", &cursor_then).await;
    assert!(second.iter().all(|one| one["type"] == "submission.created"));
    assert_eq!(second.len(), 4);
    let whole: Vec<Value> = [begin, first, second].concat();
    assert_eq!(all(&recruitment.officer, "chess").await.0, whole);
}

// proves Z7
#[tokio::test(start_paused = true)]
async fn feed_has_no_gap_and_no_double_under_faults() {
    for seed in 1..4 {
        let faults = Faults::new(seed);
        let campus = Setup::default().hook(faults.clone().hook()).build();
        let recruitment = campus.recruitment("chess").await;
        for n in 0..30 {
            let sue = campus.as_(&format!("s{n}"));
            let submission = recruitment.submit(&sue).await;
            if n % 3 == 0 {
                recruitment.decide(&submission, 4, "").await;
            }
            if n % 3 == 1 {
                let own = format!("/api/submissions/{}/", id(&submission));
                sue.delete(&own).await.no_content();
            }
        }
        faults.hit(300);
        campus.list_changes().await;
        faults.hit(0);
        campus.list_changes().await;
        let (changes, _) = all(&recruitment.officer, "chess").await;
        let count = |kind: &str| changes.iter().filter(|one| one["type"] == kind).count();
        assert_eq!(
            (
                count("submission.created"),
                count("submission.decided"),
                count("submission.withdrawn")
            ),
            (30, 10, 10),
            "seed {seed}"
        );
        let mut different: Vec<u64> = changes.iter().map(id).collect();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), changes.len());
    }
}

// proves Z7
#[tokio::test]
async fn changes_and_cursors_last_thirty_days() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment_now("chess").await;
    campus.list_changes().await;
    let (begin, cursor) = all(&recruitment.officer, "chess").await;
    campus.advance(TimeDelta::days(20));
    let subtitle = |text: &str| {
        let (officer, body) = (recruitment.officer.clone(), json!({ "subtitle": text }));
        async move { officer.patch("/api/clubs/chess/", body).await.ok() }
    };
    subtitle("later").await;
    campus.list_changes().await;
    let (more, then) = since(&recruitment.officer, "chess", &cursor).await;
    assert_eq!(more.len(), 1);
    campus.advance(TimeDelta::days(10));
    let (still, _) = since(&recruitment.officer, "chess", &cursor).await;
    assert_eq!(still, more);
    assert_eq!(
        all(&recruitment.officer, "chess").await.0.len(),
        begin.len() + 1
    );
    campus.advance(TimeDelta::days(1));
    // The first ones are gone, and so is a cursor that is older than thirty days.
    assert_eq!(all(&recruitment.officer, "chess").await.0, more);
    let path = format!("/api/clubs/chess/changes/?since={cursor}");
    let expired = recruitment.officer.get(&path).await;
    assert_eq!(
        (expired.status.as_u16(), &expired.json()["code"]),
        (410, &json!("cursor_expired"))
    );
    // Who asks every day keeps the place in a club in which nothing happens.
    let mut cursor = then;
    for _ in 0..50 {
        campus.advance(TimeDelta::days(1));
        let (nothing, next) = since(&recruitment.officer, "chess", &cursor).await;
        assert!(nothing.is_empty());
        cursor = next;
    }
    assert!(all(&recruitment.officer, "chess").await.0.is_empty());
    subtitle("at last").await;
    campus.list_changes().await;
    assert_eq!(
        since(&recruitment.officer, "chess", &cursor).await.0.len(),
        1
    );
}

// proves Z7
#[tokio::test]
async fn pages_and_cursors() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let before = since(&recruitment.officer, "chess", "").await;
    assert!(before.0.is_empty());
    for n in 0..20 {
        recruitment.submit(&campus.as_(&format!("s{n}"))).await;
    }
    campus.list_changes().await;
    let (whole, end) = all(&recruitment.officer, "chess").await;
    let (mut read, mut cursor) = (vec![], before.1);
    while read.len() < whole.len() {
        let path = format!("/api/clubs/chess/changes/?limit=7&since={cursor}");
        let page = recruitment.officer.get(&path).await.ok();
        let results = page["results"].as_array().expect("changes").clone();
        assert!(!results.is_empty() && results.len() <= 7);
        read.extend(results);
        page["next"]
            .as_str()
            .expect("a cursor")
            .clone_into(&mut cursor);
    }
    assert_eq!(read, whole);
    campus.club("go", &recruitment.officer).await;
    for wrong in ["x", "1-2", &format!("{end}0"), &end[1..]] {
        let path = format!("/api/clubs/chess/changes/?since={wrong}");
        recruitment.officer.get(&path).await.invalid(&["since"]);
    }
    // Anybody can make one of a number that does not exist.
    let now = tests::start().timestamp();
    let text = format!("{:x}-0-{now:x}", u64::MAX);
    let check = shared::ids::derived("cursor", &["chess", &text]) & 0xffff_ffff;
    let path = format!("/api/clubs/chess/changes/?since={text}-{check:x}");
    recruitment.officer.get(&path).await.error(410);
    // A cursor of another club.
    let path = format!("/api/clubs/go/changes/?since={end}");
    recruitment.officer.get(&path).await.invalid(&["since"]);
    for limit in ["0", "201", "x"] {
        let path = format!("/api/clubs/chess/changes/?limit={limit}");
        recruitment.officer.get(&path).await.invalid(&["limit"]);
    }
}

// proves Z7
#[tokio::test]
async fn cursor_of_a_restored_table_is_expired() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    campus.list_changes().await;
    let (_, cursor) = all(&recruitment.officer, "chess").await;
    let stored = campus.stored();
    let of = |kind: &str| {
        let found = stored.iter().rfind(|item| item["type"]["S"] == kind);
        found.expect("an item").clone()
    };
    // The last change is another one now.
    let (mut last, count) = (of("ClubChange"), of("ChangeCount"));
    last["number"] = count["last"].clone();
    last["sk"] = json!({ "S": format!("{:0>16}", count["last"]["N"].as_str().unwrap_or("")) });
    last["id"] = json!({ "N": "1" });
    let put = json!({ "TableName": local::table::TABLE, "Item": last });
    campus.campus.engine.json("PutItem", &put).expect("a write");
    let path = format!("/api/clubs/chess/changes/?since={cursor}");
    assert_eq!(recruitment.officer.get(&path).await.status.as_u16(), 410);
}

// proves Z7
#[tokio::test]
async fn cursor_does_not_pass_an_unseen_change() {
    let hides = Arc::new(AtomicBool::new(false));
    let hidden = hides.clone();
    let campus = Setup::default()
        .hook(Arc::new(move |call| {
            let is_hidden = hidden.load(Ordering::SeqCst) && call.operation == "Query";
            async move {
                let local::engine::Reply::Response(status, body) =
                    is_hidden.then(|| call.apply(&call.body))?
                else {
                    return None;
                };
                let mut body: Value = serde_json::from_str(&body).ok()?;
                let is_second = |item: &Value| item["number"]["N"] == "2";
                let items = body["Items"].as_array_mut()?;
                items.retain(|item| !is_second(item));
                Some(local::engine::Reply::Response(status, body.to_string()))
            }
            .boxed()
        }))
        .build();
    let recruitment = campus.recruitment("chess").await;
    campus.list_changes().await;
    hides.store(true, Ordering::SeqCst);
    let (some, cursor) = since(&recruitment.officer, "chess", "").await;
    assert_eq!(some.len(), 1);
    hides.store(false, Ordering::SeqCst);
    let (rest, _) = since(&recruitment.officer, "chess", &cursor).await;
    let whole = all(&recruitment.officer, "chess").await.0;
    assert_eq!([some, rest].concat(), whole);
}

// proves Z7
#[tokio::test(start_paused = true)]
async fn unreadable_record_waits() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    campus.list_changes().await;
    let before = ids(&recruitment.officer).await;
    recruitment.submit(&campus.as_("sue")).await;
    recruitment.submit(&campus.as_("eve")).await;
    let records = next(&campus.campus.stream);
    let is_submission =
        |record: &&Value| record["dynamodb"]["NewImage"]["type"]["S"] == "Submission";
    let records: Vec<Value> = records.iter().filter(is_submission).cloned().collect();
    let [first, second] = &records[..] else {
        panic!("{records:?}");
    };
    // A later release has other words for a status.
    let mut later = second.clone();
    later["dynamodb"]["NewImage"]["status"] = json!({ "S": "waiting" });
    // The stream of a table that was restored by hand has no old images.
    let mut without = second.clone();
    without["eventName"] = json!("MODIFY");
    let feed = &campus.campus.feed;
    for unread in [later, without] {
        let response = feed
            .handle(event(&[first.clone(), unread, first.clone()]))
            .await;
        let failed = response.batch_item_failures.first().expect("a failure");
        let sequence = second["dynamodb"]["SequenceNumber"].as_str();
        assert_eq!(failed.item_identifier.as_deref(), sequence);
        assert_eq!(ids(&recruitment.officer).await.len(), before.len() + 1);
    }
    // The same record twice in a batch.
    feed.handle(event(&[second.clone(), second.clone()])).await;
    assert_eq!(ids(&recruitment.officer).await.len(), before.len() + 2);
}

// proves Z7
#[tokio::test]
async fn a_batch_has_at_most_6_mb_and_the_rest_comes_next() {
    let campus = TestCampus::new();
    campus.list_changes().await;
    for n in 0..20 {
        let item = json!({
            "pk": { "S": "CLUB#large" },
            "sk": { "S": format!("OTHER#{n:02}") },
            "type": { "S": "Other" },
            "text": { "S": "a".repeat(380_000) },
        });
        let put = json!({ "TableName": "clubs", "Item": item });
        campus.campus.engine.json("PutItem", &put).expect("stored");
    }
    let (stream, feed) = (&campus.campus.stream, &campus.campus.feed);
    let mut seen = vec![];
    loop {
        let records = next(stream);
        if records.is_empty() {
            break;
        }
        let bytes: usize = records.iter().map(|record| record.to_string().len()).sum();
        assert!(bytes < 6 << 20, "{bytes}");
        seen.extend(
            records
                .iter()
                .map(|record| record["dynamodb"]["Keys"]["sk"]["S"].clone()),
        );
        stream.deliver(feed).await.expect("a stream");
    }
    let all: Vec<Value> = (0..20).map(|n| json!(format!("OTHER#{n:02}"))).collect();
    assert_eq!(seen, all);
}

// In a quiet club the cursor is a new one each hour.
// proves Z7
#[tokio::test]
async fn cursor_is_good_for_thirty_days() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.list_changes().await;
    let (_, first) = all(&ada, "chess").await;
    campus.advance(TimeDelta::hours(23));
    let ask = async |cursor: &Value| {
        let cursor = cursor.as_str().expect("a cursor");
        let path = format!("/api/clubs/chess/changes/?since={cursor}");
        campus.as_("ada").get(&path).await
    };
    let second = ask(&json!(first)).await.ok()["next"].clone();
    campus.advance(TimeDelta::hours(29 * 24 + 2));
    let last = ask(&second).await.ok();
    assert_eq!(
        (&last["results"], ask(&json!(first)).await.status.as_u16()),
        (&json!([]), 410)
    );
}
