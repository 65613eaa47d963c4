//! The scenarios, as data.

/// What an answer is, and what its chunks must say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// What the provider sends, in a sentence.
    pub about: &'static str,
    /// The kinds of the blocks in their order; neighbours of one kind count once.
    pub blocks: &'static [Kind],
    /// The tags of the finish reason that are right; none where it is a reason that the vocabulary does not know.
    pub finish: &'static [&'static str],
    /// What else must hold.
    pub needs: &'static [Need],
}

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Kind {
    Text,
    Reasoning,
    Call,
}

/// Something that must hold of the chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// There are counts of input and output.
    Usage,
    /// The cached input is counted apart.
    CachedInput,
    /// The arguments of each call are one JSON value, and it is not flagged.
    ValidArguments,
    /// They are the empty object.
    NoArguments,
    /// The arguments of the last call are flagged as no JSON, and stay as they came.
    InvalidArguments,
    /// There is more than one call.
    SeveralCalls,
    /// No two calls have the same id.
    DistinctCalls,
    /// Some reasoning carries a signature, or the state to replay holds what must go back.
    Replay,
    /// The last block has not ended.
    CutBlock,
    /// There is some text, and none holds a replacement character.
    CleanText,
}

/// All scenarios.
#[must_use]
pub const fn scenarios() -> &'static [Scenario] {
    SCENARIOS
}

use Kind::{Call, Reasoning, Text};
use Need::{
    CachedInput, CleanText, CutBlock, DistinctCalls, InvalidArguments, NoArguments, Replay, SeveralCalls,
    Usage, ValidArguments,
};

const fn scenario(
    name: &'static str,
    about: &'static str,
    blocks: &'static [Kind],
    finish: &'static [&'static str],
    needs: &'static [Need],
) -> Scenario {
    Scenario { name, about, blocks, finish, needs }
}

const SCENARIOS: &[Scenario] = &[
    scenario("text", "a text in several pieces", &[Text], &["stop"], &[Usage, CleanText]),
    scenario("split-text", "reads that end inside characters and escapes", &[Text], &["stop"], &[CleanText]),
    scenario("line-ends", "line ends other than LF, cut inside", &[Text], &["stop"], &[CleanText]),
    scenario("no-last-line-end", "the end of the last event is missing", &[Text], &["stop"], &[CleanText]),
    scenario(
        "tool-call",
        "one call with arguments",
        &[Call],
        &["tool-calls"],
        &[ValidArguments, DistinctCalls],
    ),
    scenario(
        "parallel-tool-calls",
        "several calls in one answer, whose pieces may alternate",
        &[Call],
        &["tool-calls"],
        &[ValidArguments, SeveralCalls, DistinctCalls],
    ),
    scenario(
        "no-arguments",
        "calls without arguments, however that is said",
        &[Call],
        &["tool-calls"],
        &[NoArguments],
    ),
    scenario(
        "cut-arguments",
        "the limit falls inside the arguments",
        &[Call],
        &["max-tokens"],
        &[InvalidArguments],
    ),
    scenario("text-and-call", "a text, then a call", &[Text, Call], &["tool-calls"], &[ValidArguments]),
    scenario("reasoning", "reasoning, then a text", &[Reasoning, Text], &["stop"], &[CleanText]),
    scenario(
        "reasoning-and-call",
        "reasoning, then a call",
        &[Reasoning, Call],
        &["tool-calls"],
        &[ValidArguments],
    ),
    scenario(
        "replay",
        "reasoning that must go back with the next request",
        &[Reasoning, Call],
        &["tool-calls"],
        &[Replay],
    ),
    scenario(
        "redacted-reasoning",
        "reasoning of which only a ciphertext or a signature comes",
        &[Reasoning, Text],
        &["stop"],
        &[Replay],
    ),
    scenario(
        "cached-input",
        "a part of the input comes from the cache",
        &[Text],
        &["stop"],
        &[Usage, CachedInput],
    ),
    scenario("max-tokens", "the answer reaches the allowed length", &[Text], &["max-tokens"], &[CleanText]),
    scenario("refusal", "the model refuses", &[Text], &["refusal", "content-filter"], &[]),
    scenario(
        "content-filter",
        "the provider cuts the answer off",
        &[Text],
        &["content-filter", "refusal"],
        &[],
    ),
    scenario("empty", "an answer that ends well and holds nothing", &[], &["empty"], &[]),
    scenario("dropped", "the connection breaks off inside a text", &[Text], &["aborted"], &[CutBlock]),
    scenario("no-bytes", "the body is empty", &[], &["aborted"], &[]),
    scenario("error", "an error inside a stream that began well", &[Text], &["error"], &[CutBlock]),
    scenario("failed-request", "the body of a failed request, which is no stream", &[], &["error"], &[]),
    scenario("unknown-reason", "a reason for the end that nobody knows yet", &[Text], &[], &[]),
    scenario(
        "unknown-fields",
        "fields and events that nobody knows yet",
        &[Text],
        &["stop", "max-tokens"],
        &[CleanText],
    ),
];
