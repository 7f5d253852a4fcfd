//! Applications with their committees and texts.

use std::collections::BTreeMap;

use chrono::TimeDelta;

use crate::db::read::Range;
use crate::db::{Entity, Key, Refusal, Table, TableError, Write};
use crate::domain::application::keys;
use crate::domain::application::model::{Application, ApplicationTexts};
use crate::domain::catalogue::versions::invalidate;
use crate::domain::club;
use crate::domain::club::model::{Club, Window};
use crate::ids;
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::time::Timestamp;

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

/// Notes for good that a decision is stored on a submission (D7). Refused if it is noted already,
/// so that the version changes once: whoever moves the release at the same moment reads it again.
pub(crate) fn first_decision(application: &Application) -> Write {
    Write::update(application.key())
        .add("version", 1)
        .set("is_decided", &true)
        .if_exists()
        .if_none("deleted")
        .if_absent_or_equals("is_decided", &false)
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

    /// Returns one application without its questions: 1 read. While it is not decided whether it is
    /// deleted (X14), it waits for that.
    pub async fn application(
        &self,
        club: &ClubCode,
        application: Id<of::Application>,
    ) -> Result<Option<Application>, TableError> {
        let key = keys::application(club, application);
        let mut retries = self.retries();
        loop {
            retries.next().await?;
            let found: Option<Application> = self.get(key.clone()).await?;
            if !found.as_ref().is_some_and(Application::may_be_deleted) {
                return Ok(found.filter(|application| application.deleted.is_none()));
            }
        }
    }

    /// Returns the ids of the applications of a club: 1 query.
    pub async fn application_ids(
        &self,
        club: &ClubCode,
    ) -> Result<Vec<Id<of::Application>>, TableError> {
        let found = self.keys(keys::applications(club), Range::All).await?;
        // Questions and texts have longer keys.
        Ok(found
            .iter()
            .filter_map(|key| ids::parse(key.sk.trim_start_matches('0')))
            .collect())
    }

    /// Returns one application, deleted or not: 1 read. For continuing a deletion.
    pub async fn application_even_deleted(
        &self,
        club: &ClubCode,
        application: Id<of::Application>,
    ) -> Result<Option<Application>, TableError> {
        self.get(keys::application(club, application)).await
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
    pub(crate) async fn store_application(
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
}
