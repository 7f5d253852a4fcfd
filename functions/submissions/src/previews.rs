//! The plan of a call of `send_emails`: which mails it sends and which applicants it skips (E1, E2,
//! E9).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::TimeDelta;
use serde::Serialize;
use shared::bodies::committee_of;
use shared::domain::{
    Application, ApplicationTexts, Club, Decision, EmailStatus, Invite, InviteLink, Mail, MailId,
    Person, Personal, Status, Submission, ToldDecision,
};
use shared::ids::Id;
use shared::mail::{
    DecisionKind, Message, PREVIEW_LINK, Recipient, Template, decision_message, with_invite,
};
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::{ApiError, Result};
use shared::{ids, limits};
use utoipa::ToSchema;

use crate::portions::portions;

/// After this time, a mail that is still queued or sending may be sent again, because its worker
/// died (E16).
const STUCK_MINUTES: i64 = 15;

/// Numbers of submissions that get no mail. With `one_per_person` these are numbers of people.
#[derive(Debug, Clone, Copy, Default, Serialize, ToSchema)]
pub struct SkippedBody {
    /// Submissions without a decision.
    pub pending: usize,
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
    submission: Id<Submission>,
    /// Ids of all submissions that the mail is about. Missing if the request has no
    /// `one_per_person`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<u64>>)]
    submissions: Option<Vec<Id<Submission>>>,
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
    /// The submissions that it is about as they were read, without their answers, oldest first.
    /// There is one, unless the mail is to a person.
    pub submissions: Vec<Submission>,
    is_to_person: bool,
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
    /// The mails that an earlier attempt of this request has queued.
    pub done: Vec<MailId>,
    /// Numbers of applicants who are skipped.
    pub skipped: SkippedBody,
    /// Number of people with a pending submission and no accepted one (E28).
    pub undecided: usize,
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

    fn message(&self, about: &[Submission], person: &Personal) -> Result<Message> {
        let too_large = |why: &str| {
            let first = about.first().map_or(0, |submission| submission.id.get());
            ApiError::rule(format!("The mail about submission {first} {why}."))
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
        };
        decision_message(
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
    fn digest(
        &self,
        about: &[Submission],
        person: &Personal,
    ) -> Result<Option<(Id<Submission>, String)>> {
        let Message { subject, html, .. } = self.message(about, person)?;
        let statuses: Vec<String> = about
            .iter()
            .map(|submission| submission.status.code().to_string())
            .collect();
        let all = [statuses.join(",").as_str(), &person.email, &subject, &html].join("\n");
        let oldest = about.first();
        Ok(oldest.map(|oldest| (oldest.id, ids::sha256_hex(all.as_bytes()))))
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
        let told = |submission: &Submission| ToldDecision {
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
                covers: to_person.map_or_else(Vec::new, |_| about.iter().map(told).collect()),
            }),
            invite: planned.invite.clone(),
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
            let preview = preview(planned, &self.mail(planned)?);
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

/// The reasons of several decisions, one a line.
fn reasons(about: &[Submission]) -> String {
    let reasons = about.iter().map(|submission| submission.reason.as_str());
    let given: Vec<&str> = reasons.filter(|reason| !reason.trim().is_empty()).collect();
    match about {
        [one] => one.reason.clone(),
        _ => given.join("\n"),
    }
}

/// Whether a mail about a submission is to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    Yes,
    /// The last decision that the applicant was told is of this kind, or will soon be told.
    Told,
    /// An earlier attempt of this request has queued the mail.
    Queued,
    /// There were enough mails in the last 24 hours.
    Recently,
}

impl Due {
    fn of(
        submission: &Submission,
        kind: DecisionKind,
        choice: &MailSelection,
        now: Timestamp,
    ) -> Self {
        let kind = kind.mail_kind();
        let Some(last) = submission.mail_state(kind) else {
            return Self::Yes;
        };
        let is_stuck = last.at.plus(TimeDelta::minutes(STUCK_MINUTES)) < now;
        // SES surely never got it. Its record is given up together with storing the new one (E16).
        let is_lost = last.status == EmailStatus::Queued && is_stuck;
        if last.is_of(choice.call, now) && !is_lost {
            return Self::Queued;
        }
        let is_told = submission.last_told() == Some(kind);
        let is_due = match last.status {
            EmailStatus::Queued => is_stuck,
            EmailStatus::Sending => is_stuck && (choice.allow_resend || !is_told),
            _ => choice.allow_resend || !is_told,
        };
        match is_due {
            false => Self::Told,
            true if last.count_recent(now) >= limits::MAILS_PER_DAY => Self::Recently,
            true => Self::Yes,
        }
    }
}

/// Whether one of these submissions has to be told, and the applicant was told the opposite of it.
fn was_told_otherwise(about: &[(Due, Submission)], kind: DecisionKind) -> bool {
    about.iter().any(|(due, submission)| {
        let told = submission.last_told();
        *due == Due::Yes && told.is_some_and(|told| told != kind.mail_kind())
    })
}

/// The recipients that the officer chose.
#[derive(Debug, Clone, Default)]
pub struct MailSelection {
    /// Ids of the chosen submissions. `None` means all.
    pub submissions: Option<BTreeSet<Id<Submission>>>,
    /// Whether to send again to applicants who already have a mail of this type.
    pub allow_resend: bool,
    /// Whether each person gets one mail about all their submissions (E27).
    pub one_per_person: bool,
    /// The id of the request. Whoever has a mail of an earlier attempt of it gets no other (E31).
    pub call: u64,
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

/// Submissions that one mail could be about: those of a person, or one.
struct Group {
    /// All whose decision is of this kind, the oldest first. The digest covers them.
    all: Vec<Submission>,
    /// Whether a rejection leaves out those that were told already.
    only_due: bool,
}

impl Plan {
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
        let (mut said, mut without_reason) = (BTreeMap::new(), 0);
        for group in groups {
            without_reason += plan.add(composer, group, invitations, choice, &mut said)?;
        }
        let all = serde_json::json!([
            said,
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
        Group { all, only_due }: Group,
        invitations: &Invitations,
        choice: &MailSelection,
        said: &mut BTreeMap<Id<Submission>, String>,
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
        for about in portions(&all, |one| one) {
            said.extend(composer.digest(about, &person)?);
        }
        let mut wanted: Vec<(Due, Submission)> = all
            .into_iter()
            .map(|submission| (Due::of(&submission, kind, choice, now), submission))
            .collect();
        if only_due && wanted.iter().any(|(due, _)| *due != Due::Told) {
            wanted.retain(|(due, _)| *due != Due::Told);
        }
        let any = |wanted: Due| move |(due, _): &(Due, Submission)| *due == wanted;
        let mut without_reason = 0;
        for about in portions(&wanted, |(_, one)| one) {
            if let Some((_, queued)) = about.iter().find(|one| any(Due::Queued)(one)) {
                let state = queued.mail_state(kind.mail_kind());
                let id = state.and_then(|state| queued.mail_id(kind.mail_kind(), state));
                self.done.extend(id);
            } else if about.iter().any(any(Due::Told)) && !was_told_otherwise(about, kind) {
                self.skipped.already_notified += 1;
            } else if about.iter().any(any(Due::Recently)) {
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
        if composer.template.shows_reason() && without_reason > 0 && !composer.uses_built_in {
            self.warnings.push(format!(
                "The template shows the reason, but {without_reason} decisions have no reason."
            ));
        }
        let release = composer.application.release;
        if composer.now < release && !self.mails.is_empty() {
            self.warnings.push(format!(
                "The results are released at {release}. These mails would announce them earlier."
            ));
        }
    }
}

/// A mail about these submissions, with an invitation if it is an acceptance and the person needs
/// one.
fn planned(
    composer: &Composer,
    about: Vec<Submission>,
    invitations: &Invitations,
    choice: &MailSelection,
) -> PlannedMail {
    let person = about.first().and_then(|oldest| oldest.person);
    let invited = person.filter(|_| composer.kind == DecisionKind::Acceptance);
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

impl MailSelection {
    /// Keeps the submissions of the people whom the request names.
    fn keep_people(&self, submissions: &mut Vec<Submission>) {
        let Some(chosen) = &self.submissions else {
            return;
        };
        let people: HashSet<Option<Id<Person>>> = submissions
            .iter()
            .filter(|submission| chosen.contains(&submission.id))
            .map(|submission| submission.person)
            .collect();
        submissions.retain(|submission| {
            let is_theirs = submission.person.is_some() && people.contains(&submission.person);
            is_theirs || chosen.contains(&submission.id)
        });
    }

    /// Keeps the submissions that the request names.
    fn keep_chosen(&self, submissions: &mut Vec<Submission>) {
        if let Some(chosen) = &self.submissions {
            submissions.retain(|submission| chosen.contains(&submission.id));
        }
    }
}

/// Returns the number of people with a pending submission and no accepted one.
fn undecided(submissions: &[Submission]) -> usize {
    let with = |status: Status| -> BTreeSet<Id<Person>> {
        submissions
            .iter()
            .filter(|submission| submission.status == status)
            .filter_map(|submission| submission.person)
            .collect()
    };
    let (pending, accepted) = (with(Status::Pending), with(Status::Accepted));
    pending.difference(&accepted).count()
}

/// One mail for each decided submission.
fn by_submission(
    kind: DecisionKind,
    submissions: Vec<Submission>,
    skipped: &mut SkippedBody,
) -> Vec<Group> {
    let is_pending = |submission: &Submission| submission.status == Status::Pending;
    skipped.pending = submissions.iter().filter(|one| is_pending(one)).count();
    submissions
        .into_iter()
        .filter(|submission| kind.tells(submission.status))
        .map(|submission| Group {
            all: vec![submission],
            only_due: false,
        })
        .collect()
}

/// One mail for each person (E27). Somebody with an accepted submission gets an acceptance that
/// names all committees that accepted them. Somebody with none, and no pending one, gets a
/// rejection about those that they were not told of.
fn by_person(
    kind: DecisionKind,
    submissions: Vec<Submission>,
    skipped: &mut SkippedBody,
) -> Vec<Group> {
    let mut people: BTreeMap<Id<Person>, Vec<Submission>> = BTreeMap::new();
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
            (true, _, DecisionKind::Acceptance) => {
                all.retain(|submission| submission.status == Status::Accepted);
                let only_due = false;
                groups.push(Group { all, only_due });
            }
            (true, _, DecisionKind::Rejection) => {
                let is_rejected = all.iter().any(|submission| kind.tells(submission.status));
                accepted_elsewhere += usize::from(is_rejected);
            }
            (false, true, _) => undecided += 1,
            (false, false, DecisionKind::Rejection) => {
                let only_due = true;
                groups.push(Group { all, only_due });
            }
            (false, false, DecisionKind::Acceptance) => {}
        }
    }
    skipped.undecided = Some(undecided);
    skipped.accepted_elsewhere = Some(accepted_elsewhere);
    groups
}

/// Whether the built-in text is used. It leaves out an empty reason, so it needs no warning.
fn uses_built_in(texts: &ApplicationTexts, kind: DecisionKind) -> bool {
    let own = match kind {
        DecisionKind::Acceptance => &texts.acceptance_email,
        DecisionKind::Rejection => &texts.rejection_email,
    };
    own.trim().is_empty()
}

fn preview(planned: &PlannedMail, mail: &Mail) -> PreviewBody {
    let submissions: Vec<Id<Submission>> = planned
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
        with_invite(message, PREVIEW_LINK)
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
