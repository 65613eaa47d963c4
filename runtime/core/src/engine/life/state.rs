//! The sessions of one stream.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::outbox::Outbox;
use super::session::Session;
use crate::engine::memory::Window;
use crate::engine::memory::hash::FastMap;
use crate::engine::options::Options;
use crate::vocabulary::{
    ContentBlock, NativeSessionId, Origin, Parent, SessionEnded, SessionId, SessionUpdated,
};

/// How many sessions are kept that were mentioned and did not start.
const UNSTARTED: usize = 4096;

/// How many messages with an id of their own are remembered, to know one that comes again.
const MESSAGES: usize = 4096;

/// Which session a command is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Addressee {
    /// The stream's first one.
    First,
    /// The one of this native id, which the stream need not have shown yet.
    Native(String),
    /// The one of this id, which has no native one.
    Known(SessionId),
}

/// A message of the host that waits for the turn that it begins.
#[derive(Debug)]
pub(crate) struct WaitingMessage {
    pub(crate) session: Addressee,
    pub(crate) id: Option<String>,
    pub(crate) content: Vec<ContentBlock>,
}

/// Everything that is remembered of one stream.
#[derive(Debug)]
pub(crate) struct State {
    /// Messages of the host that wait for their turn.
    pub(crate) waiting_messages: VecDeque<WaitingMessage>,
    /// How many sessions and turns had started when those messages were tried last.
    pub(crate) tried_at: u64,
    /// A message of the host begins its turn, since the agent answers it only when that turn ends.
    pub(crate) turn_answered_at_end: bool,
    pub(crate) options: Options,
    pub(crate) sessions: Vec<Session>,
    by_native: FastMap<Arc<str>, usize>,
    /// Sessions that have started, by their ids.
    by_id: FastMap<SessionId, usize>,
    /// The session that messages without a session belong to.
    first: Option<usize>,
    /// The session that was looked up last.
    last: usize,
    started: u64,
    unstarted: usize,
    /// Sessions whose parent has not started, by the parent's native id. Each waits for one parent.
    orphans: FastMap<Arc<str>, BTreeSet<usize>>,
    /// What each of them waits for.
    awaited: FastMap<usize, Arc<str>>,
    /// Hashes of the last messages with an id, by id; `None` for an id that several messages have.
    pub(crate) messages: Window<Option<u64>>,
    pub(crate) out: Outbox,
}

impl State {
    pub(crate) fn new(options: Options, turn_answered_at_end: bool) -> Self {
        Self {
            waiting_messages: VecDeque::new(),
            tried_at: 0,
            turn_answered_at_end,
            options,
            sessions: Vec::new(),
            by_native: FastMap::default(),
            by_id: FastMap::default(),
            first: None,
            last: 0,
            started: 0,
            unstarted: 0,
            orphans: FastMap::default(),
            awaited: FastMap::default(),
            messages: Window::new(MESSAGES),
            out: Outbox::default(),
        }
    }

    /// The session of a native id, or the one of messages without; none when it is not known
    /// or has ended.
    #[inline]
    pub(crate) fn find(&mut self, native: Option<&str>) -> Option<usize> {
        let found = match native {
            None => self.first?,
            Some(native) => {
                let is_last =
                    |session: &Session| session.native.as_ref().is_some_and(|last| last.as_str() == native);
                match self.sessions.get(self.last) {
                    Some(session) if is_last(session) => self.last,
                    _ => *self.by_native.get(native)?,
                }
            }
        };
        if self.sessions[found].ended {
            return None;
        }
        self.last = found;
        Some(found)
    }

    /// The same, for those who only want to look.
    pub(crate) fn peek(&self, native: Option<&str>) -> Option<&Session> {
        let number = match native {
            None => self.first?,
            Some(native) => match self.sessions.get(self.last) {
                Some(last) if last.native.as_ref().is_some_and(|last| last == native) => self.last,
                _ => *self.by_native.get(native)?,
            },
        };
        self.sessions.get(number).filter(|session| !session.ended)
    }

    /// The session of a native id, which need not have started. A session that began without
    /// an id takes the first one that is told.
    pub(crate) fn obtain(&mut self, native: Option<&str>) -> Option<usize> {
        if let Some(found) = self.find(native) {
            return Some(found);
        }
        if let Some(native) = native
            && let Some(first) = self.first
            && self.sessions[first].native.is_none()
            && !self.sessions[first].ended
        {
            let said = SessionUpdated {
                native_session_id: Some(NativeSessionId::from(native)),
                ..SessionUpdated::default()
            };
            self.learn(first, said, Origin::Daemon);
            return Some(first);
        }
        self.add(native)
    }

    fn add(&mut self, native: Option<&str>) -> Option<usize> {
        if self.unstarted >= UNSTARTED {
            return None;
        }
        let number = self.sessions.len();
        self.sessions.push(Session::new(native.map(NativeSessionId::from), &self.options));
        self.unstarted += 1;
        match native {
            Some(native) => drop(self.by_native.insert(native.into(), number)),
            None => self.first = Some(number),
        }
        self.last = number;
        Some(number)
    }

    /// The session of a native id that another one's message tells of. It never is the one that
    /// began without an id.
    pub(crate) fn obtain_apart(&mut self, native: &str) -> Option<usize> {
        if let Some(found) = self.find(Some(native)) {
            return Some(found);
        }
        self.add(Some(native))
    }

    /// Whether a native id names the session that started without an id.
    pub(crate) fn adopts(&self) -> bool {
        self.first.is_some_and(|first| {
            let first = &self.sessions[first];
            first.started && !first.ended && first.native.is_none()
        })
    }

    /// Starts a session, unless it has.
    pub(crate) fn start(&mut self, number: usize, origin: Origin) {
        if self.sessions[number].started {
            return;
        }
        self.started += 1;
        self.unstarted = self.unstarted.saturating_sub(1);
        let id = match self.started {
            1 => self.options.session_id.clone(),
            count => SessionId::from(format!("{}-{count}", self.options.session_id)),
        };
        let usable = |first: usize| self.sessions[first].started && !self.sessions[first].ended;
        if !self.first.is_some_and(usable) {
            self.first = Some(number);
        }
        self.by_id.insert(id.clone(), number);
        let session = &mut self.sessions[number];
        session.start(&mut self.out, id.clone(), origin);
        let native = session.native.clone();
        if let Some(children) = native.and_then(|native| self.orphans.remove(native.as_str())) {
            for child in children {
                self.awaited.remove(&child);
                let said = SessionUpdated { parent: Some(Parent::new(id.clone())), ..Default::default() };
                self.sessions[child].learn(&mut self.out, said, Origin::Daemon);
            }
        }
    }

    /// Updates the facts of a session.
    pub(crate) fn learn(&mut self, number: usize, said: SessionUpdated, origin: Origin) {
        if let Some(native) = &said.native_session_id {
            self.by_native.insert(native.shared(), number);
        }
        self.sessions[number].learn(&mut self.out, said, origin);
    }

    /// What links a session to its parent, once the parent has started; until then it waits.
    pub(crate) fn parent(&mut self, child: usize, native: &str, call: Option<&str>) -> Option<Parent> {
        let parent = match self.by_native.get(native) {
            Some(parent) if self.sessions[*parent].started && *parent != child => &self.sessions[*parent],
            Some(parent) if *parent == child => return None,
            _ => {
                self.await_parent(child, native);
                return None;
            }
        };
        let mut link = Parent::new(parent.id.clone());
        link.item_id = call.and_then(|call| parent.items.started_id(call));
        Some(link)
    }

    /// Lets a session wait for its parent's start, instead of an earlier, wrong parent.
    fn await_parent(&mut self, child: usize, native: &str) {
        let native: Arc<str> = native.into();
        let before = self.awaited.insert(child, Arc::clone(&native));
        if let Some(before) = before.filter(|before| *before != native)
            && let Some(children) = self.orphans.get_mut(&before)
        {
            children.remove(&child);
            if children.is_empty() {
                self.orphans.remove(&before);
            }
        }
        self.orphans.entry(native).or_default().insert(child);
    }

    /// The session of this id, if it has started and not ended.
    pub(crate) fn known(&self, id: &SessionId) -> Option<usize> {
        self.by_id.get(id).copied().filter(|number| !self.sessions[*number].ended)
    }

    /// Ends the input: ends every open session, with the host's reason if it has one.
    pub(crate) fn finish(&mut self, ended: Option<&SessionEnded>) {
        self.out.time = None;
        self.out.native = None;
        self.emit_waiting(true);
        // An agent that crashed before its first message gets a session as well, to report the reason.
        if ended.is_some()
            && self.sessions.is_empty()
            && let Some(number) = self.obtain(None)
        {
            self.start(number, Origin::Daemon);
        }
        for session in &mut self.sessions {
            session.end(&mut self.out, ended.cloned(), Origin::Daemon);
        }
    }

    /// Nothing has come for a while: what waited for the next message waits no more.
    pub(crate) fn idle(&mut self) {
        if self.out.held_ends == 0 {
            return;
        }
        for session in &mut self.sessions {
            session.settle_held_end(&mut self.out);
        }
    }

    /// Whether something waits for the next message.
    pub(crate) fn holds(&self) -> bool {
        self.out.held_ends > 0
    }

    /// How many things are remembered: what memory grows with.
    pub(crate) fn len(&self) -> usize {
        let session = |session: &Session| {
            1 + session.turns.len()
                + session.items.len()
                + session.requests.len()
                + session.registers.len()
                + session.agents.len()
        };
        self.waiting_messages.len() + self.messages.len() + self.sessions.iter().map(session).sum::<usize>()
    }
}
