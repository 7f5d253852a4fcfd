//! Favorites and subscriptions: links between a person and a club that need no membership. They are
//! in the partition of the person's profile. The transaction that stores or deletes a favorite also
//! changes the club's counter.

use crate::db::read::Range;
use crate::db::response::{AnyItem as _, readable};
use crate::db::{Entity, Key, Refusal, Table, TableError, Write};
use crate::domain::bookmark::keys;
use crate::domain::bookmark::model::{Favorite, Subscription};
use crate::domain::person::conditions::check_not_erasing;
use crate::domain::person::model::Person;
use crate::domain::{club, person};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::time::Timestamp;

/// A favorite or a subscription.
pub trait Bookmark: Entity + Send + Sync {
    /// The prefix of its sort keys.
    const PREFIX: &'static str;
    /// The club attribute that counts bookmarks of this type; `None` if they are not counted.
    const COUNTER: Option<&'static str>;

    /// Returns a new bookmark of `person` for a club. `creation` is the id of the request.
    fn new(club: &ClubCode, person: &Person, creation: u64, now: Timestamp) -> Self;

    /// Returns the id, which is derived from club and person. The bookmark need not exist.
    fn id_of(club: &ClubCode, person: Id<of::Person>) -> Id<Self>;

    /// Returns the primary key.
    fn key_of(person: Id<of::Person>, id: Id<Self>) -> Key;

    /// Returns id, club, person, and time of creation.
    fn parts(&self) -> (Id<Self>, &ClubCode, Id<of::Person>, Timestamp);

    /// Returns the id of the request that created it.
    fn creation(&self) -> u64;
}

impl Entity for Favorite {
    const KIND: Kind = Kind::Favorite;

    fn key(&self) -> Key {
        keys::favorite(self.person, self.id)
    }
}

impl Bookmark for Favorite {
    const PREFIX: &'static str = keys::FAVORITES;
    const COUNTER: Option<&'static str> = Some("favorites");

    fn new(club: &ClubCode, person: &Person, creation: u64, now: Timestamp) -> Self {
        Self {
            id: Self::id_of(club, person.id),
            club: club.clone(),
            person: person.id,
            creation,
            created_at: now,
        }
    }

    fn id_of(club: &ClubCode, person: Id<of::Person>) -> Id<Self> {
        Id::derived("favorite", &[club, &person.to_string()])
    }

    fn key_of(person: Id<of::Person>, id: Id<Self>) -> Key {
        keys::favorite(person, id)
    }

    fn parts(&self) -> (Id<Self>, &ClubCode, Id<of::Person>, Timestamp) {
        (self.id, &self.club, self.person, self.created_at)
    }

    fn creation(&self) -> u64 {
        self.creation
    }
}

impl Entity for Subscription {
    const KIND: Kind = Kind::Subscription;

    fn key(&self) -> Key {
        keys::subscription(self.person, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::subscriber(&self.club, self.person))
    }
}

impl Bookmark for Subscription {
    const PREFIX: &'static str = keys::SUBSCRIPTIONS;
    const COUNTER: Option<&'static str> = None;

    fn new(club: &ClubCode, person: &Person, creation: u64, now: Timestamp) -> Self {
        let id = Self::id_of(club, person.id);
        Self {
            id,
            club: club.clone(),
            person: person.id,
            applicant: person.applicant(),
            creation,
            created_at: now,
        }
    }

    fn id_of(club: &ClubCode, person: Id<of::Person>) -> Id<Self> {
        Id::derived("subscription", &[club, &person.to_string()])
    }

    fn key_of(person: Id<of::Person>, id: Id<Self>) -> Key {
        keys::subscription(person, id)
    }

    fn parts(&self) -> (Id<Self>, &ClubCode, Id<of::Person>, Timestamp) {
        (self.id, &self.club, self.person, self.created_at)
    }

    fn creation(&self) -> u64 {
        self.creation
    }
}

/// The favorites and subscriptions of a person.
#[derive(Debug, Default)]
pub struct Bookmarks {
    /// In no particular order.
    pub favorites: Vec<Favorite>,
    /// In no particular order.
    pub subscriptions: Vec<Subscription>,
}

/// Returns the write that changes the club's counter by `change`, if this type is counted.
fn counted<I: Bookmark>(bookmark: &I, change: i64) -> Option<Write> {
    I::COUNTER.map(|counter| {
        Write::update(club::keys::club(bookmark.parts().1))
            .count(counter, change)
            .if_exists()
    })
}

/// The writes that remove a favorite or subscription with `delete`, and count it.
fn removed<I: Bookmark>(bookmark: &I, delete: Write) -> Vec<Write> {
    let delete = delete.if_equals("creation", &bookmark.creation());
    std::iter::once(delete)
        .chain(counted(bookmark, -1))
        .collect()
}

impl Table {
    /// Returns the favorites or the subscriptions of a person, in no particular order: 1 query.
    pub async fn bookmarks_of<I: Bookmark>(
        &self,
        person: Id<of::Person>,
    ) -> Result<Vec<I>, TableError> {
        self.query(person::keys::own(person), Range::Prefix(I::PREFIX.into()))
            .await
    }

    /// Returns all favorites and subscriptions of a person: 1 query. The range also contains the
    /// profile, which is skipped.
    pub async fn bookmarks(&self, person: Id<of::Person>) -> Result<Bookmarks, TableError> {
        let mut all = Bookmarks::default();
        let range = Range::Between(keys::FAVORITES.into(), format!("{}~", keys::SUBSCRIPTIONS));
        for item in self.items(person::keys::own(person), range).await? {
            match item.kind() {
                Favorite::TYPE => all.favorites.extend(readable([item])),
                Subscription::TYPE => all.subscriptions.extend(readable([item])),
                _ => {}
            }
        }
        Ok(all)
    }

    /// Returns a favorite or subscription of a person by its id: 1 read.
    pub async fn bookmark<I: Bookmark>(
        &self,
        person: Id<of::Person>,
        id: Id<I>,
    ) -> Result<Option<I>, TableError> {
        self.get(I::key_of(person, id)).await
    }

    /// Returns the subscriptions to a club, in no particular order: 1 query of the index.
    pub async fn subscribers(&self, club: &ClubCode) -> Result<Vec<Subscription>, TableError> {
        self.query_index(
            club::keys::club_items(club),
            Range::Prefix(keys::SUBSCRIBERS.into()),
        )
        .await
    }

    /// Stores a favorite or subscription, and counts it if this type is counted.
    pub async fn create_bookmark<I: Bookmark>(&self, bookmark: &I) -> Result<(), TableError> {
        let mut writes = vec![Write::create(bookmark)?.or(Refusal::AlreadyThere)];
        writes.push(check_not_erasing(bookmark.parts().2));
        // Clubs are never deleted, so this condition should not fail.
        writes.extend(counted(bookmark, 1).map(|count| count.or(Refusal::Erased)));
        self.transact(writes).await
    }

    /// Deletes a favorite or subscription. Refused if it no longer exists or was created again.
    pub async fn delete_bookmark<I: Bookmark>(&self, bookmark: &I) -> Result<(), TableError> {
        let delete = Write::delete_with_tombstone(bookmark.key());
        self.transact(removed(bookmark, delete)).await
    }

    /// The same for a person who is being erased: nothing stays in its place.
    pub(crate) async fn erase_bookmark<I: Bookmark>(&self, bookmark: &I) -> Result<(), TableError> {
        let delete = Write::delete(bookmark.key());
        self.transact(removed(bookmark, delete)).await
    }
}
