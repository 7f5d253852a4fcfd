//! Lists of submissions, with what they refer to. Those of a person (S10): the index may be behind,
//! so what was submitted within the last hour is also found by the recent submissions that were
//! noted. Those of an application come in slices, newest first: the index `gsi2` has the keys of
//! all submissions in this order, so a slice reads about what it returns.

use std::collections::{BTreeSet, HashMap, VecDeque};

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use futures::future::try_join_all;
use serde::Deserialize;

use crate::db::error::check_memory_budget;
use crate::db::read::{MAX_BATCH_KEYS, Range};
use crate::db::response::{AnyItem as _, Stored, readable};
use crate::db::{Entity as _, Item, Key, Table, TableError};
use crate::domain::application::model::Application;
use crate::domain::club::model::Club;
use crate::domain::question::model::Prompt;
use crate::domain::slot::model::Slot;
use crate::domain::submission::keys;
use crate::domain::submission::model::{Answered, Submission};
use crate::domain::submission::store::{
    FoundSubmissions, StoredSubmission, SubmissionQuery, Withdrawal,
};
use crate::domain::{application, club, person, question, slot};
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::{db, limits};

impl Table {
    /// Returns whether a person has applied to a club: 1 query of the index, then 1 batch read per
    /// 100 applications of theirs.
    pub async fn has_applied(
        &self,
        person: Id<of::Person>,
        club: &ClubCode,
    ) -> Result<bool, TableError> {
        let range = Range::Prefix(keys::OWN_SUBMISSIONS.into());
        let entries = self.index_entries(person::keys::own(person), range).await?;
        let applications: BTreeSet<Id<of::Application>> = entries
            .iter()
            .filter_map(|entry| keys::application_of_submission(&entry.key()))
            .collect();
        let requested = applications
            .iter()
            .map(|id| application::keys::application(club, *id));
        Ok(!self.get_many(requested.collect()).await?.is_empty())
    }

    /// Returns a person's own submissions, newest first, and what remains of the withdrawn ones: 1
    /// query of the index, 1 query of the person's partition, and 1 batch read per 100.
    pub async fn applied_of(
        &self,
        person: Id<of::Person>,
    ) -> Result<(Vec<Submission>, Vec<Withdrawal>), TableError> {
        let requested = self.own_keys(person).await?;
        self.own_summaries(person, requested).await
    }

    /// Returns a person's own submissions to one application, newest first: 1 query of the index, 1
    /// query of the person's partition, and 1 batch read if there are any.
    pub async fn submitted_to(
        &self,
        person: Id<of::Person>,
        application: Id<of::Application>,
    ) -> Result<Vec<Submission>, TableError> {
        let mut requested = self.own_keys(person).await?;
        requested.retain(|key| keys::application_of_submission(key) == Some(application));
        let (own, _) = self.own_summaries(person, requested).await?;
        Ok(own)
    }

    /// The keys of a person's submissions, also of withdrawn ones.
    async fn own_keys(&self, person: Id<of::Person>) -> Result<Vec<Key>, TableError> {
        let range = Range::Prefix(keys::OWN_SUBMISSIONS.into());
        let (entries, one) = futures::try_join!(
            self.index_entries(person::keys::own(person), range),
            self.recent_submissions(person)
        )?;
        let one = one
            .iter()
            .map(|one| keys::submission(one.application, one.submission));
        let keys: BTreeSet<Key> = entries.iter().map(Stored::key).chain(one).collect();
        Ok(keys.into_iter().collect())
    }

    async fn own_summaries(
        &self,
        person: Id<of::Person>,
        requested: Vec<Key>,
    ) -> Result<(Vec<Submission>, Vec<Withdrawal>), TableError> {
        let (mut own, mut withdrawn): (Vec<Submission>, Vec<Withdrawal>) = (vec![], vec![]);
        for batch in requested.chunks(MAX_BATCH_KEYS) {
            let found = self.get_many(batch.to_vec()).await?.into_items();
            let (deleted, found): (Vec<Stored>, Vec<Stored>) = found
                .into_iter()
                .partition(|item| item.kind() == Withdrawal::TYPE);
            withdrawn.extend(readable::<Withdrawal>(deleted));
            let mut found: Vec<Submission> = readable(found);
            found.retain(|submission| submission.person == Some(person));
            own.extend(found);
            check_memory_budget(own.iter().map(Submission::memory_used).sum())?;
        }
        own.sort_by_key(|submission| std::cmp::Reverse(submission.sequence));
        withdrawn.retain(|withdrawal| withdrawal.person == Some(person));
        Ok((own, withdrawn))
    }

    /// Returns what is stored at the key of one of a person's own submissions: 1 query of the
    /// index and 1 batch read. If the index does not know it, 2 reads.
    pub async fn own_submission(
        &self,
        person: Id<of::Person>,
        id: Id<of::Submission>,
    ) -> Result<StoredSubmission, TableError> {
        let Key { pk, sk } = keys::own_submission(person, id);
        if let Some(item) = self.index_items(pk, Range::Prefix(sk)).await?.pop() {
            return StoredSubmission::of(Some(item));
        }
        let Some(one) = self.recent_submission(person, id).await? else {
            return Ok(StoredSubmission::Nothing);
        };
        let stored = self.stored_submission(one.application, id).await?;
        let is_own = match &stored {
            StoredSubmission::Present(submission) => submission.person == Some(person),
            StoredSubmission::Withdrawn(withdrawal) => withdrawal.person == Some(person),
            StoredSubmission::Deleted(_) | StoredSubmission::Nothing => false,
        };
        Ok(if is_own {
            stored
        } else {
            StoredSubmission::Nothing
        })
    }

    /// Returns how many submissions a person has, and how many with withdrawn ones beside: 1
    /// query of the index. With more than half of what is allowed, also 1 query of the person's
    /// partition, for submissions that the index does not have yet.
    pub async fn count_submissions(
        &self,
        person: Id<of::Person>,
    ) -> Result<(usize, usize), TableError> {
        let range = Range::Prefix(keys::OWN_SUBMISSIONS.into());
        let entries = self.index_entries(person::keys::own(person), range).await?;
        let is_there = |entry: &&Stored| entry.kind() == Submission::TYPE;
        let (submissions, one) = (entries.iter().filter(is_there).count(), entries.len());
        if submissions < limits::SUBMISSIONS / 2 && one < limits::SUBMISSIONS_WITH_WITHDRAWN / 2 {
            return Ok((submissions, one));
        }
        let indexed: BTreeSet<Key> = entries.iter().map(Stored::key).collect();
        let noted = self.recent_submissions(person).await?;
        let new = noted
            .iter()
            .map(|one| keys::submission(one.application, one.submission))
            .filter(|key| !indexed.contains(key))
            .count();
        Ok((submissions + new, one + new))
    }
}

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

/// The data that is needed to show a person's own submissions.
#[derive(Debug, Default)]
pub struct ApplicationParts {
    /// Applications by id. Deleted ones are missing.
    pub applications: HashMap<Id<of::Application>, Application>,
    /// Clubs by code, archived or not.
    pub clubs: HashMap<ClubCode, Club>,
    /// What the submissions refer to.
    pub references: References,
}

/// What submissions refer to.
#[derive(Debug, Default)]
pub struct References {
    /// Prompts by question id and version.
    pub prompts: HashMap<(Id<of::Question>, u32), Prompt>,
    /// Booked slots by id.
    pub slots: HashMap<Id<of::Slot>, Slot>,
}

impl Table {
    /// Returns the clubs, applications, prompts and slots that submissions refer to: 1 batch read
    /// per 100 items.
    pub async fn parts_of<'a>(
        &self,
        submissions: impl Iterator<Item = &'a Answered>,
    ) -> Result<ApplicationParts, TableError> {
        let (mut application_keys, mut prompts) = (HashMap::new(), HashMap::new());
        let (mut slots, mut clubs) = (HashMap::new(), HashMap::new());
        for submission in submissions {
            let application = submission.application;
            let club = &submission.club;
            clubs.insert(club.clone(), club::keys::club(club));
            application_keys.insert(
                application,
                application::keys::application(&submission.club, application),
            );
            if let Some(slot) = submission.booked() {
                slots.insert(slot, slot::keys::slot(application, slot));
            }
            for answer in submission.answers.read() {
                let id = (answer.question, answer.version);
                prompts.insert(
                    id,
                    question::keys::prompt(application, answer.question, answer.version),
                );
            }
        }
        let requested = application_keys.values().chain(prompts.values());
        let requested = requested.chain(slots.values()).chain(clubs.values());
        let requested = requested.cloned().collect();
        let mut found = self.get_many(requested).await?;
        let mut parts = ApplicationParts::default();
        for (code, key) in clubs {
            if let Some(club) = found.take(&key)? {
                parts.clubs.insert(code, club);
            }
        }
        for (id, key) in application_keys {
            if let Some(application) = found
                .take::<Application>(&key)?
                .filter(|application| application.deleted != Some(true))
            {
                parts.applications.insert(id, application);
            }
        }
        for (id, key) in prompts {
            if let Some(prompt) = found.take(&key)? {
                parts.references.prompts.insert(id, prompt);
            }
        }
        for (id, key) in slots {
            if let Some(slot) = found.take(&key)? {
                parts.references.slots.insert(id, slot);
            }
        }
        Ok(parts)
    }
}
