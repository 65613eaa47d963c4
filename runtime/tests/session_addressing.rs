//! Which session a host's message is told in, under an invented provider: `tests/session/switchboard.map`.

use std::sync::OnceLock;

use interlingua::table::Table;
use interlingua::vocabulary::{ContentBlock, Event, EventBody, MessageSend, SessionId};
use interlingua::{Options, Session, SessionOutput};
use interlingua_codegen::{SchemaText, compile};

fn switchboard() -> Session {
    static TABLE: OnceLock<&Table> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let schema = include_str!("session/switchboard.json");
        let map = include_str!("session/switchboard.map");
        match compile(map, "switchboard.map", |_: &str| Ok(SchemaText::new(schema))) {
            Ok(compiled) => compiled.table,
            Err(faults) => {
                let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
                panic!("{}", faults.join("\n"))
            }
        }
    });
    Session::new(table, Options::default())
}

/// What the host is told to have said, each with its session.
fn told(events: &[Event]) -> Vec<(String, String)> {
    let said = |event: &Event| match &event.body {
        EventBody::ItemCompleted(done) => match &done.item.content[..] {
            [ContentBlock::Text(text)] => Some((event.session_id.to_string(), text.text.clone())),
            _ => None,
        },
        _ => None,
    };
    events.iter().filter_map(said).collect()
}

fn hear(session: &mut Session, message: &str) -> SessionOutput {
    let host = session.read_host(message.as_bytes()).expect("a command");
    session.note_host_command(&host)
}

#[test]
fn a_session_without_a_native_id_is_no_other_one() {
    let mut session = switchboard();
    for line in [r#"{"type":"opened"}"#, r#"{"type":"begun"}"#, r#"{"type":"rested"}"#, r#"{"type":"gone"}"#]
    {
        session.push_message(line.as_bytes());
    }
    session.push_message(br#"{"type":"opened"}"#);
    session.push_message(br#"{"type":"begun"}"#);
    let (first, second) = (SessionId::from("s1"), SessionId::from("s1-2"));
    let late = session.command_for(&first, &MessageSend::text("late").into()).expect("it is sent");
    assert_eq!(told(&late.events), []);
    let step = session.command_for(&second, &MessageSend::text("in time").into()).expect("it is sent");
    assert_eq!(told(&step.events), [("s1-2".to_owned(), "in time".to_owned())]);
    // What came too late for its session is not told in another one, at the end neither.
    assert_eq!(told(&session.finish().events), []);
}

#[test]
fn a_message_to_a_session_that_is_not_there_yet_waits_for_it() {
    let mut session = switchboard();
    session.push_message(br#"{"type":"opened","session":"a"}"#);
    session.push_message(br#"{"type":"begun","session":"a"}"#);
    assert_eq!(told(&hear(&mut session, r#"{"text":"hello","session":"b"}"#).events), []);
    assert_eq!(told(&session.push_message(br#"{"type":"opened","session":"b"}"#).events), []);
    let step = session.push_message(br#"{"type":"begun","session":"b"}"#);
    assert_eq!(told(&step.events), [("s1-2".to_owned(), "hello".to_owned())]);
}

#[test]
fn what_waits_for_a_session_that_never_comes_is_bounded() {
    let mut session = switchboard();
    session.push_message(br#"{"type":"opened","session":"a"}"#);
    let before = session.state_len();
    let mut lengths = Vec::new();
    for number in 0..2000 {
        hear(&mut session, &format!(r#"{{"text":"{number}","session":"b"}}"#));
        lengths.push(session.state_len() - before);
    }
    assert_eq!((lengths[0], lengths[99], lengths[1999]), (1, 100, 1024));
    let told = told(&session.finish().events);
    assert_eq!(told.len(), 1024);
    assert_eq!(told[1023], ("s1-2".to_owned(), "1999".to_owned()));
}
