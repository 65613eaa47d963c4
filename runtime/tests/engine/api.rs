//! The ways to use a translator.

use interlingua::vocabulary::{ContentBlock, Event, EventBody, SessionId};
use interlingua::{Options, Translator};

use super::support::{demo, translated};

const STREAM: &[u8] = b"{\"type\":\"hello\",\"session\":\"a\",\"model\":\"m\"}\n\n{\"type\":\"ping\"}\n\
    {\"type\":\"say\",\"session\":\"a\",\"id\":\"m1\",\"role\":\"user\",\"content\":\"Hello\"}\nnonsense\n";

#[test]
fn events_that_are_not_taken_come_with_the_next_call() {
    let mut translator = Translator::new(demo(), Options::new());
    assert_eq!(translator.push(STREAM).take(1).count(), 1);
    let _ = translator.push(b"");
    let rest: Vec<Event> = translator.finish().collect();
    assert_eq!(rest, translated(STREAM, usize::MAX)[1..]);
    assert_eq!(translator.finish().count(), 0, "an ended stream gives nothing more");
    assert_eq!(translator.push(STREAM).count(), 0);
}

#[test]
fn whole_messages_give_the_same_events_as_their_stream() {
    let mut translator = Translator::new(demo(), Options::new());
    let mut bodies = Vec::new();
    for message in STREAM.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        bodies.extend(translator.push_message(message).map(|event| event.body));
    }
    bodies.extend(translator.finish().map(|event| event.body));
    let framed: Vec<EventBody> = translated(STREAM, 5).into_iter().map(|event| event.body).collect();
    assert_eq!(bodies, framed);
}

#[test]
fn a_held_end_of_a_turn_is_told_when_the_host_says_that_nothing_comes() {
    let stream = b"{\"type\":\"turn-start\",\"session\":\"a\",\"turn\":\"t1\"}\n\
        {\"type\":\"attempt\",\"session\":\"a\",\"why\":\"no answer\"}\n";
    let mut translator = Translator::new(demo(), Options::new());
    assert_eq!(translator.push(stream).count(), 2, "a session and a turn have started");
    assert!(translator.holds_end());
    let told: Vec<Event> = translator.idle().collect();
    let [Event { body: EventBody::TurnEnded(ended), native: Some(native), .. }] = &told[..] else {
        panic!("the turn ends, and nothing else happens: {told:?}")
    };
    assert!(ended.error.as_ref().is_some_and(|error| error.message == "no answer"));
    assert_eq!(native.line, 2, "the message that told the end");
    assert!(!translator.holds_end());
    assert_eq!(translator.idle().count(), 0);
    // What would have revoked the end comes too late.
    let late: Vec<Event> =
        translator.push(b"{\"type\":\"resume\",\"session\":\"a\",\"why\":\"again\"}\n").collect();
    assert!(late.iter().all(|event| event.turn_id.is_none()), "{late:?}");
}

#[test]
fn every_message_is_counted_once() {
    let mut translator = Translator::new(demo(), Options::new());
    translator.push(STREAM).for_each(drop);
    let stats = translator.stats();
    assert_eq!((stats.messages, stats.translated, stats.silent, stats.unparsed), (4, 2, 0, 1));
    assert_eq!(stats.ignored.into_iter().collect::<Vec<_>>(), [("transport heartbeat".to_owned(), 1)]);
}

#[test]
fn options_are_heeded() {
    let options = Options::new().session_id("mine").raw(true).message_limit(60).depth_limit(3);
    let mut translator = Translator::new(demo(), options);
    let lines: [&[u8]; 4] = [
        b"{\"type\":\"hello\",\"session\":\"a\"}\n",
        b"{\"type\":\"hello\",\"session\":\"b\"}\n",
        b"{\"type\":\"hello\",\"session\":\"a message that is longer than the limit allows\"}\n",
        b"{\"type\":\"hello\",\"cwd\":[[[[]]]]}\n",
    ];
    let events: Vec<Event> =
        lines.iter().flat_map(|line| translator.push(line).collect::<Vec<_>>()).collect();
    let sessions: Vec<&SessionId> = events.iter().map(|event| &event.session_id).collect();
    assert_eq!(sessions, ["mine", "mine-2", "mine", "mine"]);
    let errors: Vec<&str> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::AgentUnparsed(unparsed) => Some(unparsed.error.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(errors, ["the message is longer than 60 bytes", "nested too deep at byte 24"]);
    let raw = |event: &Event| event.native.as_ref()?.raw.as_ref()?.as_text().map(str::to_owned);
    assert_eq!(raw(&events[1]).as_deref(), Some("{\"type\":\"hello\",\"session\":\"b\"}"));
}

#[test]
fn native_json_is_kept_byte_for_byte() {
    let body = r#"{"half":"\ud83d","twice":1,"twice":2,"number":1.50e400,"deep":[[[[{}]]]],"type":"odd"}"#;
    let line = format!(r#"{{"type":"strange","session":"a","id":"x","body":{body}}}"#);
    let events = translated(line.as_bytes(), usize::MAX);
    let kept = events.iter().any(|event| match &event.body {
        EventBody::ItemCompleted(state) => match &state.item.content[..] {
            [ContentBlock::Other(object)] => object.json().get() == body,
            _ => false,
        },
        _ => false,
    });
    assert!(kept, "{events:?}");
}
