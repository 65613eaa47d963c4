//! From a message of the stream to the rule that takes it.

use interlingua_table::{Rule, Table};

use super::answer::Answer;
use super::run::{Outcome, Run};
use super::{Options, Stats};
use crate::engine::memory::registers::Bank;
use crate::engine::read::dispatch::{NOISE_TRIES, rules_for};
use crate::engine::read::program::{Program, ReadProgram};
use crate::engine::read::scope::Scope;
use crate::engine::read::unread::Unread;
use crate::framing::{Frame, FrameProblem, object_starts};
use crate::json::{Index, Value};
use crate::vocabulary::FinishError;

/// The name under which parts of unread candidates are counted.
const OTHER_CANDIDATE: &str = "other candidate";

/// Everything but the framing.
#[derive(Debug)]
pub(super) struct Core {
    program: ReadProgram,
    index: Index,
    pub(super) options: Options,
    pub(super) answer: Answer,
    pub(super) stats: Stats,
    /// How many messages each rule has ignored.
    ignored: Vec<u64>,
    registers: Bank,
    unread: Option<Unread>,
    /// The rule that took the last message.
    pub(super) last_rule: Option<&'static Rule>,
}

impl Core {
    pub(super) fn new(table: &'static Table, options: Options) -> Self {
        Self {
            program: ReadProgram::of(table),
            index: Index::with_max_depth(options.depth_limit),
            answer: begun(table, &options),
            unread: options.count_unread.then(Unread::default),
            options,
            stats: Stats::default(),
            ignored: vec![0; table.rules.len()],
            registers: Bank::default(),
            last_rule: None,
        }
    }

    /// Begins another answer, with the same memory.
    pub(super) fn restart(&mut self) {
        self.answer = begun(self.program.table, &self.options);
        self.stats = Stats::default();
        self.registers = Bank::default();
    }

    pub(super) fn table(&self) -> &'static Table {
        self.program.table
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
        stats.unread = self.unread.as_ref().map(Unread::counts).unwrap_or_default();
        if self.answer.of_other_candidates > 0 && !self.options.reads_candidates {
            stats.left_out.insert(OTHER_CANDIDATE.to_owned(), self.answer.of_other_candidates);
        }
        stats.late = self.answer.late;
        stats.chunks = self.answer.counts.by_type();
        stats
    }

    /// Translates one message.
    pub(super) fn frame(&mut self, frame: &Frame<'_>) {
        self.stats.messages += 1;
        self.last_rule = None;
        self.answer.next_message();
        let before = self.answer.counts.total();
        let message = frame.bytes.trim_ascii();
        if self.program.table.end.iter().any(|end| end.as_bytes() == message) {
            self.stats.translated += 1;
            self.answer.conclude();
        } else if let Some(FrameProblem::TooLong { .. }) = frame.problem {
            let error = format!("longer than {} bytes", self.options.message_limit);
            self.unparsed(frame, &error);
        } else {
            match self.read(frame) {
                Ok((Outcome::Translated, rule)) => {
                    self.stats.translated += 1;
                    self.last_rule = Some(&self.program.table.rules[rule]);
                }
                Ok((Outcome::Ignored, rule)) => {
                    self.ignored[rule] += 1;
                    self.last_rule = Some(&self.program.table.rules[rule]);
                    return;
                }
                // An event that says itself that it is an error is one, whatever its data looks like.
                Err(_) if frame.event == Some(b"error") => {
                    self.stats.translated += 1;
                    self.answer.fail(FinishError::new(String::from_utf8_lossy(message)));
                }
                Err(error) => return self.unparsed(frame, &error),
            }
        }
        self.stats.silent += u64::from(self.answer.counts.total() == before);
    }

    /// Finds the message of a frame, perhaps behind other text, and applies its rule.
    fn read(&mut self, frame: &Frame<'_>) -> Result<(Outcome, usize), String> {
        let Self { program, index, answer, registers, stats, unread, .. } = self;
        let error = match index.parse(frame.bytes, &program.keys) {
            Ok(document) => {
                return translate(program, answer, registers, stats, unread, frame.line, document.root());
            }
            Err(error) => error.to_string(),
        };
        for start in object_starts(frame.bytes).take(NOISE_TRIES) {
            if start > 0
                && let Ok(document) = index.parse(&frame.bytes[start..], &program.keys)
                && document.root().is_object()
                && let Ok(outcome) =
                    translate(program, answer, registers, stats, unread, frame.line, document.root())
            {
                return Ok(outcome);
            }
        }
        Err(error)
    }

    /// Leaves the counts of messages to the first candidate: all candidates read the same ones.
    pub(super) fn count_messages_once(&mut self) {
        if self.options.candidate == 0 {
            return;
        }
        let counts = std::mem::take(&mut self.stats);
        self.stats = Stats { left_out: counts.left_out, ..Stats::default() };
        self.ignored.fill(0);
        self.unread = None;
    }

    fn unparsed(&mut self, frame: &Frame<'_>, error: &str) {
        self.stats.unparsed += 1;
        self.stats.problem(frame.line, error, frame.bytes);
    }
}

/// An answer without any content.
fn begun(table: &Table, options: &Options) -> Answer {
    let mut answer = Answer::new(table.provider, &options.message_id, options.log_probabilities);
    answer.candidate = options.candidate;
    answer
}

/// Finds the rule for a message and applies it.
fn translate(
    program: &Program,
    answer: &mut Answer,
    registers: &mut Bank,
    stats: &mut Stats,
    unread: &mut Option<Unread>,
    line: u64,
    root: Value<'_>,
) -> Result<(Outcome, usize), String> {
    let (root, rules) = rules_for(program, root).map_err(|(error, location)| match location {
        Some(location) => format!("{error} at `{location}`"),
        None => error,
    })?;
    let message = Scope::message(root);
    for number in rules {
        let number = usize::from(*number);
        let rule = &program.table.rules[number];
        let mut run = Run::new(program, answer, registers, stats, line, message);
        if !run.takes(rule) {
            continue;
        }
        if rule.ignore.is_some() {
            return Ok((Outcome::Ignored, number));
        }
        run.translate(rule)?;
        if let Some(unread) = unread {
            unread.note(rule, program.reads(number), root);
        }
        return Ok((Outcome::Translated, number));
    }
    Err("no rule's condition holds".to_owned())
}
