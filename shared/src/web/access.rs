//! Access control. The type of a handler's argument says who may call it. The extractor reads what
//! the decision needs, and gives the handler the objects that the path names. The checks run in the
//! order of H3: 401, 404 (club, parent), 403, 404 (object).

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;

use super::entity_tag::IfMatch;
use super::error::ApiError;
use super::params::Params;
use super::scopes::{ClubsRead, Permit};
use super::user::{User, caller};
use crate::domain::{Club, Form, Membership, Question, Role};
use crate::ids;
use crate::ids::Id;
use crate::state::{Context, Shared};
use crate::text::ClubCode;

/// The variable segments of a path, and the query.
#[derive(Debug, Clone, Default)]
pub struct PathIds {
    segments: HashMap<String, String>,
    club: ClubCode,
    params: Params,
}

impl PathIds {
    /// Returns the text of a segment; empty if the path has no such segment.
    pub fn text(&self, name: &str) -> &str {
        self.segments.get(name).map_or("", String::as_str)
    }

    /// Returns the club code in the segment `club`; empty on paths without a club.
    pub fn club(&self) -> &ClubCode {
        &self.club
    }

    /// Returns the id in a segment. Returns none if the text is not an id; callers answer 404, as
    /// they do for an unknown id.
    pub fn id<T>(&self, name: &str) -> Option<Id<T>> {
        ids::parse(self.text(name))
    }

    /// Returns the query of the request.
    pub fn params(&self) -> &Params {
        &self.params
    }

    async fn of(parts: &mut Parts) -> Result<Self, ApiError> {
        let raw = RawPathParams::from_request_parts(parts, &())
            .await
            .map_err(|_| ApiError::NotFound)?;
        let segments: HashMap<String, String> = raw
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        // On paths without a club the code is empty, and no club is read by it.
        let club = match segments.get("club") {
            Some(code) => ClubCode::parse(code).ok_or(ApiError::NotFound)?,
            None => ClubCode::default(),
        };
        Ok(Self {
            segments,
            club,
            params: Params::parse(parts.uri.query().unwrap_or_default()),
        })
    }
}

/// Decides who has access, from the role in the club and whether the caller is an admin.
pub trait AccessRule: Send + Sync {
    /// Returns whether access is allowed.
    fn allows(role: Option<Role>, is_admin: bool) -> bool;
}

/// Any signed-in user who can see the club.
#[derive(Debug)]
pub struct AnyUser;
/// Officers, owners and admins.
#[derive(Debug)]
pub struct OfficerRule;
/// Owners and admins.
#[derive(Debug)]
pub struct OwnerRule;

impl AccessRule for AnyUser {
    fn allows(_: Option<Role>, _: bool) -> bool {
        true
    }
}

impl AccessRule for OfficerRule {
    fn allows(role: Option<Role>, is_admin: bool) -> bool {
        is_admin || role.is_some_and(|role| role <= Role::Officer)
    }
}

impl AccessRule for OwnerRule {
    fn allows(role: Option<Role>, is_admin: bool) -> bool {
        is_admin || role == Some(Role::Owner)
    }
}

/// An object that the path names: a parent (checked before the role) or the object itself (checked
/// after it). It is read at the same time as the role, so it needs no extra round trip. Only
/// objects of the club in the path are found.
pub trait Load: Sized + Send {
    /// Reads the object. Returns none if it does not exist or does not belong to its parent.
    fn load(
        app: &Context,
        user: &User,
        path: &PathIds,
    ) -> impl Future<Output = Result<Option<Self>, ApiError>> + Send;
}

impl Load for () {
    async fn load(_: &Context, _: &User, _: &PathIds) -> Result<Option<Self>, ApiError> {
        Ok(Some(()))
    }
}

/// Loads two objects at the same time.
impl<A: Load, B: Load> Load for (A, B) {
    async fn load(app: &Context, user: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let (a, b) = futures::try_join!(A::load(app, user, path), B::load(app, user, path))?;
        Ok(a.zip(b))
    }
}

/// An object that may be missing. The handler decides what that means.
#[derive(Debug)]
pub struct Maybe<T>(pub Option<T>);

impl<T: Load> Load for Maybe<T> {
    async fn load(app: &Context, user: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        Ok(Some(Self(T::load(app, user, path).await?)))
    }
}

/// A signed-in caller on a route under a club. `R` decides who has access, `S` says which scope a
/// token needs, `P` is the parent that the path names, and `O` is the object.
#[derive(Debug)]
pub struct Scope<R, S, P = (), O = ()> {
    /// The caller.
    pub user: User,
    /// The club in the path, which is visible to the caller.
    pub club: Club,
    /// The caller's membership of the club; none if they are not a member.
    pub membership: Option<Membership>,
    /// The parent that the path names.
    pub parent: P,
    /// The object that the path names.
    pub object: O,
    /// The header `If-Match`: the states of the object that the caller is willing to change.
    pub if_match: IfMatch,
    rule: PhantomData<(R, S)>,
}

/// Returns whether somebody has the rights of an officer.
pub fn is_officer(role: Option<Role>, is_admin: bool) -> bool {
    OfficerRule::allows(role, is_admin)
}

/// Access for any signed-in user to whom the club is visible.
pub type SignedIn<S, P = (), O = ()> = Scope<AnyUser, S, P, O>;
/// Access for officers, owners and admins.
pub type Officer<S, P = (), O = ()> = Scope<OfficerRule, S, P, O>;
/// Access for owners and admins.
pub type Owner<S, P = (), O = ()> = Scope<OwnerRule, S, P, O>;

impl<R, S, P, O> Scope<R, S, P, O> {
    /// Returns whether the caller has the rights of an officer.
    pub fn is_officer(&self) -> bool {
        is_officer(self.role(), self.user.is_admin())
    }

    /// Returns the caller's role in the club; none if they are not a member.
    pub fn role(&self) -> Option<Role> {
        self.membership.as_ref().map(|membership| membership.role)
    }

    /// Returns whether the caller may grant this role, or act on somebody who has it. The role must
    /// not be higher than the caller's own (M5). Admins may do this for every role.
    pub fn reaches(&self, role: Role) -> bool {
        self.user.is_admin() || self.role().is_some_and(|own| own <= role)
    }

    /// Returns the membership that a change depends on: the write checks that it is still valid.
    /// None for admins, who need no membership.
    pub fn authority(&self) -> Option<&Membership> {
        self.membership.as_ref().filter(|_| !self.user.is_admin())
    }
}

impl<R: AccessRule, S: Permit, P: Load, O: Load> FromRequestParts<Shared> for Scope<R, S, P, O> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, ApiError> {
        let app = &Context::of(parts, state);
        let path = PathIds::of(parts).await;
        // Before a wrong path: whoever has no credentials is told that.
        let user = caller::<S>(parts, path.as_ref().ok().map(PathIds::club))?;
        let path = path?;
        let code = path.club();
        let club = async { Ok(app.table.club_and_membership(code, Some(user.id())).await?) };
        let ((club, membership), parent, object) =
            futures::try_join!(club, P::load(app, &user, &path), O::load(app, &user, &path))?;
        let visibility = Visibility::with(membership.as_ref(), user.is_admin());
        let club = club
            .filter(|club| visibility.sees(club))
            .ok_or(ApiError::NotFound)?;
        let parent = parent.ok_or(ApiError::NotFound)?;
        let role = membership.as_ref().map(|membership| membership.role);
        let may_token = user.token().is_none() || !S::OFFICERS || is_officer(role, false);
        if !R::allows(role, user.is_admin()) || !may_token {
            return Err(ApiError::Forbidden);
        }
        let object = object.ok_or(ApiError::NotFound)?;
        let if_match = IfMatch::of(&parts.headers).by(&user);
        Ok(Self {
            user,
            club,
            membership,
            parent,
            object,
            if_match,
            rule: PhantomData,
        })
    }
}

/// A caller on a route of a club that needs no credentials. A token without this scope, or for
/// another club, counts as none: it sees what everybody does.
#[derive(Debug)]
pub struct AnyCaller<S>(pub Option<User>, pub PhantomData<S>);

impl<S: Permit> FromRequestParts<Shared> for AnyCaller<S> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, ApiError> {
        let path = PathIds::of(parts).await?;
        let user = caller::<S>(parts, Some(path.club())).ok();
        Ok(Self(user, PhantomData))
    }
}

/// A club on a route that needs no credentials.
pub struct Visible {
    /// The caller; none without credentials.
    pub user: Option<User>,
    /// The club, which is visible to the caller.
    pub club: Club,
    /// The caller's membership of the club; none if they are not a member.
    pub membership: Option<Membership>,
}

impl FromRequestParts<Shared> for Visible {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, ApiError> {
        let app = &Context::of(parts, state);
        let path = PathIds::of(parts).await?;
        let AnyCaller(user, _) = AnyCaller::<ClubsRead>::from_request_parts(parts, state).await?;
        let (club, membership) = app
            .table
            .club_and_membership(path.club(), user.as_ref().map(User::id))
            .await?;
        let visibility = Visibility::with(
            membership.as_ref(),
            user.as_ref().is_some_and(User::is_admin),
        );
        let club = club
            .filter(|club| visibility.sees(club))
            .ok_or(ApiError::NotFound)?;
        Ok(Self {
            user,
            club,
            membership,
        })
    }
}

/// Which clubs are visible to a caller. Archived clubs are visible to nobody. Clubs that are not
/// approved are visible to their members and to admins (C6, C7).
#[derive(Debug, Clone, Default)]
pub struct Visibility {
    is_admin: bool,
    own: HashSet<ClubCode>,
}

impl Visibility {
    /// Returns the visibility for a caller with at most one membership.
    pub fn with(membership: Option<&Membership>, is_admin: bool) -> Self {
        Self {
            is_admin,
            own: membership
                .map(|membership| membership.club.clone())
                .into_iter()
                .collect(),
        }
    }

    /// Returns the visibility for a caller who is a member of these clubs.
    pub fn with_all(clubs: impl IntoIterator<Item = ClubCode>, is_admin: bool) -> Self {
        Self {
            is_admin,
            own: clubs.into_iter().collect(),
        }
    }

    /// Returns the caller's visibility for these clubs. The memberships are read (1 query of the
    /// index) only if the result depends on them.
    pub async fn of<'a>(
        app: &Context,
        user: Option<&User>,
        clubs: impl IntoIterator<Item = &'a Club>,
    ) -> Result<Self, ApiError> {
        let anybody = Self {
            is_admin: user.is_some_and(User::is_admin),
            own: HashSet::new(),
        };
        match user {
            Some(user)
                if clubs
                    .into_iter()
                    .any(|club| !club.archived && !anybody.sees(club)) =>
            {
                let roles = app.table.roles_of(user.id()).await?;
                let clubs = roles.into_iter().map(|(club, _)| club);
                Ok(Self::with_all(clubs, user.is_admin()))
            }
            _ => Ok(anybody),
        }
    }

    /// Returns whether a club is visible to the caller.
    pub fn sees(&self, club: &Club) -> bool {
        !club.archived
            && (club.approved == Some(true) || self.is_admin || self.own.contains(&club.code))
    }
}

/// A caller in the admin group.
#[derive(Debug)]
pub struct Admin(pub User);

impl FromRequestParts<Shared> for Admin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, ApiError> {
        let user = <User as FromRequestParts<Shared>>::from_request_parts(parts, state).await?;
        if user.is_admin() {
            Ok(Self(user))
        } else {
            Err(ApiError::Forbidden)
        }
    }
}

/// Returns the question that the path names, from a form that was read before. 404 if the form has
/// no such question.
pub fn question<'a>(form: &'a Form, path: &PathIds) -> Result<&'a Question, ApiError> {
    path.id("question")
        .and_then(|id| form.question(id))
        .ok_or(ApiError::NotFound)
}

impl<S: Sync> FromRequestParts<S> for PathIds {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Self::of(parts).await
    }
}
