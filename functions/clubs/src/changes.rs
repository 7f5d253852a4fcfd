//! `/clubs/{club}/changes/`: what changed in a club, for programs (Z6).

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use axum::Json;
use chrono::{DateTime, TimeDelta};
use serde::Serialize;
use shared::changes::{ObjectBody, shown_by};
use shared::domain::{ChangeCount, ChangeType, ClubChange, Object};
use shared::ids::{self, Id, of};
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::scopes::AnyRead;
use shared::web::{ApiError, Officer, Params, PublicUrl, Result, User};
use shared::{Context, limits};
use utoipa::ToSchema;

/// A change of a club.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClubChangeBody {
    /// Id of the change.
    #[schema(value_type = u64)]
    id: Id<of::ClubChange>,
    /// When it was stored.
    at: Timestamp,
    /// What happened.
    #[serde(rename = "type")]
    change_type: ChangeType,
    /// The object that changed.
    object: ObjectBody,
    /// Id of the user who changed it. Null if that is not known, or if they were erased.
    #[schema(value_type = Option<u64>)]
    by: Option<Id<of::Person>>,
}

/// A part of the changes of a club, the oldest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangesBody {
    /// The changes.
    results: Vec<ClubChangeBody>,
    /// Send it as `since` to get what comes after these. If nothing new was read, it is the one
    /// that was sent, or once an hour a new one of the same place: then ask again later.
    next: String,
}

/// A place between two changes of a club: after the one with this number and id.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cursor {
    /// 0 before the first change.
    number: u64,
    /// The id of that change. 0 if there was none, or if it is not kept any more.
    change: u64,
    /// When it was handed out.
    at: Timestamp,
}

impl Cursor {
    /// An older cursor is replaced by a new one of the same place, so that it does not expire in a
    /// club in which nothing happens: 30 days after it was handed out, or up to an hour before.
    const RENEWED_AFTER: TimeDelta = TimeDelta::hours(1);

    fn before_all(now: Timestamp) -> Self {
        Self {
            number: 0,
            change: 0,
            at: now,
        }
    }

    fn after(change: &ClubChange, now: Timestamp) -> Self {
        Self {
            number: change.number,
            change: change.id.get(),
            at: now,
        }
    }

    /// Returns its text for a club. Its last part tells a text that was cut, or that is of another
    /// club.
    fn text(&self, club: &ClubCode) -> String {
        format!("{self}-{:x}", self.check(club))
    }

    fn check(&self, club: &ClubCode) -> u64 {
        ids::derived("cursor", &[club, &self.to_string()]) & 0xffff_ffff
    }

    fn parse(text: &str, club: &ClubCode) -> Option<Self> {
        let (text, check) = text.rsplit_once('-')?;
        let cursor: Self = text.parse().ok()?;
        let is_right = cursor.to_string() == text && format!("{:x}", cursor.check(club)) == check;
        is_right.then_some(cursor)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at.epoch_seconds();
        write!(f, "{:x}-{:x}-{at:x}", self.number, self.change)
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let number = |part: Option<&str>| u64::from_str_radix(part.unwrap_or_default(), 16);
        let mut parts = text.split('-');
        let mut next = || number(parts.next()).map_err(drop);
        let (number, change, at) = (next()?, next()?, next()?);
        let at = i64::try_from(at).map_err(drop)?;
        let at = DateTime::from_timestamp(at, 0).ok_or(())?;
        Ok(Self {
            number,
            change,
            at: Timestamp::at(at),
        })
    }
}

/// What was read: the changes that the caller may see, and how far.
struct Read {
    changes: Vec<ClubChange>,
    next: Cursor,
}

/// List the changes of a club.
///
/// For officers, and for tokens with one of the scopes `clubs:read`, `members:read` and
/// `recruitment:read`: they see only the types that belong to their scopes. The oldest change comes
/// first. Each change that was stored is in the list once, at most a minute later, and stays for 30
/// days. The order never changes, so whoever always goes on from `next` misses nothing.
#[utoipa::path(
    get, path = "/api/clubs/{club}/changes/", tag = "changes",
    security(
        ("bearer" = []), ("token" = ["clubs:read"]), ("token" = ["members:read"]),
        ("token" = ["recruitment:read"])
    ),
    params(
        ("club" = String, Path),
        ("since" = Option<String>, Query,
            description = "`next` of an earlier answer: only what comes after it. Without it, from \
                the oldest change that is kept"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 200,
            description = "The largest number of changes. By default 100")
    ),
    responses((status = 200, body = ChangesBody))
)]
pub async fn list_changes(
    app: Context,
    scope: Officer<AnyRead>,
    params: Params,
    PublicUrl(asked): PublicUrl,
) -> Result<Json<ChangesBody>> {
    let club = &scope.club.code;
    let (default, most) = limits::CHANGES;
    let limit = params.number("limit", 1, most)?.unwrap_or(default);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let since = params.text("since").map(|text| {
        let why = Reason::InvalidCursor;
        Cursor::parse(text, club).ok_or_else(|| ApiError::field("since", why))
    });
    let since = since.transpose()?;
    let now = app.now();
    let read = read(&app, &scope.user, club, since.as_ref(), limit, now).await?;
    let who: HashSet<Id<of::Person>> = read.changes.iter().filter_map(|one| one.by).collect();
    let there = app.table.there_since(who).await?;
    let base = asked.split("/api/clubs/").next().unwrap_or_default();
    let shown = |change: ClubChange| ClubChangeBody {
        id: change.id,
        at: change.at,
        change_type: change.change_type,
        object: ObjectBody::new(&Object::from(&change), base),
        by: shown_by(change.by, change.at, &there),
    };
    Ok(Json(ChangesBody {
        results: read.changes.into_iter().map(shown).collect(),
        next: read.next.text(club),
    }))
}

/// Returns where to begin: the number before it is read.
fn beginning(since: Option<&Cursor>, count: &ChangeCount, now: Timestamp) -> Result<Cursor> {
    let first = count.first_kept(now);
    let Some(since) = since else {
        return Ok(Cursor {
            number: first - 1,
            change: match count.last_change {
                Some(last) if first > count.last => last.get(),
                _ => 0,
            },
            at: now,
        });
    };
    let is_old = now.moment() - since.at.moment() > ChangeCount::KEPT;
    // A table that was restored may have fewer changes than were handed out.
    if is_old || since.number > count.last || since.number + 1 < first {
        return Err(ApiError::CursorExpired);
    }
    Ok(since.clone())
}

/// Reads until there are enough changes that the caller may see, or no more changes: at most
/// [`limits::CHANGES_READ`] in 2 queries.
async fn read(
    app: &Context,
    user: &User,
    club: &ClubCode,
    since: Option<&Cursor>,
    limit: usize,
    now: Timestamp,
) -> Result<Read> {
    let may_see = |change: &ClubChange| {
        let token = user.token();
        token.is_none_or(|token| token.has(change.change_type.scope()))
    };
    let Some(count) = app.table.change_count(club).await? else {
        return match since {
            Some(since) if since.number > 0 => Err(ApiError::CursorExpired),
            _ => Ok(ended(vec![], Cursor::before_all(now), since, now)),
        };
    };
    let mut cursor = beginning(since, &count, now)?;
    let mut changes = Vec::new();
    // The change of the cursor is read again: after a restore, another one may have its number.
    let mut is_checked = cursor.change == 0 || cursor.number < count.first_kept(now);
    // The second step is only for tokens that may not see all of the first one.
    for most in [limit + 1, limits::CHANGES_READ - limit] {
        if is_checked && (changes.len() == limit || cursor.number == count.last) {
            break;
        }
        let first = cursor.number + u64::from(is_checked);
        let mut found = app.table.changes_from(club, first, most).await?.into_iter();
        if !is_checked && found.next().is_none_or(|one| one.id.get() != cursor.change) {
            return Err(ApiError::CursorExpired);
        }
        is_checked = true;
        for change in found {
            if changes.len() == limit {
                break;
            }
            cursor = Cursor::after(&change, now);
            if may_see(&change) {
                changes.push(change);
            }
        }
    }
    Ok(ended(changes, cursor, since, now))
}

/// Whoever has read nothing gets the same cursor, or a new one of the same place once an hour.
fn ended(changes: Vec<ClubChange>, next: Cursor, since: Option<&Cursor>, now: Timestamp) -> Read {
    let is_there = |since: &&Cursor| {
        since.number == next.number && now.moment() - since.at.moment() < Cursor::RENEWED_AFTER
    };
    let next = match since.filter(is_there) {
        Some(since) => since.clone(),
        None => Cursor { at: now, ..next },
    };
    Read { changes, next }
}
