//! HTTP conventions: errors, extractors, validation, paging and the layers around every router.

pub mod access;
mod body;
mod coding;
mod create;
mod edit;
mod entity_tag;
mod error;
#[cfg(feature = "exports")]
mod export;
mod failures;
mod field;
mod grant;
mod idempotency;
#[cfg(feature = "images")]
mod images;
pub mod input;
mod layers;
mod list;
mod loads;
mod multipart;
mod page;
mod params;
mod reader;
mod reference;
mod request;
mod request_line;
mod response_layers;
#[cfg(feature = "rows")]
mod rows;
pub mod scopes;
mod slash;
mod strict;
mod twice;
mod user;

pub use access::{
    Admin, AnyCaller, Load, Maybe, Officer, Owner, PathIds, Scope, SignedIn, Visibility, Visible,
    is_officer,
};
pub use body::{Created, Input, NoBody, NoContent, NoInput};
pub use coding::Codings;
pub use create::create;
pub use edit::edit;
pub use entity_tag::{IfMatch, IfNoneMatch, Kept, SourceTag};
pub use error::{ApiError, Code, ErrorBody, FieldErrors, applicant_erased, has_address, resent};
#[cfg(feature = "exports")]
pub use export::{Cell, ExportFile, ExportFormat, ExportRequest};
pub use field::{Field, Mode, Presence};
pub use idempotency::{ChangedNothing, NewId, RequestKey, key_reused, replayed, shown_at};
#[cfg(feature = "images")]
pub use images::{remove_unless_saved, store_image};
pub use input::FieldInput;
pub use layers::{cors, finish, guard};
pub use list::{Slice, Sliced, accepts_csv, with_next};
pub use multipart::{TextFields, Upload, WithImage};
pub use page::{Envelope, Page};
pub use params::Params;
pub use reader::{Reader, no_such_club};
pub use reference::{ExactReference, Reference};
pub use request::{ClientAddress, PublicOrigin, PublicPath, PublicUrl, ReceivedAt, RequestedAt};
#[cfg(feature = "rows")]
pub use rows::{ImportBody, ImportRow, ImportRows, RowError};
pub use user::{Caller, User, caller};

/// The result of a handler.
pub type Result<T, E = ApiError> = std::result::Result<T, E>;
