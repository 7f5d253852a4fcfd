//! Makes the keys of all things available under one name. They are defined in the files `keys.rs`.

pub(crate) use crate::db::keys::*;
pub(crate) use crate::domain::application::keys::*;
pub(crate) use crate::domain::bookmark::keys::*;
pub(crate) use crate::domain::catalogue::keys::*;
pub(crate) use crate::domain::change::keys::*;
pub(crate) use crate::domain::club::keys::*;
pub(crate) use crate::domain::draft::keys::*;
pub(crate) use crate::domain::event::keys::*;
pub(crate) use crate::domain::extension::keys::*;
pub(crate) use crate::domain::file::keys::*;
pub(crate) use crate::domain::idempotency::keys::*;
pub(crate) use crate::domain::interview::keys::*;
pub(crate) use crate::domain::invite::keys::*;
pub(crate) use crate::domain::join_link::keys::*;
pub(crate) use crate::domain::mail::keys::*;
pub(crate) use crate::domain::member::keys::*;
pub(crate) use crate::domain::notice::keys::*;
pub(crate) use crate::domain::person::keys::*;
pub(crate) use crate::domain::question::keys::*;
pub(crate) use crate::domain::reference::keys::*;
pub(crate) use crate::domain::request::keys::*;
pub(crate) use crate::domain::review::keys::*;
pub(crate) use crate::domain::slot::keys::*;
pub(crate) use crate::domain::submission::keys::*;
pub(crate) use crate::domain::token::keys::*;
pub(crate) use crate::domain::webhook::keys::*;
