//! The documents that are made from the code, and the template that must agree with it. `cargo
//! bless` writes them anew.

mod costs;
mod costs_lists;
mod openapi;
mod prices;
mod routes;
mod table;
mod template;

use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Compares a document with what the code says, or writes it.
fn check(name: &str, text: &str) {
    let path = root().join(name);
    if option_env!("BLESS").is_some() {
        std::fs::write(&path, text).expect("a writable repository");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    for (n, (old, new)) in committed.lines().zip(text.lines()).enumerate() {
        assert_eq!(
            old,
            new,
            "{name}, line {}: run `cargo bless` and look at the difference",
            n + 1
        );
    }
    assert_eq!(
        committed.lines().count(),
        text.lines().count(),
        "{name}: run `cargo bless` and look at the difference"
    );
}
