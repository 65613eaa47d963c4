//! A JSON Schema from recordings, for files whose format nobody publishes.
//!
//! Messages that are told apart by a tag become variants of a union, at every depth. No crate that infers schemas does
//! that: they merge all objects of a place into one. What is inferred says what was seen, so that a person still adds
//! what was not, each with a reason (`additions`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Map, Value, json};

/// The members that tell objects apart, in the order in which they are tried.
const TAGS: [&str; 2] = ["type", "subtype"];

/// The members whose value is any JSON: arguments of tools, and what they give back as they like.
const ANY: [&str; 4] = ["input", "arguments", "structuredContent", "_meta"];

/// So many different members make an object a map, and so many values of a tag are a text of any kind.
const MANY: usize = 64;

/// Writes the schema of the messages in files of JSON lines; `arguments` are the name of the definition, members that
/// hold any JSON (`--any NAME,NAME`), and the files.
///
/// # Errors
///
/// When a file cannot be read.
pub fn command(arguments: &[&str]) -> Result<String, String> {
    let [name, files @ ..] = arguments else {
        return Err("name the definition and the recordings: cargo xtask infer NAME FILE…".to_owned());
    };
    let (any, files) = match files {
        ["--any", names, files @ ..] => (names.split(',').collect(), files),
        files => (Vec::new(), files),
    };
    let mut messages = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        // A last line may be cut off.
        messages.extend(text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()));
    }
    let mut inference = Inference { any: [ANY.as_slice(), &any].concat(), definitions: Map::new() };
    let root = inference.schema(&messages.iter().collect::<Vec<_>>(), name, true);
    inference.definitions.insert((*name).to_owned(), root);
    let schema = json!({ "definitions": inference.definitions });
    serde_json::to_string_pretty(&schema).map_err(|error| error.to_string())
}

struct Inference<'a> {
    any: Vec<&'a str>,
    definitions: Map<String, Value>,
}

impl Inference<'_> {
    /// The schema of values that stand in the same place: messages, the elements of an array (`several`), or the values of
    /// a member.
    fn schema(&mut self, values: &[&Value], name: &str, several: bool) -> Value {
        let mut kinds: BTreeSet<&str> = BTreeSet::new();
        let (mut objects, mut elements) = (Vec::new(), Vec::new());
        for value in values {
            match value {
                Value::Null => drop(kinds.insert("null")),
                Value::Bool(_) => drop(kinds.insert("boolean")),
                Value::Number(number) if number.is_f64() => drop(kinds.insert("number")),
                Value::Number(_) => drop(kinds.insert("integer")),
                Value::String(_) => drop(kinds.insert("string")),
                Value::Array(inner) => {
                    kinds.insert("array");
                    elements.extend(inner);
                }
                Value::Object(members) => {
                    kinds.insert("object");
                    objects.push(members);
                }
            }
        }
        if kinds.contains("number") {
            kinds.remove("integer");
        }
        let mut choices: Vec<Value> = Vec::new();
        let plain: Vec<&str> =
            kinds.iter().copied().filter(|kind| !["array", "object"].contains(kind)).collect();
        match plain.as_slice() {
            [] => {}
            [one] => choices.push(json!({ "type": one })),
            several => choices.push(json!({ "type": several })),
        }
        if kinds.contains("array") {
            let items = self.schema(&elements, name, true);
            choices.push(json!({ "type": "array", "items": items }));
        }
        if kinds.contains("object") {
            choices.push(self.object(&objects, name, &[], several));
        }
        match <[Value; 1]>::try_from(choices) {
            Ok([one]) => one,
            Err(choices) if choices.is_empty() => json!({}),
            Err(choices) => json!({ "anyOf": choices }),
        }
    }

    /// The schema of objects: a union where a tag tells them apart.
    fn object(
        &mut self,
        objects: &[&Map<String, Value>],
        name: &str,
        known: &[&str],
        several: bool,
    ) -> Value {
        let tag = TAGS.iter().copied().find(|tag| !known.contains(tag) && is_tag(objects, tag, several));
        if let Some(tag) = tag {
            let mut variants: BTreeMap<&str, Vec<&Map<String, Value>>> = BTreeMap::new();
            for object in objects {
                let value = object.get(tag).and_then(Value::as_str).unwrap_or_default();
                variants.entry(value).or_default().push(object);
            }
            let known = [known, &[tag]].concat();
            let members: Vec<Value> = variants
                .iter()
                .map(|(value, objects)| {
                    let mut variant = format!("{name}{}", pascal(value));
                    while self.definitions.contains_key(&variant) {
                        variant.push('2');
                    }
                    // Takes the name before the objects inside need one.
                    self.definitions.insert(variant.clone(), Value::Null);
                    let mut schema = self.object(objects, &variant, &known, false);
                    if let Some(properties) = schema.get_mut("properties") {
                        properties[tag] = json!({ "const": value });
                        schema["required"] = json!([tag]);
                    }
                    if let Some(inner) = schema.get("oneOf").cloned() {
                        // A further tag told them apart: its variants stand beside the others.
                        self.definitions.remove(&variant);
                        for choice in inner.as_array().into_iter().flatten() {
                            let reference = choice["$ref"].as_str().unwrap_or_default();
                            let inner = reference.trim_start_matches("#/definitions/");
                            self.definitions[inner]["properties"][tag] = json!({ "const": value });
                            self.definitions[inner]["required"] = json!([tag, TAGS[1]]);
                        }
                        return inner;
                    }
                    self.definitions.insert(variant.clone(), schema);
                    json!([{ "$ref": format!("#/definitions/{variant}") }])
                })
                .flat_map(|choices| choices.as_array().cloned().unwrap_or_default())
                .collect();
            return json!({ "oneOf": members });
        }
        let mut members: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for object in objects {
            for (key, value) in *object {
                members.entry(key).or_default().push(value);
            }
        }
        let is_map = members.len() > MANY || (!members.is_empty() && members.keys().all(|key| !is_word(key)));
        if is_map {
            let values: Vec<&Value> = members.into_values().flatten().collect();
            let inner = self.schema(&values, &format!("{name}Value"), false);
            return json!({ "type": "object", "additionalProperties": inner });
        }
        let properties: Map<String, Value> = members
            .into_iter()
            .map(|(key, values)| {
                let inner = match self.any.contains(&key) {
                    true => json!({}),
                    false => self.schema(&values, &format!("{name}{}", pascal(key)), false),
                };
                (key.to_owned(), inner)
            })
            .collect();
        json!({ "type": "object", "properties": properties })
    }
}

/// Whether a member tells all of these objects apart. One value alone tells only the elements of a list apart, which may
/// have others another time.
fn is_tag(objects: &[&Map<String, Value>], tag: &str, several: bool) -> bool {
    let values: Option<BTreeSet<&str>> =
        objects.iter().map(|object| object.get(tag).and_then(Value::as_str)).collect();
    values.is_some_and(|values| {
        (several || values.len() > 1) && values.len() <= MANY && values.iter().all(|value| is_word(value))
    })
}

fn is_word(text: &str) -> bool {
    let begins = text.starts_with(|letter: char| letter.is_ascii_alphabetic() || "_$".contains(letter));
    begins && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-$".contains(letter))
}

fn pascal(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_make_unions_and_other_members_are_merged() {
        let values = [
            json!({ "type": "say", "text": "a", "n": 1 }),
            json!({ "type": "say", "text": null, "n": 1.5 }),
            json!({ "type": "note", "subtype": "x", "parts": [{ "type": "t", "input": [1] }] }),
            json!({ "type": "note", "subtype": "y" }),
        ];
        let mut inference = Inference { any: ANY.to_vec(), definitions: Map::new() };
        let root = inference.schema(&values.iter().collect::<Vec<_>>(), "M", true);
        let definitions = inference.definitions;
        assert_eq!(root["oneOf"].as_array().map(Vec::len), Some(3));
        assert_eq!(definitions["MSay"]["properties"]["text"], json!({ "type": ["null", "string"] }));
        assert_eq!(definitions["MSay"]["properties"]["n"], json!({ "type": "number" }));
        let note = &definitions["MNoteX"];
        assert_eq!(note["properties"]["type"], json!({ "const": "note" }));
        let parts = &note["properties"]["parts"]["items"]["oneOf"][0]["$ref"];
        assert_eq!(
            definitions[parts.as_str().unwrap().trim_start_matches("#/definitions/")]["properties"]["input"],
            json!({})
        );
    }
}
