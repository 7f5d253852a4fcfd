//! A member: how others see them, and who is named by the last segment of a path.

use serde::Serialize;
use shared::http::User;
use shared::http::{ApiError, Load, PathIds, Result, Scope};
use shared::models::{Membership, Role};
use shared::{Shared, ids, limits};
use utoipa::ToSchema;

/// A member of a club, as the caller may see them.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemberBody {
    /// Membership id; null for others than officers when the membership is not public.
    id: Option<u64>,
    /// User id; null for others than officers when the membership is not public.
    person: Option<u64>,
    /// `Anonymous` when the membership is not public.
    pub(crate) name: String,
    /// Null when the membership is not public.
    username: Option<String>,
    /// For officers only.
    email: Option<String>,
    /// 0 owner, 10 officer, 20 member.
    pub(crate) role: Role,
    title: String,
    description: String,
    public: bool,
    pub(crate) active: bool,
    /// Null when there is none, or the membership is not public.
    image: Option<String>,
}

/// Who looks at members.
#[derive(Debug, Clone, Copy)]
pub struct MemberViewer {
    /// User id.
    pub id: u64,
    /// Whether they may do what officers do.
    pub is_officer: bool,
}

impl MemberViewer {
    /// The caller.
    pub fn of<R, P, O>(scope: &Scope<R, P, O>) -> Self {
        Self {
            id: scope.user.id(),
            is_officer: scope.is_officer(),
        }
    }
}

impl MemberBody {
    /// The member as `viewer` may see them (M2, M3).
    pub fn new(membership: &Membership, viewer: MemberViewer) -> Self {
        let personal = &membership.personal;
        let known = membership.public || membership.person == viewer.id;
        Self {
            id: (known || viewer.is_officer).then_some(membership.id),
            person: (known || viewer.is_officer).then_some(membership.person),
            name: if known {
                personal.name.clone()
            } else {
                "Anonymous".to_owned()
            },
            username: known.then(|| personal.username.clone()),
            email: viewer.is_officer.then(|| personal.email.clone()),
            role: membership.role,
            title: membership.title.clone(),
            description: membership.description.clone(),
            public: membership.public,
            active: membership.active,
            image: membership.image_url.clone().filter(|_| known),
        }
    }
}

/// The member that the path names by membership id or user name.
pub struct MemberOfPath(pub Membership);

impl Load for MemberOfPath {
    async fn load(app: &Shared, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let (code, wanted) = (path.text("club"), path.text("member"));
        if let Some(id) = ids::parse(wanted)
            && let Some(membership) = app.table.member(code, id).await?
        {
            return Ok(Some(Self(membership)));
        }
        let people = people_named(app, wanted).await?;
        let found = app.table.members_among(code, people.into_iter()).await?;
        Ok(single_match(found, wanted, |membership| &membership.personal.username).map(Self))
    }
}

/// Whom a path means by a user name: the one who is called so exactly, else the one who is when
/// case does not count; nobody, if two are (P10).
pub fn single_match<T>(mut found: Vec<T>, wanted: &str, name: impl Fn(&T) -> &str) -> Option<T> {
    if found.iter().any(|one| name(one) == wanted) {
        found.retain(|one| name(one) == wanted);
    }
    let one = found.pop();
    one.filter(|_| found.is_empty())
}

/// The people with the user name that a path says.
pub async fn people_named(app: &Shared, username: &str) -> Result<Vec<u64>> {
    if username.is_empty() || username.len() > limits::NAME {
        return Ok(vec![]);
    }
    Ok(app
        .table
        .people_called(username)
        .await?
        .into_iter()
        .map(|person| person.id)
        .collect())
}
