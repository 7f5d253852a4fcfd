//! Draws the pictures of the demo campus: each SVG of `src/demo/pictures/` becomes a PNG.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

const PICTURES: &str = "src/demo/pictures";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={PICTURES}");
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo tells a build script its folder in the environment"
    )]
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut names: Vec<PathBuf> = fs::read_dir(PICTURES)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    names.sort();
    let mut list = String::from("&[\n");
    for path in names {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let png = out.join(format!("{name}.png"));
        draw(&path, &png)?;
        writeln!(
            list,
            "({name:?}, include_bytes!({:?})),",
            png.to_string_lossy()
        )?;
    }
    fs::write(out.join("pictures.rs"), list + "]")?;
    Ok(())
}

fn draw(svg: &Path, png: &Path) -> Result<(), Box<dyn Error>> {
    let tree = Tree::from_data(&fs::read(svg)?, &Options::default())?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("an empty picture")?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.save_png(png)?;
    Ok(())
}
