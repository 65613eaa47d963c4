//! One message per line.

use memchr::memchr_iter;

use super::gather::{Gather, Gathered};
use super::{Frame, FrameProblem, noise};

/// The state of a stream of lines.
#[derive(Debug)]
pub(super) struct Lines {
    /// The bytes of the stream before the next slice.
    pub offset: u64,
    /// The number of the line that is being read.
    pub line: u64,
    /// The offset of that line's first byte.
    start: u64,
    /// That line so far, without a CR at the end of what was seen: whether it
    /// belongs to the line shows with the next byte.
    cut: Gather,
    held_cr: bool,
}

impl Lines {
    pub fn new(limit: usize) -> Self {
        Self { offset: 0, line: 1, start: 0, cut: Gather::new(limit), held_cr: false }
    }

    pub fn push(&mut self, slice: &[u8], each: &mut impl FnMut(Frame<'_>)) {
        if slice.is_empty() {
            return;
        }
        let mut from = 0;
        for end in memchr_iter(b'\n', slice) {
            let piece = &slice[from..end];
            if self.cut.is_empty() && !self.held_cr {
                self.start = self.offset + from as u64;
                let line = piece.strip_suffix(b"\r").unwrap_or(piece);
                emit(self.cut.whole(line), self.line, self.start, false, each);
            } else {
                self.keep(piece);
                self.emit_cut(false, each);
            }
            self.line += 1;
            from = end + 1;
        }
        let tail = &slice[from..];
        if !tail.is_empty() {
            if self.cut.is_empty() && !self.held_cr {
                self.start = self.offset + from as u64;
            }
            self.keep(tail);
        }
        self.offset += slice.len() as u64;
    }

    pub fn finish(&mut self, each: &mut impl FnMut(Frame<'_>)) {
        self.emit_cut(true, each);
        self.offset = 0;
        self.line = 1;
    }

    fn keep(&mut self, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        if self.held_cr {
            self.cut.push(b"\r");
        }
        let plain = piece.strip_suffix(b"\r");
        self.held_cr = plain.is_some();
        self.cut.push(plain.unwrap_or(piece));
    }

    fn emit_cut(&mut self, truncated: bool, each: &mut impl FnMut(Frame<'_>)) {
        emit(self.cut.view(), self.line, self.start, truncated, each);
        self.cut.clear();
        self.held_cr = false;
    }
}

fn emit(message: Gathered<'_>, line: u64, start: u64, truncated: bool, each: &mut impl FnMut(Frame<'_>)) {
    let mut frame = Frame {
        bytes: message.bytes,
        line,
        offset: start,
        length: message.length,
        event: None,
        id: None,
        problem: message.problem,
    };
    // Of a line over the limit not everything is there to be trimmed.
    if frame.problem.is_none() {
        let range = noise::trim(message.bytes);
        if range.is_empty() {
            return;
        }
        frame.offset += range.start as u64;
        frame.length = range.len() as u64;
        frame.bytes = &message.bytes[range];
        frame.problem = truncated.then_some(FrameProblem::Truncated);
    }
    each(frame);
}
