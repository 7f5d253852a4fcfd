//! Tests of the documents that are generated from the code, and of the template, which must agree
//! with the code. `cargo bless` writes the documents.

mod costs;
mod examples;
mod items;
mod items_of_tomorrow;
mod layers;
mod links;
mod openapi;
mod rules;
mod sizes;
mod sources;
mod table;
mod template;
mod template_gateway;
mod template_mail;
mod template_versions;
mod words;

use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Compares a document with its generated text. With `cargo bless`, writes it first.
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
