//! Images: their URLs, and their storage (V14, V16).

#[cfg(feature = "images")]
mod container;
#[cfg(feature = "images")]
mod picture;
#[cfg(feature = "images")]
mod s3;
#[cfg(feature = "images")]
mod store;

#[cfg(feature = "images")]
pub use picture::content_type;
#[cfg(feature = "images")]
pub use s3::s3;
#[cfg(feature = "images")]
pub use store::{ImageBucket, MediaError};

/// How long a file may be cached. Browsers may cache it for a year, because its name is never used
/// again. Shared caches may keep it for one day, so that a removed file disappears from them.
pub const CACHE_CONTROL: &str = "public, max-age=31536000, s-maxage=86400, immutable";

/// The URLs of images and, in functions that store images, the image store.
pub struct Media {
    /// Base URL of the files, without a trailing slash.
    url: String,
    /// None in a function that does not store images.
    #[cfg(feature = "images")]
    store: Option<store::ImageStore>,
}

impl Media {
    /// Returns an instance for functions that only need the URLs of images.
    pub fn links_only(url: &str) -> Self {
        Self {
            url: url.trim_end_matches('/').to_owned(),
            #[cfg(feature = "images")]
            store: None,
        }
    }

    /// Returns the URL of a file.
    pub fn url(&self, name: &str) -> String {
        format!("{}/{name}", self.url)
    }
}
