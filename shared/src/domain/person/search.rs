//! The search entries of people: words of their names, and their addresses.

use std::collections::{BTreeSet, HashMap};

use crate::db::read::{Fetch, Range};
use crate::db::{Entity, Key, Table, TableError, Write};
use crate::domain::person::keys;
use crate::domain::person::model::{Person, PersonAddress, PersonWord, Personal};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::text;
use crate::text::{Email, is_email};

impl Entity for PersonWord {
    const KIND: Kind = Kind::Word;

    fn key(&self) -> Key {
        keys::person_word(&self.word, self.person)
    }
}

impl Entity for PersonAddress {
    const KIND: Kind = Kind::Address;

    fn key(&self) -> Key {
        keys::person_address(&self.address, self.person)
    }
}

/// Maximum number of search words per person.
const MAX_WORDS_PER_PERSON: usize = 12;

/// Maximum length of a search word in characters. The rest of the word is ignored.
const MAX_WORD_LENGTH: usize = 60;

/// Page size of a search, in entries.
const SEARCH_PAGE: i32 = 100;

/// Maximum number of entries that one search reads.
const MAX_ENTRIES_READ: usize = 1_000;

fn cut(word: &str) -> String {
    word.chars().take(MAX_WORD_LENGTH).collect()
}

impl Personal {
    /// Returns the words that find this person: the user name, the words of the name in each of
    /// their spellings, and the parts of these words after a hyphen or an apostrophe. All words are
    /// folded.
    fn search_words(&self) -> BTreeSet<String> {
        let name: Vec<String> = text::words(&self.name).into_iter().flatten().collect();
        let inner = name
            .iter()
            .flat_map(|word| word.split(['-', '\'', '’']).skip(1))
            .map(str::to_owned);
        let all = std::iter::once(text::fold(&self.username))
            .chain(name.iter().cloned())
            .chain(inner);
        all.map(|word| cut(&word))
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS_PER_PERSON)
            .collect()
    }
}

impl Person {
    /// Returns the search entries under the words of the person.
    pub(crate) fn words(&self) -> Vec<PersonWord> {
        let entry = |word| PersonWord {
            word,
            person: self.id,
            personal: self.personal.clone(),
        };
        self.personal
            .search_words()
            .into_iter()
            .map(entry)
            .collect()
    }

    /// Returns the search entry under the e-mail address, if the address is valid.
    pub(crate) fn address(&self) -> Option<PersonAddress> {
        let address = self.personal.email.folded();
        is_email(&address.ascii()).then(|| PersonAddress {
            address: address.to_string(),
            person: self.id,
        })
    }

    pub(crate) fn entry_keys(&self) -> BTreeSet<Key> {
        self.words()
            .iter()
            .map(Entity::key)
            .chain(self.address().iter().map(Entity::key))
            .collect()
    }

    pub(crate) fn entry_puts(&self) -> Result<Vec<Write>, TableError> {
        let words = self.words().into_iter().map(|word| Write::put(&word));
        words.chain(self.address().iter().map(Write::put)).collect()
    }
}

impl Table {
    /// Returns the ids of the people with this e-mail address (case is ignored): 1 query.
    pub async fn people_at(&self, email: &Email) -> Result<Vec<Id<of::Person>>, TableError> {
        let found: Vec<PersonAddress> = self.query(keys::address(email), Range::All).await?;
        Ok(found.into_iter().map(|entry| entry.person).collect())
    }

    /// Returns at most `limit` people who match all of these words, of each of which there are its
    /// folded spellings. A person matches if each word is the beginning of one of their own words.
    ///
    /// This is 1 query for each spelling of one word. It reads pages until it has enough people, or
    /// has read [`MAX_ENTRIES_READ`] entries.
    pub async fn people_like(
        &self,
        words: &[Vec<String>],
        limit: usize,
    ) -> Result<Vec<PersonWord>, TableError> {
        let cut = |word: &Vec<String>| word.iter().map(|word| cut(word)).collect();
        let words: Vec<Vec<String>> = words.iter().map(cut).collect();
        let length = |word: &&Vec<String>| word.first().map(|word| word.chars().count());
        let Some(longest) = words.iter().max_by_key(length) else {
            return Ok(vec![]);
        };
        let (mut found, mut seen) = (HashMap::new(), 0);
        for spelling in longest {
            if found.len() >= limit {
                break;
            }
            self.each_page(
                false,
                keys::words(spelling),
                Range::Prefix(spelling.clone()),
                Fetch::Pages(SEARCH_PAGE),
                |page: Vec<PersonWord>| {
                    seen += page.len();
                    for entry in page {
                        let own = entry.personal.search_words();
                        let has = |word: &String| own.iter().any(|own| own.starts_with(word));
                        let is_match = words.iter().all(|word| word.iter().any(has));
                        if found.len() < limit && is_match {
                            found.insert(entry.person, entry);
                        }
                    }
                    Ok(found.len() < limit && seen < MAX_ENTRIES_READ)
                },
            )
            .await?;
        }
        Ok(found.into_values().collect())
    }
}
