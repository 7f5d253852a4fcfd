//! The log line of a request.

use serde::Serialize;

use crate::metrics::Unit;
use crate::state::Context;

/// What the log tells about a request: ids, times and counts only (O9).
#[derive(Serialize)]
pub(super) struct RequestLine<'a> {
    pub(super) message: &'static str,
    pub(super) request_id: &'a str,
    pub(super) method: &'a str,
    pub(super) route: &'a str,
    pub(super) user: Option<u64>,
    /// The token that the caller had instead of a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<u64>,
    pub(super) status: u16,
    pub(super) ms: u64,
    pub(super) table_calls: u32,
    pub(super) read_units: f64,
    pub(super) write_units: f64,
    pub(super) mails_queued: u32,
}

impl RequestLine<'_> {
    const METRICS: [(&'static str, Unit); 4] = [
        ("ms", Unit::Milliseconds),
        ("read_units", Unit::Count),
        ("write_units", Unit::Count),
        ("mails_queued", Unit::Count),
    ];

    /// Writes the line, in a deployed stack with its numbers as metrics (O17).
    pub(super) fn log(&self, app: &Context) {
        if let Some(metrics) = &app.settings.metrics {
            // Requests that match no route have none, and a dimension may not be empty.
            let by_route = metrics.by_route && !self.route.is_empty();
            let dimensions: &[&[&str]] = if by_route {
                &[&[], &["route", "method"]]
            } else {
                &[&[]]
            };
            metrics.log(app.clock.now(), self, &Self::METRICS, dimensions);
            return;
        }
        tracing::info!(
            request_id = self.request_id,
            method = self.method,
            route = self.route,
            user = self.user,
            token = self.token,
            status = self.status,
            ms = self.ms,
            table_calls = self.table_calls,
            read_units = self.read_units,
            write_units = self.write_units,
            mails_queued = self.mails_queued,
            "request"
        );
    }
}
