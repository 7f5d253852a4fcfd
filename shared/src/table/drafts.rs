//! Drafts: the answers that a person has typed but not submitted.

use futures::stream::{self, StreamExt, TryStreamExt};

use super::error::ignore_refusal;
use super::{Entity, Key, PARALLEL, Range, Table, TableError, Write, keys};
use crate::ids::Id;
use crate::models::{Application, Committee, DraftAnswer, Person};

impl Entity for DraftAnswer {
    const TYPE: &'static str = "Draft";

    fn key(&self) -> Key {
        keys::draft_answer(self.application, self.person, self.committee, self.question)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::own_draft(
            self.person,
            self.application,
            self.committee,
            self.question,
        ))
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

/// A change of one answer of a draft.
#[derive(Debug, Clone)]
pub struct DraftWrite {
    /// The answer as it is stored after the change.
    pub answer: DraftAnswer,
    /// The version of the stored item that it replaces; none if there is no item.
    pub replaces: Option<u32>,
}

impl DraftWrite {
    fn write(&self) -> Result<Write, TableError> {
        let write = Write::put(&self.answer)?;
        Ok(match &self.replaces {
            None => write.if_new(),
            Some(version) => write.if_equals("version", version),
        })
    }
}

impl Table {
    /// Returns the stored answers of a draft, also those that were removed or belong to a draft
    /// that ended: 1 query.
    pub async fn draft(
        &self,
        application: Id<Application>,
        person: Id<Person>,
        committee: Option<Id<Committee>>,
    ) -> Result<Vec<DraftAnswer>, TableError> {
        let (pk, prefix) = keys::draft(application, person, committee);
        self.query(pk, Range::Prefix(prefix)).await
    }

    /// Stores answers of a draft, all or none. Refused if one of them changed after it was read.
    pub async fn save_draft(&self, answers: &[DraftWrite]) -> Result<(), TableError> {
        let mut writes: Vec<Write> = answers
            .iter()
            .map(DraftWrite::write)
            .collect::<Result<_, _>>()?;
        match writes.len() {
            0 => Ok(()),
            1 => self.write(writes.remove(0)).await.map(drop),
            _ => self.transact(writes).await,
        }
    }

    /// Removes each of these answers from the table, unless it changed after it was read.
    pub async fn delete_draft(&self, answers: Vec<DraftAnswer>) -> Result<(), TableError> {
        let deletions = stream::iter(answers).map(async |answer| {
            let delete = Write::delete(answer.key()).if_equals("version", &answer.version);
            ignore_refusal(self.write(delete).await)
        });
        deletions.buffer_unordered(PARALLEL).try_collect().await
    }
}
