//! What is in an item: its blocks when it starts, and their updates while it is open.

use std::borrow::Cow;

use interlingua_table::Field;

use super::blocks::{Piece, joined};
use super::run::Run;
use crate::engine::life::part::TextPart;
use crate::engine::life::store::closed::fingerprint;
use crate::engine::life::store::items::{Change, Class};
use crate::engine::life::store::slots::Find;
use crate::engine::piece::{Fragment, PartKey, TextUpdate};
use crate::engine::read::fields::Fields;
use crate::engine::read::scope::Scope;
use crate::engine::read::term::Term;
use crate::vocabulary::{ContentBlock, Status};

impl Run<'_, '_> {
    /// What a new item has in it when it starts. Messages start empty: their parts follow.
    #[expect(clippy::type_complexity, reason = "the second half is for one caller, in passing")]
    pub(super) fn first_content<'x>(
        &mut self,
        term: &Term,
        class: Class,
        scope: &Scope<'x, '_>,
    ) -> Option<(Vec<ContentBlock>, Vec<(interlingua_table::BlockKind, Find<'x>)>)> {
        let mut content = Vec::new();
        let mut places = Vec::new();
        match class {
            Class::Message | Class::ToolResult => {}
            Class::ToolCall => {
                content.push(self.call_block(term, scope).into());
                for (number, piece) in (0..).zip(self.pieces(term.body, scope)) {
                    places.push((piece.kind, Find::At(PartKey::Number(number))));
                    content.push(piece.block);
                }
            }
            Class::Plan => {
                for piece in self.pieces(term.body, scope) {
                    places.push((piece.kind, piece.find));
                    content.push(piece.block);
                }
            }
            Class::Status => match self.status_block(term, scope) {
                Some(status) => content.push(status.into()),
                None => {
                    self.lacks(term, Field::Label, scope);
                    return None;
                }
            },
            Class::Other => match self.json(term, Field::Value, scope) {
                Some(value) if self.text(term, Field::NativeKind, scope).is_some() => {
                    content.push(ContentBlock::from_native(value));
                }
                _ => {
                    self.lacks(term, Field::Value, scope);
                    return None;
                }
            },
        }
        Some((content, places))
    }

    /// Updates the content of an open item.
    pub(super) fn restate_content(
        &mut self,
        term: &Term,
        class: Class,
        scope: &Scope<'_, '_>,
        number: usize,
        serial: u64,
    ) {
        match class {
            Class::Message | Class::ToolResult => {}
            Class::ToolCall => self.restate_call(term, scope, number, serial),
            Class::Plan => {
                for piece in self.pieces(term.body, scope) {
                    self.put_piece(number, serial, piece);
                }
            }
            Class::Status => {
                if let Some(status) = self.status_block(term, scope) {
                    self.restate_status(number, serial, status);
                }
            }
            Class::Other => {
                if let Some(value) = self.json(term, Field::Value, scope) {
                    self.restate_block(number, serial, ContentBlock::from_native(value));
                }
            }
        }
    }

    /// Puts a finished piece into an open item.
    fn put_piece(&mut self, number: usize, serial: u64, piece: Piece<'_>) {
        self.with_session(number, |session, out| match piece.block {
            ContentBlock::Text(block) => {
                let text = TextUpdate::Whole(Fragment::Decoded(Cow::Owned(block.text)));
                let (annotations, kind) = (block.annotations, piece.kind);
                let (visibility, signature) = (None, None);
                session.put_text(
                    out,
                    serial,
                    TextPart { kind, find: piece.find, text, annotations, visibility, signature },
                );
            }
            block => session.put_block(serial, piece.kind, piece.find, block),
        });
    }

    /// Updates a status; absent fields are kept.
    pub(crate) fn restate_status(&mut self, number: usize, serial: u64, mut status: Status) {
        let Some(open) = self.state.sessions[number].items.get_mut(serial) else {
            return;
        };
        open.print = Some(fingerprint(&[status.clone().into()]));
        if let Some(ContentBlock::Status(known)) = open.content.block(0) {
            status.detail = status.detail.or_else(|| known.detail.clone());
            status.data = match (&known.data, status.data) {
                (Some(known), Some(said)) => Some(joined(known, said)),
                (known, said) => said.or_else(|| known.clone()),
            };
        }
        self.restate_block(number, serial, status.into());
    }

    /// Replaces an item's only block.
    fn restate_block(&mut self, number: usize, serial: u64, block: ContentBlock) {
        let session = &mut self.state.sessions[number];
        let Some(open) = session.items.get_mut(serial) else {
            return;
        };
        if open.content.block(0) != Some(&block) {
            open.content.replace(0, block);
            session.mark(serial, Change::News);
        }
    }
}
