//! Memberships.

use super::clubs::counted_membership;
use super::{Entity, Key, Range, Table, TableError, Write, keys};
use crate::models::{Membership, Role};

impl Entity for Membership {
    const TYPE: &'static str = "Membership";

    fn key(&self) -> Key {
        keys::member(&self.club, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::own_membership(self.person, &self.club))
    }
}

impl Table {
    /// The members of a club, in no order: 1 query.
    pub async fn members(&self, club: &str) -> Result<Vec<Membership>, TableError> {
        self.query(keys::club_items(club), Range::Prefix(keys::MEMBERS.into())).await
    }

    /// A membership by its id: 1 read.
    pub async fn member(&self, club: &str, id: u64) -> Result<Option<Membership>, TableError> {
        self.get(keys::member(club, id)).await
    }

    /// The clubs that a person is in: 1 query of the index.
    pub async fn memberships_of(&self, person: u64) -> Result<Vec<Membership>, TableError> {
        self.query_index(keys::own(person), Range::Prefix(keys::OWN_MEMBERSHIPS.into())).await
    }

    /// Adds a member and counts them. Refused (0) if they are one already.
    pub async fn add_member(&self, membership: &Membership) -> Result<(), TableError> {
        self.transact(counted_membership(membership)?.into()).await
    }

    /// Removes a member and counts. Refused at 0 if the membership changed meanwhile, at 1 for the last owner.
    pub async fn remove_member(&self, membership: &Membership) -> Result<(), TableError> {
        let delete = Write::delete(membership.key()).if_equals("role", &membership.role).if_equals("id", &membership.id);
        let mut count = Write::update(keys::club(&membership.club)).add("members", -1);
        if membership.role == Role::Owner {
            count = count.add("owners", -1).if_above("owners", 1);
        }
        self.transact(vec![delete, count]).await
    }
}
