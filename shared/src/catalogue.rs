//! Clubs in memory: warm functions answer lists with one read, of the version (design.md §3).

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Mutex;

use crate::models::Club;
use crate::table::{Table, TableError};
use crate::{html, text};

/// Counters do not move the version; they are at most so old in a list.
const COUNTERS_MINUTES: i64 = 5;

/// All clubs as they were at a version.
#[derive(Default)]
pub struct ClubCatalogue(Mutex<Option<Loaded>>);

struct Loaded {
    version: u64,
    at: DateTime<Utc>,
    clubs: Arc<Vec<Listed>>,
}

/// A club in the list, and what is searched of it.
pub struct Listed {
    /// The club.
    pub club: Club,
    /// Name, code, subtitle and the text of the description, folded.
    pub text: String,
}

impl Listed {
    fn new(club: Club) -> Self {
        let profile = &club.profile;
        let texts = [profile.name.as_str(), &club.code, &profile.subtitle, &html::to_text(&profile.description)].join("\n");
        Self { text: text::fold(&texts), club }
    }
}

impl ClubCatalogue {
    /// All clubs, every answered write included: 1 read when nothing changed, else the parts side by side as well.
    pub async fn clubs(&self, table: &Table, now: DateTime<Utc>) -> Result<Arc<Vec<Listed>>, TableError> {
        // The lock is held while loading: requests that come meanwhile wait for the same load. The version is read
        // before the clubs, so that a write in between shows as another version next time.
        let mut loaded = self.0.lock().await;
        let version = table.club_version().await?;
        if let Some(known) = &*loaded {
            let fresh = (now - known.at).abs() < TimeDelta::minutes(COUNTERS_MINUTES);
            if known.version == version && fresh {
                return Ok(known.clubs.clone());
            }
        }
        let clubs = Arc::new(table.all_clubs().await?.into_iter().map(Listed::new).collect::<Vec<_>>());
        *loaded = Some(Loaded { version, at: now, clubs: clubs.clone() });
        Ok(clubs)
    }
}
