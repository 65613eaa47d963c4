//! Maps of targets: what they emit, and whether they have decided about every signal.

use super::Checker;
use super::reads::Segment;
use super::scope::Here;
use super::types::Ty;
use crate::ast::{Word, Write};
use crate::diagnostic::{Fault, list};
use crate::schema::Schema;

/// The signal that is a whole event: who takes it needs no other.
const WHOLE: &str = "event";

impl<'s> Checker<'_, 's> {
    /// Checks the map of a target, which has no rules that read.
    pub(super) fn target(&mut self) {
        let map = self.map;
        for span in map.rules.iter().map(|rule| rule.span).chain(map.drops.iter().map(|drop| drop.span)) {
            self.fault(Fault::new(span, "a target is not read: its map has `emit` and `cannot`"));
        }
        // What a register holds is known only when all rules have been seen.
        let before = self.faults.clone();
        self.writes();
        self.faults = before;
        self.maps.clear();
        self.blocks.clear();
        self.writes();
        if map.writes.is_empty() {
            let name = &map.provider.name;
            self.fault(Fault::new(name.span, format!("the target `{}` emits nothing", name.text)));
        }
        self.whole();
    }

    /// `emit` stands in the map of a target, and `to` in that of a provider.
    pub(super) fn of_this_kind(&mut self, write: &Write) {
        let message = match (write.emits, self.map.provider.target.is_some()) {
            (true, false) => "`emit` is allowed only in the map of a `target`",
            (false, true) => "`to` is allowed only in the map of a `provider`; a target has `emit`",
            _ => return,
        };
        self.fault(Fault::new(write.command.span, message));
    }

    /// What a rule for this signal starts from.
    pub(super) fn signal(&mut self, name: &Word, vocabulary: &'s Schema) -> Option<Here<'s>> {
        let named = |definition: &str| vocabulary.definition(definition).map(Ty::of);
        let signals = named("Signal").unwrap_or_default().split(&[vec!["type".to_owned()]]);
        match signals.value(&name.text) {
            Some(signal) => {
                let context = Here::message(named("SignalContext")?);
                let signal = context.inside(signal.clone(), vec![Segment::Key("signal".to_owned())]);
                Some(Here { root: 1, around: true, ..signal })
            }
            None => {
                let known: Vec<&str> = signals.values.iter().map(|(name, _)| name.as_str()).collect();
                let message = format!("unknown signal `{}`: there are {}", name.text, list(&known));
                self.fault(Fault::new(name.span, message).suggest(&name.text, known));
                None
            }
        }
    }

    /// Each signal is emitted or declared lost.
    pub(super) fn all_signals(&mut self, emitted: &[&str]) {
        let map = self.map;
        if emitted.contains(&WHOLE) {
            return;
        }
        let Some(signals) = self.vocabulary.and_then(|vocabulary| vocabulary.definition("Signal")) else {
            return;
        };
        let signals = Ty::of(signals).split(&[vec!["type".to_owned()]]);
        let whole = |name: &str| {
            let mut declared = map.cannot.iter().filter(|one| one.command.text == name);
            declared.any(|one| one.fields.is_empty() && one.condition.is_none())
        };
        let names = signals.values.iter().map(|(name, _)| name.as_str());
        let open: Vec<&str> =
            names.filter(|name| *name != WHOLE && !emitted.contains(name) && !whole(name)).collect();
        if !open.is_empty() {
            let message = format!("{} is neither emitted nor declared lost", list(&open));
            let help = format!("add `emit {} {{ … }}` or `cannot {} because \"…\";`", open[0], open[0]);
            self.fault(Fault::new(map.provider.name.span, message).help(help));
        }
    }
}
