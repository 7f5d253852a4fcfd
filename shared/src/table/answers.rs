//! Answers to requests with an idempotency key. They stand in the partition of the caller's profile, for a day.

use super::{Entity, Key, Range, Table, TableError, Write, keys};
use crate::models::{Kept, KeptAnswer, KeptPart};

impl Entity for KeptAnswer {
    const TYPE: &'static str = "Answer";

    fn key(&self) -> Key {
        keys::answer(self.person, &self.id)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.until)
    }
}

impl Entity for KeptPart {
    const TYPE: &'static str = "AnswerPart";

    fn key(&self) -> Key {
        keys::answer_part(self.person, &self.id, self.attempt, self.part)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.until)
    }
}

/// Bytes of a body that one item holds.
const PART: usize = 300_000;

impl Table {
    /// Begins an attempt. Refused if there is another one, or an answer, that still holds at `now`.
    pub async fn begin_attempt(&self, attempt: &KeptAnswer, now: i64) -> Result<(), TableError> {
        self.write(Write::put(attempt)?.if_new_or_at_most("until", now)).await.map(drop)
    }

    /// What became of a request: 1 read.
    pub async fn kept_answer(&self, person: u64, id: &str) -> Result<Option<KeptAnswer>, TableError> {
        self.get(keys::answer(person, id)).await
    }

    /// The body of an answer: 1 query.
    pub async fn kept_body(&self, answer: &KeptAnswer) -> Result<String, TableError> {
        let parts = keys::answer_parts(&answer.id, answer.attempt);
        let parts: Vec<KeptPart> = self.query(keys::own(answer.person), Range::Prefix(parts)).await?;
        Ok(parts.into_iter().map(|part| part.body).collect())
    }

    /// Keeps the answer of an attempt until a time. Refused if another attempt took its place.
    pub async fn keep_answer(&self, attempt: &KeptAnswer, answer: Kept, body: &str, until: i64) -> Result<(), TableError> {
        let (person, id) = (attempt.person, &attempt.id);
        let mut rest = body;
        let mut parts = 0;
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.floor_char_boundary(PART));
            let item = KeptPart { person, id: id.clone(), attempt: attempt.attempt, part: parts, until, body: part.to_owned() };
            self.write(Write::put(&item)?).await?;
            rest = after;
            parts += 1;
        }
        let done = Write::update(attempt.key())
            .set("answer", &Kept { parts, ..answer })
            .set("until", &until)
            .set(keys::TTL, &until)
            .if_equals("attempt", &attempt.attempt);
        match self.write(done).await {
            Err(TableError::Refused(which)) => {
                // Another attempt took its place, or the caller was erased.
                let keys = (0..parts).map(|part| keys::answer_part(person, id, attempt.attempt, part));
                for key in keys {
                    self.write(Write::delete(key)).await?;
                }
                Err(TableError::Refused(which))
            }
            done => done.map(drop),
        }
    }

    /// Ends an attempt that is to be made again.
    pub async fn drop_attempt(&self, attempt: &KeptAnswer) -> Result<(), TableError> {
        self.write(Write::delete(attempt.key()).if_equals("attempt", &attempt.attempt)).await.map(drop)
    }

    /// Removes all answers that a person got.
    pub(super) async fn forget_answers(&self, person: u64) -> Result<(), TableError> {
        let keys = self.keys(keys::own(person), Range::Prefix(keys::ANSWERS.into())).await?;
        self.delete_many(keys).await
    }
}
