//! What is known at a place in a map.

use interlingua_table::VerbSpec;

use super::reads::{Place, Segment};
use super::types::Ty;
use crate::ast::{Cond, Path, PathStep, Start};
use crate::schema::Kinds;

/// The surroundings of a step or a value.
#[derive(Clone)]
pub(super) struct Here<'s> {
    /// The message, and the elements of the `each` and `join` around, from the outside in.
    pub scopes: Vec<Scope<'s>>,
    /// The number of the scope that `$` is: what surrounds a command or the message of a host is around it.
    pub root: usize,
    /// Whether the outermost scope is what surrounds a command or the message of a host.
    pub around: bool,
    /// How many `each` and `join` are around.
    pub each: usize,
    /// What the conditions around say about kinds.
    pub guards: Vec<Guard>,
    /// The term in whose body this stands.
    pub parent: Option<&'static VerbSpec>,
    /// Whether an `in` around says which item parts belong to.
    pub in_item: bool,
}

/// A value from which paths start.
#[derive(Clone)]
pub(super) struct Scope<'s> {
    pub ty: Ty<'s>,
    /// Where it is in the message.
    pub place: Place,
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
        let message = Scope { ty, place: Place::new() };
        Self {
            scopes: vec![message],
            root: 0,
            around: false,
            each: 0,
            guards: Vec::new(),
            parent: None,
            in_item: false,
        }
    }

    /// One level deeper, where `ty` is the current value.
    pub(super) fn inside(&self, ty: Ty<'s>, place: Place) -> Self {
        let mut inner = self.clone();
        inner.scopes.push(Scope { ty, place });
        inner
    }

    /// Where the condition has this outcome.
    pub(super) fn guarded(&self, condition: &Cond, outcome: bool) -> Self {
        let mut inner = self.clone();
        Guard::of(condition, outcome, self, &mut inner.guards);
        inner
    }

    /// The number of the scope from which a path starts. There is none for what surrounds a native message.
    pub(super) fn start(&self, path: &Path) -> Option<usize> {
        let last = self.scopes.len() - 1;
        match path.start {
            Start::Root => Some(self.root),
            Start::Here => Some(last),
            Start::Named(levels, _) => last.checked_sub(usize::from(levels)),
            Start::Around => self.around.then_some(0),
        }
    }

    /// Where a path from here leads.
    pub(super) fn place(&self, path: &Path) -> Place {
        let start = self.start(path).unwrap_or_default();
        let steps = path.steps.iter().map(|step| match step {
            PathStep::Key(key) => Segment::Key(key.text.clone()),
            _ => Segment::Element,
        });
        self.scopes[start].place.iter().cloned().chain(steps).collect()
    }

    /// In the body of a term.
    pub(super) fn body_of(&self, spec: &'static VerbSpec) -> Self {
        Self { parent: Some(spec), ..self.clone() }
    }
}
