//! What the calls of one request have in common: who makes them, when it was received, and what
//! they used. Each [`Table`] has one; that of a process counts all its calls.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::types::ConsumedCapacity;
use chrono::{DateTime, Utc};

use crate::db::Table;
use crate::time::{Clock, RequestTime};

/// DynamoDB calls and capacity units.
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

/// A request, as its calls see it.
#[derive(Default)]
pub(crate) struct Request {
    /// When it began, by the clock of the service, so that no budget depends on how fast a machine
    /// is that runs tests. None outside a request.
    began: Option<(Arc<dyn Clock>, DateTime<Utc>)>,
    /// When this attempt of the request was received. None outside a request.
    arrived: Option<RequestTime>,
    changing: Mutex<Changing>,
}

#[derive(Default)]
struct Changing {
    /// The person who makes the writes; none until the token is verified.
    actor: Option<u64>,
    /// When the request counts as received.
    received: Option<RequestTime>,
    usage: Usage,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Request")
    }
}

impl Request {
    fn changing(&self) -> MutexGuard<'_, Changing> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn actor(&self) -> Option<u64> {
        self.changing().actor
    }

    /// Returns when the request counts as received: the order of requests decides between a write
    /// and its opposite (X17). None outside a request.
    pub(crate) fn received(&self) -> Option<RequestTime> {
        self.changing().received
    }

    pub(crate) fn arrived(&self) -> Option<RequestTime> {
        self.arrived
    }

    /// Returns the time since it began. Zero outside a request.
    pub(crate) fn age(&self) -> Duration {
        let age = self.began.as_ref().map(|(clock, at)| clock.now() - *at);
        age.and_then(|age| age.to_std().ok()).unwrap_or_default()
    }

    /// Counts what a part of it used.
    pub(crate) fn count(&self, part: Usage) {
        let usage = &mut self.changing().usage;
        usage.calls += part.calls;
        usage.read_units += part.read_units;
        usage.write_units += part.write_units;
        usage.mails += part.mails;
    }

    pub(crate) fn count_call(&self) {
        self.changing().usage.calls += 1;
    }

    pub(crate) fn count_mails(&self, mails: usize) {
        self.changing().usage.mails += u32::try_from(mails).unwrap_or(u32::MAX);
    }

    pub(crate) fn count_read(&self, units: f64) {
        self.changing().usage.read_units += units;
    }

    pub(crate) fn count_write(&self, capacity: &[ConsumedCapacity]) {
        let units = capacity.iter().filter_map(ConsumedCapacity::capacity_units);
        self.changing().usage.write_units += units.sum::<f64>();
    }
}

impl Table {
    /// Returns the same table for the calls of one request, which begins now and was received
    /// `when`.
    #[must_use]
    pub fn for_request(&self, clock: &Arc<dyn Clock>, when: RequestTime) -> Self {
        let request = Request {
            began: Some((clock.clone(), clock.now())),
            arrived: Some(when),
            changing: Mutex::new(Changing {
                received: Some(when),
                ..Changing::default()
            }),
        };
        Self {
            request: Arc::new(request),
            ..self.clone()
        }
    }

    /// Returns the same table for the calls of a job that counts as received `when`.
    #[must_use]
    pub(crate) fn for_job(&self, when: RequestTime) -> Self {
        let request = Request {
            changing: Mutex::new(Changing {
                received: Some(when),
                ..Changing::default()
            }),
            ..Request::default()
        };
        Self {
            request: Arc::new(request),
            ..self.clone()
        }
    }

    /// Says who makes the writes of this request from now on. Some items keep it, for the changes
    /// that programs read (Z5).
    pub(crate) fn acts(&self, person: u64) {
        self.request.changing().actor = Some(person);
    }

    /// Says when this request counts as received: a repeat with an idempotency key is as old as its
    /// first attempt.
    pub(crate) fn counts_as(&self, when: RequestTime) {
        self.request.changing().received = Some(when);
    }

    /// Returns when this request counts as received; none outside a request.
    pub(crate) fn received(&self) -> Option<RequestTime> {
        self.request.received()
    }

    /// Returns the time since this request began. Zero outside a request.
    pub fn request_age(&self) -> Duration {
        self.request.age()
    }

    /// Returns what the calls used so far.
    pub fn usage(&self) -> Usage {
        self.request.changing().usage
    }
}
