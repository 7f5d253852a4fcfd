//! What the index has about a person: where they are a member, what was extended for them, and what
//! they have begun.

use std::collections::{HashMap, HashSet};

use crate::db::read::{Fetch, Range};
use crate::db::response::{AnyItem as _, Stored, readable};
use crate::db::{Entity as _, Key, Table, TableError};
use crate::domain::bookmark::model::Subscription;
use crate::domain::extension::model::Extension;
use crate::domain::person::model::Person;
use crate::domain::ticket::model::TicketOrders;
use crate::domain::{draft, extension, member, person, ticket};
use crate::ids;
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// What a calendar of one's own needs to know.
#[derive(Debug, Default)]
pub struct OwnEntries {
    /// The clubs of the person.
    pub clubs: HashSet<ClubCode>,
    /// Where own extensions are.
    extensions: HashMap<Id<of::Application>, Key>,
    /// Applications to which the person has drafts.
    pub drafted: HashSet<Id<of::Application>>,
}

/// The profile of a person, the clubs that they follow, and what they have ordered.
pub type Follower = (Option<Person>, HashSet<ClubCode>, Vec<TicketOrders>);

impl Table {
    /// Returns a profile, the clubs that the person follows, and their orders of tickets: 1 query,
    /// for half the price of other reads. It may be a moment old.
    pub async fn follower(&self, person: Id<of::Person>) -> Result<Follower, TableError> {
        let (mut profile, mut followed, mut orders) = (None, HashSet::new(), vec![]);
        let from = person::keys::profile(person).sk;
        let range = Range::Between(from, format!("{}~", ticket::keys::ORDERS));
        let take = |page: Vec<Stored>| {
            for item in page {
                match item.kind() {
                    Person::TYPE => profile = readable([item]).pop(),
                    Subscription::TYPE => {
                        let all: Vec<Subscription> = readable([item]);
                        followed.extend(all.into_iter().map(|one| one.club));
                    }
                    TicketOrders::TYPE => orders.extend(readable::<TicketOrders>([item])),
                    _ => {}
                }
            }
            Ok(true)
        };
        self.each_page(
            false,
            person::keys::own(person),
            range,
            Fetch::Eventual,
            take,
        )
        .await?;
        Ok((profile, followed, orders))
    }

    /// Returns the clubs and drafts of a person, and where extensions are: 1 query of the index,
    /// which may be a moment old. What stands in the index before and behind these three is not
    /// read; what stands between them are files of submissions, uses of join links, and
    /// mails.
    pub async fn own_entries(&self, person: Id<of::Person>) -> Result<OwnEntries, TableError> {
        let mut own = OwnEntries::default();
        let last = format!("{}~", member::keys::OWN_MEMBERSHIPS);
        let range = Range::Between(draft::keys::OWN_DRAFTS.into(), last);
        for stored in self.index_entries(person::keys::own(person), range).await? {
            let Some(gsi1sk) = stored.index_sort_key() else {
                continue;
            };
            if let Some(club) = member::keys::club_of_membership(&gsi1sk) {
                own.clubs.insert(club);
            } else if let Some(application) = draft::keys::application_of_draft(&gsi1sk) {
                own.drafted.insert(application);
            } else if let Some(id) = gsi1sk.strip_prefix(extension::keys::OWN_EXTENSIONS)
                && let Some(application) = ids::parse(id)
            {
                own.extensions.insert(application, Stored::key(&stored));
            }
        }
        Ok(own)
    }

    /// Returns until when these applications are open for the person, where that was extended, as
    /// it was a moment ago: 1 read for each such application, for half the price.
    pub async fn extended_ends(
        &self,
        own: &OwnEntries,
        applications: impl Iterator<Item = Id<of::Application>>,
    ) -> Result<HashMap<Id<of::Application>, Timestamp>, TableError> {
        let requested = applications.filter_map(|id| own.extensions.get(&id).cloned());
        let found: Vec<Extension> = self.get_all(requested.collect(), false).await?;
        let ends = found.into_iter().map(|one| (one.application, one.end));
        Ok(ends.collect())
    }
}
