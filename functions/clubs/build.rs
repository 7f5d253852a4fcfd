//! Packs the documentation page: what of Swagger UI is needed and the API's document, also in
//! OpenAPI 3.0, compressed once, here.

#[path = "../../shared/src/openapi/older.rs"]
mod older;
#[path = "../../shared/src/openapi/walk.rs"]
mod walk;

use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;

const PARTS: [&str; 5] = [
    "swagger-ui.css",
    "index.css",
    "swagger-ui-bundle.js",
    "favicon-16x16.png",
    "favicon-32x32.png",
];
const DOCUMENT: &str = "../../docs/openapi.json";
const OLDER: [&str; 2] = [
    "../../shared/src/openapi/older.rs",
    "../../shared/src/openapi/walk.rs",
];

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    println!("cargo::rerun-if-changed=build.rs");
    let mut archive = zip::ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    let names: Vec<String> = archive
        .file_names()
        .map(|name| Ok(name?.into_owned()))
        .collect::<Result<_, Error>>()?;
    for part in PARTS {
        let end = format!("/dist/{part}");
        let name = names
            .iter()
            .find(|name| name.ends_with(&end) && !name.contains("/flavors/"));
        let mut bytes = Vec::new();
        archive
            .by_name(name.ok_or("a part of Swagger UI is missing")?)?
            .read_to_end(&mut bytes)?;
        pack(part, &bytes)?;
    }
    for path in [DOCUMENT].into_iter().chain(OLDER) {
        println!("cargo::rerun-if-changed={path}");
    }
    let document = std::fs::read(DOCUMENT)?;
    pack("openapi.json", &document)?;
    let older = older::version_3_0(serde_json::from_slice(&document)?);
    pack("openapi-3.0.json", format!("{older:#}\n").as_bytes())
}

#[expect(clippy::disallowed_methods, reason = "what cargo tells a build script")]
fn pack(name: &str, bytes: &[u8]) -> Result<(), Error> {
    let file =
        std::fs::File::create(Path::new(&std::env::var("OUT_DIR")?).join(format!("{name}.gz")))?;
    let mut encoder = GzEncoder::new(file, Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()?;
    Ok(())
}
