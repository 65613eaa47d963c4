//! Events from anything that can be read.

use std::collections::VecDeque;
use std::io::{self, Read};

use interlingua_table::Table;

use crate::detect::{Detection, Detector};
use crate::engine::{Options, Stats, Translator};
use crate::vocabulary::Event;

/// How much is read at once. A live reader may return less.
const CHUNK: usize = 64 << 10;

/// The events of a reader, as an iterator.
///
/// After a reader's error come the events that end the stream.
///
/// ```
/// # #[cfg(feature = "providers")] {
/// use interlingua::{EventReader, Options};
///
/// let input = &b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n"[..];
/// let mut types = Vec::new();
/// for event in EventReader::detect(input, Options::default())? {
///     types.push(event?.body.event_type().to_owned());
/// }
/// assert_eq!(types, ["session.started", "session.ended"]);
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// Events that were stored as JSON need no translation; serde_json reads them:
///
/// ```
/// use interlingua::vocabulary::{Event, Transcript};
/// let stored = &br#"{"sequence":1,"session_id":"s1","origin":"agent","type":"session.started","data":{"model":"m-1"}}"#[..];
/// let events = serde_json::Deserializer::from_reader(stored).into_iter::<Event>();
/// let transcript: Transcript = events.collect::<Result<_, _>>()?;
/// assert_eq!(transcript.sessions[0].model.as_deref(), Some("m-1"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug)]
pub struct EventReader<R> {
    reader: R,
    translator: Translator,
    waiting: VecDeque<Event>,
    buffer: Vec<u8>,
    ended: bool,
}

impl<R: Read> EventReader<R> {
    /// The events of a reader whose provider is known.
    #[must_use]
    pub fn new(table: &'static Table, reader: R, options: Options) -> Self {
        Self {
            reader,
            translator: Translator::new(table, options),
            waiting: VecDeque::new(),
            buffer: vec![0; CHUNK],
            ended: false,
        }
    }

    /// The events of a reader. The provider is found out from the first messages.
    ///
    /// # Errors
    /// When the reader fails, and when the messages are of no bundled provider ([`io::ErrorKind::InvalidData`]).
    pub fn detect(mut reader: R, options: Options) -> io::Result<Self> {
        let (mut begin, mut detector) = (Vec::new(), Detector::new());
        let mut buffer = vec![0; CHUNK];
        loop {
            let count = read(&mut reader, &mut buffer)?;
            begin.extend_from_slice(&buffer[..count]);
            let detection = if count == 0 { detector.finish() } else { detector.push(&buffer[..count]) };
            match detection {
                Detection::NeedMore => {}
                Detection::Known(table) => {
                    let mut events = Self::new(table, reader, options);
                    events.waiting.extend(events.translator.push(&begin));
                    return Ok(events);
                }
                _ => {
                    let why = "cannot tell which agent wrote this";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, why));
                }
            }
        }
    }
}

impl<R> EventReader<R> {
    /// What has been translated so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.translator.stats()
    }
}

impl<R: Read> Iterator for EventReader<R> {
    type Item = io::Result<Event>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(Ok(event));
            }
            if self.ended {
                return None;
            }
            match read(&mut self.reader, &mut self.buffer) {
                Ok(0) => {
                    self.ended = true;
                    self.waiting.extend(self.translator.finish());
                }
                Ok(count) => self.waiting.extend(self.translator.push(&self.buffer[..count])),
                Err(error) => {
                    self.ended = true;
                    self.waiting.extend(self.translator.finish());
                    return Some(Err(error));
                }
            }
        }
    }
}

fn read(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
