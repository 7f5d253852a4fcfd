//! Findings, and their repairs where these are safe: the right value follows from other items, and
//! the item is still as it was read.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata as _};
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;

use crate::Item;

/// An error in a table.
#[derive(Debug, Clone)]
pub struct Finding {
    /// A sentence about the error. It names items by ids only.
    pub text: String,
    /// The repair, if it follows from other items.
    pub repair: Option<Repair>,
}

/// A write that repairs an error.
#[derive(Debug, Clone)]
pub enum Repair {
    /// Stores a missing item.
    Put(Value),
    /// Deletes an item that belongs to no other item.
    Delete(Value),
    /// Sets an attribute of an item to its right value.
    Set {
        /// The item as it was read.
        item: Value,
        /// The name of the attribute.
        attribute: String,
        /// The right value.
        value: Value,
    },
}

impl From<String> for Finding {
    fn from(text: String) -> Self {
        Self { text, repair: None }
    }
}

/// Converts JSON of DynamoDB to an item of the SDK.
fn item(json: &Value) -> Result<Item, String> {
    let item: serde_dynamo::Item =
        serde_json::from_value(json.clone()).map_err(|error| error.to_string())?;
    Ok(item.into())
}

fn attribute(json: &Value) -> Result<AttributeValue, String> {
    let mut whole = item(&serde_json::json!({ "value": json }))?;
    whole.remove("value").ok_or_else(|| "no value".to_owned())
}

fn key(json: &Value) -> Result<Item, String> {
    let mut key = item(json)?;
    key.retain(|name, _| name == "pk" || name == "sk");
    Ok(key)
}

impl Repair {
    /// Writes the repair. Returns false if the item is no longer as it was read; then nothing is
    /// written.
    pub async fn apply(&self, client: &Client, table: &str) -> Result<bool, String> {
        let (refused, error) = match self {
            Self::Put(new) => {
                let put = client
                    .put_item()
                    .table_name(table)
                    .set_item(Some(item(new)?));
                match put
                    .condition_expression("attribute_not_exists(pk)")
                    .send()
                    .await
                {
                    Ok(_) => return Ok(true),
                    Err(error) => (
                        error.code() == Some(REFUSED),
                        DisplayErrorContext(error).to_string(),
                    ),
                }
            }
            Self::Delete(old) => {
                let delete = client
                    .delete_item()
                    .table_name(table)
                    .set_key(Some(key(old)?));
                let delete = delete
                    .condition_expression("#type = :type")
                    .expression_attribute_names("#type", "type");
                match delete
                    .expression_attribute_values(":type", attribute(&old["type"])?)
                    .send()
                    .await
                {
                    Ok(_) => return Ok(true),
                    Err(error) => (
                        error.code() == Some(REFUSED),
                        DisplayErrorContext(error).to_string(),
                    ),
                }
            }
            Self::Set {
                item: old,
                attribute: name,
                value,
            } => {
                let update = client
                    .update_item()
                    .table_name(table)
                    .set_key(Some(key(old)?));
                let update = update
                    .update_expression("SET #name = :new")
                    .expression_attribute_names("#name", name)
                    .expression_attribute_values(":new", attribute(value)?);
                let update = if old[name].is_null() {
                    // The item is still there, and of the same type.
                    update
                        .condition_expression("attribute_not_exists(#name) AND #type = :type")
                        .expression_attribute_names("#type", "type")
                        .expression_attribute_values(":type", attribute(&old["type"])?)
                } else {
                    update
                        .condition_expression("#name = :old")
                        .expression_attribute_values(":old", attribute(&old[name])?)
                };
                match update.send().await {
                    Ok(_) => return Ok(true),
                    Err(error) => (
                        error.code() == Some(REFUSED),
                        DisplayErrorContext(error).to_string(),
                    ),
                }
            }
        };
        if refused { Ok(false) } else { Err(error) }
    }
}

const REFUSED: &str = "ConditionalCheckFailedException";
