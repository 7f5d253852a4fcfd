//! How an application is removed with everything that belongs to it.

use std::collections::BTreeSet;

use crate::db;
use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::{Entity as _, Key, Table, TableError, Tombstone, Write, each};
use crate::domain::application::deleted::DeletedApplication;
use crate::domain::application::model::Application;
use crate::domain::submission::store::Withdrawal;
use crate::domain::{application, club, draft, extension, file, question, slot, submission};
use crate::time::RequestTime;

impl Table {
    /// Removes an application that is marked as deleted, with everything that belongs to it.
    /// Submissions are removed only if `forced`. `when` is the order number of the deletion and its
    /// time. Can be repeated if it was interrupted.
    pub async fn remove_application(
        &self,
        application: &Application,
        forced: bool,
        when: RequestTime,
    ) -> Result<(), TableError> {
        let id = application.id;
        let (from, to) = application::keys::application_range(id);
        let partitions = vec![
            (
                application::keys::applications(&application.club),
                Range::Between(from, to),
            ),
            (question::keys::prompts(id), Range::All),
            (extension::keys::extensions(id), Range::All),
            (submission::keys::reviews(id), Range::All),
            (slot::keys::slots(id), Range::All),
            (draft::keys::begun_drafts(id), Range::All),
            (submission::keys::history(id), Range::All),
        ];
        let slots = self.all_slots(id).await?;
        let people = slots.iter().flat_map(|slot| &slot.interviewers);
        let interviewer_entries: BTreeSet<Key> = people
            .map(|one| slot::keys::own_interviews(one.person, id))
            .collect();
        let drafts = (0..submission::keys::SUBMISSION_PARTS)
            .map(|part| self.keys(draft::keys::drafts(id, part), Range::All));
        let drafts = futures::future::try_join_all(drafts).await?;
        self.delete_with_tombstone(drafts.into_iter().flatten().collect(), when)
            .await?;
        self.remove_objects(&file::keys::uploads_of(id)).await?;
        if !forced {
            self.remove_unused_attachments(id, when).await?;
            // A submission that is stored at this moment stays.
            let withdrawn = self.withdrawals(id).await?;
            each(withdrawn, async |withdrawal| {
                let withdrawn = Write::put(&Tombstone::new(withdrawal.key(), when))?;
                let withdrawn = withdrawn.if_equals(db::keys::TYPE, &Withdrawal::TYPE);
                ignore_refusal(self.write(withdrawn).await)
            })
            .await?;
        }
        if forced {
            // Decisions and reviews are written together with their submission. So they are looked
            // for after it is gone.
            // Answers are written before their submission. So they are looked for after it is gone,
            // too.
            for partition in [submission::keys::submissions, submission::keys::answers] {
                let parts = (0..submission::keys::SUBMISSION_PARTS)
                    .map(|part| self.keys(partition(id, part), Range::All));
                let found = futures::future::try_join_all(parts).await?;
                self.delete_with_tombstone(found.into_iter().flatten().collect(), when)
                    .await?;
            }
            self.remove_objects(&submission::keys::attachments_of(id))
                .await?;
        }
        let found = futures::future::try_join_all(
            partitions
                .into_iter()
                .map(|(pk, range)| self.keys(pk, range)),
        )
        .await?;
        let head = application.key();
        self.delete_many(
            found
                .into_iter()
                .flatten()
                .filter(|key| *key != head)
                .chain(interviewer_entries)
                .collect(),
        )
        .await?;
        // Delete the application itself last: until then, the deletion can be continued.
        let deleted = DeletedApplication {
            application: id,
            club: application.club.clone(),
            at: when.at,
        };
        let club = Write::update(club::keys::club(&application.club)).count("applications", -1);
        let removal = self.transact(vec![
            Write::delete(head).if_exists(),
            Write::put(&deleted)?,
            club.if_exists(),
        ]);
        ignore_refusal(removal.await)
    }
}
