//! A club with what a person is to it.

use crate::db::{Key, Table, TableError};
use crate::domain::bookmark::model::{Favorite, Subscription};
use crate::domain::bookmark::store::Bookmark as _;
use crate::domain::catalogue::versions::Versions;
use crate::domain::club::model::{Club, ClubText};
use crate::domain::member::model::Membership;
use crate::domain::{catalogue, club, member};
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::text::html::is_beginning;

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

impl Table {
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
            club::keys::club(code),
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
            club::keys::club(code),
            club::keys::club_text(code),
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
}
