//! QR codes as SVG images.

use std::fmt::Write as _;

use qrcodegen::{QrCode, QrCodeEcc};

/// The empty border that readers need, in squares.
const BORDER: i32 = 4;

/// Returns the QR code of a text as an SVG image; none if the text is too long, which is more than
/// 2,000 characters. The code can still be read if 15 % of it are hidden.
pub fn svg(text: &str) -> Option<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let size = code.size() + 2 * BORDER;
    let mut path = String::new();
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
            let _ = write!(path, "M{} {}h1v1h-1z", x + BORDER, y + BORDER);
        }
    }
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" \
         shape-rendering=\"crispEdges\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\
         <path d=\"{path}\"/></svg>"
    ))
}
