//! Clubs with their owners: how they are created, imported and edited.

use crate::db::parts::parts;
use crate::db::{Entity as _, Refusal, Table, TableError, Write};
use crate::domain::catalogue::versions::invalidate;
use crate::domain::club::invitation_log::InvitationLog;
use crate::domain::club::model::Club;
use crate::domain::club::store::{ClubQuota, apart, count_club, end_of_club};
use crate::domain::member::model::Membership;
use crate::domain::outbox::model::Mail;
use crate::domain::person::conditions::counted_owner;
use crate::time::Timestamp;

/// Who becomes the owner of a club that has none.
#[derive(Debug)]
pub struct NewOwner {
    /// The membership as it will be stored.
    pub membership: Membership,
    /// Whether the person is already a member.
    pub is_member: bool,
}

parts! {
    Club => (EDITED) {
        code: (Written),
        version: (Written),
        profile: (Written),
        image: (Written),
        badges: (Written),
        approved: (Written),
        archived: (Written),
        creation: (Written),
        created_at: (Written),
        members: (Kept),
        owners: (Kept),
        favorites: (Kept),
        events: (Kept),
        requests_notified_at: (Kept),
        windows: (Kept),
        releases: (Kept),
        applications: (Kept),
        without_owner: (Written),
    } and {
        TYPE: (Written),
        CHANGED_BY: (Written),
    }
}

impl Table {
    /// Creates a club with its first owner. Refused if the owner has reached the quota; there is no
    /// quota for admins.
    pub async fn create_club(
        &self,
        club: &Club,
        owner: &Membership,
        quota: Option<ClubQuota>,
    ) -> Result<(), TableError> {
        let (stored, text) = apart(None, club)?;
        let creator =
            counted_owner(owner.person, 1, quota.map(|quota| quota.owned)).add("clubs_created", 1);
        let creator = match quota {
            Some(quota) => creator.if_below("clubs_created", &quota.created),
            None => creator,
        };
        let mut writes = vec![
            Write::put(&stored)?.if_new().or(Refusal::Exists),
            Write::put(owner)?.if_new().or(Refusal::Exists),
            invalidate(&[club.key()]).or(Refusal::ReferenceDeleted),
            creator.or(Refusal::Quota),
        ];
        writes.extend(text.map(|text| text.or(Refusal::Exists)));
        writes.extend(
            count_club((&[], &[]), club)
                .into_iter()
                .map(|count| count.or(Refusal::ReferenceDeleted)),
        );
        self.transact(writes).await
    }

    /// Creates a club for somebody else, with an owner and a mail to them if the person is known.
    /// The club counts as created by nobody. Refused if it exists, or if a tag was deleted.
    pub async fn import_club(
        &self,
        club: &Club,
        owner: Option<&Membership>,
        mail: Option<(&Mail, &InvitationLog)>,
    ) -> Result<(), TableError> {
        let (stored, text) = apart(None, club)?;
        let mut writes = vec![
            Write::put(&stored)?.if_new().or(Refusal::Exists),
            invalidate(&[club.key()]).or(Refusal::ReferenceDeleted),
        ];
        if let Some((mail, log)) = mail {
            writes.push(Write::put(mail)?);
            writes.push(Write::put(log)?.if_new().or(Refusal::Exists));
        }
        if let Some(owner) = owner {
            writes.push(Write::put(owner)?.if_new().or(Refusal::Exists));
            writes.push(counted_owner(owner.person, 1, None).or(Refusal::Erased));
        }
        writes.extend(text.map(|text| text.or(Refusal::Exists)));
        writes.extend(
            count_club((&[], &[]), club)
                .into_iter()
                .map(|count| count.or(Refusal::ReferenceDeleted)),
        );
        self.transact(writes).await
    }

    /// Replaces what officers and admins can edit in a club. Refused if the club no longer has the
    /// version of `old`, or if a new tag or badge was deleted.
    ///
    /// An archived club may have lost its last owner by erasure. It then gets `owner`.
    pub async fn update_club(
        &self,
        old: &Club,
        new: &Club,
        owner: Option<&NewOwner>,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let (stored, text) = apart(Some(old), new)?;
        let mut write = Write::update(new.key())
            .parts(&stored, &EDITED)?
            .if_equals("version", &old.version);
        let mut writes = vec![invalidate(&[new.key()])];
        if new.archived && !old.archived {
            writes.push(end_of_club(&new.code, new.version, now)?);
        }
        writes.extend(count_club((&old.profile.tags, &old.badges), new));
        if let Some(NewOwner {
            membership,
            is_member,
        }) = owner
        {
            write = write
                .count("owners", 1)
                .count("members", i64::from(!is_member))
                .if_equals("owners", &0);
            let put = Write::put(membership)?;
            writes.push(if *is_member {
                put.if_equals("version", &(membership.version - 1))
            } else {
                put.if_never_or_before()
            });
            writes.push(counted_owner(membership.person, 1, None));
        }
        writes.push(write);
        writes.extend(text);
        self.transact(writes).await
    }
}
