//! Clubs, and the version of their catalogue.

use std::collections::HashMap;

use super::catalogue::moved;
use super::people::still_there;
use super::{Entity, Key, Range, Table, TableError, Write, keys};
use crate::models::{Club, Membership};

impl Entity for Club {
    const TYPE: &'static str = "Club";

    fn key(&self) -> Key {
        keys::club(&self.code)
    }
}

impl Table {
    /// A club, archived or not: 1 read.
    pub async fn club(&self, code: &str) -> Result<Option<Club>, TableError> {
        self.get(keys::club(code)).await
    }

    /// Several clubs by their codes, those that exist: 1 batch read per 100.
    pub async fn clubs(&self, codes: &[String]) -> Result<HashMap<String, Club>, TableError> {
        let mut found = self.get_many(codes.iter().map(|code| keys::club(code)).collect()).await?;
        let clubs = codes.iter().filter_map(|code| found.take::<Club>(&keys::club(code)).transpose());
        clubs.map(|club| club.map(|club| (club.code.clone(), club))).collect()
    }

    /// A club, and what `person` is in it: 1 batch read. The first reads of every route under a club.
    pub async fn club_and_membership(&self, code: &str, person: Option<u64>) -> Result<(Option<Club>, Option<Membership>), TableError> {
        let Some(person) = person else { return Ok((self.club(code).await?, None)) };
        let (club, member) = (keys::club(code), keys::member(code, Membership::id_of(code, person)));
        let mut found = self.get_many(vec![club.clone(), member.clone()]).await?;
        Ok((found.take(&club)?, found.take(&member)?))
    }

    /// All clubs, archived ones included: one query a part, side by side.
    pub async fn all_clubs(&self) -> Result<Vec<Club>, TableError> {
        let parts = (0..keys::CLUB_PARTS).map(|part| self.query(keys::clubs(part), Range::All));
        Ok(futures::future::try_join_all(parts).await?.into_iter().flatten().collect())
    }

    /// Creates a club with its first owner. Refused at 0 if the code is taken, at 3 if the owner is being erased.
    pub async fn create_club(&self, club: &Club, owner: &Membership) -> Result<(), TableError> {
        self.transact(vec![Write::put(club)?.if_new(), Write::put(owner)?.if_new(), moved([club.key().pk]), still_there(owner.person)])
            .await
    }

    /// Replaces what officers and admins write of a club. Refused if it is no longer at the version that was read. A club whose
    /// last owner was erased while it was archived gets `owner`, who may be a member (true).
    pub async fn update_club(&self, club: &Club, read_version: u64, owner: Option<&(Membership, bool)>) -> Result<(), TableError> {
        let write = Write::update(club.key())
            .set("profile", &club.profile)
            .set("approved", &club.approved)
            .set("archived", &club.archived)
            .set("version", &club.version)
            .if_equals("version", &read_version);
        let Some((owner, is_member)) = owner else { return self.transact(vec![write, moved([club.key().pk])]).await };
        let write = write.add("owners", 1).add("members", i64::from(!is_member)).if_equals("owners", &0);
        let owner = if *is_member { Write::put(owner)?.if_exists() } else { Write::put(owner)?.if_new() };
        self.transact(vec![write, moved([club.key().pk]), owner]).await
    }
}
