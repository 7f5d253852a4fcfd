//! The response body of a member, and how a path names a member.

use serde::Serialize;
use shared::bodies::UndeliveredBody;
use shared::db::TableError;
use shared::domain::{Membership, Role};
use shared::ids::{Id, of};
use shared::web::{ApiError, Cell, Load, PathIds, Result, Scope, User};
use shared::{Context, ids, limits};
use utoipa::ToSchema;

/// A member of a club, as the caller may see them.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemberBody {
    /// Id of the membership. Null for callers who are not officers, if the membership is not
    /// public.
    #[schema(value_type = Option<u64>)]
    id: Option<Id<of::Membership>>,
    /// User id. Null for callers who are not officers, if the membership is not public.
    #[schema(value_type = Option<u64>)]
    person: Option<Id<of::Person>>,
    /// `Anonymous` if the membership is not public; the member sees the own name. Officers know the
    /// person by `person` and `email`.
    pub(crate) name: String,
    /// Null for everybody but the member, if the membership is not public.
    username: Option<String>,
    /// Only for officers; null for others. Also null for somebody who was imported by user name and
    /// has not confirmed, except for admins.
    email: Option<String>,
    /// Whether the person has shown that they know the club, or the club knew the address. Null for
    /// callers who are not officers.
    confirmed: Option<bool>,
    /// 0 owner, 10 officer, 20 member.
    pub(crate) role: Role,
    /// One line, or an empty text.
    title: String,
    /// Plain text, or an empty text.
    description: String,
    /// Whether others see who the member is.
    public: bool,
    /// Whether the member is active now.
    pub(crate) active: bool,
    /// The last mail to them about the club that did not arrive. Only for officers; null for
    /// others.
    pub(crate) undelivered: Option<UndeliveredBody>,
    /// Address of the profile image. Null if there is none, or if the membership is not public.
    image: Option<String>,
}

impl MemberBody {
    /// The row of an export. In XLSX, which people read, roles are words.
    pub(crate) fn cells(&self, is_xlsx: bool) -> Vec<Cell> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default().into();
        let role = match self.role {
            Role::Owner => "owner",
            Role::Officer => "officer",
            Role::Member => "member",
        };
        vec![
            self.id.map_or_else(String::new, |id| id.to_string()).into(),
            self.name.as_str().into(),
            text(&self.username),
            text(&self.email),
            if is_xlsx {
                role.into()
            } else {
                self.role.code().to_string().into()
            },
            self.title.as_str().into(),
            self.description.as_str().into(),
            Cell::flag(self.public, is_xlsx),
            Cell::flag(self.active, is_xlsx),
        ]
    }
}

/// The caller, as far as it changes what they see.
#[derive(Debug, Clone, Copy)]
pub struct MemberViewer {
    /// User id.
    pub id: Id<of::Person>,
    /// Whether they have the rights of an officer of the club.
    pub is_officer: bool,
    /// Whether they are an admin.
    pub is_admin: bool,
}

impl MemberViewer {
    /// The caller of a route of a club.
    pub fn of<R, S, P, O>(scope: &Scope<R, S, P, O>) -> Self {
        Self {
            id: scope.user.id(),
            is_officer: scope.is_officer(),
            is_admin: scope.user.is_admin(),
        }
    }
}

impl MemberBody {
    /// The member as `viewer` may see them (M2, M3, M13).
    pub fn new(membership: &Membership, viewer: MemberViewer) -> Self {
        let personal = &membership.personal;
        let is_self = membership.person == viewer.id;
        let is_visible = membership.public || is_self;
        let is_hidden = membership.by_username && !membership.confirmed;
        let sees_address = viewer.is_officer && (!is_hidden || viewer.is_admin || is_self);
        Self {
            id: (is_visible || viewer.is_officer).then_some(membership.id),
            person: (is_visible || viewer.is_officer).then_some(membership.person),
            name: if is_visible {
                personal.name.clone()
            } else {
                "Anonymous".to_owned()
            },
            username: is_visible.then(|| personal.username.clone()),
            email: sees_address.then(|| personal.email.to_string()),
            confirmed: viewer.is_officer.then_some(membership.confirmed),
            role: membership.role,
            title: membership.title.clone(),
            description: membership.description.clone(),
            public: membership.public,
            active: membership.active,
            undelivered: membership
                .undelivered
                .as_ref()
                .filter(|_| viewer.is_officer)
                .map(Into::into),
            image: membership.image_url.clone().filter(|_| is_visible),
        }
    }
}

/// The member that the path names by membership id or user name.
pub struct MemberOfPath(pub Membership);

impl Load for MemberOfPath {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let (code, name_or_id) = (path.club(), path.text("member"));
        let read = async |id| app.table.member(code, id).await;
        let (membership, people) = by_id_and_name(app, name_or_id, read).await?;
        if membership.is_some() {
            return Ok(membership.map(Self));
        }
        let found = app.table.members_among(code, people.into_iter()).await?;
        Ok(single_match(found, name_or_id, |membership| {
            &membership.personal.username
        })
        .map(Self))
    }
}

/// The only match for a user name in a path (P10). The exact spelling counts first, then any case.
/// `None` if several people match.
pub fn single_match<T>(
    mut found: Vec<T>,
    name_or_id: &str,
    name: impl Fn(&T) -> &str,
) -> Option<T> {
    if found.iter().any(|one| name(one) == name_or_id) {
        found.retain(|one| name(one) == name_or_id);
    }
    let one = found.pop();
    one.filter(|_| found.is_empty())
}

/// What the last part of a path names by its id, and the people whom it names. Always both are
/// read: how long it takes tells nobody whether there is a hidden member, or whether somebody has
/// asked.
pub async fn by_id_and_name<T, I>(
    app: &Context,
    name_or_id: &str,
    read: impl AsyncFnOnce(Id<I>) -> std::result::Result<Option<T>, TableError>,
) -> Result<(Option<T>, Vec<Id<of::Person>>)> {
    let by_id = async {
        match ids::parse(name_or_id) {
            Some(id) => Ok(read(id).await?),
            None => Ok(None),
        }
    };
    futures::try_join!(by_id, people_named(app, name_or_id))
}

/// The ids of the people with this user name, whatever its case.
async fn people_named(app: &Context, username: &str) -> Result<Vec<Id<of::Person>>> {
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
