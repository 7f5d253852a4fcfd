//! Collections that admins keep: entries with unique names, which are there as long as something
//! refers to them (L2, L3).

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use super::catalogue::moved;
use super::{Entity, Item, Key, Refusal, Table, TableError, Write, keys};
use crate::ids::Id;
use crate::models::{Lookup, LookupKind, Major, Person, School};

impl<T: LookupKind> Entity for Lookup<T> {
    const TYPE: &'static str = T::TYPE;

    fn key(&self) -> Key {
        keys::lookup(T::PART, self.id)
    }
}

/// How many people graduate in a year.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct YearUses {
    year: u16,
    uses: i64,
}

impl Entity for YearUses {
    const TYPE: &'static str = "YearUses";

    fn key(&self) -> Key {
        keys::year_uses(self.year)
    }
}

fn name_key<T: LookupKind>(value: &T) -> Key {
    keys::lookup_name(T::PART, value.name())
}

/// The item that says that the name of an entry is taken.
pub(super) fn name_item<T: LookupKind>(lookup: &Lookup<T>) -> Item {
    let mut item = name_key(&lookup.value).into_item();
    item.insert(keys::TYPE.to_owned(), AttributeValue::S("Name".to_owned()));
    item.insert("id".to_owned(), AttributeValue::N(lookup.id.to_string()));
    item
}

fn name_taken<T: LookupKind>(lookup: &Lookup<T>) -> Write {
    Write::update(name_key(&lookup.value))
        .set(keys::TYPE, &"Name")
        .set("id", &lookup.id)
        .if_new()
}

/// The write that counts something that refers to an entry, or no longer does. Refused if there is
/// none.
pub(super) fn count_use(entry: Key, change: i64) -> Write {
    Write::update(entry).add("uses", change).if_exists()
}

/// The writes that take the uses from `old` to `new` entries of a collection.
pub(super) fn count_uses<T: LookupKind>(old: &[Id<T>], new: &[Id<T>]) -> Vec<Write> {
    let (old, new): (BTreeSet<_>, BTreeSet<_>) = (old.iter().collect(), new.iter().collect());
    let gone = old
        .difference(&new)
        .map(|id| count_use(keys::lookup(T::PART, **id), -1));
    gone.chain(
        new.difference(&old)
            .map(|id| count_use(keys::lookup(T::PART, **id), 1)),
    )
    .collect()
}

/// The writes that take the uses from one state of a profile to another.
pub(super) fn count_person(old: &Person, new: &Person) -> Vec<Write> {
    let mut writes = count_uses::<School>(&old.school, &new.school);
    writes.extend(count_uses::<Major>(&old.major, &new.major));
    if old.graduation_year != new.graduation_year {
        // People may graduate in years that are not listed.
        let count = |year: u16, change| {
            Write::update(keys::year_uses(year))
                .set(keys::TYPE, &YearUses::TYPE)
                .set("year", &year)
                .add("uses", change)
        };
        writes.extend(old.graduation_year.map(|year| count(year, -1)));
        writes.extend(new.graduation_year.map(|year| count(year, 1)));
    }
    writes
}

impl Table {
    /// An entry: 1 read.
    pub async fn lookup<T: LookupKind>(&self, id: Id<T>) -> Result<Option<Lookup<T>>, TableError> {
        self.get(keys::lookup(T::PART, id)).await
    }

    /// Stores a new entry.
    pub async fn create_lookup<T: LookupKind>(&self, new: &Lookup<T>) -> Result<(), TableError> {
        let put = Write::put(new)?.if_new();
        let name = name_taken(new).or(Refusal::Exists);
        self.transact(vec![name, put, moved([T::PART.to_owned()])])
            .await
    }

    /// Replaces the value of an entry, which was read as `old`.
    pub async fn update_lookup<T: LookupKind>(
        &self,
        old: &Lookup<T>,
        new: &Lookup<T>,
    ) -> Result<(), TableError> {
        let update = Write::update(new.key())
            .set("value", &new.value)
            .set("version", &new.version)
            .if_equals("version", &old.version)
            .if_exists();
        let mut writes = vec![update, moved([T::PART.to_owned()])];
        if name_key(&old.value) != name_key(&new.value) {
            writes.push(name_taken(new).or(Refusal::Exists));
            writes.push(Write::delete(name_key(&old.value)));
        }
        self.transact(writes).await
    }

    /// Deletes an entry that nothing refers to.
    pub async fn delete_lookup<T: LookupKind>(&self, lookup: &Lookup<T>) -> Result<(), TableError> {
        let delete = Write::delete(lookup.key())
            .if_equals("version", &lookup.version)
            .if_equals("uses", &0);
        let mut writes = vec![delete, moved([T::PART.to_owned()])];
        writes.push(Write::delete(name_key(&lookup.value)));
        if let Some(year) = lookup.value.graduates() {
            writes.push(
                Write::check(keys::year_uses(year))
                    .if_new_or_equals("uses", &0)
                    .or(Refusal::InUse),
            );
        }
        self.transact(writes).await
    }

    /// Counts the years in which people graduate: for loading data into a table that nobody else
    /// writes.
    pub(super) async fn load_years(&self, people: &[Person]) -> Result<(), TableError> {
        let mut counts = BTreeMap::new();
        for year in people.iter().filter_map(|person| person.graduation_year) {
            *counts.entry(year).or_default() += 1;
        }
        self.load(
            &counts
                .into_iter()
                .map(|(year, uses)| YearUses { year, uses })
                .collect::<Vec<_>>(),
        )
        .await
    }

    /// Stores entries as they are: for loading data into a table that nobody else writes.
    pub async fn load_lookups<T: LookupKind>(
        &self,
        lookups: &[Lookup<T>],
    ) -> Result<(), TableError> {
        self.load(lookups).await?;
        for lookup in lookups {
            self.write(name_taken(lookup)).await?;
        }
        if lookups.is_empty() {
            Ok(())
        } else {
            self.write(moved([T::PART.to_owned()])).await.map(drop)
        }
    }
}
