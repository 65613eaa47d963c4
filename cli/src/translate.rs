//! `interlingua translate`: native bytes in, universal events out.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::time::Instant;

use interlingua::table::Table;
use interlingua::vocabulary::Event;
use interlingua::{Options, Stats, Translator};

use crate::args::Translate;
use crate::failure::{FINDINGS, FINE, Failure, USAGE, shown};
use crate::input::{CHUNK, Input, or_stdin};
use crate::progress::Progress;
use crate::provider::{Chosen, choose};
use crate::statistics;

/// Runs the command.
pub fn run(options: &Translate) -> Result<u8, Failure> {
    let files = or_stdin(&options.files);
    if options.session_id.is_some() && files.len() > 1 {
        return Err(Failure::new(USAGE, "--session-id names one stream, but there are several FILEs")
            .help("leave it out: the streams get the sessions s1, s2, … in the order of the files"));
    }
    let begin = Instant::now();
    let mut output = Output::new(options.pretty);
    let mut total = Stats::default();
    for (place, path) in files.iter().enumerate() {
        let session = options.session_id.clone().unwrap_or_else(|| format!("s{}", place + 1));
        translate(path, &session, options, &mut output, &mut total)?;
    }
    output.flush()?;
    if let Some(path) = &options.stats {
        statistics::write(&total, path)?;
    }
    if io::stderr().is_terminal() {
        anstream::eprintln!("{}", statistics::summary(&total, begin.elapsed()));
    }
    if options.strict && total.unparsed > 0 {
        let (count, all) = (total.unparsed, total.messages);
        anstream::eprintln!("{count} of {all} messages could not be parsed (--strict)");
        anstream::eprintln!("  help: `interlingua explain FILE` shows them as `unparsed`");
        return Ok(FINDINGS);
    }
    Ok(FINE)
}

/// One stream from its first byte to its end.
fn translate(
    path: &Path,
    session: &str,
    options: &Translate,
    output: &mut Output,
    total: &mut Stats,
) -> Result<(), Failure> {
    let mut input = Input::open(path)?;
    let Some(Chosen { table, begin }) = choose(&options.source, &mut input)? else {
        return Ok(());
    };
    let mut translator = Translator::new(table, Options::default().session_id(session).raw(options.raw));
    let mut progress = Progress::new(input.length);
    let live = input.is_live();
    let mut start = begin.clone();
    start.truncate(EXCERPT);

    output.write_all(translator.push(&begin))?;
    progress.advance(begin.len() as u64);
    drop(begin);
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
        output.write_all(translator.push(&buffer[..count]))?;
        progress.advance(count as u64);
    }
    output.write_all(translator.finish())?;
    progress.finish();

    let stats = translator.stats();
    if stats.unparsed > 0 && stats.unparsed == stats.messages {
        warn_wrong_provider(path, table, &start);
    }
    statistics::add(total, &stats);
    Ok(())
}

/// How much of a stream's start is kept, to tell which agent wrote it when its map fits nowhere.
const EXCERPT: usize = 64 << 10;

/// When no message at all could be parsed, the map is most likely not the right one.
fn warn_wrong_provider(path: &Path, table: &Table, start: &[u8]) {
    let warning = anstyle::AnsiColor::Yellow.on_default().bold();
    let path = shown(path);
    anstream::eprintln!("{warning}warning:{warning:#} {path}: not one message is from {}", table.title);
    if let Some(other) = interlingua::detect(start).filter(|other| other.provider != table.provider) {
        anstream::eprintln!("  help: it looks like {}: use --from {}", other.title, other.provider);
    }
}

/// Standard output as JSON lines.
struct Output {
    writer: BufWriter<io::StdoutLock<'static>>,
    line: Vec<u8>,
    pretty: bool,
}

impl Output {
    fn new(pretty: bool) -> Self {
        Self { writer: BufWriter::with_capacity(CHUNK, io::stdout().lock()), line: Vec::new(), pretty }
    }

    fn write_all(&mut self, events: impl Iterator<Item = Event>) -> Result<(), Failure> {
        for event in events {
            self.line.clear();
            let written = if self.pretty {
                serde_json::to_writer_pretty(&mut self.line, &event)
            } else {
                event.write_json(&mut self.line)
            };
            self.line.push(b'\n');
            written
                .map_err(io::Error::from)
                .and_then(|()| self.writer.write_all(&self.line))
                .map_err(|error| Failure::output(&error))?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|error| Failure::output(&error))
    }
}
