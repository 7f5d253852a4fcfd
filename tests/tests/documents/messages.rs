//! `docs/messages.md`: a list of all messages to users, so that they can be reviewed together.

use std::fmt::Write as _;
use std::path::Path;

use crate::sources::{rust_files, shown, without_tests};

/// Files whose messages are not for users: those for logs, start-up and settings.
const OTHERS: [&str; 5] = [
    "shared/src/domain/chart/",
    "shared/src/settings.rs",
    "shared/src/lambda/",
    "functions/mailer/",
    "shared/src/openapi/",
];

/// The string literals of a file, without those in comments and attributes.
fn literals(code: &str) -> Vec<String> {
    let bytes: Vec<char> = code.chars().collect();
    let (mut found, mut i) = (Vec::new(), 0);
    while i < bytes.len() {
        match bytes[i] {
            '/' if bytes.get(i + 1) == Some(&'/') => {
                while i < bytes.len() && bytes[i] != '\n' {
                    i += 1;
                }
            }
            '#' if bytes.get(i + 1) == Some(&'[') => i = end_of_attribute(&bytes, i + 2),
            '\'' if bytes.get(i + 2) == Some(&'\'') => i += 3,
            '\'' if bytes.get(i + 1) == Some(&'\\') => i += 4,
            '"' => {
                let (text, end) = literal(&bytes, i + 1);
                found.push(text);
                i = end;
            }
            _ => i += 1,
        }
    }
    found
}

/// The text of a literal that begins at `i`, and the position after the literal.
fn literal(bytes: &[char], mut i: usize) -> (String, usize) {
    let mut text = String::new();
    while i < bytes.len() && bytes[i] != '"' {
        if bytes[i] == '\\' {
            i += 1;
            match bytes[i] {
                '\n' => {
                    while bytes[i].is_whitespace() {
                        i += 1;
                    }
                    continue;
                }
                'n' => text.push(' '),
                other => text.push(other),
            }
        } else {
            text.push(bytes[i]);
        }
        i += 1;
    }
    (text, i + 1)
}

fn end_of_attribute(bytes: &[char], mut i: usize) -> usize {
    let mut depth = 1;
    while i < bytes.len() && depth > 0 {
        match bytes[i] {
            '[' => depth += 1,
            ']' => depth -= 1,
            '"' => i = literal(bytes, i + 1).1 - 1,
            _ => {}
        }
        i += 1;
    }
    i
}

/// Whether a literal is a sentence. All messages are sentences.
fn is_message(text: &str) -> bool {
    let first = text.chars().next();
    text.contains(' ')
        && text.ends_with('.')
        && first.is_some_and(|c| c.is_uppercase() || "{\"`".contains(c))
}

fn messages(path: &Path) -> Vec<String> {
    let mut found = literals(&without_tests(path));
    found.retain(|text| is_message(text));
    found.sort();
    found.dedup();
    found
}

#[test]
fn all_messages_to_users_are_in_one_list() {
    let mut list = String::from(
        "# Messages\n\n\
         Every sentence that a caller of the API may read in `detail` or `errors`. `cargo bless`\n\
         writes this page from the code. Read all of it when you add a message. `{…}` is a value.\n",
    );
    for path in ["shared/src", "functions"]
        .iter()
        .flat_map(|folder| rust_files(folder))
    {
        let name = shown(&path);
        let found = messages(&path);
        if found.is_empty()
            || OTHERS.iter().any(|other| name.starts_with(other))
            || name.contains("/tests/")
        {
            continue;
        }
        let _ = write!(list, "\n## `{name}`\n\n");
        for message in found {
            let _ = writeln!(list, "- {message}");
        }
    }
    crate::check("docs/messages.md", &list);
}
