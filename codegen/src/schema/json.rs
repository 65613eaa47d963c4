//! JSON values, as far as a schema needs them.
//!
//! The compiler of maps runs while a library is built. A parser of its own, which only has to be right, spares
//! everyone who builds that library the time to compile another one for the build alone.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

/// An object's members by their name.
pub(super) type Map = BTreeMap<String, Value>;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    String(String),
    Array(Vec<Value>),
    Object(Map),
}

impl Value {
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        self.as_object_mut()?.get_mut(key)
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_array(&self) -> Option<&Vec<Self>> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    pub(super) fn as_object(&self) -> Option<&Map> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(super) fn as_object_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// What a JSON pointer (RFC 6901) leads to.
    pub(super) fn pointer(&self, pointer: &str) -> Option<&Self> {
        tokens(pointer)?.try_fold(self, |value, token| match value {
            Self::Object(members) => members.get(&token),
            Self::Array(elements) => elements.get(place(&token)?),
            _ => None,
        })
    }

    /// The same, to be changed.
    pub(super) fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        tokens(pointer)?.try_fold(self, |value, token| match value {
            Self::Object(members) => members.get_mut(&token),
            Self::Array(elements) => elements.get_mut(place(&token)?),
            _ => None,
        })
    }
}

/// The tokens of a JSON pointer: none for the empty one, which is the document itself.
fn tokens(pointer: &str) -> Option<impl Iterator<Item = String>> {
    let rest = if pointer.is_empty() { None } else { Some(pointer.strip_prefix('/')?) };
    Some(rest.into_iter().flat_map(|rest| rest.split('/')).map(unescape))
}

/// Undoes JSON Pointer escapes in one token.
pub(super) fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// A place in an array, which is written without leading zeros.
fn place(token: &str) -> Option<usize> {
    if token.starts_with('+') || (token.starts_with('0') && token.len() > 1) {
        None
    } else {
        token.parse().ok()
    }
}

/// On one line, without spaces.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(truth) => write!(f, "{truth}"),
            Self::Number(number) => f.write_str(number),
            Self::String(text) => quote(text, f),
            Self::Array(elements) => {
                for (place, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", if place == 0 { '[' } else { ',' })?;
                }
                f.write_str(if elements.is_empty() { "[]" } else { "]" })
            }
            Self::Object(members) => {
                for (place, (name, value)) in members.iter().enumerate() {
                    f.write_char(if place == 0 { '{' } else { ',' })?;
                    quote(name, f)?;
                    write!(f, ":{value}")?;
                }
                f.write_str(if members.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

fn quote(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            '\0'..' ' => write!(f, "\\u{:04x}", u32::from(character))?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('"')
}

/// How deep arrays and objects may be nested.
const DEPTH: usize = 128;

/// Reads a JSON text; of a repeated key the last one counts.
///
/// # Errors
/// What is wrong, and on which line and column.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0).and_then(|value| match reader.token() {
        None => Ok(value),
        Some(_) => Err("nothing more after the value"),
    });
    value.map_err(|wanted| {
        let before = text.get(..reader.at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
        match reader.peek() {
            None => format!("it ends at line {line} column {column}, where {wanted} should follow"),
            Some(_) => format!("expected {wanted} at line {line} column {column}"),
        }
    })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

/// What was read, or what should have stood there.
type Read<T> = Result<T, &'static str>;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is not a space, which is not taken.
    fn token(&mut self) -> Option<u8> {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.peek()
    }

    fn take(&mut self, byte: u8, wanted: &'static str) -> Read<()> {
        if self.token() != Some(byte) {
            return Err(wanted);
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Read<Value> {
        if depth > DEPTH {
            return Err("at most 128 levels of arrays and objects");
        }
        match self.token() {
            Some(b'"') => self.string().map(Value::String),
            Some(b'{') => {
                let mut members = Map::new();
                self.list(b'}', "`,` or `}`", |reader| {
                    if reader.token() != Some(b'"') {
                        return Err("a key");
                    }
                    let name = reader.string()?;
                    reader.take(b':', "`:`")?;
                    members.insert(name, reader.value(depth + 1)?);
                    Ok(())
                })?;
                Ok(Value::Object(members))
            }
            Some(b'[') => {
                let mut elements = Vec::new();
                self.list(b']', "`,` or `]`", |reader| {
                    elements.push(reader.value(depth + 1)?);
                    Ok(())
                })?;
                Ok(Value::Array(elements))
            }
            _ => self.word(),
        }
    }

    /// What stands between two brackets, with commas between.
    fn list(
        &mut self,
        end: u8,
        wanted: &'static str,
        mut each: impl FnMut(&mut Self) -> Read<()>,
    ) -> Read<()> {
        self.at += 1;
        if self.token() == Some(end) {
            self.at += 1;
            return Ok(());
        }
        loop {
            each(self)?;
            match self.token() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == end => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(wanted),
            }
        }
    }

    /// A number, a boolean or `null`.
    fn word(&mut self) -> Read<Value> {
        let rest = &self.text[self.at..];
        let ends = |character: char| !(character.is_ascii_alphanumeric() || "+-.".contains(character));
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let value = match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            number if is_number(number) => Value::Number(number.to_owned()),
            _ => return Err("a value"),
        };
        self.at += word.len();
        Ok(value)
    }

    fn string(&mut self) -> Read<String> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|character| matches!(character, '"' | '\\' | '\0'..' ')).ok_or("`\"`")?;
            string.push_str(&rest[..plain]);
            self.at += plain + 1;
            match rest.as_bytes()[plain] {
                b'"' => return Ok(string),
                b'\\' => string.push(self.escape()?),
                _ => return Err("an escape instead of a control character"),
            }
        }
    }

    /// The character of an escape whose backslash was taken.
    fn escape(&mut self) -> Read<char> {
        let letter = self.peek().ok_or("an escape")?;
        self.at += 1;
        Ok(match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let mut units = vec![self.unit()?];
                if (0xd800..0xdc00).contains(&units[0]) && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    units.push(self.unit()?);
                }
                let mut characters = char::decode_utf16(units);
                match (characters.next(), characters.next()) {
                    (Some(Ok(character)), None) => character,
                    _ => return Err("a whole character"),
                }
            }
            _ => return Err("an escape"),
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Read<u16> {
        let digits = self.text.get(self.at..self.at + 4).ok_or("four digits")?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err("four digits");
        }
        self.at += 4;
        u16::from_str_radix(digits, 16).map_err(|_| "four digits")
    }
}

/// Whether a word is a number of JSON's grammar.
fn is_number(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What another parser makes of a text.
    fn expected(text: &str) -> Option<String> {
        serde_json::from_str::<serde_json::Value>(text).ok().map(|value| value.to_string())
    }

    #[test]
    fn texts_are_read_and_written_as_elsewhere() {
        for text in [
            r#" {"b": [1, -2, 30, true, false, null, {}, []], "a": "\"\\\/\b\f\n\r\té\u00e9\ud83d\ude00\u0001"} "#,
            "\"plain\"",
            "0",
            "{\"a\":1,\"a\":2}",
        ] {
            let read = parse(text).map(|value| value.to_string());
            assert_eq!(read.as_ref().ok(), expected(text).as_ref(), "{text}: {read:?}");
        }
    }

    #[test]
    fn what_is_no_json_is_refused_at_its_place() {
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\" 1}",
            "{a:1}",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "nul",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"\\u12g4\"",
            "\"a\nb\"",
            "\"open",
            "1 2",
            "[1}",
            "{\"a\":1,}",
            "--1",
        ] {
            assert!(parse(text).is_err() && expected(text).is_none(), "{text}");
        }
        assert_eq!(parse("{\n  \"a\" 1}").unwrap_err(), "expected `:` at line 2 column 7");
        assert_eq!(parse("{\"a\"").unwrap_err(), "it ends at line 1 column 5, where `:` should follow");
        assert_eq!(
            parse(&"[".repeat(100_000)).unwrap_err(),
            "expected at most 128 levels of arrays and objects at line 1 column 130"
        );
    }

    #[test]
    fn pointers_lead_to_members_and_elements() {
        let value = parse(r#"{"a/b": [{"c~": 1}, 2]}"#).unwrap();
        assert_eq!(value.pointer("/a~1b/0/c~0"), Some(&Value::Number("1".to_owned())));
        assert_eq!(value.pointer(""), Some(&value));
        for nowhere in ["/a~1b/00", "/a~1b/2", "/a", "a~1b", "/a~1b/1/x"] {
            assert_eq!(value.pointer(nowhere), None, "{nowhere}");
        }
    }
}
