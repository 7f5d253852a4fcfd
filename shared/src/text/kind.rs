//! What a field of a request may hold: how it is read, and its schema (H16).

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{
    ArrayBuilder, ObjectBuilder, OneOfBuilder, RefBuilder, Schema, SchemaType, Type,
};
use utoipa::{PartialSchema, ToSchema};

use crate::ids::Id;
use crate::reason::Reason;
use crate::time::Timestamp;

/// What a field of a request holds.
pub trait FieldType {
    /// Its form in JSON.
    type Input: DeserializeOwned + Clone + Debug;
    /// What is read from it.
    type Value: Clone + Debug;

    /// Returns the value, or what is wrong with it.
    fn read(sent: Self::Input) -> Result<Self::Value, Reason>;

    /// Returns whether a text is the one that is stored. That is allowed, whatever it is: an
    /// earlier release took more.
    fn is_same(_: &Self::Input, _: &Self::Value) -> bool {
        false
    }

    /// What null means; none if null is not allowed.
    fn null() -> Option<Self::Value> {
        None
    }

    /// The schema where the field is.
    fn schema() -> RefOr<Schema>;

    /// Adds the schemas with a name that [`FieldType::schema`] refers to.
    fn schemas(_: &mut Vec<(String, RefOr<Schema>)>) {}
}

/// A reference to the schema of a type.
pub fn reference<T: ToSchema>() -> RefOr<Schema> {
    let builder = RefBuilder::new().ref_location_from_schema_name(T::name());
    RefOr::Ref(builder.build())
}

/// Adds the schema of a type, and of what it consists of.
pub fn add_schemas<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}

/// Makes types that are read as they are a [`FieldType`]: with a schema of their own name.
#[macro_export]
macro_rules! kinds {
    ($($name:ty),+ $(,)?) => {$(
        impl $crate::text::FieldType for $name {
            type Input = Self;
            type Value = Self;

            fn read(sent: Self) -> std::result::Result<Self, $crate::reason::Reason> {
                Ok(sent)
            }

            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                $crate::text::reference::<Self>()
            }

            fn schemas(
                schemas: &mut Vec<(
                    String,
                    utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>,
                )>,
            ) {
                $crate::text::add_schemas::<Self>(schemas);
            }
        }
    )+};
}

impl FieldType for bool {
    type Input = Self;
    type Value = Self;

    fn read(sent: Self) -> Result<Self, Reason> {
        Ok(sent)
    }

    fn schema() -> RefOr<Schema> {
        <Self as PartialSchema>::schema()
    }
}

impl FieldType for String {
    type Input = Self;
    type Value = Self;

    fn read(sent: Self) -> Result<Self, Reason> {
        Ok(sent)
    }

    fn schema() -> RefOr<Schema> {
        <Self as PartialSchema>::schema()
    }
}

impl FieldType for i64 {
    type Input = Self;
    type Value = Self;

    fn read(sent: Self) -> Result<Self, Reason> {
        Ok(sent)
    }

    fn schema() -> RefOr<Schema> {
        <Self as PartialSchema>::schema()
    }
}

impl<T: 'static> FieldType for Id<T> {
    type Input = Self;
    type Value = Self;

    fn read(sent: Self) -> Result<Self, Reason> {
        Ok(sent)
    }

    fn schema() -> RefOr<Schema> {
        u64::schema()
    }
}

kinds!(Timestamp);

/// A value that may be null.
impl<K: FieldType> FieldType for Option<K> {
    type Input = K::Input;
    type Value = Option<K::Value>;

    fn read(sent: K::Input) -> Result<Option<K::Value>, Reason> {
        K::read(sent).map(Some)
    }

    fn null() -> Option<Option<K::Value>> {
        Some(None)
    }

    fn schema() -> RefOr<Schema> {
        let null = ObjectBuilder::new().schema_type(SchemaType::Type(Type::Null));
        let or_null = OneOfBuilder::new().item(K::schema()).item(null);
        or_null.into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        K::schemas(schemas);
    }
}

/// A list of at least `MIN` and at most `MAX` values. Whoever reads it compares its length, because
/// some lists are counted without what is in them twice.
#[derive(Debug, Clone)]
pub struct List<T, const MAX: usize = { usize::MAX }, const MIN: usize = 0>(
    std::marker::PhantomData<T>,
);

impl<K, const MAX: usize, const MIN: usize> FieldType for List<K, MAX, MIN>
where
    K: FieldType<Input = K> + DeserializeOwned + Clone + Debug,
{
    type Input = Vec<K>;
    type Value = Vec<K>;

    fn read(sent: Vec<K>) -> Result<Vec<K>, Reason> {
        Ok(sent)
    }

    fn schema() -> RefOr<Schema> {
        let list = ArrayBuilder::new().items(K::schema());
        let list = list.max_items((MAX < usize::MAX).then_some(MAX));
        list.min_items((MIN > 0).then_some(MIN)).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        K::schemas(schemas);
    }
}
