//! Responses of DynamoDB to reads. The SDK sends and repeats the calls; the bodies of the responses
//! are read here, without an attribute value for each value (see `attributes.rs`).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeDeserializationInterceptorContextRef, Error, Output,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::client::ser_de::{DeserializeResponse, SharedResponseDeserializer};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::ConfigBag;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::db::attributes::read_item;
use crate::db::error::TableError;
use crate::db::keys::Key;
use crate::db::typed::read_typed;
use crate::db::{Entity, Item};

/// The body of a successful response. As an interceptor of one call, it replaces what the SDK would
/// read by an empty output, and keeps the body.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    kept: Arc<OnceLock<Arc<SdkBody>>>,
    /// Makes the empty output of this operation.
    output: fn() -> Output,
}

impl Body {
    /// Returns what takes the body of a response whose empty output is `output`.
    pub(crate) fn instead_of(output: fn() -> Output) -> Self {
        Self {
            kept: Arc::default(),
            output,
        }
    }

    fn kept(&self) -> Result<&Arc<SdkBody>, TableError> {
        self.kept
            .get()
            .ok_or_else(|| TableError::Failed("an answer without a body".to_owned()))
    }
}

impl Intercept for Body {
    fn name(&self) -> &'static str {
        "KeepBody"
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        // Errors stay with the SDK, which knows which of them to repeat.
        if context.response().status().is_success() {
            config
                .interceptor_state()
                .store_put(SharedResponseDeserializer::new(self.clone()));
        }
        Ok(())
    }
}

impl DeserializeResponse for Body {
    fn deserialize_nonstreaming_with_config(
        &self,
        response: &HttpResponse,
        _: &ConfigBag,
    ) -> Result<Output, OrchestratorError<Error>> {
        // An attempt before this one began well, and broke off. The SDK repeats the call.
        if !response.status().is_success() {
            return Err(OrchestratorError::response(
                "an error after an answer that broke off".into(),
            ));
        }
        // The body is in memory, and this is another reference to it.
        if let Some(body) = response.body().try_clone() {
            let _ = self.kept.set(Arc::new(body));
        }
        Ok((self.output)())
    }
}

/// The attributes of an item that finding it needs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Head {
    pk: String,
    sk: String,
    gsi1pk: String,
    r#type: String,
}

/// An item as it was answered. It is read into its entity when its type is known.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    body: Arc<SdkBody>,
    range: Range<usize>,
    head: Head,
}

/// The text of a body.
fn text_of(body: &SdkBody) -> Result<&str, TableError> {
    std::str::from_utf8(body.bytes().unwrap_or_default()).map_err(TableError::failed)
}

impl Stored {
    /// Returns an item, which is a part of the text of the body.
    fn new(body: &Arc<SdkBody>, text: &str, item: &RawValue) -> Result<Self, TableError> {
        let json = item.get();
        let start = json.as_ptr().addr() - text.as_ptr().addr();
        Ok(Self {
            body: body.clone(),
            range: start..start + json.len(),
            head: read_item(json).map_err(unreadable)?,
        })
    }

    fn json(&self) -> &str {
        let bytes = self.body.bytes().unwrap_or_default();
        let item = bytes.get(self.range.clone()).unwrap_or_default();
        std::str::from_utf8(item).unwrap_or_default()
    }

    /// Returns about how large it is, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.json().len()
    }

    /// Returns its key in the table.
    pub(crate) fn key(&self) -> Key {
        Key {
            pk: self.head.pk.clone(),
            sk: self.head.sk.clone(),
        }
    }

    /// Returns its partition in the index `gsi1`; empty if it is not in the index.
    pub(crate) fn index_partition(&self) -> &str {
        &self.head.gsi1pk
    }

    /// Returns its sort key in the index `gsi1`; none if it is not in the index.
    pub(crate) fn index_sort_key(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct InIndex {
            gsi1sk: String,
        }
        let made: InIndex = self.read().ok()?;
        Some(made.gsi1sk)
    }

    /// Reads some of its attributes.
    pub(crate) fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, TableError> {
        read_item(self.json()).map_err(unreadable)
    }

    /// Returns its attributes, for writes that compare with them.
    pub(crate) fn into_item(self) -> Result<Item, TableError> {
        let item: serde_dynamo::Item = serde_json::from_str(self.json()).map_err(unreadable)?;
        Ok(item.into())
    }
}

/// The error does not quote the item, because that has users' texts.
fn unreadable(error: serde_json::Error) -> TableError {
    TableError::Failed(format!(
        "an answer that cannot be read: {:?}",
        error.classify()
    ))
}

/// An item of any type: as it was answered to a read, or as a write returned it.
pub(crate) trait AnyItem: Sized {
    /// Returns the type of the item; empty if it has none.
    fn kind(&self) -> &str;

    /// Reads the entity.
    fn entity<E: Entity>(self) -> Result<E, TableError>;
}

impl AnyItem for Stored {
    fn kind(&self) -> &str {
        &self.head.r#type
    }

    fn entity<E: Entity>(self) -> Result<E, TableError> {
        read_item(self.json()).map_err(|error| {
            TableError::Failed(format!(
                "{} that cannot be read: {:?}",
                E::TYPE,
                error.classify()
            ))
        })
    }
}

impl AnyItem for Item {
    fn kind(&self) -> &str {
        crate::db::type_of(self)
    }

    fn entity<E: Entity>(self) -> Result<E, TableError> {
        crate::db::from_item(self)
    }
}

/// The capacity that a call consumed.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Capacity {
    capacity_units: f64,
}

/// The capacity of a call, or of each table of a batch.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Consumed {
    One(Capacity),
    Each(Vec<Capacity>),
}

impl Consumed {
    fn units(&self) -> f64 {
        match self {
            Self::One(used) => used.capacity_units,
            Self::Each(used) => used.iter().map(|used| used.capacity_units).sum(),
        }
    }
}

/// A key as DynamoDB names it in a response. All parts of keys are texts.
type KeyResponse = HashMap<String, Text>;

#[derive(Debug, Deserialize)]
struct Text {
    #[serde(rename = "S")]
    text: String,
}

fn key_item(key: KeyResponse) -> Item {
    key.into_iter()
        .map(|(name, part)| (name, AttributeValue::S(part.text)))
        .collect()
}

/// The response to `GetItem`, `Query` or `BatchGetItem` (of one table), with items of the type `T`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", bound(deserialize = "T: Deserialize<'de>"))]
struct Response<T> {
    #[serde(default = "Option::default")]
    item: Option<T>,
    #[serde(default = "Vec::new")]
    items: Vec<T>,
    #[serde(default = "HashMap::new")]
    responses: HashMap<String, Vec<T>>,
    last_evaluated_key: Option<KeyResponse>,
    #[serde(default)]
    unprocessed_keys: HashMap<String, Unprocessed>,
    consumed_capacity: Option<Consumed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Unprocessed {
    keys: Vec<KeyResponse>,
}

/// An item that must be of this type.
struct Typed<E>(E);

impl<'de, E: Entity> Deserialize<'de> for Typed<E> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        read_typed(json, E::TYPE).map(Self)
    }
}

/// What a read returned.
#[derive(Debug)]
pub(crate) struct Found<T> {
    /// The items.
    pub(crate) items: Vec<T>,
    /// Where the next page begins, or the keys that were not read.
    pub(crate) rest: Vec<Item>,
    /// Consumed capacity units.
    pub(crate) units: f64,
}

impl<T> Found<T> {
    fn new<A>(
        parsed: Response<A>,
        item: impl Fn(A) -> Result<T, TableError>,
    ) -> Result<Self, TableError> {
        let items = parsed.item.into_iter().chain(parsed.items);
        let all = items.chain(parsed.responses.into_values().flatten());
        let unread = parsed.unprocessed_keys.into_values();
        let rest = parsed.last_evaluated_key.into_iter();
        Ok(Self {
            items: all.map(item).collect::<Result<_, _>>()?,
            rest: rest
                .chain(unread.flat_map(|rest| rest.keys))
                .map(key_item)
                .collect(),
            units: parsed.consumed_capacity.map_or(0.0, |used| used.units()),
        })
    }
}

/// What the items of a response are read into.
pub(crate) trait FromResponse: Sized {
    /// Reads a response.
    fn all(body: &Body) -> Result<Found<Self>, TableError>;
}

/// Items whose types are not known yet.
impl FromResponse for Stored {
    fn all(body: &Body) -> Result<Found<Self>, TableError> {
        let body = body.kept()?;
        let text = text_of(body)?;
        let parsed: Response<&RawValue> = serde_json::from_str(text).map_err(unreadable)?;
        Found::new(parsed, |item| Self::new(body, text, item))
    }
}

/// The entities of one type. Items of other types are left out, and items that cannot be read (see
/// [`readable`]).
impl<E: Entity> FromResponse for E {
    fn all(body: &Body) -> Result<Found<Self>, TableError> {
        // Nearly always all items are of this type. Then they are read in one pass.
        if let Ok(parsed) = serde_json::from_str::<Response<Typed<E>>>(text_of(body.kept()?)?) {
            return Found::new(parsed, |Typed(entity)| Ok(entity));
        }
        let Found { items, rest, units } = Stored::all(body)?;
        Ok(Found {
            items: readable(items),
            rest,
            units,
        })
    }
}

/// Returns the items that have this type. An item that cannot be read does not affect the others:
/// it is left out and logged, and `clubs-admin check` finds it.
pub(crate) fn readable<E: Entity>(items: impl IntoIterator<Item = Stored>) -> Vec<E> {
    let of_type = items.into_iter().filter(|item| item.kind() == E::TYPE);
    // Do not log the error or the key: both would quote the item's content.
    of_type
        .filter_map(|item| {
            item.entity()
                .inspect_err(|_| tracing::error!(kind = E::TYPE, "an item cannot be read"))
                .ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::operation::query::QueryOutput;

    use super::*;

    fn reading(status: u16, body: &str) -> (Body, bool) {
        let made = Body::instead_of(|| Output::erase(QueryOutput::builder().build()));
        let status = status.try_into().expect("a status");
        let response = HttpResponse::new(status, SdkBody::from(body.to_owned()));
        let read = made.deserialize_nonstreaming_with_config(&response, &ConfigBag::base());
        (made, read.is_ok())
    }

    #[test]
    fn an_error_is_no_empty_answer() {
        let (made, is_read) = reading(400, r#"{"__type":"ThrottlingException"}"#);
        assert!(!is_read);
        assert!(Stored::all(&made).is_err());
        let (made, is_read) = reading(200, r#"{"Items":[],"Count":0}"#);
        assert!(is_read);
        assert!(Stored::all(&made).expect("an answer").items.is_empty());
    }
}
