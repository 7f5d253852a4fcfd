//! Applications with their committees, questions and prompts.

use crate::db;
use crate::db::Key;
use crate::domain::application::keys;
use crate::domain::club;
use crate::domain::draft;
use crate::domain::extension;
use crate::domain::file;
use crate::domain::question;
use crate::domain::review;
use crate::domain::slot;
use crate::domain::submission;
use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;

use crate::db::Tombstone;
use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::{Entity, Refusal, Table, TableError, Write, each};
use crate::domain::application::deleted::DeletedApplication;
use crate::domain::application::model::{Application, ApplicationTexts};
use crate::domain::catalogue::versions::invalidate;
use crate::domain::club::model::{Club, Window};
use crate::domain::form::model::WholeForm;
use crate::domain::question::model::Question;
use crate::domain::submission::withdrawal::Withdrawal;
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::time::{RequestTime, Timestamp};

impl Entity for Application {
    const KIND: Kind = Kind::Application;
    const KEEPS_ACTOR: bool = true;

    fn key(&self) -> Key {
        keys::application(&self.club, self.id)
    }
}

impl Entity for ApplicationTexts {
    const KIND: Kind = Kind::ApplicationTexts;

    fn key(&self) -> Key {
        keys::application_texts(&self.club, self.application)
    }
}

/// How many applications a club may have.
#[derive(Debug, Clone, Copy)]
pub struct ApplicationQuota {
    /// Number of those that have not ended.
    pub open: usize,
    /// Number of all.
    pub all: i64,
}

/// Returns the windows of a club with that of an application, without those that ended long ago.
fn windows_with(
    windows: &BTreeMap<String, Window>,
    application: &Application,
    now: Timestamp,
) -> BTreeMap<String, Window> {
    let mut windows = windows.clone();
    let id = application.id.to_string();
    if application.deleted.is_none() {
        windows.insert(id, application.window());
    } else {
        windows.remove(&id);
    }
    let mut ended: Vec<(Timestamp, String)> = windows
        .iter()
        .filter(|(_, window)| window.end < now)
        .map(|(id, window)| (window.end, id.clone()))
        .collect();
    ended.sort_by(|a, b| b.cmp(a));
    let oldest = now.plus(-TimeDelta::days(Window::KEPT_DAYS));
    let is_late =
        |(n, (end, _)): &(usize, &(Timestamp, String))| *n >= Window::MAX_ENDED || *end < oldest;
    for (_, (_, id)) in ended.iter().enumerate().filter(is_late) {
        windows.remove(id);
    }
    windows
}

/// Returns the times of release of a club with that of an application, without those that were long
/// ago, and without the latest if there are many.
fn releases_with(
    releases: &BTreeMap<String, Timestamp>,
    application: &Application,
    now: Timestamp,
) -> BTreeMap<String, Timestamp> {
    let id = application.id.to_string();
    let others = releases.iter().filter(|(other, _)| **other != id);
    let mut all: Vec<(Timestamp, String)> = others.map(|(id, at)| (*at, id.clone())).collect();
    if application.deleted.is_none() {
        all.push((application.release, id));
    }
    let oldest = now.plus(-TimeDelta::days(Window::KEPT_DAYS));
    all.retain(|(at, _)| *at >= oldest);
    all.sort();
    all.truncate(Window::MAX_RELEASES);
    all.into_iter().map(|(at, id)| (id, at)).collect()
}

/// Returns how many of these windows have not ended.
fn not_ended(windows: &BTreeMap<String, Window>, now: Timestamp) -> usize {
    windows.values().filter(|window| window.end >= now).count()
}

impl ApplicationQuota {
    /// Returns whether a club would have more applications than this with one that is stored now,
    /// at its `updated_at`.
    pub fn is_exceeded(self, club: &Club, application: &Application, is_new: bool) -> bool {
        let windows = windows_with(&club.windows, application, application.updated_at);
        let is_counted = |windows: &BTreeMap<String, Window>| {
            let window = windows.get(&application.id.to_string());
            window.is_some_and(|window| window.end >= application.updated_at)
        };
        let is_one_more = is_counted(&windows) && !is_counted(&club.windows);
        is_one_more && not_ended(&windows, application.updated_at) > self.open
            || is_new && club.applications >= self.all
    }
}

/// Says in the application that its questions change, for those who keep them in memory.
pub(crate) fn questions_changed(
    club: &ClubCode,
    application: Id<of::Application>,
    now: Timestamp,
) -> Write {
    Write::update(keys::application(club, application))
        .add("version", 1)
        .set("questions_changed_at", &now)
        .by_actor()
        .if_exists()
        .if_none("deleted")
}

impl Table {
    /// Returns the texts of an application: 1 read.
    pub async fn application_texts(
        &self,
        club: &ClubCode,
        application: Id<of::Application>,
    ) -> Result<ApplicationTexts, TableError> {
        let found = self.get(keys::application_texts(club, application)).await?;
        Ok(found.unwrap_or_else(|| ApplicationTexts::none(club.clone(), application)))
    }

    /// Returns one application without its questions: 1 read.
    pub async fn application(
        &self,
        club: &ClubCode,
        application: Id<of::Application>,
    ) -> Result<Option<Application>, TableError> {
        let found: Option<Application> = self.get(keys::application(club, application)).await?;
        Ok(found.filter(|application| application.deleted.is_none()))
    }

    /// Returns one application, deleted or not: 1 read. For continuing a deletion.
    pub async fn application_even_deleted(
        &self,
        club: &ClubCode,
        application: Id<of::Application>,
    ) -> Result<Option<Application>, TableError> {
        self.get(keys::application(club, application)).await
    }

    /// Stores a new application with its questions, if there are any, and updates the catalogue.
    pub async fn create_application(
        &self,
        WholeForm { form, texts }: &WholeForm,
        quota: Option<ApplicationQuota>,
    ) -> Result<(), TableError> {
        let head = &form.application;
        if !form.questions.is_empty() {
            let stored = self.application_even_deleted(&head.club, head.id);
            let (stored, club) = futures::try_join!(stored, self.club(&head.club))?;
            if stored.is_some() {
                // An earlier attempt stored it, and it may have been changed since then.
                return Err(TableError::Refused(Refusal::Exists));
            }
            let is_exceeded = |quota: ApplicationQuota| {
                club.is_some_and(|club| quota.is_exceeded(&club, head, true))
            };
            if quota.is_some_and(is_exceeded) {
                return Err(TableError::Refused(Refusal::Quota));
            }
        }
        // Store the questions first: the application must not be visible before it is complete. A
        // refusal means that an earlier attempt with the same idempotency key stored them.
        let mut rest = &form.questions[..];
        while !rest.is_empty() {
            let (questions, others) = rest.split_at(at_once(rest));
            rest = others;
            let mut writes = Vec::new();
            for question in questions {
                writes.push(Write::put(question)?.if_new());
                writes.push(Write::put(&question.prompt)?.if_new());
            }
            ignore_refusal(self.transact(writes).await)?;
        }
        let mut writes = vec![Write::put(head)?.if_new()];
        if texts.version > 0 {
            writes.push(Write::put(texts)?.if_new());
        }
        // It may have been deleted since, if this is late; and `clubs-admin repair` may have
        // deleted the questions, because it saw no application.
        writes.push(Write::check(keys::deleted_application(head.id)).if_new());
        self.store_application(writes, head, quota, true).await
    }

    /// Replaces an application, and its texts if they changed: as they were read, and as they are
    /// now. Refused if the application or its texts no longer have the version that was read. Both
    /// are checked, because a reader beside a transaction may get the new one of the two only.
    pub async fn update_application(
        &self,
        application: &Application,
        read_version: u64,
        texts: Option<(&ApplicationTexts, &ApplicationTexts)>,
        quota: Option<ApplicationQuota>,
    ) -> Result<(), TableError> {
        let mut writes = vec![Write::put(application)?.if_equals("version", &read_version)];
        if let Some((read, new)) = texts {
            let write = Write::put(new)?;
            writes.push(match read.version {
                0 => write.if_new(),
                version => write.if_equals("version", &version),
            });
        }
        self.store_application(writes, application, quota, false)
            .await
    }

    /// Writes an application together with what its club knows of it: its window, and for a new one
    /// the number of applications. Refused as [`Refusal::Quota`] if the club would have more than
    /// the quota allows.
    async fn store_application(
        &self,
        writes: Vec<Write>,
        application: &Application,
        quota: Option<ApplicationQuota>,
        is_new: bool,
    ) -> Result<(), TableError> {
        let code = &application.club;
        let mut retries = self.retries();
        loop {
            retries.next().await?;
            let club = self.club(code).await?;
            let club = club.ok_or(TableError::Refused(Refusal::Changed))?;
            if quota.is_some_and(|quota| quota.is_exceeded(&club, application, is_new)) {
                return Err(TableError::Refused(Refusal::Quota));
            }
            let windows = windows_with(&club.windows, application, application.updated_at);
            let id = application.id.to_string();
            let is_moved = windows.get(&id) != club.windows.get(&id);
            let releases = releases_with(&club.releases, application, application.updated_at);
            let stored = Some(&club.releases).filter(|releases| !releases.is_empty());
            let mut change = Write::update(club::keys::club(code))
                .set("windows", &windows)
                .counted()
                .if_equals("windows", &club.windows)
                .if_is("releases", stored)
                .or(Refusal::Superseded);
            change = if releases.is_empty() {
                change.remove("releases")
            } else {
                change.set("releases", &releases)
            };
            if is_new {
                change = change.count("applications", 1);
                if let Some(quota) = quota {
                    change = change.if_absent_or_below("applications", &quota.all);
                }
            }
            let task = application.scheduled_task(application.updated_at);
            let task = task.filter(|_| is_moved).as_ref().map(Write::put);
            let all = writes
                .iter()
                .cloned()
                .chain(task.transpose()?)
                .chain([change, invalidate(&[club::keys::club(code)])]);
            match self.transact(all.collect()).await {
                // Another application of the club was changed at the same moment.
                Err(TableError::Refused(Refusal::Superseded)) => {}
                done => return done,
            }
        }
    }

    /// Removes an application that is marked as deleted, with everything that belongs to it.
    /// Submissions are removed only if `forced`. `when` is the order number of the deletion and its
    /// time. Can be repeated if it was interrupted.
    pub async fn remove_application(
        &self,
        application: &Application,
        forced: bool,
        when: RequestTime,
    ) -> Result<(), TableError> {
        let id = application.id;
        let (from, to) = keys::application_range(id);
        let partitions = vec![
            (
                keys::applications(&application.club),
                Range::Between(from, to),
            ),
            (question::keys::prompts(id), Range::All),
            (extension::keys::extensions(id), Range::All),
            (review::keys::reviews(id), Range::All),
            (slot::keys::slots(id), Range::All),
            (draft::keys::begun_drafts(id), Range::All),
            (submission::keys::history(id), Range::All),
        ];
        let slots = self.all_slots(id).await?;
        let people = slots.iter().flat_map(|slot| &slot.interviewers);
        let interviewer_entries: BTreeSet<Key> = people
            .map(|one| slot::keys::own_interviews(one.person, id))
            .collect();
        let drafts = (0..submission::keys::SUBMISSION_PARTS)
            .map(|part| self.keys(draft::keys::drafts(id, part), Range::All));
        let drafts = futures::future::try_join_all(drafts).await?;
        self.delete_with_tombstone(drafts.into_iter().flatten().collect(), when)
            .await?;
        self.remove_objects(&file::keys::uploads_of(id)).await?;
        if !forced {
            self.remove_unused_attachments(id, when).await?;
            // A submission that is stored at this moment stays.
            let withdrawn = self.withdrawals(id).await?;
            each(withdrawn, async |withdrawal| {
                let withdrawn = Write::put(&Tombstone::new(withdrawal.key(), when))?;
                let withdrawn = withdrawn.if_equals(db::keys::TYPE, &Withdrawal::TYPE);
                ignore_refusal(self.write(withdrawn).await)
            })
            .await?;
        }
        if forced {
            // Decisions and reviews are written together with their submission. So they are looked
            // for after it is gone.
            // Answers are written before their submission. So they are looked for after it is gone,
            // too.
            for partition in [submission::keys::submissions, submission::keys::answers] {
                let parts = (0..submission::keys::SUBMISSION_PARTS)
                    .map(|part| self.keys(partition(id, part), Range::All));
                let found = futures::future::try_join_all(parts).await?;
                self.delete_with_tombstone(found.into_iter().flatten().collect(), when)
                    .await?;
            }
            self.remove_objects(&file::keys::attachments_of(id)).await?;
        }
        let found = futures::future::try_join_all(
            partitions
                .into_iter()
                .map(|(pk, range)| self.keys(pk, range)),
        )
        .await?;
        let head = application.key();
        self.delete_many(
            found
                .into_iter()
                .flatten()
                .filter(|key| *key != head)
                .chain(interviewer_entries)
                .collect(),
        )
        .await?;
        // Delete the application itself last: until then, the deletion can be continued.
        let deleted = DeletedApplication {
            application: id,
            club: application.club.clone(),
            at: when.at,
        };
        let club = Write::update(club::keys::club(&application.club)).count("applications", -1);
        let removal = self.transact(vec![
            Write::delete(head).if_exists(),
            Write::put(&deleted)?,
            club.if_exists(),
        ]);
        ignore_refusal(removal.await)
    }
}

/// How many of these questions are stored in one transaction, at least one: each has two items, and
/// DynamoDB allows 100 items and 4 MB.
fn at_once(questions: &[Question]) -> usize {
    let mut left: usize = 3 * 1024 * 1024;
    let fitting = questions.iter().take(QUESTIONS_AT_ONCE).take_while(|one| {
        let size = 2 * one.size();
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    });
    // One question always fits.
    fitting.count().max(1)
}

/// The most questions in one transaction.
const QUESTIONS_AT_ONCE: usize = 20;
