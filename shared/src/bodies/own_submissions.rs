//! Submissions of one person. Their answers may be large, so they come in parts.

use std::cmp::Reverse;

use axum::http::HeaderValue;
use chrono::{DateTime, Utc};

use super::reference_data::Studies;
use crate::bodies::submission::SubmissionBody;
use crate::domain::{Answered, ApplicationParts, Submission};
use crate::limits;
use crate::state::Context;
use crate::web::{ApiError, Slice};

/// What is needed to show submissions to their applicants, from any club.
pub struct OwnSubmissions {
    app: Context,
    parts: ApplicationParts,
    studies: Studies,
    now: DateTime<Utc>,
}

/// So many submissions are read with their answers at once.
const AT_ONCE: usize = 5;

/// The next submissions of a person, with what shows them.
pub struct OwnPart {
    /// With their answers, the newest first.
    pub own: Vec<Answered>,
    /// What is needed to show them.
    pub shown: OwnSubmissions,
    /// The link to the rest, if there is one.
    pub next: Option<HeaderValue>,
}

impl OwnPart {
    /// Reads the next submissions of a person. A part ends at the limit of the slice, with
    /// [`limits::OWN_ANSWERS`], or when the response is full: 1 batch read for 5 submissions, and
    /// what [`OwnSubmissions::of`] needs.
    pub async fn read(
        app: &Context,
        mut all: Vec<Submission>,
        slice: Slice,
    ) -> Result<Self, ApiError> {
        all.sort_by_key(|submission| Reverse(submission.sort_key()));
        if let Some(last) = slice.after::<(u64, u64)>()? {
            all.retain(|submission| submission.sort_key() < last);
        }
        let most = slice.limit().unwrap_or(all.len()).min(all.len());
        let (mut own, mut count, mut bytes) = (vec![], 0, 0);
        while count < most && bytes < limits::OWN_ANSWERS {
            let some = &all[count..most.min(count + AT_ONCE)];
            count += some.len();
            let answered = app.table.answered(some.to_vec()).await?;
            bytes += answered.iter().map(|one| one.answers.size()).sum::<usize>();
            own.extend(answered);
        }
        let shown = OwnSubmissions::of(app, &own).await?;
        // Each shows the texts of its questions, too.
        let mut size = 0;
        let fits = shown.bodies(&own).iter().position(|body| {
            size += serde_json::to_vec(body).map_or(0, |body| body.len());
            size > limits::OWN_PART
        });
        if let Some(fits) = fits {
            count = fits.max(1);
            own.truncate(count);
        }
        let next = slice.at_most(count).cut(&mut all, Submission::sort_key);
        Ok(Self { own, shown, next })
    }
}

impl OwnSubmissions {
    /// Reads the applications, prompts, schools and majors of these submissions.
    pub async fn of(app: &Context, submissions: &[Answered]) -> Result<Self, ApiError> {
        let parts = app.table.parts_of(submissions.iter());
        let applicants = submissions
            .iter()
            .filter_map(|submission| submission.applicant.as_ref());
        let (parts, studies) = futures::try_join!(parts, Studies::of(app, applicants))?;
        let now = app.clock.now();
        Ok(Self {
            app: app.clone(),
            parts,
            studies,
            now,
        })
    }

    /// Returns the applications, prompts and slots.
    pub fn parts(&self) -> &ApplicationParts {
        &self.parts
    }

    /// Returns the submissions as their applicants may see them now, without those to applications
    /// that were deleted.
    pub fn bodies<'a>(&'a self, submissions: &'a [Answered]) -> Vec<SubmissionBody<'a>> {
        let show = |submission: &'a Answered| {
            let application = self.parts.applications.get(&submission.application)?;
            let club = self.parts.clubs.get(&submission.club);
            let (references, studies) = (&self.parts.references, &self.studies);
            Some(SubmissionBody::for_applicant(
                &self.app,
                submission,
                (club, application),
                references,
                studies,
                self.now,
            ))
        };
        submissions.iter().filter_map(show).collect()
    }
}
