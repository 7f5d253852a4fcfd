//! `/clubs/{club}/applications/{application}/submissions/export/`

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use axum::response::Response;
use shared::bodies::{Scores, committee_of, references_of};
use shared::domain::{AnswerFile, Answered, Form, Question, QuestionType, References, Status};
use shared::ids::{Id, of};
use shared::openapi::fields::ExportParams;
use shared::text::kinds::List;
use shared::web::scopes::RecruitmentRead;
use shared::web::{
    Cell, ExportFile, ExportFormat, ExportRequest, Input, Mode, Officer, Params, Reader, Result,
    Slice,
};
use shared::{Context, limits};

use crate::filter::{FilterParams, find};

/// The columns of both formats.
const COLUMNS: [&str; 12] = [
    "id",
    "name",
    "username",
    "email",
    "committee",
    "status",
    "reason",
    "notified",
    "email_status",
    "interview",
    "created_at",
    "updated_at",
];
/// Those of XLSX besides.
const SCORE_COLUMNS: [&str; 3] = ["review_count", "score_average", "my_score"];

shared::input! {
    /// The submissions to export.
    pub struct ExportInput strict {
        /// Ids of submissions, at most 10,000. Those of other applications are left out.
        ids: List<Id<of::Submission>, { limits::EXPORTED }>, Required;
    }
}

/// Export the submissions to an application.
///
/// For officers. CSV in UTF-8 with a byte order mark, or XLSX: one row for each submission, one
/// column for each question. The newest submission comes first, unless `ordering` says otherwise.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/submissions/export/",
    tag = "submissions", security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(
        ("club" = String, Path),
        ("application" = u64, Path),
        FilterParams,
        ExportParams
    ),
    responses((status = 200, content((String = "text/csv"), (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"))))
)]
pub async fn export_submissions(
    app: Context,
    headers: HeaderMap,
    params: Params,
    scope: Officer<RecruitmentRead, Form>,
    slice: Slice,
) -> Result<Response> {
    let request = ExportRequest::of(&params, &headers)?;
    export(
        &app,
        &scope.parent,
        scope.user.id(),
        &params,
        &slice,
        &request,
    )
    .await
}

/// Export many submissions by their ids.
///
/// For officers. Like the export with `GET`, for more ids than an address can have.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/submissions/export/",
    tag = "submissions", security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(
        ("club" = String, Path),
        ("application" = u64, Path),
        FilterParams,
        ExportParams
    ),
    request_body = ExportInput,
    responses((status = 200, content((String = "text/csv"), (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"))))
)]
pub async fn export_chosen_submissions(
    app: Context,
    headers: HeaderMap,
    params: Params,
    scope: Officer<RecruitmentRead, Form>,
    slice: Slice,
    Input(input): Input<ExportInput>,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let ids = reader.get(input.ids).unwrap_or_default();
    reader.finish()?;
    let request = ExportRequest::of_ids(&params, &headers, ids)?;
    export(
        &app,
        &scope.parent,
        scope.user.id(),
        &params,
        &slice,
        &request,
    )
    .await
}

/// The table of the submissions that an officer asks for: those that are chosen, or all.
pub(crate) async fn export(
    app: &Context,
    form: &Form,
    officer: Id<of::Person>,
    params: &Params,
    slice: &Slice,
    request: &ExportRequest<of::Submission>,
) -> Result<Response> {
    let application = &form.application;
    let (mut submissions, sort_key) = find(
        app,
        application,
        officer,
        params,
        slice,
        request.chosen.as_ref(),
    )
    .await?;
    let next = slice.cut(&mut submissions, sort_key);
    let references = references_of(app, form, submissions.iter()).await?;
    let table = Table {
        form,
        references: &references,
        questions: questions(form, &references, &submissions),
        officer,
        is_xlsx: request.format == ExportFormat::Xlsx,
    };
    let mut file = ExportFile::new(app, request.format, &table.columns())?;
    for submission in &submissions {
        file.row(table.row(submission))?;
    }
    file.response(&format!("submissions-{}", application.id), next)
}

/// The present questions in their order, then deleted questions that have answers. Information
/// texts have no column (S11).
fn questions<'a>(
    form: &'a Form,
    references: &'a References,
    submissions: &[Answered],
) -> Vec<(Id<of::Question>, &'a str)> {
    let is_asked = |question: &&Question| question.prompt.question_type != QuestionType::InfoText;
    let asked = form.questions.iter().filter(is_asked);
    let mut questions: Vec<(Id<of::Question>, &str)> = asked
        .map(|question| (question.id, question.prompt.text.as_str()))
        .collect();
    let mut deleted = BTreeMap::new();
    for answer in submissions
        .iter()
        .flat_map(|submission| submission.answers.read())
    {
        if form.question(answer.question).is_none() {
            let prompt = references.prompts.get(&(answer.question, answer.version));
            let text = prompt.map_or("", |prompt| prompt.text.as_str());
            deleted.insert(answer.question, text);
        }
    }
    questions.extend(deleted);
    questions
}

/// What the rows of an export are made from.
struct Table<'a> {
    form: &'a Form,
    references: &'a References,
    questions: Vec<(Id<of::Question>, &'a str)>,
    officer: Id<of::Person>,
    /// People read XLSX: it has words instead of numbers, and the scores.
    is_xlsx: bool,
}

impl Table<'_> {
    fn columns(&self) -> Vec<String> {
        let scores = SCORE_COLUMNS.iter().filter(|_| self.is_xlsx);
        let prompts = self.questions.iter().map(|(_, prompt)| *prompt);
        let all = COLUMNS.iter().chain(scores).copied().chain(prompts);
        all.map(str::to_owned).collect()
    }

    fn row(&self, submission: &Answered) -> Vec<Cell> {
        let application = &self.form.application;
        let personal = submission
            .applicant
            .as_ref()
            .map(|applicant| &applicant.personal);
        let committee = committee_of(submission, application);
        let slot = submission
            .booked()
            .and_then(|id| self.references.slots.get(&id));
        let email_status = serde_json::to_value(submission.email_status()).unwrap_or_default();
        let mut row = vec![
            submission.id.to_string().into(),
            personal.map_or("", |personal| &personal.name).into(),
            personal.map_or("", |personal| &personal.username).into(),
            personal.map_or("", |personal| &*personal.email).into(),
            committee
                .map_or_else(String::new, |committee| committee.name)
                .into(),
            if self.is_xlsx {
                in_words(submission.status).into()
            } else {
                submission.status.code().to_string().into()
            },
            submission.reason.as_str().into(),
            Cell::flag(submission.notified, self.is_xlsx),
            email_status.as_str().unwrap_or_default().into(),
            slot.map(|slot| slot.start).into(),
            Cell::Time(submission.created_at),
            Cell::Time(submission.updated_at),
        ];
        if self.is_xlsx {
            let scores = Scores::seen_by(self.officer, submission, application);
            let number = |number: Option<f64>| number.map_or(Cell::Empty, Cell::Number);
            row.push(number(scores.count.map(f64::from)));
            row.push(number(scores.average()));
            row.push(number(scores.own.map(f64::from)));
        }
        let answers = submission.answers.read();
        row.extend(self.questions.iter().map(|(question, _)| {
            let Some(answer) = answers.iter().find(|answer| answer.question == *question) else {
                return Cell::Empty;
            };
            let prompt = self
                .references
                .prompts
                .get(&(answer.question, answer.version));
            let mut options = prompt.iter().flat_map(|prompt| &prompt.options);
            let option = options.find(|option| Some(option.id) == answer.option);
            let option = option.map(|option| option.value.clone());
            let file = answer.file().map(|file| named(submission, &file));
            answer.text().or(option).or(file).unwrap_or_default().into()
        }));
        row
    }
}

/// A status as people read it.
fn in_words(status: Status) -> &'static str {
    match status {
        Status::Pending => "pending",
        Status::RejectedWritten => "rejected",
        Status::RejectedInterview => "rejected after the interview",
        Status::Accepted => "accepted",
    }
}

/// The name of a file, and where the API has it.
fn named(submission: &Answered, file: &AnswerFile) -> String {
    let (club, application) = (&submission.club, submission.application);
    format!(
        "{} /api/clubs/{club}/applications/{application}/submissions/{}/files/{}/",
        file.name, submission.id, file.id
    )
}
