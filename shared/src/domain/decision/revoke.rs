//! The end of an invitation that came with an acceptance (E25).

use crate::db::{Table, TableError};
use crate::domain::invite::model::AcceptanceMail;
use crate::domain::outbox::model::{CommunicatedDecision, Mail};
use crate::domain::outbox::state::MailKind;
use crate::domain::submission::model::Submission;
use crate::ids::{Id, of};

impl Table {
    /// Takes back the invitation that a person got with acceptances (E25). `mail` is the rejection
    /// that SES took, or the acceptance that is not sent any more. The invitation stays if another
    /// acceptance mail brought it too: 1 read and 1 write, whatever the person has submitted. Safe
    /// to repeat.
    pub async fn revoke_acceptance(&self, mail: &Mail) -> Result<(), TableError> {
        self.revoke(mail, mail.communicated()).await
    }

    /// Like [`Table::revoke_acceptance`], for a mail of some time ago: what it told about a
    /// submission that was withdrawn and made again since does not count. 1 batch read more.
    pub async fn revoke_acceptance_late(&self, mail: &Mail) -> Result<(), TableError> {
        let Some(decision) = &mail.decision else {
            return Ok(());
        };
        let mut about = mail.communicated();
        let ids: Vec<Id<of::Submission>> = about
            .iter()
            .map(|communicated| communicated.submission)
            .collect();
        let there = self.submissions_by_id(decision.application, &ids).await?;
        about.retain(|communicated| {
            let is_another = |one: &Submission| {
                one.id == communicated.submission && one.sequence != communicated.sequence
            };
            !there.iter().any(is_another)
        });
        if about.is_empty() {
            return Ok(());
        }
        self.revoke(mail, about).await
    }

    async fn revoke(
        &self,
        mail: &Mail,
        about: Vec<CommunicatedDecision>,
    ) -> Result<(), TableError> {
        let (Some(decision), Some(person)) = (&mail.decision, mail.person) else {
            return Ok(());
        };
        let is_over = |brought: &AcceptanceMail| {
            let communicated = about
                .iter()
                .find(|communicated| communicated.submission == brought.submission);
            communicated.is_some_and(|communicated| match mail.kind {
                MailKind::Rejection => brought.order <= communicated.order,
                _ => brought.order == communicated.order,
            })
        };
        self.take_back_acceptances(&decision.club, person, is_over)
            .await
    }
}
