//! `/clubs/{club}/applications/{application}/submissions/export/`

use std::collections::BTreeMap;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use shared::Context;
use shared::bodies::{committee_of, references_of};
use shared::domain::{AnswerFile, Answered, Form, QuestionType, References};
use shared::ids::{Id, of};
use shared::web::scopes::RecruitmentRead;
use shared::web::{ApiError, Officer, Params, Result, Slice, Sliced};

use crate::filter::{FilterParams, find};

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

/// Export the submissions to an application as CSV.
///
/// For officers. UTF-8 with a byte order mark: one row for each submission, one column for each
/// question. The newest submission comes first, unless `ordering` says otherwise.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/submissions/export/",
    tag = "submissions", security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(
        ("club" = String, Path),
        ("application" = u64, Path),
        FilterParams
    ),
    responses((status = 200, body = String, content_type = "text/csv"))
)]
pub async fn export_submissions(
    app: Context,
    params: Params,
    scope: Officer<RecruitmentRead, Form>,
    slice: Slice,
) -> Result<Response> {
    csv(&app, &scope.parent, scope.user.id(), &params, &slice).await
}

pub(crate) async fn csv(
    app: &Context,
    form: &Form,
    officer: Id<of::Person>,
    params: &Params,
    slice: &Slice,
) -> Result<Response> {
    let (mut submissions, sort_key) = find(app, &form.application, officer, params, slice).await?;
    let next = slice.cut(&mut submissions, sort_key);
    let references = references_of(app, form, submissions.iter()).await?;
    let bytes = write(form, &references, &submissions)
        .map_err(|error| ApiError::Internal(error.to_string()))?;
    let name = format!(
        "attachment; filename=\"submissions-{}.csv\"",
        form.application.id
    );
    let mut response = (
        [
            (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
            (header::CONTENT_DISPOSITION, name),
        ],
        bytes,
    )
        .into_response();
    response.extensions_mut().insert(Sliced);
    if let Some(link) = next {
        response.headers_mut().insert(header::LINK, link);
    }
    Ok(response)
}

/// When the booked slot of a submission begins, or an empty text.
fn interview_time(submission: &Answered, references: &References) -> String {
    let slot = submission.booked().and_then(|id| references.slots.get(&id));
    slot.map(|slot| slot.start.to_string()).unwrap_or_default()
}

fn write(
    form: &Form,
    references: &References,
    submissions: &[Answered],
) -> std::result::Result<Vec<u8>, Box<dyn std::error::Error>> {
    // The present questions in their order, then deleted questions that have answers. Information
    // texts have no column (S11).
    let asked = form
        .questions
        .iter()
        .filter(|question| question.prompt.question_type != QuestionType::InfoText);
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
            deleted.insert(
                answer.question,
                prompt.map_or("", |prompt| prompt.text.as_str()),
            );
        }
    }
    questions.extend(deleted);
    let mut writer = csv::Writer::from_writer("\u{feff}".as_bytes().to_vec());
    writer.write_record(
        COLUMNS
            .iter()
            .copied()
            .map(str::to_owned)
            .chain(questions.iter().map(|(_, prompt)| harmless(prompt))),
    )?;
    for submission in submissions {
        let personal = submission
            .applicant
            .as_ref()
            .map(|applicant| applicant.personal.clone())
            .unwrap_or_default();
        let email_status = serde_json::to_value(submission.email_status())?;
        let mut row = vec![
            submission.id.to_string(),
            harmless(&personal.name),
            harmless(&personal.username),
            harmless(&personal.email),
            harmless(
                &committee_of(submission, &form.application)
                    .map(|committee| committee.name)
                    .unwrap_or_default(),
            ),
            submission.status.code().to_string(),
            harmless(&submission.reason),
            submission.notified.to_string(),
            email_status.as_str().unwrap_or_default().to_owned(),
            interview_time(submission, references),
            submission.created_at.to_string(),
            submission.updated_at.to_string(),
        ];
        let answers = submission.answers.read();
        row.extend(questions.iter().map(|(question, _)| {
            let Some(answer) = answers.iter().find(|answer| answer.question == *question) else {
                return String::new();
            };
            let prompt = references.prompts.get(&(answer.question, answer.version));
            let option = prompt.and_then(|prompt| {
                prompt
                    .options
                    .iter()
                    .find(|option| Some(option.id) == answer.option)
            });
            let option = option.map(|option| option.value.clone());
            let file = answer.file().map(|file| named(submission, &file));
            harmless(&answer.text().or(option).or(file).unwrap_or_default())
        }));
        writer.write_record(row)?;
    }
    Ok(writer.into_inner()?)
}

/// The name of a file, and where the API has it.
fn named(submission: &Answered, file: &AnswerFile) -> String {
    let (club, application) = (&submission.club, submission.application);
    format!(
        "{} /api/clubs/{club}/applications/{application}/submissions/{}/files/{}/",
        file.name, submission.id, file.id
    )
}

/// Changes a cell so that no spreadsheet runs it as a formula (S12; OWASP, CSV injection). A
/// spreadsheet may take semicolons or tabs as separators, depending on its locale. Then quotes do
/// not protect, and a new cell begins after each of them.
fn harmless(cell: &str) -> String {
    let starts = |text: &str| {
        text.trim_start_matches([' ', '\u{a0}', '"', '\''])
            .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
    };
    let mut whole = String::with_capacity(cell.len());
    for (n, part) in cell.split_inclusive([';', '\t', '\r', '\n']).enumerate() {
        if starts(part) || (n == 0 && part.starts_with(['\t', '\r', '\n'])) {
            whole.push('\'');
        }
        whole.push_str(part);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::harmless;

    // proves S12
    #[test]
    fn formulas_are_no_formulas_in_any_locale() {
        for (cell, expected) in [
            ("plain; text", "plain; text"),
            ("=1+1", "'=1+1"),
            (" -1", "' -1"),
            ("a;=1+1", "a;'=1+1"),
            ("a;\"=1+1", "a;'\"=1+1"),
            ("a\t@x", "a\t'@x"),
            ("a\n+1; +2", "a\n'+1;' +2"),
            ("\t=1", "'\t'=1"),
            ("x = 1, y = 2", "x = 1, y = 2"),
        ] {
            assert_eq!(harmless(cell), expected);
        }
    }
}
