//! The plan of a call of `send_emails`: which mails it sends and which applicants it skips (E1, E2,
//! E9).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::TimeDelta;
use serde::Serialize;
use shared::http::{ApiError, Result};
use shared::ids::Id;
use shared::mail::{
    DecisionKind, Message, PREVIEW_LINK, Recipient, Template, decision_message, with_invite,
};
use shared::models::{
    Application, ApplicationTexts, Club, ClubCode, Decision, EmailStatus, Invite, InviteLink, Mail,
    MailState, Person, Personal, Status, Submission,
};
use shared::time::Timestamp;
use shared::{ids, limits};
use utoipa::ToSchema;

use shared::bodies::committee_of;

/// After this time, a mail that is still queued or sending may be sent again, because its worker
/// died (E16).
const STUCK_MINUTES: i64 = 15;

/// Numbers of submissions that get no mail.
#[derive(Debug, Clone, Copy, Default, Serialize, ToSchema)]
pub struct SkippedBody {
    /// Submissions without a decision.
    pub pending: usize,
    /// Submissions that already have a mail of this type, or will soon get it.
    pub already_notified: usize,
    /// Submissions of people without an address.
    pub no_address: usize,
}

/// A mail as it would be sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewBody {
    /// Id of the submission.
    #[schema(value_type = u64)]
    submission: Id<Submission>,
    /// Address of the recipient.
    to: String,
    /// Subject of the mail.
    subject: String,
    /// The mail in HTML.
    html: String,
    /// The mail in plain text.
    text: String,
}

/// A mail to be sent. It is composed only when it is queued, because thousands of mails would not
/// fit into the memory of the function.
pub struct PlannedMail {
    /// The submission as it was read, without its answers.
    pub submission: Submission,
    attempt: u32,
    invite: Option<InviteLink>,
}

/// Composes the mails of one type for an application.
pub struct Composer {
    club: Club,
    application: Application,
    kind: DecisionKind,
    template: Template,
    uses_built_in: bool,
    now: Timestamp,
}

/// The mails that a call sends, and what it reports.
pub struct Plan {
    /// The mails, those of the oldest submissions first.
    pub mails: Vec<PlannedMail>,
    /// Numbers of applicants who are skipped.
    pub skipped: SkippedBody,
    /// Warnings for the officer (E10).
    pub warnings: Vec<String>,
    /// A hash of the decisions, reasons, templates, addresses and recipients (E9). Mails that were
    /// sent do not change it.
    pub digest: String,
}

impl Composer {
    /// A composer of the mails of one type.
    pub fn new(
        club: Club,
        application: Application,
        texts: &ApplicationTexts,
        kind: DecisionKind,
        now: Timestamp,
    ) -> Result<Self> {
        let template = kind.template(texts).map_err(|why| {
            ApiError::rule(format!("The template of this mail is not valid: {why}"))
        })?;
        Ok(Self {
            club,
            application,
            kind,
            template,
            uses_built_in: uses_built_in(texts, kind),
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
                "The mail about submission {} would be larger than {} bytes.",
                submission.id,
                limits::MAIL_BYTES
            ))
        })
    }

    /// The mail as it is stored to be sent.
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
            about: submission.id.get(),
            sequence: submission.sequence,
            kind: self.kind.mail_kind(),
            attempt: *attempt,
            status: EmailStatus::Queued,
            person: submission.person,
            to: person.email,
            reply_to: self.club.profile.email.clone().into_option(),
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

    /// The mails as the applicants would read them. It is 400 if they do not fit into the memory of
    /// the function.
    pub fn previews(&self, plan: &Plan) -> Result<Vec<PreviewBody>> {
        let mut size = 0;
        let mut previews = Vec::new();
        for planned in &plan.mails {
            let preview = preview(&self.mail(planned)?);
            size += preview.html.len() + preview.text.len();
            if size > limits::HELD {
                return Err(ApiError::rule(
                    "These are too many mails for one preview. Choose fewer with `submissions`.",
                ));
            }
            previews.push(preview);
        }
        Ok(previews)
    }
}

/// The state of the last mail of this type.
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
        // SES surely never got it. Its record is deleted together with storing the new one (E16).
        EmailStatus::Queued => is_stuck,
        EmailStatus::Sending => allow_resend && is_stuck,
        EmailStatus::Failed => allow_resend || !last.taken,
        _ => allow_resend,
    }
}

/// The recipients that the officer chose.
#[derive(Debug, Clone, Default)]
pub struct MailSelection {
    /// Ids of the chosen submissions. `None` means all.
    pub submissions: Option<BTreeSet<Id<Submission>>>,
    /// Whether to send again to applicants who already have a mail of this type.
    pub allow_resend: bool,
}

/// The data that decides which accepted applicants are invited to the club (E24).
#[derive(Debug, Default)]
pub struct Invitations {
    /// Whether anybody is invited at all.
    pub is_open: bool,
    /// User ids of the members, who need no invitation.
    pub members: HashSet<Id<Person>>,
    /// The versions of existing invites by id. All mails with the same version have the same link.
    pub versions: HashMap<String, u64>,
    /// The version of new invites.
    pub new: u64,
}

impl Invitations {
    /// The invitation in the mail to an accepted person, if they need one.
    fn of(&self, club: &ClubCode, person: Id<Person>) -> Option<InviteLink> {
        if !self.is_open || self.members.contains(&person) {
            return None;
        }
        let id = Invite::id_for_accepted(club, person);
        let version = self.versions.get(&id).copied().unwrap_or(self.new);
        Some(InviteLink {
            club: club.clone(),
            invite: id,
            version,
        })
    }
}

impl Plan {
    /// Plans the mails for these submissions.
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
                submission.status.code().to_string().as_str(),
                &person.email,
                &subject,
                &html,
            ]
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
        if composer.template.shows_reason() && without_reason > 0 && !composer.uses_built_in {
            plan.warnings.push(format!(
                "The template shows the reason, but {without_reason} decisions have no reason."
            ));
        }
        if now < application.release && !plan.mails.is_empty() {
            plan.warnings.push(format!(
                "The results are released at {}. These mails would announce them earlier.",
                application.release
            ));
        }
        Ok(plan)
    }
}

/// Whether the built-in text is used. It leaves out an empty reason, so it needs no warning.
fn uses_built_in(texts: &ApplicationTexts, kind: DecisionKind) -> bool {
    let own = match kind {
        DecisionKind::Acceptance => &texts.acceptance_email,
        DecisionKind::Rejection => &texts.rejection_email,
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
        submission: Id::new(mail.about),
        to: mail.to.to_string(),
        subject,
        html,
        text,
    }
}
