//! Iterates over lists, and over the steps inside a term.

use interlingua_table::{Action, Arm, ArmShape, Expr, Path};

use super::eval::{Reading, Val, is_kind};
use super::scope::{Element, Scope};
use super::term::Term;
use crate::engine::memory::registers::Stored;
use crate::json::{Items, Value};

/// The elements of what a step goes over, each with the arm that takes it.
pub(crate) struct Elements<'v> {
    over: &'static Path,
    arms: &'static [Arm],
    values: Values<'v>,
}

enum Values<'v> {
    Many(Element, std::iter::Enumerate<Items<'v>>),
    One(Element, Option<Value<'v>>),
}

impl<'v> Elements<'v> {
    /// The next element that an arm takes, within `scope`. Null is no element; those that no arm takes are noted.
    #[inline]
    pub(crate) fn next<'p>(
        &mut self,
        reader: &impl Arms,
        scope: &'p Scope<'v, 'p>,
    ) -> Option<(Scope<'v, 'p>, &'static Arm)> {
        loop {
            let (what, position, here) = match &mut self.values {
                Values::Many(what, items) => {
                    let (position, here) = items.next()?;
                    (*what, position, here)
                }
                Values::One(what, value) => {
                    let position = if *what == Element::Itself { scope.position } else { 0 };
                    (*what, position, value.take()?)
                }
            };
            if here.is_null() {
                continue;
            }
            let element = Scope::element(scope, self.over, what, here, position);
            match reader.arm_for(self.arms, &element) {
                Some(arm) => return Some((element, arm)),
                None => reader.lose(reader.no_arm(), &element),
            }
        }
    }
}

/// Called by a walk with each term and its scope.
pub(crate) type Visit<'f, 'x> = dyn FnMut(&Term, &Scope<'x, '_>) -> bool + 'f;

/// What a step writes to a register.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) register: u16,
    /// The key, of a register that has values by keys.
    pub(crate) key: Option<String>,
    pub(crate) value: Option<Stored>,
}

/// Chooses among the arms of a step.
pub(crate) trait Arms: Reading + Sized {
    /// Notes a part of the message that is not translated.
    fn lose(&self, error: &str, scope: &Scope<'_, '_>);

    /// The error for an element without an arm.
    fn no_arm(&self) -> &'static str {
        "no rule takes this element"
    }

    /// The elements of an `each`. An object that has the tag itself, by which the arms tell elements apart, stands where
    /// a list of one was meant: its entries are no elements.
    fn each<'x>(&self, over: &'static Path, arms: &'static [Arm], scope: &Scope<'x, '_>) -> Elements<'x> {
        let values = match self.value(over, scope) {
            Some(list) if list.is_array() => Values::Many(Element::Item, list.items().enumerate()),
            Some(list) if list.is_object() && !self.has_tag(list, over, arms, scope) => {
                Values::Many(Element::Entry, list.fields().enumerate())
            }
            other => Values::One(Element::Alone, other),
        };
        Elements { over, arms, values }
    }

    /// The value itself as the only element.
    fn one<'x>(&self, over: &'static Path, arms: &'static [Arm], scope: &Scope<'x, '_>) -> Elements<'x> {
        Elements { over, arms, values: Values::One(Element::Itself, self.value(over, scope)) }
    }

    /// Whether an object has the tag of the arms.
    fn has_tag<'x>(
        &self,
        object: Value<'x>,
        over: &'static Path,
        arms: &'static [Arm],
        scope: &Scope<'x, '_>,
    ) -> bool {
        let tag = arms.iter().find_map(|arm| match &arm.shape {
            ArmShape::Tag(path, _) => Some(path),
            ArmShape::Kind(_) | ArmShape::Any => None,
        });
        let alone = Scope::element(scope, over, Element::Alone, object, 0);
        tag.is_some_and(|tag| self.value(tag, &alone).and_then(Value::as_str).is_some())
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

    /// What a step writes to a register; nothing where the key is absent.
    fn setting(
        &self,
        register: u16,
        key: Option<&'static Expr>,
        value: &'static Expr,
        scope: &Scope<'_, '_>,
    ) -> Option<Setting> {
        let key = match key {
            Some(key) => Some(self.eval_text(key, scope)?.into_owned()),
            None => None,
        };
        Some(Setting { register, key, value: self.eval(value, scope).map(Val::stored) })
    }

    /// The list of what steps add to it, of those that only collect values; nothing when they add nothing.
    fn collect<'x>(&self, steps: &'static [Action], scope: &Scope<'x, '_>) -> Option<Val<'x>> {
        let mut texts = Vec::new();
        self.collect_into(steps, scope, &mut texts);
        (!texts.is_empty()).then(|| Val::Json(format!("[{}]", texts.join(",")).into()))
    }

    /// Adds what steps collect.
    fn collect_into(&self, steps: &'static [Action], scope: &Scope<'_, '_>, texts: &mut Vec<String>) {
        for step in steps {
            match step {
                Action::Add { value, .. } => {
                    texts.extend(self.eval(value, scope).map(|value| value.json().into_owned()));
                }
                Action::Each { over, arms } | Action::One { over, arms } => {
                    let mut elements = match step {
                        Action::Each { .. } => self.each(over, arms, scope),
                        _ => self.one(over, arms, scope),
                    };
                    while let Some((element, arm)) = elements.next(self, scope) {
                        self.collect_into(arm.actions, &element, texts);
                    }
                }
                Action::When { arms } => {
                    if let Some(steps) = self.branch(arms, scope) {
                        self.collect_into(steps, scope, texts);
                    }
                }
                // The compiler allows nothing else in such a list.
                _ => {}
            }
        }
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

/// Going over the terms that a term contains.
pub(crate) trait Walking: Arms {
    /// Sets a register when the enclosing term is done.
    fn set_later(&self, set: Setting);

    /// Goes over the terms of steps that only say something about the term that they stand
    /// in, until `visit` says that it has seen enough.
    fn walk<'x>(&self, actions: &'static [Action], scope: &Scope<'x, '_>, visit: &mut Visit<'_, 'x>) -> bool {
        for action in actions {
            let go_on = match action {
                Action::Emit { verb, item, block, fields, body, .. } => {
                    visit(&Term::new((*verb, *item, *block), fields, body), scope)
                }
                Action::Each { over, arms } => self.walk_each(self.each(over, arms, scope), scope, visit),
                Action::One { over, arms } => self.walk_each(self.one(over, arms, scope), scope, visit),
                Action::In { body, .. } => self.walk(body, scope, visit),
                Action::When { arms } => match self.branch(arms, scope) {
                    Some(steps) => self.walk(steps, scope, visit),
                    None => true,
                },
                Action::Set { register, key, value } => {
                    if let Some(set) = self.setting(*register, key.as_ref(), value, scope) {
                        self.set_later(set);
                    }
                    true
                }
                // `once` does not apply to the contents of a term.
                Action::Once { .. } | Action::Candidate { .. } => true,
                // Only rules that write have these.
                Action::Add { .. }
                | Action::Put { .. }
                | Action::HangUp
                | Action::Await
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
        mut elements: Elements<'x>,
        scope: &Scope<'x, '_>,
        visit: &mut Visit<'_, 'x>,
    ) -> bool {
        while let Some((element, arm)) = elements.next(self, scope) {
            if !self.walk(arm.actions, &element, visit) {
                return false;
            }
        }
        true
    }
}
