//! The state of the routes below `/local/`.

use std::sync::Arc;

use crate::clock::MovableClock;
use crate::grants::Grants;
use crate::issuer::Issuer;
use crate::mailbox::Mailbox;
use crate::timer::Ticker;

/// The state of these routes.
#[derive(Clone)]
pub struct Local {
    pub issuer: Arc<Issuer>,
    pub mailbox: Mailbox,
    pub clock: Arc<MovableClock>,
    pub ticker: Arc<Ticker>,
    pub grants: Arc<Grants>,
}
