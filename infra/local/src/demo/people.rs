//! People, clubs and their members.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use shared::domain::{
    Club, ClubProfile, Invite, Membership, MembershipRequest, Person, Personal, Role,
};
use shared::ids;
use shared::time::Timestamp;

use super::subject;
use crate::issuer::{ISSUER, Subject};

const NAMES: [&str; 60] = [
    "Olivia Marsh",
    "Sam Okafor",
    "Ada Byron",
    "Grace Lindqvist",
    "Alan Whitfield",
    "Mei Tanaka",
    "Luis Ortega",
    "Priya Raman",
    "Jonas Weber",
    "Chloé Martin",
    "Omar Haddad",
    "Nina Kowalska",
    "Ethan Brooks",
    "Zoë van Dijk",
    "Ravi Menon",
    "Hannah Stein",
    "Diego Fuentes",
    "Amara Nwosu",
    "Felix Braun",
    "Yuki Sato",
    "Leila Farsi",
    "Marco Rossi",
    "Ingrid Dahl",
    "Tomás Silva",
    "Aisha Khan",
    "Pavel Novák",
    "Sofia Petrova",
    "Noah Jensen",
    "Isla McKay",
    "Kwame Mensah",
    "Elena Popescu",
    "Lucas Meyer",
    "Fatima Zahra",
    "Oscar Nyman",
    "Maya Cohen",
    "Theo Laurent",
    "Anika Bose",
    "Bruno Costa",
    "Clara Hoffmann",
    "David Kim",
    "Esra Yılmaz",
    "Finn O'Brien",
    "Gita Patel",
    "Hugo Bernard",
    "Irene Papadakis",
    "Jakub Zieliński",
    "Kira Volkova",
    "Liam Walsh",
    "Mina Park",
    "Nadia Benali",
    "Otto Lehmann",
    "Paula Gómez",
    "Quentin Dubois",
    "Rosa Bianchi",
    "Stefan Ilić",
    "Tara Singh",
    "Uma Iyer",
    "Viktor Nagy",
    "Wendy Zhao",
    "Xavier Reyes",
];

/// Code, name and subtitle.
const CLUBS: [[&str; 3]; 14] = [
    ["robotics", "Robotics Society", "We build things that move"],
    ["debate", "Debating Union", "Three minutes to change a mind"],
    ["chess", "Chess Club", "From first moves to team leagues"],
    [
        "a-cappella",
        "High Notes A Cappella",
        "Thirty voices, no instruments",
    ],
    [
        "astronomy",
        "Astronomy Club",
        "Clear skies on the roof every Thursday",
    ],
    ["film", "Film Society", "Watch, make and argue about films"],
    [
        "climbing",
        "Climbing Club",
        "Wall nights and weekends on rock",
    ],
    [
        "green-campus",
        "Green Campus",
        "Less waste, more bikes, a garden",
    ],
    [
        "consulting",
        "Student Consulting Group",
        "Projects with local charities",
    ],
    ["improv", "Improv Theatre", "Yes, and …"],
    [
        "model-un",
        "Model United Nations",
        "Resolutions before breakfast",
    ],
    [
        "photography",
        "Photography Circle",
        "Film, digital and a darkroom",
    ],
    ["hackers", "Hack Nights", "Build something by midnight"],
    ["baking", "Baking Society", "Sourdough and friendship"],
];

/// A person in the admin group.
pub fn admin() -> Subject {
    Subject {
        groups: vec!["clubs-admin".into()],
        ..subject("admin", "Avery Admin")
    }
}

/// Owner of the robotics and debate clubs.
pub fn officer() -> Subject {
    subject("olivia", "Olivia Marsh")
}

/// A student who has not applied yet.
pub fn student() -> Subject {
    subject("sam", "Sam Okafor")
}

/// All people with a profile. The first one is the officer, the second one the student.
pub fn people(now: Timestamp) -> Vec<Person> {
    NAMES
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let first = name.split(' ').next().unwrap_or_default();
            let latin: String = shared::text::fold(first)
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .collect();
            person(i, &latin, name, now)
        })
        .collect()
}

/// A person with a profile. The year of graduation depends on `i`.
pub fn person(i: usize, username: &str, name: &str, now: Timestamp) -> Person {
    let (first, last) = name.split_once(' ').unwrap_or((name, ""));
    let personal = Personal {
        email: super::email(&format!("{username}@uni.example")),
        username: username.to_owned(),
        name: name.to_owned(),
        first_name: first.to_owned(),
        last_name: last.to_owned(),
    };
    let id = ids::Id::derived("user", &[ISSUER, username]);
    let subject = ids::sha256_hex(format!("{ISSUER}\n{username}").as_bytes());
    Person {
        graduation_year: u16::try_from(2027 + i % 4).ok(),
        ..Person::new(id, subject, personal, now.plus(TimeDelta::days(-200)))
    }
}

/// The clubs with their members. The counters of the clubs are right.
pub fn clubs(people: &[Person], now: Timestamp) -> (Vec<Club>, Vec<Membership>) {
    let (mut clubs, mut members) = (Vec::new(), Vec::new());
    for (c, [code, name, subtitle]) in CLUBS.iter().enumerate() {
        // Each club has an owner, two officers and some members. Olivia owns the first two clubs.
        // Sam is not a member of any club.
        let others: Vec<&Person> = people[2..]
            .iter()
            .cycle()
            .skip(c * 7)
            .take(6 + c % 9)
            .collect();
        let owner = if c < 2 {
            &people[0]
        } else {
            others[others.len() - 1]
        };
        let mut of_club = vec![Membership::new(
            &super::code(code),
            owner,
            Role::Owner,
            1,
            now.plus(TimeDelta::days(-180)),
        )];
        for (m, person) in others
            .iter()
            .filter(|person| person.id != owner.id)
            .enumerate()
        {
            let role = if m < 2 { Role::Officer } else { Role::Member };
            let mut membership = Membership::new(
                &super::code(code),
                person,
                role,
                1,
                now.plus(TimeDelta::days(-150)),
            );
            membership.public = m % 5 != 4;
            membership.title = if m == 0 {
                "Treasurer".into()
            } else {
                String::new()
            };
            of_club.push(membership);
        }
        clubs.push(Club {
            code: super::code(code),
            version: 1,
            profile: ClubProfile {
                name: (*name).into(),
                subtitle: (*subtitle).into(),
                description: format!(
                    "<p>{subtitle}. <b>Everybody is welcome</b>, beginners too: \
                    come to a meeting and say hello.</p>"
                ),
                has_more: false,
                email: super::email(&format!("{code}@clubs.example")),
                website: Some(format!("https://{code}.clubs.example/")),
                tags: vec![],
                application_required: 4,
                image_alt: String::new(),
                active: c != 13,
            },
            image: None,
            badges: vec![],
            approved: Some(true),
            archived: false,
            creation: 1,
            created_at: now.plus(TimeDelta::days(-180)),
            members: i64::try_from(of_club.len()).unwrap_or_default(),
            owners: 1,
            favorites: 0,
            events: 0,
            requests_notified_at: None,
            windows: BTreeMap::new(),
            releases: BTreeMap::new(),
            applications: 0,
            without_owner: false,
        });
        members.extend(of_club);
    }
    (clubs, members)
}

/// Membership requests for Olivia's clubs, and invites.
pub fn asking(
    people: &[Person],
    members: &[Membership],
    now: Timestamp,
) -> (Vec<MembershipRequest>, Vec<Invite>) {
    let outside = |club: &str| {
        let is_member = |id| {
            members
                .iter()
                .any(|member| *member.club == *club && member.person == id)
        };
        people[2..]
            .iter()
            .rev()
            .filter(move |person| !is_member(person.id))
            .collect::<Vec<_>>()
    };
    let request = |club: &str, n: usize| {
        MembershipRequest::new(
            &super::code(club),
            outside(club)[n],
            1,
            now.plus(TimeDelta::hours(
                -30 * (3 - i64::try_from(n).unwrap_or_default()),
            )),
        )
    };
    let invite = |club: &str, n: usize, role: Role, days: i64| {
        let email = outside(club)[n].personal.email.clone();
        let sent = now.plus(TimeDelta::days(-days));
        Invite {
            id: Invite::id_for_address(&super::code(club), &email),
            club: super::code(club),
            email,
            role,
            title: String::new(),
            version: 1,
            creation: 1,
            by: None,
            granted_by: None,
            expires_at: sent.plus(TimeDelta::days(Invite::DAYS)),
            updated_at: sent,
            accepted: vec![],
            undelivered: None,
        }
    };
    let requests = vec![
        request("robotics", 0),
        request("robotics", 1),
        request("robotics", 2),
        request("debate", 1),
    ];
    // One of the invites has expired.
    (
        requests,
        vec![
            invite("robotics", 3, Role::Member, 2),
            invite("robotics", 4, Role::Officer, 20),
            invite("debate", 4, Role::Member, 5),
        ],
    )
}
