//! Collections that admins maintain. Their entries have unique names. An entry cannot be deleted
//! while something refers to it (L2, L3).

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use crate::db;
use crate::db::{Entity, Item, Key, Refusal, Table, TableError, Write};
use crate::domain::catalogue::versions::{invalidate, invalidate_segments};
use crate::domain::reference::keys;
use crate::domain::reference::model::{Major, ReferenceEntry, ReferenceKind, School};
use crate::ids::Id;
use crate::kind::Kind;

impl<T: ReferenceKind> Entity for ReferenceEntry<T> {
    const KIND: Kind = T::KIND;

    fn key(&self) -> Key {
        keys::reference(T::SEGMENT, self.id)
    }
}

/// The number of people who graduate in a year.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct YearUses {
    year: u16,
    uses: i64,
}

impl Entity for YearUses {
    const KIND: Kind = Kind::YearUses;

    fn key(&self) -> Key {
        keys::year_uses(self.year)
    }
}

fn name_key<T: ReferenceKind>(value: &T) -> Key {
    keys::reference_name(T::SEGMENT, value.name())
}

/// Returns the item that reserves the name of an entry.
pub(crate) fn name_item<T: ReferenceKind>(reference: &ReferenceEntry<T>) -> Item {
    let mut item = name_key(&reference.value).into_item();
    item.insert(
        db::keys::TYPE.to_owned(),
        AttributeValue::S(Kind::Name.name().to_owned()),
    );
    item.insert("id".to_owned(), AttributeValue::N(reference.id.to_string()));
    item
}

fn name_taken<T: ReferenceKind>(reference: &ReferenceEntry<T>) -> Write {
    Write::update(name_key(&reference.value))
        .set(db::keys::TYPE, &Kind::Name.name())
        .set("id", &reference.id)
        .if_new()
}

/// Returns the write that changes the number of references to an entry by `change`. Refused if the
/// entry does not exist.
pub(crate) fn count_use(entry: Key, change: i64) -> Write {
    Write::update(entry).count("uses", change).if_there("uses")
}

/// Returns the writes that change the use counters when `new` entries replace `old` entries.
pub(crate) fn count_uses<T: ReferenceKind>(old: &[Id<T>], new: &[Id<T>]) -> Vec<Write> {
    let (old, new): (BTreeSet<_>, BTreeSet<_>) = (old.iter().collect(), new.iter().collect());
    let removed = old
        .difference(&new)
        .map(|id| count_use(keys::reference(T::SEGMENT, **id), -1));
    removed
        .chain(
            new.difference(&old)
                .map(|id| count_use(keys::reference(T::SEGMENT, **id), 1)),
        )
        .collect()
}

/// The entries that a profile uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProfileUses<'a> {
    pub school: &'a [Id<School>],
    pub major: &'a [Id<Major>],
    pub graduation_year: Option<u16>,
}

/// Returns the writes that change the use counters when a profile changes from `old` to `new`.
pub(crate) fn count_profile(old: ProfileUses<'_>, new: ProfileUses<'_>) -> Vec<Write> {
    let mut writes = count_uses::<School>(old.school, new.school);
    writes.extend(count_uses::<Major>(old.major, new.major));
    if old.graduation_year != new.graduation_year {
        // People may also graduate in years that are not in the collection.
        let count = |year: u16, change| {
            Write::update(keys::year_uses(year))
                .set(db::keys::TYPE, &YearUses::TYPE)
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
    pub async fn reference<T: ReferenceKind>(
        &self,
        id: Id<T>,
    ) -> Result<Option<ReferenceEntry<T>>, TableError> {
        self.get(keys::reference(T::SEGMENT, id)).await
    }

    /// Stores a new entry. Refused as [`Refusal::Exists`] if its name is taken.
    pub async fn create_reference<T: ReferenceKind>(
        &self,
        new: &ReferenceEntry<T>,
    ) -> Result<(), TableError> {
        let put = Write::create(new)?;
        let name = name_taken(new).or(Refusal::Exists);
        self.transact(vec![name, put, invalidate(&[new.key()])])
            .await
    }

    /// Replaces the value of an entry. Refused if it changed after `old` was read, or as
    /// [`Refusal::Exists`] if the new name is taken.
    pub async fn update_reference<T: ReferenceKind>(
        &self,
        old: &ReferenceEntry<T>,
        new: &ReferenceEntry<T>,
    ) -> Result<(), TableError> {
        let update = Write::update(new.key())
            .set("value", &new.value)
            .set("version", &new.version)
            .if_equals("version", &old.version)
            .if_exists();
        let mut writes = vec![update, invalidate(&[new.key()])];
        if name_key(&old.value) != name_key(&new.value) {
            writes.push(name_taken(new).or(Refusal::Exists));
            writes.push(Write::delete(name_key(&old.value)));
        }
        self.transact(writes).await
    }

    /// Deletes an entry. Refused if it changed, or if something refers to it.
    pub async fn delete_reference<T: ReferenceKind>(
        &self,
        reference: &ReferenceEntry<T>,
    ) -> Result<(), TableError> {
        let delete = Write::delete_with_tombstone(reference.key())
            .if_equals("version", &reference.version)
            .if_equals("uses", &0);
        let mut writes = vec![delete, invalidate(&[reference.key()])];
        writes.push(Write::delete(name_key(&reference.value)));
        if let Some(year) = reference.value.graduates() {
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
    pub(crate) async fn load_years(
        &self,
        graduations: impl Iterator<Item = u16>,
    ) -> Result<(), TableError> {
        let mut counts = BTreeMap::new();
        for year in graduations {
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
    pub async fn load_references<T: ReferenceKind>(
        &self,
        reference_data: &[ReferenceEntry<T>],
    ) -> Result<(), TableError> {
        self.load(reference_data).await?;
        for reference in reference_data {
            self.write(name_taken(reference)).await?;
        }
        if reference_data.is_empty() {
            Ok(())
        } else {
            self.write(invalidate_segments([T::SEGMENT.to_owned()]))
                .await
                .map(drop)
        }
    }
}
