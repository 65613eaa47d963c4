//! Reading and writing the fields of generated objects.
//!
//! A derive would repeat this for each of thousands of fields; a call per
//! field keeps the modules quick to compile. So does that a fault is kept here
//! until the end: a call after which nothing can go another way is checked in
//! half the time.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

/// The fields of an object that is being read.
pub struct Fields {
    object: &'static str,
    entries: Map<String, Value>,
    /// The first thing that was wrong.
    fault: Option<String>,
}

impl Fields {
    /// Reads all fields.
    ///
    /// # Errors
    ///
    /// When the value is no object.
    pub fn read<'de, D: Deserializer<'de>>(deserializer: D, object: &'static str) -> Result<Self, D::Error> {
        let entries = <Map<String, Value> as serde::Deserialize>::deserialize(deserializer)?;
        Ok(Self { object, entries, fault: None })
    }

    /// A field that must be there.
    ///
    /// # Errors
    ///
    /// When it is not, or is of another type.
    pub fn required<T: DeserializeOwned, E: Error>(&mut self, key: &str) -> Result<T, E> {
        let mut field = None;
        self.take(key, &mut field);
        match (field, &self.fault) {
            (Some(value), _) => Ok(value),
            (None, Some(fault)) => Err(E::custom(fault)),
            (None, None) => Err(E::custom(format_args!("{}: `{key}` is missing", self.object))),
        }
    }

    /// Reads a field that may be absent or null. One of another type fails at
    /// the [end](Self::end).
    pub fn take<T: DeserializeOwned>(&mut self, key: &str, field: &mut Option<T>) {
        match self.entries.remove(key) {
            None | Some(Value::Null) => {}
            Some(value) => *field = self.value(key, value),
        }
    }

    /// Reads all fields that have not been taken. One of another type fails at
    /// the [end](Self::end).
    pub fn take_rest<T: DeserializeOwned>(&mut self, rest: &mut BTreeMap<String, T>) {
        for (key, value) in std::mem::take(&mut self.entries) {
            if let Some(value) = self.value(&key, value) {
                rest.insert(key, value);
            }
        }
    }

    /// Gives the object back when all its fields could be read.
    ///
    /// # Errors
    ///
    /// When a field was of another type; the first of them is named.
    pub fn end<T, E: Error>(self, object: T) -> Result<T, E> {
        match self.fault {
            None => Ok(object),
            Some(fault) => Err(E::custom(fault)),
        }
    }

    fn value<T: DeserializeOwned>(&mut self, key: &str, value: Value) -> Option<T> {
        if self.fault.is_some() {
            return None;
        }
        match serde_json::from_value(value) {
            Ok(value) => Some(value),
            Err(error) => {
                self.fault = Some(format!("{}.{key}: {error}", self.object));
                None
            }
        }
    }
}

/// The fields of an object that is being written.
pub struct Entries<S: Serializer> {
    map: S::SerializeMap,
    /// What the serializer failed with; nothing is written after that.
    fault: Option<S::Error>,
}

impl<S: Serializer> Entries<S> {
    /// Begins the object.
    ///
    /// # Errors
    ///
    /// What the serializer fails with.
    pub fn write(serializer: S) -> Result<Self, S::Error> {
        Ok(Self { map: serializer.serialize_map(None)?, fault: None })
    }

    /// Writes a field.
    pub fn put<T: Serialize>(&mut self, key: &str, value: &T) {
        if self.fault.is_none() {
            self.fault = self.map.serialize_entry(key, value).err();
        }
    }

    /// Writes a field if it has a value.
    pub fn put_some<T: Serialize>(&mut self, key: &str, value: &Option<T>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    /// Writes all fields of a map.
    pub fn put_all<T: Serialize>(&mut self, values: &BTreeMap<String, T>) {
        values.iter().for_each(|(key, value)| self.put(key, value));
    }

    /// Ends the object.
    ///
    /// # Errors
    ///
    /// What the serializer failed with, now or before.
    pub fn end(self) -> Result<S::Ok, S::Error> {
        match self.fault {
            None => self.map.end(),
            Some(fault) => Err(fault),
        }
    }
}
