//! Clocks, and the format of date-times.

use chrono::{DateTime, Datelike, NaiveDateTime, Offset as _, SecondsFormat, TimeZone as _, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::reason::Reason;

/// A source of the current time. The functions use [`SystemClock`]; the local service and the tests
/// use a clock that they can set.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> DateTime<Utc>;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that asks the machine"
    )]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

/// When a request that writes was received: what decides the order of writes, and the time that
/// people see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestTime {
    /// The order number of the request ([`crate::ids::Ids::received`]).
    pub received: u64,
    /// The time.
    pub at: Timestamp,
}

/// The years that date-times may have.
const YEARS: std::ops::RangeInclusive<i32> = 1..=9999;

/// By how much the clock of the table and that of a function may differ.
pub const CLOCKS_DIFFER: chrono::TimeDelta = chrono::TimeDelta::seconds(10);

/// A date-time of the API. It is read with any RFC 3339 offset, and stored and written in UTC with
/// whole seconds (`2026-11-21T09:00:00Z`). Years are from 1 to 9999. Times without an offset are
/// refused (H15).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// Returns the timestamp of a moment, without fractions of a second.
    pub fn at(moment: DateTime<Utc>) -> Self {
        Self(DateTime::from_timestamp(moment.timestamp(), 0).unwrap_or(moment))
    }

    /// Returns the seconds since 1970, the format of TTL attributes.
    pub fn epoch_seconds(self) -> i64 {
        self.0.timestamp()
    }

    /// Returns the time plus `duration`, which may be negative. None if the result is outside the
    /// years 1 to 9999, because it could not be read again.
    pub fn checked_plus(self, duration: chrono::TimeDelta) -> Option<Self> {
        self.0
            .checked_add_signed(duration)
            .filter(|moment| YEARS.contains(&moment.year()))
            .map(Self)
    }

    /// Returns the time plus `duration`, which may be negative. If the result is outside the years
    /// 1 to 9999, returns the time unchanged.
    #[must_use]
    pub fn plus(self, duration: chrono::TimeDelta) -> Self {
        self.checked_plus(duration).unwrap_or(self)
    }

    /// Returns the time as a `DateTime`.
    pub fn moment(self) -> DateTime<Utc> {
        self.0
    }
}

/// Returns the moment at which the clocks of a time zone show this time: the earlier one, if they
/// show it twice. A time that they skip moves forward by as much as they skip.
pub fn moment_in(zone: Tz, time: NaiveDateTime) -> DateTime<Utc> {
    let shown = zone.from_local_datetime(&time).earliest();
    let shown = shown.map(|moment| moment.with_timezone(&Utc));
    shown.unwrap_or_else(|| {
        let day_before = time - chrono::TimeDelta::days(1);
        let offset = zone.offset_from_utc_datetime(&day_before).fix();
        (time - offset).and_utc()
    })
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Secs, true))
    }
}

impl std::str::FromStr for Timestamp {
    type Err = Reason;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let moment = DateTime::parse_from_rfc3339(text)
            .map_err(|_| Reason::NotTime)?
            .with_timezone(&Utc);
        if YEARS.contains(&moment.year()) {
            Ok(Self::at(moment))
        } else {
            Err(Reason::NotTime)
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

#[cfg(feature = "api")]
impl utoipa::PartialSchema for Timestamp {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .into()
    }
}

#[cfg(feature = "api")]
impl utoipa::ToSchema for Timestamp {}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn a_skipped_time_moves_forward_and_a_doubled_one_is_the_first() {
        let zone = chrono_tz::Europe::Berlin;
        for (shown, moment) in [
            ("2027-03-28T02:30:00", "2027-03-28T01:30:00Z"),
            ("2027-10-31T02:30:00", "2027-10-31T00:30:00Z"),
            ("2027-07-01T09:00:00", "2027-07-01T07:00:00Z"),
        ] {
            let moment_in = super::moment_in(zone, shown.parse().unwrap());
            assert_eq!(Timestamp::at(moment_in).to_string(), moment);
        }
    }

    // proves H15
    #[test]
    fn any_offset_is_read_and_utc_is_written() {
        let time: Timestamp = "2026-11-21T10:30:15.9+01:30".parse().unwrap();
        assert_eq!(time.to_string(), "2026-11-21T09:00:15Z");
    }

    #[test]
    fn sums_stay_where_they_can_be_read_again() {
        let end: Timestamp = "9999-12-31T23:00:00Z".parse().unwrap();
        assert_eq!(end.checked_plus(chrono::TimeDelta::hours(1)), None);
        assert_eq!(end.plus(chrono::TimeDelta::days(1)), end);
        assert_eq!(
            end.plus(chrono::TimeDelta::minutes(59)).to_string(),
            "9999-12-31T23:59:00Z"
        );
        let begin: Timestamp = "0001-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(begin.checked_plus(chrono::TimeDelta::seconds(-1)), None);
    }

    #[test]
    fn naive_and_impossible_times_are_refused() {
        for text in [
            "2026-11-21T10:30:15",
            "2026-11-21",
            "",
            "tomorrow",
            "9999-12-31T23:59:59-10:00",
            "2026-02-30T00:00:00Z",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }
}
