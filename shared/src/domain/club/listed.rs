//! Clubs in memory, as lists show and search them.

use chrono::{DateTime, TimeDelta, Utc};

use crate::db::{Table, TableError};
use crate::domain::catalogue::memory::{Catalogue, Listed, ListedAt, SegmentItems};
use crate::domain::catalogue::versions::Versions;
use crate::domain::club::keys;
use crate::domain::club::model::Club;
use crate::text::{ClubCode, html};
use crate::{ids, text};

/// A club in a list, with its searchable text.
pub struct ListedClub {
    /// The club.
    pub club: Club,
    /// Name, code, subtitle and the text of the description, folded (no case, no diacritics).
    pub text: String,
    /// The name, folded.
    pub name: String,
    /// A number derived from the code. It decides the order of clubs that are otherwise equal.
    pub tie_break: u64,
}

impl Listed for ListedClub {
    type Stored = Club;
    /// C9
    const LASTS: TimeDelta = TimeDelta::minutes(5);

    fn new(club: Club) -> Self {
        let profile = &club.profile;
        let texts = [
            profile.name.as_str(),
            &club.code,
            &profile.subtitle,
            &html::to_words(&profile.description),
        ]
        .join("\n");
        Self {
            text: text::searchable(&texts),
            name: text::searchable(&profile.name),
            tie_break: ids::derived("lot", &[&club.code]),
            club,
        }
    }

    fn size(&self) -> usize {
        self.club.profile.description.len() + self.text.len() + 1_000
    }
}

/// All clubs, including archived ones and those that wait for approval.
pub struct Clubs(SegmentItems<ListedClub>);

impl Clubs {
    /// Returns all clubs, segment by segment.
    pub fn iter(&self) -> impl Iterator<Item = &ListedClub> {
        self.0.iter().flat_map(|segment| segment.iter())
    }

    /// Returns where a club is that is in this segment.
    pub(crate) fn position_of(&self, segment: usize, code: &ClubCode) -> Option<ListedAt> {
        let clubs = self.0.get(segment)?;
        let position = clubs.binary_search_by(|club| club.club.code.cmp(code));
        position.ok().map(|position| ListedAt { segment, position })
    }

    /// Returns the club at a position that [`Clubs::position_of`] returned.
    pub fn at(&self, listed_at: ListedAt) -> &ListedClub {
        &self.0[listed_at.segment][listed_at.position]
    }

    /// Returns the club with this code.
    pub fn get(&self, code: &ClubCode) -> Option<&ListedClub> {
        let segment = self
            .0
            .get(usize::try_from(keys::club_segment(code)).ok()?)?;
        let position = segment
            .binary_search_by(|listed| listed.club.code.cmp(code))
            .ok()?;
        segment.get(position)
    }
}

/// Returns the names of the segments of the catalogue that contain clubs.
pub fn club_segments() -> Vec<String> {
    (0..keys::CLUB_SEGMENTS).map(keys::clubs).collect()
}

impl Catalogue<ListedClub> {
    /// Returns all clubs.
    pub async fn clubs(
        &self,
        table: &Table,
        versions: &Versions,
        now: DateTime<Utc>,
    ) -> Result<Clubs, TableError> {
        self.segments(table, versions, &club_segments(), now)
            .await
            .map(Clubs)
    }
}
