//! Detects the provider of a stream from its messages.
//!
//! Every bundled map is tried on the first messages. A map **recognises** a message when it knows the message's type by name,
//! translates it, and its schema knows most of the message's members. What a map ignores, or takes only because it takes
//! everything, is no recognition: so a map for another format is not chosen because it is lenient. Nor is an error, which
//! many formats write alike.
//!
//! The provider that recognises the most messages is chosen. Programs that imitate each other's format are told apart by
//! the members of their messages and of the objects in these: where several maps recognise as many, it is the one whose
//! schema knows the most and misses the fewest. Only where nothing is recognised to the end do messages count
//! that a map ignores by name, and then errors, if a single map reads them.
//!
//! A [`Detector`] takes the stream as it arrives, and says when more bytes are needed. [`detect`] does the same with bytes
//! that are all there.

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::fmt;

use interlingua_table::{Dispatch, Layer, Member, Path, Rule, Shape, Step, Table};
use serde_json::Value;

use crate::engine::model::{self, ModelStream};
use crate::engine::{Options, Translator};
use crate::framing::{DEFAULT_LIMIT, Framer, object_starts};
use crate::registry::providers;
use crate::vocabulary::{Event, FinishReason, StreamChunk};

/// How many messages of a stream are looked at.
const MESSAGES: usize = 100;

/// How many bytes of a stream are looked at.
const BYTES: usize = 8 << 20;

/// How many places of a line with other text before its message are tried.
const NOISE_TRIES: usize = 16;

/// The bundled provider whose messages these are: a whole stream, or its first bytes up to the end of a message.
///
/// `None` when no provider recognises a message, or when several recognise them equally well: more of the stream may
/// tell them apart. A stream that is still being read belongs to a [`Detector`].
///
/// ```
/// let start = br#"{"type":"thread.started","thread_id":"01a22b94"}"#;
/// assert_eq!(interlingua::detect(start).map(|table| table.provider), Some("codex"));
/// assert!(interlingua::detect(b"good morning").is_none());
/// ```
#[must_use]
pub fn detect(bytes: &[u8]) -> Option<&'static Table> {
    let mut detector = Detector::new();
    match detector.push(bytes) {
        Detection::NeedMore => detector.finish().table(),
        found => found.table(),
    }
}

/// What a [`Detector`] has found out.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Detection {
    /// Undecided so far, or there is no whole message yet.
    NeedMore,
    /// This provider wrote the stream.
    Known(&'static Table),
    /// The stream is universal already: the events of a translation, or the chunks of an answer.
    Universal,
    /// No provider is known to have written this, or several could have: see [`Detector::scores`].
    Unknown,
}

impl Detection {
    /// The provider's table, when it is known.
    #[must_use]
    pub fn table(self) -> Option<&'static Table> {
        match self {
            Self::Known(table) => Some(table),
            _ => None,
        }
    }
}

/// How well a stream fits a provider.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Score {
    /// The provider.
    pub table: &'static Table,
    /// How many messages its map recognises.
    pub recognised: usize,
    /// How many messages were read: objects of JSON, without those that the map ignores by name.
    pub messages: usize,
    /// How many members of the recognised messages its schema does not know.
    pub strange: usize,
    /// The lines of the first recognised messages, counted from 1.
    pub lines: Vec<u64>,
}

/// Finds out who wrote a stream while it arrives.
///
/// It decides at the end of a line, as soon as one provider recognises most of the messages so far and fits them better
/// than any other. The cuts between the slices do not matter.
///
/// ```
/// use interlingua::{Detection, Detector};
///
/// let mut detector = Detector::new();
/// assert_eq!(detector.push(b"{\"type\":\"thread.sta"), Detection::NeedMore);
/// let found = detector.push(b"rted\",\"thread_id\":\"t-1\"}\n");
/// assert_eq!(found.table().map(|table| table.provider), Some("codex"));
/// ```
pub struct Detector {
    candidates: Vec<Candidate>,
    /// The line that a slice's end has cut.
    cut: Vec<u8>,
    bytes: usize,
    /// How many lines are universal events or chunks.
    universal: usize,
    found: Detection,
}

impl Default for Detector {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detector")
            .field("found", &self.found)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl Detector {
    /// A detector for one stream, which tries all bundled providers.
    #[must_use]
    pub fn new() -> Self {
        Self::among(providers().iter().copied())
    }

    /// A detector that chooses among these providers: maps of your own beside or in place of the bundled ones.
    ///
    /// ```
    /// use interlingua::{Detection, Detector};
    ///
    /// let models = interlingua::providers().iter().copied().filter(|table| table.provider != "codex");
    /// let mut detector = Detector::among(models);
    /// detector.push(b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n");
    /// assert_eq!(detector.finish(), Detection::Unknown);
    /// ```
    pub fn among(tables: impl IntoIterator<Item = &'static Table>) -> Self {
        Self {
            candidates: tables.into_iter().map(Candidate::new).collect(),
            cut: Vec::new(),
            bytes: 0,
            universal: 0,
            found: Detection::NeedMore,
        }
    }

    /// Takes the stream's next bytes. Once something other than [`Detection::NeedMore`] is found, it stays.
    pub fn push(&mut self, bytes: &[u8]) -> Detection {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.found != Detection::NeedMore {
                break;
            }
            self.bytes += piece.len();
            if piece.ends_with(b"\n") {
                let mut line = std::mem::take(&mut self.cut);
                line.extend_from_slice(piece);
                self.line(&line);
                self.decide();
            } else {
                self.cut.extend_from_slice(piece);
            }
            if self.bytes > BYTES && self.found == Detection::NeedMore {
                return self.finish();
            }
        }
        self.found
    }

    /// Decides, since nothing more comes. [`Detection::NeedMore`] is not among the answers.
    pub fn finish(&mut self) -> Detection {
        if self.found == Detection::NeedMore {
            let line = std::mem::take(&mut self.cut);
            self.line(&line);
            self.candidates.iter_mut().for_each(Candidate::finish);
            let best = self.best(|fit| fit.recognised + fit.ignored);
            let best = best.filter(|number| self.candidates[*number].takes_enough());
            let best = best.or_else(|| {
                self.best(|fit| fit.failed).filter(|number| self.candidates[*number].fails_enough())
            });
            self.found = match best {
                _ if self.universal > 0 => Detection::Universal,
                Some(number) => Detection::Known(self.candidates[number].table),
                None => Detection::Unknown,
            };
        }
        self.found
    }

    /// How well the stream so far fits the providers that recognise any of it, or know at least a type that they ignore or
    /// an error; the best first.
    #[must_use]
    pub fn scores(&self) -> Vec<Score> {
        let mut known: Vec<&Candidate> =
            self.candidates.iter().filter(|candidate| candidate.fit != Fit::default()).collect();
        known.sort_by_key(|candidate| (Reverse(candidate.fit), candidate.table.dialect_of.is_some()));
        known.into_iter().map(Candidate::score).collect()
    }

    fn line(&mut self, line: &[u8]) {
        self.universal += usize::from(is_universal(line));
        for candidate in &mut self.candidates {
            candidate.push(line);
        }
    }

    /// Decides if the messages so far are clear, or if enough have been seen.
    fn decide(&mut self) {
        if self.universal > 0 {
            self.found = Detection::Universal;
        } else if let Some(number) = self.best(|fit| fit.recognised)
            && self.candidates[number].takes_most()
        {
            self.found = Detection::Known(self.candidates[number].table);
        } else if self.candidates.iter().any(|candidate| candidate.messages >= MESSAGES) {
            self.finish();
        }
    }

    /// The candidate that fits better than all others, of those that have something that counts.
    fn best(&self, counts: impl Fn(&Fit) -> usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        let mut tie = false;
        for (number, candidate) in self.candidates.iter().enumerate() {
            if counts(&candidate.fit) == 0 {
                continue;
            }
            let Some(known) = best.map(|number| &self.candidates[number]) else {
                best = Some(number);
                continue;
            };
            match candidate.compare(known) {
                Ordering::Greater => (best, tie) = (Some(number), false),
                Ordering::Equal => tie = true,
                Ordering::Less => {}
            }
        }
        best.filter(|_| !tie)
    }
}

/// Whether a line is an event of the vocabulary, or a chunk of an answer.
fn is_universal(line: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    #[expect(dead_code, reason = "what an event cannot do without")]
    struct Envelope<'a> {
        // With escapes, a text cannot be borrowed.
        #[serde(borrow)]
        event_id: Cow<'a, str>,
        sequence: u64,
        #[serde(borrow)]
        session_id: Cow<'a, str>,
        #[serde(borrow)]
        origin: Cow<'a, str>,
    }
    let line = line.trim_ascii();
    line.starts_with(b"{")
        && (serde_json::from_slice::<Envelope>(line).is_ok() && serde_json::from_slice::<Event>(line).is_ok()
            || serde_json::from_slice::<StreamChunk>(line).is_ok_and(|chunk| chunk.is_known()))
}

/// A provider, and how well its map fits the stream so far.
struct Candidate {
    table: &'static Table,
    framer: Option<Framer>,
    taker: Taker,
    fit: Fit,
    messages: usize,
    /// How many messages are of a type that the map does not know by name.
    foreign: usize,
    /// How many members of the recognised messages the schema does not know.
    strange: usize,
    lines: Vec<u64>,
}

/// How well messages fit a map: the greater, the better.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// How many messages the map recognises.
    recognised: usize,
    /// How many it knows by name and ignores.
    ignored: usize,
    /// How many it reads as an error and nothing else.
    failed: usize,
    /// How many of their members the schema knows, those of objects in them included, less those that it does not know.
    /// Where the schema leaves open what is in an object, the members there count for nothing.
    known: isize,
    /// How many members that the schema knows they lack.
    missing: Reverse<usize>,
}

/// How an object's members compare with those that a schema knows.
#[derive(Debug, Default, Clone, Copy)]
struct Overlap {
    /// How many members the schema knows.
    known: usize,
    /// How many it does not know.
    strange: usize,
    /// How many the schema knows and the object does not have.
    missing: usize,
}

impl Overlap {
    /// Of the object itself. Where the schema knows no members, or the value is no object, nothing is compared.
    fn of_level(members: &[Member], value: &Value) -> Self {
        let Value::Object(object) = value else { return Self::default() };
        if members.is_empty() {
            return Self::default();
        }
        let known = members.iter().filter(|member| object.contains_key(member.name)).count();
        Self { known, strange: object.len() - known, missing: members.len() - known }
    }

    /// Of the object and the objects in it.
    fn of_all_levels(members: &[Member], value: &Value) -> Self {
        let mut overlap = Self::of_level(members, value);
        for member in members {
            if let Some(value) = value.get(member.name) {
                let inner = Self::of_all_levels(member.members, value);
                overlap.known += inner.known;
                overlap.strange += inner.strange;
                overlap.missing += inner.missing;
            }
        }
        overlap
    }
}

impl Candidate {
    /// How many lines are kept to be shown.
    const LINES: usize = 5;

    fn new(table: &'static Table) -> Self {
        let framer = Some(Framer::for_table(table, DEFAULT_LIMIT));
        Self {
            table,
            framer,
            taker: Taker::new(table),
            fit: Fit::default(),
            messages: 0,
            foreign: 0,
            strange: 0,
            lines: Vec::new(),
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let Some(mut framer) = self.framer.take() else { return };
        framer.push(bytes, |frame| self.message(frame.bytes, frame.line));
        self.framer = Some(framer);
    }

    fn finish(&mut self) {
        let Some(mut framer) = self.framer.take() else { return };
        framer.finish(|frame| self.message(frame.bytes, frame.line));
    }

    fn message(&mut self, bytes: &[u8], line: u64) {
        let Some(message) = object(bytes) else { return };
        if self.messages >= MESSAGES {
            return;
        }
        let message = unwrapped(self.table, &message);
        let taken = self.taker.take(bytes);
        let (rule, counter) = match taken {
            Taken::Not => (None, None),
            Taken::Ignored(rule) => (rule, Some(&mut self.fit.ignored)),
            Taken::Failed(rule) => (rule, Some(&mut self.fit.failed)),
            Taken::Translated(rule) => (rule, Some(&mut self.fit.recognised)),
        };
        let members = rule.map_or(&[][..], |rule| rule.members);
        let own = Overlap::of_level(members, message);
        // A message that is ignored or an error says little: there, every member must be known.
        let is_translated = matches!(taken, Taken::Translated(_));
        // The type alone, beside a member that the schema does not know, is no recognition either.
        let fits = if is_translated { own.known > own.strange } else { own.strange == 0 };
        let name = name_of(&self.table.dispatch, self.table.keys, message);
        match counter {
            Some(counter) if fits && name == Name::Known => {
                *counter += 1;
                // The content of an error proves nothing, because formats share it.
                let is_error = matches!(taken, Taken::Failed(_));
                let overlap = if is_error { own } else { Overlap::of_all_levels(members, message) };
                self.fit.known += overlap.known.cast_signed() - overlap.strange.cast_signed();
                self.strange += overlap.strange;
                self.fit.missing.0 += overlap.missing;
                if is_translated && self.lines.len() < Self::LINES {
                    self.lines.push(line);
                }
            }
            // What the map cannot read, or leaves out, or what has no type at all, is no message of another provider.
            _ => self.foreign += usize::from(name == Name::Unknown || name == Name::Known && !fits),
        }
        self.messages += 1;
    }

    /// Which fits better. A dialect fits better than the provider whose dialect it is only if it recognises more or knows
    /// members that the other does not: what the messages lack proves nothing.
    fn compare(&self, other: &Self) -> Ordering {
        let is_dialect_of = |one: &Self, base: &Self| one.table.dialect_of == Some(base.table.provider);
        let present = |fit: Fit| Fit { missing: Reverse(0), ..fit };
        if is_dialect_of(self, other) {
            present(self.fit).cmp(&present(other.fit)).then(Ordering::Less)
        } else if is_dialect_of(other, self) {
            present(self.fit).cmp(&present(other.fit)).then(Ordering::Greater)
        } else {
            self.fit.cmp(&other.fit)
        }
    }

    /// Whether the messages of other providers are fewer than those that are recognised.
    fn takes_most(&self) -> bool {
        self.fit.recognised > self.foreign
    }

    /// Whether the recognised messages are more than chance. Messages that are only ignored prove less: protocols
    /// of one framing share them, such as the answers of JSON-RPC. They must outnumber the foreign ones.
    fn takes_enough(&self) -> bool {
        if self.fit.recognised > 0 {
            4 * (self.fit.recognised + self.fit.ignored) > self.foreign
        } else {
            self.fit.ignored > self.foreign
        }
    }

    /// Whether there are more errors than foreign messages, since most formats write errors alike.
    fn fails_enough(&self) -> bool {
        self.fit.failed > self.foreign
    }

    fn score(&self) -> Score {
        Score {
            table: self.table,
            recognised: self.fit.recognised,
            messages: self.messages,
            strange: self.strange,
            lines: self.lines.clone(),
        }
    }
}

/// How a map handles a message, and by which rule.
#[derive(Clone, Copy)]
enum Taken {
    /// It translates it.
    Translated(Option<&'static Rule>),
    /// It reads an error, and nothing else.
    Failed(Option<&'static Rule>),
    /// It leaves it out.
    Ignored(Option<&'static Rule>),
    /// It cannot read it.
    Not,
}

/// Who tries messages.
enum Taker {
    Agent(Box<Translator>),
    Model(Box<ModelStream>),
}

impl Taker {
    fn new(table: &'static Table) -> Self {
        match table.layer {
            Layer::Agent => Self::Agent(Box::new(Translator::new(table, Options::default()))),
            Layer::Model => Self::Model(Box::new(ModelStream::new(table, model::Options::default()))),
        }
    }

    fn take(&mut self, message: &[u8]) -> Taken {
        let (unparsed, ignored, failed, rule) = match self {
            Self::Agent(translator) => {
                let before = translator.stats();
                // Around the error may be the turn that it ends.
                let of_error = |event: &Event| match event.body.event_type() {
                    "error" => Some(true),
                    "session.started" | "turn.started" | "turn.ended" => Some(false),
                    _ => None,
                };
                // Takes all events: those left over would be counted for the next message.
                let told: Vec<Option<bool>> =
                    translator.push_message(message).map(|event| of_error(&event)).collect();
                let failed = told.contains(&Some(true)) && !told.contains(&None);
                let after = translator.stats();
                let ignored = after.ignored_total() > before.ignored_total();
                (after.unparsed > before.unparsed, ignored, failed, translator.last_rule())
            }
            Self::Model(stream) => {
                let before = stream.stats();
                stream.push_message(message).for_each(drop);
                let (after, rule) = (stream.stats(), stream.last_rule());
                let failed = matches!(stream.finish_reason(), Some(FinishReason::Error(_)));
                if stream.finish_reason().is_some() {
                    **stream = ModelStream::new(stream.table(), model::Options::default());
                }
                (after.unparsed > before.unparsed, after.ignored != before.ignored, failed, rule)
            }
        };
        match () {
            () if unparsed => Taken::Not,
            // A map that passes over what it does not know has no name for it.
            () if ignored
                && rule.is_some_and(|rule| rule.patterns.iter().any(|pattern| pattern.ends_with('*'))) =>
            {
                Taken::Not
            }
            () if ignored => Taken::Ignored(rule),
            () if failed => Taken::Failed(rule),
            () => Taken::Translated(rule),
        }
    }
}

/// The JSON object that the bytes are, perhaps behind other text.
fn object(bytes: &[u8]) -> Option<Value> {
    let read = |start: usize| serde_json::from_slice::<Value>(&bytes[start..]).ok().filter(Value::is_object);
    object_starts(bytes).take(NOISE_TRIES).find_map(read)
}

/// The message itself, which may come wrapped in another object.
fn unwrapped<'v>(table: &Table, root: &'v Value) -> &'v Value {
    let inner = |path| at(root, path, table.keys).filter(|value| value.is_object());
    table.context.envelope.iter().find_map(inner).unwrap_or(root)
}

fn at<'v>(root: &'v Value, path: &Path, keys: &[&str]) -> Option<&'v Value> {
    path.steps.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get(keys.get(usize::from(*key))?),
        Step::Index(place) => value.get(usize::try_from(*place).ok()?),
        _ => None,
    })
}

/// Whether a map knows a message's type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    /// By name.
    Known,
    /// Not by name.
    Unknown,
    /// The message has no type.
    Absent,
}

/// Whether the map knows a message's type by name, and not by a rule for what it does not know.
fn name_of(dispatch: &Dispatch, keys: &[&str], message: &Value) -> Name {
    let below = |shape: &Shape| match shape.next {
        Some(next) => match name_of(next, keys, message) {
            Name::Absent if !shape.rules.is_empty() => Name::Known,
            name => name,
        },
        None => Name::Known,
    };
    match tag(dispatch, keys, message) {
        Some(value) => {
            let arm = dispatch.arms.iter().find(|(name, _)| *name == value);
            arm.map_or(Name::Unknown, |(_, shape)| below(shape))
        }
        None => {
            let is_there = |path: &Path| at(message, path, keys).is_some_and(|value| !value.is_null());
            let arm = dispatch.present.iter().find(|(path, _)| is_there(path));
            arm.map_or(Name::Absent, |(_, shape)| below(shape))
        }
    }
}

/// The tag of a message.
fn tag<'v>(dispatch: &Dispatch, keys: &[&str], message: &'v Value) -> Option<&'v str> {
    dispatch.tag.iter().find_map(|path| at(message, path, keys)?.as_str())
}
