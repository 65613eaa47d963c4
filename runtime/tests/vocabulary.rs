//! The vocabulary reads back what it writes, byte for byte, for every type and variant.
//!
//! The files beside this one hold one value a line. Each line must come out exactly as it
//! went in, so that a line also documents the order of fields.

use std::fmt::Debug;

use interlingua::vocabulary::{
    BlockType, Channel, Command, ContentBlock, ErrorClass, Event, EventBody, FinishReason, HostCallKind,
    HostCallOutcome, ItemKind, ItemRole, ItemStatus, Json, Message, MessageSend, MessageSource, ModelRequest,
    ModelSource, OpenVariant, PermissionOutcome, QuestionOutcome, RawBytes, Role, SessionEndReason,
    StreamChunk, ToolKind, ToolResult, ToolSource, TurnEndReason, TurnTrigger, Usage,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Reads every line as a value, checks that it is written as the same line and that this
/// gives the same value again, also on the detour through `serde_json::Value`.
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(lines: &str) -> Vec<T> {
    let values = lines.lines().map(|line| {
        let value: T = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let written = serde_json::to_string(&value).unwrap();
        assert_eq!(written, line);
        let again: T = serde_json::from_str(&written).unwrap();
        assert_eq!(again, value, "{line}");
        value
    });
    values.collect()
}

macro_rules! open_sums {
    ($( $test:ident: $sum:ident in $file:literal; )*) => { $(
        #[test]
        fn $test() {
            let values: Vec<$sum> = round_trip(include_str!($file));
            for tag in $sum::TAGS {
                assert!(values.iter().any(|value| value.tag() == *tag), "no line for {tag}");
            }
            assert!(values.iter().any(|value| matches!(value, $sum::Other(_))));
        }
    )* };
}

open_sums! {
    content_blocks: ContentBlock in "vocabulary/content_blocks.jsonl";
    message_sources: MessageSource in "vocabulary/message_sources.jsonl";
    finish_reasons: FinishReason in "vocabulary/finish_reasons.jsonl";
    turn_triggers: TurnTrigger in "vocabulary/turn_triggers.jsonl";
    turn_end_reasons: TurnEndReason in "vocabulary/turn_end_reasons.jsonl";
}

#[test]
fn messages() {
    round_trip::<Message>(include_str!("vocabulary/messages.jsonl"));
}

#[test]
fn stream_chunks() {
    round_trip::<StreamChunk>(include_str!("vocabulary/stream_chunks.jsonl"));
}

#[test]
fn usages() {
    round_trip::<Usage>(include_str!("vocabulary/usages.jsonl"));
}

#[test]
fn events() {
    let events: Vec<Event> = round_trip(include_str!("vocabulary/events.jsonl"));
    for event_type in EventBody::TYPES {
        let covered = events.iter().any(|event| event.body.event_type() == *event_type);
        assert!(covered, "no line for {event_type}");
    }
    assert_eq!(EventBody::TYPES.len(), 18);
    for event in events {
        let mut written = Vec::new();
        event.write_json(&mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string(&event).unwrap());
    }
}

/// An event of which each object, at any depth, holds a member that no build knows.
#[test]
fn what_this_build_does_not_know_of_an_event_survives() {
    fn extended(value: &mut Value) -> usize {
        match value {
            Value::Object(members) => {
                let inside: usize = members.values_mut().map(extended).sum();
                members.insert("a/member of~tomorrow".to_owned(), serde_json::json!({ "a": [null, 1.50] }));
                inside + 1
            }
            Value::Array(values) => values.iter_mut().map(extended).sum(),
            _ => 0,
        }
    }
    for line in include_str!("vocabulary/events.jsonl").lines() {
        let mut said: Value = serde_json::from_str(line).unwrap();
        assert!(extended(&mut said) > 1);
        let event: Event = serde_json::from_str(&said.to_string()).unwrap();
        let mut written = Vec::new();
        event.write_json(&mut written).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), said);
        assert_eq!(serde_json::to_vec(&event).unwrap(), written);
        assert_eq!(serde_json::to_value(&event).unwrap(), said);
        assert_eq!(serde_json::from_slice::<Event>(&written).unwrap(), event);
        assert_eq!(event.extra.get("/a~1member of~0tomorrow").unwrap().get(), r#"{"a":[null,1.5]}"#);
        let known: Event = serde_json::from_str(line).unwrap();
        assert!(known.extra.is_empty(), "{line}");
    }
}

#[test]
fn a_member_that_was_set_after_reading_is_not_written_twice() {
    let json = r#"{"sequence":2,"session_id":"s1","origin":"agent","type":"turn.started","data":{"turn_id":"t1","trigger":null}}"#;
    let mut event: Event = serde_json::from_str(json).unwrap();
    assert_eq!(event.extra.get("/data/trigger").unwrap().get(), "null");
    if let EventBody::TurnStarted(turn) = &mut event.body {
        turn.trigger = Some(TurnTrigger::User);
    }
    let written = serde_json::to_string(&event).unwrap();
    assert!(written.ends_with(r#""data":{"turn_id":"t1","trigger":{"kind":"user"}}}"#), "{written}");
}

#[test]
fn an_example_turn_says_the_same_after_reading() {
    for line in include_str!("vocabulary/example_turn.jsonl").lines() {
        let mut said: Value = serde_json::from_str(line).unwrap();
        let event: Event = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::from_value::<Event>(said.clone()).unwrap(), event);
        // The example leaves empty fields out; this one is always written.
        said.as_object_mut().unwrap().entry("agent_path").or_insert_with(|| Value::Array(Vec::new()));
        assert_eq!(serde_json::to_value(&event).unwrap(), said);
    }
}

#[test]
fn words_are_written_as_they_are_read() {
    fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(
        words: &[&str],
        from_word: impl Fn(&str) -> T,
    ) {
        for word in words {
            let json = serde_json::to_string(word).unwrap();
            let value: T = serde_json::from_str(&json).unwrap();
            assert_eq!(value, from_word(word));
            assert_eq!(serde_json::to_string(&value).unwrap(), json);
        }
    }
    macro_rules! closed {
        ($($set:ident)*) => { $(
            check($set::WORDS, |word| $set::from_word(word).unwrap());
            assert!(serde_json::from_str::<$set>(r#""nonsense""#).is_err());
        )* };
    }
    macro_rules! open {
        ($($set:ident)*) => { $(
            check($set::WORDS, |word| $set::from(word));
            check(&["nonsense", ""], |word| $set::from(word));
            assert!(matches!($set::from("nonsense"), $set::Unknown(_)));
        )* };
    }
    closed! {
        Channel ErrorClass HostCallKind HostCallOutcome ItemRole ItemStatus PermissionOutcome
        QuestionOutcome Role SessionEndReason
    }
    open! { BlockType ItemKind ToolKind }
}

#[test]
fn what_does_not_fit_is_refused_or_kept_whole() {
    fn refuse<T: DeserializeOwned + Debug>(json: &str, says: &str) {
        let error = serde_json::from_str::<T>(json).unwrap_err().to_string();
        assert!(error.contains(says), "{json}: {error}");
    }
    refuse::<ContentBlock>(r#"{"text":"no tag"}"#, "missing field `type`");
    refuse::<ContentBlock>(r#"{"type":7}"#, "expected a string");
    refuse::<ContentBlock>("[]", "an object with the tag `type`");
    refuse::<ContentBlock>(r#"{"type":"text"}"#, "missing field `text`");
    refuse::<FinishReason>(r#"{"kind":"error"}"#, "missing field `message`");
    refuse::<StreamChunk>(r#"{"type":"text-delta","text":"a"}"#, "missing field `index`");
    refuse::<StreamChunk>(r#"{"index":0}"#, "missing field `type`");
    let event = |id: &str, event_type: &str| {
        format!(
            r#"{{"event_id":"{id}","sequence":2,"session_id":"s1","origin":"agent","type":"{event_type}","data":{{}}}}"#
        )
    };
    refuse::<Event>(&event("s1:3", "session.started"), "event_id `s1:3` should be `s1:2`");

    let json = event("s1:2", "error").replace(r#""origin""#, r#""agent_path":[],"origin""#);
    let read: Event = serde_json::from_str(&json).unwrap();
    let EventBody::Other(other) = &read.body else { panic!("an error without a class: {read:?}") };
    assert!(other.problem().unwrap().to_string().contains("missing field `class`"));
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
}

#[test]
fn deep_nesting_is_refused_before_the_stack_ends() {
    let open = r#"{"type":"tool-result","call_id":"c","is_error":false,"content":["#;
    let deep = |levels: usize| format!("{}{}", open.repeat(levels), "]}".repeat(levels));
    assert!(serde_json::from_str::<ContentBlock>(&deep(60)).is_ok());
    let error = serde_json::from_str::<ContentBlock>(&deep(100_000)).unwrap_err();
    assert!(error.to_string().contains("nests deeper"), "{error}");
}

#[test]
fn json_keeps_its_text_on_one_line() {
    let json = Json::parse("\n {\r\n\"a\":\t\"\\n\"\n} ".to_owned()).unwrap();
    assert_eq!(json.get(), "{  \"a\":\t\"\\n\" }");
    let block: ContentBlock = serde_json::from_str("{\"type\":\"new\",\n\"a\":1}").unwrap();
    assert_eq!(serde_json::to_string(&block).unwrap(), r#"{"type":"new", "a":1}"#);
    assert!(Json::parse("{} {}".to_owned()).is_err());
}

#[test]
fn raw_bytes_that_are_text_have_one_form() {
    let encoded: RawBytes = serde_json::from_str(r#"{"base64":"e30="}"#).unwrap();
    assert_eq!(encoded, RawBytes::from("{}".to_owned()));
    assert_eq!(encoded.as_text(), Some("{}"));
    assert!(serde_json::from_str::<RawBytes>(r#"{"base64":"e3"}"#).is_err());
    assert!(serde_json::from_str::<RawBytes>(r#"{"hex":"7b7d"}"#).is_err());
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Empty {}

impl OpenVariant for Empty {
    const TAG: &'static str = "say \"empty\"";
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Tagged {
    kind: String,
}

impl OpenVariant for Tagged {
    const TAG: &'static str = "webhook";
}

/// An event type of the caller's own.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Weather {
    celsius: i32,
}

impl OpenVariant for Weather {
    const TAG: &'static str = "weather.changed";
}

#[test]
fn event_types_from_outside_are_events() {
    let body = EventBody::custom(&Weather { celsius: -4 }).unwrap();
    assert!(matches!(&body, EventBody::Other(other) if other.data().get() == r#"{"celsius":-4}"#));
    let event = Event::new("s1", 2, interlingua::vocabulary::Origin::Agent, body);
    let written = serde_json::to_string(&event).unwrap();
    assert!(written.ends_with(r#""type":"weather.changed","data":{"celsius":-4}}"#), "{written}");
    let read: Event = serde_json::from_str(&written).unwrap();
    assert_eq!(read, event);
    assert_eq!(read.body.as_custom::<Weather>().unwrap().unwrap(), Weather { celsius: -4 });
    assert!(read.body.as_custom::<Empty>().is_none());
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Bare(u8);

impl OpenVariant for Bare {
    const TAG: &'static str = "bare";
}

/// A type of the caller's own for a tag that the vocabulary knows.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Shout {
    text: String,
}

impl OpenVariant for Shout {
    const TAG: &'static str = "text";
}

#[test]
fn variants_from_outside_are_tagged_objects() {
    let empty = ContentBlock::custom(&Empty {}).unwrap();
    assert_eq!(serde_json::to_string(&empty).unwrap(), r#"{"type":"say \"empty\""}"#);
    assert_eq!(empty.as_custom::<Empty>().unwrap().unwrap(), Empty {});
    assert!(empty.as_custom::<Tagged>().is_none());

    let webhook = Tagged { kind: "webhook".to_owned() };
    let trigger = TurnTrigger::custom(&webhook).unwrap();
    assert_eq!(serde_json::to_string(&trigger).unwrap(), r#"{"kind":"webhook"}"#);
    assert_eq!(trigger.as_custom::<Tagged>().unwrap().unwrap(), webhook);
    let other = Tagged { kind: "other".to_owned() };
    assert!(TurnTrigger::custom(&other).is_err());
    assert!(ContentBlock::custom(&Bare(1)).is_err());

    let shout = Shout { text: "hey".to_owned() };
    let block = ContentBlock::custom(&shout).unwrap();
    assert_eq!(block, ContentBlock::text("hey"));
    assert_eq!(block.as_custom::<Shout>().unwrap().unwrap(), shout);
    let unreadable: ContentBlock = serde_json::from_str(r#"{"type":"bare"}"#).unwrap();
    assert!(unreadable.as_custom::<Bare>().unwrap().is_err());
}

#[test]
fn a_tag_alone_is_a_value_where_it_asks_for_nothing() {
    assert_eq!(TurnEndReason::from_tag("budget").unwrap(), TurnEndReason::Budget);
    let unknown = TurnEndReason::from_tag("power-cut").unwrap();
    assert_eq!(serde_json::to_string(&unknown).unwrap(), r#"{"kind":"power-cut"}"#);
    assert!(FinishReason::from_tag("error").is_err());
}

#[test]
fn native_blocks_are_kept_whole() {
    let keep = |json: &str| ContentBlock::from_native(Json::parse(json.to_owned()).unwrap());
    assert_eq!(keep(r#"{"type":"hologram"}"#).tag(), "hologram");
    // A native `text` may have other fields than ours, and must lose none of them.
    assert_eq!(keep(r#"{"type":"text","text":"a","extra":1}"#).tag(), "json");
    assert_eq!(keep("7").tag(), "json");
}

#[test]
fn usage_is_added_and_taken_away_field_by_field() {
    let usage = |json: &str| serde_json::from_str::<Usage>(json).unwrap();
    let whole = usage(r#"{"input":10,"output":5,"cost":{"amount":1.5,"currency":"USD","source":"agent"}}"#);
    let part = usage(
        r#"{"input":4,"output":9,"reasoning":2,"cost":{"amount":0.5,"currency":"USD","source":"agent"}}"#,
    );
    assert_eq!(
        whole.plus(&part),
        usage(
            r#"{"input":14,"output":14,"reasoning":2,"cost":{"amount":2.0,"currency":"USD","source":"agent"}}"#
        )
    );
    assert_eq!(
        whole.minus(&part),
        usage(r#"{"input":6,"output":0,"cost":{"amount":1.0,"currency":"USD","source":"agent"}}"#)
    );
    let euros = usage(r#"{"cost":{"amount":1.0,"currency":"EUR","source":"agent"}}"#);
    assert_eq!(whole.plus(&euros).cost, None);
    assert_eq!(whole.minus(&Usage::default()), whole);
}

#[test]
fn events_are_small() {
    assert!(size_of::<Event>() <= 256, "{}", size_of::<Event>());
    assert!(size_of::<EventBody>() <= 72, "{}", size_of::<EventBody>());
}

#[test]
fn content_that_is_read_may_be_a_plain_text() {
    let send: Command =
        serde_json::from_str(r#"{"type":"message.send","content":"Go on"}"#).expect("a command");
    assert_eq!(send, MessageSend::text("Go on").into());
    let result: ToolResult =
        serde_json::from_str(r#"{"call_id":"c","content":"done","is_error":false}"#).expect("a result");
    assert_eq!(result, ToolResult::new("c", vec![ContentBlock::text("done")]));

    let request: ModelRequest = serde_json::from_str(
        r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},
            {"id":"mine","role":"user","content":[],"source":{"kind":"tool"}}]}"#,
    )
    .expect("a request");
    let read: Vec<(&str, &MessageSource)> =
        request.messages.iter().map(|message| (message.id.as_str(), &message.source)).collect();
    let model = MessageSource::Model(ModelSource::default());
    let tool = MessageSource::Tool(ToolSource::default());
    assert_eq!(read, [("m1", &MessageSource::User), ("m2", &model), ("mine", &tool)]);
    assert!(
        serde_json::from_str::<Message>(r#"{"role":"user","content":"a"}"#).is_err(),
        "elsewhere it has an id"
    );
}
