//! The stored data of a person besides their profile (P13, P14).

use std::collections::{BTreeSet, HashSet};

use crate::db::error::check_memory_budget;
use crate::db::read::{MAX_BATCH_KEYS, Range};
use crate::db::response::{AnyItem as _, Stored, readable};
use crate::db::{Entity, Table, TableError};
use crate::domain::application::model::Application;
use crate::domain::bookmark::store::Bookmarks;
use crate::domain::draft::model::DraftAnswer;
use crate::domain::extension::model::Extension;
use crate::domain::file::model::Upload;
use crate::domain::invite::model::Invite;
use crate::domain::join_link::model::LinkUse;
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::domain::mail::model::Mail;
use crate::domain::member::model::Membership;
use crate::domain::person::model::Person;
use crate::domain::request::model::MembershipRequest;
use crate::domain::review::model::Review;
use crate::domain::submission::model::{RecentSubmission, Submission};
use crate::domain::submission::withdrawal::Withdrawal;
use crate::domain::token::model::Token;
use crate::ids::Id;

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
    /// Where they have submitted within the last hour.
    pub recent: Vec<RecentSubmission>,
    /// Their reviews of submissions.
    pub reviews: Vec<Review>,
    /// Their uploads.
    pub uploads: Vec<Upload>,
    /// Their tokens.
    pub tokens: Vec<Token>,
    /// The answers of their drafts.
    pub drafts: Vec<DraftAnswer>,
    /// Their extensions of application deadlines.
    pub extensions: Vec<Extension>,
    /// The join links that they have used.
    pub link_uses: Vec<LinkUse>,
    /// Invites to their e-mail address.
    pub invites: Vec<Invite>,
    /// The keys of mails to them, beside those to their addresses: [`Table::mails_to`]. There may
    /// be thousands.
    pub mail_keys: Vec<Key>,
    /// Mails to their addresses.
    pub mails: Vec<Mail>,
    /// Their favorites and subscriptions.
    pub bookmarks: Bookmarks,
}

fn is_mail(entry: &Stored) -> bool {
    let recent = entry.index_sort_key();
    recent.is_some_and(|recent| recent.starts_with(keys::OWN_MAILS))
}

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
                LinkUse::TYPE => self.link_uses.extend(readable(item)),
                Invite::TYPE => self.invites.extend(readable(item)),
                Mail::TYPE => self.mails.extend(readable(item)),
                _ => {}
            }
        }
    }
}

impl PersonalData {
    /// Returns the applications to which the person has submitted or begun a draft.
    pub(crate) fn applied_to(&self) -> HashSet<Id<Application>> {
        let applied = self.recent.iter().map(|recent| recent.application);
        let applied = applied.chain(self.submissions.iter().map(|one| one.application));
        let applied = applied.chain(self.drafts.iter().map(|answer| answer.application));
        let applied = applied.chain(self.withdrawals.iter().map(|one| one.application));
        applied.collect()
    }
}

impl Table {
    /// Returns the stored data of a person: 6 queries in parallel, two of them of the index, 1
    /// batch read per 100 items, and 2 queries for each of their former addresses.
    ///
    /// The submissions are without their answers.
    pub async fn personal_data(&self, person: &Person) -> Result<PersonalData, TableError> {
        let addressed = self.addressed(person);
        let own = self.index_entries(keys::own(person.id), Range::All);
        let (bookmarks, noted) = (
            self.bookmarks(person.id),
            self.recent_submissions(person.id),
        );
        let (uploads, tokens) = (self.all_uploads(person.id), self.tokens(person.id));
        let all = async { futures::try_join!(own, addressed, bookmarks, noted, uploads, tokens) };
        let (own, addressed, bookmarks, noted, uploads, tokens) = Box::pin(all).await?;
        let mut all = PersonalData {
            uploads,
            tokens,
            bookmarks,
            ..PersonalData::default()
        };
        // What was submitted within the last hour is found although the index is behind.
        let recent = noted
            .iter()
            .map(|recent| keys::submission(recent.application, recent.submission));
        let (mails, own): (Vec<Stored>, Vec<Stored>) = own.into_iter().partition(is_mail);
        all.mail_keys = mails.iter().map(Stored::key).collect();
        let existing: BTreeSet<Key> = own.iter().map(Stored::key).chain(recent).collect();
        let own = keys::own(person.id);
        let existing: Vec<Key> = existing.into_iter().collect();
        for batch in existing.chunks(MAX_BATCH_KEYS) {
            let mut items = self.get_many(batch.to_vec()).await?.into_items();
            items.retain(|item| item.index_partition() == own);
            all.sort_in(items);
            check_memory_budget(all.submissions.iter().map(Submission::memory_used).sum())?;
        }
        all.sort_in(addressed);
        all.recent = noted;
        all.submissions
            .sort_by_key(|submission| std::cmp::Reverse(submission.sequence));
        Ok(all)
    }

    /// Returns all mails to a person, the oldest first, without their HTML: 1 batch read per 100.
    pub async fn mails_to(&self, person: &mut PersonalData) -> Result<Vec<Mail>, TableError> {
        let without_html = |mail: Mail| Mail {
            html: String::new(),
            ..mail
        };
        let addressed = std::mem::take(&mut person.mails).into_iter();
        let mut mails: Vec<Mail> = addressed.map(without_html).collect();
        for batch in person.mail_keys.chunks(MAX_BATCH_KEYS) {
            let found = self.get_many(batch.to_vec()).await?.into_entities();
            mails.extend(found.into_iter().map(without_html));
            check_memory_budget(mails.iter().map(|mail| mail.text.len() + 1_000).sum())?;
        }
        mails.sort_by_key(|mail| (mail.queued_at, mail.about));
        Ok(mails)
    }

    /// Returns what was sent to the present and the former addresses of a person. A former address
    /// that somebody else has now is theirs.
    async fn addressed(&self, person: &Person) -> Result<Vec<Stored>, TableError> {
        let present = Some(&person.personal.email).filter(|email| !email.is_empty());
        let former = person.former_emails.iter().map(async |email| {
            let others = self.people_at(email).await?;
            let is_unused = others.iter().all(|other| *other == person.id);
            Ok::<_, TableError>(is_unused.then_some(email))
        });
        let former = futures::future::try_join_all(former).await?;
        let all = present.into_iter().chain(former.into_iter().flatten());
        let found = all.map(|email| self.index_items(keys::address(email), Range::All));
        let found = futures::future::try_join_all(found).await?;
        Ok(found.into_iter().flatten().collect())
    }
}
