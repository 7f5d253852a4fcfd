//! Clubs, and the versions of their catalogue segments.

use crate::db::Key;
use crate::domain::catalogue;
use crate::domain::club::keys;
use crate::domain::member;
use std::collections::{BTreeSet, HashMap};

use crate::db::parts::parts;
use crate::db::{Entity, Refusal, Table, TableError, Write};
use crate::domain::bookmark::model::{Favorite, Subscription};
use crate::domain::bookmark::store::Bookmark;
use crate::domain::catalogue::versions::{Versions, invalidate, invalidate_segments};
use crate::domain::club::model::{Club, ClubProfile, ClubText};
use crate::domain::invite::model::InvitationLog;
use crate::domain::member::model::Membership;
use crate::domain::outbox::model::Mail;
use crate::domain::person::conditions::counted_owner;
use crate::domain::reference::model::{Badge, Tag};
use crate::domain::reference::store::count_uses;
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::text::html::{beginning, is_beginning};

impl Entity for Club {
    const KIND: Kind = Kind::Club;
    const KEEPS_ACTOR: bool = true;

    fn key(&self) -> Key {
        keys::club(&self.code)
    }
}

impl Entity for ClubText {
    const KIND: Kind = Kind::ClubText;

    fn key(&self) -> Key {
        keys::club_text(&self.club)
    }
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

/// Splits a club into the item that lists read, and a write for the full description.
///
/// The item contains only the beginning of the description. `old` is the club as it was read, with
/// the full description or only its beginning. If the description did not change, the stored full
/// description stays as it is.
fn apart(old: Option<&Club>, new: &Club) -> Result<(Club, Option<Write>), TableError> {
    let profile = &new.profile;
    if old.is_some_and(|old| old.profile.description == profile.description) {
        let stored = ClubProfile {
            description: beginning(&profile.description),
            ..profile.clone()
        };
        return Ok((
            Club {
                profile: stored,
                ..new.clone()
            },
            None,
        ));
    }
    let short = beginning(&profile.description);
    let has_more = short != profile.description;
    let text = ClubText {
        club: new.code.clone(),
        description: profile.description.clone(),
    };
    let write = match (has_more, old.is_some_and(|old| old.profile.has_more)) {
        (true, _) => Some(Write::put(&text)?),
        (false, true) => Some(Write::delete(text.key())),
        (false, false) => None,
    };
    Ok((
        Club {
            profile: ClubProfile {
                description: short,
                has_more,
                ..profile.clone()
            },
            ..new.clone()
        },
        write,
    ))
}

/// A club, and the relation of a person to it.
#[derive(Debug, Clone, Default)]
pub struct ClubPage {
    /// The club, archived or not.
    pub club: Option<Club>,
    /// The person's membership.
    pub membership: Option<Membership>,
    /// Whether it is their favorite.
    pub is_favorite: bool,
    /// Whether they subscribed to it.
    pub is_subscribed: bool,
    /// The versions of all catalogue segments. The club's tags and badges are in such segments.
    pub versions: Versions,
}

/// The maximum number of clubs per person (C16).
#[derive(Debug, Clone, Copy)]
pub struct ClubQuota {
    /// Clubs that the person created, including deleted ones.
    pub created: u32,
    /// Clubs that the person owns, including deleted ones.
    pub owned: u32,
}

/// Returns the writes that change the use counters of tags and badges when a club changes.
fn count_club(old: (&[Id<Tag>], &[Id<Badge>]), new: &Club) -> Vec<Write> {
    let mut writes = count_uses::<Tag>(old.0, &new.profile.tags);
    writes.extend(count_uses::<Badge>(old.1, &new.badges));
    writes
}

/// Who becomes the owner of a club that has none.
#[derive(Debug)]
pub struct NewOwner {
    /// The membership as it will be stored.
    pub membership: Membership,
    /// Whether the person is already a member.
    pub is_member: bool,
}

impl Table {
    /// Returns a club, archived or not: 1 read.
    pub async fn club(&self, code: &ClubCode) -> Result<Option<Club>, TableError> {
        self.get(keys::club(code)).await
    }

    /// Returns clubs by their codes; codes that do not exist are skipped: 1 batch read per 100.
    pub async fn clubs(&self, codes: &[ClubCode]) -> Result<HashMap<ClubCode, Club>, TableError> {
        let mut found = self
            .get_many(codes.iter().map(keys::club).collect())
            .await?;
        let clubs = codes
            .iter()
            .filter_map(|code| found.take::<Club>(&keys::club(code)).transpose());
        clubs
            .map(|club| club.map(|club| (club.code.clone(), club)))
            .collect()
    }

    /// Returns a club, and the membership of `person` in it: 1 batch read. These are the first
    /// reads of every route under a club.
    pub async fn club_and_membership(
        &self,
        code: &ClubCode,
        person: Option<Id<of::Person>>,
    ) -> Result<(Option<Club>, Option<Membership>), TableError> {
        let Some(person) = person else {
            return Ok((self.club(code).await?, None));
        };
        let (club, member) = (
            keys::club(code),
            member::keys::member(code, Membership::id_of(code, person)),
        );
        let mut found = self.get_many(vec![club.clone(), member.clone()]).await?;
        Ok((found.take(&club)?, found.take(&member)?))
    }

    /// Returns a club, the relation of `person` to it, and the versions of the catalogue segments:
    /// 1 batch read, repeated if the club and its full description do not match.
    pub async fn club_page(
        &self,
        code: &ClubCode,
        person: Option<Id<of::Person>>,
    ) -> Result<ClubPage, TableError> {
        let (club, text, versions) = (
            keys::club(code),
            keys::club_text(code),
            catalogue::keys::versions(),
        );
        let own = person.map(|person| {
            let favorite = Favorite::key_of(person, Favorite::id_of(code, person));
            let subscription = Subscription::key_of(person, Subscription::id_of(code, person));
            (
                member::keys::member(code, Membership::id_of(code, person)),
                favorite,
                subscription,
            )
        });
        let own_keys = own
            .iter()
            .flat_map(|(member, favorite, subscription)| [member, favorite, subscription])
            .cloned();
        let requested: Vec<Key> = [club.clone(), text.clone(), versions.clone()]
            .into_iter()
            .chain(own_keys)
            .collect();
        let mut retries = self.retries();
        let (mut found, mut page) = loop {
            retries.next().await?;
            let mut found = self.get_many(requested.clone()).await?;
            let mut page = ClubPage {
                club: found.take(&club)?,
                versions: Versions::of_item(found.take_item(&versions))?,
                ..ClubPage::default()
            };
            let whole: Option<ClubText> = found.take(&text)?;
            let Some(profile) = page
                .club
                .as_mut()
                .map(|club| &mut club.profile)
                .filter(|profile| profile.has_more)
            else {
                break (found, page);
            };
            // A batch read is not isolated from a transaction that runs at the same time. The two
            // items may have different versions.
            if let Some(ClubText { description, .. }) =
                whole.filter(|whole| is_beginning(&profile.description, &whole.description))
            {
                profile.description = description;
                break (found, page);
            }
        };
        if let Some((member, favorite, subscription)) = own {
            page.membership = found.take(&member)?;
            page.is_favorite = found.take::<Favorite>(&favorite)?.is_some();
            page.is_subscribed = found.take::<Subscription>(&subscription)?.is_some();
        }
        Ok(page)
    }

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

    /// Archives a club. Refused if the club or its number of owners changed after it was read.
    pub async fn archive_club(&self, club: &Club) -> Result<(), TableError> {
        let write = Write::update(club.key())
            .set("archived", &true)
            .set("version", &(club.version + 1))
            .by_actor()
            .if_equals("version", &club.version)
            .if_equals("owners", &club.owners);
        self.transact(vec![write, invalidate(&[club.key()])]).await
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
    ) -> Result<(), TableError> {
        let (stored, text) = apart(Some(old), new)?;
        let mut write = Write::update(new.key())
            .parts(&stored, &EDITED)?
            .if_equals("version", &old.version);
        let mut writes = vec![invalidate(&[new.key()])];
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

    /// Stores clubs as they are. Only for loading data into a table that has no other writers.
    pub async fn load_clubs(&self, clubs: &[Club]) -> Result<(), TableError> {
        self.load(clubs).await?;
        let parts: BTreeSet<String> = clubs.iter().map(|club| club.key().pk).collect();
        if parts.is_empty() {
            return Ok(());
        }
        self.write(invalidate_segments(parts)).await.map(drop)
    }
}
