//! The draft of the caller as it is stored.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter::Sum;

use chrono::{DateTime, TimeDelta};
use shared::db::TableError;
use shared::domain::{
    Application, BegunDraft, DraftAnswer, DraftEntry, DraftWrite, StoredSubmission, Submission,
};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::time::Timestamp;
use shared::web::{ApiError, Code, IfMatch, Load, Params, PathIds, Result, User};
use shared::{Context, limits};

use crate::draft_body::{AnswerChange, DraftAnswerBody, DraftBody};

/// How long a draft is kept after the end of its application (N6).
pub(crate) const DRAFT_KEPT: TimeDelta = TimeDelta::days(30);

/// The draft of the caller in the path and the query, as it is stored.
pub struct OwnDraft {
    pub(crate) application: Id<of::Application>,
    pub(crate) person: Id<of::Person>,
    pub(crate) committee: Option<Id<of::Committee>>,
    /// The order number of the last submission for this committee.
    pub(crate) submitted: u64,
    /// All stored answers, also removed ones and those of a draft that ended.
    pub(crate) stored: BTreeMap<Id<of::Question>, DraftAnswer>,
    /// The stored answers of the person's drafts for other committees.
    pub(crate) others: Vec<DraftAnswer>,
    /// What tells lists that the draft has answers.
    entry: Option<BegunDraft>,
}

impl Load for OwnDraft {
    async fn load(app: &Context, user: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(application) = path.id("application") else {
            return Ok(None);
        };
        // The handlers call `named_committee` again, which refuses a parameter that is wrong.
        let committee = named_committee(path.params()).unwrap_or_default();
        Ok(Some(
            Self::read(app, application, user.id(), committee).await?,
        ))
    }
}

impl OwnDraft {
    pub(crate) async fn read(
        app: &Context,
        application: Id<of::Application>,
        person: Id<of::Person>,
        committee: Option<Id<of::Committee>>,
    ) -> Result<Self, TableError> {
        let submission = Submission::id_of(application, person, committee);
        let (stored, submitted, entry) = futures::try_join!(
            app.table.drafts(application, person),
            app.table.stored_submission(application, submission),
            app.table.begun_draft((application, person), committee)
        )?;
        let (own, others): (Vec<DraftAnswer>, Vec<DraftAnswer>) = stored
            .into_iter()
            .partition(|answer| answer.committee == committee);
        Ok(Self {
            application,
            person,
            committee,
            submitted: submitted.last_submitted(),
            stored: own
                .into_iter()
                .map(|answer| (answer.question, answer))
                .collect(),
            others,
            entry,
        })
    }

    /// The answers of the draft, also those that were removed. None if the draft ended.
    pub(crate) fn live(&self, now: Timestamp) -> impl Iterator<Item = &DraftAnswer> {
        let submitted = self.submitted;
        self.stored
            .values()
            .filter(move |answer| answer.is_live(submitted, now))
    }

    /// The answers of the draft, without those that were removed.
    pub(crate) fn answers(&self, now: Timestamp) -> impl Iterator<Item = &DraftAnswer> {
        self.live(now).filter(|answer| !answer.is_removed())
    }

    /// Whether the draft has answers after these writes.
    pub(crate) fn has_answers_after(&self, writes: &[DraftWrite], now: Timestamp) -> bool {
        let is_replaced = |question| writes.iter().any(|write| write.answer.question == question);
        let mut kept = self.answers(now);
        let mut written = writes.iter().map(|write| &write.answer);
        written.any(|answer| !answer.is_removed())
            || kept.any(|answer| !is_replaced(answer.question))
    }

    /// The entry of a draft with answers as this request leaves it.
    pub(crate) fn entry_with(&self, new: &Stamp) -> BegunDraft {
        let before = self.entry.as_ref();
        let before = before.filter(|entry| entry.is_live(self.submitted, new.now));
        BegunDraft {
            application: self.application,
            person: self.person,
            committee: self.committee,
            begun_at: before.map_or(new.now, |entry| entry.begun_at),
            received: before.map_or(new.received, |entry| entry.received),
            expires: new.expires,
        }
    }

    /// What these writes mean for the entry. One that another device removed, that a submission has
    /// overtaken, or that a crash left behind, is right again with the next save.
    pub(crate) fn entry_change<'a>(
        &self,
        entry: &'a BegunDraft,
        writes: &[DraftWrite],
        now: Timestamp,
    ) -> Option<DraftEntry<'a>> {
        let stored = self.entry.as_ref();
        if !self.has_answers_after(writes, now) {
            return stored.map(|_| DraftEntry::Ends(entry));
        }
        (stored != Some(entry)).then_some(DraftEntry::Begins(entry))
    }

    /// Removes the entry of a draft whose answers were removed, and looks once more.
    pub(crate) async fn end(
        app: &Context,
        (application, person): (Id<of::Application>, Id<of::Person>),
        committee: Option<Id<of::Committee>>,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let ended = app.table.end_draft((application, person), committee);
        ended.await?;
        Self::look_again(app, (application, person), committee, now).await
    }

    /// Stores the entry that was removed again, if another device has saved an answer meanwhile.
    pub(crate) async fn look_again(
        app: &Context,
        (application, person): (Id<of::Application>, Id<of::Person>),
        committee: Option<Id<of::Committee>>,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let draft = Self::read(app, application, person, committee).await?;
        let last = draft.answers(now).max_by_key(|one| one.received);
        let Some(last) = last else {
            return Ok(());
        };
        let again = BegunDraft {
            application,
            person,
            committee,
            begun_at: now,
            received: last.received,
            expires: last.expires,
        };
        app.table.begin_draft(&again).await
    }

    /// The writes that the changes need, or the answers that somebody else changed since the client
    /// read them.
    pub(crate) fn writes(
        &self,
        changes: &[AnswerChange],
        new: &Stamp,
    ) -> Result<Vec<DraftWrite>, Vec<DraftAnswerBody>> {
        let (mut writes, mut conflicts) = (Vec::new(), Vec::new());
        for change in changes {
            let stored = self.stored.get(&change.question);
            let present = stored.filter(|answer| answer.is_live(self.submitted, new.now));
            let (version, is_removed) =
                present.map_or((0, true), |answer| (answer.version, answer.is_removed()));
            let (text, option, file) = (change.text.clone(), change.option, change.file);
            let is_removal = text.is_none() && option.is_none() && file.is_none();
            let is_same = present.map_or(is_removal, |answer| {
                answer.text == text && answer.option == option && answer.file == file
            });
            // An earlier attempt of this request, or another device, stored the same answer.
            if is_same {
                continue;
            }
            // Somebody who never saw the answer may write it anew, but a late request may not bring
            // it back.
            let is_anew = is_removed
                && change.version == 0
                && present.is_none_or(|removed| removed.received < new.received);
            if change.version != version && !is_anew {
                conflicts.push(DraftAnswerBody::of(change.question, present));
                continue;
            }
            let replaces = stored.map(|answer| answer.version);
            writes.push(DraftWrite {
                answer: DraftAnswer {
                    application: self.application,
                    person: self.person,
                    committee: self.committee,
                    question: change.question,
                    version: replaces.unwrap_or(0) + 1,
                    text,
                    option,
                    file,
                    received: new.received,
                    updated_at: new.now,
                    expires: new.expires,
                },
                replaces,
            });
        }
        if conflicts.is_empty() {
            Ok(writes)
        } else {
            Err(conflicts)
        }
    }

    /// The draft as the client sees it. None if it has no answers.
    pub(crate) fn body(&self, now: Timestamp) -> Option<DraftBody> {
        let last = |read: fn(&DraftAnswer) -> i64| self.live(now).map(read).max();
        let time = |seconds| DateTime::from_timestamp(seconds, 0).map(Timestamp::at);
        Some(DraftBody {
            committee: self.committee,
            responses: self
                .answers(now)
                .map(|answer| DraftAnswerBody::of(answer.question, Some(answer)))
                .collect(),
            updated_at: time(last(|answer| answer.updated_at.epoch_seconds())?)?,
            expires_at: time(last(|answer| answer.expires)?)?,
        })
    }
}

impl OwnDraft {
    /// It is 412 if the header `If-Match` names another state of the draft, or if there is none.
    pub(crate) fn check(&self, if_match: &IfMatch, now: Timestamp) -> Result<()> {
        match self.body(now).filter(|body| !body.responses.is_empty()) {
            Some(body) => if_match.check(|| body),
            None => if_match.check_absent(),
        }
    }

    /// It is 400 if all drafts of the person in this application would have more answers or more
    /// text than allowed, and the request adds some (N10).
    pub(crate) async fn check_size(
        &self,
        app: &Context,
        writes: &[DraftWrite],
        now: Timestamp,
    ) -> Result<()> {
        // What was submitted, or has ended, does not count.
        let own: HashMap<Id<of::Question>, Size> = self
            .live(now)
            .map(|answer| (answer.question, Size::of(answer)))
            .collect();
        let replaced = |write: &DraftWrite| own.get(&write.answer.question).copied();
        let added: Size = writes.iter().map(|write| Size::of(&write.answer)).sum();
        let removed: Size = writes.iter().filter_map(replaced).sum();
        let kept = own.iter().filter(|(question, _)| {
            let mut written = writes.iter().map(|write| write.answer.question);
            written.all(|written| written != **question)
        });
        let own = [kept.map(|(_, size)| *size).sum(), added].into_iter().sum();
        let others: Size = self.others.iter().map(Size::of).sum();
        let grows = added.answers > removed.answers || added.bytes > removed.bytes;
        if !grows || [own, others].into_iter().sum::<Size>().fits() {
            return Ok(());
        }
        let committees: BTreeSet<_> = self.others.iter().map(|other| other.committee).collect();
        let id = |committee| Submission::id_of(self.application, self.person, committee);
        let submission_ids = committees.into_iter().map(id);
        let submitted = app
            .table
            .stored_submissions(self.application, submission_ids)
            .await?;
        let last = |committee| {
            let found = submitted.get(&id(committee));
            found.map_or(0, StoredSubmission::last_submitted)
        };
        let others = self
            .others
            .iter()
            .filter(|other| other.is_live(last(other.committee), now));
        let all: Size = others.map(Size::of).chain([own]).sum();
        if all.fits() {
            return Ok(());
        }
        let why = if all.answers > limits::DRAFT_ANSWERS {
            let limit = limits::DRAFT_ANSWERS;
            Reason::ManyDraftAnswers { limit }
        } else {
            let limit = limits::DRAFTS_BYTES;
            Reason::LongDrafts { limit }
        };
        Err(ApiError::field("responses", why).coded(Code::Quota))
    }
}

/// How much answers of drafts are.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    answers: usize,
    bytes: usize,
}

impl Size {
    fn of(answer: &DraftAnswer) -> Self {
        Self {
            answers: usize::from(!answer.is_removed()),
            bytes: answer.text.as_ref().map_or(0, String::len),
        }
    }

    fn fits(self) -> bool {
        self.answers <= limits::DRAFT_ANSWERS && self.bytes <= limits::DRAFTS_BYTES
    }
}

impl Sum for Size {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |a, b| Self {
            answers: a.answers + b.answers,
            bytes: a.bytes + b.bytes,
        })
    }
}

/// What the answers that one request writes have in common.
pub(crate) struct Stamp {
    pub(crate) received: u64,
    pub(crate) now: Timestamp,
    pub(crate) expires: i64,
}

/// The committee in the query, whether the application has it or not.
pub(crate) fn named_committee(params: &Params) -> Result<Option<Id<of::Committee>>, ApiError> {
    params.id("committee")
}

/// The committee in the query, if the application has it.
pub(crate) fn committee(
    params: &Params,
    application: &Application,
) -> Result<Option<Id<of::Committee>>> {
    let id = named_committee(params)?;
    if id.is_some_and(|id| application.committee(id).is_none()) {
        return Err(ApiError::field("committee", Reason::unknown("committee")));
    }
    Ok(id)
}
