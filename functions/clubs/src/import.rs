//! `/clubs/import/`

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use axum::extract::State;
use futures::stream::{self, StreamExt, TryStreamExt};
use serde::Deserialize;
use serde::de::IgnoredAny;
use shared::Shared;
use shared::db::usage::request_age;
use shared::db::{PARALLEL, Refusal, TableError};
use shared::domain::{Club, ClubProfile, InvitationLog, Membership, Person, Role};
use shared::ids::Id;
use shared::mail::joined;
use shared::openapi::fields::{Address, CodeText, Html, Line, MaybeAddress, WebAddress};
use shared::text::fold;
use shared::text::{ClubCode, Email};
use shared::web::{
    Admin, ApiError, ImportBody, ImportRow, ImportRows, Mode, NewId, Params, Reference, Result,
};
use utoipa::ToSchema;

use crate::body::{ClubInput, TagsAndBadges};
use crate::codes::slug;
use crate::import_owner::{add_owner, invite_owner};

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

const COLUMNS: [&str; 8] = [
    "code",
    "name",
    "subtitle",
    "description",
    "email",
    "website",
    "tags",
    "owner",
];

/// No row is begun after this time in a request, so that the function answers in time.
const WITHIN: Duration = Duration::from_secs(18);

/// A row without errors.
struct Wanted {
    row: usize,
    code: ClubCode,
    input: ClubInput,
    owner: Option<Owner>,
}

/// Who is to be an owner.
enum Owner {
    Known(Id<Person>),
    Stranger(Email),
}

/// What happened to a row, or would happen.
#[derive(Default)]
struct Outcome {
    is_created: bool,
    is_updated: bool,
    is_invited: bool,
}

/// What is wrong with a row: the column and a sentence.
type Wrong = (&'static str, String);

/// Import clubs.
///
/// For admins. Rows as CSV with a header line, or as a JSON array, at most 1,000. A club is found by
/// its code, or by the code that its name gives; it is created if it is not there. New clubs are
/// approved. Rows with errors are left out. Sending the same file again changes nothing more.
#[utoipa::path(
    post, path = "/api/clubs/import/", tag = "clubs", security(("bearer" = [])),
    params(("dry_run" = Option<bool>, Query, description = "Only tells what would happen")),
    request_body(content((Vec<ClubRow> = "application/json"), (String = "text/csv"))),
    responses((status = 200, body = ImportBody))
)]
pub async fn import_clubs(
    State(app): State<Shared>,
    params: Params,
    _: Admin,
    NewId(creation): NewId,
    rows: ImportRows,
) -> Result<ImportBody> {
    params.only(&["dry_run"])?;
    let rows = rows.with_columns(&COLUMNS)?;
    let mut body = ImportBody {
        dry_run: params.flag("dry_run")?.unwrap_or(false),
        ..ImportBody::default()
    };
    let versions = app.table.versions().await?;
    let labels = TagsAndBadges::at(&app, &versions).await?;
    let wanted = read_rows(&app, &rows, &labels, &mut body).await?;
    let codes: Vec<ClubCode> = wanted.iter().map(|wanted| wanted.code.clone()).collect();
    let mut clubs: HashMap<ClubCode, Club> = app.table.clubs(&codes).await?;
    for wanted in wanted {
        if request_age() > WITHIN {
            let why = "There was no time left for this row. Send the file again.";
            body.error(wanted.row, "code", why);
            continue;
        }
        let club = clubs.remove(&wanted.code);
        let done = import(&app, &wanted, club, &labels, creation, body.dry_run);
        match Box::pin(done).await {
            Ok(Ok(outcome)) => {
                body.created += usize::from(outcome.is_created);
                body.updated += usize::from(outcome.is_updated);
                body.invited += usize::from(outcome.is_invited);
                let is_same = !outcome.is_created && !outcome.is_updated && !outcome.is_invited;
                body.skipped += usize::from(is_same);
            }
            Ok(Err(wrong)) => {
                for (field, message) in wrong {
                    body.error(wanted.row, &field, message);
                }
            }
            Err(error) if body.created + body.updated + body.invited > 0 => {
                return Err(error.after_write());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(body)
}

/// Reads all rows, with the people whom they name as owners. Errors go to the body.
async fn read_rows(
    app: &Shared,
    rows: &[ImportRow],
    labels: &TagsAndBadges,
    body: &mut ImportBody,
) -> Result<Vec<Wanted>> {
    let named: Vec<Option<String>> = rows
        .iter()
        .map(|row| row.text("owner").map(str::to_owned))
        .collect();
    let owners: Vec<Result<Option<Owner>, Wrong>> = stream::iter(named)
        .map(|text| owner(app, text))
        .buffered(PARALLEL)
        .try_collect()
        .await?;
    let (mut wanted, mut seen) = (Vec::new(), HashSet::new());
    for (row, owner) in rows.iter().zip(owners) {
        let errors = body.errors.len();
        for column in row.wrong(&["tags"]) {
            body.error(row.number, column, "Expected a text.");
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
            body.error(row.number, "code", "This club is in the file twice.");
            continue;
        }
        wanted.push(Wanted {
            row: row.number,
            code,
            input: ClubInput::of_row(row, tags),
            owner,
        });
    }
    Ok(wanted)
}

/// The code of the club: the one in the row, or the one that its name gives.
fn code(row: &ImportRow) -> Result<ClubCode, Wrong> {
    let wrong = |why: &str| ("code", why.to_owned());
    let code = match (row.text("code"), row.text("name")) {
        (Some(code), _) => ClubCode::parse(code).ok_or_else(|| {
            wrong("Use a-z, 0-9 and -, at most 64 characters, with at least one letter.")
        })?,
        (None, Some(name)) => ClubCode::parse(&slug(name))
            .ok_or_else(|| wrong("No code can be made from this name. Send one."))?,
        (None, None) => return Err(("name", "A row needs a name or a code.".to_owned())),
    };
    if code.is_reserved() {
        return Err(wrong("This code is reserved."));
    }
    Ok(code)
}

fn tags(row: &ImportRow, labels: &TagsAndBadges) -> Result<Vec<Reference>, Wrong> {
    row.texts("tags")
        .into_iter()
        .map(|name| {
            let found = labels
                .tags
                .iter()
                .find(|tag| fold(&tag.value.name) == fold(name));
            let shown: String = name.chars().take(100).collect();
            found
                .map(|tag| Reference::to(tag.id))
                .ok_or_else(|| ("tags", format!("There is no tag {shown:?}.")))
        })
        .collect()
}

async fn owner(
    app: &Shared,
    text: Option<String>,
) -> Result<Result<Option<Owner>, Wrong>, TableError> {
    let Some(text) = text else {
        return Ok(Ok(None));
    };
    let Some(email) = Email::parse(&text) else {
        let why = "This is not an e-mail address.".to_owned();
        return Ok(Err(("owner", why)));
    };
    Ok(match app.table.people_at(&email).await?[..] {
        [] => Ok(Some(Owner::Stranger(email.folded()))),
        [person] => Ok(Some(Owner::Known(person))),
        _ => Err(("owner", "Several people have this address.".to_owned())),
    })
}

type RowResult = std::result::Result<Outcome, Vec<(String, String)>>;

fn wrong(field: &str, message: impl Into<String>) -> RowResult {
    Err(vec![(field.to_owned(), message.into())])
}

/// Creates or changes one club, and adds or invites its owner.
async fn import(
    app: &Shared,
    wanted: &Wanted,
    club: Option<Club>,
    labels: &TagsAndBadges,
    creation: u64,
    dry_run: bool,
) -> Result<RowResult> {
    let now = app.now();
    if club.as_ref().is_some_and(|club| club.archived) {
        return Ok(wrong("code", "This code belongs to a deleted club."));
    }
    let is_new = club.is_none();
    // Lists hold only the beginning of a long description.
    let mut whole = club.clone();
    if club.as_ref().is_some_and(|club| club.profile.has_more) {
        whole = app.table.club_page(&wanted.code, None).await?.club;
    }
    let mut new = whole
        .clone()
        .unwrap_or_else(|| empty(&wanted.code, creation, now));
    let mode = if is_new { Mode::Create } else { Mode::Update };
    match wanted.input.clone().apply(mode, &mut new, labels, false) {
        Err(ApiError::Invalid(_, errors)) => return Ok(Err(errors.into_messages().collect())),
        done => done?,
    }
    let mut outcome = Outcome::default();
    // A row whose owner cannot be added or invited is left out as a whole.
    let mut known = None;
    match &wanted.owner {
        Some(Owner::Known(id)) => {
            known = app.table.person(*id).await?.filter(|one| !one.erasing);
            if known.is_none() {
                return Ok(wrong("owner", "There is no such person."));
            }
        }
        Some(Owner::Stranger(email)) => {
            if let Err(why) = Box::pin(invite_owner(app, &new, email, true)).await? {
                return Ok(wrong("owner", why));
            }
        }
        None => {}
    }
    if is_new {
        outcome.is_created = true;
        let owner = known
            .as_ref()
            .map(|person| Membership::new(&new.code, person, Role::Owner, creation, now));
        new.without_owner = owner.is_none();
        if owner.is_some() {
            (new.members, new.owners) = (1, 1);
        }
        if !dry_run && let Err((field, why)) = create(app, &new, owner.as_ref(), creation).await? {
            return Ok(wrong(field, why));
        }
    } else if whole.as_ref().is_some_and(|old| old.profile != new.profile) {
        outcome.is_updated = true;
        if let Some(old) = whole.as_ref().filter(|_| !dry_run) {
            new.version += 1;
            match app.table.update_club(old, &new, None).await {
                Ok(()) => {}
                Err(TableError::Refused(_)) => {
                    let why = "This club was changed at the same moment. Send this row again.";
                    return Ok(wrong("code", why));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    match (&wanted.owner, known) {
        (Some(Owner::Known(_)), Some(person)) if !is_new => {
            let added = Box::pin(add_owner(app, &new, &person, creation, dry_run)).await;
            match added.map_err(ApiError::after_write)? {
                Ok(is_updated) => outcome.is_updated |= is_updated,
                Err(why) => return Ok(wrong("owner", why)),
            }
        }
        (Some(Owner::Stranger(email)), _) => {
            let invited = Box::pin(invite_owner(app, &new, email, dry_run)).await;
            match invited.map_err(ApiError::after_write)? {
                Ok(is_invited) => outcome.is_invited = is_invited,
                Err(why) => return Ok(wrong("owner", why)),
            }
        }
        _ => {}
    }
    Ok(Ok(outcome))
}

/// Stores a new club with its owner, who gets a mail. Returns why it cannot be stored.
async fn create(
    app: &Shared,
    club: &Club,
    owner: Option<&Membership>,
    creation: u64,
) -> Result<Result<(), (&'static str, &'static str)>> {
    let mail = owner
        .filter(|owner| !owner.personal.email.is_empty())
        .map(|owner| joined(club, None, owner, false, creation));
    let key = owner.map(|owner| owner.id.to_string());
    let log = InvitationLog::default().with(
        &club.code,
        key.as_deref().into_iter(),
        app.next_id(),
        app.now(),
    );
    let mail = mail.as_ref().map(|mail| (mail, &log));
    Ok(match app.table.import_club(club, owner, mail).await {
        Ok(()) => Ok(()),
        Err(TableError::Refused(Refusal::Exists)) => {
            Err(("code", "This club was created at the same moment."))
        }
        Err(TableError::Refused(Refusal::Erased)) => Err(("owner", "There is no such person.")),
        Err(TableError::Refused(_)) => Err(("tags", "A tag was deleted just now.")),
        Err(error) => return Err(error.into()),
    })
}

/// A new club without content. It is approved, because an admin imports it.
fn empty(code: &ClubCode, creation: u64, now: shared::time::Timestamp) -> Club {
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
        told_of_requests_at: None,
        windows: BTreeMap::new(),
        applications: 0,
        without_owner: false,
    }
}
