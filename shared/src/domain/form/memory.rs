//! Forms that are kept in memory. Their questions may be long, and a thousand submissions in a
//! minute need the same ones: each reads only the application itself, and its version says whether
//! the questions are still the same.

use std::sync::Arc;

use chrono::TimeDelta;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::db::{Table, TableError};
use crate::domain::form::model::Form;
use crate::domain::question::model::Question;
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// Forms by application.
pub struct Forms(Cache<Id<of::Application>, Arc<Form>, Size>);

/// Weighs a form by the bytes of its questions.
#[derive(Clone)]
struct Size;

impl Weighter<Id<of::Application>, Arc<Form>> for Size {
    fn weight(&self, _: &Id<of::Application>, form: &Arc<Form>) -> u64 {
        let sizes = form.questions.iter().map(Question::size);
        u64::try_from(sizes.sum::<usize>())
            .unwrap_or(u64::MAX)
            .max(1)
    }
}

impl Default for Forms {
    fn default() -> Self {
        Self(Cache::with_weighter(FORMS, MAX_FORMS_BYTES, Size))
    }
}

/// Forms whose questions changed more recently are not kept: who reads beside a transaction may get
/// the new application with an old question.
const SETTLED_AFTER: TimeDelta = TimeDelta::minutes(1);
/// What all forms may take together, in bytes (roughly).
const MAX_FORMS_BYTES: u64 = 8 * 1024 * 1024;
/// About how many forms that are.
const FORMS: usize = 400;

impl Forms {
    /// Returns one application with its questions. Reads the application if the form is in memory,
    /// and also the questions if they changed since, or if it is not.
    pub async fn form(
        &self,
        table: &Table,
        club: &ClubCode,
        application: Id<of::Application>,
        now: Timestamp,
    ) -> Result<Option<Form>, TableError> {
        if let Some(kept) = self.0.get(&application) {
            let Some(read) = table.application(club, application).await? else {
                return Ok(None);
            };
            if read.version == kept.application.version {
                return Ok(Some(Form::clone(&kept)));
            }
        }
        let form = table.form(club, application).await?;
        if let Some(form) = &form {
            self.keep(form, now);
        }
        Ok(form)
    }

    /// Returns the committees of an application whose form is in memory. They may have changed
    /// since.
    pub fn committees(&self, application: Id<of::Application>) -> Option<Vec<Id<of::Committee>>> {
        let form = self.0.get(&application)?;
        let committees = form.application.committees.iter();
        Some(committees.map(|committee| committee.id).collect())
    }

    fn keep(&self, form: &Form, now: Timestamp) {
        let (id, changed) = (form.application.id, form.application.questions_changed_at);
        if changed.is_some_and(|changed| now < changed.plus(SETTLED_AFTER)) {
            self.0.remove(&id);
        } else {
            self.0.insert(id, Arc::new(form.clone()));
        }
    }
}
