//! The primary key of an item, and the names of attributes that are no fields. The keys of each
//! thing are in the file `keys.rs` beside it.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use crate::ids::{Id, of};
use crate::text::ascii_address;

pub(crate) const PK: &str = "pk";
pub(crate) const SK: &str = "sk";
pub(crate) const TYPE: &str = "type";
pub(crate) const TTL: &str = "ttl";
/// Who changed the item last.
pub const CHANGED_BY: &str = "changed_by";

/// The version of what an item counts or copies of other items: scores, windows, members, uses.
pub const COUNT_VERSION: &str = "count_version";
pub(crate) const GSI1: &str = "gsi1";
pub(crate) const GSI1PK: &str = "gsi1pk";
pub(crate) const GSI1SK: &str = "gsi1sk";
pub(crate) const GSI2: &str = "gsi2";
pub(crate) const GSI2PK: &str = "gsi2pk";
pub(crate) const GSI2SK: &str = "gsi2sk";

/// A primary key of the table or of its index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    pub(crate) pk: String,
    pub(crate) sk: String,
}

impl Key {
    /// The key of an item of the table.
    pub fn new(pk: String, sk: String) -> Self {
        Self { pk, sk }
    }

    pub(crate) fn from_item(mut item: HashMap<String, AttributeValue>) -> Option<Self> {
        let mut text = |name| match item.remove(name)? {
            AttributeValue::S(text) => Some(text),
            _ => None,
        };
        Some(Self::new(text(PK)?, text(SK)?))
    }

    pub(crate) fn into_item(self) -> HashMap<String, AttributeValue> {
        HashMap::from([
            (PK.to_owned(), AttributeValue::S(self.pk)),
            (SK.to_owned(), AttributeValue::S(self.sk)),
        ])
    }

    pub(crate) fn into_index_item(self) -> HashMap<String, AttributeValue> {
        HashMap::from([
            (GSI1PK.to_owned(), AttributeValue::S(self.pk)),
            (GSI1SK.to_owned(), AttributeValue::S(self.sk)),
        ])
    }

    pub(crate) fn into_time_item(self) -> HashMap<String, AttributeValue> {
        HashMap::from([
            (GSI2PK.to_owned(), AttributeValue::S(self.pk)),
            (GSI2SK.to_owned(), AttributeValue::S(self.sk)),
        ])
    }
}

/// Returns an id as 16 digits with leading zeros, so that text order is the same as number order.
pub(crate) fn padded(id: impl Into<u64>) -> String {
    format!("{:016}", id.into())
}

/// Returns the partition of a person. In the table it holds the profile; in the index it holds the
/// items that belong to the person.
pub(crate) fn own(person: Id<of::Person>) -> String {
    format!("USER#{}", padded(person))
}

/// Returns the partition of an e-mail address. In the table it holds people; in the index it holds
/// invites and mails.
pub(crate) fn address(address: &str) -> String {
    format!("ADDRESS#{}", ascii_address(address).to_lowercase())
}
