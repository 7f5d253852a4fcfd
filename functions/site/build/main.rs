//! Puts modules together, compresses the files of the site, and names their folder after a hash of
//! all of them, so that browsers may keep them for ever.

mod bundle;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bundle::{Bundle, ENTRY};
use sha2::{Digest as _, Sha256};

/// The folders with files for the browser.
const FOLDERS: [&str; 4] = ["pages", "parts", "texts", "vendor"];

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_served = path.extension().is_some_and(|extension| {
            ["js", "css", "svg", "png", "woff2"]
                .iter()
                .any(|served_kind| extension == *served_kind)
        });
        if is_served {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The folder with the styles, and the one file that a browser gets of them, in the order of names.
const STYLES: &str = "styles";
const STYLE: &str = "style.css";
/// The script that stands in the pages themselves.
const FIRST: &str = "first.js";
/// What the bundle itself imports.
const LIBRARIES: &str = "vendor/libraries.js";
/// The list of all pages, which the browser reads as well.
const PAGES: &str = "parts/pages.js";

/// The value of `name: "value"` in each line that has it.
fn values<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let start = line.find(&format!("{name}: \""))? + name.len() + 3;
    line.get(start..)?.split('"').next()
}

/// Adds the file of a module and those of all that it imports at once.
fn imported(module: &Path, bundle: &Bundle, found: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    if bundle.has(module) {
        return Ok(());
    }
    if found.insert(module.to_owned()) {
        for other in bundle::imports(module)? {
            imported(&other, bundle, found)?;
        }
    }
    Ok(())
}

/// Writes the pages with the modules that each of them needs, so that a browser asks for all of
/// them at once. The module that is not imported but chosen by the language is the service's to
/// add.
fn pages(out: &Path, bundle: &Bundle) -> Result<(), Box<dyn std::error::Error>> {
    let mut table = String::from("&[\n");
    let list = fs::read_to_string(PAGES)?;
    let mut path = "";
    for line in list.lines() {
        path = values(line, "path").unwrap_or(path);
        let Some(page) = values(line, "page") else {
            continue;
        };
        let page = Path::new("pages").join(format!("{page}.js"));
        let mut modules = BTreeSet::from([ENTRY.into(), LIBRARIES.into()]);
        imported(&page, bundle, &mut modules)?;
        let names: Vec<_> = modules
            .iter()
            .map(|module| module.to_string_lossy())
            .collect();
        writeln!(table, "({path:?}, &{names:?}),")?;
    }
    table.push(']');
    fs::write(out.join("pages.rs"), table)?;
    Ok(())
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "text/javascript; charset=utf-8",
    }
}

fn gzip(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}

fn brotli(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let params = brotli::enc::BrotliEncoderParams::default();
    brotli::BrotliCompress(&mut &content[..], &mut out, &params)?;
    Ok(out)
}

/// A module or the styles of the site without what only readers of the source need: comments that
/// have lines of their own, and indentation. It is a seventh of what a browser would load. In a
/// template of the site, a line break with blanks around it has no meaning.
fn lean(text: &str) -> String {
    let mut is_comment = false;
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let start = line.trim_start();
        // A type before an expression stands in the line of the expression.
        let begins = start.starts_with("/*") && !start.trim_end_matches("*/").contains("*/");
        if is_comment || begins || start.starts_with("//") {
            is_comment = (is_comment || begins) && !start.ends_with("*/");
            continue;
        }
        kept.push_str(start);
        kept.push('\n');
    }
    kept
}

/// What a file has when it is served; none if it is only a part of the bundle.
fn content(path: &Path, bundle: &Bundle) -> Result<Option<Vec<u8>>, Box<dyn std::error::Error>> {
    let is_module = path.extension().is_some_and(|extension| extension == "js");
    if content_type(path).starts_with("image/") || path.starts_with("vendor") {
        return Ok(Some(fs::read(path)?));
    }
    if path == Path::new(STYLE) {
        let styles = files(Path::new(STYLES))?;
        let all: io::Result<Vec<String>> = styles.iter().map(fs::read_to_string).collect();
        return Ok(Some(lean(&all?.concat()).into_bytes()));
    }
    let text = fs::read_to_string(path)?;
    let text = if path == Path::new(ENTRY) {
        bundle.text(lean)
    } else if bundle.has(path) || path == Path::new(FIRST) {
        return Ok(None);
    } else if is_module && path != Path::new("worker.js") {
        lean(&bundle.rewritten(path, &text)?)
    } else {
        lean(&text)
    };
    Ok(Some(text.into_bytes()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo tells a build script its folder in the environment"
    )]
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut all = files(Path::new("."))?;
    all.push(STYLE.into());
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        all.extend(files(Path::new(folder))?);
    }
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=app.js");
    println!("cargo::rerun-if-changed=first.js");
    println!("cargo::rerun-if-changed={STYLES}");
    println!("cargo::rerun-if-changed=icon.svg");
    println!("cargo::rerun-if-changed=icons.svg");
    println!("cargo::rerun-if-changed=worker.js");
    let bundle = Bundle::read()?;
    pages(&out, &bundle)?;
    let (mut hash, mut table) = (Sha256::new(), String::from("&[\n"));
    for (i, path) in all.iter().enumerate() {
        let path = bundle::plain(path);
        let Some(content) = content(&path, &bundle)? else {
            continue;
        };
        let name = path.to_string_lossy().replace('\\', "/");
        hash.update(name.as_bytes());
        hash.update(&content);
        let file = |kind: &str| out.join(format!("{i}.{kind}"));
        fs::write(file("plain"), &content)?;
        fs::write(file("gz"), gzip(&content)?)?;
        fs::write(file("br"), brotli(&content)?)?;
        writeln!(
            table,
            "File {{ name: {name:?}, content_type: {:?}, \
             plain: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{i}.plain\")), \
             gzip: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{i}.gz\")), \
             brotli: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{i}.br\")) }},",
            content_type(&path),
        )?;
    }
    table.push(']');
    fs::write(out.join("files.rs"), table)?;
    let mut name = String::new();
    for byte in hash.finalize().iter().take(8) {
        write!(name, "{byte:02x}")?;
    }
    println!("cargo::rustc-env=SITE_HASH={name}");
    // The policy of the pages names the one script that stands in them.
    let first = lean(&fs::read_to_string(FIRST)?);
    fs::write(out.join(FIRST), &first)?;
    let digest = BASE64_STANDARD.encode(Sha256::digest(first.as_bytes()));
    println!("cargo::rustc-env=SITE_FIRST=sha256-{digest}");
    Ok(())
}
