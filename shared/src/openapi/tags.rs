//! The tags of operations, in the order in which a reader meets them.

use serde_json::{Value, json};

type Group = (&'static str, &'static [(&'static str, &'static str)]);

const GROUPS: [Group; 9] = [
    (
        "Clubs",
        &[
            (
                "clubs",
                "The catalogue of clubs: find, create, change and delete them.",
            ),
            (
                "clubfairs",
                "Club fairs, and the clubs that register for them.",
            ),
        ],
    ),
    (
        "Events",
        &[
            ("events", "Events of clubs, with images and calendars."),
            ("showings", "The times and places of an event."),
            (
                "tickets",
                "Tickets of a showing: orders, and the list and the door for officers.",
            ),
        ],
    ),
    (
        "Members",
        &[
            ("members", "The members of a club, with role and title."),
            ("invites", "Invitations by mail to join a club."),
            (
                "join links",
                "Links and QR codes with which anybody can join a club.",
            ),
            (
                "membership requests",
                "Requests of people who want to join, as officers see them.",
            ),
            ("people", "The search for people, for officers."),
        ],
    ),
    (
        "Recruitment",
        &[
            (
                "applications",
                "Application forms of a club, with committees and times.",
            ),
            ("questions", "The questions of an application form."),
            ("extensions", "A later deadline for one person."),
            (
                "submissions",
                "What applicants sent, and the decisions of the officers.",
            ),
            ("files", "Files as answers to questions."),
            (
                "interviews",
                "Slots for interviews, and who has booked them, for officers.",
            ),
            (
                "reviews",
                "What officers think of a submission. Applicants never see it.",
            ),
            (
                "receipts",
                "Signed statements of what was submitted and when.",
            ),
        ],
    ),
    (
        "Mail",
        &[(
            "mails",
            "Acceptances, rejections and invitations to an interview: preview, then send.",
        )],
    ),
    (
        "Programs",
        &[
            (
                "changes",
                "What changed in a club, in an order that never changes.",
            ),
            (
                "webhooks",
                "Addresses that are called when something changes, for owners and admins.",
            ),
        ],
    ),
    (
        "Me",
        &[
            (
                "me",
                "The profile of the caller: read, change, export, erase.",
            ),
            ("tokens", "Tokens with which programs act for the caller."),
            ("home", "What waits for the caller, in one request."),
            ("own submissions", "The submissions of the caller."),
            ("own tickets", "The tickets of the caller."),
            (
                "own membership requests",
                "The caller's requests to join clubs.",
            ),
            ("memberships", "The clubs of the caller."),
            ("favorites", "The clubs that the caller has marked."),
            (
                "subscriptions",
                "The clubs that the caller follows, and who follows a club.",
            ),
        ],
    ),
    (
        "Admin",
        &[
            ("tags", "The topics of clubs. Admins write them."),
            ("badges", "Awards of clubs. Admins write them."),
            (
                "schools",
                "The schools in people's profiles. Admins write them.",
            ),
            (
                "majors",
                "The majors in people's profiles. Admins write them.",
            ),
            ("years", "The years of graduation. Admins write them."),
        ],
    ),
    (
        "Service",
        &[("service", "Whether the service runs, and this document.")],
    ),
];

/// Returns all tags with their texts.
pub fn all() -> Value {
    GROUPS
        .iter()
        .flat_map(|(_, tags)| *tags)
        .map(|(name, about)| json!({ "name": name, "description": about }))
        .collect()
}

/// Returns the groups of tags.
pub fn groups() -> Value {
    let names = |tags: &[(&str, &str)]| tags.iter().map(|(name, _)| json!(name)).collect::<Value>();
    GROUPS
        .iter()
        .map(|(group, tags)| json!({ "name": group, "tags": names(tags) }))
        .collect()
}
