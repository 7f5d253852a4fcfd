//! The plan of a call of `send_emails`: which mails it sends, made from the decisions, with their
//! digest, and which applicants it skips (E1, E2, E9).

use std::collections::BTreeMap;

use serde::Serialize;
use shared::bodies::committee_of;
use shared::domain::{
    Application, ApplicationTexts, Club, CommunicatedDecision, Decision, EmailStatus, InviteLink,
    Mail, MailId, Personal, Status, Submission, TemplateFormat,
};
use shared::ids::{Id, of};
use shared::mail::{
    MailType, Message, PREVIEW_LINK, Recipient, Template, Variable, decision_message,
    interview_url, with_invite,
};
use shared::reason::Reason;
use shared::time::Timestamp;
use shared::web::{ApiError, Result};
use shared::{ids, limits};
use utoipa::ToSchema;

use crate::selection::{
    Eligibility, Invitations, MailSelection, undecided, was_communicated_otherwise,
};

/// Numbers of submissions that get no mail. With `one_per_person` these are numbers of people.
#[derive(Debug, Clone, Copy, Default, Serialize, ToSchema)]
pub struct SkippedBody {
    /// Submissions without a decision.
    pub pending: usize,
    /// Submissions that are decided already. Missing if the mails are no invitations to an
    /// interview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<usize>,
    /// Submissions that already have a mail of this type, or will soon get it.
    pub already_notified: usize,
    /// Submissions of people without an address.
    pub no_address: usize,
    /// Submissions that had three mails of this type in the last 24 hours.
    pub resent_recently: usize,
    /// People with a submission that is not decided, who are not accepted. Missing if the request
    /// has no `one_per_person`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<usize>,
    /// People who are not told a rejection, because another committee accepted them. Missing if the
    /// request has no `one_per_person`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted_elsewhere: Option<usize>,
}

/// A mail as it would be sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewBody {
    /// Id of the submission. If the mail is about several, the oldest.
    #[schema(value_type = u64)]
    submission: Id<of::Submission>,
    /// Ids of all submissions that the mail is about. Missing if the request has no
    /// `one_per_person`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<u64>>)]
    submissions: Option<Vec<Id<of::Submission>>>,
    /// Address of the recipient.
    to: String,
    /// Subject of the mail.
    subject: String,
    /// The mail in HTML.
    html: String,
    /// The mail in plain text.
    text: String,
}

/// The mails that a call sends, and what it reports.
pub struct MailPlan {
    /// The mails, those of the oldest submissions first.
    pub mails: Vec<PlannedMail>,
    /// The mails that an earlier attempt of this request has queued.
    pub done: Vec<MailId>,
    /// Numbers of applicants who are skipped.
    pub skipped: SkippedBody,
    /// Number of people with a pending submission and no accepted one (E28).
    pub undecided: usize,
    /// Warnings for the officer (E10).
    pub warnings: Vec<Reason>,
    /// A hash of the decisions, reasons, templates, addresses and recipients (E9). Mails that were
    /// sent do not change it.
    pub digest: String,
}

impl Composer {
    /// The mails as the applicants would read them. It is 400 if they do not fit into the memory of
    /// the function.
    pub fn previews(&self, plan: &MailPlan) -> Result<Vec<PreviewBody>> {
        let mut size = 0;
        let mut previews = Vec::new();
        for planned in &plan.mails {
            let preview = preview(planned, &self.mail(planned)?);
            size += preview.html.len() + preview.text.len();
            if size > limits::MEMORY_BUDGET_BYTES {
                return Err(ApiError::rule(Reason::LargePreview));
            }
            previews.push(preview);
        }
        Ok(previews)
    }
}

impl MailPlan {
    /// Plans the mails for these submissions: all of an application, or those that the choice
    /// needs.
    pub fn new(
        composer: &Composer,
        mut submissions: Vec<Submission>,
        invitations: &Invitations,
        choice: &MailSelection,
    ) -> Result<Self> {
        choice.keep_people(&mut submissions);
        let mut plan = Self {
            mails: vec![],
            done: vec![],
            skipped: SkippedBody::default(),
            undecided: undecided(&submissions),
            warnings: vec![],
            digest: String::new(),
        };
        let kind = composer.kind;
        let groups = if choice.one_per_person {
            by_person(kind, submissions, &mut plan.skipped)
        } else {
            choice.keep_chosen(&mut submissions);
            by_submission(kind, submissions, &mut plan.skipped)
        };
        if let Some(people) = plan.skipped.undecided {
            plan.undecided = people;
        }
        let (mut texts, mut without_reason) = (BTreeMap::new(), 0);
        for group in groups {
            without_reason += plan.add(composer, group, invitations, choice, &mut texts)?;
        }
        let all = serde_json::json!([
            texts,
            choice.submissions,
            choice.allow_resend,
            choice.one_per_person,
        ]);
        plan.digest = ids::sha256_hex(all.to_string().as_bytes());
        plan.mails.sort_by_key(|planned| {
            let oldest = planned.submissions.first();
            oldest.map(|submission| submission.sequence)
        });
        plan.warn(composer, without_reason);
        Ok(plan)
    }

    /// Plans the mails to the applicant of a group. Returns how many of them have no reason.
    fn add(
        &mut self,
        composer: &Composer,
        MailGroup { all, only_eligible }: MailGroup,
        invitations: &Invitations,
        choice: &MailSelection,
        texts: &mut BTreeMap<Id<of::Submission>, String>,
    ) -> Result<usize> {
        let (kind, now) = (composer.kind, composer.now);
        let applicant = all.first().and_then(|oldest| oldest.applicant.as_ref());
        let Some(person) = applicant
            .map(|applicant| applicant.personal.clone())
            .filter(|personal| !personal.email.is_empty())
        else {
            self.skipped.no_address += 1;
            return Ok(0);
        };
        for about in all.chunks(limits::SUBMISSIONS_PER_MAIL) {
            texts.extend(composer.digest(about, &person)?);
        }
        let mut candidates: Vec<(Eligibility, Submission)> = all
            .into_iter()
            .map(|submission| (Eligibility::of(&submission, kind, choice, now), submission))
            .collect();
        if only_eligible
            && candidates
                .iter()
                .any(|(eligibility, _)| *eligibility != Eligibility::Communicated)
        {
            candidates.retain(|(eligibility, _)| *eligibility != Eligibility::Communicated);
        }
        let any = |candidates: Eligibility| {
            move |(eligibility, _): &(Eligibility, Submission)| *eligibility == candidates
        };
        let mut without_reason = 0;
        for about in candidates.chunks(limits::SUBMISSIONS_PER_MAIL) {
            if let Some((_, queued)) = about.iter().find(|one| any(Eligibility::Queued)(one)) {
                let state = queued.mail_state(kind.mail_kind());
                let id = state.and_then(|state| queued.mail_id(kind.mail_kind(), state));
                self.done.extend(id);
            } else if about.iter().any(any(Eligibility::Communicated))
                && !was_communicated_otherwise(about, kind)
            {
                self.skipped.already_notified += 1;
            } else if about.iter().any(any(Eligibility::Recently)) {
                self.skipped.resent_recently += 1;
            } else {
                let about: Vec<Submission> = about.iter().map(|(_, one)| one.clone()).collect();
                composer.message(&about, &person)?;
                without_reason += usize::from(reasons(&about).trim().is_empty());
                self.mails
                    .push(planned(composer, about, invitations, choice));
            }
        }
        Ok(without_reason)
    }

    fn warn(&mut self, composer: &Composer, without_reason: usize) {
        if let Some(value) = Template::single_braces(&composer.own) {
            let value = value.to_owned();
            self.warnings.push(Reason::SingleBraces { value });
        }
        if Template::format(&composer.own) == TemplateFormat::Html
            && Template::has_lost_link(&composer.own)
        {
            self.warnings.push(Reason::LostLink);
        }
        if composer.kind == MailType::Interview {
            if !composer.template.shows(Variable::Link) {
                self.warnings.push(Reason::NoLink);
            }
            return;
        }
        let about = self.mails.iter().flat_map(|mail| &mail.submissions);
        let changed = about.filter(|one| one.is_changed_after_decision()).count();
        if changed > 0 {
            self.warnings
                .push(Reason::ChangedAfterDecision { count: changed });
        }
        let shows_reason = composer.template.shows(Variable::Reason);
        if shows_reason && without_reason > 0 && !composer.own.is_empty() {
            self.warnings.push(Reason::NoReason {
                count: without_reason,
            });
        }
        let release = composer.application.release;
        if composer.now < release && !self.mails.is_empty() {
            let until = release.to_string();
            self.warnings.push(Reason::AnnouncedEarly { until });
        }
    }
}

/// A mail about these submissions, with an invitation if it is an acceptance and the person needs
/// one.
pub(crate) fn planned(
    composer: &Composer,
    about: Vec<Submission>,
    invitations: &Invitations,
    choice: &MailSelection,
) -> PlannedMail {
    let person = about.first().and_then(|oldest| oldest.person);
    let invited = person.filter(|_| composer.kind == MailType::Acceptance);
    let kind = composer.kind.mail_kind();
    let last = about.iter().filter_map(|one| one.mail_state(kind));
    let attempt = last.map(|last| last.attempt).max().unwrap_or(0) + 1;
    PlannedMail {
        invite: invited.and_then(|person| invitations.of(&composer.club.code, person)),
        submissions: about,
        is_to_person: choice.one_per_person,
        attempt,
    }
}

/// One mail for each decided submission.
fn by_submission(
    kind: MailType,
    submissions: Vec<Submission>,
    skipped: &mut SkippedBody,
) -> Vec<MailGroup> {
    let pending = submissions
        .iter()
        .filter(|submission| submission.status == Status::Pending)
        .count();
    if kind == MailType::Interview {
        skipped.decided = Some(submissions.len() - pending);
    } else {
        skipped.pending = pending;
    }
    submissions
        .into_iter()
        .filter(|submission| kind.tells(submission.status))
        .map(|submission| MailGroup {
            all: vec![submission],
            only_eligible: false,
        })
        .collect()
}

/// One mail for each person (E27). Somebody with an accepted submission gets an acceptance that
/// names all committees that accepted them. Somebody with none, and no pending one, gets a
/// rejection about those that they were not told of.
fn by_person(
    kind: MailType,
    submissions: Vec<Submission>,
    skipped: &mut SkippedBody,
) -> Vec<MailGroup> {
    let mut people: BTreeMap<Id<of::Person>, Vec<Submission>> = BTreeMap::new();
    for submission in submissions {
        if let Some(person) = submission.person {
            people.entry(person).or_default().push(submission);
        }
    }
    let (mut groups, mut undecided, mut accepted_elsewhere) = (Vec::new(), 0, 0);
    for mut all in people.into_values() {
        all.sort_by_key(|submission| submission.sequence);
        let has = |status: Status| all.iter().any(|submission| submission.status == status);
        match (has(Status::Accepted), has(Status::Pending), kind) {
            (true, _, MailType::Acceptance) => {
                all.retain(|submission| submission.status == Status::Accepted);
                let only_eligible = false;
                groups.push(MailGroup { all, only_eligible });
            }
            (true, _, MailType::Rejection) => {
                let is_rejected = all.iter().any(|submission| kind.tells(submission.status));
                accepted_elsewhere += usize::from(is_rejected);
            }
            (false, true, _) => undecided += 1,
            (false, false, MailType::Rejection) => {
                let only_eligible = true;
                groups.push(MailGroup { all, only_eligible });
            }
            (false, false, MailType::Acceptance) | (_, _, MailType::Interview) => {}
        }
    }
    skipped.undecided = Some(undecided);
    skipped.accepted_elsewhere = Some(accepted_elsewhere);
    groups
}

pub(crate) fn preview(planned: &PlannedMail, mail: &Mail) -> PreviewBody {
    let submissions: Vec<Id<of::Submission>> = planned
        .submissions
        .iter()
        .map(|submission| submission.id)
        .collect();
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
        with_invite(message, mail.kind, PREVIEW_LINK)
    } else {
        message
    };
    PreviewBody {
        submission: submissions.first().copied().unwrap_or(Id::new(mail.about)),
        submissions: planned.is_to_person.then_some(submissions),
        to: mail.to.to_string(),
        subject,
        html,
        text,
    }
}

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
    /// The template that the club wrote; empty if the built-in text is used.
    pub(crate) own: String,
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
            own: kind.own_template(texts).trim().to_owned(),
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
        let decided: Vec<_> = about
            .iter()
            .map(|one| (one.id, one.status.code(), one.reason.as_str(), one.revision))
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
            tickets: None,
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
            owner: None,
            resent: 0,
            is_shown: false,
            delayed_until: None,
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
