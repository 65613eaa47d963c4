//! Registers and value maps: each is declared once, read somewhere, and complete.

use std::collections::HashSet;

use interlingua_table::FieldKind;

use super::scope::Here;
use super::values::{Value, source};
use super::{BlockUse, Checker, place_of};
use crate::ast::{Expr, ExprKind, Word, written};
use crate::diagnostic::{Fault, list, types};
use crate::schema::Kinds;

/// What the rules do with a register.
#[derive(Default)]
pub(super) struct RegisterUse {
    read: bool,
    /// All that is written to it.
    written: Option<Value>,
}

/// What the rules do with a value map.
#[derive(Default)]
pub(super) struct MapUse {
    /// The values of all enums that are read through it.
    values: HashSet<String>,
    /// Whether something is read through it whose values the schema does not list.
    open: bool,
}

/// Something that a value can come from.
struct Source {
    /// As a message names it.
    what: String,
    /// The values that the schema lists, which a value map must list too.
    native: Vec<String>,
    /// All that it can be, if that is known.
    texts: Option<Vec<String>>,
}

impl<'s> Checker<'_, 's> {
    /// The value of a register, as far as the rules before have told.
    pub(super) fn read_register(&mut self, name: &Word) -> Option<Value> {
        if !self.knows_register(name) {
            return None;
        }
        let register = self.registers.entry(name.text.clone()).or_default();
        register.read = true;
        register.written.clone()
    }

    pub(super) fn write_register(&mut self, name: &Word, value: Option<Value>) {
        if !self.knows_register(name) {
            return;
        }
        let register = self.registers.entry(name.text.clone()).or_default();
        let value = value.unwrap_or_default();
        register.written = Some(match register.written.take() {
            Some(before) => before.or(value),
            None => value,
        });
    }

    fn knows_register(&mut self, name: &Word) -> bool {
        let map = self.map;
        let known = map.registers.iter().map(|register| register.name.text.as_str());
        if let Some(register) = map.registers.iter().find(|register| register.name.text == name.text) {
            self.register_here(name, register.scope);
            return true;
        }
        let fault = Fault::new(name.span, format!("unknown register `{}`", name.text));
        let fault = fault.suggest(&name.text, known);
        self.fault(fault);
        false
    }

    /// A value that is read through a value map.
    pub(super) fn via(&mut self, inner: &Expr, name: &Word, here: &Here<'s>) -> Option<Value> {
        self.takes(inner, FieldKind::Text, "a value map", here);
        let map = self.map;
        let Some(values) = map.values.iter().find(|values| values.name.text == name.text) else {
            let known = map.values.iter().map(|values| values.name.text.as_str());
            self.fault(
                Fault::new(name.span, format!("unknown value map `{}`", name.text))
                    .suggest(&name.text, known),
            );
            return None;
        };
        let mut sources = Vec::new();
        self.sources(inner, here, &mut sources);
        for source in &sources {
            let missing: Vec<&String> = source
                .native
                .iter()
                .filter(|text| !values.pairs.iter().any(|(native, _)| native.text == **text))
                .collect();
            if missing.is_empty() {
                continue;
            }
            let (word, verb) = if missing.len() == 1 { ("value", "is") } else { ("values", "are") };
            let natives: Vec<String> = missing.iter().map(|text| written(text)).collect();
            let (what, map) = (&source.what, &name.text);
            let message = format!("{word} {} of {what} {verb} not mapped by `{map}`", list(&missing));
            let help = format!("add `{} => \"…\"` to the value map", natives.join(" | "));
            self.fault(Fault::new(name.span, message).help(help));
        }
        let usage = self.maps.entry(name.text.clone()).or_default();
        for source in sources {
            usage.open |= source.texts.is_none();
            usage.values.extend(source.native);
            usage.values.extend(source.texts.unwrap_or_default());
        }
        let mut texts: Vec<String> = Vec::new();
        let results = values.pairs.iter().map(|(_, result)| result).chain(&values.otherwise);
        for result in results.flatten() {
            if !texts.contains(&result.text) {
                texts.push(result.text.clone());
            }
        }
        Some(Value { kinds: Kinds::STRING, texts: Some(texts), native: Vec::new() })
    }

    /// Everything that a value can come from.
    fn sources(&mut self, expr: &Expr, here: &Here<'s>, sources: &mut Vec<Source>) {
        // Faults inside the value have been reported by the caller.
        let reported = self.faults.len();
        match &expr.kind {
            ExprKind::First(all) => all.iter().for_each(|one| self.sources(one, here, sources)),
            ExprKind::If(condition, then, otherwise) => {
                self.sources(then, &here.guarded(condition, true), sources);
                self.sources(otherwise, &here.guarded(condition, false), sources);
            }
            _ => {
                let mut what = source(expr);
                if let ExprKind::Path(path) = &expr.kind
                    && let Some((ty, _)) = self.path(path, here)
                    && !ty.names().is_empty()
                {
                    what.push_str(&format!(" ({})", types(&ty.names())));
                }
                if let Some(Value { native, texts, .. }) = self.value(expr, here) {
                    sources.push(Source { what, native, texts });
                }
            }
        }
        self.faults.truncate(reported);
    }

    /// What can be said only when all rules have been seen.
    pub(super) fn whole(&mut self) {
        let map = self.map;
        for register in &map.registers {
            let name = &register.name;
            let usage = self.registers.get(&name.text);
            let written = usage.is_some_and(|usage| usage.written.is_some());
            let message = match (written, usage.is_some_and(|usage| usage.read)) {
                (true, true) => continue,
                (false, _) => format!("register `{}` is never written", name.text),
                (true, false) => format!("register `{}` is never read", name.text),
            };
            self.fault(Fault::new(name.span, message));
        }
        for values in &map.values {
            self.value_map(values);
        }
        for block in &map.blocks {
            match self.blocks.get(&block.name.text) {
                Some(uses) => self.faults.extend(of_block(uses)),
                None => {
                    self.fault(Fault::new(
                        block.name.span,
                        format!("block `{}` is never used", block.name.text),
                    ));
                }
            }
        }
        self.declared_once("register", map.registers.iter().map(|register| &register.name));
        self.tools();
        self.declared_once("value map", map.values.iter().map(|values| &values.name));
        self.declared_once("block", map.blocks.iter().map(|block| &block.name));
    }

    fn value_map(&mut self, values: &crate::ast::ValueMap) {
        let name = &values.name;
        if values.otherwise.is_none() {
            let message = format!("value map `{}` does not say what an unknown value becomes", name.text);
            self.fault(Fault::new(name.span, message).help("end it with `_ => \"…\"` or `_ => absent`"));
        }
        let mut seen: HashSet<&str> = HashSet::new();
        for (native, _) in &values.pairs {
            if !seen.insert(&native.text) {
                self.fault(Fault::new(native.span, format!("value `{}` is mapped twice", native.text)));
            }
        }
        let Some(usage) = self.maps.remove(&name.text) else {
            self.fault(Fault::new(name.span, format!("value map `{}` is never used", name.text)));
            return;
        };
        if usage.open {
            return;
        }
        for (native, _) in &values.pairs {
            if !usage.values.contains(&native.text) {
                let known: Vec<&str> = usage.values.iter().map(String::as_str).collect();
                let message =
                    format!("value `{}` is in no enum that is read through `{}`", native.text, name.text);
                self.fault(Fault::new(native.span, message).suggest_near(&native.text, known));
            }
        }
    }

    pub(super) fn declared_once<'w>(&mut self, what: &str, names: impl Iterator<Item = &'w Word>) {
        let mut seen: HashSet<&str> = HashSet::new();
        for name in names {
            if !seen.insert(&name.text) {
                self.fault(Fault::new(name.span, format!("{what} `{}` is declared twice", name.text)));
            }
        }
    }
}

/// The faults of a block. Like a rule for several message types, it may name what only some of the
/// places have in which it is used, so what one of them lacks counts only if all do. Where the schema says
/// nothing, it does not say that something is there.
fn of_block(uses: &[BlockUse]) -> Vec<Fault> {
    let absent: Vec<HashSet<(u16, u32)>> = uses
        .iter()
        .map(|one| one.faults.iter().filter(|fault| fault.is_absence).map(|fault| place_of(fault.span)))
        .zip(uses)
        .map(|(absent, one)| absent.chain(one.unknown.iter().copied()).collect())
        .collect();
    let counts = |fault: &Fault| {
        !fault.is_absence || absent.iter().all(|places| places.contains(&place_of(fault.span)))
    };
    uses.iter().flat_map(|one| &one.faults).filter(|fault| counts(fault)).cloned().collect()
}
