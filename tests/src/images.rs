//! Images, and multipart forms for uploads.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};

/// An opaque picture with a gradient.
pub fn picture(width: u32, height: u32) -> DynamicImage {
    let shade = |n: u32| u8::try_from(n % 256).unwrap_or_default();
    DynamicImage::ImageRgba8(RgbaImage::from_fn(width, height, |x, y| {
        Rgba([shade(x), shade(y), shade(x + y), 255])
    }))
}

pub fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    let image = if format == ImageFormat::Jpeg {
        DynamicImage::ImageRgb8(image.to_rgb8())
    } else {
        image.clone()
    };
    image
        .write_to(&mut Cursor::new(&mut bytes), format)
        .expect("an image");
    bytes
}

pub fn png(width: u32, height: u32) -> Vec<u8> {
    encoded(&picture(width, height), ImageFormat::Png)
}

/// Content type and bytes of a `multipart/form-data` body. The parts `image` and `file` are files.
pub fn form(parts: &[(&str, &[u8])]) -> (String, Vec<u8>) {
    let boundary = "----clubs-test-boundary";
    let mut body = Vec::new();
    for (name, content) in parts {
        let is_file = matches!(*name, "image" | "file");
        let file = if is_file {
            "; filename=\"flyer.png\"\r\nContent-Type: application/octet-stream"
        } else {
            ""
        };
        body.extend(
            format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n"
            )
            .as_bytes(),
        );
        body.extend(*content);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}
