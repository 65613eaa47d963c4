//! `interlingua translate`: native bytes in, universal events out, or the chunks of a model's answer.

use std::cell::RefCell;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use interlingua::model::{self, Answered, Answers, ModelStream};
use interlingua::table::{Layer, Table};
use interlingua::vocabulary::{Event, FinishReason, StreamChunk};
use interlingua::{Detection, Detector, HostCounts, Options, Replay, Translator};
use serde::Serialize;

use crate::args::Translate;
use crate::events;
use crate::failure::{FINDINGS, FINE, Failure, USAGE, each, help, shown, warn};
use crate::input::{CHUNK, Input, or_stdin};
use crate::output::{self, StdoutJson, Target};
use crate::parallel;
use crate::progress::Progress;
use crate::provider::{self, Chosen, Identity, choose, choose_or_universal};
use crate::statistics::{self, Total};

/// Runs the command.
pub fn run(options: &Translate) -> Result<u8, Failure> {
    let files = or_stdin(&options.files);
    if options.session_id.is_some() && files.len() > 1 {
        return Err(Failure::new(USAGE, "--session-id names one stream, but there are several FILEs")
            .help("leave it out: the streams get the sessions s1, s2, … in the order of the files"));
    }
    if options.host.is_some() && files.len() > 1 {
        return Err(Failure::new(USAGE, "--host belongs to one stream, but there are several FILEs")
            .help("translate each FILE with the --host that was recorded with it"));
    }
    let begin = Instant::now();
    let target = options.to.as_deref().map(provider::target).transpose()?;
    let mut total = Total::default();
    let code = match parallel::jobs(options.jobs.wanted, files.len()) {
        1 => one_by_one(options, target, &files, &mut total)?,
        jobs => side_by_side(options, target, &files, jobs, &mut total)?,
    };
    if let Some(path) = &options.stats {
        statistics::write(&total, path)?;
    }
    if io::stderr().is_terminal() {
        output::tell(statistics::summary(&total, begin.elapsed()));
    }
    Ok(if options.strict && total.all.unparsed > 0 { code.max(FINDINGS) } else { code })
}

/// The name of the first session of a file.
fn session(options: &Translate, place: usize) -> String {
    options.session_id.clone().unwrap_or_else(|| format!("s{}", place + 1))
}

fn one_by_one(
    options: &Translate,
    target: Option<&'static Table>,
    files: &[PathBuf],
    total: &mut Total,
) -> Result<u8, Failure> {
    let mut out = Output::new(options, target, Box::new(io::stdout().lock()));
    let code = each(files, |place, path| {
        let ended = translate(path, &session(options, place), options, &mut out, total);
        out.end_stream()?;
        ended.map(Ended::code)
    })?;
    out.flush()?;
    Ok(code)
}

/// Several files at once. Those with the answers of models wait for their turn, since answers are numbered through all
/// files.
fn side_by_side(
    options: &Translate,
    target: Option<&'static Table>,
    files: &[PathBuf],
    jobs: usize,
    total: &mut Total,
) -> Result<u8, Failure> {
    let out = RefCell::new(Output::new(options, target, Box::new(io::stdout().lock())));
    let work = |place: usize, path: &Path, pipe: parallel::Pipe<'_>| {
        let mut total = Total::default();
        let mut out = Output { is_worker: true, ..Output::new(options, target, Box::new(pipe)) };
        let ended = translate(path, &session(options, place), options, &mut out, &mut total);
        // What was translated before a failure is written and counted as well.
        let flushed = match ended {
            Ok(Ended::WaitsForTurn) => Ok(()),
            _ => out.end_stream().and_then(|()| out.flush()),
        };
        Ok((ended.and_then(|ended| flushed.map(|()| ended)), total))
    };
    let code = parallel::each(
        jobs,
        files,
        work,
        |bytes| out.borrow_mut().write_bytes(bytes),
        |place, (ended, counted)| {
            total.merge(counted);
            let ended = match ended? {
                Ended::WaitsForTurn => {
                    let out = &mut out.borrow_mut();
                    let ended = translate(&files[place], &session(options, place), options, out, total);
                    out.end_stream()?;
                    ended?
                }
                ended => ended,
            };
            Ok(ended.code())
        },
    )?;
    out.borrow_mut().flush()?;
    Ok(code)
}

/// What became of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// It is translated.
    Whole,
    /// It is an answer to assemble that did not come to its own end.
    Cut,
    /// A worker leaves it to the turn of its file.
    WaitsForTurn,
}

impl Ended {
    fn code(self) -> u8 {
        if self == Self::Cut { FINDINGS } else { FINE }
    }
}

/// One stream from its first byte to its end.
fn translate(
    path: &Path,
    session: &str,
    options: &Translate,
    output: &mut Output<'_>,
    total: &mut Total,
) -> Result<Ended, Failure> {
    // Standard input cannot be read twice.
    if output.is_worker && path == Path::new("-") {
        return Ok(Ended::WaitsForTurn);
    }
    let mut input = Input::open(path)?;
    let chosen = if options.to.is_none() {
        choose(&options.source, &mut input)?
    } else {
        match choose_or_universal(&options.source, &mut input)? {
            Identity::Known(chosen) => Some(chosen),
            Identity::Universal(begin) => return stored(begin, input, output).map(|()| Ended::Whole),
            Identity::Empty | Identity::Unknown(_) => None,
        }
    };
    let Some(chosen) = chosen else {
        return Ok(Ended::Whole);
    };
    if chosen.table.layer == Layer::Model && options.to.is_some() {
        let message = format!(
            "--to is for the sessions of agents, and this is the stream of a model, {}",
            chosen.table.title
        );
        return Err(Failure::new(USAGE, message));
    }
    if chosen.table.layer == Layer::Model {
        if output.is_worker {
            return Ok(Ended::WaitsForTurn);
        }
        let is_cut = answer(path, chosen, input, options, output, total)?;
        return Ok(if is_cut { Ended::Cut } else { Ended::Whole });
    }
    if options.assemble {
        let message =
            format!("--assemble is for the streams of models, and this is one of {}", chosen.table.title);
        return Err(Failure::new(USAGE, message));
    }
    if let Some(host) = &options.host {
        with_host(host, session, chosen, input, options, output, total)?;
        return Ok(Ended::Whole);
    }
    let Chosen { table, begin } = chosen;
    let mut translator = Translator::new(
        table,
        Options::default().session_id(session).raw(options.raw).count_unread(options.stats.is_some()),
    );
    let mut progress = Progress::new(input.length.filter(|_| !output.is_worker));
    let live = input.is_live();
    let mut start = begin.clone();
    start.truncate(EXCERPT);

    output.write_all(translator.push(&begin))?;
    progress.advance(begin.len() as u64);
    drop(begin);
    let mut buffer = vec![0; CHUNK];
    let read = loop {
        if live {
            output.flush()?;
        }
        let count = match input.read(&mut buffer) {
            Ok(0) => break Ok(()),
            Ok(count) => count,
            // What was read so far comes to its end.
            Err(failure) => break Err(failure),
        };
        if start.len() < EXCERPT {
            start.extend_from_slice(&buffer[..count.min(EXCERPT - start.len())]);
        }
        output.write_all(translator.push(&buffer[..count]))?;
        progress.advance(count as u64);
    };
    output.write_all(translator.finish())?;
    progress.finish();

    let stats = translator.stats();
    warn_unparsed(path, table, (stats.unparsed, stats.messages), &start);
    statistics::add(&mut total.all, &stats);
    read.map(|()| Ended::Whole)
}

/// A stored universal stream, for a target.
fn stored(begin: Vec<u8>, input: Input, output: &mut Output<'_>) -> Result<(), Failure> {
    let mut written = Ok(());
    events::stored(begin, input, &mut |event| {
        if written.is_ok() {
            written = output.write_all(std::iter::once(event));
        }
    })?;
    written
}

/// One stream with what its host has sent. Both are read whole, since the place of a host's line follows from what comes
/// after it.
fn with_host(
    host: &Path,
    session: &str,
    Chosen { table, begin: mut agent }: Chosen,
    mut input: Input,
    options: &Translate,
    output: &mut Output<'_>,
    total: &mut Total,
) -> Result<bool, Failure> {
    input.reader().read_to_end(&mut agent).map_err(|error| Failure::reading(&input.path, &error))?;
    let lines = Input::open(host)?.read_whole()?;
    let options =
        Options::default().session_id(session).raw(options.raw).count_unread(options.stats.is_some());
    let mut replay = Replay::new(table, options, &agent, &lines);
    for moment in replay.by_ref() {
        output.write_all(moment.into_events().into_iter())?;
    }
    let counts = replay.host_counts();
    warn_broken_lines(host, counts);
    if counts.messages > counts.refused && counts.commands == 0 {
        let (count, host) = (counts.messages, shown(host));
        warn(&format!("{host}: none of its {count} messages is a command to {}", table.title));
        help(&format!("--host takes what was sent to the agent that wrote {}", shown(&input.path)));
    }
    let stats = replay.stats();
    warn_unparsed(&input.path, table, (stats.unparsed, stats.messages), &agent[..agent.len().min(EXCERPT)]);
    statistics::add(&mut total.all, &stats);
    total.add_host(counts);
    Ok(false)
}

/// Lines of the host that are no messages are left out; whoever reads the events should know.
fn warn_broken_lines(host: &Path, counts: &HostCounts) {
    for (line, reason) in &counts.broken_lines {
        warn(&format!("{}:{line}: {}", shown(host), output::line(reason, 1000)));
    }
    let untold = counts.broken - counts.broken_lines.len() as u64;
    if untold > 0 {
        output::tell(format_args!("  … and {untold} more lines that are no messages"));
    }
}

/// The answer of a model.
fn answer(
    path: &Path,
    Chosen { table, begin }: Chosen,
    mut input: Input,
    options: &Translate,
    output: &mut Output<'_>,
    total: &mut Total,
) -> Result<bool, Failure> {
    let wanted = model::Options::default()
        .log_probabilities(options.log_probabilities)
        .count_unread(options.stats.is_some());
    let mut answers = Answers::new(table, wanted);
    let live = input.is_live();
    let mut tell = Telling { path, options, before: output.answers, cut: false, unparsed: 0, messages: 0 };
    let mut said = Vec::new();
    answers.push(&begin, |number, answered| said.push((number, answered)));
    tell.all(&mut said, output, total)?;
    let mut start = begin;
    let mut buffer = vec![0; CHUNK];
    loop {
        if live {
            output.flush()?;
        }
        let count = input.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        if start.len() < EXCERPT {
            start.extend_from_slice(&buffer[..count.min(EXCERPT - start.len())]);
        }
        answers.push(&buffer[..count], |number, answered| said.push((number, answered)));
        tell.all(&mut said, output, total)?;
    }
    answers.finish(|number, answered| said.push((number, answered)));
    tell.all(&mut said, output, total)?;
    warn_unparsed(path, table, (tell.unparsed, tell.messages), &start);
    Ok(tell.cut)
}

/// Writes the answers of one input.
struct Telling<'a> {
    path: &'a Path,
    options: &'a Translate,
    /// How many answers the inputs before this one held.
    before: u64,
    /// Whether an answer that was put together did not come to its own end.
    cut: bool,
    unparsed: u64,
    messages: u64,
}

impl Telling<'_> {
    fn all(
        &mut self,
        said: &mut Vec<(u64, Answered)>,
        output: &mut Output<'_>,
        total: &mut Total,
    ) -> Result<(), Failure> {
        for (number, answered) in said.drain(..) {
            output.answers = self.before + number;
            match answered {
                Answered::Chunk(chunk) if !self.options.assemble => output.write_chunk(&chunk)?,
                Answered::Over(stream) => {
                    let stats = stream.stats();
                    self.unparsed += stats.unparsed;
                    self.messages += stats.messages;
                    total.add_answer(stats);
                    if self.options.assemble {
                        self.cut |= assembled(self.path, &stream, output)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Writes the message of an answer; says whether the answer did not come to its own end.
fn assembled(path: &Path, stream: &ModelStream, output: &mut Output<'_>) -> Result<bool, Failure> {
    output.write_value(&stream.message())?;
    let why = match stream.finish_reason() {
        Some(FinishReason::Aborted) => "was cut off".to_owned(),
        Some(FinishReason::Error(error)) => format!("has failed: {}", output::line(&error.message, 1000)),
        Some(FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Pause) | None => return Ok(false),
        Some(other) => format!("ended with `{}`", output::name(other.tag())),
    };
    warn(&format!("{}: the answer {why}", shown(path)));
    Ok(true)
}

/// How much of a stream's start is kept, to tell which agent wrote it when its map fits nowhere.
const EXCERPT: usize = 64 << 10;

/// Tells how many messages could not be parsed. When it is most of them, the map is most likely not the right one.
fn warn_unparsed(path: &Path, table: &Table, (unparsed, all): (u64, u64), start: &[u8]) {
    if unparsed == 0 {
        return;
    }
    let title = table.title;
    let path = shown(path);
    if unparsed * 2 <= all {
        warn(&format!("{path}: {unparsed} of {all} messages could not be parsed"));
    } else {
        warn(&format!("{path}: {unparsed} of {all} messages are not from {title}"));
        let mut detector = Detector::new();
        detector.push(start);
        match detector.finish() {
            Detection::Universal => {
                help("it is already universal: it needs no translation");
                return;
            }
            Detection::Known(other) if other.provider != table.provider => {
                help(&format!("it looks like {}: use --from {}", other.title, other.provider));
                return;
            }
            _ => {}
        }
    }
    help("`interlingua explain FILE` shows them as `unparsed`");
}

/// Standard output as JSON lines.
struct Output<'w> {
    writer: BufWriter<Box<dyn Write + 'w>>,
    line: Vec<u8>,
    pretty: bool,
    json: StdoutJson,
    /// The number of the answer that is being written.
    answers: u64,
    /// What the events become, where they are not written themselves.
    target: Option<Target>,
    /// Whether it is written when it is the turn of its file.
    is_worker: bool,
}

impl<'w> Output<'w> {
    fn new(options: &Translate, target: Option<&'static Table>, to: Box<dyn Write + 'w>) -> Self {
        Self {
            writer: BufWriter::with_capacity(CHUNK, to),
            line: Vec::new(),
            pretty: options.pretty,
            json: StdoutJson::new(),
            answers: 0,
            target: target.map(|table| Target::new(table, options.sse)),
            is_worker: false,
        }
    }

    /// Writes what a worker has written.
    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.writer.write_all(bytes).map_err(|error| Failure::output(&error))
    }

    fn write_all(&mut self, events: impl Iterator<Item = Event>) -> Result<(), Failure> {
        for event in events {
            self.line.clear();
            if let Some(target) = &mut self.target {
                target.push(&event, &mut self.line);
                self.write_line()?;
                continue;
            }
            let written = if self.pretty {
                serde_json::to_writer_pretty(&mut self.line, &event)
            } else {
                event.write_json(&mut self.line)
            };
            self.line.push(b'\n');
            self.json.prepare(&mut self.line);
            written
                .map_err(io::Error::from)
                .and_then(|()| self.writer.write_all(&self.line))
                .map_err(|error| Failure::output(&error))?;
        }
        Ok(())
    }

    /// The input has ended.
    fn end_stream(&mut self) -> Result<(), Failure> {
        self.line.clear();
        if let Some(target) = &mut self.target {
            target.finish(&mut self.line);
        }
        self.write_line()
    }

    fn write_line(&mut self) -> Result<(), Failure> {
        self.json.prepare(&mut self.line);
        self.writer.write_all(&self.line).map_err(|error| Failure::output(&error))
    }

    /// A chunk of the answer at hand. From the second answer on, each chunk says to which it belongs.
    fn write_chunk(&mut self, chunk: &StreamChunk) -> Result<(), Failure> {
        self.line.clear();
        let written = match self.pretty {
            true => serde_json::to_writer_pretty(&mut self.line, chunk),
            false => serde_json::to_writer(&mut self.line, chunk),
        };
        if self.answers > 1 && self.line.first() == Some(&b'{') {
            let member = match self.pretty {
                true => format!("\n  \"stream\": {},", self.answers),
                false => format!("\"stream\":{},", self.answers),
            };
            self.line.splice(1..1, member.into_bytes());
        }
        self.end_line(written)
    }

    fn write_value(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        self.line.clear();
        let written = match self.pretty {
            true => serde_json::to_writer_pretty(&mut self.line, value),
            false => serde_json::to_writer(&mut self.line, value),
        };
        self.end_line(written)
    }

    fn end_line(&mut self, written: serde_json::Result<()>) -> Result<(), Failure> {
        self.line.push(b'\n');
        self.json.prepare(&mut self.line);
        written
            .map_err(io::Error::from)
            .and_then(|()| self.writer.write_all(&self.line))
            .map_err(|error| Failure::output(&error))
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|error| Failure::output(&error))
    }
}
