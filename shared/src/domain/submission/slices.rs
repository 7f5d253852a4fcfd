//! Slices of the submissions of an application, newest first. The index `gsi2` has the keys of all
//! submissions in this order, so a slice reads about what it returns.

use crate::db;
use crate::domain::submission::keys;
use std::collections::{HashMap, VecDeque};

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use futures::future::try_join_all;
use serde::Deserialize;

use crate::db::error::check_memory_budget;
use crate::db::response::Stored;
use crate::db::{Item, Key, Table, TableError};
use crate::domain::submission::model::Submission;
use crate::domain::submission::store::{FoundSubmissions, SubmissionQuery};
use crate::ids::{Id, of};

/// How many submissions are read at once, unless the slice needs fewer. Filters may leave few of
/// them.
const CHUNK: std::ops::RangeInclusive<usize> = 25..=200;

/// How many times the limit are read one by one before the partitions are read.
const MOST_EXAMINED: usize = 2;

/// What the index by time has about a submission.
#[derive(Deserialize)]
struct SubmissionEntry {
    gsi2sk: String,
}

/// The newest submissions of one partition that were not read yet.
struct PartQuery {
    pk: String,
    /// The sort key in the order, and the key.
    entries: VecDeque<(String, Key)>,
    /// Where the next page begins.
    next: Option<Item>,
    is_done: bool,
}

impl Table {
    /// Returns the newest submissions that `requested` selects, at most `limit`. If few of those
    /// that were read match, the rest is found by reading the partitions: a query reads several
    /// submissions for the price of one.
    pub(crate) async fn newest_submissions(
        &self,
        application: Id<of::Application>,
        requested: &SubmissionQuery<'_>,
        limit: usize,
    ) -> Result<FoundSubmissions, TableError> {
        let before = requested
            .before
            .map(|(sequence, id)| keys::submission_sort_key(sequence, id));
        let mut parts: Vec<PartQuery> = (0..keys::SUBMISSION_PARTS)
            .map(|part| PartQuery {
                pk: keys::submissions(application, part),
                entries: VecDeque::new(),
                next: None,
                is_done: false,
            })
            .collect();
        let (mut found, mut examined): (Vec<Submission>, usize) = (Vec::new(), 0);
        let mut last = requested.before;
        while found.len() < limit {
            if examined > MOST_EXAMINED * limit.max(*CHUNK.end()) {
                let rest = SubmissionQuery {
                    before: last,
                    limit: Some(limit - found.len()),
                    ..*requested
                };
                let rest = self.best_submissions(application, &rest).await?;
                found.extend(rest.submissions);
                examined += rest.examined;
                break;
            }
            let chunk = (limit - found.len()).clamp(*CHUNK.start(), *CHUNK.end());
            let empty = parts
                .iter_mut()
                .filter(|part| part.entries.is_empty() && !part.is_done);
            try_join_all(empty.map(|part| self.read_entries(part, before.as_deref(), chunk)))
                .await?;
            let entries = newest_entries(&mut parts, chunk);
            // DynamoDB may return an empty page although there are more.
            if entries.is_empty() && parts.iter().all(|part| part.is_done) {
                break;
            }
            let keys_of_entries = entries.iter().map(|(_, key)| key.clone()).collect();
            let mut stored = self.get_entities::<Submission>(keys_of_entries).await?;
            for (sort_key, key) in &entries {
                // The index may be a moment behind: a submission may be gone, or stand in another
                // place because it was withdrawn and made again.
                let is_here = |found: &Submission| {
                    keys::submission_sort_key(found.sequence, found.id.get()) == *sort_key
                };
                if !stored.get(key).is_some_and(is_here) {
                    continue;
                }
                let Some(submission) = stored.remove(key) else {
                    continue;
                };
                examined += 1;
                if found.len() < limit {
                    last = Some(submission.sort_key());
                    if (requested.matches)(&submission) {
                        found.push(submission);
                    }
                }
            }
        }
        check_memory_budget(found.iter().map(Submission::memory_used).sum())?;
        Ok(FoundSubmissions {
            submissions: found,
            examined,
        })
    }

    /// Reads the next page of the index.
    async fn read_entries(
        &self,
        part: &mut PartQuery,
        before: Option<&str>,
        size: usize,
    ) -> Result<(), TableError> {
        let mut names = HashMap::from([("#pk".to_owned(), db::keys::GSI2PK.to_owned())]);
        let mut values = HashMap::from([(":pk".to_owned(), AttributeValue::S(part.pk.clone()))]);
        let mut condition = "#pk = :pk".to_owned();
        if let Some(before) = before {
            names.insert("#sk".to_owned(), db::keys::GSI2SK.to_owned());
            values.insert(":sk".to_owned(), AttributeValue::S(before.to_owned()));
            condition.push_str(" AND #sk < :sk");
        }
        let request = self
            .client
            .query()
            .table_name(&self.name)
            .index_name(db::keys::GSI2)
            .key_condition_expression(condition)
            .set_expression_attribute_names(Some(names))
            .set_expression_attribute_values(Some(values))
            .scan_index_forward(false)
            .set_limit(i32::try_from(size).ok())
            .set_exclusive_start_key(part.next.take())
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let mut found = self.page::<Stored>(request).await?;
        part.next = found.rest.pop();
        part.is_done = part.next.is_none();
        for item in found.items {
            let SubmissionEntry { gsi2sk } = item.read()?;
            part.entries.push_back((gsi2sk, item.key()));
        }
        Ok(())
    }
}

/// Takes the newest entries out of all parts, until one of them has to read its next page.
fn newest_entries(parts: &mut [PartQuery], most: usize) -> Vec<(String, Key)> {
    let mut entries = Vec::with_capacity(most);
    while entries.len() < most
        && parts
            .iter()
            .all(|part| part.is_done || !part.entries.is_empty())
    {
        let newest = parts
            .iter_mut()
            .filter(|part| !part.entries.is_empty())
            .max_by(|a, b| a.entries[0].0.cmp(&b.entries[0].0));
        let Some(entry) = newest.and_then(|part| part.entries.pop_front()) else {
            break;
        };
        entries.push(entry);
    }
    entries
}
