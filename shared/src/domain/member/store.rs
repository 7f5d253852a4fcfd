//! Memberships. Each change is one transaction. It also changes the club's counters and checks that
//! the person who makes the change still has the required role.

use serde::Deserialize;

use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::response::Stored;
use crate::db::{Entity, Key, Refusal, Table, TableError, Write};
use crate::domain::club::model::Club;
use crate::domain::member::authority::authority;
use crate::domain::member::keys;
use crate::domain::member::model::{Membership, Role};
use crate::domain::outbox::undelivered::MailOwner;
use crate::domain::person::conditions::{check_not_erasing, counted_owner};
use crate::domain::person::model::Person;
use crate::domain::{club, person};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::time::Timestamp;

impl Entity for Membership {
    const KIND: Kind = Kind::Membership;
    const KEEPS_ACTOR: bool = true;

    fn key(&self) -> Key {
        keys::member(&self.club, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::own_membership(self.person, &self.club))
    }
}

/// What the index has about a membership.
#[derive(Deserialize)]
struct MemberEntry {
    gsi1sk: String,
    role: Role,
}

impl Membership {
    /// Returns the id of a person's membership in a club. It is derived from both.
    pub fn id_of(club: &ClubCode, person: Id<of::Person>) -> Id<of::Membership> {
        Id::derived("membership", &[club, &person.to_string()])
    }

    /// Returns what shows that a mail to a member did not arrive.
    pub(crate) fn owner_of_mails(club: &ClubCode, person: Id<of::Person>) -> MailOwner {
        MailOwner::at::<Self>(keys::member(club, Self::id_of(club, person)))
    }

    /// Returns a new membership of `person`, public, active and confirmed.
    pub fn new(
        club: &ClubCode,
        person: &Person,
        role: Role,
        creation: u64,
        now: Timestamp,
    ) -> Self {
        Self {
            id: Self::id_of(club, person.id),
            club: club.clone(),
            version: 1,
            person: person.id,
            role,
            title: String::new(),
            description: String::new(),
            public: true,
            active: true,
            personal: person.personal.clone(),
            image_url: person.image_url.clone(),
            confirmed: true,
            by_username: false,
            creation,
            created_at: now,
            undelivered: None,
        }
    }
}

/// Returns the write that changes the numbers of members and owners of a club.
pub(crate) fn count(club: &ClubCode, members: i64, owners: i64) -> Write {
    Write::update(club::keys::club(club))
        .count("members", members)
        .count("owners", owners)
        .if_exists()
}

/// Returns the writes that add a member, without those that count them. An owner may own at most
/// `limit` clubs.
pub(crate) fn added(membership: &Membership, limit: Option<u32>) -> Result<[Write; 2], TableError> {
    let person = match membership.role {
        Role::Owner => counted_owner(membership.person, 1, limit).or(Refusal::Quota),
        _ => check_not_erasing(membership.person),
    };
    let put = Write::create(membership)?;
    Ok([put.or(Refusal::AlreadyMember), person])
}

/// Returns the writes that add a member and count them.
pub(crate) fn counted(
    membership: &Membership,
    limit: Option<u32>,
) -> Result<[Write; 3], TableError> {
    let owners = i64::from(membership.role == Role::Owner);
    let [put, person] = added(membership, limit)?;
    Ok([put, count(&membership.club, 1, owners), person])
}

/// Returns the writes that remove a member with `delete` and change the counters. The last owner
/// cannot be removed, except with `even_last` if the club is archived.
fn removed(delete: Write, membership: &Membership, even_last: bool) -> Vec<Write> {
    let delete = delete
        .if_equals("creation", &membership.creation)
        .if_equals("version", &membership.version);
    let count = Write::update(club::keys::club(&membership.club)).count("members", -1);
    let count = match (membership.role, even_last) {
        (Role::Owner, false) => count.count("owners", -1).if_above("owners", 1),
        (Role::Owner, true) => count
            .count("owners", -1)
            .if_above_or("owners", 1, "archived"),
        _ => count,
    };
    let owned =
        (membership.role == Role::Owner).then(|| counted_owner(membership.person, -1, None));
    [delete, count.or(Refusal::LastOwner)]
        .into_iter()
        .chain(owned)
        .collect()
}

impl Table {
    /// Returns the members of a club, in no particular order: 1 query.
    pub async fn members(&self, club: &ClubCode) -> Result<Vec<Membership>, TableError> {
        self.query(
            club::keys::club_items(club),
            Range::Prefix(keys::MEMBERS.into()),
        )
        .await
    }

    /// Returns a membership by its id: 1 read.
    pub async fn member(
        &self,
        club: &ClubCode,
        id: Id<of::Membership>,
    ) -> Result<Option<Membership>, TableError> {
        self.get(keys::member(club, id)).await
    }

    /// Returns a membership as it is now: 1 read. None if the member was removed, also if they were
    /// added again since.
    pub async fn same_member(&self, before: &Membership) -> Result<Option<Membership>, TableError> {
        let found = self.member(&before.club, before.id).await?;
        Ok(found.filter(|found| found.creation == before.creation))
    }

    /// Returns the memberships of a person in these clubs: 1 batch read per 100.
    pub async fn memberships_in(
        &self,
        person: Id<of::Person>,
        clubs: impl IntoIterator<Item = ClubCode>,
    ) -> Result<Vec<Membership>, TableError> {
        let key = |club: ClubCode| keys::member(&club, Membership::id_of(&club, person));
        self.get_all(clubs.into_iter().map(key).collect(), true)
            .await
    }

    /// Returns the memberships of these people in a club: 1 batch read per 100.
    pub async fn members_among(
        &self,
        club: &ClubCode,
        people: impl Iterator<Item = Id<of::Person>>,
    ) -> Result<Vec<Membership>, TableError> {
        let requested: Vec<Key> = people
            .map(|person| keys::member(club, Membership::id_of(club, person)))
            .collect();
        let mut found = self.get_many(requested.clone()).await?;
        requested
            .iter()
            .filter_map(|key| found.take(key).transpose())
            .collect()
    }

    /// Returns all memberships of a person: 1 query of the index.
    pub async fn memberships_of(
        &self,
        person: Id<of::Person>,
    ) -> Result<Vec<Membership>, TableError> {
        self.query_index(
            person::keys::own(person),
            Range::Prefix(keys::OWN_MEMBERSHIPS.into()),
        )
        .await
    }

    /// Returns the clubs of a person with the person's role: 1 query of the index, which may be a
    /// moment old.
    pub async fn roles_of(
        &self,
        person: Id<of::Person>,
    ) -> Result<Vec<(ClubCode, Role)>, TableError> {
        let range = Range::Prefix(keys::OWN_MEMBERSHIPS.into());
        let entries = self.index_entries(person::keys::own(person), range).await?;
        let role_of = |entry: &Stored| {
            let MemberEntry { role, gsi1sk } = entry.read().ok()?;
            Some((keys::club_of_membership(&gsi1sk)?, role))
        };
        Ok(entries.iter().filter_map(role_of).collect())
    }

    /// Returns the memberships of a person, each with its club: 1 query of the index, then 1 batch
    /// read per 50.
    pub async fn memberships_and_clubs(
        &self,
        person: Id<of::Person>,
    ) -> Result<Vec<(Membership, Club)>, TableError> {
        let range = Range::Prefix(keys::OWN_MEMBERSHIPS.into());
        let entries = self.index_entries(person::keys::own(person), range).await?;
        let requested: Vec<(Key, Key)> = entries
            .iter()
            .filter_map(|entry| {
                let club = keys::club_of_membership(&entry.index_sort_key()?)?;
                Some((entry.key(), club::keys::club(&club)))
            })
            .collect();
        let all = requested
            .iter()
            .flat_map(|(own, club)| [own.clone(), club.clone()]);
        let mut found = self.get_many(all.collect()).await?;
        let mut pairs = Vec::with_capacity(requested.len());
        for (own, club) in &requested {
            pairs.extend(found.take(own)?.zip(found.take(club)?));
        }
        Ok(pairs)
    }

    /// Notes that a member knows the club: by what they do, for example by applying (M13). Does
    /// nothing if the membership changed meanwhile. The next action of the member does it then.
    pub async fn confirm_member(&self, member: &Membership) -> Result<(), TableError> {
        if member.confirmed {
            return Ok(());
        }
        let confirmed = Membership {
            confirmed: true,
            ..member.clone()
        };
        ignore_refusal(self.update_member(member, &confirmed, None, None).await)
    }

    /// Replaces a membership by `new`. Refused if it changed after `old` was read.
    ///
    /// `by` is the membership of the person who makes the change. It is `None` if that is the
    /// member or an admin.
    pub async fn update_member(
        &self,
        old: &Membership,
        new: &Membership,
        by: Option<&Membership>,
        limit: Option<u32>,
    ) -> Result<(), TableError> {
        let new = &Membership {
            version: old.version + 1,
            ..new.clone()
        };
        let update = Write::put(new)?
            .if_equals("creation", &old.creation)
            .if_equals("version", &old.version);
        let mut writes = vec![update];
        let club = || Write::update(club::keys::club(&old.club));
        match (old.role, new.role) {
            (Role::Owner, role) if role != Role::Owner => {
                writes.push(
                    club()
                        .count("owners", -1)
                        .if_above("owners", 1)
                        .or(Refusal::LastOwner),
                );
                writes.push(counted_owner(old.person, -1, None));
            }
            (role, Role::Owner) if role != Role::Owner => {
                writes.push(club().count("owners", 1).if_exists());
                writes.push(counted_owner(old.person, 1, limit).or(Refusal::Quota));
            }
            _ => {}
        }
        writes.extend(authority(by, &[old.role, new.role]));
        self.transact(writes).await
    }

    /// Removes a member and changes the counters. `by` is the membership of the person who removes
    /// them. It is `None` if that is the member or an admin.
    pub async fn remove_member(
        &self,
        membership: &Membership,
        by: Option<&Membership>,
    ) -> Result<(), TableError> {
        let delete = Write::delete_with_tombstone(membership.key());
        let mut writes: Vec<Write> = removed(delete, membership, false);
        writes.extend(authority(by, &[membership.role]));
        self.transact(writes).await
    }

    /// Removes a member who is being erased. If the club is archived, this may be the last owner.
    pub(crate) async fn erase_member(&self, membership: &Membership) -> Result<(), TableError> {
        let delete = Write::delete(membership.key());
        self.transact(removed(delete, membership, true)).await
    }
}
