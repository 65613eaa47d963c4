//! The kinds of JSON value that a type allows.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign};

/// A set of JSON value kinds.
///
/// `integer` is a kind of its own: a type that says `number` holds both
/// [`Kinds::INTEGER`] and [`Kinds::NUMBER`], one that says `integer` only the
/// former. A type without any constraint is [`Kinds::ANY`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub struct Kinds(u8);

impl Kinds {
    /// No value at all.
    pub const NONE: Self = Self(0);
    /// A string.
    pub const STRING: Self = Self(1);
    /// A whole number.
    pub const INTEGER: Self = Self(2);
    /// A number that may have a fraction (without the whole ones).
    pub const NUMBER: Self = Self(4);
    /// `true` or `false`.
    pub const BOOLEAN: Self = Self(8);
    /// `null`.
    pub const NULL: Self = Self(16);
    /// An object.
    pub const OBJECT: Self = Self(32);
    /// An array.
    pub const ARRAY: Self = Self(64);
    /// Set beside all others when the schema says nothing at all.
    const UNCONSTRAINED: Self = Self(128);
    /// Anything: the schema does not say.
    pub const ANY: Self = Self(255);

    const NAMES: [(Self, &'static str); 7] = [
        (Self::STRING, "string"),
        (Self::NUMBER, "number"),
        (Self::INTEGER, "integer"),
        (Self::BOOLEAN, "boolean"),
        (Self::OBJECT, "object"),
        (Self::ARRAY, "array"),
        (Self::NULL, "null"),
    ];

    /// True when every kind of `other` is in this set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// True when the two sets share a kind.
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 & !Self::UNCONSTRAINED.0 != 0
    }

    /// True when the schema does not constrain the value.
    pub fn is_any(self) -> bool {
        self.0 & Self::UNCONSTRAINED.0 != 0
    }

    /// True when no value is allowed.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// This set without the kinds of `other`.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The kind that a JSON Schema `type` keyword names.
    pub fn named(name: &str) -> Self {
        match name {
            "string" => Self::STRING,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER | Self::INTEGER,
            "boolean" => Self::BOOLEAN,
            "null" => Self::NULL,
            "object" => Self::OBJECT,
            "array" => Self::ARRAY,
            _ => Self::NONE,
        }
    }
}

impl BitOr for Kinds {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Kinds {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for Kinds {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_any() {
            return f.write_str("anything");
        }
        let mut names: Vec<&str> = Vec::new();
        for (kind, name) in Self::NAMES {
            let implied = kind == Self::INTEGER && self.contains(Self::NUMBER);
            if self.contains(kind) && !implied {
                names.push(name);
            }
        }
        if names.is_empty() {
            return f.write_str("nothing");
        }
        f.write_str(&names.join(" or "))
    }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
