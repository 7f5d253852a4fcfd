//! Submissions of one person.

use chrono::{DateTime, Utc};

use super::reference_data::Studies;
use crate::bodies::submission::SubmissionBody;
use crate::domain::{Answered, ApplicationParts};
use crate::state::Context;
use crate::web::ApiError;

/// What is needed to show submissions to their applicants, from any club.
pub struct OwnSubmissions {
    app: Context,
    parts: ApplicationParts,
    studies: Studies,
    now: DateTime<Utc>,
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
