//! Ids: integers from 1 to 2^53 − 1, which JavaScript can represent exactly (H5).

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering as Atomic};

use aws_lc_rs::digest;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest id.
pub const MAX_ID: u64 = (1 << 53) - 1;

/// 2025-01-01T00:00:00Z in milliseconds. Time-ordered ids count from here; the range ends in 2094.
const EPOCH_MS: i64 = 1_735_689_600_000;
const RANDOM_BITS: u32 = 12;

/// The id of a `T`: a whole number from 1 to [`MAX_ID`]. Ids of different types cannot be mixed up.
pub struct Id<T>(u64, PhantomData<fn() -> T>);

/// What has an id, beside the entries of collections. These types have no values: so an id needs
/// nothing of what it belongs to.
#[expect(missing_docs, reason = "the names say it")]
pub mod of {
    pub enum Application {}
    pub enum Choice {}
    pub enum ClubChange {}
    pub enum Committee {}
    pub enum DecisionChange {}
    pub enum Event {}
    pub enum Extension {}
    pub enum JoinLink {}
    pub enum Membership {}
    pub enum MembershipRequest {}
    pub enum Person {}
    pub enum Question {}
    pub enum Review {}
    pub enum Showing {}
    pub enum Slot {}
    pub enum Submission {}
    pub enum TicketType {}
    pub enum Token {}
    pub enum Upload {}
    pub enum Webhook {}
}

impl<T> Id<T> {
    /// Returns the id with this number.
    pub const fn new(number: u64) -> Self {
        Self(number, PhantomData)
    }

    /// Returns the number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the id of an object with a natural key, see [`derived`].
    pub fn derived(kind: &str, parts: &[&str]) -> Self {
        Self::new(derived(kind, parts))
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Id<T> {}

impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Id<T> {}

impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> fmt::Display for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> From<Id<T>> for u64 {
    fn from(id: Id<T>) -> Self {
        id.0
    }
}

impl<T> Serialize for Id<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de, T> Deserialize<'de> for Id<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self::new)
    }
}

/// Generates ids for objects without a natural key. They are time-ordered, have random low bits,
/// and are unique in one process. Objects are written under the condition that the id is new, so
/// two processes cannot use the same id either.
pub struct Ids {
    random: Box<dyn Fn() -> u64 + Send + Sync>,
    last: AtomicU64,
    last_received: AtomicU64,
    /// Low bits of the next order number. They start at a random value, so that two processes
    /// rarely generate the same number.
    counter: AtomicU64,
}

impl Ids {
    /// Returns a generator that uses the random source of the system.
    pub fn random() -> Self {
        Self::with(|| {
            let mut bytes = [0; 8];
            // The source cannot fail after it is seeded. Even if it fails, ids are unique in this
            // process.
            let _ = aws_lc_rs::rand::fill(&mut bytes);
            u64::from_le_bytes(bytes)
        })
    }

    /// Returns a generator that uses low bits from `random`.
    pub fn with(random: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        let counter = AtomicU64::new(random());
        Self {
            random: Box::new(random),
            last: AtomicU64::new(0),
            last_received: AtomicU64::new(0),
            counter,
        }
    }

    /// Returns the order number of a request that the gateway received at `at`. A request that was
    /// received in a later millisecond has a larger number, whatever the order in which functions
    /// process them. The numbers of one process are different from each other.
    pub fn received(&self, at: DateTime<Utc>) -> u64 {
        let first = order_number(at);
        // Only half of the range is used, so that more requests of the same millisecond can follow.
        let candidate =
            first | (self.counter.fetch_add(1, Atomic::Relaxed) & ((1 << (RANDOM_BITS - 1)) - 1));
        let next = |last: u64| {
            if last >> RANDOM_BITS == first >> RANDOM_BITS {
                candidate.max(last + 1)
            } else {
                candidate
            }
        };
        match self
            .last_received
            .fetch_update(Atomic::Relaxed, Atomic::Relaxed, |last| Some(next(last)))
        {
            Ok(last) | Err(last) => next(last),
        }
    }

    /// Returns a new id that is larger than all earlier ids of this process.
    pub fn next(&self, now: DateTime<Utc>) -> u64 {
        let low = (self.random)() & ((1 << RANDOM_BITS) - 1);
        let candidate = (order_number(now) | low).clamp(1, MAX_ID);
        let step = |last: u64| Some(candidate.max(last + 1));
        match self
            .last
            .fetch_update(Atomic::Relaxed, Atomic::Relaxed, step)
        {
            Ok(last) | Err(last) => candidate.max(last + 1),
        }
    }
}

/// Returns the smallest order number of the millisecond of `at`.
pub fn order_number(at: DateTime<Utc>) -> u64 {
    let ms = u64::try_from(at.timestamp_millis() - EPOCH_MS).unwrap_or(0);
    (ms << RANDOM_BITS).clamp(1, MAX_ID)
}

/// Returns the time at which an id was made.
pub fn made_at(id: u64) -> DateTime<Utc> {
    let ms = i64::try_from(id >> RANDOM_BITS).unwrap_or_default();
    DateTime::from_timestamp_millis(EPOCH_MS + ms).unwrap_or_default()
}

/// Returns the id of an object with a natural key: 53 bits of the SHA-256 of its parts.
pub fn derived(kind: &str, parts: &[&str]) -> u64 {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in std::iter::once(&kind).chain(parts) {
        // Lengths distinguish ("ab", "c") from ("a", "bc").
        context.update(&(part.len() as u64).to_le_bytes());
        context.update(part.as_bytes());
    }
    let hash = context.finish();
    let bytes: [u8; 8] = std::array::from_fn(|i| hash.as_ref()[i]);
    (u64::from_le_bytes(bytes) & MAX_ID).max(1)
}

/// Returns the SHA-256 in hexadecimal, for digests.
pub fn sha256_hex(data: &[u8]) -> String {
    use std::fmt::Write as _;
    digest::digest(&digest::SHA256, data).as_ref().iter().fold(
        String::with_capacity(64),
        |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        },
    )
}

/// Reads an id from a path: digits only, from 1 to [`MAX_ID`].
pub fn parse<T>(text: &str) -> Option<Id<T>> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let number = digits.then(|| text.parse().ok()).flatten();
    number
        .filter(|number| (1..=MAX_ID).contains(number))
        .map(Id::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_grow_even_within_a_millisecond_and_stay_in_range() {
        let ids = Ids::with(|| u64::MAX);
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let first = ids.next(now);
        let second = ids.next(now);
        assert!(first < second && second <= MAX_ID);
    }

    #[test]
    fn order_numbers_follow_the_time_of_receipt() {
        let ids = Ids::with(|| 7);
        let at = |ms: i64| DateTime::from_timestamp_millis(1_800_000_000_000 + ms).unwrap();
        let (later, sooner, same, day) = (
            ids.received(at(5)),
            ids.received(at(3)),
            ids.received(at(5)),
            ids.received(at(86_400_000)),
        );
        assert!(sooner < later && later < day);
        assert_ne!(same, later);
        assert!(order_number(at(5)) <= later && later < order_number(at(6)));
    }

    #[test]
    fn derived_ids_depend_on_every_part_and_its_borders() {
        assert_eq!(derived("user", &["a", "b"]), derived("user", &["a", "b"]));
        assert_ne!(derived("user", &["ab", "c"]), derived("user", &["a", "bc"]));
        assert_ne!(derived("user", &["a"]), derived("club", &["a"]));
    }

    // proves H5
    #[test]
    fn only_positive_safe_integers_are_ids() {
        assert_eq!(parse::<()>("9007199254740991"), Some(Id::new(MAX_ID)));
        for text in [
            "0",
            "-1",
            "+1",
            "1.0",
            "",
            " 1",
            "9007199254740992",
            "abc",
            "99999999999999999999",
        ] {
            assert_eq!(parse::<()>(text), None, "{text}");
        }
    }
}
