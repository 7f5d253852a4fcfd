//! The rest of the demo catalogue: tags, badges, schools, majors, years, a fair, favorites,
//! subscriptions and logos.

use std::collections::BTreeMap;

use chrono::{Datelike as _, TimeDelta, Timelike as _};
use shared::Shared;
use shared::domain::Bookmark as _;
use shared::domain::{
    Badge, Club, Fair, Favorite, Major, Person, ReferenceEntry, ReferenceKind, Registration,
    School, Subscription, Tag, Year,
};
use shared::time::Timestamp;

use super::{Numbers, picture};
use crate::Error;

/// Tags, with the positions of their clubs in the list of clubs.
const TAGS: [(&str, &[usize]); 9] = [
    ("Academic", &[1, 4, 8, 11]),
    ("Arts", &[3, 5, 9, 11]),
    ("Career", &[8]),
    ("Engineering", &[0, 12]),
    ("Games", &[2]),
    ("Outdoors", &[6, 7]),
    ("Politics", &[1, 10]),
    ("Food & drink", &[13]),
    ("Languages", &[]),
];

/// Label, purpose, description, color, and positions of the clubs.
const BADGES: [(&str, &str, &str, &str, &[usize]); 4] = [
    (
        "Founded before 1950",
        "history",
        "Older than most of the campus.",
        "#8a6d3b",
        &[1, 2],
    ),
    (
        "Beginners welcome",
        "community",
        "Teaches from the first lesson on.",
        "#2e7d32",
        &[0, 2, 6, 12],
    ),
    (
        "Green office",
        "community",
        "Runs its events without waste.",
        "#00695c",
        &[7],
    ),
    (
        "New this year",
        "history",
        "Founded within the last twelve months.",
        "#1565c0",
        &[],
    ),
];

const SCHOOLS: [(&str, bool); 4] = [
    ("Arts and Sciences", false),
    ("Engineering", false),
    ("Business", false),
    ("Graduate School of Law", true),
];

const MAJORS: [&str; 7] = [
    "Computer Science",
    "Economics",
    "History",
    "Linguistics",
    "Mechanical Engineering",
    "Physics",
    "Philosophy",
];

/// The entries of all collections.
pub struct Collections {
    tags: Vec<ReferenceEntry<Tag>>,
    badges: Vec<ReferenceEntry<Badge>>,
    schools: Vec<ReferenceEntry<School>>,
    majors: Vec<ReferenceEntry<Major>>,
    years: Vec<ReferenceEntry<Year>>,
    fairs: Vec<ReferenceEntry<Fair>>,
    registrations: Vec<Registration>,
    favorites: Vec<Favorite>,
    subscriptions: Vec<Subscription>,
}

fn entries<T: ReferenceKind>(
    numbers: &Numbers,
    values: impl Iterator<Item = (T, i64)>,
) -> Vec<ReferenceEntry<T>> {
    values
        .map(|(value, uses)| ReferenceEntry {
            id: numbers.next(),
            version: 1,
            uses,
            value,
        })
        .collect()
}

fn count(clubs: &[usize]) -> i64 {
    i64::try_from(clubs.len()).unwrap_or_default()
}

/// Makes the entries, and adds the references to people and clubs.
#[expect(
    clippy::too_many_lines,
    reason = "a table: the entries of the demo campus"
)]
pub fn collections(
    numbers: &Numbers,
    people: &mut [Person],
    clubs: &mut [Club],
    now: Timestamp,
) -> Collections {
    let tags = entries(
        numbers,
        TAGS.iter().map(|(name, of)| {
            (
                Tag {
                    name: (*name).into(),
                },
                count(of),
            )
        }),
    );
    let badges = entries(
        numbers,
        BADGES
            .iter()
            .map(|(label, purpose, description, color, of)| {
                let badge = Badge {
                    label: (*label).into(),
                    purpose: (*purpose).into(),
                    description: (*description).into(),
                    color: (*color).into(),
                };
                (badge, count(of))
            }),
    );
    for (tag, (_, of)) in tags.iter().zip(TAGS) {
        for n in of {
            clubs[*n].profile.tags.push(tag.id);
        }
    }
    for (badge, (.., of)) in badges.iter().zip(BADGES) {
        for n in of {
            clubs[*n].badges.push(badge.id);
        }
    }
    let mut schools = entries(
        numbers,
        SCHOOLS.iter().map(|(name, is_graduate)| {
            (
                School {
                    name: (*name).into(),
                    is_graduate: *is_graduate,
                },
                0,
            )
        }),
    );
    let mut majors = entries(
        numbers,
        MAJORS.iter().map(|name| {
            (
                Major {
                    name: (*name).into(),
                },
                0,
            )
        }),
    );
    for (i, person) in people.iter_mut().enumerate().filter(|(i, _)| i % 4 != 3) {
        // The last school and the last major stay unused, so that they can be deleted.
        let (s, m) = (i % schools.len(), i % (majors.len() - 1));
        person.school.push(schools[s].id);
        person.major.push(majors[m].id);
        schools[s].uses += 1;
        majors[m].uses += 1;
    }
    let years = entries(
        numbers,
        (2027..2032).map(|year| {
            (
                Year {
                    name: format!("Class of {year}"),
                    year,
                },
                0,
            )
        }),
    );
    let fairs = entries(numbers, [(fair(now), 6), (next_fair(now), 0)].into_iter());
    let registrations = clubs.iter().take(6).map(|club| Registration {
        fair: fairs[0].id,
        club: club.code.clone(),
        created_at: now,
        received: 1,
    });
    let registrations = registrations.collect();
    let (favorites, subscriptions) = bookmarks(numbers, people, clubs, now);
    Collections {
        tags,
        badges,
        schools,
        majors,
        years,
        fairs,
        registrations,
        favorites,
        subscriptions,
    }
}

/// Lets people mark clubs, and counts the favorites of the clubs.
fn bookmarks(
    numbers: &Numbers,
    people: &[Person],
    clubs: &mut [Club],
    now: Timestamp,
) -> (Vec<Favorite>, Vec<Subscription>) {
    let (mut favorites, mut subscriptions) = (Vec::new(), Vec::new());
    let mut counts = BTreeMap::new();
    // The student has none at the start.
    for (i, person) in people.iter().enumerate().skip(2) {
        for club in clubs.iter().step_by(i % 5 + 2) {
            favorites.push(Favorite::new(
                &club.code,
                person,
                numbers.next::<Favorite>().get(),
                now.plus(TimeDelta::days(-20)),
            ));
            *counts.entry(club.code.clone()).or_default() += 1;
            if i % 3 == 0 {
                subscriptions.push(Subscription::new(
                    &club.code,
                    person,
                    numbers.next::<Subscription>().get(),
                    now.plus(TimeDelta::days(-10)),
                ));
            }
        }
    }
    for club in clubs {
        club.favorites = counts.get(&club.code).copied().unwrap_or_default();
    }
    (favorites, subscriptions)
}

/// A fair in two weeks. Clubs can register for it.
fn fair(now: Timestamp) -> Fair {
    let midnight = now.plus(-TimeDelta::seconds(
        now.moment().num_seconds_from_midnight().into(),
    ));
    let start = midnight.plus(TimeDelta::days(14) + TimeDelta::hours(10));
    Fair {
        name: format!("Activities fair {}", start.moment().year()),
        organization: "Student union".into(),
        contact: "fair@uni.example".into(),
        information: "<p>All clubs in one place, from <b>morning to evening</b>.</p>".into(),
        start,
        end: start.plus(TimeDelta::hours(8)),
        registration_start: Some(now.plus(TimeDelta::days(-7))),
        registration_end: Some(now.plus(TimeDelta::days(7))),
        is_virtual: false,
    }
}

/// A fair in half a year. Clubs cannot register for it yet.
fn next_fair(now: Timestamp) -> Fair {
    let fair = fair(now.plus(TimeDelta::days(180)));
    Fair {
        name: format!("Spring fair {}", fair.start.moment().year()),
        ..fair
    }
}

impl Collections {
    /// Stores the entries.
    pub async fn load(&self, app: &Shared) -> Result<(), Error> {
        let table = &app.table;
        table.load_references(&self.tags).await?;
        table.load_references(&self.badges).await?;
        table.load_references(&self.schools).await?;
        table.load_references(&self.majors).await?;
        table.load_references(&self.years).await?;
        table.load_references(&self.fairs).await?;
        table.load_registrations(&self.registrations).await?;
        table.load(&self.favorites).await?;
        table.load(&self.subscriptions).await?;
        Ok(())
    }
}

/// Gives the clubs their logos. One has none, as in life.
pub async fn logos(app: &Shared, clubs: &mut [Club]) -> Result<(), Error> {
    for club in clubs {
        let Some(file) = picture(&club.code).filter(|_| &*club.code != "model-un") else {
            continue;
        };
        let stored = app.media.store(file.into()).await;
        club.image = Some(stored.map_err(|error| format!("{error:?}"))?);
    }
    Ok(())
}
