//! `interlingua explain`: native line → rule, with its place in the map → universal events.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use interlingua::framing::{DEFAULT_LIMIT, Framer};
use interlingua::model::{self, ModelStream};
use interlingua::table::{Layer, Rule, Table};
use interlingua::vocabulary::{Event, Origin, StreamChunk};
use interlingua::{Options, Translator};
use serde::Serialize;

use crate::args::Explain;
use crate::failure::{FINE, Failure, USAGE, shown};
use crate::input::Input;
use crate::output;
use crate::provider::choose;
use crate::sketch::{excerpt, sketch};
use crate::terms;

const HEADING: Style = Style::new().bold();
const RULE: Style = AnsiColor::Cyan.on_default();
const EVENT: Style = AnsiColor::Green.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();
const QUIET: Style = Style::new().dimmed();

/// Runs the command.
pub fn run(options: &Explain) -> Result<u8, Failure> {
    let mut input = Input::open(&options.file)?;
    let Some(chosen) = choose(&options.source, &mut input)? else {
        // Nothing in gives nothing out, as with the other commands; but whoever asks for something wants to have it.
        if options.line.is_none() && options.event.is_none() {
            return Ok(FINE);
        }
        let message = format!("{} has no message to explain", shown(&options.file));
        return Err(Failure::new(USAGE, message).help("check that this is the right recording"));
    };
    let mut bytes = chosen.begin;
    bytes.extend(input.read_whole()?);
    let story = Story::of(chosen.table, &bytes);
    let mut out = output::people();
    let written = match (options.line, &options.event) {
        (None, None) => story.overview(&mut out),
        (Some(line), _) => story.details(&mut out, story.on_line(line)?),
        (_, Some(event)) => story.details(&mut out, story.with_event(event)?),
    };
    written.and_then(|()| out.flush()).map_err(|error| Failure::output(&error))?;
    Ok(FINE)
}

/// A stream, message by message.
struct Story<'a> {
    table: &'static Table,
    messages: Vec<Told<'a>>,
    /// What the end of the input gave.
    end: Vec<Given>,
}

/// What a message gave.
#[derive(Serialize)]
#[serde(untagged)]
enum Given {
    Event(Box<Event>),
    Chunk(StreamChunk),
}

/// Who translates.
enum Engine {
    Agent(Box<Translator>),
    Model(Box<ModelStream>),
}

/// How many messages there were, how many of them were translated, and how many could not be read.
type Counts = (u64, u64, u64);

/// How often a member was unread, by its rule and place.
type Unread = BTreeMap<String, u64>;

impl Engine {
    fn new(table: &'static Table) -> Self {
        match table.layer {
            Layer::Agent => {
                Self::Agent(Box::new(Translator::new(table, Options::default().count_unread(true))))
            }
            Layer::Model => {
                Self::Model(Box::new(ModelStream::new(table, model::Options::default().count_unread(true))))
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Vec<Given> {
        match self {
            Self::Agent(translator) => {
                translator.push(bytes).map(|event| Given::Event(Box::new(event))).collect()
            }
            Self::Model(stream) => stream.push(bytes).map(Given::Chunk).collect(),
        }
    }

    fn finish(&mut self) -> Vec<Given> {
        match self {
            Self::Agent(translator) => {
                translator.finish().map(|event| Given::Event(Box::new(event))).collect()
            }
            Self::Model(stream) => stream.finish().map(Given::Chunk).collect(),
        }
    }

    fn counts(&self) -> Counts {
        match self {
            Self::Agent(translator) => {
                let stats = translator.stats();
                (stats.messages, stats.translated, stats.unparsed)
            }
            Self::Model(stream) => {
                let stats = stream.stats();
                (stats.messages, stats.translated, stats.unparsed)
            }
        }
    }

    fn unread(&self) -> Unread {
        match self {
            Self::Agent(translator) => translator.stats().unread,
            Self::Model(stream) => stream.stats().unread,
        }
    }

    fn last_rule(&self) -> Option<&'static Rule> {
        match self {
            Self::Agent(translator) => translator.last_rule(),
            Self::Model(stream) => stream.last_rule(),
        }
    }
}

impl Given {
    /// Its name, where it has one: chunks have none.
    fn id(&self) -> Option<String> {
        match self {
            Self::Event(event) => Some(event.event_id().to_string()),
            Self::Chunk(_) => None,
        }
    }
}

/// One message and what became of it.
struct Told<'a> {
    line: u64,
    offset: u64,
    bytes: &'a [u8],
    rule: Option<&'static Rule>,
    outcome: Outcome,
    events: Vec<Given>,
    /// The members that no rule reads.
    unread: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Translated,
    Ignored,
    Unparsed,
}

impl<'a> Story<'a> {
    /// Translates a whole stream and keeps what each message gave.
    fn of(table: &'static Table, bytes: &'a [u8]) -> Self {
        let mut messages = places(table, bytes);
        let mut engine = Engine::new(table);
        let mut before = (Counts::default(), Unread::default());
        let mut fed = 0;
        for place in 0..messages.len() {
            // A message is complete at the latest where the next one starts.
            let end = messages.get(place + 1).map_or(bytes.len(), |next| within(next.offset, bytes));
            let told = &mut messages[place];
            told.events = engine.push(&bytes[fed..end]);
            fed = end;
            told.judge(&engine, &mut before);
        }
        let mut end = engine.finish();
        // A last line without its end is only known to be whole at the end of the input.
        if let Some(last) = messages.last_mut() {
            let is_of_last = |given: &&Given| match given {
                Given::Event(event) => {
                    event.native.as_ref().is_some_and(|native| native.offset == last.offset)
                }
                Given::Chunk(_) => false,
            };
            let count = end.iter().take_while(is_of_last).count();
            last.events.extend(end.drain(..count));
            last.judge(&engine, &mut before);
        }
        Self { table, messages, end }
    }

    fn on_line(&self, line: u64) -> Result<&Told<'a>, Failure> {
        self.messages.iter().find(|told| told.line == line).ok_or_else(|| {
            let last = self.messages.last().map_or(0, |told| told.line);
            Failure::new(USAGE, format!("no message starts on line {line}"))
                .help(format!("the stream has {} messages, the last one on line {last}", self.messages.len()))
        })
    }

    fn with_event(&self, id: &str) -> Result<&Told<'a>, Failure> {
        let is_named = |given: &Given| given.id().as_deref() == Some(id);
        if self.table.layer == Layer::Model {
            return Err(Failure::new(USAGE, "the stream of a model becomes chunks, which have no ids")
                .help("name the message by its line: --line N"));
        }
        if let Some(told) = self.messages.iter().find(|told| told.events.iter().any(is_named)) {
            return Ok(told);
        }
        if self.end.iter().any(is_named) {
            return Err(Failure::new(
                USAGE,
                format!("{} has no native message: it was emitted at the end of the input", output::name(id)),
            )
            .help("without --event, it is shown under `end of input`"));
        }
        let count: usize = self.messages.iter().map(|told| told.events.len()).sum();
        Err(Failure::new(USAGE, format!("there is no event {}", output::name(id)))
            .help(format!("the stream has {} events, with ids such as s1:1", count + self.end.len())))
    }

    /// Every message with a line per event.
    fn overview(&self, output: &mut impl Write) -> io::Result<()> {
        for told in &self.messages {
            told.heading(output, self.table)?;
            writeln!(output, "  {QUIET}{}{QUIET:#}", excerpt(&String::from_utf8_lossy(told.bytes)))?;
            told.events.iter().try_for_each(|event| short(output, event))?;
            for place in &told.unread {
                writeln!(output, "  {WARNING}unread{WARNING:#} {}", output::name(place))?;
            }
        }
        if !self.end.is_empty() {
            writeln!(output, "{HEADING}end of input{HEADING:#}")?;
            self.end.iter().try_for_each(|event| short(output, event))?;
        }
        Ok(())
    }

    /// One message whole, its rule as the map has it, and its events as JSON.
    fn details(&self, output: &mut impl Write, told: &Told<'_>) -> io::Result<()> {
        told.heading(output, self.table)?;
        writeln!(output, "\n{HEADING}native{HEADING:#}  byte {}, {} bytes", told.offset, told.bytes.len())?;
        match serde_json::from_slice::<serde_json::Value>(told.bytes) {
            Ok(value) => writeln!(output, "{}", output::json(&format!("{value:#}")))?,
            Err(_) => writeln!(output, "{}", output::text(&String::from_utf8_lossy(told.bytes)))?,
        }
        if let Some(rule) = told.rule {
            writeln!(output, "\n{HEADING}rule{HEADING:#}")?;
            terms::rule(output, self.table, rule)?;
        }
        if !told.unread.is_empty() {
            writeln!(output, "\n{HEADING}unread{HEADING:#}  {QUIET}no rule reads these members{QUIET:#}")?;
            for place in &told.unread {
                writeln!(output, "{}", output::name(place))?;
            }
        }
        let what = if self.table.layer == Layer::Model { "chunks" } else { "events" };
        writeln!(output, "\n{HEADING}{what}{HEADING:#}")?;
        if told.events.is_empty() {
            writeln!(output, "{QUIET}none{QUIET:#}")?;
        }
        for event in &told.events {
            writeln!(output, "{}", output::json(&serde_json::to_string(event)?))?;
        }
        Ok(())
    }
}

impl Told<'_> {
    /// Sees from the counts what became of the message.
    fn judge(&mut self, engine: &Engine, (before, known): &mut (Counts, Unread)) {
        let after = engine.counts();
        if after.0 == before.0 {
            return;
        }
        let unread = engine.unread();
        let is_new = |(place, count): &(&String, &u64)| known.get(*place) != Some(*count);
        // The rule is told beside it.
        let place = |(place, _): (&String, &u64)| {
            place.split_once(": ").map_or(place.clone(), |(_, place)| place.to_owned())
        };
        self.unread = unread.iter().filter(is_new).map(place).collect();
        *known = unread;
        self.rule = engine.last_rule();
        self.outcome = if after.2 > before.2 {
            Outcome::Unparsed
        } else if after.1 > before.1 {
            Outcome::Translated
        } else {
            Outcome::Ignored
        };
        *before = after;
    }

    fn heading(&self, output: &mut impl Write, table: &Table) -> io::Result<()> {
        write!(output, "{HEADING}line {}{HEADING:#}  ", self.line)?;
        match (self.outcome, self.rule) {
            (Outcome::Unparsed, _) => write!(output, "{WARNING}unparsed{WARNING:#}")?,
            // The end marker of a stream is told by no rule.
            (_, None) if table.layer == Layer::Model => write!(output, "end of the stream")?,
            (_, None) => write!(output, "no rule")?,
            (_, Some(rule)) => {
                let place = rule.place;
                write!(
                    output,
                    "{RULE}{}{RULE:#}  {}:{}:{}",
                    rule.name,
                    table.file_of(place),
                    place.line,
                    place.column
                )?;
                match rule.ignore {
                    Some(reason) => write!(output, "  ignored: {reason}")?,
                    None if self.events.is_empty() => write!(output, "  {QUIET}silent{QUIET:#}")?,
                    None => {}
                }
            }
        }
        writeln!(output)
    }
}

/// Where the messages of a stream are.
fn places<'b>(table: &Table, bytes: &'b [u8]) -> Vec<Told<'b>> {
    let mut found = Vec::new();
    let mut add = |frame: interlingua::framing::Frame<'_>| {
        let start = within(frame.offset, bytes);
        let end = within(frame.offset + frame.length, bytes);
        found.push(Told {
            line: frame.line,
            offset: frame.offset,
            bytes: &bytes[start..end],
            rule: None,
            outcome: Outcome::Translated,
            events: Vec::new(),
            unread: Vec::new(),
        });
    };
    let mut framer = Framer::for_table(table, DEFAULT_LIMIT);
    framer.push(bytes, &mut add);
    framer.finish(&mut add);
    found
}

fn within(offset: u64, bytes: &[u8]) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len())
}

/// An event in one line.
fn short(output: &mut impl Write, given: &Given) -> io::Result<()> {
    let event = match given {
        Given::Event(event) => event,
        Given::Chunk(chunk) => {
            let text = excerpt(&serde_json::to_string(chunk)?);
            return writeln!(output, "  → {EVENT}{}{EVENT:#}  {text}", chunk.chunk_type());
        }
    };
    let (id, event_type) = (event.event_id(), event.body.event_type());
    let ours = if event.origin == Origin::Daemon { " (ours)" } else { "" };
    writeln!(output, "  → {id} {EVENT}{event_type}{EVENT:#}{ours}  {}", sketch(event)?)
}
