//! What an applicant was told about a submission (E2).

use chrono::{DateTime, Utc};

use crate::domain::application::model::Application;
use crate::domain::outbox::state::{EmailStatus, MailKind, MailState};
use crate::domain::status::Status;
use crate::domain::submission::interview::Interview;
use crate::domain::submission::model::{Mailed, Submission};
use crate::time::Timestamp;

impl Submission {
    /// Returns what the applicant was told about it.
    pub fn communicated(&self) -> Communicated<'_> {
        Communicated {
            acceptance: self.acceptance_mail.as_ref(),
            rejection: self.rejection_mail.as_ref(),
            mailed: self.mailed.as_ref(),
        }
    }

    /// Returns how much of its decision the applicant may know at `now` (S14).
    pub fn visible(&self, application: &Application, now: DateTime<Utc>) -> Visible<'_> {
        match &self.mailed {
            _ if application.release.moment() <= now => Visible::All,
            Some(mailed) => Visible::Communicated(mailed),
            None => Visible::Nothing,
        }
    }

    /// Returns the status and since when the applicant may know it, as far as they may know at
    /// `now` (S14). None if they may not know of a decision.
    pub fn visible_decision(
        &self,
        application: &Application,
        now: DateTime<Utc>,
    ) -> Option<(Status, Timestamp)> {
        let (status, since) = match self.visible(application, now) {
            Visible::All => {
                let decided = application.release.max(self.updated_at);
                let communicated = self.mailed.as_ref();
                let communicated = communicated.filter(|mailed| mailed.status == self.status);
                let communicated = communicated.map_or(decided, |mailed| mailed.at);
                (self.status, communicated.min(decided))
            }
            Visible::Communicated(mailed) => (mailed.status, mailed.at),
            Visible::Nothing => return None,
        };
        (status != Status::Pending).then_some((status, since))
    }

    /// Returns when it was last changed, as far as the applicant may know at `now` (S14).
    pub fn shown_change(&self, application: &Application, now: DateTime<Utc>) -> Timestamp {
        match self.visible(application, now) {
            Visible::All => self.updated_at,
            Visible::Communicated(mailed) => mailed.at.max(self.submitted_at),
            Visible::Nothing => self.submitted_at,
        }
    }

    /// Returns since when the applicant may know, at `now`, that they were rejected. What they were
    /// told before they were invited again does not count.
    pub fn rejection_visible(
        &self,
        application: &Application,
        now: DateTime<Utc>,
    ) -> Option<Timestamp> {
        let invited_at = self.interview().and_then(|interview| interview.invited_at);
        let mailed = self.mailed.as_ref();
        let communicated = mailed.filter(|mailed| Some(mailed.at) > invited_at);
        let communicated = communicated.filter(|mailed| mailed.status.is_rejection());
        if application.release.moment() > now {
            return communicated.map(|mailed| mailed.at);
        }
        let visible = self.rejection_released(application, now)?;
        // An earlier mail may have told an earlier rejection, which was taken back.
        let communicated = communicated.filter(|mailed| mailed.at >= self.rejected_since());
        Some(communicated.map_or(visible, |mailed| mailed.at.min(visible)))
    }

    fn rejected_since(&self) -> Timestamp {
        self.rejected_at.unwrap_or(self.updated_at)
    }

    /// Returns since when the applicant may know, at `now`, that they were rejected, because the
    /// release time has come.
    pub fn rejection_released(
        &self,
        application: &Application,
        now: DateTime<Utc>,
    ) -> Option<Timestamp> {
        let is_visible = self.status.is_rejection() && application.release.moment() <= now;
        is_visible.then(|| application.release.max(self.rejected_since()))
    }

    /// Returns whether a rejection that the applicant may know at `now` ended the interview (K9).
    /// What an officer booked after that goes on (K8), and so does the interview of who was invited
    /// after that.
    pub fn is_interview_over(&self, application: &Application, now: DateTime<Utc>) -> bool {
        let interview = self.interview();
        let visible = self.rejection_visible(application, now);
        visible.is_some_and(|since| interview.is_none_or(|interview| interview.is_before(since)))
    }

    /// Returns its interview as its club sees it; none if it ended, or if nothing is booked and the
    /// applicant may know a rejection at `now` (K9).
    pub fn shown_interview(
        &self,
        application: &Application,
        now: DateTime<Utc>,
    ) -> Option<&Interview> {
        let goes_on = |one: &&Interview| {
            !one.over && (one.slot.is_some() || !self.is_interview_over(application, now))
        };
        self.interview().filter(goes_on)
    }

    /// Returns the status of the last decision mail of either kind.
    pub fn email_status(&self) -> Option<EmailStatus> {
        self.communicated().last_status()
    }

    /// Returns what [`Communicated::last_kind`] says.
    pub fn last_communicated(&self) -> Option<MailKind> {
        self.communicated().last_kind()
    }

    /// Returns whether the last mail about it that counts is of this kind (E2). Invitations to an
    /// interview and decisions do not count for each other.
    pub fn is_communicated(&self, kind: MailKind) -> bool {
        if kind == MailKind::Interview {
            let last = self.interview_mail.as_ref();
            return last.is_some_and(|last| last.status != EmailStatus::Failed || last.taken);
        }
        self.last_communicated() == Some(kind)
    }
}

/// How much of a decision an applicant may know (S14).
#[derive(Debug, Clone, Copy)]
pub enum Visible<'a> {
    /// All: the release time has come.
    All,
    /// What the last mail told, and no later change.
    Communicated(&'a Mailed),
    /// Not even that there is one.
    Nothing,
}

/// What an applicant was told about a submission: the states of its decision mails.
#[derive(Debug, Clone, Copy)]
pub struct Communicated<'a> {
    /// State of the last acceptance mail.
    pub acceptance: Option<&'a MailState>,
    /// State of the last rejection mail.
    pub rejection: Option<&'a MailState>,
    /// The decision in the last mail that SES accepted.
    pub mailed: Option<&'a Mailed>,
}

impl Communicated<'_> {
    /// Returns the status of the last decision mail of either kind.
    pub fn last_status(&self) -> Option<EmailStatus> {
        let mails = [self.acceptance, self.rejection].into_iter().flatten();
        let last = mails.max_by_key(|mail| (mail.order, mail.at));
        last.map(|mail| mail.status)
    }

    /// Returns the kind of the last decision mail that went out, is on its way, or perhaps went out
    /// (E2). A mail that was given up or surely not taken does not count.
    pub fn last_kind(&self) -> Option<MailKind> {
        let communicated = |kind: MailKind| {
            let state = match kind {
                MailKind::Acceptance => self.acceptance?,
                _ => self.rejection?,
            };
            if state.status != EmailStatus::Failed {
                return Some(((state.order, state.at), kind));
            }
            // The last mail of this kind failed. An earlier one may have gone out.
            let mailed = self.mailed.filter(|mailed| {
                let is_acceptance = mailed.status == Status::Accepted;
                is_acceptance == (kind == MailKind::Acceptance) && mailed.order != state.order
            });
            let earlier = mailed.map_or((0, Timestamp::at(DateTime::UNIX_EPOCH)), |mailed| {
                (mailed.order, mailed.at)
            });
            state.taken.then_some((earlier, kind))
        };
        let kinds = [MailKind::Acceptance, MailKind::Rejection];
        let last = kinds.into_iter().filter_map(communicated).max();
        last.map(|(_, kind)| kind)
    }
}
