//! The people that an import of members names.

use std::collections::HashMap;

use futures::stream::{self, StreamExt, TryStreamExt};
use shared::db::{PARALLEL, TableError};
use shared::domain::{Membership, Person, Role};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::{ClubCode, Email};
use shared::web::scopes::MembersWrite;
use shared::web::{ImportBody, ImportRow, Officer, Result};
use shared::{Context, limits};

/// What a row says.
#[derive(Clone)]
pub struct RequestedMember {
    pub(crate) row: usize,
    /// The column that tells who it is.
    pub(crate) named_by: &'static str,
    pub(crate) who: Who,
    pub(crate) role: Option<Role>,
    pub(crate) title: Option<String>,
}

#[derive(Clone)]
pub(crate) enum Who {
    Email(Email),
    Username(String),
}

/// Who a row is about.
pub(crate) enum PersonMatch {
    Person(Id<of::Person>),
    Stranger(Email),
    /// Nobody, and why.
    Wrong(Reason),
}

/// Reads a row. None if it is wrong, which the body then tells.
pub fn read(
    scope: &Officer<MembersWrite>,
    row: &ImportRow,
    body: &mut ImportBody,
) -> Option<RequestedMember> {
    let errors = body.errors.len();
    for column in row.wrong(&[]) {
        body.error(row.number, column, Reason::NotText);
    }
    let email = row.text("email").map(Email::parse);
    if email == Some(None) {
        body.error(row.number, "email", Reason::NotAddress);
    }
    let username = row.text("username");
    let who = match (email.flatten(), username) {
        (Some(email), _) => Some(("email", Who::Email(email.folded()))),
        (None, Some(name)) => Some(("username", Who::Username(name.to_owned()))),
        (None, None) => None,
    };
    if who.is_none() && body.errors.len() == errors {
        let why = Reason::NobodyNamed;
        body.error(row.number, "email", why);
    }
    let role = row.text("role").map(role);
    match role {
        Some(None) => body.error(
            row.number,
            "role",
            Reason::not_one_of(["owner", "officer", "member"]),
        ),
        Some(Some(role)) if !scope.reaches(role) => {
            body.error(row.number, "role", Reason::RoleTooHigh);
        }
        _ => {}
    }
    let title = row.text("title");
    if title.is_some_and(|title| title.chars().any(char::is_control)) {
        let why = Reason::ControlCharacters;
        body.error(row.number, "title", why);
    } else if title.is_some_and(|title| title.chars().count() > limits::NAME) {
        let limit = limits::NAME;
        let why = Reason::TooLong { limit };
        body.error(row.number, "title", why);
    }
    let (named_by, who) = who.filter(|_| body.errors.len() == errors)?;
    Some(RequestedMember {
        row: row.number,
        named_by,
        who,
        role: role.flatten(),
        title: title.map(str::to_owned),
    })
}

/// A role by its number or its name.
pub(crate) fn role(text: &str) -> Option<Role> {
    match text.to_lowercase().as_str() {
        "0" | "owner" => Some(Role::Owner),
        "10" | "officer" => Some(Role::Officer),
        "20" | "member" => Some(Role::Member),
        _ => None,
    }
}

pub(crate) async fn find(app: &Context, who: &Who) -> Result<PersonMatch, TableError> {
    Ok(match who {
        Who::Email(email) => match app.table.people_at(email).await?[..] {
            [] => PersonMatch::Stranger(email.clone()),
            [person] => PersonMatch::Person(person),
            _ => PersonMatch::Wrong(Reason::AmbiguousAddress),
        },
        Who::Username(name) if name.chars().count() > limits::NAME => {
            PersonMatch::Wrong(Reason::UnknownUsername)
        }
        Who::Username(name) => {
            let found = app.table.people_called(name).await?;
            let exact: Vec<&Person> = found
                .iter()
                .filter(|person| person.personal.username == *name)
                .collect();
            match (&exact[..], &found[..]) {
                ([person], _) => PersonMatch::Person(person.id),
                ([], [person]) => PersonMatch::Person(person.id),
                _ => PersonMatch::Wrong(Reason::UnknownUsername),
            }
        }
    })
}

/// Finds the people of the rows. Who is a member already needs no search, so that a file that is
/// sent again goes on quickly.
pub(crate) async fn find_all(
    app: &Context,
    code: &ClubCode,
    requested: Vec<RequestedMember>,
) -> Result<Vec<(RequestedMember, PersonMatch)>, TableError> {
    let present = Present::of(&app.table.members(code).await?);
    let found = stream::iter(requested).map(async |requested| {
        let found = match present.find(&requested.who) {
            Some(member) => PersonMatch::Person(member),
            None => find(app, &requested.who).await?,
        };
        Ok((requested, found))
    });
    found.buffered(PARALLEL).try_collect().await
}

/// The members of a club, by what a row may name them with.
pub(crate) struct Present {
    emails: HashMap<String, Option<Id<of::Person>>>,
    usernames: HashMap<String, Id<of::Person>>,
}

impl Present {
    fn of(members: &[Membership]) -> Self {
        let mut emails = HashMap::new();
        for member in members {
            let email = member.personal.email.folded().to_string();
            // An address of several people is searched for, which tells that.
            emails
                .entry(email)
                .and_modify(|person| *person = None)
                .or_insert(Some(member.person));
        }
        let username = |member: &Membership| (member.personal.username.clone(), member.person);
        Self {
            emails,
            usernames: members.iter().map(username).collect(),
        }
    }

    fn find(&self, who: &Who) -> Option<Id<of::Person>> {
        match who {
            Who::Email(email) => self.emails.get(&**email).copied().flatten(),
            Who::Username(name) => self.usernames.get(name).copied(),
        }
    }
}
