use std::fmt::Write as _;
use std::fs;

use serde_json::json;

/// The path of the source file with a handler.
fn file_of(function: &str, handler: &str) -> String {
    let folder = super::root().join("functions").join(function).join("src");
    let needle = format!("pub async fn {handler}(");
    let mut folders = vec![folder.clone()];
    while let Some(one) = folders.pop() {
        let entries = fs::read_dir(one).expect("a source folder");
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if fs::read_to_string(&path).is_ok_and(|text| text.contains(&needle)) {
                let name = path.strip_prefix(&folder).expect("a file in the folder");
                return format!("functions/{function}/src/{}", name.display());
            }
        }
    }
    panic!("no file has {handler}")
}

#[test]
fn the_list_of_routes_is_made_from_the_code() {
    let mut rows = Vec::new();
    for (function, routes) in local::GROUPS {
        let document = json!(routes().split_for_parts().1);
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                let id = operation["operationId"].as_str().unwrap_or_default();
                let summary = operation["summary"].as_str().unwrap_or_default();
                let details = operation["description"].as_str().unwrap_or_default();
                let callers = details.split_inclusive('.').next().unwrap_or_default();
                let about = format!("{summary} {}", callers.replace('\n', " "));
                let file = file_of(function, id);
                rows.push((
                    path.clone(),
                    method.to_uppercase(),
                    format!("`{id}`"),
                    about,
                    function,
                    file,
                ));
            }
        }
    }
    rows.sort();
    let mut text = "# Routes\n\n\
        `cargo bless` writes this page from the code: what a route does, and who may call it.\n\
        `tests/tests/api/roles.rs` tries every operation as every kind of caller. The OpenAPI\n\
        document has the details.\n\n\
        | Path | Method | Operation | What, and who | Function | File |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for (path, method, id, about, function, file) in rows {
        let _ = writeln!(
            text,
            "| `{path}` | {method} | {id} | {about} | {function} | [{file}](../{file}) |"
        );
    }
    super::check("docs/routes.md", &text);
}
