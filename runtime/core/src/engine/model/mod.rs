//! Streams of language models: native bytes to [`StreamChunk`]s, by a map of the layer `model`.
//!
//! A [`ModelStream`] is one answer. Like a [`Translator`](crate::engine::Translator) it is a pure state machine: it does no input or
//! output, reads no clock, and gives the same chunks for the same bytes, however they are cut. What it remembers is the
//! answer itself.
//!
//! ```
//! # extern crate interlingua_core as interlingua;
//! # use interlingua_maps::provider;
//! use interlingua::model::{ModelStream, Options};
//! use interlingua::vocabulary::{ContentBlock, FinishReason};
//!
//! let provider = provider("openai-chat").expect("a bundled provider");
//! let mut stream = ModelStream::new(provider, Options::default());
//! let mut text = String::new();
//! for piece in [r#"data: {"object":"chat.completion.chunk","choices":[{"del"#, "ta\":{\"content\":\"Hel\"}}]}\n\n"] {
//!     for chunk in stream.push(piece.as_bytes()) {
//!         text.push_str(chunk.text().unwrap_or_default());
//!     }
//! }
//! assert_eq!(text, "Hel");
//! // The connection breaks off, which is no success.
//! stream.finish().count();
//! assert_eq!(stream.finish_reason(), Some(&FinishReason::Aborted));
//! assert_eq!(stream.message().content, [ContentBlock::text("Hel")]);
//! ```
//!
//! # What an answer's end says
//!
//! `usage` comes once, before `finish`; nothing comes after `finish`. It comes with the provider's end marker, with an
//! error, or with the end of the input. An answer that ended without a word of why is [`Aborted`](FinishReason::Aborted),
//! one that says that it is done and holds nothing is [`Empty`](FinishReason::Empty), and a reason that the map does not know
//! is kept as a variant of its own, in the provider's word. Blocks that an abort or an error cuts get no `block-end`.
//!
//! # What is sent back
//!
//! `replay_state` holds what the provider wants back with the next request: an object that names it and has, for each block
//! that needs it, an object of native members, under the block's index, and under `answer` those of the answer as a whole. What these are is told in `docs/model-streams.md`.

mod answer;
mod answers;
mod call;
mod core;
mod counts;
mod finish;
mod open_call;
mod progress;
mod run;
mod stats;
mod text;
mod tree;

use std::fmt;

use interlingua_table::{Rule, Table};

pub use self::answers::{Answered, Answers};
pub use self::stats::Stats;

use self::core::Core;
use crate::framing::{self, Frame, Framer};
use crate::json;
use crate::vocabulary::{FinishReason, Message, MessageId, StreamChunk, Usage};

/// Choices for one [`ModelStream`].
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::model::Options;
/// let options = Options::new().message_id("answer-7").message_limit(1 << 20);
/// assert_eq!(options, options.clone());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    message_id: MessageId,
    message_limit: usize,
    depth_limit: usize,
    log_probabilities: bool,
    count_unread: bool,
    candidate: i64,
    /// Whether other streams read the other candidates.
    reads_candidates: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            message_id: MessageId::from("m1"),
            message_limit: framing::DEFAULT_LIMIT,
            depth_limit: json::DEFAULT_MAX_DEPTH,
            log_probabilities: false,
            count_unread: false,
            candidate: 0,
            reads_candidates: false,
        }
    }
}

impl Options {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of the assembled message where the provider gives none. The default is `m1`.
    #[must_use]
    pub fn message_id(mut self, id: impl Into<MessageId>) -> Self {
        self.message_id = id.into();
        self
    }

    /// The longest native message in bytes that is translated; a longer one is counted as unparsed. The default is 64 MiB.
    #[must_use]
    pub fn message_limit(mut self, bytes: usize) -> Self {
        self.message_limit = bytes;
        self
    }

    /// How deep arrays and objects of a native message may nest; a deeper one is counted as unparsed. The default is
    /// [`json::DEFAULT_MAX_DEPTH`].
    #[must_use]
    pub fn depth_limit(mut self, levels: usize) -> Self {
        self.depth_limit = levels;
        self
    }

    /// Whether members that no rule reads are counted in [`Stats::unread`](Stats::unread). Off by default, since it looks at each
    /// message once more.
    #[must_use]
    pub fn count_unread(mut self, count: bool) -> Self {
        self.count_unread = count;
        self
    }

    /// Which of several candidates the stream reads, for a request that asked for more than one (`n` of OpenAI,
    /// `candidateCount` of Gemini). The default is 0, the first. The parts of other candidates are counted in
    /// [`Stats::left_out`]; [`Answers`] reads all of them. Token counts belong to all candidates together, so only the first
    /// one reports them.
    #[must_use]
    pub fn candidate(mut self, number: u32) -> Self {
        self.candidate = i64::from(number);
        self
    }

    /// Whether the `details` of the `finish` chunk keep how likely each token was, as `log_probabilities`: a list in the
    /// provider's form. The default is not to keep it, since it may be many times as long as the answer.
    #[must_use]
    pub fn log_probabilities(mut self, keep: bool) -> Self {
        self.log_probabilities = keep;
        self
    }
}

/// Translates one answer of a language model into chunks, and puts its message together.
pub struct ModelStream {
    framer: Framer,
    core: Core,
    finished: bool,
}

impl ModelStream {
    /// A stream of the table's provider, whose map is of the layer `model`. A map of another layer gives no chunks.
    #[must_use]
    pub fn new(table: &'static Table, options: Options) -> Self {
        Self {
            framer: Framer::for_table(table, options.message_limit),
            core: Core::new(table, options),
            finished: false,
        }
    }

    /// The table that is applied.
    #[must_use]
    pub fn table(&self) -> &'static Table {
        self.core.table()
    }

    /// Takes the stream's next bytes, cut anywhere, and yields the chunks that they complete.
    ///
    /// The bytes are translated while the chunks are taken; what is not asked for is translated when the iterator is dropped.
    pub fn push<'a>(&'a mut self, bytes: &'a [u8]) -> Chunks<'a> {
        let bytes = if self.finished { &[] } else { bytes };
        self.core.stats.bytes += bytes.len() as u64;
        self.chunks(bytes)
    }

    /// Takes one whole native message, which some other framing has found: the data of a server-sent event, the body of a
    /// failed request.
    pub fn push_message(&mut self, bytes: &[u8]) -> Chunks<'_> {
        if !self.finished {
            self.core.stats.bytes += bytes.len() as u64;
            let line = self.core.stats.messages + 1;
            let length = bytes.len() as u64;
            self.core.frame(&Frame { bytes, line, offset: 0, length, event: None, id: None, problem: None });
        }
        self.chunks(&[])
    }

    /// Ends the stream: a message that it cut is translated if it is whole, and the answer is over. Afterwards, nothing gives
    /// chunks any more.
    pub fn finish(&mut self) -> Chunks<'_> {
        if !self.finished {
            self.finished = true;
            let core = &mut self.core;
            self.framer.finish(|frame| core.frame(&frame));
            core.answer.conclude();
        }
        self.chunks(&[])
    }

    /// The answer so far as the assistant's message: with the provider's id, the model as its source, and what is to be sent
    /// back with it.
    #[must_use]
    pub fn message(&self) -> Message {
        self.core.answer.message(&self.core.options.message_id)
    }

    /// Why the answer is over, once it is.
    #[must_use]
    pub fn finish_reason(&self) -> Option<&FinishReason> {
        self.core.answer.assembler.finish()
    }

    /// The usage of the answer, as far as the provider has reported it.
    #[must_use]
    pub fn usage(&self) -> &Usage {
        &self.core.answer.usage
    }

    /// The counts so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.core.stats()
    }

    /// The rule that handled the last message, including `ignore` rules; `None` if it was unparsed or the end marker.
    #[must_use]
    pub fn last_rule(&self) -> Option<&'static Rule> {
        self.core.last_rule
    }

    fn chunks<'a>(&'a mut self, bytes: &'a [u8]) -> Chunks<'a> {
        Chunks { framer: &mut self.framer, core: &mut self.core, pieces: bytes.chunks(framing::PIECE) }
    }
}

impl fmt::Debug for ModelStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelStream")
            .field("provider", &self.table().provider)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

/// Chunks that are ready. Those that are not taken come with the next call.
pub struct Chunks<'a> {
    framer: &'a mut Framer,
    core: &'a mut Core,
    /// What was pushed and is not translated yet.
    pieces: std::slice::Chunks<'a, u8>,
}

impl Chunks<'_> {
    /// Translates the next piece, if there is one.
    fn translate_piece(&mut self) -> bool {
        let Some(piece) = self.pieces.next() else {
            return false;
        };
        let core = &mut *self.core;
        self.framer.push(piece, |frame| core.frame(&frame));
        true
    }
}

impl Iterator for Chunks<'_> {
    type Item = StreamChunk;

    #[inline]
    fn next(&mut self) -> Option<StreamChunk> {
        loop {
            if let Some(chunk) = self.core.answer.chunks.pop_front() {
                return Some(chunk);
            }
            if !self.translate_piece() {
                return None;
            }
        }
    }
}

impl Drop for Chunks<'_> {
    fn drop(&mut self) {
        while self.translate_piece() {}
    }
}

impl fmt::Debug for Chunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").field("untranslated_pieces", &self.pieces.len()).finish_non_exhaustive()
    }
}
