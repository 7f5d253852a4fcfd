//! `tests/items/`: one item of each type as it is stored today. Code that cannot read them could
//! not read the items of yesterday either: give a new field a default. See CONTRIBUTING, "Add a
//! field". Until version 1.0 the examples may change with the layout: `cargo bless` writes them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use shared::kind::Kind;

use crate::table::one_of_everything;

/// The names of all attributes of an item, at every depth, as paths. Some are texts in JSON.
fn names(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    let text = value.as_str().unwrap_or_default();
    if text.starts_with('{') {
        let inner: Value = serde_json::from_str(text).unwrap_or_default();
        names(&inner, path, found);
    } else if let Some(fields) = value.as_object() {
        for (name, value) in fields {
            let path = format!("{path}/{name}");
            names(value, &path, found);
            found.insert(path);
        }
    } else if let Some(first) = value.as_array().and_then(|items| items.first()) {
        names(first, &format!("{path}/0"), found);
    }
}

fn names_of(item: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    names(item, "", &mut found);
    found
}

#[tokio::test(start_paused = true)]
async fn items_of_yesterday_can_be_read() {
    let stored = one_of_everything().await.stored();
    let folder = crate::root().join("tests/items");
    let read = |path: &Path| {
        let text = fs::read_to_string(path).ok()?;
        serde_json::from_str::<Value>(&text).ok()
    };
    for name in Kind::all().map(Kind::name) {
        let today = stored
            .iter()
            .filter(|item| item["type"]["S"] == name)
            .max_by_key(|item| names_of(item).len())
            .unwrap_or_else(|| panic!("nothing of type {name} was stored"));
        let path = folder.join(format!("{name}.json"));
        let is_current = |example: &Value| names_of(example) == names_of(today);
        if option_env!("BLESS").is_some() && !read(&path).as_ref().is_some_and(is_current) {
            let text = serde_json::to_string_pretty(today).unwrap() + "\n";
            fs::write(&path, text).expect("a writable repository");
        }
        let example = read(&path).unwrap_or_else(|| panic!("tests/items/{name}.json is missing"));
        assert!(
            is_current(&example),
            "tests/items/{name}.json: run `cargo bless` and look at the difference"
        );
    }
    for entry in fs::read_dir(&folder).expect("tests/items") {
        let path = entry.expect("a file").path();
        let example = read(&path).unwrap_or_else(|| panic!("{} is no JSON", path.display()));
        assert_eq!(admin::item_error(&example), None, "{}", path.display());
    }
}
