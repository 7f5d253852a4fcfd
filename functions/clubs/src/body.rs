//! Request and response bodies of clubs.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use shared::bodies::logo;
use shared::bodies::{BadgeBody, Badges, NamedBody};
use shared::db::TableError;
use shared::domain::{Club, ClubPage, Entries, Membership, Role, Tag, Versions};
use shared::ids::{Id, of};
use shared::media::Media;
use shared::text::ClubCode;
use shared::text::kinds::{
    CodeText, FromOneToFive, Html, Line, List, MaybeAddress, Name, OnlyNull, WebAddress,
};
use shared::time::Timestamp;
use shared::web::{ApiError, ImportRow, Mode, Reader, Reference, User, Visibility};
use shared::{Context, ids, limits};
use utoipa::ToSchema;

/// A club. The list and the single club have the same fields (C2).
#[derive(Debug, Serialize, ToSchema)]
pub struct ClubBody {
    /// Unique; never changes. Lower-case letters, digits and hyphens, at most 64 characters.
    #[schema(value_type = String)]
    code: ClubCode,
    /// One line.
    name: String,
    /// One line, or an empty text.
    subtitle: String,
    /// HTML. Lists have only the first 2,000 characters: do not send the club of a list back.
    pub(crate) description: String,
    /// Address for questions to the club, or an empty text.
    email: String,
    /// Web address, or null.
    website: Option<String>,
    /// Address of the logo, at most 600 pixels wide. Null if there is none.
    image_url: Option<String>,
    /// What the logo shows, for people who do not see it, or an empty text.
    image_alt: String,
    /// Ordered by name.
    tags: Vec<NamedBody>,
    /// Ordered by label.
    badges: Vec<BadgeBody>,
    /// False if the club is not active any more.
    active: bool,
    /// Null until an admin has decided.
    approved: Option<bool>,
    /// A number from 1 to 5 that the club sets; 4 by default. The service gives it no meaning.
    application_required: u8,
    /// Whether an application of the club is open now.
    accepting_members: bool,
    /// The applications that are open now, by their end. In lists the first five.
    open_applications: Vec<OpenFormBody>,
    /// The event of the club that begins next, or is on. Missing if there is none, or if the club
    /// is not in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_event: Option<NextEventBody>,
    /// Number of people who have the club as a favorite. In lists up to five minutes old.
    favorite_count: i64,
    /// Number of members. In lists up to five minutes old.
    membership_count: i64,
    /// Whether the club is a favorite of the caller.
    is_favorite: bool,
    /// Whether the caller subscribed to the club.
    is_subscribe: bool,
    /// Role of the caller in the club. Null if not a member: compare with null, because the role of
    /// an owner is 0.
    is_member: Option<Role>,
    /// When the club was created.
    created_at: Timestamp,
    /// Whether the club is deleted. Missing if the caller is not an admin.
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<bool>,
}

/// The next showing of an event.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct NextEventBody {
    /// Id of the event.
    #[schema(value_type = u64)]
    pub id: Id<of::Event>,
    /// One line.
    pub name: String,
    /// When its next showing begins, or when the one that is on began.
    pub start_time: Timestamp,
}

/// An open application, as everybody who sees the club may know it. The form itself is for people
/// who are signed in.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenFormBody {
    /// Id of the application.
    #[schema(value_type = u64)]
    id: Id<of::Application>,
    /// Its name, cut at 60 characters.
    name: String,
    /// Last moment at which it is open.
    application_end_time: Timestamp,
    /// The names of its first ten committees, cut at 60 characters.
    committees: Vec<String>,
}

/// The caller, with their memberships, favorites and subscriptions.
#[derive(Debug, Default, Serialize)]
pub struct ClubViewer {
    roles: BTreeMap<ClubCode, Role>,
    favorites: BTreeSet<ClubCode>,
    subscriptions: BTreeSet<ClubCode>,
    is_admin: bool,
}

impl ClubViewer {
    /// The caller for a list of all clubs. Needs 2 parallel queries if they are signed in.
    pub async fn of(app: &Context, user: Option<&User>) -> Result<(Self, Visibility), TableError> {
        let Some(user) = user else {
            return Ok((Self::default(), Visibility::default()));
        };
        let (own, bookmarks) = futures::try_join!(
            app.table.roles_of(user.id()),
            app.table.bookmarks(user.id())
        )?;
        let visibility = {
            let clubs = own.iter().map(|(club, _)| club.clone());
            Visibility::with_all(clubs, user.is_admin())
        };
        let viewer = Self {
            roles: own.into_iter().collect(),
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

    /// The caller for one club.
    pub fn on(
        code: &ClubCode,
        membership: Option<&Membership>,
        page: &ClubPage,
        user: Option<&User>,
    ) -> Self {
        let code = || code.clone();
        // What a person keeps for themselves is nothing for their programs.
        let is_session = user.is_some_and(|user| user.token().is_none());
        Self {
            roles: membership
                .map(|membership| (code(), membership.role))
                .into_iter()
                .collect(),
            favorites: (page.is_favorite && is_session)
                .then(code)
                .into_iter()
                .collect(),
            subscriptions: (page.is_subscribed && is_session)
                .then(code)
                .into_iter()
                .collect(),
            is_admin: user.is_some_and(User::is_admin),
        }
    }
}

impl ClubViewer {
    /// Whether the caller is a member of a club.
    pub fn is_member(&self, code: &ClubCode) -> bool {
        self.roles.contains_key(code)
    }
}

/// All tags and badges, to show their names with clubs.
#[derive(Debug, Clone, Default)]
pub struct TagsAndBadges {
    pub tags: Entries<Tag>,
    pub badges: Badges,
}

impl TagsAndBadges {
    /// Reads the tags and badges of these versions of the catalogue.
    pub async fn at(app: &Context, versions: &Versions) -> Result<Self, TableError> {
        let (tags, badges) = futures::try_join!(app.entries(versions), app.entries(versions))?;
        Ok(Self {
            tags,
            badges: Badges(badges),
        })
    }

    /// The tags of a club, ordered by name.
    pub fn tags_of(&self, club: &Club) -> Vec<NamedBody> {
        self.tags
            .named(&club.profile.tags)
            .into_iter()
            .map(NamedBody::from)
            .collect()
    }
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
            email: profile.email.to_string(),
            website: profile.website.clone(),
            image_url: logo(club, media),
            image_alt: profile.image_alt.clone(),
            tags: labels.tags_of(club),
            badges: labels.badges.bodies(&club.badges),
            active: profile.active,
            approved: club.approved,
            application_required: profile.application_required,
            accepting_members: is_accepting(club, now),
            open_applications: open_applications(club, now),
            next_event: None,
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

impl ClubBody {
    /// The club as lists show it.
    #[must_use]
    pub fn in_list(mut self, next: Option<&NextEventBody>) -> Self {
        self.open_applications.truncate(limits::LISTED_APPLICATIONS);
        self.next_event = next.cloned();
        self
    }
}

/// The applications of the club that are open at `now`, by their end.
fn open_applications(club: &Club, now: Timestamp) -> Vec<OpenFormBody> {
    let open = club
        .windows
        .iter()
        .filter(|(_, window)| window.is_open(now.moment()));
    let mut open: Vec<OpenFormBody> = open
        .filter_map(|(id, window)| {
            Some(OpenFormBody {
                id: ids::parse(id)?,
                name: window.name.clone(),
                application_end_time: window.end,
                committees: window.committees.clone(),
            })
        })
        .collect();
    open.sort_by_key(|one| (one.application_end_time, one.id));
    open
}

/// Whether an application of the club is open at `now`.
pub fn is_accepting(club: &Club, now: Timestamp) -> bool {
    let mut windows = club.windows.values();
    windows.any(|window| window.is_open(now.moment()))
}

shared::input! {
    /// The fields of a club that officers and admins write.
    pub struct ClubInput {
        /// Used only when the club is created; made from the name if not sent. Lower-case letters,
        /// digits and hyphens, at most 64 characters, with at least one letter.
        pub code: Option<CodeText>, Free;
        /// One line, at most 255 characters.
        pub name: Name, Required;
        /// One line, at most 255 characters.
        subtitle: Line, Optional;
        /// HTML, at most 50,000 characters.
        description: Html, Optional;
        /// Address for questions to the club. Replies to decision mails go there.
        email: MaybeAddress, Optional;
        /// Web address, http or https.
        website: Option<WebAddress>, Optional;
        /// Ids of tags, at most 20.
        tags: List<Reference, { limits::CLUB_LABELS }>, Optional;
        active: bool, Optional = true;
        /// A number from 1 to 5; 4 if not sent. The service gives it no meaning.
        application_required: FromOneToFive, Optional;
        /// Null removes the logo. To set a logo, use `upload/`.
        image: OnlyNull, Free;
        /// What the logo shows, for people who do not see it: one line, at most 255 characters. It
        /// is empty again after another logo was uploaded.
        image_alt: Line, Free;
        /// Ids of badges, at most 20. Only admins; ignored from others.
        badges: List<Reference, { limits::CLUB_LABELS }>, Free;
        /// Only admins; ignored from others.
        approved: Option<bool>, Free;
        /// True deletes the club, false restores a deleted one. Lists do not show deleted clubs, so
        /// the code has to be known. Only admins; ignored from others.
        archived: bool, Free;
    }
}

impl ClubInput {
    /// Returns the fields of a row of an import. Cells that are empty change nothing.
    pub fn of_row(row: &ImportRow, tags: Vec<Reference>) -> Self {
        let new = Self::default();
        let cell = |column: &str| row.text(column).map(str::to_owned);
        Self {
            name: new.name.with(cell("name")),
            subtitle: new.subtitle.with(cell("subtitle")),
            description: new.description.with(cell("description")),
            email: new.email.with(cell("email")),
            website: new.website.with(cell("website")),
            tags: new.tags.with(Some(tags).filter(|tags| !tags.is_empty())),
            ..new
        }
    }

    /// Whether this body restores a deleted club (C7).
    pub fn restores(&self) -> bool {
        self.archived.sent() == Some(&false)
    }

    /// Checks the fields and writes them into `club`. Fields for admins are ignored if the caller
    /// is not an admin.
    pub fn apply(
        self,
        mode: Mode,
        club: &mut Club,
        labels: &TagsAndBadges,
        is_admin: bool,
    ) -> Result<(), ApiError> {
        let mut reader = Reader::new(mode);
        let profile = &mut club.profile;
        reader.set(self.name, &mut profile.name);
        reader.set(self.subtitle, &mut profile.subtitle);
        reader.html(
            self.description,
            limits::DESCRIPTION_BYTES,
            &mut profile.description,
        );
        reader.set(self.email, &mut profile.email);
        reader.url(self.website, &mut profile.website);
        let is_tag = |id| labels.tags.get(id).is_some();
        reader.references(self.tags, is_tag, &mut profile.tags);
        reader.set(self.active, &mut profile.active);
        reader.set(self.application_required, &mut profile.application_required);
        if reader.only_null(&self.image) {
            club.image = None;
            profile.image_alt.clear();
        }
        reader.set(self.image_alt, &mut profile.image_alt);
        // A field that is ignored must still have the right type.
        let (approved, archived) = (reader.get(self.approved), reader.get(self.archived));
        if is_admin {
            let is_badge = |id| labels.badges.0.get(id).is_some();
            reader.references(self.badges, is_badge, &mut club.badges);
            club.approved = approved.unwrap_or(club.approved);
            club.archived = archived.unwrap_or(club.archived);
        } else {
            reader.get(self.badges);
        }
        reader.finish()
    }
}
