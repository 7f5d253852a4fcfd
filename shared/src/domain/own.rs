//! What the index has about a person: where they are a member, what was extended for them, and what
//! they have begun.

use std::collections::HashSet;

use serde::Deserialize;

use crate::db::answer::{AnyItem as _, Stored, readable};
use crate::db::read::{Fetch, Range};
use crate::db::{Entity as _, Table, TableError};
use crate::domain::application::model::Application;
use crate::domain::bookmark::model::Subscription;
use crate::domain::extension::model::Extension;
use crate::domain::keys;
use crate::domain::person::model::Person;
use crate::ids::Id;
use crate::text::ClubCode;

/// What a calendar of one's own needs to know.
#[derive(Debug, Default)]
pub struct OwnEntries {
    /// The clubs of the person.
    pub clubs: HashSet<ClubCode>,
    /// Own extensions.
    pub extensions: Vec<Extension>,
    /// Applications to which the person has typed answers.
    pub drafted: HashSet<Id<Application>>,
}

/// The profile of a person, and the clubs that they follow.
pub type Follower = (Option<Person>, HashSet<ClubCode>);

#[derive(Deserialize)]
struct IndexEntry {
    gsi1sk: String,
}

impl Table {
    /// Returns a profile and the clubs that the person follows: 1 query, for half the price of
    /// other reads. It may be a moment old.
    pub async fn follower(&self, person: Id<Person>) -> Result<Follower, TableError> {
        let (mut profile, mut followed) = (None, HashSet::new());
        let from = keys::profile(person).sk;
        let range = Range::Between(from, format!("{}~", keys::SUBSCRIPTIONS));
        let take = |page: Vec<Stored>| {
            for item in page {
                match item.kind() {
                    Person::TYPE => profile = readable([item]).pop(),
                    Subscription::TYPE => {
                        let all: Vec<Subscription> = readable([item]);
                        followed.extend(all.into_iter().map(|one| one.club));
                    }
                    _ => {}
                }
            }
            Ok(true)
        };
        self.each_page(false, keys::own(person), range, Fetch::Lately, take)
            .await?;
        Ok((profile, followed))
    }

    /// Returns the clubs, extensions and drafts of a person: 1 query of the index, which may be a
    /// moment old, and 1 batch read if there are extensions.
    pub async fn own_entries(&self, person: Id<Person>) -> Result<OwnEntries, TableError> {
        let mut own = OwnEntries::default();
        let mut extensions = Vec::new();
        for stored in self.index_entries(keys::own(person), Range::All).await? {
            let Ok(IndexEntry { gsi1sk }) = stored.read() else {
                continue;
            };
            if let Some(club) = keys::club_of_membership(&gsi1sk) {
                own.clubs.insert(club);
            } else if let Some(application) = keys::application_of_draft(&gsi1sk) {
                own.drafted.insert(application);
            } else if gsi1sk.starts_with(keys::OWN_EXTENSIONS) {
                extensions.push(Stored::key(&stored));
            }
        }
        if !extensions.is_empty() {
            // The latest applications come last.
            let latest = extensions.split_off(extensions.len().saturating_sub(100));
            own.extensions = self.get_many(latest).await?.into_entities();
        }
        Ok(own)
    }
}
