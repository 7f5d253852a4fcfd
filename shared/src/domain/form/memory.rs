//! Forms that are kept in memory. Their questions may be long, and a thousand submissions in a
//! minute need the same ones: each reads only the application itself, and its version says whether
//! the questions are still the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::TimeDelta;

use crate::db::{Table, TableError};
use crate::domain::application::model::{Application, Committee};
use crate::domain::form::model::Form;
use crate::domain::question::model::Question;
use crate::ids::Id;
use crate::text::ClubCode;
use crate::time::Timestamp;

/// Forms by application.
#[derive(Default)]
pub struct Forms(Mutex<HashMap<Id<Application>, Arc<Form>>>);

/// Forms whose questions changed more recently are not kept: who reads beside a transaction may get
/// the new application with an old question.
const SETTLED_AFTER: TimeDelta = TimeDelta::minutes(1);
/// What all forms may take together, in bytes (roughly).
const MAX_FORMS_BYTES: usize = 8 * 1024 * 1024;

impl Forms {
    /// Returns one application with its questions. Reads the application if the form is in memory,
    /// and also the questions if they changed since, or if it is not.
    pub async fn form(
        &self,
        table: &Table,
        club: &ClubCode,
        application: Id<Application>,
        now: Timestamp,
    ) -> Result<Option<Form>, TableError> {
        if let Some(kept) = self.kept(application) {
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
    pub fn committees(&self, application: Id<Application>) -> Option<Vec<Id<Committee>>> {
        let form = self.kept(application)?;
        let committees = form.application.committees.iter();
        Some(committees.map(|committee| committee.id).collect())
    }

    fn kept(&self, application: Id<Application>) -> Option<Arc<Form>> {
        let forms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        forms.get(&application).cloned()
    }

    fn keep(&self, form: &Form, now: Timestamp) {
        let changed = form.application.questions_changed_at;
        let mut forms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if changed.is_some_and(|changed| now < changed.plus(SETTLED_AFTER)) {
            forms.remove(&form.application.id);
            return;
        }
        let sizes = |form: &Form| form.questions.iter().map(Question::size).sum::<usize>();
        let used: usize = forms.values().map(|form| sizes(form)).sum();
        let own = sizes(form);
        if used + own > MAX_FORMS_BYTES {
            forms.clear();
        }
        if own <= MAX_FORMS_BYTES {
            forms.insert(form.application.id, Arc::new(form.clone()));
        }
    }
}
