//! Collecting what goes wrong, and holding it against the exceptions.

use std::collections::HashMap;
use std::path::Path;

use interlingua_codegen::schema::{Schema, Tag, Type};
use interlingua_types::{Table, Tagged};
use serde::Deserialize;
use serde_json::Value;

use crate::compare::losses;
use crate::{lines, read, repository, schema_of};

/// A file of exceptions, `tests/exceptions/<provider>/<Definition>.json`,
/// holds a list of these.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// Where: `<version>/<scenario>/<file>:<line>`; a `*` at its end stands
    /// for anything.
    at: String,
    /// A part of the fault's text.
    fault: String,
    /// Why this is right.
    #[allow(dead_code, reason = "the reason is for people")]
    why: String,
    #[serde(skip)]
    definition: String,
    #[serde(skip)]
    used: bool,
}

/// What one provider's recordings showed.
pub struct Report {
    pub provider: &'static str,
    /// Lives as long as the test, so that looked-up types can be kept.
    pub schema: &'static Schema,
    exceptions: Vec<Exception>,
    faults: Vec<String>,
    messages: usize,
    /// The tags of each union's variants, looked up once.
    variants: HashMap<String, Vec<Vec<Tag>>>,
    /// The definitions' types, looked up once.
    types: HashMap<String, Type<'static>>,
}

impl Report {
    pub fn new(provider: &'static str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exceptions").join(provider);
        let mut exceptions = Vec::new();
        let mut files: Vec<_> =
            std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.sort();
        for file in files {
            let mut list: Vec<Exception> = serde_json::from_str(&read(&file))
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let definition =
                file.file_stem().and_then(|stem| stem.to_str()).expect("a file with a name").to_owned();
            list.iter_mut().for_each(|exception| exception.definition.clone_from(&definition));
            exceptions.append(&mut list);
        }
        Self {
            provider,
            schema: Box::leak(Box::new(schema_of(provider))),
            exceptions,
            faults: Vec::new(),
            messages: 0,
            variants: HashMap::new(),
            types: HashMap::new(),
        }
    }

    /// One place in a recording, as exceptions and faults name it.
    pub fn place(&self, recording: &Path, file: &str, line: usize) -> String {
        let base = repository().join("resources/captures").join(self.provider);
        format!("{}/{file}:{line}", recording.strip_prefix(base).unwrap_or(recording).display())
    }

    /// Checks a message of a tagged union.
    pub fn message<T: Tagged>(&mut self, definition: &str, place: &str, message: &Value) {
        self.messages += 1;
        let text = message.to_string();
        let decoded: T = match interlingua_types::decode(text.as_bytes()) {
            Ok(decoded) => decoded,
            Err(error) => return self.fault(definition, place, &error.to_string()),
        };
        if let Err(fault) = self.named_by_tags(definition, message, &decoded) {
            self.fault(definition, place, &fault);
        }
        let encoded = serde_json::to_value(&decoded).expect("encodes");
        self.compare(definition, place, message, &encoded);
    }

    /// Checks lines that no recording has: dialects of programs that are gone,
    /// in `tests/lines/<provider>/<Definition>.jsonl`.
    pub fn further_lines<T: Tagged>(&mut self, definition: &str) {
        let file = format!("tests/lines/{}/{definition}.jsonl", self.provider);
        let found = lines(&Path::new(env!("CARGO_MANIFEST_DIR")).join(&file));
        assert!(!found.is_empty(), "{file} has no lines");
        for (line, message) in found {
            self.message::<T>(definition, &format!("{file}:{line}"), &message);
        }
    }

    /// Checks a message that is of one type.
    pub fn single<T: serde::Serialize + serde::de::DeserializeOwned>(
        &mut self,
        definition: &str,
        place: &str,
        message: &Value,
    ) {
        self.messages += 1;
        match serde_json::from_value::<T>(message.clone()) {
            Ok(decoded) => {
                let encoded = serde_json::to_value(&decoded).expect("encodes");
                self.compare(definition, place, message, &encoded);
            }
            Err(error) => self.fault(definition, place, &error.to_string()),
        }
    }

    /// Checks an answer whose type its key decides.
    pub fn answer<T: Table>(&mut self, table: &str, key: &str, place: &str, answer: &Value) {
        self.messages += 1;
        let decoded = match T::read(key, answer.clone()) {
            Ok(decoded) => decoded,
            Err(error) => return self.fault(table, place, &error.to_string()),
        };
        let encoded = decoded.write().expect("encodes");
        let entry = self.schema.definition(table).and_then(|table| table.property(key));
        let Some(ty) = entry else {
            return self.fault(table, place, &format!("the schema has no entry for {key}"));
        };
        for loss in losses(answer, &encoded, &ty) {
            self.fault(table, place, &format!("{key}: {loss}"));
        }
    }

    fn compare(&mut self, definition: &str, place: &str, before: &Value, after: &Value) {
        if !self.types.contains_key(definition)
            && let Some(ty) = self.schema.definition(definition)
        {
            self.types.insert(definition.to_owned(), ty);
        }
        let found = match self.types.get(definition) {
            Some(ty) => losses(before, after, ty),
            None => vec!["the schema does not have this definition".to_owned()],
        };
        for loss in found {
            self.fault(definition, place, &loss);
        }
    }

    /// The schema has a variant with these tags, and the message became the
    /// variant that they name.
    fn named_by_tags<T: Tagged>(
        &mut self,
        definition: &str,
        message: &Value,
        decoded: &T,
    ) -> Result<(), String> {
        let texts: Vec<Option<&str>> =
            T::BY.iter().map(|tag| message.get(tag).and_then(Value::as_str)).collect();
        if !self.variants.contains_key(definition) {
            let union =
                self.schema.definition(definition).ok_or("the schema does not have this definition")?;
            let tags = union.variants_by(T::BY).into_iter().map(|variant| variant.tags).collect();
            self.variants.insert(definition.to_owned(), tags);
        }
        let untagged = texts.iter().all(Option::is_none);
        let in_schema = (untagged && self.may_lack_tags(definition, T::BY))
            || self.variants[definition].iter().any(|tags| {
                tags.iter().zip(&texts).all(|(tag, text)| match tag {
                    Tag::Value(value) => Some(value.as_str()) == *text,
                    Tag::Absent => text.is_none(),
                    Tag::Open => true,
                })
            });
        if !in_schema {
            return Err(format!("the schema has no variant with the tags {texts:?}"));
        }
        let is_row = |row: &&[Option<&str>]| {
            let all = row.iter().zip(&texts).all(|(wanted, text)| wanted.is_none() || wanted == text);
            // A row without tags is for messages without tags.
            if row.is_empty() { untagged } else { all }
        };
        let named = T::ROWS.iter().find(|(_, row)| is_row(row)).map(|(variant, _)| *variant);
        if named == Some(decoded.variant()) {
            return Ok(());
        }
        Err(format!("the tags {texts:?} name {named:?}, but it became {}", decoded.variant()))
    }

    /// The schema has a variant that requires none of the tags.
    fn may_lack_tags(&self, definition: &str, by: &[&str]) -> bool {
        let union = self.schema.definition(definition);
        let variants = union.map(|union| union.alternatives()).unwrap_or_default();
        variants.iter().any(|variant| by.iter().all(|tag| !variant.requires(tag)))
    }

    /// Notes a fault, unless an exception covers it.
    pub fn fault(&mut self, definition: &str, place: &str, fault: &str) {
        let mut excused = false;
        for exception in self.exceptions.iter_mut().filter(|exception| exception.definition == definition) {
            let there = match exception.at.strip_suffix('*') {
                Some(start) => place.starts_with(start),
                None => place == exception.at,
            };
            if there && fault.contains(&exception.fault) {
                exception.used = true;
                excused = true;
            }
        }
        if !excused {
            let fault: String = fault.chars().take(300).collect();
            self.faults.push(format!("{definition} at {place}: {fault}"));
        }
    }

    /// Ends the check. `least` guards against recordings that were not found.
    pub fn finish(self, least: usize) {
        let mut faults = self.faults;
        for exception in self.exceptions.iter().filter(|exception| !exception.used) {
            faults.push(format!(
                "tests/exceptions/{}/{}.json: `{}` at {} is no exception any more; delete it",
                self.provider, exception.definition, exception.fault, exception.at
            ));
        }
        assert!(
            faults.is_empty(),
            "{} faults in {} messages:\n{}",
            faults.len(),
            self.messages,
            faults.join("\n")
        );
        assert!(self.messages >= least, "only {} messages were found, {least} expected", self.messages);
    }
}
