//! Favorites and subscriptions: what a person has to do with a club without being in it. They stand
//! in the partition of the person's profile; a favorite changes the club's counter in its
//! transaction.

use super::conditions::check_not_erasing;
use super::read::readable;
use super::{Entity, Key, Range, Refusal, Table, TableError, Write, keys, type_of};
use crate::ids::Id;
use crate::models::{ClubCode, Favorite, Person, Subscription};
use crate::time::Timestamp;

/// A favorite or a subscription.
pub trait Bookmark: Entity + Send + Sync {
    /// What its sort keys begin with.
    const PREFIX: &'static str;
    /// The counter of the club that it is in.
    const COUNTER: Option<&'static str>;

    /// That of `person` in a club.
    fn new(club: &ClubCode, person: &Person, creation: u64, now: Timestamp) -> Self;

    /// Its id, and the id that one of this person and club would have.
    fn id_of(club: &ClubCode, person: Id<Person>) -> Id<Self>;

    /// Where one stands.
    fn key_of(person: Id<Person>, id: Id<Self>) -> Key;

    /// Id, club, person, and since when.
    fn parts(&self) -> (Id<Self>, &ClubCode, Id<Person>, Timestamp);

    /// The id of the request that made it.
    fn creation(&self) -> u64;
}

impl Entity for Favorite {
    const TYPE: &'static str = "Favorite";

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

    fn id_of(club: &ClubCode, person: Id<Person>) -> Id<Self> {
        Id::derived("favorite", &[club, &person.to_string()])
    }

    fn key_of(person: Id<Person>, id: Id<Self>) -> Key {
        keys::favorite(person, id)
    }

    fn parts(&self) -> (Id<Self>, &ClubCode, Id<Person>, Timestamp) {
        (self.id, &self.club, self.person, self.created_at)
    }

    fn creation(&self) -> u64 {
        self.creation
    }
}

impl Entity for Subscription {
    const TYPE: &'static str = "Subscription";

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

    fn id_of(club: &ClubCode, person: Id<Person>) -> Id<Self> {
        Id::derived("subscription", &[club, &person.to_string()])
    }

    fn key_of(person: Id<Person>, id: Id<Self>) -> Key {
        keys::subscription(person, id)
    }

    fn parts(&self) -> (Id<Self>, &ClubCode, Id<Person>, Timestamp) {
        (self.id, &self.club, self.person, self.created_at)
    }

    fn creation(&self) -> u64 {
        self.creation
    }
}

/// The favorites and subscriptions of a person.
#[derive(Debug, Default)]
pub struct Bookmarks {
    /// Clubs at hand.
    pub favorites: Vec<Favorite>,
    /// Clubs to hear of.
    pub subscriptions: Vec<Subscription>,
}

/// The write that counts an interest at its club.
fn counted<I: Bookmark>(bookmark: &I, change: i64) -> Option<Write> {
    I::COUNTER.map(|counter| {
        Write::update(keys::club(bookmark.parts().1))
            .add(counter, change)
            .if_exists()
    })
}

impl Table {
    /// The favorites or the subscriptions of a person, in no order: 1 query.
    pub async fn bookmarks_of<I: Bookmark>(
        &self,
        person: Id<Person>,
    ) -> Result<Vec<I>, TableError> {
        self.query(keys::own(person), Range::Prefix(I::PREFIX.into()))
            .await
    }

    /// All interests of a person: 1 query. Between favorites and subscriptions stands the profile.
    pub async fn bookmarks(&self, person: Id<Person>) -> Result<Bookmarks, TableError> {
        let mut all = Bookmarks::default();
        let range = Range::Between(keys::FAVORITES.into(), format!("{}~", keys::SUBSCRIPTIONS));
        for item in self.items(false, keys::own(person), range).await? {
            match type_of(&item) {
                Favorite::TYPE => all.favorites.extend(readable(vec![item])),
                Subscription::TYPE => all.subscriptions.extend(readable(vec![item])),
                _ => {}
            }
        }
        Ok(all)
    }

    /// An interest of a person by its id: 1 read.
    pub async fn bookmark<I: Bookmark>(
        &self,
        person: Id<Person>,
        id: Id<I>,
    ) -> Result<Option<I>, TableError> {
        self.get(I::key_of(person, id)).await
    }

    /// Who subscribed to a club, in no order: 1 query of the index.
    pub async fn subscribers(&self, club: &ClubCode) -> Result<Vec<Subscription>, TableError> {
        self.query_index(
            keys::club_items(club),
            Range::Prefix(keys::SUBSCRIBERS.into()),
        )
        .await
    }

    /// Stores an interest, and counts it at its club.
    pub async fn create_bookmark<I: Bookmark>(&self, bookmark: &I) -> Result<(), TableError> {
        let mut writes = vec![Write::put(bookmark)?.if_new().or(Refusal::Exists)];
        writes.push(check_not_erasing(bookmark.parts().2));
        // Clubs are never removed.
        writes.extend(counted(bookmark, 1).map(|count| count.or(Refusal::Erased)));
        self.transact(writes).await
    }

    /// Removes an interest. Refused if it is gone, or was made again.
    pub async fn delete_bookmark<I: Bookmark>(&self, bookmark: &I) -> Result<(), TableError> {
        let delete = Write::delete(bookmark.key()).if_equals("creation", &bookmark.creation());
        self.transact(
            std::iter::once(delete)
                .chain(counted(bookmark, -1))
                .collect(),
        )
        .await
    }
}
