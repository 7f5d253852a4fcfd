//! What Lambda itself tells a function. The settings of the service are read in `settings.rs`.

use std::sync::LazyLock;

/// Returns a variable of the environment that is not empty.
#[expect(
    clippy::disallowed_methods,
    reason = "what Lambda itself tells a function; the settings are read in settings.rs"
)]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the number of the version that runs; none outside of Lambda. Each log line has it, so
/// that a fault can be found in the release that brought it (O20).
pub(crate) fn version() -> Option<&'static str> {
    static VERSION: LazyLock<Option<String>> =
        LazyLock::new(|| variable("AWS_LAMBDA_FUNCTION_VERSION"));
    VERSION.as_deref()
}
