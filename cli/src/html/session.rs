//! A session file as it is read for a page: its transcript, where everything comes from, and its bytes.

use std::borrow::Cow;
use std::path::Path;

use interlingua::table::Table;
use interlingua::transcript::Fold;
use interlingua::vocabulary::Transcript;

use super::redact::Redactor;
use super::trace::Trace;
use crate::args::Source;
use crate::events;
use crate::failure::{FINDINGS, Failure, shown};
use crate::priced;
use crate::prices::Prices;

/// The longest native line that a page holds, in bytes. Of a longer one it holds the beginning.
const LINE: usize = 24 << 10;

/// How much of each native line a page holds at least, in bytes.
const BEGINNING: usize = 400;

/// How many bytes of native lines a page holds in full. With more, each is shortened to its share.
const LINES: usize = 3_200_000;

/// A session file.
pub struct Session {
    /// The name of the file.
    pub name: String,
    /// Who wrote it, when that is known.
    pub table: Option<&'static Table>,
    /// What it amounts to.
    pub transcript: Transcript,
    /// Where everything comes from.
    pub trace: Trace,
    /// The native bytes; empty for a stored stream, and for a redacted session.
    pub bytes: Vec<u8>,
    /// What was removed.
    pub redacted: Option<String>,
    /// How many messages could not be parsed.
    pub unparsed: u64,
}

impl Session {
    /// Reads a file.
    pub fn read(
        source: &Source,
        path: &Path,
        name: String,
        redactor: Option<&mut Redactor>,
    ) -> Result<Self, Failure> {
        let mut fold = Fold::new();
        let mut trace = Trace::default();
        let (read, bytes) = events::read_keeping(source, path, "s1", |event| {
            trace.observe(&event);
            fold.push(event);
        })?;
        let mut transcript = fold.into_transcript();
        priced::fill(&mut transcript, &Prices::with(None)?);
        let mut session = Self {
            name,
            table: read.table,
            transcript,
            trace,
            bytes,
            redacted: None,
            unparsed: read.unparsed,
        };
        if let Some(redactor) = redactor {
            redactor.session(&mut session).map_err(|error| {
                Failure::new(
                    FINDINGS,
                    format!("{}: the redacted session cannot be read again: {error}", shown(path)),
                )
            })?;
        }
        Ok(session)
    }

    /// The agent's name for people: of a session file, that of the agent that wrote it.
    pub fn agent(&self) -> Option<&'static str> {
        let table = self.table?;
        Some(interlingua::provider(table.written_by).unwrap_or(table).title)
    }

    /// The native lines that gave events.
    pub fn natives(&self) -> impl Iterator<Item = (u64, Cow<'_, [u8]>)> {
        let count = self.trace.places.len().max(1);
        let most = if self.bytes.len() > LINES { (LINES / count).clamp(BEGINNING, LINE) } else { LINE };
        self.trace.places.iter().filter_map(move |(line, (offset, length))| {
            let place = || {
                let begin = usize::try_from(*offset).ok()?;
                self.bytes.get(begin..begin.checked_add(usize::try_from(*length).ok()?)?)
            };
            let text = self.trace.raw.get(line).map(Vec::as_slice).or_else(place)?;
            if text.len() <= most {
                return Some((*line, Cow::Borrowed(text)));
            }
            let mut begin = text[..most].to_vec();
            let more =
                format!("… ({} bytes; `interlingua explain FILE --line {line}` shows them)", text.len());
            begin.extend_from_slice(more.as_bytes());
            Some((*line, Cow::Owned(begin)))
        })
    }
}
