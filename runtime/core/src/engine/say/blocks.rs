//! Blocks of content from the parts of a map.

use std::collections::HashSet;

use interlingua_table::{Action, BlockKind, Field, Verb};

use super::run::Run;
use crate::engine::json_text::object;
use crate::engine::life::store::slots::Find;
use crate::engine::read::eval::{Reading, Val};
use crate::engine::read::fields::Fields;
use crate::engine::read::list::names;
use crate::engine::read::scope::Scope;
use crate::engine::read::term::Term;
use crate::engine::read::walk::Walking;
use crate::json::{Index, KeySet};
use crate::vocabulary::{ContentBlock, Json};

/// A whole block that a step gives, and where it belongs in its item.
pub(crate) struct Piece<'x> {
    pub(crate) kind: BlockKind,
    pub(crate) find: Find<'x>,
    pub(crate) attached: bool,
    pub(crate) block: ContentBlock,
}

impl Run<'_, '_> {
    /// Whether steps give their item a part, or a tool call that belongs to it.
    pub(crate) fn gives_part(&self, body: &'static [Action], scope: &Scope<'_, '_>) -> bool {
        let mut found = false;
        self.walk(body, scope, &mut |term, scope| {
            found |= match term.verb {
                Verb::Part => self.block(term, scope).is_some(),
                Verb::Open | Verb::Close => true,
                Verb::Whole => self.gives_part(term.body, scope),
                _ => false,
            };
            !found
        });
        found
    }

    /// All blocks that steps give, whole.
    pub(crate) fn pieces<'x>(&self, body: &'static [Action], scope: &Scope<'x, '_>) -> Vec<Piece<'x>> {
        let mut pieces = Vec::new();
        self.walk(body, scope, &mut |term, scope| {
            if matches!(term.verb, Verb::Part | Verb::Attach)
                && let Some(block) = self.block(term, scope)
            {
                let attached = term.verb == Verb::Attach;
                pieces.push(Piece { kind: term.block, find: self.find(term, scope), attached, block });
            }
            true
        });
        pieces
    }

    /// How a part's place is given.
    pub(crate) fn find<'x>(&self, term: &Term, scope: &Scope<'x, '_>) -> Find<'x> {
        if let Some(place) = self.place(term, Field::At, scope) {
            return Find::At(place);
        }
        if self.flag(term, Field::Next, scope) {
            return Find::Next;
        }
        // A text that comes by deltas without a place is the only one; so is a plan's list.
        let only = term.gives(Field::Delta) || term.block == BlockKind::Plan;
        if only { Find::Only } else { Find::New }
    }

    /// The texts of a list: one text, or several.
    pub(crate) fn list(&self, term: &Term, field: Field, scope: &Scope<'_, '_>) -> Vec<String> {
        let Some(mut expr) = term.field(field) else {
            return Vec::new();
        };
        while let interlingua_table::Expr::If(condition, then, otherwise) = expr {
            expr = if self.holds(condition, scope) { then } else { otherwise };
        }
        if let interlingua_table::Expr::Split(inner, separator, whole) = expr {
            return self.split(inner, separator, *whole, scope).unwrap_or_default();
        }
        match self.eval(expr, scope) {
            None => Vec::new(),
            Some(Val::Node(value)) if value.is_array() => names(Val::Node(value)),
            Some(Val::Node(value)) if value.is_object() => vec![value.raw().to_owned()],
            Some(value) => value.text().map(Into::into).into_iter().collect(),
        }
    }
}

/// Merges two objects, byte for byte: known members that are not restated, then the new ones.
pub(crate) fn joined(known: &Json, said: Json) -> Json {
    let keys = KeySet::new([""; 0]);
    let (mut before, mut after) = (Index::new(), Index::new());
    let text = match (before.parse_str(known.get(), &keys), after.parse_str(said.get(), &keys)) {
        (Ok(before), Ok(after)) if before.root().is_object() && after.root().is_object() => {
            let (before, after) = (before.root(), after.root());
            let again: HashSet<_> = after.entries().map(|(key, _)| key).collect();
            let kept = before.entries().filter(|(key, _)| !again.contains(key));
            object(kept.chain(after.entries()).map(|(key, value)| (key, value.raw())))
        }
        _ => return said,
    };
    Json::checked(text)
}
