//! Answers and the submissions that name them.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use shared::ids::order_number;

use crate::finding::{Finding, Repair};
use crate::{StoredItems, number, place};

/// Answers are written before their submission. Younger ones may belong to a request that is at
/// work.
pub(crate) const AT_WORK: TimeDelta = TimeDelta::hours(1);

/// Submissions whose answers are missing, and answers that no submission names.
pub(crate) fn check(stored: &StoredItems, now: DateTime<Utc>) -> Vec<Finding> {
    let name = |item: &Value, of: &str, at: &str| {
        let part = |name: &str| number(&item[name]).to_owned();
        (part(of), part(at))
    };
    let sheets: BTreeSet<_> = stored
        .of("Answers")
        .map(|sheet| name(sheet, "submission", "at"))
        .collect();
    let named: BTreeSet<_> = stored
        .of("Submission")
        .map(|submission| name(submission, "id", "answers_at"))
        .collect();
    let last = order_number(now - AT_WORK);
    let is_missing = |submission: &&Value| {
        let (id, at) = name(submission, "id", "answers_at");
        // What was submitted while the items were read may be there in part.
        let is_settled = at.parse().is_ok_and(|at: u64| (1..last).contains(&at));
        is_settled && !sheets.contains(&(id, at))
    };
    let missing = stored.of("Submission").filter(is_missing);
    let missing =
        missing.map(|one| Finding::from(format!("{}: its answers are missing", place(one))));
    let is_left = |sheet: &&Value| {
        let at: u64 = number(&sheet["at"]).parse().unwrap_or(0);
        at < last && !named.contains(&name(sheet, "submission", "at"))
    };
    let left = stored.of("Answers").filter(is_left);
    let left = left.map(|sheet| Finding {
        text: format!("{}: no submission names these answers", place(sheet)),
        repair: Some(Repair::DeleteAnswers(sheet.clone())),
    });
    missing.chain(left).collect()
}

/// Submissions of erased people that remember keys. With a key, a submission keeps a hash of what
/// was answered, and short answers can be found by trying (P15).
pub(crate) fn remembered(stored: &StoredItems) -> Vec<Finding> {
    let is_wrong = |one: &&Value| {
        let keys = one["keys"]["L"].as_array();
        number(&one["person"]).is_empty() && keys.is_some_and(|keys| !keys.is_empty())
    };
    let wrong = stored.of("Submission").filter(is_wrong);
    wrong
        .map(|one| Finding {
            text: format!("{}: it remembers keys of an erased person", place(one)),
            repair: Some(Repair::SetCount {
                item: one.clone(),
                attribute: "keys",
                value: json!({ "L": [] }),
            }),
        })
        .collect()
}
