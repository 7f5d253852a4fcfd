//! The clubs of a person who is erased: none may be without an owner (P16).

use crate::db::{Refusal, Table, TableError};
use crate::domain::erasure::OnlyOwner;
use crate::domain::member::model::{Membership, Role};
use crate::domain::person::model::Person;
use crate::ids::Id;
use crate::text::ClubCode;
use crate::time::{Clock, RequestTime};

impl Table {
    /// Like [`Table::erase`]. Archives first the clubs that nobody else owns (P16). `when` gives
    /// the time of each attempt.
    pub async fn erase_with_clubs(
        &self,
        person: &Person,
        when: impl Fn() -> RequestTime,
        clock: &dyn Clock,
    ) -> Result<(), TableError> {
        let (mut retries, mut archived) = (self.retries(), false);
        loop {
            let erased = async {
                retries.next().await?;
                self.erase(person, when(), clock).await
            };
            let erased = erased
                .await
                .map_err(|error| if archived { error.after_write() } else { error })?;
            let Err(OnlyOwner(clubs)) = erased else {
                return Ok(());
            };
            for club in clubs {
                match self.archive_club(&club).await {
                    // Somebody else changed the club at the same moment. It is read again.
                    Err(TableError::Refused(_)) => {}
                    Err(error) if archived => return Err(error.after_write()),
                    done => {
                        done?;
                        archived = true;
                    }
                }
            }
        }
    }

    /// Returns the clubs that a person owns. The index may be behind, so their number is compared
    /// with the profile.
    pub(crate) async fn owned_clubs(
        &self,
        person: Id<Person>,
    ) -> Result<Vec<ClubCode>, TableError> {
        let mut wait = self.backoff();
        loop {
            let profile = self.person(person).await?;
            let count = profile.map_or(0, |profile| profile.clubs_owned);
            // The index may still show a role that the person lost.
            let mut owned = self.memberships_of(person).await?;
            owned.retain(|membership| membership.role == Role::Owner);
            if i64::try_from(owned.len()).is_ok_and(|found| found >= count) {
                return Ok(owned
                    .into_iter()
                    .map(|membership| membership.club)
                    .collect());
            }
            if !wait.wait().await {
                return Err(TableError::Busy("the index is behind".to_owned()));
            }
        }
    }

    /// Ends a membership, however it changed meanwhile.
    pub(crate) async fn leave(
        &self,
        mut membership: Membership,
    ) -> Result<Result<(), OnlyOwner>, TableError> {
        let mut retries = self.retries();
        loop {
            retries.next().await?;
            match self.erase_member(&membership).await {
                Ok(()) => return Ok(Ok(())),
                Err(TableError::Refused(Refusal::LastOwner)) => {
                    let club = self.club(&membership.club).await?;
                    return Ok(Err(OnlyOwner(club.into_iter().collect())));
                }
                Err(TableError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
            match self.member(&membership.club, membership.id).await? {
                // Another one is of a person who came back.
                Some(current) if current.creation == membership.creation => membership = current,
                _ => return Ok(Ok(())),
            }
        }
    }
}
