//! The stored data of a person besides their profile, and the erasure of a person (P14, P15, P17).

use std::collections::BTreeMap;
use std::time::Duration;

use futures::stream::{self, StreamExt, TryStreamExt};

use super::WithdrawOutcome;
use super::answer::{AnyItem as _, Stored, readable};
use super::error::ignore_refusal;
use super::{
    Bookmark, Bookmarks, Entity, PARALLEL, Range, Refusal, Retries, Table, TableError, Write, keys,
};
use crate::models::{
    Answers, Club, DraftAnswer, Extension, Invite, Mail, Membership, MembershipRequest, Person,
    Review, Role, Status, Submission, Withdrawal,
};
use crate::time::Timestamp;

/// The stored data of a person besides their profile.
#[derive(Debug, Default)]
pub struct PersonalData {
    /// Their memberships, including those in archived clubs.
    pub memberships: Vec<Membership>,
    /// Their requests to join clubs.
    pub requests: Vec<MembershipRequest>,
    /// Their submissions, newest first.
    pub submissions: Vec<Submission>,
    /// What remains of submissions that they have withdrawn.
    pub withdrawals: Vec<Withdrawal>,
    /// Their reviews of submissions.
    pub reviews: Vec<Review>,
    /// The answers of their drafts.
    pub drafts: Vec<DraftAnswer>,
    /// Their extensions of application deadlines.
    pub extensions: Vec<Extension>,
    /// Invites to their e-mail address.
    pub invites: Vec<Invite>,
    /// Mails to them, oldest first.
    pub mails: Vec<Mail>,
    /// Their favorites and subscriptions.
    pub bookmarks: Bookmarks,
}

/// Why a person cannot be erased: these clubs would have no owner.
#[derive(Debug, Clone)]
pub struct OnlyOwner(pub Vec<Club>);

/// The pause between the two passes of an erasure. Writes that were running when the erasure began
/// can finish in this time.
const PAUSE: Duration = Duration::from_secs(1);

impl PersonalData {
    fn sort_in(&mut self, items: Vec<Stored>) {
        for item in items {
            let item = [item];
            match item[0].kind() {
                Membership::TYPE => self.memberships.extend(readable(item)),
                MembershipRequest::TYPE => self.requests.extend(readable(item)),
                Submission::TYPE => self.submissions.extend(readable(item)),
                Withdrawal::TYPE => self.withdrawals.extend(readable(item)),
                Review::TYPE => self.reviews.extend(readable(item)),
                DraftAnswer::TYPE => self.drafts.extend(readable(item)),
                Extension::TYPE => self.extensions.extend(readable(item)),
                Invite::TYPE => self.invites.extend(readable(item)),
                Mail::TYPE => self.mails.extend(readable(item)),
                _ => {}
            }
        }
    }
}

impl Table {
    /// Returns the stored data of a person: 3 queries in parallel, two of them of the index.
    pub async fn personal_data(&self, person: &Person) -> Result<PersonalData, TableError> {
        let addressed = async {
            let email = &person.personal.email;
            if email.is_empty() {
                Ok(vec![])
            } else {
                self.index_items(keys::address(email), Range::All).await
            }
        };
        let own = self.index_items(keys::own(person.id), Range::All);
        let all = async { futures::try_join!(own, addressed, self.bookmarks(person.id)) };
        let (own, addressed, bookmarks) = Box::pin(all).await?;
        let mut all = PersonalData {
            bookmarks,
            ..PersonalData::default()
        };
        all.sort_in(own);
        all.sort_in(addressed);
        all.submissions
            .sort_by_key(|submission| std::cmp::Reverse(submission.sequence));
        all.mails.sort_by_key(|mail| (mail.queued_at, mail.about));
        Ok(all)
    }

    /// Erases a person. Deletes memberships, requests, drafts, extensions, invites, mails,
    /// favorites, subscriptions, stored results of keyed requests, and the profile. Pending submissions are
    /// withdrawn. Decided submissions lose everything except their status.
    ///
    /// The profile is marked first, so that no more data of the person is stored. It is deleted
    /// last, so that an interrupted erasure can be repeated. In between there are two passes, with
    /// a pause. The second pass finds writes that were running when the erasure began, and items
    /// that the index did not show yet.
    ///
    /// Refused while the person is the only owner of a club that is not archived.
    pub async fn erase(
        &self,
        person: &Person,
        (received, at): (u64, Timestamp),
    ) -> Result<Result<(), OnlyOwner>, TableError> {
        let memberships = self.memberships_of(person.id).await?;
        let owned = memberships
            .iter()
            .filter(|membership| membership.role == Role::Owner)
            .map(|membership| membership.club.clone());
        let clubs = self.clubs(&owned.collect::<Vec<_>>()).await?;
        let alone: Vec<Club> = clubs
            .into_values()
            .filter(|club| club.owners <= 1 && !club.archived)
            .collect();
        if !alone.is_empty() {
            if person.erasing {
                // An earlier erasure was interrupted, and the other owners have left since then.
                self.mark_erasing(person.id, false).await?;
            }
            return Ok(Err(OnlyOwner(alone)));
        }
        match self.mark_erasing(person.id, true).await {
            Err(TableError::Refused(_)) => return Ok(Ok(())),
            done => done?,
        }
        self.erase_marked(person, (received, at))
            .await
            .map_err(TableError::after_write)
    }

    /// Continues the erasure after the profile is marked.
    async fn erase_marked(
        &self,
        person: &Person,
        when: (u64, Timestamp),
    ) -> Result<Result<(), OnlyOwner>, TableError> {
        for last_look in [false, true] {
            if let Err(refusal) = self.erase_personal_data(person, when, last_look).await? {
                self.mark_erasing(person.id, false).await?;
                return Ok(Err(refusal));
            }
            if !last_look {
                tokio::time::sleep(PAUSE).await;
            }
        }
        self.delete_person(person.id).await?;
        Ok(Ok(()))
    }

    async fn erase_personal_data(
        &self,
        person: &Person,
        when: (u64, Timestamp),
        last_look: bool,
    ) -> Result<Result<(), OnlyOwner>, TableError> {
        let all = self.personal_data(person).await?;
        // Clubs that the person owns come first. If another owner leaves at the same moment, the
        // refusal happens here.
        let mut memberships = all.memberships;
        memberships.sort_by_key(|membership| membership.role);
        for membership in memberships {
            if let Err(refusal) = self.leave(membership).await? {
                return Ok(Err(refusal));
            }
        }
        let erased = stream::iter(all.submissions.clone())
            .map(|submission| self.erase_submission(submission, when))
            .buffer_unordered(PARALLEL);
        erased.try_collect::<()>().await?;
        // The same keys may be used again, so each item is deleted only if it is unchanged.
        let requests = stream::iter(all.requests)
            .map(async |request| ignore_refusal(self.delete_request(&request).await));
        requests
            .buffer_unordered(PARALLEL)
            .try_collect::<()>()
            .await?;
        let extensions = stream::iter(all.extensions)
            .map(async |extension| ignore_refusal(self.delete_extension(&extension).await));
        extensions
            .buffer_unordered(PARALLEL)
            .try_collect::<()>()
            .await?;
        // A review may have been left by a withdrawal that was interrupted.
        let withdrawn = all.withdrawals.iter();
        let withdrawn = withdrawn.map(|gone| self.delete_reviews(gone.application, gone.id));
        futures::future::try_join_all(withdrawn).await?;
        self.delete_draft(all.drafts).await?;
        stream::iter(all.reviews)
            .map(async |review| self.anonymise_review(&review).await)
            .buffer_unordered(PARALLEL)
            .try_collect::<()>()
            .await?;
        let invites = stream::iter(all.invites)
            .map(async |invite| ignore_refusal(self.delete_invite(&invite).await));
        invites
            .buffer_unordered(PARALLEL)
            .try_collect::<()>()
            .await?;
        self.delete_many(all.mails.iter().map(Entity::key).collect())
            .await?;
        let Bookmarks {
            favorites,
            subscriptions,
        } = all.bookmarks;
        stream::iter(favorites)
            .map(|favorite| self.lose(favorite))
            .buffer_unordered(PARALLEL)
            .try_collect::<()>()
            .await?;
        stream::iter(subscriptions)
            .map(|subscription| self.lose(subscription))
            .buffer_unordered(PARALLEL)
            .try_collect::<()>()
            .await?;
        self.forget_keyed(person.id).await?;
        if last_look {
            // Until now the index listed these submissions under the person. Remove the index keys
            // last.
            let unlisted = |key| {
                Write::update(key)
                    .set("person", &None::<u64>)
                    .remove(keys::GSI1PK)
                    .remove(keys::GSI1SK)
                    .if_exists()
            };
            let withdrawn = all.withdrawals.iter().map(Entity::key);
            let lost = all
                .submissions
                .iter()
                .map(Entity::key)
                .chain(withdrawn)
                .map(|key| self.write(unlisted(key)));
            futures::future::join_all(lost)
                .await
                .into_iter()
                .try_for_each(ignore_refusal)?;
        }
        Ok(Ok(()))
    }

    async fn lose<I: Bookmark>(&self, bookmark: I) -> Result<(), TableError> {
        ignore_refusal(self.delete_bookmark(&bookmark).await)
    }

    async fn leave(&self, mut membership: Membership) -> Result<Result<(), OnlyOwner>, TableError> {
        let mut retries = Retries::default();
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
                Some(now) => membership = now,
                None => return Ok(Ok(())),
            }
        }
    }

    async fn erase_submission(
        &self,
        submission: Submission,
        (received, at): (u64, Timestamp),
    ) -> Result<(), TableError> {
        // Withdraws the latest version too: the person can no longer submit.
        let received = received.max(submission.received + 1);
        let withdrawn = submission.status == Status::Pending
            && self
                .withdraw_as("erased", &submission, received, at)
                .await?
                == WithdrawOutcome::Done;
        if !withdrawn {
            let anonymous = Write::update(submission.key())
                .set("person", &None::<u64>)
                .set("applicant", &None::<()>)
                .set("answers", &Answers::default())
                .set("reason", &"")
                .set("mailed", &None::<()>)
                .set("reviews", &BTreeMap::<String, u8>::new())
                .if_exists();
            ignore_refusal(self.write(anonymous).await)?;
        }
        self.delete_reviews(submission.application, submission.id)
            .await?;
        for change in self.changes(&submission).await? {
            let write = Write::update(change.key()).set("reason", &None::<()>);
            ignore_refusal(self.write(write.if_exists()).await)?;
        }
        Ok(())
    }
}
