//! Where the files come from that a draft or a submission names: uploads, and copies that earlier
//! submissions of the same person have (U4).

use std::collections::HashMap;

use futures::future::try_join_all;
use shared::Context;
use shared::domain::{
    AnswerFile, Attachment, FileFormat, Form, Question, QuestionType, StoredSubmission, Submission,
    Upload,
};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::web::{ApiError, Result};

/// A file of a person.
pub enum FileSource {
    /// It was uploaded, or will be.
    Upload(Upload),
    /// An earlier submission has it.
    Copy {
        attachment: Attachment,
        question: Id<of::Question>,
        file: AnswerFile,
    },
}

/// A file that is there, and was looked at.
pub struct CheckedFile {
    /// What is stored of it.
    pub file: AnswerFile,
    /// The upload, if it is one.
    pub upload: Option<Upload>,
    /// Its key in the bucket.
    pub object: String,
    /// Its tag when it was looked at.
    pub tag: String,
}

/// The files that a request names, by id; or why one cannot be used.
pub type CheckedFiles = HashMap<Id<of::Upload>, std::result::Result<CheckedFile, Reason>>;

/// Finds files of a person in an application: 1 query, and for files that were submitted 1 batch
/// read of the person's submissions, and 1 of their answers.
pub async fn find_sources(
    app: &Context,
    form: &Form,
    person: Id<of::Person>,
    ids: &[Id<of::Upload>],
) -> Result<HashMap<Id<of::Upload>, FileSource>> {
    let (application, now) = (form.application.id, app.now());
    let uploads = app.table.uploads(person, application).await?;
    let is_there = |upload: &Upload| upload.used || upload.kept_until > now;
    let mut found: HashMap<Id<of::Upload>, FileSource> = uploads
        .into_iter()
        .filter(|upload| ids.contains(&upload.id) && is_there(upload))
        .map(|upload| (upload.id, FileSource::Upload(upload)))
        .collect();
    if ids.iter().all(|id| found.contains_key(id)) {
        return Ok(found);
    }
    let committees = form.application.committees.iter().map(|one| one.id);
    let submission_ids: Vec<Id<of::Submission>> =
        Submission::ids_of(application, person, committees).collect();
    let stored = app
        .table
        .stored_submissions(application, submission_ids)
        .await?;
    let has_some = |submission: &Submission| submission.files.iter().any(|id| ids.contains(id));
    let submitted = stored.into_values().filter_map(|stored| match stored {
        StoredSubmission::Present(submission) => Some(*submission).filter(has_some),
        _ => None,
    });
    for answered in app.table.answered(submitted.collect()).await? {
        for answer in answered.answers.read() {
            let Some(file) = answer.file().filter(|file| ids.contains(&file.id)) else {
                continue;
            };
            let attachment = Attachment {
                application,
                submission: answered.id,
                person: answered.person,
                at: answered.answers_at,
                file: file.id,
            };
            let question = answer.question;
            found.entry(file.id).or_insert(FileSource::Copy {
                attachment,
                question,
                file,
            });
        }
    }
    Ok(found)
}

/// Why a file that is gone cannot be named.
pub const NOT_HERE: Reason = Reason::unknown("file");
const WAITING: Reason = Reason::FileNotArrived;
const OTHER: Reason = Reason::OtherFile;
const NO_SUCH_FORMAT: Reason = Reason::FileOfOtherType;

/// Looks at the files that answers name, each for its question: at most 5 requests of the bucket
/// at the same time.
pub async fn check_files(
    app: &Context,
    form: &Form,
    person: Id<of::Person>,
    named: impl IntoIterator<Item = (Id<of::Question>, Id<of::Upload>)>,
) -> Result<CheckedFiles> {
    let is_file = |question: &Question| question.prompt.question_type == QuestionType::File;
    let named: HashMap<Id<of::Question>, Id<of::Upload>> = named
        .into_iter()
        .filter(|(question, _)| form.question(*question).is_some_and(is_file))
        .collect();
    if named.is_empty() {
        return Ok(CheckedFiles::new());
    }
    let ids: Vec<Id<of::Upload>> = named.values().copied().collect();
    let mut sources = find_sources(app, form, person, &ids).await?;
    let looked = named.into_iter().map(|(question, id)| {
        let source = sources.remove(&id);
        async move { Ok::<_, ApiError>((id, check_file(app, question, source).await?)) }
    });
    Ok(try_join_all(looked).await?.into_iter().collect())
}

async fn check_file(
    app: &Context,
    question: Id<of::Question>,
    source: Option<FileSource>,
) -> Result<std::result::Result<CheckedFile, Reason>> {
    let (file, of, upload, object) = match source {
        Some(FileSource::Upload(upload)) => {
            let object = upload.object();
            (upload.answer(), upload.question, Some(upload), object)
        }
        Some(FileSource::Copy {
            attachment,
            question,
            file,
        }) => (file, question, None, attachment.object()),
        None => return Ok(Err(NOT_HERE)),
    };
    if of != question {
        return Ok(Err(NOT_HERE));
    }
    let Some(seen) = app.table.files().store()?.look(&object).await? else {
        return Ok(Err(WAITING));
    };
    if seen.size != file.size || seen.sha256 != file.sha256 {
        return Ok(Err(OTHER));
    }
    let format = FileFormat::of(&file.media_type);
    if !format.is_some_and(|format| format.fits(&seen.first)) {
        return Ok(Err(NO_SUCH_FORMAT));
    }
    Ok(Ok(CheckedFile {
        file,
        upload,
        object,
        tag: seen.tag,
    }))
}
