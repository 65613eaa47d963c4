//! Reading and writing the fields of generated objects.
//!
//! A derive would repeat this for each of thousands of fields; a call per
//! field keeps the modules quick to compile.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

/// The fields of an object that is being read.
pub struct Fields {
    object: &'static str,
    entries: Map<String, Value>,
}

impl Fields {
    /// Reads all fields.
    ///
    /// # Errors
    ///
    /// When the value is no object.
    pub fn read<'de, D: Deserializer<'de>>(deserializer: D, object: &'static str) -> Result<Self, D::Error> {
        let entries = <Map<String, Value> as serde::Deserialize>::deserialize(deserializer)?;
        Ok(Self { object, entries })
    }

    /// A field that must be there.
    ///
    /// # Errors
    ///
    /// When it is not, or is of another type.
    pub fn required<T: DeserializeOwned, E: Error>(&mut self, key: &str) -> Result<T, E> {
        match self.optional(key)? {
            Some(value) => Ok(value),
            None => Err(E::custom(format_args!("{}: `{key}` is missing", self.object))),
        }
    }

    /// A field that may be absent or null.
    ///
    /// # Errors
    ///
    /// When it is of another type.
    pub fn optional<T: DeserializeOwned, E: Error>(&mut self, key: &str) -> Result<Option<T>, E> {
        match self.entries.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match serde_json::from_value(value) {
                Ok(value) => Ok(Some(value)),
                Err(error) => Err(E::custom(format_args!("{}.{key}: {error}", self.object))),
            },
        }
    }

    /// All fields that have not been taken.
    ///
    /// # Errors
    ///
    /// When one is of another type.
    pub fn rest<T: DeserializeOwned, E: Error>(&mut self) -> Result<BTreeMap<String, T>, E> {
        let mut rest = BTreeMap::new();
        for (key, value) in std::mem::take(&mut self.entries) {
            let value = serde_json::from_value(value)
                .map_err(|error| E::custom(format_args!("{}.{key}: {error}", self.object)))?;
            rest.insert(key, value);
        }
        Ok(rest)
    }
}

/// The fields of an object that is being written.
pub struct Entries<S: Serializer> {
    map: S::SerializeMap,
}

impl<S: Serializer> Entries<S> {
    /// Begins the object.
    ///
    /// # Errors
    ///
    /// What the serializer fails with; so it is for all that follow.
    pub fn write(serializer: S) -> Result<Self, S::Error> {
        Ok(Self { map: serializer.serialize_map(None)? })
    }

    /// Writes a field.
    ///
    /// # Errors
    ///
    /// As [`Entries::write`].
    pub fn put<T: Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), S::Error> {
        self.map.serialize_entry(key, value)
    }

    /// Writes a field if it has a value.
    ///
    /// # Errors
    ///
    /// As [`Entries::write`].
    pub fn put_some<T: Serialize>(&mut self, key: &'static str, value: Option<&T>) -> Result<(), S::Error> {
        match value {
            Some(value) => self.map.serialize_entry(key, value),
            None => Ok(()),
        }
    }

    /// Writes all fields of a map.
    ///
    /// # Errors
    ///
    /// As [`Entries::write`].
    pub fn put_all<T: Serialize>(&mut self, values: &BTreeMap<String, T>) -> Result<(), S::Error> {
        values.iter().try_for_each(|(key, value)| self.map.serialize_entry(key, value))
    }

    /// Ends the object.
    ///
    /// # Errors
    ///
    /// As [`Entries::write`].
    pub fn end(self) -> Result<S::Ok, S::Error> {
        self.map.end()
    }
}
