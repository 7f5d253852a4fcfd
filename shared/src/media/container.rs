//! Checks of an image file before it is decoded: whether it is complete, and which parts would only
//! use memory.

use image::ImageFormat;

/// Returns the file in the form that is decoded; none if it is incomplete.
pub fn prepared(format: ImageFormat, bytes: &[u8]) -> Option<Vec<u8>> {
    match format {
        ImageFormat::Png => lean_png(bytes),
        ImageFormat::Jpeg => is_complete_jpeg(bytes).then(|| bytes.to_vec()),
        // The decoders of the other formats report an early end themselves.
        _ => Some(bytes.to_vec()),
    }
}

/// Returns whether a JPEG has its end marker; the decoder would paint missing parts gray. Previews
/// are inside of segments before the picture. Phones put other things behind it, such as a video.
fn is_complete_jpeg(bytes: &[u8]) -> bool {
    let mut at: usize = 2;
    loop {
        match bytes.get(at..) {
            // Markers may be filled up.
            Some([0xff, 0xff, ..]) => at += 1,
            Some([0xff, 0xda, picture @ ..]) => {
                return picture.windows(2).any(|pair| pair == [0xff, 0xd9]);
            }
            Some([0xff, _, high, low, ..]) => {
                at += 2 + usize::from(u16::from_be_bytes([*high, *low]));
            }
            _ => return false,
        }
    }
}

/// Returns a PNG with only the chunks that its pixels need, and the chunk that contains its
/// orientation. Profiles and texts are removed: they are compressed, so they can be small in the
/// file and large in memory.
fn lean_png(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut lean = bytes.get(..8)?.to_vec();
    let mut at: usize = 8;
    loop {
        let head: [u8; 8] = bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
        let [l0, l1, l2, l3, kind @ ..] = head;
        let length = usize::try_from(u32::from_be_bytes([l0, l1, l2, l3])).ok()?;
        let end = at.checked_add(12)?.checked_add(length)?;
        let chunk = bytes.get(at..end)?;
        if matches!(
            &kind,
            b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" | b"IEND" | b"eXIf"
        ) {
            lean.extend_from_slice(chunk);
        }
        if &kind == b"IEND" {
            return Some(lean);
        }
        at = end;
    }
}
