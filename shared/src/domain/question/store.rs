//! Questions and prompts in the table.

use crate::db::Key;
use crate::domain::question::keys;
use std::collections::{HashMap, HashSet};

use crate::db::execute::MOST_WRITES;
use crate::db::{Entity, Table, TableError, Write};
use crate::domain::application::model::Application;
use crate::domain::application::store::questions_changed;
use crate::domain::form::model::Form;
use crate::domain::question::model::{Prompt, Question};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::Timestamp;

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

    /// Stores a question, and its prompt if that is new. Refused if the question changed after
    /// `form` was read, if another one that it depends on did, or if the application was deleted.
    /// A question that `form` does not have is a new one.
    pub async fn put_question(
        &self,
        question: &Question,
        form: &Form,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let read = form.question(question.id);
        let write = Write::put(question)?;
        let mut writes = vec![match read {
            None => write.if_new(),
            Some(read) => write.if_equals("version", &read.version),
        }];
        let changed = questions_changed(&question.club, question.application, now);
        let is_moved = read.is_none_or(|read| {
            read.prompt.show_if != question.prompt.show_if || !question.is_within(read)
        });
        let is_file = |one: &Question| one.prompt.file.is_some();
        let changed = if is_file(question) && !read.is_some_and(is_file) {
            // Two at once could be one too many.
            changed.if_equals("version", &form.application.version)
        } else {
            changed
        };
        if is_moved && question.prompt.show_if.is_some() {
            // Each question of the chain gets a new version, so that whoever changes one of them at
            // the same moment looks again. Committees stand in the application.
            writes.push(changed.if_equals("version", &form.application.version));
            writes.extend(form.chain(question).into_iter().map(|above| {
                Write::update(above.key())
                    .add("version", 1)
                    .if_equals("version", &above.version)
            }));
        } else {
            writes.push(changed);
        }
        if read.is_none_or(|read| read.prompt.version != question.prompt.version) {
            writes.push(Write::put(&question.prompt)?.if_new());
        }
        self.transact(writes).await
    }

    /// Stores the order of questions, all or nothing. Refused if the version of a question changed,
    /// or if the application was deleted.
    pub async fn order_questions(
        &self,
        application: &Application,
        questions: &[Question],
        now: Timestamp,
    ) -> Result<(), TableError> {
        // A transaction has room for one write less than there may be questions.
        for questions in questions.chunks(MOST_WRITES - 1) {
            let moved = questions.iter().map(|q| {
                Write::update(q.key())
                    .set("precedence", &q.precedence)
                    .add("version", 1)
                    .if_equals("version", &q.version)
            });
            let form = questions_changed(&application.club, application.id, now);
            self.transact(moved.chain([form]).collect()).await?;
        }
        Ok(())
    }

    /// Deletes a question. Its prompts stay, because existing answers refer to them. Refused if its
    /// version changed, or if the application was deleted.
    pub async fn delete_question(
        &self,
        question: &Question,
        now: Timestamp,
    ) -> Result<(), TableError> {
        self.transact(vec![
            Write::delete(question.key()).if_equals("version", &question.version),
            questions_changed(&question.club, question.application, now),
        ])
        .await
    }
}
