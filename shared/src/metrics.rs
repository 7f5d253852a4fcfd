//! Metrics of a deployed stack. They are members of log lines, in the embedded metric format
//! of `CloudWatch` Logs, so no call is made for them (O17).

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use crate::environment::version;

/// The namespace of all metrics.
const NAMESPACE: &str = "Clubs";

/// What a number of a log line means.
#[derive(Debug, Clone, Copy)]
pub enum Unit {
    /// A number of things.
    Count,
    /// A time.
    Milliseconds,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Count => "Count",
            Self::Milliseconds => "Milliseconds",
        }
    }
}

/// Which metrics a function writes.
#[derive(Debug, Clone)]
pub struct Metrics {
    /// The name of the stack. All metrics have it as a dimension.
    pub stack: String,
    /// Whether requests are also counted by route. Each route then costs as much as the whole
    /// service (docs/prices.md).
    pub by_route: bool,
}

impl Metrics {
    /// Writes a log line whose members `metrics` are metrics. Each list of `dimensions` names
    /// members that tell apart what is counted, beside the stack.
    pub fn log(
        &self,
        now: DateTime<Utc>,
        line: &impl Serialize,
        metrics: &[(&str, Unit)],
        dimensions: &[&[&str]],
    ) {
        println!("{}", self.line(now, line, metrics, dimensions));
    }

    fn line(
        &self,
        now: DateTime<Utc>,
        line: &impl Serialize,
        metrics: &[(&str, Unit)],
        dimensions: &[&[&str]],
    ) -> Value {
        let sets = dimensions.iter().map(|names| {
            let own = names.iter().map(|name| json!(name));
            std::iter::once(json!("stack")).chain(own).collect()
        });
        let metrics = metrics
            .iter()
            .map(|(name, unit)| json!({ "Name": name, "Unit": unit.name() }));
        let mut line = serde_json::to_value(line).unwrap_or_default();
        line["level"] = json!("INFO");
        line["stack"] = json!(self.stack);
        if let Some(version) = version() {
            line["version"] = json!(version);
        }
        line["_aws"] = json!({
            "Timestamp": now.timestamp_millis(),
            "CloudWatchMetrics": [{
                "Namespace": NAMESPACE,
                "Dimensions": sets.collect::<Vec<Value>>(),
                "Metrics": metrics.collect::<Vec<Value>>(),
            }],
        });
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves O17
    #[test]
    fn a_line_says_which_of_its_members_are_metrics() {
        let metrics = Metrics {
            stack: "clubs".into(),
            by_route: true,
        };
        let line = metrics.line(
            DateTime::UNIX_EPOCH,
            &json!({ "message": "request", "route": "/api/clubs/", "ms": 12 }),
            &[("ms", Unit::Milliseconds)],
            &[&[], &["route"]],
        );
        let expected = json!({
            "level": "INFO", "message": "request", "stack": "clubs", "route": "/api/clubs/", "ms": 12,
            "_aws": {
                "Timestamp": 0,
                "CloudWatchMetrics": [{
                    "Namespace": "Clubs",
                    "Dimensions": [["stack"], ["stack", "route"]],
                    "Metrics": [{ "Name": "ms", "Unit": "Milliseconds" }],
                }],
            },
        });
        assert_eq!(line, expected);
    }
}
