//! `/clubs/{club}/applications/{application}/draft/`

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use chrono::{DateTime, TimeDelta};
use shared::db::usage::request_age;
use shared::db::{Retries, TableError};
use shared::domain::{
    Application, Committee, DraftAnswer, Extension, Form, Person, Question, Submission,
};
use shared::domain::{DraftWrite, StoredSubmission};
use shared::ids::Id;
use shared::time::Timestamp;
use shared::web::{
    ApiError, Code, ERASING, IfMatch, Input, Load, NoBody, NoContent, Params, PathIds, ReceivedAt,
    Result, SignedIn, User,
};
use shared::{Shared, limits};

use crate::draft_body::{
    AnswerChange, CHANGED_ELSEWHERE, DraftAnswerBody, DraftBody, DraftConflictBody, DraftInput,
    conflict,
};
use crate::store::closed;
use crate::store::is_orphaned;
use crate::submissions::ApplicantData;

/// How long a draft is kept after the end of its application (N6).
const KEPT: TimeDelta = TimeDelta::days(30);

/// The draft of the caller in the path and the query, as it is stored.
pub struct OwnDraft {
    application: Id<Application>,
    person: Id<Person>,
    committee: Option<Id<Committee>>,
    /// The order number of the last submission for this committee.
    submitted: u64,
    /// All stored answers, also removed ones and those of a draft that ended.
    stored: BTreeMap<Id<Question>, DraftAnswer>,
    /// The stored answers of the person's drafts for other committees.
    others: Vec<DraftAnswer>,
}

impl Load for OwnDraft {
    async fn load(app: &Shared, user: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(application) = path.id("application") else {
            return Ok(None);
        };
        // The handler reports a parameter that is wrong.
        let committee = path.params().id("committee").unwrap_or_default();
        Ok(Some(
            Self::read(app, application, user.id(), committee).await?,
        ))
    }
}

impl OwnDraft {
    async fn read(
        app: &Shared,
        application: Id<Application>,
        person: Id<Person>,
        committee: Option<Id<Committee>>,
    ) -> Result<Self, TableError> {
        let submission = Submission::id_of(application, person, committee);
        let (stored, submitted) = futures::try_join!(
            app.table.drafts(application, person),
            app.table.stored_submission(application, submission)
        )?;
        let (own, others): (Vec<DraftAnswer>, Vec<DraftAnswer>) = stored
            .into_iter()
            .partition(|answer| answer.committee == committee);
        Ok(Self {
            application,
            person,
            committee,
            submitted: submitted.last_submitted(),
            stored: own
                .into_iter()
                .map(|answer| (answer.question, answer))
                .collect(),
            others,
        })
    }

    /// The answers of the draft, also those that were removed. None if the draft ended.
    fn live(&self, now: Timestamp) -> impl Iterator<Item = &DraftAnswer> {
        let submitted = self.submitted;
        self.stored
            .values()
            .filter(move |answer| answer.is_live(submitted, now))
    }

    /// The writes that the changes need, or the answers that somebody else changed since the client
    /// read them.
    fn writes(
        &self,
        changes: &[AnswerChange],
        new: &Stamp,
    ) -> Result<Vec<DraftWrite>, Vec<DraftAnswerBody>> {
        let (mut writes, mut conflicts) = (Vec::new(), Vec::new());
        for change in changes {
            let stored = self.stored.get(&change.question);
            let known = stored.filter(|answer| answer.is_live(self.submitted, new.now));
            let (version, is_removed) =
                known.map_or((0, true), |answer| (answer.version, answer.is_removed()));
            let (text, option) = (change.text.clone(), change.option);
            let is_same = known.map_or(text.is_none() && option.is_none(), |answer| {
                answer.text == text && answer.option == option
            });
            // An earlier attempt of this request, or another device, stored the same answer.
            if is_same {
                continue;
            }
            // Somebody who never saw the answer may write it anew, but a late request may not bring
            // it back.
            let is_anew = is_removed
                && change.version == 0
                && known.is_none_or(|removed| removed.received < new.received);
            if change.version != version && !is_anew {
                conflicts.push(DraftAnswerBody::of(change.question, known));
                continue;
            }
            let replaces = stored.map(|answer| answer.version);
            writes.push(DraftWrite {
                answer: DraftAnswer {
                    application: self.application,
                    person: self.person,
                    committee: self.committee,
                    question: change.question,
                    version: replaces.unwrap_or(0) + 1,
                    text,
                    option,
                    received: new.received,
                    updated_at: new.now,
                    expires: new.expires,
                },
                replaces,
            });
        }
        if conflicts.is_empty() {
            Ok(writes)
        } else {
            Err(conflicts)
        }
    }

    /// The draft as the client sees it. None if it has no answers.
    fn body(&self, now: Timestamp) -> Option<DraftBody> {
        let last = |read: fn(&DraftAnswer) -> i64| self.live(now).map(read).max();
        let time = |seconds| DateTime::from_timestamp(seconds, 0).map(Timestamp::at);
        Some(DraftBody {
            committee: self.committee,
            responses: self
                .live(now)
                .filter(|answer| !answer.is_removed())
                .map(|answer| DraftAnswerBody::of(answer.question, Some(answer)))
                .collect(),
            updated_at: time(last(|answer| answer.updated_at.epoch_seconds())?)?,
            expires_at: time(last(|answer| answer.expires)?)?,
        })
    }
}

impl OwnDraft {
    /// It is 412 if the header `If-Match` names another state of the draft, or if there is none.
    fn check(&self, if_match: &IfMatch, now: Timestamp) -> Result<()> {
        match self.body(now).filter(|body| !body.responses.is_empty()) {
            Some(body) => if_match.check(|| body),
            None => if_match.check_absent(),
        }
    }

    /// It is 400 if all drafts of the person in this application would be larger than allowed, and
    /// the request makes them larger (N10).
    async fn check_size(&self, app: &Shared, writes: &[DraftWrite], now: Timestamp) -> Result<()> {
        let size = |answer: &DraftAnswer| answer.text.as_ref().map_or(0, String::len);
        let replaced = |write: &DraftWrite| self.stored.get(&write.answer.question).map_or(0, size);
        let added: usize = writes.iter().map(|write| size(&write.answer)).sum();
        let removed: usize = writes.iter().map(replaced).sum();
        let own: usize = self.stored.values().map(size).sum();
        let others: usize = self.others.iter().map(size).sum();
        if added <= removed || own - removed + added + others <= limits::DRAFTS_BYTES {
            return Ok(());
        }
        // Drafts that were submitted do not count.
        let committees: BTreeSet<_> = self.others.iter().map(|other| other.committee).collect();
        let id = |committee| Submission::id_of(self.application, self.person, committee);
        let places = committees.into_iter().map(id);
        let submitted = app
            .table
            .stored_submissions(self.application, places)
            .await?;
        let last = |committee| {
            let place = submitted.get(&id(committee));
            place.map_or(0, StoredSubmission::last_submitted)
        };
        let others = self
            .others
            .iter()
            .filter(|other| other.is_live(last(other.committee), now));
        let own: usize = self.live(now).map(size).sum();
        if own.saturating_sub(removed) + added + others.map(size).sum::<usize>()
            <= limits::DRAFTS_BYTES
        {
            return Ok(());
        }
        let why = format!(
            "The drafts of this application may have at most {} KiB together. Shorten an answer.",
            limits::DRAFTS_BYTES / 1024
        );
        Err(ApiError::field("responses", why).coded(Code::Quota))
    }
}

/// What the answers that one request writes have in common.
struct Stamp {
    received: u64,
    now: Timestamp,
    expires: i64,
}

/// The committee in the query, if the application has it.
fn committee(params: &Params, application: &Application) -> Result<Option<Id<Committee>>> {
    let id = params.id("committee")?;
    if id.is_some_and(|id| application.committee(id).is_none()) {
        return Err(ApiError::field(
            "committee",
            "This application has no committee with this id.",
        ));
    }
    Ok(id)
}

/// Get a draft of the caller.
///
/// For every signed-in user: the answers that the caller has typed for a committee but not
/// submitted. Nobody else can read them. 404 if there are none, after they were submitted, and after
/// the draft has expired.
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
    State(app): State<Shared>,
    params: Params,
    scope: SignedIn<Application, OwnDraft>,
) -> Result<Json<DraftBody>> {
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
/// For every signed-in user who can see the club, while the application is open. Only the answers in
/// the body change. If another tab or device changed one of them since the client read it, nothing
/// is stored, and the answer is 412 with these answers as they are. Answers are complete only when
/// they are submitted: until then, word limits and the total size are not checked.
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
                    "version": 2,
                    "updated_at": "2026-11-21T09:00:00Z",
                }],
            }))
    )
)]
pub async fn save_draft(
    State(app): State<Shared>,
    ReceivedAt(received): ReceivedAt,
    params: Params,
    scope: SignedIn<Form, (ApplicantData, OwnDraft)>,
    Input(input): Input<DraftInput>,
) -> Result<Response> {
    let (form, (ApplicantData { person, extension }, mut draft)) = (scope.parent, scope.object);
    let end = extension
        .as_ref()
        .map(|extension: &Extension| extension.end);
    if !form.application.is_current(received, end) {
        return Err(closed());
    }
    if person.erasing {
        return Err(ApiError::rule(ERASING));
    }
    // Of a committee or a question that is gone, answers can only be removed (N9).
    let committee = if input.only_removes() && !draft.stored.is_empty() {
        draft.committee
    } else {
        committee(&params, &form.application)?
    };
    let now = app.now();
    draft.check(&scope.if_match, now)?;
    let known = draft.stored.keys().copied().collect();
    let changes = input.check(&form, committee, &known)?;
    let end = end.map_or(form.application.end, |end| end.max(form.application.end));
    let new = Stamp {
        received: app.ids.received(received),
        now: app.now(),
        expires: end.plus(KEPT).epoch_seconds(),
    };
    let mut retries = Retries::default();
    let written = loop {
        retries.next().await?;
        let writes = match draft.writes(&changes, &new) {
            Ok(writes) => writes,
            Err(conflicts) => return Ok(conflict(conflicts)),
        };
        draft.check_size(&app, &writes, new.now).await?;
        match app.table.save_draft(&writes).await {
            Ok(()) => break writes,
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
        draft = OwnDraft::read(&app, form.application.id, person.id, committee).await?;
        draft.check(&scope.if_match, now)?;
    };
    let written: Vec<DraftAnswer> = written.into_iter().map(|write| write.answer).collect();
    if !written.is_empty() && request_age() > limits::DELETION_GRACE / 2 {
        let orphaned = is_orphaned(&app, &form.application, person.id, committee).await;
        if orphaned.map_err(ApiError::after_write)? {
            app.table
                .delete_draft(written, (new.received, new.now))
                .await
                .map_err(TableError::after_write)?;
            return Err(closed());
        }
    }
    draft
        .stored
        .extend(written.into_iter().map(|answer| (answer.question, answer)));
    keep_longer(&app, &mut draft, &new).await;
    let body = draft.body(new.now).unwrap_or(DraftBody {
        committee,
        responses: vec![],
        updated_at: new.now,
        expires_at: end.plus(KEPT),
    });
    Ok(Json(body).into_response())
}

/// Gives the other answers the expiry of this request. It differs only if the end of the
/// application was moved. What fails here is done with the next save.
async fn keep_longer(app: &Shared, draft: &mut OwnDraft, new: &Stamp) {
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
        let saved = app.table.save_draft(std::slice::from_ref(&write)).await;
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
    State(app): State<Shared>,
    ReceivedAt(received): ReceivedAt,
    params: Params,
    scope: SignedIn<Application, OwnDraft>,
    _: NoBody,
) -> Result<NoContent> {
    params.only(&["committee"])?;
    let mut draft = scope.object;
    // A draft for a committee that is gone can still be deleted.
    let committee = if draft.stored.is_empty() {
        committee(&params, &scope.parent)?
    } else {
        draft.committee
    };
    let (received, now) = (app.ids.received(received), app.now());
    draft.check(&scope.if_match, now)?;
    let mut retries = Retries::default();
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
                    received,
                    updated_at: now,
                    ..answer.clone()
                },
            })
            .collect();
        let removed = removals
            .iter()
            .map(|removal| app.table.save_draft(std::slice::from_ref(removal)));
        let mut is_done = true;
        for removed in futures::future::join_all(removed).await {
            match removed {
                Ok(()) => {}
                Err(TableError::Refused(_)) => is_done = false,
                Err(error) => return Err(error.after_write().into()),
            }
        }
        if is_done {
            return Ok(NoContent);
        }
        draft = OwnDraft::read(&app, scope.parent.id, draft.person, committee).await?;
    }
}
