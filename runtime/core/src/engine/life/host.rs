//! The host's side: its replies settle requests, and its messages become events if the agent does not repeat them.

use std::borrow::Cow;
use std::sync::Arc;

use interlingua_table::BlockKind;

use super::item::NewItem;
use super::part::TextPart;
use super::request::Settlement;
use super::state::{Addressee, State, WaitingMessage};
use super::store::items::{Class, Header, Located};
use super::store::requests::RequestKind;
use super::store::slots::Find;
use crate::engine::json_text::quoted;
use crate::engine::piece::{Fragment, TextUpdate};
use crate::vocabulary::{
    Command, ContentBlock, HostCallOutcome, ItemKind, ItemRole, ItemStatus, MessageSource, Origin,
    PermissionOption, PermissionOutcome, QuestionOutcome, SessionId,
};

/// How many of the host's messages may wait for their turn; beyond that, the oldest are dropped.
const WAITING_MESSAGES: usize = 1024;

/// A command that the host has given, and what is known about it.
#[derive(Debug)]
pub(crate) struct GivenCommand<'c> {
    pub(crate) command: &'c Command,
    /// The session that it is for.
    pub(crate) session: Addressee,
    /// The session in which the request is open that it answers.
    pub(crate) asked_in: Option<&'c SessionId>,
    /// The offered option that it takes.
    pub(crate) option: Option<&'c PermissionOption>,
    /// Its message becomes an event, with this native id if it has one.
    pub(crate) tell: Option<Option<String>>,
}

impl State {
    /// Applies a command that the host has given.
    pub(crate) fn apply_command(&mut self, given: GivenCommand<'_>) {
        self.out.time = None;
        self.out.native = None;
        if matches!(given.command, Command::MessageSend(_)) {
            // The host sends a new message, so a held turn end is final.
            self.idle();
        }
        let settled = match given.command {
            Command::PermissionReply(reply) => Some((
                RequestKind::Permission,
                reply.permission_id.as_str(),
                Settlement::Permission {
                    outcome: given
                        .option
                        .map(|option| option.outcome)
                        .or(reply.outcome)
                        .unwrap_or(PermissionOutcome::Unknown),
                    message: reply.message.clone(),
                    updated_input: reply.updated_input.clone(),
                },
            )),
            Command::QuestionReply(reply) => Some((
                RequestKind::Question,
                reply.question_id.as_str(),
                Settlement::Question {
                    outcome: QuestionOutcome::Answered,
                    answers: reply.answers.clone(),
                    content: reply.content.clone(),
                    message: None,
                },
            )),
            Command::QuestionReject(reply) => Some((
                RequestKind::Question,
                reply.question_id.as_str(),
                Settlement::Question {
                    outcome: QuestionOutcome::Rejected,
                    answers: None,
                    content: None,
                    message: reply.message.clone(),
                },
            )),
            Command::HostCallReply(reply) => Some((
                RequestKind::HostCall,
                reply.request_id.as_str(),
                Settlement::HostCall {
                    outcome: match reply.error {
                        None => HostCallOutcome::Done,
                        Some(_) => HostCallOutcome::Failed,
                    },
                    payload: reply.payload.clone(),
                },
            )),
            _ => None,
        };
        if let Some((kind, id, answer)) = settled {
            let number = given.asked_in.and_then(|session| self.known(session));
            if let Some(number) = number {
                let State { sessions, out, .. } = self;
                sessions[number].settle_for_host(out, kind, id, answer);
            }
        }
        if let (Command::MessageSend(message), Some(id)) = (given.command, given.tell) {
            let message = WaitingMessage { session: given.session, id, content: message.content.clone() };
            self.waiting_messages.push_back(message);
            self.tried_at = u64::MAX;
            self.emit_waiting(false);
            // Messages for a session that never starts must not fill the memory.
            if self.waiting_messages.len() > WAITING_MESSAGES {
                self.waiting_messages.pop_front();
            }
        }
    }

    /// Emits the host's messages whose turn has started, or with `all` the others as well.
    pub(crate) fn emit_waiting(&mut self, all: bool) {
        // Unless a session or a turn has begun, they go on waiting.
        let openings = self.out.counts.openings();
        if self.waiting_messages.is_empty() || (self.tried_at == openings && !all) {
            return;
        }
        self.tried_at = openings;
        let at_end = self.turn_answered_at_end;
        for message in std::mem::take(&mut self.waiting_messages) {
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
                        Addressee::First => self.obtain(None),
                        // An agent that has never opened this session has refused the message.
                        Addressee::Native(_) if at_end => number,
                        Addressee::Native(native) => self.obtain(Some(native)),
                        // The session has ended, and the message is for no other.
                        Addressee::Known(_) => number,
                    };
                    if let Some(number) = obtained {
                        self.start(number, Origin::Daemon);
                        self.say_message(number, message);
                    }
                }
                _ => self.waiting_messages.push_back(message),
            }
        }
    }

    fn addressed(&mut self, session: &Addressee) -> Option<usize> {
        match session {
            Addressee::First => self.find(None),
            Addressee::Native(native) => self.find(Some(native)),
            Addressee::Known(id) => self.known(id),
        }
    }

    fn say_message(&mut self, number: usize, message: WaitingMessage) {
        self.out.time = None;
        self.out.native = None;
        let State { sessions, out, .. } = self;
        let session = &mut sessions[number];
        let WaitingMessage { id, content, .. } = message;
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
