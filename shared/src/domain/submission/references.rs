//! What submissions refer to: applications, prompts and slots.

use crate::domain::application::keys;
use crate::domain::question;
use crate::domain::slot;
use std::collections::HashMap;

use crate::db::{Table, TableError};
use crate::domain::application::model::Application;
use crate::domain::question::model::Prompt;
use crate::domain::slot::model::Slot;
use crate::domain::submission::model::Answered;
use crate::ids::{Id, of};

/// The data that is needed to show a person's own submissions.
#[derive(Debug, Default)]
pub struct ApplicationParts {
    /// Applications by id. Deleted ones are missing.
    pub applications: HashMap<Id<of::Application>, Application>,
    /// What the submissions refer to.
    pub references: References,
}

/// What submissions refer to.
#[derive(Debug, Default)]
pub struct References {
    /// Prompts by question id and version.
    pub prompts: HashMap<(Id<of::Question>, u32), Prompt>,
    /// Booked slots by id.
    pub slots: HashMap<Id<of::Slot>, Slot>,
}

impl Table {
    /// Returns the applications, prompts and slots that submissions refer to, from any club: 1
    /// batch read per 100 items.
    pub async fn parts_of<'a>(
        &self,
        submissions: impl Iterator<Item = &'a Answered>,
    ) -> Result<ApplicationParts, TableError> {
        let (mut application_keys, mut prompts) = (HashMap::new(), HashMap::new());
        let mut slots = HashMap::new();
        for submission in submissions {
            let application = submission.application;
            application_keys.insert(
                application,
                keys::application(&submission.club, application),
            );
            if let Some(slot) = submission.booked() {
                slots.insert(slot, slot::keys::slot(application, slot));
            }
            for answer in submission.answers.read() {
                let id = (answer.question, answer.version);
                prompts.insert(
                    id,
                    question::keys::prompt(application, answer.question, answer.version),
                );
            }
        }
        let requested = application_keys.values().chain(prompts.values());
        let requested = requested.chain(slots.values()).cloned().collect();
        let mut found = self.get_many(requested).await?;
        let mut parts = ApplicationParts::default();
        for (id, key) in application_keys {
            if let Some(application) = found
                .take::<Application>(&key)?
                .filter(|application| application.deleted.is_none())
            {
                parts.applications.insert(id, application);
            }
        }
        for (id, key) in prompts {
            if let Some(prompt) = found.take(&key)? {
                parts.references.prompts.insert(id, prompt);
            }
        }
        for (id, key) in slots {
            if let Some(slot) = found.take(&key)? {
                parts.references.slots.insert(id, slot);
            }
        }
        Ok(parts)
    }
}
