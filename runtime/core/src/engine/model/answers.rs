//! Several answers, one after the other in one stream of bytes.

use std::fmt;

use interlingua_table::{Rule, Table};

use super::core::Core;
use super::{ModelStream, Options};
use crate::framing::{Frame, Framer};
use crate::vocabulary::{MessageId, StreamChunk};

/// What [`Answers`] hands out.
#[derive(Debug)]
#[non_exhaustive]
pub enum Answered {
    /// A chunk of the answer.
    Chunk(StreamChunk),
    /// The finished answer: its message, its usage and its counts.
    Over(Box<ModelStream>),
}

/// Translates a stream that holds any number of answers, such as a file to which a program appends each one.
///
/// An answer is over with the provider's end marker, with an error, or with the reason why it ended. What follows
/// then is another answer if it has another id, or if neither has an id. Anything else is late, and belongs to the
/// answer before.
///
/// Where a request asked for several candidates, each candidate is an answer with a number of its own. Their chunks come in the
/// order of the stream, mixed with those of the others.
///
/// ```
/// # #[cfg(feature = "providers")] {
/// use interlingua::model::{Answered, Answers, Options};
///
/// let provider = interlingua::provider("openai-chat").expect("a bundled provider");
/// let mut answers = Answers::new(provider, Options::default());
/// let mut texts = Vec::new();
/// let mut take = |number, answered| {
///     if let Answered::Over(stream) = answered {
///         texts.push((number, stream.message().content.len()));
///     }
/// };
/// for id in ["a", "b"] {
///     let chunk = format!(
///         r#"data: {{"id":"{id}","choices":[{{"index":0,"delta":{{"content":"Hi"}},"finish_reason":"stop"}}]}}"#
///     );
///     answers.push(format!("{chunk}\n\ndata: [DONE]\n\n").as_bytes(), &mut take);
/// }
/// answers.finish(&mut take);
/// assert_eq!(texts, [(1, 1), (2, 1)]);
/// # }
/// ```
pub struct Answers {
    framer: Framer,
    current: Current,
}

/// The answer that is being read.
struct Current {
    options: Options,
    number: u64,
    /// The number that was given last.
    last: u64,
    stream: Box<ModelStream>,
    /// The other candidates, with their numbers.
    candidates: Vec<(u64, Box<ModelStream>)>,
    /// Reads what follows on an answer's end, to find out whether it is another answer.
    probe: Option<Box<Core>>,
}

impl Answers {
    /// Answers of the table's provider. The options are those of the first one; where the provider gives no id, the
    /// message of answer `n` is called by the option's id, followed by `-n` from the second on.
    #[must_use]
    pub fn new(table: &'static Table, options: Options) -> Self {
        let options = Options { reads_candidates: true, ..options };
        let stream = Box::new(ModelStream::new(table, options.clone()));
        let framer = Framer::for_table(table, options.message_limit);
        Self {
            framer,
            current: Current { options, number: 1, last: 1, stream, candidates: Vec::new(), probe: None },
        }
    }

    /// Takes the stream's next bytes, cut anywhere. Calls `take` with the number of the answer, counted from 1, and
    /// with each of its chunks, and then with the answer itself.
    pub fn push(&mut self, bytes: &[u8], mut take: impl FnMut(u64, Answered)) {
        let Self { framer, current } = self;
        current.stream.core.stats.bytes += bytes.len() as u64;
        framer.push(bytes, |frame| current.frame(&frame, &mut take));
    }

    /// Ends the stream and its last answer. There is always one, even if it is empty.
    pub fn finish(mut self, mut take: impl FnMut(u64, Answered)) {
        let Self { framer, current } = &mut self;
        framer.finish(|frame| current.frame(&frame, &mut take));
        current.end(&mut take);
    }
}

impl Current {
    fn frame(&mut self, frame: &Frame<'_>, take: &mut impl FnMut(u64, Answered)) {
        if self.is_followed_by(frame) {
            self.end(take);
        }
        feed(&mut self.stream, frame, self.number, take);
        for (number, candidate) in &mut self.candidates {
            feed(candidate, frame, *number, take);
        }
        while self.candidates.len() < self.stream.core.answer.other_candidates.len() {
            let known = |number: &i64| {
                self.candidates.iter().any(|(_, other)| other.core.options.candidate == *number)
            };
            let Some(new) = self.stream.core.answer.other_candidates.iter().find(|number| !known(number))
            else {
                break;
            };
            let options = Options { candidate: *new, ..self.next_options() };
            let mut stream = Box::new(ModelStream::new(self.stream.table(), options));
            self.last += 1;
            feed(&mut stream, frame, self.last, take);
            self.candidates.push((self.last, stream));
        }
    }

    /// The options of the answer that gets the next number.
    fn next_options(&self) -> Options {
        let id = MessageId::from(format!("{}-{}", self.options.message_id, self.last + 1));
        self.options.clone().message_id(id)
    }

    /// Ends the answer and its other candidates, and begins the next one.
    fn end(&mut self, take: &mut impl FnMut(u64, Answered)) {
        let next = Box::new(ModelStream::new(self.stream.table(), self.next_options()));
        let over = std::mem::replace(&mut self.stream, next);
        let candidates = std::mem::take(&mut self.candidates);
        for (number, mut stream) in std::iter::once((self.number, over)).chain(candidates) {
            stream.finish().for_each(|chunk| take(number, Answered::Chunk(chunk)));
            stream.core.count_messages_once();
            take(number, Answered::Over(stream));
        }
        self.last += 1;
        self.number = self.last;
    }

    /// Whether the message begins another answer.
    fn is_followed_by(&mut self, frame: &Frame<'_>) -> bool {
        let answer = &self.stream.core.answer;
        if !answer.is_over && answer.reason.is_none() {
            return false;
        }
        let table = self.stream.table();
        let probe = self.probe.get_or_insert_with(|| Box::new(Core::new(table, self.options.clone())));
        probe.restart();
        probe.frame(frame);
        let next = &probe.answer;
        if probe.last_rule.is_none_or(|rule| rule.ignore.is_some()) || next.said == 0 {
            return false;
        }
        let says_something = !next.assembler.is_empty();
        let counts_only = !says_something && next.reason.is_none() && !next.usage.is_empty();
        match (answer.native_id(), next.native_id()) {
            // The counts of a server that gives each message an id of its own may follow on the reason, in a message
            // like the one before.
            (Some(one), Some(other)) => {
                let name = |rule: Option<&Rule>| rule.map(|rule| rule.name);
                let is_alike = name(probe.last_rule) == name(self.stream.core.last_rule);
                one != other && (answer.is_over || !(counts_only && is_alike))
            }
            _ => answer.is_over && says_something,
        }
    }
}

/// Gives a message to a stream, and hands out what comes of it.
fn feed(stream: &mut ModelStream, frame: &Frame<'_>, number: u64, take: &mut impl FnMut(u64, Answered)) {
    stream.core.frame(frame);
    while let Some(chunk) = stream.core.answer.chunks.pop_front() {
        take(number, Answered::Chunk(chunk));
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answers").field("number", &self.current.number).finish_non_exhaustive()
    }
}
