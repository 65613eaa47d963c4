//! The terms about parts of items, and about tool calls and their results.

use interlingua_table::{BlockKind, Field};

use super::run::{Inside, Run};
use crate::engine::life::part::TextPart;
use crate::engine::life::state::State;
use crate::engine::life::store::items::{Change, Located};
use crate::engine::life::store::slots::Find;
use crate::engine::life::tool::ResultSaid;
use crate::engine::piece::{PartKey, TextUpdate};
use crate::engine::read::fields::Fields;
use crate::engine::read::scope::Scope;
use crate::engine::read::term::Term;
use crate::engine::read::walk::Arms;
use crate::vocabulary::{Channel, ContentBlock, ItemStatus, Visibility};

impl Run<'_, '_> {
    /// Arguments may be given as JSON, too.
    fn said_arguments<'x>(&self, term: &Term, scope: &Scope<'x, '_>) -> TextUpdate<'x> {
        match self.get(term, Field::Whole, scope) {
            Some(whole) => TextUpdate::Whole(whole.arguments()),
            None => self.said(term, scope),
        }
    }

    /// `part`.
    pub(crate) fn part(&mut self, term: &Term, scope: &Scope<'_, '_>, inside: &Inside) {
        if matches!(inside, Inside::Past(_)) && !term.gives(Field::Item) {
            return;
        }
        if !matches!(term.block, BlockKind::Text | BlockKind::Reasoning) {
            let Some(block) = self.block(term, scope) else {
                return match term.block {
                    BlockKind::FileChange => self.lacks(term, Field::Path, scope),
                    BlockKind::Status => self.lacks(term, Field::Label, scope),
                    BlockKind::Json | BlockKind::Other => self.lacks(term, Field::Value, scope),
                    _ => {}
                };
            };
            let Some((number, serial)) = self.target(term, scope, inside, true) else {
                return;
            };
            let find = self.find(term, scope);
            return self.state.sessions[number].put_block(serial, term.block, find, block);
        }
        let text = self.said(term, scope);
        let signature = self.string(term, Field::Signature, scope);
        let find = self.find(term, scope);
        // A place alone begins a part; nothing at all is none.
        if matches!(text, TextUpdate::None) && signature.is_none() && !has_place(term, &find) {
            return;
        }
        let Some((number, serial)) = self.target(term, scope, inside, true) else {
            return;
        };
        let part = TextPart {
            kind: term.block,
            find,
            text,
            annotations: self.annotations(term, scope),
            visibility: self.word(term, Field::Visibility, scope, Visibility::from_word),
            signature,
        };
        let State { sessions, out, .. } = &mut *self.state;
        sessions[number].put_text(out, serial, part);
    }

    /// `arguments`.
    pub(crate) fn arguments(&mut self, term: &Term, scope: &Scope<'_, '_>, inside: &Inside) {
        let said = self.said_arguments(term, scope);
        if matches!(said, TextUpdate::None) {
            return;
        }
        let found = match self.text(term, Field::Call, scope) {
            Some(call) => {
                let Some(number) = self.session(true) else {
                    return;
                };
                match self.state.sessions[number].items.locate_call(&call) {
                    Located::Open(serial) => Some((number, serial)),
                    Located::Closed(closed) => {
                        if let Some(item_id) = closed.item_id {
                            self.late(number, &item_id, scope);
                        }
                        return;
                    }
                    Located::New => Some((number, self.stub(number, &call, None))),
                }
            }
            None => self.target(term, scope, inside, false).and_then(|(number, message)| {
                let place = self.place(term, Field::At, scope).unwrap_or(PartKey::Number(0));
                let message = self.state.sessions[number].items.get(message)?;
                Some((number, message.slots.tool_at(&place)?))
            }),
        };
        let Some((number, serial)) = found else {
            return self.lacks(term, Field::At, scope);
        };
        let State { sessions, out, .. } = &mut *self.state;
        if sessions[number].items.is_open(serial) {
            sessions[number].put_arguments(out, serial, said);
        }
    }

    /// A call with only its id.
    fn stub(&mut self, number: usize, call: &str, name: Option<&str>) -> u64 {
        let agent = self.agent(number);
        self.with_turn(number, |session, out, turn| session.stub_call(out, call, name, None, turn, agent))
    }

    /// Updates an open call.
    pub(crate) fn restate_call(&mut self, term: &Term, scope: &Scope<'_, '_>, number: usize, serial: u64) {
        let said = self.call_block(term, scope);
        let arguments = self.get(term, Field::Arguments, scope);
        let attached = self.pieces(term.body, scope);
        let State { sessions, out, .. } = &mut *self.state;
        let session = &mut sessions[number];
        let Some(open) = session.items.get_mut(serial) else {
            return;
        };
        let mut news = false;
        if let Some(ContentBlock::ToolCall(block)) = open.content.block_mut(0) {
            if !said.name.is_empty() && said.name != block.name {
                block.name = said.name;
                news = true;
            }
            news |= crate::engine::life::item::replace_some(&mut block.tool_kind, said.tool_kind);
            news |= crate::engine::life::item::replace_some(&mut block.title, said.title);
            if !said.locations.is_empty() && said.locations != block.locations {
                block.locations = said.locations;
                news = true;
            }
        }
        if news {
            session.mark(serial, Change::News);
        }
        if let Some(arguments) = arguments {
            session.put_arguments(out, serial, TextUpdate::Whole(arguments.arguments()));
        }
        for (place, piece) in (0..).zip(attached) {
            session.put_block(serial, piece.kind, Find::At(PartKey::Number(place)), piece.block);
        }
    }

    /// `seal`.
    pub(crate) fn seal_part(&mut self, term: &Term, scope: &Scope<'_, '_>, inside: &Inside) {
        let Some(place) = self.place(term, Field::At, scope) else {
            return self.lacks(term, Field::At, scope);
        };
        if let Some((number, serial)) = self.open_target(term, scope, inside) {
            self.with_session(number, |session, out| session.seal(out, serial, &place));
        }
    }

    /// `more`.
    pub(crate) fn more(&mut self, term: &Term, scope: &Scope<'_, '_>, inside: &Inside) {
        let Some(place) = self.place(term, Field::At, scope) else {
            return self.lacks(term, Field::At, scope);
        };
        let Some(delta) = self.readable(term, Field::Delta, scope) else {
            return self.lacks(term, Field::Delta, scope);
        };
        if let Some((number, serial)) = self.target(term, scope, inside, true) {
            self.with_session(number, |session, out| session.put_more(out, serial, place, delta.fragment()));
        }
    }

    /// `drop`.
    pub(crate) fn drop_part(&mut self, term: &Term, scope: &Scope<'_, '_>, inside: &Inside) {
        let place = self.place(term, Field::At, scope);
        if place.is_none() && term.gives(Field::At) {
            return self.lacks(term, Field::At, scope);
        }
        if let Some((number, serial)) = self.target(term, scope, inside, false) {
            self.with_session(number, |session, out| session.drop_parts(out, serial, place.as_ref()));
        }
    }

    /// The open item of a term without news: a closed one gives no notice.
    fn open_target(&mut self, term: &Term, scope: &Scope<'_, '_>, inside: &Inside) -> Option<(usize, u64)> {
        let number = self.session(false)?;
        let named = self.text(term, Field::Item, scope);
        let name = match (&named, inside) {
            (Some(name), _) => name,
            (None, Inside::Named(name)) => name.as_ref(),
            (None, Inside::Item(serial)) => return Some((number, *serial)),
            (None, _) => return None,
        };
        match self.locate_content(number, name) {
            Located::Open(serial) => Some((number, serial)),
            _ => None,
        }
    }

    /// `output`.
    pub(crate) fn output(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let Some(call) = self.text(term, Field::Call, scope) else {
            return self.lacks(term, Field::Call, scope);
        };
        let said = self.said(term, scope);
        if matches!(said, TextUpdate::None) {
            return;
        }
        let channel = self.word(term, Field::Channel, scope, Channel::from_word).unwrap_or(Channel::Output);
        let Some(number) = self.session(true) else {
            return;
        };
        if matches!(self.state.sessions[number].items.locate_call(&call), Located::New) {
            self.stub(number, &call, None);
        }
        let late = self.with_session(number, |session, out| session.put_output(out, &call, channel, said));
        if let Err(item_id) = late {
            self.late(number, &item_id, scope);
        }
    }

    /// `result`.
    pub(crate) fn result(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let Some(call) = self.text(term, Field::Call, scope) else {
            // The tool's output must not be lost, whatever else the message gives.
            if scope.here.offset() != self.message.here.offset() {
                self.lose("`call` of this result is absent", scope);
            }
            return self.lacks(term, Field::Call, scope);
        };
        let is_error = self.truth(term, Field::IsError, scope);
        let (status, is_error) = match self.word(term, Field::Status, scope, ItemStatus::from_word) {
            Some(ItemStatus::InProgress) => return,
            Some(status) => {
                let failed = matches!(status, ItemStatus::Failed | ItemStatus::Declined);
                (status, is_error.unwrap_or(failed))
            }
            None if is_error == Some(true) => (ItemStatus::Failed, true),
            None => (ItemStatus::Completed, false),
        };
        let exit_code = self.whole(term, Field::ExitCode, scope);
        let duration_ms = self.count(term, Field::DurationMs, scope);
        let name = self.string(term, Field::Name, scope);
        let replaces_output = self.flag(term, Field::ReplacesOutput, scope);
        let parent = self.text(term, Field::Parent, scope);
        let (mut content, mut attached) = (Vec::new(), Vec::new());
        for piece in self.pieces(term.body, scope) {
            if piece.attached {
                attached.push(piece.block);
            } else {
                content.push(piece.block);
            }
        }
        let Some(number) = self.session(true) else {
            return;
        };
        if matches!(self.state.sessions[number].items.locate_call(&call), Located::New) {
            self.stub(number, &call, name.as_deref());
        }
        let parent = parent.and_then(|parent| self.state.sessions[number].items.started_id(&parent));
        let said = ResultSaid {
            parent,
            is_error,
            exit_code,
            duration_ms,
            status,
            name,
            replaces_output,
            content,
            attached,
        };
        let late = self.with_session(number, |session, out| session.put_result(out, &call, said));
        if let Err(item_id) = late {
            self.late(number, &item_id, scope);
        }
    }
}

/// Whether a step names its part without content.
fn has_place(term: &Term, find: &Find<'_>) -> bool {
    matches!(find, Find::At(_)) && term.gives(Field::At)
}
