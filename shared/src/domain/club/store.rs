//! Clubs, and the versions of their catalogue segments.

use std::collections::{BTreeSet, HashMap};

use chrono::TimeDelta;

use crate::db::{Entity, Key, Table, TableError, Write};
use crate::domain::catalogue::versions::{invalidate, invalidate_segments};
use crate::domain::club::keys;
use crate::domain::club::model::{Club, ClubProfile, ClubText};
use crate::domain::reference::model::{Badge, Tag};
use crate::domain::reference::store::count_uses;
use crate::domain::task::model::{ScheduledTask, TaskKind};
use crate::ids::Id;
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::text::html::beginning;
use crate::time::Timestamp;

impl Entity for Club {
    const KIND: Kind = Kind::Club;
    const KEEPS_ACTOR: bool = true;

    fn key(&self) -> Key {
        keys::club(&self.code)
    }
}

impl Entity for ClubText {
    const KIND: Kind = Kind::ClubText;

    fn key(&self) -> Key {
        keys::club_text(&self.club)
    }
}

/// Splits a club into the item that lists read, and a write for the full description.
///
/// The item contains only the beginning of the description. `old` is the club as it was read, with
/// the full description or only its beginning. If the description did not change, the stored full
/// description stays as it is.
pub(crate) fn apart(old: Option<&Club>, new: &Club) -> Result<(Club, Option<Write>), TableError> {
    let profile = &new.profile;
    if old.is_some_and(|old| old.profile.description == profile.description) {
        let stored = ClubProfile {
            description: beginning(&profile.description),
            ..profile.clone()
        };
        return Ok((
            Club {
                profile: stored,
                ..new.clone()
            },
            None,
        ));
    }
    let short = beginning(&profile.description);
    let has_more = short != profile.description;
    let text = ClubText {
        club: new.code.clone(),
        description: profile.description.clone(),
    };
    let write = match (has_more, old.is_some_and(|old| old.profile.has_more)) {
        (true, _) => Some(Write::put(&text)?),
        (false, true) => Some(Write::delete(text.key())),
        (false, false) => None,
    };
    Ok((
        Club {
            profile: ClubProfile {
                description: short,
                has_more,
                ..profile.clone()
            },
            ..new.clone()
        },
        write,
    ))
}

/// The maximum number of clubs per person (C16).
#[derive(Debug, Clone, Copy)]
pub struct ClubQuota {
    /// Clubs that the person created, including deleted ones.
    pub created: u32,
    /// Clubs that the person owns, including deleted ones.
    pub owned: u32,
}

/// Returns the writes that change the use counters of tags and badges when a club changes.
pub(crate) fn count_club(old: (&[Id<Tag>], &[Id<Badge>]), new: &Club) -> Vec<Write> {
    let mut writes = count_uses::<Tag>(old.0, &new.profile.tags);
    writes.extend(count_uses::<Badge>(old.1, &new.badges));
    writes
}

/// Returns the write that tells the timer that a club was archived with this version. It waits
/// until requests that found the club open are done.
pub(crate) fn end_of_club(
    club: &ClubCode,
    version: u64,
    now: Timestamp,
) -> Result<Write, TableError> {
    let club = club.clone();
    let task = TaskKind::ClubEnd { club, version };
    Write::put(&ScheduledTask::new(now.plus(ENDS_AFTER), now, task))
}

/// How long after a club was archived its applications end. Longer than any request.
const ENDS_AFTER: TimeDelta = TimeDelta::minutes(2);

impl Table {
    /// Returns a club, archived or not: 1 read.
    pub async fn club(&self, code: &ClubCode) -> Result<Option<Club>, TableError> {
        self.get(keys::club(code)).await
    }

    /// Returns clubs by their codes; codes that do not exist are skipped: 1 batch read per 100.
    pub async fn clubs(&self, codes: &[ClubCode]) -> Result<HashMap<ClubCode, Club>, TableError> {
        let mut found = self
            .get_many(codes.iter().map(keys::club).collect())
            .await?;
        let clubs = codes
            .iter()
            .filter_map(|code| found.take::<Club>(&keys::club(code)).transpose());
        clubs
            .map(|club| club.map(|club| (club.code.clone(), club)))
            .collect()
    }

    /// Archives a club, and tells the timer. Refused if the club or its number of owners changed
    /// after it was read.
    pub async fn archive_club(&self, club: &Club, now: Timestamp) -> Result<(), TableError> {
        let version = club.version + 1;
        let end = end_of_club(&club.code, version, now)?;
        let write = Write::update(club.key())
            .set("archived", &true)
            .set("version", &version)
            .by_actor()
            .if_equals("version", &club.version)
            .if_equals("owners", &club.owners);
        self.transact(vec![write, invalidate(&[club.key()]), end])
            .await
    }

    /// Stores clubs as they are. Only for loading data into a table that has no other writers.
    pub async fn load_clubs(&self, clubs: &[Club]) -> Result<(), TableError> {
        self.load(clubs).await?;
        let parts: BTreeSet<String> = clubs.iter().map(|club| club.key().pk).collect();
        if parts.is_empty() {
            return Ok(());
        }
        self.write(invalidate_segments(parts)).await.map(drop)
    }
}
