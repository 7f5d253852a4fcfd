//! What an erasure does with items that are not only deleted.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde::Deserialize;

use crate::db;
use crate::db::error::ignore_refusal;
use crate::db::response::{AnyItem as _, Stored, readable};
use crate::db::{Entity, Table, TableError, Write};
use crate::domain::bookmark::model::{Favorite, Subscription};
use crate::domain::extension::model::Extension;
use crate::domain::file::model::Upload;
use crate::domain::invite::model::Invite;
use crate::domain::member::model::Membership;
use crate::domain::review::model::Review;
use crate::domain::status::Status;
use crate::domain::submission::answers::Attachment;
use crate::domain::submission::model::{RecentSubmission, Submission};
use crate::domain::submission::store::Withdrawal;
use crate::domain::submission::submit::WithdrawOutcome;
use crate::domain::task::model::ScheduledTask;
use crate::domain::ticket::draw::DrawEntry;
use crate::domain::ticket::model::{Ticket, TicketState};
use crate::domain::ticket::store::{Beside, TicketChange};
use crate::ids::{Id, of};
use crate::time::{RequestTime, Timestamp};

/// What an erasure leaves of a submission.
#[derive(PartialEq, Eq)]
enum Left {
    /// Nothing: it was withdrawn.
    Nothing,
    /// Status, committee and times.
    Decision,
}

/// Erases an item. The time is that of the pass: what was received later stays. Returns whether
/// there was something to do.
pub(crate) type EraseItem =
    for<'a> fn(&'a Table, &'a Stored, RequestTime) -> BoxFuture<'a, Result<bool, TableError>>;

/// Something of a person that an erasure does not only delete. Each step may be repeated, and does
/// nothing if the item has changed: then the next pass finds it again.
pub(crate) trait Erase: Entity + Send {
    /// Erases it.
    fn erase(
        self,
        table: &Table,
        when: RequestTime,
    ) -> impl Future<Output = Result<(), TableError>> + Send;
}

/// Erases an item of this type. One that cannot be read stays, and is logged: it must not keep the
/// person from coming back.
pub(crate) fn erase<'a, E: Erase>(
    table: &'a Table,
    item: &'a Stored,
    when: RequestTime,
) -> BoxFuture<'a, Result<bool, TableError>> {
    async move {
        let Some(entity) = readable::<E>([item.clone()]).pop() else {
            return Ok(false);
        };
        entity.erase(table, when).await?;
        Ok(true)
    }
    .boxed()
}

/// What tells whether an item is still as it was read. Each type has some of these.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Versions {
    version: Option<u64>,
    received: Option<u64>,
    creation: Option<u64>,
}

impl Table {
    /// Deletes an item, unless it has changed since it was read. Returns whether it was there.
    pub(crate) async fn delete_as_read(
        &self,
        with_tombstone: bool,
        item: &Stored,
    ) -> Result<bool, TableError> {
        let key = item.key();
        let mut delete = if with_tombstone {
            Write::delete_with_tombstone(key)
        } else {
            Write::delete(key)
        };
        delete = delete.if_equals(db::keys::TYPE, &item.kind());
        let of: Versions = item.read().unwrap_or_default();
        for (name, version) in [
            ("version", of.version),
            ("received", of.received),
            ("creation", of.creation),
        ] {
            if let Some(version) = version {
                delete = delete.if_equals(name, &version);
            }
        }
        match self.write(delete).await {
            Err(TableError::Refused(_)) => Ok(false),
            done => done.map(|_| true),
        }
    }

    /// Removes all answers that were sent for a submission until then, also those whose submission
    /// was never stored, with their files.
    async fn erase_answers(
        &self,
        (application, submission): (Id<of::Application>, Id<of::Submission>),
        when: RequestTime,
    ) -> Result<(), TableError> {
        let last = RequestTime {
            received: when.received + 1,
            ..when
        };
        self.delete_answers(application, submission, last)
            .await
            .map(drop)
    }

    /// Removes what officers wrote about a submission until then: reviews, and reasons in the
    /// history.
    async fn erase_judgements(
        &self,
        (application, submission): (Id<of::Application>, Id<of::Submission>),
        until: u64,
    ) -> Result<(), TableError> {
        self.delete_reviews(application, submission, until + 1)
            .await?;
        self.forget_reasons(application, submission, until).await
    }

    /// Removes the index key of a submission or withdrawal. Until now the index listed it under the
    /// person.
    async fn unlist(&self, item: &impl Entity, until: u64) -> Result<(), TableError> {
        let unlisted = Write::update(item.key())
            .set("person", &None::<u64>)
            .remove(db::keys::GSI1PK)
            .remove(db::keys::GSI1SK)
            .if_exists()
            // A withdrawal by an erasure has the number after that of its submission.
            .if_at_most("received", &(until + 1));
        // A plain write could arrive late. The token of a transaction prevents that.
        ignore_refusal(self.transact(vec![unlisted]).await)
    }

    /// Withdraws a submission, or takes everything personal out of it. An interview is cancelled
    /// without a mail. None if the submission changed after it was read.
    async fn withdraw_or_anonymise(
        &self,
        submission: &Submission,
        when: &mut RequestTime,
    ) -> Result<Option<Left>, TableError> {
        // Withdraws the latest version too: the person can no longer submit.
        when.received = when.received.max(submission.received + 1);
        if submission.status == Status::Pending || self.is_editable(submission, when.at).await? {
            let withdrawn = self.withdraw_as("erased", submission, *when, false, None);
            let is_done = withdrawn.await? == WithdrawOutcome::Done;
            return Ok(is_done.then_some(Left::Nothing));
        }
        let anonymous = Self::anonymous(submission)?;
        let done = if submission.booked().is_none() {
            self.write(anonymous).await.map(drop)
        } else {
            let mut writes = Submission::release_bookings([submission]);
            writes.push(anonymous);
            self.transact(writes).await
        };
        match done {
            Err(TableError::Refused(_)) => Ok(None),
            done => done.map(|()| Some(Left::Decision)),
        }
    }

    /// Returns whether the applicant could still withdraw a submission at `now`. Then an erasure
    /// withdraws it, whatever was decided: whoever comes back and submits again must not see that
    /// there was a decision.
    async fn is_editable(
        &self,
        submission: &Submission,
        now: Timestamp,
    ) -> Result<bool, TableError> {
        let (id, person) = (submission.application, submission.person);
        let extension = async {
            match person {
                Some(person) => self.extension(id, Extension::id_of(id, person)).await,
                None => Ok(None),
            }
        };
        let application = self.application(&submission.club, id);
        let (application, extension) = futures::try_join!(application, extension)?;
        let now = now.moment();
        let extended = extension.map(|extension| extension.end);
        Ok(application
            .is_some_and(|one| one.is_current(now, extended) && !submission.is_closed(&one, now)))
    }
}

impl Erase for Membership {
    async fn erase(self, table: &Table, _: RequestTime) -> Result<(), TableError> {
        // The clubs that they own were left before.
        ignore_refusal(table.erase_member(&self).await)
    }
}

impl Erase for Submission {
    /// One that is pending, or that its applicant could withdraw, is withdrawn. Any other loses
    /// everything but its status, its committee and its times (P15).
    async fn erase(mut self, table: &Table, mut when: RequestTime) -> Result<(), TableError> {
        let (of, until) = ((self.application, self.id), when.received);
        let mut retries = table.retries();
        // An officer may book, move or cancel the interview at the same moment.
        let left = loop {
            if let Some(left) = table.withdraw_or_anonymise(&self, &mut when).await? {
                break left;
            }
            retries.next().await?;
            match table.submission(of.0, of.1).await? {
                Some(current) if current.received <= until => self = current,
                _ => break Left::Nothing,
            }
        };
        let pass = RequestTime {
            received: until,
            ..when
        };
        // Of a decided one nothing changes any more (D5), and the person cannot apply again (P18).
        let end = if left == Left::Decision {
            u64::MAX - 1
        } else {
            until
        };
        table.erase_judgements(of, end).await?;
        table.erase_answers(of, pass).await?;
        table.unlist(&self, until).await
    }
}

impl Erase for Withdrawal {
    /// A review may have been left by a withdrawal that was interrupted, and the history of
    /// decisions stays after each withdrawal.
    async fn erase(self, table: &Table, when: RequestTime) -> Result<(), TableError> {
        let of = (self.application, self.id);
        table.erase_judgements(of, when.received).await?;
        table.erase_answers(of, when).await?;
        table.unlist(&self, when.received).await
    }
}

impl Erase for RecentSubmission {
    async fn erase(self, table: &Table, when: RequestTime) -> Result<(), TableError> {
        let of = (self.application, self.submission);
        table.erase_answers(of, when).await?;
        table.delete_with_tombstone(vec![self.key()], when).await
    }
}

impl Erase for Review {
    async fn erase(self, table: &Table, _: RequestTime) -> Result<(), TableError> {
        table.anonymise_review(&self).await
    }
}

impl Erase for Upload {
    async fn erase(self, table: &Table, when: RequestTime) -> Result<(), TableError> {
        table.files().store()?.delete(&[self.object()]).await?;
        // A form that was signed before takes the bytes for some minutes more, and as long as they
        // need.
        let late = when.at.plus(Self::ARRIVED_WITHIN);
        let again: ScheduledTask = self.task_at(late, when.at);
        table.write(Write::put(&again)?).await?;
        // The place is used again by whoever comes back.
        table.end_upload(&self, when).await
    }
}

impl Erase for Attachment {
    async fn erase(self, table: &Table, when: RequestTime) -> Result<(), TableError> {
        if self.at > when.received {
            return Ok(());
        }
        table.remove_attachments(&[self], when).await
    }
}

impl Erase for Ticket {
    /// Before the start of its showing it ends, and the timer gives it to who waits. What remains
    /// names nobody (Y13).
    async fn erase(self, table: &Table, when: RequestTime) -> Result<(), TableError> {
        let sale = table.sale(self.event, self.showing).await?;
        let mut after = Self {
            person: None,
            buyer: self.buyer.filter(|buyer| Some(*buyer) != self.person),
            version: self.version + 1,
            ..self.clone()
        };
        let Some(sale) = sale.filter(|sale| !sale.is_over(when.at) && self.counts()) else {
            return ignore_refusal(table.anonymise_ticket(&self, &after).await);
        };
        if self.checked_in_at.is_none() {
            (after.state, after.queue) = (TicketState::Cancelled, None);
        }
        let change = TicketChange {
            before: Some(&self),
            after: &after,
        };
        let mut others = vec![Write::put(&sale.task_at(when.at, when.at))?];
        let begins = sale.draw_begins_at();
        if self.state == TicketState::Requested && begins.is_none_or(|at| when.at < at) {
            let entry = self.entry.iter();
            others.extend(entry.map(|entry| DrawEntry::leave(self.showing, entry)));
        }
        let beside = Beside {
            others,
            ..Beside::default()
        };
        let availability = table.availability(&sale, true).await?;
        ignore_refusal(table.change_tickets(&[change], &availability, beside).await)
    }
}

impl Erase for Invite {
    async fn erase(self, table: &Table, _: RequestTime) -> Result<(), TableError> {
        ignore_refusal(table.delete_invite(&self).await)
    }
}

impl Erase for Favorite {
    async fn erase(self, table: &Table, _: RequestTime) -> Result<(), TableError> {
        ignore_refusal(table.erase_bookmark(&self).await)
    }
}

impl Erase for Subscription {
    async fn erase(self, table: &Table, _: RequestTime) -> Result<(), TableError> {
        ignore_refusal(table.erase_bookmark(&self).await)
    }
}
