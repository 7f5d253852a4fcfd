//! Ways through the document, as JSON.

use serde_json::{Map, Value};

/// Calls `change` for every object in a JSON value, the inner ones first.
pub(super) fn for_each_object(value: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            object
                .values_mut()
                .for_each(|inner| for_each_object(inner, change));
            change(object);
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|inner| for_each_object(inner, change)),
        _ => {}
    }
}

/// Returns the operations of the document: path, method, operation.
pub(super) fn operations_of(
    document: &mut Value,
) -> impl Iterator<Item = (&str, &str, &mut Value)> {
    document["paths"]
        .as_object_mut()
        .into_iter()
        .flatten()
        .flat_map(|(path, item)| {
            item.as_object_mut()
                .into_iter()
                .flatten()
                .map(|(method, operation)| (path.as_str(), method.as_str(), operation))
        })
}

/// Returns the name in a reference to a schema.
pub(super) fn schema_name(value: &Value) -> Option<&str> {
    value["$ref"]
        .as_str()?
        .strip_prefix("#/components/schemas/")
}
