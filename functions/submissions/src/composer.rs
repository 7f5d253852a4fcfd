//! Mails of a sending, made from the decisions, with their digest.

use shared::bodies::committee_of;
use shared::domain::{
    Application, ApplicationTexts, Club, CommunicatedDecision, Decision, EmailStatus, InviteLink,
    Mail, MailId, Personal, Submission,
};
use shared::ids::{Id, of};
use shared::mail::{MailType, Message, Recipient, Template, decision_message, interview_url};
use shared::reason::Reason;
use shared::time::Timestamp;
use shared::web::{ApiError, Result};
use shared::{ids, limits};

/// A mail to be sent. It is composed only when it is queued, because thousands of mails would not
/// fit into the memory of the function.
pub struct PlannedMail {
    /// The submissions that it is about as they were read, without their answers, oldest first.
    /// There is one, unless the mail is to a person.
    pub submissions: Vec<Submission>,
    pub(crate) is_to_person: bool,
    pub(crate) attempt: u32,
    pub(crate) invite: Option<InviteLink>,
}

/// Composes the mails of one type for an application.
pub struct Composer {
    pub(crate) club: Club,
    pub(crate) application: Application,
    pub(crate) kind: MailType,
    pub(crate) template: Template,
    pub(crate) uses_built_in: bool,
    /// Where the site is, for links.
    pub(crate) site: String,
    pub(crate) now: Timestamp,
}

impl Composer {
    /// A composer of the mails of one type.
    pub fn new(
        club: Club,
        application: Application,
        texts: &ApplicationTexts,
        kind: MailType,
        (site, now): (&str, Timestamp),
    ) -> Result<Self> {
        let template = kind.template(texts).map_err(|why| {
            let why = why.to_string();
            ApiError::rule(Reason::InvalidTemplate { why })
        })?;
        Ok(Self {
            club,
            application,
            kind,
            template,
            uses_built_in: kind.own_template(texts).trim().is_empty(),
            site: site.to_owned(),
            now,
        })
    }

    pub(crate) fn message(&self, about: &[Submission], person: &Personal) -> Result<Message> {
        let too_large = |why: &str| {
            let id = about.first().map_or(0, |submission| submission.id.get());
            let why = why.to_owned();
            ApiError::rule(Reason::LargeMail { id, why })
        };
        let committees: Vec<String> = about
            .iter()
            .filter_map(|submission| committee_of(submission, &self.application))
            .map(|committee| committee.name)
            .collect();
        let recipient = Recipient {
            first_name: &person.first_name,
            name: &person.name,
            committee: &committees.join(", "),
            reason: &reasons(about),
            link: &about
                .first()
                .map_or_else(String::new, |one| interview_url(&self.site, one.id)),
        };
        decision_message(
            self.kind,
            &self.template,
            &self.club.profile.name,
            &self.application.name,
            recipient,
        )
        .filter(|message| {
            let reasons: usize = about.iter().map(|submission| submission.reason.len()).sum();
            message.html.len() + message.text.len() + reasons <= limits::MAIL_RECORD
        })
        .ok_or_else(|| {
            let most = limits::MAIL_BYTES;
            too_large(&format!("would be larger than {most} bytes"))
        })
    }

    /// What the digest says about a mail, by its oldest submission (E9).
    pub(crate) fn digest(
        &self,
        about: &[Submission],
        person: &Personal,
    ) -> Result<Option<(Id<of::Submission>, String)>> {
        let Message { subject, html, .. } = self.message(about, person)?;
        // A template may show neither which submissions the mail is about, nor the reasons.
        let decided: Vec<(Id<of::Submission>, u8, &str)> = about
            .iter()
            .map(|one| (one.id, one.status.code(), one.reason.as_str()))
            .collect();
        let all = (&decided, &person.email, &subject, &html);
        let all =
            serde_json::to_vec(&all).map_err(|error| ApiError::Internal(error.to_string()))?;
        let oldest = about.first();
        Ok(oldest.map(|oldest| (oldest.id, ids::sha256_hex(&all))))
    }

    /// The mail as it is stored to be sent.
    pub fn mail(&self, planned: &PlannedMail) -> Result<Mail> {
        let about = &planned.submissions;
        let oldest = about
            .first()
            .ok_or_else(|| ApiError::Internal("a mail about nothing".into()))?;
        let personal = oldest
            .applicant
            .as_ref()
            .map(|applicant| applicant.personal.clone())
            .unwrap_or_default();
        let Message {
            subject,
            html,
            text,
        } = self.message(about, &personal)?;
        let communicated = |submission: &Submission| CommunicatedDecision {
            submission: submission.id,
            sequence: submission.sequence,
            status: submission.status,
            reason: submission.reason.clone(),
            order: submission.next_mail_order(),
        };
        let to_person = oldest.person.filter(|_| planned.is_to_person);
        let newest = about.iter().map(|submission| submission.sequence).max();
        Ok(Mail {
            about: to_person.map_or(oldest.id.get(), |person| {
                MailId::about_person(self.application.id, person)
            }),
            sequence: newest.unwrap_or(oldest.sequence),
            kind: self.kind.mail_kind(),
            attempt: planned.attempt,
            status: EmailStatus::Queued,
            person: oldest.person,
            to: personal.email,
            reply_to: self.club.profile.email.clone().into_option(),
            subject,
            html,
            text,
            request: None,
            decision: Some(Decision {
                club: self.club.code.clone(),
                application: self.application.id,
                status: oldest.status,
                // The parts have their own.
                reason: if to_person.is_some() {
                    String::new()
                } else {
                    oldest.reason.clone()
                },
                order: oldest.next_mail_order(),
                covers: to_person
                    .map_or_else(Vec::new, |_| about.iter().map(communicated).collect()),
            }),
            appointment: None,
            notice: None,
            invite: planned.invite.clone(),
            queued_at: self.now,
            claimed_at: None,
            outcome: None,
            report: None,
        })
    }
}

/// The reasons of several decisions, one a line.
pub(crate) fn reasons(about: &[Submission]) -> String {
    let reasons = about.iter().map(|submission| submission.reason.as_str());
    let given: Vec<&str> = reasons.filter(|reason| !reason.trim().is_empty()).collect();
    match about {
        [one] => one.reason.clone(),
        _ => given.join("\n"),
    }
}

/// Submissions that one mail could be about: those of a person, or one.
pub(crate) struct MailGroup {
    /// All whose decision is of this kind, the oldest first. The digest covers them.
    pub(crate) all: Vec<Submission>,
    /// Whether a rejection leaves out those that were told already.
    pub(crate) only_eligible: bool,
}
