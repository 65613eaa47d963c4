//! An agent that answers a prompt only when its turn ends: live and from a recording, the same events come in the same
//! order.
#![cfg(feature = "providers")]

use interlingua::vocabulary::{Event, EventBody, MessageSend};
use interlingua::{Options, Replay, Session};

const OPENED: [(&str, &str); 2] = [
    (
        r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}"#,
        r#"{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"}}}"#,
    ),
    (
        r#"{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"n","result":{"sessionId":"S"}}"#,
    ),
];

const PROMPT: &str = r#"{"jsonrpc":"2.0","id":"session/prompt-1","method":"session/prompt","params":{"sessionId":"S",
    "prompt":[{"type":"text","text":"Go"}]}}"#;

const CHUNK: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{
    "sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Gone."}}}}"#;

const ENDED: &str = r#"{"jsonrpc":"2.0","id":"session/prompt-1","result":{"stopReason":"end_turn"}}"#;

const REFUSED: &str = r#"{"jsonrpc":"2.0","id":"session/prompt-1","error":{"code":-32603,"message":"No."}}"#;

/// One message a line.
fn lines<'t>(messages: impl IntoIterator<Item = &'t str>) -> String {
    messages.into_iter().map(|message| message.replace('\n', "") + "\n").collect()
}

fn kinds(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.body.event_type()).collect()
}

fn recorded(answers: &[&str]) -> Vec<Event> {
    let host = lines(OPENED.iter().map(|(host, _)| *host).chain([PROMPT]));
    let agent = lines(OPENED.iter().map(|(_, agent)| *agent).chain(answers.iter().copied()));
    let acp = interlingua::provider("acp").expect("a bundled provider");
    let replay = Replay::new(acp, Options::default(), agent.as_bytes(), host.as_bytes());
    replay.flat_map(interlingua::Moment::into_events).collect()
}

fn live(answers: &[&str]) -> Vec<Event> {
    let acp = interlingua::provider("acp").expect("a bundled provider");
    let mut session = Session::new(acp, Options::default());
    let mut events = Vec::new();
    for (host, agent) in OPENED {
        session.note_host_message(host.as_bytes());
        events.extend(session.push_message(agent.as_bytes()).events);
    }
    let said = session.command(&MessageSend::text("Go").into()).expect("the session is open");
    events.extend(said.events);
    for answer in answers {
        events.extend(session.push_message(answer.as_bytes()).events);
    }
    events.extend(session.finish().events);
    events
}

#[test]
fn the_turn_and_what_the_user_says_come_before_the_first_update() {
    let answers = [CHUNK, ENDED];
    let events = live(&answers);
    assert_eq!(
        kinds(&events),
        [
            "session.started",
            "turn.started",
            "item.started",
            "item.delta",
            "item.completed",
            "item.started",
            "item.delta",
            "item.completed",
            "turn.ended",
            "session.ended"
        ]
    );
    assert_eq!(kinds(&recorded(&answers)), kinds(&events));
}

#[test]
fn a_prompt_that_fails_at_once_is_the_failure_of_its_own_turn() {
    let events = live(&[REFUSED]);
    let turns: Vec<&Event> =
        events.iter().filter(|event| matches!(event.body, EventBody::TurnEnded(_))).collect();
    let [turn] = turns[..] else { panic!("one turn: {events:?}") };
    let EventBody::TurnEnded(ended) = &turn.body else { unreachable!() };
    assert_eq!(ended.error.as_ref().map(|error| error.message.as_str()), Some("No."));
    assert_eq!(kinds(&recorded(&[REFUSED])), kinds(&events));
}

#[test]
fn a_refused_prompt_for_a_session_that_nobody_knows_begins_none() {
    let host = lines(OPENED.iter().map(|(host, _)| *host)) + &lines([&*PROMPT.replace("\"S\"", "\"nope\"")]);
    let agent = lines(OPENED.iter().map(|(_, agent)| *agent).chain([REFUSED]));
    let acp = interlingua::provider("acp").expect("a bundled provider");
    let replay = Replay::new(acp, Options::default(), agent.as_bytes(), host.as_bytes());
    let events: Vec<Event> = replay.flat_map(interlingua::Moment::into_events).collect();
    assert_eq!(kinds(&events), ["session.started", "error", "session.ended"]);
}
