//! What an import of members would do: reads the rows, finds the people, and compares them with the
//! members and invites of the club (B3, B4).

use std::collections::{HashMap, HashSet};

use futures::stream::{self, StreamExt, TryStreamExt};
use shared::http::{ImportBody, ImportRow, Officer, Result};
use shared::ids::Id;
use shared::models::{ClubCode, Email, InvitationLog, Invite, Membership, Person, Role};
use shared::table::{PARALLEL, TableError};
use shared::time::Timestamp;
use shared::{Shared, limits};

use crate::invitations::{Addressee, MAX_INVITES_IN_TEN_MINUTES};

/// What a row says.
#[derive(Clone)]
pub struct Wanted {
    row: usize,
    /// The column that tells who it is.
    named_by: &'static str,
    who: Who,
    role: Option<Role>,
    title: Option<String>,
}

#[derive(Clone)]
enum Who {
    Email(Email),
    Username(String),
}

/// Who a row is about.
enum Found {
    Person(Id<Person>),
    Stranger(Email),
    /// Nobody, and why.
    Wrong(&'static str),
}

/// What is to be done.
#[derive(Default)]
pub struct Plan {
    pub add: Vec<Addition>,
    pub change: Vec<(usize, Membership, Membership)>,
    pub invite: Vec<(usize, Addressee)>,
}

pub struct Addition {
    pub row: usize,
    pub named_by: &'static str,
    pub membership: Membership,
    /// Whether the person gets a mail.
    pub is_mailed: bool,
}

/// Reads a row. None if it is wrong, which the body then tells.
pub fn read(scope: &Officer, row: &ImportRow, body: &mut ImportBody) -> Option<Wanted> {
    let errors = body.errors.len();
    for column in ["email", "username", "role", "title"] {
        if row.wrong().iter().any(|wrong| wrong == column) {
            body.error(row.number, column, "Expected a text.");
        }
    }
    let email = row.text("email").map(Email::parse);
    if email == Some(None) {
        body.error(row.number, "email", "This is not an e-mail address.");
    }
    let username = row.text("username");
    let who = match (email.flatten(), username) {
        (Some(email), _) => Some(("email", Who::Email(email.folded()))),
        (None, Some(name)) => Some(("username", Who::Username(name.to_owned()))),
        (None, None) => None,
    };
    if who.is_none() && body.errors.len() == errors {
        let why = "A row needs an address or a user name.";
        body.error(row.number, "email", why);
    }
    let role = row.text("role").map(role);
    match role {
        Some(None) => body.error(
            row.number,
            "role",
            "Expected 0 (owner), 10 (officer) or 20 (member).",
        ),
        Some(Some(role)) if !scope.reaches(role) => {
            body.error(row.number, "role", "You cannot give a role above your own.");
        }
        _ => {}
    }
    let title = row.text("title");
    if title.is_some_and(|title| title.chars().any(char::is_control)) {
        let why = "Line breaks and control characters are not allowed here.";
        body.error(row.number, "title", why);
    } else if title.is_some_and(|title| title.chars().count() > limits::NAME) {
        let why = format!("At most {} characters are allowed.", limits::NAME);
        body.error(row.number, "title", why);
    }
    let (named_by, who) = who.filter(|_| body.errors.len() == errors)?;
    Some(Wanted {
        row: row.number,
        named_by,
        who,
        role: role.flatten(),
        title: title.map(str::to_owned),
    })
}

/// A role by its number or its name.
fn role(text: &str) -> Option<Role> {
    match text.to_lowercase().as_str() {
        "0" | "owner" => Some(Role::Owner),
        "10" | "officer" => Some(Role::Officer),
        "20" | "member" => Some(Role::Member),
        _ => None,
    }
}

async fn find(app: &Shared, who: &Who) -> Result<Found, TableError> {
    Ok(match who {
        Who::Email(email) => match app.table.people_at(email).await?[..] {
            [] => Found::Stranger(email.clone()),
            [person] => Found::Person(person),
            _ => Found::Wrong("Several people have this address. Send their user names."),
        },
        Who::Username(name) if name.chars().count() > limits::NAME => {
            Found::Wrong("Nobody has this user name.")
        }
        Who::Username(name) => {
            let found = app.table.people_called(name).await?;
            let exact: Vec<&Person> = found
                .iter()
                .filter(|person| person.personal.username == *name)
                .collect();
            match (&exact[..], &found[..]) {
                ([person], _) => Found::Person(person.id),
                ([], [person]) => Found::Person(person.id),
                ([], []) => Found::Wrong("Nobody has this user name."),
                _ => Found::Wrong("Several people have this user name."),
            }
        }
    })
}

pub async fn plan(
    app: &Shared,
    scope: &Officer,
    wanted: Vec<Wanted>,
    creation: u64,
    body: &mut ImportBody,
) -> Result<Plan> {
    let code = &scope.club.code;
    let found: Vec<(Wanted, Found)> = stream::iter(wanted)
        .map(async |wanted| {
            let found = find(app, &wanted.who).await?;
            Ok::<_, TableError>((wanted, found))
        })
        .buffered(PARALLEL)
        .try_collect()
        .await?;
    let ids = || {
        found.iter().filter_map(|(_, found)| match found {
            Found::Person(id) => Some(*id),
            _ => None,
        })
    };
    let addresses = found.iter().filter_map(|(_, found)| match found {
        Found::Stranger(email) => Some(Invite::id_for_address(code, email)),
        _ => None,
    });
    let (people, members, invites, log) = futures::try_join!(
        app.table.people(ids()),
        app.table.members_among(code, ids()),
        app.table.invites_by_id(code, addresses),
        app.table.invitation_log(code)
    )?;
    let members: HashMap<Id<Person>, Membership> = members
        .into_iter()
        .map(|member| (member.person, member))
        .collect();
    let now = app.now();
    let mut mails = log.allowed(now);
    let (mut plan, mut seen) = (Plan::default(), HashSet::new());
    let is_approved = scope.club.approved == Some(true);
    for (wanted, found) in found {
        let Wanted { row, named_by, .. } = wanted;
        let key = match &found {
            Found::Person(id) => id.to_string(),
            Found::Stranger(email) => email.to_string(),
            Found::Wrong(why) => {
                body.error(row, named_by, *why);
                continue;
            }
        };
        if !seen.insert(key) {
            body.error(row, named_by, "This person is in the file twice.");
            continue;
        }
        match found {
            Found::Person(id) => match (members.get(&id), people.get(&id)) {
                (Some(member), _) => plan.change(scope, wanted, member, body),
                (None, Some(person)) if !person.erasing => {
                    let role = wanted.role.unwrap_or(Role::Member);
                    let is_mailed = is_approved && !person.personal.email.is_empty() && mails > 0;
                    mails -= usize::from(is_mailed);
                    plan.add.push(Addition {
                        row,
                        named_by,
                        membership: Membership {
                            title: wanted.title.unwrap_or_default(),
                            ..Membership::new(code, person, role, creation, now)
                        },
                        is_mailed,
                    });
                }
                _ => body.error(row, named_by, "There is no such person."),
            },
            Found::Stranger(email) => {
                let there = invites.iter().find(|invite| invite.email == email);
                let limits = InviteLimits {
                    club: code,
                    is_approved,
                    log: &log,
                    now,
                };
                plan.stranger(wanted, email, there, &mut mails, &limits, body);
            }
            Found::Wrong(_) => {}
        }
    }
    Ok(plan)
}

/// What limits invitations.
struct InviteLimits<'a> {
    club: &'a ClubCode,
    is_approved: bool,
    log: &'a InvitationLog,
    now: Timestamp,
}

impl Plan {
    /// Plans the invitation of an address that nobody has. `mails` is how many mails the club may
    /// still send.
    fn stranger(
        &mut self,
        wanted: Wanted,
        email: Email,
        there: Option<&Invite>,
        mails: &mut usize,
        limits: &InviteLimits<'_>,
        body: &mut ImportBody,
    ) {
        let (log, now) = (limits.log, limits.now);
        // An invite that was revoked counts too.
        let id = Invite::id_for_address(limits.club, &email);
        let often = log.times(&id, now) >= MAX_INVITES_IN_TEN_MINUTES;
        let why = if there.is_some_and(|invite| invite.is_open(now)) {
            body.skipped += 1;
            return;
        } else if !limits.is_approved {
            "This club is not approved yet, so it cannot invite anybody.".to_owned()
        } else if often {
            "Wait ten minutes before you send the same invitation again.".to_owned()
        } else if *mails == 0 {
            format!(
                "A club can send at most {} invitations in 24 hours. Send this row later.",
                InvitationLog::DAILY
            )
        } else {
            *mails -= 1;
            let addressee = Addressee {
                email,
                people: vec![],
                role: wanted.role.unwrap_or(Role::Member),
                title: wanted.title.unwrap_or_default(),
            };
            self.invite.push((wanted.row, addressee));
            return;
        };
        body.error(wanted.row, wanted.named_by, why);
    }

    /// Plans the change of a present member (B4).
    fn change(
        &mut self,
        scope: &Officer,
        wanted: Wanted,
        member: &Membership,
        body: &mut ImportBody,
    ) {
        if member.role == Role::Owner {
            body.skipped += 1;
            return;
        }
        let is_below = scope.user.is_admin() || scope.role().is_some_and(|own| own < member.role);
        let mut new = member.clone();
        if let Some(role) = wanted.role.filter(|role| *role != member.role) {
            if !is_below {
                let why = "You can change only roles below your own.";
                body.error(wanted.row, "role", why);
                return;
            }
            new.role = role;
        }
        if let Some(title) = wanted.title {
            new.title = title;
        }
        if new == *member {
            body.skipped += 1;
        } else {
            self.change.push((wanted.row, member.clone(), new));
        }
    }
}
