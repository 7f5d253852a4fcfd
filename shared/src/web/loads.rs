//! What handlers get from the path: each type is read by its id.

use super::error::ApiError;
use super::user::User;
use crate::domain::{
    Application, ApplicationTexts, Event, Extension, Form, Slot, Submission, WholeForm,
};
use crate::state::Context;
use crate::web::access::{Load, PathIds};

impl Load for Application {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(id) = path.id("application") else {
            return Ok(None);
        };
        Ok(app.table.application(path.club(), id).await?)
    }
}

impl Load for Form {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(id) = path.id("application") else {
            return Ok(None);
        };
        let forms = &app.forms;
        Ok(forms.form(&app.table, path.club(), id, app.now()).await?)
    }
}

impl Load for WholeForm {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(id) = path.id("application") else {
            return Ok(None);
        };
        Ok(app.table.whole_form(path.club(), id).await?)
    }
}

impl Load for ApplicationTexts {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(id) = path.id("application") else {
            return Ok(None);
        };
        Ok(Some(app.table.application_texts(path.club(), id).await?))
    }
}

/// Also one that is being deleted.
impl Load for Slot {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let (Some(application), Some(id)) = (path.id("application"), path.id("slot")) else {
            return Ok(None);
        };
        Ok(app.table.slot(application, id).await?)
    }
}

impl Load for Event {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(id) = path.id("event") else {
            return Ok(None);
        };
        Ok(app.table.event(path.club(), id).await?)
    }
}

impl Load for Extension {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let (Some(application), Some(id)) = (path.id("application"), path.id("extension")) else {
            return Ok(None);
        };
        Ok(app.table.extension(application, id).await?)
    }
}

impl Load for Submission {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let (Some(application), Some(id)) = (path.id("application"), path.id("submission")) else {
            return Ok(None);
        };
        Ok(app.table.submission(application, id).await?)
    }
}
