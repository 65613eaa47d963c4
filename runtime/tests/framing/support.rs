//! Frames as values of their own, and as text for people.

use std::fmt::Write;

use interlingua::framing::{Frame, FrameProblem, Framer, FramingKind};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    pub bytes: Vec<u8>,
    pub line: u64,
    pub offset: u64,
    pub length: u64,
    pub event: Option<Vec<u8>>,
    pub id: Option<Vec<u8>>,
    pub problem: Option<FrameProblem>,
}

impl From<Frame<'_>> for Owned {
    fn from(frame: Frame<'_>) -> Self {
        Self {
            bytes: frame.bytes.to_vec(),
            line: frame.line,
            offset: frame.offset,
            length: frame.length,
            event: frame.event.map(<[u8]>::to_vec),
            id: frame.id.map(<[u8]>::to_vec),
            problem: frame.problem,
        }
    }
}

/// The frames of a stream that arrives in these slices.
pub fn frames<'a>(kind: FramingKind, limit: usize, slices: impl IntoIterator<Item = &'a [u8]>) -> Vec<Owned> {
    let mut framer = Framer::with_limit(kind, limit);
    let mut out = Vec::new();
    for slice in slices {
        framer.push(slice, |frame| out.push(frame.into()));
    }
    framer.finish(|frame| out.push(frame.into()));
    out
}

pub fn show(frames: &[Owned]) -> String {
    let mut out = String::new();
    for frame in frames {
        let Owned { line, offset, length, .. } = frame;
        write!(out, "line {line}, offset {offset}, length {length}").unwrap();
        if let Some(event) = &frame.event {
            write!(out, ", event {}", event.escape_ascii()).unwrap();
        }
        if let Some(id) = &frame.id {
            write!(out, ", id {}", id.escape_ascii()).unwrap();
        }
        match frame.problem {
            Some(FrameProblem::TooLong { sha256 }) => {
                let hex: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
                write!(out, ", too long, sha256 {hex}").unwrap();
            }
            Some(FrameProblem::Truncated) => out.push_str(", truncated"),
            Some(other) => panic!("a problem that this test does not know: {other:?}"),
            None => {}
        }
        // Quotes are left alone, since JSON is full of them.
        let bytes = frame.bytes.escape_ascii().to_string().replace("\\\"", "\"");
        writeln!(out, "\n  {bytes}").unwrap();
    }
    out
}
