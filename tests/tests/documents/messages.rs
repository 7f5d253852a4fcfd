//! The site has every sentence that the API says, in plain English and in German.

use std::collections::BTreeSet;
use std::path::Path;

use crate::sources::{rust_files, shown, without_tests};

/// Files whose messages are not for users: those for logs, start-up and settings.
const OTHERS: [&str; 5] = [
    "shared/src/domain/entities.rs",
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

/// A sentence without the names of its values, which differ between the files.
fn unnamed(sentence: &str) -> String {
    let (mut text, mut rest) = (String::new(), sentence);
    while let Some(c) = rest.chars().next() {
        let inside = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let is_value = |name: &str| {
            let name = name.strip_suffix(":?").unwrap_or(name);
            name.chars()
                .all(|c| c.is_alphanumeric() || "_.".contains(c))
        };
        if let Some((_, after)) = inside.filter(|(name, _)| is_value(name)) {
            text.push_str("{}");
            rest = after;
        } else {
            let end = if rest.starts_with("{{") {
                2
            } else {
                c.len_utf8()
            };
            text.push_str(&rest[..end]);
            rest = &rest[end..];
        }
    }
    text
}

/// The first text of each entry in a list of `functions/site/texts/api.js`.
fn entries(source: &str, list: &str) -> BTreeSet<String> {
    let (_, after) = source
        .split_once(&format!("export const {list} = ["))
        .expect("a list");
    let (code, _) = after.split_once("\n];").expect("its end");
    let mut found = BTreeSet::new();
    // An entry begins with `[`, also if its text is in the next line, or in several.
    for entry in code.split("\n  [").skip(1) {
        let mut entry = entry.trim_start();
        let mut text = String::new();
        while let Some(quote) = entry.chars().next().filter(|c| "\"'".contains(*c)) {
            let mut end = 1;
            while !entry[end..].starts_with(quote) {
                if entry[end..].starts_with('\\') {
                    end += 1;
                }
                let c = entry[end..].chars().next().expect("the end of a text");
                text.push(c);
                end += c.len_utf8();
            }
            entry = entry[end + 1..].trim_start();
            entry = entry.strip_prefix('+').map_or("", str::trim_start);
        }
        found.insert(unnamed(&text));
    }
    found
}

#[test]
fn site_translates_every_sentence_of_the_api() {
    let is_other =
        |name: &str| name.contains("/tests/") || OTHERS.iter().any(|other| name.starts_with(other));
    let sentences: BTreeSet<String> = ["shared/src", "functions"]
        .iter()
        .flat_map(|folder| rust_files(folder))
        .filter(|path| !is_other(&shown(path)))
        .flat_map(|path| messages(&path))
        .map(|sentence| unnamed(&sentence))
        .collect();
    assert!(sentences.len() > 200, "{}", sentences.len());
    let path = crate::root().join("functions/site/texts/api.js");
    let source = std::fs::read_to_string(path).expect("the texts of the site");
    let (listed, others) = (entries(&source, "SENTENCES"), entries(&source, "UNLISTED"));
    let missing: Vec<_> = sentences.difference(&listed).collect();
    let missing = missing.into_iter().filter(|one| !others.contains(*one));
    assert_eq!(
        missing.collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "not in api.js"
    );
    let unknown: Vec<_> = listed.difference(&sentences).collect();
    assert_eq!(unknown, Vec::<&String>::new(), "nobody says this");
}
