//! The events of a file, whichever it is: a native recording, which is translated, or a stored universal stream.

use std::cell::RefCell;
use std::path::Path;

use interlingua::table::{Layer, Table};
use interlingua::vocabulary::Event;
use interlingua::{Options, Translator};

use crate::args::Source;
use crate::failure::{Failure, IO, USAGE, shown};
use crate::input::{CHUNK, Input};
use crate::provider::{Chosen, Identity, choose_or_universal};

/// What became of a file.
pub struct Read {
    /// Who wrote it; `None` for a stored stream, and for an empty file.
    pub table: Option<&'static Table>,
    /// How many messages or lines could not be parsed.
    pub unparsed: u64,
    /// How many messages there were, of a native stream.
    pub messages: Option<u64>,
}

impl Read {
    fn nothing() -> Self {
        Self { table: None, unparsed: 0, messages: None }
    }

    fn of(table: &'static Table, translator: &Translator) -> Self {
        let stats = translator.stats();
        Self { table: Some(table), unparsed: stats.unparsed, messages: Some(stats.messages) }
    }
}

thread_local! {
    /// What is read at once, kept for the next file.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Reads all events of a file. A native recording is translated with these options.
pub fn read(
    source: &Source,
    path: &Path,
    options: Options,
    take: impl FnMut(Event),
) -> Result<Read, Failure> {
    read_input(source, Input::open(path)?, options, take)
}

/// Reads all events of an open input.
pub fn read_input(
    source: &Source,
    mut input: Input,
    options: Options,
    mut take: impl FnMut(Event),
) -> Result<Read, Failure> {
    match choose_or_universal(source, &mut input)? {
        Identity::Empty | Identity::Unknown(_) => Ok(Read::nothing()),
        Identity::Known(chosen) => translated(chosen, input, options, take),
        Identity::Universal(begin) => stored(begin, input, &mut take),
    }
}

/// Reads all events of a file as [`read`] does, and keeps the native bytes. Of a stored stream there are none.
pub fn read_keeping(
    source: &Source,
    path: &Path,
    session: &str,
    mut take: impl FnMut(Event),
) -> Result<(Read, Vec<u8>), Failure> {
    let mut input = Input::open(path)?;
    match choose_or_universal(source, &mut input)? {
        Identity::Empty | Identity::Unknown(_) => Ok((Read::nothing(), Vec::new())),
        Identity::Known(Chosen { table, begin }) => {
            let mut bytes = begin;
            bytes.extend(input.read_whole()?);
            let mut translator = translator(table, path, Options::default().session_id(session))?;
            for chunk in bytes.chunks(CHUNK) {
                translator.push(chunk).for_each(&mut take);
            }
            translator.finish().for_each(&mut take);
            Ok((Read::of(table, &translator), bytes))
        }
        Identity::Universal(begin) => stored(begin, input, &mut take).map(|read| (read, Vec::new())),
    }
}

/// Reads all events of a native recording whose provider is known.
pub fn read_as(
    table: &'static Table,
    path: &Path,
    options: Options,
    take: impl FnMut(Event),
) -> Result<Read, Failure> {
    translated(Chosen { table, begin: Vec::new() }, Input::open(path)?, options, take)
}

/// Reads all events of a native recording, of which the beginning was read.
pub fn translated(
    Chosen { table, begin }: Chosen,
    mut input: Input,
    options: Options,
    mut take: impl FnMut(Event),
) -> Result<Read, Failure> {
    let mut translator = translator(table, &input.path, options)?;
    translator.push(&begin).for_each(&mut take);
    drop(begin);
    let mut buffer = BUFFER.take();
    buffer.resize(CHUNK, 0);
    let read = loop {
        match input.read(&mut buffer) {
            Ok(0) => break Ok(()),
            Ok(count) => translator.push(&buffer[..count]).for_each(&mut take),
            // What was read so far comes to its end.
            Err(failure) => break Err(failure),
        }
    };
    BUFFER.set(buffer);
    translator.finish().for_each(&mut take);
    read.map(|()| Read::of(table, &translator))
}

fn translator(table: &'static Table, path: &Path, options: Options) -> Result<Translator, Failure> {
    if table.layer == Layer::Model {
        let message = format!("{} is the stream of a model, {}", shown(path), table.title);
        return Err(
            Failure::new(USAGE, message).help("`interlingua translate --assemble` writes its message")
        );
    }
    Ok(Translator::new(table, options))
}

/// Lines that are no events are counted and left out.
pub fn stored(begin: Vec<u8>, mut input: Input, take: &mut impl FnMut(Event)) -> Result<Read, Failure> {
    let (mut line, mut events, mut unparsed) = (Vec::new(), 0, 0);
    let mut pass = |line: &[u8]| {
        if line.trim_ascii().is_empty() {
            return;
        }
        match serde_json::from_slice(line) {
            Ok(event) => {
                events += 1;
                take(event);
            }
            Err(_) => unparsed += 1,
        }
    };
    let mut buffer = begin;
    let mut count = buffer.len();
    while count > 0 {
        for piece in buffer[..count].split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                pass(&line);
                line.clear();
            }
        }
        buffer.resize(CHUNK, 0);
        count = input.read(&mut buffer)?;
    }
    pass(&line);
    if events == 0 && unparsed > 0 {
        let message = format!("{} has no universal events", shown(&input.path));
        return Err(Failure::new(IO, message).help("the chunks of a model's answer have no transcript"));
    }
    Ok(Read { unparsed, ..Read::nothing() })
}
