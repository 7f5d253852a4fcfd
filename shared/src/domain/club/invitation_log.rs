//! How many people a club has invited or added in the last 24 hours (I13, M14).

use serde::{Deserialize, Serialize};

use crate::db::{Entity, Key, Table, TableError, Write};
use crate::domain::club::keys;
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::time::Timestamp;

/// The invitations that a club sent recently, including those sent again (I13, I14).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct InvitationLog {
    /// Code of the club.
    pub club: ClubCode,
    /// A new value with every change; 0 before the first.
    pub version: u64,
    /// The invitations of the last 24 hours, and the people who were added.
    pub sent: DailyCount,
    /// The people of the last 24 hours who were added one by one, and neither asked nor applied.
    #[serde(default)]
    pub strangers: DailyCount,
    /// Which invites were sent at which second; covers the last 10 minutes.
    pub recent: Vec<SentInvites>,
    /// When the table may delete this item, in seconds since 1970.
    pub expires: i64,
}

/// How often something happened in the last 24 hours.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DailyCount(Vec<SentCount>);

impl DailyCount {
    const DAY: i64 = 24 * 3_600;

    /// Returns the entries of the last 24 hours.
    fn last_day(&self, now: i64) -> impl Iterator<Item = &SentCount> {
        self.0.iter().filter(move |sent| now < sent.at + Self::DAY)
    }

    /// Returns the seconds until `more` are within the limit of a day; 0 if they are now. If `more`
    /// alone is above the limit, the result is a day.
    pub fn wait_for(&self, more: usize, limit: usize, now: Timestamp) -> u64 {
        let now = now.epoch_seconds();
        let mut count: usize = self.last_day(now).map(|sent| sent.count).sum();
        if count + more <= limit {
            return 0;
        }
        for sent in self.last_day(now) {
            count -= sent.count;
            if count + more <= limit {
                return u64::try_from(sent.at + Self::DAY - now).unwrap_or(1);
            }
        }
        u64::try_from(Self::DAY).unwrap_or(1)
    }

    /// Returns how many more are within the limit of a day.
    pub fn allowed(&self, limit: usize, now: Timestamp) -> usize {
        let last_day = self.last_day(now.epoch_seconds());
        let count: usize = last_day.map(|sent| sent.count).sum();
        limit.saturating_sub(count)
    }

    /// Returns the count with `more` at `now`.
    #[must_use]
    pub fn with(&self, more: usize, now: Timestamp) -> Self {
        let at = now.epoch_seconds();
        let mut sent: Vec<SentCount> = self.last_day(at).cloned().collect();
        match sent.last_mut() {
            Some(last) if last.at == at => last.count += more,
            _ if more == 0 => {}
            _ => sent.push(SentCount { at, count: more }),
        }
        Self(sent)
    }
}

/// The invites that were sent in one second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentInvites {
    /// The second, in seconds since 1970.
    pub at: i64,
    /// Ids of invites, or of memberships whose members were notified that they were added.
    pub ids: Vec<String>,
}

impl InvitationLog {
    /// How many invitations a club may send in 24 hours, and how many people it may add.
    pub const DAILY: usize = 300;
    /// How many people who neither asked nor applied may be added one by one in 24 hours.
    pub const STRANGERS: usize = 50;
    /// Seconds until the same invite may be sent again.
    const PAUSE: i64 = 600;

    /// Returns the entries of the last ten minutes.
    fn last_minutes(&self, now: i64) -> impl Iterator<Item = &SentInvites> {
        self.recent
            .iter()
            .filter(move |sent| now < sent.at + Self::PAUSE)
    }

    /// Returns the seconds until `more` invitations may be sent; 0 if they may be sent now.
    pub fn wait_for(&self, more: usize, now: Timestamp) -> u64 {
        self.sent.wait_for(more, Self::DAILY, now)
    }

    /// Returns how many invitations may be sent now.
    pub fn allowed(&self, now: Timestamp) -> usize {
        self.sent.allowed(Self::DAILY, now)
    }

    /// Returns the seconds until this invite may be sent again; 0 if it may be sent now.
    pub fn wait_for_resend(&self, invite: &str, now: Timestamp) -> u64 {
        let now = now.epoch_seconds();
        let has_it = |sent: &&SentInvites| sent.ids.iter().any(|id| id == invite);
        let sent = self.last_minutes(now).filter(has_it);
        let last = sent.map(|sent| sent.at + Self::PAUSE - now).max();
        last.map_or(0, |seconds| u64::try_from(seconds).unwrap_or(0))
    }

    /// Returns how often this invite was sent in the last ten minutes.
    pub fn times(&self, invite: &str, now: Timestamp) -> usize {
        let sent = self.last_minutes(now.epoch_seconds());
        sent.flat_map(|sent| &sent.ids)
            .filter(|id| *id == invite)
            .count()
    }

    /// Returns the log with one more person who was added and neither asked nor applied.
    #[must_use]
    pub fn with_stranger(self, now: Timestamp) -> Self {
        Self {
            strangers: self.strangers.with(1, now),
            ..self
        }
    }

    /// Returns the log with these invites added as sent now.
    #[must_use]
    pub fn with<'a>(
        &self,
        club: &ClubCode,
        invites: impl Iterator<Item = &'a str>,
        version: u64,
        now: Timestamp,
    ) -> Self {
        let at = now.epoch_seconds();
        let new = SentInvites {
            at,
            ids: invites.map(str::to_owned).collect(),
        };
        Self {
            club: club.clone(),
            version,
            sent: self.sent.with(new.ids.len(), now),
            strangers: self.strangers.with(0, now),
            recent: self.last_minutes(at).cloned().chain([new]).collect(),
            expires: at + DailyCount::DAY,
        }
    }
}

/// How often something happened in one second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentCount {
    /// The second, in seconds since 1970.
    pub at: i64,
    /// How often.
    pub count: usize,
}

impl Entity for InvitationLog {
    const KIND: Kind = Kind::InvitationLog;

    fn key(&self) -> Key {
        keys::invitation_log(&self.club)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

/// Returns the write that replaces a club's log `old` by `new`. Refused if it changed after `old`
/// was read.
pub fn logged(old: &InvitationLog, new: &InvitationLog) -> Result<Write, TableError> {
    let log = Write::put(new)?;
    // A log that DynamoDB removed after its expiry starts again.
    Ok(if old.version == 0 {
        log.if_new()
    } else {
        log.if_new_or_equals("version", &old.version)
    })
}

impl Table {
    /// Returns the log of the invitations that a club has sent recently: 1 read.
    pub async fn invitation_log(&self, club: &ClubCode) -> Result<InvitationLog, TableError> {
        Ok(self
            .get(keys::invitation_log(club))
            .await?
            .unwrap_or_default())
    }
}
