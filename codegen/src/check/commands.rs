//! Whether a map has decided about every command and each of its fields.

use std::collections::BTreeSet;

use interlingua_table::{ANSWERED_BY_OWNER, READ_BY_SESSION, REQUEST};

use super::Checker;
use super::types::Ty;
use super::writes::WHOLE;
use crate::diagnostic::{Fault, list};

impl Checker<'_, '_> {
    /// Each command is written or declared impossible, and so is each of its fields.
    pub(super) fn commands_decided(&mut self) {
        let map = self.map;
        let mut told: Vec<&str> = Vec::new();
        for name in map.writes.iter().map(|write| &write.command) {
            if told.contains(&name.text.as_str()) {
                continue;
            }
            told.push(&name.text);
            let faults = self.faults.len();
            let Some(here) = self.command(name) else {
                // The rule itself has said so.
                self.faults.truncate(faults);
                continue;
            };
            let rules = map.writes.iter().enumerate().filter(|(_, write)| write.command.text == name.text);
            let read = rules.flat_map(|(number, _)| &self.command_reads[number]);
            // A case that is declared impossible decides about its field, too: the other cases need no words.
            let cases = map.cannot.iter().zip(&self.cannot_reads);
            let cases =
                cases.filter(|(cannot, _)| cannot.command.text == name.text && cannot.condition.is_some());
            let read: BTreeSet<&String> = read.chain(cases.flat_map(|(_, fields)| fields)).collect();
            if read.iter().any(|field| *field == WHOLE) {
                continue;
            }
            let declared = map.cannot.iter().filter(|cannot| cannot.command.text == name.text);
            let declared: Vec<&str> =
                declared.flat_map(|cannot| &cannot.fields).map(|field| field.text.as_str()).collect();
            let fields = here.scopes[here.scopes.len() - 1].ty.property_names();
            let forgotten: Vec<&str> = fields
                .into_iter()
                .filter(|field| *field != "type" && !declared.contains(field))
                .filter(|field| !READ_BY_SESSION.contains(&(name.text.as_str(), *field)))
                .filter(|field| !read.iter().any(|read| read == field))
                .collect();
            if !forgotten.is_empty() {
                let names = forgotten.join(", ");
                let message = format!(
                    "{} of `{}` is neither written nor declared impossible",
                    list(&forgotten),
                    name.text
                );
                let help = format!("read it, or say `cannot {}: {names} because \"…\";`", name.text);
                self.fault(Fault::new(name.span, message).help(help));
            }
        }
        self.all_commands(&told);
    }

    fn all_commands(&mut self, written: &[&str]) {
        let map = self.map;
        if map.provider.target.is_some() {
            return self.all_signals(written);
        }
        if written.iter().all(|name| *name == REQUEST)
            && map.cannot.iter().all(|one| one.command.text == REQUEST)
        {
            return;
        }
        let Some(commands) = self.vocabulary.and_then(|vocabulary| vocabulary.definition("Command")) else {
            return;
        };
        let commands = Ty::of(commands).split(&[vec!["type".to_owned()]]);
        let whole = |name: &str| {
            let mut declared = map.cannot.iter().filter(|one| one.command.text == name);
            declared.any(|one| one.fields.is_empty() && one.condition.is_none())
        };
        let open: Vec<&str> = commands
            .values
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| !written.contains(name) && !whole(name) && !ANSWERED_BY_OWNER.contains(name))
            .collect();
        if !open.is_empty() {
            let message = format!("{} is neither written nor declared impossible", list(&open));
            let help = format!("add `to {} {{ … }}` or `cannot {} because \"…\";`", open[0], open[0]);
            self.fault(Fault::new(map.provider.name.span, message).help(help));
        }
    }
}
