//! How long files and lines may be. Functions have at most 80 lines; clippy counts them
//! (`clippy.toml`), and each exception has its reason beside it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sources::shown;

/// Lines of a file. About 400 are good; what belongs together may have more.
const LINES: usize = 700;
/// Characters of a line.
const COLUMNS: usize = 100;
/// Characters of a line of a template.
const TEMPLATE_COLUMNS: usize = 160;

/// Files that may be longer, each with its reason.
const LONG: [(&str, &str); 3] = [
    ("docs/", "documents are divided into chapters"),
    ("functions/site/vendor/", "libraries of others"),
    ("template.yaml", "one stack is one template"),
];

/// Files with longer lines, each with its reason.
const WIDE: [(&str, &str); 5] = [
    (
        "functions/site/texts/",
        "a text a line, so that two languages stand side by side",
    ),
    ("functions/site/vendor/", "libraries of others"),
    ("shared/src/mail/mod.rs", "a pattern of a macro"),
    ("shared/src/text/enums.rs", "patterns of macros"),
    ("shared/src/web/strict.rs", "patterns of macros"),
];

/// All files of the repository with one of these extensions.
fn files(extensions: &[&str]) -> Vec<PathBuf> {
    fn walk(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("a file").path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            if path.is_dir() {
                if !["target", "node_modules", ".git"].contains(&name) {
                    walk(&path, extensions, found);
                }
            } else if extensions.iter().any(|extension| name.ends_with(extension)) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&crate::root(), extensions, &mut found);
    found.sort();
    found
}

fn is_among(path: &str, exceptions: &[(&str, &str)]) -> bool {
    exceptions.iter().any(|(start, _)| path.starts_with(start))
}

#[test]
fn no_file_and_no_line_is_too_long() {
    let mut wrong = Vec::new();
    for path in files(&[".rs", ".md", ".js", ".mjs", ".css", ".yaml"]) {
        let text = fs::read_to_string(&path).expect("a text");
        let name = shown(&path);
        let lines = text.lines().count();
        if lines > LINES && !is_among(&name, &LONG) {
            wrong.push(format!("{name} has {lines} lines"));
        }
        // Texts, addresses, tables and commands are read, or copied, as a whole.
        let mut is_command = false;
        let columns = if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            TEMPLATE_COLUMNS
        } else {
            COLUMNS
        };
        let is_too_wide = |line: &&str| {
            is_command ^= line.starts_with("```");
            let is_whole = is_command
                || line.starts_with('|')
                || ["https://", "\"", "`"]
                    .iter()
                    .any(|part| line.contains(part));
            line.chars().count() > columns && !(is_whole && columns == COLUMNS)
        };
        if let Some(line) = text
            .lines()
            .find(is_too_wide)
            .filter(|_| !is_among(&name, &WIDE))
        {
            wrong.push(format!(
                "{name} has a line of {} characters: {line}",
                line.chars().count()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
