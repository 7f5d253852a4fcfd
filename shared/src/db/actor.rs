//! Who makes the writes of a request, and when it was received. Some items keep who it was, for the
//! changes that programs read (Z5). The order of requests decides between a write and its opposite
//! (X17).

use std::cell::Cell;

use crate::time::RequestTime;

tokio::task_local! {
    static ACTOR: Cell<Option<u64>>;
    static REQUEST_TIME: Cell<Option<RequestTime>>;
    static ARRIVED: Cell<Option<RequestTime>>;
}

/// Runs the work of one request. Nobody acts until [`acts`] names the person.
pub(crate) async fn with_actor<F: Future>(work: F) -> F::Output {
    let work = REQUEST_TIME.scope(Cell::new(None), work);
    let work = ARRIVED.scope(Cell::new(None), work);
    ACTOR.scope(Cell::new(None), work).await
}

/// Says who makes the writes of this request from now on.
pub(crate) fn acts(person: u64) {
    let _ = ACTOR.try_with(|actor| actor.set(Some(person)));
}

/// Says when this request was received. A repeat with an idempotency key says it again: it counts
/// as old as its first attempt.
pub(crate) fn set_request_time(when: RequestTime) {
    let _ = REQUEST_TIME.try_with(|cell| cell.set(Some(when)));
    let _ = ARRIVED.try_with(|arrived| arrived.set(arrived.get().or(Some(when))));
}

/// Returns when this attempt of a request arrived. None outside a request.
pub(crate) fn received() -> Option<RequestTime> {
    ARRIVED.try_with(Cell::get).ok().flatten()
}

/// Returns who makes the writes of this request. None if nobody is known, and outside a request.
pub(crate) fn actor() -> Option<u64> {
    ACTOR.try_with(Cell::get).ok().flatten()
}

/// Returns when this request was received. None outside a request.
pub(crate) fn request_time() -> Option<RequestTime> {
    REQUEST_TIME.try_with(Cell::get).ok().flatten()
}
