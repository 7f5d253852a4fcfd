//! Who makes the writes of a request. Some items keep it, for the changes that programs read (Z5).

use std::cell::Cell;

tokio::task_local! {
    static ACTOR: Cell<Option<u64>>;
}

/// Runs the work of one request. Nobody acts until [`acts`] names the person.
pub(crate) async fn with_actor<F: Future>(work: F) -> F::Output {
    ACTOR.scope(Cell::new(None), work).await
}

/// Says who makes the writes of this request from now on.
pub(crate) fn acts(person: u64) {
    let _ = ACTOR.try_with(|actor| actor.set(Some(person)));
}

/// Returns who makes the writes of this request. None if nobody is known, and outside a request.
pub(crate) fn actor() -> Option<u64> {
    ACTOR.try_with(Cell::get).ok().flatten()
}
