//! Reads the source files of this repository.

use std::fs;
use std::path::{Path, PathBuf};

/// All Rust files below a folder of the repository, in the order of their names.
pub fn rust_files(folder: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.is_dir() && !path.ends_with("target") {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&crate::root().join(folder), &mut found);
    found.sort();
    found
}

/// A path relative to the root of the repository.
pub fn shown(path: &Path) -> String {
    let inside = path.strip_prefix(crate::root()).unwrap_or(path);
    inside.display().to_string()
}

/// The text of a file without its unit tests.
pub fn without_tests(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a text");
    let code = text.split("#[cfg(test)]\nmod tests").next();
    code.unwrap_or_default().to_owned()
}
