//! Both directions: hosts that answer, wait and send requests.

use std::fmt::Write as _;

use interlingua::table::Table;
use interlingua::vocabulary::{
    Command, Message, MessageSource, ModelRequest, PermissionOutcome, PermissionReply, Role,
};
use interlingua::vocabulary::{ContentBlock, Json, MessageSend};
use interlingua::{Options, Replay, Session, Writer};

use crate::Probe;

fn provider(name: &str) -> &'static Table {
    interlingua::provider(name).expect("a bundled provider")
}

fn asks(number: usize) -> String {
    format!(
        concat!(
            r#"{{"type":"control_request","request_id":"r{0}","request":{{"subtype":"can_use_tool","#,
            r#""tool_name":"Bash","input":{{"command":"ls"}},"tool_use_id":"t{0}"}}}}"#
        ),
        number
    )
}

fn init(session: usize) -> String {
    format!(
        concat!(
            r#"{{"type":"system","subtype":"init","session_id":"s{}","cwd":"/x","tools":[],"model":"m","#,
            r#""claude_code_version":"2.1.0"}}"#
        ),
        session
    )
}

fn answers(number: usize) -> String {
    format!(
        concat!(
            r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"r{}","#,
            r#""response":{{"behavior":"allow","updatedInput":{{}}}}}}}}"#
        ),
        number
    )
}

/// A session in which so many permissions are requested.
fn asked(length: usize) -> Session {
    let mut session = Session::new(provider("claude"), Options::new());
    session.push_message(init(0).as_bytes());
    for number in 0..length {
        session.push_message(asks(number).as_bytes());
    }
    assert_eq!(session.pending().iter().count(), length);
    session
}

pub(crate) const PROBES: &[Probe] = &[
    ("open requests that a host answers", |length| {
        let mut session = asked(length);
        for number in 0..length {
            let reply =
                Command::from(PermissionReply::new(format!("r{number}"), PermissionOutcome::AllowOnce));
            session.command(&reply).expect("the request is open");
        }
        assert_eq!(session.pending().iter().count(), 0);
    }),
    ("messages of a host while requests are open", |length| {
        let mut session = asked(length);
        for number in 0..length {
            let command = session.read_host(answers(number).as_bytes()).expect("it is a reply");
            session.note_host_command(&command);
        }
        assert_eq!(session.pending().iter().count(), 0);
    }),
    ("sessions that a host sends to", |length| {
        let mut session = Session::new(provider("claude"), Options::new());
        let mut ids = Vec::new();
        for number in 0..length {
            let step = session.push_message(init(number).as_bytes());
            ids.extend(step.events.into_iter().map(|event| event.session_id));
        }
        let said = Command::from(MessageSend::text("hello"));
        for id in &ids {
            session.command_for(id, &said).expect("the session is known");
        }
    }),
    ("messages of an agent while commands wait", |length| {
        let mut session = Session::new(provider("codex"), Options::new());
        let said = Command::from(MessageSend::text("hello"));
        for _ in 0..500 {
            session.command(&said).expect("it waits");
        }
        for number in 0..length {
            session
                .push_message(format!(r#"{{"method":"weird","params":{{"number":{number}}}}}"#).as_bytes());
        }
    }),
    ("both files of a recording", |length| {
        let (mut agent, mut host) = (init(0) + "\n", String::new());
        for number in 0..length {
            let _ = writeln!(agent, "{}", asks(number));
            let _ = writeln!(host, "{}", answers(number));
        }
        let replay = Replay::new(provider("claude"), Options::new(), agent.as_bytes(), host.as_bytes());
        assert!(replay.count() > length);
    }),
    ("a recording whose host has answered nothing", |length| {
        let (mut agent, mut host) = (init(0) + "\n", String::new());
        for number in 0..length {
            let _ = writeln!(agent, "{}", asks(number));
            let _ =
                writeln!(host, r#"{{"type":"user","message":{{"role":"user","content":"hello {number}"}}}}"#);
        }
        let replay = Replay::new(provider("claude"), Options::new(), agent.as_bytes(), host.as_bytes());
        assert!(replay.count() > length);
    }),
    ("messages of one role in a request", |length| request("anthropic-messages", length)),
    ("messages of one role in a request to gemini", |length| request("gemini", length)),
    ("degradations of a request", |length| {
        let image =
            |number| ContentBlock::json(Json::parse(format!(r#"{{"number":{number}}}"#)).expect("JSON"));
        let content = (0..length).map(image).collect();
        send("openai-chat", vec![message(0, content)]);
    }),
];

fn message(number: usize, content: Vec<ContentBlock>) -> Message {
    let mut message = Message::new(format!("m{number}"), Role::User, MessageSource::User);
    message.content = content;
    message
}

fn request(name: &str, length: usize) {
    let said = |number| message(number, vec![ContentBlock::text(format!("message {number}"))]);
    send(name, (0..length).map(said).collect());
}

fn send(name: &str, messages: Vec<Message>) {
    let mut request = ModelRequest::new("model");
    request.messages = messages;
    Writer::new(provider(name)).request(&request).expect("a provider of models");
}
