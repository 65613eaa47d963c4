//! Commands that wait for an answer of the agent, and what they see of the session.
#![cfg(feature = "providers")]

use interlingua::vocabulary::{
    Command, EventBody, MessageSend, PermissionOutcome, PermissionReply, SessionEnd, SessionStart,
    TurnInterrupt,
};
use interlingua::{CommandError, NativeMessage, Options, Session, SessionOutput};
use serde_json::{Value, json};

fn acp() -> Session {
    Session::new(interlingua::provider("acp").expect("a bundled provider"), Options::default())
}

/// What is sent: the JSON texts.
fn sent(step: &SessionOutput) -> Vec<Value> {
    let texts = step.messages.iter().filter_map(|message| match message {
        NativeMessage::Text(text) => Some(text),
        _ => None,
    });
    texts.map(|text| serde_json::from_str(text.get()).expect("JSON")).collect()
}

/// The methods of what is sent.
fn methods(step: &SessionOutput) -> Vec<String> {
    sent(step).iter().map(|message| message["method"].as_str().unwrap_or("answer").to_owned()).collect()
}

/// The agent answers a request with a result.
fn answer(session: &mut Session, id: &Value, result: Value) -> SessionOutput {
    session.push_message(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string().as_bytes())
}

/// A session that was opened as `S` and prompted.
fn prompted() -> (Session, Value) {
    let mut session = acp();
    let step = session.command(&SessionStart::default().into()).expect("a start");
    let step = answer(&mut session, &sent(&step)[0]["id"], json!({"protocolVersion": 1}));
    answer(&mut session, &sent(&step)[0]["id"], json!({"sessionId": "S"}));
    let step = session.command(&MessageSend::text("Go").into()).expect("a prompt");
    let id = sent(&step)[0]["id"].clone();
    (session, id)
}

/// The agent asks for permission to run call `t`.
fn ask(session: &mut Session) {
    let asked = json!({"jsonrpc": "2.0", "id": 7, "method": "session/request_permission", "params": {
        "sessionId": "S", "toolCall": {"toolCallId": "t", "kind": "edit"},
        "options": [{"optionId": "n", "name": "No", "kind": "reject_once"}]}});
    session.push_message(asked.to_string().as_bytes());
}

#[test]
fn a_start_waits_for_the_answer_to_initialize() {
    let mut session = acp();
    let step = session.command(&SessionStart::default().with_prompt("Go").into()).expect("a start");
    assert!(matches!(step.messages[0], NativeMessage::Spawn { .. }));
    assert_eq!(methods(&step), ["initialize"]);
    let step = answer(&mut session, &sent(&step)[0]["id"], json!({"protocolVersion": 1}));
    assert_eq!(methods(&step), ["session/new"]);
    let step = answer(&mut session, &sent(&step)[0]["id"], json!({"sessionId": "S"}));
    assert_eq!(methods(&step), ["session/prompt"]);
    assert_eq!(step.refused, []);
}

#[test]
fn a_start_is_refused_with_the_request_that_prepares_it() {
    let mut session = acp();
    let start = Command::from(SessionStart::default());
    let step = session.command(&start).expect("a start");
    let id = &sent(&step)[0]["id"];
    let refusal = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32600, "message": "too old"}});
    let step = session.push_message(refusal.to_string().as_bytes());
    assert_eq!(methods(&step), Vec::<String>::new());
    assert_eq!(step.refused, [(start, CommandError::Refused("too old".to_owned()))]);
    assert_eq!(session.finish().refused, []);
}

#[test]
fn a_start_that_still_waits_at_the_end_is_refused() {
    let mut session = acp();
    let start = Command::from(SessionStart::default());
    session.command(&start).expect("a start");
    assert_eq!(session.finish().refused, [(start, CommandError::Ended)]);
}

#[test]
fn after_a_load_the_prompt_waits_for_its_answer() {
    let mut session = acp();
    let start = SessionStart::default().with_resume("S").with_prompt("Go on");
    let step = session.command(&start.into()).expect("a start");
    let step = answer(&mut session, &sent(&step)[0]["id"], json!({"protocolVersion": 1}));
    assert_eq!(methods(&step), ["session/load"]);
    let load = sent(&step)[0]["id"].clone();
    // The history is told first, and names the session.
    let said = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "S", "update": {
        "sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "Before"}}}});
    let step = session.push_message(said.to_string().as_bytes());
    assert_eq!(methods(&step), Vec::<String>::new());
    let step = answer(&mut session, &load, json!({}));
    assert_eq!(methods(&step), ["session/prompt"]);
}

#[test]
fn the_end_does_not_wait() {
    let mut session = acp();
    session.command(&SessionStart::default().into()).expect("a start");
    let step = session.command(&SessionEnd::default().into()).expect("the end");
    assert_eq!(step.messages, [NativeMessage::HangUp]);
}

#[test]
fn an_interrupt_cancels_the_open_permissions() {
    let (mut session, _) = prompted();
    ask(&mut session);
    let step = session.command(&TurnInterrupt::default().into()).expect("an interrupt");
    let [cancel, reply] = &sent(&step)[..] else { panic!("two messages: {:?}", step.messages) };
    assert_eq!(cancel["method"], "session/cancel");
    assert_eq!(*reply, json!({"jsonrpc": "2.0", "id": 7, "result": {"outcome": {"outcome": "cancelled"}}}));
    let [event] = &step.events[..] else { panic!("one event: {:?}", step.events) };
    let EventBody::PermissionResolved(resolved) = &event.body else { panic!("{event:?}") };
    assert_eq!(resolved.outcome, PermissionOutcome::Cancelled);
}

#[test]
fn a_call_whose_permission_was_refused_is_declined() {
    let (mut session, _) = prompted();
    ask(&mut session);
    session.command(&PermissionReply::new("7", PermissionOutcome::Reject).into()).expect("a reply");
    let failed = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "S", "update": {
        "sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "failed"}}});
    let step = session.push_message(failed.to_string().as_bytes());
    let ended = step.events.iter().filter_map(|event| match &event.body {
        EventBody::ItemCompleted(ended) => Some(ended.item.status.as_str()),
        _ => None,
    });
    assert_eq!(ended.collect::<Vec<_>>(), ["declined", "declined"]);
}
