//! Compares the changes of a club with the table: nothing may be missing, and nothing twice (Z7).

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::fixtures::id;

use crate::caller::Caller;
use crate::checks::stored;
use crate::{Cloud, Error};

/// How long changes may take until they are listed.
const WITHIN: Duration = Duration::from_mins(1);

/// All changes of a club, the oldest first.
async fn changes(ada: &Caller, club: &str) -> Vec<Value> {
    let (mut all, mut cursor) = (vec![], String::new());
    loop {
        let page = ada
            .get(&format!("/api/clubs/{club}/changes/?limit=200{cursor}"))
            .await
            .ok();
        all.extend(page["results"].as_array().into_iter().flatten().cloned());
        let next = format!("&since={}", page["next"].as_str().unwrap_or_default());
        if next == cursor {
            return all;
        }
        cursor = next;
    }
}

/// How often each submission of a club was stored, as the table says.
async fn revisions(cloud: &Cloud, club: &str) -> Result<BTreeMap<u64, u64>, Error> {
    let number = |value: &Value| value["N"].as_str().and_then(|text| text.parse().ok());
    let items = stored(cloud).await?;
    let of_club = items
        .iter()
        .filter(|item| item["type"]["S"] == "Submission" && item["club"]["S"] == club);
    let counted =
        of_club.filter_map(|item| Some((number(&item["id"])?, number(&item["revision"])?)));
    Ok(counted.collect())
}

/// Waits until all changes are listed. Returns how many there are.
///
/// # Errors
///
/// If after a minute a submission has more or fewer changes than it was stored, or if a change is
/// listed twice.
pub(crate) async fn compare(cloud: &Cloud, ada: &Caller, club: &str) -> Result<usize, Error> {
    let expected = revisions(cloud, club).await?;
    let began = Instant::now();
    loop {
        let all = changes(ada, club).await;
        let mut listed: BTreeMap<u64, u64> = BTreeMap::new();
        for change in &all {
            if matches!(
                change["type"].as_str(),
                Some("submission.created" | "submission.updated")
            ) {
                *listed.entry(id(&change["object"])).or_default() += 1;
            }
        }
        let different: BTreeSet<u64> = all.iter().map(id).collect();
        if different.len() != all.len() {
            return Err("a change is listed twice".into());
        }
        if listed == expected {
            return Ok(all.len());
        }
        if began.elapsed() > WITHIN {
            let wrong = expected.iter().filter(|(id, n)| listed.get(id) != Some(*n));
            return Err(format!(
                "changes of {} submissions are missing or twice",
                wrong.count()
            )
            .into());
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
