//! Events of a term. Some have ended, and some have flyers.

use chrono::{TimeDelta, Timelike as _};
use shared::Shared;
use shared::domain::{Event, EventType, Showing, TicketRules};
use shared::time::Timestamp;

use super::{Numbers, picture};
use crate::Error;

/// Club, name, type, first day from now, hour, length in hours, weeks between showings, number of
/// showings, location, and whether the location is public.
type EventPlan = (
    &'static str,
    &'static str,
    EventType,
    i64,
    i64,
    i64,
    i64,
    i64,
    &'static str,
    bool,
);

const PLANS: [EventPlan; 16] = [
    (
        "robotics",
        "Open workshop",
        EventType::Social,
        -63,
        17,
        3,
        1,
        14,
        "Engineering, room 012",
        true,
    ),
    (
        "robotics",
        "Autumn recruitment: meet the team",
        EventType::Recruitment,
        2,
        18,
        2,
        1,
        1,
        "Engineering, main hall",
        true,
    ),
    (
        "debate",
        "Weekly debate",
        EventType::GeneralBodyMeeting,
        -60,
        19,
        2,
        1,
        14,
        "Law, lecture hall 3",
        true,
    ),
    (
        "debate",
        "How to judge",
        EventType::Speaker,
        9,
        18,
        1,
        1,
        2,
        "Law, seminar room 7",
        false,
    ),
    (
        "chess",
        "Club evening",
        EventType::GeneralBodyMeeting,
        -58,
        19,
        3,
        1,
        16,
        "Student union, café",
        true,
    ),
    (
        "chess",
        "Blitz tournament",
        EventType::Other,
        12,
        14,
        5,
        1,
        1,
        "Student union, hall",
        true,
    ),
    (
        "a-cappella",
        "Winter concert",
        EventType::Social,
        24,
        19,
        2,
        1,
        2,
        "Chapel",
        true,
    ),
    (
        "astronomy",
        "Night on the roof",
        EventType::Social,
        -30,
        21,
        3,
        2,
        7,
        "Physics, roof",
        false,
    ),
    (
        "film",
        "Film night",
        EventType::Social,
        -45,
        20,
        3,
        1,
        12,
        "Old cinema",
        true,
    ),
    (
        "climbing",
        "Wall night",
        EventType::Other,
        -40,
        18,
        3,
        1,
        12,
        "Sports centre",
        false,
    ),
    (
        "green-campus",
        "Bike repair morning",
        EventType::Other,
        5,
        10,
        3,
        2,
        4,
        "Behind the library",
        true,
    ),
    (
        "consulting",
        "From studies to consulting",
        EventType::Career,
        16,
        17,
        2,
        1,
        1,
        "Business school, room 2.04",
        true,
    ),
    (
        "improv",
        "Improv show",
        EventType::Social,
        7,
        20,
        2,
        2,
        3,
        "Theatre cellar",
        true,
    ),
    (
        "model-un",
        "Mock assembly",
        EventType::GeneralBodyMeeting,
        -14,
        13,
        6,
        4,
        3,
        "Town hall",
        false,
    ),
    (
        "photography",
        "Darkroom introduction",
        EventType::Other,
        -21,
        16,
        2,
        1,
        6,
        "Arts, basement",
        false,
    ),
    (
        "hackers",
        "Hack night",
        EventType::Social,
        -35,
        18,
        5,
        1,
        11,
        "Computer science, lab 1",
        true,
    ),
];

/// Makes more than forty events from the plans.
pub fn events(numbers: &Numbers, now: Timestamp) -> Vec<Event> {
    let midnight = now.plus(TimeDelta::seconds(-i64::from(
        now.moment().num_seconds_from_midnight(),
    )));
    let mut events = Vec::new();
    for (i, plan) in PLANS.iter().enumerate() {
        let (club, name, event_type, day, hour, hours, weeks, showings, room, public) = *plan;
        let times =
            |n: i64| midnight.plus(TimeDelta::days(day + 7 * weeks * n) + TimeDelta::hours(hour));
        let showing = |n: i64| Showing {
            id: numbers.next(),
            start: times(n),
            end: times(n).plus(TimeDelta::hours(hours)),
            location: Some(room.into()),
            location_is_public: public,
            ticketed: event_type == EventType::Social && hour >= 20,
            ticket_drop: None,
            ticket_order_limit: 4,
            start_set_at: None,
            tickets: TicketRules::default(),
            types: None,
        };
        // Every second plan becomes one event with many showings. The others become many events.
        let groups: Vec<Vec<i64>> = if i % 2 == 0 {
            vec![(0..showings).collect()]
        } else {
            (0..showings).map(|n| vec![n]).collect()
        };
        for group in groups {
            let created = midnight.plus(TimeDelta::days(-70));
            events.push(Event {
                id: numbers.next(),
                club: super::code(club),
                version: 1,
                name: name.into(),
                description: format!(
                    "<p>{name}. <b>Everybody is welcome</b>, no need to sign up.</p>"
                ),
                event_type,
                url: (!public).then(|| format!("https://{club}.clubs.example/events/")),
                image: None,
                image_alt: String::new(),
                pinned: event_type == EventType::Recruitment,
                showings: group.into_iter().map(showing).collect(),
                text: None,
                created_at: created,
                updated_at: created,
            });
        }
    }
    events
}

/// What the flyers show, for those who cannot see them.
const ALT: [(&str, &str); 9] = [
    ("robotics", "A robot waves from a workbench"),
    ("debate", "Two speakers at their lecterns, and an audience"),
    ("chess", "Pawns on a large chessboard"),
    ("a-cappella", "Seven singers on a stage"),
    ("astronomy", "An observatory below the Milky Way"),
    ("film", "A sunset on the screen of a cinema"),
    ("climbing", "Somebody jumps from hold to hold on a wall"),
    ("green-campus", "A red bicycle in front of green hills"),
    ("improv", "Two actors in a spotlight"),
];

/// Adds a flyer to the next event of some clubs.
pub async fn flyers(app: &Shared, events: &[Event]) -> Result<(), Error> {
    let now = app.now();
    for (club, alt) in ALT {
        let next = events
            .iter()
            .filter(|event| &*event.club == club)
            .filter_map(|event| Some((event.span().filter(|span| span.ends.1 >= now)?, event)))
            .min_by_key(|(span, _)| span.ends.1);
        let file = picture(&format!("{club}-event"));
        let Some(((_, event), file)) = next.zip(file) else {
            continue;
        };
        let image = app.media.store(file.into()).await;
        let image = image.map_err(|error| format!("{error:?}"))?;
        let flyer = Event {
            version: event.version + 1,
            image: Some(image),
            image_alt: alt.to_owned(),
            ..event.clone()
        };
        app.table.update_event(event, &flyer, vec![]).await?;
    }
    Ok(())
}
