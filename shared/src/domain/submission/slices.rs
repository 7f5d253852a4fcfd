//! Slices of the submissions of an application, newest first. The index `gsi2` has the keys of all
//! submissions in this order, so a slice reads about what it returns.

use std::collections::{HashMap, VecDeque};

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use futures::future::try_join_all;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::Deserialize;

use crate::db::answer::Stored;
use crate::db::read::MAX_BATCH_KEYS;
use crate::db::{Item, Key, Table, TableError};
use crate::domain::application::model::Application;
use crate::domain::keys;
use crate::domain::submission::model::Submission;
use crate::domain::submission::store::{SubmissionQuery, size};
use crate::ids::Id;
use crate::limits;

/// How many submissions are read at once, unless the slice needs fewer. Filters may leave few of
/// them.
const CHUNK: std::ops::RangeInclusive<usize> = 25..=200;

/// What the index by time has about a submission.
#[derive(Deserialize)]
struct IndexEntry {
    gsi2sk: String,
}

/// The newest submissions of one partition that were not read yet.
struct Part {
    pk: String,
    /// The place in the order, and the key.
    entries: VecDeque<(String, Key)>,
    /// Where the next page begins.
    next: Option<Item>,
    is_done: bool,
}

/// Batch reads at a time if each may return 30 MB.
const LARGE_BATCHES: usize = 4;

impl Table {
    /// Like [`Table::submissions_by_id`], without the texts of the answers. Only a few batches are
    /// in memory at a time, because answers may be large.
    pub async fn submissions_without_answers(
        &self,
        application: Id<Application>,
        ids: &[Id<Submission>],
    ) -> Result<Vec<Submission>, TableError> {
        let batches =
            stream::iter(ids.chunks(MAX_BATCH_KEYS).map(<[_]>::to_vec)).map(async |ids| {
                let mut found = self.submissions_by_id(application, &ids).await?;
                for submission in &mut found {
                    submission.answers.drop_texts();
                }
                Ok(found)
            });
        batches.buffered(LARGE_BATCHES).try_concat().await
    }

    /// Returns the newest submissions that `wanted` selects, at most `limit`.
    pub(crate) async fn newest_submissions<F: Fn(&Submission) -> bool>(
        &self,
        application: Id<Application>,
        wanted: &SubmissionQuery<F>,
        limit: usize,
    ) -> Result<Vec<Submission>, TableError> {
        let before = wanted
            .before
            .map(|(sequence, id)| keys::submission_place(sequence, id));
        let mut parts: Vec<Part> = (0..keys::SUBMISSION_PARTS)
            .map(|part| Part {
                pk: keys::submissions(application, part),
                entries: VecDeque::new(),
                next: None,
                is_done: false,
            })
            .collect();
        let (mut found, mut held) = (Vec::new(), 0);
        while found.len() < limit {
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
            let due = entries.iter().map(|(_, key)| key.clone()).collect();
            let mut stored = self.get_entities::<Submission>(due).await?;
            for (place, key) in &entries {
                // The index may be a moment behind: a submission may be gone, or stand in another
                // place because it was withdrawn and made again.
                let is_here = |found: &Submission| {
                    keys::submission_place(found.sequence, found.id.get()) == *place
                };
                if !stored.get(key).is_some_and(is_here) {
                    continue;
                }
                let Some(mut submission) = stored.remove(key) else {
                    continue;
                };
                if found.len() < limit && (wanted.matches)(&submission) {
                    if wanted.without_answers {
                        submission.answers.drop_texts();
                    }
                    held += size(&submission);
                    found.push(submission);
                }
            }
            if held > limits::MAX_HELD_BYTES {
                return Err(TableError::TooMuch);
            }
        }
        Ok(found)
    }

    /// Reads the next page of the index.
    async fn read_entries(
        &self,
        part: &mut Part,
        before: Option<&str>,
        size: usize,
    ) -> Result<(), TableError> {
        let mut names = HashMap::from([("#pk".to_owned(), keys::GSI2PK.to_owned())]);
        let mut values = HashMap::from([(":pk".to_owned(), AttributeValue::S(part.pk.clone()))]);
        let mut condition = "#pk = :pk".to_owned();
        if let Some(before) = before {
            names.insert("#sk".to_owned(), keys::GSI2SK.to_owned());
            values.insert(":sk".to_owned(), AttributeValue::S(before.to_owned()));
            condition.push_str(" AND #sk < :sk");
        }
        let request = self
            .client
            .query()
            .table_name(&self.name)
            .index_name(keys::GSI2)
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
            let IndexEntry { gsi2sk } = item.read()?;
            part.entries.push_back((gsi2sk, item.key()));
        }
        Ok(())
    }
}

/// Takes the newest entries out of all parts, until one of them has to read its next page.
fn newest_entries(parts: &mut [Part], most: usize) -> Vec<(String, Key)> {
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
