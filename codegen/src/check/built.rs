//! Values that are written: each is proven against what the provider accepts.

use super::Checker;
use super::scope::Here;
use super::types::Ty;
use super::values::{Value, source};
use crate::ast::{Expr, ExprKind, Step, Word};
use crate::diagnostic::{Fault, list, types};
use crate::schema::Kinds;
use crate::sources::Span;

/// What a block gives as a value.
pub(super) enum Used<'m> {
    Value(&'m Expr),
    List(&'m [Step]),
}

impl<'s> Checker<'_, 's> {
    /// A value that is written where the schema has this type.
    pub(super) fn built(&mut self, expr: &Expr, target: &Ty<'s>, here: &Here<'s>) {
        match &expr.kind {
            ExprKind::Absent => {}
            ExprKind::Needed(value) => self.built(value, target, here),
            ExprKind::Merge(one, other) => {
                self.built(one, target, here);
                if let Some(value) = self.value(other, here)
                    && !value.kinds.intersects(Kinds::OBJECT)
                {
                    let message =
                        format!("{} is of type {}, and `..` takes an object", source(other), value.kinds);
                    self.fault(Fault::new(other.span, message));
                }
            }
            ExprKind::First(all) => all.iter().for_each(|one| self.built(one, target, here)),
            ExprKind::Use(name, _) => {
                self.used_value(name, |checker, used| {
                    match used {
                        Used::Value(value) => checker.built(value, target, here),
                        Used::List(steps) => checker.built_elements(name.span, steps, target, here),
                    }
                    None
                });
            }
            ExprKind::If(condition, then, otherwise) => {
                self.condition(condition, here);
                self.built(then, target, &here.guarded(condition, true));
                self.built(otherwise, target, &here.guarded(condition, false));
            }
            ExprKind::Object(members) if !target.is_any() => {
                self.built_object(expr.span, members, target, here)
            }
            ExprKind::List(elements) if !target.is_any() => match target.only(Kinds::ARRAY).element() {
                Some(element) => elements.iter().for_each(|one| self.built(one, &element, here)),
                None => self.wrong_kind(expr.span, "a list", target),
            },
            ExprKind::BuildMap(steps) => match target.only(Kinds::OBJECT).entry() {
                Some(entry) => {
                    let entry = (!entry.is_any()).then_some(entry);
                    self.built_map(expr.span, steps, entry, here);
                }
                None if target.is_any() => self.built_map(expr.span, steps, None, here),
                None => self.wrong_kind(expr.span, "an object with computed keys", target),
            },
            ExprKind::Build(steps) => self.built_elements(expr.span, steps, target, here),
            _ => {
                if let Some(value) = self.value(expr, here) {
                    self.fits_target(expr, &value, target);
                }
            }
        }
    }

    /// A list that steps put together.
    fn built_elements(&mut self, span: Span, steps: &[Step], target: &Ty<'s>, here: &Here<'s>) {
        match target.only(Kinds::ARRAY).element() {
            Some(element) => {
                let element = (!element.is_any()).then_some(element);
                self.built_list(steps, element, here);
            }
            None if target.is_any() => self.built_list(steps, None, here),
            None => self.wrong_kind(span, "a list", target),
        }
    }

    fn wrong_kind(&mut self, span: Span, what: &str, target: &Ty<'s>) {
        self.fault(Fault::new(
            span,
            format!("{what} is not allowed here: the schema has {}", described(target)),
        ));
    }

    fn fits_target(&mut self, expr: &Expr, value: &Value, target: &Ty<'s>) {
        if target.is_any() || value.kinds.is_any() {
            return;
        }
        let allowed = target.kinds();
        let number = Kinds::NUMBER | Kinds::INTEGER;
        // A whole number is a number, and a number of the vocabulary may well be whole.
        let allowed = if allowed.intersects(number) { allowed | number } else { allowed };
        let what = source(expr);
        if value.kinds.intersects(Kinds::OBJECT) && !allowed.without(Kinds::OBJECT).intersects(value.kinds) {
            if target.entry().is_none() || !target.property_names().is_empty() {
                let message = format!(
                    "{what} is an object of the vocabulary, and the schema has {}: build it with `{{ … }}`",
                    described(target)
                );
                self.fault(Fault::new(expr.span, message));
            }
            return;
        }
        if !value.kinds.without(allowed).is_empty() {
            let message =
                format!("{what} is of type {}, and the schema has {}", value.kinds, described(target));
            self.fault(Fault::new(expr.span, message));
            return;
        }
        let Some(known) = target.closed_texts().filter(|_| value.kinds.intersects(Kinds::STRING)) else {
            return;
        };
        match &value.texts {
            None => {
                let message = format!(
                    "{what} can be any text, and the schema has {}: give it to a value map, as in `map(value)`",
                    list(&known)
                );
                self.fault(Fault::new(expr.span, message));
            }
            Some(texts) => {
                for wrong in texts.iter().filter(|text| !known.contains(text)) {
                    let message = format!("`{wrong}` is not in the schema, which has {}", list(&known));
                    self.fault(
                        Fault::new(expr.span, message).suggest_near(wrong, known.iter().map(String::as_str)),
                    );
                }
            }
        }
    }

    /// A consumer ignores members that it does not know, though its schema allows them. So they are as good as wrong.
    fn only_named(&self, shape: &Ty<'s>) -> bool {
        self.map.provider.target.is_some() && !shape.property_names().is_empty()
    }

    fn built_object(&mut self, span: Span, members: &[(Word, Expr)], target: &Ty<'s>, here: &Here<'s>) {
        let shapes = target.shapes();
        if shapes.is_empty() {
            return self.wrong_kind(span, "an object", target);
        }
        let names: Vec<&str> = members.iter().map(|(name, _)| name.text.as_str()).collect();
        let mut fitting: Vec<&Ty<'s>> = shapes.iter().filter(|shape| has_constants(shape, members)).collect();
        if fitting.is_empty() {
            for (name, value) in members {
                if let ExprKind::Text(text) = &value.kind
                    && !shapes.iter().any(|shape| can_be(shape, &name.text, text))
                {
                    let known: Vec<String> = shapes
                        .iter()
                        .filter_map(|shape| shape.property(&name.text))
                        .flat_map(|member| member.known_texts())
                        .collect();
                    let message =
                        format!("`{}` never is `{text}`: the schema has {}", name.text, list(&known));
                    let fault = Fault::new(value.span, message);
                    self.fault(fault.suggest_near(text, known.iter().map(String::as_str)));
                    return;
                }
            }
            let message = format!("no shape of {} has all of these constants", described(target));
            self.fault(Fault::new(span, message));
            return;
        }
        // A shape that names the constant itself goes before one that takes any text there.
        let names_it = |shape: &Ty<'s>| {
            members.iter().any(|(name, value)| {
                matches!(value.kind, ExprKind::Text(_))
                    && shape.property(&name.text).is_some_and(|member| member.closed_texts().is_some())
            })
        };
        if self.map.provider.target.is_some() && fitting.iter().any(|shape| names_it(shape)) {
            fitting.retain(|shape| names_it(shape));
        }
        // Of several shapes that the constants leave, those count that have all the members.
        let complete: Vec<&Ty<'s>> = fitting
            .iter()
            .copied()
            .filter(|shape| names.iter().all(|name| shape.property(name).is_some()))
            .collect();
        if !complete.is_empty() {
            fitting = complete;
        }
        for (name, value) in members {
            let mut member = Ty::default();
            for shape in &fitting {
                if let Some(ty) = shape.property(&name.text) {
                    member.join(ty);
                }
            }
            let is_named = fitting.iter().any(|shape| shape.property_names().contains(&name.text.as_str()));
            if member.is_empty() || (self.only_named(fitting[0]) && !is_named) {
                self.fault(no_member(fitting[0], name));
            } else {
                self.built(value, &member, here);
            }
        }
        let lacking = |shape: &Ty<'s>| -> Vec<&'s str> {
            shape.required_names().into_iter().filter(|name| !names.contains(name)).collect()
        };
        let least = fitting.iter().map(|shape| lacking(shape)).min_by_key(Vec::len).unwrap_or_default();
        if !least.is_empty() {
            let message =
                format!("{} lacks what the schema requires: {}", described_one(fitting[0]), list(&least));
            self.fault(Fault::new(span, message));
        }
    }
}

/// Whether a member of this shape can be this text.
fn can_be(shape: &Ty<'_>, name: &str, text: &str) -> bool {
    let Some(member) = shape.property(name) else { return false };
    let known = member.closed_texts();
    member.kinds().intersects(Kinds::STRING) && known.is_none_or(|known| known.iter().any(|one| one == text))
}

fn has_constants(shape: &Ty<'_>, members: &[(Word, Expr)]) -> bool {
    members.iter().all(|(name, value)| match &value.kind {
        ExprKind::Text(text) => shape.property(&name.text).is_none() || can_be(shape, &name.text, text),
        _ => true,
    })
}

pub(super) fn no_member(ty: &Ty<'_>, name: &Word) -> Fault {
    let known = ty.property_names();
    Fault::new(name.span, format!("{} has no `{}`", described_one(ty), name.text)).suggest(&name.text, known)
}

/// A type as a message names it.
fn described(ty: &Ty<'_>) -> String {
    let names = ty.names();
    if names.is_empty() { format!("{} there", ty.kinds()) } else { types(&names) }
}

fn described_one(ty: &Ty<'_>) -> String {
    ty.names().first().map_or_else(|| "the object".to_owned(), |name| format!("`{name}`"))
}
