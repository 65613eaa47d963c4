//! Server-sent events, as the WHATWG's algorithm reads them, on bytes.

use memchr::{memchr, memchr2};

use super::gather::Gather;
use super::{EXCERPT, Frame, FrameProblem};

/// The state of a stream of server-sent events.
#[derive(Debug)]
pub(super) struct Sse {
    /// The bytes of the stream before the next slice.
    pub offset: u64,
    /// The number of the line that is being read.
    line: u64,
    /// The last byte was a CR: a LF now belongs to the same line end.
    after_cr: bool,
    part: Part,
    /// The event began with a bare JSON object, whose lines are data up to the blank one.
    bare: bool,
    /// The field's name as far as a slice's end has cut it.
    name: Vec<u8>,
    /// The event's data, unless it lies whole in the slice at hand.
    data: Gather,
    /// The line and offset of the event's first data; none before it.
    first: Option<(u64, u64)>,
    /// The line and offset of a further line of data, of which no byte has been seen.
    next: Option<(u64, u64)>,
    event: Vec<u8>,
    /// The type that is stated behind the event's data: the event's own, or that of the next one when no blank line parts
    /// the two.
    late_event: Option<Vec<u8>>,
    id: Vec<u8>,
    /// The value of an id field until its line ends.
    new_id: Vec<u8>,
}

/// The part of a line that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Name,
    /// The value; `fresh` while its first byte, perhaps a space to drop, has
    /// not been seen.
    Value {
        field: Field,
        fresh: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Data,
    Event,
    /// An event of its own, which begins and ends with its line.
    Error,
    Id,
    Ignored,
}

impl Field {
    /// The longest name that means anything.
    const LONGEST: usize = b"event".len();

    fn named(name: &[u8]) -> Self {
        match name {
            b"data" => Self::Data,
            b"event" => Self::Event,
            b"error" => Self::Error,
            b"id" => Self::Id,
            _ => Self::Ignored,
        }
    }
}

impl Sse {
    pub fn new(limit: usize) -> Self {
        Self::starting_at(0, 1, limit)
    }

    /// The same in the middle of a stream.
    pub fn starting_at(offset: u64, line: u64, limit: usize) -> Self {
        Self {
            offset,
            line,
            after_cr: false,
            part: Part::Name,
            bare: false,
            name: Vec::new(),
            data: Gather::new(limit),
            first: None,
            next: None,
            event: Vec::new(),
            late_event: None,
            id: Vec::new(),
            new_id: Vec::new(),
        }
    }

    pub fn push(&mut self, slice: &[u8], each: &mut impl FnMut(Frame<'_>)) {
        // The event's only data line so far, when this slice holds it whole.
        let mut whole: Option<&[u8]> = None;
        let mut at = 0;
        while at < slice.len() {
            if self.after_cr {
                self.after_cr = false;
                if slice[at] == b'\n' {
                    at += 1;
                    continue;
                }
            }
            let length = memchr2(b'\n', b'\r', &slice[at..]);
            let piece = &slice[at..length.map_or(slice.len(), |length| at + length)];
            let is_blank = piece.is_empty() && self.part == Part::Name && self.name.is_empty();
            if length.is_some() && is_blank {
                self.dispatch(whole.take(), false, each);
            } else {
                let offset = self.offset + at as u64;
                self.read(piece, offset, length.is_some(), &mut whole, each);
            }
            at += piece.len();
            if length.is_some() {
                self.line += 1;
                self.after_cr = slice[at] == b'\r';
                at += 1;
            }
        }
        if let Some(data) = whole {
            self.data.push(data);
        }
        self.offset += slice.len() as u64;
    }

    pub fn finish(&mut self, each: &mut impl FnMut(Frame<'_>)) {
        if self.part != Part::Name || !self.name.is_empty() {
            self.read(&[], self.offset, true, &mut None, each);
        }
        self.dispatch(None, true, each);
        self.id.clear();
        self.after_cr = false;
        self.offset = 0;
        self.line = 1;
    }

    /// Reads a piece of a line, its last one if it `ends` the line.
    fn read<'s>(
        &mut self,
        piece: &'s [u8],
        mut offset: u64,
        ends: bool,
        whole: &mut Option<&'s [u8]>,
        each: &mut impl FnMut(Frame<'_>),
    ) {
        let mut rest = piece;
        if self.part == Part::Name {
            let Some(taken) = self.read_name(piece, ends, *whole) else { return };
            rest = &piece[taken..];
            offset += taken as u64;
        }
        let Part::Value { field, fresh } = self.part else { return };
        if fresh && rest.is_empty() && !ends {
            return;
        }
        if fresh && let Some(value) = rest.strip_prefix(b" ") {
            rest = value;
            offset += 1;
        }
        if field == Field::Error && fresh {
            self.dispatch(whole.take(), false, each);
            self.event.extend_from_slice(b"error");
        }
        match field {
            Field::Data | Field::Error => {
                if fresh {
                    let place = (self.line, offset);
                    let begun = self.first.is_some();
                    if begun {
                        self.next = Some(place)
                    } else {
                        self.first = Some(place)
                    }
                    if !begun && ends {
                        *whole = Some(rest);
                        rest = &[];
                    }
                }
                self.read_data(rest, ends, whole, each);
            }
            Field::Event if self.first.is_some() => {
                collect(self.late_event.get_or_insert_default(), rest, fresh);
            }
            Field::Event => collect(&mut self.event, rest, fresh),
            Field::Id => collect(&mut self.new_id, rest, fresh),
            Field::Ignored => {}
        }
        self.part = Part::Value { field, fresh: false };
        if ends {
            // An id with a NUL is none.
            if field == Field::Id && memchr(0, &self.new_id).is_none() {
                std::mem::swap(&mut self.id, &mut self.new_id);
            }
            if field == Field::Error {
                self.dispatch(whole.take(), false, each);
            }
            self.part = Part::Name;
            self.name.clear();
        }
    }

    /// Reads the field's name and returns the bytes taken with the colon, or
    /// nothing when the name may go on in the next slice.
    fn read_name(&mut self, piece: &[u8], ends: bool, whole: Option<&[u8]>) -> Option<usize> {
        if self.name.is_empty() {
            let first = piece.first();
            // A field may follow on a bare object without a blank line.
            if self.bare && first.is_some_and(u8::is_ascii_lowercase) && self.is_closed(whole) {
                self.bare = false;
            }
            if self.bare || (self.first.is_none() && first == Some(&b'{')) {
                self.bare = true;
                self.part = Part::Value { field: Field::Data, fresh: true };
                return Some(0);
            }
        }
        let room = Field::LONGEST - self.name.len();
        let head = &piece[..piece.len().min(room + 1)];
        let colon = memchr(b':', head);
        let (field, taken) = match colon {
            Some(length) => {
                self.name.extend_from_slice(&head[..length]);
                (Field::named(&self.name), length + 1)
            }
            None if piece.len() > room => (Field::Ignored, piece.len()),
            None => {
                self.name.extend_from_slice(piece);
                if !ends {
                    return None;
                }
                (Field::named(&self.name), piece.len())
            }
        };
        self.part = Part::Value { field, fresh: true };
        Some(taken)
    }

    /// Reads a piece of a line of data, its last one if it `ends` the line.
    fn read_data<'s>(
        &mut self,
        value: &'s [u8],
        ends: bool,
        whole: &mut Option<&'s [u8]>,
        each: &mut impl FnMut(Frame<'_>),
    ) {
        if let Some(place) = self.next {
            if value.is_empty() && !ends {
                return;
            }
            self.next = None;
            if matches!(value, [b'{' | b'[', ..]) && self.is_closed(*whole) {
                let late = self.late_event.take();
                let bare = self.bare;
                self.dispatch(whole.take(), false, each);
                self.bare = bare;
                self.event = late.unwrap_or_default();
                self.first = Some(place);
                if ends {
                    *whole = Some(value);
                    return;
                }
            } else {
                if let Some(data) = whole.take() {
                    self.data.push(data);
                }
                self.data.push(b"\n");
            }
        }
        if !value.is_empty() {
            if let Some(data) = whole.take() {
                self.data.push(data);
            }
            self.data.push(value);
        }
    }

    /// Whether the data so far ends with a bracket that closes.
    fn is_closed(&self, whole: Option<&[u8]>) -> bool {
        let data = whole.unwrap_or_else(|| self.data.view().bytes).trim_ascii_end();
        matches!(data, [.., b'}' | b']'])
    }

    fn dispatch(&mut self, whole: Option<&[u8]>, truncated: bool, each: &mut impl FnMut(Frame<'_>)) {
        if let Some(event) = self.late_event.take() {
            self.event = event;
        }
        self.next = None;
        if let Some((line, offset)) = self.first.take() {
            let message = match whole {
                Some(bytes) => self.data.whole(bytes),
                None => self.data.view(),
            };
            let truncated = truncated.then_some(FrameProblem::Truncated);
            let given = |field| Some(field).filter(|field: &&[u8]| !field.is_empty());
            if message.problem.is_some() || !message.bytes.trim_ascii().is_empty() {
                each(Frame {
                    bytes: message.bytes,
                    line,
                    offset,
                    length: message.length,
                    event: given(&self.event),
                    id: given(&self.id),
                    problem: message.problem.or(truncated),
                });
            }
        }
        self.data.clear();
        self.event.clear();
        self.bare = false;
    }
}

/// Sets or continues a short field's value.
fn collect(field: &mut Vec<u8>, value: &[u8], fresh: bool) {
    if fresh {
        field.clear();
    }
    let room = EXCERPT - field.len();
    field.extend_from_slice(&value[..value.len().min(room)]);
}
