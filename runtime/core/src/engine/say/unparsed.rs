//! Messages, and parts of messages, that cannot be translated.

use std::fmt::Write as _;

use hmac_sha256::Hash as Sha256;

use crate::vocabulary::{Json, Unparsed};

/// How many bytes of a message its excerpt shows at most.
const EXCERPT: usize = 512;

/// Describes bytes that could not be translated; `json` is their text when they are valid JSON.
pub(crate) fn unparsed(
    error: impl Into<String>,
    location: Option<String>,
    bytes: &[u8],
    sha256: Option<[u8; 32]>,
    json: Option<&str>,
) -> Unparsed {
    let digest = sha256.unwrap_or_else(|| Sha256::hash(bytes));
    Unparsed {
        error: error.into(),
        location: location.filter(|location| !location.is_empty()),
        excerpt: excerpt(bytes),
        sha256: hexadecimal(&digest),
        value: json.and_then(|json| Json::parse(json.to_owned()).ok()),
    }
}

/// The first bytes, as text, without a character that is cut by the bound.
fn excerpt(bytes: &[u8]) -> String {
    let mut end = bytes.len().min(EXCERPT);
    if end < bytes.len() {
        // A character has at most three continuation bytes.
        for _ in 0..3 {
            if end > 0 && bytes[end] & 0xc0 == 0x80 {
                end -= 1;
            }
        }
    }
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn hexadecimal(digest: &[u8; 32]) -> String {
    let mut text = String::with_capacity(64);
    for byte in digest {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_ends_at_a_character() {
        let text = format!("{}é and more than fits in the excerpt", "x".repeat(EXCERPT - 1));
        let found = unparsed("e", None, text.as_bytes(), None, None);
        assert_eq!(found.excerpt, "x".repeat(EXCERPT - 1));
    }

    #[test]
    fn the_hash_is_that_of_the_whole_message() {
        let found = unparsed("e", None, b"abc", None, None);
        assert_eq!(found.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
