//! `/settings/tokens/`, `…/{api_token}/`: tokens with which programs act for the caller (Z1).

use axum::Json;
use chrono::{NaiveDate, TimeDelta};
use serde::Serialize;
use shared::auth::TokenSecret;
use shared::db::{Refusal, TableError};
use shared::domain::{Person, Token, TokenScope};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::text::kinds::{List, TokenName};
use shared::time::Timestamp;
use shared::web::{
    ApiError, Code, Created, Input, Mode, NewId, NoContent, NoInput, PathIds, Reader, RequestedAt,
    Result, User, Visibility, no_such_club,
};
use shared::{Context, limits};
use utoipa::ToSchema;

/// A token with which a program acts for the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenBody {
    /// Id of the token.
    #[schema(value_type = u64)]
    id: Id<of::Token>,
    /// Its name.
    name: String,
    /// What it may do.
    scopes: Vec<TokenScope>,
    /// Code of the only club that it is for. Null if it is for all clubs.
    #[schema(value_type = Option<String>)]
    club: Option<ClubCode>,
    /// When it was created.
    created_at: Timestamp,
    /// Until when it can be used.
    expires_at: Timestamp,
    /// The day on which it was used last, in UTC. Null if it was never used.
    #[schema(value_type = Option<String>, format = Date)]
    last_used_on: Option<NaiveDate>,
    /// The token itself. Missing if this is not the first answer to its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl From<Token> for TokenBody {
    fn from(token: Token) -> Self {
        Self {
            id: token.id,
            name: token.name,
            scopes: token.scopes,
            club: token.club,
            created_at: token.created_at,
            expires_at: token.expires_at,
            last_used_on: token.last_used_on,
            token: None,
        }
    }
}

shared::input! {
    /// A new token.
    pub struct TokenInput {
        /// Its name: one line, at most 100 characters.
        name: TokenName, Required;
        /// What it may do: at least one scope. A scope to write does not include the one to read.
        scopes: List<TokenScope, { TokenScope::ALL.len() }, 1>, Required;
        /// Code of the only club that it is for, or null for all clubs (default).
        club: Option<String>, Free;
        /// Until when it can be used: in the future, and within a year. In 90 days if not sent, or
        /// null.
        expires_at: Option<Timestamp>, Free;
    }
}

/// A request without errors.
struct RequestedToken {
    name: String,
    scopes: Vec<TokenScope>,
    club: Option<ClubCode>,
    expires_at: Timestamp,
}

impl TokenInput {
    fn check(self, now: Timestamp) -> Result<RequestedToken> {
        let mut reader = Reader::new(Mode::Create);
        let name = reader.get(self.name).unwrap_or_default();
        let scopes = reader.get(self.scopes);
        if scopes.as_ref().is_some_and(Vec::is_empty) {
            reader.errors.add("scopes", Reason::TooFew { minimum: 1 });
        }
        let club = reader.get(self.club).flatten();
        let code = club.as_deref().map(ClubCode::parse);
        if code == Some(None) {
            return reader.finish().and(Err(no_such_club()));
        }
        let default = now.plus(TimeDelta::days(Token::DAYS));
        let expires_at = reader.get(self.expires_at).flatten().unwrap_or(default);
        let most = now.moment() + Token::MOST;
        if expires_at <= now || expires_at.moment() > most {
            let why = Reason::NotWithinYear;
            reader.errors.add("expires_at", why);
        }
        reader.finish()?;
        let scopes = scopes.unwrap_or_default();
        let named = |scope: &TokenScope| scopes.contains(scope);
        Ok(RequestedToken {
            name,
            scopes: TokenScope::ALL.into_iter().filter(named).collect(),
            club: code.flatten(),
            expires_at,
        })
    }
}

fn too_many() -> ApiError {
    let limit = limits::TOKENS;
    ApiError::rule(Reason::TooManyTokens { limit }).coded(Code::Quota)
}

async fn check_club(app: &Context, user: &User, club: Option<&ClubCode>) -> Result<()> {
    let Some(code) = club else { return Ok(()) };
    let read = app.table.club_and_membership(code, Some(user.id()));
    let (club, membership) = read.await?;
    let visibility = Visibility::with(membership.as_ref(), user.is_admin());
    if club.is_some_and(|club| visibility.sees(&club)) {
        return Ok(());
    }
    Err(no_such_club())
}

/// List the tokens of the caller.
///
/// For every signed-in user. The newest comes first. Expired ones are shown for a month.
#[utoipa::path(
    get, path = "/api/settings/tokens/", tag = "tokens", security(("bearer" = [])),
    responses((status = 200, body = Vec<TokenBody>))
)]
pub async fn list_tokens(app: Context, user: User) -> Result<Json<Vec<TokenBody>>> {
    let mut tokens = app.table.tokens(user.id()).await?;
    tokens.sort_by_key(|token| std::cmp::Reverse((token.created_at, token.id)));
    Ok(Json(tokens.into_iter().map(TokenBody::from).collect()))
}

/// Create a token.
///
/// For every signed-in user. A program that sends it as a bearer token has the rights that the
/// caller has then, within its scopes and its club, but never those of an admin. Only this answer
/// shows the token. A person has at most 20 tokens that have not expired.
#[utoipa::path(
    post, path = "/api/settings/tokens/", tag = "tokens", security(("bearer" = [])),
    request_body = TokenInput, responses((status = 201, body = TokenBody))
)]
pub async fn create_token(
    app: Context,
    RequestedAt(time): RequestedAt,
    user: User,
    new: NewId,
    Input(input): Input<TokenInput>,
) -> Result<Created<TokenBody>> {
    let now = app.now();
    let requested = input.check(now)?;
    check_club(&app, &user, requested.club.as_ref()).await?;
    let person = user.person().await?;
    // A token ends 90 days after its person was here last. That is noted from now on.
    let today = now.moment().date_naive();
    if person.signed_in_on.is_none_or(|on| on < today) {
        app.table.note_return(person, today).await?;
    }
    let token = Token {
        id: new.id(),
        person: person.id,
        number: 0,
        name: requested.name,
        scopes: requested.scopes,
        club: requested.club,
        sha256: String::new(),
        created_at: now,
        expires_at: requested.expires_at,
        last_used_on: None,
        received: time.received,
    };
    let (token, secret) = store_token(&app, person, token).await?;
    Ok(Created {
        location: format!("/api/settings/tokens/{}/", token.id),
        body: TokenBody {
            token: secret,
            ..TokenBody::from(token)
        },
    })
}

/// Stores a new token in one of the places of its person, and returns it with its text; without it
/// if an earlier attempt of this request stored another one.
async fn store_token(
    app: &Context,
    person: &Person,
    mut token: Token,
) -> Result<(Token, Option<String>)> {
    let mut secret = String::new();
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let stored = app.table.tokens(person.id).await?;
        if let Some(stored) = stored.iter().find(|stored| stored.id == token.id) {
            let is_own = stored.sha256 == token.sha256;
            return Ok((stored.clone(), is_own.then_some(secret)));
        }
        let at = |number: u8| stored.iter().find(|stored| stored.number == number);
        let is_unused =
            |number: &u8| at(*number).is_none_or(|stored| stored.expires_at <= token.created_at);
        let numbers = 0..limits::TOKENS;
        let empty = numbers.clone().find(|number| at(*number).is_none());
        let number = empty.or_else(|| numbers.clone().find(is_unused));
        token.number = number.ok_or_else(too_many)?;
        secret = TokenSecret::generate(person.id, token.number);
        token.sha256 = shared::ids::sha256_hex(secret.as_bytes());
        match app.table.put_token(&token, at(token.number)).await {
            Ok(()) => return Ok((token, Some(secret))),
            Err(TableError::Refused(Refusal::Erased)) => return Err(ApiError::Erasing),
            Err(TableError::Refused(Refusal::Deleted)) => return Err(ApiError::NotFound),
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The token that the path names.
async fn with_id(app: &Context, user: &User, path: &PathIds) -> Result<Token> {
    let id = path
        .id::<of::Token>("api_token")
        .ok_or(ApiError::NotFound)?;
    let mut tokens = app.table.tokens(user.id()).await?.into_iter();
    tokens
        .find(|token| token.id == id)
        .ok_or(ApiError::NotFound)
}

/// Get a token of the caller.
///
/// For every signed-in user.
#[utoipa::path(
    get, path = "/api/settings/tokens/{api_token}/", tag = "tokens", security(("bearer" = [])),
    params(("api_token" = u64, Path)), responses((status = 200, body = TokenBody))
)]
pub async fn show_token(app: Context, user: User, path: PathIds) -> Result<Json<TokenBody>> {
    Ok(Json(with_id(&app, &user, &path).await?.into()))
}

/// End a token of the caller.
///
/// For every signed-in user. It is refused everywhere within a minute.
#[utoipa::path(
    delete, path = "/api/settings/tokens/{api_token}/", tag = "tokens", security(("bearer" = [])),
    params(("api_token" = u64, Path)), responses((status = 204))
)]
pub async fn delete_token(
    app: Context,
    user: User,
    path: PathIds,
    _: NoInput,
) -> Result<NoContent> {
    let token = with_id(&app, &user, &path).await?;
    app.table.end_token(&token).await?;
    app.grants.forget(&token);
    Ok(NoContent)
}
