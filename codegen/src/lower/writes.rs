//! The way back: `to` and `cannot`.

use std::collections::HashMap;

use interlingua_table::{Cannot, Host, Path, PathStart, REQUEST, Step, Write};

use super::{Lower, leak_all, text};
use crate::ast;

impl Lower<'_> {
    pub(super) fn writes(&mut self) -> &'static [Write] {
        self.writing = true;
        let map = self.map;
        let mut taken: HashMap<&str, usize> = HashMap::new();
        let mut writes = Vec::new();
        for (number, write) in map.writes.iter().enumerate() {
            let name = write.name.as_ref().map_or(write.command.text.as_str(), |name| &name.text);
            let count = taken.entry(name).or_default();
            *count += 1;
            let name = if *count == 1 { text(name) } else { text(&format!("{name}-{count}")) };
            writes.push(self.write(write, name, number));
        }
        self.writing = false;
        self.root = 0;
        leak_all(writes)
    }

    fn write(&mut self, write: &ast::Write, name: &'static str, number: usize) -> Write {
        self.command = &self.map.writes[number].command.text;
        let reads = &self.checked.command_reads[number];
        self.root = u8::from(write.command.text != REQUEST);
        Write {
            command: text(&write.command.text),
            name,
            place: self.map.sources.place(write.command.span),
            condition: write.condition.as_ref().map(|condition| self.cond(condition)),
            needs: self.paths(&write.needs),
            actions: self.steps(&write.steps),
            reads: leak_all(reads.iter().map(|field| text(field)).collect()),
        }
    }

    pub(super) fn hosts(&mut self) -> &'static [Host] {
        self.writing = true;
        let map = self.map;
        let mut hosts = Vec::new();
        for host in &map.hosts {
            self.root = 1;
            hosts.push(Host {
                place: map.sources.place(host.span),
                http: host.http.as_ref().map(|(method, path)| (text(&method.text), text(&path.text))),
                condition: host.condition.as_ref().map(|condition| self.cond(condition)),
                session: host.session.as_ref().map(|session| self.expr(session)),
                actions: self.steps(&host.steps),
            });
        }
        self.writing = false;
        self.root = 0;
        leak_all(hosts)
    }

    pub(super) fn cannot(&mut self) -> &'static [Cannot] {
        self.writing = true;
        let map = self.map;
        let mut all = Vec::new();
        for cannot in &map.cannot {
            self.root = u8::from(cannot.command.text != REQUEST);
            let whole = Cannot {
                command: text(&cannot.command.text),
                field: None,
                case: cannot.condition.as_ref().map(|condition| self.cond(condition)),
                reason: text(&cannot.reason.text()),
                place: map.sources.place(cannot.command.span),
            };
            if cannot.fields.is_empty() {
                all.push(whole);
            }
            for field in &cannot.fields {
                let steps = leak_all(vec![Step::Key(self.key(&field.text))]);
                let path = Path { scope: PathStart::Here, steps };
                all.push(Cannot {
                    field: Some((text(&field.text), path)),
                    place: map.sources.place(field.span),
                    ..whole
                });
            }
        }
        self.writing = false;
        self.root = 0;
        leak_all(all)
    }
}
