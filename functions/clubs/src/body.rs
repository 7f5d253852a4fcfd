//! How a club looks, and how a body becomes a club.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::bodies::{BadgeBody, Badges, NamedBody};
use shared::http::User;
use shared::http::{ApiError, Field, Mode, Need, Reader, Reference, Visibility};
use shared::lookups::Entries;
use shared::media::Media;
use shared::models::{Club, Membership, Role, Tag};
use shared::table::{ClubPage, TableError, Versions};
use shared::time::Timestamp;
use shared::{App, limits};
use utoipa::ToSchema;

/// A club; the same keys in list and detail.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClubBody {
    code: String,
    name: String,
    subtitle: String,
    /// HTML; in lists its first 2,000 characters.
    pub(crate) description: String,
    email: String,
    website: Option<String>,
    /// Logo, at most 600 pixels wide.
    image_url: Option<String>,
    /// By name.
    tags: Vec<NamedBody>,
    /// By label.
    badges: Vec<BadgeBody>,
    active: bool,
    /// Null while it waits for an admin.
    approved: Option<bool>,
    /// 1–5.
    application_required: u8,
    /// Whether one of its applications is current.
    accepting_members: bool,
    favorite_count: i64,
    membership_count: i64,
    /// Whether it is one of the caller's favorites.
    is_favorite: bool,
    /// Whether the caller subscribed to it.
    is_subscribe: bool,
    /// The caller's role, or null.
    is_member: Option<Role>,
    created_at: Timestamp,
    /// Shown to admins only.
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<bool>,
}

/// Who looks at clubs, and what they have to do with which.
#[derive(Debug, Default, Serialize)]
pub struct ClubViewer {
    roles: BTreeMap<String, Role>,
    favorites: BTreeSet<String>,
    subscriptions: BTreeSet<String>,
    is_admin: bool,
}

impl ClubViewer {
    /// The caller on all clubs: 2 queries side by side if they are signed in.
    pub async fn of(app: &App, user: Option<&User>) -> Result<(Self, Visibility), TableError> {
        let Some(user) = user else {
            return Ok((Self::default(), Visibility::default()));
        };
        let (own, bookmarks) = futures::try_join!(
            app.table.memberships_of(user.id()),
            app.table.bookmarks(user.id())
        )?;
        let visibility = Visibility::with_all(&own, user.is_admin());
        let viewer = Self {
            roles: own
                .into_iter()
                .map(|membership| (membership.club, membership.role))
                .collect(),
            favorites: bookmarks
                .favorites
                .into_iter()
                .map(|favorite| favorite.club)
                .collect(),
            subscriptions: bookmarks
                .subscriptions
                .into_iter()
                .map(|subscription| subscription.club)
                .collect(),
            is_admin: user.is_admin(),
        };
        Ok((viewer, visibility))
    }

    /// The caller on one club.
    pub fn on(
        code: &str,
        membership: Option<&Membership>,
        page: &ClubPage,
        is_admin: bool,
    ) -> Self {
        let code = || code.to_owned();
        Self {
            roles: membership
                .map(|membership| (code(), membership.role))
                .into_iter()
                .collect(),
            favorites: page.is_favorite.then(code).into_iter().collect(),
            subscriptions: page.is_subscribed.then(code).into_iter().collect(),
            is_admin,
        }
    }
}

impl ClubViewer {
    /// Whether they are in a club.
    pub fn is_member(&self, code: &str) -> bool {
        self.roles.contains_key(code)
    }
}

/// What clubs are shown with: the tags and badges there are.
#[derive(Debug, Clone)]
pub struct TagsAndBadges {
    /// The tags.
    pub tags: Entries<Tag>,
    /// The badges.
    pub badges: Badges,
}

impl TagsAndBadges {
    /// As they were at `versions`.
    pub async fn at(app: &App, versions: &Versions) -> Result<Self, TableError> {
        let (tags, badges) = futures::try_join!(app.entries(versions), app.entries(versions))?;
        Ok(Self {
            tags,
            badges: Badges(badges),
        })
    }

    /// The tags of a club, by name.
    pub fn tags_of(&self, club: &Club) -> Vec<NamedBody> {
        self.tags
            .named(&club.profile.tags)
            .into_iter()
            .map(NamedBody::from)
            .collect()
    }
}

/// Where clients get the logo of a club.
pub fn logo(club: &Club, media: &Media) -> Option<String> {
    club.image.as_ref().map(|image| media.url(&image.small))
}

impl ClubBody {
    /// The club as `viewer` sees it at `now`.
    pub fn new(
        club: &Club,
        viewer: &ClubViewer,
        labels: &TagsAndBadges,
        media: &Media,
        now: Timestamp,
    ) -> Self {
        let profile = &club.profile;
        Self {
            code: club.code.clone(),
            name: profile.name.clone(),
            subtitle: profile.subtitle.clone(),
            description: profile.description.clone(),
            email: profile.email.clone(),
            website: profile.website.clone(),
            image_url: logo(club, media),
            tags: labels.tags_of(club),
            badges: labels.badges.bodies(&club.badges),
            active: profile.active,
            approved: club.approved,
            application_required: profile.application_required,
            accepting_members: is_accepting(club, now),
            favorite_count: club.favorites,
            membership_count: club.members,
            is_favorite: viewer.favorites.contains(&club.code),
            is_subscribe: viewer.subscriptions.contains(&club.code),
            is_member: viewer.roles.get(&club.code).copied(),
            created_at: club.created_at,
            archived: viewer.is_admin.then_some(club.archived),
        }
    }
}

/// Whether one of the club's applications takes submissions.
pub fn is_accepting(club: &Club, now: Timestamp) -> bool {
    club.windows
        .values()
        .any(|window| window.start <= now && now <= window.end)
}

/// What officers and admins write of a club.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct ClubInput {
    /// Only when it is created; else made from the name. `[a-z0-9-]`, at most 64.
    #[serde(default)]
    #[schema(value_type = String)]
    pub code: Field<String>,
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    pub name: Field<String>,
    #[serde(default)]
    #[schema(value_type = String)]
    subtitle: Field<String>,
    /// HTML, at most 50,000 characters.
    #[serde(default)]
    #[schema(value_type = String)]
    description: Field<String>,
    #[serde(default)]
    #[schema(value_type = String)]
    email: Field<String>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    website: Field<String>,
    /// Ids, at most 20.
    #[serde(default)]
    #[schema(value_type = Vec<u64>)]
    tags: Field<Vec<Reference>>,
    #[serde(default)]
    #[schema(value_type = bool)]
    active: Field<bool>,
    /// 1–5.
    #[serde(default)]
    #[schema(value_type = u8)]
    application_required: Field<i64>,
    /// Null removes the logo; one is uploaded with `upload/`.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    image: Field<Value>,
    /// Admins only: ids, at most 20.
    #[serde(default)]
    #[schema(value_type = Vec<u64>)]
    badges: Field<Vec<Reference>>,
    /// Admins only.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    approved: Field<bool>,
    /// Admins only: false restores a deleted club.
    #[serde(default)]
    #[schema(value_type = bool)]
    archived: Field<bool>,
}

impl ClubInput {
    /// Whether it would restore a deleted club.
    pub fn restores(&self) -> bool {
        matches!(self.archived, Field::Value(false))
    }

    /// Reads the body into `club`; what only admins write is ignored from others.
    pub fn apply(
        self,
        mode: Mode,
        club: &mut Club,
        labels: &TagsAndBadges,
        is_admin: bool,
    ) -> Result<(), ApiError> {
        let mut reader = Reader::new(mode);
        let profile = &mut club.profile;
        reader.line("name", self.name, Need::Required, &mut profile.name);
        reader.line(
            "subtitle",
            self.subtitle,
            Need::Optional,
            &mut profile.subtitle,
        );
        reader.html(
            "description",
            self.description,
            limits::DESCRIPTION_BYTES,
            &mut profile.description,
        );
        reader.email("email", self.email, Need::Optional, &mut profile.email);
        reader.url("website", self.website, &mut profile.website);
        let is_tag = |id| labels.tags.get(id).is_some();
        reader.references(
            "tags",
            self.tags,
            Need::Optional,
            limits::CLUB_LABELS,
            is_tag,
            &mut profile.tags,
        );
        reader.flag("active", self.active, Need::Optional, &mut profile.active);
        reader.number(
            "application_required",
            self.application_required,
            Need::Optional,
            (1, 5),
            &mut profile.application_required,
        );
        match self.image {
            Field::Null => club.image = None,
            Field::Absent => {}
            Field::Value(_) | Field::Wrong(..) => reader
                .errors
                .add("image", "Send a logo as a file to upload/."),
        }
        if is_admin {
            let is_badge = |id| labels.badges.0.get(id).is_some();
            reader.references(
                "badges",
                self.badges,
                Need::Free,
                limits::CLUB_LABELS,
                is_badge,
                &mut club.badges,
            );
            if let Some(approved) = reader.nullable("approved", self.approved, Need::Free) {
                club.approved = approved;
            }
            reader.flag("archived", self.archived, Need::Free, &mut club.archived);
        }
        reader.finish()
    }
}
