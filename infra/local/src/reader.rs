//! Answers the plain reads of the table from the items as the engine stored them.
//!
//! The engine parses each item that it reads and writes it again for the response. A stored item
//! already has the format of the wire, so a read without a filter can pass it through. Whatever is
//! not plain, and every error, is left to the engine: [`Reader::respond`] returns `None`, and the
//! words of a refusal are the engine's own.

mod query;
mod records;

use std::borrow::Cow;
use std::collections::HashMap;

use aws_lambda_events::event::dynamodb::EventRecord;
use dynoxide::Item;
use dynoxide::types::item_size;
use rusqlite::{Connection, OptionalExtension as _, Row};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::reader::query::{Attributes, ITEMS, Projection, Query, Source, stored};
use crate::table::TABLE;

/// A page of a query has at most these bytes, as in DynamoDB.
const PAGE_BYTES: usize = 1_048_576;

/// The most bytes of an item.
const ITEM_BYTES: usize = 400 * 1024;

/// A batch read returns at most these bytes, as in DynamoDB.
const BATCH_BYTES: usize = 16 * PAGE_BYTES;

/// The most keys in a batch read.
const BATCH_KEYS: usize = 100;

/// The most bytes of a partition key and of a sort key.
const KEY_BYTES: [usize; 2] = [2048, 1024];

/// One statement for each form of a query: there are about 20.
const STATEMENTS: usize = 64;

/// A second connection to the engine's database, only to read.
#[derive(Debug)]
pub(crate) struct Reader(Connection);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct GetItem<'a> {
    table_name: String,
    #[serde(borrow)]
    key: Attributes<'a>,
    #[serde(default)]
    consistent_read: bool,
    return_consumed_capacity: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct BatchGetItem<'a> {
    #[serde(borrow)]
    request_items: HashMap<String, Keys<'a>>,
    return_consumed_capacity: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Keys<'a> {
    #[serde(borrow)]
    keys: Vec<Attributes<'a>>,
    #[serde(default)]
    consistent_read: bool,
}

impl Reader {
    /// # Errors
    /// If `SQLite` cannot open the database.
    pub(crate) fn open(path: &str) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.pragma_update(None, "query_only", true)?;
        Ok(Self(connection))
    }

    /// The response as JSON, or nothing if the engine has to answer.
    pub(crate) fn respond(&self, operation: &str, body: &[u8]) -> Option<String> {
        match operation {
            "GetItem" => self.get(serde_json::from_slice(body).ok()?),
            "BatchGetItem" => self.batch(serde_json::from_slice(body).ok()?),
            "Query" => self.query(&serde_json::from_slice(body).ok()?),
            _ => None,
        }
    }

    /// Reads at most `most` records of the stream: those after the record with this number, or the
    /// first ones.
    pub(crate) fn records(
        &self,
        after: Option<&str>,
        most: usize,
    ) -> rusqlite::Result<Vec<EventRecord>> {
        records::read(&self.0, after, most)
    }

    fn get(&self, request: GetItem<'_>) -> Option<String> {
        if request.table_name != TABLE || request.return_consumed_capacity != "TOTAL" {
            return None;
        }
        let (item, bytes) = self.item(&request.key)?;
        let item = item.map_or_else(String::new, |item| format!(r#""Item":{item},"#));
        let units = read_units(bytes, request.consistent_read);
        Some(format!(
            "{{{item}\"ConsumedCapacity\":{}}}",
            capacity(units)
        ))
    }

    fn batch(&self, request: BatchGetItem<'_>) -> Option<String> {
        let (keys, others) = (
            request.request_items.get(TABLE)?,
            request.request_items.len() - 1,
        );
        let mut sorted: Vec<_> = keys.keys.iter().filter_map(key_of).collect();
        sorted.sort_unstable();
        sorted.dedup();
        if others > 0
            || request.return_consumed_capacity != "TOTAL"
            || !(1..=BATCH_KEYS).contains(&keys.keys.len())
            || sorted.len() < keys.keys.len()
        {
            return None;
        }
        let (mut items, mut bytes, mut units) = (vec![], 0, 0.0);
        for key in &keys.keys {
            let (item, size) = self.item(key)?;
            bytes += size;
            units += read_units(size, keys.consistent_read);
            items.extend(item);
        }
        (bytes <= BATCH_BYTES).then(|| {
            format!(
                r#"{{"Responses":{{"{TABLE}":[{}]}},"UnprocessedKeys":{{}},"ConsumedCapacity":[{}]}}"#,
                items.join(","),
                capacity(units)
            )
        })
    }

    /// Reads an item, if there is one, and its size.
    fn item(&self, key: &Attributes<'_>) -> Option<(Option<String>, usize)> {
        let (pk, sk) = key_of(key)?;
        let sql = "SELECT item_json, item_size FROM clubs WHERE pk = ?1 AND sk = ?2";
        let mut statement = self.0.prepare_cached(sql).ok()?;
        statement
            .query_row([stored(pk), stored(sk)], |row| {
                Ok((Some(row.get(0)?), row.get(1)?))
            })
            .optional()
            .ok()
            .map(Option::unwrap_or_default)
    }

    fn query(&self, request: &Query<'_>) -> Option<String> {
        let source = request.source().filter(|_| request.limit != Some(0))?;
        let projected = request.projected(source)?;
        let (sql, values) = request.sql(source, &projected)?;
        let mut statement = self.0.prepare_cached(&sql).ok()?;
        let mut rows = statement.query(rusqlite::params_from_iter(values)).ok()?;
        let (mut items, mut count, mut bytes) = (String::new(), 0, 0);
        let (mut last, mut is_full) = (None, false);
        while let Some(row) = rows.next().ok()? {
            let size = size_of(row)?;
            if bytes + size > PAGE_BYTES && count > 0 {
                is_full = true;
                break;
            }
            bytes += size;
            if count > 0 {
                items.push(',');
            }
            match &projected {
                Projection::All => items.push_str(text(row, 0)?),
                Projection::Keys => items.push_str(&key_json(row, source)?),
                Projection::Some(names) => items.push_str(&parts(text(row, 0)?, names)?),
            }
            count += 1;
            is_full = request.limit == Some(count);
            // The next item may not fit, and then the page ends with this one.
            if is_full || bytes + ITEM_BYTES > PAGE_BYTES {
                last = Some(key_json(row, source)?);
            }
            if is_full {
                break;
            }
        }
        let last = last
            .filter(|_| is_full)
            .map_or_else(String::new, |key| format!(r#""LastEvaluatedKey":{key},"#));
        let units = read_units(bytes, request.consistent_read);
        Some(format!(
            r#"{{"Items":[{items}],"Count":{count},"ScannedCount":{count},{last}"ConsumedCapacity":{}}}"#,
            capacity(units)
        ))
    }
}

/// The partition key and the sort key, if they are as the table defines them.
fn key_of<'a>(key: &'a Attributes<'_>) -> Option<(&'a str, &'a str)> {
    let [pk, sk] = ITEMS.attributes else {
        return None;
    };
    let (pk, sk) = (&*key.get(*pk)?.text, &*key.get(*sk)?.text);
    let fits = |text: &str, most| (1..=most).contains(&text.len());
    (key.len() == 2 && fits(pk, KEY_BYTES[0]) && fits(sk, KEY_BYTES[1])).then_some((pk, sk))
}

fn text<'a>(row: &'a Row<'_>, column: usize) -> Option<&'a str> {
    row.get_ref(column).ok()?.as_str().ok()
}

/// The size of an item. For entries of the index it is not stored.
fn size_of(row: &Row<'_>) -> Option<usize> {
    if let Some(size) = row.get(1).ok()? {
        return Some(size);
    }
    let entry: Item = serde_json::from_str(text(row, 0)?).ok()?;
    Some(item_size(&entry))
}

/// These attributes of an item, as JSON.
fn parts(item: &str, names: &[&str]) -> Option<String> {
    let item: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(item).ok()?;
    let parts = names.iter().filter_map(|name| {
        let value = item.get(*name)?.get();
        Some(format!("\"{name}\":{value}"))
    });
    Some(format!("{{{}}}", parts.collect::<Vec<_>>().join(",")))
}

/// The key of a row as JSON.
fn key_json(row: &Row<'_>, source: &Source) -> Option<String> {
    let attributes = source.attributes.iter().enumerate().map(|(at, name)| {
        let value = serde_json::to_string(text(row, at + 2)?.strip_prefix("S:")?).ok()?;
        Some(format!(r#""{name}":{{"S":{value}}}"#))
    });
    Some(format!(
        "{{{}}}",
        attributes.collect::<Option<Vec<_>>>()?.join(",")
    ))
}

/// 1 unit for each 4 KB that were begun, half of it if the read need not be consistent.
fn read_units(bytes: usize, is_consistent: bool) -> f64 {
    let units = bytes.div_ceil(4096).max(1);
    let units = u32::try_from(units).map_or(f64::INFINITY, f64::from);
    if is_consistent { units } else { units / 2.0 }
}

fn capacity(units: f64) -> String {
    format!(r#"{{"TableName":"{TABLE}","CapacityUnits":{units:?}}}"#)
}
