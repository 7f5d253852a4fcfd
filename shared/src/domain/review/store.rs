//! Reviews: what officers think of a submission.

use std::collections::HashMap;

use serde::Deserialize;

use crate::db::error::ignore_refusal;
use crate::db::execute::client_token;
use crate::db::read::Range;
use crate::db::response::Stored;
use crate::db::{Entity, Key, Table, TableError, Write};
use crate::domain::person::conditions::check_not_erasing;
use crate::domain::review::keys;
use crate::domain::review::model::Review;
use crate::domain::submission;
use crate::domain::submission::model::Submission;
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::limits;

impl Entity for Review {
    const KIND: Kind = Kind::Review;

    fn key(&self) -> Key {
        keys::review(self.application, self.submission, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        self.person.map(|person| keys::own_review(person, self.id))
    }
}

/// A review without its comment.
#[derive(Debug, Deserialize)]
pub struct GivenScore {
    /// Id of the submission.
    pub submission: Id<of::Submission>,
    /// As in [`Review`].
    pub sequence: u64,
    /// Id of the officer; none after the erasure of the officer.
    #[serde(default)]
    pub person: Option<Id<of::Person>>,
    /// From 1 to 5; none if the officer gave none.
    #[serde(default)]
    pub score: Option<u8>,
}

/// The change of the scores of a submission. It is refused after a withdrawal, and after the
/// erasure of the applicant.
fn scores(review: &Review) -> Write {
    Write::update(submission::keys::submission(
        review.application,
        review.submission,
    ))
    .counted()
    .if_equals("sequence", &review.sequence)
    .if_above("person", 0)
}

/// Returns the path of a review's score in its submission.
fn score(review: &Review) -> String {
    format!("reviews.{}", review.id)
}

impl Table {
    /// Returns the reviews of a submission, in no order: 1 query.
    pub async fn reviews(&self, submission: &Submission) -> Result<Vec<Review>, TableError> {
        let (pk, prefix) = submission::keys::reviews_of(submission.application, submission.id);
        let all: Vec<Review> = self.query(pk, Range::Prefix(prefix)).await?;
        Ok(all
            .into_iter()
            .filter(|review| review.sequence == submission.sequence)
            .collect())
    }

    /// Returns who gave which scores in an application, and whether there are more: 1 query for
    /// each megabyte, at most [`limits::COUNTED_PAGES`].
    pub async fn scores_given(
        &self,
        application: Id<of::Application>,
    ) -> Result<(Vec<GivenScore>, bool), TableError> {
        let partition = (submission::keys::reviews(application), None);
        let requested = ["submission", "sequence", "person", "score"];
        let pages = limits::COUNTED_PAGES;
        let (found, has_more) = self
            .some_of::<Review>(partition, &requested, pages, None)
            .await?;
        let scores = found.iter().map(Stored::read::<GivenScore>);
        let mut scores: Vec<GivenScore> = scores.collect::<Result<_, _>>()?;
        // Reviews of a submission that was withdrawn since do not count.
        let mut newest: HashMap<Id<of::Submission>, u64> = HashMap::new();
        for given in &scores {
            let sequence = newest.entry(given.submission).or_default();
            *sequence = given.sequence.max(*sequence);
        }
        scores.retain(|given| newest.get(&given.submission) == Some(&given.sequence));
        Ok((scores, has_more))
    }

    /// Returns a review by its id: 1 read. It may be one of a submission that was withdrawn since.
    pub async fn review(
        &self,
        application: Id<of::Application>,
        submission: Id<of::Submission>,
        id: Id<of::Review>,
    ) -> Result<Option<Review>, TableError> {
        self.get(keys::review(application, submission, id)).await
    }

    /// Stores a review, and its score in the submission. Refused if the review changed after `read`
    /// was read, or the submission was withdrawn.
    pub async fn put_review(
        &self,
        review: &Review,
        read: Option<&Review>,
    ) -> Result<(), TableError> {
        let put = match read {
            None => Write::create(review)?,
            Some(read) => Write::put(review)?.if_equals("version", &read.version),
        };
        let shown = scores(review).set(&score(review), &review.score);
        // An erasure removes a review that is there. Then this write of it is refused.
        let is_new = read.is_none();
        let alive = review.person.filter(|_| is_new).map(check_not_erasing);
        self.transact([put, shown].into_iter().chain(alive).collect())
            .await
    }

    /// Deletes a review, and its score in the submission. Refused if it changed after it was read,
    /// or the submission was withdrawn.
    pub async fn delete_review(&self, review: &Review) -> Result<(), TableError> {
        let delete =
            Write::delete_with_tombstone(review.key()).if_equals("version", &review.version);
        self.transact(vec![delete, scores(review).remove(&score(review))])
            .await
    }

    /// Removes the person from a review, and every tie to them: the review gets a random id, in the
    /// submission too. Score and comment stay.
    pub(crate) async fn anonymise_review(&self, review: &Review) -> Result<(), TableError> {
        let anonymous = Review {
            id: Id::derived("anonymous review", &[&client_token()]),
            person: None,
            ..review.clone()
        };
        let delete = Write::delete(review.key()).if_equals("version", &review.version);
        let scores = Write::update(submission::keys::submission(
            review.application,
            review.submission,
        ))
        .remove(&score(review))
        .set(&score(&anonymous), &review.score)
        .counted()
        .if_equals("sequence", &review.sequence);
        let put = Write::put(&anonymous)?.if_new();
        match self.transact(vec![delete.clone(), put, scores]).await {
            // Its submission was withdrawn since, or the review was deleted.
            Err(TableError::Refused(_)) => ignore_refusal(self.write(delete).await),
            done => done,
        }
    }
}
