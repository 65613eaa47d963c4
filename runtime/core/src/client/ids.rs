//! Ids of requests as a client sees them. Agents of several sessions may use the same ones, and their client must tell
//! them apart: those of every session but the first begin with the session's number.

use std::borrow::Cow;

use crate::vocabulary::{Command, Event, EventBody};

/// The event, with the id that the client sees.
pub(super) fn outward(event: &Event, session: usize) -> Cow<'_, Event> {
    if session == 0 {
        return Cow::Borrowed(event);
    }
    let seen = |id: &str| format!("{}{id}", prefix(session));
    let mut event = event.clone();
    match &mut event.body {
        EventBody::PermissionRequested(data) => data.permission_id = seen(data.permission_id.as_str()).into(),
        EventBody::PermissionResolved(data) => data.permission_id = seen(data.permission_id.as_str()).into(),
        EventBody::QuestionRequested(data) => data.question_id = seen(data.question_id.as_str()).into(),
        EventBody::QuestionResolved(data) => data.question_id = seen(data.question_id.as_str()).into(),
        EventBody::HostCallRequested(data) => data.request_id = seen(data.request_id.as_str()).into(),
        EventBody::HostCallResolved(data) => data.request_id = seen(data.request_id.as_str()).into(),
        _ => {}
    }
    Cow::Owned(event)
}

/// Gives a command the id that the agent knows.
pub(super) fn inward(command: &mut Command, session: usize) {
    if session == 0 {
        return;
    }
    let prefix = prefix(session);
    let known = |id: &str| id.strip_prefix(&prefix).unwrap_or(id).to_owned();
    match command {
        Command::PermissionReply(reply) => reply.permission_id = known(reply.permission_id.as_str()).into(),
        Command::QuestionReply(reply) => reply.question_id = known(reply.question_id.as_str()).into(),
        Command::QuestionReject(reply) => reply.question_id = known(reply.question_id.as_str()).into(),
        Command::HostCallReply(reply) => reply.request_id = known(reply.request_id.as_str()).into(),
        _ => {}
    }
}

fn prefix(session: usize) -> String {
    format!("{}:", session + 1)
}
