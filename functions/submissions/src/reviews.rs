//! `/clubs/{club}/applications/{application}/submissions/{submission}/reviews/`, `…/reviews/mine/`

use std::collections::HashMap;

use axum::Json;
use serde::Serialize;
use shared::Context;
use shared::db::TableError;
use shared::domain::{Application, Person, Review, Submission};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::kinds::{CommentText, FromOneToFive};
use shared::time::Timestamp;
use shared::web::scopes::{RecruitmentRead, RecruitmentWrite};
use shared::web::{
    ApiError, Input, Load, Mode, NoContent, NoInput, Officer, PathIds, Reader, Result, User,
    applicant_erased, edit,
};
use utoipa::ToSchema;

use crate::decisions::AuthorBody;

/// What an officer thinks of a submission.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewBody {
    /// Id of the review.
    #[schema(value_type = u64)]
    id: Id<of::Review>,
    /// The officer. Null if the officer was erased.
    by: Option<AuthorBody>,
    /// From 1 to 5, or null.
    score: Option<u8>,
    /// The comment, or null.
    comment: Option<String>,
    /// When it was first written.
    created_at: Timestamp,
    /// When it was last changed.
    updated_at: Timestamp,
}

impl ReviewBody {
    fn new(review: &Review, username: Option<&str>) -> Self {
        Self {
            id: review.id,
            by: review.person.map(|id| AuthorBody::new(id, username)),
            score: review.score,
            comment: review.comment.clone(),
            created_at: review.created_at,
            updated_at: review.updated_at,
        }
    }
}

shared::input! {
    /// A review. At least one of the two fields must not be null.
    pub struct ReviewInput {
        /// From 1 to 5, or null.
        score: Option<FromOneToFive>, Required;
        /// At most 5,000 characters, or null. An empty text counts as null.
        comment: Option<CommentText>, Required;
    }
}

impl ReviewInput {
    fn read(self) -> Result<(Option<u8>, Option<String>)> {
        let mut reader = Reader::new(Mode::Replace);
        let score = reader.get(self.score).flatten();
        let comment = reader
            .get(self.comment)
            .flatten()
            .filter(|comment| !comment.trim().is_empty());
        reader.finish()?;
        if score.is_none() && comment.is_none() {
            return Err(ApiError::rule(Reason::EmptyReview));
        }
        Ok((score, comment))
    }
}

/// The caller, and their own review of the submission in the path.
pub struct OwnReview {
    person: Person,
    review: Option<Review>,
}

impl Load for OwnReview {
    async fn load(app: &Context, user: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let (Some(application), Some(submission)) = (path.id("application"), path.id("submission"))
        else {
            return Ok(None);
        };
        let id = Review::id_of(submission, user.id());
        let review = async { Ok(app.table.review(application, submission, id).await?) };
        let (person, review) = futures::try_join!(user.person(), review)?;
        Ok(Some(Self {
            person: person.clone(),
            review,
        }))
    }
}

type Reviewer = Officer<RecruitmentWrite, Application, (Submission, OwnReview)>;

/// Nobody reads or writes reviews of a submission of their own (W3).
fn check_not_own(submission: &Submission, user: &User) -> Result<()> {
    if submission.person == Some(user.id()) {
        return Err(ApiError::Forbidden);
    }
    Ok(())
}

/// List the reviews of a submission.
///
/// For officers. The oldest comes first. If the application has `blind_reviews`, officers see the
/// reviews of others only after writing their own. Nobody sees reviews of a submission of their
/// own.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/reviews/",
    tag = "reviews", security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    responses((status = 200, body = Vec<ReviewBody>))
)]
pub async fn list_reviews(
    app: Context,
    scope: Officer<RecruitmentRead, Application, Submission>,
) -> Result<Json<Vec<ReviewBody>>> {
    check_not_own(&scope.object, &scope.user)?;
    let mut reviews = app.table.reviews(&scope.object).await?;
    let by_caller = |review: &Review| review.person == Some(scope.user.id());
    if scope.parent.blind_reviews && !reviews.iter().any(by_caller) {
        reviews.clear();
    }
    reviews.sort_by_key(|review| (review.created_at, review.id));
    let authors = reviews.iter().filter_map(|review| review.person);
    let people: HashMap<Id<of::Person>, Person> = app.table.people(authors).await?;
    let show = |review: &Review| {
        let author = review.person.and_then(|person| people.get(&person));
        ReviewBody::new(
            review,
            author.map(|person| person.personal.username.as_str()),
        )
    };
    Ok(Json(reviews.iter().map(show).collect()))
}

/// Write the caller's own review of a submission.
///
/// For officers. Each officer has one review of a submission, and writing again replaces it. Nobody
/// reviews a submission of their own. The applicant never sees it.
#[utoipa::path(
    put,
    path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/reviews/mine/",
    tag = "reviews", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    request_body = ReviewInput, responses((status = 200, body = ReviewBody))
)]
pub async fn put_review(
    app: Context,
    scope: Reviewer,
    Input(input): Input<ReviewInput>,
) -> Result<Json<ReviewBody>> {
    let (submission, OwnReview { person, review }) = scope.object;
    check_not_own(&submission, &scope.user)?;
    let username = person.personal.username.as_str();
    let (app, user, now) = (&app, &scope.user, app.now());
    let read = async || {
        let id = Review::id_of(submission.id, user.id());
        let (present, review) = futures::try_join!(
            app.table.submission(submission.application, submission.id),
            app.table.review(submission.application, submission.id, id)
        )?;
        Ok::<_, TableError>(present.map(|present| (present, review)))
    };
    let present = |(submission, review): &(Submission, Option<Review>)| {
        let review = review.clone();
        review.filter(|review| review.sequence == submission.sequence)
    };
    let object = (submission.clone(), review);
    let show = |object: &(Submission, Option<Review>)| {
        present(object).map(|review| ReviewBody::new(&review, Some(username)))
    };
    match show(&object) {
        Some(body) => scope.if_match.check(|| body)?,
        None => scope.if_match.check_absent()?,
    }
    let (given, comment) = &input.read()?;
    let change = async |(submission, old): (Submission, Option<Review>)| {
        if submission.person.is_none() {
            return Err(applicant_erased());
        }
        // A review of a submission that was withdrawn since does not count.
        let kept = old
            .as_ref()
            .filter(|old| old.sequence == submission.sequence);
        let review = Review {
            id: Review::id_of(submission.id, user.id()),
            application: submission.application,
            submission: submission.id,
            sequence: submission.sequence,
            person: Some(user.id()),
            score: *given,
            comment: comment.clone(),
            version: app.next_id(),
            created_at: kept.map_or(now, |old| old.created_at),
            updated_at: now,
        };
        app.table.put_review(&review, old.as_ref()).await?;
        Ok(review)
    };
    let saved = edit(app, &scope.if_match, object, show, read, change).await?;
    Ok(Json(ReviewBody::new(&saved, Some(username))))
}

/// Delete the caller's own review of a submission.
///
/// For officers.
#[utoipa::path(
    delete,
    path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/reviews/mine/",
    tag = "reviews", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    responses((status = 204))
)]
pub async fn delete_review(app: Context, scope: Reviewer, _: NoInput) -> Result<NoContent> {
    let (submission, OwnReview { person, review }) = scope.object;
    check_not_own(&submission, &scope.user)?;
    if submission.person.is_none() {
        return Err(applicant_erased());
    }
    let Some(old) = review.filter(|review| review.sequence == submission.sequence) else {
        scope.if_match.check_absent()?;
        return Err(ApiError::NotFound);
    };
    let username = person.personal.username.as_str();
    let show = |review: &Review| ReviewBody::new(review, Some(username));
    let (app, id, created_at) = (&app, old.id, old.created_at);
    // A review that was written after this one was deleted is another one.
    let read = async || {
        let found = app.table.review(submission.application, submission.id, id);
        let found = found.await?;
        Ok(found.filter(|found| found.created_at == created_at))
    };
    let delete = async |old: Review| Ok(app.table.delete_review(&old).await?);
    edit(app, &scope.if_match, old, show, read, delete).await?;
    Ok(NoContent)
}
