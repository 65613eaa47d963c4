//! Every value of the vocabulary reads back what it writes: values are made up from the vocabulary's own JSON Schema,
//! so that a type that has one is tried, with all its fields and variants.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Write};

use interlingua::transcript::Fold;
use interlingua::vocabulary::*;
use proptest::test_runner::TestCaseError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::runner::check;
use crate::tape::{Tape, tapes};

/// A member that no type of the vocabulary knows.
const UNKNOWN_MEMBER: &str = "a member of tomorrow";

/// How deep values nest before they become as simple as their schema allows.
const DEPTH: usize = 7;

/// Reads a value, writes it, and reads it again.
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(name: &str, json: &str) {
    let value: T = serde_json::from_str(json)
        .unwrap_or_else(|error| panic!("{name}: its schema allows {json}: {error}"));
    let written = serde_json::to_string(&value).unwrap_or_else(|error| panic!("{name}: {json}: {error}"));
    let again: T =
        serde_json::from_str(&written).unwrap_or_else(|error| panic!("{name}: it writes {written}: {error}"));
    assert!(again == value, "{name}: {value:?} comes back as {again:?}");
    assert_eq!(serde_json::to_string(&again).expect("it was written before"), written, "{name}");
}

/// What maps read beside a command: it is written for them, and nobody reads it back.
const ONLY_WRITTEN: [&str; 4] = ["CommandContext", "HostContext", "PendingRequest", "SessionFacts"];

/// What only signals hold, which maps of targets read: they are written as well, and nobody reads them back.
fn of_signals_alone(schema: &Value) -> BTreeSet<String> {
    let signals = reached(schema, ["Signal", "SignalContext"].map(str::to_owned).into());
    let definitions = schema["$defs"].as_object().expect("definitions").keys();
    let others: BTreeSet<String> = definitions.filter(|name| !signals.contains(*name)).cloned().collect();
    let mut shared = reached(schema, others);
    let mut of_event = BTreeSet::new();
    references(&schema["oneOf"], &mut of_event);
    references(&schema["properties"], &mut of_event);
    shared.extend(reached(schema, of_event));
    signals.difference(&shared).cloned().collect()
}

/// The definitions that these ones lead to, and they themselves.
fn reached(schema: &Value, from: BTreeSet<String>) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut next = from;
    while let Some(name) = next.pop_first() {
        if all.insert(name.clone()) {
            references(&schema["$defs"][&name], &mut next);
        }
    }
    all
}

/// The definitions that a schema names.
fn references(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                names.extend(reference.strip_prefix("#/$defs/").map(str::to_owned));
            }
            members.values().for_each(|inner| references(inner, names));
        }
        Value::Array(elements) => elements.iter().for_each(|inner| references(inner, names)),
        _ => {}
    }
}

/// Whatever an event holds beyond the vocabulary is written again.
fn keep_the_unknown(json: &str) {
    let event: Event = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
    if event.native.as_ref().is_some_and(|native| native.raw.is_some()) {
        // Bytes that are text are written as text, whatever object they were read from.
        return;
    }
    let written = serde_json::to_string(&event).unwrap_or_else(|error| panic!("{json}: {error}"));
    let count = |text: &str| text.matches(UNKNOWN_MEMBER).count();
    assert_eq!(count(&written), count(json), "{json} is written as {written}");
}

/// Tries one type by its name in the schema; false when there is no such type here.
fn try_type(name: &str, json: &str) -> bool {
    macro_rules! types {
        ($($ty:ident)*) => {
            match name {
                $( stringify!($ty) => round_trip::<$ty>(name, json), )*
                _ => return false,
            }
        };
    }
    types! {
        AgentSource Billing BlockType CallId ChangeKind Channel ContentBlock Cost CostSource Degradation ErrorClass ErrorData
        Event FileChange FinishError FinishReason HostCallKind HostCallOutcome HostCallRequested HostCallResolved Image
        Item ItemDelta ItemId ItemKind ItemRole ItemState ItemStatus Json JsonBlock Location Message MessageId
        MessageSource ModelRequest ModelSource NativeItemId NativeRef NativeSessionId Origin Parent PermissionAction
        PermissionId PermissionOption PermissionOutcome PermissionRequested PermissionResolved Plan PlanEntry
        PlanPriority PlanStatus PluginSource Question QuestionId QuestionOption QuestionOutcome QuestionRequested
        QuestionResolved RawBytes Reasoning ReasoningEffort ReasoningRequest RequestId Role RuleName SessionEndReason
        SessionEnded SessionId SessionStarted SessionUpdated Status StreamChunk Text Timestamp ToolByName ToolCall
        ToolChoice ToolDefinition ToolKind ToolResult ToolSource Transcript TranscriptCalls TranscriptCounts
        TranscriptError TranscriptFile TranscriptHostCall TranscriptItem TranscriptModelUsage TranscriptPermission
        TranscriptQuestion TranscriptReport TranscriptSession TranscriptTurn TranscriptUsage TurnEndReason TurnEnded TurnId TurnStarted TurnTrigger
        Unparsed Usage UsageBasis UsageReported UsageScope Visibility Command Decider Delivery HostCallReply
        MessageSend ModeSet ModelSet PermissionReply QuestionReject QuestionReply SessionEnd SessionList
        SessionStart TurnInterrupt
    }
    true
}

#[test]
fn every_value_that_the_schema_allows_is_read_and_reads_back_what_it_writes() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../docs/vocabulary.schema.json")).expect("the schema");
    let names = schema["$defs"].as_object().expect("definitions").keys().cloned().chain(["Event".to_owned()]);
    let signals = of_signals_alone(&schema);
    let is_read = |name: &String| !ONLY_WRITTEN.contains(&name.as_str()) && !signals.contains(name);
    for name in names.filter(is_read) {
        check(300, &tapes(200), |numbers| {
            let mut maker = Maker { schema: &schema, tape: Tape::new(&numbers) };
            let node = schema["$defs"].get(&name).unwrap_or(&schema);
            let mut json = maker.value(node, 0);
            if name == "Event" {
                json = with_its_id(&json);
                keep_the_unknown(&json);
            }
            assert!(try_type(&name, &json), "`{name}` is in the schema and not in the list of this test");
            Ok::<(), TestCaseError>(())
        });
    }
}

#[test]
fn any_events_at_all_fold_into_a_transcript_that_reads_back() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../docs/vocabulary.schema.json")).expect("the schema");
    check(400, &tapes(1500), |numbers| {
        let mut maker = Maker { schema: &schema, tape: Tape::new(&numbers) };
        let mut folds = [Fold::new(), Fold::new().keep_turns(1), Fold::new().totals_only()];
        for sequence in 1..=12 {
            let json = with_its_id(&maker.value(&schema, 0));
            let mut event: Event = serde_json::from_str(&json).expect("an event");
            event.sequence = sequence;
            event.session_id = (*maker.tape.choose(&["s1", "s2"])).into();
            for fold in &mut folds {
                fold.push(event.clone());
            }
        }
        for fold in folds {
            let json = serde_json::to_string(fold.transcript()).expect("a transcript");
            round_trip::<Transcript>("Transcript", &json);
            drop(fold.transcript().agents());
            Fold::from(fold.into_transcript()).push(Event::new(
                "s1",
                99,
                Origin::Daemon,
                TurnStarted::new("t"),
            ));
        }
        Ok::<(), TestCaseError>(())
    });
}

/// An event whose id fits its session and number.
fn with_its_id(json: &str) -> String {
    let mut event: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).expect("an object");
    let session: String = serde_json::from_str(event["session_id"].get()).expect("a text");
    let id = serde_json::to_string(&format!("{session}:{}", event["sequence"])).expect("a text");
    event.insert("event_id".to_owned(), RawValue::from_string(id).expect("JSON"));
    serde_json::to_string(&event).expect("an object")
}

/// Makes values that a schema allows, as JSON text: not all JSON survives in a [`Value`].
struct Maker<'t, 's> {
    schema: &'s Value,
    tape: Tape<'t>,
}

impl<'s> Maker<'_, 's> {
    fn value(&mut self, node: &'s Value, depth: usize) -> String {
        if let Some(constant) = node.get("const") {
            return constant.to_string();
        }
        if let Some(values) = node.get("enum").and_then(Value::as_array) {
            return self.tape.choose(values).to_string();
        }
        let mut members = Vec::new();
        if self.members(node, depth, &mut members) {
            return self.object(members, depth);
        }
        if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
            return self.value(self.definition(reference), depth);
        }
        if let Some(alternatives) = alternatives(node) {
            let number =
                if depth > DEPTH { alternatives.len() - 1 } else { self.tape.below(alternatives.len()) };
            return self.value(&alternatives[number], depth + 1);
        }
        let kinds: Vec<&str> = match node.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return self.anything(depth),
        };
        match *self.tape.choose(&kinds) {
            "string" => self.string(node),
            "integer" => self.integer(node),
            "number" => {
                (*self.tape.choose(&["0", "0.1", "12.5", "1e-7", "123456789.123456789", "5e-324", "-0.0"]))
                    .to_owned()
            }
            "boolean" => (*self.tape.choose(&["false", "true"])).to_owned(),
            "array" => self.array(node, depth),
            "null" => "null".to_owned(),
            "object" => self.object(Vec::new(), depth),
            other => panic!("the schema uses the type `{other}`, which this test does not know"),
        }
    }

    fn definition(&self, reference: &str) -> &'s Value {
        let name = reference.rsplit('/').next().unwrap_or_default();
        self.schema["$defs"].get(name).unwrap_or_else(|| panic!("no definition {reference}"))
    }

    /// Chooses the members of an object; false when the node is none.
    fn members(&mut self, node: &'s Value, depth: usize, members: &mut Vec<(&'s str, String)>) -> bool {
        let mut is_object = false;
        if let Some(properties) = node.get("properties").and_then(Value::as_object) {
            is_object = true;
            let required: Vec<&str> = node
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            // A more special node says more about a member than the one that it adds to.
            let alternatives = alternatives(node).unwrap_or_default();
            let special = |name: &str| alternatives.iter().any(|one| one["properties"].get(name).is_some());
            for (name, inner) in properties {
                let is_chosen =
                    required.contains(&name.as_str()) || (depth <= DEPTH && self.tape.below(3) > 0);
                if is_chosen && !special(name) && !members.iter().any(|(known, _)| known == name) {
                    let value = self.value(inner, depth + 1);
                    members.push((name, value));
                }
            }
        }
        for inner in node.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            let inner = inner
                .get("$ref")
                .and_then(Value::as_str)
                .map_or(inner, |reference| self.definition(reference));
            is_object |= self.members(inner, depth, members);
        }
        if is_object && let Some(reference) = node.get("$ref").and_then(Value::as_str) {
            self.members(self.definition(reference), depth, members);
        }
        if is_object && let Some(alternatives) = alternatives(node) {
            let number = if depth > DEPTH { 0 } else { self.tape.below(alternatives.len()) };
            // Here an alternative without `required` means all that it names.
            let chosen = &alternatives[number];
            for (name, inner) in chosen.get("properties").and_then(Value::as_object).into_iter().flatten() {
                let value = self.value(inner, depth + 1);
                members.push((name, value));
            }
        }
        is_object
    }

    fn object(&mut self, mut members: Vec<(&str, String)>, depth: usize) -> String {
        // Readers must expect what they do not know.
        if self.tape.once_in(5) {
            members.insert(self.tape.below(members.len() + 1), (UNKNOWN_MEMBER, self.anything(depth + 1)));
        }
        let members: Vec<String> = members.iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
        format!("{{{}}}", members.join(","))
    }

    fn array(&mut self, node: &'s Value, depth: usize) -> String {
        let length = if depth > DEPTH { 0 } else { self.tape.below(4) };
        let elements: Vec<String> = (0..length)
            .map(|_| match node.get("items") {
                Some(items) => self.value(items, depth + 1),
                None => self.anything(depth + 1),
            })
            .collect();
        format!("[{}]", elements.join(","))
    }

    fn integer(&mut self, node: &Value) -> String {
        let format = node.get("format").and_then(Value::as_str).unwrap_or("uint64");
        let most = match format {
            "uint8" => u64::from(u8::MAX),
            "uint16" => u64::from(u16::MAX),
            "uint32" | "uint" => u64::from(u32::MAX),
            "int32" => i32::MAX as u64,
            "int64" => i64::MAX as u64,
            _ => u64::MAX,
        };
        let least = node.get("minimum").and_then(Value::as_u64).unwrap_or_default();
        let small = least + self.tape.below(1000) as u64;
        let lowest = if format.starts_with("int") && node.get("minimum").is_none() {
            "-1".to_owned()
        } else {
            least.to_string()
        };
        self.tape.choose(&[least.to_string(), small.to_string(), most.to_string(), lowest]).clone()
    }

    fn string(&mut self, node: &'s Value) -> String {
        if node.get("format").and_then(Value::as_str) == Some("date-time") {
            let times = [
                "2026-11-30T08:40:49Z",
                "2026-11-30T08:40:49.635Z",
                "1970-01-01T00:00:00.000001Z",
                "2028-02-29T23:59:59.999999999Z",
            ];
            return format!("{:?}", self.tape.choose(&times));
        }
        if node.get("contentEncoding").and_then(Value::as_str) == Some("base64") {
            return format!("{:?}", self.tape.choose(&["", "AA==", "/+8=", "YWJj"]));
        }
        match node.get("examples").and_then(Value::as_array) {
            Some(known) if self.tape.below(3) > 0 => self.tape.choose(known).to_string(),
            _ => {
                let text = self.text();
                // A word that a variant already has would be that variant.
                let is_taken =
                    |taken: &Value| taken.as_array().is_some_and(|all| all.contains(&text.as_str().into()));
                let text = if node["not"].get("enum").is_some_and(is_taken) {
                    "of tomorrow".to_owned()
                } else {
                    text
                };
                serde_json::to_string(&text).expect("a text")
            }
        }
    }

    fn text(&mut self) -> String {
        let pieces: [&str; 12] = [
            "",
            "a",
            "words ",
            "ü",
            "\u{0}",
            "\n",
            "\"\\/",
            "\u{1d11e}",
            "\u{2028}\u{85}",
            "\u{ffff}",
            "{\"a\":1}",
            "null",
        ];
        let mut text = String::new();
        for _ in 0..self.tape.below(4) {
            let piece: &str = self.tape.choose::<&str>(&pieces);
            text.push_str(piece);
        }
        text
    }

    /// Any JSON at all, with numbers that no type holds and escapes that no text is written with.
    fn anything(&mut self, depth: usize) -> String {
        let leaves = [
            "null",
            "true",
            "0",
            "1e999",
            "-0.0",
            "123456789012345678901234567890",
            "\"\\ud800\"",
            "\"\\u0041\"",
            "\" \"",
            "[ ]",
            "{ }",
        ];
        match self.tape.below(6) {
            0 | 1 if depth <= DEPTH => {
                let elements: Vec<String> =
                    (0..self.tape.below(3)).map(|_| self.anything(depth + 1)).collect();
                format!("[{}]", elements.join(" , "))
            }
            2 if depth <= DEPTH => {
                let mut object = String::from("{");
                for number in 0..self.tape.below(3) {
                    let comma = if number == 0 { "" } else { "," };
                    let _ = write!(object, "{comma}\"k\\u00{}\": {}", 41 + number, self.anything(depth + 1));
                }
                object.push('}');
                object
            }
            _ => (*self.tape.choose(&leaves)).to_owned(),
        }
    }
}

fn alternatives(node: &Value) -> Option<&[Value]> {
    node.get("oneOf").or_else(|| node.get("anyOf"))?.as_array().map(Vec::as_slice)
}
