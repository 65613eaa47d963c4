//! What several tests need: random values and a plain way through the index.

use interlingua::json::{Index, KeySet, Kind, ParseError, Value};

/// A small deterministic generator (xorshift), so that a failure repeats.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// A random JSON text. Keys are partly of `KEYS`, strings hold what is hard
/// about strings, and whitespace stands where it may.
pub fn text(random: &mut Random, depth: usize) -> String {
    let mut out = String::new();
    write(random, depth, &mut out);
    out
}

pub const KEYS: [&str; 8] = [
    "type",
    "id",
    "message",
    "content",
    "exactly8",
    "sixteen_bytes_16",
    "seventeen_bytes17",
    "a_key_of_more_than_sixteen_bytes",
];

fn write(random: &mut Random, depth: usize, out: &mut String) {
    space(random, out);
    match random.below(if depth == 0 { 6 } else { 10 }) {
        0 => out.push_str(random.pick(&["null", "true", "false"])),
        1 | 2 => out.push_str(random.pick(&["0", "-0", "17", "-3", "1.5", "1e3", "2.5E-3", "98765"])),
        3..=5 => string(random, out),
        6 | 7 => {
            out.push('[');
            for place in 0..random.below(5) {
                if place > 0 {
                    out.push(',');
                }
                write(random, depth - 1, out);
            }
            out.push(']');
        }
        _ => {
            out.push('{');
            for place in 0..random.below(6) {
                if place > 0 {
                    out.push(',');
                }
                space(random, out);
                if random.below(3) == 0 {
                    string(random, out);
                } else {
                    out.push('"');
                    out.push_str(random.pick(&KEYS));
                    out.push('"');
                }
                space(random, out);
                out.push(':');
                write(random, depth - 1, out);
            }
            out.push('}');
        }
    }
    space(random, out);
}

fn space(random: &mut Random, out: &mut String) {
    if random.below(8) == 0 {
        out.push_str(random.pick(&[" ", "\t", "\n", "\r\n", "   "]));
    }
}

fn string(random: &mut Random, out: &mut String) {
    const PARTS: [&str; 14] = [
        "a",
        "plain text ",
        "0123456789abcdef0123456789abcdef0123456789abcdef",
        "\\n",
        "\\\"",
        "\\\\",
        "\\/",
        "\\u00e9",
        "\\uD83D\\ude00",
        "é",
        "😀",
        "\u{2028}",
        "\\u0000",
        "{[,:]}",
    ];
    out.push('"');
    for _ in 0..random.below(7) {
        out.push_str(random.pick(&PARTS));
    }
    out.push('"');
}

/// Whether a fresh index takes the bytes.
pub fn check(bytes: &[u8]) -> Result<(), ParseError> {
    Index::new().parse(bytes, &KeySet::new(KEYS)).map(|_| ())
}

/// The value as serde_json would have it; the first of duplicate keys counts.
pub fn tree(value: Value<'_>) -> serde_json::Value {
    match value.kind() {
        Kind::Null => serde_json::Value::Null,
        Kind::True | Kind::False => value.as_bool().unwrap().into(),
        Kind::Number => serde_json::from_str(value.raw()).unwrap(),
        Kind::String | Kind::EscapedString => value.as_str().unwrap().into(),
        Kind::Array => value.items().map(tree).collect(),
        Kind::Object => {
            let mut object = serde_json::Map::new();
            for (key, value) in value.entries() {
                object.entry(key).or_insert_with(|| tree(value));
            }
            object.into()
        }
    }
}

/// The message as serde_json reads it, but with the first of duplicate keys.
pub fn expected(bytes: &[u8]) -> serde_json::Result<serde_json::Value> {
    struct FirstWins(serde_json::Value);
    impl<'de> serde::Deserialize<'de> for FirstWins {
        fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            from.deserialize_any(Visitor)
        }
    }
    struct Visitor;
    impl<'de> serde::de::Visitor<'de> for Visitor {
        type Value = FirstWins;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("any value")
        }
        fn visit_unit<E>(self) -> Result<FirstWins, E> {
            Ok(FirstWins(serde_json::Value::Null))
        }
        fn visit_bool<E>(self, value: bool) -> Result<FirstWins, E> {
            Ok(FirstWins(value.into()))
        }
        fn visit_i64<E>(self, value: i64) -> Result<FirstWins, E> {
            Ok(FirstWins(value.into()))
        }
        fn visit_u64<E>(self, value: u64) -> Result<FirstWins, E> {
            Ok(FirstWins(value.into()))
        }
        fn visit_f64<E>(self, value: f64) -> Result<FirstWins, E> {
            Ok(FirstWins(value.into()))
        }
        fn visit_str<E>(self, value: &str) -> Result<FirstWins, E> {
            Ok(FirstWins(value.into()))
        }
        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<FirstWins, A::Error> {
            let mut items = Vec::new();
            while let Some(FirstWins(item)) = seq.next_element()? {
                items.push(item);
            }
            Ok(FirstWins(items.into()))
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<FirstWins, A::Error> {
            let mut object = serde_json::Map::new();
            while let Some((key, FirstWins(value))) = map.next_entry::<String, FirstWins>()? {
                object.entry(key).or_insert(value);
            }
            Ok(FirstWins(object.into()))
        }
    }
    serde_json::from_slice::<FirstWins>(bytes).map(|FirstWins(value)| value)
}
