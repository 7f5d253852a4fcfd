//! Request bodies whose fields are said once: [`input!`](crate::input) makes the type, its reading
//! and its schema from one line a field (H13, H14, H16).

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema};

use super::field::{Field, Presence};
use crate::reason::Reason;
use crate::text::FieldType;

/// The key of a schema that lists the fields that PUT may leave out. `shared::openapi` replaces it
/// by a sentence at each of these fields.
pub const NOT_IN_PUT: &str = "x-not-in-put";

/// A field of a request body, as it was sent, with its name and when it must be present.
#[derive(Debug, Clone)]
pub struct FieldInput<K: FieldType> {
    /// The name in JSON.
    pub name: &'static str,
    /// When it must be present.
    pub presence: Presence,
    /// What was sent.
    pub field: Field<K::Input>,
    /// Its value in a new object, if it is not sent.
    pub default: Option<fn() -> K::Value>,
}

impl<K: FieldType> FieldInput<K> {
    /// A field that was not sent.
    pub fn absent(
        name: &'static str,
        presence: Presence,
        default: Option<fn() -> K::Value>,
    ) -> Self {
        Self {
            name,
            presence,
            field: Field::Absent,
            default,
        }
    }

    /// The same field with a value, if there is one, for bodies that do not come from JSON.
    #[must_use]
    pub fn with(self, value: Option<K::Input>) -> Self {
        let field = value.map_or(Field::Absent, Field::Value);
        Self { field, ..self }
    }

    /// The same field, if it must be present at other times than usual.
    #[must_use]
    pub fn with_presence(self, presence: Presence) -> Self {
        Self { presence, ..self }
    }

    /// Whether the body does not have the field.
    pub fn is_absent(&self) -> bool {
        matches!(self.field, Field::Absent)
    }

    /// What was sent, if it has the right type.
    pub fn sent(&self) -> Option<&K::Input> {
        match &self.field {
            Field::Value(value) => Some(value),
            _ => None,
        }
    }
}

/// A field that takes its value from JSON.
pub trait FillField {
    /// The name in JSON.
    fn name(&self) -> &'static str;

    /// Takes the value.
    fn fill(&mut self, value: Value);

    /// What is wrong inside the value: the paths inside the field, and why ([`Field::Wrong`]).
    fn wrong(&self) -> &[(String, Reason)];
}

/// A type that [`input!`](crate::input) made.
pub trait Body: DeserializeOwned {
    /// The names of its fields.
    const NAMES: &'static [&'static str];
    /// Whether it must not have other fields (H34).
    const IS_STRICT: bool;

    /// Its fields.
    fn fields(&mut self) -> Vec<&mut dyn FillField>;
}

impl<K: FieldType> FillField for FieldInput<K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fill(&mut self, value: Value) {
        self.field = Field::read(value);
    }

    fn wrong(&self) -> &[(String, Reason)] {
        match &self.field {
            Field::Wrong(wrong) => wrong,
            _ => &[],
        }
    }
}

struct Fields<'a, 'b> {
    list: &'a mut [&'b mut dyn FillField],
    names: &'static [&'static str],
    is_strict: bool,
}

impl<'de> Visitor<'de> for Fields<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            match self.list.iter_mut().find(|field| field.name() == name) {
                Some(field) => field.fill(value),
                None if self.is_strict => return Err(A::Error::unknown_field(&name, self.names)),
                None => {}
            }
        }
        Ok(())
    }
}

/// Reads a body from an object. Other keys are an error if it is strict, and ignored if not.
///
/// # Errors
///
/// Those of the deserializer.
pub fn read_body<'de, T: Body + Default, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let mut body = T::default();
    let fields = Fields {
        list: &mut body.fields(),
        names: T::NAMES,
        is_strict: T::IS_STRICT,
    };
    deserializer.deserialize_struct("object", T::NAMES, fields)?;
    Ok(body)
}

/// The text of doc comments: lines without the space at their beginning.
fn text_of(doc: &[&str]) -> String {
    let lines: Vec<&str> = doc.iter().map(|line| line.trim()).collect();
    lines.join("\n")
}

/// The schema of a body while its fields are added.
pub struct BodySchema {
    object: ObjectBuilder,
    not_in_put: Vec<&'static str>,
}

impl BodySchema {
    /// A body without fields.
    pub fn new(doc: &[&str], is_strict: bool) -> Self {
        let object = ObjectBuilder::new().description(Some(text_of(doc)));
        let others = is_strict.then_some(AdditionalProperties::FreeForm(false));
        Self {
            object: object.additional_properties(others),
            not_in_put: vec![],
        }
    }

    /// Adds a field.
    #[must_use]
    pub fn field<K: FieldType>(
        mut self,
        field: &FieldInput<K>,
        doc: &[&str],
        default: &str,
    ) -> Self {
        let mut about = text_of(doc);
        if !default.is_empty() {
            let space = if about.is_empty() { "" } else { " " };
            about += &[space, "Default ", default, "."].concat();
        }
        self.object = self
            .object
            .property(field.name, described(K::schema(), about));
        match field.presence {
            Presence::Required => self.object = self.object.required(field.name),
            Presence::Free => self.not_in_put.push(field.name),
            Presence::Optional => {}
        }
        self
    }

    /// The schema with all fields.
    pub fn build(self) -> RefOr<Schema> {
        let put_extensions = Extensions::builder().add(NOT_IN_PUT, json!(self.not_in_put));
        self.object.extensions(Some(put_extensions.build())).into()
    }
}

fn described(mut schema: RefOr<Schema>, about: String) -> RefOr<Schema> {
    match &mut schema {
        RefOr::Ref(reference) => reference.description = about,
        RefOr::T(Schema::Object(object)) => object.description = Some(about),
        RefOr::T(Schema::Array(array)) => array.description = Some(about),
        RefOr::T(Schema::OneOf(choice)) => choice.description = Some(about),
        RefOr::T(_) => {}
    }
    schema
}

/// Makes the type of a request body. Each line says all about a field: its description, its name
/// (and after `as` the name in JSON, if that is another one), its
/// [`FieldType`](crate::text::FieldType), when it must be present ([`Presence`]), and its value in
/// a new object, if it has one. A body after whose name `strict` stands must not have other fields
/// (H34).
///
/// ```ignore
/// input! {
///     /// The fields of a school that admins write.
///     pub struct SchoolInput {
///         /// One line, at most 255 characters.
///         name: Name, Required;
///         /// Whether it is a graduate school.
///         is_graduate: bool, Optional = false;
///     }
/// }
/// ```
#[macro_export]
macro_rules! input {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $body:ident $($strict:ident)? {$(
            $(#[doc = $doc:literal])*
            $field_vis:vis $field:ident $(as $json:literal)?: $kind:ty, $presence:ident
            $(= $default:expr)?;
        )+}
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone)]
        $vis struct $body {$(
            $(#[doc = $doc])*
            $field_vis $field: $crate::web::input::FieldInput<$kind>,
        )+}

        $crate::kinds!($body);

        impl $crate::web::input::Body for $body {
            const NAMES: &'static [&'static str] =
                &[$($crate::input!(@name $field $($json)?)),+];
            const IS_STRICT: bool = $crate::input!(@strict $($strict)?);

            fn fields(&mut self) -> Vec<&mut dyn $crate::web::input::FillField> {
                vec![$(&mut self.$field),+]
            }
        }

        impl Default for $body {
            fn default() -> Self {
                Self {$(
                    $field: $crate::web::input::FieldInput::absent(
                        $crate::input!(@name $field $($json)?),
                        $crate::web::Presence::$presence,
                        $crate::input!(@default $($default)?),
                    ),
                )+}
            }
        }

        impl<'de> serde::Deserialize<'de> for $body {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> std::result::Result<Self, D::Error> {
                $crate::web::input::read_body(deserializer)
            }
        }

        impl utoipa::PartialSchema for $body {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                let body = Self::default();
                let about: &[&str] = &[$($about),*];
                let is_strict = <Self as $crate::web::input::Body>::IS_STRICT;
                $crate::web::input::BodySchema::new(about, is_strict)
                    $(.field(&body.$field, &[$($doc),*], concat!($(stringify!($default))?)))+
                    .build()
            }
        }

        impl utoipa::ToSchema for $body {
            fn name() -> std::borrow::Cow<'static, str> {
                stringify!($body).into()
            }

            fn schemas(
                schemas: &mut Vec<(
                    String,
                    utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>,
                )>,
            ) {
                $(<$kind as $crate::text::FieldType>::schemas(schemas);)+
            }
        }
    };
    (@strict) => { false };
    (@strict strict) => { true };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $json:literal) => { $json };
    (@default) => { None };
    (@default $default:expr) => { Some(|| $default) };
}
