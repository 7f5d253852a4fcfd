//! Response bodies of applications and questions, and the request body of an application.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use shared::domain::{
    Application, ApplicationTexts, Choice, Committee, Extension, FileFormat, Question,
    QuestionType, ShowIf, TemplateFormat, WholeForm,
};
use shared::ids::{Id, of};
use shared::limits;
use shared::mail::{MailType, Template};
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::text::kinds::{Html, List, Name, NoticeHours, WebAddress};
use shared::time::Timestamp;
use shared::web::{ApiError, FieldInput, Mode, Reader};
use utoipa::ToSchema;

use crate::own::{OwnSubmissionBody, own_end};

/// An application.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApplicationBody {
    /// Id of the application.
    #[schema(value_type = u64)]
    id: Id<of::Application>,
    /// Code of the club.
    #[schema(value_type = String)]
    club: ClubCode,
    /// One line.
    name: String,
    /// HTML.
    description: String,
    /// First moment at which the application is open.
    application_start_time: Timestamp,
    /// Last moment at which the application is open.
    application_end_time: Timestamp,
    /// Until when the caller can submit: the end of the application, or the caller's extension if
    /// that is later.
    my_end_time: Timestamp,
    /// Applicants see the decisions from this time on.
    result_release_time: Timestamp,
    /// Submissions are possible only while this is true.
    is_active: bool,
    /// Web address of an application elsewhere.
    external_url: Option<String>,
    /// Whether each submission is confirmed to its applicant by mail.
    confirmation: bool,
    /// Whether officers see the reviews of others only after writing their own.
    blind_reviews: bool,
    /// Until how many hours before an interview applicants can choose, move or cancel it.
    interview_notice_hours: u16,
    /// Template of the acceptance mail. Null for callers who are not officers.
    acceptance_email: Option<String>,
    /// Template of the rejection mail. Null for callers who are not officers.
    rejection_email: Option<String>,
    /// Template of the invitation to an interview. Null for callers who are not officers.
    interview_email: Option<String>,
    /// The parts of the club that people can apply to.
    committees: Vec<Committee>,
    /// In the order in which they are shown.
    questions: Vec<QuestionBody>,
    /// When the application was created.
    created_at: Timestamp,
    /// When the application was last changed.
    updated_at: Timestamp,
    /// The submissions of the caller to it, the newest first. Missing if they were not asked for
    /// with `own=true`, and for tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub my_submissions: Option<Vec<OwnSubmissionBody>>,
}

/// The caller, as far as it changes what they see of an application.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApplicationViewer {
    /// Whether they have the rights of an officer of the club.
    pub is_officer: bool,
    /// The end of their extension.
    pub extended: Option<Timestamp>,
}

impl ApplicationViewer {
    /// An officer, who may have an extension too.
    pub fn officer(extension: Option<&Extension>) -> Self {
        Self {
            is_officer: true,
            extended: extension.map(|extension| extension.end),
        }
    }
}

impl ApplicationBody {
    /// The application as the viewer sees it.
    pub fn new(WholeForm { form, texts }: &WholeForm, viewer: ApplicationViewer) -> Self {
        let application = &form.application;
        let for_officer = viewer.is_officer;
        Self {
            my_end_time: own_end(application, viewer.extended),
            id: application.id,
            club: application.club.clone(),
            name: application.name.clone(),
            description: texts.description.clone(),
            application_start_time: application.start,
            application_end_time: application.end,
            result_release_time: application.release,
            is_active: application.is_active,
            external_url: application.external_url.clone(),
            confirmation: application.confirmation,
            blind_reviews: application.blind_reviews,
            interview_notice_hours: application.interview_notice_hours,
            acceptance_email: for_officer.then(|| texts.acceptance_email.clone()),
            rejection_email: for_officer.then(|| texts.rejection_email.clone()),
            interview_email: for_officer.then(|| texts.interview_email.clone()),
            committees: application.committees.clone(),
            questions: form.questions.iter().map(QuestionBody::from).collect(),
            created_at: application.created_at,
            updated_at: application.updated_at,
            my_submissions: None,
        }
    }
}

/// A question of an application.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuestionBody {
    /// Id of the question.
    #[schema(value_type = u64)]
    id: Id<of::Question>,
    /// 1 free response, 2 multiple choice, 3 short answer, 4 information text, 5 file.
    question_type: QuestionType,
    /// Text of the question.
    prompt: String,
    /// Largest number of words of an answer. 0 means no limit.
    word_limit: u32,
    /// Questions with a lower value are shown first.
    precedence: i32,
    /// Whether the question is only for the listed `committees`.
    committee_question: bool,
    /// Ids of the committees that the question is for. Empty if it is for everybody.
    #[schema(value_type = Vec<u64>)]
    committees: Vec<Id<of::Committee>>,
    /// Options. Empty, unless the question is multiple choice.
    multiple_choice: Vec<Choice>,
    /// Of whom it is asked: only of those who chose one of these options. Null means of everybody.
    show_if: Option<ShowIf>,
    /// Whether a submission needs an answer to it, while it is asked.
    required: bool,
    /// The formats of files that it takes. Empty, unless it is a question for a file.
    formats: Vec<FileFormat>,
    /// The largest file that it takes, in MiB. Null, unless it is a question for a file.
    max_mb: Option<u32>,
    /// Whether the site may make a photo smaller before it is sent.
    shrink_photos: bool,
}

impl From<&Question> for QuestionBody {
    fn from(question: &Question) -> Self {
        let rule = question.prompt.file.as_ref();
        Self {
            id: question.id,
            question_type: question.prompt.question_type,
            prompt: question.prompt.text.clone(),
            word_limit: question.prompt.word_limit,
            precedence: question.precedence,
            committee_question: question.committee_question,
            committees: question.committees.clone(),
            multiple_choice: question.prompt.options.clone(),
            show_if: question.prompt.show_if.clone(),
            required: question.prompt.required,
            formats: rule.map_or_else(Vec::new, |rule| rule.formats.clone()),
            max_mb: rule.map(|rule| rule.max_mb),
            shrink_photos: rule.is_some_and(|rule| rule.shrink_photos),
        }
    }
}

shared::input! {
    /// The fields of an application that officers write.
    pub struct ApplicationInput {
        /// One line, at most 255 characters.
        name: Name, Required;
        /// HTML, at most 50,000 characters.
        description: Html, Optional;
        /// First moment at which the application is open.
        application_start_time: Timestamp, Required;
        /// Must not be before `application_start_time`.
        application_end_time: Timestamp, Required;
        /// Must not be before `application_end_time`.
        result_release_time: Timestamp, Required;
        is_active: bool, Optional = false;
        /// Web address (http or https) of an application elsewhere.
        external_url: Option<WebAddress>, Optional;
        /// Whether each submission is confirmed to its applicant by mail.
        confirmation: bool, Free = false;
        /// Whether officers see the reviews of others only after writing their own.
        blind_reviews: bool, Free = false;
        /// Until how many hours before an interview applicants can choose, move or cancel it, from
        /// 0 to 168. Default 12.
        interview_notice_hours: NoticeHours, Free;
        /// HTML template of the acceptance mail, at most 50,000 characters. Variables:
        /// `{{ name }}`, `{{ full_name }}`, `{{ reason }}`, `{{ committee }}`, `{{ committees }}`
        /// (the same), `{{ club }}`, `{{ application }}`. Conditions:
        /// `{% if reason %}…{% else %}…{% endif %}`. Anything else in such brackets is 400. An
        /// empty text means a built-in mail.
        acceptance_email: Html, Optional;
        /// HTML template of the rejection mail, with the same limit and variables.
        rejection_email: Html, Optional;
        /// HTML template of the invitation to an interview, with the same limit, and the variable
        /// `{{ link }}` (where the applicant chooses a time) instead of `{{ reason }}`.
        interview_email: Html, Free;
        /// The new set of committees, at most 50. A committee that is sent with its id, or with its
        /// present name, keeps its id.
        committees: List<CommitteeInput, { limits::COMMITTEES }>, Optional;
    }
}

/// A committee of the new set.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct CommitteeInput {
    /// Id of an existing committee.
    #[schema(value_type = Option<u64>)]
    id: Option<Id<of::Committee>>,
    /// One line, at most 255 characters. Unique in the application, whatever its case.
    #[schema(value_type = Name)]
    name: String,
}

shared::kinds!(CommitteeInput);

impl ApplicationInput {
    /// Checks the fields and writes them into `application` and `texts`.
    pub fn apply(
        self,
        mode: Mode,
        application: &mut Application,
        texts: &mut ApplicationTexts,
        next_id: impl Fn() -> u64,
    ) -> Result<(), ApiError> {
        let mut reader = Reader::new(mode);
        reader.set(self.name, &mut application.name);
        reader.html(
            self.description,
            limits::APPLICATION_TEXT_BYTES,
            &mut texts.description,
        );
        reader.set(self.application_start_time, &mut application.start);
        reader.set(self.application_end_time, &mut application.end);
        reader.set(self.result_release_time, &mut application.release);
        reader.set(self.is_active, &mut application.is_active);
        reader.url(self.external_url, &mut application.external_url);
        reader.set(self.confirmation, &mut application.confirmation);
        reader.set(self.blind_reviews, &mut application.blind_reviews);
        let notice = &mut application.interview_notice_hours;
        reader.set(self.interview_notice_hours, notice);
        let templates = [
            (
                MailType::Acceptance,
                self.acceptance_email,
                (&mut texts.acceptance_email, &mut texts.acceptance_format),
            ),
            (
                MailType::Rejection,
                self.rejection_email,
                (&mut texts.rejection_email, &mut texts.rejection_format),
            ),
            (
                MailType::Interview,
                self.interview_email,
                (&mut texts.interview_email, &mut texts.interview_format),
            ),
        ];
        for (kind, sent, into) in templates {
            template(&mut reader, kind, sent, into);
        }
        let committees = reader.get(self.committees);
        check_order(&mut reader, application);
        if let Some(committees) = committees {
            application.committees =
                merge_committees(&mut reader, committees, &application.committees, next_id);
        }
        reader.finish()
    }
}

fn check_order(reader: &mut Reader, application: &Application) {
    let (start, end) = (
        ("application_start_time", application.start),
        ("application_end_time", application.end),
    );
    reader.in_order(start, end);
    reader.in_order(end, ("result_release_time", application.release));
}

fn template(
    reader: &mut Reader,
    kind: MailType,
    sent: FieldInput<Html>,
    (into, format): (&mut String, &mut TemplateFormat),
) {
    let mut text = into.clone();
    let (name, source) = (sent.name, sent.sent().cloned());
    let limit = limits::APPLICATION_TEXT_BYTES;
    // What GET returned is in the format that it had.
    let source = source.filter(|source| source != into);
    let new_format = source.as_deref().map_or(*format, Template::format);
    let clean: fn(&str) -> String = match new_format {
        TemplateFormat::Text => str::to_owned,
        TemplateFormat::Html => Template::clean,
    };
    reader.html_with(sent, limit, clean, &mut text);
    if let Some(source) = source
        && !reader.errors.has(name)
        && let Some(why) = Template::changed(&source, &text, kind.variables())
    {
        reader.errors.add(name, why);
    }
    match Template::of(&text, new_format, kind.variables()) {
        Ok(_) => (*into, *format) = (text, new_format),
        Err(why) if !reader.errors.has(name) => reader.errors.add(name, why),
        Err(_) => {}
    }
}

fn merge_committees(
    reader: &mut Reader,
    inputs: Vec<CommitteeInput>,
    old: &[Committee],
    next_id: impl Fn() -> u64,
) -> Vec<Committee> {
    if inputs.len() > limits::COMMITTEES {
        reader.errors.add(
            "committees",
            Reason::TooMany {
                limit: limits::COMMITTEES,
            },
        );
        return vec![];
    }
    // A committee that is named by its id may leave its name to another one.
    let by_id: HashSet<_> = inputs.iter().filter_map(|committee| committee.id).collect();
    let (mut names, mut ids) = (HashSet::new(), HashSet::new());
    let mut merged = Vec::with_capacity(inputs.len());
    for (i, committee) in inputs.into_iter().enumerate() {
        let field = format!("committees.{i}");
        // A name that is stored may stay, whatever it is.
        let name = if old.iter().any(|old| old.name == committee.name) {
            committee.name
        } else {
            let name = reader.part::<Name>(format!("{field}.name"), committee.name);
            name.unwrap_or_default()
        };
        let folded = name.to_lowercase();
        if !name.is_empty() && !names.insert(folded.clone()) {
            reader.errors.add(format!("{field}.name"), Reason::Taken);
        }
        let existing = match committee.id {
            Some(id) => old.iter().find(|old| old.id == id),
            None => old
                .iter()
                .filter(|old| !by_id.contains(&old.id))
                .find(|old| old.name.to_lowercase() == folded),
        };
        if committee.id.is_some() && existing.is_none() {
            reader
                .errors
                .add(format!("{field}.id"), Reason::unknown("committee"));
        }
        let id = existing.map_or_else(|| Id::new(next_id()), |existing| existing.id);
        if !ids.insert(id) {
            reader.errors.add(field, Reason::Twice);
        }
        merged.push(Committee { id, name });
    }
    let limit = limits::COMMITTEE_BYTES;
    let bytes = |all: &[Committee]| all.iter().map(|one| one.name.len()).sum::<usize>();
    if bytes(&merged) > limit.max(bytes(old)) {
        reader
            .errors
            .add("committees", Reason::LongCommittees { limit });
    }
    merged
}
