//! Encoding an image again: the limits are checked first, then the pixels are decoded, and then
//! written to a file that contains nothing else.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder as _, ImageError, ImageFormat, ImageReader, Limits};

use super::container;
use crate::limits;
use crate::reason::Reason;

/// One file of an image.
pub struct File {
    pub bytes: Vec<u8>,
    pub extension: &'static str,
    pub content_type: &'static str,
}

/// The files of an image in all sizes. They have the same type.
pub struct Made {
    pub full: File,
    pub small: File,
    pub tiny: File,
}

const JPEG_QUALITY: u8 = 85;

/// Returns the content type of a stored file, from its name.
pub fn content_type(name: &str) -> &'static str {
    if std::path::Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "png")
    {
        "image/png"
    } else {
        "image/jpeg"
    }
}

/// A smaller size is at most this many times as high as wide.
const HEIGHTS: u32 = 4;

/// Returns an image in all sizes, with its pixels only: as JPEG, or as PNG if it is transparent.
/// Of an animation, only the first frame is kept. The error says what is wrong with it.
pub fn remake(bytes: &[u8]) -> Result<Made, Reason> {
    let format = image::guess_format(bytes).ok();
    let allowed = [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::WebP,
        ImageFormat::Gif,
    ];
    let format = format
        .filter(|format| allowed.contains(format))
        .ok_or(Reason::NotImage)?;
    let file = container::prepared(format, bytes).ok_or(Reason::BrokenImage)?;
    let image = decode(format, &file)?;
    // A picture may be narrow and long, and is decoded by phones.
    let narrower = |image: &DynamicImage, width: u32| {
        let height = HEIGHTS * width;
        if image.width() > width || image.height() > height {
            image.thumbnail(width, height)
        } else {
            image.clone()
        }
    };
    let small = narrower(&image, limits::SMALL_IMAGE);
    let transparent = is_transparent(&image);
    let made = Made {
        tiny: encode(&narrower(&small, limits::TINY_IMAGE), transparent)?,
        small: encode(&small, transparent)?,
        full: encode(&image, transparent)?,
    };
    if made.full.bytes.len() > limits::STORED_IMAGE {
        return Err(Reason::LargeImage);
    }
    Ok(made)
}

fn decode(format: ImageFormat, bytes: &[u8]) -> Result<DynamicImage, Reason> {
    let wrong = |error: ImageError| match error {
        ImageError::Limits(_) => Reason::LargeImage,
        _ => Reason::BrokenImage,
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(limits::IMAGE_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(wrong)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > limits::IMAGE_PIXELS
        || width.max(height) > limits::IMAGE_SIDE
    {
        let limit = limits::IMAGE_PIXELS / 1_000_000;
        return Err(Reason::TooManyMegapixels { limit });
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder).map_err(wrong)?;
    image.apply_orientation(orientation);
    Ok(image)
}

fn is_transparent(image: &DynamicImage) -> bool {
    image.color().has_alpha() && image.to_rgba8().pixels().any(|pixel| pixel.0[3] < u8::MAX)
}

fn encode(image: &DynamicImage, transparent: bool) -> Result<File, Reason> {
    let wrong = |_| Reason::BrokenImage;
    let mut bytes = Vec::new();
    if transparent {
        image
            .to_rgba8()
            .write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)
            .map_err(wrong)?;
        Ok(File {
            bytes,
            extension: "png",
            content_type: "image/png",
        })
    } else {
        let encoder = JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
        image.to_rgb8().write_with_encoder(encoder).map_err(wrong)?;
        Ok(File {
            bytes,
            extension: "jpg",
            content_type: "image/jpeg",
        })
    }
}
