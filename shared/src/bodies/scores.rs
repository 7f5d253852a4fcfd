//! The scores of a submission, as far as somebody may see them.

use crate::domain::{Application, Review, Submission};
use crate::ids::{Id, of};

/// What an officer may know of the reviews of a submission (W3, W4).
#[derive(Debug, Clone, Copy, Default)]
pub struct Scores {
    /// Number of reviews. None if the officer may not see the reviews of others.
    pub count: Option<u32>,
    /// The officer's own score.
    pub own: Option<u8>,
    /// Whether the officer has written a review.
    pub is_reviewed: bool,
    /// Sum and number of all scores. The number is 0 if the officer may not see them.
    sum: (u64, u64),
}

impl Scores {
    /// Returns what this officer may know. Nobody knows the reviews of a submission of their own,
    /// and with blind reviews only those who wrote one know the others.
    pub fn seen_by(
        officer: Id<of::Person>,
        submission: &Submission,
        application: &Application,
    ) -> Self {
        if submission.person == Some(officer) {
            return Self::default();
        }
        let own = submission
            .reviews
            .get(&Review::id_of(submission.id, officer).to_string());
        let computed = Self {
            own: own.copied().flatten(),
            is_reviewed: own.is_some(),
            ..Self::default()
        };
        if application.blind_reviews && own.is_none() {
            return computed;
        }
        let scores = submission.reviews.values().flatten();
        let sum = scores.fold((0, 0), |(sum, n), score| (sum + u64::from(*score), n + 1));
        Self {
            count: u32::try_from(submission.reviews.len()).ok(),
            sum,
            ..computed
        }
    }

    /// Returns the average with one decimal.
    pub fn average(&self) -> Option<f64> {
        let tenths = self.scaled(10)?;
        Some(f64::from(u32::try_from(tenths).ok()?) / 10.0)
    }

    /// Returns the average, multiplied and rounded.
    pub fn scaled(&self, by: u64) -> Option<u64> {
        let (sum, n) = self.sum;
        (n > 0).then(|| (2 * sum * by + n) / (2 * n))
    }
}
