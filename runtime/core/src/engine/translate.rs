//! From a frame of the stream to the rule that takes it.

use std::collections::VecDeque;

use interlingua_table::{Rule, Table};

use crate::engine::life::state::State;
use crate::engine::memory::hash::hash_of;
use crate::engine::options::Options;
use crate::engine::read::dispatch::{NOISE_TRIES, plain, rules_for};
use crate::engine::read::eval::Reading;
use crate::engine::read::pairing::{Answered, Asked};
use crate::engine::read::program::{Program, ReadProgram};
use crate::engine::read::scope::Scope;
use crate::engine::read::unread::Unread;
use crate::engine::say::run::{Inside, Run};
use crate::engine::say::unparsed::unparsed;
use crate::engine::stats::Stats;
use crate::framing::{Frame, FrameProblem, object_starts};
use crate::json::{Added, Index, ParseError, Value};
use crate::vocabulary::{Event, EventBody, NativeRef, Origin, RuleName, SessionEnded};

/// Why a message is ignored that came before.
const REPEATED: &str = "the same message came before, with the same id";

/// The rule's name of events that no rule gave.
const NO_RULE: &str = "unparsed";

/// Everything but the framing.
#[derive(Debug)]
pub(crate) struct Core {
    program: ReadProgram,
    /// The messages that wait for their translation.
    waiting: Index,
    /// One message by itself.
    index: Index,
    state: State,
    /// What the host has asked and the agent has not answered yet.
    asked: Asked,
    /// The answers that have come, until somebody takes them.
    pub(crate) answered: Vec<Answered>,
    pub(crate) stats: Stats,
    /// How many messages each rule has ignored.
    ignored: Vec<u64>,
    unread: Option<Unread>,
    raw: bool,
    /// How many messages came again.
    repeated: u64,
    /// The rule that took the last message.
    pub(crate) last_rule: Option<&'static Rule>,
}

/// A message that waits for its translation.
pub(crate) struct Waiting<'p> {
    frame: Frame<'p>,
    added: Result<Added<'p>, ParseError>,
}

/// What became of a message.
enum Outcome {
    Translated(usize),
    Ignored(usize),
    /// The same message came before.
    Repeated,
    /// The rule gave nothing but `agent.unparsed` for parts of the message.
    Lost,
    Unparsed {
        error: String,
        location: Option<String>,
    },
}

impl Core {
    pub(crate) fn new(table: &'static Table, options: Options) -> Self {
        Self {
            program: ReadProgram::of(table),
            waiting: Index::with_max_depth(options.depth_limit).text_limit(options.text_limit),
            index: Index::with_max_depth(options.depth_limit).text_limit(options.text_limit),
            raw: options.raw,
            unread: options.count_unread.then(Unread::default),
            state: State::new(options, table.pairing.turn_answered_at_end),
            asked: Asked::default(),
            answered: Vec::new(),
            stats: Stats::default(),
            ignored: vec![0; table.rules.len()],
            repeated: 0,
            last_rule: None,
        }
    }

    pub(crate) fn table(&self) -> &'static Table {
        self.program.table
    }

    pub(crate) fn events(&mut self) -> &mut VecDeque<Event> {
        &mut self.state.out.events
    }

    pub(crate) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    pub(crate) fn finish(&mut self, ended: Option<&SessionEnded>) {
        self.state.finish(ended);
    }

    pub(crate) fn idle(&mut self) {
        self.state.idle();
    }

    pub(crate) fn holds(&self) -> bool {
        self.state.holds()
    }

    pub(crate) fn state_len(&self) -> usize {
        self.state.len() + self.asked.len()
    }

    /// Notes a message that the host has sent.
    pub(crate) fn note_host_message(&mut self, message: &[u8]) {
        self.asked.note(&self.program, &mut self.index, message);
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = self.stats.clone();
        for (rule, count) in self.program.table.rules.iter().zip(&self.ignored) {
            if let Some(reason) = rule.ignore
                && *count > 0
            {
                *stats.ignored.entry(reason.to_owned()).or_default() += count;
            }
        }
        if self.repeated > 0 {
            *stats.ignored.entry(REPEATED.to_owned()).or_default() += self.repeated;
        }
        stats.unread = self.unread.as_ref().map(Unread::counts).unwrap_or_default();
        stats.events = self.state.out.counts.by_type();
        stats
    }

    /// Takes one message, which is translated with the next call of [`translate_all`](Self::translate_all): going over
    /// many messages twice is quicker than going from one work to the other with each, because the processor's cache
    /// holds the code of the one or the other. A message that does not lie in `piece` is translated at once.
    pub(crate) fn take<'p>(&mut self, frame: &Frame<'_>, piece: &'p [u8], waiting: &mut Vec<Waiting<'p>>) {
        match part_of(piece, frame.bytes) {
            Some(bytes) if frame.problem.is_none() && self.asked.is_empty() => {
                let added = self.waiting.add(bytes, &self.program.keys);
                waiting.push(Waiting { frame: Frame { bytes, event: None, id: None, ..*frame }, added });
            }
            _ => {
                self.translate_all(waiting);
                self.frame(frame);
            }
        }
    }

    /// Translates the messages that wait.
    pub(crate) fn translate_all(&mut self, waiting: &mut Vec<Waiting<'_>>) {
        for Waiting { frame, added } in waiting.drain(..) {
            self.begin(&frame);
            let Self { program, waiting, state, unread, .. } = self;
            let before = state.out.total;
            let outcome =
                added.map(|added| translate(program, state, unread, waiting.document(&added).root()));
            self.end(&frame, before, outcome);
        }
        self.waiting.clear();
    }

    /// Translates one message.
    pub(crate) fn frame(&mut self, frame: &Frame<'_>) {
        self.begin(frame);
        if let Some(FrameProblem::TooLong { sha256 }) = frame.problem {
            let error = format!("the message is longer than {} bytes", self.state.options.message_limit);
            return self.give_up(error, None, frame.bytes, Some(sha256), None);
        }
        let Self { program, index, state, asked, unread, .. } = self;
        let before = state.out.total;
        let answer = if asked.is_empty() { None } else { asked.answered(program, index, frame.bytes) };
        let bytes = answer.as_ref().map_or(frame.bytes, |(_, joined)| joined.as_bytes());
        let document = index.parse(bytes, &program.keys);
        let outcome = document.map(|document| translate(program, state, unread, document.root()));
        self.end(frame, before, outcome);
        if let Some((id, _)) = answer {
            let refusal = self.error_since(before);
            self.answered.push(Answered { id, refusal });
        }
    }

    /// The message of the first error among the events after the first `before`.
    fn error_since(&self, before: u64) -> Option<String> {
        let out = &self.state.out;
        let count = usize::try_from(out.total - before).unwrap_or(usize::MAX);
        let new = out.events.iter().skip(out.events.len().saturating_sub(count));
        new.into_iter().find_map(|event| match &event.body {
            EventBody::Error(error) => Some(error.message.clone()),
            _ => None,
        })
    }

    /// Begins a message: what its events share.
    fn begin(&mut self, frame: &Frame<'_>) {
        self.stats.messages += 1;
        let mut native = NativeRef {
            line: frame.line,
            offset: frame.offset,
            length: frame.length,
            rule: RuleName::from(NO_RULE),
            raw: None,
        };
        if self.raw {
            native.raw = Some(Box::new(frame.bytes.into()));
        }
        self.state.out.native = Some(native);
        self.state.out.time = None;
    }

    /// Ends a message that was read, or could not be: `before` it there were so many events.
    fn end(&mut self, frame: &Frame<'_>, before: u64, outcome: Result<Outcome, ParseError>) {
        let (error, outcome) = match outcome {
            Ok(outcome) => (None, Some(outcome)),
            Err(error) => (Some(error), self.after_noise(frame.bytes)),
        };
        self.last_rule = match &outcome {
            Some(Outcome::Translated(rule) | Outcome::Ignored(rule)) => {
                Some(&self.program.table.rules[*rule])
            }
            _ => None,
        };
        match outcome {
            Some(Outcome::Translated(_)) => {
                self.stats.translated += 1;
                self.stats.silent += u64::from(self.state.out.total == before);
            }
            Some(Outcome::Repeated) => self.repeated += 1,
            Some(Outcome::Ignored(rule)) => self.ignored[rule] += 1,
            Some(Outcome::Lost) => self.stats.unparsed += 1,
            Some(Outcome::Unparsed { error: why, location }) => {
                // What stands behind noise is not the whole line, and the line is no JSON.
                let json = std::str::from_utf8(frame.bytes).ok().filter(|_| error.is_none());
                self.give_up(why, location, frame.bytes, None, json);
            }
            None => {
                let error = error.map_or_else(String::new, |error| error.to_string());
                self.give_up(error, None, frame.bytes, None, None);
            }
        }
        self.state.emit_waiting(false);
    }

    /// Tries to find a message behind other text on the same line. What stands before it is no
    /// part of the stream.
    fn after_noise(&mut self, line: &[u8]) -> Option<Outcome> {
        let Self { program, index, state, unread, .. } = self;
        let mut failure = None;
        for start in object_starts(line).take(NOISE_TRIES) {
            // A line that starts with the message would have been read already.
            if start > 0
                && let Ok(document) = index.parse(&line[start..], &program.keys)
                && document.root().is_object()
            {
                match translate(program, state, unread, document.root()) {
                    Outcome::Unparsed { error, location } => {
                        failure.get_or_insert(Outcome::Unparsed { error, location });
                    }
                    outcome => return Some(outcome),
                }
            }
        }
        failure
    }

    /// Gives the event for a message that could not be translated.
    fn give_up(
        &mut self,
        error: String,
        location: Option<String>,
        bytes: &[u8],
        sha256: Option<[u8; 32]>,
        json: Option<&str>,
    ) {
        self.stats.unparsed += 1;
        let body = unparsed(error, location, bytes, sha256, json);
        let Some(number) = self.state.obtain(None) else {
            return;
        };
        self.state.start(number, Origin::Daemon);
        let State { sessions, out, .. } = &mut self.state;
        sessions[number].emit(out, None, &None, Origin::Daemon, body);
    }
}

/// Those of the piece's bytes that `bytes` are, if they lie in it.
fn part_of<'p>(piece: &'p [u8], bytes: &[u8]) -> Option<&'p [u8]> {
    let start = bytes.as_ptr().addr().checked_sub(piece.as_ptr().addr())?;
    piece.get(start..start.checked_add(bytes.len())?)
}

/// Finds the rule for a message and applies it.
fn translate(program: &Program, state: &mut State, unread: &mut Option<Unread>, root: Value<'_>) -> Outcome {
    let (root, rules) = match rules_for(program, root) {
        Ok(found) => found,
        Err((error, location)) => return Outcome::Unparsed { error, location },
    };
    if is_repeated(program, state, root) {
        return Outcome::Repeated;
    }
    let message = Scope::message(root);
    let Some(first) = rules.first() else {
        return Outcome::Unparsed { error: "no rule's condition holds".to_owned(), location: None };
    };
    let mut run = Run::new(program, state, &program.table.rules[usize::from(*first)], message);
    for number in rules {
        let number = usize::from(*number);
        run.try_rule(&program.table.rules[number]);
        if !run.takes() {
            continue;
        }
        if run.rule.ignore.is_some() {
            return Outcome::Ignored(number);
        }
        let outcome = run.translate(number);
        if let (Outcome::Translated(_), Some(unread)) = (&outcome, unread) {
            unread.note(&program.table.rules[number], program.reads(number), root);
        }
        return outcome;
    }
    Outcome::Unparsed { error: "no rule's condition holds".to_owned(), location: None }
}

/// Whether the same message came before. An id that messages of other words have had is none.
fn is_repeated(program: &Program, state: &mut State, root: Value<'_>) -> bool {
    let mut ids = program.table.context.message_id.iter();
    let Some(id) = ids.find_map(|path| plain(root, path)?.as_str()) else {
        return false;
    };
    let (key, words) = (hash_of(&*id), hash_of(root.raw()));
    match state.messages.get_mut(key) {
        Some(Some(known)) if *known == words => true,
        Some(known) => {
            *known = None;
            false
        }
        None => {
            state.messages.insert(key, Some(words));
            false
        }
    }
}

impl Run<'_, '_> {
    /// Applies the rule's steps.
    fn translate(&mut self, number: usize) -> Outcome {
        let before = self.state.out.total;
        self.state.out.time = self.time();
        if let Some(native) = &mut self.state.out.native {
            native.rule = RuleName::from(self.rule.name);
        }
        let message = self.message;
        self.apply(self.rule.actions, &message, &Inside::Nothing);
        self.say_changes();
        let gave_nothing = self.state.out.total == before;
        if self.tell_lost() && gave_nothing {
            return Outcome::Lost;
        }
        match self.missing.take() {
            Some((error, location)) if gave_nothing => Outcome::Unparsed { error, location: Some(location) },
            _ => Outcome::Translated(number),
        }
    }

    /// Whether the rule's condition holds.
    fn takes(&self) -> bool {
        self.rule.condition.as_ref().is_none_or(|condition| self.holds(condition, &self.message))
    }
}
