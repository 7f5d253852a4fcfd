//! Joins the point reads that a request makes at the same time into one call.
//!
//! A handler reads the club, the membership and the application with one `try_join!`. Each of these
//! puts its key into the batch that is open and yields once, so that all of them had their turn.
//! Then one `BatchGetItem` reads the keys. It costs the same units as single reads. A key that
//! stays unprocessed fails only for the one who wants it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};

use crate::db::Key;
use crate::db::error::TableError;
use crate::db::response::Stored;

/// The most keys in one batch: as many as one batch read takes.
const MOST: usize = 100;

/// What was found at some keys.
#[derive(Debug)]
pub(crate) struct LoadedItems {
    found: HashMap<Key, Stored>,
    unread: HashSet<Key>,
}

impl LoadedItems {
    /// The items that were found, and the keys that were not read.
    pub(crate) fn new(found: Vec<Stored>, unread: Vec<Key>) -> Self {
        Self {
            found: found.into_iter().map(|item| (item.key(), item)).collect(),
            unread: unread.into_iter().collect(),
        }
    }
}

type BatchResult = Result<Arc<LoadedItems>, TableError>;

struct Batch {
    keys: Arc<Mutex<Vec<Key>>>,
    /// All who wait drive it, so that it goes on when one of them is dropped.
    result: Shared<BoxFuture<'static, BatchResult>>,
}

tokio::task_local! {
    /// The batch of the current request that is not sent yet.
    static OPEN: Mutex<Option<Batch>>;
}

/// Runs the work of a request. Inside it, reads are joined.
pub(crate) async fn joined<F: Future>(work: F) -> F::Output {
    OPEN.scope(Mutex::default(), work).await
}

/// Reads `keys` together with whatever else the request reads at this moment. `fetch` reads all
/// keys of the batch; some may be there twice. Outside of a request it is called at once.
///
/// # Errors
/// Those of `fetch`, and `Busy` if one of these keys stayed unprocessed.
pub(crate) async fn read<F>(
    keys: Vec<Key>,
    fetch: impl FnOnce(Vec<Key>) -> F + Send + 'static,
) -> Result<Vec<Stored>, TableError>
where
    F: Future<Output = Result<LoadedItems, TableError>> + Send + 'static,
{
    let reading = if OPEN.try_with(|_| ()).is_ok() {
        let result = enter(&keys, fetch);
        // The others enter the batch before the first who waits for its response closes it.
        tokio::task::yield_now().await;
        result.await?
    } else {
        Arc::new(fetch(keys.clone()).await?)
    };
    if keys.iter().any(|key| reading.unread.contains(key)) {
        return Err(unprocessed());
    }
    let found = keys.iter().filter_map(|key| reading.found.get(key));
    Ok(found.cloned().collect())
}

/// The error of a read whose keys stayed unprocessed.
pub(crate) fn unprocessed() -> TableError {
    TableError::Busy("unprocessed keys".to_owned())
}

/// Puts the keys into the batch that is open, if they fit, or else into a new one.
fn enter<F>(
    keys: &[Key],
    fetch: impl FnOnce(Vec<Key>) -> F + Send + 'static,
) -> Shared<BoxFuture<'static, BatchResult>>
where
    F: Future<Output = Result<LoadedItems, TableError>> + Send + 'static,
{
    OPEN.with(|open| {
        let mut open = lock(open);
        if let Some(batch) = &*open {
            let mut waiting = lock(&batch.keys);
            if waiting.len() + keys.len() <= MOST {
                waiting.extend_from_slice(keys);
                return batch.result.clone();
            }
        }
        let waiting = Arc::new(Mutex::new(keys.to_vec()));
        let of_batch = waiting.clone();
        let result = async move { fetch(close(&of_batch)).await.map(Arc::new) };
        let result = result.boxed().shared();
        *open = Some(Batch {
            keys: waiting,
            result: result.clone(),
        });
        result
    })
}

/// Takes the keys of a batch. Nobody can enter it any more.
fn close(keys: &Arc<Mutex<Vec<Key>>>) -> Vec<Key> {
    let _ = OPEN.try_with(|open| {
        lock(open).take_if(|batch| Arc::ptr_eq(&batch.keys, keys));
    });
    std::mem::take(&mut lock(keys))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
