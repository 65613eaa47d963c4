//! `interlingua check`: a universal stream against the laws of the vocabulary.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use interlingua::laws::{Checker, ChunkChecker, Law, Violation};
use interlingua::vocabulary::{Event, EventBody, StreamChunk};

use crate::args::Check;
use crate::failure::{FINDINGS, FINE, Failure, each, help};
use crate::input::{CHUNK, Input, or_stdin};
use crate::output;
use crate::parallel;

/// How many characters of a finding are shown: it may name what the stream calls by long names.
const WIDTH: usize = 1000;

/// Runs the command.
pub fn run(options: &Check) -> Result<u8, Failure> {
    let mut findings = Findings::new(Box::new(output::people()));
    let mut events = 0;
    let files = or_stdin(&options.files);
    let code = match parallel::jobs(options.jobs.wanted, files.len()) {
        1 => each(&files, |_, path| {
            events += check(path, &mut findings)?;
            Ok(FINE)
        })?,
        jobs => side_by_side(&files, jobs, &mut findings, &mut events)?,
    };
    let findings = findings.counted();
    let count = findings.count;
    // The findings are on standard output; standard error says what to do about them.
    if count > 0 || (code == FINE && io::stderr().is_terminal()) {
        let verdict = match count {
            0 => "no law is broken".to_string(),
            1 => "1 finding".to_string(),
            _ => format!("{count} findings"),
        };
        output::tell(format_args!("{events} events: {verdict}"));
    }
    for law in &findings.laws {
        output::tell(format_args!("  {law}: {}", law.text()));
    }
    if !findings.laws.is_empty() {
        help(
            "docs/laws.md gives the reason for each law; `interlingua explain RECORDING --event ID` shows the native \
             message of an event",
        );
    }
    if findings.chunks > 0 {
        help("docs/model-streams.md describes the protocol of chunks");
    }
    if findings.strangers > 0 {
        help("`interlingua schema` prints the JSON Schema of the events");
    }
    Ok(if count == 0 { code } else { code.max(FINDINGS) })
}

/// So many answers are checked at a time; more are never mixed, and the first of them has ended.
const ANSWERS: usize = 256;

/// Several files at once.
fn side_by_side(
    files: &[PathBuf],
    jobs: usize,
    findings: &mut Findings<'_>,
    events: &mut u64,
) -> Result<u8, Failure> {
    let findings = RefCell::new(findings);
    let work = |_: usize, path: &Path, pipe: parallel::Pipe<'_>| {
        let mut own = Findings::new(Box::new(BufWriter::with_capacity(CHUNK, pipe)));
        let checked = check(path, &mut own);
        own.output.flush().map_err(|error| Failure::output(&error))?;
        Ok((checked, own.counted()))
    };
    let write = |bytes: &[u8]| findings.borrow_mut().write(bytes);
    parallel::each(jobs, files, work, write, |_, (checked, counted)| {
        findings.borrow_mut().add(counted);
        *events += checked?;
        Ok(FINE)
    })
}

/// The number of the answer that a chunk belongs to; none for the first one.
#[derive(serde::Deserialize)]
struct Numbered {
    stream: Option<u64>,
}

/// Checks one stream and gives back the number of its events.
fn check(path: &Path, findings: &mut Findings<'_>) -> Result<u64, Failure> {
    let mut checker = Checker::new();
    let mut reader = BufReader::with_capacity(CHUNK, Reading(Input::open(path)?));
    // The first line tells whether it is a stream of events or the chunks of answers, whose candidates may be mixed.
    let mut answers: BTreeMap<u64, ChunkChecker> = BTreeMap::new();
    let (mut line, mut number, mut events) = (Vec::new(), 0, 0);
    loop {
        line.clear();
        let count = reader.read_until(b'\n', &mut line).map_err(|error| Failure::reading(path, &error))?;
        if count == 0 {
            break;
        }
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        if (events == 0 || !answers.is_empty())
            && let Ok(chunk) = serde_json::from_slice::<StreamChunk>(&line)
            // Any object with a type can be a chunk of an unknown type, so the first one must be known.
            && (chunk.is_known() || events > 0)
        {
            events += 1;
            let of = serde_json::from_slice::<Numbered>(&line).ok().and_then(|numbered| numbered.stream);
            for error in answers.entry(of.unwrap_or(1)).or_default().feed(&chunk) {
                findings.chunk(path, number, error)?;
            }
            if answers.len() > ANSWERS
                && let Some((_, over)) = answers.pop_first()
            {
                for error in over.finish() {
                    findings.chunk(path, number, error)?;
                }
            }
            continue;
        }
        match serde_json::from_slice::<Event>(&line) {
            Ok(event) => {
                events += 1;
                if let EventBody::Other(other) = &event.body
                    && let Some(problem) = other.problem()
                {
                    findings.unreadable(path, number, event.body.event_type(), &problem)?;
                }
                for violation in checker.feed(&event) {
                    findings.violation(path, number, &violation)?;
                }
            }
            Err(error) => {
                findings.stranger(path, number, &error)?;
                // A native recording would give one finding a line, and none of them the right one.
                if events == 0
                    && let Some(table) = interlingua::detect(&line)
                {
                    let message = format!("this is the output of {}, not a universal stream", table.title);
                    return Err(Failure::new(FINDINGS, message).help(format!(
                        "translate it first: interlingua translate {} | interlingua check",
                        output::path(path)
                    )));
                }
            }
        }
    }
    if answers.is_empty() {
        for violation in checker.finish() {
            findings.violation(path, number, &violation)?;
        }
    }
    for answer in answers.into_values() {
        for error in answer.finish() {
            findings.chunk(path, number, error)?;
        }
    }
    Ok(events)
}

/// An error of a line, which is line 1 to the parser and has its number in front already.
fn in_its_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

/// What is wrong, printed as it is found.
struct Findings<'w> {
    output: Box<dyn Write + 'w>,
    /// Nobody reads the output any more.
    is_closed: bool,
    counts: Counts,
}

/// How much is wrong.
#[derive(Default)]
struct Counts {
    count: u64,
    /// The laws that are broken.
    laws: BTreeSet<Law>,
    /// How many of them break the protocol of chunks.
    chunks: u64,
    /// How many of them are lines that are no event.
    strangers: u64,
}

impl<'w> Findings<'w> {
    fn new(output: Box<dyn Write + 'w>) -> Self {
        Self { output, is_closed: false, counts: Counts::default() }
    }

    fn counted(self) -> Counts {
        self.counts
    }

    /// Adds the counts of other findings.
    fn add(&mut self, other: Counts) {
        self.counts.count += other.count;
        self.counts.laws.extend(other.laws);
        self.counts.chunks += other.chunks;
        self.counts.strangers += other.strangers;
    }

    /// A broken law.
    fn violation(&mut self, path: &Path, line: u64, violation: &Violation) -> Result<(), Failure> {
        self.counts.laws.insert(violation.law);
        self.print(path, line, violation)
    }

    /// An error in a stream of chunks.
    fn chunk(&mut self, path: &Path, line: u64, error: String) -> Result<(), Failure> {
        self.counts.chunks += 1;
        self.print(path, line, error)
    }

    /// A line that is no event.
    fn stranger(&mut self, path: &Path, line: u64, error: &serde_json::Error) -> Result<(), Failure> {
        self.counts.strangers += 1;
        self.print(path, line, format!("not a universal event: {}", in_its_line(error)))
    }

    /// An event of a known type whose data cannot be read.
    fn unreadable(
        &mut self,
        path: &Path,
        line: u64,
        event_type: &str,
        problem: &serde_json::Error,
    ) -> Result<(), Failure> {
        self.counts.strangers += 1;
        // Its column counts from the data's start, and helps nobody.
        let problem = problem.to_string();
        let problem = problem.split(" at line ").next().unwrap_or_default();
        self.print(path, line, format!("the data of `{event_type}` cannot be read: {problem}"))
    }

    fn print(&mut self, path: &Path, line: u64, what: impl Display) -> Result<(), Failure> {
        self.counts.count += 1;
        let what = output::line(&what.to_string(), WIDTH);
        self.write(format!("{}:{line}: {what}\n", output::path(path)).as_bytes())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.is_closed {
            return Ok(());
        }
        let written = self.output.write_all(bytes);
        match written.map_err(|error| Failure::output(&error)) {
            // Whoever has read enough still gets the exit code of the whole stream.
            Err(Failure::BrokenPipe) => self.is_closed = true,
            written => written?,
        }
        Ok(())
    }
}

/// An input as a reader of the standard library.
struct Reading(Input);

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.reader().read(buffer)
    }
}
