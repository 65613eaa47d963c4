//! JSON documents: each is a message, or a list of messages.

use super::gather::Gather;
use super::{Frame, FrameProblem};

/// The state of a stream of JSON documents.
///
/// Brackets are counted, nothing else is checked: whether a message is JSON shows when it is read.
#[derive(Debug)]
pub(super) struct Documents {
    /// The bytes of the stream before the next slice.
    pub offset: u64,
    /// The number of the line that is being read.
    line: u64,
    /// How many brackets are open.
    depth: usize,
    /// How many of them are the document's own: one within a list of messages.
    outer: usize,
    in_string: bool,
    after_backslash: bool,
    /// The line and offset at which the message at hand starts.
    start: Option<(u64, u64)>,
    /// That message, as far as a slice's end has cut it.
    cut: Gather,
}

impl Documents {
    pub fn new(limit: usize) -> Self {
        Self::starting_at(0, 1, limit)
    }

    /// The same in the middle of a stream.
    pub fn starting_at(offset: u64, line: u64, limit: usize) -> Self {
        Self {
            offset,
            line,
            depth: 0,
            outer: 0,
            in_string: false,
            after_backslash: false,
            start: None,
            cut: Gather::new(limit),
        }
    }

    pub fn push(&mut self, slice: &[u8], each: &mut impl FnMut(Frame<'_>)) {
        // Where the message at hand starts in this slice.
        let mut from = 0;
        for (at, byte) in slice.iter().copied().enumerate() {
            self.line += u64::from(byte == b'\n');
            if self.in_string {
                match byte {
                    _ if self.after_backslash => self.after_backslash = false,
                    b'\\' => self.after_backslash = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'[' if self.depth == 0 && self.start.is_none() => (self.depth, self.outer) = (1, 1),
                b']' if self.depth == 1 && self.outer == 1 => {
                    self.end(&slice[from..at], false, each);
                    (self.depth, self.outer) = (0, 0);
                }
                b',' if self.depth == 1 && self.outer == 1 => self.end(&slice[from..at], false, each),
                // Outside of documents, each line of anything else is one message.
                b'\n' if self.depth == 0 => self.end(&slice[from..at], false, each),
                b' ' | b'\t' | b'\r' | b'\n' => {}
                _ => {
                    if self.start.is_none() {
                        self.start = Some((self.line, self.offset + at as u64));
                        from = at;
                    }
                    match byte {
                        // Words outside of documents may hold a single quotation mark.
                        b'"' if self.depth > 0 => self.in_string = true,
                        b'{' | b'[' => self.depth += 1,
                        b'}' | b']' if self.depth > self.outer => {
                            self.depth -= 1;
                            if self.depth == self.outer {
                                self.end(&slice[from..=at], false, each);
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        if self.start.is_some() {
            self.cut.push(&slice[from..]);
        }
        self.offset += slice.len() as u64;
    }

    pub fn finish(&mut self, each: &mut impl FnMut(Frame<'_>)) {
        self.end(&[], true, each);
        (self.depth, self.outer) = (0, 0);
        (self.in_string, self.after_backslash) = (false, false);
        self.offset = 0;
        self.line = 1;
    }

    /// Ends the message at hand, if there is one.
    fn end(&mut self, piece: &[u8], truncated: bool, each: &mut impl FnMut(Frame<'_>)) {
        let Some((line, offset)) = self.start.take() else {
            return;
        };
        if !self.cut.is_empty() {
            self.cut.push(piece);
        }
        let message = if self.cut.is_empty() { self.cut.whole(piece) } else { self.cut.view() };
        let mut frame = Frame {
            bytes: message.bytes,
            line,
            offset,
            length: message.length,
            event: None,
            id: None,
            problem: message.problem,
        };
        if frame.problem.is_none() {
            frame.bytes = frame.bytes.trim_ascii_end();
            frame.length = frame.bytes.len() as u64;
            frame.problem = truncated.then_some(FrameProblem::Truncated);
        }
        each(frame);
        self.cut.clear();
    }
}
