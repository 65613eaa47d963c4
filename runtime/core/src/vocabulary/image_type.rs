//! The media type of a picture that comes without one, told by its first bytes.

use super::base64;
use super::block::{ContentBlock, Image};

/// How much of the base64 text is looked at: the first 12 bytes.
const START: usize = 16;

impl Image {
    /// Its media type: as it was told, or as the first bytes of its data tell it, which PNG, JPEG, GIF and WebP do.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::vocabulary::Image;
    /// assert_eq!(Image::from_base64("R0lGODlhAQABAAAAACw=").media_type(), Some("image/gif"));
    /// assert_eq!(Image::from_base64("aGVsbG8=").media_type(), None);
    /// ```
    #[must_use]
    pub fn media_type(&self) -> Option<&str> {
        self.mime.as_deref().or_else(|| seen(self.data.as_deref()?))
    }
}

fn seen(data: &str) -> Option<&'static str> {
    let bytes = base64::decode(data.get(..START).unwrap_or(data))?;
    match bytes[..] {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P'] => Some("image/webp"),
        _ => None,
    }
}

/// Whether a picture is among the blocks whose media type only its bytes tell.
pub(crate) fn lacks_types(content: &[ContentBlock]) -> bool {
    content.iter().any(|block| match block {
        ContentBlock::Image(image) => image.mime.is_none() && image.media_type().is_some(),
        ContentBlock::ToolResult(result) => lacks_types(&result.content),
        _ => false,
    })
}

/// Gives pictures the media types that their bytes tell.
pub(crate) fn give_types(content: &mut [ContentBlock]) {
    for block in content {
        match block {
            ContentBlock::Image(image) => image.mime = image.media_type().map(str::to_owned),
            ContentBlock::ToolResult(result) => give_types(&mut result.content),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Option<String> {
        Image::from_base64(base64::encode(bytes)).media_type().map(str::to_owned)
    }

    #[test]
    fn the_first_bytes_tell_the_type() {
        assert_eq!(of(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").as_deref(), Some("image/png"));
        assert_eq!(of(b"\xff\xd8\xff\xe0\0\x10JFIF\0").as_deref(), Some("image/jpeg"));
        assert_eq!(of(b"GIF87a\x01\0\x01\0").as_deref(), Some("image/gif"));
        assert_eq!(of(b"RIFF\x1a\0\0\0WEBPVP8L").as_deref(), Some("image/webp"));
        for other in [&b""[..], b"\x89PN", b"RIFF\x1a\0\0\0WAVEfmt ", b"GIF88a", b"<svg xmlns=''/>"] {
            assert_eq!(of(other), None, "{other:?}");
        }
    }

    #[test]
    fn what_was_told_counts_and_what_is_no_base64_tells_nothing() {
        let told =
            Image { mime: Some("image/x-own".to_owned()), ..Image::from_base64("R0lGODlhAQABAAAAACw=") };
        assert_eq!(told.media_type(), Some("image/x-own"));
        for wrong in ["R0lGODlh\u{fc}\u{fc}\u{fc}\u{fc}\u{fc}", "R0lGODl", "%%%%%%%%%%%%%%%%"] {
            assert_eq!(Image::from_base64(wrong).media_type(), None, "{wrong}");
        }
    }
}
