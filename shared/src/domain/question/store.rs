//! Questions and prompts in the table.

use std::collections::{HashMap, HashSet};

use crate::db::{Entity, Key, Table, TableError};
use crate::domain::question::keys;
use crate::domain::question::model::{Prompt, Question};
use crate::ids::{Id, of};
use crate::kind::Kind;

impl Entity for Question {
    const KIND: Kind = Kind::Question;

    fn key(&self) -> Key {
        keys::question(&self.club, self.application, self.id)
    }
}

impl Entity for Prompt {
    const KIND: Kind = Kind::Prompt;

    fn key(&self) -> Key {
        keys::prompt(self.application, self.question, self.version)
    }
}

impl Table {
    /// Returns these versions of prompts of an application: 1 batch read per 100.
    pub async fn prompts(
        &self,
        application: Id<of::Application>,
        versions: &HashSet<(Id<of::Question>, u32)>,
    ) -> Result<HashMap<(Id<of::Question>, u32), Prompt>, TableError> {
        let requested = versions
            .iter()
            .map(|(question, version)| keys::prompt(application, *question, *version));
        let prompts: Vec<Prompt> = self.get_many(requested.collect()).await?.into_entities();
        Ok(prompts
            .into_iter()
            .map(|prompt| ((prompt.question, prompt.version), prompt))
            .collect())
    }

    /// Returns whether one of these questions was in an application once: 1 batch read. The first
    /// version of each prompt stays when its question is deleted.
    pub async fn had_questions(
        &self,
        application: Id<of::Application>,
        questions: &HashSet<Id<of::Question>>,
    ) -> Result<bool, TableError> {
        let first = questions.iter().map(|id| keys::prompt(application, *id, 1));
        let found = self.get_many(first.collect()).await?;
        Ok(!found.is_empty())
    }
}
