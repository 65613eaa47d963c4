//! What the host says, as events: its replies settle requests, and its messages are told where the agent does not
//! repeat them.

use std::borrow::Cow;
use std::sync::Arc;

use interlingua_table::BlockKind;

use super::item::{Class, Header, Located, NewItem};
use super::part::TextPart;
use super::request::{Answer, Sort};
use super::slots::Find;
use super::state::State;
use crate::engine::json_text::quoted;
use crate::engine::piece::{Fragment, TextUpdate};
use crate::vocabulary::{
    Command, ContentBlock, HostCallOutcome, ItemKind, ItemRole, ItemStatus, MessageSource, Origin,
    PermissionOption, PermissionOutcome, QuestionOutcome, SessionId,
};

/// How many messages of the host may wait for their turn; of more, the oldest are not told.
const UNSAID: usize = 1024;

/// A command that the host has given, and what is known about it.
#[derive(Debug)]
pub(crate) struct Heard<'c> {
    pub(crate) command: &'c Command,
    /// The session that it is for.
    pub(crate) session: For,
    /// The session in which the request is open that it answers.
    pub(crate) asked_in: Option<&'c SessionId>,
    /// The offered option that it takes.
    pub(crate) option: Option<&'c PermissionOption>,
    /// Its message is to be told, with this native id if it has one.
    pub(crate) tell: Option<Option<String>>,
}

/// Which session a command is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum For {
    /// The stream's first one.
    First,
    /// The one of this native id, which the stream need not have shown yet.
    Native(String),
    /// The one of this id, which has no native one.
    Known(SessionId),
}

/// A message of the host that waits for the turn that it begins.
#[derive(Debug)]
pub(crate) struct Unsaid {
    session: For,
    id: Option<String>,
    content: Vec<ContentBlock>,
}

impl State {
    /// Applies a command that the host has given.
    pub(crate) fn apply_command(&mut self, heard: Heard<'_>) {
        self.out.time = None;
        self.out.native = None;
        if matches!(heard.command, Command::MessageSend(_)) {
            // The host speaks again, so the agent has had its say.
            self.idle();
        }
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
            let number = heard.asked_in.and_then(|session| self.known(session));
            if let Some(number) = number {
                let State { sessions, out, .. } = self;
                sessions[number].settle_for_host(out, sort, id, answer);
            }
        }
        if let (Command::MessageSend(message), Some(id)) = (heard.command, heard.tell) {
            let message = Unsaid { session: heard.session, id, content: message.content.clone() };
            self.unsaid.push_back(message);
            self.tried_at = u64::MAX;
            self.say_unsaid(false);
            // Whoever says ever more to a session that never begins is not remembered without end.
            if self.unsaid.len() > UNSAID {
                self.unsaid.pop_front();
            }
        }
    }

    /// Tells the messages of the host whose turn has begun, or with `all` the others as well.
    pub(crate) fn say_unsaid(&mut self, all: bool) {
        // Unless a session or a turn has begun, they go on waiting.
        let openings = self.out.counts.openings();
        if self.unsaid.is_empty() || (self.tried_at == openings && !all) {
            return;
        }
        self.tried_at = openings;
        let at_end = self.turn_answered_at_end;
        for message in std::mem::take(&mut self.unsaid) {
            let number = self.addressed(&message.session);
            let ready = number.is_some_and(|number| {
                let session = &self.sessions[number];
                let begins = at_end || session.turns.newest().is_some();
                session.started && !session.ended && begins
            });
            match number {
                Some(number) if ready => self.say_message(number, message),
                _ if all => {
                    let obtained = match &message.session {
                        For::First => self.obtain(None),
                        // An agent that has never opened this session has refused the message.
                        For::Native(_) if at_end => number,
                        For::Native(native) => self.obtain(Some(native)),
                        // It has ended, and nobody else was meant.
                        For::Known(_) => number,
                    };
                    if let Some(number) = obtained {
                        self.start(number, Origin::Daemon);
                        self.say_message(number, message);
                    }
                }
                _ => self.unsaid.push_back(message),
            }
        }
    }

    fn addressed(&mut self, session: &For) -> Option<usize> {
        match session {
            For::First => self.find(None),
            For::Native(native) => self.find(Some(native)),
            For::Known(id) => self.known(id),
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
                        text: TextUpdate::Whole(Fragment::Decoded(Cow::Owned(text.text))),
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
