//! `clubs-admin bring-back`: single items of a restored table go back into the table in use.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{DisplayErrorContext, SdkError};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::AttributeValue;

use shared::db::{CHANGED_BY, Entity as _, Tombstone};
use shared::domain::{DERIVED_ENTRIES, ScheduledTask};

use crate::Item;
use crate::catalogue::LISTED;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// What belongs to an object: all items with its id, or its code, in their key.
#[derive(Debug)]
pub struct ItemFilter(Vec<String>);

/// How many items were found in the restored table.
#[derive(Debug, Default)]
pub struct BroughtBack {
    /// Items that the table in use did not have any more.
    pub back: usize,
    /// Items that it has, in whatever state. They stay as they are.
    pub there: usize,
    /// The segments of the catalogue with such items.
    segments: BTreeSet<String>,
}

impl ItemFilter {
    /// Everything that belongs to objects with these ids or codes. Keys hold ids with 16 digits.
    pub fn new(names: &[String]) -> Self {
        let is_id = |name: &str| name.bytes().all(|b| b.is_ascii_digit());
        let part = |name: &String| {
            if is_id(name) {
                format!("{name:0>16}")
            } else {
                name.clone()
            }
        };
        Self(names.iter().map(part).collect())
    }

    /// Returns whether an item belongs to one of the objects: its key has the id, or the code of
    /// the club at the place of a code. Words and addresses by which people are found, and entries
    /// for the timer, are left out; `clubs-admin repair` makes them again.
    pub fn has(&self, item: &Item) -> bool {
        let part = |name: &str| {
            let value = item.get(name).and_then(|value| value.as_s().ok());
            value.map_or("", String::as_str)
        };
        let is_found_anew = [Tombstone::TYPE, ScheduledTask::TYPE].contains(&part("type"));
        if DERIVED_ENTRIES.contains(&part("type")) || is_found_anew {
            return false;
        }
        let (pk, sk) = (part("pk"), part("sk"));
        let matches = |part: &str| self.0.iter().any(|name| name == part);
        let is_id = |part: &&str| part.len() == 16 && part.bytes().all(|b| b.is_ascii_digit());
        let mut ids = pk.split('#').chain(sk.split('#')).filter(is_id);
        let registered = sk.split_once('#').filter(|_| pk == "REGISTRATIONS");
        let codes = [
            pk.strip_prefix("CLUB#"),
            pk.strip_prefix("APPLICATIONS#"),
            sk.strip_prefix("CLUB#"),
            registered.map(|(_, code)| code),
        ];
        ids.any(matches) || codes.into_iter().flatten().any(matches)
    }
}

impl BroughtBack {
    /// Puts an item into the table, unless the table has an item with this key that was not
    /// deleted. Safe to repeat.
    pub async fn put(&mut self, client: &Client, table: &str, mut item: Item) -> Result<(), Error> {
        // Whoever changed it last did not bring it back (Z5).
        item.remove(CHANGED_BY);
        let part = |name: &str| item.get(name)?.as_s().ok().cloned();
        if part("type").is_some_and(|kind| LISTED.contains(&kind.as_str())) {
            self.segments.extend(part("pk"));
        }
        let put = client
            .put_item()
            .table_name(table)
            .set_item(Some(item))
            .condition_expression("attribute_not_exists(pk) OR #type = :gone")
            .expression_attribute_names("#type", "type")
            .expression_attribute_values(":gone", AttributeValue::S(Tombstone::TYPE.to_owned()));
        match put.send().await.map_err(SdkError::into_service_error) {
            Ok(_) => self.back += 1,
            Err(PutItemError::ConditionalCheckFailedException(_)) => self.there += 1,
            Err(error) => {
                return Err(format!("{table}: {}", DisplayErrorContext(error)).into());
            }
        }
        Ok(())
    }

    /// Makes functions read the segments of the catalogue again that have items of these. Safe to
    /// repeat.
    pub async fn show(&self, client: &Client, table: &str) -> Result<(), Error> {
        if self.segments.is_empty() {
            return Ok(());
        }
        let mut update = client
            .update_item()
            .table_name(table)
            .key("pk", AttributeValue::S("CATALOGUE".to_owned()))
            .key("sk", AttributeValue::S("VERSION".to_owned()))
            .expression_attribute_values(":one", AttributeValue::N("1".to_owned()));
        let mut all = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            update = update.expression_attribute_names(format!("#{number}"), segment);
            all.push(format!("#{number} :one"));
        }
        let update = update.update_expression(format!("ADD {}", all.join(", ")));
        let done = update.send().await;
        done.map_err(|error| format!("{table}: {}", DisplayErrorContext(error)))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_parts_of_keys_count() {
        let item_filter = ItemFilter::new(&["77".to_owned(), "chess".to_owned()]);
        let item = |pk: &str, sk: &str| {
            let text = |text: &str| AttributeValue::S(text.to_owned());
            Item::from([("pk".to_owned(), text(pk)), ("sk".to_owned(), text(sk))])
        };
        assert!(item_filter.has(&item("SUBMISSIONS#0000000000000077#2", "0000000000000005")));
        assert!(item_filter.has(&item("APPLICATIONS#go", "0000000000000077#QUESTION#1")));
        assert!(item_filter.has(&item("CLUB#chess", "MEMBER#1")));
        assert!(item_filter.has(&item("CLUBS#3", "CLUB#chess")));
        assert!(!item_filter.has(&item("CLUB#chess-2", "MEMBER#0000000000000770")));
        // The names of kinds of keys, and words by which people are found, are no codes.
        assert!(!ItemFilter::new(&["CLUB".to_owned()]).has(&item("CLUB#chess", "MEMBER#1")));
        let mut word = item("WORDS#c", "chess#0000000000000077");
        word.insert("type".to_owned(), AttributeValue::S("Word".to_owned()));
        assert!(!item_filter.has(&word));
        assert!(!item_filter.has(&item("USER#0000000000000777", "PROFILE")));
    }
}
