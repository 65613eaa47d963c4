//! An update of one part of an item, as plain values: the key of the part, and its text.

use std::borrow::Cow;

use crate::json::Value;

/// The native key of a part in its item. A number and its digits are the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum PartKey<'v> {
    Number(u64),
    Name(Cow<'v, str>),
}

impl<'v> PartKey<'v> {
    /// The key that a text means.
    pub(crate) fn of_text(text: Cow<'v, str>) -> Self {
        let digits = text.len() < 19 && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits && (text == "0" || !text.starts_with('0')) => Self::Number(number),
            _ => Self::Name(text),
        }
    }

    pub(crate) fn owned(self) -> PartKey<'static> {
        match self {
            Self::Number(number) => PartKey::Number(number),
            Self::Name(name) => PartKey::Name(Cow::Owned(name.into_owned())),
        }
    }
}

/// A piece of text. A JSON string is decoded only when it is used: a character that two deltas share is decoded with
/// the half that the first one left.
#[derive(Debug, Clone)]
pub(crate) enum Fragment<'v> {
    /// A JSON string of the message.
    Encoded(Value<'v>),
    Decoded(Cow<'v, str>),
}

impl<'v> Fragment<'v> {
    /// The text, with a replacement character for each half of a character.
    pub(crate) fn text(self) -> Cow<'v, str> {
        match self {
            Self::Encoded(string) => string.as_str().unwrap_or_default(),
            Self::Decoded(text) => text,
        }
    }

    /// The text that follows a half character, and the half character at its own end.
    pub(crate) fn decode(self, carry: Option<u16>) -> (String, Option<u16>) {
        let mut text = String::new();
        match self {
            Self::Encoded(string) => {
                text.reserve(string.raw().len());
                let carry = string.decode_with(carry, &mut text);
                (text, carry)
            }
            Self::Decoded(decoded) => {
                if carry.is_some() {
                    text.push(char::REPLACEMENT_CHARACTER);
                }
                text.push_str(&decoded);
                (text, None)
            }
        }
    }
}

/// How a message changes the text of a part.
#[derive(Debug)]
pub(crate) enum TextUpdate<'v> {
    /// Not at all.
    None,
    /// More text, which follows what came before.
    Delta(Fragment<'v>),
    /// All text so far.
    Snapshot(Fragment<'v>),
    /// The final text.
    Whole(Fragment<'v>),
}

impl TextUpdate<'_> {
    /// The text of the update, without a look at what came before.
    pub(crate) fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::None => None,
            Self::Delta(text) | Self::Snapshot(text) | Self::Whole(text) => Some(text.clone().text()),
        }
    }
}

/// How a text compares with the one that is known.
pub(crate) enum Comparison {
    Same,
    /// The text continues from this byte.
    Longer(usize),
    Different,
}

pub(crate) fn compare(known: &str, text: &str) -> Comparison {
    match text.strip_prefix(known) {
        Some("") => Comparison::Same,
        Some(_) => Comparison::Longer(known.len()),
        None => Comparison::Different,
    }
}
