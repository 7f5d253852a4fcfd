//! Collections that admins edit, and club fairs.

pub(crate) mod fairs;
pub(crate) mod keys;
#[cfg(feature = "api")]
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod store;
