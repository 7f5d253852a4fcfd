//! The rows of an import of clubs.

use std::collections::{BTreeMap, HashSet};

use futures::stream::{self, StreamExt, TryStreamExt};
use serde::Deserialize;
use serde::de::IgnoredAny;
use shared::Context;
use shared::db::{PARALLEL, TableError};
use shared::domain::{Club, ClubProfile};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::kinds::{Address, CodeText, Html, Line, MaybeAddress, WebAddress};
use shared::text::{ClubCode, Email, fold};
use shared::web::{ImportBody, ImportRow, Reference, Result};
use utoipa::ToSchema;

use crate::body::{ClubInput, TagsAndBadges};
use crate::codes::slug;

/// A club. Cells that are empty change nothing.
#[derive(Debug, Deserialize, ToSchema)]
#[expect(dead_code, reason = "rows are read by the names of their columns")]
pub struct ClubRow {
    /// Code of the club. Made from the name if it is empty.
    #[schema(value_type = Option<CodeText>)]
    code: Option<String>,
    /// Name of the club. A new club needs one.
    #[schema(value_type = Option<Line>)]
    name: Option<String>,
    /// One line.
    #[schema(value_type = Option<Line>)]
    subtitle: Option<String>,
    /// HTML.
    #[schema(value_type = Option<Html>)]
    description: Option<String>,
    /// Address for questions to the club.
    #[schema(value_type = Option<MaybeAddress>)]
    email: Option<String>,
    /// Web address, http or https.
    #[schema(value_type = Option<WebAddress>)]
    website: Option<String>,
    /// Names of tags: a list, or one text with `|` or commas between them.
    // Generators make code that does not compile from "a text or a list".
    #[schema(value_type = serde_json::Value, required = false)]
    tags: Option<IgnoredAny>,
    /// Address of an owner. Somebody who is not known is invited as owner.
    #[schema(value_type = Option<Address>)]
    owner: Option<String>,
}

pub(crate) const COLUMNS: [&str; 8] = [
    "code",
    "name",
    "subtitle",
    "description",
    "email",
    "website",
    "tags",
    "owner",
];

/// A row without errors.
pub(crate) struct RequestedClub {
    pub(crate) row: usize,
    pub(crate) code: ClubCode,
    pub(crate) input: ClubInput,
    pub(crate) owner: Option<RequestedOwner>,
}

/// Who is to be an owner.
pub(crate) enum RequestedOwner {
    Present(Id<of::Person>),
    Stranger(Email),
}

/// What is wrong with a row: the column and a sentence.
type Wrong = (&'static str, Reason);

/// Reads all rows, with the people whom they name as owners. Errors go to the body.
pub(crate) async fn read_rows(
    app: &Context,
    rows: &[ImportRow],
    labels: &TagsAndBadges,
    body: &mut ImportBody,
) -> Result<Vec<RequestedClub>> {
    let named: Vec<Option<String>> = rows
        .iter()
        .map(|row| row.text("owner").map(str::to_owned))
        .collect();
    let owners: Vec<Result<Option<RequestedOwner>, Wrong>> = stream::iter(named)
        .map(|text| owner(app, text))
        .buffered(PARALLEL)
        .try_collect()
        .await?;
    let (mut requested, mut seen) = (Vec::new(), HashSet::new());
    for (row, owner) in rows.iter().zip(owners) {
        let errors = body.errors.len();
        for column in row.wrong(&["tags"]) {
            body.error(row.number, column, Reason::NotText);
        }
        let code = code(row);
        let tags = tags(row, labels);
        let mut note = |(field, message): Wrong| body.error(row.number, field, message);
        let code = code.map_err(&mut note).ok();
        let tags = tags.map_err(&mut note).unwrap_or_default();
        let owner = owner.map_err(&mut note).ok().flatten();
        let Some(code) = code.filter(|_| body.errors.len() == errors) else {
            continue;
        };
        if !seen.insert(code.clone()) {
            body.error(row.number, "code", Reason::Twice);
            continue;
        }
        requested.push(RequestedClub {
            row: row.number,
            code,
            input: ClubInput::of_row(row, tags),
            owner,
        });
    }
    Ok(requested)
}

/// The code of the club: the one in the row, or the one that its name gives.
pub(crate) fn code(row: &ImportRow) -> Result<ClubCode, Wrong> {
    let wrong = |why| ("code", why);
    let code = match (row.text("code"), row.text("name")) {
        (Some(code), _) => ClubCode::parse(code).ok_or_else(|| wrong(Reason::InvalidCode))?,
        (None, Some(name)) => ClubCode::parse(&slug(name)).ok_or_else(|| wrong(Reason::NoCode))?,
        (None, None) => return Err(("name", Reason::NoName)),
    };
    if code.is_reserved() {
        return Err(wrong(Reason::Reserved));
    }
    Ok(code)
}

pub(crate) fn tags(row: &ImportRow, labels: &TagsAndBadges) -> Result<Vec<Reference>, Wrong> {
    row.texts("tags")
        .into_iter()
        .map(|name| {
            let found = labels
                .tags
                .iter()
                .find(|tag| fold(&tag.value.name) == fold(name));
            found.map(|tag| Reference::to(tag.id)).ok_or_else(|| {
                let value = name.chars().take(100).collect();
                ("tags", Reason::UnknownTag { value })
            })
        })
        .collect()
}

pub(crate) async fn owner(
    app: &Context,
    text: Option<String>,
) -> Result<Result<Option<RequestedOwner>, Wrong>, TableError> {
    let Some(text) = text else {
        return Ok(Ok(None));
    };
    let Some(email) = Email::parse(&text) else {
        let why = Reason::NotAddress;
        return Ok(Err(("owner", why)));
    };
    Ok(match app.table.people_at(&email).await?[..] {
        [] => Ok(Some(RequestedOwner::Stranger(email.folded()))),
        [person] => Ok(Some(RequestedOwner::Present(person))),
        _ => Err(("owner", Reason::AmbiguousAddress)),
    })
}

/// A new club without content. It is approved, because an admin imports it.
pub(crate) fn empty(code: &ClubCode, creation: u64, now: shared::time::Timestamp) -> Club {
    Club {
        code: code.clone(),
        version: 1,
        profile: ClubProfile {
            active: true,
            application_required: 4,
            ..ClubProfile::default()
        },
        image: None,
        badges: vec![],
        approved: Some(true),
        archived: false,
        creation,
        created_at: now,
        members: 0,
        owners: 0,
        favorites: 0,
        events: 0,
        requests_notified_at: None,
        windows: BTreeMap::new(),
        releases: BTreeMap::new(),
        applications: 0,
        without_owner: false,
    }
}
