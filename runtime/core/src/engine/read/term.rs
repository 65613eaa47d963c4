//! A term of the map, as a step of a rule carries it.

use interlingua_table::{Action, BlockKind, Expr, Field, ItemKind, Verb};

/// A universal term of the map, as an action carries it.
#[derive(Clone, Copy)]
pub(crate) struct Term {
    pub(crate) verb: Verb,
    pub(crate) item: ItemKind,
    pub(crate) block: BlockKind,
    pub(crate) body: &'static [Action],
    fields: &'static [(Field, Expr)],
    /// A bit for each of the fields, since most questions are about fields that a term does not have.
    given: u128,
}

impl Term {
    #[inline]
    pub(crate) fn new(
        (verb, item, block): (Verb, ItemKind, BlockKind),
        fields: &'static [(Field, Expr)],
        body: &'static [Action],
    ) -> Self {
        let given = fields.iter().fold(0, |given, (field, _)| given | Self::bit(*field));
        Self { verb, item, block, body, fields, given }
    }

    #[inline]
    const fn bit(field: Field) -> u128 {
        1 << field as u32
    }

    /// Whether the map gives this field.
    #[inline]
    pub(crate) fn gives(&self, field: Field) -> bool {
        self.given & Self::bit(field) != 0
    }

    /// The expression of a field, if the map gives it.
    #[inline]
    pub(crate) fn field(&self, field: Field) -> Option<&'static Expr> {
        if !self.gives(field) {
            return None;
        }
        self.fields.iter().find(|(own, _)| *own == field).map(|(_, expr)| expr)
    }
}
