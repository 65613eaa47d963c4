//! Tool calls: their pieces wait for the id and the name.

use super::answer::{Answer, Kind};
use super::open_call::OpenCall;
use super::progress::Progress;
use super::tree::Tree;
use crate::engine::piece::{Comparison, PartKey, TextUpdate, compare};
use crate::vocabulary::{BlockType, CallId, ContentBlock, StreamChunk, ToolCall};

/// An update of a call.
pub(super) struct CallSaid<'a, 'v> {
    pub(super) at: Option<PartKey<'v>>,
    pub(super) id: Option<&'a str>,
    /// Whether it is another call than the last one, though it has no id.
    pub(super) is_next: bool,
    /// Whether it ends when another block begins.
    pub(super) adjacent: bool,
    /// Whether a call begins here, whatever stood there.
    pub(super) begins: bool,
    /// Its name, kind, title and who runs it.
    pub(super) block: &'a ToolCall,
    /// Arguments that count unless they come piece by piece.
    pub(super) arguments: Option<String>,
    /// The piece of the arguments that comes with it.
    pub(super) piece: TextUpdate<'v>,
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
        if let Some(index) = found {
            let is_call = |place: usize| matches!(self.open[place].kind, Kind::Call(_));
            if said.begins && self.open_place(index).is_some_and(|place| !is_call(place)) {
                self.end(index, true);
            }
            found = self.which_call(index, &said);
            if let (Some(at), Some(other)) = (&said.at, found.filter(|other| *other != index)) {
                self.places.insert(at.clone().owned(), other);
            }
        } else if let (Some(at), None, true) = (&said.at, said.id, said.block.name.is_empty()) {
            // With neither id nor name, it continues the last call.
            let last =
                self.last_call.filter(|last| self.open_place(*last).is_some() && !self.is_whole(*last));
            if let Some(last) = last {
                self.places.insert(at.clone().owned(), last);
                found = Some(last);
            }
        }
        let place = match found {
            None => {
                let call = OpenCall { at: said.at.clone().map(PartKey::owned), ..OpenCall::default() };
                let kind = Kind::Call(Box::new(call));
                let place = self.begin(said.at, BlockType::ToolCall, kind, said.adjacent);
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
        let has_arguments = self.assembler.text_of(index).is_some_and(|text| !text.is_empty());
        let Kind::Call(call) = &mut self.open[place].kind else {
            self.late += 1;
            return;
        };
        let is_named = call.name().is_some_and(|name| name != said.block.name);
        if is_named && !has_arguments {
            call.lengthen_name(&said.block.name);
        }
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
        self.put_piece(place, said.piece);
    }

    /// Which call is meant by what is said at the place of this one, or under its id; none for a call that begins.
    fn which_call(&self, index: u32, said: &CallSaid<'_, '_>) -> Option<u32> {
        let name = said.block.name.as_str();
        let is_open = self.open_place(index).is_some();
        let known = self.id_of(index);
        if said.begins && (!is_open || said.id.is_some()) {
            return (known.is_some() && known == said.id).then_some(index);
        }
        let Some(id) = said.id.filter(|id| known.is_some_and(|known| known != *id)) else {
            // The same id, or none. Where a call has ended, or has all of its arguments, another one may begin.
            let is_another = said.id.is_none() && self.is_another_at(index, said);
            return (!is_another).then_some(index);
        };
        // The call that was at this place before may go on: its id then comes again.
        let before = self.calls.get(id).copied().filter(|other| {
            let open = self.open_place(*other).map(|place| &self.open[place].kind);
            matches!(open, Some(Kind::Call(call)) if call.at == said.at || !name.is_empty())
        });
        // Some servers make a new id for every piece: without a name, or with the same one while arguments are not whole,
        // it is a piece of the call at its place, unless that cannot go on with it.
        let goes_on = || {
            let progress = self.progress(index);
            let begins_anew = || said.piece.text().is_some_and(|piece| progress.is_cut_by(&piece));
            let has_name = || self.name_of(index) == Some(name) && !progress.is_whole() && !begins_anew();
            is_open && (name.is_empty() || has_name())
        };
        before.or_else(|| goes_on().then_some(index))
    }

    /// Whether a name, said without an id at the place of a call, is that of another one: the arguments of this one are
    /// whole.
    fn is_another_at(&self, index: u32, said: &CallSaid<'_, '_>) -> bool {
        let name = said.block.name.as_str();
        said.at.is_some()
            && !name.is_empty()
            && self.name_of(index).is_some_and(|known| known != name)
            && self.is_whole(index)
    }

    fn name_of(&self, index: u32) -> Option<&str> {
        self.open_place(index).and_then(|place| match &self.open[place].kind {
            Kind::Call(call) => call.name(),
            _ => None,
        })
    }

    /// How far the arguments of an open call are.
    fn progress(&self, index: u32) -> Progress {
        self.open_place(index).map_or_else(Progress::default, |place| match &self.open[place].kind {
            Kind::Call(call) => call.progress,
            _ => Progress::default(),
        })
    }

    fn is_whole(&self, index: u32) -> bool {
        self.progress(index).is_whole()
    }

    /// Whether a name, said without any id or place, is that of another call than this one: it is another name, or it
    /// comes again behind arguments that are whole.
    fn is_another(&self, index: u32, name: &str) -> bool {
        let known = self.name_of(index);
        !name.is_empty() && known.is_some_and(|known| known != name || self.is_whole(index))
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

    fn call_named(&self, at: Option<&PartKey<'_>>, call: Option<&str>) -> Option<u32> {
        match (at, call) {
            (Some(at), _) => self.index_at(at),
            (None, Some(call)) => self.calls.get(call).copied(),
            (None, None) => self.last_call,
        }
    }

    /// Takes up one value of a call's arguments: what stands at a path, or how its text goes on.
    pub(super) fn put_argument(
        &mut self,
        at: Option<PartKey<'_>>,
        call: Option<&str>,
        path: &str,
        value: Tree,
    ) {
        if !self.takes() {
            return;
        }
        let known = self.call_named(at.as_ref(), call).and_then(|index| self.open_place(index));
        if let Some(Kind::Call(call)) = known.map(|place| &mut self.open[place].kind)
            && let Some(held) = call.values.get_or_insert_with(|| Box::new(Tree::empty_object())).at(path)
        {
            held.append(value);
        } else {
            self.late += 1;
        }
    }

    /// Adds arguments to the call with this key or id, or to the last call.
    pub(super) fn put_arguments(
        &mut self,
        at: Option<PartKey<'_>>,
        call: Option<&str>,
        said: TextUpdate<'_>,
    ) {
        if matches!(said, TextUpdate::None) || !self.takes() {
            return;
        }
        let known = self.call_named(at.as_ref(), call);
        let place = match known {
            Some(index) => self.open_place(index),
            None if at.is_some() => {
                let place = self.begin(at, BlockType::ToolCall, Kind::Call(Box::default()), false);
                self.last_call = self.last;
                Some(place)
            }
            None => None,
        };
        match place.filter(|place| matches!(self.open[*place].kind, Kind::Call(_))) {
            Some(place) => self.put_piece(place, said),
            None => self.late += u64::from(matches!(said, TextUpdate::Delta(_))),
        }
    }

    /// Adds arguments to an open call.
    fn put_piece(&mut self, place: usize, said: TextUpdate<'_>) {
        let (index, carry) = (self.open[place].index, self.open[place].carry);
        let (text, carry) = match said {
            TextUpdate::None => (String::new(), carry),
            TextUpdate::Delta(delta) => delta.decode(carry),
            TextUpdate::Snapshot(whole) | TextUpdate::Whole(whole) => {
                let (text, _) = whole.decode(None);
                match compare(self.assembler.text_of(index).unwrap_or_default(), &text) {
                    Comparison::Same => (String::new(), None),
                    Comparison::Longer(from) => (text[from..].to_owned(), None),
                    Comparison::Different => {
                        if let Kind::Call(call) = &mut self.open[place].kind {
                            call.restated = Some(text);
                        }
                        (String::new(), None)
                    }
                }
            }
        };
        self.open[place].carry = carry;
        if let Kind::Call(call) = &mut self.open[place].kind {
            call.progress.add(&text);
        }
        if !text.is_empty() {
            self.assembler.append_arguments(index, &text);
        }
        self.tell_call(place);
    }

    /// Emits what is new about a call, once its id and name are known.
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
            block.name.clone_from(&name);
            block.tool_kind.clone_from(&known.tool_kind);
            block.title.clone_from(&known.title);
            block.hosted = known.hosted;
        }
        let is_first = !std::mem::replace(&mut call.is_known, true);
        let arguments = self.assembler.text_of(index).unwrap_or_default();
        let is_named_anew = name.len() > call.told_name;
        if arguments.len() > call.told || is_first || is_named_anew {
            let arguments_delta = arguments[call.told..].to_owned();
            (call.told, call.told_name) = (arguments.len(), name.len());
            let name = (is_first || is_named_anew).then_some(name);
            self.tell(StreamChunk::ToolCallDelta { index, call_id, name, arguments_delta });
        }
    }

    /// Emits the rest of a call that ends. `whole`: a call without arguments has none and was not cut off.
    pub(super) fn end_call(&mut self, index: u32, mut call: OpenCall, half: Option<String>, whole: bool) {
        if let Some(half) = half {
            self.assembler.append_arguments(index, &half);
        }
        if let Some(values) =
            call.values.take().filter(|_| self.assembler.text_of(index).is_none_or(str::is_empty))
        {
            self.assembler.append_arguments(index, &values.json());
        }
        if let (Some(first), None, false) =
            (&call.first, &call.restated, is_json(self.assembler.text_of(index).unwrap_or_default()))
        {
            // What the start held may be their beginning.
            let pieces = self.assembler.text_of(index).unwrap_or_default();
            let begun = first.trim_end().strip_suffix('}').map(|begun| format!("{begun}{pieces}"));
            call.restated = begun.filter(|joined| !pieces.is_empty() && is_json(joined));
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
            // Without a name, no deltas can be emitted.
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

/// Whether a text is one JSON value.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// An id for a call without one: the same for the same stream, and another one in each answer that has an id of its own. It
/// has only characters that every provider takes in an id.
fn made_up_id(message: &str, index: u32) -> String {
    let plain = message.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' });
    let plain: String = plain.take(40).collect();
    format!("call_{plain}_{index}")
}
