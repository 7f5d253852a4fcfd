//! Puts the modules that every page needs, and those of the first page, into one file. Each file is
//! a request, and on a slow network twenty of them take as long as all that is in them.
//!
//! A module becomes a function that is called once and returns what the module exports. This is
//! enough for the modules of the site, and what it does not understand is an error of the build:
//! they import by name, do not import each other in a circle, and never change what they export.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The module that begins, and the name of the file with all of them.
pub const ENTRY: &str = "app.js";
/// The page that visitors see first.
const FIRST: &str = "pages/home.js";
/// How [`ENTRY`] opens a page by its name, and how it opens the one that is there already.
const OPENS: &str = "import(`./pages/${name}.js`)";
const OPENS_HERE: &str = "(name === \"home\" ? m_pages_home_js : import(`./pages/${name}.js`))";
/// Libraries stay files of their own.
const LIBRARIES: &str = "vendor";

type Failure = Box<dyn std::error::Error>;

/// A module that was read: its statements without imports and exports.
struct Module {
    /// For each import: the module, and the names as a pattern.
    imports: Vec<(PathBuf, String)>,
    /// What it exports: the name outside, and the name inside.
    exports: Vec<(String, String)>,
    body: String,
}

/// The modules of the bundle.
pub struct Bundle {
    members: BTreeSet<PathBuf>,
    modules: BTreeMap<PathBuf, Module>,
    /// Each module after those that it imports.
    order: Vec<PathBuf>,
}

/// A path without `.` and `..`.
pub fn plain(path: &Path) -> PathBuf {
    use std::path::Component;
    path.components().fold(PathBuf::new(), |mut whole, part| {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir => {}
            other => whole.push(other),
        }
        whole
    })
}

/// The modules that a module imports at once.
pub fn imports(module: &Path) -> io::Result<Vec<PathBuf>> {
    let text = fs::read_to_string(module)?;
    let folder = module.parent().unwrap_or(Path::new(""));
    let names = text
        .split("from \"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let own = names.filter(|name| name.starts_with('.'));
    Ok(own.map(|name| plain(&folder.join(name))).collect())
}

/// The name that a module has in the bundle.
fn variable(module: &Path) -> String {
    let name = module.to_string_lossy();
    let name: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect();
    format!("m_{name}")
}

/// `{ a, b as c }` as the pattern `{ a, b: c }`, and `Name` as `{ default: Name }`.
fn pattern(names: &str) -> String {
    if names.starts_with('{') {
        names.replace(" as ", ": ")
    } else {
        format!("{{ default: {names} }}")
    }
}

/// The names of a list in braces.
fn listed(names: &str) -> impl Iterator<Item = String> + '_ {
    let names = names.trim_matches(|c| "{}[] \n".contains(c)).split(',');
    names
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
}

/// Splits `import … from "…";` or `export { … } from "…";` at the beginning of a text into the
/// names, the module and the rest.
fn from_other<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let rest = text.strip_prefix(word)?;
    let (names, rest) = rest.split_once(" from \"")?;
    let (module, rest) = rest.split_once("\";")?;
    let is_list = names.starts_with('{') && names.ends_with('}') && names.matches('{').count() == 1;
    let is_name = names.chars().all(char::is_alphanumeric);
    (is_list || is_name).then_some((names, module, rest))
}

/// The name that a declaration declares: what stands behind `export`.
fn declared(text: &str) -> Option<String> {
    let text = text.strip_prefix("default ").unwrap_or(text);
    let text = text.strip_prefix("async ").unwrap_or(text);
    let text = ["function ", "class ", "const "]
        .iter()
        .find_map(|word| text.strip_prefix(word))?;
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))?;
    (end > 0).then(|| text[..end].to_owned())
}

impl Module {
    fn read(path: &Path) -> Result<Self, Failure> {
        let source = fs::read_to_string(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let other = |name: &str| plain(&folder.join(name));
        let mut module = Self {
            imports: vec![],
            exports: vec![],
            body: String::new(),
        };
        let mut rest = source.as_str();
        let not_understood = |text: &str| -> Failure {
            let line = text.lines().next().unwrap_or_default();
            format!("{}: not understood: {line}", path.display()).into()
        };
        while !rest.is_empty() {
            if rest.starts_with("import ") {
                let (names, from, after) =
                    from_other(rest, "import ").ok_or_else(|| not_understood(rest))?;
                module.imports.push((other(from), pattern(names)));
                rest = after;
            } else if rest.starts_with("export {") {
                let (names, from, after) =
                    from_other(rest, "export ").ok_or_else(|| not_understood(rest))?;
                module.imports.push((other(from), pattern(names)));
                let all = listed(names).map(|name| (name.clone(), name));
                module.exports.extend(all);
                rest = after;
            } else if let Some(after) = rest.strip_prefix("export ") {
                let is_default = after.starts_with("default ");
                if let Some(names) = after.strip_prefix("const [") {
                    let (names, _) = names.split_once(']').ok_or_else(|| not_understood(rest))?;
                    let all = listed(names).map(|name| (name.clone(), name));
                    module.exports.extend(all);
                } else {
                    let name = declared(after).ok_or_else(|| not_understood(rest))?;
                    let outside = if is_default { "default" } else { &name };
                    module.exports.push((outside.to_owned(), name));
                }
                rest = after.strip_prefix("default ").unwrap_or(after);
            }
            // To the next line that begins a statement of the module.
            let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
            module.body.push_str(&rest[..end]);
            rest = &rest[end..];
        }
        Ok(module)
    }

    /// Whether a statement of the module itself waits for something.
    fn waits(&self) -> bool {
        self.body.lines().any(|line| {
            let is_statement = line.starts_with(|c: char| c.is_alphabetic());
            is_statement && line.contains("await ") && !line.contains("async ")
        })
    }
}

/// The statement with which names of a module of the bundle come in.
fn taken(from: &Path, names: &str) -> String {
    format!("const {names} = {};\n", variable(from))
}

impl Bundle {
    /// Reads the modules that [`ENTRY`] and the first page need.
    ///
    /// # Errors
    ///
    /// If a module has an import or an export that is not understood, or modules import each other
    /// in a circle.
    pub fn read() -> Result<Self, Failure> {
        let mut bundle = Self {
            members: BTreeSet::new(),
            modules: BTreeMap::new(),
            order: vec![],
        };
        for root in [FIRST, ENTRY] {
            bundle.add(Path::new(root), &mut vec![])?;
        }
        let entry = bundle.modules.get_mut(Path::new(ENTRY));
        let body = &mut entry.ok_or("no module begins")?.body;
        if !body.contains(OPENS) {
            return Err(format!("{ENTRY} does not open pages with {OPENS}").into());
        }
        *body = body.replace(OPENS, OPENS_HERE);
        Ok(bundle)
    }

    fn add(&mut self, path: &Path, way: &mut Vec<PathBuf>) -> Result<(), Failure> {
        if way.iter().any(|before| before == path) {
            return Err(format!("{} imports itself: {way:?}", path.display()).into());
        }
        if path.starts_with(LIBRARIES) || !self.members.insert(path.to_owned()) {
            return Ok(());
        }
        let module = Module::read(path)?;
        way.push(path.to_owned());
        for (from, _) in &module.imports {
            // A member that is not in the order yet is being added: a circle.
            if self.members.contains(from) && !self.order.contains(from) {
                return Err(format!(
                    "{} and {} import each other",
                    path.display(),
                    from.display()
                )
                .into());
            }
            self.add(from, way)?;
        }
        way.pop();
        self.modules.insert(path.to_owned(), module);
        self.order.push(path.to_owned());
        Ok(())
    }

    /// Whether a module is in the bundle.
    pub fn has(&self, module: &Path) -> bool {
        self.members.contains(module)
    }

    /// Returns the file with all modules of the bundle.
    pub fn text(&self, lean: impl Fn(&str) -> String) -> String {
        let libraries: BTreeSet<&PathBuf> = self
            .modules
            .values()
            .flat_map(|module| &module.imports)
            .map(|(from, _)| from)
            .filter(|from| from.starts_with(LIBRARIES))
            .collect();
        let mut text = String::new();
        for path in libraries {
            let name = variable(path);
            let _ = writeln!(text, "import * as {name} from \"./{}\";", path.display());
        }
        for path in &self.order {
            let module = &self.modules[path];
            // The file is one folder higher than most of its modules.
            let body = lean(&module.body);
            let body = ["import(\"../", "import(`../", "new URL(\"../"]
                .iter()
                .fold(body, |body, before| {
                    body.replace(before, &before.replace("../", "./"))
                });
            let given: Vec<String> = module
                .exports
                .iter()
                .map(|(outside, inside)| format!("{outside}: {inside}"))
                .collect();
            let (name, given) = (variable(path), given.join(", "));
            let takes: String = module
                .imports
                .iter()
                .map(|(from, names)| taken(from, names))
                .collect();
            let (start, is_async) = if module.waits() {
                ("await ", "async ")
            } else {
                ("", "")
            };
            let _ = writeln!(
                text,
                "export const {name} = {start}({is_async}() => {{\n{takes}{body}return {{ {given} }};\n\
                 }})();"
            );
        }
        text
    }

    /// Whether a line outside of comments takes something from a module of the bundle.
    fn is_taken_by(&self, line: &str, folder: &Path) -> bool {
        let is_comment = line.trim_start().starts_with(['/', '*']);
        let mut names = line.split(['"', '`']).skip(1).step_by(2);
        let takes = [" from ", "import "].iter().any(|word| line.contains(word))
            || line.contains("import(") && !line.contains("@type");
        !is_comment
            && takes
            && names.any(|name| name.starts_with('.') && self.has(&plain(&folder.join(name))))
    }

    /// Returns a module outside of the bundle, with what it imports from the bundle. Its imports of
    /// other modules stay as they are.
    ///
    /// # Errors
    ///
    /// If it takes something from the bundle in a way that is not understood.
    pub fn rewritten(&self, path: &Path, source: &str) -> Result<String, Failure> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let (mut text, mut rest) = (String::new(), source);
        let mut inside: BTreeMap<PathBuf, String> = BTreeMap::new();
        while let Some(at) = rest.find("import ") {
            let is_first = at == 0 || rest[..at].ends_with('\n');
            let found = is_first
                .then(|| from_other(&rest[at..], "import "))
                .flatten();
            let Some((names, from, after)) = found else {
                text.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
                continue;
            };
            text.push_str(&rest[..at]);
            let from = plain(&folder.join(from));
            if self.has(&from) {
                let takes = inside.entry(from.clone()).or_default();
                takes.push_str(&taken(&from, &pattern(names)));
            } else {
                text.push_str(&rest[at..rest.len() - after.len()]);
            }
            rest = after;
        }
        text.push_str(rest);
        if let Some(line) = text.lines().find(|line| self.is_taken_by(line, folder)) {
            return Err(format!("{}: not understood: {line}", path.display()).into());
        }
        if inside.is_empty() {
            return Ok(text);
        }
        let up = "../".repeat(folder.components().count());
        let names: Vec<String> = inside.keys().map(|path| variable(path)).collect();
        let takes: String = inside.into_values().collect();
        let names = names.join(", ");
        Ok(format!(
            "import {{ {names} }} from \"{up}{ENTRY}\";\n{takes}{text}"
        ))
    }
}
