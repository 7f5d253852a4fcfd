//! `/clubs/{club}/applications/{application}/draft/`

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use shared::db::TableError;
use shared::domain::{Application, DraftAnswer, DraftEntry, DraftWrite, Extension, Form, Person};
use shared::ids::{Id, of};
use shared::time::{RequestTime, Timestamp};
use shared::web::scopes::SessionOnly;
use shared::web::{ApiError, Input, NoBody, NoContent, Params, ReceivedAt, Result, SignedIn};
use shared::{Context, limits};

use crate::applicant::ApplicantData;
use crate::draft_body::{CHANGED_ELSEWHERE, DraftBody, DraftConflictBody, DraftInput, conflict};
use crate::files::{CheckedFiles, NOT_HERE, check_files};
use crate::own_draft::{DRAFT_KEPT, OwnDraft, Stamp, committee, named_committee};
use crate::store::{closed, is_orphaned};

/// Get a draft of the caller.
///
/// For every signed-in user: the answers that the caller has typed for a committee but not
/// submitted. Nobody else can read them. 404 if there are none, after they were submitted, and
/// after the draft has expired.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/draft/", tag = "submissions",
    security(("bearer" = [])),
    params(
        ("club" = String, Path),
        ("application" = u64, Path),
        ("committee" = Option<u64>, Query,
            description = "Id of the committee that the draft is for. Without it, the draft for \
                none")
    ),
    responses((status = 200, body = DraftBody))
)]
pub async fn show_draft(
    app: Context,
    params: Params,
    scope: SignedIn<SessionOnly, Application, OwnDraft>,
) -> Result<Json<DraftBody>> {
    named_committee(&params)?;
    let body = scope.object.body(app.now());
    // A draft for a committee that is gone can still be read.
    if let Some(body) = body.filter(|body| !body.responses.is_empty()) {
        return Ok(Json(body));
    }
    committee(&params, &scope.parent)?;
    Err(ApiError::NotFound)
}

/// Save answers of a draft of the caller.
///
/// For every signed-in user who can see the club, while the application is open. Only the answers
/// in the body change. If another tab or device changed one of them since the client read it,
/// nothing is stored, and the answer is 412 with these answers as they are. Answers are complete
/// only when they are submitted: until then, word limits and the total size are not checked.
#[utoipa::path(
    patch, path = "/api/clubs/{club}/applications/{application}/draft/", tag = "submissions",
    security(("bearer" = [])),
    params(
        ("club" = String, Path),
        ("application" = u64, Path),
        ("committee" = Option<u64>, Query,
            description = "Id of the committee that the draft is for. Without it, the draft for \
                none")
    ),
    request_body = DraftInput,
    responses(
        (status = 200, body = DraftBody),
        (status = 412, body = DraftConflictBody,
            description = "An answer was changed elsewhere. Nothing was stored.",
            example = json!({
                "detail": CHANGED_ELSEWHERE,
                "code": "draft_conflict",
                "conflicts": [{
                    "question": 103,
                    "text": "I like to build robots",
                    "multiple_choice": null,
                    "file": null,
                    "version": 2,
                    "updated_at": "2026-11-21T09:00:00Z",
                }],
            }))
    )
)]
pub async fn save_draft(
    app: Context,
    ReceivedAt(received): ReceivedAt,
    params: Params,
    scope: SignedIn<SessionOnly, Form, (ApplicantData, OwnDraft)>,
    Input(input): Input<DraftInput>,
) -> Result<Response> {
    named_committee(&params)?;
    let (form, (ApplicantData { person, extension }, mut draft)) = (scope.parent, scope.object);
    let end = extension.as_ref().map(|one: &Extension| one.end);
    if !form.application.is_current(received, end) {
        return Err(closed());
    }
    // Of a committee or a question that is gone, answers can only be removed (N9).
    let committee = if input.only_removes() && !draft.stored.is_empty() {
        draft.committee
    } else {
        committee(&params, &form.application)?
    };
    let now = app.now();
    draft.check(&scope.if_match, now)?;
    let stored_questions = draft.stored.keys().copied().collect();
    let files = check_files(&app, &form, person.id, input.files()).await?;
    let naming = (!files.is_empty()).then(|| input.clone());
    let changes = input.check(&form, committee, &stored_questions, &files)?;
    let end = end.map_or(form.application.end, |end| end.max(form.application.end));
    let new = Stamp {
        received: app.ids.received(received),
        now,
        expires: end.plus(DRAFT_KEPT).epoch_seconds(),
    };
    let mut retries = app.table.retries();
    let written = loop {
        retries.next().await?;
        let writes = match draft.writes(&changes, &new) {
            Ok(writes) => writes,
            Err(conflicts) => return Ok(conflict(conflicts)),
        };
        draft.check_size(&app, &writes, new.now).await?;
        let entry = draft.entry_with(&new);
        let change = draft.entry_change(&entry, &writes, now);
        match app.table.save_draft(&writes, change).await {
            Ok(()) if matches!(change, Some(DraftEntry::Ends(_))) => {
                let of = (form.application.id, person.id);
                let again = OwnDraft::look_again(&app, of, draft.committee, now).await;
                again.map_err(TableError::after_write)?;
                break writes;
            }
            Ok(()) => break writes,
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
        draft = OwnDraft::read(&app, form.application.id, person.id, committee).await?;
        draft.check(&scope.if_match, now)?;
    };
    let written: Vec<DraftAnswer> = written.into_iter().map(|write| write.answer).collect();
    take_back_if_orphaned(&app, (&form.application, &person), &new, written.clone()).await?;
    if let Some(input) = naming {
        let of = (form.application.id, person.id);
        let kept = keep_files(&app, of, files, end.plus(DRAFT_KEPT)).await;
        let kept = kept.map_err(ApiError::after_write)?;
        input.check(&form, committee, &stored_questions, &kept)?;
    }
    draft
        .stored
        .extend(written.into_iter().map(|answer| (answer.question, answer)));
    keep_longer(&app, &mut draft, &new).await;
    let body = draft.body(new.now).unwrap_or(DraftBody {
        committee,
        responses: vec![],
        updated_at: new.now,
        expires_at: end.plus(DRAFT_KEPT),
    });
    Ok(Json(body).into_response())
}

/// Removes answers again that were stored for an application, a committee or a person that is gone.
async fn take_back_if_orphaned(
    app: &Context,
    (application, person): (&Application, &Person),
    new: &Stamp,
    written: Vec<DraftAnswer>,
) -> Result<()> {
    let Some(first) = written.first() else {
        return Ok(());
    };
    if app.table.request_age() <= limits::DELETION_GRACE / 2 {
        return Ok(());
    }
    let orphaned = is_orphaned(app, application, person, first.committee).await;
    if !orphaned.map_err(ApiError::after_write)? {
        return Ok(());
    }
    let when = RequestTime {
        received: new.received,
        at: new.now,
    };
    let (of, committee) = ((application.id, person.id), first.committee);
    let removed = app.table.delete_draft(written, when).await;
    removed.map_err(TableError::after_write)?;
    let ended = OwnDraft::end(app, of, committee, new.now).await;
    ended.map_err(TableError::after_write)?;
    Err(closed())
}

/// Keeps the uploads that a draft names as long as the draft, and returns the files; those that are
/// gone with the reason. The draft is stored before that, and the timer ends an upload before it
/// reads the drafts a last time: so at least one of them sees the other.
async fn keep_files(
    app: &Context,
    (application, person): (Id<of::Application>, Id<of::Person>),
    mut files: CheckedFiles,
    until: Timestamp,
) -> Result<CheckedFiles> {
    let mut retries = app.table.retries();
    'again: loop {
        retries.next().await?;
        let uploads = app.table.uploads(person, application).await?;
        for (id, found) in &mut files {
            if !matches!(found, Ok(file) if file.upload.is_some()) {
                continue;
            }
            let Some(upload) = uploads.iter().find(|upload| upload.id == *id) else {
                *found = Err(NOT_HERE);
                continue;
            };
            let is_short = upload.kept_until < until;
            if is_short && app.table.keep_upload(upload, until).await?.is_none() {
                continue 'again;
            }
        }
        return Ok(files);
    }
}

/// Gives the other answers the expiry of this request. It differs only if the end of the
/// application was moved. What fails here is done with the next save.
async fn keep_longer(app: &Context, draft: &mut OwnDraft, new: &Stamp) {
    let older = draft
        .live(new.now)
        .filter(|answer| answer.expires != new.expires);
    let writes: Vec<DraftWrite> = older
        .map(|answer| DraftWrite {
            answer: DraftAnswer {
                expires: new.expires,
                ..answer.clone()
            },
            replaces: Some(answer.version),
        })
        .collect();
    let saved = writes.into_iter().map(async |write| {
        let saved = app
            .table
            .save_draft(std::slice::from_ref(&write), None)
            .await;
        saved.ok().map(|()| write.answer)
    });
    let saved = futures::future::join_all(saved).await.into_iter().flatten();
    draft
        .stored
        .extend(saved.map(|answer| (answer.question, answer)));
}

/// Delete a draft of the caller.
///
/// For every signed-in user. Answers that are saved at the same moment by a later request stay.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/applications/{application}/draft/", tag = "submissions",
    security(("bearer" = [])),
    params(
        ("club" = String, Path),
        ("application" = u64, Path),
        ("committee" = Option<u64>, Query,
            description = "Id of the committee that the draft is for. Without it, the draft for \
                none")
    ),
    responses((status = 204))
)]
pub async fn delete_draft(
    app: Context,
    ReceivedAt(received): ReceivedAt,
    params: Params,
    scope: SignedIn<SessionOnly, Application, OwnDraft>,
    _: NoBody,
) -> Result<NoContent> {
    params.only(&["committee"])?;
    named_committee(&params)?;
    let mut draft = scope.object;
    // A draft for a committee that is gone can still be deleted.
    let committee = if draft.stored.is_empty() {
        committee(&params, &scope.parent)?
    } else {
        draft.committee
    };
    let (received, now) = (app.ids.received(received), app.now());
    draft.check(&scope.if_match, now)?;
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        // The items stay, without their answers, so that a late repeat of an earlier request cannot
        // store an answer again.
        let removals: Vec<DraftWrite> = draft
            .stored
            .values()
            .filter(|answer| !answer.is_removed() && answer.received < received)
            .map(|answer| DraftWrite {
                replaces: Some(answer.version),
                answer: DraftAnswer {
                    version: answer.version + 1,
                    text: None,
                    option: None,
                    file: None,
                    received,
                    updated_at: now,
                    ..answer.clone()
                },
            })
            .collect();
        let removed = removals
            .iter()
            .map(|removal| app.table.save_draft(std::slice::from_ref(removal), None));
        let mut is_done = true;
        for removed in futures::future::join_all(removed).await {
            match removed {
                Ok(()) => {}
                Err(TableError::Refused(_)) => is_done = false,
                Err(error) => return Err(error.after_write().into()),
            }
        }
        if is_done {
            let is_left = |answer: &DraftAnswer| answer.received >= received;
            if !draft.stored.is_empty() && !draft.answers(now).any(is_left) {
                let of = (draft.application, draft.person);
                let ended = OwnDraft::end(&app, of, draft.committee, now).await;
                ended.map_err(TableError::after_write)?;
            }
            return Ok(NoContent);
        }
        draft = OwnDraft::read(&app, scope.parent.id, draft.person, committee).await?;
    }
}
