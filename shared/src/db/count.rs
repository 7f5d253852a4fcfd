//! Reads parts of the first items of a partition, to count them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};

use crate::db::error::TableError;
use crate::db::response::{AnyItem as _, Stored};
use crate::db::{Entity, Table, keys};

impl Table {
    /// Returns some attributes of the first items of this type, and whether there are more: at most
    /// so many pages of 1 MB. They may be a second old, for half the price.
    pub(crate) async fn some_of<E: Entity>(
        &self,
        (pk, prefix): (String, Option<&str>),
        requested: &[&str],
        pages: usize,
        most: Option<i32>,
    ) -> Result<(Vec<Stored>, bool), TableError> {
        let all = [keys::PK, keys::SK, "type"];
        let names: HashMap<String, String> = all
            .iter()
            .chain(requested)
            .map(|name| (format!("#{name}"), (*name).to_owned()))
            .collect();
        let projection: Vec<&str> = names.keys().map(String::as_str).collect();
        let request = self
            .client
            .query()
            .table_name(&self.name)
            .set_limit(most)
            .projection_expression(projection.join(", "))
            .set_expression_attribute_names(Some(names.clone()))
            .expression_attribute_values(":pk", AttributeValue::S(pk))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let request = match prefix {
            None => request.key_condition_expression("#pk = :pk"),
            Some(prefix) => request
                .key_condition_expression("#pk = :pk AND begins_with(#sk, :sk)")
                .expression_attribute_values(":sk", AttributeValue::S(prefix.to_owned())),
        };
        let (mut items, mut start) = (vec![], None);
        for _ in 0..pages {
            // Items of other types are evaluated, too.
            if most.is_some_and(|most| items.len() >= usize::try_from(most).unwrap_or_default()) {
                break;
            }
            let request = request.clone().set_exclusive_start_key(start);
            let mut found = self.page::<Stored>(request).await?;
            items.extend(
                found
                    .items
                    .into_iter()
                    .filter(|item| item.kind() == E::TYPE),
            );
            start = found.rest.pop();
            if start.is_none() {
                break;
            }
        }
        Ok((items, start.is_some()))
    }
}
