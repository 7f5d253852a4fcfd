//! A query as one statement of SQL.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use crate::table::TABLE;

/// An attribute that is a string. Others are not read here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text<'a> {
    #[serde(rename = "S", borrow)]
    pub(super) text: Cow<'a, str>,
}

pub(super) type Attributes<'a> = HashMap<Cow<'a, str>, Text<'a>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
pub(super) struct Query<'a> {
    table_name: String,
    index_name: Option<String>,
    key_condition_expression: String,
    projection_expression: Option<String>,
    expression_attribute_names: HashMap<String, String>,
    #[serde(borrow)]
    expression_attribute_values: Attributes<'a>,
    #[serde(borrow)]
    exclusive_start_key: Option<Attributes<'a>>,
    pub(super) limit: Option<usize>,
    scan_index_forward: Option<bool>,
    #[serde(default)]
    pub(super) consistent_read: bool,
    return_consumed_capacity: String,
}

/// The table, or one of its indexes.
pub(super) struct Source {
    /// The name in SQL.
    name: &'static str,
    /// The columns of the key that it is sorted by, and of the table's key.
    columns: &'static [&'static str],
    /// The attributes in these columns.
    pub(super) attributes: &'static [&'static str],
    /// The column with an item's size, where there is one.
    size: &'static str,
}

pub(super) const ITEMS: Source = Source {
    name: TABLE,
    columns: &["pk", "sk"],
    attributes: &["pk", "sk"],
    size: "item_size",
};

const INDEX_COLUMNS: &[&str] = &["gsi_pk", "gsi_sk", "table_pk", "table_sk"];

const INDEXES: [(&str, Source); 2] = [
    (
        "gsi1",
        Source {
            name: "clubs::gsi::gsi1",
            columns: INDEX_COLUMNS,
            attributes: &["gsi1pk", "gsi1sk", "pk", "sk"],
            size: "NULL",
        },
    ),
    (
        "gsi2",
        Source {
            name: "clubs::gsi::gsi2",
            columns: INDEX_COLUMNS,
            attributes: &["gsi2pk", "gsi2sk", "pk", "sk"],
            size: "NULL",
        },
    ),
];

/// The attributes that a query returns.
pub(super) enum Projection<'a> {
    All,
    /// Those of the table's key.
    Keys,
    Some(Vec<&'a str>),
}

impl Query<'_> {
    pub(super) fn source(&self) -> Option<&'static Source> {
        if self.table_name != TABLE || self.return_consumed_capacity != "TOTAL" {
            return None;
        }
        match self.index_name.as_deref() {
            None => Some(&ITEMS),
            Some(_) if self.consistent_read => None,
            Some(name) => INDEXES
                .iter()
                .find_map(|(index, source)| (*index == name).then_some(source)),
        }
    }

    /// Which attributes are returned. `None` if they are not simple names.
    pub(super) fn projected(&self, source: &Source) -> Option<Projection<'_>> {
        let Some(projection) = &self.projection_expression else {
            return Some(Projection::All);
        };
        let mut names = Vec::new();
        for name in projection.split(", ") {
            names.push(self.expression_attribute_names.get(name)?.as_str());
        }
        names.sort_unstable();
        let (all, keys) = (names.len(), source.attributes);
        names.dedup();
        if names.len() < all {
            return None;
        }
        Some(if names == keys {
            Projection::Keys
        } else {
            Projection::Some(names)
        })
    }

    /// The attribute that a placeholder of the condition names.
    fn is_name(&self, name: &str, attribute: &str) -> bool {
        self.expression_attribute_names
            .get(name)
            .is_some_and(|named| named == attribute)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let value = self.expression_attribute_values.get(name)?;
        Some(&value.text)
            .filter(|text| !text.is_empty())
            .map(|text| &**text)
    }

    /// The statement and its values.
    pub(super) fn sql(
        &self,
        source: &Source,
        projected: &Projection<'_>,
    ) -> Option<(String, Vec<String>)> {
        let [pk, sk, ..] = source.columns else {
            return None;
        };
        let condition = self.key_condition_expression.as_str();
        let (first, rest) = condition.split_once(" AND ").unwrap_or((condition, ""));
        if first != "#pk = :pk" || !self.is_name("#pk", source.attributes[0]) {
            return None;
        }
        if !rest.is_empty() && !self.is_name("#sk", source.attributes[1]) {
            return None;
        }
        let mut values = vec![stored(self.value(":pk")?)];
        let mut sql = match rest {
            "" => String::new(),
            "begins_with(#sk, :sk)" => {
                let prefix = self.value(":sk")?;
                values.extend([stored(prefix), stored(&after(prefix)?)]);
                format!(" AND {sk} >= ?2 AND {sk} < ?3")
            }
            "#sk BETWEEN :from AND :to" => {
                let (from, to) = (self.value(":from")?, self.value(":to")?);
                values.extend([stored(from), stored(to)]);
                format!(" AND {sk} >= ?2 AND {sk} <= ?3")
            }
            "#sk < :sk" => {
                values.push(stored(self.value(":sk")?));
                format!(" AND {sk} < ?2")
            }
            _ => return None,
        };
        // A name or a value that is not used, and a range that ends before it begins, are errors.
        let used = values.len() - usize::from(rest.starts_with('b'));
        let projection = self.projection_expression.as_deref().unwrap_or("#pk");
        let mut names: HashSet<&str> = projection.split(", ").chain(["#pk"]).collect();
        if !rest.is_empty() {
            names.insert("#sk");
        }
        if self.expression_attribute_values.len() != used
            || self.expression_attribute_names.len() != names.len()
            || rest.starts_with("#sk B") && values[1] > values[2]
        {
            return None;
        }
        let is_forward = self.scan_index_forward.unwrap_or(true);
        if let Some(start) = &self.exclusive_start_key {
            let start = self.start(source, start)?;
            // It must be one that the condition allows.
            let allowed = match (rest.as_bytes(), &values[1..]) {
                ([], _) => true,
                ([b'b', ..], [from, to]) => *from <= start[0] && start[0] < *to,
                (_, [from, to]) => *from <= start[0] && start[0] <= *to,
                (_, [to]) => start[0] < *to,
                _ => false,
            };
            if !allowed {
                return None;
            }
            let order = &source.columns[1..];
            let placeholders: Vec<_> = (1..=order.len())
                .map(|at| format!("?{}", values.len() + at))
                .collect();
            let than = if is_forward { '>' } else { '<' };
            let (order, placeholders) = (order.join(", "), placeholders.join(", "));
            sql = format!("{sql} AND ({order}) {than} ({placeholders})");
            values.extend(start);
        }
        let direction = if is_forward { " ASC" } else { " DESC" };
        let what = if matches!(projected, Projection::Keys) {
            "NULL"
        } else {
            "item_json"
        };
        Some((
            format!(
                "SELECT {what}, {}, {} FROM \"{}\" WHERE {pk} = ?1{sql} ORDER BY {}",
                source.size,
                source.columns.join(", "),
                source.name,
                source.columns[1..].join(&format!("{direction}, ")) + direction,
            ),
            values,
        ))
    }

    /// The values of the key to start after. It must be whole, and of this partition.
    fn start(&self, source: &Source, key: &Attributes<'_>) -> Option<Vec<String>> {
        let pk = key.get(source.attributes[0])?;
        if key.len() != source.attributes.len() || Some(&*pk.text) != self.value(":pk") {
            return None;
        }
        source.attributes[1..]
            .iter()
            .map(|name| key.get(*name).map(|value| stored(&value.text)))
            .collect()
    }
}

/// A key as the engine stores it.
pub(super) fn stored(key: &str) -> String {
    format!("S:{key}")
}

/// The smallest text after all texts that begin with `prefix`, which ends in ASCII.
fn after(prefix: &str) -> Option<String> {
    let last = prefix.bytes().last().filter(|last| *last < 0x7f)?;
    let mut text = prefix[..prefix.len() - 1].to_owned();
    text.push(char::from(last + 1));
    Some(text)
}
