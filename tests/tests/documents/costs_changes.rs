//! Prices of the changes of clubs.

use serde_json::json;
use shared::db::usage::metered;

use super::costs_rig::{Prices, Row, Witness, timed};

/// A row of one batch of the stream.
async fn list(p: &mut Prices, note: &'static str) {
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
    p.rows
}
