//! `docs/behaviour.md`: every rule that is cited exists, and every rule names a test that proves
//! it.

use std::collections::BTreeSet;
use std::fs;

use crate::sources::{rust_files, shown};

/// The numbers of all rules, such as `S14`.
fn rules() -> BTreeSet<String> {
    let text = fs::read_to_string(crate::root().join("docs/behaviour.md")).expect("the rules");
    let mut rules = BTreeSet::new();
    for line in text.lines() {
        let Some(rule) = line
            .strip_prefix("- **")
            .and_then(|rest| rest.split("**").next())
        else {
            continue;
        };
        assert!(
            rules.insert(rule.to_owned()),
            "{rule} is in the document twice"
        );
    }
    assert!(rules.len() > 200, "the document was not understood");
    rules
}

/// The words of a comment that look like the number of a rule.
fn numbers(comment: &str) -> impl Iterator<Item = &str> {
    comment
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| {
            let digits = word.strip_prefix(|c: char| c.is_ascii_uppercase());
            digits.is_some_and(|n| {
                (1..=2).contains(&n.len()) && n.bytes().all(|b| b.is_ascii_digit())
            })
        })
}

/// The rules that a comment says to be proven: `// proves S14, H6`, directly above a test.
fn proven(line: &str) -> Option<impl Iterator<Item = &str>> {
    Some(line.strip_prefix("// proves ")?.split(", "))
}

#[test]
fn cited_rules_exist_and_name_their_tests() {
    let rules = rules();
    let chapters: BTreeSet<&str> = rules.iter().map(|rule| &rule[..1]).collect();
    let mut open = rules.clone();
    for path in ["functions", "infra", "shared", "tests"]
        .iter()
        .flat_map(|folder| rust_files(folder))
    {
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        for (n, line) in lines.iter().enumerate() {
            let Some(comment) = line.strip_prefix("//") else {
                continue;
            };
            for number in numbers(comment).filter(|number| chapters.contains(&number[..1])) {
                assert!(rules.contains(number), "{} cites {number}", shown(&path));
            }
            let Some(named) = proven(line) else {
                continue;
            };
            let below = lines.get(n + 1).unwrap_or(&"");
            assert!(
                below.starts_with("#[") || below.starts_with("// proves "),
                "{}: `{line}` is not directly above a test",
                shown(&path)
            );
            for rule in named {
                assert!(rules.contains(rule), "{} proves {rule}", shown(&path));
                open.remove(rule);
            }
        }
    }
    assert!(open.is_empty(), "no test says `// proves` of {open:?}");
}
