//! Who applies: what all routes of an applicant read about the caller.

use shared::Context;
use shared::domain::{Extension, Person};
use shared::web::{ApiError, Load, PathIds, User};

/// The profile and the extension of the caller, read in parallel with the form.
pub struct ApplicantData {
    pub(crate) person: Person,
    pub(crate) extension: Option<Extension>,
}

impl Load for ApplicantData {
    async fn load(app: &Context, user: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(application) = path.id("application") else {
            return Ok(None);
        };
        let extension = async {
            Ok(app
                .table
                .extension(application, Extension::id_of(application, user.id()))
                .await?)
        };
        let (person, extension) = futures::try_join!(user.person(), extension)?;
        Ok(Some(Self {
            person: person.clone(),
            extension,
        }))
    }
}
