//! Putting blocks together from their pieces: the one place where that happens, for the
//! streams of models and the items of agents alike.

mod parts;
mod slot;

use self::slot::Slot;
use super::block::{BlockType, ContentBlock, Reasoning, Text};
use super::chunk::{FinishReason, StreamChunk};
use super::id::{CallId, MessageId};
use super::json::Json;
use super::message::{Message, MessageSource, Role};
use super::tool::ToolCall;
use super::usage::Usage;

/// Puts blocks together from their pieces, at the cost of the bytes appended.
///
/// As the reader of a model's stream, [`push`](Self::push) takes chunks. What breaks the
/// protocol is ignored and counted ([`ignored`](Self::ignored)): pieces of a block that has
/// ended or is of another kind, a second start or end, anything after `finish`. A piece of a
/// block that was never started starts it.
///
/// As the keeper of an item's content, the other methods work on parts by their index. An
/// index is a name: parts stand in the order of their indices and gaps are allowed.
/// [`remove`](Self::remove) leaves a gap, in which a part may begin anew;
/// [`renumber`](Self::renumber) closes all gaps.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::{
///     BlockAssembler, ContentBlock, FinishReason, MessageSource, StreamChunk,
/// };
///
/// let mut assembler = BlockAssembler::new();
/// assembler.push(StreamChunk::TextDelta { index: 0, text: "Hel".to_owned() });
/// assembler.push(StreamChunk::TextDelta { index: 0, text: "lo".to_owned() });
/// assembler.push(StreamChunk::finish(FinishReason::Stop));
/// let message = assembler.message("m1", MessageSource::model("m-1"));
/// assert_eq!(message.content, [ContentBlock::text("Hello")]);
/// assert_eq!(assembler.finish(), Some(&FinishReason::Stop));
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BlockAssembler {
    /// Sorted by index.
    slots: Vec<Slot>,
    ignored: u64,
    /// What is known about the answer as a whole; items of agents have none.
    answer: Option<Box<Answer>>,
}

#[derive(Clone, PartialEq, Debug, Default)]
struct Answer {
    usage: Option<Usage>,
    finish: Option<FinishReason>,
    replay_state: Option<Json>,
}

impl BlockAssembler {
    /// An assembler without blocks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next chunk of a model's stream.
    pub fn push(&mut self, chunk: StreamChunk) {
        if self.finish().is_some() {
            self.ignored += 1;
            return;
        }
        match chunk {
            StreamChunk::BlockStart { index, block_type } => self.announce(index, &block_type),
            StreamChunk::TextDelta { index, text } => {
                self.append_text(index, &text);
            }
            StreamChunk::ReasoningDelta { index, text } => {
                self.append_reasoning(index, &text);
            }
            StreamChunk::ToolCallDelta { index, call_id, name, arguments_delta } => {
                self.name_call(index, call_id, name);
                self.append_arguments(index, &arguments_delta);
            }
            StreamChunk::BlockEnd { index, mut block } => {
                if self.has_ended(index) {
                    self.ignored += 1;
                    return;
                }
                if let ContentBlock::ToolCall(call) = &mut *block {
                    call.check_arguments();
                }
                self.replace(index, *block);
                self.end(index);
            }
            StreamChunk::Usage { usage } => self.answer_mut().usage = Some(*usage),
            StreamChunk::Finish { reason, replay_state, .. } => {
                self.slots.iter_mut().for_each(Slot::check_arguments);
                let answer = self.answer_mut();
                answer.finish = Some(reason);
                answer.replay_state = replay_state;
            }
            // What it would add to the message is a later version's to say.
            StreamChunk::Other(_) => {}
        }
    }

    /// The blocks in the order of their indices, whole or not. A call that waits for its id
    /// is not among them.
    pub fn blocks(&self) -> impl Iterator<Item = &ContentBlock> {
        self.slots.iter().filter_map(Slot::block)
    }

    /// The blocks that have begun and not ended, with their indices: what an interruption
    /// cuts off. Their text is worth keeping; the arguments of a call are likely cut.
    pub fn interrupted_blocks(&self) -> impl Iterator<Item = (u32, &ContentBlock)> {
        let open = self.slots.iter().filter(|slot| !slot.ended);
        open.filter_map(|slot| Some((slot.index, slot.block()?)))
    }

    /// The assistant's message that the blocks make up, whole or not, with the state to replay once that is known.
    #[must_use]
    pub fn message(&self, id: impl Into<MessageId>, source: MessageSource) -> Message {
        let mut message = Message::new(id, Role::Assistant, source);
        message.content = self.blocks().cloned().collect();
        message.replay_state = self.replay_state().cloned();
        message
    }

    /// The usage of the answer, once it is known. A later report replaces an earlier one.
    #[must_use]
    pub fn usage(&self) -> Option<&Usage> {
        self.answer.as_ref()?.usage.as_ref()
    }

    /// Why the answer is over, once it is.
    #[must_use]
    pub fn finish(&self) -> Option<&FinishReason> {
        self.answer.as_ref()?.finish.as_ref()
    }

    /// State that the provider expects back in the next request.
    #[must_use]
    pub fn replay_state(&self) -> Option<&Json> {
        self.answer.as_ref()?.replay_state.as_ref()
    }

    /// How many chunks and pieces broke the protocol and were ignored.
    #[must_use]
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    fn announce(&mut self, index: u32, block_type: &BlockType) {
        let Err(place) = self.find(index) else {
            self.ignored += 1;
            return;
        };
        let mut slot = Slot::new(index);
        match block_type {
            BlockType::Text => slot.start(Text::default().into()),
            BlockType::Reasoning => slot.start(Reasoning::default().into()),
            // A call needs its id, and other blocks their fields, which come later.
            _ => true,
        };
        self.slots.insert(place, slot);
    }

    /// Starts a call, or sets the name that it lacks.
    fn name_call(&mut self, index: u32, call_id: CallId, name: Option<String>) {
        match self.block_mut(index) {
            None => {
                let call = ToolCall::new(call_id, name.unwrap_or_default(), "");
                self.slot(index).start(call.into());
            }
            // A later name is the whole one: names may come in pieces.
            Some(ContentBlock::ToolCall(call)) => call.name = name.unwrap_or(std::mem::take(&mut call.name)),
            Some(_) => {}
        }
    }

    fn answer_mut(&mut self) -> &mut Answer {
        self.answer.get_or_insert_default()
    }
}
