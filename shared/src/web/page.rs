//! Lists in pages (H22).

use std::cmp::Ordering;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Serialize;

use super::error::ApiError;
use super::params::Params;
use super::request::PublicUrl;
use crate::limits;
use crate::state::{Context, Shared};

/// Which page is requested (H23).
#[derive(Debug, Clone)]
pub struct Page {
    number: u64,
    size: u64,
    base: String,
    params: Params,
}

impl FromRequestParts<Shared> for Page {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, ApiError> {
        let app = &Context::of(parts, state);
        let params = Params::parse(parts.uri.query().unwrap_or_default());
        let (default, most) = limits::PAGE;
        let size = params
            .number("page_size", 1, u64::MAX)?
            .unwrap_or(default)
            .min(most);
        let number = match params.text("page") {
            None => 1,
            Some(text) => text
                .parse()
                .ok()
                .filter(|number| *number > 0)
                .ok_or(ApiError::InvalidPage)?,
        };
        Ok(Self {
            number,
            size,
            base: PublicUrl::of(parts, app).0,
            params,
        })
    }
}

/// A page of results, with links to the next and the previous page.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Envelope<T> {
    /// Number of results on all pages.
    pub count: usize,
    /// URL of the next page, or null.
    pub next: Option<String>,
    /// URL of the previous page, or null.
    pub previous: Option<String>,
    /// The results on this page.
    pub results: Vec<T>,
}

impl Page {
    /// Returns the page of `all` in the order of `compare`, in which no two items are equal. Only
    /// the items of the page are sorted completely.
    pub fn of_sorted<T, B>(
        &self,
        all: &mut [T],
        compare: impl Fn(&T, &T) -> Ordering,
        show: impl Fn(&T) -> B,
    ) -> Result<Envelope<B>, ApiError> {
        let first =
            usize::try_from((self.number - 1).saturating_mul(self.size)).unwrap_or(usize::MAX);
        if first < all.len() {
            all.select_nth_unstable_by(first, &compare);
            let rest = &mut all[first..];
            let size = usize::try_from(self.size)
                .unwrap_or(usize::MAX)
                .min(rest.len());
            rest.select_nth_unstable_by(size - 1, &compare);
            rest[..size].sort_unstable_by(&compare);
        }
        self.of(all, show)
    }

    /// Returns the page of `all`, with each item converted by `show`. 404 if the page is past the
    /// end. An empty list has one empty page.
    fn of<T, B>(&self, all: &[T], show: impl Fn(&T) -> B) -> Result<Envelope<B>, ApiError> {
        let count = all.len() as u64;
        let pages = count.div_ceil(self.size).max(1);
        if self.number > pages {
            return Err(ApiError::InvalidPage);
        }
        let link = |number: u64| {
            format!(
                "{}?{}",
                self.base,
                self.params.with("page", &number.to_string())
            )
        };
        let skip = usize::try_from((self.number - 1) * self.size).unwrap_or(usize::MAX);
        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        Ok(Envelope {
            count: all.len(),
            next: (self.number < pages).then(|| link(self.number + 1)),
            previous: (self.number > 1).then(|| link(self.number - 1)),
            results: all.iter().skip(skip).take(size).map(show).collect(),
        })
    }
}
