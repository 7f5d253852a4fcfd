//! The AWS CLI, which an operator has anyway, so that responses are those of the operator's
//! account.

use std::process::Command;

use serde_json::Value;

/// Runs the AWS CLI. The error is its last line.
pub(crate) fn run(arguments: &[&str]) -> Result<String, String> {
    let done = Command::new("aws")
        .args(arguments)
        .output()
        .map_err(|error| error.to_string())?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let message = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(message
        .trim()
        .lines()
        .last()
        .unwrap_or("no answer")
        .to_owned())
}

/// Runs the AWS CLI, and returns its response as JSON.
pub(crate) fn ask(arguments: &[&str]) -> Result<Value, String> {
    let printed = run(&[arguments, &["--output", "json"]].concat())?;
    if printed.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&printed).map_err(|error| error.to_string())
}
