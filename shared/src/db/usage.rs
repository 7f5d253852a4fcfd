//! The cost of a request: DynamoDB calls and consumed capacity. Each call is counted where it is
//! made.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::ConsumedCapacity;
use chrono::{DateTime, Utc};

use crate::db::actor::with_actor;
use crate::time::Clock;

/// DynamoDB calls and capacity units of one request, or of one batch of the mail worker.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Calls to DynamoDB, including retries by this code.
    pub calls: u32,
    /// Consumed read capacity units.
    pub read_units: f64,
    /// Consumed write capacity units, including those of indexes.
    pub write_units: f64,
    /// Mails that were stored to be sent.
    pub mails: u32,
}

tokio::task_local! {
    static USAGE: RefCell<Usage>;
    static BEGAN: Began;
}

/// When a request began, by the clock of the service.
struct Began {
    clock: Arc<dyn Clock>,
    at: DateTime<Utc>,
}

/// Returns the time since the current request began, by the clock of the service, so that no budget
/// depends on how fast a machine is that runs tests. Zero outside a request.
pub fn request_age() -> Duration {
    let age = BEGAN.try_with(|began| (began.clock.now() - began.at).to_std());
    age.ok().and_then(Result::ok).unwrap_or_default()
}

/// Runs `work`, which begins now, and returns its output and what it used.
pub async fn metered<F: Future>(clock: &Arc<dyn Clock>, work: F) -> (F::Output, Usage) {
    let counted = USAGE.scope(RefCell::default(), async {
        let output = work.await;
        (output, USAGE.with(|usage| *usage.borrow()))
    });
    let began = Began {
        clock: clock.clone(),
        at: clock.now(),
    };
    BEGAN.scope(began, with_actor(counted)).await
}

pub(crate) fn count_call() {
    add(|usage| usage.calls += 1);
}

pub(crate) fn count_mails(mails: usize) {
    add(|usage| usage.mails += u32::try_from(mails).unwrap_or(u32::MAX));
}

pub(crate) fn count_read(units: f64) {
    add(|usage| usage.read_units += units);
}

pub(crate) fn count_write(capacity: &[ConsumedCapacity]) {
    let units = capacity.iter().filter_map(ConsumedCapacity::capacity_units);
    add(|usage| usage.write_units += units.sum::<f64>());
}

fn add(change: impl FnOnce(&mut Usage)) {
    // Outside a metered scope (start-up, tools), nothing is counted.
    let _ = USAGE.try_with(|usage| change(&mut usage.borrow_mut()));
}
