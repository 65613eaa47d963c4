//! Tool calls: their pieces wait for the id and the name.

use super::answer::{Answer, Kind};
use super::whole::Growth;
use crate::engine::part::{Said, Verdict, compare, decoded};
use crate::engine::slots::Place;
use crate::vocabulary::{BlockType, CallId, ContentBlock, StreamChunk, ToolCall};

/// What a step says about a call.
pub(super) struct CallSaid<'a, 'v> {
    pub(super) at: Option<Place<'v>>,
    pub(super) id: Option<&'a str>,
    /// Whether it is another call than the last one, though it has no id.
    pub(super) is_next: bool,
    /// Whether it ends when another block begins.
    pub(super) adjacent: bool,
    /// Its name, kind, title and who runs it.
    pub(super) block: &'a ToolCall,
    /// Arguments that count unless they come piece by piece.
    pub(super) arguments: Option<String>,
}

/// A call that has not ended.
#[derive(Debug, Default)]
pub(super) struct OpenCall {
    id: Option<String>,
    /// Its name, kind, title and who runs it, as far as known.
    known: Option<ToolCall>,
    /// Arguments that count when no others come.
    first: Option<String>,
    /// The whole arguments, where they are other than the pieces.
    restated: Option<String>,
    /// Whether its arguments are whole.
    growth: Growth,
    /// How many bytes of the arguments were told.
    told: usize,
    /// Whether the call is in the assembler, which it is once it has its id and name.
    is_known: bool,
}

impl OpenCall {
    fn learn(&mut self, said: &ToolCall) {
        let known = self.known.get_or_insert_with(|| ToolCall::new("", "", ""));
        if known.name.is_empty() {
            known.name.clone_from(&said.name);
        }
        known.tool_kind = said.tool_kind.clone().or(known.tool_kind.take());
        known.title = said.title.clone().or(known.title.take());
        known.hosted |= said.hosted;
    }

    /// Whether the provider itself runs the tool.
    pub(super) fn is_hosted(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.hosted)
    }

    fn name(&self) -> Option<&str> {
        self.known.as_ref().map(|known| known.name.as_str()).filter(|name| !name.is_empty())
    }
}

impl Answer {
    /// Begins a call, or learns more about one.
    pub(super) fn open_call(&mut self, said: CallSaid<'_, '_>) {
        if !self.takes() {
            return;
        }
        let mut found = match (&said.at, said.id) {
            (Some(at), _) => self.index_at(at),
            (None, Some(id)) => self.calls.get(id).copied(),
            (None, None) if said.is_next => None,
            (None, None) => {
                let last = self.last_call;
                last.filter(|last| !self.is_another(*last, &said.block.name))
            }
        };
        // Another id at a known place is another call. The one before may go on: its id then comes again.
        if let (Some(index), Some(id)) = (found, said.id)
            && self.id_of(index).is_some_and(|known| known != id)
        {
            found = self.calls.get(id).copied().filter(|other| self.open_place(*other).is_some());
            if let (Some(at), Some(other)) = (&said.at, found) {
                self.places.insert(at.clone().owned(), other);
            }
        }
        let place = match found {
            None => {
                let place =
                    self.begin(said.at, BlockType::ToolCall, Kind::Call(Box::default()), said.adjacent);
                self.last_call = self.last;
                place
            }
            Some(index) => {
                (self.last_call, self.recent) = (found, found);
                match self.open_place(index) {
                    Some(place) => place,
                    None => return,
                }
            }
        };
        let index = self.open[place].index;
        let Kind::Call(call) = &mut self.open[place].kind else {
            self.late += 1;
            return;
        };
        call.learn(said.block);
        if said.arguments.is_some() {
            call.first = said.arguments;
        }
        let id = match said.id {
            Some(id) => Some(id.to_owned()),
            // An id that has not come with the call does not come.
            None if said.is_next => Some(made_up_id(self.message_id(), index)),
            None => None,
        };
        if let (Some(id), Kind::Call(call)) = (id, &mut self.open[place].kind) {
            call.id.get_or_insert_with(|| id.clone());
            self.calls.insert(id, index);
        }
        self.tell_call(place);
    }

    /// Whether a name, said without any id or place, is that of another call than this one: it is another name, or it
    /// comes again behind arguments that are whole.
    fn is_another(&mut self, index: u32, name: &str) -> bool {
        let Some(place) = self.open_place(index) else {
            return false;
        };
        let Kind::Call(call) = &mut self.open[place].kind else {
            return false;
        };
        let Some(known) = call.name() else {
            return false;
        };
        let arguments = self.assembler.text_of(index).unwrap_or_default();
        !name.is_empty() && (known != name || call.growth.is_whole(arguments))
    }

    /// The id of a call, as far as it is known.
    fn id_of(&self, index: u32) -> Option<&str> {
        if let Some(Kind::Call(call)) = self.open_place(index).map(|place| &self.open[place].kind) {
            return call.id.as_deref();
        }
        match self.assembler.block(index) {
            Some(ContentBlock::ToolCall(call)) => Some(call.call_id.as_str()),
            _ => None,
        }
    }

    /// Takes up arguments of the call at a place, of this id, or of the last call.
    pub(super) fn put_arguments(&mut self, at: Option<Place<'_>>, call: Option<&str>, said: Said<'_>) {
        if matches!(said, Said::Nothing) || !self.takes() {
            return;
        }
        let known = match (&at, call) {
            (Some(at), _) => self.index_at(at),
            (None, Some(call)) => self.calls.get(call).copied(),
            (None, None) => self.last_call,
        };
        let place = match known {
            Some(index) => self.open_place(index),
            None if at.is_some() => {
                let place = self.begin(at, BlockType::ToolCall, Kind::Call(Box::default()), false);
                self.last_call = self.last;
                Some(place)
            }
            None => None,
        };
        let found = place.map(|place| (place, &mut self.open[place]));
        let Some((place, open)) = found.filter(|(_, open)| matches!(open.kind, Kind::Call(_))) else {
            self.late += u64::from(matches!(said, Said::Delta(_)));
            return;
        };
        let (index, carry) = (open.index, open.carry);
        match said {
            Said::Nothing => {}
            Said::Delta(delta) => {
                let (text, carry) = decoded(delta, carry);
                self.open[place].carry = carry;
                self.assembler.append_arguments(index, &text);
            }
            Said::Snapshot(whole) | Said::Whole(whole) => {
                let (text, _) = decoded(whole, None);
                self.open[place].carry = None;
                match compare(self.assembler.text_of(index).unwrap_or_default(), &text) {
                    Verdict::Same => {}
                    Verdict::Longer(from) => {
                        self.assembler.append_arguments(index, &text[from..]);
                    }
                    Verdict::Other => {
                        if let Kind::Call(call) = &mut self.open[place].kind {
                            call.restated = Some(text);
                        }
                    }
                }
            }
        }
        self.tell_call(place);
    }

    /// Tells what is new of a call, once its id and name are known.
    fn tell_call(&mut self, place: usize) {
        let index = self.open[place].index;
        let Kind::Call(call) = &mut self.open[place].kind else {
            return;
        };
        let (Some(id), Some(name)) = (&call.id, call.name()) else {
            return;
        };
        let (call_id, name) = (CallId::from(id.as_str()), name.to_owned());
        if let Some(known) = &call.known {
            let block = match self.assembler.block_mut(index) {
                Some(ContentBlock::ToolCall(block)) => block,
                _ => {
                    self.assembler.start(index, ToolCall::new(call_id.clone(), name.clone(), ""));
                    match self.assembler.block_mut(index) {
                        Some(ContentBlock::ToolCall(block)) => block,
                        _ => return,
                    }
                }
            };
            block.tool_kind.clone_from(&known.tool_kind);
            block.title.clone_from(&known.title);
            block.hosted = known.hosted;
        }
        let is_first = !std::mem::replace(&mut call.is_known, true);
        let arguments = self.assembler.text_of(index).unwrap_or_default();
        if arguments.len() > call.told || is_first {
            let arguments_delta = arguments[call.told..].to_owned();
            call.told = arguments.len();
            let name = is_first.then_some(name);
            self.tell(StreamChunk::ToolCallDelta { index, call_id, name, arguments_delta });
        }
    }

    /// Tells the rest of a call that ends. `whole` says that one without arguments has none, and was not cut.
    pub(super) fn end_call(&mut self, index: u32, mut call: OpenCall, half: Option<String>, whole: bool) {
        if let Some(half) = half {
            self.assembler.append_arguments(index, &half);
        }
        let is_blank =
            |answer: &Self| answer.assembler.text_of(index).is_none_or(|text| text.trim().is_empty());
        if is_blank(self) && call.restated.is_none() {
            match call.first.take() {
                Some(first) if !first.trim().is_empty() => {
                    self.assembler.append_arguments(index, &first);
                }
                // The empty text is no JSON, and what it means is a call with nothing.
                _ if whole => {
                    self.assembler.append_arguments(index, "{}");
                }
                _ => {}
            }
        }
        let id = call.id.take().unwrap_or_else(|| made_up_id(self.message_id(), index));
        self.calls.entry(id.clone()).or_insert(index);
        call.id = Some(id.clone());
        let restated = call.restated.take();
        let name = call.name().unwrap_or_default().to_owned();
        if name.is_empty() {
            // Without a name there is no call to tell piece by piece.
            self.assembler.start(index, ToolCall::new(id.as_str(), "", ""));
        }
        self.open.push(super::answer::Open::ending(index, call));
        self.tell_call(self.open.len() - 1);
        self.open.pop();
        if let Some(ContentBlock::ToolCall(block)) = self.assembler.block_mut(index) {
            if let Some(restated) = restated {
                block.arguments = restated;
            }
            block.check_arguments();
        }
    }
}

/// An id for a call without one: the same for the same stream, and another one in each answer that has an id of its own. It
/// has only characters that every provider takes in an id.
fn made_up_id(message: &str, index: u32) -> String {
    let plain = message.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' });
    let plain: String = plain.take(40).collect();
    format!("call_{plain}_{index}")
}
