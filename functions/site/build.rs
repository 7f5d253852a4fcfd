//! Compresses the files of the site and names their folder after a hash of all of them, so that
//! browsers may keep them for ever.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest as _, Sha256};

/// The folders with files for the browser.
const FOLDERS: [&str; 4] = ["pages", "parts", "texts", "vendor"];

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_served = path
            .extension()
            .is_some_and(|extension| ["js", "css", "svg"].iter().any(|known| extension == *known));
        if is_served {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo tells a build script its folder in the environment"
    )]
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut all = files(Path::new("."))?;
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        all.extend(files(Path::new(folder))?);
    }
    println!("cargo::rerun-if-changed=app.js");
    println!("cargo::rerun-if-changed=style.css");
    println!("cargo::rerun-if-changed=icon.svg");
    let (mut hash, mut table) = (Sha256::new(), String::from("&[\n"));
    for (i, path) in all.iter().enumerate() {
        let content = fs::read(path)?;
        let name = path
            .strip_prefix(".")
            .unwrap_or(path)
            .to_string_lossy()
            .replace('\\', "/");
        hash.update(name.as_bytes());
        hash.update(&content);
        let place = |kind: &str| out.join(format!("{i}.{kind}"));
        fs::write(place("plain"), &content)?;
        fs::write(place("gz"), gzip(&content)?)?;
        fs::write(place("br"), brotli(&content)?)?;
        writeln!(
            table,
            "File {{ name: {name:?}, content_type: {:?}, \
             plain: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{i}.plain\")), \
             gzip: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{i}.gz\")), \
             brotli: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{i}.br\")) }},",
            content_type(path),
        )?;
    }
    table.push(']');
    fs::write(out.join("files.rs"), table)?;
    let mut name = String::new();
    for byte in hash.finalize().iter().take(8) {
        write!(name, "{byte:02x}")?;
    }
    println!("cargo::rustc-env=SITE_HASH={name}");
    Ok(())
}
