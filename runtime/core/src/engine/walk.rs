//! Going over lists, and over steps that only say something.

use interlingua_table::{Action, Arm, ArmShape, Path};

use super::eval::{Reading, Stored, Val, is_kind};
use super::run::Term;
use super::scope::{Element, Scope};
use crate::json::{Items, Value};

/// The elements of what an `each` goes over.
pub(super) enum Elements<'v> {
    Many(Element, std::iter::Enumerate<Items<'v>>),
    One(Option<Value<'v>>),
}

impl<'v> Elements<'v> {
    pub(super) fn of(value: Value<'v>) -> Self {
        if value.is_array() {
            Self::Many(Element::Item, value.items().enumerate())
        } else if value.is_object() {
            Self::Many(Element::Entry, value.fields().enumerate())
        } else {
            Self::one(value)
        }
    }

    /// The value itself as the only element.
    pub(super) fn one(value: Value<'v>) -> Self {
        Self::One(Some(value))
    }
}

impl<'v> Iterator for Elements<'v> {
    type Item = (Element, usize, Value<'v>);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Many(what, items) => items.next().map(|(place, value)| (*what, place, value)),
            Self::One(value) => value.take().map(|value| (Element::Itself, 0, value)),
        }
    }
}

/// What a walk meets: a term and the place where it stands.
pub(super) type Visit<'f, 'x> = dyn FnMut(&Term, &Scope<'x, '_>) -> bool + 'f;

/// Going over what a rule says about a message.
pub(super) trait Walking: Reading {
    /// Notes an element that no arm takes.
    fn lose(&self, error: &str, scope: &Scope<'_, '_>);

    /// Writes a register when the term that the step stands in is done.
    fn set_later(&self, number: u16, value: Option<Stored>);

    /// What a step goes over. An object that has the tag itself, by which the arms tell elements apart,
    /// stands where a list of one was meant: its entries are no elements.
    fn elements<'x>(
        &self,
        list: Value<'x>,
        over: &'static Path,
        arms: &'static [Arm],
        scope: &Scope<'x, '_>,
        split: fn(Value<'x>) -> Elements<'x>,
    ) -> Elements<'x> {
        let tag = arms.iter().find_map(|arm| match &arm.shape {
            ArmShape::Tag(path, _) => Some(path),
            ArmShape::Kind(_) | ArmShape::Any => None,
        });
        if let Some(tag) = tag.filter(|_| list.is_object()) {
            let alone = Scope::element(scope, over, Element::Itself, list, 0);
            if self.value(tag, &alone).and_then(Value::as_str).is_some() {
                return Elements::one(list);
            }
        }
        split(list)
    }

    /// The first arm that takes an element.
    fn arm_for(&self, arms: &'static [Arm], scope: &Scope<'_, '_>) -> Option<&'static Arm> {
        let mut read: Option<(&Path, Option<std::borrow::Cow<'_, str>>)> = None;
        arms.iter().find(|arm| {
            let fits = match &arm.shape {
                ArmShape::Tag(path, values) => {
                    if !read.as_ref().is_some_and(|(last, _)| *last == path) {
                        read = Some((path, self.value(path, scope).and_then(Value::as_str)));
                    }
                    let tag = read.as_ref().and_then(|(_, tag)| tag.as_deref());
                    tag.is_some_and(|tag| values.contains(&tag))
                }
                ArmShape::Kind(kind) => is_kind(scope.here.kind(), *kind),
                ArmShape::Any => true,
            };
            fits && arm.condition.as_ref().is_none_or(|condition| self.holds(condition, scope))
        })
    }

    /// Goes over the terms of steps that only say something about the term that they stand
    /// in, until `visit` says that it has seen enough.
    fn walk<'x>(&self, actions: &'static [Action], scope: &Scope<'x, '_>, visit: &mut Visit<'_, 'x>) -> bool {
        for action in actions {
            let go_on = match action {
                Action::Emit { verb, item, block, fields, body, .. } => {
                    visit(&Term::new((*verb, *item, *block), fields, body), scope)
                }
                Action::Each { over, arms } => self.walk_each(over, arms, scope, Elements::of, visit),
                Action::One { over, arms } => self.walk_each(over, arms, scope, Elements::one, visit),
                Action::In { body, .. } => self.walk(body, scope, visit),
                Action::When { arms } => match self.branch(arms, scope) {
                    Some(steps) => self.walk(steps, scope, visit),
                    None => true,
                },
                Action::Set { register, value, .. } => {
                    let value = self.eval(value, scope).map(Val::stored);
                    self.set_later(*register, value);
                    true
                }
                // Said twice or not, what a term contains belongs to it.
                Action::Once { .. } => true,
                // These stand only in rules that write.
                Action::Add { .. }
                | Action::Put { .. }
                | Action::HangUp
                | Action::Send { .. }
                | Action::Degrade { .. }
                | Action::Spawn { .. }
                | Action::Tell { .. } => true,
            };
            if !go_on {
                return false;
            }
        }
        true
    }

    fn walk_each<'x>(
        &self,
        over: &'static Path,
        arms: &'static [Arm],
        scope: &Scope<'x, '_>,
        split: fn(Value<'x>) -> Elements<'x>,
        visit: &mut Visit<'_, 'x>,
    ) -> bool {
        let Some(list) = self.value(over, scope) else {
            return true;
        };
        for (what, position, here) in self.elements(list, over, arms, scope, split) {
            if here.is_null() {
                continue;
            }
            let element = Scope::element(scope, over, what, here, position);
            match self.arm_for(arms, &element) {
                Some(arm) => {
                    if !self.walk(arm.actions, &element, visit) {
                        return false;
                    }
                }
                None => self.lose("no rule takes this element", &element),
            }
        }
        true
    }

    /// The steps of the first arm whose condition holds.
    fn branch(
        &self,
        arms: &'static [(interlingua_table::Cond, &'static [Action])],
        scope: &Scope<'_, '_>,
    ) -> Option<&'static [Action]> {
        arms.iter().find(|(condition, _)| self.holds(condition, scope)).map(|(_, steps)| *steps)
    }
}
