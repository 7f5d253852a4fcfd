//! Images: where clients find them, and how they are stored (V14, V16).

#[cfg(feature = "images")]
mod container;
#[cfg(feature = "images")]
mod picture;
#[cfg(feature = "images")]
mod s3;
#[cfg(feature = "images")]
mod store;

#[cfg(feature = "images")]
pub use s3::s3;
#[cfg(feature = "images")]
pub use store::MediaError;

/// How long a file may be cached: for ever by browsers, because its name is never used again; for a
/// day by shared caches, so that a removed file is gone then.
pub const CACHE_CONTROL: &str = "public, max-age=31536000, s-maxage=86400, immutable";

/// Where images are kept, and where clients find them.
pub struct Media {
    /// Where clients find the files, without a trailing slash.
    url: String,
    /// None in a function that stores no images.
    #[cfg(feature = "images")]
    store: Option<store::ImageStore>,
}

impl Media {
    /// For functions that only say where images are.
    pub fn links_only(url: &str) -> Self {
        Self {
            url: url.trim_end_matches('/').to_owned(),
            #[cfg(feature = "images")]
            store: None,
        }
    }

    /// Where clients find a file.
    pub fn url(&self, name: &str) -> String {
        format!("{}/{name}", self.url)
    }
}
