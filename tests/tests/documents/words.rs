//! Names in the code use the words of `docs/glossary.md`.

use std::collections::BTreeSet;
use std::fs;

use proc_macro2::{TokenStream, TokenTree};

use crate::sources::{rust_files, shown};

/// Names with one of these words that stay, each with its reason.
const EXCEPTIONS: [(&str, &str); 13] = [
    ("GONE", "a status of HTTP"),
    ("KnownFormat", "a type of utoipa"),
    ("LookupSpan", "a trait of tracing-subscriber"),
    ("Places", "the places of a slot, as in the API"),
    ("QuestionGone", "a code of the API"),
    ("SLOT_PLACES", "the places of a slot"),
    ("has_place", "a place of a slot"),
    ("has_places", "the places of a slot"),
    ("is_combining_mark", "a function of unicode-normalization"),
    ("lookup_host", "a function of tokio"),
    ("open_in_place", "a function of aws-lc-rs"),
    ("port_or_known_default", "a function of url"),
    ("seal_in_place_append_tag", "a function of aws-lc-rs"),
];

/// The words in `code` in the last column of the glossary.
fn banned(glossary: &str) -> BTreeSet<String> {
    glossary
        .lines()
        .filter_map(|line| line.strip_suffix('|')?.rsplit('|').next())
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

/// The words of a name: `is_told`, `IsTold` and `IS_TOLD` have the words `is` and `told`.
fn words(name: &str) -> Vec<String> {
    let is_constant = !name.chars().any(char::is_lowercase);
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || (c.is_uppercase() && !is_constant) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c != '_') {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// All names in a piece of code. Comments and texts have none.
fn names(code: TokenStream, found: &mut BTreeSet<String>) {
    for token in code {
        match token {
            TokenTree::Ident(name) => drop(found.insert(name.to_string())),
            TokenTree::Group(group) => names(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

#[test]
fn names_have_no_private_words() {
    let glossary = fs::read_to_string(crate::root().join("docs/glossary.md")).expect("a glossary");
    let banned = banned(&glossary);
    assert!(banned.len() > 25, "{banned:?}");
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for folder in ["clients", "functions", "infra", "shared", "tests"] {
        for path in rust_files(folder) {
            let mut found = BTreeSet::new();
            let code = fs::read_to_string(&path).expect("a text");
            names(code.parse().expect("code"), &mut found);
            for name in found {
                if !words(&name).iter().any(|word| banned.contains(word)) {
                    continue;
                }
                match EXCEPTIONS.iter().find(|(exception, _)| *exception == name) {
                    Some((exception, _)) => drop(used.insert(*exception)),
                    None => wrong.push(format!("{}: {name}", shown(&path))),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (name, _) in EXCEPTIONS {
        assert!(used.contains(name), "{name} is not used");
    }
}
