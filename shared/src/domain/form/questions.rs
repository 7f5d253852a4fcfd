//! How a form is stored with its questions: each change of a question is one of its form.

use crate::db::error::ignore_refusal;
use crate::db::execute::MOST_WRITES;
use crate::db::{Entity as _, Refusal, Table, TableError, Write};
use crate::domain::application;
use crate::domain::application::model::Application;
use crate::domain::application::store::{ApplicationQuota, questions_changed};
use crate::domain::form::model::{Form, WholeForm};
use crate::domain::question::model::Question;
use crate::time::Timestamp;

/// How many of these questions are stored in one transaction, at least one: each has two items, and
/// DynamoDB allows 100 items and 4 MB.
fn at_once(questions: &[Question]) -> usize {
    let mut left: usize = 3 * 1024 * 1024;
    let fitting = questions.iter().take(QUESTIONS_AT_ONCE).take_while(|one| {
        let size = 2 * one.size();
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    });
    // One question always fits.
    fitting.count().max(1)
}

/// The most questions in one transaction.
const QUESTIONS_AT_ONCE: usize = 20;

impl Table {
    /// Stores a new application with its questions, if there are any, and updates the catalogue.
    pub async fn create_application(
        &self,
        WholeForm { form, texts }: &WholeForm,
        quota: Option<ApplicationQuota>,
    ) -> Result<(), TableError> {
        let head = &form.application;
        if !form.questions.is_empty() {
            let stored = self.application_even_deleted(&head.club, head.id);
            let (stored, club) = futures::try_join!(stored, self.club(&head.club))?;
            if stored.is_some() {
                // An earlier attempt stored it, and it may have been changed since then.
                return Err(TableError::Refused(Refusal::Exists));
            }
            let is_exceeded = |quota: ApplicationQuota| {
                club.is_some_and(|club| quota.is_exceeded(&club, head, true))
            };
            if quota.is_some_and(is_exceeded) {
                return Err(TableError::Refused(Refusal::Quota));
            }
        }
        // Store the questions first: the application must not be visible before it is complete. A
        // refusal means that an earlier attempt with the same idempotency key stored them.
        let mut rest = &form.questions[..];
        while !rest.is_empty() {
            let (questions, others) = rest.split_at(at_once(rest));
            rest = others;
            let mut writes = Vec::new();
            for question in questions {
                writes.push(Write::put(question)?.if_new());
                writes.push(Write::put(&question.prompt)?.if_new());
            }
            ignore_refusal(self.transact(writes).await)?;
        }
        let mut writes = vec![Write::put(head)?.if_new()];
        if texts.version > 0 {
            writes.push(Write::put(texts)?.if_new());
        }
        // It may have been deleted since, if this is late; and `clubs-admin repair` may have
        // deleted the questions, because it saw no application.
        writes.push(Write::check(application::keys::deleted_application(head.id)).if_new());
        self.store_application(writes, head, quota, true).await
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
