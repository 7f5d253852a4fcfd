//! Conditions of writes: what an item must be like, so that it is written.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;

use super::{Write, at, attribute_value};
use crate::db::{Item, keys};

impl Write {
    /// Adds a condition: the item does not exist.
    #[must_use]
    pub fn if_new(mut self) -> Self {
        let clause = format!("attribute_not_exists({})", self.name(keys::PK));
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the item exists.
    #[must_use]
    pub fn if_exists(mut self) -> Self {
        let clause = format!("attribute_exists({})", self.name(keys::PK));
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the attribute exists.
    #[must_use]
    pub fn if_there(mut self, attribute: &str) -> Self {
        let clause = format!("attribute_exists({})", self.name(attribute));
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the attribute has this value.
    #[must_use]
    pub fn if_equals(mut self, attribute: &str, value: &impl Serialize) -> Self {
        let clause = format!("{} = {}", self.name(attribute), self.value(value));
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the attributes that this write sets have the same values as in `read`.
    #[must_use]
    pub(crate) fn if_as_in(mut self, read: &Item) -> Self {
        let paths: Vec<String> = self
            .result
            .set
            .iter()
            .map(|(path, _)| path.clone())
            .collect();
        for path in paths {
            let name = self.name(&path);
            let clause = match at(read, &path) {
                Some(value) => format!("{name} = {}", self.raw(value.clone())),
                None => format!("attribute_not_exists({name})"),
            };
            self.conditions.push(clause);
        }
        self
    }

    /// Adds a condition: the attribute has one of these two values.
    #[must_use]
    pub fn if_either(mut self, attribute: &str, values: [&impl Serialize; 2]) -> Self {
        let name = self.name(attribute);
        let [first, second] = values.map(|value| self.value(value));
        self.conditions
            .push(format!("({name} = {first} OR {name} = {second})"));
        self
    }

    /// Adds a condition: the item does not exist, or all conditions that `conditions` adds hold.
    #[must_use]
    pub fn if_new_or(mut self, conditions: impl FnOnce(Self) -> Self) -> Self {
        let others = std::mem::take(&mut self.conditions);
        self = conditions(self);
        let all = std::mem::replace(&mut self.conditions, others).join(" AND ");
        let clause = format!("(attribute_not_exists({}) OR ({all}))", self.name(keys::PK));
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the attribute has this value, or the item does not exist.
    #[must_use]
    pub fn if_new_or_equals(mut self, attribute: &str, value: &impl Serialize) -> Self {
        let clause = format!(
            "(attribute_not_exists({}) OR {} = {})",
            self.name(keys::PK),
            self.name(attribute),
            self.value(value)
        );
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the number is at most `value`, or the item does not exist.
    #[must_use]
    pub fn if_new_or_at_most(mut self, attribute: &str, value: i64) -> Self {
        let clause = format!(
            "(attribute_not_exists({}) OR {} <= {})",
            self.name(keys::PK),
            self.name(attribute),
            self.value(&value)
        );
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the attribute is smaller than `value`.
    #[must_use]
    pub fn if_below(mut self, attribute: &str, value: &impl Serialize) -> Self {
        let clause = format!("{} < {}", self.name(attribute), self.value(value));
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the attribute is smaller than `value` or is absent.
    #[must_use]
    pub fn if_absent_or_below(mut self, attribute: &str, value: &impl Serialize) -> Self {
        let name = self.name(attribute);
        let clause = format!(
            "(attribute_not_exists({name}) OR {name} < {})",
            self.value(value)
        );
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the attribute has this value or is absent.
    #[must_use]
    pub fn if_absent_or_equals(self, attribute: &str, value: &impl Serialize) -> Self {
        self.if_absent_or_raw(attribute, attribute_value(value))
    }

    /// Like [`Write::if_absent_or_equals`], with a value of the SDK.
    pub(crate) fn if_absent_or_raw(mut self, attribute: &str, value: AttributeValue) -> Self {
        let name = self.name(attribute);
        let clause = format!(
            "(attribute_not_exists({name}) OR {name} = {})",
            self.raw(value)
        );
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the number is larger than `value`.
    #[must_use]
    pub fn if_above(mut self, attribute: &str, value: i64) -> Self {
        let clause = format!("{} > {}", self.name(attribute), self.value(&value));
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the number is larger than `value`, or the flag is true.
    #[must_use]
    pub fn if_above_or(mut self, attribute: &str, value: i64, flag: &str) -> Self {
        let clause = format!(
            "({} > {} OR {} = {})",
            self.name(attribute),
            self.value(&value),
            self.name(flag),
            self.value(&true)
        );
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the map has fewer members than the number in another attribute says.
    #[must_use]
    pub fn if_fewer(mut self, map: &str, most: &str) -> Self {
        let clause = format!("size({}) < {}", self.name(map), self.name(most));
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the attribute exists and is at most `value`.
    #[must_use]
    pub fn if_at_most(mut self, attribute: &str, value: &impl Serialize) -> Self {
        let clause = format!("{} <= {}", self.name(attribute), self.value(value));
        self.conditions.push(clause);
        self
    }

    /// Adds a condition: the attribute has this value; for none, it is null or absent.
    #[must_use]
    pub fn if_is(self, attribute: &str, value: Option<&impl Serialize>) -> Self {
        match value {
            Some(value) => self.if_equals(attribute, value),
            None => self.if_none(attribute),
        }
    }

    /// Adds a condition: the attribute is null or absent.
    #[must_use]
    pub fn if_none(mut self, attribute: &str) -> Self {
        let name = self.name(attribute);
        let clause = format!(
            "(attribute_not_exists({name}) OR {name} = {})",
            self.value(&None::<()>)
        );
        self.conditions.push(clause);
        self
    }
}
