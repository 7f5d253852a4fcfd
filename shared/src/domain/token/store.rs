//! Tokens in the table: under numbers in their person's partition, so that the quota needs no
//! counter, and the text of a token tells its key.

use chrono::NaiveDate;

use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::{BatchItems, Entity, Key, Table, TableError, Write, each};
use crate::domain::person;
use crate::domain::person::conditions::check_not_erasing;
use crate::domain::person::model::Person;
use crate::domain::token::keys;
use crate::domain::token::model::Token;
use crate::ids::{Id, of};
use crate::kind::Kind;

impl Entity for Token {
    const KIND: Kind = Kind::Token;

    fn key(&self) -> Key {
        keys::token(self.person, self.number)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires_at.plus(Self::SHOWN).epoch_seconds())
    }
}

impl Table {
    /// Returns the tokens of a person, at most [`crate::limits::TOKENS`], also expired ones: 1
    /// query.
    pub async fn tokens(&self, person: Id<of::Person>) -> Result<Vec<Token>, TableError> {
        let range = Range::Prefix(keys::OWN_TOKENS.into());
        self.query(person::keys::own(person), range).await
    }

    /// Returns the token with a number, and the profile of its person: 1 batch read of 2 items.
    /// With `eventual` it has half the price, and what was written a moment ago may be missing.
    pub async fn token_and_person(
        &self,
        (person, number): (Id<of::Person>, u8),
        eventual: bool,
    ) -> Result<(Option<Token>, Option<Person>), TableError> {
        let (token, profile) = (keys::token(person, number), person::keys::profile(person));
        let requested = vec![token.clone(), profile.clone()];
        let mut found = if eventual {
            BatchItems::of(self.get_all(requested, false).await?)
        } else {
            self.get_many(requested).await?
        };
        Ok((found.take(&token)?, found.take(&profile)?))
    }

    /// Stores a new token: 1 transaction. Refused if its person is being erased, if its number is
    /// not as it was read: empty, or with `replaced`, and as [`crate::db::Refusal::Deleted`] if
    /// a token with this number was ended after it was asked for (X17).
    pub async fn put_token(
        &self,
        token: &Token,
        replaced: Option<&Token>,
    ) -> Result<(), TableError> {
        let put = match replaced {
            None => Write::create(token)?,
            Some(replaced) => Write::put(token)?.if_equals("id", &replaced.id),
        };
        let there = check_not_erasing(token.person);
        self.transact(vec![put, there]).await
    }

    /// Notes the day on which a token was used: 1 write. It is no error if it is gone, or another
    /// request was faster.
    pub async fn use_token(&self, token: &Token, on: NaiveDate) -> Result<(), TableError> {
        let write = Write::update(token.key())
            .set("last_used_on", &on)
            .if_is("last_used_on", token.last_used_on.as_ref())
            .if_equals("id", &token.id);
        ignore_refusal(self.write(write).await.map(drop))
    }

    /// Notes the day of a session as [`Table::note_session`]. The tokens of somebody who was away
    /// for long end before that (Z2), so that none of them wakes: 1 query and 1 write for each.
    pub async fn note_return(&self, person: &Person, on: NaiveDate) -> Result<(), TableError> {
        let first = on - Token::SIGNED_IN_WITHIN;
        if person.signed_in_on.is_some_and(|last| last < first) {
            // No request that made one is still on its way, so they leave nothing behind, which
            // would stand in the way of a token that this request makes.
            each(self.tokens(person.id).await?, async |token| {
                let delete = Write::delete(token.key()).if_equals("id", &token.id);
                ignore_refusal(self.write(delete).await.map(drop))
            })
            .await?;
        }
        self.note_session(person, on).await
    }

    /// Ends a token: 1 write. It is no error if it is gone.
    pub async fn end_token(&self, token: &Token) -> Result<(), TableError> {
        let delete = Write::delete_with_tombstone(token.key()).if_equals("id", &token.id);
        ignore_refusal(self.write(delete).await.map(drop))
    }
}
