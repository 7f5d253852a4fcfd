//! The layers of `shared`: a module uses only modules in lower layers. In the crates of
//! functions, infra and shared, neither files nor folders that stand beside each other use each
//! other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::sources::{rust_files, without_tests};

/// The modules of `shared`, the lowest layer first. A module may use those of lower layers.
const LAYERS: [&[&str]; 15] = [
    &["environment", "kind", "qr", "reason"],
    &["metrics"],
    &["ids", "limits", "time"],
    &["settings"],
    &["files", "receiver_rules", "encryption", "text"],
    &["db"],
    &["domain"],
    &["person_token"],
    &[
        "calendars",
        "changes",
        "mail",
        "queue",
        "receipts",
        "unsubscribe",
    ],
    &["auth", "bookings", "media", "tickets", "webhook_off"],
    &["draws", "endings"],
    &["state"],
    &["web"],
    &["bodies", "openapi"],
    &["lambda"],
];

/// The modules of macros that are used as names of the crate.
const MACROS: [(&str, &str); 3] = [("input", "web"), ("kinds", "text"), ("routes", "openapi")];

/// The code of a file, without comments and unit tests.
fn code(path: &Path) -> String {
    without_tests(path)
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The paths after each `prefix`: one, or several in braces. `a::{b, c::d}` is `a::b` and
/// `a::c::d`.
fn used(code: &str, prefix: &str) -> BTreeSet<String> {
    fn expand(before: &str, text: &str, found: &mut BTreeSet<String>) {
        let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let path: String = text.chars().take_while(|c| is_path(*c)).collect();
        let rest = &text[path.len()..];
        let path = format!("{before}{path}");
        let Some(group) = rest.strip_prefix('{') else {
            found.insert(path.trim_end_matches(':').to_owned());
            return;
        };
        let (mut depth, mut start) = (0, 0);
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                ',' | '}' if depth == 0 => {
                    expand(&path, group[start..i].trim(), found);
                    start = i + 1;
                    if c == '}' {
                        break;
                    }
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        // `$crate::` in a macro is the same as `crate::`; `super::super::` is read once.
        let before = code[..at].chars().next_back();
        if !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            expand("", &code[at + prefix.len()..], &mut found);
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
            let target = target.split("::").next().unwrap_or_default();
            let of_macro = MACROS.iter().find(|(name, _)| *name == target);
            let target = of_macro.map_or(target, |(_, module)| *module);
            // Names that are no modules, such as `crate::Shared`, are those of `state`.
            let other = layer(target).or_else(|| layer("state")).unwrap();
            assert!(
                target == module || other < own,
                "{} uses {target}, which is not below it",
                inside.display()
            );
        }
    }
}

/// The files of one crate, by the path of their module.
struct Modules(BTreeMap<String, PathBuf>);

impl Modules {
    fn of(folder: &Path) -> Self {
        let named = |path: PathBuf| {
            let inside = path
                .strip_prefix(folder)
                .expect("a file of the crate")
                .with_extension("");
            let names: Vec<&str> = inside.iter().filter_map(|name| name.to_str()).collect();
            let names = match names.as_slice() {
                [before @ .., "mod"] => before,
                ["lib" | "main"] => &[],
                all => all,
            };
            (names.join("::"), path)
        };
        let relative = folder
            .strip_prefix(crate::root())
            .ok()
            .and_then(Path::to_str)
            .expect("a folder");
        Self(rust_files(relative).into_iter().map(named).collect())
    }

    /// The module in which the file finds what it calls `path`. A module that only hands a name on
    /// (`pub use`) is not it.
    fn target(&self, path: &str) -> Option<String> {
        let mut module = path;
        while !self.0.contains_key(module) {
            module = module.rsplit_once("::").map_or("", |(before, _)| before);
        }
        let name = path[module.len()..].trim_start_matches("::");
        let name = name.split("::").next().unwrap_or_default();
        let code = code(&self.0[module]);
        let handed_on = used(&code, "pub use ");
        let origin = handed_on
            .iter()
            .chain(&used(&code, "pub(crate) use "))
            .find(|origin| origin.rsplit("::").next() == Some(name))
            .cloned();
        match origin {
            Some(origin) if origin.contains("::") => {
                let origin = origin
                    .strip_prefix("crate::")
                    .map_or_else(|| format!("{module}::{origin}"), str::to_owned);
                self.target(origin.trim_start_matches("::"))
            }
            // The root of a crate names its modules; a module is not used by that.
            _ => Some(module.to_owned()).filter(|module| !module.is_empty()),
        }
    }

    /// The modules that a module uses.
    fn used_by(&self, module: &str) -> BTreeSet<String> {
        let code = code(&self.0[module]);
        let is_folder = self.0[module].ends_with("mod.rs");
        let parent = if is_folder {
            module
        } else {
            module.rsplit_once("::").map_or("", |(before, _)| before)
        };
        let beside = used(&code, "super::")
            .into_iter()
            .filter(|_| !is_folder)
            .map(|path| format!("{parent}::{path}"));
        let all = used(&code, "crate::").into_iter().chain(beside);
        all.filter_map(|path| self.target(path.trim_start_matches("::")))
            .filter(|target| target != module)
            .collect()
    }
}

/// The methods of the table, each with the module that defines it, if no other one has that name:
/// they are used without a path.
fn methods_of_table() -> BTreeMap<String, String> {
    let root = crate::root().join("shared/src/domain");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in rust_files("shared/src") {
        let inside = path.strip_prefix(&root).map(|path| path.with_extension(""));
        let names = inside.map(|path| {
            let names: Vec<&str> = path.iter().filter_map(|name| name.to_str()).collect();
            format!("domain::{}", names.join("::"))
        });
        let module = names.unwrap_or_default();
        for part in code(&path).split(" fn ").skip(1) {
            let name: String = part
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            found.entry(name).or_default().push(module.clone());
        }
    }
    let of_domain = found
        .into_iter()
        .filter_map(|(name, modules)| match &modules[..] {
            [module] if !module.is_empty() => Some((name, module.clone())),
            _ => None,
        });
    of_domain.collect()
}

/// What stands beside each other in one folder, and what of it each one uses: files, and folders
/// with all that is in them.
type Beside = BTreeMap<String, BTreeSet<String>>;

/// Returns for each folder of a crate what stands in it.
fn beside(modules: &Modules) -> BTreeMap<String, Beside> {
    let methods = methods_of_table();
    let mut folders: BTreeMap<String, Beside> = BTreeMap::new();
    for module in modules.0.keys() {
        let mut targets = modules.used_by(module);
        if module.starts_with("domain::") {
            let code = code(&modules.0[module]);
            let calls = code.split("self.").skip(1).filter_map(|call| {
                let (name, _) = call.split_once('(')?;
                methods.get(name).cloned()
            });
            // What one thing has may be divided into files as it likes.
            let folder = |module: &str| module.split("::").nth(1).map(str::to_owned);
            targets.extend(calls.filter(|target| folder(target) != folder(module)));
        }
        for target in targets {
            let mut own = module.split("::").filter(|name| !name.is_empty());
            let mut other = target.split("::");
            let mut folder = vec![];
            loop {
                match (own.next(), other.next()) {
                    (Some(own), Some(other)) if own == other => folder.push(own),
                    (Some(own), Some(other)) => {
                        let uses = folders.entry(folder.join("::")).or_default();
                        uses.entry(own.to_owned())
                            .or_default()
                            .insert(other.to_owned());
                        break;
                    }
                    // One is inside the other: its `mod.rs`.
                    _ => break,
                }
            }
        }
    }
    folders
}

#[test]
fn nothing_in_a_folder_uses_each_other_in_a_circle() {
    let crates = ["functions", "infra"]
        .iter()
        .flat_map(|folder| fs::read_dir(crate::root().join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .chain([crate::root().join("shared")]);
    for folder in crates
        .map(|path| path.join("src"))
        .filter(|path| path.is_dir())
    {
        for (inside, mut uses) in beside(&Modules::of(&folder)) {
            // What uses nothing else is removed, and what nothing uses, again and again. What stays
            // is in a circle, or between two.
            loop {
                let all: BTreeSet<String> = uses.keys().cloned().collect();
                let used: BTreeSet<String> = uses.values().flatten().cloned().collect();
                for targets in uses.values_mut() {
                    targets.retain(|target| all.contains(target));
                }
                uses.retain(|name, targets| !targets.is_empty() && used.contains(name));
                if uses.len() == all.len() {
                    break;
                }
            }
            assert!(
                uses.is_empty(),
                "{} {inside}: a circle among {uses:?}",
                folder.display()
            );
        }
    }
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
