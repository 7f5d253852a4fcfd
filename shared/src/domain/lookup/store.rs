//! Collections that admins maintain. Their entries have unique names. An entry cannot be deleted
//! while something refers to it (L2, L3).

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use crate::db::{Entity, Item, Refusal, Table, TableError, Write};
use crate::domain::catalogue::versions::reloaded;
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::domain::lookup::model::{Lookup, LookupKind, Major, School};
use crate::domain::person::model::Person;
use crate::ids::Id;

impl<T: LookupKind> Entity for Lookup<T> {
    const TYPE: &'static str = T::TYPE;

    fn key(&self) -> Key {
        keys::lookup(T::PART, self.id)
    }
}

/// The number of people who graduate in a year.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct YearUses {
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

/// Returns the item that reserves the name of an entry.
pub(crate) fn name_item<T: LookupKind>(lookup: &Lookup<T>) -> Item {
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

/// Returns the write that changes the number of references to an entry by `change`. Refused if the
/// entry does not exist.
pub(crate) fn count_use(entry: Key, change: i64) -> Write {
    Write::update(entry).count("uses", change).if_there("uses")
}

/// Returns the writes that change the use counters when `new` entries replace `old` entries.
pub(crate) fn count_uses<T: LookupKind>(old: &[Id<T>], new: &[Id<T>]) -> Vec<Write> {
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

/// Returns the writes that change the use counters when a profile changes from `old` to `new`.
pub(crate) fn count_person(old: &Person, new: &Person) -> Vec<Write> {
    let mut writes = count_uses::<School>(&old.school, &new.school);
    writes.extend(count_uses::<Major>(&old.major, &new.major));
    if old.graduation_year != new.graduation_year {
        // People may also graduate in years that are not in the collection.
        let count = |year: u16, change| {
            Write::update(keys::year_uses(year))
                .set(keys::TYPE, &YearUses::TYPE)
                .set("year", &year)
                .count("uses", change)
        };
        writes.extend(old.graduation_year.map(|year| count(year, -1)));
        writes.extend(new.graduation_year.map(|year| count(year, 1)));
    }
    writes
}

impl Table {
    /// Returns an entry: 1 read.
    pub async fn lookup<T: LookupKind>(&self, id: Id<T>) -> Result<Option<Lookup<T>>, TableError> {
        self.get(keys::lookup(T::PART, id)).await
    }

    /// Stores a new entry. Refused as [`Refusal::Exists`] if its name is taken.
    pub async fn create_lookup<T: LookupKind>(&self, new: &Lookup<T>) -> Result<(), TableError> {
        let put = Write::create(new)?;
        let name = name_taken(new).or(Refusal::Exists);
        self.transact(vec![name, put, self.moved(&[new.key()])])
            .await
    }

    /// Replaces the value of an entry. Refused if it changed after `old` was read, or as
    /// [`Refusal::Exists`] if the new name is taken.
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
        let mut writes = vec![update, self.moved(&[new.key()])];
        if name_key(&old.value) != name_key(&new.value) {
            writes.push(name_taken(new).or(Refusal::Exists));
            writes.push(Write::delete(name_key(&old.value)));
        }
        self.transact(writes).await
    }

    /// Deletes an entry. Refused if it changed, or if something refers to it.
    pub async fn delete_lookup<T: LookupKind>(&self, lookup: &Lookup<T>) -> Result<(), TableError> {
        let delete = Write::bury(lookup.key())?
            .if_equals("version", &lookup.version)
            .if_equals("uses", &0);
        let mut writes = vec![delete, self.moved(&[lookup.key()])];
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

    /// Stores how many people graduate in each year. Only for loading data into a table that has no
    /// other writers.
    pub(crate) async fn load_years(&self, people: &[Person]) -> Result<(), TableError> {
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

    /// Stores entries as they are. Only for loading data into a table that has no other writers.
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
            self.write(reloaded([T::PART.to_owned()])).await.map(drop)
        }
    }
}
