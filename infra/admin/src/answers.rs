//! Answers and the submissions that name them.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use shared::ids::order_number;

use crate::finding::{Finding, Repair};
use crate::{StoredItems, label, number};

/// Answers are written before their submission. Younger ones may belong to a request that is at
/// work.
pub(crate) const AT_WORK: TimeDelta = TimeDelta::hours(1);

/// Submissions whose answers are missing, and answers that no submission names.
pub(crate) fn check(stored: &StoredItems, now: DateTime<Utc>) -> Vec<Finding> {
    let name = |item: &Value, of: &str, at: &str| {
        let part = |name: &str| number(&item[name]).to_owned();
        (part(of), part(at))
    };
    let submission_answers: BTreeSet<_> = stored
        .of("Answers")
        .map(|submission_answers| name(submission_answers, "submission", "at"))
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
        is_settled && !submission_answers.contains(&(id, at))
    };
    let missing = stored.of("Submission").filter(is_missing);
    let missing =
        missing.map(|one| Finding::from(format!("{}: its answers are missing", label(one))));
    let is_left = |submission_answers: &&Value| {
        let at: u64 = number(&submission_answers["at"]).parse().unwrap_or(0);
        at < last && !named.contains(&name(submission_answers, "submission", "at"))
    };
    let left = stored.of("Answers").filter(is_left);
    let left = left.map(|submission_answers| Finding {
        text: format!(
            "{}: no submission names these answers",
            label(submission_answers)
        ),
        repair: Some(Repair::DeleteAnswers(submission_answers.clone())),
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
            text: format!("{}: it remembers keys of an erased person", label(one)),
            repair: Some(Repair::SetCount {
                item: one.clone(),
                attribute: "keys",
                value: json!({ "L": [] }),
            }),
        })
        .collect()
}
