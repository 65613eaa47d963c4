//! A provider's JSON Schema as something that can be asked questions.
//!
//! [`load`] reads a schema and the declared additions to it (what the real
//! program sends and its published types lack), and gives a [`Schema`]. From
//! there a [`Type`] answers what a checker wants to know: which properties
//! there are, what kinds of value they hold, which values an enum has, which
//! variants a tagged union has. `$ref`, `anyOf`, `oneOf` and `allOf` are seen
//! through everywhere, so that nobody outside this module meets them.
//!
//! ```
//! use interlingua_codegen::schema::load;
//!
//! let schema = load(
//!     r##"{"definitions": {
//!         "Line": {"anyOf": [{"$ref": "#/definitions/Ping"}, {"$ref": "#/definitions/Say"}]},
//!         "Ping": {"type": "object", "properties": {"type": {"const": "ping"}}},
//!         "Say": {"type": "object", "properties": {
//!             "type": {"const": "say"},
//!             "text": {"type": ["string", "null"]}}}}}"##,
//!     "",
//! )?;
//! let line = schema.definition("Line").expect("defined above");
//! assert_eq!(line.property("text").expect("in `Say`").kinds().to_string(), "string or null");
//! let names: Vec<_> = line.variants("type").iter().map(|v| v.tags[0].to_string()).collect();
//! assert_eq!(names, ["ping", "say"]);
//! # Ok::<(), interlingua_codegen::schema::SchemaError>(())
//! ```
//!
//! The steps that prepare a schema for the generation of Rust types are in
//! [`normalise`]; the checker works on the schema as it is published.

mod additions;
mod error;
mod expansion;
mod json;
mod kinds;
#[cfg(feature = "tools")]
pub mod normalise;
mod types;

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use self::json::{Map, Value, unescape};

pub use error::SchemaError;
pub use kinds::Kinds;
pub use types::{Tag, Type, Variant};

/// A loaded schema: one document with a map of named definitions.
#[derive(Debug, Clone)]
pub struct Schema {
    document: Value,
    /// Where a type was too large to be worked out, if one was.
    excess: OnceLock<SchemaError>,
}

/// Reads a schema and applies the declared additions to it.
///
/// `additions` is the text of an additions file, or empty when there are none.
/// Such a file is a list of objects. Each has `why`, the reason in words, and
/// one of these forms:
///
/// - `"define": {NAME: schema, …}`: new definitions. Fails when one exists.
/// - `"at": PLACE, "add": {…}`: puts keywords into the node there. The entries
///   of `properties` join those that exist, elements are appended to arrays.
///   Fails when a property, an element or any other keyword exists already.
/// - `"at": PLACE, "was": OLD, "replace": NEW`: fails unless the node there is
///   exactly `OLD`.
///
/// `PLACE` is a definition's name, or a name followed by a JSON pointer inside
/// that definition (`Result/properties/usage`); `""` is the document itself.
/// A list of places means each of them.
///
/// # Errors
///
/// When either text is not JSON, when the schema has no definitions, when an
/// addition does not apply (any more), and when a `$ref` points nowhere.
pub fn load(schema: &str, additions: &str) -> Result<Schema, SchemaError> {
    let mut document = parse_document(schema)?;
    if !additions.trim().is_empty() {
        let additions = json::parse(additions)
            .map_err(|error| SchemaError::new("the additions", format!("not JSON: {error}")))?;
        additions::apply(&mut document, &additions)?;
    }
    Schema::from_document(document)
}

/// A document with declared additions, whose form [`load`] tells, but not judged any further: a `$ref` may still
/// point to what a later addition defines.
///
/// # Errors
///
/// When an addition does not apply.
#[cfg(feature = "tools")]
pub fn with_additions(
    document: &serde_json::Value,
    additions: &serde_json::Value,
) -> Result<serde_json::Value, SchemaError> {
    let mut changed = parse_document(&document.to_string())?;
    additions::apply(&mut changed, &parse_document(&additions.to_string())?)?;
    Ok(written(&changed))
}

#[cfg(feature = "tools")]
fn written(document: &Value) -> serde_json::Value {
    serde_json::from_str(&document.to_string()).expect("a JSON value is written as JSON")
}

fn parse_document(text: &str) -> Result<Value, SchemaError> {
    if text.trim().is_empty() {
        return Err(SchemaError::new("the schema", "the file is empty"));
    }
    json::parse(text).map_err(|error| SchemaError::new("the schema", format!("not JSON: {error}")))
}

impl Schema {
    /// Takes a document that is already parsed: it has definitions, and no `$ref` points nowhere.
    fn from_document(document: Value) -> Result<Self, SchemaError> {
        let schema = Self { document, excess: OnceLock::new() };
        match schema.definitions() {
            None => {
                return Err(SchemaError::new(
                    "the schema",
                    "there is no `definitions` object, so there is nothing to generate",
                ));
            }
            Some(definitions) if definitions.is_empty() => {
                return Err(SchemaError::new("the schema", "`definitions` is empty"));
            }
            Some(_) => {}
        }
        schema.check_references(&schema.document, &mut String::from("#"))?;
        Ok(schema)
    }

    /// The first type that was too large to be worked out: its unions, or its `$ref` from one to the other, go beyond
    /// what is allowed. What was answered about it is not all of it.
    pub fn excess(&self) -> Option<&SchemaError> {
        self.excess.get()
    }

    /// The whole document, additions included.
    #[cfg(feature = "tools")]
    pub fn document(&self) -> serde_json::Value {
        written(&self.document)
    }

    /// The type of a definition.
    pub fn definition(&self, name: &str) -> Option<Type<'_>> {
        let (name, node) = self.definitions()?.get_key_value(name)?;
        Some(Type::of_definition(self, name, node))
    }

    /// All definitions' names, sorted.
    pub fn definition_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.definitions().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// The type of the document's root.
    pub fn root(&self) -> Type<'_> {
        Type::of_node(self, &self.document)
    }

    fn definitions(&self) -> Option<&Map> {
        self.document.get("definitions").or_else(|| self.document.get("$defs"))?.as_object()
    }

    /// The name and node that a `$ref` means.
    fn resolve(&self, reference: &str) -> Option<(&str, &Value)> {
        // Nearly all references are to a definition whose name is plain.
        let name = reference.strip_prefix("#/definitions/").unwrap_or_default();
        if !name.contains(['/', '~'])
            && let Some((name, node)) = self.definitions().and_then(|all| all.get_key_value(name))
        {
            return Some((name, node));
        }
        let pointer = reference.strip_prefix('#')?;
        let node = self.document.pointer(pointer)?;
        let name = pointer.rsplit('/').next().unwrap_or_default();
        // The name is borrowed from the document, so that it lives as long as
        // the schema and not as long as the reference's text.
        let name =
            self.definitions().and_then(|all| all.get_key_value(&unescape(name))).map_or("", |(key, _)| key);
        Some((name, node))
    }

    fn check_references(&self, node: &Value, place: &mut String) -> Result<(), SchemaError> {
        let length = place.len();
        match node {
            Value::Object(map) => {
                if let Some(Value::String(reference)) = map.get("$ref")
                    && self.resolve(reference).is_none()
                {
                    return Err(SchemaError::new(
                        place.clone(),
                        format!("`$ref` to `{reference}`, which does not exist"),
                    ));
                }
                for (key, value) in map {
                    place.push('/');
                    place.push_str(key);
                    self.check_references(value, place)?;
                    place.truncate(length);
                }
            }
            Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    place.push_str(&format!("/{index}"));
                    self.check_references(value, place)?;
                    place.truncate(length);
                }
            }
            _ => {}
        }
        Ok(())
    }
}
