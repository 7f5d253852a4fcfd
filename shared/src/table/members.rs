//! Memberships. Each change is one transaction with the counters of the club, and with the
//! authority of whoever makes it.

use super::conditions::{authority, check_not_erasing, counted_owner};
use super::invites::logged;
use super::requests::request_gone;
use super::{Entity, Key, Range, Refusal, Table, TableError, Write, keys};
use crate::ids::Id;
use crate::models::{
    ClubCode, InvitationLog, Invite, Mail, Membership, MembershipRequest, Person, Role,
};
use crate::time::Timestamp;

impl Entity for Membership {
    const TYPE: &'static str = "Membership";

    fn key(&self) -> Key {
        keys::member(&self.club, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::own_membership(self.person, &self.club))
    }
}

/// Somebody who becomes a member because an officer adds them.
#[derive(Debug)]
pub struct NewMembership<'a> {
    /// Their membership.
    pub membership: &'a Membership,
    /// The officer's membership; none for admins.
    pub by: Option<&'a Membership>,
    /// The request that is answered, if one was found.
    pub request: Option<&'a MembershipRequest>,
    /// What they are told, and the club's log of such mails before and after it.
    pub mail: Option<(&'a Mail, &'a InvitationLog, &'a InvitationLog)>,
    /// Clubs that one person may own; none for admins who add somebody.
    pub limit: Option<u32>,
}

impl Membership {
    /// The id of a person's membership in a club.
    pub fn id_of(club: &ClubCode, person: Id<Person>) -> Id<Self> {
        Id::derived("membership", &[club, &person.to_string()])
    }

    /// A membership of `person`, public and active.
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
            creation,
            created_at: now,
        }
    }
}

/// The writes that add a member and count them. An owner may own no more clubs than `limit`.
fn counted(membership: &Membership, limit: Option<u32>) -> Result<[Write; 3], TableError> {
    let owners = i64::from(membership.role == Role::Owner);
    let count = Write::update(keys::club(&membership.club))
        .add("members", 1)
        .add("owners", owners)
        .if_exists();
    let put = Write::put(membership)?.if_new();
    let person = match membership.role {
        Role::Owner => counted_owner(membership.person, 1, limit).or(Refusal::Quota),
        _ => check_not_erasing(membership.person),
    };
    Ok([put.or(Refusal::AlreadyMember), count, person])
}

/// The writes that remove a member and count. `even_last` lets the owner of an archived club go.
fn removed(membership: &Membership, even_last: bool) -> Vec<Write> {
    let delete = Write::delete(membership.key())
        .if_equals("creation", &membership.creation)
        .if_equals("version", &membership.version);
    let count = Write::update(keys::club(&membership.club)).add("members", -1);
    let count = match (membership.role, even_last) {
        (Role::Owner, false) => count.add("owners", -1).if_above("owners", 1),
        (Role::Owner, true) => count.add("owners", -1).if_above_or("owners", 1, "archived"),
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
    /// The members of a club, in no order: 1 query.
    pub async fn members(&self, club: &ClubCode) -> Result<Vec<Membership>, TableError> {
        self.query(keys::club_items(club), Range::Prefix(keys::MEMBERS.into()))
            .await
    }

    /// A membership by its id: 1 read.
    pub async fn member(
        &self,
        club: &ClubCode,
        id: Id<Membership>,
    ) -> Result<Option<Membership>, TableError> {
        self.get(keys::member(club, id)).await
    }

    /// The memberships that these people have in a club: 1 batch read per 100.
    pub async fn members_among(
        &self,
        club: &ClubCode,
        people: impl Iterator<Item = Id<Person>>,
    ) -> Result<Vec<Membership>, TableError> {
        let wanted: Vec<Key> = people
            .map(|person| keys::member(club, Membership::id_of(club, person)))
            .collect();
        let mut found = self.get_many(wanted.clone()).await?;
        wanted
            .iter()
            .filter_map(|key| found.take(key).transpose())
            .collect()
    }

    /// The clubs that a person is in: 1 query of the index.
    pub async fn memberships_of(&self, person: Id<Person>) -> Result<Vec<Membership>, TableError> {
        self.query_index(
            keys::own(person),
            Range::Prefix(keys::OWN_MEMBERSHIPS.into()),
        )
        .await
    }

    /// Adds a member, counts them, and removes their request.
    pub async fn add_member(
        &self,
        NewMembership {
            membership,
            by,
            request,
            mail,
            limit,
        }: NewMembership<'_>,
    ) -> Result<(), TableError> {
        let mut writes: Vec<Write> = counted(membership, limit)?.into();
        let answered = request_gone(&membership.club, membership.person);
        // A request that came or went meanwhile changes what they are told.
        let answered = if request.is_some() {
            answered.if_exists()
        } else {
            answered.if_new()
        };
        writes.push(answered);
        writes.extend(authority(by, &[membership.role]));
        if let Some((mail, old, new)) = mail {
            writes.push(Write::put(mail)?);
            writes.push(logged(old, new)?);
        }
        self.transact(writes).await
    }

    /// Uses an invite: adds the member, counts them, and removes invite and request. A role above
    /// that of a member takes that whoever gave it still has it.
    pub async fn accept_invite(
        &self,
        invite: &Invite,
        membership: &Membership,
        limit: Option<u32>,
    ) -> Result<(), TableError> {
        let used = Write::delete(invite.key()).if_equals("version", &invite.version);
        let mut writes: Vec<Write> = counted(membership, limit)?.into();
        writes.push(used);
        writes.push(request_gone(&membership.club, membership.person));
        if let Some(by) = invite.by.filter(|_| invite.role < Role::Member) {
            if by == membership.id {
                return Err(TableError::Refused(Refusal::Authority));
            }
            let check =
                Write::check(keys::member(&invite.club, by)).if_at_most("role", &invite.role);
            writes.push(check.or(Refusal::Authority));
        }
        self.transact(writes).await
    }

    /// Replaces what is written of a member by `new`, if it is still as it was read. `by` is
    /// whoever does it, unless it is the member or an admin.
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
        let club = || Write::update(keys::club(&old.club));
        match (old.role, new.role) {
            (Role::Owner, role) if role != Role::Owner => {
                writes.push(
                    club()
                        .add("owners", -1)
                        .if_above("owners", 1)
                        .or(Refusal::LastOwner),
                );
                writes.push(counted_owner(old.person, -1, None));
            }
            (role, Role::Owner) if role != Role::Owner => {
                writes.push(club().add("owners", 1).if_exists());
                writes.push(counted_owner(old.person, 1, limit).or(Refusal::Quota));
            }
            _ => {}
        }
        writes.extend(authority(by, &[old.role, new.role]));
        self.transact(writes).await
    }

    /// Removes a member and counts. `by` is whoever does it, unless it is the member or an admin.
    pub async fn remove_member(
        &self,
        membership: &Membership,
        by: Option<&Membership>,
    ) -> Result<(), TableError> {
        let mut writes: Vec<Write> = removed(membership, false);
        writes.extend(authority(by, &[membership.role]));
        self.transact(writes).await
    }

    /// Removes a member who is erased: even the last owner, if the club is archived.
    pub(super) async fn erase_member(&self, membership: &Membership) -> Result<(), TableError> {
        self.transact(removed(membership, true)).await
    }
}
