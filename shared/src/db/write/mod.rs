//! One write to the table, with its condition. It is sent alone or as part of a transaction.

mod condition;

use std::collections::HashMap;

use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure::AllOld;
use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, Put, TransactWriteItem, Update,
};
use serde::Serialize;

use crate::db::error::{Refusal, TableError};
use crate::db::keys::Key;
use crate::db::{Entity, Item, keys};
use crate::kind::Kind;

/// A put, update, delete or condition check of one item. If there are several conditions, all of
/// them must hold.
#[derive(Debug, Clone)]
pub struct Write {
    pub(crate) kind: WriteKind,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
    sets: Vec<String>,
    adds: Vec<String>,
    removes: Vec<String>,
    conditions: Vec<String>,
    result: UpdateResult,
    refusal: Refusal,
    /// The number of mails that it stores.
    pub(crate) mails: usize,
    /// What it needs to know of its request.
    pub(super) of_request: OfRequest,
}

/// What a write needs to know of the request that makes it.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::db) struct OfRequest {
    /// Stores who makes it.
    pub(in crate::db) actor: bool,
    /// Only where nothing is, or what was deleted before the request was received.
    pub(in crate::db) never_or_before: bool,
    /// Only on an item that was there before the request came.
    pub(in crate::db) was_there: bool,
    /// Leaves a tombstone instead of deleting.
    pub(in crate::db) tombstone: bool,
}

/// The known result of an update: the part that does not depend on the old item.
#[derive(Debug, Clone, Default)]
struct UpdateResult {
    /// Attribute paths with their new values.
    set: Vec<(String, AttributeValue)>,
    /// Attribute paths that are removed.
    removed: Vec<String>,
}

impl UpdateResult {
    fn is_in(&self, item: &Item) -> bool {
        self.set
            .iter()
            .all(|(path, value)| at(item, path) == Some(value))
            && self.removed.iter().all(|path| at(item, path).is_none())
    }
}

/// Returns the attribute at a path such as `map.member`.
pub(crate) fn at<'a>(item: &'a Item, path: &str) -> Option<&'a AttributeValue> {
    let mut segments = path.split('.');
    let first = item.get(segments.next()?);
    segments.fold(first, |value, segment| value?.as_m().ok()?.get(segment))
}

#[derive(Debug, Clone)]
pub(crate) enum WriteKind {
    Put(Item),
    Update(Key),
    Delete(Key),
    Check(Key),
}

impl Write {
    /// Writes the whole entity, with its keys.
    pub fn put<E: Entity>(entity: &E) -> Result<Self, TableError> {
        let mut write = Self::new(WriteKind::Put(crate::db::to_item(entity)?));
        write.mails = usize::from(E::IS_MAIL);
        write.of_request.actor = E::KEEPS_ACTOR;
        Ok(write)
    }

    /// Changes attributes of one item. Without a condition, the item is created if it does not
    /// exist.
    pub fn update(key: Key) -> Self {
        Self::new(WriteKind::Update(key))
    }

    /// Deletes one item.
    pub fn delete(key: Key) -> Self {
        Self::new(WriteKind::Delete(key))
    }

    /// Writes nothing. In a transaction, it checks a condition on an item that is not changed.
    pub fn check(key: Key) -> Self {
        Self::new(WriteKind::Check(key))
    }

    fn new(kind: WriteKind) -> Self {
        Self {
            kind,
            names: HashMap::new(),
            values: HashMap::new(),
            sets: vec![],
            adds: vec![],
            removes: vec![],
            conditions: vec![],
            result: UpdateResult::default(),
            refusal: Refusal::Changed,
            mails: 0,
            of_request: OfRequest::default(),
        }
    }

    /// Sets what it means if the condition fails. The default is [`Refusal::Changed`].
    #[must_use]
    pub fn or(mut self, refusal: Refusal) -> Self {
        self.refusal = refusal;
        self
    }

    /// Returns what it means if this item refuses it. A new item that a tombstone refuses was
    /// deleted after the request was received that stores it.
    pub(crate) fn refusal_by(&self, stored: Option<&Item>) -> Refusal {
        let is_deleted = |item: &Item| crate::db::type_of(item) == Kind::Tombstone.name();
        if self.of_request.never_or_before && stored.is_some_and(is_deleted) {
            return Refusal::Deleted;
        }
        self.refusal
    }

    /// Returns whether this writes a whole item and has a condition.
    pub(crate) fn is_conditional_put(&self) -> bool {
        matches!(self.kind, WriteKind::Put(_)) && !self.conditions.is_empty()
    }

    /// Returns whether the stored item is the result of this write. `stored` is `None` if there is
    /// no item.
    ///
    /// This is used only after the response of an attempt was lost. A failed condition may then
    /// mean that the attempt was applied.
    pub(crate) fn is_done_in(&self, stored: Option<&Item>) -> bool {
        match (&self.kind, stored) {
            (WriteKind::Put(item), Some(stored)) => item == stored,
            // The new sum does not show whether an addition was applied.
            (WriteKind::Update(_), Some(stored)) => {
                self.adds.is_empty() && !self.sets.is_empty() && self.result.is_in(stored)
            }
            (WriteKind::Delete(_), stored) => stored.is_none(),
            _ => false,
        }
    }

    /// Sets an attribute, or a member of a map with a path such as `map.member`.
    #[must_use]
    pub fn set(self, attribute: &str, value: &impl Serialize) -> Self {
        self.set_raw(attribute, attribute_value(value))
    }

    /// Sets an attribute only if it has no value yet.
    #[must_use]
    pub fn set_once(self, attribute: &str, value: &impl Serialize) -> Self {
        self.set_raw_once(attribute, attribute_value(value))
    }

    /// Sets an attribute to the value that another one has before this write.
    #[must_use]
    pub fn set_from(mut self, attribute: &str, source: &str) -> Self {
        let clause = format!("{} = {}", self.name(attribute), self.name(source));
        self.sets.push(clause);
        self
    }

    /// Appends to a list. A missing attribute counts as an empty list.
    #[must_use]
    pub fn append(mut self, attribute: &str, more: &[impl Serialize]) -> Self {
        let name = self.name(attribute);
        let (empty, more) = (self.value(&Vec::<()>::new()), self.value(&more));
        self.sets.push(format!(
            "{name} = list_append(if_not_exists({name}, {empty}), {more})"
        ));
        self
    }

    /// Sets an attribute to a value of the SDK.
    pub(crate) fn set_raw(mut self, attribute: &str, value: AttributeValue) -> Self {
        self.result.set.push((attribute.to_owned(), value.clone()));
        let clause = format!("{} = {}", self.name(attribute), self.raw(value));
        self.sets.push(clause);
        self
    }

    /// Like [`Write::set_raw`], only if the attribute has no value yet.
    pub(crate) fn set_raw_once(mut self, attribute: &str, value: AttributeValue) -> Self {
        let name = self.name(attribute);
        let clause = format!("{name} = if_not_exists({name}, {})", self.raw(value));
        self.sets.push(clause);
        self
    }

    /// Stores who changes the item.
    pub(super) fn with_actor(mut self, actor: Option<u64>) -> Self {
        if let WriteKind::Put(item) = &mut self.kind {
            let number = actor.map(|person| AttributeValue::N(person.to_string()));
            item.extend(number.map(|number| (keys::CHANGED_BY.to_owned(), number)));
            return self;
        }
        self.set(keys::CHANGED_BY, &actor)
    }

    /// Changes a counter of other items. `clubs-admin repair` sees from the version of the counters
    /// that none of them changed while it counted (O6).
    #[must_use]
    pub fn count(self, attribute: &str, change: i64) -> Self {
        self.add(attribute, change).counted()
    }

    /// Increases the version of the counters, because something changed that follows from other
    /// items.
    #[must_use]
    pub fn counted(self) -> Self {
        let is_counted = self.names.values().any(|name| name == keys::COUNT_VERSION);
        if is_counted {
            self
        } else {
            self.add(keys::COUNT_VERSION, 1)
        }
    }

    /// Adds `amount` to a number. A missing attribute counts as 0.
    #[must_use]
    pub fn add(mut self, attribute: &str, amount: i64) -> Self {
        let clause = format!("{} {}", self.name(attribute), self.value(&amount));
        self.adds.push(clause);
        self
    }

    /// Removes an attribute, or a member of a map with a path such as `map.member`.
    #[must_use]
    pub fn remove(mut self, attribute: &str) -> Self {
        self.result.removed.push(attribute.to_owned());
        let name = self.name(attribute);
        self.removes.push(name);
        self
    }

    fn name(&mut self, path: &str) -> String {
        let segments: Vec<String> = path
            .split('.')
            .map(|segment| {
                let next = format!("#n{}", self.names.len());
                if let Some((placeholder, _)) = self.names.iter().find(|(_, name)| *name == segment)
                {
                    return placeholder.clone();
                }
                self.names.insert(next.clone(), segment.to_owned());
                next
            })
            .collect();
        segments.join(".")
    }

    fn value(&mut self, value: &impl Serialize) -> String {
        self.raw(attribute_value(value))
    }

    fn raw(&mut self, value: AttributeValue) -> String {
        let reference = format!(":v{}", self.values.len());
        self.values.insert(reference.clone(), value);
        reference
    }

    pub(crate) fn expressions(&self) -> Expressions {
        let clause = |word: &str, parts: &[String]| {
            if parts.is_empty() {
                String::new()
            } else {
                format!("{word} {} ", parts.join(", "))
            }
        };
        let update = format!(
            "{}{}{}",
            clause("SET", &self.sets),
            clause("REMOVE", &self.removes),
            clause("ADD", &self.adds)
        )
        .trim_end()
        .to_owned();
        Expressions {
            update,
            condition: (!self.conditions.is_empty()).then(|| self.conditions.join(" AND ")),
            names: (!self.names.is_empty()).then(|| self.names.clone()),
            values: (!self.values.is_empty()).then(|| self.values.clone()),
        }
    }

    pub(crate) fn into_transact(self, table: &str) -> Result<TransactWriteItem, TableError> {
        let e = self.expressions();
        let built = match self.kind {
            WriteKind::Put(item) => Put::builder()
                .table_name(table)
                .set_item(Some(item))
                .set_condition_expression(e.condition)
                .set_expression_attribute_names(e.names)
                .set_expression_attribute_values(e.values)
                .return_values_on_condition_check_failure(AllOld)
                .build()
                .map(|put| TransactWriteItem::builder().put(put).build()),
            WriteKind::Update(key) => Update::builder()
                .table_name(table)
                .set_key(Some(key.into_item()))
                .update_expression(e.update)
                .set_condition_expression(e.condition)
                .set_expression_attribute_names(e.names)
                .set_expression_attribute_values(e.values)
                .return_values_on_condition_check_failure(AllOld)
                .build()
                .map(|update| TransactWriteItem::builder().update(update).build()),
            WriteKind::Delete(key) => Delete::builder()
                .table_name(table)
                .set_key(Some(key.into_item()))
                .set_condition_expression(e.condition)
                .set_expression_attribute_names(e.names)
                .set_expression_attribute_values(e.values)
                .return_values_on_condition_check_failure(AllOld)
                .build()
                .map(|delete| TransactWriteItem::builder().delete(delete).build()),
            WriteKind::Check(key) => ConditionCheck::builder()
                .table_name(table)
                .set_key(Some(key.into_item()))
                .set_condition_expression(e.condition)
                .set_expression_attribute_names(e.names)
                .set_expression_attribute_values(e.values)
                .return_values_on_condition_check_failure(AllOld)
                .build()
                .map(|check| TransactWriteItem::builder().condition_check(check).build()),
        };
        built.map_err(TableError::failed)
    }
}

pub(crate) fn attribute_value(value: &impl Serialize) -> AttributeValue {
    // Our own types can always be serialised. A bug here should cause a refused request, not wrong
    // data: a condition that compares with null fails.
    serde_dynamo::to_attribute_value(value).unwrap_or(AttributeValue::Null(true))
}

pub(crate) struct Expressions {
    pub update: String,
    pub condition: Option<String>,
    pub names: Option<HashMap<String, String>>,
    pub values: Option<HashMap<String, AttributeValue>>,
}
