//! What is stored of a person besides their profile, and its erasure (decisions.md §2).

use futures::stream::{self, StreamExt, TryStreamExt};

use super::members::MemberRefusal;
use super::{EDITS, Entity, Item, PARALLEL, Range, Table, TableError, Write, from_item, keys, type_of};
use crate::models::{Extension, Invite, Mail, Membership, MembershipRequest, Person, Status, Submission};

/// What is stored of a person besides their profile.
#[derive(Debug, Default)]
pub struct Belongings {
    /// The clubs that they are in, archived ones included.
    pub memberships: Vec<Membership>,
    /// Their requests to join clubs.
    pub requests: Vec<MembershipRequest>,
    /// Their submissions, newest first.
    pub submissions: Vec<Submission>,
    /// Their extensions.
    pub extensions: Vec<Extension>,
    /// Invites to their address.
    pub invites: Vec<Invite>,
    /// Mails to them, oldest first.
    pub mails: Vec<Mail>,
}

impl Belongings {
    fn sort_in(&mut self, items: Vec<Item>) -> Result<(), TableError> {
        for item in items {
            match type_of(&item) {
                Membership::TYPE => self.memberships.push(from_item(item)?),
                MembershipRequest::TYPE => self.requests.push(from_item(item)?),
                Submission::TYPE => self.submissions.push(from_item(item)?),
                Extension::TYPE => self.extensions.push(from_item(item)?),
                Invite::TYPE => self.invites.push(from_item(item)?),
                Mail::TYPE => self.mails.push(from_item(item)?),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Table {
    /// What is stored of a person: 2 queries of the index side by side, and 1 query a submission for its mails.
    pub async fn belongings(&self, person: &Person) -> Result<Belongings, TableError> {
        let addressed = async {
            let email = &person.personal.email;
            if email.is_empty() { Ok(vec![]) } else { self.items(true, keys::address(email), Range::All).await }
        };
        let (own, addressed) = futures::try_join!(self.items(true, keys::own(person.id), Range::All), addressed)?;
        let mut all = Belongings::default();
        all.sort_in(own)?;
        all.sort_in(addressed)?;
        let ids: Vec<u64> = all.submissions.iter().map(|submission| submission.id).collect();
        let about = stream::iter(ids).map(|id| self.items(false, keys::outbox_about(id), Range::All)).buffer_unordered(PARALLEL);
        for items in about.try_collect::<Vec<_>>().await? {
            all.sort_in(items)?;
        }
        all.submissions.sort_by_key(|submission| std::cmp::Reverse(submission.sequence));
        all.mails.sort_by_key(|mail| (mail.queued_at, mail.about));
        Ok(all)
    }

    /// Erases a person: memberships, requests, extensions, invites, mails, profile; pending submissions are withdrawn,
    /// decided ones lose everything but their status. Safe to repeat: the profile goes last. Refused before anything is
    /// touched while they are the only owner of a club that is not archived.
    pub async fn erase(&self, person: &Person) -> Result<Result<(), MemberRefusal>, TableError> {
        let all = self.belongings(person).await?;
        let codes: Vec<String> = all.memberships.iter().map(|membership| membership.club.clone()).collect();
        let clubs = self.clubs(&codes).await?;
        let needs = |code: &str| clubs.iter().any(|club| club.code == code && club.owners <= 1 && !club.archived);
        if all.memberships.iter().any(|membership| membership.role == crate::models::Role::Owner && needs(&membership.club)) {
            return Ok(Err(MemberRefusal::LastOwner));
        }
        // Owners first: if somebody else leaves at this moment, this is where it shows.
        let mut memberships = all.memberships;
        memberships.sort_by_key(|membership| membership.role);
        for membership in memberships {
            if let Err(refusal) = self.leave(membership).await? {
                return Ok(Err(refusal));
            }
        }
        let requests = all.requests.iter().map(Entity::key);
        let extensions = all.extensions.iter().map(Entity::key);
        let (invites, mails) = (all.invites.iter().map(Entity::key), all.mails.iter().map(Entity::key));
        self.delete_many(requests.chain(extensions).chain(invites).chain(mails).collect()).await?;
        let erased = stream::iter(all.submissions).map(|submission| self.erase_submission(submission)).buffer_unordered(PARALLEL);
        erased.try_collect::<()>().await?;
        self.delete_person(person).await?;
        Ok(Ok(()))
    }

    async fn leave(&self, mut membership: Membership) -> Result<Result<(), MemberRefusal>, TableError> {
        for _ in 0..EDITS {
            match self.erase_member(&membership).await? {
                Err(MemberRefusal::Changed) => {}
                done => return Ok(done),
            }
            match self.member(&membership.club, membership.id).await? {
                Some(now) => membership = now,
                None => return Ok(Ok(())),
            }
        }
        Err(TableError::Busy("a membership changed all the time".into()))
    }

    async fn erase_submission(&self, submission: Submission) -> Result<(), TableError> {
        for change in self.changes(&submission).await? {
            let write = Write::update(change.key()).set("reason", &None::<(String, String)>);
            ignore_refusal(self.write(write.if_exists()).await)?;
        }
        if submission.status == Status::Pending && self.withdraw(&submission).await.is_ok() {
            return Ok(());
        }
        let anonymous = Write::update(submission.key())
            .set("person", &None::<u64>)
            .set("applicant", &None::<()>)
            .set("answers", &Vec::<()>::new())
            .set("reason", &"")
            .set("mailed", &None::<()>)
            .remove(keys::GSI1PK)
            .remove(keys::GSI1SK)
            .if_exists();
        ignore_refusal(self.write(anonymous).await)
    }
}

/// What is gone already needs no erasure.
fn ignore_refusal(result: Result<Option<Item>, TableError>) -> Result<(), TableError> {
    match result {
        Ok(_) | Err(TableError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
