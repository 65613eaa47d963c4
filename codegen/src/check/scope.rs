//! What is known at a place in a map.

use interlingua_table::VerbSpec;

use super::types::Ty;
use crate::ast::Cond;
use crate::schema::Kinds;

/// The surroundings of a step or a value.
#[derive(Clone)]
pub(super) struct Here<'s> {
    /// The message, and the elements of the `each` and `join` around, from the outside in.
    pub scopes: Vec<Ty<'s>>,
    /// How many `each` and `join` are around.
    pub each: usize,
    /// What the conditions around say about kinds.
    pub guards: Vec<Guard>,
    /// The term in whose body this stands.
    pub parent: Option<&'static VerbSpec>,
}

/// A condition around says that a value has one of these kinds.
#[derive(Clone)]
pub(super) struct Guard {
    /// The number of the scope from which the path starts.
    pub place: usize,
    /// The steps of the path, as text.
    pub path: String,
    pub kinds: Kinds,
}

impl<'s> Here<'s> {
    pub(super) fn message(ty: Ty<'s>) -> Self {
        Self { scopes: vec![ty], each: 0, guards: Vec::new(), parent: None }
    }

    /// One level deeper, where `ty` is the current value.
    pub(super) fn inside(&self, ty: Ty<'s>) -> Self {
        let mut inner = self.clone();
        inner.scopes.push(ty);
        inner
    }

    /// Where the condition has this outcome.
    pub(super) fn guarded(&self, condition: &Cond, outcome: bool) -> Self {
        let mut inner = self.clone();
        Guard::of(condition, outcome, self.scopes.len(), &mut inner.guards);
        inner
    }

    /// In the body of a term.
    pub(super) fn body_of(&self, spec: &'static VerbSpec) -> Self {
        Self { parent: Some(spec), ..self.clone() }
    }
}
