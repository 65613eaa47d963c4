//! What the host says, as events: its replies settle requests, and its messages are told where the agent does not
//! repeat them.

use std::borrow::Cow;
use std::sync::Arc;

use interlingua_table::BlockKind;

use super::eval::{Val, quoted};
use super::item::{Class, Header, Located, NewItem};
use super::part::{Said, TextPart};
use super::request::{Answer, Sort};
use super::slots::Find;
use super::state::State;
use super::translate::Core;
use crate::vocabulary::{
    Command, ContentBlock, HostCallOutcome, ItemKind, ItemRole, ItemStatus, MessageSource, Origin,
    PermissionOption, PermissionOutcome, QuestionOutcome,
};

/// A command that the host has given, and what is known about it.
#[derive(Debug)]
pub(crate) struct Heard<'c> {
    pub(crate) command: &'c Command,
    /// The native id of the session that it is for; none for the stream's first one.
    pub(crate) session: Option<&'c str>,
    /// The offered option that it takes.
    pub(crate) option: Option<&'c PermissionOption>,
    /// Its message is to be told, with this native id if it has one.
    pub(crate) tell: Option<Option<String>>,
}

/// A message of the host that waits for the turn that it begins.
#[derive(Debug)]
pub(super) struct Unsaid {
    session: Option<String>,
    id: Option<String>,
    content: Vec<ContentBlock>,
}

impl Core {
    /// Takes up a command that the host has given.
    pub(super) fn hear(&mut self, heard: Heard<'_>) {
        let state = self.state_mut();
        state.out.time = None;
        state.out.native = None;
        let settled = match heard.command {
            Command::PermissionReply(reply) => Some((
                Sort::Permission,
                reply.permission_id.as_str(),
                Answer::Permission {
                    outcome: heard
                        .option
                        .map(|option| option.outcome)
                        .or(reply.outcome)
                        .unwrap_or(PermissionOutcome::Unknown),
                    message: reply.message.clone(),
                    updated_input: reply.updated_input.clone(),
                },
            )),
            Command::QuestionReply(reply) => Some((
                Sort::Question,
                reply.question_id.as_str(),
                Answer::Question {
                    outcome: QuestionOutcome::Answered,
                    answers: reply.answers.clone(),
                    content: reply.content.clone(),
                    message: None,
                },
            )),
            Command::QuestionReject(reply) => Some((
                Sort::Question,
                reply.question_id.as_str(),
                Answer::Question {
                    outcome: QuestionOutcome::Rejected,
                    answers: None,
                    content: None,
                    message: reply.message.clone(),
                },
            )),
            Command::HostCallReply(reply) => Some((
                Sort::HostCall,
                reply.request_id.as_str(),
                Answer::HostCall {
                    outcome: match reply.error {
                        None => HostCallOutcome::Done,
                        Some(_) => HostCallOutcome::Failed,
                    },
                    payload: reply.payload.clone(),
                },
            )),
            _ => None,
        };
        if let Some((sort, id, answer)) = settled {
            let State { sessions, out, .. } = state;
            // A request is named by its id alone, whichever session of the stream asked.
            if let Some(session) = sessions.iter_mut().find(|session| session.requests.is_open(sort, id)) {
                session.settle_for_host(out, sort, id, answer);
            }
        }
        if let (Command::MessageSend(message), Some(id)) = (heard.command, heard.tell) {
            let session = heard.session.map(str::to_owned);
            state.unsaid.push(Unsaid { session, id, content: message.content.clone() });
            state.say_unsaid(false);
        }
    }
}

impl State {
    /// Tells the messages of the host whose turn has begun, or with `all` the others as well.
    pub(super) fn say_unsaid(&mut self, all: bool) {
        if self.unsaid.is_empty() {
            return;
        }
        for message in std::mem::take(&mut self.unsaid) {
            let number = self.find(message.session.as_deref());
            let ready = number.is_some_and(|number| {
                let session = &self.sessions[number];
                session.started && !session.ended && session.turns.newest().is_some()
            });
            match number {
                Some(number) if ready => self.say_message(number, message),
                _ if all => {
                    if let Some(number) = self.obtain(message.session.as_deref()) {
                        self.start(number, Origin::Daemon);
                        self.say_message(number, message);
                    }
                }
                _ => self.unsaid.push(message),
            }
        }
    }

    fn say_message(&mut self, number: usize, message: Unsaid) {
        self.out.time = None;
        self.out.native = None;
        let State { sessions, out, .. } = self;
        let session = &mut sessions[number];
        let Unsaid { id, content, .. } = message;
        if let Some(id) = &id
            && (!session.first_time(&quoted(id))
                || !matches!(session.items.locate(Class::Message, id), Located::New))
        {
            return;
        }
        let turn = session.turn_for(out, None);
        let native: Option<Arc<str>> = id.map(Into::into);
        let header =
            Header { role: Some(ItemRole::User), source: Some(MessageSource::User), ..Header::default() };
        let new = NewItem {
            class: Class::Message,
            kind: ItemKind::Message,
            key: native.clone(),
            native,
            call: None,
            header,
            content: Vec::new(),
            turn: Some(turn),
            agent: None,
            origin: Origin::Daemon,
        };
        let serial = session.start_item(out, new);
        for block in content {
            match block {
                ContentBlock::Text(text) => session.put_text(
                    out,
                    serial,
                    TextPart {
                        kind: BlockKind::Text,
                        find: Find::New,
                        text: Said::Whole(Val::Text(Cow::Owned(text.text))),
                        annotations: text.annotations,
                        visibility: None,
                        signature: None,
                    },
                ),
                other => session.put_block(serial, BlockKind::Other, Find::New, other),
            }
        }
        session.complete_item(out, serial, ItemStatus::Completed, Origin::Daemon);
    }
}
