//! `docs/behaviour.md`: every rule that is cited exists, and every rule is proven by a test file.

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

#[test]
fn every_rule_that_is_cited_exists_and_every_rule_is_proven_by_a_test_file() {
    let rules = rules();
    let chapters: BTreeSet<&str> = rules.iter().map(|rule| &rule[..1]).collect();
    let mut proven = BTreeSet::new();
    for path in ["functions", "infra", "shared", "tests"]
        .iter()
        .flat_map(|folder| rust_files(folder))
    {
        let text = fs::read_to_string(&path).unwrap();
        let mut in_proof = false;
        for line in text.lines().map(str::trim_start) {
            let Some(comment) = line.strip_prefix("//") else {
                in_proof = false;
                continue;
            };
            in_proof = line.starts_with("//! Proves ") || (in_proof && line.len() > 3);
            for number in numbers(comment).filter(|number| chapters.contains(&number[..1])) {
                assert!(rules.contains(number), "{} cites {number}", shown(&path));
                if in_proof {
                    proven.insert(number.to_owned());
                }
            }
        }
    }
    let open: Vec<&String> = rules.difference(&proven).collect();
    assert!(open.is_empty(), "no test file says that it proves {open:?}");
}
