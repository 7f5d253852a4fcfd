use crate::domain::outbox::model::Mail;
use serde::{Deserialize, Serialize};

use crate::domain::member::model::Role;
use crate::domain::outbox::undelivered::Undelivered;
use crate::domain::submission::model::Submission;
use crate::ids::{Id, of};
use crate::text::{ClubCode, Email};
use crate::time::Timestamp;

/// An invitation to join a club (I3, I6). It is deleted when it is used or revoked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Invite {
    /// Id of the invite: letters and digits.
    pub id: String,
    /// Code of the club.
    pub club: ClubCode,
    /// Address of the invited person, in lower case.
    pub email: Email,
    /// Role that the person gets.
    pub role: Role,
    /// Title that the person gets.
    pub title: String,
    /// Part of the token, and never used twice. Links of older versions do not work.
    pub version: u64,
    /// The version with which it was first sent. An address that is invited again after a
    /// revocation has another one, so that a late revocation does not reach it.
    #[serde(default)]
    pub creation: u64,
    /// Membership of the officer who grants the role; none if an admin does, or for accepted
    /// applicants.
    pub by: Option<Id<of::Membership>>,
    /// The admin who grants a role above member, and must be one when it is used (I12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted_by: Option<Id<of::Person>>,
    /// When it expires; checked when it is used.
    pub expires_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// The acceptance mails that brought it. When all of them are taken back, it is revoked (E25).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<AcceptanceMail>,
    /// The last mail about it that did not arrive (E35).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undelivered: Option<Undelivered>,
}

/// An acceptance mail that brought an invitation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptanceMail {
    /// Id of the accepted submission.
    pub submission: Id<of::Submission>,
    /// As in [`crate::domain::MailState`].
    pub order: u32,
}

impl Invite {
    /// Returns whether an acceptance mail about this submission brought it.
    pub fn is_for(&self, submission: &Submission) -> bool {
        self.accepted
            .iter()
            .any(|mail| mail.submission == submission.id)
    }

    /// Returns whether this mail was sent for the latest change of this invite.
    pub fn is_brought_by(&self, mail: &Mail) -> bool {
        let link = mail.invite.as_ref();
        mail.queued_at == self.updated_at && link.is_some_and(|link| link.invite == self.id)
    }
}
