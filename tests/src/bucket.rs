//! A bucket in memory that can be out of reach.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    Result,
};

/// A bucket in memory.
#[derive(Debug, Clone, Default)]
pub struct Bucket {
    objects: Arc<InMemory>,
    is_down: Arc<AtomicBool>,
    are_copies_delayed: Arc<AtomicBool>,
    late: Arc<Mutex<Vec<(Path, PutPayload)>>>,
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a bucket of a test")
    }
}

fn out_of_reach() -> Error {
    let source = "out of reach".into();
    let store = "a bucket of a test";
    Error::Generic { store, source }
}

impl Bucket {
    /// Takes the bucket out of reach, or brings it back.
    pub fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::Relaxed);
    }

    /// From now on, copies have no response, and are made only when they arrive.
    pub fn delay_copies(&self, are_late: bool) {
        self.are_copies_delayed.store(are_late, Ordering::Relaxed);
    }

    /// Makes the copies that were late, and returns how many.
    pub async fn copies_arrive(&self) -> usize {
        let late = std::mem::take(&mut *self.late.lock().unwrap_or_else(PoisonError::into_inner));
        let count = late.len();
        for (location, payload) in late {
            let made = self.objects.put(&location, payload).await;
            made.expect("a copy");
        }
        count
    }

    fn reach(&self) -> Result<&InMemory> {
        if self.is_down.load(Ordering::Relaxed) {
            return Err(out_of_reach());
        }
        Ok(&self.objects)
    }
}

#[async_trait]
impl ObjectStore for Bucket {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let is_copy = location.as_ref().starts_with("files/");
        if is_copy && self.are_copies_delayed.load(Ordering::Relaxed) {
            let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
            late.push((location.clone(), payload));
            return Err(out_of_reach());
        }
        self.reach()?.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.reach()?.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.reach()?.get_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        match self.reach() {
            Ok(objects) => objects.delete_stream(locations),
            Err(error) => stream::once(async { Err(error) }).boxed(),
        }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        match self.reach() {
            Ok(objects) => objects.list(prefix),
            Err(error) => stream::once(async { Err(error) }).boxed(),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.reach()?.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.reach()?.copy_opts(from, to, options).await
    }
}
