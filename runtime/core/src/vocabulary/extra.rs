//! Members that this build does not know, kept beside the typed value.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::json::Json;

/// What was read of an event and has no place in its fields: members from a newer vocabulary, at any depth. They are
/// kept as they were written, and written again at the end of the object that they came from.
///
/// Empty for every event that a translation makes.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::{Event, EventBody};
/// let json = concat!(
///     r#"{"event_id":"s1:4","sequence":4,"session_id":"s1","agent_path":[],"origin":"agent","#,
///     r#""type":"turn.started","data":{"turn_id":"t1","priority":"high"}}"#,
/// );
/// let event: Event = serde_json::from_str(json)?;
/// assert!(matches!(&event.body, EventBody::TurnStarted(turn) if turn.turn_id == "t1"));
/// assert_eq!(event.extra.get("/data/priority").map(|value| value.get()), Some(r#""high""#));
/// assert_eq!(serde_json::to_string(&event)?, json);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extra(Option<Box<Node>>);

/// One object or array: the members that its type does not know, and what lies inside of those that it knows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Node {
    members: BTreeMap<String, Json>,
    /// By the member's name, or by the element's place in decimal digits.
    inside: BTreeMap<String, Node>,
}

impl Extra {
    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The member at a place in the event, given as a JSON Pointer such as `/data/item/priority`. It finds the members
    /// themselves, not what lies inside of them.
    #[must_use]
    pub fn get(&self, pointer: &str) -> Option<&Json> {
        let mut steps =
            pointer.strip_prefix('/')?.split('/').map(|step| step.replace("~1", "/").replace("~0", "~"));
        let last = steps.next_back()?;
        let mut node = self.0.as_deref()?;
        for step in steps {
            node = node.inside.get(&step)?;
        }
        node.members.get(&last)
    }

    /// What the text that was read says beyond the text that the typed value writes.
    pub(super) fn beyond(read: &str, written: &str) -> Self {
        Self(Node::beyond(read, written).map(Box::new))
    }

    /// Puts the members into the text that the typed value writes.
    pub(super) fn write_into(&self, written: &str, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        match &self.0 {
            Some(node) => node.write_into(written, out),
            None => {
                out.extend_from_slice(written.as_bytes());
                Ok(())
            }
        }
    }
}

impl Node {
    /// It goes only as deep as both texts have the same shape and differ, which native JSON never does: it is written
    /// as it was read.
    fn beyond(read: &str, written: &str) -> Option<Self> {
        if read == written {
            return None;
        }
        let mut node = Self::default();
        match Shape::of(written)? {
            Shape::Object(known) => {
                let Some(Shape::Object(read)) = Shape::of(read) else { return None };
                let known: HashMap<Cow<'_, str>, &RawValue> = known.into_iter().collect();
                for (name, value) in read {
                    match known.get(&name) {
                        Some(known) => node.look_inside(&name, value, known),
                        None => {
                            node.members.entry(name.into_owned()).or_insert_with(|| Json::from(value));
                        }
                    }
                }
            }
            Shape::Array(known) => {
                let Some(Shape::Array(read)) = Shape::of(read) else { return None };
                if read.len() == known.len() {
                    for (place, (read, known)) in read.into_iter().zip(known).enumerate() {
                        node.look_inside(&place.to_string(), read, known);
                    }
                }
            }
        }
        (!node.members.is_empty() || !node.inside.is_empty()).then_some(node)
    }

    fn look_inside(&mut self, name: &str, read: &RawValue, written: &RawValue) {
        if let Some(node) = Self::beyond(read.get(), written.get()) {
            self.inside.insert(name.to_owned(), node);
        }
    }

    fn write_into(&self, written: &str, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        match Shape::of(written) {
            Some(Shape::Object(known)) => {
                out.push(b'{');
                for (name, value) in &known {
                    begin_member(out, name)?;
                    self.write_inside(name, value, out)?;
                }
                for (name, value) in &self.members {
                    // The field may have been set after reading.
                    if !known.iter().any(|(known, _)| known == name) {
                        begin_member(out, name)?;
                        out.extend_from_slice(value.get().as_bytes());
                    }
                }
                out.push(b'}');
            }
            Some(Shape::Array(known)) => {
                out.push(b'[');
                for (place, value) in known.iter().enumerate() {
                    if place > 0 {
                        out.push(b',');
                    }
                    self.write_inside(&place.to_string(), value, out)?;
                }
                out.push(b']');
            }
            None => out.extend_from_slice(written.as_bytes()),
        }
        Ok(())
    }

    fn write_inside(
        &self,
        name: &str,
        written: &RawValue,
        out: &mut Vec<u8>,
    ) -> Result<(), serde_json::Error> {
        match self.inside.get(name) {
            Some(node) => node.write_into(written.get(), out),
            None => {
                out.extend_from_slice(written.get().as_bytes());
                Ok(())
            }
        }
    }
}

/// Writes a member's name, after a comma unless it is the object's first.
fn begin_member(out: &mut Vec<u8>, name: &str) -> Result<(), serde_json::Error> {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    serde_json::to_writer(&mut *out, name)?;
    out.push(b':');
    Ok(())
}

/// The parts of an object or array, as text.
enum Shape<'a> {
    Object(Vec<(Cow<'a, str>, &'a RawValue)>),
    Array(Vec<&'a RawValue>),
}

impl<'a> Shape<'a> {
    fn of(text: &'a str) -> Option<Self> {
        match text.trim_start().as_bytes().first()? {
            b'{' => serde_json::from_str(text).ok().map(|Members(members)| Self::Object(members)),
            b'[' => serde_json::from_str(text).ok().map(Self::Array),
            _ => None,
        }
    }
}

/// An object's members in their order.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(Reader).map(Self)
    }
}
