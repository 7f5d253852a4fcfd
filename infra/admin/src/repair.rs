//! Repairs (O6). A scan is no snapshot: it may show an item as it was before a change, and another
//! one as it is after it. So each repair looks again and writes on a condition, in a transaction:
//!
//! - Entries and reviews: the item that they belong to is read consistently, and the write holds
//!   only while that item is the same.
//! - Counters: whatever changes a counter increases the version of the counters of that item. The
//!   scan showed one state if the version was the same before the scan and is the same now.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{DisplayErrorContext, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, Put, TransactWriteItem, Update,
};
use serde_json::Value;
use shared::db::{COUNT_VERSION, Table, TableError};
use shared::domain::{
    Attachment, answers_of, derived_entries, leads_to, reviewed, seat_of, seat_owner,
    unfinished_duplicate,
};
use shared::time::{Clock as _, RequestTime, SystemClock, Timestamp};

use crate::finding::Repair;
use crate::{Item, text};

const NO_BUCKET: &str = "the bucket of files was not named";

/// The versions of all counters at one time. They must be read before the scan whose findings are
/// repaired.
#[derive(Debug, Clone, Default)]
pub struct CountVersions(HashMap<[String; 2], Value>);

impl CountVersions {
    /// Returns the versions in these items.
    pub(crate) fn of<'a>(items: impl Iterator<Item = &'a Value>) -> Self {
        let version = |item: &Value| (key_of(item), item[COUNT_VERSION].clone());
        Self(items.map(version).collect())
    }

    /// Returns whether the item had this version of its counters.
    fn has(&self, item: &Value) -> bool {
        self.0.get(&key_of(item)) == Some(&item[COUNT_VERSION])
    }
}

fn key_of(item: &Value) -> [String; 2] {
    ["pk", "sk"].map(|name| text(&item[name]).to_owned())
}

/// A table, for repairs.
#[derive(Debug)]
pub struct Repairs<'a> {
    /// The client.
    pub client: &'a Client,
    /// The name of the table.
    pub table: &'a str,
    /// The table with its bucket, if files are repaired, too.
    pub files: Option<&'a Table>,
    /// The versions of the counters before the scan.
    pub before: &'a CountVersions,
}

impl Repairs<'_> {
    /// Writes a repair. Returns false if it is not needed any more, or if something changed since
    /// the scan; then nothing is written.
    pub async fn apply(&self, repair: &Repair) -> Result<bool, String> {
        let writes = match repair {
            Repair::PutEntry(entry) => self.entry(&item(entry)?, true).await?,
            Repair::DeleteEntry(entry) => self.entry(&item(entry)?, false).await?,
            Repair::DeleteWithdrawal(withdrawal) => Some(vec![self.delete(&item(withdrawal)?)?]),
            Repair::DeleteAnswers(submission_answers) => {
                Some(self.answers(&item(submission_answers)?)?)
            }
            Repair::DeleteFile(attachment) => return self.delete_file(attachment).await,
            Repair::DeleteUpload(key) => {
                let table = self.files.ok_or(NO_BUCKET)?;
                let deleted = table.delete_object(key).await;
                return deleted.map(|()| true).map_err(|error| error.to_string());
            }
            Repair::PutTask(entry) => Some(vec![self.put(item(entry)?)?]),
            Repair::SetSeat { slot, submission } => {
                Some(self.seat(&item(slot)?, *submission).await?)
            }
            Repair::DeleteReview(review) => Some(self.review(&item(review)?)?),
            Repair::DeleteDuplicate(items) => return self.delete_duplicate(items).await,
            Repair::PutVersions(new) => Some(vec![self.put(item(new)?)?]),
            Repair::SetVersion {
                item,
                segment,
                value,
            } => Some(vec![self.set(item, segment, value, &["type", segment])?]),
            Repair::SetCount {
                item,
                attribute,
                value,
            } if self.before.has(item) => {
                let same = ["type", COUNT_VERSION, *attribute];
                Some(vec![self.set(item, attribute, value, &same)?])
            }
            Repair::SetCount { .. } => None,
        };
        match writes {
            Some(writes) => self.write(writes).await,
            None => Ok(false),
        }
    }

    /// Returns the writes that store a missing entry or delete one too many, while the item that it
    /// leads to stays as it is now. None if the entry is right.
    async fn entry(
        &self,
        entry: &Item,
        is_missing: bool,
    ) -> Result<Option<Vec<TransactWriteItem>>, String> {
        let owner = leads_to(entry).ok_or("an entry that cannot be read")?;
        let stored = self.read(owner.clone()).await?;
        let expected = stored.as_ref().map(derived_entries).unwrap_or_default();
        let right = expected
            .into_iter()
            .find(|expected| key(expected) == key(entry));
        let write = match (right, is_missing) {
            // As it follows from the item now, not as it did at the scan.
            (Some(right), true) => self.put(right)?,
            (None, false) => self.delete(entry)?,
            _ => return Ok(None),
        };
        let bound = match stored {
            Some(stored) => self.check(owner, Condition::same(&stored))?,
            None => self.check(owner, Condition::absent())?,
        };
        Ok(Some(vec![bound, write]))
    }

    /// Returns the writes that delete answers, unless the submission names them.
    fn answers(&self, submission_answers: &Item) -> Result<Vec<TransactWriteItem>, String> {
        let (submission, at) =
            answers_of(submission_answers).ok_or("answers that cannot be read")?;
        let bound = self.check(submission, Condition::differs("answers_at", at))?;
        // The scan does not keep the texts. Answers never change, so they need no comparison.
        Ok(vec![
            bound,
            self.delete_if(submission_answers, &["type", "at"])?,
        ])
    }

    /// Deletes a file and its entry, unless the submission has it.
    async fn delete_file(&self, attachment: &Attachment) -> Result<bool, String> {
        let table = self.files.ok_or(NO_BUCKET)?;
        let wrong = |error: TableError| error.to_string();
        let stored = table.submission(attachment.application, attachment.submission);
        let stored = stored.await.map_err(wrong)?;
        let object = attachment.object();
        let is_named = |one: &Attachment| one.object() == object;
        if stored.is_some_and(|submission| submission.attachments().iter().any(is_named)) {
            return Ok(false);
        }
        let when = RequestTime {
            received: attachment.at,
            at: Timestamp::at(SystemClock.now()),
        };
        let removed = table.remove_attachments(std::slice::from_ref(attachment), when);
        removed.await.map(|()| true).map_err(wrong)
    }

    /// Returns the writes that give a submission the place in a slot that it has booked, or take it
    /// away, while the submission stays as it is now.
    async fn seat(&self, slot: &Item, submission: u64) -> Result<Vec<TransactWriteItem>, String> {
        let owner = seat_owner(slot, submission).ok_or("a slot that cannot be read")?;
        let stored = self.read(owner.clone()).await?;
        let seat = stored.as_ref().and_then(|stored| seat_of(slot, stored));
        let bound = match stored {
            Some(stored) => self.check(owner, Condition::same(&stored))?,
            None => self.check(owner, Condition::absent())?,
        };
        let mut condition = Condition::of(slot, &["type", "id"]);
        let (seats, id) = (
            condition.name("seats"),
            condition.name(&submission.to_string()),
        );
        let update = match seat {
            Some(sequence) => {
                let sequence = condition.value(AttributeValue::N(sequence.to_string()));
                format!("SET {seats}.{id} = {sequence}")
            }
            None => format!("REMOVE {seats}.{id}"),
        };
        let update = Update::builder()
            .table_name(self.table)
            .set_key(Some(key(slot)))
            .update_expression(update)
            .condition_expression(condition.expression)
            .set_expression_attribute_names(Some(condition.names))
            .set_expression_attribute_values(Some(condition.values));
        let update = update.build().map_err(|error| error.to_string())?;
        Ok(vec![
            bound,
            TransactWriteItem::builder().update(update).build(),
        ])
    }

    /// Returns the writes that delete a review, unless the submission is the one that was reviewed.
    fn review(&self, review: &Item) -> Result<Vec<TransactWriteItem>, String> {
        let (submission, sequence) = reviewed(review).ok_or("a review that cannot be read")?;
        let bound = self.check(submission, Condition::differs("sequence", sequence))?;
        Ok(vec![bound, self.delete(review)?])
    }

    /// Deletes the questions and prompts of an application that does not exist, after it was made
    /// sure that the copy does not end after all.
    async fn delete_duplicate(&self, items: &[Value]) -> Result<bool, String> {
        let items: Vec<Item> = items.iter().map(item).collect::<Result<_, _>>()?;
        let question = items.first().ok_or("a copy without questions")?;
        let (application, deleted) =
            unfinished_duplicate(question, Timestamp::at(SystemClock.now()))
                .ok_or("a question that cannot be read")?;
        if self.read(key(&deleted)).await?.is_none() {
            let ends = vec![
                self.check(application, Condition::absent())?,
                self.put(deleted)?,
            ];
            if !self.write(ends).await? {
                return Ok(false);
            }
        }
        let mut is_done = false;
        for item in &items {
            is_done |= self.write(vec![self.delete(item)?]).await?;
        }
        Ok(is_done)
    }

    fn put(&self, new: Item) -> Result<TransactWriteItem, String> {
        let put = Put::builder().table_name(self.table).set_item(Some(new));
        let condition = Condition::absent();
        let put = put
            .condition_expression(condition.expression)
            .set_expression_attribute_names(Some(condition.names));
        let put = put.build().map_err(|error| error.to_string())?;
        Ok(TransactWriteItem::builder().put(put).build())
    }

    fn delete(&self, old: &Item) -> Result<TransactWriteItem, String> {
        let all: Vec<&str> = old.keys().map(String::as_str).collect();
        self.delete_if(old, &all)
    }

    /// Deletes an item if these attributes are as they were read.
    fn delete_if(&self, old: &Item, same: &[&str]) -> Result<TransactWriteItem, String> {
        let condition = Condition::of(old, same);
        let delete = Delete::builder()
            .table_name(self.table)
            .set_key(Some(key(old)))
            .condition_expression(condition.expression)
            .set_expression_attribute_names(Some(condition.names))
            .set_expression_attribute_values(Some(condition.values));
        let delete = delete.build().map_err(|error| error.to_string())?;
        Ok(TransactWriteItem::builder().delete(delete).build())
    }

    fn check(&self, key: Item, condition: Condition) -> Result<TransactWriteItem, String> {
        let values = Some(condition.values).filter(|values| !values.is_empty());
        let check = ConditionCheck::builder()
            .table_name(self.table)
            .set_key(Some(key))
            .condition_expression(condition.expression)
            .set_expression_attribute_names(Some(condition.names))
            .set_expression_attribute_values(values);
        let check = check.build().map_err(|error| error.to_string())?;
        Ok(TransactWriteItem::builder().condition_check(check).build())
    }

    /// Returns the write that sets an attribute, if the attributes in `same` are as they were read.
    fn set(
        &self,
        old: &Value,
        attribute: &str,
        value: &Value,
        same: &[&str],
    ) -> Result<TransactWriteItem, String> {
        let old = item(old)?;
        let mut condition = Condition::of(&old, same);
        let name = condition.name(attribute);
        let value = condition.value(attribute_value(value)?);
        let update = Update::builder()
            .table_name(self.table)
            .set_key(Some(key(&old)))
            .update_expression(format!("SET {name} = {value}"))
            .condition_expression(condition.expression)
            .set_expression_attribute_names(Some(condition.names))
            .set_expression_attribute_values(Some(condition.values));
        let update = update.build().map_err(|error| error.to_string())?;
        Ok(TransactWriteItem::builder().update(update).build())
    }

    async fn read(&self, key: Item) -> Result<Option<Item>, String> {
        let get = self.client.get_item().table_name(self.table);
        let found = get.set_key(Some(key)).consistent_read(true).send().await;
        let found = found.map_err(|error| DisplayErrorContext(error).to_string())?;
        Ok(found.item)
    }

    /// Sends the writes. The token that the client adds makes a late repeat of them harmless.
    async fn write(&self, writes: Vec<TransactWriteItem>) -> Result<bool, String> {
        let sent = self.client.transact_write_items();
        let sent = sent.set_transact_items(Some(writes)).send().await;
        match sent.map_err(SdkError::into_service_error) {
            Ok(_) => Ok(true),
            Err(TransactWriteItemsError::TransactionCanceledException(cancelled))
                if cancelled.cancellation_reasons().iter().all(|reason| {
                    let code = reason.code().unwrap_or("None");
                    ["None", "ConditionalCheckFailed", "TransactionConflict"].contains(&code)
                }) =>
            {
                Ok(false)
            }
            Err(error) => Err(DisplayErrorContext(error).to_string()),
        }
    }
}

/// A condition with its names and values.
#[derive(Default)]
struct Condition {
    expression: String,
    names: HashMap<String, String>,
    values: Item,
}

impl Condition {
    /// The item does not exist.
    fn absent() -> Self {
        let mut condition = Self::default();
        let name = condition.name("pk");
        condition.and(format!("attribute_not_exists({name})"));
        condition
    }

    /// All attributes of the item are as they were read.
    fn same(item: &Item) -> Self {
        let names: Vec<&str> = item.keys().map(String::as_str).collect();
        Self::of(item, &names)
    }

    /// These attributes of the item are as they were read.
    fn of(item: &Item, same: &[&str]) -> Self {
        let mut condition = Self::default();
        for attribute in same {
            let name = condition.name(attribute);
            let clause = match item.get(*attribute) {
                Some(value) => format!("{name} = {}", condition.value(value.clone())),
                None => format!("attribute_not_exists({name})"),
            };
            condition.and(clause);
        }
        condition
    }

    /// The number is another one, or there is none.
    fn differs(attribute: &str, number: u64) -> Self {
        let mut condition = Self::default();
        let name = condition.name(attribute);
        let number = condition.value(AttributeValue::N(number.to_string()));
        condition.and(format!(
            "(attribute_not_exists({name}) OR {name} <> {number})"
        ));
        condition
    }

    fn and(&mut self, clause: String) {
        if !self.expression.is_empty() {
            self.expression.push_str(" AND ");
        }
        self.expression.push_str(&clause);
    }

    fn name(&mut self, attribute: &str) -> String {
        let existing = self.names.iter().find(|(_, name)| *name == attribute);
        if let Some((placeholder, _)) = existing {
            return placeholder.clone();
        }
        let placeholder = format!("#n{}", self.names.len());
        self.names.insert(placeholder.clone(), attribute.to_owned());
        placeholder
    }

    fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }
}

/// Converts JSON of DynamoDB to an item of the SDK.
fn item(json: &Value) -> Result<Item, String> {
    let item: serde_dynamo::Item =
        serde_json::from_value(json.clone()).map_err(|error| error.to_string())?;
    Ok(item.into())
}

fn attribute_value(json: &Value) -> Result<AttributeValue, String> {
    let mut whole = item(&serde_json::json!({ "value": json }))?;
    whole.remove("value").ok_or_else(|| "no value".to_owned())
}

fn key(item: &Item) -> Item {
    let mut key = item.clone();
    key.retain(|name, _| name == "pk" || name == "sk");
    key
}
