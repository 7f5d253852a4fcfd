//! The layers of `shared`: a module uses only modules in lower layers, and files do not use each
//! other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::sources::{rust_files, without_tests};

/// The modules of `shared`, the lowest layer first. A module may use those of lower layers.
const LAYERS: [&[&str]; 13] = [
    &["qr", "metrics"],
    &["ids", "limits", "time"],
    &["settings"],
    &["html", "text"],
    &["models"],
    &["mail", "table"],
    &["catalogue", "forms", "receipts"],
    &["lookups"],
    &["auth", "media"],
    &["state"],
    &["http"],
    &["bodies", "openapi"],
    &["lambda"],
];

/// The code of a file, without comments and unit tests.
fn code(path: &Path) -> String {
    without_tests(path)
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The names after each `prefix`: one name, or several in braces.
fn used(code: &str, prefix: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = |text: &str| text.chars().take_while(|c| is_name(*c)).collect::<String>();
    let mut found = BTreeSet::new();
    for rest in code.split(prefix).skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            found.insert(name(rest));
            continue;
        };
        let (mut depth, mut start) = (0, true);
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                c if start && is_name(c) => {
                    found.insert(name(&group[i..]));
                    start = false;
                }
                _ => {}
            }
        }
    }
    found
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

#[test]
fn no_module_of_shared_uses_one_above_it() {
    let root = crate::root().join("shared/src");
    for path in rust_files("shared/src") {
        let inside = path.strip_prefix(&root).unwrap();
        let module = inside.iter().next().unwrap().to_str().unwrap();
        let module = module.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let own = layer(module).unwrap_or_else(|| panic!("{module} has no layer: add it here"));
        for target in used(&code(&path), "crate::") {
            // Names that are no modules, such as `crate::Shared`, are those of `state`.
            let other = layer(&target).or_else(|| layer("state")).unwrap();
            assert!(
                target == module || other < own,
                "{} uses {target}, which is not below it",
                inside.display()
            );
        }
    }
}

#[test]
fn no_files_of_a_module_use_each_other_in_a_circle() {
    let root = crate::root().join("shared/src");
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let name = |path: &Path| path.to_str().unwrap().trim_end_matches(".rs").to_owned();
    let all: BTreeSet<String> = rust_files("shared/src")
        .iter()
        .map(|path| name(path))
        .collect();
    for path in rust_files("shared/src") {
        // A `mod.rs` only lists its files.
        if path.ends_with("mod.rs") {
            continue;
        }
        let folder = path.parent().unwrap();
        let code = code(&path);
        let beside = used(&code, "super::")
            .into_iter()
            .map(|file| folder.join(file));
        let from_top = used(&code, "crate::")
            .into_iter()
            .map(|file| root.join(file));
        let targets = beside.chain(from_top).map(|path| name(&path));
        uses.insert(
            name(&path),
            targets.filter(|file| all.contains(file)).collect(),
        );
    }
    // Files that use no other file are removed, again and again. The files that stay are in a
    // circle.
    loop {
        let free: Vec<String> = uses
            .iter()
            .filter(|(_, targets)| !targets.iter().any(|target| uses.contains_key(target)))
            .map(|(file, _)| file.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        uses.retain(|file, _| !free.contains(file));
    }
    assert!(uses.is_empty(), "files in a circle: {:?}", uses.keys());
}

#[test]
fn no_function_links_another_one() {
    let root = crate::root().join("functions");
    let names: Vec<String> = fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in &names {
        let manifest = fs::read_to_string(root.join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        for other in names.iter().filter(|other| *other != name) {
            assert!(
                !dependencies
                    .lines()
                    .any(|line| line.starts_with(other.as_str())),
                "{name} links {other}"
            );
        }
    }
}
