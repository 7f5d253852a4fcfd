//! What a request costs: DynamoDB calls and consumed capacity, counted where the calls are made.

use std::cell::RefCell;
use std::time::Duration;

use aws_sdk_dynamodb::types::ConsumedCapacity;
use tokio::time::Instant;

/// DynamoDB calls and capacity units of one request (or of one batch of the mail worker).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Calls to DynamoDB, retries by this code included.
    pub calls: u32,
    /// Consumed read capacity units.
    pub read_units: f64,
    /// Consumed write capacity units, indexes included.
    pub write_units: f64,
}

tokio::task_local! {
    static USAGE: RefCell<Usage>;
    static BEGAN: Instant;
}

/// When the request began that this work is for, if it is for one.
pub(super) fn request_began() -> Option<Instant> {
    BEGAN.try_with(|began| *began).ok()
}

/// How long the request has been at work; nothing outside of one.
pub fn request_age() -> Duration {
    request_began().map_or(Duration::ZERO, |began| began.elapsed())
}

/// Runs `work` and tells what it used.
pub async fn metered<F: Future>(work: F) -> (F::Output, Usage) {
    let counted = USAGE.scope(RefCell::default(), async {
        let output = work.await;
        (output, USAGE.with(|usage| *usage.borrow()))
    });
    BEGAN.scope(Instant::now(), counted).await
}

pub(super) fn count_call() {
    add(|usage| usage.calls += 1);
}

pub(super) fn count_read(capacity: &[ConsumedCapacity]) {
    add(|usage| usage.read_units += total(capacity));
}

pub(super) fn count_write(capacity: &[ConsumedCapacity]) {
    add(|usage| usage.write_units += total(capacity));
}

fn total(capacity: &[ConsumedCapacity]) -> f64 {
    capacity
        .iter()
        .filter_map(ConsumedCapacity::capacity_units)
        .sum()
}

fn add(change: impl FnOnce(&mut Usage)) {
    // Outside a metered scope (start-up, tools) nobody asks.
    let _ = USAGE.try_with(|usage| change(&mut usage.borrow_mut()));
}
