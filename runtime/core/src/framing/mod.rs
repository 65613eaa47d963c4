//! Splitting a stream of bytes into messages.
//!
//! A [`Framer`] takes the stream in slices of any size and hands out one
//! [`Frame`] per message. It does no input of its own, keeps only a message
//! that a slice's end has cut, and gives the same frames however the stream
//! was cut. A message that lies whole in a slice is not copied.
//!
//! ```
//! # extern crate interlingua_core as interlingua;
//! use interlingua::framing::{Framer, FramingKind};
//!
//! let mut framer = Framer::new(FramingKind::Lines);
//! let mut messages = Vec::new();
//! for slice in ["{\"n\":1}\n{\"n\"", ":2}\n"] {
//!     framer.push(slice.as_bytes(), |frame| {
//!         messages.push((frame.line, String::from_utf8_lossy(frame.bytes).into_owned()));
//!     });
//! }
//! framer.finish(|_| unreachable!("nothing was cut"));
//! assert_eq!(messages, [(1, "{\"n\":1}".into()), (2, "{\"n\":2}".into())]);
//! ```

mod choose;
mod documents;
mod gather;
mod lines;
mod noise;
mod sse;

use std::fmt;

use interlingua_table::{Framing, Table};

use self::choose::{Choice, PATIENCE, choose, otherwise};

pub use noise::{find_object_start, object_starts};

/// The length in bytes of the longest message that is kept whole, unless
/// [`Framer::with_limit`] says otherwise.
pub const DEFAULT_LIMIT: usize = 64 << 20;

/// The bytes that are translated at a time: few enough that what they give is still in the processor's cache when it is
/// taken, and many more than most messages have.
pub(crate) const PIECE: usize = 8 * 1024;

/// How many bytes of a message over the limit its frame still shows.
pub const EXCERPT: usize = 4096;

/// How messages are separated in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FramingKind {
    /// One message per line, ended by LF alone.
    ///
    /// A CR before the LF is no part of the message; any other CR, and line
    /// separators of Unicode, are. Terminal escape sequences and other control
    /// characters around a message are taken off, and a line of nothing else
    /// is no message, nor is a blank one. Text before the message stays: see
    /// [`find_object_start`].
    Lines,
    /// Server-sent events: one message per event, read as the WHATWG's
    /// algorithm reads it. The message is the event's data; an event whose
    /// data is blank is none.
    ///
    /// Three things are read beyond that, since servers write them. An event
    /// that begins with `{`, where no field can, is a bare JSON object: so
    /// writes a server that fails in the middle of its stream. The field
    /// `error` is an event of its own of the type `error`. And a line of data
    /// that begins with a bracket begins a message where the data so far ends
    /// with a closing one: the two are no JSON together, and the server has
    /// left out the blank line between them.
    Sse,
    /// JSON documents, written over any number of lines: each is one message,
    /// or a list of them. A message of a list is handed out as soon as it is
    /// complete; the list itself need not be kept.
    Documents,
}

/// One message of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame<'a> {
    /// The message; its first [`EXCERPT`] bytes when it is too long.
    pub bytes: &'a [u8],
    /// The line of the stream on which the message starts, counted from 1.
    pub line: u64,
    /// The bytes of the stream before the message's first one.
    pub offset: u64,
    /// The message's whole length in bytes. In an event of several data lines
    /// each line end counts as one byte.
    pub length: u64,
    /// The type of a server-sent event, when it states one; at most its first
    /// [`EXCERPT`] bytes.
    pub event: Option<&'a [u8]>,
    /// The id of a server-sent event, which is the last one that the stream
    /// stated; at most its first [`EXCERPT`] bytes.
    pub id: Option<&'a [u8]>,
    /// What keeps the message from being an ordinary one.
    pub problem: Option<FrameProblem>,
}

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
        f.debug_struct("Frame")
            .field("bytes", &text(self.bytes))
            .field("line", &self.line)
            .field("offset", &self.offset)
            .field("length", &self.length)
            .field("event", &self.event.map(text))
            .field("id", &self.id.map(text))
            .field("problem", &self.problem)
            .finish()
    }
}

/// What keeps a frame from being an ordinary message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameProblem {
    /// The message is longer than the limit and was not kept.
    TooLong {
        /// The SHA-256 of the whole message.
        sha256: [u8; 32],
    },
    /// The stream ended before the message did: its line end, or the blank
    /// line after an event, is missing. The message itself may be whole.
    Truncated,
}

/// Splits a stream of bytes into messages, slice by slice.
#[derive(Debug)]
pub struct Framer {
    bom: Bom,
    splitter: Splitter,
}

#[derive(Debug)]
enum Splitter {
    Lines(lines::Lines),
    Sse(sse::Sse),
    Documents(documents::Documents),
    /// The stream's beginning, while it does not tell which of several kinds
    /// the stream is of.
    Undecided {
        kinds: Vec<FramingKind>,
        /// What is held back.
        start: Vec<u8>,
        /// So many bytes of it are noise.
        noise: usize,
        /// Reads noise that no kind would read otherwise.
        before: lines::Lines,
        limit: usize,
    },
}

impl Framer {
    /// A framer for messages of up to [`DEFAULT_LIMIT`] bytes.
    pub fn new(kind: FramingKind) -> Self {
        Self::with_limit(kind, DEFAULT_LIMIT)
    }

    /// A framer for messages of up to `limit` bytes. Longer ones are passed
    /// over in bounded memory and reported as [`FrameProblem::TooLong`].
    pub fn with_limit(kind: FramingKind, limit: usize) -> Self {
        Self { bom: Bom::Matched(0), splitter: Splitter::new(kind, limit) }
    }

    /// A framer for a stream that is of one of several kinds, which its first
    /// lines tell: a bracket that opens a list of objects begins a document,
    /// and so does the brace of an object where the line ends behind it; any
    /// other object begins lines; a field of an event begins server-sent
    /// events. Lines that are none of these, such as the header of an HTTP
    /// answer, tell nothing. Where the kind that the lines name is not among
    /// the given ones it is the first of them. Where no line tells, it is
    /// lines or documents, so that each line is counted.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::framing::{Framer, FramingKind};
    ///
    /// let kinds = [FramingKind::Sse, FramingKind::Lines, FramingKind::Documents];
    /// for stream in ["data: {}\n\ndata: {}\n\n", "{\"a\":1}\n{}\n", "[\n  {},\n  {}\n]\n"] {
    ///     let mut framer = Framer::choosing(&kinds, 1 << 20);
    ///     let mut messages = 0;
    ///     framer.push(stream.as_bytes(), |_| messages += 1);
    ///     assert_eq!(messages, 2);
    /// }
    /// ```
    pub fn choosing(kinds: &[FramingKind], limit: usize) -> Self {
        match kinds {
            [] => Self::with_limit(FramingKind::Lines, limit),
            [kind] => Self::with_limit(*kind, limit),
            _ => Self { bom: Bom::Matched(0), splitter: Splitter::undecided(kinds.to_vec(), limit) },
        }
    }

    /// A framer for the streams of a table's provider. What the provider writes
    /// one message a line may also come as a list of the messages, or with each
    /// message over several lines: so other programs store such streams.
    pub fn for_table(table: &Table, limit: usize) -> Self {
        let kind = |framing: &Framing| match framing {
            Framing::JsonLines | Framing::JsonRpc => FramingKind::Lines,
            Framing::Sse => FramingKind::Sse,
            Framing::Json => FramingKind::Documents,
        };
        let mut kinds: Vec<FramingKind> = table.framing.iter().map(kind).collect();
        if kinds.contains(&FramingKind::Lines) && !kinds.contains(&FramingKind::Documents) {
            kinds.push(FramingKind::Documents);
        }
        Self::choosing(&kinds, limit)
    }

    /// Takes the stream's next bytes, and calls `each` for every message that
    /// ends in them, in order.
    pub fn push(&mut self, slice: &[u8], mut each: impl FnMut(Frame<'_>)) {
        let (before, rest) = self.bom.strip(slice);
        self.splitter.skip(before.skipped);
        self.splitter.push(before.replayed, &mut each);
        self.splitter.push(rest, &mut each);
    }

    /// Ends the stream, and calls `each` for the message that it cut, if any.
    /// The framer is then as new, but for a kind that it has chosen.
    pub fn finish(&mut self, mut each: impl FnMut(Frame<'_>)) {
        let before = self.bom.give_up();
        self.splitter.push(before, &mut each);
        self.bom = Bom::Matched(0);
        self.splitter.decide(true, &mut each);
        match &mut self.splitter {
            Splitter::Lines(lines) => lines.finish(&mut each),
            Splitter::Sse(sse) => sse.finish(&mut each),
            Splitter::Documents(documents) => documents.finish(&mut each),
            Splitter::Undecided { .. } => {}
        }
    }
}

impl Splitter {
    fn new(kind: FramingKind, limit: usize) -> Self {
        match kind {
            FramingKind::Lines => Self::Lines(lines::Lines::new(limit)),
            FramingKind::Sse => Self::Sse(sse::Sse::new(limit)),
            FramingKind::Documents => Self::Documents(documents::Documents::new(limit)),
        }
    }

    fn undecided(kinds: Vec<FramingKind>, limit: usize) -> Self {
        Self::Undecided { kinds, start: Vec::new(), noise: 0, before: lines::Lines::new(limit), limit }
    }

    /// Settles which kind the stream is of, if that shows by now; `at_end` it must.
    fn decide(&mut self, at_end: bool, each: &mut impl FnMut(Frame<'_>)) {
        let Self::Undecided { kinds, start, noise, before, limit } = self else {
            return;
        };
        // In a stream of lines, noise is a line like any other and need not wait. Whether it stands before lines or before
        // server-sent events must be known first.
        let waits = kinds.contains(&FramingKind::Sse);
        let kind = loop {
            let rest = &start[*noise..];
            // Whatever the slices are, the same bytes decide.
            match choose(kinds, rest) {
                Choice::Kind(kind) if !waits || *noise + noise::leading(rest) < PATIENCE => break kind,
                Choice::Noise(length) if waits && *noise + length < PATIENCE => *noise += length,
                Choice::Noise(length) if !waits && length < 2 * PATIENCE => {
                    before.push(&rest[..length], each);
                    *noise += length;
                }
                Choice::Wait if !at_end && rest.len() < 2 * PATIENCE => {
                    if !waits {
                        start.drain(..*noise);
                        *noise = 0;
                    }
                    return;
                }
                _ => break otherwise(kinds, &start[..start.len().min(PATIENCE)]),
            }
        };
        if !waits {
            start.drain(..*noise);
        }
        let (start, limit) = (std::mem::take(start), *limit);
        let before = std::mem::replace(before, lines::Lines::new(limit));
        *self = match kind {
            FramingKind::Lines => Self::Lines(before),
            FramingKind::Sse => Self::Sse(sse::Sse::starting_at(before.offset, before.line, limit)),
            FramingKind::Documents => {
                Self::Documents(documents::Documents::starting_at(before.offset, before.line, limit))
            }
        };
        self.push(&start, each);
    }

    /// Counts bytes that are no part of any line.
    fn skip(&mut self, bytes: u64) {
        match self {
            Self::Lines(lines) => lines.offset += bytes,
            Self::Sse(sse) => sse.offset += bytes,
            Self::Documents(documents) => documents.offset += bytes,
            Self::Undecided { before, .. } => before.offset += bytes,
        }
    }

    fn push(&mut self, slice: &[u8], each: &mut impl FnMut(Frame<'_>)) {
        match self {
            Self::Lines(lines) => lines.push(slice, each),
            Self::Sse(sse) => sse.push(slice, each),
            Self::Documents(documents) => documents.push(slice, each),
            Self::Undecided { start, .. } => {
                start.extend_from_slice(slice);
                self.decide(false, each);
            }
        }
    }
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The search for a byte order mark at the stream's start.
#[derive(Debug)]
enum Bom {
    /// So many of its bytes were seen and held back.
    Matched(usize),
    Done,
}

/// What comes before a slice's remaining bytes.
#[derive(Default)]
struct Before {
    /// The mark's length, when the slice has completed it.
    skipped: u64,
    /// Bytes held back that turned out to be no mark.
    replayed: &'static [u8],
}

impl Bom {
    fn strip<'s>(&mut self, slice: &'s [u8]) -> (Before, &'s [u8]) {
        let mut before = Before::default();
        let Self::Matched(seen) = *self else { return (before, slice) };
        let same = BOM[seen..].iter().zip(slice).take_while(|(mark, byte)| mark == byte).count();
        let seen = seen + same;
        if seen == BOM.len() {
            before.skipped = BOM.len() as u64;
            *self = Self::Done;
        } else if same < slice.len() {
            before.replayed = &BOM[..seen];
            *self = Self::Done;
        } else {
            *self = Self::Matched(seen);
        }
        (before, &slice[same..])
    }

    /// The bytes held back when the stream ends.
    fn give_up(&self) -> &'static [u8] {
        match *self {
            Self::Matched(seen) => &BOM[..seen],
            Self::Done => &[],
        }
    }
}
