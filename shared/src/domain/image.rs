//! Images of clubs and events.

use serde::{Deserialize, Serialize};

/// A stored image: the names of its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// File in full size.
    pub full: String,
    /// File with a width of at most 600 pixels.
    pub small: String,
}
