//! Writes that change a part of an item. What happens to each field is said once, in a table that
//! does not compile if a field of the type is not in it.

use crate::db::error::TableError;
use crate::db::write::Write;
use crate::db::{Entity, Item, keys};

/// What a write of a part of an item does with one attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// It gets the value of the entity; it is removed if the entity has none.
    Written,
    /// It gets the value of the entity if the item does not have it yet.
    Once,
    /// It stays as it is.
    Kept,
    /// It is removed.
    Removed,
}

/// What a write does with each attribute of an item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts(pub(crate) &'static [(&'static str, Part)]);

/// Makes one or more constants of the type [`Parts`], one for each kind of write. Each line is a
/// field of the type with what each kind of write does with it, in the order of the constants. A
/// field that is left out is a compile error. Attributes that are no fields (the type and the keys
/// of indexes) follow after `and`.
macro_rules! parts {
    (
        $entity:ident => ($($name:ident),+) {
            $($field:ident: $roles:tt,)+
        } and {
            $($attribute:ident: $also:tt,)+
        }
    ) => {
        const _: fn($entity) = |$entity { $($field: _),+ }| ();
        $crate::db::parts::parts! {
            @ ($($name),+) [
                $(stringify!($field), $roles;)+ $($crate::db::keys::$attribute, $also;)+
            ]
        }
    };
    // The constants one after another: each takes the first role of every line.
    (@ () [$($name:expr, ();)+]) => {};
    (
        @ ($constant:ident $(, $more:ident)*)
        [$($attribute:expr, ($role:ident $(, $rest:ident)*);)+]
    ) => {
        const $constant: $crate::db::parts::Parts = $crate::db::parts::Parts(&[
            $(($attribute, $crate::db::parts::Part::$role)),+
        ]);
        $crate::db::parts::parts! { @ ($($more),*) [$($attribute, ($($rest),*);)+] }
    };
}
pub(crate) use parts;

impl Write {
    /// Writes the part of an entity that `parts` says. An attribute of the entity that is not in
    /// `parts` is an error, so that nothing is left out silently.
    pub(crate) fn parts<E: Entity>(
        mut self,
        entity: &E,
        Parts(parts): &Parts,
    ) -> Result<Self, TableError> {
        let mut item = to_attributes(entity)?;
        for (name, part) in *parts {
            let value = item.remove(*name);
            self = match (part, value) {
                (Part::Written, None) if *name == keys::CHANGED_BY => self.by_actor(),
                (Part::Written, Some(value)) => self.set_raw(name, value),
                (Part::Once, Some(value)) => self.set_raw_once(name, value),
                (Part::Written, None) | (Part::Removed, _) => self.remove(name),
                (Part::Once, None) | (Part::Kept, _) => self,
            };
        }
        match item.keys().next() {
            None => Ok(self),
            Some(name) => Err(TableError::Failed(format!(
                "{}: no write of a part says what becomes of {name}",
                E::TYPE
            ))),
        }
    }
}

/// The attributes of an entity, without its primary key.
fn to_attributes<E: Entity>(entity: &E) -> Result<Item, TableError> {
    let mut item = crate::db::to_item(entity)?;
    item.remove(keys::PK);
    item.remove(keys::SK);
    Ok(item)
}
