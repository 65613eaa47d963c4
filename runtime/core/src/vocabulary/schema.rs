//! The JSON Schema of the vocabulary.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::chunk::StreamChunk;
use super::command::{Command, CommandContext, HostContext};
use super::event::{Event, EventBody, Origin, data_schemas};
use super::id::{ItemId, NativeSessionId, SessionId, TurnId};
use super::message::Message;
use super::model_request::{Degradation, ModelRequest};
use super::native::NativeRef;
use super::signal::SignalContext;
use super::timestamp::Timestamp;
use super::transcript::Transcript;

/// The JSON Schema of an event. Its definitions hold every type of the vocabulary, those of
/// the messages and streams of language models included.
///
/// The same build always gives the same text: keys are sorted.
#[must_use]
pub fn json_schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    // No event holds these, so that they have to be asked for.
    generator.subschema_for::<Message>();
    generator.subschema_for::<StreamChunk>();
    generator.subschema_for::<ModelRequest>();
    generator.subschema_for::<Degradation>();
    generator.subschema_for::<Command>();
    generator.subschema_for::<CommandContext>();
    generator.subschema_for::<HostContext>();
    generator.subschema_for::<Transcript>();
    generator.subschema_for::<SignalContext>();
    tidy(generator.into_root_schema_for::<Event>().to_value())
}

/// Sorts the keys of all objects: whether serde_json does so by itself depends on the
/// features that other crates of a build turn on. Descriptions lose their Rust examples.
fn tidy(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = map.into_iter().collect();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            let tidied = entries.into_iter().map(|(key, value)| match value {
                Value::String(text) if key == "description" => (key, without_example(&text).into()),
                value => (key, tidy(value)),
            });
            Value::Object(tidied.collect::<Map<_, _>>())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(tidy).collect()),
        plain => plain,
    }
}

/// The part of a type's documentation before its first example, each paragraph on one line.
fn without_example(text: &str) -> String {
    let prose = text.split("```").next().unwrap_or_default().trim_end();
    let paragraphs: Vec<String> = prose.split("\n\n").map(|lines| lines.replace('\n', " ")).collect();
    paragraphs.join("\n\n")
}

/// The tag of a variant and, when it has fields, how to get their schema.
type Variant = (&'static str, Option<fn(&mut SchemaGenerator) -> Schema>);

/// The schema of an object whose tag `key` is none of `tags`.
pub(super) fn other(key: &str, tags: &[&str]) -> Schema {
    json_schema!({
        "description": "A variant that this version does not know, kept whole.",
        "type": "object",
        "properties": { key: { "type": "string", "not": { "enum": tags } } },
        "required": [key],
        "additionalProperties": true,
    })
}

/// The schema of an open sum: one of the known variants, or any object with another tag.
pub(super) fn open_sum(generator: &mut SchemaGenerator, key: &str, variants: &[Variant]) -> Schema {
    let tags: Vec<&str> = variants.iter().map(|(tag, _)| *tag).collect();
    let other = other(key, &tags).to_value();
    let known = variants.iter().map(|(tag, fields)| {
        let mut variant = json!({
            "type": "object",
            "properties": { key: { "const": tag } },
            "required": [key],
        });
        if let Some(fields) = fields {
            variant["allOf"] = json!([fields(generator)]);
        }
        variant
    });
    let choices: Vec<Value> = known.chain([other]).collect();
    json_schema!({ "oneOf": choices })
}

impl JsonSchema for Event {
    fn schema_name() -> Cow<'static, str> {
        "Event".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let bodies: Vec<Value> = data_schemas(generator)
            .into_iter()
            .map(|(event_type, doc, data)| {
                json!({ "description": doc, "properties": { "type": { "const": event_type }, "data": data } })
            })
            .chain([json!({
                "description": "An event of a type that this version does not know, kept whole.",
                "properties": { "type": { "type": "string", "not": { "enum": EventBody::TYPES } }, "data": {} },
            })])
            .collect();
        let described = |mut schema: Schema, doc: &str| {
            schema.insert("description".to_owned(), doc.into());
            schema
        };
        json_schema!({
            "description": "One event of the universal stream.",
            "type": "object",
            "properties": {
                "event_id": { "description": "The event's name, `{session_id}:{sequence}`.", "type": "string" },
                "sequence": {
                    "description": "The event's place in its session: 1, 2, 3 … without gaps.",
                    "type": "integer",
                    "minimum": 1
                },
                "time": described(
                    generator.subschema_for::<Timestamp>(),
                    "When it happened, if the native message has a time.",
                ),
                "received_at": described(
                    generator.subschema_for::<Timestamp>(),
                    "When the host received it, if the host sets this.",
                ),
                "session_id": described(generator.subschema_for::<SessionId>(), "The session."),
                "native_session_id": described(
                    generator.subschema_for::<NativeSessionId>(),
                    "The provider's own name of the session.",
                ),
                "turn_id": described(generator.subschema_for::<TurnId>(), "The turn, when it lies in one."),
                "agent_path": {
                    "description": "The tool calls that lead to the sub-agent that acted; empty for the main agent.",
                    "type": "array",
                    "items": generator.subschema_for::<ItemId>()
                },
                "origin": described(generator.subschema_for::<Origin>(), "Who states it."),
                "type": { "description": "What happened.", "type": "string" },
                "data": { "description": "The details, by the type." },
                "native": described(
                    generator.subschema_for::<NativeRef>(),
                    "The native message that it came from.",
                ),
            },
            "required": ["event_id", "sequence", "session_id", "agent_path", "origin", "type", "data"],
            "oneOf": bodies,
        })
    }
}
