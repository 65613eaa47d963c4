//! From a frame of the stream to the rule that takes it.

use std::collections::VecDeque;

use interlingua_table::{Path, Rule, Step, Table};

use super::eval::Reading;
use super::options::Options;
use super::program::{Found, Program};
use super::run::{Inside, Run};
use super::scope::{Scope, key_id};
use super::state::State;
use super::stats::Stats;
use super::unparsed::unparsed;
use crate::framing::{Frame, FrameProblem, object_starts};
use crate::json::{Index, Value};
use crate::vocabulary::{Event, NativeRef, Origin, RuleName};

/// How many places of a line with other text before its message are tried.
const NOISE_TRIES: usize = 16;

/// The rule's name of events that no rule gave.
const NO_RULE: &str = "unparsed";

/// Everything but the framing.
#[derive(Debug)]
pub(super) struct Core {
    program: Program,
    index: Index,
    state: State,
    pub(super) stats: Stats,
    /// How many messages each rule has ignored.
    ignored: Vec<u64>,
    raw: bool,
    /// The rule that took the last message.
    pub(super) last_rule: Option<&'static Rule>,
}

/// What became of a message.
enum Outcome {
    Translated(usize),
    Ignored(usize),
    /// The rule gave nothing but `agent.unparsed` for parts of the message.
    Lost,
    Unparsed {
        error: String,
        location: Option<String>,
    },
}

impl Core {
    pub(super) fn new(table: &'static Table, options: Options) -> Self {
        Self {
            program: Program::new(table),
            index: Index::with_max_depth(options.depth_limit),
            raw: options.raw,
            state: State::new(options),
            stats: Stats::default(),
            ignored: vec![0; table.rules.len()],
            last_rule: None,
        }
    }

    pub(super) fn table(&self) -> &'static Table {
        self.program.table
    }

    pub(super) fn events(&mut self) -> &mut VecDeque<Event> {
        &mut self.state.out.events
    }

    pub(super) fn finish(&mut self) {
        self.state.finish();
    }

    pub(super) fn state_len(&self) -> usize {
        self.state.len()
    }

    pub(super) fn stats(&self) -> Stats {
        let mut stats = self.stats.clone();
        for (rule, count) in self.program.table.rules.iter().zip(&self.ignored) {
            if let Some(reason) = rule.ignore
                && *count > 0
            {
                *stats.ignored.entry(reason.to_owned()).or_default() += count;
            }
        }
        stats.events = self.state.out.counts.by_type();
        stats
    }

    /// Translates one message.
    pub(super) fn frame(&mut self, frame: &Frame<'_>) {
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
        if let Some(FrameProblem::TooLong { sha256 }) = frame.problem {
            let error = format!("the message is longer than {} bytes", self.state.options.message_limit);
            return self.give_up(error, None, frame.bytes, Some(sha256), None);
        }
        let before = self.state.out.total;
        let Self { program, index, state, .. } = self;
        let (error, outcome) = match index.parse(frame.bytes, &program.keys) {
            Ok(document) => (String::new(), Some(translate(program, state, document.root()))),
            Err(error) => (error.to_string(), None),
        };
        let is_json = outcome.is_some();
        let outcome = outcome.or_else(|| self.after_noise(frame.bytes));
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
            Some(Outcome::Ignored(rule)) => self.ignored[rule] += 1,
            Some(Outcome::Lost) => self.stats.unparsed += 1,
            Some(Outcome::Unparsed { error, location }) => {
                // What stands behind noise is not the whole line, and the line is no JSON.
                let json = std::str::from_utf8(frame.bytes).ok().filter(|_| is_json);
                self.give_up(error, location, frame.bytes, None, json);
            }
            None => self.give_up(error, None, frame.bytes, None, None),
        }
    }

    /// Tries to find a message behind other text on the same line. What stands before it is no
    /// part of the stream.
    fn after_noise(&mut self, line: &[u8]) -> Option<Outcome> {
        let Self { program, index, state, .. } = self;
        let mut failure = None;
        for start in object_starts(line).take(NOISE_TRIES) {
            // A line that starts with the message would have been read already.
            if start > 0
                && let Ok(document) = index.parse(&line[start..], &program.keys)
                && document.root().is_object()
            {
                match translate(program, state, document.root()) {
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

/// The message itself and the rules that may take it, or why there are none and where.
#[expect(clippy::type_complexity, reason = "two callers take it apart at once")]
pub(super) fn rules_for<'v>(
    program: &Program,
    root: Value<'v>,
) -> Result<(Value<'v>, &'static [u16]), (String, Option<String>)> {
    let envelope = program.table.context.envelope;
    let root =
        envelope.iter().filter_map(|path| plain(root, path)).find(|value| value.is_object()).unwrap_or(root);
    // Tags and presence are plain paths: they read no registers and need no context.
    let found = program.find(
        |path| plain(root, path)?.as_str(),
        |path| plain(root, path).is_some_and(|value| !value.is_null()),
    );
    match found {
        Found::Rules(rules) => Ok((root, rules)),
        Found::Unknown(path, value) => {
            let location = Scope::message(root).locate(path, program.table.keys);
            let shown: String = value.chars().take(64).collect();
            Err((format!("no rule for `{shown}`"), Some(location)))
        }
        Found::Untagged => Err(("the message has no known tag".to_owned(), None)),
    }
}

/// Finds the rule for a message and applies it.
fn translate(program: &Program, state: &mut State, root: Value<'_>) -> Outcome {
    let (root, rules) = match rules_for(program, root) {
        Ok(found) => found,
        Err((error, location)) => return Outcome::Unparsed { error, location },
    };
    let message = Scope::message(root);
    for number in rules {
        let number = usize::from(*number);
        let rule = &program.table.rules[number];
        let mut run = Run::new(program, state, rule, message);
        if !run.takes() {
            continue;
        }
        if rule.ignore.is_some() {
            return Outcome::Ignored(number);
        }
        return run.translate(number);
    }
    Outcome::Unparsed { error: "no rule's condition holds".to_owned(), location: None }
}

fn plain<'v>(root: Value<'v>, path: &Path) -> Option<Value<'v>> {
    path.steps.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get(key_id(*key)),
        Step::Index(place) => value.item(usize::try_from(*place).ok()?),
        _ => None,
    })
}

impl Run<'_, '_> {
    /// Applies the rule's steps.
    fn translate(&mut self, number: usize) -> Outcome {
        let before = self.state.out.total;
        self.context_is_known();
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
        self.context_is_known();
        self.rule.condition.as_ref().is_none_or(|condition| self.holds(condition, &self.message))
    }
}
