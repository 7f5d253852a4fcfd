//! What a call of `send_emails` would send: to whom, what, and whom it skips (E1, E2, E9).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::TimeDelta;
use serde::Serialize;
use shared::http::{ApiError, Result};
use shared::mail::{
    DecisionKind, Message, PREVIEW_LINK, Recipient, Template, decision_message, with_invite,
};
use shared::models::{
    Application, Club, Decision, EmailStatus, Invite, InviteLink, Mail, MailState, Personal,
    Status, Submission,
};
use shared::time::Timestamp;
use shared::{ids, limits};
use utoipa::ToSchema;

use shared::bodies::committee_of;

/// A mail that has been queued or sending for so long may be sent again: its worker is gone.
const STUCK_MINUTES: i64 = 15;

/// Whom a call does not address, and why.
#[derive(Debug, Clone, Copy, Default, Serialize, ToSchema)]
pub struct SkippedBody {
    /// Nothing decided yet.
    pub pending: usize,
    /// Have a mail of this type already, or one is on its way.
    pub already_notified: usize,
    /// Have no address.
    pub no_address: usize,
}

/// A mail as it would be sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewBody {
    /// Submission id.
    submission: u64,
    to: String,
    subject: String,
    html: String,
    text: String,
}

/// A mail to be sent. It is composed when it is queued: thousands of long ones would not fit the
/// memory of a function.
pub struct PlannedMail {
    /// The submission that it tells of, as it was read, without its answers.
    pub submission: Submission,
    attempt: u32,
    invite: Option<InviteLink>,
}

/// Composes the mails of one kind.
pub struct Composer {
    club: Club,
    application: Application,
    kind: DecisionKind,
    template: Template,
    now: Timestamp,
}

/// What a call would do.
pub struct Plan {
    /// Mails, oldest submission first.
    pub mails: Vec<PlannedMail>,
    /// Whom it skips.
    pub skipped: SkippedBody,
    /// What the officer should look at first.
    pub warnings: Vec<String>,
    /// Of decisions, reasons, templates and the choice: equal as long as none of them changed,
    /// whatever was sent meanwhile.
    pub digest: String,
}

impl Composer {
    /// For the mails of one kind about an application.
    pub fn new(
        club: Club,
        application: Application,
        kind: DecisionKind,
        now: Timestamp,
    ) -> Result<Self> {
        let template = kind.template(&application).map_err(|why| {
            ApiError::rule(format!("The template of this mail is not valid: {why}"))
        })?;
        Ok(Self {
            club,
            application,
            kind,
            template,
            now,
        })
    }

    fn message(&self, submission: &Submission, person: &Personal) -> Result<Message> {
        let committee = committee_of(submission, &self.application)
            .map(|committee| committee.name)
            .unwrap_or_default();
        let recipient = Recipient {
            first_name: &person.first_name,
            name: &person.name,
            committee: &committee,
            reason: &submission.reason,
        };
        decision_message(
            &self.template,
            &self.club.profile.name,
            &self.application.name,
            recipient,
        )
        .ok_or_else(|| {
            ApiError::rule(format!(
                "The mail of submission {} would be larger than {} bytes.",
                submission.id,
                limits::MAIL_BYTES
            ))
        })
    }

    /// The mail as it goes into the outbox.
    pub fn mail(
        &self,
        PlannedMail {
            submission,
            attempt,
            invite,
        }: &PlannedMail,
    ) -> Result<Mail> {
        let person = submission
            .applicant
            .as_ref()
            .map(|applicant| applicant.personal.clone())
            .unwrap_or_default();
        let Message {
            subject,
            html,
            text,
        } = self.message(submission, &person)?;
        Ok(Mail {
            about: submission.id,
            sequence: submission.sequence,
            kind: self.kind.mail_kind(),
            attempt: *attempt,
            status: EmailStatus::Queued,
            person: submission.person,
            to: person.email,
            reply_to: Some(self.club.profile.email.clone()).filter(|email| !email.is_empty()),
            subject,
            html,
            text,
            decision: Some(Decision {
                club: self.club.code.clone(),
                application: self.application.id,
                status: submission.status,
                reason: submission.reason.clone(),
            }),
            invite: invite.clone(),
            queued_at: self.now,
            claimed_at: None,
            outcome: None,
            report: None,
        })
    }

    /// The mails as they would be read. 400 if they are more than a function can hold.
    pub fn previews(&self, plan: &Plan) -> Result<Vec<PreviewBody>> {
        let mut size = 0;
        let mut previews = Vec::new();
        for planned in &plan.mails {
            let preview = preview(&self.mail(planned)?);
            size += preview.html.len() + preview.text.len();
            if size > limits::HELD {
                return Err(ApiError::rule(
                    "These are too many mails to preview at once. Name some of them with submissions.",
                ));
            }
            previews.push(preview);
        }
        Ok(previews)
    }
}

/// Where the last mail of this kind stands.
pub fn last_mail(submission: &Submission, kind: DecisionKind) -> Option<&MailState> {
    match kind {
        DecisionKind::Acceptance => submission.acceptance_mail.as_ref(),
        DecisionKind::Rejection => submission.rejection_mail.as_ref(),
    }
}

fn may_send(last: Option<&MailState>, allow_resend: bool, now: Timestamp) -> bool {
    let Some(last) = last else { return true };
    let is_stuck = last.at.plus(TimeDelta::minutes(STUCK_MINUTES)) < now;
    match last.status {
        // It surely never reached SES, and its record is taken back with the new one.
        EmailStatus::Queued => is_stuck,
        EmailStatus::Sending => allow_resend && is_stuck,
        EmailStatus::Failed => allow_resend || !last.taken,
        _ => allow_resend,
    }
}

/// Whom an officer wants to write to, of those whom the type of mail is for.
#[derive(Debug, Clone, Default)]
pub struct MailSelection {
    /// Only these; none stands for all.
    pub submissions: Option<BTreeSet<u64>>,
    /// Those too who have such a mail.
    pub allow_resend: bool,
}

/// Who of the accepted is invited to the club, and with which version of their invite.
#[derive(Debug, Default)]
pub struct Invitations {
    /// Whether anybody is.
    pub is_open: bool,
    /// Members need none.
    pub members: HashSet<u64>,
    /// The versions of the invites that there are, by id: another mail about one has the same link.
    pub versions: HashMap<String, u64>,
    /// The version of new ones.
    pub new: u64,
}

impl Invitations {
    /// What the mail to somebody accepted invites to: club, invite, version.
    fn of(&self, club: &str, person: u64) -> Option<InviteLink> {
        if !self.is_open || self.members.contains(&person) {
            return None;
        }
        let id = Invite::id_for_accepted(club, person);
        let version = self.versions.get(&id).copied().unwrap_or(self.new);
        Some(InviteLink {
            club: club.to_owned(),
            invite: id,
            version,
        })
    }
}

impl Plan {
    /// Plans the mails of a composer for these submissions.
    pub fn new(
        composer: &Composer,
        submissions: Vec<Submission>,
        invitations: &Invitations,
        choice: &MailSelection,
    ) -> Result<Self> {
        let (kind, application, now) = (composer.kind, &composer.application, composer.now);
        let mut plan = Self {
            mails: vec![],
            skipped: SkippedBody::default(),
            warnings: vec![],
            digest: String::new(),
        };
        let mut said = BTreeMap::new();
        let mut without_reason = 0;
        for submission in submissions {
            if submission.status == Status::Pending {
                plan.skipped.pending += 1;
                continue;
            }
            if !kind.tells(submission.status) {
                continue;
            }
            let last = last_mail(&submission, kind);
            let Some(applicant) = submission
                .applicant
                .as_ref()
                .filter(|applicant| !applicant.personal.email.is_empty())
            else {
                plan.skipped.no_address += 1;
                continue;
            };
            let person = &applicant.personal;
            let Message { subject, html, .. } = composer.message(&submission, person)?;
            let all = [
                &submission.status.code().to_string(),
                &person.email,
                &subject,
                &html,
            ]
            .map(String::as_str)
            .join("\n");
            said.insert(submission.id, ids::sha256_hex(all.as_bytes()));
            if !may_send(last, choice.allow_resend, now) {
                plan.skipped.already_notified += 1;
                continue;
            }
            without_reason += usize::from(submission.reason.trim().is_empty());
            let invited = submission
                .person
                .filter(|_| kind == DecisionKind::Acceptance);
            let invite = invited.and_then(|person| invitations.of(&composer.club.code, person));
            let attempt = last.map_or(0, |last| last.attempt) + 1;
            plan.mails.push(PlannedMail {
                submission,
                attempt,
                invite,
            });
        }
        let all = serde_json::json!([said, choice.submissions, choice.allow_resend]);
        plan.digest = ids::sha256_hex(all.to_string().as_bytes());
        plan.mails
            .sort_by_key(|planned| planned.submission.sequence);
        if composer.template.shows_reason()
            && without_reason > 0
            && !uses_built_in(application, kind)
        {
            plan.warnings.push(format!(
                "The template shows the reason, but {without_reason} of the decisions have none."
            ));
        }
        if now < application.release && !plan.mails.is_empty() {
            plan.warnings.push(format!(
                "The results are to be released at {}. These mails tell them before.",
                application.release
            ));
        }
        Ok(plan)
    }
}

/// The built-in text leaves an empty reason out by itself.
fn uses_built_in(application: &Application, kind: DecisionKind) -> bool {
    let own = match kind {
        DecisionKind::Acceptance => &application.acceptance_email,
        DecisionKind::Rejection => &application.rejection_email,
    };
    own.trim().is_empty()
}

fn preview(mail: &Mail) -> PreviewBody {
    let message = Message {
        subject: mail.subject.clone(),
        html: mail.html.clone(),
        text: mail.text.clone(),
    };
    let Message {
        subject,
        html,
        text,
    } = if mail.invite.is_some() {
        with_invite(message, PREVIEW_LINK)
    } else {
        message
    };
    PreviewBody {
        submission: mail.about,
        to: mail.to.clone(),
        subject,
        html,
        text,
    }
}
