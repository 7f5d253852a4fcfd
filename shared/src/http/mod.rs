//! HTTP conventions: errors, extractors, validation, paging and the layers around every router.

pub mod access;
mod body;
mod entity_tag;
mod error;
mod field;
mod idempotency;
mod layers;
mod list;
mod multipart;
mod page;
mod params;
mod strict;

pub use access::{
    Admin, Load, Maybe, Officer, Owner, PathIds, Scope, Sight, SignedIn, Visible, is_code,
    is_officer,
};
pub use body::{Created, Input, NoContent};
pub use entity_tag::{Draft, IfMatch, Known};
pub use error::{ApiError, Code, ErrorBody, FieldErrors, OrRefused};
pub use field::{Field, Mode, Need, Reader, Reference, is_email, no_such_club};
pub use idempotency::{DidNothing, NewId, RequestKey, key_reused, replayed, shown_at};
pub use layers::{PublicPath, ReceivedAt, cors, finish, guard};
pub use list::{Slice, Sliced, accepts_csv};
pub use multipart::{TextFields, Upload, WithImage};
pub use page::{Envelope, Page};
pub use params::Params;

/// What handlers answer.
pub type Result<T, E = ApiError> = std::result::Result<T, E>;
