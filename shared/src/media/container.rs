//! Where an image ends in its file: a file that ends before is truncated, one that goes on is
//! something else as well.

use image::ImageFormat;

/// The length of the image in `bytes`; none if the file ends before the image does.
pub fn end(format: ImageFormat, bytes: &[u8]) -> Option<usize> {
    match format {
        ImageFormat::Png => png(bytes),
        ImageFormat::Jpeg => jpeg(bytes),
        ImageFormat::Gif => gif(bytes),
        ImageFormat::WebP => webp(bytes),
        _ => None,
    }
}

/// Whether what stands behind an image may stand there: padding, and behind a JPEG what cameras put
/// there, which are further pictures, short films, and Samsung's notes.
pub fn may_follow(format: ImageFormat, mut rest: &[u8]) -> bool {
    loop {
        let padding = rest.iter().take_while(|byte| **byte == 0).count();
        rest = rest.get(padding..).unwrap_or_default();
        if rest.is_empty() {
            return true;
        }
        if format != ImageFormat::Jpeg {
            return false;
        }
        // The size before a film's mark may begin with zeros.
        if rest.windows(4).take(5).any(|mark| mark == b"ftyp") || rest.ends_with(b"SEFT") {
            return true;
        }
        match jpeg(rest).filter(|_| rest.starts_with(&[0xff, 0xd8, 0xff])) {
            Some(end) => rest = rest.get(end..).unwrap_or_default(),
            None => return false,
        }
    }
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn png(bytes: &[u8]) -> Option<usize> {
    let mut at = 8;
    loop {
        let length = usize::try_from(u32::from_be_bytes(number(bytes, at)?)).ok()?;
        let kind: [u8; 4] = number(bytes, at + 4)?;
        at = at.checked_add(12)?.checked_add(length)?;
        if at > bytes.len() {
            return None;
        }
        if &kind == b"IEND" {
            return Some(at);
        }
    }
}

/// A complete PNG with the chunks alone that its pixels need, and the one that may turn it.
/// Profiles and texts are compressed: small in the file, large in memory.
pub fn lean_png(bytes: &[u8]) -> Vec<u8> {
    let mut lean = bytes.get(..8).unwrap_or_default().to_vec();
    let mut at = 8;
    while let Some((length, kind)) = number::<4>(bytes, at).zip(number::<4>(bytes, at + 4)) {
        let end = at
            .saturating_add(12)
            .saturating_add(usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX));
        let Some(chunk) = bytes.get(at..end) else {
            break;
        };
        if matches!(
            &kind,
            b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" | b"IEND" | b"eXIf"
        ) {
            lean.extend_from_slice(chunk);
        }
        at = end;
    }
    lean
}

fn jpeg(bytes: &[u8]) -> Option<usize> {
    let mut at = 2;
    loop {
        let [mark, kind] = number(bytes, at)?;
        match (mark, kind) {
            (0xff, 0xd9) => return Some(at + 2),
            // Padding before a marker.
            (0xff, 0xff) => at += 1,
            // Restarts and stuffed bytes of the scan, and markers without a length.
            (0xff, 0x00 | 0x01 | 0xd0..=0xd7) => at += 2,
            (0xff, _) => at += 2 + usize::from(u16::from_be_bytes(number(bytes, at + 2)?)),
            // Data of a scan, up to the next marker.
            _ => at += bytes.get(at..)?.iter().position(|byte| *byte == 0xff)?,
        }
    }
}

fn gif(bytes: &[u8]) -> Option<usize> {
    let table = |flags: u8| {
        if flags & 0x80 == 0 {
            0
        } else {
            3 << ((flags & 7) + 1)
        }
    };
    let mut at = 13 + table(*bytes.get(10)?);
    loop {
        match bytes.get(at)? {
            0x3b => return Some(at + 1),
            0x21 => at = blocks(bytes, at + 2)?,
            0x2c => at = blocks(bytes, at + 11 + table(*bytes.get(at + 9)?))?,
            _ => return None,
        }
    }
}

/// The end of a row of data blocks.
fn blocks(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += 1 + length;
        if length == 0 {
            return Some(at);
        }
    }
}

fn webp(bytes: &[u8]) -> Option<usize> {
    let length = usize::try_from(u32::from_le_bytes(number(bytes, 4)?)).ok()?;
    let end = length.checked_add(8)?;
    (end <= bytes.len()).then_some(end)
}
