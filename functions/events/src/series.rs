//! `/clubs/{club}/events/{event}/showings/series/`, `/clubs/{club}/events/{event}/duplicate/`: many
//! showings by one rule, and copies of events (V23, V24)

use std::collections::HashSet;

use axum::Json;
use chrono::{NaiveDate, NaiveDateTime, TimeDelta, TimeZone as _};
use chrono_tz::Tz;
use rrule::{RRule, RRuleSet, Unvalidated};
use shared::bodies::Badges;
use shared::domain::{Event, Showing};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::kinds::{Line, List};
use shared::time::{Timestamp, moment_in};
use shared::web::input::{Body, FillField, read_body};
use shared::web::scopes::EventsWrite;
use shared::web::{ApiError, Code, Created, IfMatch, Input, Mode, NewId, Officer, Reader, Result};
use shared::{Context, limits};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use crate::body::{EventBody, EventViewer, ShowingWithTickets};
use crate::club_events::{Edited, edit_event, store_event};
use crate::input::{ShowingInput, TOO_MANY_SHOWINGS};
use crate::showings::{bodies, check_locations, id_in, ids_of};

shared::input! {
    /// How a series goes on.
    pub struct SeriesRuleInput {
        /// A rule of RFC 5545, such as `FREQ=WEEKLY;BYDAY=TU;UNTIL=20270220`. `FREQ` is `DAILY`,
        /// `WEEKLY` or `MONTHLY`; there may be `INTERVAL` and `BYDAY`; there is either `COUNT` or
        /// `UNTIL`. Days are those of the campus.
        rule: Line, Required;
        /// Dates that are left out, such as `2026-12-24`, at most 100. They count.
        except: List<String, { limits::SHOWINGS }>, Free;
    }
}

/// A series: the fields of its first showing, and how it goes on.
#[derive(Debug, Clone, Default)]
pub struct ShowingSeriesInput {
    first: ShowingInput,
    series: SeriesRuleInput,
}

impl Body for ShowingSeriesInput {
    const NAMES: &'static [&'static str] = &[];
    const IS_STRICT: bool = false;

    fn fields(&mut self) -> Vec<&mut dyn FillField> {
        let mut fields = self.first.fields();
        fields.extend(self.series.fields());
        fields
    }
}

impl<'de> serde::Deserialize<'de> for ShowingSeriesInput {
    fn deserialize<D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Self, D::Error> {
        read_body(deserializer)
    }
}

impl utoipa::PartialSchema for ShowingSeriesInput {
    fn schema() -> RefOr<Schema> {
        match (ShowingInput::schema(), SeriesRuleInput::schema()) {
            (RefOr::T(Schema::Object(mut all)), RefOr::T(Schema::Object(series))) => {
                all.properties.extend(series.properties);
                all.required.extend(series.required);
                all.description =
                    Some("The fields of the first showing, and how the series goes on.".to_owned());
                RefOr::T(Schema::Object(all))
            }
            (first, _) => first,
        }
    }
}

impl utoipa::ToSchema for ShowingSeriesInput {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        <ShowingInput as utoipa::ToSchema>::schemas(schemas);
        <SeriesRuleInput as utoipa::ToSchema>::schemas(schemas);
    }
}

/// A rule as it was read.
struct Rule {
    repeats: RRule<Unvalidated>,
    count: Option<usize>,
    until: Option<NaiveDateTime>,
    /// The days that are left out.
    except: HashSet<NaiveDate>,
}

impl Rule {
    /// Reads a rule. None if it has other parts than it may have, or other values.
    fn read(text: &str, zone: Tz) -> Option<Self> {
        let (mut count, mut until, mut others) = (None, None, Vec::new());
        let mut seen = HashSet::new();
        for part in text.split(';') {
            let (name, value) = part.split_once('=')?;
            if !seen.insert(name) {
                return None;
            }
            match name {
                "COUNT" => count = Some(value.parse().ok().filter(|count| *count > 0)?),
                "UNTIL" => until = Some(until_of(value, zone)?),
                "FREQ" => {
                    ["DAILY", "WEEKLY", "MONTHLY"]
                        .contains(&value)
                        .then_some(())?;
                    others.push(part);
                }
                "INTERVAL" => {
                    value.parse::<u16>().ok().filter(|every| *every > 0)?;
                    others.push(part);
                }
                "BYDAY" => others.push(part),
                _ => return None,
            }
        }
        // A number, as in the second Tuesday, is one of a month.
        let is_monthly = others.contains(&"FREQ=MONTHLY");
        let mut days = others.iter().filter(|part| part.starts_with("BYDAY"));
        if !is_monthly && days.any(|part| part.contains(char::is_numeric)) {
            return None;
        }
        let ends_once = count.is_some() != until.is_some();
        let repeats = others.join(";").parse().ok()?;
        ends_once.then_some(Self {
            repeats,
            count,
            until,
            except: HashSet::new(),
        })
    }

    /// Returns the days on which the clocks of the campus show the time of the first showing again,
    /// without those that are left out: all, or more than an event may have. It is 400 if the first
    /// showing does not fit.
    fn dates(self, first: NaiveDateTime) -> Result<Vec<NaiveDate>> {
        // One more than fits, besides those that are left out.
        let most = limits::SHOWINGS + self.except.len() + 1;
        let wrong = || ApiError::field("rule", Reason::NotInRule);
        // Without a zone: the clocks may skip a time, which the rule does not know.
        let start = rrule::Tz::UTC.from_utc_datetime(&first);
        let repeats = self.repeats.validate(start).map_err(|_| wrong())?;
        let all = RRuleSet::new(start).rrule(repeats).limit();
        let all = all.into_iter().map(|time| time.naive_utc());
        let all = all.take_while(|time| self.until.is_none_or(|until| *time <= until));
        let all = all.take(self.count.unwrap_or(most).min(most));
        let all: Vec<NaiveDateTime> = all.collect();
        if all.first() != Some(&first) {
            return Err(wrong());
        }
        let mut dates: Vec<NaiveDate> = all.iter().map(NaiveDateTime::date).collect();
        dates.retain(|date| !self.except.contains(date));
        if dates.is_empty() {
            return Err(ApiError::field("except", Reason::NothingLeft));
        }
        Ok(dates)
    }
}

/// The last time of a series, as the clocks of the campus show it: a day with its end, or a moment.
fn until_of(text: &str, zone: Tz) -> Option<NaiveDateTime> {
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y%m%d") {
        return date.and_hms_opt(23, 59, 59);
    }
    let time = NaiveDateTime::parse_from_str(text.trim_end_matches('Z'), "%Y%m%dT%H%M%S").ok()?;
    Some(if text.ends_with('Z') {
        zone.from_utc_datetime(&time).naive_local()
    } else {
        time
    })
}

impl SeriesRuleInput {
    fn read(self, zone: Tz) -> Result<Rule> {
        let mut reader = Reader::new(Mode::Create);
        let text = reader.get(self.rule).unwrap_or_default();
        let sent = reader.get(self.except).unwrap_or_default();
        if sent.len() > limits::SHOWINGS {
            reader.errors.add("except", TOO_MANY_SHOWINGS);
        }
        let mut except = HashSet::new();
        for (n, date) in sent.iter().enumerate().take(limits::SHOWINGS) {
            match NaiveDate::parse_from_str(date, "%Y-%m-%d") {
                Ok(date) => drop(except.insert(date)),
                Err(_) => reader.errors.add(format!("except.{n}"), Reason::NotDate),
            }
        }
        let rule = Rule::read(&text, zone);
        if rule.is_none() && !reader.errors.has("rule") {
            reader.errors.add("rule", Reason::NotRule);
        }
        reader.finish()?;
        let rule = rule.ok_or_else(|| ApiError::field("rule", Reason::NotRule))?;
        Ok(Rule { except, ..rule })
    }
}

/// Returns how the clocks of the campus show a time.
fn shown(time: Timestamp, zone: Tz) -> NaiveDateTime {
    time.moment().with_timezone(&zone).naive_local()
}

/// Moves all times of a showing by what the clocks of the campus show. None after the year 9999.
fn moved(showing: &Showing, by: TimeDelta, zone: Tz) -> Option<Showing> {
    let later = |time: Timestamp| {
        let shown = shown(time, zone).checked_add_signed(by)?;
        Timestamp::at(moment_in(zone, shown)).checked_plus(TimeDelta::zero())
    };
    let or_none = |time: Option<Timestamp>| match time {
        Some(time) => later(time).map(Some),
        None => Some(None),
    };
    let mut new = showing.clone();
    new.start = later(showing.start)?;
    // A skipped hour does not change their order.
    new.end = later(showing.end)?.max(new.start);
    new.ticket_drop = or_none(showing.ticket_drop)?;
    new.tickets.end = or_none(showing.tickets.end)?;
    new.tickets.draw = or_none(showing.tickets.draw)?;
    Some(new)
}

/// Gives the `n`th showing of a series or copy, and its types, ids of their own.
fn renamed(mut showing: Showing, new: NewId, n: usize) -> Showing {
    showing.id = id_in(new.0, n);
    for one in showing.types.iter_mut().flatten() {
        let old = one.id.to_string();
        one.id = Id::derived("ticket type", &[&showing.id.to_string(), &old]);
    }
    showing
}

/// Add many showings to an event.
///
/// For officers: the first one, and the same on other days by a rule, at the same time of day of
/// the campus. The times of its tickets move along. An event has at most 100 showings: if it had
/// more, none is added.
#[utoipa::path(
    post, path = "/api/clubs/{club}/events/{event}/showings/series/", tag = "showings",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path), ("event" = u64, Path)),
    request_body = ShowingSeriesInput, responses((status = 201, body = Vec<ShowingWithTickets>))
)]
pub async fn create_series(
    app: Context,
    scope: Officer<EventsWrite, Event>,
    new: NewId,
    Input(input): Input<ShowingSeriesInput>,
) -> Result<Created<Vec<ShowingWithTickets>>> {
    let zone = app.settings.mail.time_zone;
    let first = input.first.create(new.id(), new.parts());
    let (first, rule) = both(first, input.series.read(zone))?;
    let begins = shown(first.start, zone);
    let dates = rule.dates(begins)?;
    if dates.len() > limits::SHOWINGS {
        return Err(too_many());
    }
    let mut series = Vec::with_capacity(dates.len());
    for (n, date) in dates.into_iter().enumerate() {
        let moved = moved(&first, date - begins.date(), zone);
        let moved = moved.ok_or_else(|| ApiError::field("rule", Reason::TooLate))?;
        let mut showing = renamed(moved, new, n);
        showing.start_set_at = Some(app.now());
        series.push(showing);
    }
    let any_state = IfMatch::default();
    let by = (&scope.user, &any_state);
    let mut event = scope.parent.clone();
    // A transaction has room for so many with their types. A repeat goes on where one was killed.
    for some in series.chunks(AT_ONCE) {
        let edited = Edited::event(&scope.club, &event);
        event = edit_event(&app, by, edited, |_| (), |event| add(event, &series, some)).await?;
    }
    let location = format!(
        "/api/clubs/{}/events/{}/showings/?series={}",
        event.club, event.id, new.0
    );
    let made = ids_of(new.0);
    event.showings.retain(|showing| made.contains(&showing.id));
    let Json(body) = bodies(&app, &event, EventViewer::of(&scope)).await?;
    Ok(Created { location, body })
}

fn too_many() -> ApiError {
    ApiError::field("rule", TOO_MANY_SHOWINGS).coded(Code::Quota)
}

/// Returns both, or all that is wrong with them.
fn both<A, B>(one: Result<A>, other: Result<B>) -> Result<(A, B)> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(ApiError::Invalid(code, mut wrong)), Err(ApiError::Invalid(_, more))) => {
            for (field, reason) in more.into_reasons() {
                wrong.add(field, reason);
            }
            Err(ApiError::Invalid(code, wrong))
        }
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// So many showings are added at once: each has two items for its types.
const AT_ONCE: usize = 40;

/// Adds a part of a series to an event; those that an earlier attempt has added stay as they are
/// (X10). It is 400 if not all of the series fit.
fn add(event: &mut Event, series: &[Showing], some: &[Showing]) -> Result<()> {
    let there: HashSet<_> = event.showings.iter().map(|one| one.id).collect();
    let is_new = |one: &&Showing| !there.contains(&one.id);
    if event.showings.len() + series.iter().filter(is_new).count() > limits::SHOWINGS {
        return Err(too_many());
    }
    let before = event.location_bytes();
    let new: Vec<Showing> = some.iter().filter(is_new).cloned().collect();
    event.showings.extend(new);
    check_locations(event, before)
}

shared::input! {
    /// When a copy begins.
    pub struct EventCopyInput {
        /// When the first showing of the copy begins. Missing: seven days after that of the
        /// original, or on the first such day that is to come.
        start_time: Option<Timestamp>, Free;
    }
}

/// Copy an event.
///
/// For officers. The copy has the same showings with the same types of tickets, but no tickets, no
/// image, and is not pinned. Its times keep their distances, as the clocks of the campus show them.
#[utoipa::path(
    post, path = "/api/clubs/{club}/events/{event}/duplicate/", tag = "events",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path), ("event" = u64, Path)),
    request_body = EventCopyInput, responses((status = 201, body = EventBody))
)]
pub async fn duplicate_event(
    app: Context,
    scope: Officer<EventsWrite, Event>,
    new: NewId,
    Input(input): Input<EventCopyInput>,
) -> Result<Created<EventBody>> {
    let (zone, now) = (app.settings.mail.time_zone, app.now());
    let mut reader = Reader::new(Mode::Create);
    let start = reader.get(input.start_time).flatten();
    reader.finish()?;
    let badges = Badges::of(&app, &scope.club).await?;
    let mut event = scope.parent;
    let mut showings = std::mem::take(&mut event.showings);
    for sale in app.table.sales(event_sales(&event, &showings)).await? {
        let showing = showings.iter_mut().find(|one| one.id == sale.showing.id);
        if let Some(showing) = showing {
            showing.types = Some(sale.types);
        }
    }
    let first = showings.first().map(|one| shown(one.start, zone));
    for (n, showing) in showings.into_iter().enumerate() {
        let first = first.unwrap_or_default();
        let by = match start {
            Some(start) => shown(start, zone) - first,
            None => weeks_until(first, shown(now, zone)),
        };
        let moved = moved(&showing, by, zone);
        let moved = moved.ok_or_else(|| ApiError::field("start_time", Reason::TooLate))?;
        let mut copy = renamed(moved, new, n);
        copy.start_set_at = None;
        // A sale that was removed is not there any more.
        copy.tickets.has_types = copy.types.as_ref().is_some_and(|types| !types.is_empty());
        event.showings.push(copy);
    }
    event.id = new.id();
    event.version = 1;
    event.image = None;
    event.image_alt.clear();
    event.pinned = false;
    event.text = None;
    (event.created_at, event.updated_at) = (now, now);
    event.sort_showings();
    let viewer = EventViewer {
        is_signed_in: true,
        is_officer: true,
    };
    let event = store_event(&app, &scope.user, event).await?;
    Ok(Created {
        location: format!("/api/clubs/{}/events/{}/", event.club, event.id),
        body: EventBody::new(&event, &scope.club, viewer, &badges, &app.media),
    })
}

/// Returns the showings that have types of tickets, in the form in which these are read.
fn event_sales(event: &Event, showings: &[Showing]) -> Vec<(Id<of::Event>, Id<of::Showing>)> {
    let with_types = showings.iter().filter(|one| one.tickets.has_types);
    with_types.map(|one| (event.id, one.id)).collect()
}

/// Returns seven days, or as many more weeks as lie between a time and now.
fn weeks_until(first: NaiveDateTime, now: NaiveDateTime) -> TimeDelta {
    let behind = (now - first).num_days().max(0);
    let mut weeks = TimeDelta::weeks(behind / 7 + 1);
    if first + weeks <= now {
        weeks += TimeDelta::weeks(1);
    }
    weeks
}
