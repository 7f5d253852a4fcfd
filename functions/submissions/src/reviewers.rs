//! `/clubs/{club}/applications/{application}/reviewers/`: who has reviewed how much, and how

use std::collections::HashMap;

use axum::Json;
use serde::Serialize;
use shared::Context;
use shared::domain::{Application, Form, Person, Submission};
use shared::ids::{Id, of};
use shared::web::scopes::RecruitmentRead;
use shared::web::{Officer, Result};
use utoipa::ToSchema;

use crate::decisions::AuthorBody;

/// Who has reviewed the submissions to an application.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewersBody {
    /// Those with the most reviews come first.
    reviewers: Vec<ReviewerBody>,
    /// Whether there are more reviews than were counted.
    has_more: bool,
}

/// The reviews of one officer.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewerBody {
    /// The officer. Null for all officers who were erased.
    by: Option<AuthorBody>,
    /// Number of reviews.
    reviews: usize,
    /// Average of the scores, with two decimals. Null without scores.
    mean: Option<f64>,
    /// Standard deviation of the scores, with two decimals. Null without scores.
    spread: Option<f64>,
}

/// The sums from which mean and spread follow.
#[derive(Default)]
struct Sums {
    reviews: usize,
    scores: u32,
    sum: u32,
    squares: u32,
}

impl Sums {
    fn add(&mut self, score: Option<u8>) {
        self.reviews += 1;
        if let Some(score) = score.map(u32::from) {
            self.scores += 1;
            self.sum += score;
            self.squares += score * score;
        }
    }

    fn mean(&self) -> Option<f64> {
        (self.scores > 0).then(|| f64::from(self.sum) / f64::from(self.scores))
    }

    fn spread(&self) -> Option<f64> {
        let mean = self.mean()?;
        let variance = f64::from(self.squares) / f64::from(self.scores) - mean * mean;
        Some(variance.max(0.0).sqrt())
    }
}

fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// List who has reviewed the submissions to an application.
///
/// For officers: how many reviews each officer wrote, and mean and spread of their scores. Reviews
/// of a submission of the caller do not count. If the application has `blind_reviews`, the answer
/// has only the reviews of the caller. It may be a second old.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/reviewers/", tag = "reviews",
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    responses((status = 200, body = ReviewersBody))
)]
pub async fn list_reviewers(
    app: Context,
    scope: Officer<RecruitmentRead, (), Form>,
) -> Result<Json<ReviewersBody>> {
    let (application, caller) = (&scope.object.application, scope.user.id());
    let (scores, has_more) = app.table.scores_given(application.id).await?;
    let own = own_submissions(application, caller);
    let mut all: HashMap<Option<Id<of::Person>>, Sums> = HashMap::new();
    for given in scores {
        let is_seen = !application.blind_reviews || given.person == Some(caller);
        if is_seen && !own.contains(&given.submission) {
            all.entry(given.person).or_default().add(given.score);
        }
    }
    let people: HashMap<Id<of::Person>, Person> =
        app.table.people(all.keys().flatten().copied()).await?;
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(person, sums)| (std::cmp::Reverse(sums.reviews), *person));
    let show = |(person, sums): &(Option<Id<of::Person>>, Sums)| ReviewerBody {
        by: person.map(|id| {
            let person_found = people.get(&id);
            AuthorBody::new(
                id,
                person_found.map(|person| person.personal.username.as_str()),
            )
        }),
        reviews: sums.reviews,
        mean: sums.mean().map(rounded),
        spread: sums.spread().map(rounded),
    };
    Ok(Json(ReviewersBody {
        reviewers: all.iter().map(show).collect(),
        has_more,
    }))
}

/// The ids that submissions of a person to an application can have.
fn own_submissions(application: &Application, person: Id<of::Person>) -> Vec<Id<of::Submission>> {
    let committees = application
        .committees
        .iter()
        .map(|committee| Some(committee.id));
    committees
        .chain([None])
        .map(|committee| Submission::id_of(application.id, person, committee))
        .collect()
}
